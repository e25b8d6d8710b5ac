"""E-Gen's results as rows, and as lines for people."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any

from engines.core.expression_language import display_name
from engines.core.text import make_printable
from workbench.tables import (
    Column,
    HintLine,
    TableRow,
    TableSpec,
    align_rows,
    choose_noun,
    filter_columns,
)

if TYPE_CHECKING:
    from engines.egen.corpus.build_semembed import BuildSemembed
    from engines.egen.egraphs import Extract, WalkEgraph
    from engines.egen.models.embed import Embed, Embedded
    from engines.egen.models.vectors import Indexed
    from engines.egen.records import Cluster
    from engines.egen.rules.user_rules import Difference
    from engines.egen.rules_and_theories import FileChecked
    from engines.egen.verify_and_explain import Verified
    from engines.grading.graded_files import Graded, GradePairs
    from workbench.papers.egen.evaluation import DrawMap


MemberAddress = Callable[[Mapping[str, Any]], str]


def write_expression(notation: str, prefix: str) -> str:
    """Write an expression in a notation of `engines.mathematics.terms.notation`: infix, unicode_infix or
    latex.
    """
    if (text := _write_function(notation, prefix)) is not None:
        return text
    from engines.egen.theories.user_theories import show_registered_term

    return str(show_registered_term(prefix)[0][notation.removesuffix("_infix")])


@lru_cache(32_768)
def _write_function(notation: str, prefix: str) -> str | None:
    from engines.core.errors import ExpressionError
    from engines.core.expression_language import LETTERS, read_prefix
    from engines.mathematics.terms.notation import to_infix, to_latex, unicode_infix

    try:
        writers = {"infix": to_infix, "unicode_infix": unicode_infix, "latex": to_latex}
        return writers[notation](read_prefix(prefix, LETTERS))
    except ExpressionError:
        return None  # of another theory


def _notation_writer(notation: str) -> Callable[[TableRow], str]:
    return lambda row: write_expression(notation, row["head"] if "head" in row else row["prefix"])


def _format_verdict(outcome: str | None, exceptional: str | None) -> str:
    return f"{outcome or ''} except at {exceptional}" if exceptional else outcome or ""


def _cluster_and_member(row: TableRow) -> str:
    return "" if row["cluster"] is None else f"{row['cluster']}.{row['member']}"


def _neighbour_row(each: TableRow, result: Mapping[str, Any]) -> dict[str, Any]:
    same = {None: "", True: "yes", False: "no"}[each["same"]]
    return {"verdict": "", **each, "same": same, "place": result["neighbours"].index(each) + 1}


def _first_wrong(row: TableRow) -> int:
    """Return those of other clusters above all; in both parts the nearest first when it is sorted descending:
    `S` from the order of cosines sorts the first column so, and the wrong ones come first.
    """
    return (10**6 if row["same"] == "no" else 0) - int(row["place"])


_INFIX = Column(
    "infix",
    "infix",
    value=_notation_writer("infix"),
    format=lambda row: row["unicode"],
    tex=_notation_writer("latex"),
)
_OP = Column("op", "op", on="", value=lambda row: str(row.get("prefix", row.get("head", ""))).split())
_COSINE = Column("cosine", "cosine", 6, "right", format=".4f")
_ROOMY = 40
"""Cells of the list of clusters from which on there is room for more than heads and verdicts."""

CLUSTERS = TableSpec(
    (
        Column("cluster", "cluster", 7, on="csv tex"),
        Column("head", "head", tex=_notation_writer("latex"), sort=lambda row: row.get("infix")),
        Column("infix", "infix", on="csv", value=_notation_writer("infix")),
        Column("op", "op", on="csv", value=lambda row: row["operators"]),
        Column("size", "size", 5, "right", room=_ROOMY),
        Column(
            "tok",
            "tok",
            4,
            "right",
            unit="tokens",
            value=lambda row: row["mean_tokens"],
            format=".0f",
            drop=1,
            room=_ROOMY,
        ),
        Column("equal", "equal", 6, on="screen csv", unit="share of the members"),
        *filter_columns("verdict kind", "csv"),
        Column("stop", "stop", on="csv", value=lambda row: row["stop_reason"]),
        *filter_columns("nodes classes iterations", "csv"),
    )
)
MEMBERS = TableSpec(
    (
        Column("member", "member", 6, "right"),
        *filter_columns("prefix", "csv"),
        replace(_INFIX, format=""),
        Column("latex", "latex", on="csv", value=_notation_writer("latex"), unfiltered="it is infix, in TeX"),
        Column("tok", "tok", 3, "right", unit="tokens", value=lambda row: row["tokens"], drop=1),
        Column(
            "verdict",
            "verdict",
            26,
            format=lambda row: _format_verdict(row["verdict"] or "", row.get("except") or ""),
        ),
        Column("kept", "kept", 4, "right", on="text csv", unit="share of the head's domain", format=".0%"),
        *filter_columns("gained", "csv"),
        Column("by", "by", 19, unit="classical form", drop=1),
        _OP,
    )
)
MATCHES = TableSpec(
    (
        Column("cluster", "cluster", 7, "right"),
        Column("head", "head", 40, format=lambda row: row["unicode"]),
        Column("infix", "infix", on="csv", value=_notation_writer("infix")),
        Column("verdict", "verdict", 11),
        Column(
            "member",
            "there as",
            12,
            format=lambda row: "another form" if row["member"] is None else f"member {row['member']}",
        ),
        _OP,
    )
)
NEIGHBOURS = TableSpec(
    (
        Column("place", "place", 5, "right", on="screen csv", sort=_first_wrong),
        _COSINE,
        *filter_columns("prefix", "csv"),
        _INFIX,
        Column("verdict", "verdict", 11, on="text csv"),
        Column("where", "where", 7, on="screen text", value=_cluster_and_member, drop=1),
        Column("same", "same", 7, on="screen csv"),
        *filter_columns("cluster member", "csv"),
        _OP,
    ),
    _neighbour_row,
)
HITS = TableSpec(
    (
        Column("place", "place", 5, "right", on="screen"),
        _COSINE,
        *filter_columns("prefix", "csv"),
        _INFIX,
        Column("verdict", "verdict", 18),
        Column("echo", "", 9, on="text csv", format=lambda row: "equals x2" if row["echo"] else ""),
        Column("where", "where", 7, "right", on="screen text", value=_cluster_and_member, drop=1),
        *filter_columns("cluster member", "csv"),
        _OP,
    )
)
"""Of an analogy."""


def cluster_address(spec: Any) -> MemberAddress:
    """Return the function that gives the note address of a cluster."""
    return lambda match: f"corpus/{spec.corpus.name}/cluster/{match['cluster']}"


def member_address(spec: Any) -> MemberAddress:
    """Return the function that gives the note address of a member."""
    return lambda member: f"corpus/{spec.corpus.name}/cluster/{spec.cluster}/member/{member['member']}"


def neighbour_address(spec: Any) -> MemberAddress:
    """Return the function that gives the note address of a neighbour."""
    # Without a corpus it is the sample that ships.
    home = f"corpus/{spec.data.name if spec.data is not None else 'sample-e'}/cluster"
    return lambda neighbour: f"{home}/{neighbour['cluster']}/member/{neighbour['member']}"


_SHOWN_MEMBERS = 40
_SHOWN_LINES = 10
_SHOWN_NODES = 8
_SHOWN_CLASSES = 20


def generate(cluster: Cluster, _spec: object) -> Iterator[str]:
    """Yield the lines that `mathwb egen generate` prints."""
    from engines.egen.generation import cluster_document, without_members

    result = cluster_document(cluster)
    members, stats = result["members"], cluster.stats
    rows = [{"member": number, **row} for number, row in enumerate(members, 1)]
    yield from MEMBERS.text_lines(rows, most=_SHOWN_MEMBERS, none=f"no members: {without_members(result)[0]}")
    if members:
        yield ""
    holed = sum(row.get("holes", False) for row in members)
    yield (
        f"{len(members):,} members{f' ({holed:,} with holes)' if holed else ''} "
        f"of {stats.total_members:,} terms; "
        f"growth: {stats.stop_reason}, {stats.nodes:,} {choose_noun(stats.nodes, 'node')} "
        f"in {stats.classes:,} {choose_noun(stats.classes, 'class', 'classes')}; "
        f"{stats.grow_s:.2f} s grown, {stats.sample_s:.2f} s sampled, {stats.verify_s:.2f} s verified"
    )
    if not members:
        _, change = without_members(result)
        options = (
            f"--{name.replace('_', '-')}" + ("" if value is True else f" {value}")
            for name, value in change.items()
        )
        yield HintLine(f"try {' '.join(options)}" if change else "change the expression")
    if stats.dropped:
        yield "left out: " + ", ".join(f"{count:,} {reason}" for reason, count in stats.dropped.items())


def _verdict_row(row: TableRow, _result: object) -> dict[str, Any]:
    from engines.egen.verify_and_explain import explain_row

    return {"gained": None, "except": "", **row, "because": explain_row(row)}


def _grade_reason(row: TableRow) -> str:
    return str(row["condition"] or row["witness"] or row["reason"])


VERDICTS = TableSpec(
    (
        Column("line", "line", 6, "right"),
        *filter_columns("head", "csv tex"),
        Column(
            "verdict",
            "verdict",
            12,
            format=lambda row: _format_verdict(row["verdict"] or "error", row["except"]),
        ),
        Column("kept", "kept", 4, "right", unit="share of the head's domain", format=".0%"),
        *filter_columns("gained except", "csv tex"),
        Column("because", "because"),
        Column("member", "member"),
    ),
    _verdict_row,
)
GRADES = TableSpec(
    (
        Column("line", "line", 6, "right"),
        *filter_columns("id", "csv tex"),
        Column("verdict", "verdict", 9),
        Column("gold", "gold", 20),
        Column("pred", "pred", 20),
        *filter_columns("condition witness reason", "csv tex"),
        Column("because", "because", on="text", value=_grade_reason),
    )
)


def verify(result: Verified, _spec: object) -> Iterator[str]:
    """Yield the lines that `mathwb egen verify` prints."""

    def is_plain(row: TableRow) -> bool:
        return row["verdict"] in ("equal", "extends") and not row["except"]

    exceptional = sum(bool(row.get("except")) for row in result.results)
    totals = {**result.totals, **({"with exceptional points": exceptional} if exceptional else {})}
    yield from map(str, align_rows(["verdict", "lines"], totals.items()))
    yield ""
    # Unreadable lines first: among thousands of verdicts they would go unseen.
    unreadable = (row for row in result.rows() if row["verdict"] is None)
    others = (row for row in result.rows() if row["verdict"] is not None and not is_plain(row))
    yield from VERDICTS.text_lines(
        chain(unreadable, others),
        result,
        most=_SHOWN_LINES,
        total=sum(not is_plain(row) for row in result.results),
        every=result.rows(),
        none="every line holds",
    )


def grade(result: Graded, spec: GradePairs) -> Iterator[str]:
    """Yield the lines that `mathwb grade` prints."""
    if spec.pairs is None:
        row = result.results[0]
        yield from GRADES.text_lines((), total=0, every=result.results, none=row["verdict"])
        names = ("condition", "witness", "reason", "gold", "pred")
        yield from map(str, align_rows(["", ""], [(name, row[name]) for name in names if row[name]]))
        return
    yield from map(str, align_rows(["verdict", "pairs"], result.totals.items()))
    yield ""
    yield from GRADES.text_lines(
        (row for row in result.results if row["verdict"] != "equal"),
        most=_SHOWN_LINES,
        total=result.totals["pairs"] - result.totals["equal"],
        every=result.results,
        none="every answer is equal",
    )


def explain(result: Mapping[str, Any], _spec: object) -> Iterator[str]:
    """Yield the lines that `mathwb egen explain` prints."""
    verdict = result["verdict"]
    facts = [
        ("head", _with_domain(result, "head")),
        ("member", _with_domain(result, "member")),
        ("verdict", f"{verdict['verdict']}, {_describe_share(verdict)}"),
        ("because", result["because"]),
    ]
    yield from map(str, align_rows(("", ""), facts)[1:])
    yield ""
    rows = [
        (
            *_point_cells(point),
            _format_value(point, "head"),
            _format_value(point, "member"),
            _describe_failure(point),
        )
        for point in result["points"]
    ]
    names = result["points"][0].get("at", ["x"]) if rows else ["x"]
    yield from align_rows((*map(display_name, names), "head", "member", "because"), rows)


def _with_domain(result: Mapping[str, Any], side: str) -> str:
    domain = result[f"{side}_domain"]["text"]
    return f"{result[side]}   defined on {domain}" if domain else str(result[side])


def _point_cells(point: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(f"{value:.6g}" for value in point.get("at", {"x": point["x"]}).values())


def _describe_share(verdict: Mapping[str, Any]) -> str:
    points = verdict["points"]
    if verdict["verdict"] in ("shrinks", "nowhere"):
        return f"defined on {round(verdict['kept'] * points)} of {points} points of the head's domain"
    return f"judged on {points} points of the head's domain"


def _format_value(point: Mapping[str, Any], name: str) -> str:
    return f"{point[name]:.10g}" if point[f"{name}_state"] == "defined" else point[f"{name}_state"]


def _describe_failure(point: Mapping[str, Any]) -> str:
    return f"{point['why']}, in {point['term']}" if "term" in point else ""


def derive(result: Mapping[str, Any], _spec: object) -> list[str]:
    """Return the lines that `mathwb egen derive` prints."""
    rows = [
        (_format_verdict(step["verdict"], step["except"]), step["infix"], step["rule"] or "start")
        for step in result["steps"]
    ]
    return (
        align_rows(("verdict", "expression", "rule"), rows)
        if rows
        else [f"no derivation: {result['reason']}"]
    )


def egraph(result: Mapping[str, Any], spec: WalkEgraph) -> Iterator[str]:
    """Yield the lines that `mathwb egen egraph` prints."""
    classes, root = result["classes"], str(result["root"])
    wanted = list(classes) if spec.number is not None else [root, *(name for name in classes if name != root)]

    def class_rows(most: int | None) -> Iterator[tuple[str, int, str, str]]:
        for name in wanted:
            nodes = [" ".join([node[0], *(f"c{child}" for child in node[1:])]) for node in classes[name]]
            count = len(nodes)
            if most is not None and count > most:
                nodes[most:] = [f"… and {count - most:,} more"]
            yield f"c{name}", count, result["terms"][name]["prefix"], ", ".join(nodes)

    header = ("class", "nodes", "smallest term", "is")
    cut = class_rows(_SHOWN_NODES if spec.number is None else None)
    yield from align_rows(
        header, cut, lambda _: (header, class_rows(None)), most=_SHOWN_CLASSES, total=len(wanted)
    )


def extract(result: Mapping[str, Any], spec: Extract) -> Iterator[str]:
    """Yield the lines that `mathwb egen extract` prints."""
    yield (
        f"class {result['class']}: {result['total']:,} terms; "
        f"{result['nodes']:,} nodes in {result['classes']:,} classes"
    )
    if result["repeated"]:
        yield HintLine(
            f"{result['repeated']:,} nodes stand in two classes: the e-graph is not closed under congruence, "
            "and terms may be counted more than once"
        )
    if not result["total"]:
        least = result["smallest"]
        known = (
            "none of its terms ends"
            if least is None
            else f"its smallest term has {least:,} nodes{' or more' if least >= 10**18 else ''}"
        )
        yield HintLine(known if least is None or least > 200 else f"{known}; try --max-size {least}")
        return
    yield from align_rows(("size", "terms"), result["counts"])
    if result["members"]:
        yield ""
        yield from align_rows(("size", "member"), [(row["size"], row["term"]) for row in result["members"]])
    if spec.out is not None:
        yield f"{result['clusters']:,} clusters in {spec.out}"


def theory(result: Mapping[str, Any], _spec: object) -> Iterator[str]:
    """Yield the lines that `mathwb egen theory` prints."""
    if "theories" in result:
        yield from align_rows(("theory", "what", "file"), [tuple(row.values()) for row in result["theories"]])
        return
    yield f"{result['title']}: {len(result['rules'])} rules hold; judge: {result['judge']}"
    yield ""
    yield from align_rows(
        ("operator", "arity", "written"), [tuple(row.values()) for row in result["operators"]]
    )
    yield ""
    rows = [(row["name"], row["left"], "=" if row["both"] else "->", row["right"]) for row in result["rules"]]
    yield from align_rows(("rule", "left", "", "right"), rows)


def save(result: Mapping[str, Any], _spec: object) -> list[str]:
    """Return the lines that `mathwb egen save` prints."""
    return [f"saved as cluster {result['cluster']} of {result['out']}"]


def find(result: Mapping[str, Any], _spec: object) -> Iterable[str]:
    """Return the lines that `mathwb egen find` prints."""
    return MATCHES.text_lines(result["matches"], none=f"no cluster holds {result['unicode']}")


def show(result: Mapping[str, Any], _spec: object) -> Iterable[str]:
    """Return the lines that `mathwb egen show` prints."""
    return MEMBERS.text_lines(result["members"])


def describe_import(made: Mapping[str, Any], _spec: object) -> Iterator[str]:
    """Yield the lines that `mathwb egen import` prints."""
    yield f"{made['clusters']:,} clusters, {made['expressions']:,} expressions in {made['out']}"
    if made["bad_lines"]:
        yield f"lines that could not be read: {made['bad_lines']:,}"
    for head in made["skipped"]:
        yield f"left out: {head['head']} ({head['reason']})"


def export(made: Mapping[str, Any], _spec: object) -> Iterator[str]:
    """Yield the lines that `mathwb egen export` prints."""
    yield f"{made['clusters']:,} clusters in {made['file']}"


def pairs(rows: Iterable[Sequence[str]], spec: Any) -> Iterator[str]:
    """Yield the lines that `mathwb egen pairs` prints."""
    for row in rows:
        yield json.dumps(row) if spec.jsonl else "\t".join(row)


def rules(result: Any, spec: Any) -> Iterator[str]:
    """Yield the lines that `mathwb egen rules` prints."""
    if hasattr(result, "unread"):
        yield from _of_a_file(result)
        return
    yield from _rules_overview(result.families, result.checks)
    if spec.family:
        yield ""
        yield from _rule_details(result.families, result.checks)
    for name, problem in result.problems:
        yield f"{name}: {problem}"
    if result.checks:
        from workbench.papers.egen.rule_duplicates import find_duplicates

        for name, other in find_duplicates(rule for group in result.families for rule in group.rules):
            yield HintLine(f"{name} repeats {other}: only the names of variables differ")


def _of_a_file(result: FileChecked) -> Iterator[str]:
    """Yield how many rules are of each class, and all that are false, losing or undecided, or could not be
    read.
    """
    counts = ", ".join(f"{name} {number:,}" for name, number in sorted(result.counts.items()))
    single = sum(bool(one.except_at) for one in result.found)
    yield f"{len(result.found):,} rules: {counts}; {single:,} differ in domain at single values besides"
    rows = []
    for one in result.found:
        if one.effect not in ("equal", "widening"):
            rows.append(
                (one.effect, f"line {one.rule.line}", one.rule.name, *_difference_cells(one.difference))
            )
    if rows:
        yield from align_rows(("class", "", "rule", "at", "left", "right"), rows)
    if result.unread:
        yield f"lines that could not be read: {len(result.unread):,}"
        yield from (f"  line {one.line}: {one.why}" for one in result.unread)


def _difference_cells(point: Difference | None) -> tuple[str, str, str]:
    if point is None:
        return "", "", ""
    left, right = ("undefined" if side is None else f"{side:.6g}" for side in (point.left, point.right))
    return ", ".join(f"{name} = {value:.6g}" for name, value in point.binding.items()), left, right


def rules_code(document: Mapping[str, Any]) -> int:
    """Return exit code 1 if a rule does not do what the table claims, otherwise 0."""
    return 1 if document["problems"] else 0


def corpus(built: Any, _spec: object) -> Iterator[str]:
    """Yield the lines that `mathwb egen corpus` prints."""
    if not built.complete:
        yield f"stopped after {built.heads_done:,} of {built.heads:,} heads; the same command continues"
        return
    if built.share:
        yield f"share {built.share}: {built.heads:,} heads in {built.out}; run without --share to assemble"
        return
    yield f"{built.clusters:,} clusters, {built.expressions:,} expressions in {built.out}"
    yield f"held out for validation: {built.held_out:,} of {built.clusters:,} clusters"
    if built.bad_lines:
        yield f"lines that could not be read: {built.bad_lines:,}"
    for head in built.skipped:
        yield f"left out: {head.head} ({head.reason})"


def stats(result: Mapping[str, Any], _spec: object) -> list[str]:
    """Return the lines that `mathwb egen stats` prints."""
    paper = result["paper"]
    rows: list[tuple[str, object, object]] = [
        ("operators", result["operators"], paper["operators"]),
        ("clusters", result["clusters"], ""),
        ("expressions", result["expressions"], ""),
        ("cluster size, mean", result["mean_cluster_size"], paper["mean_cluster_size"]),
        ("members per head, mean", result["mean_members_per_head"], ""),
        ("tokens, mean", result["mean_tokens"], paper["mean_tokens"]),
        ("tokens in training notation, mean", result["mean_training_tokens"], ""),
        ("training pairs", result["split"]["pairs"], paper["pairs"]),
        ("training triplets, different ones", result["split"]["distinct_triplets"], ""),
        ("training triplets, drawn with repetition", result["split"]["triplets"], paper["triplets"]),
        (
            "validation expressions",
            result["split"]["validation"]["expressions"],
            paper["validation_expressions"],
        ),
        (
            "validation expressions, shapes held out",
            result["split_by_shape"]["validation"]["expressions"],
            "",
        ),
        ("heads merged into an equal one", result["merged_heads"], ""),
        ("heads left out", len(result["skipped"]), ""),
    ]
    if result.get("variables"):
        rows.insert(0, ("variables", " ".join(result["variables"]), ""))
    lines = align_rows(("", "here", "paper"), rows)
    lines += [f"where        {make_printable(text)}" for text in result.get("assumed", ())]
    shares = ", ".join(f"{name} {share:.2%}" for name, share in result["verdicts"].items() if share)
    ends = ", ".join(f"{name} {count:,}" for name, count in result["stop_reasons"].items())
    return [*lines, "", f"verdicts     {shares}", f"growth ended {ends}"]


def _rules_overview(families: Sequence[Any], checks: Mapping[str, Any]) -> list[str]:
    """Return one line a family: directed rules by class (found if checked, else claimed), and a line of
    totals.
    """
    header = ["rules", "sound", "extends", "loses", "other", "strict", "dropped"]
    rows = [_rule_counts(group, checks) for group in families]
    if checks:
        header += ["points", "problems"]
    header.append("family")
    totals = [sum(column) for column in zip(*rows, strict=True)]
    named = [[*row, group.name] for row, group in zip(rows, families, strict=True)]
    return align_rows(header, [*named, [*totals, "total"]])


def _rule_counts(group: Any, checks: Mapping[str, Any]) -> list[int]:
    from engines.egen.rules.table import active_rules

    effects = Counter(checks[rule.name].found.effect if checks else rule.claim for rule in group.rules)
    known = [effects["sound"], effects["extends"], effects["loses"]]
    strict = len(active_rules(group.rules, "strict"))
    row = [len(group.rules), *known, len(group.rules) - sum(known), strict, len(group.dropped)]
    if checks:
        results = [checks[rule.name] for rule in group.rules]
        row.append(sum(one.found.points for one in results))
        row.append(sum(bool(one.problem) for one in results))
    return row


def _rule_details(families: Sequence[Any], checks: Mapping[str, Any]) -> Iterator[str]:
    """Yield every rule of the families with its conditions, and what is dropped."""
    from engines.core.expression_language import to_prefix

    for group in families:
        for rule in group.rules:
            exact = " or ".join(", ".join(map(str, guards)) or "always" for guards in rule.exact) or "never"
            when = f"   when {', '.join(map(str, rule.when))}" if rule.when else ""
            result = checks[rule.name].found.effect if checks else rule.claim
            sides = f"{to_prefix(rule.left)} -> {to_prefix(rule.right)}"
            yield f"{rule.name}: {sides}   {result}{when}   exact {exact}"
        for drop in group.dropped:
            yield f"{drop.name}: {drop.left} -> {drop.right}   dropped: {drop.reason}"


def embed(result: Embedded, _spec: Embed) -> Iterator[str]:
    """Yield the lines that `mathwb egen embed` prints."""
    if result.bad_lines:
        yield HintLine(f"lines without a vector, written as rows of nan: {result.bad_lines:,}")
    if result.share:
        yield f"share {result.share}: {result.rows:,} vectors; without --share the parts are merged"
        return
    yield f"{result.rows:,} vectors of {result.dimension} numbers in {result.file}"


def index(result: Indexed, _spec: object) -> Iterator[str]:
    """Yield the lines that `mathwb egen index` prints."""
    if result.left_out:
        yield HintLine(f"expressions that the model cannot read: {result.left_out:,}")
    if result.share:
        vectors = result.expressions + result.clusters
        yield f"share {result.share}: {vectors:,} vectors; without --share the parts are merged"
        return
    yield f"{result.expressions:,} expressions of {result.clusters:,} clusters have vectors"


def nearest(result: Mapping[str, Any], _spec: object) -> list[str]:
    """Return the lines that `mathwb egen nearest` prints."""
    return NEIGHBOURS.text_lines(result["neighbours"], result, infix=f"nearest to {result['unicode']}")


def analogy(result: Mapping[str, Any], _spec: object) -> Iterator[str]:
    """Yield the lines that `mathwb egen analogy` prints."""
    asked = " : ".join(result[name]["unicode"] for name in ("x1", "y1"))
    yield f"{asked}  ::  {result['x2']['unicode']} : ?"
    if result["expected"] is not None:
        rank, other = result["place"], result["place_without_echo"]
        where = f"hit {rank}" if rank else f"none of the {len(result['hits'])} hits"
        more = f", hit {other} without what equals x2" if other not in (rank, None) else ""
        yield f"expected {result['expected']['unicode']}: {where}{more}"
    yield from HITS.text_lines(result["hits"], infix=f"nearest of {result['candidates']:,}")


def draw_map(result: Mapping[str, Any], spec: DrawMap) -> Iterator[str]:
    """Yield the lines that `mathwb egen map` prints."""
    if spec.file is None:
        numbers = result.get("clusters", [""] * len(result["exprs"]))
        points = result["points"] or []
        header = ("cluster", "name", "x", "y", "expression")
        rows = [
            (number, name, x, y, text)
            for number, name, (x, y), text in zip(
                numbers, result["names"], points, result["exprs"], strict=True
            )
        ]
        seen = ((number, name, f"{x:.4f}", f"{y:.4f}", text) for number, name, x, y, text in rows)
        yield from align_rows(header, seen, lambda _: (header, rows))
    elif "clusters" in result:
        yield f"{len(result['points']):,} clusters in {spec.file}"
    else:
        families = len(set(result["names"]))
        yield f"{len(result['points']):,} expressions of {families} families in {spec.file}"


def rewrite(result: Mapping[str, Any], _spec: object) -> list[str]:
    """Return the lines that `mathwb egen rewrite` prints."""
    rows = [
        (f"{each['score_nats']:.3f}", each["verdict"] or "no expression", each["prefix"] or "")
        for each in result["written"]
    ]
    return align_rows(("nats a token", "verdict", "written"), rows)


def semembed(result: Mapping[str, Any], _spec: BuildSemembed) -> Iterator[str]:
    """Yield the lines that `mathwb egen semembed` prints."""
    yield f"{result['clusters']:,} clusters, {result['expressions']:,} expressions in {result['out']}"


def semvec(result: Mapping[str, Any], _spec: object) -> Iterator[str]:
    """Yield the lines that `mathwb egen semvec` prints."""
    rows = [
        (each["name"].replace("_", " "), f"{each['value']:.2f}", "[{:.2f}, {:.2f}]".format(*each["interval"]))
        for each in result["figures"]
    ]
    yield from align_rows((f"score at {result['k']}, %", "here", "95 %"), rows)
    yield (
        f"{result['asked']:,} queries of {result['set']}-{result['queries']} among {result['expressions']:,} "
        f"expressions of {result['classes']:,} classes"
    )

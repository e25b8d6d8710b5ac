"""What people read of E-Gen's results on the command line."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from engines.core.files import printable
from engines.egen.records import told_apart, where
from workbench.cli.common import table
from workbench.operation import Aside
from workbench.units import noun

if TYPE_CHECKING:
    from engines.egen.check_rules import FileChecked
    from engines.egen.egraphs import WalkEgraph
    from engines.egen.records import Cluster
    from engines.egen.rules.several import Difference
    from engines.egen.verdicts import Verified

__all__ = [
    "corpus",
    "derive",
    "egraph",
    "explain",
    "export",
    "find",
    "generate",
    "imported",
    "pairs",
    "rules",
    "rules_code",
    "save",
    "show",
    "stats",
    "verify",
]

_SHOWN_MEMBERS = 40
_SHOWN_LINES = 10
_SHOWN_CLASSES = 20


def _verdict(outcome: str, exceptions: str) -> str:
    return f"{outcome} except at {exceptions}" if exceptions else outcome


def generate(cluster: Cluster, _spec: object) -> Iterator[str]:
    """The first members, and how the cluster came about; without members why, and what to change."""
    from engines.egen.generation import document, without_members
    from engines.egen.theories.theory import theory_of

    members, stats = cluster.members, cluster.stats
    infix = theory_of(cluster.config.theory, "").infix
    rows = [
        (
            one.tokens,
            _verdict(one.verdict.outcome, one.verdict.exceptions),
            f"{one.verdict.kept:.0%}",
            infix(one.prefix),
        )
        for one in members[:_SHOWN_MEMBERS]
    ]
    if rows:
        yield from table(["tokens", "verdict", "kept", "member"], rows)
        yield ""
    yield (
        f"{len(members):,} members of {stats.total_members:,} terms; "
        f"growth: {stats.stop_reason}, {stats.nodes:,} {noun(stats.nodes, 'node')} "
        f"in {stats.classes:,} {noun(stats.classes, 'class', 'classes')}; "
        f"{stats.grow_s:.2f} s grown, {stats.sample_s:.2f} s drawn, {stats.verify_s:.2f} s verified"
    )
    if not members:
        why, change = without_members(document(cluster))
        yield f"no members: {why}"
        options = (
            f"--{name.replace('_', '-')}" + ("" if value is True else f" {value}")
            for name, value in change.items()
        )
        yield Aside(f"try {' '.join(options)}" if change else "change the expression")
    if stats.dropped:
        yield "left out: " + ", ".join(f"{count:,} {reason}" for reason, count in stats.dropped.items())
    if len(members) > _SHOWN_MEMBERS:
        yield Aside(f"{len(members) - _SHOWN_MEMBERS:,} more; --json lists all")


def verify(found: Verified, _spec: object) -> Iterator[str]:
    """How many lines have which verdict, and the first that are not equal."""
    yield from table(["verdict", "lines"], found.totals.items())
    failed = [row for row in found.results if row["verdict"] not in ("equal", "extends")]
    # Unreadable lines first: among thousands of verdicts they would go unseen.
    failed.sort(key=lambda row: row["verdict"] is not None)
    if failed:
        yield ""
        rows = [
            (
                row["line"],
                row["verdict"] or "error",
                "" if row["kept"] is None else f"{row['kept']:.0%}",
                _point(row),
                found.members.get(row["line"], ""),
            )
            for row in failed[:_SHOWN_LINES]
        ]
        yield from table(["line", "verdict", "kept", "because", "member"], rows)
    if len(failed) > _SHOWN_LINES:
        yield f"… and {len(failed) - _SHOWN_LINES:,} more; --json lists all"


def _point(row: Mapping[str, Any]) -> str:
    """`x = 1.5: 2 and undefined`, or why the line cannot be read."""
    if row["verdict"] is None:
        return str(row["error"])
    example = row["counterexample"]
    if example is None:
        return ""
    head, member = told_apart(example["head"], example["member"], example.get("difference"), digits=6)
    return f"{where(example['x'], example.get('at'), digits=4)}: {head} and {member}"


def explain(found: Mapping[str, Any], _spec: object) -> Iterator[str]:
    """A verdict with its domains and points."""
    verdict = found["verdict"]
    yield from table(
        ("", ""),
        [
            ("head", _with_domain(found, "head")),
            ("member", _with_domain(found, "member")),
            ("verdict", f"{verdict['verdict']}, {_share(verdict)}"),
            ("because", found["because"]),
        ],
    )[1:]
    yield ""
    rows = [
        (*_place(point), _value(point, "head"), _value(point, "member"), _failure(point))
        for point in found["points"]
    ]
    names = found["points"][0].get("at", ["x"]) if rows else ["x"]
    yield from table((*names, "head", "member", "because"), rows)


def _with_domain(found: Mapping[str, Any], side: str) -> str:
    domain = found[f"{side}_domain"]["text"]
    return f"{found[side]}   defined on {domain}" if domain else str(found[side])


def _place(point: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(f"{value:.6g}" for value in point.get("at", {"x": point["x"]}).values())


def _share(verdict: Mapping[str, Any]) -> str:
    """Of which points a verdict speaks."""
    points = verdict["points"]
    if verdict["verdict"] in ("shrinks", "nowhere"):
        return f"defined on {round(verdict['kept'] * points)} of {points} points of the head's domain"
    return f"judged on {points} points of the head's domain"


def _value(point: Mapping[str, Any], name: str) -> str:
    return f"{point[name]:.10g}" if point[f"{name}_state"] == "defined" else point[f"{name}_state"]


def _failure(point: Mapping[str, Any]) -> str:
    return f"{point['why']}, in {point['term']}" if "term" in point else ""


def derive(found: Mapping[str, Any], _spec: object) -> list[str]:
    """A derivation, a step a line."""
    rows = [
        (_verdict(step["verdict"], step["except"]), step["infix"], step["rule"] or "start")
        for step in found["steps"]
    ]
    return table(("verdict", "expression", "rule"), rows) if rows else [f"no derivation: {found['reason']}"]


def egraph(found: Mapping[str, Any], spec: WalkEgraph) -> Iterator[str]:
    """The classes of an e-graph, the root first."""
    classes, root = found["classes"], str(found["root"])
    wanted = list(classes) if spec.number is not None else [root, *(name for name in classes if name != root)]
    rows = []
    for name in wanted[:_SHOWN_CLASSES]:
        nodes = [" ".join([node[0], *(f"c{child}" for child in node[1:])]) for node in classes[name]]
        rows.append((f"c{name}", len(nodes), found["terms"][name]["prefix"], ", ".join(nodes)))
    yield from table(("class", "nodes", "smallest term", "is"), rows)
    if len(wanted) > _SHOWN_CLASSES:
        yield f"… and {len(wanted) - _SHOWN_CLASSES:,} more classes; --json lists all"


def save(found: Mapping[str, Any], _spec: object) -> list[str]:
    """Where a cluster was kept."""
    return [f"kept as cluster {found['cluster']} of {found['out']}"]


def find(found: Mapping[str, Any], _spec: object) -> Iterable[str]:
    """The clusters that hold a function."""
    if not found["matches"]:
        return [f"no cluster holds {found['unicode']}"]
    rows = [
        (
            match["cluster"],
            match["unicode"],
            match["verdict"],
            "another form" if match["member"] is None else f"member {match['member']}",
        )
        for match in found["matches"]
    ]
    return table(("cluster", "head", "verdict", "there as"), rows)


def show(found: Mapping[str, Any], _spec: object) -> Iterable[str]:
    """A cluster with its members."""
    rows = (
        (row["member"], row["tokens"], _verdict(row["verdict"], row.get("except", "")), row["infix"])
        for row in found["members"]
    )
    return table(("member", "tokens", "verdict", "expression"), rows)


def imported(made: Mapping[str, Any], _spec: object) -> Iterator[str]:
    """What was imported."""
    yield f"{made['clusters']:,} clusters, {made['expressions']:,} expressions in {made['out']}"
    if made["bad_lines"]:
        yield f"lines that could not be read: {made['bad_lines']:,}"
    for head in made["skipped"]:
        yield f"left out: {head['head']} ({head['reason']})"


def export(made: Mapping[str, Any], _spec: object) -> Iterator[str]:
    """What was exported."""
    yield f"{made['clusters']:,} clusters in {made['file']}"


def pairs(rows: Iterable[Sequence[str]], spec: Any) -> Iterator[str]:
    """A pair or triplet a line."""
    for row in rows:
        yield json.dumps(row) if spec.jsonl else "\t".join(row)


def rules(found: Any, spec: Any) -> Iterator[str]:
    """Rules by family, with what a check found; those of a file by class."""
    if hasattr(found, "unread"):
        yield from _of_a_file(found)
        return
    yield from _overview(found.families, found.checks)
    if spec.family:
        yield ""
        yield from _details(found.families, found.checks)
    for name, problem in found.problems:
        yield f"{name}: {problem}"


def _of_a_file(found: FileChecked) -> Iterator[str]:
    """How many rules are of each class, and all that are false, losing or undecided, or could not be read."""
    counts = ", ".join(f"{name} {number:,}" for name, number in sorted(found.counts.items()))
    single = sum(bool(one.except_at) for one in found.found)
    yield f"{len(found.found):,} rules: {counts}; {single:,} differ in domain at single values besides"
    rows = []
    for one in found.found:
        if one.effect not in ("equal", "widening"):
            rows.append((one.effect, f"line {one.rule.line}", one.rule.name, *_parting(one.difference)))
    if rows:
        yield from table(("class", "", "rule", "at", "left", "right"), rows)
    if found.unread:
        yield f"lines that could not be read: {len(found.unread):,}"
        yield from (f"  line {one.line}: {one.why}" for one in found.unread)


def _parting(point: Difference | None) -> tuple[str, str, str]:
    """Where two sides part, and both values."""
    if point is None:
        return "", "", ""
    left, right = ("undefined" if side is None else f"{side:.6g}" for side in (point.left, point.right))
    return ", ".join(f"{name} = {value:.6g}" for name, value in point.binding.items()), left, right


def rules_code(document: Mapping[str, Any]) -> int:
    """1 when a rule does not do what the table claims."""
    return 1 if document["problems"] else 0


def corpus(built: Any, _spec: object) -> Iterator[str]:
    """How a build ended."""
    if not built.complete:
        yield f"stopped after {built.heads_done:,} of {built.heads:,} heads; the same command goes on"
        return
    if built.share:
        yield f"share {built.share}: {built.heads:,} heads in {built.out}; without --share all is assembled"
        return
    yield f"{built.clusters:,} clusters, {built.expressions:,} expressions in {built.out}"
    if built.bad_lines:
        yield f"lines that could not be read: {built.bad_lines:,}"
    for head in built.skipped:
        yield f"left out: {head.head} ({head.reason})"


def stats(found: Mapping[str, Any], _spec: object) -> list[str]:
    """A corpus beside the paper's Table 3."""
    paper = found["paper"]
    rows: list[tuple[str, object, object]] = [
        ("operators", found["operators"], paper["operators"]),
        ("clusters", found["clusters"], ""),
        ("expressions", found["expressions"], ""),
        ("cluster size, mean", found["mean_cluster_size"], paper["mean_cluster_size"]),
        ("members per head, mean", found["mean_members_per_head"], ""),
        ("tokens, mean", found["mean_tokens"], paper["mean_tokens"]),
        ("tokens in training notation, mean", found["mean_training_tokens"], ""),
        ("training pairs", found["split"]["pairs"], paper["pairs"]),
        ("training triplets", found["split"]["triplets"], paper["triplets"]),
        (
            "validation expressions",
            found["split"]["validation"]["expressions"],
            paper["validation_expressions"],
        ),
        (
            "validation expressions, shapes held out",
            found["split_by_shape"]["validation"]["expressions"],
            "",
        ),
        ("heads merged into an equal one", found["merged_heads"], ""),
        ("heads left out", len(found["skipped"]), ""),
    ]
    if found.get("variables"):
        rows.insert(0, ("variables", " ".join(found["variables"]), ""))
    lines = table(("", "here", "paper"), rows)
    lines += [f"where        {printable(text)}" for text in found.get("assumed", ())]
    shares = ", ".join(f"{name} {share:.2%}" for name, share in found["verdicts"].items() if share)
    ends = ", ".join(f"{name} {count:,}" for name, count in found["stop_reasons"].items())
    return [*lines, "", f"verdicts     {shares}", f"growth ended {ends}"]


def _overview(families: Sequence[Any], checks: Mapping[str, Any]) -> list[str]:
    """One line a family: directed rules by class (found if checked, else claimed), and a line of totals."""
    header = ["rules", "sound", "extends", "loses", "other", "strict", "dropped"]
    rows = [_counts(group, checks) for group in families]
    if checks:
        header += ["points", "sympy", "problems"]
    header.append("family")
    totals = [sum(column) for column in zip(*rows, strict=True)]
    named = [[*row, group.name] for row, group in zip(rows, families, strict=True)]
    return table(header, [*named, [*totals, "total"]])


def _counts(group: Any, checks: Mapping[str, Any]) -> list[int]:
    from engines.egen.rules.table import active

    effects = Counter(checks[rule.name].found.effect if checks else rule.claim for rule in group.rules)
    known = [effects["sound"], effects["extends"], effects["loses"]]
    strict = len(active(group.rules, "strict"))
    row = [len(group.rules), *known, len(group.rules) - sum(known), strict, len(group.dropped)]
    if checks:
        found = [checks[rule.name] for rule in group.rules]
        row.append(sum(one.found.points for one in found))
        row.append(sum(one.opinion is not None and one.opinion.verdict == "agree" for one in found))
        row.append(sum(bool(one.problem) for one in found))
    return row


def _details(families: Sequence[Any], checks: Mapping[str, Any]) -> Iterator[str]:
    """Every rule of the families with its conditions, and what is dropped."""
    from engines.egen.expressions.language import prefix

    for group in families:
        for rule in group.rules:
            exact = " or ".join(", ".join(map(str, guards)) or "always" for guards in rule.exact) or "never"
            when = f"   when {', '.join(map(str, rule.when))}" if rule.when else ""
            found = checks[rule.name].found.effect if checks else rule.claim
            yield f"{rule.name}: {prefix(rule.left)} -> {prefix(rule.right)}   {found}{when}   exact {exact}"
        for drop in group.dropped:
            yield f"{drop.name}: {drop.left} -> {drop.right}   dropped: {drop.reason}"

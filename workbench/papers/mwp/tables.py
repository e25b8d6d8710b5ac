"""Results on math word problems as rows, and as lines for people."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.tables import Column, HintLine, TableSpec, align_rows, filter_columns

if TYPE_CHECKING:
    from engines.mwp.triplets.find_and_explain import Candidate, Explanation
    from engines.mwp.triplets.settings import Triplet
    from workbench.papers.mwp.data import TripletLabel


CANDIDATES_OF = {"negative": "negatives", "lost": "lost", "own": "own", "positive": "positives"}
"""What a candidate is, and the list of an explanation that holds it."""


def _triplet_row(triplet: Triplet, _found: object = None) -> dict[str, Any]:
    return {
        **asdict(triplet),
        "id": triplet.anchor,
        "margin": triplet.margin,
        "alone": "yes" if triplet.alone else "",
        "eq": triplet.eq_sim_negative,
    }


def candidate_row(role: str, candidate: Mapping[str, Any]) -> dict[str, Any]:
    """Make the row of a candidate of `mwp explain`.

    Args:
        role: One of `CANDIDATES_OF`.
        candidate: The candidate.
    """
    return {
        "as": role,
        "id": candidate["id"],
        "text": candidate["text_sim"],
        "eq": candidate["eq_sim"],
        "equation": candidate["template"],
        "pool": candidate["part"],
        "of": candidate["of"],
        "own": "yes" if candidate["own"] else "",
        "why": candidate["reason"],
        "problem": " ".join(candidate["text"].split()),
    }


def _explained_row(candidate: Candidate, result: Explanation) -> dict[str, Any]:
    held = (
        role for role, name in CANDIDATES_OF.items() if any(candidate is one for one in getattr(result, name))
    )
    return candidate_row(next(held), asdict(candidate))


_ALONE = Column("alone", "alone", on="", value=lambda row: "yes" if row["like"] == 1 else "")

ANCHORS = TableSpec(
    (
        Column("id", "id", 10),
        Column("template", "template"),
        Column("like", "like", 5, on="text", unit="problems"),
        *filter_columns("source fold text"),
        _ALONE,
    )
)
CHOSEN = TableSpec(
    (
        *ANCHORS.columns,
        *filter_columns("positive negative", "csv tex"),
        Column("margin", "margin", 6, "right"),
        *filter_columns("strategy label", "csv tex"),
        *filter_columns("eq"),
        Column("moved", "", 2, on="screen", drop=1),
    )
)
"""Anchors with the triplets that were chosen for them."""
TRIPLETS = TableSpec(
    (
        Column("id", "anchor", 10),
        Column("positive", "positive", 10),
        Column("negative", "negative", 10),
        Column("eq_sim_positive", "eq+", 5, "right", format=".3f"),
        Column("eq", "eq-", 5, "right", format=".3f"),
        Column("text_sim_positive", "text+", 5, "right", format=".3f"),
        Column("text_sim_negative", "text-", 5, "right", format=".3f"),
        *filter_columns("margin strategy alone"),
    ),
    _triplet_row,
)
CANDIDATES = TableSpec(
    (
        Column("as", "as", 9),
        Column("id", "id", 16),
        Column("text", "text", 5, "right"),
        Column("eq", "eq", 5, "right"),
        Column("equation", "equation", 24, drop=1),
        Column("pool", "pool", 5, drop=3),
        *filter_columns("of", "csv tex"),
        *filter_columns("own"),
        Column("why", "why", 24, drop=2),
        Column("problem", "problem", drop=4),
    ),
    _explained_row,
)


def _finding_row(finding: Mapping[str, Any], _found: object = None) -> dict[str, Any]:
    return {**finding, "line": "" if finding["line"] is None else finding["line"]}


FINDINGS = TableSpec(
    (
        Column("id", "id", 12),
        Column("line", "line", 6, "right"),
        Column("kind", "kind", 14),
        Column("what", "what"),
    ),
    _finding_row,
)
"""What an audit found."""
SOLUTIONS = TableSpec(
    (
        Column("id", "id", 12),
        Column("steps", "steps", 5, "right"),
        Column("answer", "answer", 12, "right"),
        Column("wrong", "wrong", 30, drop=1),
        Column("chain", "chain"),
        *filter_columns("problem", "csv tex"),
    )
)
"""The problems of a set with their solutions."""
WRONG_ANSWERS = TableSpec(
    (
        Column("id", "id", 12),
        Column("kind", "kind", 15),
        Column("answer", "answer", 12, "right"),
        Column("expected", "expected", 12, "right"),
        Column("equation", "equation", 24, drop=1),
        *filter_columns("expected_equation", "csv tex"),
        Column("problem", "problem", drop=2),
    )
)
"""Wrong answers of an evaluation."""
FLIPS = TableSpec(
    (
        Column("id", "id", 12),
        Column("right", "right", 6),
        Column("answer", "answer", 12, "right"),
        Column("other_answer", "other_answer", 12, "right"),
        Column("problem", "problem", drop=1),
    )
)
"""Problems that only one of two solvers gets right."""


def choice_name(strategy: str, text: str, pool: str) -> str:
    """Return how triplets are chosen as one word: `em-bibleu-train+qr`."""
    return f"{strategy}-{text}-{pool.replace(',', '+')}"


def triplet_home(set_: str, choice: str) -> str:
    """Return the prefix of the note addresses of a set's triplets."""
    return f"problems/{quote_part(set_)}/strategy/{choice}/triplet"


def triplet_address(spec: Any) -> Callable[[Triplet], str]:
    """Return the function that gives the note address of a triplet."""
    home = triplet_home(_name_of(spec.data), choice_name(spec.strategy, spec.text, spec.pool))
    return lambda triplet: f"{home}/{quote_part(triplet.anchor)}"


def quote_part(name: str) -> str:
    """Quote a part of a note address, since ids of problems may have slashes."""
    return name.replace("%", "%25").replace("/", "%2F")


def _name_of(path: Path) -> str:
    """Return the name of the workspace's set that this file is; the file's without one."""
    from workbench.papers.mwp.data import list_sets
    from workbench.workspace import Workspace

    known = list_sets(Workspace.open())
    return next(
        (name for name, position in known.items() if position.absolute() == path.absolute()), path.stem
    )


_SHOWN = 10


def problems(result: Mapping[str, Any], _spec: object) -> Iterator[str]:
    """Yield the lines that `mathwb mwp problems` prints."""
    for file in result["files"]:
        yield (
            f"{Path(file['path']).name} ({file['format']}): {file['problems']:,} problems, "
            f"{file['usable']:,} with an equation, {file['skipped']:,} rows skipped, "
            f"{file['disagreements']:,} answers that disagree"
        )
        for kind, notes in file["notes"].items():
            for note in notes[:_SHOWN]:
                yield f"  {kind}, line {note['line']} ({note['id']}): {note['reason']}"
            if len(notes) > _SHOWN:
                yield f"  … and {len(notes) - _SHOWN:,} more {kind}; --json lists all"
    if result["templates"]:
        yield f"{len(result['templates']):,} templates; the commonest:"
    yield from align_rows(
        ("template", "problems"), result["templates"].items(), most=_SHOWN, none="no templates"
    )
    if result["out"]:
        yield f"{result['out_problems']:,} problems written to {result['out']}"
    if result["renamed"]:
        yield f"{result['renamed']:,} ids also occur in an earlier file and are now file/id"


def audit(result: Mapping[str, Any], _spec: object) -> Iterator[str]:
    """Yield the lines that `mathwb mwp audit` prints."""
    from engines.mwp.problems.audit import KINDS

    yield (
        f"{result['data']} ({result['format']}): {result['problems']:,} problems, "
        f"{result['with_equation']:,} with an equation; {result['problems_with_findings']:,} with findings"
    )
    rows = [(kind, count, KINDS[kind]) for kind, count in result["kinds"].items()]
    yield from align_rows(("kind", "findings", "meaning"), rows, none="no findings")
    if result["out"]:
        yield f"written to {result['out']}"
        return
    yield ""
    yield from FINDINGS.text_lines(result["findings"], most=_SHOWN)


def steps(result: Mapping[str, Any], _spec: object) -> Iterator[str]:
    """Yield the lines that `mathwb mwp steps` prints."""
    rows = [
        (number, row["name"], row["expression"], row["value"])
        for number, row in enumerate(result["steps"], 1)
    ]
    yield from align_rows(("#", "step", "expression", "value"), rows)
    yield f"{result['filled']} = {result['answer']:.10g}   ({result['equation']})"
    if result["wrong_steps"]:
        from engines.mwp.problems.solution_steps import describe_wrong_step

        yield f"first wrong {describe_wrong_step(result['wrong_steps'][0])}"
    if result["unused"]:
        yield f"numbers of the problem that are not used: {', '.join(result['unused'])}"


def solutions(result: Mapping[str, Any], _spec: object) -> Iterator[str]:
    """Yield the lines that `mathwb mwp solutions` prints."""
    yield (
        f"{result['data']}: {result['problems']:,} problems, {result['with_steps']:,} with steps; in "
        f"{result['wrong']:,} of them a step is wrong"
    )
    yield from SOLUTIONS.text_lines(result["solutions"], most=_SHOWN)
    yield from _skipped_lines(result)


def anchors(result: Mapping[str, Any], _spec: object) -> Iterator[str]:
    """Yield the lines that `mathwb mwp anchors` prints."""
    parts = ", ".join(f"{number:,} {part}" for part, number in result["pool"].items())
    yield f"{len(result['anchors']):,} anchors, pool {parts}, {len(result['templates']):,} equations"
    if result["unusable"]:
        yield _unusable_line(result)
    rows = [tuple(row[k] for k in _COUNTED) for row in result["templates"]]
    yield from align_rows(("equation", "problems", "qr", "roda"), rows, most=_SHOWN)
    yield from ANCHORS.text_lines(result["anchors"], most=_SHOWN)


def _skipped_lines(result: Mapping[str, Any]) -> Iterator[str]:
    """Yield how many rows of the file were left out, and why the first was; nothing if none was."""
    if skipped := result.get("skipped"):
        first = skipped["first"][0]
        yield HintLine(
            f"{skipped['rows']:,} rows of the file are no problem and were left out; the first, line "
            f"{first['line']}: {first['reason']}"
        )


def _unusable_line(result: Mapping[str, Any]) -> str:
    return f"{result['unusable']:,} rows have no usable equation, or cannot be read: mwp problems lists them"


_COUNTED = ("template", "count", "qr", "roda")


def labels(result: Sequence[TripletLabel], _spec: object) -> Iterator[str]:
    """Yield the lines that `mathwb mwp labels` prints."""
    rows = [(one.set, one.anchor, one.positive, one.negative, one.label) for one in result]
    header = ("set", "anchor", "positive", "negative", "label")
    yield from align_rows(header, rows, none="you have not labelled any triplets")


def augment(result: Mapping[str, Any], _spec: object) -> Iterator[str]:
    """Yield the lines that `mathwb mwp augment` prints."""
    yield f"{result['usable']:,} of {result['problems']:,} problems have an equation"
    for kind, counts in result["kinds"].items():
        yield (
            f"{kind}: {counts['made']:,} problems made from {counts['from']:,}, "
            f"{counts['positive']:,} with the same equation, {counts['negative']:,} with another"
        )
        for what in ("doubts", "refused"):
            for reason, count in counts[what].items():
                yield f"  {what if what == 'refused' else 'doubtful'} {count:>6,}  {reason}"
    for row in result["variants"][:_SHOWN]:
        yield f"{row['id']}  {row['text']}  {row['equation']}  = {row['answer']:.10g}"
    if len(result["variants"]) > _SHOWN:
        yield f"… and {len(result['variants']) - _SHOWN:,} more; --json lists all"
    if result["out"]:
        yield f"written to {result['out']}"
    yield from _skipped_lines(result)


def generate(result: Mapping[str, Any], _spec: object) -> Iterator[str]:
    """Yield the lines that `mathwb mwp generate` prints."""
    yield (
        f"{result['problems']:,} problems of {result['situations']:,} situations over "
        f"{result['templates']:,} templates"
    )
    for row in result["rows"][:_SHOWN]:
        yield f"{row['original']}  {row['equation']}  = {row['answer']:.10g}"
    if not result["out"] and len(result["rows"]) > _SHOWN:
        yield f"… and {len(result['rows']) - _SHOWN:,} more; --json lists all, --out writes them"
    if result["out"]:
        yield f"written to {result['out']}"


def triplets(result: Mapping[str, Any], _spec: object) -> Iterator[str]:
    """Yield the lines that `mathwb mwp triplets` prints."""
    parts = ", ".join(f"{count:,} {part}" for part, count in result["pool"].items())
    yield f"{result['anchors']:,} anchors; pool of {parts} with {result['equations']:,} equations"
    if result["unusable"]:
        yield _unusable_line(result)
    hard = {name: row for name, row in result["hardness"].items() if row["triplets"]}
    if hard:
        columns = list(next(iter(hard.values())))
        yield from align_rows(("strategy", *columns), [(name, *row.values()) for name, row in hard.items()])
    if result["without_negative"]:
        yield f"{result['without_negative']:,} anchors have no negative"
    if result["labelled"]:
        yield f"{result['labelled']:,} triplets were labelled bad and are left out"
    if result["out"]:
        yield f"{result['triplets']:,} triplets written to {result['out']}"
        return
    yield from TRIPLETS.text_lines(result["triplets"], most=_SHOWN)


def explain(result: Explanation, _spec: object) -> Iterator[str]:
    """Yield the lines that `mathwb mwp explain` prints."""
    for name, problem in result.problems.items():
        yield f"{name:<9} {problem['id']}  {problem['template']} = {problem['answer']:.10g}"
        yield f"          {problem['text']}"
    yield from _candidate_lines(f"positives, {result.positive_count:,}", result.positives)
    yield from _candidate_lines(f"negatives, {result.negative_count:,}", result.negatives)
    yield from _candidate_lines("similar texts that are not candidates", result.lost)
    yield from _candidate_lines("the anchor's own variants", result.own)


def _candidate_lines(title: str, rows: tuple[Candidate, ...]) -> Iterator[str]:
    if rows:
        yield f"{title}:"
        yield from (
            f"  {one.id}  {one.part}  eq {one.eq_sim:.3f}  text {one.text_sim:.3f}  "
            f"{one.template}  {one.reason}"
            for one in rows
        )


def challenge(result: Mapping[str, Any], _spec: object) -> Iterator[str]:
    """Yield the lines that `mathwb mwp challenge` prints."""
    yield (
        f"{result['made']:,} made from {result['problems']:,} problems; {result['drawn']:,} sampled, "
        f"{result['doubtful']:,} doubtful, {result['kept']:,} kept, over {result['templates']:,} equations"
    )
    for doubt, count in result["doubts"].items():
        yield f"  {count:>6,}  {doubt}"
    if kinds := result.get("kinds"):
        rows = [(kind, row["variants"], ", ".join(list(row["refused"])[:1])) for kind, row in kinds.items()]
        yield from align_rows(("variant", "made", "commonest reason for none"), rows)
    if result["kept"] < result["asked"]:
        yield f"{result['asked']:,} were requested, but only {result['kept']:,} are left"
    yield f"written to {result['out']}"
    yield from _skipped_lines(result)


def similarity(result: Mapping[str, Any], _spec: object) -> Iterator[str]:
    """Yield the lines that `mathwb mwp similarity` prints."""
    if "bibleu" in result:
        yield f"Bi-BLEU {result['bibleu']:.4f} of {result['tokens'][0]} and {result['tokens'][1]} tokens"
        return
    yield f"{result['left']}  and  {result['right']}"
    yield f"similarity {result['similarity']:.4f}: {result['distance']} edits, {sum(result['nodes'])} nodes"
    for edit in result["edits"]:
        if edit["kind"] != "keep":
            yield f"  {edit['kind']} {' -> '.join(label for label in (edit['from'], edit['to']) if label)}"


def solve(result: Mapping[str, Any], _spec: object) -> Iterator[str]:
    """Yield the lines that `mathwb mwp solve` prints."""
    yield from map(HintLine, result["remarks"])
    if "reply" in result:
        yield from result["reply"].splitlines()
        yield ""
    for number, step in enumerate(result["steps"], start=1):
        yield f"{number}. {step['text']}"
    yield _solution_line(result)
    rows = [
        (_answer_of(row), row["filled"] or "", f"{row['probability']:.1%}") for row in result["alternatives"]
    ]
    if rows:
        yield ""
        yield from align_rows(("else", "equation", "probability"), rows)


def _solution_line(result: Mapping[str, Any]) -> str:
    share = f"{result['probability']:.0%}"
    if result["equation"] is None:
        return f"answer {_answer_of(result)}   ({share})"
    return f"answer {_answer_of(result)} = {result['filled']}   ({result['equation']}, {share})"


def _answer_of(row: Mapping[str, Any]) -> str:
    return str(row["answer_text"]) if "answer_text" in row else f"{row['answer']:.10g}"


def evaluate(result: Mapping[str, Any], _spec: object) -> Iterator[str]:
    """Yield the lines that `mathwb mwp eval` prints."""
    fold = "" if result["fold"] is None else f", fold {result['fold']}"
    yield f"{result['model']} on {result['data']}{fold}: {result['problems']:,} problems"
    yield from map(HintLine, result["remarks"])
    # How much is right, with intervals, and where the file contradicts itself.
    rows = [
        (name.replace("_", " "), f"{100 * result[name]:.1f}", f"{100 * low:.1f} to {100 * high:.1f}")
        for name, (low, high) in result["ci95"].items()
    ]
    yield from align_rows(("measure", "%", "95 %"), rows)
    if notes := result["disagreements"]:
        yield f"equation and answer of the file differ in {len(notes):,} of the rows; the answer counts:"
        yield from (f"  line {note['line']} ({note['id']}): {note['reason']}" for note in notes[:_SHOWN])
        if len(notes) > _SHOWN:
            yield f"  … and {len(notes) - _SHOWN:,} more; --json lists all"
    right = result["right"]
    if "equivalent_accuracy" in result:
        yield (
            f"{right['answers']:,} answers are right, {right['equivalent']:,} of them by an equation that is "
            "equivalent to the right one"
        )
    # What explains the figure: what was known from training, what kinds of mistakes there are, and for which
    # problems.
    yield from _setting_lines(result)
    yield from _contamination_lines(result.get("contamination"), result["model"])
    yield from _mistake_lines(result["mistakes"])
    for title, key in (("operations", "by_ops"), ("template", "by_template")):
        if not result[key]:
            continue
        yield ""
        groups = [
            (name, row["problems"], f"{100 * row['answer_accuracy']:.1f}")
            for name, row in result[key].items()
        ]
        yield from align_rows((title, "problems", "answers right, %"), groups, most=_SHOWN)
    # What it is compared with: variants of the problems, other solvers, texts that lack something.
    yield from _family_lines(result.get("families"))
    yield from _compared_family_lines(result)
    yield from _comparison_lines(result.get("comparisons", ()))
    if probes := result.get("probes"):
        yield ""
        shown = [
            (
                name.replace("_", " "),
                row["problems"],
                f"{100 * row['before']:.1f}" if "before" in row else "–",
                f"{100 * row['answer_accuracy']:.1f}" if "before" in row else "–",
            )
            for name, row in probes.items()
            if name != "remark"
        ]
        yield from align_rows(("probe", "problems", "before, %", "after, %"), shown)
        if "remark" in probes:
            yield probes["remark"]
    # Last, and not among the data, what could not be measured.
    if result["unusable"]["rows"]:
        yield HintLine(
            f"{result['unusable']['rows']:,} rows of the file cannot be used; the first, line "
            f"{result['unusable']['first'][0]['line']}: {result['unusable']['first'][0]['reason']}"
        )
    for reason, count in result["unread"].items():
        yield HintLine(f"{count:,} problems count as wrong: {reason}")


def _family_lines(families: Mapping[str, Any] | None) -> Iterator[str]:
    if families is None:
        return
    low, high = _percent(families["ci95"])
    yield ""
    yield (
        f"{families['families']:,} families, right as a whole: {100 * families['whole_accuracy']:.1f} % "
        f"({low:.1f} to {high:.1f}), without missing facts "
        f"{100 * families['whole_answerable_accuracy']:.1f} % ({_percent_range(families['answerable_ci95'])})"
    )
    rows = [
        (
            kind,
            row["problems"],
            f"{100 * row['before']:.1f}",
            f"{100 * row['answer_accuracy']:.1f}",
            f"{100 * row['drop']:.1f}",
            _percent_range(row["drop_ci95"]),
            f"{row['mcnemar_p']:.3g}",
        )
        for kind, row in families["by_kind"].items()
    ]
    header = ("variant", "problems", "problems right, %", "variants right, %", "drop", "95 %", "McNemar p")
    yield from align_rows(header, rows)


def _compared_family_lines(result: Mapping[str, Any]) -> Iterator[str]:
    """Yield the shares of whole families and of kinds of variants that are right, of all that is compared."""
    compared = [row for row in result.get("comparisons", ()) if "families" in row]
    if not compared:
        return
    rows = []
    for row in (result, *compared):
        families = row["families"]
        kinds = families["by_kind"].values()
        rows.append(
            (
                row["model"],
                f"{100 * families['whole_accuracy']:.1f}",
                _percent_range(families["ci95"]),
                *(f"{100 * kind['answer_accuracy']:.1f}" for kind in kinds),
            )
        )
    yield ""
    kinds = result["families"]["by_kind"]
    yield from align_rows(("right, %", "whole families", "95 %", *kinds), rows)


def _setting_lines(result: Mapping[str, Any]) -> Iterator[str]:
    if (setting := result.get("setting")) is None:
        return
    cost = f", cost {setting['cost']:.4f}" if "cost" in setting else ""
    yield (
        f"asked in mode {setting['mode']}, {setting['samples']:,} samples at temperature "
        f"{setting['temperature']:g}: {setting['asked_now']:,} asked now, {setting['refused']:,} refused, "
        f"{setting['cut']:,} cut off, {setting['unreadable']:,} unreadable; tokens "
        f"{setting['prompt_tokens']:,} in, {setting['completion_tokens']:,} out{cost}"
    )
    if samples := result.get("samples"):
        yield ""
        rows = [
            (f"{name}@{k}", f"{100 * row['accuracy']:.1f}", "{:.1f} to {:.1f}".format(*_percent(row["ci95"])))
            for name in ("maj", "pass")
            for k, row in samples[name].items()
        ]
        yield from align_rows(("samples", "%", "95 %"), rows)


def _percent(interval: Sequence[float]) -> tuple[float, ...]:
    return tuple(100 * bound for bound in interval)


def _contamination_lines(contamination: Mapping[str, Any] | None, model: str) -> Iterator[str]:
    if contamination is None:
        yield HintLine(
            f"it is unknown whether {model} has seen these problems or similar ones; --train FILE compares "
            "them with the problems of a file"
        )
        return
    yield ""
    if contamination["resembling"] is None:
        yield (
            f"{contamination['identical']:,} problems have the words of one of the "
            f"{contamination['training_texts']:,} texts that {model} has marks of; "
            "marks do not show what only resembles one: --train FILE does"
        )
    else:
        yield (
            f"{contamination['identical']:,} problems have the words of a training problem, and "
            f"{contamination['resembling']:,} resemble one (Jaccard index {contamination['jaccard']} or more)"
        )
    rows = [
        (title, part["problems"], f"{100 * part['answer_accuracy']:.1f}", _percent_range(part["ci95"]))
        for title, part in (
            ("known from training", contamination["like_training"]),
            (
                "not known" if contamination["resembling"] is not None else "other words",
                contamination["unlike_training"],
            ),
        )
        if part["problems"]
    ]
    yield from align_rows(("part", "problems", "answers right, %", "95 %"), rows)


def _percent_range(interval: Sequence[float]) -> str:
    low, high = interval
    return f"{100 * low:.1f} to {100 * high:.1f}"


def _mistake_lines(mistakes: Mapping[str, Any]) -> Iterator[str]:
    if not mistakes["wrong"]:
        return
    yield ""
    rows = [
        (kind, row["problems"], ", ".join(row["ids"][:3]) + (", …" if len(row["ids"]) > 3 else ""))
        for kind, row in mistakes["kinds"].items()
    ]
    yield from align_rows(("mistake", "problems", "such as"), rows)
    if mistakes["unseen_template"] is not None:
        yield f"{mistakes['unseen_template']:,} of them have an equation that no training problem has"


def _comparison_lines(comparisons: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if not comparisons:
        return
    yield ""
    rows = [
        (
            row["model"],
            f"{100 * row['answer_accuracy']:.1f}",
            row["right_here_alone"],
            row["right_there_alone"],
            f"{row['mcnemar_p']:.3g}",
            f"{row['holm_p']:.3g}",
        )
        for row in comparisons
    ]
    header = ("compared with", "%", "right only here", "right only there", "McNemar p", "Holm p")
    yield from align_rows(header, rows)
    for row in comparisons:
        if row["kind"] == "solver" and row["flips"]:
            yield ""
            flips = [
                (flip["id"], flip["right"], flip["answer"], flip["other_answer"], flip["problem"][:60])
                for flip in row["flips"]
            ]
            titles = (f"flipped, {row['model']}", "right", "here", "there", "problem")
            yield from align_rows(titles, flips, most=_SHOWN)


def arrange(result: Mapping[str, Any], _spec: object) -> Iterator[str]:
    """Yield the lines that `mathwb mwp tsne` prints."""
    if result["file"]:
        yield f"{len(result['points']):,} problems plotted in {result['file']}"
        return
    rows = [
        (name, x, y, template)
        for name, (x, y), template in zip(result["ids"], result["points"], result["templates"], strict=True)
    ]
    header = ("problem", "x", "y", "equation")
    seen = ((name, f"{x:.2f}", f"{y:.2f}", template) for name, x, y, template in rows)
    yield from align_rows(header, seen, lambda _: (header, rows))

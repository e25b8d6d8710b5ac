"""The lines and tables of proofreading, of derivations checked, and of evaluations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from engines.core.text import make_printable
from workbench.tables import (
    Column,
    HintLine,
    TableSpec,
    align_rows,
    filter_columns,
    indent_lines,
)

if TYPE_CHECKING:
    from workbench.papers.egen.evaluation import EvaluateRow

MISTAKES = TableSpec(
    (
        Column("cost", "cost", 7, "right", format=".4f"),
        Column("query", "query"),
        Column("expected", "expected", format=lambda row: row["expected"] or "–", drop=1),
        Column("predicted", "predicted", format=lambda row: row["predicted"] or "–"),
        *filter_columns("note", "csv"),
    )
)
_SHOWN_MISTAKES = 5


def proofread(result: Mapping[str, Any], spec: Any) -> Iterator[str]:
    """Yield the lines that `mathwb proofread` prints."""
    quiet = () if spec.every or spec.claims else ("right", "follows", "given")
    for document in result["documents"]:
        row = document["row"]
        for link in document["links"]:
            if link["verdict"] in quiet:
                continue
            location = f"{document['file']}:{row or link['line']}"
            inside = f" ({document['id']}, line {link['line']})" if row else ""
            formula = " ".join(f"{link['left']} {link['relation']} {link['right']}".split())
            reason = f" ({link['reason']})" if link["reason"] else ""
            yield make_printable(f"{location}{inside}: {link['verdict']}: {formula}{reason}")
            if spec.claims:
                yield make_printable(f"    {_describe_reading(link)}")
        if (wrong := document["first_wrong"]) and row:
            reason = f", {wrong['reason']}" if wrong["reason"] else ""
            step = f"line {wrong['line']}, step {wrong['step']}: {wrong['text']}{reason}"
            yield make_printable(f"{document['id']}: first wrong step: {step}")
        for section in document["sections"] if spec.claims else ():
            where = f"{document['id']}, {section['scope']}"
            yield make_printable(f"{where}: {_count_verdicts(section['counts'])}")
    for notation in result["notations"][:_MOST_NOTATIONS]:
        yield make_printable(f"unread {notation['count']:,} times: {notation['what']}")
    if result["hidden"]:
        yield f"{result['hidden']:,} findings are hidden by comments or the baseline"
    if count := result["not_judged"]:
        yield f"{count:,} {'document is' if count == 1 else 'documents are'} not judged: a defect of mathwb"
    yield _count_verdicts(result["counts"]) or "no links"


_MOST_NOTATIONS = 12


def _describe_reading(link: Mapping[str, Any]) -> str:
    """Return how a statement was understood."""
    parts = [link["role"], f"in {link['scope']}", f"about {link['domain']}"]
    if link["statement"]:
        parts.insert(0, link["statement"])
    if link["hypotheses"]:
        parts.append(f"where {' and '.join(link['hypotheses'])}")
    return "; ".join(parts)


def _count_verdicts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {verdict}" for verdict, count in counts.items() if count)


def check(result: Mapping[str, Any], _spec: object) -> Iterator[str]:
    """Yield the lines that `mathwb egen check` prints."""
    if result["model"]:
        yield f"{result['model']} suspects a step whose cosine is below {result['threshold']:.4f}"
        if held := result["suspicion"]:
            yield (
                f"{held['precision']:.0f} % of them hold, {held['recall']:.0f} % of mistakes are "
                "suspected (derivations with one mistake each)"
            )
    for number, derivation in enumerate(result["derivations"], 1):
        yield f"derivation {number}: {_verdicts_in_words(derivation)}"
        for index, step in enumerate(derivation["steps"]):
            note = _transition_note(derivation["transitions"][index - 1]) if index else ""
            yield f"  {index + 1}. {step['infix']}{note}"
    if result["bad"]:
        yield f"derivations that could not be read: {len(result['bad']):,}"


_SAID = {"wrong": "is wrong", "loses domain": "loses domain", "not shown": "is not shown"}


def _verdicts_in_words(derivation: Mapping[str, Any]) -> str:
    """`step 3 is wrong; step 5 is not shown`: the first of each kind."""
    results = [each["judgement"] for each in derivation["transitions"]]
    parts = [f"step {results.index(kind) + 2} {said}" for kind, said in _SAID.items() if kind in results]
    parts = parts or ["every step is right"]
    flagged = derivation["first_flagged"]
    if flagged is not None and flagged != derivation["first_wrong"]:
        parts.append(f"the embeddings suspect step {flagged + 2}")
    return "; ".join(parts)


def _transition_note(transition: Mapping[str, Any]) -> str:
    from engines.mathematics.verification.verdicts import describe_point, format_distinguishable

    parts = []
    example, judgement = transition["counterexample"], transition["judgement"]
    if judgement == "right":
        parts += [transition["reason"]] if transition["verdict"] != "equal" or transition["except"] else []
    elif example and "said" in example:
        parts.append(f"{judgement.upper()}: {example['said']}")
    elif example:
        shown = format_distinguishable(example["head"], example["member"], example["difference"], digits=6)
        at = describe_point(example["x"], example.get("at"), digits=4)
        parts.append(f"{judgement.upper()}: at {at}: {' becomes '.join(shown)}")
    else:
        parts.append(f"{judgement.upper()}: {transition['reason']}")
    if transition["cosine"] is not None:
        parts.append(f"cosine {transition['cosine']:.3f}" + (", suspicious" if transition["flagged"] else ""))
    return f"   [{'; '.join(parts)}]" if parts else ""


def evaluate(result: Mapping[str, Any], spec: EvaluateRow) -> Iterator[str]:
    """Yield the lines that `mathwb egen eval` prints."""
    if "kept" in result:
        yield HintLine(f"saved in {result['kept']}")
    papers = list(dict.fromkeys(name for figure in result["figures"] for name in figure["paper"]))
    rows = [
        (
            figure["name"],
            figure["protocol"],
            f"{figure['value']:.2f}",
            "[{:.2f}, {:.2f}]".format(*figure["interval"]),
            *(f"{figure['paper'][name]:.2f}" if name in figure["paper"] else "" for name in papers),
        )
        for figure in result["figures"]
    ]
    yield f"{result['task']}: {result['model']} on {result['data']}"
    yield from align_rows(
        ("measure, %", "protocol", "here", "95 %", *(f"paper {name}" for name in papers)), rows
    )
    yield ""
    yield from _setting_lines(result["setting"])
    if families := result["setting"].get("by_family"):
        yield ""
        columns = ("family", "analogies", "paper, %", "any form, %")
        yield from align_rows(
            columns, [(name, n, f"{a:.1f}", f"{b:.1f}") for name, (n, a, b) in families.items()]
        )
    if result["mistakes"]:
        yield ""
        yield f"wrong: {result['wrong']:,}; the costliest:"
        lines = MISTAKES.text_lines(result["mistakes"], most=spec.worst or _SHOWN_MISTAKES)
        yield from indent_lines(lines)


def _setting_lines(setting: Mapping[str, Any]) -> Iterator[str]:
    for name, value in setting.items():
        if not isinstance(value, Mapping):
            shown = f"{value:.6g}" if isinstance(value, float) else str(value)
            yield f"{name.replace('_', ' ')}: {shown}"
        elif value and name != "by_family":
            counts = ", ".join(f"{key}: {count:.6g}" for key, count in value.items())
            yield f"{name.replace('_', ' ')}: {counts}"

"""What people read of solvers on the command line: an answer, measures, a plane."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from workbench.cli.common import table
from workbench.operation import Aside

__all__ = ["arrange", "evaluate", "solve"]

_SHOWN = 10


def solve(found: Mapping[str, Any], _spec: object) -> Iterator[str]:
    """The steps, the answer, what else was thought of, and what was not understood."""
    yield from map(Aside, found["remarks"])
    for number, step in enumerate(found["steps"], start=1):
        yield f"{number}. {step['text']}"
    certain = f"{found['equation']}, {found['probability']:.0%}"
    yield f"answer {found['answer']:.10g} = {found['filled']}   ({certain})"
    rows = [
        (f"{row['answer']:.10g}", row["filled"], f"{row['probability']:.1%}") for row in found["alternatives"]
    ]
    if rows:
        yield ""
        yield from table(("else", "equation", "probability"), rows)


def evaluate(found: Mapping[str, Any], _spec: object) -> Iterator[str]:
    """The measures with their intervals, the commonest templates, and the probes."""
    fold = "" if found["fold"] is None else f", fold {found['fold']}"
    yield f"{found['model']} on {found['data']}{fold}: {found['problems']:,} problems"
    yield from map(Aside, found["remarks"])
    rows = [
        (name.replace("_", " "), f"{100 * found[name]:.1f}", f"{100 * low:.1f} to {100 * high:.1f}")
        for name, (low, high) in found["ci95"].items()
    ]
    yield from table(("measure", "%", "95 %"), rows)
    for title, key in (("operations", "by_ops"), ("template", "by_template")):
        yield ""
        groups = [
            (name, f"{row['problems']:,}", f"{100 * row['answer_accuracy']:.1f}")
            for name, row in islice(found[key].items(), _SHOWN)
        ]
        yield from table((title, "problems", "answers right, %"), groups)
        if len(found[key]) > _SHOWN:
            yield Aside(f"{len(found[key]) - _SHOWN:,} more; --json lists all")
    if against := found.get("against"):
        yield ""
        yield (
            f"{against['model']}: {100 * against['answer_accuracy']:.1f} %; right only here "
            f"{against['right_here_alone']:,}, right only there {against['right_there_alone']:,}, "
            f"McNemar p = {against['mcnemar_p']:.3g}"
        )
    if probes := found.get("probes"):
        yield ""
        shown = [
            (
                name.replace("_", " "),
                f"{row['problems']:,}",
                f"{100 * row['before']:.1f}" if "before" in row else "–",
                f"{100 * row['answer_accuracy']:.1f}" if "before" in row else "–",
            )
            for name, row in probes.items()
            if name != "remark"
        ]
        yield from table(("probe", "problems", "before, %", "after, %"), shown)
        if "remark" in probes:
            yield probes["remark"]
    if found["unusable"]["rows"]:
        yield Aside(f"{found['unusable']['rows']:,} rows of the file cannot be used; --json names the first")
    for reason, count in found["unread"].items():
        yield Aside(f"{count:,} problems count as wrong: {reason}")


def arrange(found: Mapping[str, Any], _spec: object) -> Iterator[str]:
    """Where each problem is."""
    if found["file"]:
        yield f"{len(found['points']):,} problems drawn in {found['file']}"
        return
    rows = [
        (name, f"{x:.2f}", f"{y:.2f}", template)
        for name, (x, y), template in zip(found["ids"], found["points"], found["templates"], strict=True)
    ]
    yield from table(("problem", "x", "y", "equation"), rows)

"""Fusion of runs of formulas."""

from __future__ import annotations

from typing import Annotated, Any

from engines.core.events import Sink, ignore
from engines.core.spec import Arg, specification
from engines.retrieval import fusion


@specification
class FuseFormulaRuns(fusion.FuseRuns):
    """Fuse runs by reciprocal ranks, plain or weighted by scores, or by weighted scores."""

    how: Annotated[
        fusion.How,
        Arg(
            "rrf sums 1 / (k + rank), rrf-score (the paper's) score / (k + rank), weighted weight * score; "
            "scores are scaled to 0-1 within a topic."
        ),
    ] = "rrf-score"


def fuse_runs(spec: FuseFormulaRuns, *, events: Sink = ignore) -> dict[str, Any]:
    """Write the fused run.

    Returns:
        Out, topics, formulas, left_out (formulas beyond 1,000 of a topic). Events and errors as of
        `fusion.fused_runs`.

    Worked by hand: run A d1 (1.0), d2 (.9) and run B d2 (.8), d1 (.5) give, without min-max, d1
    1/61 + .5/62 and d2 .9/62 + .8/61.
    """
    from engines.retrieval.trec import write_manifest

    fused, left_out = fusion.fused_runs(spec, task=2, events=events)
    result = {
        "out": str(spec.out),
        "topics": len(fused.rankings),
        "formulas": len(fused),
        "left_out": left_out,
    }
    write_manifest("mathamr.fuse", spec, spec.out, {"runs": spec.runs}, result)
    return result

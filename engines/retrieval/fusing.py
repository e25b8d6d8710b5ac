"""Run files fused into one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from engines.core.errors import EngineError
from engines.core.events import Event, Sink
from engines.core.spec import Arg

if TYPE_CHECKING:
    from engines.retrieval.run import Run

__all__ = ["FuseRuns", "How", "fused_runs"]

How = Literal["rrf-score", "rrf", "weighted"]


@dataclass(frozen=True, slots=True)
class FuseRuns:
    """Fuse runs: by reciprocal ranks, as they are or weighted by the scores, or by weighted scores."""

    runs: Annotated[tuple[Path, ...], Arg("Two runs or more.", metavar="RUN RUN...")]
    out: Annotated[Path, Arg("The run to write.", option=True)]
    how: Annotated[
        How,
        Arg(
            "rrf sums 1 / (k + rank); rrf-score score / (k + rank), and weighted weight * score, scores from "
            "0 to 1 within a topic."
        ),
    ] = "rrf"
    weights: Annotated[tuple[float, ...], Arg("Of each run, for weighted.")] = ()
    k: Annotated[int, Arg("The constant of reciprocal ranks.", low=0)] = 60
    tag: Annotated[str, Arg("The run's name.")] = "fused"

    def __post_init__(self) -> None:
        """Raises: EngineError E406 for one run, E434 for weights that do not go with the runs."""
        if len(self.runs) < 2:
            raise EngineError(
                "one run cannot be fused", code="E406", exit_code=2, remedy="Give two runs or more."
            )
        if (self.how == "weighted") != bool(self.weights) or len(self.weights) not in (0, len(self.runs)):
            raise EngineError(
                f"{len(self.weights)} weights for {len(self.runs)} runs fused by {self.how}",
                code="E434",
                exit_code=2,
                remedy="Give a weight for each run with --how weighted, and none otherwise.",
            )


def fused_runs(spec: FuseRuns, *, task: int, events: Sink) -> Run:
    """Read, fuse and write. Events: warnings of what was mended in a run, and of topics that not all have.
    Raises: DataError for runs that cannot be read."""
    from engines.retrieval.fusion import reciprocal_rank_fusion, weighted_sum
    from engines.retrieval.run import read_run, write_run

    runs = [read_run(path, task=task) for path in spec.runs]
    for path, run in zip(spec.runs, runs, strict=True):
        mended = (
            [f"{len(run.warnings):,} documents occur again; the best score counts"] if run.warnings else []
        )
        for message in (*mended, *run.doubts):
            events(Event("warning", {"message": f"{path}: {message}"}))
    topics = [run.rankings.keys() for run in runs]
    partly = set().union(*topics) - set(topics[0]).intersection(*topics[1:])
    if partly:
        what = f"{len(partly):,} topics are not in all runs, as {min(partly)}; what has them is fused"
        events(Event("warning", {"message": what}))
    if spec.how == "weighted":
        fused = weighted_sum(runs, spec.weights, tag=spec.tag)
    else:
        by_score = spec.how == "rrf-score"
        fused = reciprocal_rank_fusion(runs, k=spec.k, by_score=by_score, normalise=by_score, tag=spec.tag)
    write_run(fused, spec.out)
    return fused

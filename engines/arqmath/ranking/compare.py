"""Comparison of runs with a baseline, with significance tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

from engines.arqmath.ranking.evaluate import (
    JudgementsFile,
    TaskNumber,
    VisualIds,
    load_qrels,
    load_run,
)
from engines.core.drawn import check_drawing, write_drawing
from engines.core.errors import EngineError
from engines.core.events import Event, Sink, ignore
from engines.core.spec import Arg, no_effect
from engines.retrieval.bars import PIXELS, Plot, deltas

__all__ = ["SHOWN", "Compare", "compare"]

SHOWN = ("ndcg_prime", "map_prime", "p10_prime")
"""The measures that are given of every run."""


@dataclass(frozen=True, slots=True)
class Compare:
    """Compare runs with the first one: paired t-test and randomisation test, corrected for their number."""

    runs: Annotated[tuple[Path, ...], Arg("The first is the baseline.", metavar="RUN RUN...")]
    qrels: JudgementsFile
    task: TaskNumber = 1
    visual_ids: VisualIds = None
    measure: Annotated[str, Arg("Measure that is tested.")] = "ndcg_prime"
    seed: Annotated[int, Arg("Of the randomisation test and the intervals.", low=0)] = 0
    plot: Plot = None

    def __post_init__(self) -> None:
        """Raises: EngineError E406 for one run, E403 for a measure that there is not, E430 for another kind
        of picture, E427 for visual ids of another task than 2."""
        from engines.retrieval.measures import MEASURES

        if len(self.runs) < 2:
            raise EngineError(
                "one run cannot be compared", code="E406", exit_code=2, remedy="Give two runs or more."
            )
        if self.measure not in MEASURES:
            remedy = f"Known: {', '.join(MEASURES)}."
            raise EngineError(f"no measure {self.measure!r}", code="E403", exit_code=2, remedy=remedy)
        check_drawing(self.plot)
        if self.task != 2:
            no_effect({"--visual-ids": self.visual_ids}, f"--task {self.task}")


def compare(spec: Compare, *, events: Sink = ignore) -> dict[str, Any]:
    """Every run against the first.

    Returns: measure, baseline, systems (run, the means, interval: 95 % of the measure's mean, by bootstrap)
    and comparisons: of each other run its `Comparison` (see `engines.retrieval.significance`), bonferroni_p
    and holm_p; with `plot` also plot, the picture of the differences by topic. Events: warnings, as of
    `evaluate`, and of runs of unequal depth. Raises: DataError for files that cannot be read, EngineError
    E341 for fewer than two topics.

    >>> from engines.core.assets import asset
    >>> forum = asset("sample/arqmath/sample-forum")
    >>> runs = (forum / "runs" / "bm25.tsv", forum / "runs" / "dense.tsv")
    >>> test = compare(Compare(runs, forum / "qrels_task1.tsv"))["comparisons"][0]
    >>> round(test["difference"], 4), test["wins"], test["losses"]
    (0.125, 9, 3)
    """
    from engines.retrieval.measures import evaluate
    from engines.retrieval.run import unequal_depths
    from engines.retrieval.significance import bonferroni, bootstrap_interval, holm
    from engines.retrieval.significance import compare as test

    qrels = load_qrels(spec.qrels, spec.task, events)
    runs = {path: load_run(path, qrels, spec.qrels, spec.task, spec.visual_ids, events) for path in spec.runs}
    if what := unequal_depths(runs, qrels.grades):
        events(Event("warning", {"message": what}))
    results = [evaluate(runs[path], qrels) for path in spec.runs]
    values = [{topic: row[spec.measure] for topic, row in result.per_topic.items()} for result in results]
    tests = [test(values[0], other, seed=spec.seed) for other in values[1:]]
    p_values = [one.randomisation_p for one in tests]
    drawn: dict[str, Any] = {}
    if spec.plot is not None:
        _draw(spec, values)
        drawn["plot"] = str(spec.plot)
    return {
        "measure": spec.measure,
        "baseline": str(spec.runs[0]),
        "systems": [
            {
                "run": str(path),
                **{name: round(result.mean[name], 6) for name in SHOWN},
                "interval": bootstrap_interval(list(own.values()), seed=spec.seed),
            }
            for path, result, own in zip(spec.runs, results, values, strict=True)
        ],
        "comparisons": [
            {"run": str(path), **asdict(one), "bonferroni_p": b, "holm_p": h}
            for path, one, b, h in zip(
                spec.runs[1:], tests, bonferroni(p_values), holm(p_values), strict=True
            )
        ],
        **drawn,
    }


def _draw(spec: Compare, values: Sequence[Mapping[str, float]]) -> None:
    """The differences of every run from the first, a panel each."""
    assert spec.plot is not None
    first, *others = values
    named = [
        (
            f"{spec.measure} of {path.name} less {spec.runs[0].name}, {len(own)} topics",
            {topic: own[topic] - first[topic] for topic in own if topic in first},
        )
        for path, own in zip(spec.runs[1:], others, strict=True)
    ]
    write_drawing(spec.plot, deltas(named), width=PIXELS)

"""Runs of a collection beside each other, topic by topic."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from engines.core.errors import DataError
from engines.core.events import Sink, ignore
from engines.core.spec import Arg
from engines.mathamr.choices import SomeCollection

if TYPE_CHECKING:
    from engines.forum.folder import ArqmathFolder
    from engines.mathamr.retrieval.evaluation import Unit

__all__ = ["Standings", "standings"]


@dataclass(frozen=True, slots=True)
class Standings:
    """Measure all runs of a collection's Task 2 over the judged topics of its files."""

    folder: SomeCollection
    index: Annotated[
        Path | None, Arg("The index of the collection's formulas.", ref="formulas", shown="the workspace's")
    ] = None


def standings(spec: Standings, *, events: Sink = ignore, cache: Path | None = None) -> dict[str, Any]:
    """As of `evaluate`, with index, runs and qrels: the files that were evaluated.

    Judgements of other topics than the runs' are left aside, so that runs of one year are not held against
    another's. Raises: as `evaluate`, and DataError E312 without runs, judgements or an index.
    """
    from engines.forum.folder import ArqmathFolder
    from engines.mathamr.retrieval.evaluation import EvaluateFormulas, evaluate
    from engines.mathamr.retrieval.indexing import found_index
    from engines.mathamr.retrieval.search import open_index

    collection = ArqmathFolder.open(spec.folder)
    qrels, unit = _judgements(collection)
    index = found_index(collection, spec.index, cache)
    if not qrels or index is None:
        what = "judgements of the runs' topics" if not qrels else "an index of its formulas"
        raise DataError(
            f"the collection has not {what}",
            path=collection.path,
            code="E312",
            exit_code=3,
            remedy="`mathwb mathamr search` makes runs, `mathwb mathamr index` an index.",
        )
    open_index(index, collection.path, events)
    runs = tuple(collection.formula_runs)
    found = evaluate(EvaluateFormulas(runs, index, qrels, unit), events=events)
    return {**found, "index": str(index), "runs": [*map(str, runs)], "qrels": [*map(str, qrels)]}


def _judgements(collection: ArqmathFolder) -> tuple[tuple[Path, ...], Unit]:
    """The files of judgements that have topics of the runs; those of looks where none names formulas."""
    from engines.mathamr.retrieval.task2 import names_looks
    from engines.retrieval.qrels import read_qrels
    from engines.retrieval.run import read_run

    topics = {topic for path in collection.formula_runs for topic in read_run(path, task=2).rankings}
    files = [path for path in collection.qrels.get(2, ()) if topics & {*read_qrels(path).grades}]
    formulas = tuple(path for path in files if not names_looks(path))
    return (formulas, "formula") if formulas else (tuple(files), "visual")

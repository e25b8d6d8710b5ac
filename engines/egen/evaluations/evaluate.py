"""The paper's five evaluations of a model, each on data that is named, made or shipped."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from engines.core.errors import EngineError
from engines.core.events import Sink, Stop, ignore, never
from engines.core.spec import Arg
from engines.egen.corpus.splits import SplitName
from engines.egen.models.lookup import ModelFolder

if TYPE_CHECKING:
    from engines.egen.corpus.labelled import Labelled
    from engines.egen.evaluations.measured import Report
    from engines.retrieval.encoders import Encoder

__all__ = ["Evaluate", "Evaluation", "Side", "evaluate"]

Evaluation = Literal["kmeans", "semantic", "mistakes", "algebra", "retrieval"]
Side = Literal["validation", "train", "all"]

_ITEMS, _DERIVATIONS, _LEARNED_ON = 1_000, 3_000, 1_000
"""Of semantic, of mistakes, and those that the threshold is learned on: at most."""
_NOT_EVALUATED = "SymPy cannot evaluate it"


@dataclass(frozen=True, slots=True)
class Evaluate:
    """Measure a model as the paper does and, where that has a flaw, better; with 95 % bootstrap intervals.

    Of a corpus the validation side is taken. FILE may also hold items that --write kept.
    """

    task: Annotated[Evaluation, Arg("What to measure.")]
    model: ModelFolder
    data: Annotated[
        Path | None,
        Arg("Clusters to measure on.", ref="corpus", metavar="FILE|CORPUS", shown="the sample"),
    ] = None
    split: Annotated[SplitName, Arg("Of a corpus.")] = "paper"
    side: Annotated[Side | None, Arg("Of a corpus.", shown="validation")] = None
    partial: Annotated[bool, Arg("With what a file lists as equal on a part only.")] = False
    count: Annotated[int | None, Arg("Items, derivations or analogies, at most.", low=1)] = None
    train: Annotated[
        Path | None,
        Arg("mistakes: where the threshold is learned.", ref="corpus", metavar="FILE|CORPUS"),
    ] = None
    analogies: Annotated[Path | None, Arg("algebra: four expressions a line, with tabs.")] = None
    seed: Annotated[int, Arg("Of the test set.", low=0)] = 0
    write: Annotated[Path | None, Arg("Keep the test set that was built in this file.")] = None
    worst: Annotated[
        int | None,
        Arg("How many mistakes to list, the costliest first.", low=1, shown="5, of 20 with --json"),
    ] = None

    @property
    def place(self) -> Path:
        """Where the data is."""
        from engines.egen.corpus.labelled import sample_corpus

        return self.data or sample_corpus()


def evaluate(spec: Evaluate, *, events: Sink = ignore, stop: Stop = never) -> dict[str, Any]:
    """One of the five evaluations.

    The threshold of `mistakes` is learned on derivations of `train`, or of the training side of `data` when
    that is a corpus, or else of the sample. Returns: a `Report`'s fields, `data` (its name) and `seed`.

    >>> from engines.egen.models.lookup import shipped_models
    >>> found = evaluate(Evaluate("retrieval", shipped_models()[0]))
    >>> found["figures"][0]["name"], found["figures"][0]["value"] > 90
    ('retrieval_at_5', True)
    """
    from engines.egen.models.encode import kept_encoder
    from engines.egen.models.vectors import stopped

    report = _EVALUATIONS[spec.task](kept_encoder(spec.model), spec, events, stop)
    if stop():
        raise stopped("evaluation")
    return {**asdict(report), "data": spec.place.name, "seed": spec.seed}


def _clusters(spec: Evaluate, default: Side = "validation") -> Labelled:
    from engines.egen.corpus.labelled import read_labelled

    return read_labelled(spec.place, side=spec.side or default, split=spec.split, partial=spec.partial)


def _worst(spec: Evaluate) -> int:
    from engines.egen.evaluations.measured import WORST

    return spec.worst or WORST


def _of_clusters(encoder: Encoder, spec: Evaluate, events: Sink, stop: Stop) -> Report:
    measure = import_module(f"engines.egen.evaluations.{spec.task}").evaluate
    found: Report = measure(encoder, _clusters(spec), worst=_worst(spec), events=events, stop=stop)
    return found


def _semantic(encoder: Encoder, spec: Evaluate, events: Sink, stop: Stop) -> Report:
    from engines.egen.evaluations import semantic

    if semantic.holds_items(spec.place):
        items = list(semantic.read_items(spec.place))
    else:
        count = spec.count or _ITEMS
        items = semantic.build(_clusters(spec), count, seed=spec.seed, events=events, stop=stop)
    if spec.write:
        semantic.write_items(items, spec.write)
    return semantic.evaluate(encoder, items, seed=spec.seed, worst=_worst(spec), events=events, stop=stop)


def _mistakes(encoder: Encoder, spec: Evaluate, events: Sink, stop: Stop) -> Report:
    from engines.egen.corpus.labelled import sample_corpus
    from engines.egen.evaluations import derivations, mistakes

    left_out: dict[str, int] = {}

    def bad(_: EngineError) -> None:
        left_out[_NOT_EVALUATED] = left_out.get(_NOT_EVALUATED, 0) + 1

    count = spec.count or _DERIVATIONS
    test = derivations.open_derivations(
        spec.place,
        count,
        side=spec.side or "validation",
        split=spec.split,
        partial=spec.partial,
        seed=spec.seed,
        on_bad=bad,
        events=events,
        stop=stop,
    )
    if spec.write:
        derivations.write_derivations(test, spec.write)
    learned = derivations.open_derivations(
        spec.train or (spec.place if spec.place.is_dir() else sample_corpus()),
        min(count, _LEARNED_ON),
        side="train",
        seed=spec.seed + 1,
        on_bad=bad,
        events=events,
        stop=stop,
    )
    return mistakes.evaluate(
        encoder, learned, test, left_out=left_out, worst=_worst(spec), events=events, stop=stop
    )


def _algebra(encoder: Encoder, spec: Evaluate, events: Sink, stop: Stop) -> Report:
    from engines.egen.evaluations import algebra, analogies

    if spec.analogies:
        found = list(analogies.read_analogies(spec.analogies))
    else:
        found = analogies.build(spec.count or analogies.PAPER_COUNT, seed=spec.seed)
    if spec.write:
        analogies.write_analogies(found, spec.write)
    pool = _clusters(spec, "all").texts
    return algebra.evaluate(encoder, found, pool, worst=_worst(spec), events=events, stop=stop)


_EVALUATIONS: Mapping[Evaluation, Callable[[Encoder, Evaluate, Sink, Stop], Report]] = {
    "kmeans": _of_clusters,
    "retrieval": _of_clusters,
    "semantic": _semantic,
    "mistakes": _mistakes,
    "algebra": _algebra,
}

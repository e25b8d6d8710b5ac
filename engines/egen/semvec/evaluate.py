"""The SemVec benchmark: of expressions of new classes, are the nearest ones equal?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from engines.core.errors import EngineError
from engines.core.events import Event, Sink, Stop, ignore, never
from engines.core.spec import Arg
from engines.core.tree import Tree
from engines.egen.semvec.sets import SPLITS, Split, split_file, splits

if TYPE_CHECKING:
    from engines.retrieval.similarity import Vectors

__all__ = ["SemVec", "evaluate"]


@dataclass(frozen=True, slots=True)
class SemVec:
    """Measure an encoder on the SemVec benchmark: of new classes, are the nearest expressions equal?

    Queries are the expressions of a split, the pool those of all splits that are there. Beside the encoder
    stand token bigrams as a baseline and the expressions' values as an oracle.
    """

    model: Annotated[Path, Arg("A folder that training with egen.semvec made.", ref="model")]
    classes: Annotated[Path, Arg("The training split of the set: SET-train.jsonl.gz.")]
    queries: Annotated[Split, Arg("The split whose expressions are asked for.")] = "neweqtest"
    k: Annotated[int, Arg("How many neighbours count.", low=1)] = 5


def evaluate(spec: SemVec, *, events: Sink = ignore, stop: Stop = never) -> dict[str, Any]:
    """The share of the k nearest that are of the query's class, of as many as there can be.

    score_k of a query is the number of the k nearest others by cosine that are of its class, divided by k or
    by how many others its class has where that is less; a class of one is left out.
    Returns: set, model, queries, k, expressions and classes (of the pool), asked (queries), and `figures`:
    name, value in percent, and its interval over classes.
    Raises: DataError E642 for a folder without such a model, EngineError E645 for a split without queries,
    and as `splits` does.
    """
    import numpy as np

    from engines.egen.evaluations.measured import mean_figure
    from engines.egen.models.vectors import stopped
    from engines.egen.semvec.measure import bigrams, fingerprints, scores
    from engines.egen.semvec.network import encode, load_network

    network = load_network(spec.model)
    there = tuple(
        split
        for split in SPLITS
        if split in ("train", spec.queries) or split_file(spec.classes, split).exists()
    )
    pool = splits(spec.classes, there)
    asked = pool.asked(spec.queries)
    if not len(asked):
        what = f"no class of the split {spec.queries} has two expressions"
        raise EngineError(what, code="E645", exit_code=2, remedy="Name another split with --queries.")
    _, groups = np.unique(pool.numbers[asked], return_inverse=True)
    figures = []
    systems: dict[str, Callable[[Sequence[Tree]], Vectors]] = {
        "model": partial(encode, network),
        "token_bigrams": bigrams,
        "values_oracle": fingerprints,
    }
    for name, vectors in systems.items():
        if stop():
            raise stopped("evaluation")
        found = scores(vectors(pool.trees), pool.numbers, asked, spec.k)
        figure = mean_figure(name, "paper", found, groups=groups)
        figures.append({"name": name, "value": figure.value, "interval": list(figure.interval)})
        events(Event("progress", {"done": len(figures), "total": len(systems), "unit": "systems"}))
    return {
        "set": spec.classes.name.partition("-train.")[0],
        "model": spec.model.name,
        "queries": spec.queries,
        "k": spec.k,
        "expressions": len(pool.trees),
        "classes": len(set(pool.classes)),
        "asked": len(asked),
        "figures": figures,
    }

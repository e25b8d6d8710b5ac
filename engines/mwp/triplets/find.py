"""Triplets of a file of problems: found, described, written; and the anchors they are found for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engines.core.events import Sink, Stop, ignore, never
from engines.core.files import changed
from engines.mwp.problems.problem import Problem
from engines.mwp.problems.readers import read_problems
from engines.mwp.triplets.pool import Pool, parts_of, pool_of
from engines.mwp.triplets.retrieval import (
    Chooser,
    Joint,
    Retriever,
    TwoStage,
    equation_vectors,
    text_vectors,
    triplets,
    worded,
)
from engines.mwp.triplets.settings import (
    FindTriplets,
    ListAnchors,
    Triplet,
    TripletSearch,
    labelled,
    write_triplets,
)
from engines.mwp.triplets.similarity import BertSim, TextSimilarity, similarity_of, tokens


@dataclass(frozen=True, slots=True)
class Ready:
    """What triplets are found with: the anchors, the pool, and how texts are compared. `unusable`: rows that
    cannot be read, or have no equation that can."""

    anchors: tuple[Problem, ...]
    unusable: int
    pool: Pool
    texts: TextSimilarity


def ready(spec: TripletSearch, *, events: Sink = ignore, stop: Stop = never) -> Ready:
    """The pool of a spec; kept, so that another strategy on the same is answered at once."""
    key = (spec.data, changed(spec.data), spec.pool, spec.text == "bertsim", spec.tokens, spec.encoder)
    if key not in _CACHE:
        if len(_CACHE) >= _MOST:
            _CACHE.pop(next(iter(_CACHE)))
        read = read_problems(spec.data)
        pool = pool_of(read.usable, parts_of(spec.pool))
        unusable = len(read.rows) - len(read.usable) + len(read.skipped)
        texts = similarity_of(
            pool.problems, spec.text, how=spec.tokens, encoder=spec.encoder, events=events, stop=stop
        )
        _CACHE[key] = Ready(read.usable, unusable, pool, texts)
    return _CACHE[key]


_CACHE: dict[Any, Ready] = {}
_MOST = 3


def retriever(spec: TripletSearch, found: Ready, *, events: Sink = ignore, stop: Stop = never) -> Retriever:
    """The strategy of a spec on what is ready."""
    if spec.strategy == "joint":
        key = (spec.text, spec.tokens, spec.equation_encoder, spec.weight)
        kept = _JOINT.get(key)
        if kept is None or kept.pool is not found.pool or kept.texts is not found.texts:
            _JOINT.clear()
            kept = _JOINT[key] = _joint(spec, found, events=events, stop=stop)
        return kept
    chooser = Chooser(found.texts, random=spec.text == "random", seed=spec.seed)
    return TwoStage(found.pool, found.texts, spec.strategy, chooser, rare=spec.rare_min)


_JOINT: dict[Any, Retriever] = {}
"""The last one: its index of all vectors takes seconds for a large pool."""


def _joint(spec: TripletSearch, found: Ready, *, events: Sink, stop: Stop) -> Retriever:
    pool = found.pool
    if spec.equation_encoder:
        from engines.retrieval.encoders import encoder

        of_trees = encoder(spec.equation_encoder).encode(
            [worded(tree) for tree in pool.equations], events=events, stop=stop
        )
    else:
        of_trees = equation_vectors(pool.equations)
    if spec.text == "bertsim":
        assert isinstance(found.texts, BertSim)
        of_texts = found.texts.vectors
    else:
        of_texts = text_vectors([tokens(one.text, one.language, spec.tokens) for one in pool.problems])
    return Joint(pool, found.texts, of_trees[pool.equation], of_texts, weight=spec.weight)


def find_triplets(spec: FindTriplets, *, events: Sink = ignore, stop: Stop = never) -> dict[str, Any]:
    """The triplets of every usable problem, with how hard they are; for `joint` beside those of `em`.

    Raises: DataError as `read_problems` does, EngineError E681 without two equations, E682 without an
    encoder, E683 for a pool that cannot be made.

    >>> from engines.core.system import asset
    >>> found = find_triplets(FindTriplets(asset("sample/problems/sample-en/problems.jsonl")))
    >>> found["anchors"], found["equations"], found["triplets"][0].positive
    (181, 36, 'en-002')
    """
    result = ready(spec, events=events, stop=stop)
    chosen = retriever(spec, result, events=events, stop=stop)
    rows = list(triplets(chosen, result.anchors, events=events, stop=stop))
    complete = not stop()
    without = len(result.anchors) - len(rows) if complete else None
    bad = labelled(spec.without) if spec.without else frozenset()
    every = len(rows)
    rows = [row for row in rows if (row.anchor, row.positive, row.negative) not in bad]
    hard = {spec.strategy: hardness(rows, result.pool)}
    if spec.strategy == "joint":
        two = TwoStage(result.pool, result.texts, "em", Chooser(result.texts))
        hard["em"] = hardness(list(triplets(two, result.anchors, events=events, stop=stop)), result.pool)
    if spec.out and complete:
        write_triplets(spec.out, rows)
    return {
        "anchors": len(result.anchors),
        "unusable": result.unusable,
        "triplets": len(rows) if spec.out else rows,
        "without_negative": without,
        "labelled": every - len(rows),
        "pool": result.pool.counts(),
        "equations": len(result.pool.equations),
        "hardness": hard,
        "complete": complete,
        "out": spec.out,
    }


def hardness(triplets: Sequence[Triplet], pool: Pool) -> dict[str, Any]:
    """How hard triplets are: means over them.

    text_sim_negative and text_sim_positive: of the texts with the anchor's. eq_sim_negative: of the
    equations. harder: the share whose negative is nearer in words than the positive, anchors that are their
    own positive left out. own: the share whose negative was made from the anchor itself. alone: the share of
    anchors without another of their equation. negatives: how many different ones there are.
    """
    if not triplets:
        return {"triplets": 0}
    other = [triplet for triplet in triplets if triplet.positive != triplet.anchor]
    of = [pool.examples[pool.place[triplet.negative]].of for triplet in triplets]

    def mean(values: Sequence[float]) -> float | None:
        return round(float(np.mean(values)), 4) if len(values) else None

    return {
        "triplets": len(triplets),
        "text_sim_negative": mean([triplet.text_sim_negative for triplet in triplets]),
        "text_sim_positive": mean([triplet.text_sim_positive for triplet in other]),
        "eq_sim_negative": mean([triplet.eq_sim_negative for triplet in triplets]),
        "harder": mean([float(triplet.margin > 0) for triplet in other]),
        "own": mean([float(triplet.anchor == source) for triplet, source in zip(triplets, of, strict=True)]),
        "alone": mean([float(triplet.alone) for triplet in triplets]),
        "negatives": len({triplet.negative for triplet in triplets}),
    }


def list_anchors(spec: ListAnchors, *, events: Sink = ignore, stop: Stop = never) -> dict[str, Any]:
    """The anchors in the order of the file; the equations of the pool, the commonest first.

    Raises: as `engines.mwp.triplets.find.ready` does.
    """
    result = ready(TripletSearch(data=spec.data, pool=spec.pool), events=events, stop=stop)
    pool = result.pool
    parts: dict[str, Counter[str]] = {}
    for example in pool.examples:
        parts.setdefault(example.problem.template, Counter())[example.part] += 1
    like = {
        example.problem.id: len(pool.members[equation])
        for example, equation in zip(pool.examples, pool.equation, strict=True)
    }
    templates = [
        {
            "template": template,
            "count": counts.total(),
            **{part: counts[part] for part in ("train", "qr", "roda")},
        }
        for template, counts in parts.items()
    ]
    return {
        "data": spec.data,
        "anchors": [
            {
                "id": problem.id,
                "template": problem.template,
                "text": problem.text,
                "source": problem.source,
                "fold": problem.fold,
                "like": like[problem.id],
            }
            for problem in result.anchors
        ],
        "languages": dict(Counter(problem.language for problem in result.anchors)),
        "unusable": result.unusable,
        "pool": pool.counts(),
        "templates": sorted(templates, key=lambda row: (-row["count"], row["template"])),
    }

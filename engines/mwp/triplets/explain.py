"""Explanation of a triplet: what it was chosen from, what came next, and what was never looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engines.core.errors import EngineError
from engines.core.spec import known
from engines.mwp.problems.problem import Problem
from engines.mwp.triplets.find import Ready, ready, retriever
from engines.mwp.triplets.pool import Places
from engines.mwp.triplets.retrieval import Joint, TwoStage
from engines.mwp.triplets.settings import ExplainTriplet, Triplet
from engines.mwp.triplets.similarity import edits


@dataclass(frozen=True, slots=True)
class Candidate:
    """A problem that was, or might have been, chosen.

    Args: part: of the pool. of: what it was made of; own: of the anchor itself. eq_sim, text_sim: to the
    anchor. reason: why it was chosen, or not.
    """

    id: str
    text: str
    template: str
    part: str
    of: str
    own: bool
    eq_sim: float
    text_sim: float
    reason: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """A triplet with its problems, the edits from the anchor's equation, and its rivals.

    Args: positives, negatives: the candidates in the order of choice, the chosen ones first; positive_count,
    negative_count: of how many. lost: the texts most like the anchor's that are no candidates of the
    negative, because their equation is further than the nearest. own: the anchor's own variants.
    """

    triplet: Triplet
    problems: dict[str, dict[str, Any]]
    edits: dict[str, list[dict[str, Any]]]
    positives: tuple[Candidate, ...]
    positive_count: int
    negatives: tuple[Candidate, ...]
    negative_count: int
    lost: tuple[Candidate, ...]
    own: tuple[Candidate, ...]


def explain(spec: ExplainTriplet) -> Explanation:
    """The triplet of one anchor and why.

    Raises: EngineError E684 for an id without a usable problem, E685 for one without a negative, and as
    `find_triplets` does.

    >>> from engines.core.system import asset
    >>> data = asset("sample/problems/sample-en/problems.jsonl")
    >>> found = explain(ExplainTriplet(data, anchor="en-001"))
    >>> found.triplet.positive, found.triplet.negative, found.negative_count
    ('en-002', 'en-025', 22)
    """
    result = ready(spec)
    anchor = result.pool.place.get(spec.anchor)
    if anchor is None or result.pool.examples[anchor].of:
        remedy = known(spec.anchor, [problem.id for problem in result.anchors])
        raise EngineError(f"there is no problem {spec.anchor!r} with an equation", code="E684", remedy=remedy)
    chosen = retriever(spec, result)
    triplet = chosen.triplet(anchor)
    if triplet is None:
        raise EngineError(
            f"no other equation is near enough to give a negative for {spec.anchor!r}",
            code="E685",
            remedy="Use a larger pool, or a smaller --rare-min.",
        )
    if isinstance(chosen, Joint):
        return _of_joint(spec, result, chosen, anchor, triplet)
    assert isinstance(chosen, TwoStage)
    return _of_two_stages(spec, result, chosen, anchor, triplet)


def _of_two_stages(
    spec: ExplainTriplet, found: Ready, chosen: TwoStage, anchor: int, triplet: Triplet
) -> Explanation:
    sets = chosen.candidates(anchor)
    how = "drawn at random" if spec.text == "random" else ""
    return _explained(
        spec,
        found,
        anchor,
        triplet,
        sets.positives,
        sets.negatives,
        why=(
            how or "same equation, text least similar to the anchor's",
            how or "nearest other equation, text most similar to the anchor's",
        ),
        rivals=("not sampled",) * 2 if how else ("nearer text", "farther text"),
        lost="farther equation",
    )


def _of_joint(
    spec: ExplainTriplet, found: Ready, chosen: Joint, anchor: int, triplet: Triplet
) -> Explanation:
    negatives, equations, texts = chosen.scored(anchor)
    order = np.argsort(-(chosen.weight * equations + (1.0 - chosen.weight) * texts), kind="stable")
    members = found.pool.members[int(found.pool.equation[anchor])]
    return _explained(
        spec,
        found,
        anchor,
        triplet,
        members[members != anchor] if len(members) > 1 else members,
        negatives[order],
        why=(
            "same equation, text least similar to the anchor's",
            "best joint score of equation and text",
        ),
        rivals=("nearer text", "lower joint score"),
        lost="lower joint score",
        ordered=True,
    )


def _explained(
    spec: ExplainTriplet,
    found: Ready,
    anchor: int,
    triplet: Triplet,
    positives: Places,
    negatives: Places,
    *,
    why: tuple[str, str],
    rivals: tuple[str, str],
    lost: str,
    ordered: bool = False,
) -> Explanation:
    pool = found.pool
    everyone = np.arange(len(pool.examples))
    texts = found.texts.of(anchor, everyone)
    rows = pool.nearest.row(int(pool.equation[anchor]))
    equations = rows[pool.equation]

    def candidates(places: Sequence[int] | Places, reasons: Sequence[str]) -> tuple[Candidate, ...]:
        shown = []
        for rank, place in enumerate(places):
            example = pool.examples[int(place)]
            shown.append(
                Candidate(
                    id=example.problem.id,
                    text=example.problem.text,
                    template=example.problem.template,
                    part=example.part,
                    of=example.of,
                    own=example.of == triplet.anchor,
                    eq_sim=float(equations[place]),
                    text_sim=float(texts[place]),
                    reason=reasons[min(rank, len(reasons) - 1)],
                )
            )
        return tuple(shown)

    def first(places: Places, chosen: str, *, like: bool) -> Places:
        if not ordered or not like:
            places = places[np.argsort(texts[places] * (-1.0 if like else 1.0), kind="stable")]
        at = pool.place[chosen]
        # A random choice need not be the first.
        return np.concatenate([[at], places[places != at]])[: spec.show].astype(np.int64)

    alone = "no other problem has the anchor's equation, so it is its own positive"
    why_positive = alone if triplet.positive == triplet.anchor else why[0]
    if triplet.alone and triplet.positive != triplet.anchor:
        why_positive = "no other problem has the anchor's equation: nearest equation, text least similar"
    others = everyone[(pool.equation != pool.equation[anchor]) & ~np.isin(everyone, negatives)]
    foreign = pool.foreign(int(pool.equation[anchor]))[pool.equation]
    equal = ~pool.other(int(pool.equation[anchor]))[pool.equation] & ~foreign

    def missed(place: int) -> str:
        if foreign[place]:
            return "it is of another language"
        return "its equation is equal to the anchor's as a function" if equal[place] else lost

    ranked = others[np.argsort(-texts[others], kind="stable")][: spec.show]
    own = [place for place, example in enumerate(pool.examples) if example.of == triplet.anchor]

    def fate(place: int) -> str:
        if pool.equation[place] == pool.equation[anchor]:
            return "made from the anchor, with its equation: a positive"
        return f"made from the anchor: {'a candidate' if place in negatives else missed(place)}"

    problems = {name: pool.examples[pool.place[id_]].problem for name, id_ in _named(triplet).items()}
    trees = {name: problem.normal for name, problem in problems.items()}
    from_ = trees["anchor"]
    assert from_ is not None
    return Explanation(
        triplet=triplet,
        problems={name: _shown(problem) for name, problem in problems.items()},
        edits={
            name: edits(from_, tree) for name, tree in trees.items() if name != "anchor" and tree is not None
        },
        positives=candidates(first(positives, triplet.positive, like=False), (why_positive, rivals[0])),
        positive_count=len(positives),
        negatives=candidates(first(negatives, triplet.negative, like=True), (why[1], rivals[1])),
        negative_count=len(negatives),
        lost=candidates(ranked, [missed(place) for place in ranked]),
        own=candidates(own, [fate(place) for place in own]),
    )


def _named(triplet: Triplet) -> dict[str, str]:
    return {"anchor": triplet.anchor, "positive": triplet.positive, "negative": triplet.negative}


def _shown(problem: Problem) -> dict[str, Any]:
    normal = problem.normal
    assert normal is not None
    return {
        **problem.to_row(),
        "values": list(problem.values),
        "template": problem.template,
        "prefix": list(problem.prefix),
        "normal": normal.labels(),
    }

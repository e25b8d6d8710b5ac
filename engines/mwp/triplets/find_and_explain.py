"""Triplets of a file of problems: found, described, written and explained; their anchors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from engines.core.errors import EngineError
from engines.core.events import Sink, Stop, ignore, never
from engines.core.files import write_rows
from engines.core.hashing import file_stamp
from engines.core.spec import suggest_name
from engines.mwp.problems.problem import Problem
from engines.mwp.problems.readers import read_problems
from engines.mwp.triplets.hard_triplets import (
    Joint,
    PoolIndices,
    TripletPool,
    TripletRetriever,
    TwoStage,
    equation_vectors,
    iterate_triplets,
    parts_of,
    pool_of,
    text_vectors,
    to_encoder_prefix,
)
from engines.mwp.triplets.settings import (
    ExplainTriplet,
    FindTriplets,
    ListAnchors,
    Triplet,
    TripletSearch,
    read_bad_triplets,
)
from engines.mwp.triplets.similarity import (
    BertSim,
    TextSimilarity,
    list_edits,
    similarity_of,
    tokenize_for_bleu,
)


@dataclass(frozen=True, slots=True)
class TripletSource:
    """The anchors, the pool and the measure of texts that triplets are found with, and how many rows are
    unusable.
    """

    anchors: tuple[Problem, ...]
    unusable: int
    pool: TripletPool
    texts: TextSimilarity


def open_pool(spec: TripletSearch, *, events: Sink = ignore, stop: Stop = never) -> TripletSource:
    """Return the pool of a spec; kept, so that another strategy on the same is answered at once."""
    key = (spec.data, file_stamp(spec.data), spec.pool, spec.text == "bertsim", spec.tokens, spec.encoder)
    if key not in _CACHE:
        if len(_CACHE) >= _MOST:
            _CACHE.pop(next(iter(_CACHE)))
        read = read_problems(spec.data)
        # Rows that are no problem, and problems whose equation is missing or cannot be read.
        missing = [note for note in read.remarks if note.reason.startswith("no equation")]
        notes = sorted([*read.skipped, *missing], key=lambda note: note.line)
        pool = pool_of(read.usable, parts_of(spec.pool), path=spec.data, notes=notes)
        unusable = len(read.rows) - len(read.usable) + len(read.skipped)
        texts = similarity_of(
            pool.problems, spec.text, how=spec.tokens, encoder=spec.encoder, events=events, stop=stop
        )
        _CACHE[key] = TripletSource(read.usable, unusable, pool, texts)
    return _CACHE[key]


_CACHE: dict[Any, TripletSource] = {}
_MOST = 3


def make_retriever(
    spec: TripletSearch, source: TripletSource, *, events: Sink = ignore, stop: Stop = never
) -> TripletRetriever:
    """Return what finds the triplets of a strategy; the last one for `joint` is kept, because its vectors
    cost time.
    """
    if spec.strategy == "joint":
        key = (spec.text, spec.tokens, spec.equation_encoder, spec.weight)
        retriever = _JOINT.get(key)
        if retriever is None or retriever.pool is not source.pool or retriever.texts is not source.texts:
            _JOINT.clear()
            retriever = _JOINT[key] = _make_joint_retriever(spec, source, events=events, stop=stop)
        return retriever
    random = spec.seed if spec.text == "random" else None
    return TwoStage(source.pool, source.texts, spec.strategy, rare=spec.rare_min, random=random)


_JOINT: dict[Any, Joint] = {}
"""The last one: its index of all vectors takes seconds for a large pool."""


def _make_joint_retriever(spec: TripletSearch, source: TripletSource, *, events: Sink, stop: Stop) -> Joint:
    pool = source.pool
    if spec.equation_encoder:
        from engines.retrieval.encoders import encoder

        of_trees = encoder(spec.equation_encoder).encode(
            [to_encoder_prefix(tree) for tree in pool.equations], events=events, stop=stop
        )
    else:
        of_trees = equation_vectors(pool.equations)
    if spec.text == "bertsim":
        assert isinstance(source.texts, BertSim)
        of_texts = source.texts.vectors
    else:
        of_texts = text_vectors(
            [tokenize_for_bleu(one.text, one.language, spec.tokens) for one in pool.problems]
        )
    return Joint(pool, source.texts, of_trees[pool.equation], of_texts, weight=spec.weight)


def find_triplets(spec: FindTriplets, *, events: Sink = ignore, stop: Stop = never) -> dict[str, Any]:
    """Return the triplets of every usable problem, with how hard they are; for `joint` beside those of `em`.

    Raises:
        DataError: As `read_problems` does.
        EngineError: E681 without two equations, E682 without an encoder, E683 for a pool that cannot be made.

    >>> from engines.core.system import asset
    >>> found = find_triplets(FindTriplets(asset("sample/problems/sample-en/problems.jsonl")))
    >>> found["anchors"], found["equations"], found["triplets"][0].positive
    (181, 36, 'en-002')
    """
    # Labels are read first: a broken file is named before anything is computed.
    bad = read_bad_triplets(spec.without) if spec.without else frozenset()
    result = open_pool(spec, events=events, stop=stop)
    chosen = make_retriever(spec, result, events=events, stop=stop)
    rows = list(iterate_triplets(chosen, result.anchors, events=events, stop=stop))
    complete = not stop()
    # After a stop it is unknown how many anchors have no negative.
    without = len(result.anchors) - len(rows) if complete else None
    total_count = len(rows)
    rows = [row for row in rows if (row.anchor, row.positive, row.negative) not in bad]
    # The joint strategy is compared with exact match, the strategy of the paper.
    hard = {spec.strategy: measure_hardness(rows, result.pool)}
    if spec.strategy == "joint":
        two = TwoStage(result.pool, result.texts, "em")
        hard["em"] = measure_hardness(
            list(iterate_triplets(two, result.anchors, events=events, stop=stop)), result.pool
        )
    if spec.out and complete:
        write_rows(spec.out, map(asdict, rows))
    return {
        "anchors": len(result.anchors),
        "unusable": result.unusable,
        "triplets": len(rows) if spec.out else rows,
        "without_negative": without,
        "labelled": total_count - len(rows),
        "pool": result.pool.count_parts(),
        "equations": len(result.pool.equations),
        "hardness": hard,
        "complete": complete,
        "out": spec.out,
    }


def measure_hardness(triplets: Sequence[Triplet], pool: TripletPool) -> dict[str, Any]:
    """Return how hard triplets are: means over them.

    text_sim_negative and text_sim_positive: of the texts with the anchor's. eq_sim_negative: of the
    equations. harder: the share whose negative is nearer in words than the positive, anchors that are their
    own positive left out. own: the share whose negative was made from the anchor itself. alone: the share of
    anchors without another of their equation. negatives: how many different ones there are.
    """
    if not triplets:
        return {"triplets": 0}
    distinct = [triplet for triplet in triplets if triplet.positive != triplet.anchor]
    of = [pool.examples[pool.place[triplet.negative]].of for triplet in triplets]

    def mean_or_none(values: Sequence[float]) -> float | None:
        return round(float(np.mean(values)), 4) if len(values) else None

    return {
        "triplets": len(triplets),
        "text_sim_negative": mean_or_none([triplet.text_sim_negative for triplet in triplets]),
        "text_sim_positive": mean_or_none([triplet.text_sim_positive for triplet in distinct]),
        "eq_sim_negative": mean_or_none([triplet.eq_sim_negative for triplet in triplets]),
        "harder": mean_or_none([float(triplet.margin > 0) for triplet in distinct]),
        "own": mean_or_none(
            [float(triplet.anchor == source) for triplet, source in zip(triplets, of, strict=True)]
        ),
        "alone": mean_or_none([float(triplet.alone) for triplet in triplets]),
        "negatives": len({triplet.negative for triplet in triplets}),
    }


def list_anchors(spec: ListAnchors, *, events: Sink = ignore, stop: Stop = never) -> dict[str, Any]:
    """Return the anchors in the order of the file; the equations of the pool, the commonest first."""
    result = open_pool(TripletSearch(data=spec.data, pool=spec.pool), events=events, stop=stop)
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
        "pool": pool.count_parts(),
        "templates": sorted(templates, key=lambda row: (-row["count"], row["template"])),
    }


@dataclass(frozen=True, slots=True)
class Candidate:
    """A problem that was, or might have been, chosen.

    Args:
        part: Of the pool.
        of: What it was made of.
        own: Of the anchor itself.
        eq_sim, text_sim: To the anchor.
        reason: Why it was chosen, or not.
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

    Args:
        positives, negatives: The candidates in the order of choice, the chosen ones first.
        positive_count, negative_count: Of how many.
        lost: The texts most like the anchor's that are no candidates of the negative, because their equation
            is further than the nearest.
        own: The anchor's own variants.
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
    """Return the triplet of one anchor and why.

    Raises:
        EngineError: E684 for an id without a usable problem, E685 for one without a negative, and as
            `find_triplets` does.

    >>> from engines.core.system import asset
    >>> data = asset("sample/problems/sample-en/problems.jsonl")
    >>> found = explain(ExplainTriplet(data, anchor="en-001"))
    >>> found.triplet.positive, found.triplet.negative, found.negative_count
    ('en-002', 'en-025', 22)
    """
    result = open_pool(spec)
    anchor = result.pool.place.get(spec.anchor)
    if anchor is None or result.pool.examples[anchor].of:
        remedy = suggest_name(spec.anchor, [problem.id for problem in result.anchors])
        what = f"there is no problem {spec.anchor!r} with an equation"
        raise EngineError(what, where=str(spec.data), code="E684", remedy=remedy)
    chosen = make_retriever(spec, result)
    triplet = chosen.find_triplet(anchor)
    if triplet is None:
        what = f"no other equation is near enough to give a negative for {spec.anchor!r}"
        remedy = "Use a larger pool, or a smaller --rare-min."
        raise EngineError(what, where=str(spec.data), code="E685", remedy=remedy)
    if isinstance(chosen, Joint):
        negatives, equations, texts = chosen.score_candidates(anchor)
        order = np.argsort(-(chosen.weight * equations + (1.0 - chosen.weight) * texts), kind="stable")
        positives = result.pool.list_positives(anchor)
        return _explain_triplet(spec, result, anchor, triplet, positives, negatives[order], _JOINTLY)
    sets = chosen.find_candidates(anchor)
    reasons = _AT_RANDOM if spec.text == "random" else _IN_TWO_STAGES
    return _explain_triplet(spec, result, anchor, triplet, sets.positives, sets.negatives, reasons)


@dataclass(frozen=True, slots=True)
class _Reasons:
    """Why the positive and the negative were chosen, and candidates for them and all others not; `ordered`:
    the candidates for the negative come in the order of choice."""

    positive: str
    negative: str
    rival_positives: str
    rival_negatives: str
    lost: str
    ordered: bool = False


_LEAST = "same equation, text least similar to the anchor's"
_MOST_LIKE = "nearest other equation, text most similar to the anchor's"
_IN_TWO_STAGES = _Reasons(_LEAST, _MOST_LIKE, "nearer text", "farther text", "farther equation")
_AT_RANDOM = _Reasons("drawn at random", "drawn at random", "not sampled", "not sampled", "farther equation")
_BEST = "best joint score of equation and text"
_JOINTLY = _Reasons(_LEAST, _BEST, "nearer text", "lower joint score", "lower joint score", ordered=True)


def _explain_triplet(
    spec: ExplainTriplet,
    source: TripletSource,
    anchor: int,
    triplet: Triplet,
    positives: PoolIndices,
    negatives: PoolIndices,
    reasons: _Reasons,
) -> Explanation:
    pool = source.pool
    # The similarity of the anchor with every example of the pool: of the texts, and of the equations.
    all_indices = np.arange(len(pool.examples))
    texts = source.texts.compare_texts(anchor, all_indices)
    equation_rows = pool.nearest.compute_similarities(int(pool.equation[anchor]))
    equations = equation_rows[pool.equation]

    def describe_candidates(
        indices: Sequence[int] | PoolIndices, why: Sequence[str]
    ) -> tuple[Candidate, ...]:
        shown = []
        for rank, index in enumerate(indices):
            example = pool.examples[int(index)]
            shown.append(
                Candidate(
                    id=example.problem.id,
                    text=example.problem.text,
                    template=example.problem.template,
                    part=example.part,
                    of=example.of,
                    own=example.of == triplet.anchor,
                    eq_sim=float(equations[index]),
                    text_sim=float(texts[index]),
                    reason=why[min(rank, len(why) - 1)],
                )
            )
        return tuple(shown)

    # The chosen example comes first, then its rivals in the order of the strategy.
    def rank_places(places: PoolIndices, chosen: str, *, like: bool) -> PoolIndices:
        if not reasons.ordered or not like:
            places = places[np.argsort(texts[places] * (-1.0 if like else 1.0), kind="stable")]
        at = pool.place[chosen]
        # A random choice need not be the first.
        return np.concatenate([[at], places[places != at]])[: spec.show].astype(np.int64)

    alone = "no other problem has the anchor's equation, so it is its own positive"
    why_positive = alone if triplet.positive == triplet.anchor else reasons.positive
    if triplet.alone and triplet.positive != triplet.anchor:
        why_positive = "no other problem has the anchor's equation: nearest equation, text least similar"
    # Examples of other equations that could not be the negative, most similar text first.
    others = all_indices[(pool.equation != pool.equation[anchor]) & ~np.isin(all_indices, negatives)]
    foreign = pool.is_foreign(int(pool.equation[anchor]))[pool.equation]
    equal = ~pool.is_negative(int(pool.equation[anchor]))[pool.equation] & ~foreign
    doubtful = frozenset(pool.list_doubtful(anchor).tolist())

    def why_missed(index: int) -> str:
        if foreign[index]:
            return "it is of another language"
        if int(index) in doubtful and not equal[index]:
            return "with equal numbers exchanged its equation is the anchor's"
        return "its equation is equal to the anchor's as a function" if equal[index] else reasons.lost

    ranked = others[np.argsort(-texts[others], kind="stable")][: spec.show]
    # Variants of the anchor itself are shown in any case.
    own = [index for index, example in enumerate(pool.examples) if example.of == triplet.anchor]

    def why_own_variant(index: int) -> str:
        if pool.equation[index] == pool.equation[anchor]:
            return "made from the anchor, with its equation: a positive"
        return f"made from the anchor: {'a candidate' if index in negatives else why_missed(index)}"

    problems = {
        name: pool.examples[pool.place[getattr(triplet, name)]].problem
        for name in ("anchor", "positive", "negative")
    }
    trees = {name: problem.normal for name, problem in problems.items()}
    from_ = trees["anchor"]
    assert from_ is not None
    return Explanation(
        triplet=triplet,
        problems={name: _describe_problem(problem) for name, problem in problems.items()},
        edits={
            name: list_edits(from_, tree)
            for name, tree in trees.items()
            if name != "anchor" and tree is not None
        },
        positives=describe_candidates(
            rank_places(positives, triplet.positive, like=False), (why_positive, reasons.rival_positives)
        ),
        positive_count=len(positives),
        negatives=describe_candidates(
            rank_places(negatives, triplet.negative, like=True), (reasons.negative, reasons.rival_negatives)
        ),
        negative_count=len(negatives),
        lost=describe_candidates(ranked, [why_missed(position) for position in ranked]),
        own=describe_candidates(own, [why_own_variant(position) for position in own]),
    )


def _describe_problem(problem: Problem) -> dict[str, Any]:
    normal = problem.normal
    assert normal is not None
    return {
        **problem.to_row(),
        "values": list(problem.values),
        "template": problem.template,
        "prefix": list(problem.prefix),
        "normal": normal.list_labels(),
    }

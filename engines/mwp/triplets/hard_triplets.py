"""The pool that positives and negatives are taken from, and the retrieval of hard triplets from it, in two
stages (Shen et al. 2022) or in one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, get_args
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from engines.core.errors import DataError
from engines.core.events import Event, Sink, Stop, ignore, never
from engines.core.spec import make_refusal, suggest_name
from engines.core.tree import Tree
from engines.core.tree_edit import NearestTrees
from engines.mwp.problems.equivalence import signature
from engines.mwp.problems.number_bindings import list_bindings
from engines.mwp.problems.numbers import Language
from engines.mwp.problems.problem import Problem
from engines.mwp.problems.readers import RowNote
from engines.mwp.triplets.settings import Strategy, Triplet
from engines.mwp.triplets.similarity import TextSimilarity
from engines.retrieval.dense import Vectors, normalize_rows

PoolPart = Literal["train", "qr", "roda"]
PoolIndices = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class PoolExample:
    """A problem of the pool.

    Args:
        part: Where it comes from.
        of: The problem that it was made of, "" for one that was there.
    """

    problem: Problem
    part: PoolPart = "train"
    of: str = ""


class TripletPool:
    """Examples in the order of their ids, grouped by language and normalised equation.

    `examples[i]`; `equations[e]` are the trees, distinct within a language, and `equation[i]` says which one
    an example has; `members[e]` are its examples in the order of their ids, so that the first of equals has
    the least id.
    """

    def __init__(self, examples: Iterable[PoolExample], parts: Sequence[PoolPart] = ("train",)) -> None:
        self.parts = tuple(parts)
        self.examples = sorted(examples, key=lambda example: example.problem.id)
        self.place = {example.problem.id: index for index, example in enumerate(self.examples)}
        numbers: dict[tuple[Language, Tree], int] = {}
        pairs = ((example.problem.language, example.problem.normal) for example in self.examples)
        self.equation = np.array(
            [numbers.setdefault((name, tree), len(numbers)) for name, tree in pairs if tree is not None],
            np.int64,
        )
        self.equations = [tree for _, tree in numbers]
        self._chinese = np.array([language == "zh" for language, _ in numbers], np.bool_)
        order = np.argsort(self.equation, kind="stable")
        self.members: list[PoolIndices] = np.split(order, np.cumsum(np.bincount(self.equation))[:-1])

    @cached_property
    def nearest(self) -> NearestTrees:
        """The equations of the pool by similarity: 1 - tree edit distance / (nodes of both)
        (Shen et al. 2022).
        """
        return NearestTrees(self.equations)

    @cached_property
    def _functions(self) -> NDArray[np.int64]:
        """Equal numbers for equations that are equal as functions of the numbers of a problem."""
        known: dict[Any, int] = {}
        return np.array([known.setdefault(signature(tree), len(known)) for tree in self.equations], np.int64)

    def list_equal_equations(self, equation: int) -> PoolIndices:
        """Return the other equations of its language that are equal to one as functions, as N_0-(N_1+N_2) is
        to N_0-N_1-N_2.
        """
        same = (self._functions == self._functions[equation]) & ~self.is_foreign(equation)
        same[equation] = False
        return np.flatnonzero(same)

    def is_foreign(self, equation: int) -> NDArray[np.bool_]:
        """Return which equations belong to problems of another language, shape `(equations,)`."""
        return np.asarray(self._chinese != self._chinese[equation])

    def is_negative(self, equation: int) -> NDArray[np.bool_]:
        """Return which equations a negative may have, shape `(equations,)`.

        They belong to the same language and differ from the given equation as functions.
        """
        return np.asarray((self._functions != self._functions[equation]) & ~self.is_foreign(equation))

    @cached_property
    def _alternatives(self) -> list[frozenset[int]]:
        """For each example the other functions its equation may be, with equal numbers bound otherwise."""
        known = {
            signature(tree): number for tree, number in zip(self.equations, self._functions, strict=True)
        }
        return [
            frozenset(
                int(number)
                for tree in list_bindings(example.problem.equation, example.problem.values)[1:]
                if (number := known.get(signature(tree))) is not None and number != self._functions[equation]
            )
            if example.problem.equation is not None
            and len({*example.problem.values}) < len(example.problem.values)
            else frozenset()
            for example, equation in zip(self.examples, self.equation, strict=True)
        ]

    @cached_property
    def _readings(self) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
        """The examples of each function, by their equations and by what those may be otherwise."""
        own: dict[int, list[int]] = {}
        other: dict[int, list[int]] = {}
        for index, (equation, alternatives) in enumerate(zip(self.equation, self._alternatives, strict=True)):
            own.setdefault(int(self._functions[equation]), []).append(index)
            for function in alternatives:
                other.setdefault(function, []).append(index)
        return own, other

    def list_doubtful(self, anchor: int) -> PoolIndices:
        """Return the examples that may have an anchor's equation after all, where equal numbers of a text
        stand for each other; none of them is a negative.
        """
        own, other = self._readings
        function = int(self._functions[self.equation[anchor]])
        places = [*other.get(function, ())]
        for alternative in self._alternatives[anchor]:
            places += (*own.get(alternative, ()), *other.get(alternative, ()))
        return np.array(sorted({*places} - {anchor}), np.int64)

    def list_positives(self, anchor: int) -> PoolIndices:
        """Return the other examples of an anchor's equation; where there are none, itself."""
        members = self.members[int(self.equation[anchor])]
        return members[members != anchor] if len(members) > 1 else members

    @property
    def problems(self) -> list[Problem]:
        """The problems of the pool."""
        return [example.problem for example in self.examples]

    def make_triplet(
        self,
        strategy: Strategy,
        anchor: int,
        positive: tuple[int, float, float],
        negative: tuple[int, float, float],
        alone: bool,
    ) -> Triplet:
        """Return the triplet of an anchor.

        Args:
            positive, negative: Index in the pool, similarity of the equation to the anchor's, and similarity
                of the text to the anchor's.
        """
        return Triplet(
            anchor=self.examples[anchor].problem.id,
            positive=self.examples[positive[0]].problem.id,
            negative=self.examples[negative[0]].problem.id,
            eq_sim_positive=positive[1],
            eq_sim_negative=negative[1],
            text_sim_positive=positive[2],
            text_sim_negative=negative[2],
            pool=",".join(self.parts),
            strategy=strategy,
            alone=alone,
        )

    def count_parts(self) -> dict[str, int]:
        """Return how many examples each part of the pool has."""
        return dict(Counter(example.part for example in self.examples))


def parts_of(text: str) -> tuple[PoolPart, ...]:
    """Return the parts of a pool, `train,qr,roda`."""
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in get_args(PoolPart):
            raise make_refusal(
                f"{name!r} is not part of a pool", "E424", suggest_name(name, get_args(PoolPart))
            )
    if "train" not in names:
        remedy = "Equations are compared within the data: write train,qr"
        raise make_refusal(f"the pool {text!r} lacks train", "E424", remedy)
    return tuple(part for part in get_args(PoolPart) if part in names)


def pool_of(
    problems: Sequence[Problem],
    parts: Sequence[PoolPart],
    *,
    coherent: bool = False,
    path: Path | None = None,
    notes: Sequence[RowNote] = (),
) -> TripletPool:
    """Return the pool of problems with an equation, and of what is made of them.

    Args:
        coherent: Without variants that have a doubt about their text.
        path: The file of the problems, to name it in an error.
        notes: Why rows of the file have no equation; the error names the first with its line.

    Raises:
        DataError: E681 if there are no two different equations in one language.
    """
    from engines.mwp.augmentation.augment import make_variants

    examples = [PoolExample(problem) for problem in problems if problem.equation is not None]
    for part in parts:
        if part != "train":
            examples += (
                PoolExample(variant.problem, part, variant.of)
                for variant in make_variants(problems, (part,)).made
                if not (coherent and variant.doubts)
            )
    pool = TripletPool(examples, parts)
    different = max((int(pool.is_negative(one).sum()) + 1 for one in range(len(pool.equations))), default=0)
    if different < 2:
        many = f"{different} equation" if different == 1 else "no equation"
        what = f"the problems have {many} per language, and triplets need two different ones"
        if notes:
            what += f"; the first row without one: {notes[0].reason}"
        remedy = "Add problems with another equation; `mathwb mwp problems FILE` lists what each row lacks."
        raise DataError(what, path=path, line=notes[0].line if notes else None, code="E681", remedy=remedy)
    return pool


# Retrieval of hard triplets in two stages (sections 2.5 and 2.6 of the paper): equations, then texts.
#
# All equations that tie contribute their examples, and of texts that tie the least id is taken, so that a
# choice does not depend on the order of a file.

_EMPTY = np.zeros(0, np.int64)
_MOST = 4096
"""Equations whose nearest others are kept."""


@dataclass(frozen=True, slots=True)
class TripletCandidates:
    """The candidates for the positive and the negative of an anchor.

    They are indices of the pool in the order of ids, with the similarity of their equations to the anchor's.
    """

    positives: PoolIndices
    positive_similarity: float
    negatives: PoolIndices
    negative_similarity: float
    alone: bool


class TwoStage:
    """Exact match (`em`) or nearest neighbour (`nn`), then the text: for a positive the least similar, for a
    negative the most.

    Args: rare: equations with fewer examples are never a negative's (the code's filter; 1: none is rare).
    random: a seed, by which any text is taken.
    """

    def __init__(
        self,
        pool: TripletPool,
        texts: TextSimilarity,
        strategy: Strategy,
        *,
        rare: int = 1,
        random: int | None = None,
    ) -> None:
        self.pool, self.texts, self.strategy = pool, texts, strategy
        self._rare, self._random = rare, random
        self._others = lru_cache(maxsize=_MOST)(self._others_of)

    def _others_of(self, equation: int, doubtful: tuple[int, ...]) -> list[tuple[float, PoolIndices]]:
        pool = self.pool
        allowed = pool.is_negative(equation)
        lost = Counter(pool.equation[[*doubtful]].tolist())
        allowed[[one for one, count in lost.items() if count == len(pool.members[one])]] = False
        if self._rare > 1:
            allowed &= np.array([len(members) >= self._rare for members in pool.members])
        levels = pool.nearest.list_neighbours(equation, levels=2)
        if not all(allowed[indices].all() for _, indices in levels):
            row = np.where(allowed, pool.nearest.compute_similarities(equation), -1.0)
            best = np.unique(row[row >= 0.0])[::-1][:2]
            levels = [(float(level), np.flatnonzero(row == level)) for level in best]
        return [
            (level, np.setdiff1d(np.concatenate([pool.members[one] for one in equations]), doubtful))
            for level, equations in levels
        ]

    def find_candidates(self, anchor: int) -> TripletCandidates:
        """Return the examples that the positive and the negative of an anchor are chosen from (section
        2.5).
        """
        equation = int(self.pool.equation[anchor])
        members = self.pool.members[equation]
        others = self._others(equation, tuple(self.pool.list_doubtful(anchor).tolist()))
        alone = len(members) == 1
        if alone and self.strategy == "nn":
            # The nearest equation is the positive's, the next one the negative's; an equal one comes first.
            if len(equal := self.pool.list_equal_equations(equation)):
                likeness = self.pool.nearest.compute_similarities(equation)
                nearest = equal[likeness[equal] == likeness[equal].max()]
                examples = np.sort(np.concatenate([self.pool.members[one] for one in nearest]))
                others = [(float(likeness[nearest[0]]), examples), *others]
            positive = others[0] if others else (0.0, _EMPTY)
            negative = others[1] if len(others) > 1 else (0.0, _EMPTY)
            return TripletCandidates(positive[1], positive[0], negative[1], negative[0], alone)
        negative = others[0] if others else (0.0, _EMPTY)
        return TripletCandidates(self.pool.list_positives(anchor), 1.0, negative[1], negative[0], alone)

    def _choose_example(self, anchor: int, places: PoolIndices, *, like: bool) -> tuple[int, float]:
        """Return the chosen place and its similarity.

        Args:
            like: The most similar is wanted.
        """
        if self._random is not None:
            draw = np.random.default_rng((self._random, anchor, int(like))).integers(len(places))
            places = places[draw : draw + 1]
        scores = self.texts.compare_texts(anchor, places)
        best = int(scores.argmax() if like else scores.argmin())
        return int(places[best]), float(scores[best])

    def find_triplet(self, anchor: int) -> Triplet | None:
        """Return the triplet of the problem at a place; None where the pool has no negative for it. In `em`
        an anchor that is alone with its equation is its own positive.
        """
        result = self.find_candidates(anchor)
        if not len(result.negatives) or not len(result.positives):
            return None
        positive, like_positive = self._choose_example(anchor, result.positives, like=False)
        negative, like_negative = self._choose_example(anchor, result.negatives, like=True)
        return self.pool.make_triplet(
            self.strategy,
            anchor,
            (positive, result.positive_similarity, like_positive),
            (negative, result.negative_similarity, like_negative),
            result.alone,
        )


def iterate_triplets(
    retriever: TripletRetriever, anchors: Sequence[Problem], *, events: Sink = ignore, stop: Stop = never
) -> Iterator[Triplet]:
    """Yield the triplets of anchors, in their order; those without a negative are left out. Events:
    progress.
    """
    for done, anchor in enumerate(anchors, start=1):
        if stop():
            return
        result = retriever.find_triplet(retriever.pool.place[anchor.id])
        if result is not None:
            yield result
        if done % 200 == 0 or done == len(anchors):
            events(Event("progress", {"done": done, "total": len(anchors), "unit": "anchors"}))


# One-stage retrieval: equation and text scored together over the whole pool.
#
# Vectors of equations and of texts, side by side, give the nearest candidates; these are scored exactly by
# w · equation similarity + (1 - w) · text similarity. So a text that is nearly the anchor's with a far
# equation, as a reversed variant of the anchor itself, can be its negative, which two stages never see.

CANDIDATES = 200
"""Negatives that are scored exactly for each anchor."""
_DIMENSION = 512
_BLOCK = 256
"""So many anchors are compared with the whole pool by one product of matrices."""


class Joint:
    """The strategy `joint`: the negative has the best weighted similarity of equation and text.

    Args:
        equations, texts: Unit vectors of the examples, shape `(examples, d)`.
        weight: Weight w of the equation, between 0 and 1.
    """

    strategy: Strategy = "joint"

    def __init__(
        self, pool: TripletPool, texts: TextSimilarity, equations: Vectors, vectors: Vectors, *, weight: float
    ) -> None:
        self.pool, self.texts, self.weight = pool, texts, weight
        both = np.hstack([equations * np.sqrt(weight), vectors * np.sqrt(1.0 - weight)])
        self._vectors = np.ascontiguousarray(both, np.float32)
        # Anchors of one equation stand together, since what may be their negative is nearly the same.
        self._anchors = np.array(
            [index for members in pool.members for index in members if not pool.examples[index].of], np.int64
        )
        self._turns = {int(index): turn for turn, index in enumerate(self._anchors)}
        self._near_of_block = lru_cache(maxsize=None)(self._find_near)
        self._similarities = lru_cache(maxsize=None)(self._compute_similarities)

    def _find_near(self, block: int) -> list[NDArray[np.int32]]:
        """Return for each anchor of a block the nearest examples that may be its negative, in the order of
        the pool; of those that tie at the end, the first.
        """
        pool = self.pool
        anchors = self._anchors[block * _BLOCK : (block + 1) * _BLOCK]
        scores = self._vectors[anchors] @ self._vectors.T
        near = []
        known, refused = -1, np.zeros(0, np.bool_)
        for anchor, row in zip(anchors, scores, strict=True):
            if (equation := int(pool.equation[anchor])) != known:
                known, refused = equation, ~pool.is_negative(equation)[pool.equation]
            row[refused] = -np.inf
            row[pool.list_doubtful(int(anchor))] = -np.inf
            near.append(_find_largest(row, CANDIDATES).astype(np.int32))
        return near

    def _compute_similarities(self, equation: int) -> tuple[PoolIndices, NDArray[np.float64]]:
        """Return the equations of the candidates of an equation's anchors, and how similar it is to them."""
        members = self.pool.members[equation]
        near = [self._list_near(int(index)) for index in members if int(index) in self._turns]
        among = np.unique(self.pool.equation[np.concatenate(near)])
        return among, self.pool.nearest.compute_similarities(equation, among)[among]

    def _list_near(self, anchor: int) -> PoolIndices:
        block, row = divmod(self._turns[anchor], _BLOCK)
        return self._near_of_block(block)[row].astype(np.int64)

    def score_candidates(self, anchor: int) -> tuple[PoolIndices, NDArray[np.float64], NDArray[np.float64]]:
        """Return the candidates for an anchor's negative with the similarities of their equations and
        texts.
        """
        places = self._list_near(anchor)
        among, similarities = self._similarities(int(self.pool.equation[anchor]))
        equations = similarities[np.searchsorted(among, self.pool.equation[places])]
        return places, equations, self.texts.compare_texts(anchor, places)

    def find_triplet(self, anchor: int) -> Triplet | None:
        """Return the triplet of an anchor, or None without a negative; the positive is that of `em`."""
        pool = self.pool
        negatives, equations, texts = self.score_candidates(anchor)
        if not len(negatives):
            return None
        best = int((self.weight * equations + (1.0 - self.weight) * texts).argmax())
        positives = pool.list_positives(anchor)
        unlike = self.texts.compare_texts(anchor, positives)
        least = int(unlike.argmin())
        positive = int(positives[least]), 1.0, float(unlike[least])
        negative = int(negatives[best]), float(equations[best]), float(texts[best])
        alone = len(pool.members[int(pool.equation[anchor])]) == 1
        return pool.make_triplet(self.strategy, anchor, positive, negative, alone)


def _find_largest(scores: NDArray[np.float32], count: int) -> PoolIndices:
    """Return the places of the largest finite scores in ascending order; of those that tie, the first."""
    if count < len(scores):
        least = np.partition(scores, len(scores) - count)[len(scores) - count]
        above = np.flatnonzero(scores > least)
        equal = np.flatnonzero(scores == least)[: count - len(above)]
        places = np.sort(np.concatenate([above, equal]))
    else:
        places = np.arange(len(scores))
    return places[scores[places] > -np.inf]


TripletRetriever = TwoStage | Joint


def equation_vectors(trees: Sequence[Tree]) -> Vectors:
    """Return unit vectors of equations from their hashed labels, edges and subtrees, shape `(n, 512)`."""

    def list_features(tree: Tree) -> Iterable[str]:
        for node in tree:
            yield node.label
            yield " ".join(node.list_labels())
            for index, child in enumerate(node.children):
                yield f"{node.label}{index if node.label in '-/^' else ''}>{child.label}"

    return hash_features(list_features(tree) for tree in trees)


def to_encoder_prefix(tree: Tree) -> str:
    """Return an equation in the prefix notation that encoders of expressions of one variable read: the first
    number is x, the others are integers above a hundred, which no problem has as constants.

    >>> to_encoder_prefix(Tree("*", (Tree("N_0"), Tree("+", (Tree("N_1"), Tree("C_0_5"))))))
    'mul x add INT+ 1 0 1 div INT+ 5 INT+ 1 0'
    """
    words = []
    for node in tree:
        kind, _, rest = node.label.partition("_")
        whole, _, decimals = rest.partition("_")
        if kind == "N":
            words += ["x"] if rest == "0" else ["INT+", *str(100 + int(rest))]
        elif decimals:
            shift = ["INT+", "1", *"0" * len(decimals)]
            words += ["div", "INT+", *str(int(whole + decimals)), *shift]
        elif kind == "C":
            words += ["INT+", *whole]
        else:
            words.append({"+": "add", "-": "sub", "*": "mul", "/": "div", "^": "pow"}[node.label])
    return " ".join(words)


def text_vectors(texts: Sequence[Sequence[str]]) -> Vectors:
    """Return unit vectors of texts, shape `(n, 512)`: tokens and pairs of tokens, hashed and weighted by the
    square roots of their counts.
    """
    return hash_features([*text, *(" ".join(pair) for pair in pairwise(text))] for text in texts)


def hash_features(features: Iterable[Iterable[str]]) -> Vectors:
    """Return unit vectors of bags of words, shape `(n, 512)`; each word has one position and one sign."""
    rows = []
    for bag in features:
        row = np.zeros(_DIMENSION, np.float32)
        for word, count in Counter(bag).items():
            code = crc32(word.encode())
            row[code % _DIMENSION] += (1.0 if code & 2**20 else -1.0) * count**0.5
        rows.append(row)
    return normalize_rows(np.array(rows, np.float32))

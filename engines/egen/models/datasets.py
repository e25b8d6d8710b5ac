"""Training data of the models: expressions with their clusters, pairs and triplets, as texts and as ids."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from engines.core.arrays import Ints
from engines.core.errors import DataError, EngineError, ExpressionError
from engines.core.expression_language import read_prefix, to_prefix
from engines.core.rows import json_object, read_lines
from engines.core.tree import Tree
from engines.egen.corpus.folder import Corpus, open_corpus
from engines.egen.settings import SplitName
from engines.mathematics.terms.notation import PAD, VOCABULARY, to_training

_NUMBER = {token: number for number, token in enumerate(VOCABULARY)}


@lru_cache(maxsize=8192)
def _token_bytes(token: str) -> bytes:
    return bytes(_NUMBER[word] for word in to_training(Tree(token)))


def encode_expression(text: str) -> bytes:
    """Return the ids of an expression in generator prefix notation, SOE and EOE around it.

    The text is not parsed: it must be an expression.

    Raises:
        ExpressionError: For a token that training notation lacks: `log`, and constants without an exact form.
    """
    return b"\x01" + b"".join(map(_token_bytes, text.split())) + b"\x02"


def is_usable(text: str, max_length: int) -> bool:
    """Return whether an expression has a form that a model of this length reads."""
    try:
        return len(encode_expression(text)) <= max_length
    except ExpressionError:
        return False


def remove_logarithms(text: str) -> str:
    """Return an expression in prefix notation without `log` (see `without_log`)."""
    return to_prefix(without_log(read_prefix(text))) if "log" in text else text


def without_log(tree: Tree) -> Tree:
    """Return the tree with `log b u` written `/ ln u ln b`: training notation has no token for it."""
    children = tuple(without_log(child) for child in tree.children)
    if tree.label == "log":
        return Tree("/", (Tree("ln", (children[1],)), Tree("ln", (children[0],))))
    return Tree(tree.label, children)


@dataclass(frozen=True, slots=True)
class Sequences:
    """`data`: (tokens,) ids of all expressions in turn; `ends`: (expressions,) where each ends in it."""

    data: NDArray[np.uint8]
    ends: Ints

    @classmethod
    def from_prefixes(cls, prefixes: Iterable[str], *, max_length: int) -> Sequences:
        """Return expressions as sequences of token ids.

        Args:
            prefixes: Expressions in generator notation.
            max_length: The most tokens of a sequence, SOE and EOE included.

        Raises:
            ExpressionError: With the index of the expression, for one that is longer or has no form in
                training notation.
        """
        parts: list[bytes] = []
        for index, text in enumerate(prefixes):
            try:
                part = encode_expression(text)
            except ExpressionError as error:
                raise ExpressionError(error.what, text=text, position=index, remedy=error.remedy) from None
            if len(part) > max_length:
                what = f"the expression has {len(part):,} tokens in training notation, and the model reads "
                raise ExpressionError(f"{what}at most {max_length}", text=text, position=index)
            parts.append(part)
        ends = np.cumsum(np.fromiter(map(len, parts), np.int64, len(parts)))
        return cls(np.frombuffer(b"".join(parts), np.uint8), ends)

    def __len__(self) -> int:
        return len(self.ends)

    @property
    def lengths(self) -> Ints:
        """(expressions,) tokens of each, SOE and EOE included."""
        return np.diff(self.ends, prepend=0)

    def pad_rows(self, rows: Ints | Sequence[int], width: int | None = None) -> Ints:
        """Return (rows, width) ids filled up with PAD; width is the longest of them unless given."""
        chosen = np.asarray(rows, np.int64)
        ends = self.ends[chosen]
        begins = np.where(chosen > 0, self.ends[chosen - 1], 0)
        width = int((ends - begins).max(initial=0)) if width is None else width
        positions = begins[:, None] + np.arange(width)
        inside = positions < ends[:, None]
        return np.where(inside, self.data[np.minimum(positions, len(self.data) - 1)], PAD).astype(np.int64)


def make_batches(lengths: Ints, tokens: int) -> list[Ints]:
    """Return row numbers in batches of similar length, each of at most `tokens` with its padding.

    Every row is in one batch; a row that is longer than the budget is a batch of its own.
    """
    order = np.argsort(lengths, kind="stable")
    cut, begin = [], 0
    for position in range(1, len(order) + 1):
        # Sorted, so the row that comes is the longest.
        if position == len(order) or int(lengths[order[position]]) * (position + 1 - begin) > tokens:
            cut.append(order[begin:position])
            begin = position
    return cut


Side = Literal["train", "validation", "all"]


@dataclass(frozen=True, slots=True)
class Labelled:
    """`texts`: expressions in generator prefix notation, those of a cluster together, its head first.
    `labels`: (expressions,) cluster numbers from 0. `left_out` counts what was not taken, by reason."""

    texts: tuple[str, ...]
    labels: NDArray[np.int64]
    left_out: dict[str, int] = field(default_factory=dict)

    @property
    def clusters(self) -> list[list[str]]:
        """The texts of each cluster."""
        cuts = np.flatnonzero(np.diff(self.labels)) + 1
        ends = [*cuts.tolist(), len(self.texts)]
        return [list(self.texts[a:b]) for a, b in zip([0, *ends[:-1]], ends, strict=True)]


def sample_corpus() -> Path:
    """Return the folder of the sample corpus."""
    from engines.core.system import asset

    return asset("sample/corpora/sample-e")


def read_labelled(
    path: Path,
    *,
    side: Side = "all",
    split: SplitName = "paper",
    partial: bool = False,
    min_size: int = 2,
    max_length: int = 200,
) -> Labelled:
    """Read clusters of `min_size` or more.

    Args:
        path: A corpus folder, or a file in a published layout.
        side, split: Of a corpus, which of its clusters.
        partial: Take from a file what it lists as equal on a part of the domain only.
        max_length: In training notation; longer expressions are left out, and so are those that cannot be
            read or have no form in training notation (a logarithm to another base is written as a quotient).

    Raises:
        DataError: When there is no such file or no cluster is left.
    """
    left_out: dict[str, int] = {}

    def count_dropped(reason: str, count: int = 1) -> None:
        left_out[reason] = left_out.get(reason, 0) + count

    clusters: Iterator[list[str]]
    if path.is_dir():
        member_tables = open_corpus(path).iterate_members(side, split)
        clusters = (members["prefix"].to_pylist() for _, members in member_tables)
    else:
        clusters = _of_file(path, partial, count_dropped)
    texts: list[str] = []
    labels: list[int] = []
    for number, members in enumerate(_iterate_fitting(clusters, max_length, min_size, count_dropped)):
        texts += members
        labels += [number] * len(members)
    if not texts:
        remedy = "Name a corpus folder, or a file with `head` and `exprs` on each line."
        what = "it has no cluster with enough expressions"
        raise DataError(what, path=path, code="E321", remedy=remedy)
    return Labelled(tuple(texts), np.array(labels), left_out)


def _iterate_fitting(
    clusters: Iterator[list[str]], max_length: int, min_size: int, drop: Callable[[str, int], None]
) -> Iterator[list[str]]:
    for texts in clusters:
        members = [text for text in map(remove_logarithms, texts) if is_usable(text, max_length)]
        if len(members) < len(texts):
            drop("too long, or a constant without a form in training notation", len(texts) - len(members))
        if len(members) >= min_size:
            yield members
        else:
            drop(f"in a cluster of fewer than {min_size}", len(members))


def _of_file(path: Path, partial: bool, drop: Callable[[str], None]) -> Iterator[list[str]]:
    from engines.egen.corpus.published import read_published

    doubtful = {} if partial else _partial_domain(path)
    for cluster in read_published(path, on_bad=lambda _: drop("cannot be read")):
        aside = doubtful.get(cluster.line, frozenset())
        trees: list[Tree] = [cluster.head, *cluster.members]
        texts = [text for tree in trees if (text := to_prefix(tree)) not in aside]
        for _ in range(len(trees) - len(texts)):
            drop("equal on a part of the domain")
        yield texts


def _partial_domain(path: Path) -> dict[int, frozenset[str]]:
    result = {}
    for number, line in read_lines(path, on_bad=lambda _: None):
        if line.lstrip().startswith("{"):
            try:
                result[number] = frozenset(map(str, json_object(line).get("partial_domain", ())))
            except ValueError:
                continue
    return result


@dataclass(frozen=True, slots=True)
class TrainingTexts:
    """The expressions of all training clusters of two or more, cluster by cluster.

    `excluded` counts clusters that were kept out, `left_out` expressions that are too long for the model or
    have no form in training notation.
    """

    clusters: tuple[tuple[str, ...], ...]
    excluded: int = 0
    left_out: int = 0

    @property
    def count(self) -> int:
        """The number of expressions."""
        return sum(map(len, self.clusters))


@dataclass(frozen=True, slots=True)
class TrainingRows:
    """The same as token ids, back to back, and the size of each cluster."""

    sequences: Sequences
    sizes: Ints
    excluded: int = 0
    left_out: int = 0

    @classmethod
    def from_texts(cls, texts: TrainingTexts, *, max_length: int) -> TrainingRows:
        """Return the texts as rows of token ids."""
        rows = Sequences.from_prefixes(
            (text for cluster in texts.clusters for text in cluster), max_length=max_length
        )
        sizes = np.array([len(cluster) for cluster in texts.clusters], np.int64)
        return cls(rows, sizes, texts.excluded, texts.left_out)

    @property
    def cluster_of(self) -> Ints:
        """(expressions,) the place of each one's cluster in `sizes`."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)


def training_texts(
    corpus: Corpus, split: SplitName, *, max_length: int, exclude: Path | None = None
) -> TrainingTexts:
    """Return the training side of a corpus, without the clusters that `exclude` (a corpus or a file of
    clusters) has.
    """
    banned = excluded_clusters(corpus, exclude) if exclude is not None else frozenset()
    clusters: list[tuple[str, ...]] = []
    excluded = left_out = 0
    for cluster, members in corpus.iterate_members("train", split):
        if cluster in banned:
            excluded += 1
            continue
        kept = tuple(text for text in members["prefix"].to_pylist() if is_usable(text, max_length))
        left_out += len(members) - len(kept)
        if len(kept) > 1:
            clusters.append(kept)
    if not clusters:
        raise no_pairs(corpus)
    return TrainingTexts(tuple(clusters), excluded, left_out)


def excluded_clusters(corpus: Corpus, other: Path) -> frozenset[int]:
    """Return the clusters of a corpus that share a function or an expression (up to the order of operands)
    with another corpus or file of clusters.
    """
    from engines.mathematics.terms.canonical import canonical_key

    held = read_labelled(other, partial=True, min_size=1)
    result = {
        match.cluster for texts in held.clusters for match in corpus.find_clusters(read_prefix(texts[0]))
    }
    forms = {canonical_key(text.split()) for text in held.texts}
    for cluster, members in corpus.iterate_members():
        if cluster not in result and any(
            canonical_key(text.split()) in forms for text in members["prefix"].to_pylist()
        ):
            result.add(cluster)
    return frozenset(result)


# Training pairs and triplets in the paper's proportions, in random order, without a list of them anywhere.
#
# The n-th pair is computed from n: a keyed permutation of 0..count-1 gives its rank among all pairs, the rank
# gives cluster and members. So the order is a shuffle of the whole, a position is enough to go on from, and
# memory holds the expressions and nothing per pair. Numbers of E-Gen, Table 3.

TRIPLETS = 50_000_000
"""The paper's target."""

_Words = NDArray[np.uint64]
_BATCH = 8_192
_ROUNDS = 6


def stream_pairs(
    corpus: Corpus, *, split: SplitName = "paper", seed: int = 0, start: int = 0
) -> Iterator[tuple[str, str]]:
    """Return all ordered pairs inside training clusters, each once, shuffled; from position `start` on."""
    texts, sizes = training_rows(corpus, split)
    return _stream_examples(texts, TrainingPairs(sizes, seed), start)


def stream_triplets(
    corpus: Corpus, *, split: SplitName = "paper", seed: int = 0, start: int = 0, target: int = TRIPLETS
) -> Iterator[tuple[str, str, str]]:
    """Yield (anchor, positive, negative), shuffled, `target // clusters + 1` of each training cluster (E-Gen,
    section 3).

    The positive is of the anchor's cluster: ordered pairs in random order, again from the first when they are
    used up. The negative is a random member of another cluster: other clusters in random order likewise.
    """
    texts, sizes = training_rows(corpus, split)
    return _stream_examples(texts, Triplets(sizes, seed, target), start)


def _stream_examples(texts: pa.Array, drawn: Examples, start: int) -> Iterator[Any]:
    for first in range(start, len(drawn), _BATCH):
        rows = drawn.read_rows(np.arange(first, min(first + _BATCH, len(drawn))))
        yield from zip(*(texts.take(pa.array(column)).to_pylist() for column in rows.T), strict=True)


def training_rows(corpus: Corpus, split: SplitName) -> tuple[pa.Array, Ints]:
    """Return the expressions of all training clusters of two or more, back to back, and the size of each
    cluster.
    """
    clusters = corpus.iterate_members("train", split)
    parts = [members["prefix"].combine_chunks() for _, members in clusters if members.num_rows > 1]
    if not parts:
        raise no_pairs(corpus)
    return pa.concat_arrays(parts), np.array([len(part) for part in parts], np.int64)


def no_pairs(corpus: Corpus) -> EngineError:
    """Return the error for a corpus without pairs."""
    what = "no training cluster has two expressions"
    return EngineError(what, where=str(corpus.path), remedy="Build a larger corpus.", code="E455")


@dataclass(frozen=True)
class Examples:
    """Pairs or triplets of clusters of the given sizes in random order: tuples of row numbers, (source,
    target) or (anchor, positive, negative). Every `epoch` has the same ones, in an order of its own."""

    sizes: Ints
    seed: int
    epoch: int = field(default=0, kw_only=True)

    def __len__(self) -> int:
        raise NotImplementedError

    def read_rows(self, positions: Ints) -> Ints:
        """Return the rows of examples at some positions."""
        raise NotImplementedError

    def shuffled(self, epoch: int) -> Self:
        """Return the table in the order of another epoch."""
        return replace(self, epoch=epoch)

    def __getitem__(self, position: int) -> tuple[int, ...]:
        return self.__getitems__([position])[0]

    def __getitems__(self, positions: Sequence[int]) -> list[tuple[int, ...]]:
        return [tuple(row) for row in self.read_rows(np.asarray(positions, np.int64)).tolist()]


class TrainingPairs(Examples):
    """All ordered pairs inside clusters."""

    def __len__(self) -> int:
        return int((self.sizes * (self.sizes - 1)).sum())

    def read_rows(self, positions: Ints) -> Ints:
        """Return (positions, 2) row numbers of the pairs at these positions of the shuffled order."""
        ends = np.cumsum(self.sizes * (self.sizes - 1))
        rank = _permute_numbers(positions, np.int64(len(self)), _epoch_order(self.seed, 1, self.epoch))
        cluster = np.searchsorted(ends, rank, side="right")
        begins = np.cumsum(self.sizes) - self.sizes
        local = rank - (ends[cluster] - self.sizes[cluster] * (self.sizes[cluster] - 1))
        first, second = _ordered_pair(local, self.sizes[cluster])
        return np.stack([begins[cluster] + first, begins[cluster] + second], axis=1)


@dataclass(frozen=True)
class Triplets(Examples):
    """Triplets over clusters of two or more each: the same number of every one, about `target` in all."""

    target: int = TRIPLETS

    def __post_init__(self) -> None:
        if len(self.sizes) < 2:
            what = "a negative needs a second training cluster"
            raise EngineError(what, remedy="Build a larger corpus.", code="E455")

    @property
    def per_cluster(self) -> int:
        """How many triplets each cluster gives."""
        return self.target // len(self.sizes) + 1

    def __len__(self) -> int:
        return self.per_cluster * len(self.sizes)

    def read_rows(self, positions: Ints) -> Ints:
        """Return (positions, 3) row numbers: anchor, positive, negative."""
        begins = np.cumsum(self.sizes) - self.sizes
        rank = _permute_numbers(positions, np.int64(len(self)), _epoch_order(self.seed, 2, self.epoch))
        cluster, turn = np.divmod(rank, self.per_cluster)
        size = self.sizes[cluster]
        pairs, others = size * (size - 1), len(self.sizes) - 1
        pair = _permute_numbers(turn % pairs, pairs, _make_key(self.seed, 3, cluster))
        first, second = _ordered_pair(pair, size)
        other = _permute_numbers(turn % others, np.int64(others), _make_key(self.seed, 4, cluster))
        other += other >= cluster
        below = _draw_below(self.sizes[other], _make_key(self.seed, 5, rank))
        return np.stack([begins[cluster] + first, begins[cluster] + second, begins[other] + below], axis=1)


def _ordered_pair(number: Ints, size: Ints) -> tuple[Ints, Ints]:
    """Return the number-th of the size·(size-1) ordered pairs of different places below size."""
    first, second = np.divmod(number, size - 1)
    return first, second + (second >= first)


def _draw_below(bounds: Ints, words: _Words) -> Ints:
    """Uniform on 0..bound-1 from the upper 32 bits of each word; bounds are far below 2^32."""
    return (((words >> np.uint64(32)) * bounds.astype(np.uint64)) >> np.uint64(32)).astype(np.int64)


def _mix_words(words: _Words) -> _Words:
    with np.errstate(over="ignore"):
        words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


def _make_key(seed: int, purpose: int, number: Ints | None = None) -> _Words:
    base = _mix_words(np.array([(seed * 8 + purpose) & (2**64 - 1)], np.uint64))
    return base if number is None else _mix_words(base ^ _mix_words(number.astype(np.uint64) + np.uint64(1)))


def _epoch_order(seed: int, purpose: int, epoch: int) -> _Words:
    return _make_key(seed, purpose, np.array([epoch], np.int64)) if epoch else _make_key(seed, purpose)


def _permute_numbers(numbers: Ints, count: Ints | np.int64, key: _Words) -> Ints:
    """Return where keyed permutations of 0..count-1 send `numbers` (below `count`; one count and key for
    each).

    A Feistel network over the next power of four, walked until it lands inside: on average in four steps.
    """
    counts = np.broadcast_to(np.asarray(count), numbers.shape)
    keys = np.broadcast_to(key, numbers.shape)
    half = np.maximum(1, np.ceil(np.log2(np.maximum(counts, 2)) / 2 + 1e-9)).astype(np.uint64)
    result = numbers.astype(np.uint64)
    outside = np.arange(len(numbers))
    while len(outside):
        result[outside] = _apply_feistel(result[outside], half[outside], keys[outside])
        outside = outside[result[outside] >= counts[outside].astype(np.uint64)]
    return result.astype(np.int64)


def _apply_feistel(words: _Words, half: _Words, keys: _Words) -> _Words:
    mask = (np.uint64(1) << half) - np.uint64(1)
    left, right = words >> half, words & mask
    for step in range(_ROUNDS):
        # The round function takes its bits from the top, where the mixing is best.
        mixed = _mix_words(right ^ keys ^ _mix_words(np.array([step + 1], np.uint64))) >> np.uint64(24)
        left, right = right, left ^ (mixed & mask)
    return (left << half) | right

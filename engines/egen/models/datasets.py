"""Training data of the models: expressions with their clusters, pairs and triplets, as token ids."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from engines.core.errors import DataError, ExpressionError
from engines.core.files import json_object, model_files, read_lines, write_text
from engines.core.tree import Tree
from engines.egen.corpus.pairs import Pairs, Triplets, no_pairs
from engines.egen.corpus.reader import Corpus, open_corpus
from engines.egen.corpus.splits import SplitName
from engines.egen.expressions.language import prefix, read_prefix
from engines.egen.expressions.notation import PAD, VOCABULARY, to_training
from engines.training.task import Origin

if TYPE_CHECKING:
    from engines.retrieval.encoders import Encoder


_NUMBER = {token: number for number, token in enumerate(VOCABULARY)}

Ints = NDArray[np.int64]


@lru_cache(maxsize=8192)
def _ids(token: str) -> bytes:
    return bytes(_NUMBER[word] for word in to_training(Tree(token)))


def ids(text: str) -> bytes:
    """The ids of an expression in generator prefix notation, SOE and EOE around it.

    The text is not parsed: it must be an expression. Raises: ExpressionError for a token that training
    notation lacks: `log`, and constants without an exact form.
    """
    return b"\x01" + b"".join(map(_ids, text.split())) + b"\x02"


def usable(text: str, max_length: int) -> bool:
    """Whether an expression has a form that a model of this length reads."""
    try:
        return len(ids(text)) <= max_length
    except ExpressionError:
        return False


def plain(text: str) -> str:
    """Prefix notation without `log` (see `without_log`)."""
    return prefix(without_log(read_prefix(text))) if "log" in text else text


def without_log(tree: Tree) -> Tree:
    """The tree with `log b u` written `/ ln u ln b`: training notation has no token for it."""
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
    def of(cls, prefixes: Iterable[str], *, max_length: int) -> Sequences:
        """Args: prefixes: in generator notation. max_length: of a sequence, SOE and EOE included.

        Raises: ExpressionError, with the place of the expression counted from 0, for one that is longer or
        has no form in training notation.
        """
        parts: list[bytes] = []
        for place, text in enumerate(prefixes):
            try:
                part = ids(text)
            except ExpressionError as error:
                raise ExpressionError(error.what, text=text, position=place, remedy=error.remedy) from None
            if len(part) > max_length:
                raise ExpressionError(
                    f"the expression has {len(part):,} tokens in training notation, and the model reads "
                    f"at most {max_length}",
                    text=text,
                    position=place,
                )
            parts.append(part)
        ends = np.cumsum(np.fromiter(map(len, parts), np.int64, len(parts)))
        return cls(np.frombuffer(b"".join(parts), np.uint8), ends)

    def __len__(self) -> int:
        return len(self.ends)

    @property
    def lengths(self) -> Ints:
        """(expressions,) tokens of each, SOE and EOE included."""
        return np.diff(self.ends, prepend=0)

    def padded(self, rows: Ints | Sequence[int], width: int | None = None) -> Ints:
        """(rows, width) ids filled up with PAD; width is the longest of them unless given."""
        chosen = np.asarray(rows, np.int64)
        ends = self.ends[chosen]
        begins = np.where(chosen > 0, self.ends[chosen - 1], 0)
        width = int((ends - begins).max(initial=0)) if width is None else width
        places = begins[:, None] + np.arange(width)
        inside = places < ends[:, None]
        return np.where(inside, self.data[np.minimum(places, len(self.data) - 1)], PAD).astype(np.int64)


def batches(lengths: Ints, tokens: int) -> list[Ints]:
    """Row numbers in batches of about one length, each of at most `tokens` with its padding.

    Every row is in one batch; a row that is longer than the budget is a batch of its own.
    """
    order = np.argsort(lengths, kind="stable")
    cut, begin = [], 0
    for place in range(1, len(order) + 1):
        # Sorted, so the row that comes is the longest.
        if place == len(order) or int(lengths[order[place]]) * (place + 1 - begin) > tokens:
            cut.append(order[begin:place])
            begin = place
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
        cuts = np.flatnonzero(np.diff(self.labels)) + 1
        ends = [*cuts.tolist(), len(self.texts)]
        return [list(self.texts[a:b]) for a, b in zip([0, *ends[:-1]], ends, strict=True)]


def sample_corpus() -> Path:
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

    Args: path: a corpus folder, or a file in a published layout. side, split: of a corpus, which of its
    clusters. partial: take from a file what it lists as equal on a part of the domain only. max_length: in
    training notation; longer expressions are left out, and so are those that cannot be read or have no form
    in training notation (a logarithm to another base is written as a quotient).
    Raises: DataError when there is no such file or no cluster is left.
    """
    left_out: dict[str, int] = {}

    def drop(reason: str, count: int = 1) -> None:
        left_out[reason] = left_out.get(reason, 0) + count

    clusters: Iterator[list[str]]
    if path.is_dir():
        result = open_corpus(path).each(side, split)
        clusters = (members["prefix"].to_pylist() for _, members in result)
    else:
        clusters = _of_file(path, partial, drop)
    texts: list[str] = []
    labels: list[int] = []
    for number, members in enumerate(_fitting(clusters, max_length, min_size, drop)):
        texts += members
        labels += [number] * len(members)
    if not texts:
        raise DataError(
            "it has no cluster with enough expressions",
            path=path,
            code="E321",
            remedy="Name a corpus folder, or a file with `head` and `exprs` on each line.",
        )
    return Labelled(tuple(texts), np.array(labels), left_out)


def _fitting(
    clusters: Iterator[list[str]], max_length: int, min_size: int, drop: Callable[[str, int], None]
) -> Iterator[list[str]]:
    for texts in clusters:
        members = [text for text in map(plain, texts) if usable(text, max_length)]
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
        texts = [text for tree in trees if (text := prefix(tree)) not in aside]
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
        return sum(map(len, self.clusters))


@dataclass(frozen=True, slots=True)
class TrainingRows:
    """The same as token ids, back to back, and the size of each cluster."""

    sequences: Sequences
    sizes: Ints
    excluded: int = 0
    left_out: int = 0

    @classmethod
    def of(cls, texts: TrainingTexts, *, max_length: int) -> TrainingRows:
        rows = Sequences.of((text for each in texts.clusters for text in each), max_length=max_length)
        sizes = np.array([len(each) for each in texts.clusters], np.int64)
        return cls(rows, sizes, texts.excluded, texts.left_out)

    @property
    def cluster_of(self) -> Ints:
        """(expressions,) the place of each one's cluster in `sizes`."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)


def training_texts(
    corpus: Corpus, split: SplitName, *, max_length: int, exclude: Path | None = None
) -> TrainingTexts:
    """The training side of a corpus, without the clusters that `exclude` (a corpus or a file of clusters)
    has.

    Raises: EngineError E455 when no pair is left.
    """
    banned = excluded_clusters(corpus, exclude) if exclude is not None else frozenset()
    clusters: list[tuple[str, ...]] = []
    excluded = left_out = 0
    for cluster, members in corpus.each("train", split):
        if cluster in banned:
            excluded += 1
            continue
        kept = tuple(text for text in members["prefix"].to_pylist() if usable(text, max_length))
        left_out += len(members) - len(kept)
        if len(kept) > 1:
            clusters.append(kept)
    if not clusters:
        raise no_pairs(corpus)
    return TrainingTexts(tuple(clusters), excluded, left_out)


def excluded_clusters(corpus: Corpus, other: Path) -> frozenset[int]:
    """The clusters of a corpus that share a function or an expression (up to the order of operands) with
    another corpus or file of clusters."""
    from engines.egen.expressions.forms import canonical_key

    held = read_labelled(other, partial=True, min_size=1)
    result = {match.cluster for texts in held.clusters for match in corpus.find(read_prefix(texts[0]))}
    forms = {canonical_key(text.split()) for text in held.texts}
    for cluster, members in corpus.each():
        if cluster not in result and any(
            canonical_key(text.split()) in forms for text in members["prefix"].to_pylist()
        ):
            result.add(cluster)
    return frozenset(result)


@dataclass(frozen=True, slots=True)
class Examples:
    """Pairs or triplets of training clusters in random order: examples are tuples of row numbers, (source,
    target) or (anchor, positive, negative)."""

    rows: TrainingRows
    drawn: Pairs | Triplets

    def shuffled(self, epoch: int) -> Examples:
        return Examples(self.rows, replace(self.drawn, epoch=epoch))

    def __len__(self) -> int:
        return len(self.drawn)

    def __getitem__(self, position: int) -> tuple[int, ...]:
        return self.__getitems__([position])[0]

    def __getitems__(self, positions: Sequence[int]) -> list[tuple[int, ...]]:
        return [tuple(row) for row in self.drawn.rows(np.asarray(positions, np.int64)).tolist()]


LIMITS = (
    "One variable x, real values, the operators and functions of E-Gen; constants are integers and simple "
    "fractions.",
    "A high cosine does not prove that two expressions are equal: verify.",
)


class CorpusTask:
    """A training on the corpus `data.corpus` without what `data.exclude` (a corpus or a file of clusters)
    has. `trainer` is its name, `title`, `about`, `use` and `tags` are for the card.

    Args: split, max_length: of the corpus, which expressions are read. measured: how many validation
    expressions an evaluation looks at.
    """

    trainer = title = use = ""
    about = (
        "Embeds a symbolic expression in one variable as one vector, so that expressions equal on the "
        "reals lie close together."
    )
    tags: tuple[str, ...] = ()
    measures: tuple[str, ...] = ("validation_kmeans_percent", "validation_retrieval_at_5_percent")

    def __init__(
        self, data: Mapping[str, Path], seed: int, split: SplitName, max_length: int, measured: int
    ) -> None:
        if "corpus" not in data:
            raise DataError(
                "the recipe names no corpus",
                code="E644",
                remedy="Name one with --set data.corpus=FOLDER; build it with mathwb egen corpus.",
            )
        self.data, self.seed = data, seed
        self._split, self._max_length, self._measured = split, max_length, measured

    def model_settings(self) -> dict[str, Any]:
        raise NotImplementedError

    def origin(self) -> Origin:
        """The trainer, all settings, the manifest of a corpus, which has the hashes of its shards, and the
        files of the model that it begins with."""
        data: dict[str, tuple[Path, ...]] = {}
        for name, path in self.data.items():
            if name == "backbone":
                data[name] = model_files(path)
            else:
                data[name] = (open_corpus(path).path / "manifest.json" if path.is_dir() else path,)
        return Origin(self.trainer, self.model_settings(), data)

    def training_texts(self) -> TrainingTexts:
        corpus, exclude = open_corpus(self.data["corpus"]), self.data.get("exclude")
        return training_texts(corpus, self._split, max_length=self._max_length, exclude=exclude)

    @cached_property
    def held_out(self) -> Labelled | None:
        """Validation clusters, as many as are to be measured, two at least; None when the corpus has no such
        side."""

        try:
            result = read_labelled(
                self.data["corpus"], side="validation", split=self._split, max_length=self._max_length
            )
        except DataError:
            return None
        # Of one alone there is nothing to tell apart.
        last = max(1, result.labels[: self._measured].max())
        count = int(np.searchsorted(result.labels, last, side="right"))
        return Labelled(result.texts[:count], result.labels[:count])

    def unmeasured(self, name: str) -> str:
        if name in CorpusTask.measures and (self.held_out is None or self.held_out.labels.max() < 1):
            return "the corpus has fewer than two validation clusters"
        return ""

    def clustering(self, encoder: Encoder) -> dict[str, float]:
        """On validation expressions K-means accuracy with the best assignment and the mean share of partners
        among the five nearest (`validation_kmeans_percent`, `validation_retrieval_at_5_percent`)."""
        from engines.egen.evaluations.kmeans import kmeans_accuracy
        from engines.retrieval.dense import precision_at, unit

        if self.held_out is None or self.held_out.labels.max() < 1:
            return {}
        vectors = encoder.encode(self.held_out.texts, normalise=False)
        nearest = precision_at(unit(vectors), self.held_out.labels, (5,))[5]
        return {
            "validation_kmeans_percent": 100 * kmeans_accuracy(vectors, self.held_out.labels).best,
            "validation_retrieval_at_5_percent": 100 * float(nearest.mean()),
        }

    def write_card(
        self,
        folder: Path,
        facts: Mapping[str, Any],
        clusters: int,
        expressions: int,
        found: TrainingTexts | TrainingRows,
    ) -> None:
        from engines.training.checkpoints import card

        data = {
            "corpus": self.data["corpus"].name,
            "split": self._split,
            "training clusters": f"{clusters:,}",
            "training expressions": f"{expressions:,}",
            "clusters excluded": f"{found.excluded:,}",
            "expressions left out, too long or without training notation": f"{found.left_out:,}",
        }
        if "exclude" in self.data:
            data["excluded because they are in"] = self.data["exclude"].name
        text = card(
            self.title,
            self.about,
            facts,
            data=data,
            limits=LIMITS,
            use=self.use,
            tags=self.tags,
        )
        write_text(folder / "README.md", text)

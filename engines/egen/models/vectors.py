"""Vectors of a corpus by a model: encoding is done once, whoever asks, in parts that can be shared.

A pool is two files in a folder, named by what is in it: the content of the model, the content of the corpus
and the part of it. `.npy` holds unit vectors and is mapped into memory, `.parquet` the expressions and where
they stand. Both can be made again, so old pools go when there are too many.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Protocol, TypeVar, get_args

from engines.core.build import ResumableBuild
from engines.core.errors import EngineError, StoppedError
from engines.core.events import Event, Sink, Stop, ignore, never
from engines.core.files import atomic_writer, write_array
from engines.core.hashing import cache_by_file_state, file_stamp, sha256
from engines.core.spec import Arg, share_of, specification
from engines.egen.models.model_folder import ModelFolder

if TYPE_CHECKING:
    import pyarrow as pa

    from engines.retrieval.dense import Vectors
    from engines.retrieval.encoders import Encoder


CorpusPart = Literal["heads", "all"]
"""`heads`: the head of each cluster. `all`: every expression."""

PART = 8_192
"""Texts that are encoded apart from all others."""
LIMIT_BYTES = 2 * 2**30
"""What all pools together may take; the ones not used for longest go first."""
MOST_HEADS = 20_000
"""A part `heads` holds at most so many, evenly over the corpus."""
KNOWN = ".known.npz"
"""How the file beside a pool ends that keeps some vectors of another part (see `BoundedPool`)."""
_LAYOUT = 2


Searched = Annotated[
    Path | None,
    Arg("A corpus or a file of clusters.", ref="corpus", name="corpus", metavar="DIR", shown="the sample"),
]
"""The corpus among whose expressions a question is answered."""
AtMost = Annotated[
    int | None, Arg("Do not encode a corpus with more expressions than this.", low=0, hidden=True)
]


T = TypeVar("T", contravariant=True)


class EncodeTexts(Protocol[T]):
    """A function that encodes texts."""

    def __call__(self, texts: Sequence[T], *, events: Sink, stop: Stop) -> Vectors:
        """Return the vectors of texts, shape `(texts, d)`."""
        ...


@specification
class Index:
    """Encode all expressions of a corpus, so that neighbour searches answer at once.

    Ctrl-C stops gently: finished parts are kept, and the same command continues from them.
    """

    model: ModelFolder
    data: Searched = None
    share: Annotated[
        str | None, Arg("Compute only the parts of one share, such as 3/16.", shown="all parts, merged")
    ] = None

    def __post_init__(self) -> None:
        share_of(self.share)


def resolve_index(spec: Index) -> Index:
    """Return the specification with the folder of the data."""
    return replace(spec, data=_data_folder(spec.data))


@dataclass(frozen=True, slots=True)
class Indexed:
    """The result of indexing: how many expressions and clusters have vectors.

    `left_out` expressions have no form that the model reads. With a `share`, the numbers are those of its
    parts, and nothing is put together.
    """

    expressions: int
    left_out: int
    clusters: int
    share: str | None = None


def index(spec: Index, *, cache: Path | None = None, events: Sink = ignore, stop: Stop = never) -> Indexed:
    """Encode a corpus into the folder `cache`. Raises: as `pool`, but for E647; EngineError E427 for a share
    without such a folder."""
    share = share_of(spec.share)
    if share is None:
        heads = open_pool(spec.model, spec.data, "heads", cache=cache, events=events, stop=stop)
        everything = open_pool(spec.model, spec.data, "all", cache=cache, events=events, stop=stop)
        return Indexed(len(everything), everything.left_out, len(heads))
    corpus = _data_folder(spec.data)
    rows = {}
    for part in get_args(CorpusPart):
        build = ResumableBuild(cache, share, events=events, stop=stop)
        name = _pool_name(spec.model, corpus, part)
        vectors, _, left_out = _encode_part(spec.model, corpus, part, build, name)
        rows[part] = len(vectors)
    return Indexed(rows["all"], left_out, rows["heads"], spec.share)


@dataclass(frozen=True, slots=True)
class VectorPool:
    """Expressions with their vectors.

    Args:
        vectors: (rows, d) float32 of length 1, read from disk as needed.
        table: `prefix`, `cluster` (its number in the corpus), `member` (0 is the head).
        left_out: Expressions without a form that the model reads, or beyond what is taken.
        name: Of the files.
    """

    vectors: Vectors
    table: pa.Table
    left_out: int
    name: str

    def __len__(self) -> int:
        return len(self.vectors)

    def find_nearest(self, query: Vectors, count: int) -> list[dict[str, Any]]:
        """Return the records of the nearest to a unit vector (1, d), each with its `cosine`; equal ones in
        order.
        """
        from engines.retrieval.dense import nearest

        cosines, rows = nearest(query, self.vectors, count)
        records = self.table.take(rows[0]).to_pylist()
        return [{**row, "cosine": value} for row, value in zip(records, cosines[0].tolist(), strict=True)]

    def vector_of(self, row: int) -> Vectors:
        """Return the unit vector of a row, shape `(1, d)`."""
        return self.vectors[row : row + 1]

    def find_row(self, cluster: int, member: int) -> int | None:
        """Return the row of a member of a cluster, or None."""
        import numpy as np

        rows = np.flatnonzero(
            (self.table["cluster"].to_numpy() == cluster) & (self.table["member"].to_numpy() == member)
        )
        return int(rows[0]) if len(rows) else None


_open: dict[str, VectorPool] = {}


def open_pool(
    model: Path,
    data: Path | None,
    part: CorpusPart,
    *,
    cache: Path | None = None,
    only: int | None = None,
    at_most: int | None = None,
    events: Sink = ignore,
    stop: Stop = never,
) -> VectorPool:
    """Return the vectors of a corpus folder or a file of clusters (None: the sample corpus) by a model
    folder.

    Args:
        cache: The folder that pools are kept in; without one they are made anew in every process.
        only: Which part of a joined model they are of; the expressions are those that all parts read.
        at_most: A corpus with more expressions is not encoded now.

    Raises:
        DataError: When there is no such corpus.
        EngineError: E647 for one with too many expressions, E646 when it was stopped, E645 when nothing in it
            has a form that the model reads.
    """
    # The last pools stay open: a pool is found by its name, which is a hash of its contents.
    data = _data_folder(data)
    size = size_of(data)
    name = _pool_name(model, data, part, only)
    path = None if cache is None else cache / f"{name}.npy"
    if name not in _open:
        known = path is not None and path.exists()
        if not known and part == "all" and at_most is not None and size > at_most:
            what = f"the {size:,} expressions of this corpus are not encoded by this model yet"
            raise EngineError(what, code="E647", remedy="Encode them in a job.")
        if path is not None and known:
            result = _read_pool(path)
        else:
            build = ResumableBuild(cache, events=events, stop=stop)
            vectors, table, left_out = _encode_part(model, data, part, build, name, only)
            result = VectorPool(vectors, table, left_out, name)
            if path is not None:
                result = _write_pool(result, path)
                build.publish_manifest(parts=f"{name}-*.npy")
        # At most three pools are open.
        while len(_open) >= 3:
            _open.pop(next(iter(_open)))
        _open[name] = result
    return _open[name]


def is_pool_made(model: Path, data: Path | None, part: CorpusPart, *, cache: Path | None = None) -> bool:
    """Return whether `pool` has nothing to encode."""
    name = _pool_name(model, _data_folder(data), part)
    return name in _open or (cache is not None and (cache / f"{name}.npy").exists())


def _data_folder(data: Path | None) -> Path:
    from engines.egen.models.datasets import sample_corpus

    return data or sample_corpus()


def size_of(data: Path | None) -> int:
    """Return how many expressions a corpus has (None: the sample corpus); 0 for a file."""
    data = _data_folder(data)
    if not data.is_dir():
        return 0
    from engines.egen.corpus.folder import open_corpus

    return sum(open_corpus(data).read_clusters()["size"].to_pylist())


def _pool_name(model: Path, data: Path, part: CorpusPart, only: int | None = None) -> str:
    from engines.core.system import half_precision, torch_device
    from engines.egen.models.encode import MANY

    what = [model_print(model), _file_print(data / "manifest.json" if data.is_dir() else data), part]
    if only is not None:
        what.append(f"only {only}")
    many = not data.is_dir() or size_of(data) > MANY
    if many and (kind := half_precision(torch_device("auto"))) is not None:
        what.append(str(kind))
    return print_of(*what)


def print_of(*what: str) -> str:
    """Return a hash of some texts, for the name of a file."""
    return hashlib.sha256(json.dumps([_LAYOUT, *what]).encode()).hexdigest()[:32]


def model_print(model: Path) -> str:
    """Return a hash of the weights and settings of a model folder; for a joined model, of its parts."""
    from engines.egen.models.encode import list_parts

    return "".join(map(_fingerprint_file, list_parts(model)))


@cache_by_file_state(8, lambda part: tuple(map(file_stamp, sorted(part.rglob("*")))))
def _fingerprint_file(part: Path) -> str:
    from engines.retrieval.encoders import fingerprint_folder

    return fingerprint_folder(part)


_file_print = cache_by_file_state(16)(sha256)


def _encode_part(
    model: Path, path: Path, part: CorpusPart, build: ResumableBuild, name: str, only: int | None = None
) -> tuple[Vectors, pa.Table, int]:
    """Return the vectors of a part of a corpus, of their share only; all its expressions and where they
    stand; how many are left out.
    """
    import pyarrow as pa

    from engines.egen.models.datasets import sample_corpus
    from engines.egen.models.encode import JoinedEncoder, cached_encoder, encode_many, longest_input

    encoder = cached_encoder(model)
    rows, left_out = _list_expressions(path, part, longest_input(encoder), build.stop)
    if not rows:
        what = "the model cannot read any expression of this corpus"
        remedy = "Name another corpus or another model."
        raise EngineError(what, where=str(path), code="E645", remedy=remedy)
    texts, clusters, members = zip(*rows, strict=True)
    if path == sample_corpus():
        encoder = _with_shipped(encoder, model, path)
    if only is not None:
        assert isinstance(encoder, JoinedEncoder)
        encoder = encoder.encoders[only]
    encode = partial(encode_many, encoder, of=len(texts))
    vectors = encode_in_parts(build, name, texts, encode)
    positions = {"cluster": pa.array(clusters, pa.int32()), "member": pa.array(members, pa.int32())}
    return vectors, pa.table({"prefix": pa.array(texts), **positions}), left_out


@dataclass(frozen=True, slots=True)
class _Shipped:
    """An encoder of which vectors of the sample corpus are among the shipped files: `rows` says where each
    text's is among `vectors`, in 16 bits."""

    encoder: Encoder
    rows: dict[str, int]
    vectors: Vectors

    @property
    def name(self) -> str:
        return self.encoder.name

    @property
    def dimension(self) -> int:
        return self.encoder.dimension

    def encode(
        self, texts: Sequence[str], *, normalise: bool = True, events: Sink = ignore, stop: Stop = never
    ) -> Vectors:
        """As `Encoder.encode`; what ships has length 1 in any case."""
        import numpy as np

        from engines.retrieval.dense import normalize_rows

        result = np.empty((len(texts), self.dimension), np.float32)
        known = np.array([self.rows.get(text, -1) for text in texts])
        result[known >= 0] = normalize_rows(self.vectors[known[known >= 0]].astype(np.float32))
        if len(missing := np.flatnonzero(known < 0)):
            others = [texts[index] for index in missing.tolist()]
            result[missing] = self.encoder.encode(others, normalise=normalise, events=events, stop=stop)
        return result


def shipped_vectors(model: Path) -> Path:
    """Return the file of a shipped model's vectors of the sample corpus: `of`, the name of the pool, and
    `vectors`, in the order in which the model reads the expressions.
    """
    return model.parents[1] / "vectors" / f"{model.name}.npz"


def _with_shipped(encoder: Encoder, model: Path, path: Path) -> Encoder:
    """Return the encoder with what ships of its vectors, or of those of its parts; a file of another model or
    of another corpus is none of its.
    """
    import numpy as np

    from engines.egen.models.encode import JoinedEncoder, list_parts, longest_input

    if isinstance(encoder, JoinedEncoder):
        several = zip(encoder.encoders, list_parts(model), strict=True)
        with_them = [_with_shipped(one, folder, path) for one, folder in several]
        return JoinedEncoder(with_them, encoder.name, encoder.max_length)
    file = shipped_vectors(model)
    if not file.exists():
        return encoder
    with np.load(file) as stored:
        if stored["of"] != _pool_name(model, path, "all"):
            return encoder
        vectors = stored["vectors"]
    texts = (text for text, _, _ in _list_expressions(path, "all", longest_input(encoder), never)[0])
    return _Shipped(encoder, {text: row for row, text in enumerate(texts)}, vectors)


def encode_in_parts(build: ResumableBuild, name: str, texts: Sequence[T], encode: EncodeTexts[T]) -> Vectors:
    """Return the vectors of the texts of the build's share, in files `NAME-00000.npy` and so on."""
    import numpy as np

    def part_path(number: int) -> Path:
        return build.folder / f"{name}-{number:05d}.npy"

    parts = build.split_into_parts(len(texts), PART)

    def load_part(number: int) -> Vectors | None:
        # Parts are mapped into memory, not read; a part of the wrong length was
        # cut off and is made again.
        try:
            stored: Vectors = np.load(part_path(number), mmap_mode="r")
        except (OSError, ValueError, EOFError):
            return None
        return stored if len(stored) == len(parts[number]) else None

    def make_part(number: int, items: range, events: Sink) -> Vectors | None:
        vectors = encode(texts[items.start : items.stop], events=events, stop=build.stop)
        if build.stop():
            return None
        if build.in_folder:
            write_array(part_path(number), vectors)
        return vectors

    made = build.run(parts, load_part if build.in_folder else lambda _: None, make_part)
    if made is None:
        raise stopped_error("encoding")
    return np.concatenate(made) if made else np.zeros((0, 0), np.float32)


def stopped_error(what: str) -> StoppedError:
    """Return the error for work that was stopped."""
    return StoppedError(f"the {what} was stopped", remedy="Start it again.")


def _write_pool(made: VectorPool, path: Path) -> VectorPool:
    import pyarrow.parquet as pq

    table = made.table.replace_schema_metadata({"left_out": str(made.left_out)})
    with atomic_writer(path.with_suffix(".parquet"), "wb") as file:
        pq.write_table(table, file)
    # Last: a pool is there when its vectors are.
    write_array(path, made.vectors)
    _prune_pools(path)
    return _read_pool(path)


def _read_pool(path: Path) -> VectorPool:
    import numpy as np
    import pyarrow.parquet as pq

    path.touch()  # so that what is used stays
    table = pq.read_table(path.with_suffix(".parquet"))
    left_out = int((table.schema.metadata or {}).get(b"left_out", b"0"))
    return VectorPool(np.load(path, mmap_mode="r"), table, left_out, path.stem)


def _prune_pools(keep: Path) -> None:
    files = sorted(keep.parent.glob("*.npy"), key=lambda path: path.stat().st_mtime, reverse=True)
    total = 0
    for path in files:
        total += path.stat().st_size
        if total > LIMIT_BYTES and path != keep:
            path.unlink(missing_ok=True)
            for ending in (".parquet", KNOWN):
                path.with_suffix(ending).unlink(missing_ok=True)


def _list_expressions(
    path: Path, part: CorpusPart, most: int, stop: Stop
) -> tuple[list[tuple[str, int, int]], int]:
    from engines.egen.models.datasets import is_usable, remove_logarithms

    rows: list[tuple[str, int, int]] = []
    listed, left_out = _iterate_expressions(path, part)
    for cluster, member, given in listed:
        if stop():
            break
        text = remove_logarithms(given)
        if (part == "heads" and len(rows) >= MOST_HEADS) or not is_usable(text, most):
            left_out += 1
        else:
            rows.append((text, cluster, member))
    return rows, left_out


def _iterate_expressions(path: Path, part: CorpusPart) -> tuple[Iterator[tuple[int, int, str]], int]:
    if not path.is_dir():
        from engines.egen.models.datasets import read_labelled

        data = read_labelled(path, side="all", min_size=1)
        shown = [texts[:1] if part == "heads" else texts for texts in data.clusters]
        rows = ((cluster, n, text) for cluster, texts in enumerate(shown) for n, text in enumerate(texts))
        return rows, sum(data.left_out.values())
    from engines.egen.corpus.folder import open_corpus

    corpus = open_corpus(path)
    if part == "heads":
        heads = corpus.read_clusters()["head"].to_pylist()
        every = -(-len(heads) // MOST_HEADS)
        # Evenly over the corpus: its parts, such as kinds of templates, follow each other.
        order = (n for first in range(every) for n in range(first, len(heads), every))
        return ((n, 0, heads[n]) for n in order), 0
    return (
        (cluster, number, text)
        for cluster, rows in corpus.iterate_members()
        for number, text in enumerate(rows["prefix"].to_pylist())
    ), 0


# Neighbours by a joined model in a corpus that has no vectors yet: what cannot be near is never encoded.
#
# The part that costs little encodes everything. A part's vectors have length 1, so that its cosines bound the
# joined ones from above, and only what could be among the nearest is encoded by the part that costs much: the
# threshold algorithm of Fagin, Lotem and Naor (2003). The neighbours are those that the whole pool gives.

_AT_ONCE = 512
"""Expressions that the costly part encodes before the bound is looked at again."""
_ROUNDING = 1e-5
"""A bound must be lower by so much: cosines are sums of a few hundred products in single precision."""
_ROOT = 2**0.5
"""A joined vector is those of two parts, of length 1, divided by this."""


@dataclass(frozen=True, slots=True)
class BoundedPool:
    """A pool of two joined parts, of which `costly` has vectors only of what was asked for.

    Args:
        cheap: The vectors of everything by the other part.
        first: Whether the costly part is the first.
        known: Row -> (d,), its vectors so far; what is made is added, and kept in the file `path`.
        events, stop: Of the question.
    """

    cheap: VectorPool
    costly: Encoder
    first: bool
    known: dict[int, Vectors]
    path: Path | None
    events: Sink = ignore
    stop: Stop = never

    def __len__(self) -> int:
        return len(self.cheap)

    @property
    def left_out(self) -> int:
        """How many expressions of the corpus have no vector."""
        return self.cheap.left_out

    def find_row(self, cluster: int, member: int) -> int | None:
        """Return the row of a member of a cluster, or None."""
        return self.cheap.find_row(cluster, member)

    def vector_of(self, row: int) -> Vectors:
        """Return the unit vector of a row, shape `(1, d)`; the costly part is encoded now."""
        import numpy as np

        both = [self._encode_rows([row]), self.cheap.vector_of(row)]
        return np.concatenate(both if self.first else both[::-1], axis=1) / _ROOT

    def find_nearest(self, query: Vectors, count: int) -> list[dict[str, Any]]:
        """Find the nearest rows as `VectorPool.find_nearest` does, bounding the part that is costly to
        encode.
        """
        import numpy as np

        from engines.retrieval.index_storage import top_k

        # The vector of a row is (costly, cheap) / sqrt(2), both unit vectors. The cheap part is known of
        # all rows.
        width, before = self.costly.dimension, len(self.known)
        left, right = np.split(query[0], [width if self.first else -width])
        costly, cheap = (left, right) if self.first else (right, left)
        partial = self.cheap.vectors @ cheap / _ROOT
        most = float(np.linalg.norm(costly)) / _ROOT + _ROUNDING
        scores = np.full(len(partial), -np.inf, np.float32)
        order = np.argsort(-partial, kind="stable")
        for begin in range(0, len(order), _AT_ONCE):
            rows = order[begin : begin + _AT_ONCE]
            if begin >= count and scores[top_k(scores, count)[-1]] > partial[rows[0]] + most:
                break
            scores[rows] = partial[rows] + self._encode_rows(rows.tolist()) @ costly / _ROOT
            self._report_progress(begin + len(rows))
        self._report_progress(len(order))  # The bound has decided all others.
        if self.path is not None and len(self.known) > before:
            with atomic_writer(self.path, "wb") as file:
                np.savez(file, rows=list(self.known), vectors=list(self.known.values()))
        best = top_k(scores, count)
        records = self.cheap.table.take(best).to_pylist()
        return [{**row, "cosine": value} for row, value in zip(records, scores[best].tolist(), strict=True)]

    def _encode_rows(self, rows: Sequence[int]) -> Vectors:
        import numpy as np

        missing = [row for row in rows if row not in self.known]
        if missing:
            texts = self.cheap.table["prefix"].take(missing).to_pylist()
            vectors = self.costly.encode(texts, stop=self.stop)
            if self.stop():
                raise stopped_error("search")
            self.known.update(zip(missing, vectors, strict=True))
        return np.stack([self.known[row] for row in rows])

    def _report_progress(self, done: int) -> None:
        self.events(Event("progress", {"done": done, "total": len(self), "unit": "expressions"}))


_known: dict[str, dict[int, Vectors]] = {}


def open_searched_pool(
    model: Path,
    data: Path | None,
    *,
    cache: Path | None = None,
    at_most: int | None = None,
    events: Sink = ignore,
    stop: Stop = never,
) -> VectorPool | BoundedPool:
    """Return all expressions of a corpus for a question about neighbours: the whole pool where it is there,
    the corpus is small, the bound would save nothing or `at_most` is given. Args, raises: as of `pool`.
    """
    from engines.egen.composed.network import ComposedEncoder
    from engines.egen.models import encode

    several = (
        at_most is None and size_of(data) > encode.MANY and not is_pool_made(model, data, "all", cache=cache)
    )
    encoder = encode.cached_encoder(model) if several else None
    parts = encoder.encoders if isinstance(encoder, encode.JoinedEncoder) else ()
    cheap = [isinstance(part, ComposedEncoder) for part in parts]
    only = cheap.index(True) if len(parts) == 2 and sum(cheap) == 1 else None
    result = open_pool(model, data, "all", cache=cache, only=only, at_most=at_most, events=events, stop=stop)
    if only is None:
        return result
    costly, path = parts[1 - only], None if cache is None else cache / f"{result.name}{KNOWN}"
    if result.name not in _known:
        _known.clear()
        _known[result.name] = {} if path is None else _read_known(path, costly.dimension)
    return BoundedPool(result, costly, only == 1, _known[result.name], path, events, stop)


def _read_known(path: Path, width: int) -> dict[int, Vectors]:
    from zipfile import BadZipFile

    import numpy as np

    try:
        with np.load(path) as kept:
            rows, vectors = kept["rows"], kept["vectors"]
    except (OSError, ValueError, EOFError, KeyError, BadZipFile):
        return {}
    whole = vectors.shape == (len(rows), width) and vectors.dtype == np.float32
    return dict(zip(rows.tolist(), vectors, strict=True)) if whole else {}

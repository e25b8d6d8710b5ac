"""Vectors of a corpus by a model, kept in the cache folder: encoding is done once, whoever asks.

A pool is two files named by what is in it: the content of the model, the content of the corpus and the part
of it. `.npy` holds unit vectors and is mapped into memory, `.parquet` the expressions and where they stand.
Both can be made again, so old pools go when there are too many.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from engines.core.errors import EngineError
from engines.core.events import Sink, Stop, ignore, never
from engines.core.files import atomic_writer, file_error, sha256, write_array

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from engines.egen.encode import Embedder

__all__ = ["LIMIT_BYTES", "Part", "Pool", "corpus_print", "folder", "known", "model_print", "pool"]

Part = Literal["heads", "all"]
"""`heads`: the head of each cluster. `all`: every expression."""

LIMIT_BYTES = 2 * 2**30
"""What all pools together may take; the ones not used for longest go first."""
MOST_HEADS = 20_000
"""A part `heads` holds at most so many, evenly over the corpus."""
_LAYOUT = 1
_ROWS = 65_536


@dataclass(frozen=True, slots=True)
class Pool:
    """Expressions with their vectors.

    Args: vectors: (rows, d) float32 of length 1, read from disk as needed. table: `prefix`, `cluster` (its
    number in the corpus), `member` (0 is the head). left_out: expressions without a form that the model
    reads, or beyond what is taken. name: of the files.
    """

    vectors: NDArray[np.float32]
    table: pa.Table
    left_out: int
    name: str

    def __len__(self) -> int:
        return len(self.vectors)

    def rows(self, places: Sequence[int]) -> list[dict[str, Any]]:
        """The records at these places."""
        found: list[dict[str, Any]] = self.table.take(list(places)).to_pylist()
        return found

    def place(self, cluster: int, member: int) -> int | None:
        """Where a member of a cluster stands."""
        import numpy as np

        there = np.flatnonzero(
            (self.table["cluster"].to_numpy() == cluster) & (self.table["member"].to_numpy() == member)
        )
        return int(there[0]) if len(there) else None

    def scores(self, query: NDArray[np.float32]) -> NDArray[np.float32]:
        """(rows,) cosines with a vector of length 1."""
        import numpy as np

        parts = [self.vectors[begin : begin + _ROWS] @ query for begin in range(0, len(self), _ROWS)]
        return np.concatenate(parts)


def folder() -> Path:
    """Where pools are kept."""
    from workbench import paths

    return paths.cache_dir() / "vectors"


@lru_cache(maxsize=16)
def _file_print(path: Path, size: int, changed_ns: int) -> str:  # noqa: ARG001  # another time, another content
    return sha256(path)


def _print_of(path: Path) -> str:
    try:
        status = path.stat()
    except OSError as error:
        raise file_error(error, path, "read") from error
    return _file_print(path, status.st_size, status.st_mtime_ns)


def model_print(model: Path) -> str:
    """Identifies a model folder by its weights and settings."""
    files = sorted(
        path
        for pattern in ("*.safetensors", "*.json", "*.txt", "*.model")
        for path in model.rglob(pattern)
        if path.is_file()
    )
    content = [[str(path.relative_to(model)), _print_of(path)] for path in files]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def corpus_print(place: Path) -> str:
    """Identifies a corpus folder by its manifest, which has the hashes of all its files, or a file."""
    return _print_of(place / "manifest.json" if place.is_dir() else place)


def _name(model: Path, place: Path, part: Part) -> str:
    content = json.dumps([_LAYOUT, model_print(model), corpus_print(place), part])
    return hashlib.sha256(content.encode()).hexdigest()[:32]


def known(model: Path, place: Path, part: Part) -> bool:
    """Whether the vectors are there already. Args: as for `pool`."""
    return (folder() / f"{_name(model, place, part)}.npy").exists()


_open: dict[str, Pool] = {}


def pool(
    embedder: Embedder, model: Path, place: Path, part: Part, *, events: Sink = ignore, stop: Stop = never
) -> Pool:
    """The vectors of a corpus folder or a file of clusters, made and kept if they are not there.

    Args: model: the folder that the embedder was loaded from. Raises: DataError when there is no such corpus;
    EngineError E646 when it was stopped, E645 when nothing in it has a form that the model reads.
    """
    if place.is_dir():
        from engines.egen.corpus import open_corpus

        open_corpus(place)  # explains what is no corpus, or none that is finished
    name = _name(model, place, part)
    if name not in _open:
        path = folder() / f"{name}.npy"
        if not path.exists():
            _make(embedder, place, part, path, events, stop)
        while len(_open) >= 3:
            _open.pop(next(iter(_open)))
        _open[name] = _read(path)
    return _open[name]


def _read(path: Path) -> Pool:
    import numpy as np
    import pyarrow.parquet as pq

    path.touch()  # so that what is used stays
    table = pq.read_table(path.with_suffix(".parquet"))
    left_out = int((table.schema.metadata or {}).get(b"left_out", b"0"))
    return Pool(np.load(path, mmap_mode="r"), table, left_out, path.stem)


def _make(embedder: Embedder, place: Path, part: Part, path: Path, events: Sink, stop: Stop) -> None:
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    from engines.retrieval.similarity import unit

    texts, clusters, members, left_out = _expressions(place, part, embedder.max_length, stop)
    if not texts:
        raise EngineError(
            "nothing in this corpus has a form that the model reads",
            where=str(place),
            code="E645",
            exit_code=2,
            remedy="Name another corpus or another model.",
        )
    vectors = unit(embedder.embed(texts, events=events, stop=stop)).astype(np.float32)
    if stop():
        raise EngineError("the encoding was stopped", code="E646", remedy="Start it again.")
    columns = {
        "prefix": pa.array(texts),
        "cluster": pa.array(clusters, pa.int32()),
        "member": pa.array(members, pa.int32()),
    }
    table = pa.table(columns).replace_schema_metadata({"left_out": str(left_out)})
    with atomic_writer(path.with_suffix(".parquet"), "wb") as file:
        pq.write_table(table, file)
    # Last: a pool is there when its vectors are.
    write_array(path, vectors)
    _prune(path)


def _expressions(
    place: Path, part: Part, max_length: int, stop: Stop
) -> tuple[list[str], list[int], list[int], int]:
    """Texts, the cluster and the member number of each, and how many were left out."""
    from engines.egen.labelled import usable
    from engines.egen.language import prefix, read_prefix
    from engines.egen.sequences import without_log

    found: tuple[list[str], list[int], list[int]] = ([], [], [])
    left_out = 0
    for cluster, member, text in _listed(place, part):
        if stop():
            break
        plain = prefix(without_log(read_prefix(text))) if "log" in text else text
        if (part == "heads" and len(found[0]) >= MOST_HEADS) or not usable(plain, max_length):
            left_out += 1
            continue
        for column, value in zip(found, (plain, cluster, member), strict=True):
            column.append(value)  # type: ignore[attr-defined]
    return *found, left_out


def _listed(place: Path, part: Part) -> Any:
    """(cluster, member, text) of what is there."""
    if not place.is_dir():
        from engines.egen.labelled import read_labelled

        for cluster, texts in enumerate(read_labelled(place, side="all", min_size=1).clusters):
            yield from ((cluster, n, text) for n, text in enumerate(texts[:1] if part == "heads" else texts))
        return
    from engines.egen.corpus import open_corpus

    corpus = open_corpus(place)
    if part == "heads":
        heads = corpus.clusters()["head"].to_pylist()
        every = -(-len(heads) // MOST_HEADS)
        # Evenly over the corpus: its parts, such as kinds of templates, follow each other.
        order = [n for first in range(every) for n in range(first, len(heads), every)]
        yield from ((n, 0, heads[n]) for n in order)
        return
    for cluster, members in corpus.each():
        for number, text in enumerate(members["prefix"].to_pylist()):
            yield cluster, number, text


def _prune(keep: Path) -> None:
    files = sorted(folder().glob("*.npy"), key=lambda path: path.stat().st_mtime, reverse=True)
    total = 0
    for path in files:
        total += path.stat().st_size
        if total > LIMIT_BYTES and path != keep:
            path.unlink(missing_ok=True)
            path.with_suffix(".parquet").unlink(missing_ok=True)

"""Neighbours by a joined model in a corpus that has no vectors yet: what cannot be near is never encoded.

The part that costs little encodes everything. A part's vectors have length 1, so that its cosines bound the
joined ones from above, and only what could be among the nearest is encoded by the part that costs much: the
threshold algorithm of Fagin, Lotem and Naor (2003). The neighbours are those that the whole pool gives.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

import numpy as np

from engines.core.events import Event, Sink, Stop, ignore, never
from engines.core.files import atomic_writer
from engines.egen.models.vectors import KNOWN, Pool, made, pool, size_of, stopped
from engines.retrieval.dense import Vectors
from engines.retrieval.stored import top_k

if TYPE_CHECKING:
    from engines.retrieval.encoders import Encoder


_AT_ONCE = 512
"""Expressions that the costly part encodes before the bound is looked at again."""
_ROUNDING = 1e-5
"""A bound must be lower by so much: cosines are sums of a few hundred products in single precision."""
_ROOT = np.float32(np.sqrt(2))
"""A joined vector is those of two parts, of length 1, divided by this."""


@dataclass(frozen=True, slots=True)
class BoundedPool:
    """As `Pool`, of two joined parts, of which `costly` has vectors only of what was asked for.

    Args: cheap: the vectors of everything by the other part. first: whether the costly part is the first.
    known: row -> (d,), its vectors so far; what is made is added, and kept in the file `path`. events, stop:
    of the question.
    """

    cheap: Pool
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
        return self.cheap.left_out

    def place(self, cluster: int, member: int) -> int | None:
        return self.cheap.place(cluster, member)

    def vector(self, row: int) -> Vectors:
        both = [self._encoded([row]), self.cheap.vector(row)]
        return np.concatenate(both if self.first else both[::-1], axis=1) / _ROOT

    def nearest(self, query: Vectors, count: int) -> list[dict[str, Any]]:
        """As `Pool.nearest`. Raises: StoppedError E646 when it was stopped."""
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
            scores[rows] = partial[rows] + self._encoded(rows.tolist()) @ costly / _ROOT
            self._tell(begin + len(rows))
        self._tell(len(order))  # The bound has decided all others.
        if self.path is not None and len(self.known) > before:
            with atomic_writer(self.path, "wb") as file:
                np.savez(file, rows=list(self.known), vectors=list(self.known.values()))
        best = top_k(scores, count)
        records = self.cheap.table.take(best).to_pylist()
        return [{**row, "cosine": value} for row, value in zip(records, scores[best].tolist(), strict=True)]

    def _encoded(self, rows: Sequence[int]) -> Vectors:
        missing = [row for row in rows if row not in self.known]
        if missing:
            texts = self.cheap.table["prefix"].take(missing).to_pylist()
            vectors = self.costly.encode(texts, stop=self.stop)
            if self.stop():
                raise stopped("search")
            self.known.update(zip(missing, vectors, strict=True))
        return np.stack([self.known[row] for row in rows])

    def _tell(self, done: int) -> None:
        self.events(Event("progress", {"done": done, "total": len(self), "unit": "expressions"}))


_known: dict[str, dict[int, Vectors]] = {}


def searched(
    model: Path,
    data: Path | None,
    *,
    cache: Path | None = None,
    at_most: int | None = None,
    events: Sink = ignore,
    stop: Stop = never,
) -> Pool | BoundedPool:
    """All expressions of a corpus for a question about neighbours: the whole pool where it is there, the
    corpus is small, the bound would save nothing or `at_most` is given. Args, raises: as of `pool`."""
    from engines.egen.composed.network import ComposedEncoder
    from engines.egen.models import encode
    from engines.egen.models.encode import JoinedEncoder

    several = at_most is None and size_of(data) > encode.MANY and not made(model, data, "all", cache=cache)
    encoder = encode.cached_encoder(model) if several else None
    parts = encoder.encoders if isinstance(encoder, JoinedEncoder) else ()
    cheap = [isinstance(part, ComposedEncoder) for part in parts]
    only = cheap.index(True) if len(parts) == 2 and sum(cheap) == 1 else None
    result = pool(model, data, "all", cache=cache, only=only, at_most=at_most, events=events, stop=stop)
    if only is None:
        return result
    costly, path = parts[1 - only], None if cache is None else cache / f"{result.name}{KNOWN}"
    if result.name not in _known:
        _known.clear()
        _known[result.name] = {} if path is None else _read(path, costly.dimension)
    return BoundedPool(result, costly, only == 1, _known[result.name], path, events, stop)


def _read(path: Path, width: int) -> dict[int, Vectors]:
    try:
        with np.load(path) as kept:
            rows, vectors = kept["rows"], kept["vectors"]
    except (OSError, ValueError, EOFError, KeyError, BadZipFile):
        return {}
    whole = vectors.shape == (len(rows), width) and vectors.dtype == np.float32
    return dict(zip(rows.tolist(), vectors, strict=True)) if whole else {}

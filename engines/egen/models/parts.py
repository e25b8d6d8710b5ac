"""Vectors in parts: each is a file named by what determines it, made once by whoever comes to it first.

A part holds the vectors of so many texts, encoded apart from all others, so that the bytes are the same
whether one process makes all parts, several share them, or one that was stopped goes on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np

from engines.core.events import Event, Sink, Stop, ignore, never
from engines.core.files import write_array
from engines.core.spec import refused

if TYPE_CHECKING:
    from engines.retrieval.dense import Vectors


PART = 8_192
"""Texts of a part."""

T = TypeVar("T", contravariant=True)


class Encode(Protocol[T]):
    """What makes the vectors of some texts, a row each."""

    def __call__(self, texts: Sequence[T], *, events: Sink, stop: Stop) -> Vectors: ...


class Parts:
    """The parts of the vectors of some texts; those of a `name` are in the files `FOLDER/NAME-00000.npy` and
    so on, or in memory where there is no folder."""

    def __init__(self, folder: Path | None, name: str, share: tuple[int, int] | None = None) -> None:
        """Args: share: (3, 16), only the third part and every sixteenth from there. Raises: EngineError E427
        for a share that would not be kept."""
        if share and folder is None:
            raise refused("a share is kept in a folder, and there is none", "E427", "Name one as cache.")
        self._folder, self._name = folder, name
        self._first, self._of = share or (1, 1)

    def encoded(
        self, texts: Sequence[T], encode: Encode[T], *, events: Sink = ignore, stop: Stop = never
    ) -> Vectors | None:
        """The vectors of the texts in the parts of the share, those that are missing made; None after a stop,
        which keeps the parts that are finished."""
        begins = range(0, len(texts), PART)[self._first - 1 :: self._of]
        sizes = [len(texts[begin : begin + PART]) for begin in begins]
        found: list[Vectors] = []
        for number, begin in enumerate(begins):
            done = {"done": sum(sizes[:number]), "total": sum(sizes)}

            def tell(event: Event, before: dict[str, int] = done) -> None:
                data = {**event.data, **before, "done": before["done"] + int(str(event.data["done"]))}
                events(replace(event, data=data))

            vectors = self._part(begin // PART, texts[begin : begin + PART], encode, tell, stop)
            if vectors is None:
                return None
            found.append(vectors)
        return np.concatenate(found) if found else np.zeros((0, 0), np.float32)

    def remove(self) -> None:
        """Remove the files, whosever share they are."""
        if self._folder is not None:
            for path in self._folder.glob(f"{self._name}-*.npy"):
                path.unlink(missing_ok=True)

    def _part(
        self, number: int, texts: Sequence[T], encode: Encode[T], events: Sink, stop: Stop
    ) -> Vectors | None:
        path = self._folder and self._folder / f"{self._name}-{number:05d}.npy"
        if path is not None and (kept := _kept(path, len(texts))) is not None:
            return kept
        vectors = None if stop() else encode(texts, events=events, stop=stop)
        if vectors is None or stop():
            return None
        if path is not None:
            write_array(path, vectors)
        return vectors


def _kept(path: Path, rows: int) -> Vectors | None:
    """The vectors in a file; None where it is missing or cannot be read."""
    try:
        found: Vectors = np.load(path, mmap_mode="r")
    except (OSError, ValueError, EOFError):
        return None
    return found if len(found) == rows else None

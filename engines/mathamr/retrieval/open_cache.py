"""Indexes and encoders that stay open for the next question."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engines.core.events import Sink, ignore, warn
from engines.core.hashing import file_stamp

if TYPE_CHECKING:
    from engines.mathamr.retrieval.formula_index import FormulaIndex
    from engines.retrieval.encoders import SentenceEncoder


_OPENED: dict[tuple[str, tuple[int, int]], Any] = {}


def open_index(folder: Path, collection: Path | None = None, events: Sink = ignore) -> FormulaIndex:
    """Return the index in a folder; kept open until it is built anew. Events: a warning where it was made of
    another collection than the one that it is to serve.
    """
    from engines.mathamr.retrieval.formula_index import FormulaIndex, made_of_another

    key = (str(folder), file_stamp(folder / "about.json"))
    # Only the newest index stays open: a changed one has another stamp.
    if key not in _OPENED:
        _OPENED.clear()
        _OPENED[key] = FormulaIndex(folder)
    opened: FormulaIndex = _OPENED[key]
    if collection is not None and (indexed := made_of_another(opened.about, collection)) is not None:
        what = (
            f"{folder} is the index of {indexed}, not of {collection}: formulas with the same id may differ"
        )
        warn(events, what)
    return opened


def open_encoder(which: str, device: str) -> SentenceEncoder:
    """Open an encoder as `encoder` does, and keep it open until its folder changes."""
    return _load_encoder(which, device, file_stamp(Path(which).expanduser() / "model.safetensors"))


@lru_cache(1)
def _load_encoder(which: str, device: str, _state: tuple[int, int]) -> SentenceEncoder:
    from engines.retrieval.encoders import encoder

    return encoder(which, device=device)

"""Counting words."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from engines.core.events import Event, Sink, Stop, ignore, never
from engines.core.spec import Arg

__all__ = ["CountWords", "Counted", "count_words"]


@dataclass(frozen=True, slots=True)
class CountWords:
    """Count the words of a text."""

    text: Annotated[Path, Arg("A text, or its name.", ref="dummy-text")]
    least: Annotated[int, Arg("Count words of so many letters and more.", low=1, high=9)] = 1


@dataclass(frozen=True, slots=True)
class Counted:
    """So many words."""

    words: int
    complete: bool = True


def count_words(spec: CountWords, *, events: Sink = ignore, stop: Stop = never) -> Counted:
    """The number of words. Events: progress by words."""
    words = [word for word in spec.text.read_text("utf-8").split() if len(word) >= spec.least]
    for number, _ in enumerate(words, 1):
        if stop():
            return Counted(number, complete=False)
        events(Event("progress", {"done": number, "total": len(words), "unit": "words"}))
    return Counted(len(words))

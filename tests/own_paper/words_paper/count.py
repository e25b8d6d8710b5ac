"""Counting words: the settings, the work, and the lines that people read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from mathwb.core.events import Event, Sink, Stop, ignore, never
from mathwb.core.spec import Arg


@dataclass(frozen=True, slots=True)
class CountWords:
    """Count the words of a text."""

    text: Annotated[Path, Arg("A text, or its name.", ref="text")]
    least: Annotated[int, Arg("Count words of so many letters and more.", low=1, high=9)] = 1


@dataclass(frozen=True, slots=True)
class WordCount:
    """How many words a text has; `complete` is false when the count was stopped."""

    words: int
    complete: bool = True


def count_words(spec: CountWords, *, events: Sink = ignore, stop: Stop = never) -> WordCount:
    """The number of words. Events: progress by words."""
    words = [word for word in spec.text.read_text("utf-8").split() if len(word) >= spec.least]
    for number, _ in enumerate(words, 1):
        if stop():
            return WordCount(number, complete=False)
        events(Event("progress", {"done": number, "total": len(words), "unit": "words"}))
    return WordCount(len(words))


def count(record: WordCount, spec: CountWords) -> Iterator[str]:
    """The lines that `mathwb words count` prints."""
    yield f"{record.words} words"

"""Sentences of a text: where each begins and ends."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from engines.language.english import open_pipeline

if TYPE_CHECKING:
    from spacy.language import Language


Tongue = Literal["en", "zh"]


def sentences(text: str, tongue: Tongue = "en", pipeline: Path | None = None) -> list[tuple[int, int]]:
    """The sentences of an English or Chinese text as (start, end) in characters, without blanks around them.

    By full stops, question and exclamation marks of spaCy's sentencizer; or by a spaCy pipeline of the
    user's.

    >>> [("One? Two, e.g. two.")[start:end] for start, end in sentences("One? Two, e.g. two.")]
    ['One?', 'Two, e.g. two.']

    Raises:
        DataError E355: for a folder that is no spaCy pipeline.
    """
    found = []
    for span in _splitter(tongue, pipeline)(text).sents:
        words = span.text.strip()
        if words:
            start = span.start_char + span.text.index(words)
            found.append((start, start + len(words)))
    return found


@cache
def _splitter(tongue: Tongue, folder: Path | None) -> Language:
    import spacy

    if folder is None:
        nlp = spacy.blank(tongue)
        nlp.add_pipe("sentencizer")
        return nlp
    return open_pipeline(folder)

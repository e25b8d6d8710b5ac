"""Texts in other languages: the words that introduce, claim, suppose or deny are read as English ones.

`cue_phrases` knows what English words say of a statement. A text in another language gets these words in the
place of its own before it is read; of the rest, what is written in another script stands as one unknown word.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from engines.documents.reading import Document
from engines.proofreading.cue_phrases import mentions
from engines.proofreading.decimal_commas import spell_decimal_commas
from engines.proofreading.formula_statements import WORDS
from engines.proofreading.prose_languages import (
    ENGLISH,
    MARKS,
    WITHOUT_SPACES,
    WORDS_OF_LANGUAGES,
    compile_phrases,
    find_languages,
    is_written_leftwards,
    read_beginning,
)

_LETTERS_OF_OTHERS = re.compile(rf"(?:[^\W\d_a-zA-Z\u00c0-\u024f][{MARKS}]*)+")
"""Letters that are not Latin."""
_UNKNOWN = " word "
_POINTS = ".,;: "
"""Signs that end a sentence or a part of it, with a space."""


def translate_words(document: Document) -> Document:
    """Return a document with the words that say something of its statements in English, and with braces
    around decimal commas.

    >>> from engines.documents.reading import TextPiece
    >>> words = TextPiece("Für alle reellen ", 1), TextPiece("x", 1, True), TextPiece(" gilt ", 1)
    >>> [piece.text for piece in translate_words(Document("", words)).pieces]
    ['for all real ', 'x', ' we have ']
    """
    found, _ = find_languages(read_beginning(document))
    document = spell_decimal_commas(document, found)
    languages = [language for language in found if language != ENGLISH]
    if not languages:
        return document
    pieces = (
        replace(
            piece,
            text=_translate_within(piece.text, languages)
            if piece.formula
            else _translate(piece.text, languages),
        )
        for piece in document.pieces
    )
    return replace(document, pieces=tuple(pieces))


def _translate_within(latex: str, languages: Sequence[str]) -> str:
    r"""Return a formula with its words in English that connect two statements, `\text{ und }`; others stay as
    the text has them, but for a point that ends a sentence from right to left before its last formula."""
    if any(map(is_written_leftwards, languages)):
        latex = latex.lstrip(_POINTS)

    def write_english(match: re.Match[str]) -> str:
        english = _translate(match[1], languages)
        said = any(mentions(cue, english) for cue in ("connective", "refused"))
        return match[0].replace(match[1], english) if said else match[0]

    return WORDS.sub(write_english, latex)


def _translate(text: str, languages: Sequence[str]) -> str:
    for language in languages:
        text = _translate_from(text, language)
    return _LETTERS_OF_OTHERS.sub(_UNKNOWN, text)


def _translate_from(text: str, language: str) -> str:
    english = _english_words(language)

    def write_english(match: re.Match[str]) -> str:
        said = match["phrase"]
        phrase = _normalise(said)
        stems = (stem for stem in english if stem[-1:] == "*" and phrase.startswith(stem[:-1]))
        # A capital of another alphabet, as İ, is found for i and becomes two letters when it is made small.
        known = english.get(phrase) or english.get(next(stems, ""), said)
        # Lines are counted, and words of some languages have no spaces between them.
        return (f" {known} " if language in WITHOUT_SPACES else known) + "\n" * said.count("\n")

    return compile_phrases(language).sub(write_english, text)


def _normalise(phrase: str) -> str:
    return "_".join(phrase.lower().split())


@cache
def _english_words(language: str) -> dict[str, str]:
    return {
        phrase: english
        for english, phrases in WORDS_OF_LANGUAGES[language].items()
        for phrase in phrases.split()
    }

"""Spelling of English: lemmas that were learnt wrong, adjectives of adverbs, numbers in words."""

from __future__ import annotations

import re

from engines.language.english import Word
from engines.mathamr.parsing.frames import Frames

__all__ = ["adjective", "lemma_of", "number_of", "positive", "possible"]

_PLURALS = {"matrices": "matrix", "vertices": "vertex", "indices": "index", "axes": "axis", "bases": "basis"}

_ALIKE = ("series", "species", "means", "thanks")
"""Plurals that are their own lemmas."""


def lemma_of(word: Word, frames: Frames) -> str:
    """The lemma of a word; where the learnt one is no known verb or a rare plural, by the rules of
    spelling."""
    lemma, text = word.lemma.lower(), word.text.lower()
    if word.tag == "NNS":
        if text in _PLURALS:
            return _PLURALS[text]
        if text.endswith("oes") and len(text) > 5:
            return text[:-2]
        if text.endswith("ies") and len(text) > 5 and text not in _ALIKE:
            return text[:-3] + "y"
        regular = lemma == text and re.fullmatch(r"[a-z]{3,}[^siu]s", text) and text not in _ALIKE
        return text[:-1] if regular else lemma
    if word.tag[:2] == "VB" and f"{lemma}/v" not in frames.words:
        for end in ("ing", "ed", "es", "s"):
            stem = text.removesuffix(end)
            if stem == text:
                continue
            for tried in (stem, stem + "e", stem[:-1], stem[:-1] + "y"):
                if f"{tried}/v" in frames.words:
                    return tried
    return lemma


def adjective(lemma: str) -> str:
    """The adjective of an adverb: simply, simple; basically, basic; exactly, exact."""
    if not lemma.endswith("ly") or len(lemma) < 6:
        return lemma
    for end, own in (("ically", "ic"), ("bly", "ble"), ("ply", "ple"), ("ily", "y")):
        if lemma.endswith(end):
            return lemma.removesuffix(end) + own
    return lemma[:-2]


_DENYING = ("non-", "non", "un", "in", "im", "ir")


def positive(lemma: str, frames: Frames) -> str:
    """An adjective without a prefix that denies it, where it has no frame and the rest has one: uneven,
    even."""
    if f"{lemma}/j" in frames.words:
        return lemma
    for prefix in _DENYING:
        rest = lemma.removeprefix(prefix)
        if rest != lemma and (f"{rest}/j" in frames.words or possible(rest, frames)):
            return rest
    return lemma


def possible(lemma: str, frames: Frames) -> str | None:
    """The frame of the verb of an adjective that says what is possible: integrable, integrate-01."""
    if f"{lemma}/j" in frames.words:
        return None
    for prefix in ("", *_DENYING):
        rest = lemma.removeprefix(prefix)
        for end in ("able", "ible"):
            stem = rest.removesuffix(end)
            if stem == rest or len(stem) < 3 or (prefix and rest == lemma):
                continue
            changed = stem[:-1] + "de" if stem.endswith("s") else stem
            for verb in (stem, stem + "e", stem + "ate", changed):
                if frame := frames.of(verb, "v"):
                    return frame
    return None


_NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def number_of(text: str) -> str:
    """A number as AMR has it: digits, or the word in quotes."""
    if text in _NUMBERS:
        return str(_NUMBERS.index(text))
    digits = text.replace(",", "")
    return digits if re.fullmatch(r"-?\d+(\.\d+)?", digits) else '"' + re.sub(r'["\\]', "", digits) + '"'

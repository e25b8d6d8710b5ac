"""Mistakes that the dependency parse makes again and again, mended before the rules see it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engines.language.english import Word

__all__ = ["mended"]

_QUANTIFIERS = ("all", "each", "every", "any", "some")
_LOOSE = ("dep", "appos", "compound", "flat", "nmod", "list")
"""Relations by which a noun hangs on its own quantifier."""


def mended(words: Sequence[Word]) -> list[Word]:
    """The words of a sentence, of which some hang elsewhere.

    "Using" below a noun belongs to the verb above it; "that" before "for all …" is no object; a quantifier
    hangs on its noun or formula, and not the other way.
    """
    found = [_using(words, word) for word in words]
    found = [_that(found, number) for number in range(len(found))]
    for number, word in enumerate(found):
        noun = _quantified(found, number)
        if noun is None:
            continue
        head = noun if word.head == number else word.head
        found = [replace(one, head=noun) if one.head == number else one for one in found]
        found[noun] = replace(found[noun], head=head, relation=word.relation)
        found[number] = replace(word, head=noun, relation="det")
    return found


def _using(words: Sequence[Word], word: Word) -> Word:
    if word.text.lower() != "using" or word.relation != "acl":
        return word
    above = word.head
    while words[above].head != above:
        above = words[above].head
        if words[above].tag[:2] == "VB":
            return replace(word, relation="advcl", head=above)
    return word


def _that(words: Sequence[Word], number: int) -> Word:
    word = words[number]
    if word.text.lower() != "that" or word.relation not in ("obj", "obl", "punct", "dep"):
        return word
    after = [one.text.lower() for one in words[number + 1 : number + 3]]
    follows = word.tag == "IN" or after[:1] == ["for"] or after == [",", "for"]
    return replace(word, relation="mark") if follows else word


def _quantified(words: Sequence[Word], number: int) -> int | None:
    """The noun or formula that hangs on its quantifier, close behind it and with nothing between."""
    if words[number].text.lower() not in _QUANTIFIERS:
        return None
    for place in range(number + 1, min(number + 4, len(words))):
        if words[place].head == number and words[place].relation in _LOOSE:
            before = (one for one in words[:place] if one.head == place)
            return None if any(one.relation in ("case", "punct") for one in before) else place
    return None

"""English words by Porter's stemmer, as Lucene's analyser of English has them: no term for formulas.

The stemmer is that of Porter (1980, An algorithm for suffix stripping) with its author's later changes, which
Lucene has too: `bli` and `logi` instead of `abli`, and words of two letters stay.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import pairwise

__all__ = ["english_terms", "porter"]

_WORD = re.compile(r"\w+(?:(?:(?<=[^\W\d])['\u2019.](?=[^\W\d])|(?<=\d)[.,;'](?=\d))\w+)*")
_POSSESSIVE = re.compile(r"['\u2019]s$")
_FUNCTION_WORDS = """
a an and are as at be but by for if in into is it no not of on or such that the their then there these they
this to was will with
"""
_STOP = frozenset(_FUNCTION_WORDS.split())

_SECOND = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize", "bli": "ble",
    "alli": "al", "entli": "ent", "eli": "e", "ousli": "ous", "ization": "ize", "ation": "ate", "ator": "ate",
    "alism": "al", "iveness": "ive", "fulness": "ful", "ousness": "ous", "aliti": "al", "iviti": "ive",
    "biliti": "ble", "logi": "log",
}  # fmt: skip
_THIRD = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": ""}
_FOURTH = (
    "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ion", "ism", "ate", "iti", "ous", "ive",
    "ize", "al", "er", "ic", "ou",
)  # fmt: skip


def english_terms(text: str) -> list[str]:
    """The terms of a text as Lucene's analyser of English has them, formulas cut as words are; letters that
    are put together of several, and ligatures, are the letters that they look like (NFKC).

    >>> english_terms("Proving the sums of Cauchy's $x^2 + A_k$")
    ['prove', 'sum', 'cauchi', 'x', '2', 'a_k']
    """
    words = (_POSSESSIVE.sub("", word) for word in _WORD.findall(unicodedata.normalize("NFKC", text).lower()))
    return [porter(word) for word in words if word not in _STOP]


@lru_cache(maxsize=200_000)
def porter(word: str) -> str:
    """The stem of a lower-case word.

    >>> [porter(word) for word in ("relational", "hopping", "probabilities", "logic", "by")]
    ['relat', 'hop', 'probabl', 'logic', 'by']
    """
    if len(word) <= 2:
        return word
    word = _verb_ending(_plural(word))
    if word.endswith("y") and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    for endings in (_SECOND, _THIRD):
        end = next((word[at:] for at in range(len(word)) if word[at:] in endings), None)
        if end and _measure(word.removesuffix(end)) > 0:
            word = word.removesuffix(end) + endings[end]
    end = next((end for end in _FOURTH if word.endswith(end)), None)
    if end:
        stem = word.removesuffix(end)
        if _measure(stem) > 1 and (end != "ion" or stem.endswith(("s", "t"))):
            word = stem
    if word.endswith("e"):
        stem = word[:-1]
        if _measure(stem) > 1 or (_measure(stem) == 1 and not _short(stem)):
            word = stem
    return word[:-1] if word.endswith("ll") and _measure(word) > 1 else word


def _plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _verb_ending(word: str) -> str:
    """Without the ending of a past or a participle."""
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    end = next(
        (end for end in ("ed", "ing") if word.endswith(end) and _has_vowel(word.removesuffix(end))), ""
    )
    if not end:
        return word
    stem = word.removesuffix(end)
    if stem.endswith(("at", "bl", "iz")):
        return stem + "e"
    if len(stem) > 1 and stem[-1] == stem[-2] and _consonant(stem, len(stem) - 1):
        return stem if stem[-1] in "lsz" else stem[:-1]
    return stem + "e" if _measure(stem) == 1 and _short(stem) else stem


def _consonant(word: str, at: int) -> bool:
    if word[at] == "y":
        return at == 0 or not _consonant(word, at - 1)
    return word[at] not in "aeiou"


def _has_vowel(stem: str) -> bool:
    return not all(_consonant(stem, at) for at in range(len(stem)))


def _measure(stem: str) -> int:
    """How often a vowel is followed by a consonant: m in [C](VC)^m[V]."""
    kinds = [_consonant(stem, at) for at in range(len(stem))]
    return sum(after and not before for before, after in pairwise(kinds))


def _short(stem: str) -> bool:
    """It ends in consonant, vowel, consonant, and the last is not w, x or y."""
    if len(stem) < 3 or stem[-1] in "wxy":
        return False
    return [_consonant(stem, len(stem) - back) for back in (3, 2, 1)] == [True, False, True]

"""Bi-BLEU: sentence BLEU of two texts, each as the other's reference, on average (section 2.6 of the paper).

Four-grams with equal weights, brevity penalty, and NLTK's smoothing method 1: no n-gram in common counts as
0.1 of one. Compiled; the counts of all texts are laid out once.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engines.core.numeric_kernel import compiled
from engines.mwp.problems.numbers import Language
from engines.mwp.triplets.settings import Tokens

__all__ = ["BiBleu", "bibleu", "tokens"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]

_LONGEST = 4
_NOTHING = 0.1
_WORD = re.compile(r"N_\d+|[^\W\d_]+(?:'[^\W\d_]+)?|\d+(?:\.\d+)?|\S")
_WORD_ZH = re.compile(r"N_\d+|[A-Za-z]+|\d+(?:\.\d+)?|\S")


def tokens(text: str, language: Language, how: Tokens = "auto") -> tuple[str, ...]:
    """What BLEU counts: in Chinese single characters (a placeholder is several), in English words.

    Words are in lower case, punctuation stands alone; in Chinese each character and each placeholder is one.
    """
    if how == "characters" or (how == "auto" and language == "zh"):
        return tuple(text)
    if language == "zh":
        return tuple(_WORD_ZH.findall(text))
    return tuple(word if word.startswith("N_") else word.lower() for word in _WORD.findall(text))


def bibleu(left: Sequence[str], right: Sequence[str]) -> float:
    """Bi-BLEU of two sequences of tokens, 0 to 1.

    >>> round(bibleu("abc", "abd"), 4)
    0.2403
    """
    return float(BiBleu([left, right]).of(0, np.array([1]))[0])


class BiBleu:
    """Bi-BLEU among many texts. Args: texts: their tokens."""

    name = "bibleu"

    def __init__(self, texts: Sequence[Sequence[str]]) -> None:
        numbers: dict[tuple[str, ...], int] = {}
        ids: list[int] = []
        counts: list[int] = []
        begins = np.zeros(len(texts) * _LONGEST + 1, np.int64)
        self._lengths = np.array([len(text) for text in texts], np.int32)
        for place, text in enumerate(texts):
            for size in range(1, _LONGEST + 1):
                grams = Counter(zip(*(text[start:] for start in range(size)), strict=False))
                ids += [numbers.setdefault(gram, len(numbers)) for gram in grams]
                counts += grams.values()
                begins[place * _LONGEST + size] = len(ids)
        self._ids, self._counts = np.array(ids, np.int32), np.array(counts, np.int32)
        self._begins = begins
        # The logarithm of how many n-grams each text has, averaged over n.
        sizes = np.maximum(self._lengths[:, None] - np.arange(_LONGEST)[None], 1)
        self._log_sizes = np.log(sizes).mean(1)
        self._have = np.zeros(max(len(numbers), 1), np.int32)

    def of(self, anchor: int, others: NDArray[np.integer]) -> Floats:
        """(n,): Bi-BLEU of one text with others, by their places. Not for several threads at once."""
        return _scores(
            anchor,
            np.asarray(others, np.int64),
            self._ids,
            self._counts,
            self._begins,
            self._lengths,
            self._log_sizes,
            self._have,
        )


@compiled
def _scores(
    anchor: int,
    others: NDArray[np.int64],
    ids: Ints,
    counts: Ints,
    begins: NDArray[np.int64],
    lengths: Ints,
    log_sizes: Floats,
    have: Ints,
) -> Floats:
    first, last = begins[anchor * 4], begins[anchor * 4 + 4]
    for at in range(first, last):
        have[ids[at]] = counts[at]
    found = np.zeros(len(others))
    a = float(lengths[anchor])
    for place in range(len(others)):
        other = others[place]
        b = float(lengths[other])
        total = 0.0
        shares = True
        for size in range(4):
            common = 0
            for at in range(begins[other * 4 + size], begins[other * 4 + size + 1]):
                common += min(have[ids[at]], counts[at])
            if size == 0 and common == 0:
                shares = False
                break
            total += np.log(common if common else 0.1)
        if not shares:
            continue
        total /= 4.0
        brevity_a = 1.0 if a > b else np.exp(1.0 - b / a)
        brevity_b = 1.0 if b > a else np.exp(1.0 - a / b)
        found[place] = 0.5 * (
            brevity_a * np.exp(total - log_sizes[anchor]) + brevity_b * np.exp(total - log_sizes[other])
        )
    for at in range(first, last):
        have[ids[at]] = 0
    return found

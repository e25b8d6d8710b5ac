"""Bounds in words, as `between 1 and 5`, where nothing says whether these belong to what is between them."""

from __future__ import annotations

from engines.formula.vocabulary import BETWEEN_REMARKS, BETWEENS
from engines.grading.integers_in_words import spell_integers
from engines.grading.tokens import Phrases, tokenize

_BETWEENS = Phrases(BETWEENS)
_REMARKS = Phrases(BETWEEN_REMARKS)
_FEWEST_SPACES = 3
"""As in `between 1 and 5`."""
_CLOSED = "inclusively between"


def leaves_ends_open(text: str) -> bool:
    """Return whether a text has bounds in words and does not say whether they belong to it.

    >>> leaves_ends_open("x is between 1 and 5"), leaves_ends_open("x is strictly between 1 and 5")
    (True, False)
    """
    if text.count(" ") < _FEWEST_SPACES:
        return False
    # "strictly" or "inclusive" settles it, and so do integers, which are listed.
    tokens = tokenize(text)
    found = _BETWEENS.find(tokens)
    is_open = found is not None and found[2] is None and _REMARKS.find(tokens) is None
    return is_open and not spell_integers(text)


def close_ends(text: str) -> str:
    """Return a text in which the bounds belong to what is between them.

    >>> close_ends("x is between 1 and 5")
    'x inclusively between 1 and 5'
    """
    tokens = tokenize(text)
    found = _BETWEENS.find(tokens)
    if found is None:
        return text
    return text[: tokens[found[0]].start] + _CLOSED + text[tokens[found[1] - 1].end :]

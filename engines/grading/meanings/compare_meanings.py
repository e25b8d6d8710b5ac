"""Compare what two answers in words mean, where their words are all known: claims, statements, objects."""

from __future__ import annotations

from engines.grading.compare import AnswerComparison
from engines.grading.meanings.compare_claims import compare_claims
from engines.grading.meanings.sentence_items import is_word
from engines.grading.tokens import tokenize
from engines.grading.verdicts import GradeVerdict

_LONGEST = 300
"""Longer texts are solutions."""


def compare_meanings(
    texts: tuple[str, str], answers: tuple[str, str], comparison: AnswerComparison
) -> GradeVerdict | None:
    """Return whether two texts mean the same; None where words of them are not known.

    Args: texts, answers: both texts, and the answers that were found in them.
    """
    sides = [
        answer if "\\boxed" in text or len(text) > _LONGEST else text
        for text, answer in zip(texts, answers, strict=True)
    ]
    if not any(is_word(token) for side in sides for token in tokenize(side)):
        return None
    try:
        return compare_claims(sides[0], sides[1], comparison)
    except RecursionError:
        return None

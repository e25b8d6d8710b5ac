"""The words that say of which term a formula is the derivative, the integral or the expansion."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Literal

from engines.proofreading.cue_phrases import PHRASES, mentions, words_of
from engines.proofreading.phrase_search import join_alternatives

OperationOfWords = Literal["derivative of", "integral of", "expansion of"]
_OPERATIONS: tuple[OperationOfWords, ...] = ("derivative of", "integral of", "expansion of")


@dataclass(frozen=True, slots=True)
class WordedOperation:
    """What words before a formula say that it is the result of: `the derivative of § with respect to § is`.

    Attributes:
        kind: The operation.
        words_before: The words before it.
        formulas: The formulas that its words name, at the end of those of the sentence: what it is applied
            to, then the variable or the ends of an integral.
        has_variable: Whether the second of them is the variable.
    """

    kind: OperationOfWords
    words_before: str
    formulas: int
    has_variable: bool


def read_worded_operation(words: str) -> WordedOperation | None:
    """Return the derivative or integral of a formula that the words before another say this is; None where
    they say something else.

    >>> read_worded_operation("so the derivative of § with respect to § is")
    WordedOperation(kind='derivative of', words_before='so the', formulas=2, has_variable=True)
    >>> read_worded_operation("the second derivative of § is")
    """
    for kind in _OPERATIONS:
        match = _compile_operation(kind).search(words)
        if match is None:
            continue
        before = words[: match.start()].rstrip().removesuffix(" partial")
        if mentions("other operation", " ".join(words_of(before)[-1:])):
            return None
        return WordedOperation(kind, before, match["formulas"].count("§"), "respect" in match["formulas"])
    return None


@cache
def _compile_operation(kind: OperationOfWords) -> re.Pattern[str]:
    named, resulting = (join_alternatives(PHRASES[cue]) for cue in (kind, "resulting"))
    behind = {
        "derivative of": r"with\s+respect\s+to\s+§",
        "integral of": r"with\s+respect\s+to\s+§|from\s+§\s+to\s+§",
        "expansion of": r"(?:at|about|around|near)\s+§",
    }[kind]
    return re.compile(
        rf"\b(?:{named})\s+(?P<formulas>§(?:\s+(?:{behind}))?)[\s,]+(?:{resulting})\s*:?\s*\Z", re.IGNORECASE
    )

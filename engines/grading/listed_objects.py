r"""Answers that are written as lists: continued fractions, and the members of other lists."""

from __future__ import annotations

from collections.abc import Sequence

from engines.grading.tokens import AnswerToken, is_blank, tokenize
from engines.grading.verdicts import GradeVerdict, differ_by

_SPACES = ("\\,", "\\;", "\\ ", "\\:", "\\!", "~")
_SKIPPED = ("\\left", "\\right", "$")
_MOST_ENTRIES = 60
_OPENING = (*"([{⟨", "\\langle", "\\{")
_CLOSING = (*")]}⟩", "\\rangle", "\\}")


def compare_continued_fractions(gold: str, pred: str) -> GradeVerdict | None:
    r"""Compare two continued fractions, as `[1; \overline{2}]` and `[1; 2, 2, 2, …]`; None for other answers.

    >>> compare_continued_fractions(r"[1;\overline{2}]", "[1; 2, 2, 2, …]").outcome
    'equal'
    """
    mine = _read_fraction(gold)
    theirs = _read_fraction(pred) if mine is not None else None
    if mine is None or theirs is None:
        return None
    if bool(mine[1]) != bool(theirs[1]):
        return differ_by("only one of them ends")
    expansions = [_expand_fraction(*side) for side in (mine, theirs)]
    if expansions[0] == expansions[1]:
        return GradeVerdict("equal", reason="the same partial quotients")
    at = next((at for at, (one, other) in enumerate(zip(*expansions, strict=False)) if one != other), None)
    if at is None:
        return differ_by("one of them has more partial quotients")
    return differ_by(f"the partial quotients {expansions[0][at]} and {expansions[1][at]}")


def _read_fraction(text: str) -> tuple[list[int], list[int]] | None:
    """Return the quotients before the period of a continued fraction, and that; None for other texts."""
    tokens = [
        token
        for token in tokenize(text.strip(" ."))
        if not is_blank(token) and token.text not in (*_SKIPPED, *_SPACES)
    ]
    said = [token.text for token in tokens]
    if len(said) < 5 or said[0] != "[" or said[-1] != "]" or said[2] != ";" or not said[1].isdecimal():
        return None
    quotients = [int(said[1])]
    period_start, endless = None, False
    inside = tokens[3:-1]
    for token in inside:
        if token.text in ("\\overline", "\\bar"):
            period_start = len(quotients)
        elif token.kind == "digits":
            quotients.append(int(token.text))
        elif token.text in ("…", "\\ldots", "\\dots", "\\cdots"):
            endless = True
        elif token.text not in tuple(",{}"):
            return None
    if period_start is not None:
        return quotients[:period_start], quotients[period_start:]
    if not endless:
        return quotients, []
    period = _find_period(quotients)
    return None if period is None else (quotients[:-period], quotients[-period:])


def _find_period(quotients: Sequence[int]) -> int | None:
    """Return the length of the shortest period that a list with dots shows at least twice at its end."""
    for length in range(1, len(quotients) // 2 + 1):
        if quotients[-length:] == quotients[-2 * length : -length] and (length > 1 or len(quotients) > 2):
            return length
    return None


def _expand_fraction(start: list[int], period: list[int]) -> list[int]:
    if not period:  # [1; 2, 1] is [1; 3]
        return [*start[:-2], start[-2] + 1] if len(start) > 1 and start[-1] == 1 else start
    repeated = period * (_MOST_ENTRIES // len(period) + 1)
    return [*start, *repeated][:_MOST_ENTRIES]


def list_listed(tokens: Sequence[AnswerToken]) -> list[list[AnswerToken]]:
    """Return the members of a list: the tokens between its commas outside brackets."""
    members: list[list[AnswerToken]] = [[]]
    depth = 0
    for token in tokens:
        depth += (token.text in _OPENING) - (token.text in _CLOSING)
        if token.text in (",", ";", "、") and not depth:
            members.append([])
        else:
            members[-1].append(token)
    return [member for member in members if not all(map(is_blank, member))]

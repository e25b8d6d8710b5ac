r"""Match brackets in a text before it is read: where they close, and what stands outside of them.

A command such as `\(` is no bracket, except that `\{`, `\langle` and environments nest as brackets do.
"""

from __future__ import annotations

import re

_PAIRS = {"(": ")", "[": "]", "{": "}"}
_MARKS = {
    opening: re.compile(rf"\\.|[{re.escape(opening + closing)}]", re.DOTALL)
    for opening, closing in _PAIRS.items()
}
_NESTING = re.compile(r"\\[a-zA-Z]+|\\.|[()\[\]{}]", re.DOTALL)
_OPENING = ("(", "[", "{", r"\{", r"\langle", r"\lbrace", r"\begin")
_CLOSING = (")", "]", "}", r"\}", r"\rangle", r"\rbrace", r"\end")


def find_closing(text: str, start: int) -> int:
    r"""Return the index of the bracket that closes the one at `start`, and -1 where none does.

    >>> find_closing(r"f{a\}{b}}c", 1), find_closing("(x", 0)
    (8, -1)
    """
    opening, depth = text[start], 0
    for match in _MARKS[opening].finditer(text, start):
        if len(match[0]) == 1:
            depth += 1 if match[0] == opening else -1
            if not depth:
                return match.start()
    return -1


def are_braces_balanced(text: str) -> bool:
    """Return whether the braces of a text match; other brackets need not, as in `]0, 1[`."""
    depth = 0
    for match in _MARKS["{"].finditer(text):
        depth += (match[0] == "{") - (match[0] == "}")
        if depth < 0:
            return False
    return depth == 0


def is_closed_at_end(text: str) -> bool:
    r"""Return whether the bracket that opens a text closes at its end and not before.

    >>> is_closed_at_end(r"\{1, (2)\}"), is_closed_at_end("(1) + (2)")
    (True, False)
    """
    depth = 0
    for match in _NESTING.finditer(text):
        depth += (match[0] in _OPENING) - (match[0] in _CLOSING)
        if depth == 0 and match.end() < len(text):
            return False
    return True


def split_outside(text: str, separator: re.Pattern[str]) -> tuple[list[str], list[str]]:
    r"""Split a text at the separators that stand in no brackets.

    Returns:
        The parts, and the separators between them.

    >>> split_outside("(1, 2), [3, 4)", re.compile(","))
    (['(1, 2)', '[3, 4)'], [','])
    """
    parts, signs = [], []
    depth = start = at = 0
    while at < len(text):
        mark = _NESTING.match(text, at)
        change = (mark[0] in _OPENING) - (mark[0] in _CLOSING) if mark else 0
        between = separator.match(text, at) if depth == change == 0 else None
        if between is not None and between.end() > at:
            parts.append(text[start:at].strip())
            signs.append(between[0].strip())
            at = start = between.end()
        else:
            depth += change
            at = mark.end() if mark else at + 1
    parts.append(text[start:].strip())
    return parts, signs

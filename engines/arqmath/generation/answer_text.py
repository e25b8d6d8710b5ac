"""Answers of Task 3 as they may be handed in: one line, no loops, 1,200 characters, dollars in pairs."""

from __future__ import annotations

import re

__all__ = ["LIMIT", "fitted", "one_line", "sentences", "without_repetition"]

LIMIT = 1_200
"""Unicode characters an answer may have (ARQMath-3, Task 3)."""

_FORMULA = re.compile(r"\$\$.+?\$\$|\$[^$]+\$", re.DOTALL)
_END = re.compile(r"(?<=[.!?])\s+(?=\S)")
_LOOP = re.compile(r"(.{4,200}?)(?:\s*\1){2,}", re.DOTALL)


def one_line(text: str) -> str:
    """White space and control characters as single spaces: a run has an answer to a line.

    >>> one_line("a\\tb\\n\\n c")
    'a b c'
    """
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def sentences(text: str) -> list[str]:
    """The sentences of a text; a formula is never divided.

    >>> sentences("Let $a=1. 5$. Then stop! Done")
    ['Let $a=1. 5$.', 'Then stop!', 'Done']
    """
    held = [match.span() for match in _FORMULA.finditer(text)]
    parts, begin = [], 0
    for match in _END.finditer(text):
        if not any(start < match.start() < end for start, end in held):
            parts.append(text[begin : match.start()])
            begin = match.end()
    return [part.strip() for part in (*parts, text[begin:]) if part.strip()]


def without_repetition(text: str) -> str:
    """A text without what generators fall into: a piece that follows itself three times or more stays once,
    and a sentence that has been said is not said again.

    >>> without_repetition("We have $x=1$. We have $x=1$. So $x=1$. We have $x=1$.")
    'We have $x=1$. So $x=1$.'
    >>> without_repetition("a = b = b = b = b")
    'a = b'
    """
    text = _LOOP.sub(r"\1", _short_loops(text))
    said: set[str] = set()
    kept = []
    for sentence in sentences(text):
        key = "".join(sentence.lower().split())
        if key not in said:
            said.add(key)
            kept.append(sentence)
    return " ".join(kept)


def _short_loops(text: str) -> str:
    """Loops of less than four characters that go on for long: `= b = b = b`."""
    return re.sub(r"(\s?\S{1,2}\s\S{1,2}|\S{1,3})(?:\s*\1){2,}(?!\S)", r"\1", text)


def fitted(text: str, limit: int = LIMIT) -> str:
    """A text of at most `limit` characters: cut after the last sentence that fits, else after the last word
    outside of a formula; an odd dollar is left out.

    >>> fitted("One two. Three four.", 12)
    'One two.'
    >>> fitted("Let $x = 1 + 2$ be", 12)
    'Let'
    """
    text = one_line(text)
    if len(text) > limit:
        kept = ""
        for sentence in sentences(text):
            longer = f"{kept} {sentence}".strip()
            if len(longer) > limit:
                break
            kept = longer
        text = kept or _words(text, limit)
    if text.count("$") % 2:
        at = text.rindex("$")
        text = text[:at] + text[at + 1 :]
    return text.strip()


def _words(text: str, limit: int) -> str:
    held = [match.span() for match in _FORMULA.finditer(text)]
    for at in range(limit, 0, -1):
        inside = any(start < at < end for start, end in held)
        if not inside and (at == len(text) or text[at] == " "):
            return text[:at]
    return text[:limit]

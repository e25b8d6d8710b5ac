r"""LaTeX of sums, products and definite integrals, rewritten as infix.

What `\sum` and `\prod` are about goes on to the next + or - outside of brackets, as in print:
`\sum_{k=1}^{n} k x + 1` is (sum of k x) + 1. What `\int` is about ends with its `dt`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from engines.egen.expressions.infix_tokens import fail
from engines.egen.expressions.language import VARIABLE
from engines.formula.lexer import Token

if TYPE_CHECKING:
    from engines.egen.expressions.latex_reader import Written, _Rewriter

__all__ = ["BOUND", "bound"]

BOUND = {r"\sum": "sum", r"\prod": "prod", r"\int": "integral"}
_LIMITS = (r"\limits", r"\nolimits", r"\displaystyle")
_OPEN, _CLOSED = ("(", "[", r"\{", r"\lfloor"), (")", "]", r"\}", r"\rfloor", "}", ",", r"\right", r"\rvert")
_HALVES = ("*", "/", "^", r"\cdot", r"\times", r"\div", r"\ast", "(", "[")
"""After these a sign belongs to what follows."""


def bound(reader: _Rewriter, token: Token) -> None:
    """Rewrite one with its limits and what it is about."""
    low: list[Written] | None = None
    high: list[Written] | None = None
    name = ""
    while reader.peek() in _LIMITS:
        reader.at += 1
    while (reader.peek() == "_" and low is None) or (reader.peek() == "^" and high is None):
        sign = reader.next(token)
        if sign.text == "^":
            high = _apart(reader, reader.exponent, sign)
            continue
        if token.text != r"\int":
            name = _counted(reader, token)
        low = _apart(reader, reader.exponent, sign)
    if low is None or high is None:
        shape = r"\int_{0}^{x} u \, dt" if token.text == r"\int" else rf"{token.text}_{{k=1}}^{{n}} u"
        fail(reader.text, f"{token.text} needs both limits", token.start, f"Write {shape}.")
    if name:
        body = _apart(reader, partial(_term, reader), token)
    else:
        body = _apart(reader, partial(_integrand, reader), token)
        name = _differential(reader)
        reader.at += 2
    reader.say(f" {BOUND[token.text]}({name},", token)
    for part, after in ((low, ","), (high, ","), (body, ") ")):
        reader.written += part
        reader.say(after, token)


def _apart(reader: _Rewriter, rewrite: Callable[[Token], None], token: Token) -> list[Written]:
    """What is written by `rewrite`, which is taken out again."""
    before = len(reader.written)
    rewrite(token)
    found = reader.written[before:]
    del reader.written[before:]
    return found


def _counted(reader: _Rewriter, token: Token) -> str:
    """The variable of `_{k=`, which is passed over but for its bracket."""
    texts = [one.text for one in reader.tokens[reader.at : reader.at + 3]]
    if len(texts) < 3 or texts[0] != "{" or texts[1] not in VARIABLE + reader.letters or texts[2] != "=":
        what = f"{token.text} does not say over which variable it goes"
        fail(reader.text, what, token.start, rf"Write {token.text}_{{k=1}}^{{n}} u.")
    del reader.tokens[reader.at + 1 : reader.at + 3]
    return texts[1]


def _term(reader: _Rewriter, token: Token) -> None:
    """Pieces up to the next + or - outside of brackets."""
    depth, before = 0, "*"
    while text := reader.peek():
        ends = text in _CLOSED or (text in "+-" and before not in _HALVES) or _differential(reader)
        if depth == 0 and ends:
            break
        if text in (r"\left", r"\right"):
            depth += 1 if text == r"\left" else -1
        elif text in _OPEN:
            depth += before != r"\left"
        elif text in _CLOSED:
            depth -= before != r"\right"
        before = text
        reader.piece()
    if before == "*" and not reader.written:
        fail(reader.text, f"{token.text} is about nothing", token.start, "Write it after the limits.")


def _integrand(reader: _Rewriter, token: Token) -> None:
    """Pieces up to `dt`."""
    while not _differential(reader):
        if reader.at == len(reader.tokens) or reader.peek() == "}":
            what = f"{token.text} does not say by which variable"
            fail(reader.text, what, token.start, r"Write \, dt at its end.")
        reader.piece()


def _differential(reader: _Rewriter) -> str:
    r"""The variable of a `dt` that comes next, with or without `\mathrm{d}`; empty where there is none."""
    texts = [one.text for one in reader.tokens[reader.at : reader.at + 5]]
    if texts[:4] == [r"\mathrm", "{", "d", "}"]:
        start = reader.tokens[reader.at].start
        reader.tokens[reader.at : reader.at + 4] = [Token("letter", "d", start)]
        texts = ["d", *texts[4:]]
    if len(texts) > 1 and texts[0] == "d" and texts[1] in VARIABLE + reader.letters:
        return texts[1]
    return ""

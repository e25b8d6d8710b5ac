"""Expressions read from LaTeX, with sums, products and definite integrals."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from engines.core.errors import ExpressionError
from engines.core.tree import MAX_DEPTH, Tree
from engines.egen.expressions.infix import CALLED, fail, read_infix
from engines.egen.expressions.language import CONSTANTS, VARIABLE, check_length
from engines.formula.lexer import Token, source_tokens
from engines.formula.operator_tree import deep_recursion

# LaTeX of sums, products and definite integrals, rewritten as infix.
#
# What `\sum` and `\prod` are about goes on to the next + or - outside of brackets, as in print:
# `\sum_{k=1}^{n} k x + 1` is (sum of k x) + 1. What `\int` is about ends with its `dt`.

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
    before = len(reader.written)
    rewrite(token)
    found = reader.written[before:]
    del reader.written[before:]
    return found


def _counted(reader: _Rewriter, token: Token) -> str:
    texts = [one.text for one in reader.tokens[reader.at : reader.at + 3]]
    if len(texts) < 3 or texts[0] != "{" or texts[1] not in VARIABLE + reader.letters or texts[2] != "=":
        what = f"{token.text} does not name its variable"
        fail(reader.text, what, token.start, rf"Write {token.text}_{{k=1}}^{{n}} u.")
    del reader.tokens[reader.at + 1 : reader.at + 3]
    return texts[1]


def _term(reader: _Rewriter, token: Token) -> None:
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
        fail(reader.text, f"{token.text} has no body", token.start, "Write it after the limits.")


def _integrand(reader: _Rewriter, token: Token) -> None:
    while not _differential(reader):
        if reader.at == len(reader.tokens) or reader.peek() == "}":
            what = f"{token.text} does not name its variable"
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


# LaTeX of expressions: `\frac{d}{dx}\left(x^{2}\right)`, `\sin^{2} x`, `\operatorname{arcsec}(x)`.
#
# It is rewritten as infix and read as that, so that what can be read in two ways is refused there as here,
# and brackets mean the same: `\cos(x)^2` is (cos x)^2. An operator tree would have lost them.

Written = tuple[str, int]
"""A piece of infix, and where in the LaTeX it comes from."""

_SPACES = frozenset(
    (r"\,", r"\;", r"\:", r"\!", r"\ ", r"\quad", r"\qquad", "~", "$", r"\(", r"\)", r"\[", r"\]")
)
_SIGNS = {
    **dict.fromkeys((r"\cdot", r"\times", r"\ast"), "*"),
    r"\div": "/",
    r"\pi": " pi ",
    **dict.fromkeys((r"\lbrace", r"\lbrack", r"\{"), "("),
    **dict.fromkeys((r"\rbrace", r"\rbrack", r"\}"), ")"),
    r"\lvert": "abs(",
    r"\rvert": ")",
    r"\lfloor": " floor(",
    r"\rfloor": ")",
}
_OTHER_NAMES = {"sgn": "sign", "signum": "sign"}
_SIZES = re.compile(r"\\(left|right|middle|[bB]igg?[lrm]?)\Z")
_FRACTIONS = (r"\frac", r"\dfrac", r"\tfrac", r"\cfrac")
_NAMED = (r"\operatorname", r"\operatorname*", r"\mathrm", r"\text", r"\mathit", r"\textrm")
_POSITION = re.compile(r" \(character \d+\)")


def read_latex(text: str, letters: str = "") -> Tree:
    r"""Read LaTeX of the language's expressions.

    Args: letters: other variables than x. Raises: ExpressionError with the character position of what could
    not be read.

    >>> read_latex(r"\frac{-7}{x^{2}} + \sin^2\left(2x\right)").labels()
    ['+', '/', '-7', 'pow', 'x', '2', 'pow', 'sin', '*', '2', 'x', '2']
    """
    check_length(text)
    reader = _Rewriter(text, letters)
    with deep_recursion():
        infix = reader.rewritten()
    try:
        return read_infix(infix, letters)
    except ExpressionError as error:
        place = reader.place(error.position or 0)
        what = _POSITION.sub("", error.what)
        fail(text, what, place, error.remedy)


class _Rewriter:
    """LaTeX piece by piece; `written` is the infix so far, as texts with the place each came from."""

    def __init__(self, text: str, letters: str) -> None:
        self.text = text
        self.letters = letters
        self.tokens = source_tokens(text)
        self.at = self.depth = 0
        self.written: list[Written] = []

    def rewritten(self) -> str:
        while self.at < len(self.tokens):
            self.piece()
        return "".join(text for text, _ in self.written)

    def place(self, position: int) -> int:
        seen = 0
        for text, start in self.written:
            seen += len(text)
            if position < seen:
                return start
        return len(self.text)

    def say(self, text: str, token: Token) -> None:
        self.written.append((text, token.start))

    def next(self, after: Token) -> Token:
        if self.at == len(self.tokens):
            fail(self.text, f"{after.text} is not complete", after.start, "Write what is missing at its end.")
        self.at += 1
        return self.tokens[self.at - 1]

    def peek(self) -> str:
        return self.tokens[self.at].text if self.at < len(self.tokens) else ""

    def piece(self) -> None:
        token = self.next(Token("other", "the expression", 0))
        if self.depth > MAX_DEPTH:
            what = f"the expression is nested more than {MAX_DEPTH} deep"
            fail(self.text, what, token.start, "Split it into smaller expressions.")
        self.depth += 1
        self.rewrite(token)
        self.depth -= 1

    def rewrite(self, token: Token) -> None:
        text = token.text
        name = text[1:]
        if text in _SPACES:
            self.say(" ", token)
        elif text in _SIGNS:
            self.say(_SIGNS[text], token)
        elif _SIZES.match(text):
            self.bracket(token)
        elif text in _FRACTIONS:
            self.fraction(token)
        elif text == r"\sqrt":
            self.root(token)
        elif text in BOUND and self.letters:
            bound(self, token)
        elif text in _NAMED:
            self.named(token)
        elif token.kind == "command" and name in CALLED:
            self.function(name, token)
        elif token.kind == "command":
            fail(
                self.text,
                f"{text} is not part of an expression",
                token.start,
                "They have numbers, x, pi, e, functions, brackets, \\frac, \\sqrt, powers and + - * /.",
            )
        elif text == "{":
            self.at -= 1
            self.argument(token)
        elif text == "^":
            self.say("^", token)
            self.exponent(token)
        elif text == "_":
            fail(self.text, "a subscript is not part of an expression", token.start, "Remove it.")
        else:
            self.say(f" {text} " if text in self.letters else text, token)

    def bracket(self, size: Token) -> None:
        token = self.next(size)
        if token.text in ("|", r"\vert", r"\lvert", r"\rvert"):
            opens = size.text in (r"\left",) or size.text.endswith("l") or token.text == r"\lvert"
            self.say("abs(" if opens else ")", token)
        elif token.text == ".":
            fail(self.text, f"{size.text}. is not a bracket", size.start, "Write a bracket on both sides.")
        else:
            self.say(_SIGNS.get(token.text, token.text), token)

    def argument(self, after: Token) -> None:
        token = self.next(after)
        self.say("(", token)
        if token.text == "{":
            while self.peek() != "}":
                self.piece_of(token)
            self.at += 1
        elif token.kind == "number" and len(token.text) > 1:
            # TeX takes one digit: \frac12 is a half.
            self.say(token.text[0], token)
            self.at -= 1
            self.tokens[self.at] = Token("number", token.text[1:], token.start + 1)
        else:
            self.at -= 1
            self.piece()
        self.say(")", token)

    def piece_of(self, opened: Token) -> None:
        if self.at == len(self.tokens):
            fail(self.text, "'{' is never closed", opened.start, "Write } where it ends.")
        self.piece()

    def exponent(self, sign: Token) -> None:
        """What stands after ^; a number without braces must be one digit, as TeX takes no more."""
        following = self.tokens[self.at] if self.at < len(self.tokens) else None
        if following is not None and following.kind == "number" and len(following.text) > 1:
            fail(
                self.text,
                f"^{following.text} can be read in two ways",
                following.start,
                f"Write ^{{{following.text}}} or ^{following.text[0]} \\cdot {following.text[1:]}.",
            )
        self.argument(sign)

    def group(self) -> list[str]:
        at, depth, found = self.at, 0, []
        for token in self.tokens[at:]:
            depth += (token.text == "{") - (token.text == "}")
            found.append(token.text)
            if depth <= 0:
                break
        self.at += len(found)
        return [text for text in found if text not in ("{", "}", r"\mathrm", r"\,")]

    def fraction(self, token: Token) -> None:
        start = self.at
        top, bottom = self.group(), self.group()
        if bottom == ["d", VARIABLE] and top[:1] == ["d"]:
            end, self.at = self.at, start
            if top == ["d"]:
                self.say(" d/dx ", token)
                self.at = end
            else:
                self.say(" d/dx", token)
                number = next(k for k in range(start, end) if self.tokens[k].text == "d")
                del self.tokens[number]
                self.argument(token)
                self.at = end - 1
            return
        self.at = start
        self.say("(", token)
        self.argument(token)
        self.say("/", token)
        self.argument(token)
        self.say(")", token)

    def root(self, token: Token) -> None:
        if self.peek() == "[":
            self.at += 1
            if self.next(token).text != "2" or self.next(token).text != "]":
                fail(
                    self.text,
                    "only square roots can be written as roots",
                    token.start,
                    "Write x^{1/3}, which has no value below 0.",
                )
        self.say(" sqrt", token)
        self.argument(token)

    def named(self, token: Token) -> None:
        name = "".join(self.group())
        name = _OTHER_NAMES.get(name, name)
        if name in CALLED:
            self.function(name, token)
        elif name in CONSTANTS or name == VARIABLE or (len(name) == 1 and name in self.letters):
            self.say(f" {name} ", token)
        else:
            what = f"{name[:40]!r} is not a function or constant of the language"
            fail(self.text, what, token.start, "Functions are written like \\operatorname{arcsec}(x).")

    def function(self, name: str, token: Token) -> None:
        if name == "log" and self.peek() == "_":
            self.at += 1
            start = self.at
            base = self.group()
            if len(base) != 1:
                self.at = start
                self.to_base(token)
                return
            name = f"log_{base[0].removeprefix(chr(92))}"
        self.say(f" {name}", token)
        if self.peek() == "^":
            self.say(f"^{''.join(self.raised())}", token)
        self.say(" ", token)

    def to_base(self, token: Token) -> None:
        self.say(" log(", token)
        self.argument(token)
        self.at += self.peek() == r"\left"
        if self.next(token).text != "(":
            what = "a logarithm to such a base needs brackets around its argument"
            fail(self.text, what, token.start, r"Write \log_{x + 1}(u).")
        self.say(", ", token)

    def raised(self) -> list[str]:
        self.at += 1
        return self.group()

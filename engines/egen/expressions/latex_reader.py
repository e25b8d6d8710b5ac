r"""LaTeX of expressions: `\frac{d}{dx}\left(x^{2}\right)`, `\sin^{2} x`, `\operatorname{arcsec}(x)`.

It is rewritten as infix and read as that, so that what can be read in two ways is refused there as here, and
brackets mean the same: `\cos(x)^2` is (cos x)^2. An operator tree would have lost them.
"""

from __future__ import annotations

import re

from engines.core.errors import ExpressionError
from engines.core.tree import MAX_DEPTH, Tree
from engines.egen.expressions.infix_reader import read_infix
from engines.egen.expressions.infix_tokens import CALLED, fail
from engines.egen.expressions.language import CONSTANTS, VARIABLE, check_length
from engines.egen.expressions.latex_binders import BOUND, bound
from engines.formula.lexer import Token
from engines.formula.room import room
from engines.formula.source import source_tokens

__all__ = ["Written", "looks_like_latex", "read_latex"]

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


def looks_like_latex(text: str) -> bool:
    """Whether a text has what only LaTeX has: commands or braces."""
    return "\\" in text or "{" in text


def read_latex(text: str, letters: str = "") -> Tree:
    r"""Read LaTeX of the language's expressions.

    Args: letters: other variables than x. Raises: ExpressionError with the character position of what could
    not be read.

    >>> read_latex(r"\frac{-7}{x^{2}} + \sin^2\left(2x\right)").labels()
    ['+', '/', '-7', 'pow', 'x', '2', 'pow', 'sin', '*', '2', 'x', '2']
    """
    check_length(text)
    reader = _Rewriter(text, letters)
    with room():
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
        """All of it."""
        while self.at < len(self.tokens):
            self.piece()
        return "".join(text for text, _ in self.written)

    def place(self, position: int) -> int:
        """Where in the LaTeX a character of the infix comes from."""
        seen = 0
        for text, start in self.written:
            seen += len(text)
            if position < seen:
                return start
        return len(self.text)

    def say(self, text: str, token: Token) -> None:
        self.written.append((text, token.start))

    def next(self, after: Token) -> Token:
        """The next token, which must be there."""
        if self.at == len(self.tokens):
            fail(self.text, f"{after.text} is not complete", after.start, "Write what is missing at its end.")
        self.at += 1
        return self.tokens[self.at - 1]

    def peek(self) -> str:
        return self.tokens[self.at].text if self.at < len(self.tokens) else ""

    def piece(self) -> None:
        """Rewrite what comes next."""
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
                f"{text} is nothing that expressions have",
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
            fail(self.text, "a subscript is nothing that expressions have", token.start, "Remove it.")
        else:
            self.say(f" {text} " if text in self.letters else text, token)

    def bracket(self, size: Token) -> None:
        """A delimiter after its size."""
        token = self.next(size)
        if token.text in ("|", r"\vert", r"\lvert", r"\rvert"):
            opens = size.text in (r"\left",) or size.text.endswith("l") or token.text == r"\lvert"
            self.say("abs(" if opens else ")", token)
        elif token.text == ".":
            fail(self.text, f"{size.text}. is no bracket", size.start, "Write a bracket on both sides.")
        else:
            self.say(_SIGNS.get(token.text, token.text), token)

    def argument(self, after: Token) -> None:
        """A group or a single piece, in brackets."""
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
        """The texts of the group that comes next, or of the one token, without white space."""
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
        r"""A word in upright letters: `\operatorname{arcsec}`, `\mathrm{e}`."""
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
        """A function with the scripts between it and its argument."""
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
        r"""The rest of `\log_{x + 1}(u)`: the base is no name, so that a bracket must follow."""
        self.say(" log(", token)
        self.argument(token)
        self.at += self.peek() == r"\left"
        if self.next(token).text != "(":
            what = "a logarithm to such a base needs brackets around what it applies to"
            fail(self.text, what, token.start, r"Write \log_{x + 1}(u).")
        self.say(", ", token)

    def raised(self) -> list[str]:
        self.at += 1
        return self.group()

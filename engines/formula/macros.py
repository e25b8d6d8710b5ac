r"""Definitions in a formula (`\newcommand`, `\def`, `\let`, `\DeclareMathOperator`), and what they stand for.

What is no definition that can be followed, and what does not end, stays as a stray token.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from engines.formula.lexer import Token

__all__ = ["DEFINITION", "expanded"]

_NEW = ("\\newcommand", "\\renewcommand", "\\providecommand")
_DEF = ("\\def", "\\gdef", "\\edef", "\\xdef")
_OPERATORS = ("\\DeclareMathOperator", "\\DeclareMathOperator*")
_DEFINING = {*_NEW, *(f"{name}*" for name in _NEW), *_DEF, "\\let", *_OPERATORS}
DEFINITION = re.compile(rf"\\(?:{'|'.join(name[1:] for name in _DEFINING if name[-1] != '*')})(?![A-Za-z])")
"""Where a formula may define something."""
_MOST_CALLS, _MOST_TOKENS = 1_000, 50_000
_OPERATOR = Token("command", "\\operatorname", 0)


@dataclass(frozen=True, slots=True)
class _Macro:
    """How many arguments a command takes, what its first is where it has none, and what it stands for."""

    arguments: int
    default: list[Token] | None
    body: list[Token]


class _UnreadableError(Exception):
    """What stands here is no definition that can be followed."""


def expanded(tokens: list[Token]) -> list[Token]:
    """The tokens without definitions, and with what they define in the place of its name."""
    return _Expansion(tokens).tokens()


class _Expansion:
    """Reads tokens from the end of a list, where what macros stand for is put."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.left = list(reversed(tokens))
        self.macros: dict[str, _Macro] = {}

    def tokens(self) -> list[Token]:
        found: list[Token] = []
        calls = 0
        while self.left:
            token = self.left.pop()
            if token.text in _DEFINING:
                before = list(self.left)
                try:
                    self.define(token.text)
                except (_UnreadableError, IndexError):
                    self.left = before
                    found.append(replace(token, kind="stray"))
            elif token.text in self.macros and token.kind in ("command", "letter"):
                calls += 1
                if calls > _MOST_CALLS or len(self.left) + len(found) > _MOST_TOKENS:
                    return [*found, replace(token, kind="stray")]
                try:
                    self.call(token, self.macros[token.text])
                except IndexError:
                    found.append(replace(token, kind="stray"))
            else:
                found.append(token)
        return found

    def peek(self) -> str:
        return self.left[-1].text if self.left else ""

    def define(self, how: str) -> None:
        """Take a definition."""
        if how == "\\let":
            name = self.left.pop().text
            if self.peek() == "=":
                self.left.pop()
            self.macros[name] = _Macro(0, None, [self.left.pop()])
            return
        named = self.argument()
        if len(named) != 1 or named[0].kind != "command":
            raise _UnreadableError
        name, arguments, default = named[0].text, 0, None
        if how in _DEF:
            while self.peek() == "#":
                self.left.pop()
                arguments += len(self.left.pop().text)
        elif how not in _OPERATORS:
            if self.peek() == "[":
                count = self.option()
                if len(count) != 1 or count[0].text not in "0123456789":
                    raise _UnreadableError
                arguments = int(count[0].text)
            if self.peek() == "[":
                default = self.option()
        if self.peek() != "{":
            raise _UnreadableError
        body = self.argument()
        asked = [
            after.text[0] for mark, after in pairwise(body) if mark.text == "#" and after.kind == "number"
        ]
        if any(int(number) > arguments for number in asked if number.isdigit()):
            raise _UnreadableError
        if how in _OPERATORS:
            brace = Token("other", "{", 0), Token("other", "}", 0)
            body = [_OPERATOR, brace[0], *body, brace[1]]
        self.macros[name] = _Macro(arguments, default, body)

    def call(self, token: Token, macro: _Macro) -> None:
        """Put what a macro stands for in its place; its tokens stand where its name does."""
        given: list[list[Token]] = []
        for number in range(macro.arguments):
            if number == 0 and macro.default is not None:
                given.append(self.option() if self.peek() == "[" else macro.default)
            else:
                given.append(self.argument())
        made: list[Token] = []
        place = 0
        while place < len(macro.body):
            part = macro.body[place]
            place += 1
            if part.text == "#" and place < len(macro.body) and macro.body[place].kind == "number":
                digits = macro.body[place].text
                place += 1
                number = int(digits[0])
                made += given[number - 1] if 0 < number <= len(given) else []
                if digits[1:]:
                    made.append(Token("number", digits[1:], token.start, token.written or token.text))
            else:
                made.append(Token(part.kind, part.text, token.start, token.written or token.text))
        self.left.extend(reversed(made))

    def argument(self) -> list[Token]:
        """A group without its braces, or a single token."""
        first = self.left.pop()
        return self.until("{", "}") if first.text == "{" else [first]

    def option(self) -> list[Token]:
        """What stands in the square brackets that follow."""
        self.left.pop()
        return self.until("[", "]")

    def until(self, opening: str, closing: str) -> list[Token]:
        found: list[Token] = []
        level = 1
        while True:
            token = self.left.pop()
            level += (token.text == opening) - (token.text == closing)
            if not level:
                return found
            found.append(token)

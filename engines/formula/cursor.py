"""A place in the tokens of a formula: what stands there, and what is passed over."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from engines.formula.lexer import Token
from engines.formula.operators import roles

__all__ = ["Cursor"]

_UNITS = ("pt", "em", "ex", "mu", "cm", "mm", "in", "px", "pc", "bp", "dd", "cc", "sp")


class Cursor:
    """Goes over tokens from left to right."""

    def __init__(self, tokens: list[Token], length: int) -> None:
        self.tokens = tokens
        self.length = length
        self.roles = roles()
        self.at = 0

    def text(self) -> str:
        """The token here; "" at the end."""
        return self.tokens[self.at].text if self.at < len(self.tokens) else ""

    def start(self) -> int:
        """Where the token here stands."""
        return self.tokens[self.at].start if self.at < len(self.tokens) else self.length

    def end(self) -> int:
        """Where the token before this one ends."""
        if not 0 < self.at <= len(self.tokens):
            return self.length if self.at else 0
        token = self.tokens[self.at - 1]
        return token.end

    def ahead(self, count: int) -> str:
        """The token some places further on."""
        return self.tokens[self.at + count].text if self.at + count < len(self.tokens) else ""

    def skip_group(self) -> None:
        """Pass over the rest of a group and its closing brace."""
        level = 1
        while level and self.at < len(self.tokens):
            level += {"{": 1, "}": -1}.get(self.text(), 0)
            self.at += 1

    def skip_spaces(self) -> None:
        """Pass over spaces."""
        while (known := self.roles.get(self.text())) is not None and known.role == "space":
            self.at += 1

    def skip_argument(self) -> None:
        """Pass over an argument that is not read."""
        self.skip_spaces()
        if self.text() == "{":
            self.at += 1
            self.skip_group()
        elif self.text():
            self.at += 1

    def skip_length(self) -> None:
        r"""Pass over a length such as `-1.5em`, or one in braces."""
        if self.text() == "{":
            self.skip_argument()
            return
        self.at += self.text() in ("+", "-")
        if self.at < len(self.tokens) and self.tokens[self.at].kind == "number":
            self.at += 1
            self.at += 2 * (self.text() + self.ahead(1) in _UNITS)

    def skip_gap(self) -> None:
        """Pass over a length in square brackets, behind the end of a line."""
        unit = 3 if self.ahead(1) in ("+", "-") else 2
        if self.text() == "[" and self.ahead(unit) + self.ahead(unit + 1) in _UNITS:
            self.skip_option()

    def skip_option(self) -> None:
        """Pass over what stands in square brackets, if anything does."""
        if self.text() == "[":
            while self.text() not in ("]", ""):
                self.at += 1
            self.at += 1

    def spelled(self) -> list[tuple[str, tuple[int, int]]]:
        """The words and numbers of an argument that is text, with their places."""
        found: list[tuple[str, tuple[int, int]]] = []
        for token, text in self.taken():
            if not text.isalnum():
                continue
            if found and token.start <= found[-1][1][1]:
                before, (begin, _) = found.pop()
                found.append((before + text, (begin, token.end)))
            else:
                found.append((text, (token.start, token.end)))
        return [(unicodedata.normalize("NFKC", word), place) for word, place in found]

    def words(self) -> str:
        """The letters of an argument as one name."""
        spelled = "".join(text for _, text in self.taken() if text not in "{}")
        return re.sub(r"[\\\s]", "", spelled)

    def taken(self) -> Iterator[tuple[Token, str]]:
        """The tokens of an argument as they are written; several that stand for one character are one."""
        start = self.at
        self.skip_argument()
        spelled = -1
        for token in self.tokens[start : self.at]:
            if token.written.isascii():
                yield token, token.text
            elif token.start != spelled:
                spelled = token.start
                yield token, unicodedata.normalize("NFC", token.written)

"""Rules from files that are not ours: lines `left -> right`, and tables of s-expressions.

A line holds both sides in infix notation with single letters as variables, as s-expressions with variables
like `a` or `?a`, or in prefix notation with variables like `?a`; what stands before a colon is its name.
A table has tab-separated columns `name`, `group`, `left`, `right`. A variable stands for any real number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from engines.core.errors import DataError, EngineError, ExpressionError
from engines.core.files import read_lines
from engines.core.tree import Tree
from engines.egen.expressions.infix import read_infix
from engines.egen.expressions.language import ARITY, LETTERS, is_constant_token, variables_of
from engines.egen.rules.table import read_pattern

EXTRA = {
    **dict.fromkeys(("cbrt", "erf", "erfc"), 1),
    **dict.fromkeys(("fmin", "fmax", "remainder", "copysign", "atan2", "sound-log"), 2),
    **dict.fromkeys(("sound-/", "sound-pow"), 3),
}
"""Operators that s-expressions may have beyond the language, with their operands. The last operand of a
`sound-` one is its value where the plain one has none."""
_NAMED = {"PI": "pi", "E": "e", "pi": "pi", "e": "e"}
_RENAMED = {"fabs": "abs", "log": "ln"}
_SYMBOLS = {
    **{name: arity for name, arity in ARITY.items() if arity and name not in ("d", "log")},
    **EXTRA,
    **dict.fromkeys(("neg", "exp", "fabs", "log"), 1),
    **dict.fromkeys(("PI", "E"), 0),
}
_OPENED = re.compile(r"\s*\(\s*([^\s()]+)[\s)]")
_FRACTION = re.compile(r"-?\d+/\d+\Z")
_WORD = re.compile(r"\(|\)|[^\s()]+")
_VARIABLE = re.compile(r"[a-z]\w*\Z")


@dataclass(frozen=True, slots=True)
class ForeignRule:
    """A rule of a file; its variables are leaves that are neither numbers nor constants."""

    line: int
    name: str
    group: str
    left: Tree
    right: Tree


@dataclass(frozen=True, slots=True)
class Unread:
    """A line of a file that holds no rule that could be read, and why."""

    line: int
    why: str


def read_foreign(path: Path) -> tuple[list[ForeignRule], list[Unread]]:
    """The rules of a file and the lines that are none.

    Raises: DataError when the file cannot be read or holds no rule at all.
    """
    rules: list[ForeignRule] = []
    unread: list[Unread] = []
    for line, fields in _rows(path):
        try:
            if fields is None:
                raise ExpressionError("there is no `->` between two sides")
            name, group, left, right = fields
            symbolic = _is_symbolic(left) or _is_symbolic(right)
            sides = _side(left, symbolic), _side(right, symbolic)
            if missing := sorted(variables_of(sides[1]) - variables_of(sides[0])):
                raise ExpressionError(f"the right side has {', '.join(missing)}, the left side has not")
            rules.append(ForeignRule(line, name or f"line {line}", group, *sides))
        except EngineError as error:
            unread.append(Unread(line, error.what))
    if not rules:
        why = f"; line {unread[0].line}: {unread[0].why}" if unread else ""
        raise DataError(
            f"no rule could be read{why}",
            path=path,
            remedy="Write lines like `(a + b)^2 -> a^2 + 2ab + b^2`, or a table with name, left, right.",
        )
    return rules, unread


def _rows(path: Path) -> Iterator[tuple[int, tuple[str, str, str, str] | None]]:
    columns: list[str] = []
    for number, text in read_lines(path):
        if not text.strip() or text.startswith("#"):
            continue
        if "\t" in text:
            cells = text.split("\t")
            if not columns:
                columns = [cell.strip().lower() for cell in cells]
                if not {"left", "right"} <= set(columns):
                    raise DataError(
                        "the table has no columns `left` and `right`",
                        path=path,
                        line=number,
                        remedy="The first line names the columns; two are left and right.",
                    )
                continue
            row = dict(zip(columns, cells, strict=False))
            yield (
                number,
                (row.get("name", ""), row.get("group", ""), row.get("left", ""), row.get("right", "")),
            )
            continue
        head, arrow, right = text.partition("->")
        name, colon, left = head.rpartition(":")
        yield number, (name.strip(), "", left if colon else head, right) if arrow else None


def _side(text: str, symbolic: bool) -> Tree:
    text = text.strip()
    if not text:
        raise ExpressionError("a side is empty")
    if symbolic:
        tree = _Symbolic(text).read()
    elif "?" in text:
        tree = read_pattern(text)
    else:
        tree = read_infix(text, LETTERS)
    if any(node.label == "d" for node in tree if node.children):
        raise ExpressionError("rules on derivatives can only be checked in our own format")
    return tree


def _is_symbolic(text: str) -> bool:
    match = _OPENED.match(text)
    return match is not None and match[1] in _SYMBOLS


class _Symbolic:
    def __init__(self, text: str) -> None:
        self.words = _WORD.findall(text)
        self.at = 0

    def read(self) -> Tree:
        tree = self.term()
        if self.at < len(self.words):
            raise ExpressionError(f"{self.words[self.at]!r} follows the end of the expression")
        return tree

    def next(self) -> str:
        if self.at >= len(self.words):
            raise ExpressionError("a bracket is not closed")
        self.at += 1
        return self.words[self.at - 1]

    def term(self) -> Tree:
        word = self.next()
        if word != "(":
            return _leaf(word)
        name = self.next()
        parts: list[Tree] = []
        while self.words[self.at : self.at + 1] != [")"]:
            parts.append(self.term())
        self.next()
        if not parts:
            return _leaf(name)
        if _SYMBOLS.get(name) != len(parts):
            wanted = _SYMBOLS.get(name)
            what = f"takes {wanted} operands" if wanted else "is not a known operator or function"
            raise ExpressionError(f"{name[:40]!r} {what}")
        if name == "neg":
            return Tree("*", (Tree("-1"), *parts))
        return (
            Tree("pow", (Tree("e"), *parts))
            if name == "exp"
            else Tree(_RENAMED.get(name, name), tuple(parts))
        )


def _leaf(word: str) -> Tree:
    word = word.removeprefix("?")
    if word in _NAMED:
        return Tree(_NAMED[word])
    if _FRACTION.match(word):
        return Tree("/", tuple(map(Tree, word.split("/"))))
    if is_constant_token(word) or _VARIABLE.match(word):
        return Tree(word)
    raise ExpressionError(f"{word[:40]!r} is not a number, constant or variable")

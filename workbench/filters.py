"""The filter that every list of every screen and command takes: `op:sinh size>100 !failed text`.

Terms are separated by spaces and all must hold. `field:value` asks whether a list holds the value, or a text
contains it; `field=value` for the same value; `field>number` (also `>= < <=`) compares; a bare word is looked
for in every field. `!` in front of a term inverts it; quotes hold words together (`head:"sin x"`).
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from engines.core.errors import did_you_mean
from workbench.errors import UsageError

_COMPARE: dict[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}
_QUOTED = re.compile(r""""[^"]*"|'[^']*'""")
_WORD = re.compile(rf"(?:[^\s\"']|{_QUOTED.pattern})+")

Row = Mapping[str, Any]


class FilterError(UsageError):
    """A filter that cannot be read; `position` counts characters from 0."""

    code = "E440"

    def __init__(self, what: str, *, position: int, remedy: str = "") -> None:
        super().__init__(what, remedy=remedy, where=f"filter, character {position + 1}")
        self.position = position


@dataclass(frozen=True, slots=True)
class _Term:
    field: str
    sign: str
    value: str
    inverted: bool

    def holds(self, row: Row, fields: tuple[str, ...]) -> bool:
        value = row.get(self.field)
        if not self.field:
            found = any(self.value in _text(item) for name in fields for item in _items(row.get(name)))
        elif self.sign in _COMPARE:
            number = _number(value)
            found = number is not None and _COMPARE[self.sign](number, float(self.value))
        elif self.sign == ":" and isinstance(value, str):
            found = self.value in value.casefold()
        else:
            found = any(_is(item, self.value) for item in _items(value))
        return found != self.inverted


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter as it was written, ready to ask rows."""

    text: str
    terms: tuple[_Term, ...]
    fields: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The fields that it looks at: all of them when it holds a bare word."""
        if any(not term.field for term in self.terms):
            return self.fields
        return tuple(dict.fromkeys(term.field for term in self.terms))

    def matches(self, row: Row) -> bool:
        """Whether every term holds; a field the row lacks counts as empty."""
        return all(term.holds(row, self.fields) for term in self.terms)


def parse_filter(text: str, fields: Iterable[str]) -> Filter:
    """Read a filter.

    Args: fields: the names that rows have. Raises: FilterError (E440) with the position of what is wrong.

    >>> parse_filter("op:sinh size>100", ["op", "size"]).matches({"op": ["sinh", "+"], "size": 120})
    True
    >>> parse_filter("!sinh", ["op"]).matches({"op": ["sinh", "+"]})
    False
    """
    known = tuple(fields)
    opened = re.search("[\"']", _QUOTED.sub(lambda match: "_" * len(match[0]), text))
    if opened:
        remedy = f"Write a second {opened[0]}."
        raise FilterError("the quote is not closed", position=opened.start(), remedy=remedy)
    words = tuple(_term(match[0], match.start(), known) for match in _WORD.finditer(text))
    return Filter(text.strip(), words, known)


def _term(word: str, at: int, known: tuple[str, ...]) -> _Term:
    body = word.removeprefix("!")
    at += len(word) - len(body)
    if not body:
        raise FilterError(
            "`!` has nothing after it", position=at - 1, remedy="Write what to leave out directly after it."
        )
    match = re.fullmatch(r"(\w+)(>=|<=|[><:=])(.*)", body, re.DOTALL)
    if match is None or not match[1].isidentifier():
        return _Term("", "", _unquoted(body), body != word)
    field, sign, value = match[1], match[2], _unquoted(match[3])
    if field not in known:
        remedy = did_you_mean(field, known) or f"Fields: {', '.join(known)}."
        raise FilterError(f"there is no field {field!r}", position=at, remedy=remedy)
    what = ""
    if not value:
        what, remedy = f"{field}{sign} has no value", "Write one after it."
    elif sign in _COMPARE and _number(value) is None:
        what, remedy = f"{field}{sign} needs a number, not {value!r}", f"Like {field}{sign}100."
    if what:
        raise FilterError(what, position=at + match.start(3), remedy=remedy)
    return _Term(field, sign, value, body != word)


def _unquoted(text: str) -> str:
    return _QUOTED.sub(lambda match: match[0][1:-1], text).casefold()


def _number(value: object) -> float | None:
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None
    return None if number != number else number


def _items(value: object) -> Iterable[object]:
    return value if isinstance(value, (list, tuple, set, frozenset)) else (value,)


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else str(value).casefold()


def _is(value: object, wanted: str) -> bool:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _number(wanted) == value
    return _text(value) == wanted

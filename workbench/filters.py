"""The filter that every list of every screen and command takes: `op:sinh size>100 !failed text`.

Terms are separated by spaces and all must hold. `field:value` asks whether a list holds the value, or a text
contains it; `field=value` for the same value; `field>number` (also `>= < <=`) compares; a bare word is looked
for in every field. `!` in front of a term inverts it; quotes hold words together (`head:"sin x"`).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from workbench.errors import UsageError, did_you_mean

__all__ = ["Filter", "FilterError", "parse_filter"]

_COMPARE: dict[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}
_SIGNS = (*_COMPARE, ":", "=")

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
        """Whether the row passes this term; a bare word may be in any of the fields."""
        if not self.field:
            found = any(_contains(row.get(name), self.value) for name in fields)
        elif self.sign in _COMPARE:
            number = _number(row.get(self.field))
            found = number is not None and _COMPARE[self.sign](number, float(self.value))
        elif self.sign == "=":
            found = _is(row.get(self.field), self.value)
        else:
            found = _matches(row.get(self.field), self.value)
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
    return Filter(text.strip(), tuple(_term(word, at, known) for word, at in _words(text)), known)


def _words(text: str) -> Iterable[tuple[list[tuple[str, bool]], int]]:
    """Words with their positions; a word is its characters, each with whether it stood in quotes."""
    word: list[tuple[str, bool]] = []
    start, quote, opened = 0, "", 0
    for position, character in enumerate(text):
        if quote:
            if character == quote:
                quote = ""
            else:
                word.append((character, True))
        elif character in "\"'":
            if not word:
                start = position
            quote, opened = character, position
            word.append(("", True))
        elif character.isspace():
            if word:
                yield word, start
            word = []
        else:
            if not word:
                start = position
            word.append((character, False))
    if quote:
        raise FilterError("the quote is not closed", position=opened, remedy=f"Write a second {quote}.")
    if word:
        yield word, start


def _term(word: list[tuple[str, bool]], at: int, known: tuple[str, ...]) -> _Term:
    inverted = word[0] == ("!", False)
    body = word[1:] if inverted else word
    start = at + inverted
    if not body:
        raise FilterError("`!` stands alone", position=at, remedy="Write what to leave out right behind it.")
    plain = "".join(character if not quoted else "\0" for character, quoted in body)
    for place in range(1, len(plain)):
        sign = next((sign for sign in _SIGNS if plain.startswith(sign, place)), None)
        if sign and plain[:place].isidentifier():
            value = "".join(character for character, _ in body[place + len(sign) :])
            return _field_term(plain[:place], sign, value, inverted, start, known)
    return _Term("", "", "".join(character for character, _ in body).casefold(), inverted)


def _field_term(
    field: str, sign: str, value: str, inverted: bool, start: int, known: tuple[str, ...]
) -> _Term:
    at_value = start + len(field) + len(sign)
    if field not in known:
        near = did_you_mean(field, known)
        raise FilterError(
            f"there is no field {field!r}", position=start, remedy=near or f"Fields: {', '.join(known)}."
        )
    if not value:
        raise FilterError(f"{field}{sign} has no value", position=at_value, remedy="Write one behind it.")
    if sign in _COMPARE and _number(value) is None:
        raise FilterError(
            f"{field}{sign} needs a number, not {value!r}",
            position=at_value,
            remedy=f"Like {field}{sign}100.",
        )
    return _Term(field, sign, value.casefold(), inverted)


def _number(value: object) -> float | None:
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None
    return None if number != number else number


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value).casefold()


def _contains(value: object, wanted: str) -> bool:
    if isinstance(value, (list, tuple, set, frozenset)):
        return any(wanted in _text(item) for item in value)
    return wanted in _text(value)


def _is(value: object, wanted: str) -> bool:
    if isinstance(value, (list, tuple, set, frozenset)):
        return any(_is(item, wanted) for item in value)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _number(wanted) == value
    return _text(value) == wanted


def _matches(value: object, wanted: str) -> bool:
    """`:` is membership for lists and numbers, containment for text."""
    if isinstance(value, str):
        return wanted in value.casefold()
    return _is(value, wanted)

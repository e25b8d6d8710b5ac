"""Points by their coordinates in a sentence: `the lowest point is at x = 3, there y = 2` is (3, 2)."""

from __future__ import annotations

from engines.grading.answer_vocabulary import ALTERNATIVES, DENIALS, HEDGES
from engines.grading.forms import Form, Many
from engines.grading.numbers import Term
from engines.grading.reading import read_form
from engines.grading.tokens import is_blank, text_at, tokenize

_NAMES = ("x", "y", "z")
_VALUE_SIGNS = (*"-−+/.", "\\frac", "{", "}", "√", "\\sqrt")


def read_coordinates(text: str, size: int) -> Many | None:
    """Return the point whose coordinates a sentence names, each once and no other numbers; None for others.

    >>> point = read_coordinates("lowest point at x = 3, there y = 2", 2)
    >>> [item.text for item in point.items]
    ['3', '2']
    """
    tokens = [token for token in tokenize(text) if not is_blank(token) and token.text != "$"]
    if any(table.find(tokens) is not None for table in (DENIALS, HEDGES, ALTERNATIVES)):
        return None
    values: dict[str, Form] = {}
    at = 0
    while at < len(tokens):
        if tokens[at].text in _NAMES and text_at(tokens, at + 1) == "=":
            end = at + 2
            while end < len(tokens) and (tokens[end].kind == "digits" or tokens[end].text in _VALUE_SIGNS):
                end += 1
            value = read_form("".join(token.text for token in tokens[at + 2 : end]).strip("."))
            if end < len(tokens) and tokens[end].start == tokens[end - 1].end and tokens[end].kind == "word":
                return None  # 3y
            if tokens[at].text in values or not isinstance(value, Term) or value.value is None:
                return None
            values[tokens[at].text] = value
            at = end
        elif tokens[at].kind == "digits" or tokens[at].text in ("=", "(", "["):
            return None
        else:
            at += 1
    names = _NAMES[:size]
    return Many("tuple", tuple(values[name] for name in names)) if {*values} == {*names} else None

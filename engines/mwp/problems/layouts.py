"""Layouts of data sets: which keys of a row hold what, recognised by the keys that are there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from engines.mwp.problems.numbers import Language

__all__ = ["AGAIN", "LAYOUTS", "Layout", "layout_of", "lowered"]


@dataclass(frozen=True, slots=True)
class Layout:
    """The keys of one format, in lower case.

    Args: needs: keys that make the format. masked: the text with placeholders. numbers: their values.
    original: keys whose texts make the unmasked problem. segmented: the same as words. equation: where it
    stands, the first that is there. answer: the source's own. exact: in Chinese a number of the equation is
    one of the text where both are written alike, otherwise where they are worth the same. words: numbers in
    words count. language: of a text without a word.
    """

    name: str
    needs: frozenset[str]
    original: tuple[str, ...]
    equation: tuple[str, ...]
    answer: tuple[str, ...]
    id: tuple[str, ...] = ("id",)
    fold: str = "fold"
    masked: str = ""
    numbers: str = ""
    segmented: str = ""
    exact: bool = False
    words: bool = False
    language: Language = "en"


def _keys(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def _layout(name: str, needs: str, original: str, equation: str, answer: str, **more: Any) -> Layout:
    return Layout(name, frozenset(_keys(needs)), _keys(original), _keys(equation), _keys(answer), **more)


_OURS = "text numbers equation original source"
_BODY = "body question"
LAYOUTS = (
    _layout("mathwb", _OURS, "original", "equation", "answer", masked="text", numbers="numbers"),
    _layout(
        *("asdiv-masked", "body question masked prefix", _BODY, "prefix", "answer answer_text"),
        masked="masked",
        numbers="numbers",
    ),
    _layout(
        *("mawps-masked", "masked prefix numbers", "text", "prefix", "answer"),
        masked="masked",
        numbers="numbers",
    ),
    _layout(
        *("math23k-masked", "original_text text prefix nums", "original_text", "prefix", "answer_raw answer"),
        masked="text",
        numbers="nums",
        language="zh",
    ),
    _layout(
        *("math23k", "original_text equation", "original_text", "equation", "ans answer_raw answer"),
        segmented="segmented_text",
        exact=True,
        language="zh",
    ),
    _layout(
        *("masked-csv", "question numbers equation answer", "question", "equation", "answer"),
        masked="question",
        numbers="numbers",
    ),
    _layout("asdiv", "body question formula", _BODY, "formula", "answer answer_text", words=True),
    _layout("svamp", "body question equation answer", _BODY, "equation", "answer"),
    _layout("mawps", "squestion lequations", "squestion", "lequations", "lsolutions", id=("iindex",)),
    _layout("plain", "text", "text", "equation", "answer"),
    _layout("plain", "question", "question", "equation", "answer"),
)
"""In the order in which they are tried."""


AGAIN = " (again)"
"""Behind the name of a column that another has too."""


def lowered(row: Mapping[Any, Any] | Iterable[tuple[Any, Any]]) -> dict[str, Any]:
    """The row with its keys in lower case, `-` and blanks as `_`, without the `@` of what was XML.

    Of two columns of one name (`Question`, `question`) the one is read that holds the other's text, otherwise
    the first; what differs is kept beside it.
    """
    found: dict[str, Any] = {}
    for key, value in row.items() if isinstance(row, Mapping) else row:
        name = re.sub(r"[-\s]+", "_", str(key).strip().lstrip("@").lower())
        known = found.get(name)
        if known in (None, "") or (known != value and str(known).strip() in str(value)):
            found[name] = value
        elif value not in (None, "") and str(value).strip() not in str(known):
            found[name + AGAIN] = value
    return found


def layout_of(keys: Mapping[str, Any] | frozenset[str]) -> Layout | None:
    """The first layout whose keys are all there."""
    return next((layout for layout in LAYOUTS if layout.needs <= set(keys)), None)

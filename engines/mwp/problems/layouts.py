"""Layouts of problem files: the keys by which a format is recognised, and what each key holds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from engines.mwp.problems.numbers import Language


@dataclass(frozen=True, slots=True)
class ProblemLayout:
    """The keys of one format, in lower case.

    Args:
        needs: Keys that make the format.
        masked: The text with placeholders.
        numbers: Their values.
        original: Keys whose texts make the unmasked problem.
        segmented: The same as words.
        equation: Where it stands, the first that is there.
        answer: The source's own.
        exact: In Chinese a number of the equation is one of the text where both are written alike, otherwise
            where they are worth the same.
        words: Numbers in words count.
        options: Where the answers to choose from stand; the answer is a letter.
        program: The equation is a program of MathQA, over every number in digits.
        language: Of a text without a word.
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
    options: str = ""
    program: bool = False
    language: Language = "en"


def _make_layout(name: str, needs: str, *keys: str, masked: str = "", **more: Any) -> ProblemLayout:
    original, equation, answer = (tuple(key.split()) for key in keys)
    text, _, numbers = masked.partition(" ")
    return ProblemLayout(
        name, frozenset(needs.split()), original, equation, answer, masked=text, numbers=numbers, **more
    )


_OURS = "text numbers equation original source"
_BODY = "body question"
_PLAIN = _make_layout("plain", "text", "text", "equation", "answer")
# Special layouts come before general ones, whose keys a row of theirs may have as well.
LAYOUTS = (
    _make_layout("mathwb", _OURS, "original", "equation", "answer_text answer", masked="text numbers"),
    _make_layout(
        *("asdiv-masked", "body question masked prefix", _BODY, "prefix", "answer answer_text"),
        masked="masked numbers",
    ),
    _make_layout(
        "mawps-masked", "masked prefix numbers", "text", "prefix", "answer", masked="masked numbers"
    ),
    _make_layout(
        *("math23k-masked", "original_text text prefix nums", "original_text", "prefix", "answer_raw answer"),
        masked="text nums",
        language="zh",
    ),
    _make_layout(
        *("math23k", "original_text equation", "original_text", "equation", "ans answer_raw answer"),
        segmented="segmented_text",
        exact=True,
        language="zh",
    ),
    _make_layout(
        *("masked-csv", "question numbers equation answer", "question", "equation", "answer"),
        masked="question numbers",
    ),
    _make_layout("asdiv", "body question formula", _BODY, "formula", "answer answer_text", words=True),
    _make_layout("svamp", "body question equation answer", _BODY, "equation", "answer"),
    _make_layout("mawps", "squestion lequations", "squestion", "lequations", "lsolutions", id=("iindex",)),
    _make_layout("dolphin", "text equations", "text", "equations", "ans_simple ans", words=True),
    _make_layout(
        *("mathqa", "problem linear_formula options", "problem", "linear_formula", "correct"),
        options="options",
        program=True,
    ),
    _make_layout("aqua", "question options correct", "question", "equation", "correct", options="options"),
    _make_layout(
        *("tal-scq", "problem answer_option_list answer_value", "problem", "equation", "answer_value"),
        id=("queid", "qid"),
        options="answer_option_list",
    ),
    _make_layout("gsm-hard", "input target", "input", "equation", "target"),
    _make_layout("cmath", "question golden", "question", "equation", "golden"),
    _PLAIN,
    _make_layout("plain", "question", "question", "equation", "answer"),
    _make_layout("plain", "problem", "problem", "equation", "answer"),
)
"""In the order in which they are tried."""


FIELDS = ("text", "question", "equation", "answer", "id", "fold")
"""What columns of an unknown name can hold."""
AGAIN = " (again)"
"""Behind the name of a column that another has too."""


def lower_keys(row: Mapping[Any, Any] | Iterable[tuple[Any, Any]]) -> dict[str, Any]:
    """Return the row with its keys in lower case, `-` and blanks as `_`, without the `@` of what was XML.

    Of two columns of one name (`Question`, `question`) the one is read that holds the other's text, otherwise
    the first; what differs is kept beside it.
    """
    result: dict[str, Any] = {}
    for key, value in row.items() if isinstance(row, Mapping) else row:
        name = re.sub(r"[-\s]+", "_", str(key).strip().lstrip("@").lower())
        known = result.get(name)
        if known in (None, "") or (known != value and str(known).strip() in str(value)):
            result[name] = value
        elif value not in (None, "") and str(value).strip() not in str(known):
            result[name + AGAIN] = value
    return result


def layout_of(keys: Mapping[str, Any] | frozenset[str]) -> ProblemLayout | None:
    """Return the first known layout whose keys a row has, or None."""
    return next((layout for layout in LAYOUTS if layout.needs <= set(keys)), None)


def unwrap_row(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the row of a data set that a row holds as `original`, as EPT's `*.orig.jsonl` do, with the outer
    id; any other row as it is.

    >>> unwrap_row({"id": "a", "text": "…", "original": {"sQuestion": "3 and 4", "lEquations": ["x=3+4"]}})
    {'squestion': '3 and 4', 'lequations': ['x=3+4'], 'iindex': 'a'}
    """
    inner = row.get("original")
    if not isinstance(inner, Mapping):
        return row
    result = lower_keys(inner)
    layout = layout_of(result)
    if layout is None:
        return row
    return {**result, **({layout.id[0]: row["id"]} if row.get("id") else {})}


def rename_fields(row: Mapping[str, Any], fields: Mapping[str, str]) -> dict[str, Any]:
    """Return the row with columns under the names of `FIELDS`; a point leads into an object of a row.

    Raises:
        KeyError: For a column that the row does not have.

    >>> rename_fields({"prompt": "3 and 4", "gold": {"value": 7}}, {"text": "prompt", "answer": "gold.value"})
    {'text': '3 and 4', 'answer': 7}
    """
    result = {}
    for field, column in fields.items():
        value: Any = row
        # The name of a column may itself have a point, so the full name is looked up first.
        for key in [column.lower()] if column.lower() in row else column.lower().split("."):
            inner = lower_keys(value) if isinstance(value, Mapping) else {}
            if key not in inner:
                raise KeyError(column)
            value = inner[key]
        result[field] = value
    return result

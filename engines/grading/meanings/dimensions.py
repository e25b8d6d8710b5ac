"""Lengths of the sides of one thing: `10 m by 20 m`, `5 cm wide and 8 cm long`, `a square of side 10 m`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from engines.grading.answer_vocabulary import JOINS, map_phrases
from engines.grading.compare import AnswerComparison
from engines.grading.forms import Form, Many
from engines.grading.labelled_values import read_labelled
from engines.grading.numbers import Term
from engines.grading.reading import read_form
from engines.grading.sentence_quantities import find_denial, list_quantities
from engines.grading.tokens import AnswerToken, Phrases, is_blank, skip_blanks, tokenize, unwrap_texts
from engines.grading.unit_reader import names_unit
from engines.grading.verdicts import GradeVerdict, combine_verdicts

_BY = ("by", "×", "x", "X", "*", "\\times", "mal", "auf", "sur", "por", "per", "на", "乘")
"""Words and signs between two lengths of one thing."""
_SHAPES = map_phrases(
    {
        2: "square, Quadrat, carré, cuadrado, quadrado, quadrato, квадрат, 正方形",
        3: "cube, Würfel, cubo, куб, 立方体",
    }.items()
)
"""Things whose sides are equal, and how many of these say how large one is."""
_SIDES = Phrases(
    dict.fromkeys(
        [
            "side",
            "sides",
            "side length",
            "edge",
            "edges",
            "each side",
            "dimensions",
            "dimension",
            "Seite",
            "Seiten",
            "Seitenlänge",
            "Kantenlänge",
            "Kante",
            "Kanten",
            "côté",
            "côtés",
            "arête",
            "lado",
            "lados",
            "arista",
            "lato",
            "lati",
            "aresta",
            "сторона",
            "стороной",
            "стороны",
            "ребро",
            "ребром",
            "边长",
            "一辺",
        ],
        "",
    )
)
_EACH = Phrases(
    dict.fromkeys(
        [
            "each side",
            "every side",
            "all sides",
            "all four sides",
            "jede Seite",
            "chaque côté",
            "de chaque côté",
            "cada lado",
            "ogni lato",
            "каждая сторона",
        ],
        "",
    )
)
_LABELS = frozenset(("length", "width", "height", "depth"))
_LONGEST = 150
_MOST_SIDES = 3
_Side = tuple[str, Term]
"""A length with what it is called; "" where that is not said."""


def read_dimensions(text: str, count: int = 0) -> list[_Side] | None:
    """Return the lengths that a text says of one thing; None for other texts.

    Args: text: an answer. count: how many lengths the other side has, for a length of each side.

    >>> [side.text for _, side in read_dimensions("10 m by 20 m")]
    ['10', '20']
    >>> [side.text for _, side in read_dimensions("a square with sides of 7 cm")]
    ['7', '7']
    """
    if len(text) > _LONGEST:
        return None
    tokens = [token for token in unwrap_texts(tokenize(text)) if token.text != "$"]
    spans = list_quantities(tokens, 0, len(tokens))
    if not 0 < len(spans) <= _MOST_SIDES or any(find_denial(tokens, 0, span[0]) for span in spans):
        return None
    if labelled := _read_labels(text):
        return labelled
    values = [read_form("".join(token.text for token in tokens[slice(*span)]).strip()) for span in spans]
    sides = [value for value in values if isinstance(value, Term) and value.value is not None]
    unit = next((side.unit for side in reversed(sides) if side.unit is not None), None)
    if len(sides) < len(spans) or unit is None or not unit.measures_only("length"):
        return None
    sides = [side if side.unit is not None else replace(side, unit=unit) for side in sides]
    between = [tokens[one[1] : other[0]] for one, other in pairwise(spans)]
    if len(sides) == 1:
        shape = _find_shape(tokens)
        times = shape if _SIDES.find(tokens) is not None else 0
        times = times or (count if _EACH.find(tokens) is not None else 0)
        return [("", sides[0])] * times or None
    named = _SIDES.find(tokens) is not None
    if all(map(_says_by, between)) or (named and all(map(_says_and, between))):
        return [("", side) for side in sides]
    return None


def _find_shape(tokens: Sequence[AnswerToken]) -> int:
    """Return how many equal lengths the thing has that a text names; 0 where it names none."""
    for _, end, count in _SHAPES.find_all(tokens, 0, len(tokens)):
        behind = skip_blanks(tokens, end)
        if behind >= len(tokens) or not names_unit(tokens[behind].text):  # square metres
            return count
    return 0


def _says_by(between: Sequence[AnswerToken]) -> bool:
    said = [token.text.lower() for token in between if not is_blank(token)]
    return len(said) == 1 and said[0] in map(str.lower, _BY)


def _says_and(between: Sequence[AnswerToken]) -> bool:
    said = [token for token in between if not is_blank(token) and token.text != ","]
    return len(said) < 2 and all(JOINS.match(said, 0) is not None for _ in said)


def _read_labels(text: str) -> list[_Side]:
    """Return lengths of which each is called length, width, height or depth; [] for other texts."""
    values = read_labelled(text) or {}
    sides = [(next(iter(label & _LABELS), ""), value) for label, value in values.items()]
    known = [(name, value) for name, value in sides if name and isinstance(value, Term)]
    return known if len(known) == len(sides) else []


def compare_dimensions(gold: str, pred: str, comparison: AnswerComparison) -> GradeVerdict | None:
    """Compare the lengths of the sides of one thing, in any order; None where a text says something else."""
    mine = read_dimensions(gold)
    theirs = read_dimensions(pred, len(mine or ()))
    mine = mine or read_dimensions(gold, len(theirs or ()))
    if mine is None or theirs is None or len(mine) != len(theirs):
        return None
    if all(name for name, _ in (*mine, *theirs)):
        values = dict(theirs)
        if {*values} != {name for name, _ in mine}:
            return None
        return combine_verdicts(comparison.compare(side, values[name]) for name, side in mine)
    lists: list[Form] = [Many("list", tuple(side for _, side in sides)) for sides in (mine, theirs)]
    return comparison.compare(lists[0], lists[1])

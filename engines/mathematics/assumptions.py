"""What is known of real variables: `x > 0, n integer, a != 0, -1 < x < 1`.

An assumption compares two expressions, or says of variables that they are integers. It is used twice: as a
fact from which conditions of rules are derived, and as the region from which points are drawn.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from engines.core.errors import ExpressionError
from engines.core.expression_language import LETTERS, VARIABLE, display_name, show_controls, variables_of
from engines.core.tree import Tree
from engines.formula.brackets import split_outside
from engines.formula.infix import read_infix
from engines.mathematics.terms.notation import to_infix

AssumedSign = Literal["<", "<=", "!="]

_SEPARATOR = re.compile(r",|\band\b")
_SIGNS = re.compile(r"(<=|>=|!=|<|>)")
_SPELLINGS = {"≤": "<=", "≥": ">=", "≠": "!=", r"\leq": "<=", r"\geq": ">=", r"\neq": "!=", "∈": " in "}
_WORDS = re.compile(
    r"([^\W\d]\w*'*(?:\s+[^\W\d]\w*'*)*?)\s+(?:is\s+|are\s+|in\s+)?(integers?|positive|negative|nonzero|Z|ℤ)\Z"
)
_REMEDY = "Write assumptions like: x > 0, n integer, a != 0, -1 < x < 1."


@dataclass(frozen=True, slots=True)
class AssumedRelation:
    """`left` is less than `right`, at most `right`, or another value."""

    left: Tree
    sign: AssumedSign
    right: Tree

    def __str__(self) -> str:
        return f"{to_infix(self.left)} {self.sign} {to_infix(self.right)}"


@dataclass(frozen=True, slots=True)
class Assumptions:
    """All that is assumed; `str` gives it as text that is read back to the same."""

    integers: tuple[str, ...] = ()
    relations: tuple[AssumedRelation, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.integers or self.relations)

    def __str__(self) -> str:
        return ", ".join(
            [*(f"{display_name(name)} integer" for name in self.integers), *map(str, self.relations)]
        )

    @property
    def variables(self) -> set[str]:
        """All variables that something is assumed of."""
        sides = [side for one in self.relations for side in (one.left, one.right)]
        return {*self.integers, *variables_of(*sides)}


NO_ASSUMPTIONS = Assumptions()
_PLACES = {name: index for index, name in enumerate(VARIABLE + LETTERS)}


def read_assumptions(text: str) -> Assumptions:
    """Read assumptions, with commas or `and` between them.

    Raises:
        ExpressionError: That names the one that cannot be read.

    >>> str(read_assumptions("-1 < x <= 2, n integer and a ≠ 0"))
    'n integer, -1 < x, x <= 2, a != 0'
    >>> str(read_assumptions("log(a, x) > 0, n > 1"))
    '0 < log_a(x), 1 < n'
    """
    for spelling, sign in _SPELLINGS.items():
        text = text.replace(spelling, sign)
    integers: dict[str, None] = {}
    relations: dict[AssumedRelation, None] = {}
    for part in split_outside(text, _SEPARATOR)[0]:
        if not part:
            continue
        # Either "n integer" (words), or a chain of relations.
        worded = _WORDS.match(part)
        if worded is None:
            relations.update(dict.fromkeys(_read_chain(part)))
            continue
        for word in worded[1].split():
            (leaf,) = _read_sides(word, [word])
            if leaf.children:
                raise ExpressionError(f"{word!r} is not a variable", text=show_controls(part), remedy=_REMEDY)
            name = leaf.label
            if worded[2] == "positive":
                relations[AssumedRelation(Tree("0"), "<", leaf)] = None
            elif worded[2] == "negative":
                relations[AssumedRelation(leaf, "<", Tree("0"))] = None
            elif worded[2] == "nonzero":
                relations[AssumedRelation(leaf, "!=", Tree("0"))] = None
            else:
                integers[name] = None
    return Assumptions(tuple(sorted(integers)), tuple(relations))


def _read_chain(part: str) -> list[AssumedRelation]:
    pieces = _SIGNS.split(part)
    if len(pieces) < 3:
        raise ExpressionError("an assumption compares nothing", text=show_controls(part), remedy=_REMEDY)
    sides = _read_sides(part, pieces[::2])
    result: list[AssumedRelation] = []
    for (left, right), sign in zip(pairwise(sides), pieces[1::2], strict=True):
        if sign in (">", ">="):
            left, right = right, left
        known: AssumedSign = "!=" if sign == "!=" else "<=" if "=" in sign else "<"
        if not variables_of(left, right):
            raise ExpressionError("an assumption holds no variable", text=show_controls(part), remedy=_REMEDY)
        result.append(AssumedRelation(left, known, right))
    return result


def _read_sides(part: str, texts: list[str]) -> list[Tree]:
    try:
        return [read_infix(text.strip(), LETTERS) for text in texts]
    except ExpressionError as error:
        raise ExpressionError(
            f"an assumption cannot be read: {error.what}", text=show_controls(part), remedy=_REMEDY
        ) from None


def order_variables(names: set[str]) -> tuple[str, ...]:
    """Return variables in the order in which points have them: x, which is always there, then the others."""
    return tuple(sorted(names | {VARIABLE}, key=lambda name: (_PLACES.get(name, len(_PLACES)), name)))

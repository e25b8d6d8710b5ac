"""Math word problems, and equations over their numbers: read, written, evaluated exactly, and normalised.

The leaves of a tree are placeholders `N_0`, `N_1`, … and constants `C_<value>`, with `_` for the decimal
point (`C_3_14`); its inner nodes are `+ - * / ^`, each with two operands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import isqrt
from typing import Any

from engines.core.errors import ExpressionError
from engines.core.tree import Tree
from engines.core.tree import parse_prefix as read_labels
from engines.formula import equations
from engines.mwp.problems.numbers import Language

OPERATORS = ("+", "-", "*", "/", "^")
ProblemValue = Fraction | float
"""Exact, unless a power left the rational numbers."""

_PRIORITY = {"+": 0, "-": 0, "*": 1, "/": 1, "^": 2}
_PLACEHOLDER = re.compile(r"N_(\d+)")
_CONSTANT = re.compile(r"C_(\d+(?:[._]\d+)?)")
_LARGEST_POWER = 64
_LARGEST_VALUE = 10**100


UNANSWERABLE = "cannot be determined"
"""The answer of a problem that lacks a fact."""


class EquationError(ExpressionError):
    """An equation that cannot be read or has no value."""

    code = "E220"


def constant_label(value: Fraction) -> str:
    """Return the label of a constant: `C_3_14`.

    Raises:
        EquationError: For one without a finite decimal form.
    """
    text = f"{float(value):.12f}".rstrip("0").rstrip(".")
    if Fraction(text) != value or value < 0:
        raise EquationError(f"{value} cannot be written as a constant")
    return "C_" + text.replace(".", "_")


def leaf_value(label: str, values: Sequence[ProblemValue]) -> ProblemValue:
    """Return the value that a leaf stands for.

    Raises:
        EquationError: For a number that the problem does not have.
    """
    if match := _PLACEHOLDER.fullmatch(label):
        if int(match[1]) >= len(values):
            raise EquationError(f"{label} is not among the {len(values)} numbers of the text")
        return values[int(match[1])]
    if match := _CONSTANT.fullmatch(label):
        return Fraction(match[1].replace("_", "."))
    raise EquationError(f"{label!r} is not a number of an equation")


def evaluate(tree: Tree, values: Sequence[ProblemValue]) -> ProblemValue:
    """Return the value of an equation, exact as long as no root is taken.

    Raises:
        EquationError: For a division by zero, a power that is no real number or too large, and a leaf that
            has no value.
    """
    if not tree.children:
        return leaf_value(tree.label, values)
    left, right = (evaluate(child, values) for child in tree.children)
    try:
        value = _apply_operator(tree.label, left, right)
        if not -_LARGEST_VALUE <= value <= _LARGEST_VALUE:
            raise EquationError("the value of the equation is too large")
        return value
    except ZeroDivisionError:
        raise EquationError("the equation divides by zero") from None
    except OverflowError:
        raise EquationError("the value of the equation is too large") from None


def _apply_operator(operator: str, left: ProblemValue, right: ProblemValue) -> ProblemValue:
    match operator:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "/":
            return left / right
        case "^":
            return _compute_power(left, right)
    raise EquationError(f"{operator!r} is not an operator of an equation")


def _compute_power(base: ProblemValue, exponent: ProblemValue) -> ProblemValue:
    if isinstance(exponent, Fraction) and exponent.denominator == 1 and isinstance(base, Fraction):
        if abs(exponent) > _LARGEST_POWER:
            raise EquationError(f"the exponent {exponent} is too large")
        return Fraction(base) ** int(exponent)
    if (root := _compute_exact_root(base, exponent)) is not None:
        return root
    value = float(base) ** float(exponent)
    if isinstance(value, complex):
        raise EquationError("the root of a negative number is not real")
    return value


def _compute_exact_root(base: ProblemValue, exponent: ProblemValue) -> Fraction | None:
    """Return a power with a fraction as its exponent where that is a rational number, as (9/4)^(1/2)."""
    if not isinstance(base, Fraction) or not isinstance(exponent, Fraction) or base < 0:
        return None
    degree, power = exponent.denominator, exponent.numerator
    if degree > _LARGEST_POWER or abs(power) > _LARGEST_POWER or (base == 0 and power < 0):
        return None
    over, under = (_integer_root(part, degree) for part in base.as_integer_ratio())
    return None if over is None or under is None else Fraction(over, under) ** power


def _integer_root(number: int, degree: int) -> int | None:
    """Return the whole number whose power is a number, if there is one."""
    root = isqrt(number) if degree == 2 else round(number ** (1 / degree)) if number < 2**1000 else 0
    return root if root**degree == number else None


def parse_prefix(tokens: Sequence[str]) -> Tree:
    """Return an equation of labels in prefix order.

    Raises:
        ExpressionError: Where they make none.
    """
    return read_labels(
        [_canonical_label(token) for token in tokens], lambda label: 2 if label in OPERATORS else 0
    )


def _canonical_label(token: str) -> str:
    if token in OPERATORS or _PLACEHOLDER.fullmatch(token):
        return token
    if match := _CONSTANT.fullmatch(token):
        return constant_label(Fraction(match[1].replace("_", ".")))
    raise EquationError(f"{token!r} is not part of an equation", remedy="Tokens are + - * / ^, N_0 and C_1.")


def read_equation(
    text: str, number: Callable[[str], Tree], unknown: Callable[[str], Tree] | None = None
) -> Tree:
    """Read one side of an equation, in the dialect `equation` of `engines.formula.reader`.

    Args:
        text: with placeholders `N_0`, constants `C_1` and numbers.
        number: makes the tree of a number as it is written.
        unknown: makes the tree of the name of an unknown; without it there may be none.

    Raises:
        EquationError: for what cannot be read.

    >>> read_equation("(N_0-C_1)*N_1", Tree).list_labels()
    ['*', '-', 'N_0', 'C_1', 'N_1']
    >>> to_infix(read_equation("-N_0+N_1×2**N_2", lambda _: Tree("C_2")))
    'N_1*C_2^N_2-N_0'
    """
    try:
        return equations.read_equation(
            text, lambda leaf: Tree(_canonical_label(leaf)) if leaf[0] in "NC" else number(leaf), unknown
        )
    except EquationError:
        raise
    except ExpressionError as error:
        raise EquationError(
            error.what, text=error.text, position=error.position, remedy=error.remedy
        ) from None


def to_infix(tree: Tree) -> str:
    """Return the equation in infix notation, with the brackets that it needs.

    >>> to_infix(read_equation("(N_0-C_1)*(N_1/N_2)", Tree))
    '(N_0-C_1)*(N_1/N_2)'
    """
    if not tree.children:
        return tree.label
    here = _PRIORITY[tree.label]
    left, right = tree.children
    # Brackets on the right also where a sum follows a sum, on the left where a power is raised: the text
    # stands for this tree and no other.
    raised = tree.label == "^"
    return _bracket_operand(left, here + raised) + tree.label + _bracket_operand(right, here + (not raised))


def _bracket_operand(operand: Tree, priority: int) -> str:
    text = to_infix(operand)
    return f"({text})" if _PRIORITY.get(operand.label, 3) < priority else text


def normalise_equation(tree: Tree) -> Tree:
    """Return the equation with the operands of every + and * sorted, so that a+b and b+a are one.

    The order is that of their texts with a bracket around every operation (the paper's code); sums of sums
    are not regrouped.
    """
    return _sort_operands(tree)[0]


def _sort_operands(tree: Tree) -> tuple[Tree, str]:
    if not tree.children:
        return tree, tree.label
    parts = [_sort_operands(child) for child in tree.children]
    if tree.label in "+*":
        parts.sort(key=lambda part: part[1])
    (left, left_text), (right, right_text) = parts
    return Tree(tree.label, (left, right)), f"({left_text}{tree.label}{right_text})"


def list_placeholders(tree: Tree) -> list[int]:
    """Return the numbers that an equation uses, in prefix order, as often as it uses them."""
    return [int(match[1]) for node in tree if (match := _PLACEHOLDER.fullmatch(node.label))]


def renumber_placeholders(tree: Tree, indices: Sequence[int]) -> Tree:
    """Return the equation with each `N_i` as `N_{places[i]}`."""
    if match := _PLACEHOLDER.fullmatch(tree.label):
        return Tree(f"N_{indices[int(match[1])]}")
    return Tree(tree.label, tuple(renumber_placeholders(child, indices) for child in tree.children))


def is_right(given: ProblemValue, gold: ProblemValue, *, relative: float = 0.0) -> bool:
    """Return whether an answer is right: within 1e-3 of the gold one, or, where given, `relative` of its
    size.
    """
    return abs(float(given) - float(gold)) <= (relative * abs(float(gold)) if relative else 1e-3)


@dataclass(frozen=True)
class Problem:
    """A problem with its numbers masked.

    Args:
        text: With placeholders `N_0`, `N_1`, … in order of appearance, tokens of their own in English, inside
            the text in Chinese.
        numbers: As written.
        values: What they are worth, in the same order.
        equation: Over `N_i` and constants `C_<value>`; None where the source has none that can be used.
        answer: What the equation evaluates to; the source's own answer where there is no equation, NaN where
            there is neither.
        stated: The source's own answer as a number; None where it states none, or none that is a number.
        fold: Of a cross-validation.
        source: What it comes from: a file, or the id of the problem it was made of.
        original: The text as it was.
        answer_text: The answer as the source writes it, with its unit or its letter; empty where it has none.
    """

    id: str
    language: Language
    text: str
    numbers: tuple[str, ...]
    values: tuple[float, ...]
    equation: Tree | None
    answer: float
    fold: int | None
    source: str
    original: str
    answer_text: str = ""
    stated: float | None = None

    @property
    def gold(self) -> float:
        """The answer that a solver must give: the source's own, or what the equation gives where it states
        none.
        """
        return self.answer if self.stated is None else self.stated

    @cached_property
    def prefix(self) -> tuple[str, ...]:
        """The equation's labels in prefix order; empty where there is none."""
        return tuple(self.equation.list_labels()) if self.equation else ()

    @cached_property
    def normal(self) -> Tree | None:
        """The equation normalised under commutativity."""
        return normalise_equation(self.equation) if self.equation else None

    @cached_property
    def template(self) -> str:
        """The normalised equation in infix notation, `N_0*N_1-N_2`; empty where there is none."""
        return to_infix(self.normal) if self.normal else ""

    def to_row(self) -> dict[str, Any]:
        """Return the problem as a line of a JSON Lines file, which `read_problems` reads back."""
        return {
            "id": self.id,
            "language": self.language,
            "text": self.text,
            "numbers": list(self.numbers),
            "equation": to_infix(self.equation) if self.equation else None,
            "answer": self.answer if self.answer == self.answer else None,
            "fold": self.fold,
            "source": self.source,
            "original": self.original,
            **({"answer_text": self.answer_text} if self.answer_text else {}),
        }

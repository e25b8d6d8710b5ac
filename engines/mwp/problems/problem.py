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
from typing import Any

from engines.core.errors import ExpressionError
from engines.core.tree import MAX_DEPTH, MAX_NODES, Tree
from engines.core.tree import parse_prefix as read_labels
from engines.mwp.problems.numbers import Language

OPERATORS = ("+", "-", "*", "/", "^")
Value = Fraction | float
"""Exact, unless a power left the rational numbers."""

_PRIORITY = {"+": 0, "-": 0, "*": 1, "/": 1, "~": 1.5, "^": 2}
"""`~` is a minus before an operand."""
_PLAIN = str.maketrans("×✕✖∗⋅·÷∶：:−–—－＋（［【〔[{｛）］】〕]}｝", "******////----+(((((((" + ")" * 7)
_PLACEHOLDER = re.compile(r"N_(\d+)")
_CONSTANT = re.compile(r"C_(\d+(?:[._]\d+)?)")
_TOKEN = re.compile(
    r"\s*(?:(N_\d+|C_\d+(?:[._]\d+)?)"
    r"|(\d*\(\d+/\d+\)|\d+又(?:\(\d+/\d+\)|\d+/\d+)|\d+ +\d+/\d+|\d*[½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅐⅛⅜⅝⅞⅑⅒]"
    r"|(?:\d[\d,]*\.?\d*|\.\d+)(?:\s*[%‰])?)"
    r"|(\*\*|[-+*/^()%]))"
)
_LARGEST_POWER = 64
_LARGEST_VALUE = 10**100


class EquationError(ExpressionError):
    """An equation that cannot be read or has no value."""

    code = "E220"


def constant(value: Fraction) -> str:
    """The label of a constant: `C_3_14`. Raises: EquationError for one without a finite decimal form."""
    text = f"{float(value):.12f}".rstrip("0").rstrip(".")
    if Fraction(text) != value or value < 0:
        raise EquationError(f"{value} cannot be written as a constant")
    return "C_" + text.replace(".", "_")


def leaf_value(label: str, values: Sequence[Value]) -> Value:
    """What a leaf stands for. Raises: EquationError for a number that the problem does not have."""
    if match := _PLACEHOLDER.fullmatch(label):
        if int(match[1]) >= len(values):
            raise EquationError(f"{label} is not among the {len(values)} numbers of the text")
        return values[int(match[1])]
    if match := _CONSTANT.fullmatch(label):
        return Fraction(match[1].replace("_", "."))
    raise EquationError(f"{label!r} is not a number of an equation")


def evaluate(tree: Tree, values: Sequence[Value]) -> Value:
    """The value of an equation, exact as long as no root is taken.

    Raises: EquationError for a division by zero, a power that is no real number or too large, and a leaf
    that has no value.
    """
    if not tree.children:
        return leaf_value(tree.label, values)
    left, right = (evaluate(child, values) for child in tree.children)
    try:
        value = _applied(tree.label, left, right)
        if not -_LARGEST_VALUE <= value <= _LARGEST_VALUE:
            raise EquationError("the value of the equation is too large")
        return value
    except ZeroDivisionError:
        raise EquationError("the equation divides by zero") from None
    except OverflowError:
        raise EquationError("the value of the equation is too large") from None


def _applied(operator: str, left: Value, right: Value) -> Value:
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
            return _power(left, right)
    raise EquationError(f"{operator!r} is not an operator of an equation")


def _power(base: Value, exponent: Value) -> Value:
    if isinstance(exponent, Fraction) and exponent.denominator == 1 and isinstance(base, Fraction):
        if abs(exponent) > _LARGEST_POWER:
            raise EquationError(f"the exponent {exponent} is too large")
        return Fraction(base) ** int(exponent)
    value = float(base) ** float(exponent)
    if isinstance(value, complex):
        raise EquationError("the root of a negative number is not real")
    return value


def parse_prefix(tokens: Sequence[str]) -> Tree:
    """An equation of labels in prefix order. Raises: ExpressionError where they make none."""
    return read_labels([_label(token) for token in tokens], lambda label: 2 if label in OPERATORS else 0)


def _label(token: str) -> str:
    if token in OPERATORS or _PLACEHOLDER.fullmatch(token):
        return token
    if match := _CONSTANT.fullmatch(token):
        return constant(Fraction(match[1].replace("_", ".")))
    raise EquationError(f"{token!r} is not part of an equation", remedy="Tokens are + - * / ^, N_0 and C_1.")


def parse_infix(text: str, number: Callable[[str], Tree]) -> Tree:
    """An equation in infix notation; `+ -` bind least, `^` most, equal ones from the left, powers from the
    right. Signs may be those
    of print (× ÷ − and any brackets), a minus may stand before an operand, and % behind it.

    Args: number: the tree of a number as written. Raises: EquationError where it cannot be read.

    >>> parse_infix("(N_0-C_1)*N_1", Tree).labels()
    ['*', '-', 'N_0', 'C_1', 'N_1']
    >>> infix(parse_infix("-N_0+N_1×2**N_2", lambda _: Tree("C_2")))
    'N_1*C_2^N_2-N_0'
    """
    text = text.translate(_PLAIN)
    operands: list[Tree] = []
    waiting: list[str] = []
    place, expect, count = 0, True, 0

    def reduce(least: float) -> None:
        while waiting and waiting[-1] != "(" and _PRIORITY[waiting[-1]] >= least:
            sign = waiting.pop()
            count = 1 if sign == "~" else 2
            operands[-count:] = [Tree(sign, tuple(operands[-count:]))]

    while text[place:].strip():
        match = _TOKEN.match(text, place)
        count += 1
        if match is None or count > MAX_NODES:
            raise _unread(text, place)
        leaf, written, sign = match.groups()
        sign = "^" if sign == "**" else sign
        if (leaf or written) and expect:
            operands.append(Tree(_label(leaf)) if leaf else number(written))
            expect = False
        elif sign in ("+", "-") and expect:
            waiting += ["~"] if sign == "-" else []
        elif sign == "%" and not expect:
            operands[-1] = Tree("/", (operands[-1], Tree("C_100")))
        elif sign == "(" and expect:
            waiting.append("(")
        elif sign == ")" and not expect:
            reduce(0)
            if not waiting:
                raise _unread(text, place)
            waiting.pop()
        elif sign in OPERATORS and not expect:
            reduce(_PRIORITY[sign] + (sign == "^"))  # powers associate to the right
            waiting.append(sign)
            expect = True
        else:
            raise _unread(text, place)
        place = match.end()
    if expect:
        raise _unread(text, len(text))
    reduce(0)
    if waiting:
        raise _unread(text, len(text))
    if operands[0].depth > MAX_DEPTH:
        raise EquationError(f"the equation is nested more than {MAX_DEPTH} deep")
    # Every minus before an operand is taken into the sums: -a+b is b-a.
    below, same = _signed(operands[0])
    return _negated(same) if below else same


def _negated(tree: Tree) -> Tree:
    return Tree("-", (Tree("C_0"), tree))


def _signed(tree: Tree) -> tuple[bool, Tree]:
    """Whether an equation has a minus before it, and the rest."""
    if not tree.children:
        return False, tree
    parts = [_signed(child) for child in tree.children]
    left_below, left = parts[0]
    if tree.label == "~":
        return not left_below, left
    right_below, right = parts[1]
    if tree.label == "^":
        return False, Tree("^", tuple(_negated(part) if below else part for below, part in parts))
    if tree.label in "*/":
        return left_below != right_below, Tree(tree.label, (left, right))
    right_below ^= tree.label == "-"
    if left_below == right_below:
        return left_below, Tree("+", (left, right))
    return False, Tree("-", (right, left) if left_below else (left, right))


def _unread(text: str, place: int) -> EquationError:
    what = f"the equation {text[:80]!r} cannot be read at character {place + 1}"
    remedy = "Equations are numbers, placeholders, + - * / ^ and brackets."
    return EquationError(what, text=text, position=place, remedy=remedy)


def infix(tree: Tree) -> str:
    """The equation in infix notation, with the brackets that it needs.

    >>> infix(parse_infix("(N_0-C_1)*(N_1/N_2)", Tree))
    '(N_0-C_1)*(N_1/N_2)'
    """
    if not tree.children:
        return tree.label
    here = _PRIORITY[tree.label]
    left, right = tree.children
    # Brackets on the right also where a sum follows a sum, on the left where a power is raised: the text
    # stands for this tree and no other.
    raised = tree.label == "^"
    return _within(left, here + raised) + tree.label + _within(right, here + (not raised))


def _within(operand: Tree, priority: float) -> str:
    text = infix(operand)
    return f"({text})" if _PRIORITY.get(operand.label, 3) < priority else text


def normalised(tree: Tree) -> Tree:
    """The equation with the operands of every + and * sorted, so that a+b and b+a are one.

    The order is that of their texts with a bracket around every operation (the paper's code); sums of sums
    are not regrouped.
    """
    return _sorted(tree)[0]


def _sorted(tree: Tree) -> tuple[Tree, str]:
    if not tree.children:
        return tree, tree.label
    parts = [_sorted(child) for child in tree.children]
    if tree.label in "+*":
        parts.sort(key=lambda part: part[1])
    (left, left_text), (right, right_text) = parts
    return Tree(tree.label, (left, right)), f"({left_text}{tree.label}{right_text})"


def placeholders(tree: Tree) -> list[int]:
    """The numbers that an equation uses, in prefix order, as often as it uses them."""
    return [int(match[1]) for node in tree if (match := _PLACEHOLDER.fullmatch(node.label))]


def renumbered(tree: Tree, places: Sequence[int]) -> Tree:
    """The equation with each `N_i` as `N_{places[i]}`."""
    if match := _PLACEHOLDER.fullmatch(tree.label):
        return Tree(f"N_{places[int(match[1])]}")
    return Tree(tree.label, tuple(renumbered(child, places) for child in tree.children))


def is_right(given: Value, gold: Value, *, relative: float = 0.0) -> bool:
    """Whether an answer is right: within 1e-3 of the gold one, or, where given, `relative` of its size."""
    return abs(float(given) - float(gold)) <= (relative * abs(float(gold)) if relative else 1e-3)


@dataclass(frozen=True)
class Problem:
    """A problem with its numbers masked.

    Args: text: with placeholders `N_0`, `N_1`, … in order of appearance, tokens of their own in English,
    inside the text in Chinese. numbers: as written. values: what they are worth, in the same order. equation:
    over `N_i` and constants `C_<value>`; None where the source has none that can be used. answer: what the
    equation evaluates to; the source's own answer where there is no equation, NaN where there is neither.
    fold: of a cross-validation. source: what it comes from: a file, or the id of the problem it was made of.
    original: the text as it was.
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

    @cached_property
    def prefix(self) -> tuple[str, ...]:
        """The equation's labels in prefix order; empty where there is none."""
        return tuple(self.equation.labels()) if self.equation else ()

    @cached_property
    def normal(self) -> Tree | None:
        """The equation normalised under commutativity."""
        return normalised(self.equation) if self.equation else None

    @cached_property
    def template(self) -> str:
        """The normalised equation in infix notation, `N_0*N_1-N_2`; empty where there is none."""
        return infix(self.normal) if self.normal else ""

    def to_row(self) -> dict[str, Any]:
        """The problem as a line of a JSON Lines file, which `read_problems` reads back."""
        return {
            "id": self.id,
            "language": self.language,
            "text": self.text,
            "numbers": list(self.numbers),
            "equation": infix(self.equation) if self.equation else None,
            "answer": self.answer if self.answer == self.answer else None,
            "fold": self.fold,
            "source": self.source,
            "original": self.original,
        }

"""When an expression is only a shorter one in disguise.

Padding is judged by value where a constant is concerned: `* cos 0 u` is padded like `* 1 u`. It is looked
for in thousands of sampled terms per head: every subterm is judged once, in compiled code.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engines.core.arrays import Floats, Ints
from engines.core.compiling import compile_kernel
from engines.core.expression_language import ARITY, LEAVES, UNDONE_BY, apply_float, is_name, operate_float
from engines.core.tree import Tree
from engines.mathematics.terms.canonical import DERIVATIVE, Subterms

# What is known of a subterm: `marks` are (known, powered, negative, padded), `amounts` (value, power).
#   value     of a constant, or 0 or 1 where the term is that for every x, if it is known
#   power     p where the term is written as the p-th power of something; powered: it is
#   negative  2: a factor is -1; 1: a factor is another negative constant; 0: neither
#   padded    whether it says nothing, or something in it
KNOWN, POWERED, NEGATIVE, PADDED = range(4)
VALUE, POWER = range(2)

_LABELS = ("+", "-", "*", "/", "pow", "log", DERIVATIVE, "ln", "sqrt", "x", "e")
PLUS, MINUS, TIMES, OVER, POW, LOG, SLOPE, LN, SQRT, X, E, OTHER = range(12)


def has_padding(expression: Tree | Sequence[str]) -> bool:
    """Return whether some subterm says nothing: `1*u`, `u/1`, `u^1`, `u±0`, `0-u`, -(-u), f(f⁻¹(u)) or
    f⁻¹(f(u)).

    0 and 1 may be written as any constant subterm of that value (`cos 0`, `- 4 3`) or as `u-u`, `u/u`, `0*u`,
    `u^0`; an unfolded constant is not padding in itself. The inverse pairs are the 12 trigonometric and
    hyperbolic ones, exponential and logarithm to any base, 1/(1/u) and (u^p)^(1/p), except where p is even:
    sqrt(u^2) is |u|, a form of its own. -(-u) is a product with -1 and another negative constant, or the
    subtraction of a product with -1; subtracting a negative constant (`- x -7`) is not.
    """
    terms = Subterms(ARITY)
    number = terms.number_of(expression.list_labels() if isinstance(expression, Tree) else expression)
    return Padding(terms).is_padded(number)


class Padding:
    """Which of numbered terms are padded: see `has_padding`."""

    def __init__(self, terms: Subterms) -> None:
        self._terms = terms
        self._judged = 0
        self._marks = np.zeros((0, 4), np.int64)
        self._amounts = np.zeros((0, 2))
        self._kinds = self._undone = np.empty(0, np.int64)
        self._leaves = np.empty(0)
        self._padded: list[bool] = []

    def is_padded(self, number: int) -> bool:
        """Return whether a term is only a shorter one in disguise."""
        if number >= self._judged:
            self._judge_terms()
        return self._padded[number]

    def _judge_terms(self) -> None:
        terms, first = self._terms, self._judged
        count = len(terms)
        if len(terms.names) > len(self._kinds):
            kinds = {name: kind for kind, name in enumerate(_LABELS)}
            codes = {name: code for code, name in enumerate(terms.names)}
            self._kinds = np.array([kinds.get(name, OTHER) for name in codes], np.int64)
            self._undone = np.array([codes.get(UNDONE_BY.get(name, ""), -1) for name in codes], np.int64)
            self._leaves = np.array([_constant_value(name) for name in codes])
        if len(terms.table) > len(self._marks):
            more = len(terms.table) - len(self._marks)
            self._marks = np.concatenate([self._marks, np.zeros((more, 4), np.int64)])
            self._amounts = np.concatenate([self._amounts, np.zeros((more, 2))])
        labels = self._kinds, self._undone, self._leaves
        at = first
        while (at := _judge_in_order(at, count, terms.table, self._marks, self._amounts, *labels)) < count:
            self._work_out(at)
            at += 1
        self._padded += (self._marks[first:count, PADDED] > 0).tolist()
        self._judged = count

    def _work_out(self, number: int) -> None:
        terms = self._terms
        name, right = terms.names[terms.labels[number]], terms.rights[number]
        operand = float(self._amounts[terms.lefts[number], VALUE])
        if right < 0:
            value = apply_float(name, operand)
        else:
            value = operate_float(name, operand, float(self._amounts[right, VALUE]))
        if value is not None:
            self._marks[number, KNOWN] = 1
            self._marks[number, NEGATIVE] = 0 if value >= 0 else 2 if value == -1 else 1
            self._amounts[number, VALUE] = value


def _constant_value(label: str) -> float:
    if label in ARITY or is_name(label) or label == DERIVATIVE:
        return LEAVES.get(label, float("nan"))
    return float(label)


@compile_kernel
def _judge_in_order(
    first: int,
    count: int,
    nodes: Ints,
    marks: Ints,
    amounts: Floats,
    kinds: Ints,
    undone: Ints,
    leaves: Floats,
) -> int:
    """Judge terms in order; return the first operation on constants, whose value the caller must supply, or
    `count`.

    Args:
        nodes: See `Subterms`.
        kinds, undone, leaves: Of labels: which, the inverse function, the value.
    """
    # Terms are numbered after their operands, so one pass suffices.
    for n in range(first, count):
        code, left, right = nodes[n]
        kind = kinds[code]
        # Leaves: constants are known.
        if left < 0:
            value = leaves[code]
            if value == value:
                marks[n, KNOWN] = 1
                marks[n, NEGATIVE] = 2 if value == -1 else 1 if value < 0 else 0
                amounts[n, VALUE] = value
            continue
        # An operand that is padded makes the whole term padded.
        if marks[left, PADDED] or (right >= 0 and marks[right, PADDED]):
            marks[n, PADDED] = 1
            continue
        # The derivative of x or of a constant is a constant.
        if kind == SLOPE:
            body_is_x = kinds[nodes[left, 0]] == X
            if body_is_x or marks[left, KNOWN]:
                marks[n, KNOWN] = 1
                amounts[n, VALUE] = 1.0 if body_is_x else 0.0
            continue
        # Functions: the inverse undoes its operand, and the square root is a power.
        if right < 0:
            inner = nodes[left, 0]
            if undone[code] == inner or (
                kind == LN and kinds[inner] == POW and kinds[nodes[nodes[left, 1], 0]] == E
            ):
                marks[n, PADDED] = 1
                continue
            if kind == SQRT:
                marks[n, POWERED], amounts[n, POWER] = 1, 0.5
            if marks[left, KNOWN]:
                return n
            continue
        if _is_padded(kind, nodes, kinds, marks, amounts, left, right):
            marks[n, PADDED] = 1
            continue
        left_known, right_known = marks[left, KNOWN] > 0, marks[right, KNOWN] > 0
        first_value, second_value = amounts[left, VALUE], amounts[right, VALUE]
        # Powers are remembered as such: u^a, and 1/u as u^-1.
        if kind == POW and right_known:
            marks[n, POWERED], amounts[n, POWER] = 1, second_value
        elif kind == OVER and left_known and first_value == 1:
            marks[n, POWERED], amounts[n, POWER] = 1, -1.0
        # An operation on two constants is evaluated by the caller, exactly as everywhere else.
        if left_known and right_known:
            return n
        # Operations that are 0 or 1 whatever their operands are: 0·u, u/u, u-u, u^0, 1^u.
        zero, unit = False, False
        if kind == TIMES:
            zero = (left_known and first_value == 0) or (right_known and second_value == 0)
        elif kind == OVER:
            zero = left_known and first_value == 0
            unit = left == right
        elif kind == MINUS:
            zero = left == right
        elif kind == POW:
            unit = (right_known and second_value == 0) or (left_known and first_value == 1)
        elif kind == LOG:
            zero = right_known and second_value == 1
            unit = left == right
        if zero or unit:
            marks[n, KNOWN] = 1
            amounts[n, VALUE] = 0.0 if zero else 1.0
        if kind in (TIMES, OVER):
            marks[n, NEGATIVE] = marks[left, NEGATIVE] or marks[right, NEGATIVE]
    return count


@compile_kernel
def _is_padded(
    kind: int, nodes: Ints, kinds: Ints, marks: Ints, amounts: Floats, left: int, right: int
) -> bool:
    left_value, right_value = marks[left, KNOWN] > 0, marks[right, KNOWN] > 0
    first, second = amounts[left, VALUE], amounts[right, VALUE]
    if kind == PLUS:
        return (left_value and first == 0) or (right_value and second == 0)
    if kind == MINUS:
        return (
            (left_value and first == 0)
            or (right_value and second == 0)
            or (marks[right, NEGATIVE] == 2 and not right_value)
        )
    twice_negative = marks[left, NEGATIVE] + marks[right, NEGATIVE] > 2
    if kind == TIMES:
        return (left_value and first == 1) or (right_value and second == 1) or twice_negative
    if kind == OVER:
        inverted = left_value and first == 1 and marks[right, POWERED] > 0 and amounts[right, POWER] == -1
        return (right_value and second == 1) or twice_negative or inverted
    outer = kinds[nodes[right, 0]]
    if kind == POW:
        if right_value and second == 1:
            return True
        if right_value and marks[left, POWERED]:
            power = amounts[left, POWER]
            # a product of short numbers that is this close to 1 was meant to be; only padding depends on it
            return power % 2 != 0 and abs(power * second - 1) < 1e-12
        if outer == LN:
            return kinds[nodes[left, 0]] == E
    return outer == (LOG if kind == POW else POW) and nodes[right, 1] == left

"""When a member is only its shorter self in disguise.

Padding is judged by value where a constant is concerned: `* cos 0 u` is padded like `* 1 u`. It is looked
for in thousands of sampled terms per head, on prefix tokens from right to left with plain lists.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from engines.core.tree import Tree
from engines.egen.egraph.constants import LEAVES, apply, operate
from engines.egen.expressions.canonical import UNDONE_BY
from engines.egen.expressions.language import ARITY, LETTERS

__all__ = ["has_padding"]

# A subterm under judgement: (value, power, negative, end).
#   value     of a constant, or 0 or 1 where the term is that for every x; None otherwise
#   power     p where the term is written as the p-th power of something; None otherwise
#   negative  2: a factor is -1; 1: a factor is another negative constant; 0: neither
#   end       the position after its last token
_Judged = tuple[float | None, float | None, int, int]


def has_padding(expression: Tree | Sequence[str]) -> bool:
    """Whether some subterm says nothing: `1*u`, `u/1`, `u^1`, `u±0`, `0-u`, -(-u), f(f⁻¹(u)) or f⁻¹(f(u)).

    0 and 1 may be written as any constant subterm of that value (`cos 0`, `- 4 3`) or as `u-u`, `u/u`, `0*u`,
    `u^0`; an unfolded constant is not padding in itself. The inverse pairs are the 12 trigonometric and
    hyperbolic ones, exponential and logarithm to any base, 1/(1/u) and (u^p)^(1/p), except where p is even:
    sqrt(u^2) is |u|, a form of its own. -(-u) is a product with -1 and another negative constant, or the
    subtraction of a product with -1; subtracting a negative constant (`- x -7`) is not.
    """
    tokens = expression.labels() if isinstance(expression, Tree) else expression
    stack: list[_Judged] = []
    push, pop = stack.append, stack.pop
    for at in range(len(tokens) - 1, -1, -1):
        token = tokens[at]
        arity = ARITY.get(token)
        if arity is None:
            value = _decimal(token)
            push((value, None, 0 if value is None else 2 if value == -1 else value < 0, at + 1))
        elif arity == 0:
            push((LEAVES.get(token), None, 0, at + 1))
        elif arity == 1:
            operand = pop()
            inner = tokens[at + 1]
            if UNDONE_BY.get(token) == inner or (token == "ln" and inner == "pow" and tokens[at + 2] == "e"):
                return True
            root = 0.5 if token == "sqrt" else None
            if operand[0] is None:
                push((None, root, 0, operand[3]))
            else:
                push(_constant(apply(token, operand[0]), operand[3], root))
        else:
            left, right = pop(), pop()
            if token == "d":
                push((_slope(tokens[at + 2], right[0]), None, 0, right[3]))
                continue
            if _padded(token, tokens, at, left, right):
                return True
            push(_judged(token, tokens, at, left, right))
    return False


@lru_cache(maxsize=4096)
def _decimal(token: str) -> float | None:
    return None if token in LETTERS else float(token)


def _slope(body: str, value: float | None) -> float | None:
    if body == "x":
        return 1.0
    return None if value is None else 0.0


def _constant(value: float | None, end: int, exponent: float | None = None) -> _Judged:
    return value, exponent, 0 if value is None or value >= 0 else 2 if value == -1 else 1, end


def _padded(token: str, tokens: Sequence[str], at: int, left: _Judged, right: _Judged) -> bool:
    """Whether the operator at `at` does nothing to one of its operands, or undoes it."""
    if token == "+":
        return left[0] == 0 or right[0] == 0
    if token == "-":
        return left[0] == 0 or right[0] == 0 or (right[2] == 2 and right[0] is None)
    if token == "*":
        return left[0] == 1 or right[0] == 1 or left[2] + right[2] > 2
    if token == "/":
        return right[0] == 1 or left[2] + right[2] > 2 or (left[0] == 1 and right[1] == -1)
    base = left[3]
    if token == "pow":
        exponent = right[0]
        if exponent == 1:
            return True
        if exponent is not None and left[1] is not None:
            # a product of short numbers that is this close to 1 was meant to be; only padding depends on it
            return left[1] % 2 != 0 and abs(left[1] * exponent - 1) < 1e-12
        if tokens[base] == "ln":
            return tokens[at + 1] == "e"
    undone = "log" if token == "pow" else "pow"
    return tokens[base] == undone and tokens[at + 1 : base] == tokens[base + 1 : 2 * base - at]


def _judged(token: str, tokens: Sequence[str], at: int, left: _Judged, right: _Judged) -> _Judged:
    """What is known of an operator's result: the value of a constant, or 0 or 1 by form."""
    first, second, end = left[0], right[0], right[3]
    exponent = second if token == "pow" else -1.0 if token == "/" and first == 1 else None
    if first is not None and second is not None:
        return _constant(operate(token, first, second), end, exponent)
    value = None
    if token == "*":
        value = 0.0 if first == 0 or second == 0 else None
    elif token == "/":
        value = 0.0 if first == 0 else 1.0 if _same(tokens, at, left, right) else None
    elif token == "-":
        value = 0.0 if _same(tokens, at, left, right) else None
    elif token == "pow":
        value = 1.0 if second == 0 or first == 1 else None
    elif token == "log":
        value = 0.0 if second == 1 else 1.0 if _same(tokens, at, left, right) else None
    return value, exponent, left[2] or right[2] if token in "*/" else 0, end


def _same(tokens: Sequence[str], at: int, left: _Judged, right: _Judged) -> bool:
    """Whether the two operands of the operator at `at` are written the same way."""
    middle = left[3]
    return right[3] - middle == middle - at - 1 and tokens[at + 1 : middle] == tokens[middle : right[3]]

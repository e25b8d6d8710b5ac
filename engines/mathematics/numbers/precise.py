"""Rigorous values of expressions at any precision, and functions known by their values.

A value is a ball of Arb (python-flint): a midpoint of as many bits as wanted and a radius that bounds every
error made on the way. `None` is undefined, NaN is unknown. The conventions are those of
`engines.mathematics.numbers.numeric`; derivatives are worked out by rule.

`Functions` evaluates terms at a few points. Terms whose balls overlap at all of them are one function and
share a number, so that what is built on either is computed once. The ball of a function is that of the term
it was first met in; what is claimed of values must leave some bits for the others.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from fractions import Fraction
from functools import cache
from operator import add, mul, sub, truediv
from typing import Any

import numpy as np
from flint import arb, ctx, fmpz
from numpy.typing import NDArray

from engines.core.tree import ONE, ZERO, Tree, differentiate_operation
from engines.mathematics.numbers.numeric import CODE, Programs
from engines.mathematics.numbers.numeric_kernel import (
    BINARY,
    CONSTANT,
    DIFF,
    LEAF,
    POW,
    UNARY,
    WHERE,
    find_reached_nodes,
)

BITS = 256
"""Working precision of `Functions` unless it is given another."""
NOTHING = 0
"""The number that stands for no operand."""

BallValue = arb | None
FunctionForm = tuple[int, int, int]
"""Operation code and the numbers of its operands."""

_NAN = arb.nan()


def _on_nonzero(function: Callable[[arb], arb]) -> Callable[[arb], BallValue]:
    return lambda u: None if u.is_zero() else function(u)


def _log_ball(u: arb) -> BallValue:
    return u.log() if u > 0 else None if u <= 0 else _NAN


def _on_unit_interval(function: Callable[[arb], arb]) -> Callable[[arb], BallValue]:
    return lambda u: function(u) if abs(u) <= 1 else None if abs(u) > 1 else _NAN


def _outside_unit_interval(function: Callable[[arb], arb]) -> Callable[[arb], BallValue]:
    return lambda u: function(1 / u) if abs(u) >= 1 else None if abs(u) < 1 else _NAN


_UNARY: dict[str, Callable[[arb], BallValue]] = {
    "sqrt": lambda u: u.sqrt() if u >= 0 else None if u < 0 else _NAN,
    "abs": abs,
    "ln": _log_ball,
    "sin": arb.sin,
    "cos": arb.cos,
    "tan": arb.tan,
    "csc": _on_nonzero(arb.csc),
    "sec": arb.sec,
    "cot": _on_nonzero(arb.cot),
    "asin": _on_unit_interval(arb.asin),
    "acos": _on_unit_interval(arb.acos),
    "atan": arb.atan,
    "acsc": _outside_unit_interval(arb.asin),
    "asec": _outside_unit_interval(arb.acos),
    "acot": lambda u: arb.atan2(arb(1), u),
    "sinh": arb.sinh,
    "cosh": arb.cosh,
    "tanh": arb.tanh,
    "csch": _on_nonzero(arb.csch),
    "sech": arb.sech,
    "coth": _on_nonzero(arb.coth),
    "asinh": arb.asinh,
    "acosh": lambda u: u.acosh() if u >= 1 else None if u < 1 else _NAN,
    "atanh": lambda u: u.atanh() if abs(u) < 1 else None if abs(u) >= 1 else _NAN,
    "acsch": _on_nonzero(lambda u: (1 / u).asinh()),
    "asech": lambda u: None if u <= 0 or u > 1 else (1 / u).acosh() if u > 0 and u <= 1 else _NAN,
    "acoth": lambda u: (1 / u).atanh() if abs(u) > 1 else None if abs(u) <= 1 else _NAN,
}


def _divide_balls(a: arb, b: arb) -> BallValue:
    return None if b.is_zero() else a / b


def _log_to_base(base: arb, u: arb) -> BallValue:
    below, above = _log_ball(base), _log_ball(u)
    return None if below is None or above is None else _divide_balls(above, below)


_MOST_WRITTEN = arb(2) ** 4096
"""Larger integers are not written out."""


def integer_in_ball(ball: arb) -> fmpz | None:
    """Return the one integer that a ball holds; None for none, several, or one that is too large: FLINT ends
    the process over those that memory cannot hold.
    """
    return ball.unique_fmpz() if abs(ball) < _MOST_WRITTEN else None


def _raise_ball(a: arb, b: arb, fixed: bool) -> BallValue:
    """Return the real power; an inexact exponent that may be an integer is one if it is free of the
    variable.
    """
    whole = b.is_exact() or (fixed and b.rel_accuracy_bits() > 64)
    n = integer_in_ball(b) if whole else None
    if n is not None:
        if n > 0:
            # flint takes the logarithm of a ball whose middle is 0
            return arb(0, a.abs_upper() ** n) if a.mid() == 0 else a**n
        if a == 0:
            return None
        return _NAN if a.contains(0) else a**n
    if a > 0:
        return a**b
    if b.contains_integer():
        return _NAN
    if a == 0:
        return arb(0) if b > 0 else None
    return None if a < 0 else _NAN


_BINARY: dict[str, Callable[[arb, arb], BallValue]] = {
    "+": add,
    "-": sub,
    "*": mul,
    "/": _divide_balls,
    "log": _log_to_base,
    "where": lambda _, b: b,
}
_ALWAYS_FINITE = {CODE[name] for name in ("+", "-", "*", "where")}
"""Operations whose values are finite where their operands are, and NaN where one of those is."""
_ARITHMETIC = {CODE["+"]: add, CODE["-"]: sub, CODE["*"]: mul, CODE["/"]: truediv}
"""What most operations are: applied to all values at once where every value is defined."""
_COMMUTING = (CODE["+"], CODE["*"])
_OPERATIONS = [(_UNARY | _BINARY).get(name) for name in UNARY + BINARY]


def apply_operation(
    form: FunctionForm, left: Sequence[BallValue], right: Sequence[BallValue] = (), fixed: bool = False
) -> list[BallValue]:
    """Return the values of an operation on values; `fixed` says that the second operand is free of x."""
    code, _, b = form
    arithmetic = _ARITHMETIC.get(code)
    if arithmetic is not None:
        # The usual case: all operands are known, so one pass without further checks is enough.
        try:
            plain = list(map(arithmetic, left, right))
        except TypeError:  # None is no operand
            plain = []
        if plain and (code in _ALWAYS_FINITE or all(map(arb.is_finite, plain))):
            return plain
    operation: Any = _OPERATIONS[code]
    if code in _ALWAYS_FINITE:
        return [None if u is None or v is None else operation(u, v) for u, v in zip(left, right, strict=True)]
    result: list[BallValue] = []
    if b == NOTHING:
        for u in left:
            value = None if u is None else operation(u)
            result.append(value if value is None or value.is_finite() else _NAN)
        return result
    for u, v in zip(left, right, strict=True):
        value = None
        if u is not None and v is not None:
            value = _raise_ball(u, v, fixed) if code == POW else operation(u, v)
        result.append(value if value is None or value.is_finite() else _NAN)
    return result


def integer_or_ball(ball: arb) -> arb:
    """Return the integer that a narrow ball holds, if it holds one; otherwise the ball."""
    if ball.is_exact() or not ball.rad() < _NARROW:
        return ball
    whole = integer_in_ball(ball)
    return ball if whole is None else arb(whole)


_NARROW = arb(2) ** -128


def agreed_bits(left: arb, right: arb) -> int | None:
    """Return to how many bits two values certainly agree, or None if they certainly differ.

    Relative to their size, or absolute where both may be 0; 0 where one of them is not known.
    """
    if not left.overlaps(right):
        return None
    if not (left.is_finite() and right.is_finite()):
        return 0
    zeros = left.contains(0), right.contains(0)
    if zeros[0] != zeros[1]:
        return 0
    both = left.union(right)
    if both.is_exact():
        return int(ctx.prec)
    bits = both.rel_accuracy_bits() if not zeros[0] else -int(both.rad().mid().man_exp()[1])
    return max(0, min(bits, int(ctx.prec)))


class Functions:
    """Functions of x, numbered, and told apart by their values at some points.

    Values are computed in the precision that is set (`flint.ctx`).

    Args:
        points: The values of x.
        bits: The working precision.
        merged: Whether functions with the same values get one number.
        others: What other variables are at the points.
        whole: Those of the variables that are integers.

    Attributes:
        bits: The working precision.
        agreed: The bits that values share to be taken for the same.
        values: By number, one ball for each point.
        forms: By number, the ways in which the function was met; the operands of the first were there before
            it.
        merge_count: How many forms were met of functions that were there.
        fixed: By number, whether it is free of variables.
        faded: Those that are so by their values alone: 1 + e^(-x^2) is 1 far from 0, as x/x is.
    """

    def __init__(
        self,
        points: Sequence[float],
        bits: int = BITS,
        *,
        merged: bool = True,
        others: Mapping[str, Sequence[float]] | None = None,
        whole: Collection[str] = (),
    ) -> None:
        self.bits = bits
        # Two functions count as equal if they agree in all but 64 bits, which rounding may have used up.
        self.agreed = bits - 64
        self.merged = merged
        # exact values and inexact ones of the same function would not meet: make them all inexact
        blur = arb(1, arb(2) ** -bits) if merged else arb(1)
        rows = {"x": points, **(others or {})}
        with ctx.workprec(bits):
            balls_of = {
                name: tuple(arb(point) * (arb(1) if name in whole else blur) for point in row)
                for name, row in rows.items()
            }
        self.points = balls_of["x"]
        # Function 0 stands for no operand.
        self.values: list[tuple[BallValue, ...]] = [(_NAN,) * len(points)]
        self.forms: list[list[FunctionForm]] = [[]]
        self.merge_count = 0
        self.fixed = [True]
        self.faded: set[int] = set()
        self._constants: dict[str, int] = {}
        self._numbers: dict[FunctionForm, int] = {}
        self._alike: dict[float, list[int]] = {}
        self._slopes: dict[int, int] = {}
        self._trees: dict[int, Tree] = {}
        self._tokens: list[str] = []
        self._names = list(balls_of)
        self._leaves = {
            name: self._add_function((LEAF + index, NOTHING, NOTHING), row, fixed=False)
            for index, (name, row) in enumerate(balls_of.items())
        }
        self.x = self._leaves["x"]

    def read_programs(self, programs: Programs, roots: NDArray[np.int32]) -> list[int]:
        """Return the number of each node of a graph that the programs with these roots consist of."""
        known, numbers = self._numbers, [NOTHING]
        wanted = find_reached_nodes(programs.nodes, roots)[1:].tolist()
        with ctx.workprec(self.bits):
            constants = [self.add_constant(token) for token in programs.constants]
            for needed, code, a, b in zip(wanted, *programs.nodes[:, 1:].tolist(), strict=True):
                if not needed:
                    numbers.append(NOTHING)
                elif code < LEAF:
                    form = code, numbers[a], numbers[b]
                    numbers.append(known.get(form) or self._append_form(form))
                elif code >= CONSTANT:
                    numbers.append(constants[code - CONSTANT])
                else:
                    numbers.append(self._leaves[programs.variables[code - LEAF]])
        return numbers

    def add_constant(self, token: str) -> int:
        """Return the number of a constant; one that cannot be evaluated is unknown."""
        if token not in self._constants:
            form = -1 - len(self._tokens), NOTHING, NOTHING
            self._tokens.append(token)
            self._constants[token] = self._add_function(
                form, [_constant_ball(token)] * len(self.points), fixed=True
            )
        return self._constants[token]

    def add_operation(self, code: int, a: int, b: int = NOTHING) -> int:
        """Return the number of an operation applied to functions; `d` takes x and a function."""
        form = code, a, b
        return self._numbers.get(form) or self._append_form(form)

    def _append_form(self, form: FunctionForm) -> int:
        code, a, b = form
        if code in _COMMUTING and (code, b, a) in self._numbers:
            result = self._numbers[code, b, a]
        elif code == DIFF:
            result = self.add_operation(WHERE, b, self.derive_function(b))
        elif self.fixed[a] and self.fixed[b]:
            value = apply_operation(form, self.values[a][:1], self.values[b][:1], True)
            result = self._add_function(form, value * len(self.points), fixed=True)
        else:
            values = apply_operation(form, self.values[a], self.values[b], self.fixed[b])
            result = self._add_function(form, values, fixed=False)
        self._numbers[form] = result
        return result

    def derive_function(self, function: int) -> int:
        """Return the derivative by rule: right where the function is defined and differentiable."""
        result = self._slopes.get(function)
        if result is None:
            code, *operands = self.forms[function][0]
            if self.fixed[function] or code >= LEAF:
                tree = ONE if function == self.x else ZERO
            else:
                wanted = [operand for operand in operands if operand != NOTHING]
                slopes = [
                    ZERO if self.fixed[n] else self._function_leaf(self.derive_function(n)) for n in wanted
                ]
                tree = differentiate_operation(
                    Tree((UNARY + BINARY)[code], tuple(map(self._function_leaf, wanted))), slopes
                )
            result = self._slopes[function] = self._read_tree(tree)
        return result

    def values_at(self, point: arb, *functions: int) -> list[BallValue]:
        """Return values somewhere else, through the first form of everything."""
        known: dict[int, BallValue] = {self.x: point}
        waiting = list(functions)
        while waiting:
            number = waiting[-1]
            if number not in known:
                form = self.forms[number][0]
                if self.fixed[number]:
                    known[number] = self.values[number][0]
                    continue
                left, right = form[1:]
                if left not in known or (right != NOTHING and right not in known):
                    waiting += (n for n in (left, right) if n != NOTHING and n not in known)
                    continue
                second = (known[right],) if right != NOTHING else ()
                (known[number],) = apply_operation(form, (known[left],), second, self.fixed[right])
            waiting.pop()
        return [known[function] for function in functions]

    def find_opposite(self, function: int) -> int | None:
        """Return a function with the same values but for their sign, if one was met."""
        values = [None if value is None else -value for value in self.values[function]]
        first = self._first_value(values)
        return None if first is None else self._find_alike(self._alike.get(float(first), ()), values)

    def to_tree(self, function: int) -> Tree:
        """Return the first form of everything, as an expression; what holds only `where` something else is
        defined is given without that.
        """
        if function not in self._trees:
            code, *operands = self.forms[function][0]
            if code == WHERE:
                return self.to_tree(operands[1])
            if code >= LEAF:
                name = self._names[code - LEAF]
            else:
                name = (UNARY + BINARY)[code] if code >= 0 else self.constant_token(code)
            parts = tuple(self.to_tree(operand) for operand in operands if operand != NOTHING)
            self._trees[function] = Tree(name, parts)
        return self._trees[function]

    def constant_token(self, code: int) -> str:
        """Return the token of a constant, from the code of its form."""
        return self._tokens[-1 - code]

    def _function_leaf(self, number: int) -> Tree:
        """Return a leaf for a function, which `_read_tree` turns back into the function.

        The function 1 is written as the number, because the rules of derivation simplify products with it.
        """
        return ONE if number == self._constants.get("1") else Tree(f"#{number}")

    def _read_tree(self, tree: Tree) -> int:
        if tree.label.startswith("#"):
            return int(tree.label[1:])
        if not tree.children:
            return self.add_constant(tree.label)
        return self.add_operation(CODE[tree.label], *map(self._read_tree, tree.children))

    def _add_function(self, form: FunctionForm, values: Sequence[BallValue], fixed: bool) -> int:
        """Return the function with these values, which is a new one unless all of them are known already."""
        first = self._first_value(values) if self.merged else None
        if first is not None:
            alike = self._alike.setdefault(float(first), [])
            known = self._find_alike(alike, values)
            if known is not None:
                self.forms[known].append(form)
                self.merge_count += 1
                if self.fixed[known] and not fixed:
                    self.faded.add(known)
                return known
            alike.append(len(self.values))
        self.values.append(tuple(values))
        self.forms.append([form])
        self.fixed.append(fixed)
        return len(self.values) - 1

    def _first_value(self, values: Sequence[BallValue]) -> BallValue:
        """Return what functions are looked up by: the first value that there is."""
        first = values[0] if values else None
        return next((value for value in values if value is not None), None) if first is None else first

    def _find_alike(self, alike: Sequence[int], values: Sequence[BallValue]) -> int | None:
        """Return the first of some functions that may have these values at all points."""
        for candidate in alike:
            for one, value in zip(self.values[candidate], values, strict=True):
                if one is None or value is None:
                    if one is not value:
                        break
                elif not one.overlaps(value):
                    break
            else:
                return candidate
        return None


@cache
def _parse_fraction(token: str) -> tuple[int, int]:
    return Fraction(token).as_integer_ratio()


def _constant_ball(token: str) -> arb:
    if token in ("pi", "e"):
        return arb.pi() if token == "pi" else arb.const_e()
    if not token:
        return _NAN
    above, below = _parse_fraction(token)
    return arb(above) / below

"""SymPy's second opinion on the values of rewrite rules, at 30 digits.

SymPy evaluates both sides where our own evaluator found them defined. It is asked for values only: its
domains are the complex numbers. Its acot has values in (-pi/2, pi/2], ours in (0, pi); a rule that differs
for that reason is evaluated once more with acot u = pi/2 - atan u, and the note says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

from engines.core.errors import ExpressionError
from engines.core.symbolic import isolated
from engines.core.tree import Tree
from engines.egen.expressions.language import VARIABLE, read_prefix
from engines.egen.rules.check import Instance, Opinion, RuleCheck
from engines.egen.rules.table import is_variable, variables

__all__ = ["with_opinions"]

DIGITS = 30
TOLERANCE = 1e-18
"""Relative; far below double precision, far above the rounding of 30 digits."""
_OUR_ACOT = "with acot in (0, pi); SymPy's lies in (-pi/2, pi/2]"


def with_opinions(checks: Iterable[RuleCheck]) -> tuple[RuleCheck, ...]:
    """The checks with SymPy's opinion; a two-way rule is judged once."""
    known: dict[frozenset[Tree], Opinion] = {}
    result = []
    for check in checks:
        key = frozenset((check.rule.left, check.rule.right))
        if key not in known or known[key].verdict == "unknown":
            known[key] = _opinion(check)
        result.append(replace(check, opinion=known[key]))
    return tuple(result)


def _opinion(check: RuleCheck) -> Opinion:
    if not check.instances:
        return Opinion("unknown", "no point where both sides are defined")
    first = _compare(check, own_acot=False)
    acot = any(node.label == "acot" for side in (check.rule.left, check.rule.right) for node in side)
    if first.verdict == "disagree" and acot:
        second = _compare(check, own_acot=True)
        return replace(second, note=_OUR_ACOT) if second.verdict == "agree" else first
    return first


def _compare(check: RuleCheck, *, own_acot: bool) -> Opinion:
    rule, mp = check.rule, _mpmath()
    # `d` needs to look into what its variables stand for; elsewhere their values will do.
    value = _differentiated if any(node.label == "d" for node in rule.left) else _called
    used = 0
    for instance in check.instances:
        try:
            with isolated(), mp.workdps(DIGITS):
                left, right = (value(side, instance, own_acot) for side in (rule.left, rule.right))
                gap = abs(left - right)
        except ExpressionError:  # a pole, or nothing SymPy can put a number to
            continue
        if not gap < mp.inf:
            continue
        used += 1
        if gap > TOLERANCE * (1 + abs(left)):
            bound = ", ".join(f"{name} = {text}" for name, text in instance.binding.items())
            values = f"{mp.nstr(left, 8)} and {mp.nstr(right, 8)}"
            return Opinion("disagree", f"{bound} at x = {instance.x:.6g}: {values}")
    return Opinion("agree") if used else Opinion("unknown", "SymPy has no value where ours has")


def _mpmath() -> Any:
    import mpmath  # type: ignore[import-untyped]

    return mpmath


def _called(side: Tree, instance: Instance, own_acot: bool) -> Any:
    """The side as a function of its variables' values."""
    mp = _mpmath()
    x = mp.mpf(instance.x)
    inner = [_function(read_prefix(instance.binding[name]), own_acot)(x) for name in variables(side)]
    # a constant comes back as an int, whose quotients would have double precision only
    return _function(side, own_acot)(x, *map(mp.mpmathify, inner))


def _differentiated(side: Tree, instance: Instance, own_acot: bool) -> Any:
    """The side with its variables replaced by functions of x."""
    bound = {name: read_prefix(text) for name, text in instance.binding.items()}
    return _function(_substituted(side, bound), own_acot)(_mpmath().mpf(instance.x))


def _substituted(tree: Tree, bound: Mapping[str, Tree]) -> Tree:
    if tree.label in bound:
        return bound[tree.label]
    return Tree(tree.label, tuple(_substituted(child, bound) for child in tree.children))


@cache
def _function(side: Tree, own_acot: bool) -> Any:
    """An mpmath function of x and the side's pattern variables."""
    import sympy

    symbols = {name: sympy.Symbol("v" + name[1:], real=True) for name in variables(side)}
    x = sympy.Symbol("x", real=True)
    expression = _expression(side, {VARIABLE: x, **symbols}, own_acot)
    return sympy.lambdify([x, *symbols.values()], expression, "mpmath")


def _expression(tree: Tree, symbols: Mapping[str, Any], own_acot: bool) -> Any:
    import sympy

    label = tree.label
    if label == VARIABLE or is_variable(tree):
        return symbols[label]
    if label == "d":
        return sympy.diff(_expression(tree.children[1], symbols, own_acot), symbols[VARIABLE])
    parts = [_expression(child, symbols, own_acot) for child in tree.children]
    if not parts:
        if label in ("pi", "e"):
            return sympy.pi if label == "pi" else sympy.E
        number = Fraction(label)
        return sympy.Rational(number.numerator, number.denominator)
    if label == "acot" and own_acot:
        return sympy.pi / 2 - sympy.atan(parts[0])
    if label == "log":
        return sympy.log(parts[1]) / sympy.log(parts[0])
    if len(parts) == 1:
        return getattr(sympy, {"abs": "Abs", "ln": "log"}.get(label, label))(parts[0])
    a, b = parts
    return {"+": a.__add__, "-": a.__sub__, "*": a.__mul__, "/": a.__truediv__, "pow": a.__pow__}[label](b)

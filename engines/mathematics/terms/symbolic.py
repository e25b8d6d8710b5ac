"""Expressions as SymPy objects and back.

SymPy is never given text to parse (its parser evaluates code). Conventions: our acot has values in (0, pi)
and becomes pi/2 - atan u; SymPy's own acot is atan(1/u) and is read as that. The other inverses agree on the
reals. SymPy works on the complex numbers: it does not know our domains, and simplifies while it builds.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

from engines.core.errors import EngineError, ExpressionError
from engines.core.tree import Tree

_LARGEST_POWER = 1_000
"""Powers of numbers with larger exponents are left standing: 9^(9^9) would never return."""


@contextmanager
def isolate_sympy() -> Iterator[None]:
    """Turn whatever SymPy raises inside the block into an ExpressionError.

    It has no error for what it cannot deal with: at `sec(pi - 2 - sech(pi))` it raises an AttributeError.
    """
    try:
        yield
    except EngineError:
        raise
    except Exception as error:
        said = " ".join(str(error).split())[:120]
        raise ExpressionError(f"SymPy fails on it: {type(error).__name__}: {said}") from error


def to_sympy(tree: Tree, *, real: bool = True) -> Any:
    """Return the tree as a SymPy expression; a derivative stays one until `doit`.

    Args:
        real: Whether SymPy may assume that x is real.

    Raises:
        ExpressionError: When there is no such number, as for `/ x 0`, and when SymPy fails.
    """
    with isolate_sympy():
        return _build_sympy(tree, real)


def _build_sympy(tree: Tree, real: bool) -> Any:
    import sympy

    x = sympy.Symbol("x", real=True) if real else sympy.Symbol("x")
    leaves = {"x": x, "pi": sympy.pi, "e": sympy.E}
    stack: list[Any] = []
    # In reverse pre-order, operands are on the stack before their operator.
    for node in reversed(list(tree)):
        label = node.label
        if not node.children:
            known = leaves.get(label)
            stack.append(sympy.Rational(*Fraction(label).as_integer_ratio()) if known is None else known)
        # SymPy's acot jumps at 0, so the one with values in (0, pi) is written with atan.
        elif label == "acot":
            stack.append(sympy.pi / 2 - sympy.atan(stack.pop()))
        elif len(node.children) == 1:
            stack.append(getattr(sympy, {"ln": "log", "abs": "Abs"}.get(label, label))(stack.pop()))
        else:
            stack.append(_apply_operator(label, stack.pop(), stack.pop()))
    expression = stack.pop()
    if expression.has(sympy.nan, sympy.zoo, sympy.oo, -sympy.oo):
        raise ExpressionError("the expression has no finite value in SymPy", remedy="Does it divide by zero?")
    return expression


def _apply_operator(label: str, left: Any, right: Any) -> Any:
    import sympy

    if label == "pow":
        large = left.is_number and right.is_number and abs(right) > _LARGEST_POWER
        return sympy.Pow(left, right, evaluate=not large)
    if label == "d":
        return sympy.Derivative(right, left)
    if label == "log":
        return sympy.log(right) / sympy.log(left)
    return {"+": left.__add__, "-": left.__sub__, "*": left.__mul__, "/": left.__truediv__}[label](right)


def from_sympy(expression: Any) -> Tree:
    """Return a SymPy expression in x as a tree: sums and products nested to the left, fractions as quotients.

    Raises:
        ExpressionError: For what the expression language does not have (complex or infinite numbers, other
            symbols, functions such as gamma or Piecewise), and when SymPy fails.
    """
    with isolate_sympy():
        return _to_tree(expression)


def _to_tree(expression: Any) -> Tree:
    import sympy

    if isinstance(expression, sympy.Rational | sympy.Float):
        value = Fraction(str(expression))
        top = Tree(str(value.numerator))
        return top if value.denominator == 1 else Tree("/", (top, Tree(str(value.denominator))))
    if expression is sympy.pi or expression is sympy.E:
        return Tree("pi" if expression is sympy.pi else "e")
    if isinstance(expression, sympy.Symbol) and expression.name == "x":
        return Tree("x")
    if isinstance(expression, sympy.Add):
        return _sum_to_tree(expression.as_ordered_terms())
    if isinstance(expression, sympy.Mul):
        return _product_to_tree(expression)
    if isinstance(expression, sympy.Pow):
        return _power_to_tree(expression.base, expression.exp)
    if isinstance(expression, sympy.exp):
        return Tree("pow", (Tree("e"), _to_tree(expression.args[0])))
    if isinstance(expression, sympy.Derivative) and all(str(name) == "x" for name in expression.variables):
        tree = _to_tree(expression.expr)
        for _ in expression.variables:
            tree = Tree("d", (Tree("x"), tree))
        return tree
    # What is left are functions of one argument; SymPy's acot is atan(1/u), ours has values in (0, π).
    name = _NAMES.get(expression.func.__name__) if len(expression.args) == 1 else None
    if name is None:
        raise ExpressionError(
            f"SymPy's {str(expression)[:40]!r} ({expression.func.__name__}) is not of the expression language"
        )
    operand = _to_tree(expression.args[0])
    if name == "acot":
        return Tree("atan", (Tree("/", (Tree("1"), operand)),))
    return Tree(name, (operand,))


_HYPERBOLIC = ("sinh", "cosh", "tanh", "csch", "sech", "coth")
_CIRCULAR = ("sin", "cos", "tan", "csc", "sec", "cot")
_NAMES = {
    **{name: name for name in _CIRCULAR + _HYPERBOLIC},
    **{"a" + name: "a" + name for name in _CIRCULAR + _HYPERBOLIC},
    "log": "ln",
    "Abs": "abs",
}
"""Names of SymPy's functions in ours."""


def _sum_to_tree(terms: list[Any]) -> Tree:
    tree = _to_tree(terms[0])
    for term in terms[1:]:
        if term.could_extract_minus_sign():
            tree = Tree("-", (tree, _to_tree(-term)))
        else:
            tree = Tree("+", (tree, _to_tree(term)))
    return tree


def _product_to_tree(expression: Any) -> Tree:
    import sympy

    above: list[Tree] = []
    below: list[Tree] = []
    for factor in expression.as_ordered_factors():
        if isinstance(factor, sympy.Rational):
            if factor.p != 1:
                above.append(Tree(str(factor.p)))
            if factor.q != 1:
                below.append(Tree(str(factor.q)))
        elif isinstance(factor, sympy.Pow) and _is_negative(factor.exp):
            below.append(_to_tree(1 / factor))
        else:
            above.append(_to_tree(factor))
    top = _nest_product(above) if above else Tree("1")
    return Tree("/", (top, _nest_product(below))) if below else top


def _nest_product(factors: list[Tree]) -> Tree:
    tree = factors[0]
    for factor in factors[1:]:
        tree = Tree("*", (tree, factor))
    return tree


def _power_to_tree(base: Any, exponent: Any) -> Tree:
    import sympy

    if exponent == sympy.Rational(1, 2):
        return Tree("sqrt", (_to_tree(base),))
    if _is_negative(exponent):
        return Tree("/", (Tree("1"), _to_tree(sympy.Pow(base, -exponent))))
    return Tree("pow", (_to_tree(base), _to_tree(exponent)))


def _is_negative(exponent: Any) -> bool:
    return bool(exponent.is_Rational and exponent < 0)

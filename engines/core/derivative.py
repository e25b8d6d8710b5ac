"""Differentiation of expression trees by rule, keeping the domain.

The evaluator differentiates once, by dual numbers. A derivative inside another is replaced here by
`where u u'`: the derivative, defined only where u itself is. u' is written so that it is undefined where u
has a kink or a vertical tangent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice

from engines.core.errors import ExpressionError
from engines.core.tree import Tree

ZERO, ONE = Tree("0"), Tree("1")


def without_inner_derivatives(tree: Tree, limit: int, *, inside: bool = False) -> Tree:
    """The same function with no `d` inside another `d`, each `d` at most `limit` nodes large.

    Args: inside: the tree itself stands in a `d`. Raises: ExpressionError when one grows larger.
    """
    parts = tuple(
        without_inner_derivatives(child, limit, inside=inside or tree.label == "d") for child in tree.children
    )
    label = tree.label
    if label == "d" and inside:
        variable, body = parts
        parts = body, derivative(body, variable.label)
        label = "where"
    found = Tree(label, parts)
    if tree.label == "d" and sum(1 for _ in islice(found, limit + 1)) > limit:
        raise ExpressionError(f"a derivative in derivatives grows to more than {limit:,} tokens")
    return found


def derivative(tree: Tree, variable: str) -> Tree:
    """u' for u without `d`; right where u is defined and differentiable, meaningless outside u's domain."""
    if not tree.children:
        return ONE if tree.label == variable else ZERO
    return slope(tree, [derivative(part, variable) for part in tree.children])


def slope(tree: Tree, slopes: Sequence[Tree]) -> Tree:
    """The derivative of an operation from those of its operands, where `ZERO` is one that does not vary."""
    label, parts = tree.label, tree.children
    if label == "where":
        return slopes[1]
    if all(slope is ZERO for slope in slopes):
        return ZERO
    if len(parts) == 1:
        return _times(_CHAIN[label](parts[0]), slopes[0])
    (u, v), (du, dv) = parts, slopes
    if label == "+":
        return _plus(du, dv)
    if label == "-":
        return _minus(du, dv)
    if label == "*":
        return _plus(_times(du, v), _times(u, dv))
    if label == "/":
        return Tree("/", (_minus(du, _times(tree, dv)), v))
    if label == "pow":
        if dv is ZERO:
            return du if v == ONE else _times(_times(v, Tree("pow", (u, Tree("-", (v, ONE))))), du)
        return _times(tree, _plus(_times(dv, Tree("ln", (u,))), _times(v, Tree("/", (du, u)))))
    if label == "log":  # ln v / ln u
        top, bottom = Tree("/", (dv, v)), Tree("/", (du, u))
        return Tree("/", (_minus(top, _times(tree, bottom)), Tree("ln", (u,))))
    raise ValueError(f"no rule for the derivative of {label!r}")


def _plus(a: Tree, b: Tree) -> Tree:
    return b if a is ZERO else a if b is ZERO else Tree("+", (a, b))


def _minus(a: Tree, b: Tree) -> Tree:
    return a if b is ZERO else Tree("-", (a, b))


def _times(a: Tree, b: Tree) -> Tree:
    if a is ZERO or b is ZERO:
        return ZERO
    return b if a is ONE else a if b is ONE else Tree("*", (a, b))


def _over(sign: int, below: Tree) -> Tree:
    return Tree("/", (Tree(str(sign)), below))


def _square(u: Tree) -> Tree:
    return Tree("*", (u, u))


def _root(u: Tree, form: str) -> Tree:
    """The square root of 1 + u², 1 - u² or u² - 1; the differences as products, without cancellation."""
    if form == "1+uu":
        return Tree("sqrt", (Tree("+", (ONE, _square(u))),))
    low = Tree("-", (ONE, u) if form == "1-uu" else (u, ONE))
    return Tree("sqrt", (Tree("*", (low, Tree("+", (u, ONE)))),))


def _negative(u: Tree) -> Tree:
    return Tree("*", (Tree("-1"), u))


def _call(name: str, u: Tree) -> Tree:
    return Tree(name, (u,))


_CHAIN: dict[str, Callable[[Tree], Tree]] = {
    "sqrt": lambda u: Tree("/", (Tree("0.5"), _call("sqrt", u))),
    "abs": lambda u: Tree("/", (u, _call("abs", u))),
    "ln": lambda u: _over(1, u),
    "sin": lambda u: _call("cos", u),
    "cos": lambda u: _negative(_call("sin", u)),
    "tan": lambda u: _square(_call("sec", u)),
    "cot": lambda u: _negative(_square(_call("csc", u))),
    "sec": lambda u: Tree("*", (_call("sec", u), _call("tan", u))),
    "csc": lambda u: _negative(Tree("*", (_call("csc", u), _call("cot", u)))),
    "asin": lambda u: _over(1, _root(u, "1-uu")),
    "acos": lambda u: _over(-1, _root(u, "1-uu")),
    "atan": lambda u: _over(1, Tree("+", (ONE, _square(u)))),
    "acot": lambda u: _over(-1, Tree("+", (ONE, _square(u)))),
    "asec": lambda u: _over(1, Tree("*", (_call("abs", u), _root(u, "uu-1")))),
    "acsc": lambda u: _over(-1, Tree("*", (_call("abs", u), _root(u, "uu-1")))),
    "sinh": lambda u: _call("cosh", u),
    "cosh": lambda u: _call("sinh", u),
    "tanh": lambda u: _square(_call("sech", u)),
    "coth": lambda u: _negative(_square(_call("csch", u))),
    "sech": lambda u: _negative(Tree("*", (_call("sech", u), _call("tanh", u)))),
    "csch": lambda u: _negative(Tree("*", (_call("csch", u), _call("coth", u)))),
    "asinh": lambda u: _over(1, _root(u, "1+uu")),
    "acosh": lambda u: _over(1, _root(u, "uu-1")),
    "atanh": lambda u: _over(1, Tree("-", (ONE, _square(u)))),
    "acoth": lambda u: _over(1, Tree("-", (ONE, _square(u)))),
    "asech": lambda u: _over(-1, Tree("*", (u, _root(u, "1-uu")))),
    "acsch": lambda u: _over(-1, Tree("*", (_call("abs", u), _root(u, "1+uu")))),
}

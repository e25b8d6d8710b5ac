"""Closed forms of what is not evaluated as it stands: limits, geometric series, mixed derivatives.

What is put in the place of a term has its value wherever it is defined itself: `+ u * 0 v` is u where v is
defined too.
"""

from __future__ import annotations

from engines.core.errors import ExpressionError
from engines.core.tree import ONE, ZERO, Tree, derivative, without_inner_derivatives
from engines.egen.algebra.rational import Quotient, Space, TooLargeError, normal
from engines.egen.expressions.language import ARITY, FURTHER
from engines.egen.judging import numbers
from engines.egen.judging.names import free, replaced

_CONTINUOUS = {*ARITY, "min", "max", "root"} - {"d", "x"}
"""Operations that are continuous wherever they are defined."""
_MOST_NODES = 500


def closed(tree: Tree) -> Tree:
    """With closed forms in the place of limits, geometric series and, where there are several variables of
    differentiation, derivatives."""
    labels = set(tree.labels())
    if labels.isdisjoint(("limit", "sum", "d")):
        return tree
    slopes = {node.children[0].label for node in tree if node.label == "d" and node.children}
    return _closed(tree, len(slopes) > 1)


def _closed(tree: Tree, slopes: bool) -> Tree:
    if not tree.children:
        return tree
    here = Tree(tree.label, tuple(_closed(child, slopes) for child in tree.children))
    if here.label == "limit":
        return _limit(here) or here
    if here.label == "sum" and here.children[2].label == "inf":
        return _geometric(here) or here
    if here.label == "d" and slopes:
        return _slope(here) or here
    return here


def _limit(tree: Tree) -> Tree | None:
    name, to, _, body = tree.children
    if name.label in free(to) or not _continuous(body, name.label):
        return None
    try:
        inner = normal(body)
    except (TooLargeError, KeyError):
        inner = body
    if to.label == "inf" or (to.label == "*" and to.children[1].label == "inf"):
        return _far(inner, name)
    return replaced(inner, name.label, to)


def _continuous(body: Tree, name: str) -> bool:
    for node in body:
        if node.children and node.label not in _CONTINUOUS:
            return False
        if node.label == "pow" and name in node.children[1].labels():
            base = node.children[0]
            positive = base.label in ("e", "pi") or (numbers.exact(base) or 0) > 0
            if not positive:
                return False
    return True


def _far(body: Tree, name: Tree) -> Tree | None:
    """The limit of a rational function far out, where it is bounded there."""
    space = Space([body])
    try:
        top, bottom = space.of(body)
    except TooLargeError:
        return None
    if any(name.label in atom.labels() for atom in space.atoms if atom != name):
        return None
    if name not in space.atoms:
        return body
    place = space.atoms.index(name)
    leads = []
    degrees = []
    for polynomial in (top, bottom):
        rows = polynomial.to_dict()
        degree = max((int(exponents[place]) for exponents in rows), default=0)
        lead = {
            tuple(0 if k == place else n for k, n in enumerate(exponents)): c
            for exponents, c in rows.items()
            if exponents[place] == degree
        }
        degrees.append(degree)
        leads.append(space.polynomial(lead))
    if top.is_zero() or degrees[0] < degrees[1]:
        # where the leading coefficient below is not 0
        return Tree("/", (ZERO, space.sum(leads[1])))
    if degrees[0] > degrees[1]:
        return None
    return (
        space.tree(Quotient(leads[0], space.constant(1)))
        if leads[1].is_one()
        else Tree("/", (space.sum(leads[0]), space.sum(leads[1])))
    )


def _geometric(tree: Tree) -> Tree | None:
    """a/(1 - r), where |r| < 1."""
    name, low, _, body = tree.children
    ratio = _ratio(body, name.label)
    if ratio is None or name.label in free(low):
        return None
    first = replaced(body, name.label, low)
    total = Tree("/", (first, Tree("-", (ONE, ratio))))
    inside = Tree("ln", (Tree("-", (ONE, Tree("abs", (ratio,)))),))
    return Tree("+", (total, Tree("*", (ZERO, inside))))


def _ratio(body: Tree, name: str) -> Tree | None:
    """What each term of a series is multiplied by to give the next; None where that varies."""
    if name not in free(body):
        return ONE
    if body.label in ("*", "/"):
        sides = [_ratio(part, name) for part in body.children]
        if sides[0] is None or sides[1] is None:
            return None
        return Tree(body.label, (sides[0], sides[1]))
    if body.label != "pow":
        return None
    base, exponent = body.children
    if name not in free(base):
        step = _step(exponent, name)
        return None if step is None else Tree("pow", (base, step))
    if name in free(exponent):
        return None
    inner = _ratio(base, name)
    return None if inner is None else Tree("pow", (inner, exponent))


def _step(exponent: Tree, name: str) -> Tree | None:
    """By how much a linear term grows from one integer to the next; None for others."""
    following = replaced(exponent, name, Tree("+", (Tree(name), ONE)))
    try:
        step = normal(Tree("-", (following, exponent)))
    except (TooLargeError, KeyError):
        return None
    return None if name in free(step) else step


def _slope(tree: Tree) -> Tree | None:
    name, body = tree.children
    if any(node.label in FURTHER or node.label in ("limit", "call") for node in body):
        return None
    try:
        plain = without_inner_derivatives(body, _MOST_NODES, inside=True)
        return Tree("+", (derivative(plain, name.label), Tree("*", (ZERO, plain))))
    except (ExpressionError, KeyError):
        return None


def differentiated(tree: Tree, name: str) -> Tree | None:
    """The derivative of a sum in which antiderivatives are terms; None where they stand elsewhere."""
    if tree.label == "antiderivative":
        variable, body = tree.children
        return body if variable.label == name else None
    if "antiderivative" not in tree.labels():
        return Tree("d", (Tree(name), tree)) if name in free(tree) else ZERO
    if tree.label in ("+", "-"):
        sides = [differentiated(part, name) for part in tree.children]
        if sides[0] is None or sides[1] is None:
            return None
        return Tree(tree.label, (sides[0], sides[1]))
    if tree.label == "*" and name not in free(tree.children[0]):
        inner = differentiated(tree.children[1], name)
        return None if inner is None else Tree("*", (tree.children[0], inner))
    return None

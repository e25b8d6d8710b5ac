"""Put closed forms in the place of limits, geometric series, integrals and mixed derivatives.

What is put in the place of a term has its value wherever it is defined itself: `+ u * 0 v` is u where v is
defined too.
"""

from __future__ import annotations

from engines.core.errors import ExpressionError
from engines.core.expression_language import FURTHER
from engines.core.tree import (
    ONE,
    ZERO,
    Tree,
    differentiate,
    without_inner_derivatives,
)
from engines.mathematics.algebra.rational import TooLargeError, expand_tree
from engines.mathematics.judging.integrals import evaluate_integral
from engines.mathematics.judging.limits import evaluate_limit
from engines.mathematics.judging.names import (
    free_variables,
    replace_variable,
)

_MOST_NODES = 500


def find_closed_forms(tree: Tree) -> Tree:
    """Return a tree with closed forms of limits, geometric series, integrals and, with several variables,
    derivatives.
    """
    labels = set(tree.list_labels())
    if labels.isdisjoint(("limit", "sum", "d", "integral")):
        return tree
    slopes = {node.children[0].label for node in tree if node.label == "d" and node.children}
    return _close_node(tree, len(slopes) > 1)


def _close_node(tree: Tree, slopes: bool) -> Tree:
    if not tree.children:
        return tree
    here = Tree(tree.label, tuple(_close_node(child, slopes) for child in tree.children))
    if here.label == "integral":
        return evaluate_integral(here) or here
    if here.label == "limit":
        return evaluate_limit(here) or here
    if here.label == "sum" and here.children[2].label == "inf":
        return _sum_geometric(here) or here
    if here.label == "d" and slopes:
        return _differentiate(here) or here
    return here


def _sum_geometric(tree: Tree) -> Tree | None:
    """Return a/(1 - r), where |r| < 1."""
    name, low, _, body = tree.children
    ratio = _common_ratio(body, name.label)
    if ratio is None or name.label in free_variables(low):
        return None
    first = replace_variable(body, name.label, low)
    total = Tree("/", (first, Tree("-", (ONE, ratio))))
    inside = Tree("ln", (Tree("-", (ONE, Tree("abs", (ratio,)))),))
    return Tree("+", (total, Tree("*", (ZERO, inside))))


def _common_ratio(body: Tree, name: str) -> Tree | None:
    """Return what each term of a series is multiplied by to give the next; None where that varies."""
    if name not in free_variables(body):
        return ONE
    # The ratio of a product or quotient is that of the ratios of its parts.
    if body.label in ("*", "/"):
        sides = [_common_ratio(part, name) for part in body.children]
        if sides[0] is None or sides[1] is None:
            return None
        return Tree(body.label, (sides[0], sides[1]))
    if body.label != "pow":
        return None
    base, exponent = body.children
    if name not in free_variables(base):
        # by how much a linear exponent grows from one integer to the next
        following = replace_variable(exponent, name, Tree("+", (Tree(name), ONE)))
        try:
            step = expand_tree(Tree("-", (following, exponent)))
        except (TooLargeError, KeyError):
            return None
        return None if name in free_variables(step) else Tree("pow", (base, step))
    if name in free_variables(exponent):
        return None
    # If u has the ratio r, then u^c has the ratio r^c.
    inner = _common_ratio(base, name)
    return None if inner is None else Tree("pow", (inner, exponent))


def _differentiate(tree: Tree) -> Tree | None:
    name, body = tree.children
    if any(node.label in FURTHER or node.label in ("limit", "call") for node in body):
        return None
    try:
        plain = without_inner_derivatives(body, _MOST_NODES, inside=True)
        return Tree("+", (differentiate(plain, name.label), Tree("*", (ZERO, plain))))
    except (ExpressionError, KeyError):
        return None


def differentiate_antiderivatives(tree: Tree, name: str) -> Tree | None:
    """Return the derivative of a sum in which antiderivatives are terms; None where they stand elsewhere."""
    if tree.label == "antiderivative":
        variable, body = tree.children
        return body if variable.label == name else None
    if "antiderivative" not in tree.list_labels():
        return Tree("d", (Tree(name), tree)) if name in free_variables(tree) else ZERO
    if tree.label in ("+", "-"):
        sides = [differentiate_antiderivatives(part, name) for part in tree.children]
        if sides[0] is None or sides[1] is None:
            return None
        return Tree(tree.label, (sides[0], sides[1]))
    if tree.label == "*" and name not in free_variables(tree.children[0]):
        inner = differentiate_antiderivatives(tree.children[1], name)
        return None if inner is None else Tree("*", (tree.children[0], inner))
    return None

"""An equation solved for one of its numbers: peeled from the root, then simplified (Liu et al. 2021)."""

from __future__ import annotations

from engines.core.tree import Tree
from engines.mwp.problems.equation import EquationError

__all__ = ["isolated", "simplified"]


def isolated(equation: Tree, number: str, answer: str) -> Tree:
    """What `number` is, given that the equation's value is `answer`; both are labels of leaves.

    Raises: EquationError where the number does not stand exactly once, or below a power.

    >>> from engines.mwp.problems.equation import infix, parse_infix
    >>> infix(isolated(parse_infix("N_2*(N_0+N_1)", Tree), "N_0", "N_3"))
    'N_3/N_2-N_1'
    """
    if equation.labels().count(number) != 1:
        raise EquationError(f"{number} stands {equation.labels().count(number)} times in the equation")
    node, rest = equation, Tree(answer)
    while node.children:
        left, right = node.children
        in_left = number in left.labels()
        match node.label, in_left:
            case "+", _:
                rest = Tree("-", (rest, right if in_left else left))
            case "*", _:
                rest = Tree("/", (rest, right if in_left else left))
            case "-", True:
                rest = Tree("+", (rest, right))
            case "-", False:
                rest = Tree("-", (left, rest))
            case "/", True:
                rest = Tree("*", (rest, right))
            case "/", False:
                rest = Tree("/", (left, rest))
            case _:
                raise EquationError("a power is not solved for its base or exponent")
        node = left if in_left else right
    return simplified(rest)


def simplified(equation: Tree) -> Tree:
    """The equation as one sum of fractions: `a-(b-c)` becomes `a+c-b`, `(a/b)/c` becomes `a/(b*c)`.

    Equal factors are cancelled and factors 1 dropped; nothing is multiplied out. Terms and factors are in the
    order of their numbers, so that what differs only in grouping becomes one equation.
    """
    return _sum(_terms(equation))


Terms = list[tuple[int, Tree]]


def _terms(tree: Tree) -> Terms:
    """A sum as signed terms that are no sums."""
    if tree.label not in "+-" or not tree.children:
        return [_product(tree)]
    left, right = (_terms(child) for child in tree.children)
    sign = 1 if tree.label == "+" else -1
    return left + [(sign * each, term) for each, term in right]


def _sum(terms: Terms) -> Tree:
    """Terms as a tree; those with a plus first, so that none begins with a minus where that can be."""
    added = sorted((term for sign, term in terms if sign > 0), key=_leaves)
    taken = sorted((term for sign, term in terms if sign < 0), key=_leaves)
    if not added:
        raise EquationError("the value is the opposite of a sum")
    found = added[0]
    for term in added[1:]:
        found = Tree("+", (found, term))
    for term in taken:
        found = Tree("-", (found, term))
    return found


def _product(tree: Tree) -> tuple[int, Tree]:
    """A product or quotient as its sign and one fraction."""
    sign, over, under = _factors(tree)
    for factor in list(under):
        if factor in over:
            over.remove(factor)
            under.remove(factor)
    top = _times(over) or Tree("C_1")
    bottom = _times(under)
    return sign, Tree("/", (top, bottom)) if bottom else top


def _factors(tree: Tree) -> tuple[int, list[Tree], list[Tree]]:
    """Sign, numerators and denominators."""
    if not tree.children or tree.label == "^":
        return 1, [] if tree.label == "C_1" else [tree], []
    if tree.label in "+-":
        terms = _terms(tree)
        sign = 1 if any(each > 0 for each, _ in terms) else -1
        return sign, [_sum([(sign * each, term) for each, term in terms])], []
    (sign, over, under), (other, over2, under2) = (_factors(child) for child in tree.children)
    if tree.label == "*":
        return sign * other, over + over2, under + under2
    return sign * other, over + under2, under + over2


def _times(factors: list[Tree]) -> Tree | None:
    found = None
    for factor in sorted(factors, key=_leaves):
        found = factor if found is None else Tree("*", (found, factor))
    return found


def _leaves(tree: Tree) -> list[tuple[str, float]]:
    """The leaves in order, constants after numbers."""
    leaves = (node.label.partition("_") for node in tree if not node.children)
    return [("~" if kind == "C" else kind, float(place.replace("_", "."))) for kind, _, place in leaves]

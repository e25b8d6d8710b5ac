r"""Differentials, as `2x\,dx` in `du = 2x\,dx`: forms that are linear in those of some variables."""

from __future__ import annotations

from collections.abc import Mapping

from engines.core.tree import ONE, ZERO, Tree
from engines.formula.vocabulary import variable_name
from engines.mathematics.algebra.rational import times_all
from engines.proofreading.term_properties import free_symbols

_D = Tree(variable_name("d"))
_MINUS_ONE = Tree("-1")
_FUNCTIONS = (
    "sin",
    "cos",
    "tan",
    "cot",
    "sec",
    "csc",
    "sinh",
    "cosh",
    "tanh",
    "ln",
    "exp",
    "asin",
    "acos",
    "atan",
)
"""Functions whose argument ends before a differential: `\\cos x\\,dx`."""

DifferentialForm = Mapping[str, Tree]
"""The coefficients of the differentials of variables."""


def read_differential(tree: Tree) -> DifferentialForm | None:
    """Return the form that a term is; None where it is none, or has differentials elsewhere.

    >>> from engines.formula.reader import read
    >>> sorted(read_differential(read(r"2x\\,dx - \\cos y\\,dy", "latex").tree))
    ['x', 'y']
    """
    if _D.label not in tree.list_labels():
        return None
    if tree.label in ("+", "-") and len(tree.children) == 2:
        return _read_sum(*map(read_differential, tree.children), sign=tree.label)
    if tree.label == "*":
        return _read_product(_list_factors(tree))
    if tree.label == "/" and _D.label not in tree.children[1].list_labels():
        above = read_differential(tree.children[0])
        return above and {name: Tree("/", (factor, tree.children[1])) for name, factor in above.items()}
    if tree.label == "pow" and _D.label not in tree.children[1].list_labels():
        return _read_function(tree.children[0], tree.children[1])
    return _read_function(tree, None)


def _read_sum(
    first: DifferentialForm | None, last: DifferentialForm | None, *, sign: str
) -> DifferentialForm | None:
    if first is None or last is None:
        return None
    return {
        name: Tree(sign, (first.get(name, ZERO), last.get(name, ZERO))) for name in sorted({*first, *last})
    }


def _read_product(factors: list[Tree]) -> DifferentialForm | None:
    holders = [index for index, factor in enumerate(factors) if _D.label in factor.list_labels()]
    if len(holders) != 1:
        return None
    index = holders[0]
    before, holder, behind = factors[:index], factors[index], factors[index + 1 :]
    if holder == _D:
        if not behind or behind[0].children or not free_symbols(behind[0]):
            return None
        return {behind[0].label: times_all([*before, *behind[1:]]) if before or behind[1:] else ONE}
    form = read_differential(holder)
    return form and {name: times_all([*before, factor, *behind]) for name, factor in form.items()}


def _read_function(tree: Tree, power: Tree | None) -> DifferentialForm | None:
    r"""Return the form of a function with a differential at the end of its argument: `\sin^2 x\,dx`."""
    if tree.label not in _FUNCTIONS or len(tree.children) != 1:
        return None
    inner = read_differential(tree.children[0])
    if inner is None or len(inner) != 1:
        return None
    ((name, argument),) = inner.items()
    value = Tree(tree.label, (argument,))
    return {name: value if power is None else Tree("pow", (value, power))}


def _list_factors(tree: Tree) -> list[Tree]:
    """Return the factors of a product in their order, without those in brackets behind the first."""
    if tree.label != "*":
        return [tree]
    first, last = tree.children
    return [*_list_factors(first), *(_list_factors(last) if first == _MINUS_ONE else [last])]


def describe_integrators(left: Tree, right: Tree) -> str:
    """Describe integrals of one letter over several others, as ∫ f dα and ∫ f dβ: they can be integrals by
    functions, which are not judged; "" for none."""
    integrals = [node for side in (left, right) for node in side if node.label == "integral"]
    letters = {node.children[0].label for node in integrals}
    plain = all(not node.children[-1].children and free_symbols(node.children[-1]) for node in integrals)
    inside = letters & {node.children[-1].label for node in integrals}
    return "integrals by functions are not judged" if len(letters) > 1 and plain and not inside else ""

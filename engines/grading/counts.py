r"""Numbers of combinations that are written as powers or functions are: C_5^2, C(5, 2), A_n^2, P(n, k)."""

from __future__ import annotations

from engines.core.tree import Tree
from engines.formula.counting import COUNTS, make_count


def read_counts(tree: Tree) -> Tree:
    """Return a tree in which what may be a number of combinations or arrangements is one.

    Of two integers above and below a letter the larger one is chosen from; else the lower one, or the first.

    >>> read_counts(Tree("pow", (Tree("C_5"), Tree("2")))).list_labels()
    ['binomial', '5', '2']
    """
    label, parts = tree.label, tuple(map(read_counts, tree.children))
    if label == "pow":
        name, _, index = parts[0].label.partition("_")
        if not parts[0].children and name in COUNTS and index and not parts[1].children:
            return make_count(name, *_order_numbers(Tree(index), parts[1]))
    is_call = label == "call" and len(parts) == 3 and parts[0].label in COUNTS
    if is_call and parts[1:] == _order_numbers(*parts[1:]):
        return make_count(parts[0].label, *parts[1:])
    return Tree(label, parts)


def _order_numbers(one: Tree, other: Tree) -> tuple[Tree, Tree]:
    """Return two terms, of integers the larger one first."""
    numbers = one.label.isdecimal() and other.label.isdecimal()
    return (other, one) if numbers and int(one.label) < int(other.label) else (one, other)

r"""Constants that are defined by others: `\hbar` is `h/2\pi`."""

from __future__ import annotations

from engines.core.tree import Tree
from engines.grading.families import replace_leaf

_TWO_PI = Tree("*", (Tree("2"), Tree("pi")))
_DEFINED = {
    **dict.fromkeys(("ℏ", "ħ"), ("h", Tree("/", (Tree("h"), _TWO_PI)))),
}
"""Of a constant another that it is defined by, and how."""


def relate_constants(one: Tree, other: Tree) -> tuple[Tree, Tree]:
    """Return two terms with a constant of one of them written by that of the other, which defines it.

    >>> planck = relate_constants(Tree("ℏ"), Tree("h"))
    >>> planck[0].label, planck[1].label
    ('/', 'h')
    """
    labels = {*one.list_labels()}, {*other.list_labels()}
    for name, (base, term) in _DEFINED.items():
        if name in labels[0] and base in labels[1] - labels[0] and name not in labels[1]:
            return replace_leaf(one, Tree(name), term), other
        if name in labels[1] and base in labels[0] - labels[1] and name not in labels[0]:
            return one, replace_leaf(other, Tree(name), term)
    return one, other

r"""Letters for functions of which nothing is known: the `f` of `\int_0^1 f\,dx` depends on `x`."""

from __future__ import annotations

from engines.core.tree import Tree

_FUNCTION_LETTERS = frozenset(("f", "g", "h", "F", "G", "H", "u", "φ", "ψ", "phi", "psi"))
"""Letters that stand for a function in an integral in which they have no argument."""
_INTEGRALS = ("integral", "antiderivative")


def apply_unknown_functions(tree: Tree, bound: tuple[str, ...] = ()) -> Tree:
    """Return a tree in which such a letter is the value of its function for the variables of the integrals
    around it, so that other bounds give another integral.

    >>> tree = Tree("integral", (Tree("x"), Tree("0"), Tree("1"), Tree("f")))
    >>> apply_unknown_functions(tree).children[-1] == Tree("call", (Tree("f"), Tree("x")))
    True
    """
    if not tree.children:
        applies = bound and tree.label in _FUNCTION_LETTERS and tree.label not in bound
        return Tree("call", (tree, *map(Tree, sorted(bound)))) if applies else tree
    if tree.label == "call":
        head, *arguments = tree.children
        return Tree("call", (head, *(apply_unknown_functions(one, bound) for one in arguments)))
    if tree.label in _INTEGRALS and not tree.children[0].children:
        name, *ends, body = tree.children
        inner = apply_unknown_functions(body, tuple({*bound, name.label}))
        return Tree(tree.label, (name, *(apply_unknown_functions(end) for end in ends), inner))
    return Tree(tree.label, tuple(apply_unknown_functions(part, bound) for part in tree.children))

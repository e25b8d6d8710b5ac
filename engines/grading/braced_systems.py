"""Solutions of systems in braces: `{x = 3, y = 2} or {x = 2, y = 3}` says of x and y what they are."""

from __future__ import annotations

from engines.core.tree import Tree


def open_systems(tree: Tree) -> Tree:
    """Return a statement with `and` between what braces hold, where these are equations for several names."""
    if tree.label == "set" and _is_system(tree):
        return Tree("and", tree.children)
    if tree.label in ("list", "or") and tree.children and all(map(_is_system, tree.children)):
        return Tree("or", tuple(Tree("and", one.children) for one in tree.children))
    return tree


def _is_system(tree: Tree) -> bool:
    names = {one.children[0] for one in tree.children if one.label == "=" and not one.children[0].children}
    return tree.label == "set" and 1 < len(tree.children) == len(names)

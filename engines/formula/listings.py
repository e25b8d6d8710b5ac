"""Values that are listed behind a relation, as answers list them."""

from __future__ import annotations

from collections.abc import Sequence

from engines.core.tree import Tree
from engines.formula.cursor import is_statement

OMITTED_SIDE = Tree("")
"""The left side of a relation that an answer leaves out, as in `> 5`."""


def distribute_relations(formulas: Sequence[Tree]) -> Tree | None:
    """Return statements in which values that follow a relation are further right sides of it.

    `x = 1, 2` says that one of two equations holds, `x != 1, 2` that both relations do.

    Returns:
        The statement, or None if a term stands before the first relation.
    """
    groups: list[list[Tree]] = []
    for one in formulas:
        if is_statement(one):
            groups.append([one])
        elif groups and groups[-1][0].label in ("=", "!="):
            relation = groups[-1][0]
            groups[-1].append(Tree(relation.label, (relation.children[0], one)))
        else:
            return None
    joined = [
        group[0] if len(group) == 1 else Tree("or" if group[0].label == "=" else "and", tuple(group))
        for group in groups
    ]
    return joined[0] if len(joined) == 1 else Tree("and", tuple(joined))

"""Values that are listed behind a relation, as answers list them."""

from __future__ import annotations

from collections.abc import Sequence

from engines.core.expression_language import is_constant_token
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


def share_range(formulas: list[Tree], joins: list[str]) -> tuple[list[Tree], list[str]]:
    """Return formulas in which letters before a last `t ∈ ℝ` have the same range, as in `s, t ∈ ℝ`.

    Only letters of the formulas before them are parameters.
    """
    last = formulas[-1]
    if last.label != "in" or last.children[0].children:
        return formulas, joins
    begin = len(formulas) - 1
    while begin and not formulas[begin - 1].children and formulas[begin - 1].label.isidentifier():
        begin -= 1
    before = {label for one in formulas[:begin] for label in one.list_labels()}
    shared = formulas[begin:-1]
    if not begin or not shared or any(one.label not in before for one in (*shared, last.children[0])):
        return formulas, joins
    ranges = [Tree("in", (letter, last.children[1])) for letter in (*shared, last.children[0])]
    return [*formulas[:begin], *ranges], joins


_NO_LETTERS = (*("…", "cc", "co", "oc", "oo"), *("pi", "e", "i", "inf"), *"ℝℤℕℚℂ", "ℤ+")
"""Leaves that are no letters: dots, and which ends belong to an interval."""


def give_values(formulas: Sequence[Tree]) -> Tree | None:
    """Return terms with the values that a letter of them has, `2k+1, k = 0, 1, 2`, as the set of these; None
    for other formulas."""
    begin = next((at for at, one in enumerate(formulas) if is_statement(one)), 0)
    terms = formulas[:begin]
    values = distribute_relations(formulas[begin:])
    if not terms or values is None:
        return None
    letters = {one for part in values for one in part if not one.children} - {OMITTED_SIDE}
    letters = {one for one in letters if not is_constant_token(one.label) and one.label not in _NO_LETTERS}
    labels = {label for term in terms for label in term.list_labels()}
    if len(letters) != 1 or next(iter(letters)).label not in labels:
        return None
    return Tree("such", (terms[0] if len(terms) == 1 else Tree("list", tuple(terms)), values))

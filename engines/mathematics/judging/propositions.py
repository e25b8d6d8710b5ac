"""Propositions: statements joined by connectives, compared by a truth table; and quantified statements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from engines.core.tree import Tree
from engines.mathematics.judging.names import EQUAL, OPPOSITE, QUANTIFIERS, free_variables, replace_variable
from engines.mathematics.judging.verdicts import Verdict

CONNECTIVES = ("and", "or", "implies", "iff", "not")
_MOST_ATOMS = 10
_CONSTANTS = {Tree("call", (Tree("⊤"),)): True, Tree("call", (Tree("⊥"),)): False}
"""What always holds, and what never does."""
_EXCLUSIVE = ("⊕", "⊻")
"""Signs of "either … or", which are called like functions: numbers and spaces have sums of this sign."""


def is_proposition(tree: Tree) -> bool:
    """Return whether a term or statement is made of letters or predicates by connectives alone."""
    return all(not atom.children or _is_predicate(atom) for atom in list_atoms(tree))


def _is_predicate(atom: Tree) -> bool:
    # A sign that is called, as ↑, is a connective that is not known.
    return atom.label == "call" and atom.children[0].label[:1].isalpha()


def _read_connective(tree: Tree) -> tuple[str, Sequence[Tree]]:
    """Return the connective of a statement with what it joins; ("", ()) for what is not joined."""
    if tree.label == "call" and tree.children[0].label in _EXCLUSIVE:
        return "either", tree.children[1:]
    return (tree.label, tree.children) if tree.label in CONNECTIVES and tree.children else ("", ())


def list_atoms(tree: Tree) -> Iterator[Tree]:
    """Yield what the connectives of a statement join, but what always or never holds."""
    if tree in _CONSTANTS:
        return
    _, parts = _read_connective(tree)
    if not parts:
        yield tree
    for part in parts:
        yield from list_atoms(part)


def compare_by_table(left: Tree, right: Tree) -> Verdict | None:
    """Compare two statements by all truth values of what their connectives join.

    Returns:
        "equal" where the tables are the same, and "different", with a row of the tables, where they are not
        and nothing but letters and predicates is joined; None where the tables do not decide.
    """
    # The table doubles with each atom.
    if len({*list_atoms(left), *list_atoms(right)}) > _MOST_ATOMS:
        return None
    row = _row_apart(left, right)
    if row is None:
        return EQUAL
    # Atoms such as x > 1 and x > 0 depend on each other: a row that separates the tables may never occur, so
    # different tables prove nothing of them.
    if not (is_proposition(left) and is_proposition(right)):
        return None
    said = ", ".join(f"{_format_atom(atom)} is {str(value).lower()}" for atom, value in row.items())
    return Verdict("different", witness=f"{said}: only one of them holds")


def _row_apart(left: Tree, right: Tree) -> dict[Tree, bool] | None:
    """Find a row of the truth tables in which two statements differ."""
    atoms = list(dict.fromkeys((*list_atoms(left), *list_atoms(right))))
    rows = (dict(zip(atoms, values, strict=True)) for values in product((True, False), repeat=len(atoms)))
    return next((row for row in rows if _value(left, row) != _value(right, row)), None)


def compare_unknown_sets(left: Tree, right: Tree) -> Verdict | None:
    """Compare sets that are made of letters, as `A` without `B`, by what belongs to each; None for others."""
    if _SETS.keys().isdisjoint({*left.list_labels(), *right.list_labels()}):
        return None
    # An element is in a union if it is in one side or the other: sets become statements, which tables
    # compare.
    sides = [_membership(one) for one in (left, right)]
    if sides[0] is None or sides[1] is None:
        return None
    row = _row_apart(sides[0], sides[1])
    if row is None:
        return EQUAL
    said = " and ".join(f"{'' if value else 'not '}in {atom.label}" for atom, value in row.items())
    return Verdict("different", witness=f"what is {said} belongs to one of them only")


def _membership(tree: Tree) -> Tree | None:
    """Return what is said of something that belongs to a set of letters; None for other terms."""
    if not tree.children:
        # Capital letters alone are sets here; a small one may be a number.
        letter, mark = tree.label[:1], tree.label[1:]
        if not letter.isalpha() or not letter.isupper() or mark not in ("", *_COMPLEMENT_MARKS):
            return None
        return Tree("not", (Tree(letter),)) if mark else tree
    if tree.label == "conj" or (tree.label == "pow" and tree.children[1].label in _COMPLEMENT_EXPONENTS):
        inside = _membership(tree.children[0])
        return None if inside is None else Tree("not", (inside,))
    sides = [_membership(part) for part in tree.children] if tree.label in _SETS else [None]
    if sides[0] is None or sides[1] is None:
        return None
    other = Tree("not", (sides[1],)) if tree.label == "without" else sides[1]
    return Tree(_SETS[tree.label], (sides[0], other))


_SETS = {"union": "or", "intersection": "and", "without": "and"}
_COMPLEMENT_MARKS = ("'", "\N{COMBINING MACRON}", "\N{COMBINING OVERLINE}")
"""Behind the letter of a set: its complement."""
_COMPLEMENT_EXPONENTS = ("c", "C")


def _value(tree: Tree, row: dict[Tree, bool]) -> bool:
    if tree in _CONSTANTS:
        return _CONSTANTS[tree]
    connective, parts = _read_connective(tree)
    if not parts:
        return row[tree]
    values = [_value(part, row) for part in parts]
    match connective:
        case "and":
            return all(values)
        case "or":
            return any(values)
        case "either":
            return sum(values) % 2 == 1
        case "not":
            return not values[0]
        case "iff":
            return len({*values}) == 1
    # An implication fails only if all before the arrow holds and what follows does not.
    return not all(values[:-1]) or values[-1]


def _format_atom(atom: Tree) -> str:
    if atom.label != "call":
        return atom.label.rstrip("_")
    name, *arguments = atom.children
    return f"{name.label}({', '.join(map(_format_atom, arguments))})"


def without_denied_quantifiers(tree: Tree) -> Tree:
    """Return a statement in which "not" stands before no quantifier and before no relation that has an
    opposite."""
    if not tree.children or not {"not", *QUANTIFIERS} & {*tree.list_labels()}:
        return tree
    if tree.label == "not":
        inner = without_denied_quantifiers(tree.children[0])
        # De Morgan: not for all means that for one it fails, and the other way round.
        if inner.label in QUANTIFIERS:
            opposite = QUANTIFIERS[1 - QUANTIFIERS.index(inner.label)]
            *bound, body = inner.children
            return Tree(opposite, (*bound, without_denied_quantifiers(Tree("not", (body,)))))
        if inner.label in OPPOSITE:
            return Tree(OPPOSITE[inner.label], inner.children)
        return inner.children[0] if inner.label == "not" else Tree("not", (inner,))
    return Tree(tree.label, tuple(map(without_denied_quantifiers, tree.children)))


def unify_bound_variable(left: Tree, right: Tree) -> tuple[Tree, Sequence[Tree], Tree, Sequence[Tree]] | None:
    """Put one name in the place of the variables that two quantified statements bind first.

    Returns:
        Of each the body and where the variable ranges; None where they are not quantified alike.
    """
    if left.label != right.label or len(left.children) != len(right.children):
        return None
    name, taken = left.children[0].label, free_variables(right)
    # The name is free on the other side: renamed, its variable would be captured.
    if name in taken:
        return None
    parts = [replace_variable(part, right.children[0].label, Tree(name)) for part in right.children[1:]]
    return left.children[-1], left.children[1:-1], parts[-1], parts[:-1]

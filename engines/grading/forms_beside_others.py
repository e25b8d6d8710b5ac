"""See an answer as the form that the other side asks for: a pair as an interval, `2 I` as a matrix."""

from __future__ import annotations

from dataclasses import replace

from engines.core.tree import ZERO, Tree
from engines.formula.statement_view import Statement
from engines.grading.families import list_with_signs, replace_leaf
from engines.grading.forms import (
    Form,
    IntervalForm,
    Many,
    Matrix,
    Named,
    SetOfSets,
)
from engines.grading.numbers import Term
from engines.grading.reading import form_of, is_constant, subject_name
from engines.mathematics.judging.names import free_variables, replace_variable


def put_identity(term: Term, size: int) -> Form | None:
    """Return a term with the identity, as `2 I_3`, with its matrix of that size; None for other terms."""
    names = {f"{letter}{index}" for letter in "IE" for index in ("", f"_{size}")}
    if term.tree is None or len(named := names & {*term.tree.list_labels()}) != 1:
        return None
    unit = Tree(
        "matrix",
        tuple(Tree("row", tuple(Tree(str(int(i == j))) for j in range(size))) for i in range(size)),
    )
    form = form_of(replace_leaf(term.tree, Tree(named.pop()), unit))
    return form if isinstance(form, Matrix) or "matrix" in term.tree.list_labels() else None


def put_diagonal(term: Term) -> Form | None:
    """Return `diag(1, 3)` as the matrix with these numbers on its diagonal; None for other terms."""
    tree = term.tree
    if tree is None or tree.label != "call" or tree.children[0] != Tree("diag"):
        return None
    entries = tree.children[1:]
    rows = (
        tuple(entry if row == column else ZERO for column in range(len(entries)))
        for row, entry in enumerate(entries)
    )
    return form_of(Tree("matrix", tuple(Tree("row", row) for row in rows)))


def put_rows(item: Form, other: Form) -> Form:
    """Return rows in braces, `{{1, 2}, {3, 4}}`, as a matrix where the other side is one."""
    if not isinstance(other, Matrix) or not isinstance(item, SetOfSets):
        return item
    rows = [one.items for one in item.items if isinstance(one, Many) and one.kind == "set"]
    is_whole = len(rows) == len(item.items) and len({*map(len, rows)}) == 1
    return Matrix(tuple(rows)) if is_whole else item


def unwrap_single(item: Form, other: Form) -> Form:
    """A set or list of one value is that value; but a set of one point is no set of its coordinates."""
    while isinstance(item, Many) and len(item.items) == 1 and item.kind in ("list", "set"):
        inside = item.items[0]
        if (
            isinstance(inside, Many)
            and item.kind == "set"
            and isinstance(other, Many)
            and other.kind == "set"
        ):
            break
        item = inside
    return item


def expand_signs(item: Form, other: Form) -> Form:
    """Return a term with two signs ± as its four values, beside as many values on the other side."""
    several = other.value if isinstance(other, Named) else other
    tree = item.tree if isinstance(item, Term) else None
    if tree is None or tree.list_labels().count("pm") != 2:
        return item
    if not isinstance(several, Many) or several.kind == "tuple" or len(several.items) != _EACH_SIGN:
        return item
    return Many("list", tuple(map(form_of, list_with_signs(tree))))


_EACH_SIGN = 4


def put_listed(item: Form, other: Form) -> Form:
    """Return `z = 2e^{it}, t = 1` as what is said of z, beside an answer that says nothing of t."""
    if isinstance(other, Many) or not isinstance(item, Many) or item.kind != "list":
        return item
    named = [one for one in item.items if isinstance(one, Named) and isinstance(one.value, Term)]
    about = {one.name: one.value.tree for one in named if isinstance(one.value, Term)}
    if len(named) < len(item.items) or len(about) < len(named) or None in about.values():
        return item
    subject, *others = named
    tree = about.pop(subject.name)
    names = {other.name} if isinstance(other, Named) else set()
    if tree is None or not others or not free_variables(tree) >= about.keys() or not names <= {subject.name}:
        return item
    for name, value in about.items():
        if value is None or not is_constant(value):
            return item
        tree = replace_variable(tree, name, value)
    return replace(subject, value=form_of(tree))


def order_by_name(listed: Many) -> Many:
    """Return values of x, y and z in the order of their names, which is that of a tuple without names."""
    names = [item.name if isinstance(item, Named) else "" for item in listed.items]
    if not all(name and name in _COORDINATES for name in names):
        return listed
    named = sorted(zip(names, listed.items, strict=True), key=lambda pair: pair[0])
    return replace(listed, items=tuple(item for _, item in named))


_COORDINATES = "xyz"


def open_interval(item: Form, other: Form) -> Form:
    """Return `(a, b)` as an interval beside a set of numbers by what holds of them."""
    if not isinstance(item, Many) or item.kind != "tuple" or len(item.items) != 2:
        return item
    if not isinstance(other, Statement) or other.tree.label != "such":
        return item
    member = other.tree.children[0]
    name = member.children[0] if member.label == "in" else member
    return item if name.children else IntervalForm(item.items[0], item.items[1], (False, False))


def list_assignments(item: Form) -> Form:
    """Names and values in brackets, `(x, y) = (1, 2)`, as what is said of each name."""
    if isinstance(item, Named) and item.name.startswith("(") and isinstance(item.value, Many):
        parts = item.subject.children
        if len(parts) == len(item.value.items):
            return Many("list", tuple(map(Named, map(subject_name, parts), item.value.items, parts)))
    return item

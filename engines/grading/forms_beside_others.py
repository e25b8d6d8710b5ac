"""See an answer as the form that the other side asks for: a pair as an interval, `2 I` as a matrix."""

from __future__ import annotations

from dataclasses import replace

from engines.core.tree import Tree
from engines.formula.statement_view import Statement
from engines.grading.families import (
    replace_leaf,
)
from engines.grading.forms import (
    Form,
    IntervalForm,
    Many,
    Matrix,
    Named,
)
from engines.grading.numbers import Term
from engines.grading.reading import form_of, subject_name


def put_identity(term: Term, size: int) -> Matrix | None:
    """Return a multiple of the identity, as `2 I_3`, as a matrix of that size; None for other terms."""
    names = {f"{letter}{index}" for letter in "IE" for index in ("", f"_{size}")}
    if term.tree is None or len(named := names & {*term.tree.list_labels()}) != 1:
        return None
    unit = Tree(
        "matrix",
        tuple(Tree("row", tuple(Tree(str(int(i == j))) for j in range(size))) for i in range(size)),
    )
    form = form_of(replace_leaf(term.tree, Tree(named.pop()), unit))
    return form if isinstance(form, Matrix) else None


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

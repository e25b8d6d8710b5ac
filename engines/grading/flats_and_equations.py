r"""Lines and planes beside linear equations: `(1,0,2) + t(2,1,-1)`, `(x-1)/2 = y = 2-z`, `x = 1+2t, y = t`.

A line or plane is that of linear equations if its points solve them, and they leave no more points: their
rank is the number of coordinates less that of the parameters.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from engines.core.tree import Tree
from engines.formula.statement_view import Statement
from engines.grading.forms import Form, Many, Named, RelationForm
from engines.grading.linear_terms import (
    AffineSpace,
    Linear,
    add_terms,
    compute_rank,
    read_flat,
    read_number,
    read_terms,
)
from engines.grading.numbers import Term
from engines.grading.trees import list_relations, statement_of_form
from engines.mathematics.judging.names import free_variables
from engines.mathematics.judging.verdicts import Verdict

_COORDINATES = ("x", "y", "z")
_MOST_COORDINATES = 6


def list_coordinates(labels: Iterable[str]) -> tuple[str, ...]:
    """Return the names of the coordinates that statements with some labels are about: x, y, z, or x_1, x_2, …
    where one of these is among them."""
    indices = [label[2:] for label in labels if label.startswith("x_") and label[2:].isdecimal()]
    count = max(map(int, indices), default=0)
    if not 0 < count <= _MOST_COORDINATES:
        return _COORDINATES
    return tuple(f"x_{number}" for number in range(1, count + 1))


def collect_coordinates(form: Form) -> Form:
    """Return `x = 1 + 2t, y = t` as the point of its coordinates; any other form as it is."""
    if isinstance(form, Named) and isinstance(form.value, Many) and len(form.indexed) > 1:
        by_index = sorted(
            zip(form.indexed, form.value.items, strict=True), key=lambda one: (len(one[0]), one[0])
        )
        terms = [value for _, value in by_index if isinstance(value, Term) and value.unit is None]
        if len(terms) == len(by_index) and any(term.value is None for term in terms):
            return Many("tuple", tuple(terms))
        return form
    if isinstance(form, Statement) and form.tree.label == "and":
        return _collect_stated(form)
    items = form.items if isinstance(form, Many) and form.kind == "list" else ()
    values = {item.name: item.value for item in items if isinstance(item, Named)}
    names = _COORDINATES[: len(items)]
    if len(items) < 2 or len(values) < len(items) or {*values} != {*names}:
        return form
    terms = [value for value in values.values() if isinstance(value, Term) and value.unit is None]
    varies = any(term.value is None and term.tree is not None and free_variables(term.tree) for term in terms)
    if len(terms) < len(items) or not varies:
        return form
    trees = [term.tree for term in (values[name] for name in names) if isinstance(term, Term)]
    point = Tree("tuple", tuple(tree for tree in trees if tree is not None))
    letters = sorted(free_variables(point))
    if {*letters} & {*names} or len(point.children) < len(names):
        return form
    if len(letters) > 1:
        # Coordinates with names are no pair (s, t): their letters are parameters.
        return Statement(Tree("such", (point, Tree("and", tuple(map(_free, letters))))))
    return Many("tuple", tuple(values[name] for name in names))


def _free(letter: str) -> Tree:
    return Tree("in", (Tree(letter), Tree("ℝ")))


def _collect_stated(form: Statement) -> Form:
    """Return `x = 1 + 2t, y = t, t ∈ ℝ` as all of its points; another statement as it is."""
    parts = list_relations(form.tree)
    ranges = [one for one in parts if one.label == "in" and one.children[1].label in ("ℝ", "ℤ")]
    equations = [one for one in parts if one.label == "="]
    values = {one.children[0].label: one.children[1] for one in equations if not one.children[0].children}
    values = {name: values.get(value.label, value) for name, value in values.items()}  # x = y = 3 - t
    names = list_coordinates(values)
    names = names[: len(values)] if names == _COORDINATES else names
    letters = {one.children[0].label for one in ranges}
    if len(ranges) + len(equations) < len(parts) or not ranges or len(values) < len(equations):
        return form
    # With x = 1 - z and y = 2 + z any z is a third coordinate.
    if values.keys() != {*names} or len(names) < 2 or letters & {*names, *_COORDINATES}:
        return form
    within = ranges[0] if len(ranges) == 1 else Tree("and", tuple(ranges))
    return Statement(Tree("such", (Tree("tuple", tuple(values[name] for name in names)), within)))


@dataclass(frozen=True, slots=True)
class _System:
    """Linear equations as terms that are zero, in coordinates with names; `has_product`: of vectors."""

    rows: tuple[Linear, ...]
    names: tuple[str, ...]
    has_product: bool = False

    def list_coefficients(self, *, constant: bool = False) -> tuple[tuple[Fraction, ...], ...]:
        names = (*self.names, "") if constant else self.names
        return tuple(tuple(row.get(name, Fraction(0)) for name in names) for row in self.rows)


def compare_with_equations(gold: Form, pred: Form) -> Verdict | None:
    """Compare a line or plane with linear equations, or two systems of these; None for other answers."""
    one, other = _read_system(gold, pred), _read_system(pred, gold)
    if one is not None and other is not None:
        return _compare_systems(one, other) if one.names == other.names else None
    system = one or other
    if system is None:
        return None
    tree = statement_of_form(gold if one is None else pred)
    flat = None if isinstance(tree, str) else read_flat(tree)
    return (
        None
        if flat is None or len(flat.point) < 2 or flat.is_punctured or flat.is_integer
        else _compare_flat(flat, system)
    )


def _read_system(form: Form, beside: Form) -> _System | None:
    """Return linear equations in the coordinates; None for other answers."""
    named = isinstance(form, Named) and isinstance(form.value, Term)
    listed = (
        isinstance(form, Many) and form.kind == "list" and all(isinstance(one, Named) for one in form.items)
    )
    if not (named or listed or isinstance(form, RelationForm | Statement)):
        return None
    tree = statement_of_form(form)
    if isinstance(tree, str) or (listed and not any(map(_varies, list_relations(tree)))):
        return None
    names: tuple[str, ...] = ()
    if tree.label == "such" and "tuple" in (tree.children[0].label, *tree.children[0].list_labels()[1:2]):
        point, tree = tree.children
        point = point.children[0] if point.label == "in" else point  # (x, y) ∈ ℝ²
        names = tuple(part.label for part in point.children if not part.children)
        if len({*names}) < len(point.children):
            return None
    if tree.label not in ("=", "and"):
        return None
    relations = list_relations(tree)
    if not names:
        labels = [label for one in relations for label in one.list_labels()]
        others = getattr(beside, "tree", None)
        names = list_coordinates([*labels, *(others.list_labels() if others is not None else ())])
    rows = []
    for equation in relations:
        if (
            equation.label == "in"
            and equation.children[0].label in names
            and equation.children[1].label == "ℝ"
        ):
            continue  # z is free
        if equation.label != "=" or len(equation.children) != 2:
            return None
        sides = [read_terms(side, names) or _read_dot_product(side, names) for side in equation.children]
        if sides[0] is None or sides[1] is None:
            return None
        rows.append(add_terms(sides[0], sides[1], Fraction(-1)))
    used = {name for row in rows for name, value in row.items() if name and value}
    return _System(tuple(rows), names, "tuple" in tree.list_labels()) if len(used) > 1 else None


def _read_dot_product(tree: Tree, names: Sequence[str]) -> Linear | None:
    """Return `r · (2, -1, 1)` with r as the vector of the coordinates; None for other terms."""
    if tree.label != "*" or len(tree.children) != 2:
        return None
    name, vector = sorted(tree.children, key=lambda part: part.label == "tuple")
    if name.children or name.label not in _POSITIONS or len(vector.children) != len(names):
        return None
    numbers = [read_number(part) for part in vector.children]
    return {one: number for one, number in zip(names, numbers, strict=True) if number is not None}


_POSITIONS = ("r", "𝐫", "x", "𝐱", "r⃗", "x⃗")
"""Names of the vector of the coordinates."""


def _varies(equation: Tree) -> bool:
    """Return whether an equation is more than the value of one name."""
    return len(free_variables(equation)) > 1


def _compare_systems(one: _System, other: _System) -> Verdict | None:
    """Compare systems of which at least one has several equations, by whether each follows from the other."""
    if len(one.rows) == len(other.rows) == 1 and not (one.has_product or other.has_product):
        return None
    rows = [each.list_coefficients(constant=True) for each in (one, other)]
    ranks = [compute_rank(each) for each in (*rows, (*rows[0], *rows[1]))]
    if ranks[0] != compute_rank(one.list_coefficients()):
        return None  # no point solves them
    if ranks[0] == ranks[1] == ranks[2]:
        return Verdict("equal", reason="the same points solve both systems")
    return Verdict("different", witness="a point solves one of the systems only")


def _compare_flat(flat: AffineSpace, system: _System) -> Verdict | None:
    names = system.names[: len(flat.point)]
    if len(names) < len(flat.point):
        return None
    if any(value and name and name not in names for row in system.rows for name, value in row.items()):
        return None
    for row in system.rows:
        value = row.get("", Fraction(0)) + _apply(row, names, flat.point)
        if value:
            shown = ", ".join(map(str, flat.point))
            return Verdict("different", witness=f"({shown}) does not solve the equations")
        if any(_apply(row, names, direction) for direction in flat.directions):
            return Verdict("different", witness="not all of the points solve the equations")
    rank = compute_rank(tuple(tuple(row.get(name, Fraction(0)) for name in names) for row in system.rows))
    if rank != len(names) - len(flat.directions):
        return Verdict("different", witness="the equations have other solutions")
    return Verdict("equal", reason="the points are those that solve the equations")


def _apply(row: Linear, names: Sequence[str], vector: Sequence[Fraction]) -> Fraction:
    pairs = zip(names, vector, strict=True)
    return sum((row.get(name, Fraction(0)) * entry for name, entry in pairs), Fraction(0))

r"""Lines and planes beside linear equations: `(1,0,2) + t(2,1,-1)`, `(x-1)/2 = y = 2-z`, `x = 1+2t, y = t`.

A line or plane is that of linear equations if its points solve them, and they leave no more points: their
rank is the number of coordinates less that of the parameters.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from engines.formula.statement_view import Statement
from engines.grading.forms import Form, Many, Named, RelationForm
from engines.grading.linear_terms import AffineSpace, Linear, add_terms, compute_rank, read_flat, read_terms
from engines.grading.numbers import Term
from engines.grading.trees import list_relations, statement_of_form
from engines.mathematics.judging.names import free_variables
from engines.mathematics.judging.verdicts import Verdict

_COORDINATES = ("x", "y", "z")


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
    items = form.items if isinstance(form, Many) and form.kind == "list" else ()
    values = {item.name: item.value for item in items if isinstance(item, Named)}
    names = _COORDINATES[: len(items)]
    if len(items) < 2 or len(values) < len(items) or {*values} != {*names}:
        return form
    terms = [value for value in values.values() if isinstance(value, Term) and value.unit is None]
    varies = any(term.value is None and term.tree is not None and free_variables(term.tree) for term in terms)
    if len(terms) < len(items) or not varies:
        return form
    if any(free_variables(term.tree) & {*names} for term in terms if term.tree is not None):
        return form
    return Many("tuple", tuple(values[name] for name in names))


def compare_with_equations(gold: Form, pred: Form) -> Verdict | None:
    """Compare a line or plane with linear equations, or two systems of these; None for other answers."""
    systems = _read_system(gold), _read_system(pred)
    if systems[0] is not None and systems[1] is not None:
        return _compare_systems(systems[0], systems[1])
    if systems.count(None) != 1:
        return None
    other = gold if systems[0] is None else pred
    tree = statement_of_form(other)
    flat = None if isinstance(tree, str) else read_flat(tree)
    system = systems[0] or systems[1]
    if flat is None or system is None or len(flat.point) not in (2, 3):
        return None
    return _compare_flat(flat, system)


def _read_system(form: Form) -> list[Linear] | None:
    """Return linear equations in the coordinates as terms that are zero; None for other answers."""
    named = isinstance(form, Named) and isinstance(form.value, Term) and form.name in _COORDINATES
    if not (named or isinstance(form, RelationForm | Statement)):
        return None
    tree = statement_of_form(form)
    if isinstance(tree, str) or tree.label not in ("=", "and"):
        return None
    rows = []
    for equation in list_relations(tree):
        if equation.label != "=" or len(equation.children) != 2:
            return None
        sides = [read_terms(side, _COORDINATES) for side in equation.children]
        if sides[0] is None or sides[1] is None:
            return None
        rows.append(add_terms(sides[0], sides[1], Fraction(-1)))
    names = {name for row in rows for name, value in row.items() if name and value}
    return rows if len(names) > 1 else None


def _compare_systems(one: Sequence[Linear], other: Sequence[Linear]) -> Verdict | None:
    """Compare systems of which at least one has several equations, by whether each follows from the other."""
    if len(one) == len(other) == 1:
        return None
    matrices = [tuple(_list_coefficients(row, constant=True) for row in rows) for rows in (one, other)]
    plain = tuple(_list_coefficients(row) for row in one)
    ranks = [compute_rank(rows) for rows in (*matrices, (*matrices[0], *matrices[1]))]
    if ranks[0] != compute_rank(plain):
        return None  # no point solves them
    if ranks[0] == ranks[1] == ranks[2]:
        return Verdict("equal", reason="the same points solve both systems")
    return Verdict("different", witness="a point solves one of the systems only")


def _list_coefficients(row: Linear, *, constant: bool = False) -> tuple[Fraction, ...]:
    names = (*_COORDINATES, "") if constant else _COORDINATES
    return tuple(row.get(name, Fraction(0)) for name in names)


def _compare_flat(flat: AffineSpace, system: Sequence[Linear]) -> Verdict | None:
    names = _COORDINATES[: len(flat.point)]
    if any(value and name and name not in names for row in system for name, value in row.items()):
        return None
    for row in system:
        value = row.get("", Fraction(0)) + _apply(row, names, flat.point)
        if value:
            shown = ", ".join(map(str, flat.point))
            return Verdict("different", witness=f"({shown}) does not solve the equations")
        if any(_apply(row, names, direction) for direction in flat.directions):
            return Verdict("different", witness="not all of the points solve the equations")
    rank = compute_rank(tuple(tuple(row.get(name, Fraction(0)) for name in names) for row in system))
    if rank != len(names) - len(flat.directions):
        return Verdict("different", witness="the equations have other solutions")
    return Verdict("equal", reason="the points are those that solve the equations")


def _apply(row: Linear, names: Sequence[str], vector: Sequence[Fraction]) -> Fraction:
    pairs = zip(names, vector, strict=True)
    return sum((row.get(name, Fraction(0)) * entry for name, entry in pairs), Fraction(0))

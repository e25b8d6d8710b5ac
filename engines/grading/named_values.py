"""Names of which values are said: functions of a variable, ratios, and what another name of these says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from unicodedata import normalize

from engines.core.tree import Tree
from engines.grading.constants import VARIABLES
from engines.grading.forms import Form, Many, Named
from engines.grading.numbers import Term
from engines.grading.reading import form_of
from engines.grading.trees import statement_of_form, tree_of_term
from engines.mathematics.judging.names import free_variables, replace_variable


def is_same_name(one: Named, other: Named) -> bool:
    """Return whether one name is that of the other as a function of its variables, as y(x) of y, or as a
    derivative by x, as dy/dx of y'."""
    subject = one.subject
    if subject.label == "d" and subject.children[1].label == "call":
        variable, function = subject.children[0].label, subject.children[1].children[0].label
        primed = variable == "x" and other.subject.label == f"{function}'"
        return primed or other.subject.label == f"{function}_{variable}"
    return subject.label == "call" and subject.children[0] == other.subject and not other.subject.children


def name_alike(gold: Many, pred: Many) -> tuple[Many, Many]:
    """Return lists of named values with one name for what has several, as x and x(t), or μ and E(X)."""
    names = [{item.name for item in one.items if isinstance(item, Named)} for one in (gold, pred)]
    if names[0] == names[1]:
        return gold, pred
    letters = _FUNCTION_SETS if any(map(_FUNCTION_SETS.__contains__, names[0] | names[1])) else {}
    sides = [
        _name_measures(one, {**_MEASURES, **letters, **(_VALUES if letters else {})}) for one in (gold, pred)
    ]
    plain = [{item.name for item in one.items if isinstance(item, Named)} for one in sides]
    return (sides[0], sides[1]) if plain[0] == plain[1] else (gold, pred)


def _name_measures(listed: Many, measures: Mapping[str, str]) -> Many:
    items: list[Form] = []
    for item in listed.items:
        if isinstance(item, Named):
            subject = item.subject
            head = subject.children[0].label if subject.label == "call" else item.name
            letters = (
                [one for one in subject.children[1:] if not one.children] if subject.label == "call" else []
            )
            measure = measures.get(item.name) or measures.get(head)
            base = head if letters and all(one.label in VARIABLES for one in letters) else ""
            item = replace(item, name=measure or base or item.name)
        items.append(item)
    return replace(listed, items=tuple(items))


_MEASURES = {
    **dict.fromkeys(("μ", "mu", "E", "𝔼", "M"), "mean"),
    **dict.fromkeys(("σ2", "σ²", "Var", "V", "D", "𝕍", "var", "s²"), "variance"),
    **dict.fromkeys(("σ", "sigma", "sd", "SD"), "deviation"),
}
"""Names of the measures of a distribution."""
_FUNCTION_SETS = {
    **dict.fromkeys(("Dom", "D", "D_f", "domain", "Dominio", "dom", "𝔻"), "domain"),
    **dict.fromkeys(("Rec", "Im", "W", "W_f", "R", "R_f", "range", "Ran", "Ran_f", "𝕎"), "range"),
}
"""Names of the sets where a function is defined, and of its values."""
_VALUES = {"x": "domain", "y": "range", "f(x)": "range"}
"""What is in these sets."""


def list_angle_ends(name: str) -> tuple[str, ...]:
    """Return the vertex of an angle ∠ABC and the points on its sides in any order; () for other names."""
    points = name.removeprefix("∠") if name.startswith("∠") else ""
    return (points[1], *sorted((points[0], points[2]))) if len(points) == len("ABC") else ()


def is_derivative(named: Named) -> bool:
    """Return whether a name is that of a first derivative by x: y', f'(x), dy/dx."""
    subject = named.subject
    if subject.label == "d":
        return subject.children[0].label == "x"
    name = (
        subject.children[0] if subject.label == "call" and subject.children[1:] == (Tree("x"),) else subject
    )
    return name.label in ("y'", "f'")


def names_graph(function: Named, curve: Named) -> bool:
    """Return whether one is said of `t(x)` and the other of y, as in the equation of a line."""
    call = function.subject
    if call.label != "call" or call.children[1:] != (Tree("x"),) or curve.subject != Tree("y"):
        return False
    name = call.children[0]
    values = statement_of_form(function.value), statement_of_form(curve.value)
    depend = all(isinstance(one, Tree) and "x" in free_variables(one) for one in values)
    return not name.children and name.label.removesuffix("^-1").isalpha() and depend


def turn_ratio(gold: Named, pred: Named) -> Form | None:
    """Return the members of `y : x = 3 : 2` in the order of `x : y`; None for other names."""
    names, others, value = gold.subject.children, pred.subject.children, pred.value
    if gold.subject.label != "ratio" or not isinstance(value, Many) or len(value.items) != len(others):
        return None
    members = dict(zip(others, value.items, strict=True))
    return replace(value, items=tuple(members[name] for name in names)) if {*names} == {*others} else None


def rename_argument(gold: Named, pred: Named) -> Form | None:
    """Return the value of `f(t) = t` in the letter of `f(x) = x`; None for other names."""
    gold_value, pred_value = gold.subject, pred.subject
    same = gold_value.label == pred_value.label == "call" and gold_value.children[0] == pred_value.children[0]
    if (
        not same
        or len(gold_value.children) != 2
        or len(pred_value.children) != 2
        or not isinstance(pred.value, Term)
    ):
        return None
    mine, theirs = gold_value.children[1].label, pred_value.children[1].label
    values = statement_of_form(gold.value), tree_of_term(pred.value)
    if isinstance(values[0], str) or isinstance(values[1], str) or mine in free_variables(values[1]):
        return None
    # Of f(a) = 3 and f(b) = 3 only the values are the same: a and b may be any numbers or events.
    depends = mine in free_variables(values[0]) and theirs in free_variables(values[1])
    if not depends and not {mine, theirs} <= VARIABLES:
        return None
    return form_of(replace_variable(values[1], theirs, gold_value.children[1]))


def drop_hat(name: str) -> str:
    """Return a name without the hat that marks an estimate.

    >>> drop_hat("ŷ"), drop_hat("y")
    ('y', 'y')
    """
    return normalize("NFD", name).replace("\u0302", "")

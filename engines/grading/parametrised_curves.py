r"""Curves with a parameter and where it runs: `(3\cos t, 3\sin t), 0 \le t \le 2\pi` and other parameters."""

from __future__ import annotations

from dataclasses import dataclass

from engines.core.tree import Tree
from engines.grading.forms import Form, Many
from engines.grading.linear_terms import list_conjuncts
from engines.grading.trees import statement_of_form
from engines.grading.verdicts import GradeVerdict
from engines.mathematics.judging.judge import Judge
from engines.mathematics.judging.names import TURNED, free_variables, replace_variable

SAME_CURVE = "the same points in the same order"
_COORDINATES = ("x", "y", "z")
_ORDERS = ("<", "<=", ">", ">=")


@dataclass(frozen=True, slots=True)
class Curve:
    """The coordinates of a point, its parameter, and the ends between which that runs."""

    point: tuple[Tree, ...]
    parameter: str
    ends: tuple[Tree, Tree]


def compare_parametrised(judge: Judge, gold: Form, pred: Form) -> GradeVerdict | None:
    """Compare two curves whose parameters run over an interval each, after one is scaled to the other; None
    for other answers, and where that does not show that they are the same."""
    one, other = read_curve(gold), read_curve(pred)
    if one is None or other is None or len(one.point) != len(other.point):
        return None
    # The parameter of the second goes from end to end as that of the first does.
    low, high = other.ends
    share = Tree("/", (Tree("-", (Tree(one.parameter), one.ends[0])), Tree("-", (one.ends[1], one.ends[0]))))
    scaled = Tree("+", (low, Tree("*", (Tree("-", (high, low)), share))))
    moved = (replace_variable(part, other.parameter, scaled) for part in other.point)
    if any(judge.equal(*pair).outcome != "equal" for pair in zip(one.point, moved, strict=True)):
        return None
    return GradeVerdict("equal", reason=SAME_CURVE)


def read_curve(form: Form) -> Curve | None:
    """Return a curve whose parameter runs over an interval; None for other answers."""
    tree = _gather_statements(form)
    if tree is None or tree.label not in ("and", "such"):
        return None
    parts = [one for part in tree.children for one in list_conjuncts(part)]
    bounds = [part for part in parts if part.label in _ORDERS or _is_interval(part)]
    said = [part for part in parts if part not in bounds]
    point = _read_point(said)
    names = set[str]().union(*map(free_variables, point)) if point else set[str]()
    if len(names) != 1:
        return None
    parameter = names.pop()
    ends = _read_ends(bounds, parameter)
    return None if ends is None else Curve(point, parameter, ends)


def _gather_statements(form: Form) -> Tree | None:
    """Return a statement, or several that are listed, as one."""
    if not isinstance(form, Many) or form.kind != "list":
        tree = statement_of_form(form)
        return tree if isinstance(tree, Tree) else None
    trees = [statement_of_form(item) for item in form.items]
    known = tuple(tree for tree in trees if isinstance(tree, Tree))
    return Tree("and", known) if len(known) == len(trees) else None


def _read_point(said: list[Tree]) -> tuple[Tree, ...]:
    """Return the coordinates that equations state; () for others."""
    if len(said) == 1:
        value = said[0].children[1] if said[0].label == "=" else said[0]
        return value.children if value.label == "tuple" else ()
    values = {
        _name_coordinate(one.children[0]): one.children[1]
        for one in said
        if one.label == "=" and one.children
    }
    names = _COORDINATES[: len(said)]
    return tuple(values[name] for name in names) if values.keys() == {*names} else ()


def _name_coordinate(tree: Tree) -> str:
    return tree.children[0].label if tree.label == "call" else tree.label


def _is_interval(part: Tree) -> bool:
    return part.label == "in" and part.children[1].label == "interval"


def _read_ends(bounds: list[Tree], parameter: str) -> tuple[Tree, Tree] | None:
    """Return the ends of the parameter's interval; None where one is missing."""
    low: Tree | None = None
    high: Tree | None = None
    for bound in bounds:
        label, (left, right) = bound.label, bound.children[:2]
        if _is_interval(bound) and left == Tree(parameter):
            return right.children[1], right.children[2]
        if right == Tree(parameter):
            label, left, right = TURNED.get(label, label), right, left
        if left != Tree(parameter):
            return None
        low, high = (right, high) if label[0] == ">" else (low, right)
    return None if low is None or high is None else (low, high)

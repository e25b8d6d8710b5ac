r"""Circles and ellipses that a parameter runs through once: `(2\cos t, 2\sin t)` and `(2\sin t, 2\cos t)`.

Where a question only asks for a parametrisation it says nothing of where that begins, and in which direction
it goes. A point `c + a cos s + b sin s` runs through an ellipse once where s runs through 2π; the ellipse is
known by its centre c and the matrix `a aᵀ + b bᵀ`.
"""

from __future__ import annotations

from fractions import Fraction

from engines.core.tree import Tree
from engines.grading.answer_vocabulary import make_phrases
from engines.grading.forms import Form
from engines.grading.linear_terms import Linear, read_terms
from engines.grading.parametrised_curves import Curve, read_curve
from engines.grading.tokens import tokenize
from engines.grading.verdicts import GradeVerdict

_ASKING = make_phrases(
    "parametrization, parametrisation, parameterization, parameterisation, parametrize, parametrise",
    "parameterize, parametric equations, parametric form, Parametrisierung, Parameterdarstellung",
    "paramétrisation, paramétrage, parametrización, parametrizzazione, parametrização, параметризация",
    "параметризацию, 参数方程, 媒介変数表示",
)
_DIRECTING = make_phrases(
    "clockwise, counterclockwise, anticlockwise, counter-clockwise, anti-clockwise, orientation, oriented",
    "starting, starts, starting at, begins, beginning, direction, positively, negatively, Uhrzeigersinn",
    "Richtung, Durchlaufsinn, sens, orienté, orientée, sentido, senso, направлении, начиная, 逆时针, 顺时针",
)
"""Words with which a question says where a curve begins, or in which direction it goes."""
_COSINE, _SINE = "cosine", "sine"
_Shape = tuple[tuple[Fraction, ...], tuple[tuple[Fraction, ...], ...]]


def compare_ellipses(gold: Form, pred: Form, question: str) -> GradeVerdict | None:
    """Compare two ellipses that are run through once, where a question asks for any parametrisation; None for
    other answers."""
    tokens = tokenize(question)
    if _ASKING.find(tokens) is None or _DIRECTING.find(tokens) is not None:
        return None
    curves = read_curve(gold), read_curve(pred)
    shapes = [_read_shape(curve) if curve is not None else None for curve in curves]
    if shapes[0] is None or shapes[0] != shapes[1]:
        return None
    return GradeVerdict("equal", reason="both run through the same circle or ellipse once")


def _read_shape(curve: Curve) -> _Shape | None:
    """Return the centre and the matrix of an ellipse that a curve runs through once; None for others."""
    letter = Tree(curve.parameter)
    arguments = {node.children[0] for part in curve.point for node in part if node.label in ("cos", "sin")}
    if len(arguments) != 1:
        return None
    argument = arguments.pop()
    speed = read_terms(argument, (curve.parameter,))
    turns = read_terms(Tree("-", (curve.ends[1], curve.ends[0])), ("pi",))
    if speed is None or turns is None or not {*speed} <= {"", curve.parameter} or {*turns} - {"", "pi"}:
        return None
    if turns.get("") or abs(speed.get(curve.parameter, 0) * turns.get("pi", 0)) != 2:
        return None
    rows: list[Linear] = []
    for part in curve.point:
        for label, name in (("cos", _COSINE), ("sin", _SINE)):
            part = _replace_tree(part, Tree(label, (argument,)), Tree(name))
        row = read_terms(part, (_COSINE, _SINE))
        if row is None or letter in part:
            return None
        rows.append(row)
    centre = tuple(row.get("", Fraction(0)) for row in rows)
    axes = [[row.get(name, Fraction(0)) for name in (_COSINE, _SINE)] for row in rows]
    matrix = tuple(tuple(one[0] * other[0] + one[1] * other[1] for other in axes) for one in axes)
    return centre, matrix


def _replace_tree(tree: Tree, part: Tree, by: Tree) -> Tree:
    """Return a tree with another one in the place of each part that is equal to one."""
    if tree == part:
        return by
    return Tree(tree.label, tuple(_replace_tree(one, part, by) for one in tree.children))

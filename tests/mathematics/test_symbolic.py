"""Expressions in SymPy and back."""

from __future__ import annotations

import math

import pytest
import sympy
from hypothesis import given, settings

from engines.core.errors import ExpressionError
from engines.core.expression_language import FUNCTIONS, read_prefix, to_prefix
from engines.core.tree import Tree
from engines.mathematics.numbers.numeric import DEFINED, compile_many, evaluate
from engines.mathematics.terms.symbolic import from_sympy, to_sympy
from tests.conftest import count_examples
from tests.egen.expressions import arithmetic
from tests.sympy_opinion import second_opinion

X = sympy.Symbol("x", real=True)
POINTS = [-7.25, -1.375, -0.625, 0.4375, 0.8125, 1.5625, 3.25, 20.5]


def ours(tree: Tree) -> list[tuple[float, float] | None]:
    """Value and error bound at the points, None where undefined or unknown."""
    found = evaluate(compile_many([tree.list_labels()]), POINTS)
    return [
        (float(value), float(error)) if state == DEFINED else None
        for value, error, state in zip(found.values[0], found.errors[0], found.state[0], strict=True)
    ]


def theirs(expression: sympy.Expr) -> list[float | None]:
    values: list[float | None] = []
    for point in POINTS:
        value = complex(expression.doit().evalf(30, subs={X: sympy.Rational(point)}))
        values.append(value.real if abs(value.imag) < 1e-12 and math.isfinite(value.real) else None)
    return values


def assert_same_values(tree: Tree, expression: sympy.Expr) -> None:
    for mine, other in zip(ours(tree), theirs(expression), strict=True):
        if mine is not None:
            assert other == pytest.approx(mine[0], rel=1e-9, abs=1e-12 + 10 * mine[1])


@pytest.mark.parametrize("name", [*FUNCTIONS, "sqrt", "abs"])
def test_every_function_has_our_values_in_sympy(name: str) -> None:
    for operand in ("x", "* 0.5 x", "/ 1 x"):
        tree = read_prefix(f"{name} {operand}")
        assert any(value is not None for value in ours(tree))
        assert_same_values(tree, to_sympy(tree))
        assert_same_values(from_sympy(to_sympy(tree)), to_sympy(tree))


@pytest.mark.parametrize(
    "text",
    [
        "log 3 abs x", "log abs x 5", "pow x -3", "pow abs x 0.5", "pow 2 x", "pow e * -3 x", "- x * 2 sin x",
        "d x * x sin x", "d x ln abs x", "d x d x pow x 4", "/ / x 3 / 2 x", "* pi e", "/ -7 3", "d x acot x",
    ],
)  # fmt: skip
def test_operators_have_our_values_in_sympy(text: str) -> None:
    tree = read_prefix(text)
    assert_same_values(tree, to_sympy(tree))
    assert_same_values(from_sympy(to_sympy(tree)), to_sympy(tree))


def test_acot_differs_from_sympys_below_zero() -> None:
    acot = read_prefix("acot x")
    assert to_sympy(acot) == sympy.pi / 2 - sympy.atan(X)
    mine = ours(acot)[0]
    assert mine
    assert mine[0] == pytest.approx(float(sympy.acot(-7.25)) + math.pi)
    assert to_prefix(from_sympy(sympy.acot(X))) == "atan / 1 x"


@settings(deadline=None, max_examples=count_examples(60))
@given(arithmetic(8))
def test_a_tree_keeps_its_value_through_sympy(tree: Tree) -> None:
    try:
        expression = to_sympy(tree)
    except ExpressionError:
        assert all(value is None for value in ours(tree))
        return
    back = from_sympy(expression)
    assert_same_values(tree, expression)
    assert_same_values(back, expression)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (X**2 - 3 * X + 1, "+ - pow x 2 * 3 x 1"),
        (-X, "* -1 x"),
        (-X / 2, "/ * -1 x 2"),
        (sympy.Rational(-3, 4), "/ -3 4"),
        (sympy.sin(X) / X, "/ sin x x"),
        (1 / sympy.sqrt(X), "/ 1 sqrt x"),
        (X**-2, "/ 1 pow x 2"),
        (X ** sympy.Rational(2, 3), "pow x / 2 3"),
        (sympy.exp(2 * X), "pow e * 2 x"),
        (sympy.log(sympy.Abs(X)), "ln abs x"),
        (sympy.Derivative(sympy.sin(X), X, X), "d x d x sin x"),
        (sympy.Float("0.5") * X, "* / 1 2 x"),
        (sympy.pi - sympy.E, "- pi e"),
    ],
)
def test_sympy_as_a_tree(expression: sympy.Expr, expected: str) -> None:
    assert to_prefix(from_sympy(expression)) == expected


def test_x_may_be_complex() -> None:
    tree = read_prefix("sqrt pow x 2")
    assert to_sympy(tree) == sympy.Abs(X)
    assert to_sympy(tree, real=False) == sympy.sqrt(sympy.Symbol("x") ** 2)


@pytest.mark.parametrize(
    "expression",
    [
        sympy.I * X, sympy.oo, sympy.zoo, sympy.nan, sympy.Symbol("y"), sympy.gamma(X), sympy.sign(X),
        sympy.Piecewise((X, X > 0), (0, True)), sympy.Derivative(sympy.Symbol("y"), X, evaluate=False),
    ],
)  # fmt: skip
def test_what_the_language_does_not_have_is_refused(expression: sympy.Expr) -> None:
    with pytest.raises(ExpressionError):
        from_sympy(expression)


def test_division_by_zero_and_huge_powers() -> None:
    with pytest.raises(ExpressionError):
        to_sympy(read_prefix("/ x 0"))
    assert to_sympy(read_prefix("pow 9 pow 9 9")).is_Pow
    assert to_sympy(read_prefix("pow 9 9999999")).is_Pow


@pytest.mark.parametrize(
    ("left", "right", "opinion"),
    [
        ("+ pow sin x 2 pow cos x 2", "1", "agree"),
        ("d x * -9 sinh + * -7 x 2", "* 63 cosh - 2 * 7 x", "agree"),
        ("- pow cosh x 2 1", "pow sinh x 2", "agree"),
        ("sqrt pow x 2", "abs x", "agree"),
        ("sqrt pow x 2", "x", "disagree"),
        ("acot x", "atan / 1 x", "disagree"),
        ("tan * 2 x", "/ * 2 tan x + 1 pow tan x 2", "disagree"),
        ("/ x 0", "1", "unknown"),
    ],
)
def test_second_opinions(left: str, right: str, opinion: str) -> None:
    assert second_opinion(read_prefix(left), read_prefix(right)) == opinion

"""Exact algebra agrees with SymPy, and decides what it says it decides."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.core.errors import ExpressionError
from engines.core.tree import Tree
from engines.egen.algebra.relations import find_equality_steps
from engines.formula.reader import read_expression as read
from engines.mathematics.algebra.atoms import Powers, Signs, bottom_up, is_zero
from engines.mathematics.algebra.rational import (
    TooLargeError,
    expand_tree,
    factor_tree,
    factored_form,
    rational_value,
    split_terms,
)
from engines.mathematics.terms.notation import to_infix
from engines.mathematics.terms.symbolic import to_sympy
from tests.conftest import count_examples
from tests.egen.expressions import arithmetic

POINTS = np.array([0.3, 0.7, 1.9, 4.1])


@settings(max_examples=count_examples(60), deadline=None)
@given(arithmetic(max_leaves=10))
def test_the_expanded_form_is_equal_and_is_one_form(tree: Tree) -> None:
    try:
        expanded, product = expand_tree(tree), factored_form(tree)
    except TooLargeError:
        return
    assert expand_tree(expanded) == expanded
    assert expand_tree(product) == expanded
    try:
        difference = to_sympy(tree) - to_sympy(expanded)
    except ExpressionError:  # such as x/sin(0)
        return
    assert sympy.simplify(sympy.expand(sympy.together(difference))) == 0


@pytest.mark.parametrize(
    "text", ["x^6-1", "6x^2+x-2", "x^4+4", "(x^3-8)/(x^2-4)", "x^2/2-1/8", "sin(x)^2-2sin(x)+1"]
)
def test_factors_are_those_of_sympy(text: str) -> None:
    scale, rows = factor_tree(read(text))
    ours = {(sympy.expand(to_sympy(tree)), n) for tree, n in rows}
    number, found = sympy.factor_list(sympy.numer(sympy.cancel(to_sympy(read(text)))))
    theirs = {(sympy.expand(base), n) for base, n in found}
    if "/(" not in text:
        assert ours == theirs
        assert rational_value(expand_tree(read(text))) is None
    whole = sympy.Rational(scale.numerator, scale.denominator)
    product = sympy.prod([base**n for base, n in ours]) * whole
    assert sympy.simplify(product - to_sympy(read(text))) == 0
    assert number


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("sin(pi/12)", "(sqrt(6)-sqrt(2))/4"),
        ("cos(pi/5)", "(1+sqrt(5))/4"),
        ("tan(pi/8)", "sqrt(2)-1"),
        ("sin(pi)", "0"),
        ("sqrt(5+2sqrt(6))", "sqrt(2)+sqrt(3)"),
        ("(2+sqrt(5))^(1/3)", "(1+sqrt(5))/2"),
        ("cos(pi/7)-cos(2pi/7)+cos(3pi/7)", "1/2"),
        ("2^(2/3)*2^(1/3)", "2"),
    ],
)
def test_equal_numbers_are_decided_as_sympy_s_minimal_polynomials_do(left: str, right: str) -> None:
    difference = Tree("-", (read(left), read(right)))
    assert is_zero(difference) is True
    assert sympy.minimal_polynomial(to_sympy(difference), sympy.Symbol("t")) == sympy.Symbol("t")
    close = Tree("-", (difference, read("1/10^30")))
    assert is_zero(close) is False


def test_what_is_no_algebraic_number_or_has_no_value_is_not_decided() -> None:
    for text in ("pi-22/7", "e-2", "ln(2)", "sin(1)", "x", "tan(pi/2)", "1/(sqrt(8)-2sqrt(2))"):
        assert is_zero(read(text)) is None


@pytest.mark.parametrize(
    ("left", "right", "steps"),
    [
        ("(x+1)^2", "x^2+2x+1", ("expand",)),
        ("sin(x)^4-cos(x)^4", "sin(x)^2-cos(x)^2", ("squares",)),
        ("cosh(x)^2-sinh(x)^2", "1", ("squares",)),
        ("x^(1/2)*x^(1/2)", "x", ("roots",)),
        ("abs(x-3)^2", "x^2-6x+9", ("roots",)),
        ("x*sin(pi/12)", "x*(6^(1/2)-2^(1/2))/4", ("exact value",)),
        ("4atan(1/5)-atan(1/239)", "pi/4", ("arctangents",)),
        ("2+3", "5", ("arithmetic",)),
        ("sin(x)^2+cos(x)^2", "2", ()),
        ("4atan(1/5)+atan(1/239)", "pi/4", ()),
        ("sin(2x)", "2sin(x)", ()),
        ("1/(x-x)", "1", ()),
    ],
)
def test_equality_by_algebra(left: str, right: str, steps: tuple[str, ...]) -> None:
    assert find_equality_steps(read(left), read(right), Powers(Signs(POINTS))) == steps


@pytest.mark.parametrize(
    ("text", "apart"),
    [
        ("sqrt(4x)", "2*x^(1/2)"),
        ("sqrt(x^2*y)".replace("y", "(x-2)"), "x*(x - 2)^(1/2)"),
        ("6^x", "2^x*3^x"),
        ("e^(2ln(x)+1)", "x^2*e"),
        ("(1/x)^x", "(x^x)^(-1)"),
    ],
)
def test_powers_are_taken_apart_by_signs_at_the_points(text: str, apart: str) -> None:
    powers = Powers(Signs(POINTS))
    assert to_infix(bottom_up(read(text), powers.split_power)) == apart


def test_what_has_no_known_sign_stays_together() -> None:
    powers = Powers(Signs(np.array([-3.0, -1.2, 1.4, 5.0])))
    assert to_infix(powers.split_power(read("sqrt(x^2)"))) == "abs(x)"
    assert to_infix(powers.split_power(read("sqrt(x^2-1)"))) == "(x^2 - 1)^(1/2)"
    assert to_infix(powers.split_logarithm(read("ln(x^2)"))) == "2*ln(abs(x))"
    assert to_infix(powers.split_logarithm(read("ln(x^2-1)"))) == "ln(x^2 - 1)"


def test_large_powers_and_divisions_by_zero_are_left_alone() -> None:
    for text in ("(x+sin(x)+e^x+ln(x)+1)^60", "1/(x-x)"):
        with pytest.raises(TooLargeError):
            expand_tree(read(text))


@given(st.integers(-6, 6), st.integers(1, 6))
def test_terms_of_a_sum_are_numbers_and_monomials(above: int, below: int) -> None:
    tree = read(f"({above})*x/{below}+pi")
    found = {to_infix(m): c for c, m in split_terms(tree)}
    assert found.get("pi") == 1
    assert found.get("x", 0) * below == above

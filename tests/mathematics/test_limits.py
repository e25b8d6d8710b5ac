"""Limits are compared with SymPy's, and what does not converge has none."""

from __future__ import annotations

import pytest
import sympy

from engines.core.expression_language import LETTERS
from engines.core.tree import Tree
from engines.formula.reader import read_expression
from engines.mathematics.judging.limits import evaluate_limit
from engines.mathematics.judging.numbers import infinite_sign
from engines.mathematics.judging.terms import TermJudge
from engines.mathematics.terms.notation import to_infix

LIMITS = [
    ("sin(x)/x", "0"),
    ("(1 - cos(x))/x^2", "0"),
    ("(tan(x) - sin(x))/x^3", "0"),
    ("(x - sin(x))/(x - tan(x))", "0"),
    ("cos(x)^(1/x^2)", "0"),
    ("(1 + x)^(1/x)", "0"),
    ("(2^x - 1)/x", "0"),
    ("asin(3*x)/atan(2*x)", "0"),
    ("1/x - 1/sin(x)", "0"),
    ("(sinh(x) - x)/x^3", "0"),
    ("x^3/(e^x - 1)", "0"),
    ("x^x", "0+"),
    ("x*ln(x)", "0+"),
    ("ln(sin(x))/ln(x)", "0+"),
    ("e^(1/x)", "0+"),
    ("e^(1/x)", "0-"),
    ("abs(x)/x", "0-"),
    ("(sqrt(x) - 3)/(x - 9)", "9"),
    ("(tan(x) - 1)/(x - pi/4)", "pi/4"),
    ("cos(x)/(x - pi/2)", "pi/2"),
    ("(x^4 - a^4)/(x - a)", "a"),
    ("(1 + 1/x)^x", "oo"),
    ("(1 + a/x)^(2*x)", "oo"),
    ("x^(1/x)", "oo"),
    ("ln(x)^3/x", "oo"),
    ("ln(ln(x))/ln(x)", "oo"),
    ("sqrt(x^2 + x) - x", "oo"),
    ("x^5/e^x", "oo"),
    ("2^x/3^x", "oo"),
    ("x/ln(x)", "oo"),
    ("(e^x - e^(-x))/(e^x + e^(-x))", "oo"),
    ("(1 + 1/x)^(x^2)/e^x", "oo"),
    ("x*(pi/2 - atan(x))", "oo"),
    ("sin(x)/x", "oo"),
    ("(x + sin(x))/(2*x)", "oo"),
]


def make_limit(body: str, to: str) -> Tree:
    side = to[-1] if to[-1] in "+-" else "both"
    end = to.rstrip("+-")
    place = Tree("inf") if end == "oo" else read_expression(end, "infix", LETTERS)
    return Tree("limit", (Tree("x"), place, Tree(side), read_expression(body, "infix", LETTERS)))


def ask_sympy(body: str, to: str) -> sympy.Expr:
    names = {"e": sympy.E, "ln": sympy.log, "abs": sympy.Abs}
    term = sympy.sympify(body.replace("^", "**"), locals=names)
    return sympy.limit(
        term, sympy.Symbol("x"), sympy.sympify(to.rstrip("+-")), to[-1] if to[-1] == "-" else "+"
    )


@pytest.mark.parametrize(("body", "to"), LIMITS)
def test_a_limit_is_that_of_sympy(body: str, to: str) -> None:
    value, expected = evaluate_limit(make_limit(body, to)), ask_sympy(body, to)
    assert value is not None
    if expected.is_infinite:
        assert infinite_sign(value) == (1 if expected == sympy.oo else -1)
        return
    text = to_infix(value).replace("^", "**")
    difference = sympy.sympify(text, locals={"e": sympy.E, "ln": sympy.log}) - expected
    assert abs(sympy.N(difference.subs(sympy.Symbol("a"), sympy.Rational(7, 3)), 30)) < 1e-25


@pytest.mark.parametrize(
    ("body", "to"),
    [
        ("1/x", "0"),
        ("abs(x)/x", "0"),
        ("e^(1/x)", "0"),
        ("sin(x)", "oo"),
        ("sin(1/x)", "0"),
        ("a^x", "oo"),
        ("(a - 100)*x", "oo"),
    ],
)
def test_what_has_no_limit_or_one_that_depends_on_a_sign_has_none_here(body: str, to: str) -> None:
    assert evaluate_limit(make_limit(body, to)) is None


def test_what_is_left_of_an_exponential_that_is_taken_away_is_not_lost() -> None:
    # e^x (1 + e^-x - 1) = 1, although e^-x is smaller than every power of 1/x
    assert evaluate_limit(make_limit("e^x*(1 + e^(-x) - 1)", "oo")) in (None, Tree("1"))


def test_a_derivative_as_a_limit_is_judged_for_all_values_of_the_variable() -> None:
    slope = Tree(
        "limit",
        (Tree("h"), Tree("0"), Tree("both"), read_expression("(cos(x + h) - cos(x))/h", "infix", LETTERS)),
    )
    judge = TermJudge()
    assert judge.equal(slope, read_expression("-sin(x)", "infix", LETTERS)).outcome == "equal"
    assert judge.equal(slope, read_expression("sin(x)", "infix", LETTERS)).outcome == "different"

"""Exact integrals are compared with SymPy's."""

from __future__ import annotations

import pytest
import sympy

from engines.core.expression_language import LETTERS
from engines.core.tree import Tree
from engines.formula.reader import read_expression
from engines.mathematics.judging.integrals import evaluate_integral
from engines.mathematics.judging.terms import TermJudge
from engines.mathematics.terms.notation import to_infix

INTEGRALS = [
    ("x^3 - 2*x", "1", "4"),
    ("a*x^2 + b", "0", "c"),
    ("1/x^2", "1", "oo"),
    ("1/x^2", "-3", "-1"),
    ("1/x", "2", "5"),
    ("1/sqrt(x)", "0", "1"),
    ("x^(3/2)", "0", "2"),
    ("x^3*e^(-x)", "0", "oo"),
    ("x^2*e^(3*x + 1)", "-oo", "0"),
    ("x^2*e^(2*x)", "0", "1"),
    ("x^3*sin(2*x)", "0", "pi"),
    ("x^2*cos(a*x + b)", "0", "1"),
    ("sin(x + b)", "0", "pi"),
    ("e^(-x^2/3)", "-oo", "oo"),
    ("x^4*e^(-2*x^2)", "0", "oo"),
    ("x*e^(-x^2)", "0", "oo"),
    ("x^3*e^(-x^2)", "-oo", "oo"),
    ("(x^2 + 1)^2/x", "1", "2"),
]


def read_term(text: str) -> Tree:
    if text.endswith("oo"):
        return Tree("*", (Tree("-1"), Tree("inf"))) if text[0] == "-" else Tree("inf")
    return read_expression(text, "infix", LETTERS)


def make_integral(body: str, low: str, high: str, name: str = "x") -> Tree:
    return Tree("integral", (Tree(name), read_term(low), read_term(high), read_term(body)))


def to_sympy(text: str) -> sympy.Expr:
    names = {"e": sympy.E, "ln": sympy.log, "abs": sympy.Abs}
    return sympy.sympify(text.replace("^", "**"), locals=names)


@pytest.mark.parametrize(("body", "low", "high"), INTEGRALS)
def test_an_integral_is_that_of_sympy(body: str, low: str, high: str) -> None:
    value = evaluate_integral(make_integral(body, low, high))
    expected = sympy.integrate(to_sympy(body), (sympy.Symbol("x"), to_sympy(low), to_sympy(high)))
    assert value is not None
    difference = to_sympy(to_infix(value)) - expected
    values = {sympy.Symbol(name): sympy.Rational(k + 7, 3) for k, name in enumerate("abc")}
    assert abs(sympy.N(difference.subs(values), 30)) < 1e-25


@pytest.mark.parametrize(
    ("body", "low", "high"),
    [("1/x^2", "-1", "1"), ("1/x", "0", "1"), ("1/x", "1", "oo"), ("x", "0", "oo"), ("1/x", "a", "b")],
)
def test_what_does_not_converge_or_may_not_has_no_value(body: str, low: str, high: str) -> None:
    assert evaluate_integral(make_integral(body, low, high)) is None


def test_an_exponential_that_may_grow_says_where_its_integral_converges() -> None:
    total, judge = make_integral("x*e^(-a*x)", "0", "oo"), TermJudge()
    assert judge.equal(total, read_term("1/a^2")).outcome == "equal if"
    assert judge.equal(total, read_term("1/a")).outcome in ("different", "equal if")
    assert judge.equal(total, read_term("1/a^2"), [Tree(">", (Tree("a"), Tree("0")))]).outcome == "equal"


def test_integrals_inside_of_others_are_judged() -> None:
    inner = make_integral("x*e^(x*y)", "0", "1", "y")
    double = Tree("integral", (Tree("x"), Tree("0"), Tree("1"), inner))
    judge = TermJudge()
    assert judge.equal(double, read_term("e - 2")).outcome == "equal"
    assert judge.equal(double, read_term("e - 1")).outcome == "different"

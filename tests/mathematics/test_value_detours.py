"""Which terms go a way round, beside SymPy's greatest common divisors of what was made at random."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
import sympy

from engines.core.expression_language import ARITY
from engines.formula.reader import read_expression
from engines.mathematics.terms.canonical import Subterms
from engines.mathematics.terms.value_detours import ValueDetours


@pytest.fixture
def goes_round() -> Callable[[str], bool]:
    terms = Subterms(ARITY)
    found = ValueDetours(terms)
    return lambda text: found.goes_round(terms.number_of(read_expression(text).list_labels()))


def _polynomial(random: Random) -> sympy.Expr:
    x, operand = sympy.symbols("x operand")
    terms = [x**2, x, sympy.Integer(1), operand, operand * x]
    return sum(
        (random.choice((-3, -2, -1, 1, 2, 5)) * term for term in random.sample(terms, 3)), sympy.Integer(0)
    )


def _written(polynomial: sympy.Expr, operand: str) -> str:
    return str(polynomial).replace("**", "^").replace("operand", f"({operand})")


@pytest.mark.parametrize("operand", ["sin(x)", "sqrt(x)", "e^x"])
def test_quotients_that_can_be_cancelled_are_found_however_they_are_written(
    goes_round: Callable[[str], bool], operand: str
) -> None:
    random = Random(3)
    seen = {True: 0, False: 0}
    for _ in range(60):
        top, bottom, common = (_polynomial(random) for _ in range(3))
        if random.random() < 0.5:
            top, bottom = sympy.expand(top * common), sympy.expand(bottom * common)
        contents = [sympy.Poly(half).content() for half in (top, bottom)]
        if sympy.gcd(*contents) != 1 or not top or not bottom:
            continue
        cancels = bool(sympy.gcd(top, bottom).free_symbols)
        text = f"({_written(top, operand)})/({_written(bottom, operand)})"
        assert goes_round(text) == cancels, text
        seen[cancels] += 1
    assert min(seen.values()) > 10


@pytest.mark.parametrize(
    ("round_about", "direct"),
    [
        ("1/(1/(x + 1))", "1/(x + 1)"),
        ("sqrt(1/sqrt(x + 1))^(-2)", "sqrt(sqrt(x + 1))"),
        ("sqrt(sqrt(sqrt(x))^4)", "sqrt(sqrt(sqrt(x)))"),
        ("x^(1/8)*x^(7/8)", "x*sqrt(x)"),
        ("(x + 1)*sqrt(1/(x + 1))", "(x + 1)*sqrt(x)"),
        ("abs(sqrt(x))", "abs(sin(x))"),
        ("ln(abs(x)^2)", "ln(abs(x))"),
        ("8/((4*x + 4)*(2*x - 2))", "1/(2*(x - 1)) - 1/(2*(x + 1))"),
        ("x/(x + 1)^2 + 1/(x + 1)^2", "1/x - 1/(x + 1)"),
        ("cosh(x) + cosh(0) - 1", "cosh(x) + cosh(1) - 1"),
        ("sqrt(2)*sqrt(2)*x", "sqrt(2)*sqrt(3)*x"),
        ("((x + e^x)^2 - x^2 - e^(2*x))/2", "(x + e^x)^2 - x^2"),
        ("x + 1 - 1", "x + 1 + x"),
        ("x^2 - (x - 1)*(x + 1)", "x^2 - (x - 1)*(x + 2)"),
        ("ln(x + 2*sqrt((x^2 + 1)/4))", "ln(x + 2*sqrt((x^2 + 1)/2))"),
        ("sqrt(9*x)/3", "sqrt(3*x)/3"),
        ("e^(2*x)/e^x", "(e^x - e^(-x))/(e^x + e^(-x))"),
    ],
)
def test_ways_round(goes_round: Callable[[str], bool], round_about: str, direct: str) -> None:
    assert goes_round(round_about)
    assert not goes_round(direct)

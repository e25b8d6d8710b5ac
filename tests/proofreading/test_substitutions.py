"""Changes of variables are judged by the chain rule, which SymPy applies here."""

from __future__ import annotations

import pytest
import sympy

from engines.proofreading.proofread_files import TextProofreader


@pytest.fixture(scope="module")
def proofreader() -> TextProofreader:
    return TextProofreader()


def _find_verdict(proofreader: TextProofreader, text: str) -> str:
    return proofreader.check_links(text)[-1].verdict


@pytest.mark.parametrize("term", ["x**2 + 1", "sin(x)", "log(x)", "exp(3*x)", "5*x - 2", "sqrt(x)"])
def test_differentials_are_those_of_the_definition(proofreader: TextProofreader, term: str) -> None:
    definition = sympy.sympify(term)
    slope = definition.diff()
    start = f"Let $u = {sympy.latex(definition)}$. Then"
    for factor, verdict in ((1, "follows"), (3, "wrong")):
        written = sympy.latex(factor * slope)
        assert _find_verdict(proofreader, rf"{start} $du = {written}\,dx$.") == verdict
        halved = sympy.latex(factor * slope / 2)
        assert _find_verdict(proofreader, rf"{start} $\frac12 du = {halved}\,dx$.") == verdict


@pytest.mark.parametrize(
    ("start", "follows", "wrong"),
    [
        (r"$u = x^2 + 1$", r"\int 2x(x^2+1)^3\,dx = \int u^3\,du", r"\int 2x(x^2+1)^3\,dx = \int u^2\,du"),
        (r"$u = 5x+1$", r"\int (5x+1)^4\,dx = \frac15\int u^4\,du", r"\int (5x+1)^4\,dx = 5\int u^4\,du"),
        (r"$u = \cos x$", r"\int \tan x\,dx = -\int \frac{du}{u}", r"\int \tan x\,dx = \int \frac{du}{u^2}"),
        (
            r"$u = x + 1$",
            r"\int x\sqrt{x+1}\,dx = \int (u-1)\sqrt{u}\,du",
            r"\int x\sqrt{x+1}\,dx = \int u\sqrt{u}\,du",
        ),
        (
            r"$x = 3\tan t$",
            r"\int \frac{dx}{9+x^2} = \frac13 \int dt",
            r"\int \frac{dx}{9+x^2} = \frac19 \int dt",
        ),
        (r"$u = x^2$", r"\int x e^{x^2}\,dx = \frac12 e^u + C", r"\int x e^{x^2}\,dx = 2 e^u + C"),
    ],
)
def test_integrals_are_written_in_the_new_variable(
    proofreader: TextProofreader, start: str, follows: str, wrong: str
) -> None:
    assert _find_verdict(proofreader, f"We substitute {start}. Then ${follows}$.") == "follows"
    assert _find_verdict(proofreader, f"We substitute {start}. Then ${wrong}$.") == "wrong"


def test_limits_change_with_the_variable(proofreader: TextProofreader) -> None:
    start = r"Let $u = x^2+1$. Then $\int_0^1 2x(x^2+1)^3\,dx"
    assert _find_verdict(proofreader, rf"{start} = \int_1^2 u^3\,du$.") == "right"
    assert _find_verdict(proofreader, rf"{start} = \int_0^1 u^3\,du$.") == "wrong"


def test_a_slope_that_is_sought_is_no_constant(proofreader: TextProofreader) -> None:
    start = r"Let $u = y'$. The equation is $uu' = 2$, so"
    assert _find_verdict(proofreader, rf"{start} $\int u\,du = \int 2\,dx$.") == "not shown"


def test_parts_are_integrated(proofreader: TextProofreader) -> None:
    start = r"Let $u = x$ and $dv = e^{2x}\,dx$. Then $du = dx$ and"
    assert _find_verdict(proofreader, rf"{start} $v = \frac12 e^{{2x}}$.") == "follows"
    assert _find_verdict(proofreader, rf"{start} $v = 2 e^{{2x}}$.") == "wrong"


@pytest.mark.parametrize(
    "text",
    [
        r"Let $u = x^2 + 1$. It is wrong that $du = 2\,dx$.",
        r"Let $u = x^2 + 1$. Is $du = 2\,dx$?",
        r"Let $v = \frac{y}{x}$. Then $dv = \frac{1}{x}\,dy$ and $\int \frac{dv}{v^2} = \int \frac{dx}{x}$.",
        r"One solution is $y = e^x$. In general $\frac{dy}{y} = 2x\,dx$.",
        r"We know that $\int 2x\,dx = \int u\,du$ for $u = x^3$.",
        r"Let $n = 3d$ and $m = 2n$. Then $dm = 2dn$.",
        r"Let $u = x^2$, so $du = 2x\,dx$. For the second integral $u = x^3$.",
    ],
)
def test_what_may_be_meant_otherwise_is_not_accused(proofreader: TextProofreader, text: str) -> None:
    assert all(link.verdict not in ("wrong", "doubtful") for link in proofreader.check_links(text))

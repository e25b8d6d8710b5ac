"""Expansions of which the first terms are written are compared with those of SymPy's series."""

from __future__ import annotations

import pytest
import sympy

from engines.proofreading.proofread_files import TextProofreader


@pytest.fixture(scope="module")
def proofreader() -> TextProofreader:
    return TextProofreader()


def _find_verdict(proofreader: TextProofreader, text: str) -> str:
    return proofreader.check_links(text)[-1].verdict


@pytest.mark.parametrize(
    ("latex", "term"),
    [
        (r"\cos x", "cos(x)"),
        (r"e^{2x}", "exp(2*x)"),
        (r"\ln(1+x)", "log(1+x)"),
        (r"\sqrt{1+x}", "sqrt(1+x)"),
        (r"\tan x", "tan(x)"),
        (r"\frac{x}{1-x-x^2}", "x/(1-x-x**2)"),
        (r"\frac{\sin x}{x}", "sin(x)/x"),
        (r"e^x \sin x", "exp(x)*sin(x)"),
        (r"\int_0^x e^{-t^2}\,dt", "integrate(exp(-t**2), (t, 0, x))"),
    ],
)
@pytest.mark.parametrize("end", [r"\dots", "O(x^6)"])
def test_first_terms_are_those_of_the_expansion(
    proofreader: TextProofreader, latex: str, term: str, end: str
) -> None:
    polynomial = sympy.series(sympy.sympify(term), n=6).removeO()
    terms = sorted(polynomial.as_ordered_terms(), key=sympy.degree)
    spoiled = [*terms[:-1], terms[-1] / 3]
    for written, verdict in ((terms, "right"), (spoiled, "wrong")):
        sides = f"{latex} = {' + '.join(map(sympy.latex, written))} + {end}"
        assert _find_verdict(proofreader, f"We have ${sides}$.") == verdict


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        (
            r"\ln x = (x-1) - \frac{(x-1)^2}{2} + \frac{(x-1)^3}{3} - \dots",
            r"\ln x = (x-1) - \frac{(x-1)^2}{2} + \frac{(x-1)^3}{6} - \dots",
        ),
        (
            r"\frac{1}{1-x} = -\frac1x - \frac{1}{x^2} - \cdots",
            r"\frac{1}{1-x} = -\frac1x + \frac{1}{x^2} - \cdots",
        ),
        # a number of the function spoils all coefficients
        (r"\ln(1+u) = u - \frac12 u^2 + o(u^2)", r"\ln(6+u) = u - \frac12 u^2 + o(u^2)"),
        (r"\frac{1}{1-x} = 1 + x + x^2 + \dots", r"\frac{3}{1-x} = 1 + x + x^2 + \dots"),
        (r"(n+1)^3 = n^3 + 3n^2 + O(n)", r"(n+1)^3 = n^3 + 2n^2 + O(n)"),
        (r"\frac{a}{1-r} = a + ar + ar^2 + \cdots", r"\frac{a}{1-r} = a + ar + 2ar^2 + \cdots"),
        (
            r"\sum_{n=0}^\infty \frac{x^n}{n!} = 1 + x + \frac{x^2}{2!} + \frac{x^3}{3!} + \cdots",
            r"\sum_{n=0}^\infty \frac{x^n}{n!} = 1 + x + \frac{x^2}{2!} + \frac{x^3}{3} + \cdots",
        ),
        (
            r"\frac{1}{(1-x)^2} = 1 + 2x + \dots + (n+1)x^n + \dots",
            r"\frac{1}{(1-x)^2} = 1 + 3x + \dots + (n+1)x^n + \dots",
        ),
    ],
)
def test_expansions_elsewhere_are_judged(proofreader: TextProofreader, right: str, wrong: str) -> None:
    assert _find_verdict(proofreader, f"We have ${right}$.") == "right"
    assert _find_verdict(proofreader, f"We have ${wrong}$.") == "wrong"


def test_taylor_polynomials_are_judged_where_words_name_them(proofreader: TextProofreader) -> None:
    words = "The Taylor polynomial gives"
    assert _find_verdict(proofreader, rf"{words} $\cos x \approx 1 - \frac{{x^2}}{{2}}$.") == "right"
    assert _find_verdict(proofreader, rf"{words} $\cos x \approx 1 - \frac{{x^2}}{{3}}$.") == "wrong"
    assert _find_verdict(proofreader, r"It is $\cos x \approx 1 - \frac{x^2}{3}$.") == "not shown"


@pytest.mark.parametrize(
    "start",
    [
        r"The Maclaurin series of $\sin x$ is",
        r"The Taylor series of $\sin x$ at $0$ is",
        r"The power series for $f(x) = \sin x$ is given by",
    ],
)
def test_series_are_named_in_words(proofreader: TextProofreader, start: str) -> None:
    assert _find_verdict(proofreader, rf"{start} $x - \frac{{x^3}}{{6}} + \dots$.") == "right"
    assert _find_verdict(proofreader, rf"{start} $x - \frac{{x^3}}{{3}} + \dots$.") == "wrong"


def test_definitions_are_expanded(proofreader: TextProofreader) -> None:
    defined = r"Let $f(x) = \cos 2x$. Then"
    assert _find_verdict(proofreader, rf"{defined} $f(x) = 1 - 2x^2 + \cdots$.") == "follows"
    assert _find_verdict(proofreader, rf"{defined} $f(x) = 1 - x^2 + \cdots$.") == "wrong"


def test_a_function_gets_another_series_in_the_next_example(proofreader: TextProofreader) -> None:
    listed = r"1. The even ones have $$F(x) = \sum_{n \ge 1} x^n$$" "\n\n2. The odd ones: "
    assert _find_verdict(proofreader, rf"{listed}$$F(x) = \sum_{{n \ge 0}} x^{{2n}}.$$") == "given"
    closed = r"Let $$F(x) = \frac{1}{1-x}.$$ Then we have "
    assert _find_verdict(proofreader, rf"{closed}$$F(x) = \sum_{{n \ge 0}} x^{{2n}}.$$") == "wrong"


@pytest.mark.parametrize(
    "text",
    [
        r"Suppose that $e^x = 1 + 2x + \dots$.",
        r"We have $f(x) = 3 + 2x + \dots$ and $\sin x = 5 + 7x + \dots$.",
        r"It is not true that $e^x = 1 + 2x + \dots$.",
        r"Is $e^x = 1 + 2x + \dots$?",
        r"We have $e^{tA} = I + tA + \frac{t^2A^2}{2} + \cdots$.",
        r"We have $e^{ix} = 1 + ix - \frac{x^2}{2} - \cdots$.",
        r"We have $\sum_{n=0}^\infty a_n x^n + \sum_{n=1}^\infty n a_n x^n = a_0 + 2 a_1 x + \cdots$.",
        r"We have $x = x_1 + x_2 + \cdots$.",
        r"We have $b(a_1 x + a_2 y + \cdots + a_m z) = b a_1 x + b a_3 y + \cdots + b a_m z$.",
        r"We have $x = 2 \sin x - \sin 2x + \cdots$.",
    ],
)
def test_what_may_be_meant_otherwise_is_not_accused(proofreader: TextProofreader, text: str) -> None:
    assert _find_verdict(proofreader, text) != "wrong"

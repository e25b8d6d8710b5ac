"""Derivatives and integrals that words state between two formulas are judged like those in formulas."""

from __future__ import annotations

import pytest
import sympy

from engines.proofreading.proofread_files import TextProofreader


@pytest.fixture(scope="module")
def proofreader() -> TextProofreader:
    return TextProofreader()


@pytest.mark.parametrize("term", ["x**3*sin(x)", "exp(2*x)", "log(x)", "x/(x+1)", "a*x**2"])
@pytest.mark.parametrize(
    "words",
    [
        "The derivative of ${}$ is ${}$.",
        "Differentiating ${}$, we get ${}$.",
        "The derivative of ${}$ with respect to $x$ is ${}$.",
        "The derivative of $f(x) = {}$ is ${}$.",
    ],
)
def test_derivatives_in_words_are_judged(proofreader: TextProofreader, term: str, words: str) -> None:
    written = sympy.sympify(term)
    slope = sympy.diff(written, "x")
    for value, verdict in ((slope, "right"), (2 * slope, "wrong")):
        text = words.format(sympy.latex(written), sympy.latex(value))
        assert proofreader.check_links(text)[-1].verdict == verdict


@pytest.mark.parametrize(
    ("words", "right", "wrong"),
    [
        (r"The integral of $\cos 2x$ is", r"\frac12 \sin 2x + C", r"2\sin 2x + C"),
        (r"An antiderivative of $x^2$ is", r"\frac{x^3}{3}", r"\frac{x^3}{2}"),
        (r"The integral of $x^2$ from $0$ to $3$ is", "9", "8"),
        (r"The partial derivative of $x^2y$ with respect to $y$ is", "x^2", "2xy"),
    ],
)
def test_integrals_and_partial_derivatives_in_words_are_judged(
    proofreader: TextProofreader, words: str, right: str, wrong: str
) -> None:
    assert proofreader.check_links(f"{words} ${right}$.")[-1].verdict == "right"
    assert proofreader.check_links(f"{words} ${wrong}$.")[-1].verdict == "wrong"


@pytest.mark.parametrize(
    "text",
    [
        r"The second derivative of $x^3$ is $6x$.",
        r"The derivative of $y^2$ is $2yy'$.",
        r"The derivative of $y^2$ is $2y\frac{dy}{dx}$.",
        r"The derivative of $x^2$ is $2$ times $x$.",
        r"The derivative of $x^2$ at $1$ is $2$.",
        r"The derivative of $x^2$ is $2$ at $x = 1$.",
        r"The derivative of $x^2$ is $2x\,dx$.",
        r"The derivative of $x^2$ is not $x$.",
        r"The integral of $x^2$ is $\frac13$.",
        r"The derivative of $x$ is $v$.",
        r"Suppose that the derivative of $x^2$ is $x$.",
        r"It is false that the derivative of $x^2$ is $x$.",
        r"A student claims that the derivative of $x^2$ is $x$.",
    ],
)
def test_what_is_denied_or_about_something_else_is_not_accused(
    proofreader: TextProofreader, text: str
) -> None:
    assert all(link.verdict not in ("wrong", "doubtful") for link in proofreader.check_links(text))

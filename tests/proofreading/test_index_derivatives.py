"""Partial derivatives by index follow from the definition of their function, or are wrong by it."""

from __future__ import annotations

import pytest
import sympy

from engines.proofreading.proofread_files import TextProofreader

_DEFINED = "Let $f(x,y) = x^2y + y^3$."


@pytest.fixture(scope="module")
def proofreader() -> TextProofreader:
    return TextProofreader()


@pytest.mark.parametrize("index", ["x", "y", "xy", "yy", "xxy"])
@pytest.mark.parametrize("term", ["x**2*y + y**3", "exp(x*y)", "x**3*sin(y)"])
def test_derivatives_by_index_are_worked_out(proofreader: TextProofreader, term: str, index: str) -> None:
    function = sympy.sympify(term)
    slope = sympy.diff(function, *index)
    start = f"Let $f(x,y) = {sympy.latex(function)}$. Then $f_{{{index}}} = "
    assert proofreader.check_links(f"{start}{sympy.latex(slope)}$.")[-1].verdict == "follows"
    if slope.free_symbols:
        assert proofreader.check_links(f"{start}{sympy.latex(3 * slope)}$.")[-1].verdict == "wrong"


def test_values_of_derivatives_by_index_are_worked_out(proofreader: TextProofreader) -> None:
    for value, verdict in (("4", "follows"), ("5", "wrong")):
        assert proofreader.check_links(f"{_DEFINED} Then $f_y(1,1) = {value}$.")[-1].verdict == verdict
    assert proofreader.check_links(f"{_DEFINED} Then $f_{{xy}} = f_{{yx}}$.")[-1].verdict == "follows"


@pytest.mark.parametrize(
    "text",
    [
        f"{_DEFINED} At a critical point $f_x = 0$ and $f_y = 0$.",
        f"{_DEFINED} Then $f_x = \\lambda g_x$.",
        f"{_DEFINED} Suppose that $f_x = 3xy$.",
        f"{_DEFINED} It is not true that $f_x = 3xy$.",
        f"{_DEFINED} Let $f_n = xy$.",
        r"Let $f_y = 3xy$ and $f(x,y) = x^2y$. Then $f_y = 3xy$.",
        r"Let $f(x) = x^2$. Then $f_x = 3x$.",
        f"{_DEFINED} For fixed $x$ let $f_x(y) = 2x^2y$.",
    ],
)
def test_what_may_be_meant_otherwise_is_not_accused(proofreader: TextProofreader, text: str) -> None:
    assert all(link.verdict not in ("wrong", "doubtful") for link in proofreader.check_links(text))

"""Forms that a question asks for: an equal answer that is visibly not in that form is not called equal."""

from __future__ import annotations

import pytest

from engines.grading.grades import grade


@pytest.mark.parametrize(
    ("problem", "gold", "right", "wrong"),
    [
        ("Factor completely: $y^3-9y$.", "y(y-3)(y+3)", "(3+y)·y·(y−3)", "y(y² − 9)"),
        ("Factor completely: $y^3-9y$.", "y(y-3)(y+3)", "$y^3-9y = y(y-3)(y+3)$", "(y² + 3y)(y − 3)"),
        ("Factorise $a^4-1$.", "(a-1)(a+1)(a^2+1)", "(a^2+1)(a+1)(a-1)", "(a^2-1)(a^2+1)"),
        ("Factorise $6a+9$.", "3(2a+3)", "(2a+3)·3", "6a + 9"),
        ("Factor $8z^2-2$ completely.", "2(2z-1)(2z+1)", "2(2z+1)(2z-1)", "(4z-2)(2z+1)"),
        ("Zerlege $k^2+5k+6$ in Linearfaktoren.", "(k+2)(k+3)", "(k+3)(k+2)", "k² + 5k + 6"),
        ("Factorisez $t^2-2t+1$.", "(t-1)^2", "(t-1)(t-1)", "t^2 - 2t + 1"),
        ("Find the prime factorization of 180.", r"2^2\cdot3^2\cdot5", "2·2·3·3·5", "4·9·5"),
        ("Expand $(m+4)(m-1)$.", "m^2+3m-4", "m² + 3m − 4", "(m-1)(m+4)"),
        ("Expand $(m+4)(m-1)$.", "m^2+3m-4", "-4 + 3m + m^2", "m(m+3) - 4"),
        ("Multiply out $(2n+1)^2$.", "4n^2+4n+1", "1 + 4n + 4n^2", "4(n^2+n) + 1"),
        ("Write 12/18 in lowest terms.", r"\frac23", "2/3", "4/6"),
        ("Simplify $\\frac{p^2-9}{p-3}$.", "p+3", "3 + p", r"\frac{p^2-9}{p-3}"),
        ("Simplify $\\frac{p^2-9}{p-3}$.", "p+3", "3 + p", r"\frac{(p-3)(p+3)}{p-3}"),
        (r"Write as a single fraction: $\frac1u+\frac1v$.", r"\frac{u+v}{uv}", "(v+u)/(u v)", "1/v + 1/u"),
        ("Write $r^2 r^3$ as a single power ($r>0$).", "r^5", "r^{5}", "r·r^4"),
        (
            r"Decompose $\frac{2}{s^2-1}$ into partial fractions.",
            r"\frac1{s-1}-\frac1{s+1}",
            r"-\frac{1}{s+1}+\frac{1}{s-1}",
            r"\frac{2}{(s-1)(s+1)}",
        ),
        (
            r"Rationalise the denominator of $\frac{6}{\sqrt3}$.",
            r"2\sqrt3",
            r"\sqrt{3}·2",
            r"\frac{6\sqrt3}{\sqrt3\sqrt3}",
        ),
        ("Complete the square: $w^2+6w+1$.", "(w+3)^2-8", "-8 + (w+3)^2", "w^2+6w+1"),
        (r"Write $1+i$ in polar form.", r"\sqrt2 e^{i\pi/4}", r"\sqrt2(\cos(\pi/4)+i\sin(\pi/4))", "i + 1"),
    ],
)
def test_an_equal_answer_in_another_form_is_not_called_equal(
    problem: str, gold: str, right: str, wrong: str
) -> None:
    assert grade(gold, right, problem=problem).verdict == "equal"
    judged = grade(gold, wrong, problem=problem)
    assert judged.verdict in ("undecided", "equal if")
    assert judged.reason or judged.condition


@pytest.mark.parametrize(
    ("problem", "gold", "pred"),
    [
        ("Find the integrating factor of $y'+y/x=1$.", "x(1+x)", "x + x^2"),
        ("By which factor does the area grow?", "4", "2·2"),
        ("Calculate the area.", "x(x+1)", "x^2+x"),
        ("Expand $(b+1)^2$ and factor the result.", "(b+1)^2", "(b+1)(b+1)"),
        ("What is the least common multiple of 4 and 6?", r"2^2\cdot3", "12"),
    ],
)
def test_a_form_that_is_not_asked_for_does_not_count(problem: str, gold: str, pred: str) -> None:
    assert grade(gold, pred, problem=problem).verdict == "equal"

"""A formula that is solved for one of its letters follows or does not; roots and bounds likewise."""

from __future__ import annotations

import pytest
import sympy

from engines.proofreading.proofread_files import TextProofreader


@pytest.fixture(scope="module")
def proofreader() -> TextProofreader:
    return TextProofreader()


@pytest.mark.parametrize(
    ("formula", "letter"),
    [("F = m*a", "a"), ("V = pi*r**2*h/3", "h"), ("s = u*t + a*t**2/2", "u"), ("1/f = 1/u + 1/v", "v")],
)
def test_formulas_are_solved_for_their_letters(
    proofreader: TextProofreader, formula: str, letter: str
) -> None:
    names = {name: sympy.Symbol(name) for name in "FmaVrhsutfv"}
    left, right = (sympy.sympify(side, locals=names) for side in formula.split("="))
    (solution,) = sympy.solve(left - right, names[letter])
    start = f"From ${sympy.latex(left)} = {sympy.latex(right)}$ we get ${letter} = "
    assert proofreader.check_links(f"{start}{sympy.latex(solution)}$.")[-1].verdict == "follows"
    assert proofreader.check_links(f"{start}{sympy.latex(2 * solution)}$.")[-1].verdict == "wrong"


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (r"From $p^2 + q^2 = r^2$ we get $q = \pm\sqrt{r^2 - p^2}$.", "follows"),
        (r"From $p^2 + q^2 = r^2$ we get $q = \pm\sqrt{r^2 + p^2}$.", "wrong"),
        # Letters change places, a constant is another one, and another formula is about something else.
        (r"Let $2y = 4x + 6$. We swap the letters to get $x = 2y + 3$.", "not shown"),
        (r"From $\ln y = x + C$ we get $y = C e^x$.", "not shown"),
        (r"The line is $ax + by = c$. For a plane we have $a = bc$.", "not shown"),
        (r"The area is $A = \frac12 bh$. For a parallelogram we have $A = bh$.", "not shown"),
    ],
)
def test_only_the_formula_right_before_is_solved(
    proofreader: TextProofreader, text: str, verdict: str
) -> None:
    assert proofreader.check_links(text)[-1].verdict == verdict


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (r"From $\cos x = \frac12$ it follows that $x = \frac{\pi}{3}$ or $x = \frac{5\pi}{3}$.", "follows"),
        (r"From $\cos x = \frac12$ it follows that $x = \frac{\pi}{3}$ or $x = \frac{4\pi}{3}$.", "wrong"),
        ("We get $-2x > -6$. Divide by $-2$ to get\n\n$$x < 3.$$", "follows"),
        ("We get $-2x > -6$. Divide by $-2$ to get\n\n$$x > 3.$$", "wrong"),
        ("Next, $x^2 - 6x + 9 = 0$, so $x = 3$.\n\nThen $x^2 + x + 1 = 0$ has no real root.", "not shown"),
        ("Let $2x > 4$. For $x < 2$ there is nothing to do.", "not shown"),
    ],
)
def test_roots_and_bounds_solve_what_stands_before(
    proofreader: TextProofreader, text: str, verdict: str
) -> None:
    assert proofreader.check_links(text)[-1].verdict == verdict


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (r"In $\mathbb{Z}/6\mathbb{Z}$ we have the ideals $(2)+(3)=(1)$.", "right if"),
        (r"The ideals satisfy $(4)(6) = (24)$.", "right"),
        (r"We have $(3) + (1+i) = (1)$.", "not shown"),
        (r"We have $(2)(3) = 7$.", "wrong"),
        (r"The eccentricity is $e = \frac{c}{a}$ where $a = 5$ and $c = 4$.", "given"),
        (r"Let $a = 5$ and $c = 4$. The eccentricity is $e = \frac{c}{a}$.", "given"),
        (r"So the volume is $2\pi\left[\frac{r^4}{4}\right]_0^2 = 8\pi$.", "right"),
        (r"So the volume is $2\pi\left[\frac{r^4}{4}\right]_0^2 = 16\pi$.", "wrong"),
        (r"So $V = B\left[h^2\right]_0^3 = 9B$.", "right"),
        (r"For $x = 0$ that would read $3 = -3$.", "not shown"),
    ],
)
def test_other_notations_are_read(proofreader: TextProofreader, text: str, verdict: str) -> None:
    links = proofreader.check_links(text)
    assert (links[-1] if "where" not in text else links[0]).verdict == verdict


_TRIANGLE = r"In a triangle with angles $\alpha + \beta + \gamma = \pi$ we have "


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (_TRIANGLE + r"$\sin(\alpha + \beta) = \sin\gamma$.", "follows"),
        (
            r"Solve $4\sin x\cos x\cos 2x = \sin 3x$. $\Rightarrow 2\sin 2x\cos 2x = \sin 3x$",
            "follows",
        ),
        (_TRIANGLE + r"$\sin(\alpha + \beta) = \cos\gamma$.", "not shown"),
        (
            r"Let $x - y = \frac{\pi}{4}$. Then $2\sin x\sin y = \cos(x - y) - \cos(x + y) "
            r"= \cos\frac{\pi}{4} - \cos(x + y)$.",
            "follows",
        ),
        (
            r"Let $x - y = \frac{\pi}{4}$. Then $2\sin x\sin y = \cos(x - y) - \cos(x + y) "
            r"= \cos\frac{\pi}{3} - \cos(x + y)$.",
            "wrong",
        ),
    ],
)
def test_sums_of_angles_are_put_in(proofreader: TextProofreader, text: str, verdict: str) -> None:
    assert proofreader.check_links(text)[-1].verdict == verdict


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (r"$3a\dot a - b\dot b = 0 \implies \dot b = \frac{3a}{b}\dot a$", "follows"),
        (r"$3a\dot a - b\dot b = 0 \implies \dot b = \frac{b}{3a}\dot a$", "wrong"),
        (r"$rs + tw = 0 \implies w = -\frac{rs}{t}$", "follows"),
        (r"$rs + tw = 0 \implies w = -\frac{rt}{s}$", "wrong"),
        # either square root may be meant, and letters can be equal in the case at hand
        (r"$r^2 - s^2 = 0 \implies r = -s$", "follows"),
        (r"$s = t$ and $rs + tw = 0 \implies w = -\frac{rt}{s}$", "follows"),
        (r"$s = t$. Then $rs + tw = 0 \implies w = -r$", "not shown"),
    ],
)
def test_behind_an_arrow_the_only_solution_is_claimed(
    proofreader: TextProofreader, text: str, verdict: str
) -> None:
    assert proofreader.check_links(f"We have {text}.")[-1].verdict == verdict

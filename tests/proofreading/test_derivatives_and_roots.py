"""Derivatives of sides, roots that are listed, signs of angles and sums without end, in worked examples."""

from __future__ import annotations

import pytest

from engines.proofreading.proofread_files import TextProofreader


@pytest.fixture(scope="module")
def proofreader() -> TextProofreader:
    return TextProofreader()


def has_mistake(proofreader: TextProofreader, text: str) -> bool:
    return "wrong" in [link.verdict for link in proofreader.check_links(text)]


_CURVE = "For the curve $x^2 + xy + y^3 = 11$ we differentiate both sides: "
_SLOPE = "Differentiating $x^2 + 3xy + y^2 = 5$ gives $2x + 3y + 3xy' + 2yy' = 0$. Solving for $y'$ gives "
_BY_PARTS = r"We integrate by parts with $u = x$ and $v' = \cos 3x$, so "
_PRODUCT = "\\begin{align*}\n(x^3 y)' &= x^2\\\\\nx^3 y &= %s + C\n\\end{align*}"


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (f"{_CURVE}$2x + y + xy' + 3y^2 y' = 0$.", False),
        (f"{_CURVE}$2x + xy' + 3y^2 y' = 0$.", True),
        (_SLOPE + r"$y' = -\frac{2x + 3y}{3x + 2y}$.", False),
        (_SLOPE + r"$y' = -\frac{2x + 3y}{3x - 2y}$.", True),
        (_BY_PARTS + r"$v = \frac13 \sin 3x$.", False),
        (_BY_PARTS + r"$v = 3\sin 3x$.", True),
        (_PRODUCT % r"\frac{x^3}{3}", False),
        (_PRODUCT % r"\frac{x^3}{2}", True),
        # a curve that is not differentiated, and a slope at one point
        ("The curve $x^2 + y^2 = 5$ has another one beside it, where $x + y' = 0$.", False),
        (r"We study $f(x) = x e^{-2x}$. With the product rule $f'(x) = e^{-2x} - 2xe^{-2x}$.", False),
        ("We study $f(x) = x e^{-2x}$.\n\nWith the product rule\n\n$$f'(x) = e^{-2x} + 2xe^{-2x}.$$", True),
    ],
)
def test_derivatives_of_both_sides(proofreader: TextProofreader, text: str, wrong: bool) -> None:
    assert has_mistake(proofreader, text) == wrong


_CUBIC = "Here $q(x) = (x - 2)(x^2 + 3x - 4) = (x - 2)(x - 1)(x + 4)$, so the zeros are "


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("The roots of $x^2 - x - 12 = 0$ are $x = 4$ and $x = -3$.", False),
        ("The roots of $x^2 - x - 12 = 0$ are $x = 4$ and $x = 3$.", True),
        ("方程 $x^2 - x - 12 = 0$ 的两根为 $x_1 = 4$，$x_2 = -3$。", False),
        ("方程 $x^2 - x - 12 = 0$ 的两根为 $x_1 = 4$，$x_2 = 3$。", True),
        (f"{_CUBIC}$x = 2$, $x = 1$, $x = -4$.", False),
        (f"{_CUBIC}$x = 2$, $x = 1$, $x = 4$.", True),
        ("To find the roots of $x^2 - x - 12 = 0$ note that for $x = 3$ the left side is $-6$.", False),
        ("We may have introduced one of the roots $x = 3$ of $x^2 - x - 12 = 0$.", False),
        ("The roots of $x^2 - x - 12 = 0$ are looked for. At $x = 3$ the value is $-6$.", False),
    ],
)
def test_listed_roots(proofreader: TextProofreader, text: str, wrong: bool) -> None:
    assert has_mistake(proofreader, text) == wrong


_POWERS = r"We get $n\ln 0.5 \le \ln 0.2$, and dividing by $\ln 0.5$ we find "
_QUADRANT = r"Let $a$ be an angle in the third quadrant with $\cos a = -\frac{5}{13}$. Then "


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (rf"{_QUADRANT}$\sin a = -\frac{{12}}{{13}}$.", False),
        (rf"{_QUADRANT}$\sin a = \frac{{12}}{{13}}$.", True),
        (r"Let $\frac{\pi}{2} < b < \pi$ with $\sin b = \frac45$. So $\cos b = -\frac35$.", False),
        (r"Let $\frac{\pi}{2} < b < \pi$ with $\sin b = \frac45$. So $\cos b = \frac35$.", True),
        (rf"{_QUADRANT}$\sin c = \frac{{12}}{{13}}$ of an angle in the first quadrant.", False),
        # sums without end
        (r"So $1 - \frac12 + \frac14 - \frac18 + \cdots = \frac{1}{1 + \frac12}$.", False),
        (r"So $1 - \frac12 + \frac14 - \frac18 + \cdots = \frac{1}{1 - \frac12}$.", True),
        (r"So $1 + \frac12 + \frac13 + \frac14 + \cdots = 3$.", False),
        # a letter that has a value, and the inverse of a matrix that is known
        ("Hence $a = 0$ and $b = 2$. The slope is $g'(1) = a = 0$.", False),
        ("Hence $a = 0$ and $b = 2$. The slope is $g'(1) = a = 2$.", True),
        (
            r"Let $M = \begin{pmatrix} 2 & 1 \\ 5 & 3 \end{pmatrix}$. By the formula for square matrices "
            r"$M^{-1} = \begin{pmatrix} 3 & -1 \\ -5 & 2 \end{pmatrix}$.",
            False,
        ),
        (
            r"Let $M = \begin{pmatrix} 2 & 1 \\ 5 & 3 \end{pmatrix}$. By the formula for square matrices "
            r"$M^{-1} = \begin{pmatrix} 3 & -1 \\ 5 & 2 \end{pmatrix}$.",
            True,
        ),
        (rf"{_POWERS}$n \ge \frac{{\ln 0.2}}{{\ln 0.5}}$.", False),
        (rf"{_POWERS}$n \le \frac{{\ln 0.2}}{{\ln 0.5}}$.", True),
        (r"The number of divisors is $\tau(72) = 4 \cdot 3 = 12$.", False),
        (r"The number of divisors is $\tau(72) = 3 \cdot 2 = 6$.", True),
    ],
)  # fmt: skip
def test_signs_sums_and_values(proofreader: TextProofreader, text: str, wrong: bool) -> None:
    assert has_mistake(proofreader, text) == wrong


_ROOTS = r"The characteristic equation is $s^2 - 2s + 10 = 0$, with "
_ANGLE = r"With $\sin a = \frac35$ and $\cos a = -\frac45$ we get "
_SQUARES = (
    "We get\n\\begin{align*}\n(x - 1)^2 - 1 + (y + 2)^2 - 4 &= 20\\\\\n"
    "(x - 1)^2 + (y + 2)^2 &= %s\n\\end{align*}"
)
_CIRCLE = (
    "We get\n\\begin{align*}\n(x^2 - 2x + 1) + (y^2 + 4y + 4) &= 25\\\\\n"
    "(x - 1)^2 + (y %s 2)^2 &= 25\n\\end{align*}"
)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (rf"{_ROOTS}$s = 1 \pm 3i$.", False),
        (rf"{_ROOTS}$s = 1 \pm 9i$.", True),
        (r"The roots are $r = \frac{6 \pm 4i}{2} = 3 \pm 2i$.", False),
        (r"The roots are $r = \frac{6 \pm 4i}{2} = 3 \pm 4i$.", True),
        (_SQUARES % "25", False),
        (_SQUARES % "15", True),
        (_CIRCLE % "+", False),
        (_CIRCLE % "-", True),
        # a system, whose rows are no forms of one equation
        ("We solve\n\\begin{align*}\nx + y &= 3\\\\\nx + y + z &= 4\n\\end{align*}", False),
        (rf"{_ANGLE}$\tan 2a = \frac{{2\tan a}}{{1 - \tan^2 a}} = -\frac{{24}}{{7}}$.", False),
        (rf"{_ANGLE}$\tan 2a = \frac{{2\tan a}}{{1 - \tan^2 a}} = \frac{{24}}{{7}}$.", True),
    ],
)  # fmt: skip
def test_imaginary_roots_and_rows(proofreader: TextProofreader, text: str, wrong: bool) -> None:
    assert has_mistake(proofreader, text) == wrong

"""Vectors, constants and values that a text takes from what stands right before them."""

from __future__ import annotations

import pytest

from engines.proofreading.proofread_files import TextProofreader


@pytest.fixture(scope="module")
def proofreader() -> TextProofreader:
    return TextProofreader()


def has_mistake(proofreader: TextProofreader, text: str) -> bool:
    return "wrong" in [link.verdict for link in proofreader.check_links(text)]


_MATRIX = r"Let $A = \begin{pmatrix} 3 & 2 \\ 1 & 4 \end{pmatrix}$. "
_OSCILLATION = r"So $y(x) = a\cos 3x + b\sin 3x$. With $y(0) = 2$ and $y'(0) = 6$ we obtain $a = 2$ and "
_DAMPED = r"Let $y(x) = e^x(A\cos 2x + B\sin 2x)$ with $y'(0) = 7$. "


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (rf"{_MATRIX}For $\lambda = 2$ we solve $(A - 2I)v = 0$ and obtain $v = (2, -1)^T$.", False),
        (rf"{_MATRIX}For $\lambda = 2$ we solve $(A - 2I)v = 0$ and obtain $v = (1, 2)^T$.", True),
        (r"We solve $3x - y = 0$ and take $w = (1, 3)$.", False),
        (r"We solve $3x - y = 0$ and take $w = (3, 1)$.", True),
        (r"The equation is $v_1 + v_2 - 2v_3 = 0$, so we choose $v = (1, 1, 1)$.", False),
        (r"The equation is $v_1 + v_2 - 2v_3 = 0$, so we choose $v = (1, 1, 2)$.", True),
        # another vector, an equation with a number, and a vector that is refused
        (r"The line is $3x - y = 0$. Let $w = (3, 1)$.", False),
        (r"We solve $3x - y - 1 = 0$ and take $w = (1, 2)$.", False),
        (r"For $3x - y = 0$ we do not take $w = (3, 1)$.", False),
    ],
)
def test_vectors_that_solve_an_equation(proofreader: TextProofreader, text: str, wrong: bool) -> None:
    assert has_mistake(proofreader, text) == wrong


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (f"{_OSCILLATION}$b = 2$.", False),
        (f"{_OSCILLATION}$b = 6$.", True),
        (
            rf"{_DAMPED}We get $y'(0) = A + 2B$, so $A + 2B = 7$.",
            False,
        ),
        (
            rf"{_DAMPED}We get $y'(0) = A + B$, so $A + B = 7$.",
            True,
        ),
        # an equation for a constant
        (r"Let $f(x) = x^2 + a$. The condition is $f(1) = 2a$, so $a = 1$.", False),
        # both roots by their names
        (r"We get $t_{1,2} = \frac{3 \pm 5}{4}$, $t_1 = 2$ and $t_2 = -\frac{1}{2}$.", False),
        (r"We get $t_{1,2} = \frac{3 \pm 5}{4}$, $t_1 = 2$ and $t_2 = -2$.", True),
        (r"Find the zeros of $p(x) = x^2 - 5x + 6$. So we can write $p(x) = (x - 2)(x - 3)$.", False),
        (r"Find the zeros of $p(x) = x^2 - 5x + 6$. So we can write $p(x) = (x - 2)(x + 3)$.", True),
    ],
)
def test_constants_and_roots(proofreader: TextProofreader, text: str, wrong: bool) -> None:
    assert has_mistake(proofreader, text) == wrong


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (r"Euler's function has $\varphi(40) = \varphi(8)\varphi(5) = 16$.", False),
        (r"Euler's function has $\varphi(40) = \varphi(8)\varphi(5) = 12$.", True),
        (r"Let $X$ be normally distributed. Then $2\Phi(2) - 1 = 0.9544$.", False),
        (r"Let $X$ be normally distributed. Then $2\Phi(2) - 1 = 0.8544$.", True),
        # other functions of these names
        (r"The homomorphism has $\varphi(40) = 12$ and the potential $\Phi(2) = 3$.", False),
        (r"Euler's function is another: let $\varphi(x) = x^2$. Then $\varphi(4) = 16$.", False),
    ],
)
def test_functions_that_are_meant_by_their_letters(
    proofreader: TextProofreader, text: str, wrong: bool
) -> None:
    assert has_mistake(proofreader, text) == wrong


_POWER = r"With $U = 12\,\mathrm{V}$ and $I = 3\,\mathrm{A}$ we have $P = U\cdot I$, which gives "
_LAW = (
    "Let $a = 3$ and $b = 5$ with $\\gamma = 60^\\circ$. Then\n\n"
    "$$c^2 = a^2 + b^2 - 2ab\\cos\\gamma,$$\n\nhence\n\n"
)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (f"{_POWER}$P = 36\\,\\mathrm{{W}}$.", False),
        (f"{_POWER}$P = 15\\,\\mathrm{{W}}$.", True),
        (f"{_LAW}$$c^2 = 9 + 25 - 15 = 19.$$", False),
        (f"{_LAW}$$c^2 = 9 + 25 + 15 = 49.$$", True),
        (r"Let $V = \pi r^2 h$ with $h = 2$. For $r = 3$: $V = 18\pi$.", False),
        (r"Let $V = \pi r^2 h$ with $h = 2$. For $r = 3$: $V = 12\pi$.", True),
        # another quantity of the same letter, further on
        ("Let $V = \\pi r^2 h$ with $h = 2$ and $r = 3$.\n\nThe cone has $V = 6\\pi$.", False),
        (
            r"So $4\,\mathrm{L} = 0.004\,\mathrm{m^3}$; $I = \frac{6\,\mathrm{V}}{3\,\Omega} = 2\,\mathrm A$",
            False,
        ),
        (r"So $4\,\mathrm{L} = 0.04\,\mathrm{m^3}$.", True),
        (r"So $I = \frac{6\,\mathrm{V}}{3\,\Omega} = 2.5\,\mathrm{A}$.", True),
        (r"About $2\,\mathrm{kg} = 4.4\,\mathrm{lb}$.", False),
        (r"The interval is $[20 - 1.3;\,20 + 1.3] = [18.7;\,21.3]$.", False),
        (r"The interval is $[20 - 1.3;\,20 + 1.3] = [18.7;\,22.3]$.", True),
        (r"Rounded to cents, $\frac{2000}{1.04^2} = 1849.11$.", False),
        (r"Rounded to cents, $\frac{2000}{1.04^2} = 1949.11$.", True),
    ],
)
def test_quantities(proofreader: TextProofreader, text: str, wrong: bool) -> None:
    assert has_mistake(proofreader, text) == wrong


@pytest.mark.parametrize(
    "text",
    [
        r"Let $b = \begin{pmatrix} 0 & 0 \\ 3 & 0 \end{pmatrix}$. Then $b^2 = 0$.",
        r"From $n = 6$ we would get $m = 5$ and $20 \le 18$. Again impossible.",
        r"If $x$ is odd, then $1 \equiv 3 \pmod 4$, i.e. $4 \mid 2$. That is impossible, too.",
        r"With $3/12 = 0.25\,\%$ per month the yearly rate is $3\,\%$.",
        r"Solve $\frac{x}{x-1} = \frac{1}{x-1}$. Multiplying by $x - 1$ gives $x = 1$, which is excluded.",
        "Around one axis\n$$V = \\pi\\int_0^4 x\\,dx = 8\\pi.$$ Around the other axis the region gives "
        "$V = \\pi\\int_0^2 y^4\\,dy$.",
    ],
)
def test_what_is_refused_or_about_another_thing_is_no_mistake(
    proofreader: TextProofreader, text: str
) -> None:
    assert not has_mistake(proofreader, text)

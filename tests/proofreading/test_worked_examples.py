"""What an example calculates by what was said right before: a mistake contradicts that, and other examples,
suppositions and other meanings do not."""

from __future__ import annotations

import pytest

from engines.proofreading.proofread_files import TextProofreader


@pytest.fixture(scope="module")
def proofreader() -> TextProofreader:
    return TextProofreader()


def has_mistake(proofreader: TextProofreader, text: str) -> bool:
    return "wrong" in [link.verdict for link in proofreader.check_links(text)]


_SINE = r"We solve $2\sin x - 1 = 0$ on $[0, 2\pi)$. So "
_AREA = r"Let $A(r) = r^2 + \frac{16}{r}$. Then $A'(r) = 2r - \frac{16}{r^2}$, and $A'(r) = 0$"
_FACTORS = r"With $c = \cos x$ the equation $2\cos^2 x - \cos x - 1 = 0$ has $c = 1$ or $c = -\frac12$. So "


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (rf"{_SINE}$x = \frac\pi6$ or $x = \frac{{5\pi}}6$.", False),
        (rf"{_SINE}$x = \frac\pi6$ or $x = \frac{{7\pi}}6$.", True),
        (rf"{_FACTORS}$x = \frac{{2\pi}}3$ or $x = \frac{{4\pi}}3$.", False),
        (rf"{_FACTORS}$x = \frac{{2\pi}}3$ or $x = \frac{{5\pi}}3$.", True),
        # candidates that are listed together, and values that are tried
        (rf"{_SINE}$x = \frac\pi6$ and at the end $x = 2\pi$.", False),
        (r"Squaring $\sqrt{x + 2} = x$ gives $x^2 - x - 2 = 0$, so $x = 2$ or $x = -1$.", False),
        # both roots of a quadratic equation by their name
        (r"Solve $2x^2 - 7x + 3 = 0$. So $x_{1,2} = \frac{7 \pm 5}{4}$.", False),
        (r"Solve $2x^2 - 7x + 3 = 0$. So $x_{1,2} = \frac{7 \pm 5}{2}$.", True),
        # a step from an equation whose roots are not worked out
        (rf"{_AREA} gives $r^3 = 8$.", False),
        (rf"{_AREA} gives $r^3 = 16$.", True),
    ],
)
def test_roots(proofreader: TextProofreader, text: str, wrong: bool) -> None:
    assert has_mistake(proofreader, text) == wrong


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (
            r"The equation is $y'' + 4y' + 5y = 0$. So the solutions are $y = e^{-2x}(a\cos x + b\sin x)$.",
            False,
        ),
        (
            r"The equation is $y'' + 4y' + 5y = 0$. So the solutions are $y = e^{2x}(a\cos x + b\sin x)$.",
            True,
        ),
        (r"The equation is $y'' + 9y = 0$. Hence $y(t) = a\cos 3t + b\sin 3t$.", False),
        (r"The equation is $y'' + 9y = 0$. Hence $y(t) = a\cos 3t + b\sin 2t$.", True),
        (r"We solve $y' = y^2$. Hence $y(x) = \frac{1}{3-x}$.", False),
        (r"We solve $y' = y^2$. Hence $y(x) = \frac{1}{3+x}$.", True),
        # what is tried, and what solves another equation
        (r"The equation is $y'' + 9y = 0$. Let us try $y = e^{3t}$.", False),
        (r"The equation is $y'' - 9y = 18$. Let $y = e^{3t}$ first.", False),
    ],
)
def test_solutions_of_differential_equations(proofreader: TextProofreader, text: str, wrong: bool) -> None:
    assert has_mistake(proofreader, text) == wrong


_ROOT = r"Let $f(x) = \sqrt{1 + x}$. "


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (rf"{_ROOT}The Taylor polynomial is $T_2(x) = 1 + \frac x2 - \frac{{x^2}}8$.", False),
        (rf"{_ROOT}The Taylor polynomial is $T_2(x) = 1 + \frac x2 - \frac{{x^2}}4$.", True),
        (r"Let $f(x) = \ln x$. At $1$ it is $T_2(x) = (x - 1) - \frac{(x-1)^2}{2}$.", False),
        (r"Let $f(x) = \ln x$. At $1$ it is $T_2(x) = (x - 1) + \frac{(x-1)^2}{2}$.", True),
        # a polynomial of another kind
        (rf"{_ROOT}Chebyshev's polynomial is $T_2(x) = 2x^2 - 1$.", False),
    ],
)
def test_coefficients_of_taylor_polynomials(proofreader: TextProofreader, text: str, wrong: bool) -> None:
    assert has_mistake(proofreader, text) == wrong


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (r"Hence $E(X^2) = \operatorname{Var}(X) + (E(X))^2$.", False),
        (r"Hence $E(X^2) = \operatorname{Var}(X) - (E(X))^2$.", True),
        (r"Hence $\operatorname{Var}(X) = E(X^2) - (E(X))^2$.", False),
        (r"Hence $\operatorname{Var}(X) = E(X^2) + (E(X))^2$.", True),
        (r"We have $E(X) = np$ and $\operatorname{Var}(X) = np(1-p)$.", False),
        (r"We have $E(X) = np$ and $\operatorname{Var}(X) = np$.", True),
        (r"We have $\operatorname{Var}(X) = np$ trials in the other model.", False),
        (r"So $P(X = 2) = \binom52\left(\frac14\right)^2\left(\frac34\right)^3$.", False),
        (r"So $P(X = 2) = \binom52\left(\frac14\right)^2\left(\frac34\right)^2$.", True),
        # the third success is that of the sixth trial
        (r"So $P(X = 6) = \binom52\left(\frac14\right)^3\left(\frac34\right)^3$.", False),
    ],
)
def test_laws_of_probability(proofreader: TextProofreader, text: str, wrong: bool) -> None:
    assert has_mistake(proofreader, text) == wrong


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        # a term that equations determine
        (r"With $a + b = 5$ and $ab = 6$ we have $(a-b)^2 = (a+b)^2 - 4ab = 25 - 24$.", False),
        (r"With $a + b = 5$ and $ab = 6$ we have $(a-b)^2 = (a+b)^2 - 4ab = 25 + 24$.", True),
        # an integral that has a name
        (r"Let $I = \int_0^3 \sqrt{1+x}\,dx$. We get $I = \left[\frac23 (1+x)^{3/2}\right]_0^3$.", False),
        (r"Let $I = \int_0^3 \sqrt{1+x}\,dx$. We get $I = \left[\frac32 (1+x)^{3/2}\right]_0^3$.", True),
        (r"Let $I = \int_0^3 \sqrt{1+x}\,dx$. Then let $I = \int_0^3 x\,dx$.", False),
        # a value at a place
        (r"Put $u = x^2 + 3$. Here $x = 2$ gives $u = 7$.", False),
        (r"Put $u = x^2 + 3$. Here $x = 2$ gives $u = 4$.", True),
        (r"Put $u = x^2 + 3$. The ends $x = 2$ and $x = 0$ give $u = 7$ and $u = 3$.", False),
        # angles by their sines and cosines
        (r"As $\sin a = \frac35$ and $\cos a = \frac45$ we have $\cos 2a = \frac{7}{25}$.", False),
        (r"As $\sin a = \frac35$ and $\cos a = \frac45$ we have $\cos 2a = \frac{9}{25}$.", True),
        # a list of answers is about other angles
        (
            r"**1.** $\sin a = \frac35$ and $\cos a = \frac45$ **2.** $\sin a = \frac{5}{13}$ and "
            r"$\cos a = \frac{12}{13}$ **3.** $\sin 2a = \frac{1}{2}$",
            False,
        ),
        (r"As $\sin a = \frac35$ we have $\cos 2a = \frac{9}{25}$ or not.", False),
    ],
)
def test_values_by_what_was_said(proofreader: TextProofreader, text: str, wrong: bool) -> None:
    assert has_mistake(proofreader, text) == wrong


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (r"Here $\lim_{x\to0}\frac{1-\cos 2x}{x^2} = \lim_{x\to0}\frac{2x^2+O(x^4)}{x^2} = 2$.", False),
        (r"Here $\lim_{x\to0}\frac{1-\cos 2x}{x^2} = \lim_{x\to0}\frac{x^2+O(x^4)}{x^2} = 1$.", True),
        # what the remainder decides
        (r"Here $\lim_{x\to0}\frac{1-\cos 2x}{x^2} = \lim_{x\to0}\frac{x^2+O(x^2)}{x^2}$.", False),
        # an inequality that is divided by a negative number
        (r"We have $-2x \le 8$. Division by $-2$: $x \ge -4$.", False),
        (r"We have $-2x \le 8$. Division by $-2$: $x \le -4$.", True),
    ],
)
def test_remainders_and_inequalities(proofreader: TextProofreader, text: str, wrong: bool) -> None:
    assert has_mistake(proofreader, text) == wrong


_SYSTEM = r"We look for $x$ with $x \equiv 1 \pmod 3$ and $x \equiv 2 \pmod 5$. "


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (rf"{_SYSTEM}Hence $x \equiv 7 \pmod{{15}}$.", False),
        (rf"{_SYSTEM}Hence $x \equiv 7 \pmod 8$.", True),
        (rf"{_SYSTEM}Hence $x \equiv 4 \pmod{{15}}$.", True),
        (rf"{_SYSTEM}All solutions are given by $x \equiv 7 \pmod{{15}}$.", False),
        (rf"{_SYSTEM}Suppose that $x \equiv 3 \pmod 8$.", False),
    ],
)
def test_systems_of_congruences(proofreader: TextProofreader, text: str, wrong: bool) -> None:
    assert has_mistake(proofreader, text) == wrong


_APART = "\n\nFirst.\n\nSecond.\n\nThird.\n\n"


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        # two values of one angle do not make π vanish
        (
            r"We find $x = \frac\pi2$. Then again $x = \frac{7\pi}6$. So it is $x = \frac{5\pi}3$.",
            "not shown",
        ),
        # a function is the same a few paragraphs on
        (rf"We define $g(x, y) = x^3 - 3xy$.{_APART}The mixed derivative is $g_{{xy}} = 3$.", "wrong"),
        (rf"We define $g(x, y) = x^3 - 3xy$.{_APART}The mixed derivative is $g_{{xy}} = -3$.", "follows"),
    ],
)
def test_contradictions_and_definitions(proofreader: TextProofreader, text: str, verdict: str) -> None:
    assert proofreader.check_links(text)[-1].verdict == verdict

"""Slips in antiderivatives, limits and values that are put in, each beside what is meant."""

from __future__ import annotations

import pytest

from engines.proofreading.proofread_files import TextProofreader


@pytest.fixture(scope="module")
def proofreader() -> TextProofreader:
    return TextProofreader()


@pytest.mark.parametrize(
    ("text", "instead"),
    [
        # antiderivatives, whose slopes differ
        (
            r"The result is $\int \frac{1}{(x-1)(x+2)^2}\,dx = \frac19 \ln|x-1| - \frac19 \ln|x+2|"
            r" + \frac{4}{3(x+2)} + C$.",
            "1 for 4",
        ),
        (r"So $\int \frac{7}{\sqrt{1-x^2}}\,dx = \arcsin x + C$, where $C$ is any number.", "1 for 7"),
        (
            r"Now $\int \frac{-2x^9+9}{x^4+9x^2}\,dx = \int \frac{1}{x^2} - \frac{2x+1}{x^2+9}\,dx$,"
            " where we used the fact above.",
            "3 for 9",
        ),
        # limits, near their places
        (r"A related limit: $\lim_{x \to 0} \frac{8 - \cos x}{x} = 0$.", "1 for 8"),
        (r"We have $\frac{d}{dx} \sin x = \lim_{h \to 0} \frac{\sin(x+h) + \sin x}{h}$.", "- for +"),
        (r"Recall $\lim_{n\to\infty} (4 + \frac1n)^n = e$.", "1 for 4"),
        # integrals to infinity, and over all numbers, where a term may grow
        (r"By symmetry $\int_{-\infty}^\infty e^{-\pi y^3}\,dy = 1$.", "2 for 3"),
        (
            r"So $-\frac12 \ln(\lim_{y \to \infty} \frac{(1+y)(1-\sqrt2)}{(1-y)(1+\sqrt2)})"
            r" = -\frac12 \ln(3 - 5\sqrt2)$.",
            "2 for 5",
        ),
        (r"Then $\int_7^\infty x e^{-x^2}\,dx = \frac12$.", "0 for 7"),
        # a side that has no value, and integrals over the same of which one is mistaken
        (r"So $F(p) = \int_7^p \frac{dt}{\sqrt{1-t^2}} = \arcsin p$.", "0 for 7"),
        (r"Hence $P = k [\arcsin(t)]_0^6 = \frac{k\pi}{2}$.", "1 for 6"),
        (
            r"So $P = \frac{2}{2\pi} \int_p^q \sqrt{c + \frac{2m}{t} - \frac{b^2}{t^2}}\,dt"
            r" = \frac1\pi \int_p^q \sqrt{c + \frac{2m}{t} - \frac{b^8}{t^2}}\,dt$.",
            "8 for 2",
        ),
        (r"Then $Q = \int_a^b g(t) w(t)^2\,dt = \int_a^b g(t) w(t)^3\,dt$.", "3 for 2"),
        # terms with one value, and signs of what is nowhere 0
        (r"They differ by a constant: $\arcsin x + \arccos x = \frac{\pi}{7}$.", "2 for 7"),
        (r"Note $(-1)^{n+6} + \frac{\sin n\pi}{n\pi} = (-1)^{n+1}$.", "- for +"),
        # zeros at which a term is looked at
        (r"Thus $c_1 \cos 0 + c_2 \sin 2 = c_1 = 1$.", "0 for 2"),
        (
            r"If we compute this product, we get $w = 2(x-9) + (y-2) + 3(z-1) = 2x + y + 3z - 5$.",
            "0 for 9",
        ),
        # products of vectors, and what holds where a letter is
        (r"So $(x, y) \begin{pmatrix} y \\ x + y \end{pmatrix} = 7xy + y^2$.", "2 for 7"),
        (r"For $0 < y < 1$ we have $\cos y = \sqrt{1 - \sin^3 y}$.", "2 for 3"),
        (
            r"So $0.75 + \frac{\cos(0.75)-0.75}{-\sin(0.75)-1} \approx 0.7391111388$.",
            "- for +",
        ),
        # sums that are too long to be added up, derivatives without closed values, exponents without a minus
        (r"So $\sum_{k=1}^{300} k = 5050$.", "100 for 300"),
        (r"Recall $\frac{d}{dx} \operatorname{arcsec}(x) = \frac{1}{|x|\sqrt{x^2-7}}$.", "1 for 7"),
        (r"Recall $\sinh x = \frac{e^x - e^{x}}{2}$.", "the opposite exponent"),
        # one number in a row of a product
        (
            r"Now $\begin{pmatrix} 1 & 2 \\ 7 & 4 \end{pmatrix} \begin{pmatrix} a & b \\ c & d \end{pmatrix}"
            r" = \begin{pmatrix} a+2c & b+2d \\ 3a+4c & 3b+4d \end{pmatrix}$.",
            "3 for 7",
        ),
        # the same value by chance
        (
            r"Let $f(x) = x^2 - 4x + 7$. Then $f(0) = 0^3 - 4(0) + 7$.",
            "2 for 3, by f(x) = x^2 - 4x + 7 (line 1)",
        ),
    ],
)
def test_the_change_that_mends_a_calculation_is_named(
    proofreader: TextProofreader, text: str, instead: str
) -> None:
    accused = [link for link in proofreader.check_links(text) if link.verdict == "wrong"]
    assert [link.reason.rpartition("it holds with ")[2] for link in accused] == [instead]


@pytest.mark.parametrize(
    "text",
    [
        "Now $x(x-3) = (x+2)(x-3)$.",
        r"Now $5 \begin{pmatrix} x \\ y \end{pmatrix} = \begin{pmatrix} 2x \\ 2y \end{pmatrix}$.",
        r"So $\lim_{c \to 0} (d + c) = d$ and $\lim_{c \to 0} \frac{d + c}{c} = d$.",
        r"Circle all of the statements below that are true. $\int \frac{2}{3+4x}\,dx = 2\ln|3+4x|+C$",
        "We solve $a^{n} = a^{m}$ and $2^{x+1} = 2^x + 4$.",
        r"Here $c_1 \cos 2 + c_2 \sin 2 = 0$.",
        r"Let $f(x) = x^2 - 4x + 7$. Then $f(0) = 0 - 0 + 7 = 7$ and $f(1) = 1 - 4 + 7$.",
        r"We approximate: $\frac{22}{7} \approx 3.14159$.",
        r"Let $\lim_{x \to 0} \frac{a - \cos x}{x^2} = \frac12$.",
        r"The sequence has $\lim_{n \to \infty} a_n = 3$, and $\int_0^\infty f(x)\,dx = 1$.",
        # integrals over the same of two functions, which can be equal
        r"By symmetry $Q = \int_{-a}^a g(t) w(t^2)\,dt = \int_{-a}^a g(-t) w(t^2)\,dt$.",
        r"We suppose $\int_0^1 g(t)\,dt = \int_0^1 (t + 1) w(t)\,dt$.",
        r"Solve $\sqrt{t - 5} = t$.",
    ],
)
def test_what_is_to_be_solved_or_about_equal_is_not_accused(proofreader: TextProofreader, text: str) -> None:
    assert all(link.verdict not in ("wrong", "doubtful") for link in proofreader.check_links(text))


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (r"We get $\int_{-2}^1 \frac{dx}{x^4} = -\frac38$.", "doubtful"),
        (r"We get $\int_3^5 \frac{dx}{x-3} = \ln 2$.", "doubtful"),
        (r"We get $\int_0^4 \frac{2}{(x-1)^2}\,dx = -\frac83$.", "doubtful"),
        # the pole is outside, cancels, or can be integrated
        (r"We get $\int_1^2 \frac{dx}{x^4} = \frac{7}{24}$.", "right"),
        (r"We get $\int_0^2 \frac{x^3 + x}{x}\,dx = \frac{14}{3}$.", "right"),
        (r"We get $\int_0^9 \frac{dx}{\sqrt{x}} = 6$.", "right"),
        # a principal value, an infinite one, and what the text warns of
        (r"We get $\int_{-1}^1 \frac{dx}{x} = 0$.", "not shown"),
        (r"We get $\int_{-1}^1 \frac{dx}{x^2} = \infty$.", "not shown"),
        (r"One may be led to $\int_{-1}^1 \frac{dx}{x^2} = -2$, but the integral diverges.", "not shown"),
        (r"A careless reader writes $\int_{-1}^1 \frac{dx}{x^2} = -2$.", "not shown"),
    ],
)
def test_an_integral_across_a_pole_has_no_value(
    proofreader: TextProofreader, text: str, verdict: str
) -> None:
    assert proofreader.check_links(text)[-1].verdict == verdict

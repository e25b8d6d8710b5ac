"""Other meanings of what fails: none covers what fails in it too; what no word says is a condition."""

from __future__ import annotations

import pytest

from engines.formula.reader import read
from engines.proofreading.proofread_files import TextProofreader

HOLDING = ("right", "right if", "follows")


@pytest.fixture(scope="module")
def proofreader() -> TextProofreader:
    return TextProofreader()


def judge_last(proofreader: TextProofreader, text: str) -> str:
    return list(proofreader.check_links(text))[-1].verdict


@pytest.mark.parametrize(
    ("holding", "failing"),
    [
        # roundings: a digit is that of the value, or of a value cut off
        (r"So $\sqrt{2} = 1.4142$.", r"So $\sqrt{2} = 1.4143$."),
        (r"So $\frac{1}{3} = 0.3333$.", r"So $\frac{1}{3} = 0.3334$."),
        (r"So $\frac{2}{3} = 0.6667$.", r"So $\frac{2}{3} = 0.6668$."),
        (r"So $\frac{22}{7} = 3.14286$.", r"So $3.14159 = \frac{22}{7}$."),
        (r"So $3.142 = 3.14$.", r"So $3.142 = 3.141$."),
        (r"So $1.5 = 1.5$.", r"So $1.5 = 2$."),
        (r"So $7.4 = 7.40$.", r"So $7.4 = 7$."),
        (r"So $2.31 = 2.3$.", r"So $2.3 = 2.31$."),
        (r"So $12.5 \cdot 8 = 100$.", r"So $12.5 \cdot 8 = 100.05$."),
        (r"So $1.1 \cdot 1.1 = 1.21$.", r"So $1.1 \cdot 1.1 = 1.211$."),
        (r"So $1234.5 + 1 = 1235.5$.", r"So $1234.5 + 1 = 1236.5$."),
        (r"So $\sqrt{17} = 4.1231$.", r"So $\sqrt{17} = 4.1213$."),
        (r"So $17.5\% = 0.175$.", r"So $17.5\% = 0.1751$."),
        # a binary fraction behind the number that it is
        (r"The number is $0.375 = 0.011$.", r"The number is $0.375 = 0.111$."),
        # a factor behind a product
        (
            r"So $\prod_{k=1}^{n} \sqrt{(2k-1)(2k+1)} = \prod_{k=1}^{n} (2k-1) \sqrt{2n+1}$.",
            r"So $\prod_{k=1}^{n} \sqrt{(2k-1)(2k+1)} = \prod_{k=1}^{n} (2k-1) \sqrt{2n+3}$.",
        ),
        # real and imaginary parts under a bar
        (
            r"So $|(u-p) - i(v-q)| = |\overline{(u-p) + i(v-q)}|$.",
            r"So $|(u-p) - i(v-q)| = |\overline{(u-p) + 2i(v-q)}|$.",
        ),
        # an angle that was said in degrees
        (
            r"Now $\theta = 90\degree$, so $\sin(\theta) = 1$.",
            r"Now $\theta = 90\degree$, so $\cos(\theta) = 1$.",
        ),
        # a matrix of matrices
        (
            r"So $$\begin{pmatrix} 2 & 1 \\ 2 & -1 \end{pmatrix} = \begin{pmatrix} "
            r"2\begin{pmatrix} 1 \\ 1 \end{pmatrix} & \begin{pmatrix} 1 \\ -1 \end{pmatrix} \end{pmatrix}.$$",
            r"So $$\begin{pmatrix} 2 & 1 \\ 2 & -1 \end{pmatrix} = \begin{pmatrix} "
            r"2\begin{pmatrix} 1 \\ 1 \end{pmatrix} & \begin{pmatrix} 1 \\ -3 \end{pmatrix} \end{pmatrix}.$$",
        ),
        # parts that are rounded one by one
        (r"We get $\sqrt{2} + \sqrt{3} = 1.41 + 1.73$.", r"We get $\sqrt{2} + \sqrt{3} = 1.41 + 1.37$."),
        (r"We get $\sqrt{5} - \sqrt{2} = 2.24 - 1.41$.", r"We get $\sqrt{5} - \sqrt{2} = 2.24 - 1.14$."),
        (r"We get $\pi + 1 = 3.14 + 1$.", r"We get $\pi + 1 = 3.41 + 1$."),
        (r"We get $1.24 + 2.36 = 1.2 + 2.4$.", r"We get $1.24 + 2.36 = 1.2 + 2.3$."),
        (
            r"$\begin{pmatrix} 1/3 & 2/3 \end{pmatrix} = \begin{pmatrix} 0.3 & 0.7 \end{pmatrix}$",
            r"$\begin{pmatrix} 1/3 & 2/3 \end{pmatrix} = \begin{pmatrix} 0.3 & 0.6 \end{pmatrix}$",
        ),
        (
            r"$\begin{pmatrix} 1/3 \\ 2 \end{pmatrix} = \begin{pmatrix} 0.33 \\ 2\end{pmatrix}$",
            r"$\begin{pmatrix} 1/3 \\ 2 \end{pmatrix} = \begin{pmatrix} 0.33 \\ 3\end{pmatrix}$",
        ),
        # complex numbers: each part by its own digits
        (r"We have $\sqrt{2} + i = 1.41 + i$.", r"We have $\sqrt{2} + i = 1.42 + i$."),
        (r"We have $(1.2 + i)^2 = 0.44 + 2.4i$.", r"We have $(1.2 + i)^2 = 0.45 + 2.4i$."),
        (r"We have $\sqrt{2} i = 1.41 i$.", r"We have $\sqrt{2} i = 1.42 i$."),
        (r"We have $100.1 + 2i = 100.1 + 2.0i$.", r"We have $100.1 + 2i = 100.1 + 2.05i$."),
        (r"We have $(1+0.01i)(1-0.01i) = 1.0001$.", r"We have $(1+0.01i)(1-0.01i) = 1$."),
        (r"We have $2 + i = \sqrt{5}e^{0.4636i}$.", r"We have $2 + i = \sqrt{5}e^{0.4646i}$."),
        # shares and units: left out of sums, and not of products or of one side alone
        (r"So $30/60 \cdot 100 = 50\%$.", r"So $5\% = 5$."),
        (r"So $12\% + 5\% = 17\%$.", r"So $50 = 50\%$."),
        (r"So $3\text{ m} + 2\text{ m} = 5\text{ m}$.", r"So $3\text{ m} \cdot 2\text{ m} = 6\text{ m}$."),
        # symbols of number theory
        (
            r"The Legendre symbol is $\left(\frac{2}{7}\right) = 1$.",
            r"The Legendre symbol is $\left(\frac{3}{7}\right) = 1$.",
        ),
        (
            r"As $\left(\frac{2}{5}\right) = -1$, it is none.",
            r"The chance is $\left(\frac{3}{2}\right) = 1$.",
        ),
        # the imaginary unit, and letters that count
        (r"The impedance is $(3+2j)(3-2j) = 9 + 4 = 13$.", r"For every integer $j$, $(1+j)^2 = 2j$."),
        (r"The number is $(2+i)(2-i) = 5$.", r"For all indices $i$, $(2+i)(2-i) = 5$."),
        (r"It is $i^4 = 1$.", r"For all $i$ we have $i^4 = 1$."),
        (r"For all $n$, $i^{2n} = (-1)^n$.", r"For all $n$, $i^{2n} = (-1)^{n+1}$."),
        (r"For all $n$, $i^{4n} = 1$.", r"For all $n$, $i^{4n} = -1$."),
        (r"For all $i$ and $j$, $ij = ji$.", r"For all $i$ and $j$, $ij = -1$."),
        (
            r"For all $i, j \in \mathbb{N}$, $i^2 j^2 = (ij)^2$.",
            r"For all $i, j \in \mathbb{N}$, $i^2 j^2 = 1$.",
        ),
        # constants of integration are added
        (r"We have $\sin^2 x + C = -\cos^2 x + C$.", r"We have $\sin^2 x + C = \cos^2 x + C$."),
        (r"For all $C$, $2C + 6 = 2(C+3)$.", r"For all $C$, $2C + 3 = 2(C+3)$."),
        (r"We have $(C+1)^2 = C^2 + 2C + 1$ for all $C$.", r"We have $(C+1)^2 = C^2 + 2C$ for all $C$."),
        # angles in degrees
        (r"We have $\sin 30 = \frac12$.", r"We have $\sin 30 = -\frac12$."),
        (r"We have $\cos 60 = \frac12$.", r"We have $\cos 60 = \frac{\sqrt3}{2}$."),
        # powers of ten behind a slash
        (
            r"It is $1.5\times 10^{11} / 3\times 10^8 = 500$.",
            r"It is $1.5\times 10^{11} / 3\times 10^8 = 50$.",
        ),
        (r"It is $6 / 2 \times 10^8 = 3 \times 10^{8}$.", r"It is $6 / 2 \times 10^8 = 3 \times 10^{-8}$."),
        (
            r"It is $\frac{6}{2} \cdot 10^8 = 3 \times 10^{8}$.",
            r"It is $\frac62 \cdot 10^8 = 3 \times 10^{-8}$.",
        ),
        # numbers to the base 2
        (r"In binary it is $1101 + 1011 = 11000$.", r"In binary it is $1101 + 1011 = 11001$."),
        (r"We add $1101 + 1011 = 11000$.", r"Adding up, $1000 + 1000 = 10000$ people came."),
        # arguments of functions, in brackets or none
        (r"For all $x$ and $y$, $\sin x y = y \sin x$.", r"For all $x$ and $y$, $\sin(xy) = y \sin x$."),
        (r"For all $x > 0$ and $y$, $\ln x y = y\ln x$.", r"For all $x > 0$ and $y$, $\log(xy) = y\log x$."),
        (
            r"For all $x$ and $y$, $\sin x y = y\sin x$.",
            r"For all $x$ and $y$, $\operatorname{sin}(xy) = y\sin x$.",
        ),
        (
            r"For all $x$ and $y$, $\cos x y = y\cos x$.",
            r"For all $x$ and $y$, $\mathrm{cos}\,(xy) = y \cos x$.",
        ),
        (
            r"For all $x$ and $y$, $\sin x y = y\sin x$.",
            r"For all $x$ and $y$, $\sin\bigl[xy\bigr] = y\sin x$.",
        ),
        (
            r"For all $x$ and $y$, $\sin x y = y\sin x$.",
            r"For all $x$ and $y$, $\sin\frac{xy}{2} = y\sin\frac{x}2$.",
        ),
        # norms that are 1
        (
            r"On the sphere $|x-y|^2 = |x|^2 - 2x \cdot y + |y|^2 = 2 - 2x \cdot y$.",
            r"On the sphere $|x-y|^2 = |x|^2 - 2x \cdot y + |y|^2 = 3 - 2x \cdot y$.",
        ),
        (r"Normalised or not, for all $x$, $|x|^2 = x^2$.", r"It is normalised, so for all $x$, $|x| = 1$."),
        (
            r"Normalised or not, for all $x$, $|x|^2 = x^2$.",
            r"Normalised or not, for all real $x$, $x|x| = x$.",
        ),
        # absolute values of complex numbers
        (r"For all complex $z$, $|z|^2 = z\overline{z}$.", r"For all complex $z$, $|z|^2 = z^2$."),
        (r"For all $z \in \mathbb{R}$, $|z|^2 = z^2$.", r"For all $z \in \mathbb{C}$, $|z|^2 = z^2$."),
        (
            r"Let $z$ and $w$ be complex numbers. Then $|zw|^2 = |z|^2 |w|^2$.",
            r"For all complex numbers $z$ and $w$, $|z + w|^2 = |z|^2 + 2zw + |w|^2$.",
        ),
        # vector products have an order, and permutations are named
        (
            r"So $\vec{F} = q\vec{v} \times \vec{B} = q (\vec{v} \times \vec{B})$.",
            r"So $\vec{F} = \vec{v} \times \vec{B} = \vec{B} \times \vec{v}$.",
        ),
        (
            r"So $\vec{L} = \vec{r} \times m \vec{v} = m\vec{r} \times \vec{v}$.",
            r"So $\vec{L} = \vec{r} \times m \vec{v} = m\vec{v} \times \vec{r}$.",
        ),
        (r"In the symmetric group $(12)(13) = (132)$.", r"We have $(2)(3) = (5)$."),
        # inverses modulo a number
        (r"We have $3^{-1} \bmod 7 = 5$.", r"We have $3^{-1} \bmod 7 = 4$."),
    ],
)
def test_another_meaning_covers_nothing_that_fails_in_it(
    proofreader: TextProofreader, holding: str, failing: str
) -> None:
    assert judge_last(proofreader, holding) in HOLDING
    assert judge_last(proofreader, failing) not in ("right", "follows")


@pytest.mark.parametrize(
    "text",
    [
        r"We have $\left(\frac{8}{9}\right) = 1$.",
        r"It is $6 / 2 \times 10^8 = 3 \times 10^{-8}$.",
        r"It is $1001 + 1 = 1010$.",
        r"It is $(12)(13) = (132)$.",
        r"For all $x$ and $y$, $\sin x y = y \sin x$.",
    ],
)
def test_what_no_word_says_is_a_condition(proofreader: TextProofreader, text: str) -> None:
    assert judge_last(proofreader, text) == "right if"


def test_the_reader_knows_which_products_nothing_ends() -> None:
    written = {
        r"\sin x y": ["x y"],
        r"\ln 2 x y": ["2 x", "2 x y"],
        r"\sin(xy) + \cos\frac{xy}{2} + xy": [],
        r"6/2 \times 10^8": ["6/2 \\times 10^8"],
        r"(6/2) \times 10^8 + \frac62 \times 10^8": [],
    }
    for formula, products in written.items():
        assert read(formula).open_ended == {read(product).tree for product in products}, formula


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Shifts: $5 << 1 = 10$.", "not shown"),
        (r"In degrees: $\cos 45 = 0.707$.", "right"),
        (r"In degrees: $\cos 45 = 0.717$.", "wrong"),
        (r"The depth is $\lg 1024 = 10$.", "right if"),
        (r"The depth is $\lg 1024 = 11$.", "wrong"),
        (r"For sets $\aleph_0 + 1 = \aleph_0$.", "given"),
        (r"The loop counts: $i = i + 1$.", "given"),
        (
            r"So $(1 - \frac1n + \mathcal O(\frac1{n^2}))^2 = 1 - \frac2n + \mathcal O(\frac1{n^2})$.",
            "not shown",
        ),
        (r"By definition $i \times i = (0,1) \times (0,1)$.", "not shown"),
        # a name for its value, and a step with a mistake
        (r"When saturated, $$R = \frac{1}{k(V_G - V_T)} = \frac{1}{k(V_D - V_T)}.$$", "not shown"),
        (r"When saturated, $$R = \frac{2}{2k(V_G - V_T)} = \frac{1}{k(V_G + V_T)}.$$", "wrong"),
        (r"The vectors have $(0,1) \cdot (0,1) = 2$.", "wrong"),
    ],
)
def test_other_meanings_are_held_against_the_value(
    proofreader: TextProofreader, text: str, expected: str
) -> None:
    assert proofreader.check_links(text)[-1].verdict == expected

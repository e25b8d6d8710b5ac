"""What a text works out is claimed, whatever it is about, supposes or asks, and its mistakes are found."""

from __future__ import annotations

import pytest

from engines.proofreading.proofread_files import TextProofreader


@pytest.fixture(scope="module")
def proofreader() -> TextProofreader:
    return TextProofreader()


def write_matrix(*rows: str) -> str:
    written = r" \\ ".join(rows)
    return rf"\begin{{pmatrix}} {written} \end{{pmatrix}}"


_RING = "# Rings\n\nA subring of a ring of matrices: "
_SHIFT = write_matrix("0 & 1", "0 & 0")
_SIGNS = write_matrix("1 & 0", "0 & -1")


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        # entries of matrices are those of integers, unless a modulus divides all their differences
        (rf"{_RING}${_SHIFT} {_SIGNS} = {write_matrix('0 & -1', '0 & 6')}$.", True),
        (rf"{_RING}${_SHIFT} {_SIGNS} = {write_matrix('0 & -1', '0 & 0')}$.", False),
        (rf"{_RING}over $\mathbb{{Z}}_3$, ${_SHIFT} {_SIGNS} = {write_matrix('0 & 2', '0 & 0')}$.", False),
        (rf"{_RING}over $\mathbb{{Z}}_3$, ${_SHIFT} {_SIGNS} = {write_matrix('0 & 1', '0 & 0')}$.", True),
        (rf"{_RING}${_SHIFT} {_SHIFT} = {write_matrix('0 & 0', '0 & 1')}$.", True),
        # … but as relations, of which 1 + 1 is 1
        (
            rf"{_RING}${write_matrix('1 & 1', '0 & 1')} {write_matrix('1 & 1', '0 & 1')} "
            rf"= {write_matrix('1 & 1', '0 & 1')}$.",
            False,
        ),
    ],
)
def test_matrices_in_a_text_about_rings(proofreader: TextProofreader, text: str, wrong: bool) -> None:
    verdicts = [link.verdict for link in proofreader.check_links(text)]
    assert ("wrong" in verdicts) == wrong, verdicts


_LETTERS = write_matrix("a & b", "c & d")
_SWAP = write_matrix("0 & 1", "1 & 0")
_GIVEN = rf"Let $x = {_LETTERS}$ and $y = {_SWAP}$. "


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        # matrices with letters do not commute
        (rf"We see ${_LETTERS} {_SWAP} = {_SWAP} {_LETTERS}$.", "given"),
        (rf"We see ${_LETTERS} {_SWAP} = {write_matrix('b & a', 'd & c')}$.", "right"),
        # small letters have the matrices that they are said to be
        (rf"{_GIVEN}Then $xy - yx = {_LETTERS} {_SWAP} - {_SWAP} {_LETTERS}$.", "follows"),
        (
            rf"{_GIVEN}Then $xy - yx = {_LETTERS} {_SWAP} - {write_matrix('0 & 3', '1 & 0')} {_LETTERS}$.",
            "wrong",
        ),
    ],
)
def test_products_of_matrices_with_letters(proofreader: TextProofreader, text: str, verdict: str) -> None:
    assert proofreader.check_links(text)[-1].verdict == verdict


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        # what would be is supposed, and what it gives is calculated
        (r"It cannot be odd, because then we would have $2m = 7 - 4 \cdot 3 = 19$.", True),
        (r"It cannot be odd, because then we would have $2m = 7 + 4 \cdot 3 = 19$.", False),
        (r"For a width of $5$ the area would be $A(5) = 2 + 3 \cdot 5 = 18$ square metres.", True),
        (r"For a width of $5$ the area would be $A(5) = 2 + 3 \cdot 5 = 17$ square metres.", False),
        # … but what it gives alone is what nobody believes, or what the words behind it deny
        (r"Otherwise we would have $7 - 4 \cdot 3 = 19$.", False),
        (r"Otherwise we would have $2 = 1 + 1 = 1$, which is impossible.", False),
        (r"It is wrong that $2m = 7 - 4 \cdot 3 = 19$.", False),
    ],
)
def test_a_calculation_within_a_supposition(proofreader: TextProofreader, text: str, wrong: bool) -> None:
    verdicts = [link.verdict for link in proofreader.check_links(text)]
    assert ("wrong" in verdicts) == wrong, verdicts


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        # a chain of several equations is calculated, and what is asked about is one
        ("Check whether it is one-to-one.\n\n* The constant: $\\log_b 1 = \\log_b(b^3) = 0$", True),
        ("Check whether it is one-to-one.\n\n* The constant: $\\log_b 1 = \\log_b(b^0) = 0$", False),
        ("Check whether each is true.\n\n* $2 + 3 = 6$\n* $2 + 2 = 4$", False),
        ("Find the mistake in the following. It is $2 + 2 = 5 = 4 + 1$.", False),
    ],
)
def test_a_chain_in_a_paragraph_with_a_question(proofreader: TextProofreader, text: str, wrong: bool) -> None:
    verdicts = [link.verdict for link in proofreader.check_links(text)]
    assert ("wrong" in verdicts) == wrong, verdicts


_COMPLEX = r"For complex numbers $z$ and $w$ we have $z \bar z = |z|^2$. "


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        # what holds for no complex numbers is a mistake as it is for real ones
        (rf"{_COMPLEX}Hence $\frac{{3}}{{z}} = \frac{{\bar z}}{{|z|^2}}$.", True),
        (rf"{_COMPLEX}Hence $\frac{{1}}{{z}} = \frac{{\bar z}}{{|z|^2}}$.", False),
        (
            rf"{_COMPLEX}So $\frac{{1}}{{|z|}} - \frac{{1}}{{|w|}} = \frac{{|w|}}{{|z| |w|}} + "
            r"\frac{|z|}{|z| |w|} = \frac{|w| - |z|}{|z| |w|}$.",
            True,
        ),
        # … unless the text says which are meant
        (r"Let $\bar z = 1/z$. Then $|z + 1|^2 = (z+1)(\bar z + 1) = z + 2 + 1/z$.", False),
    ],
)
def test_complex_letters(proofreader: TextProofreader, text: str, wrong: bool) -> None:
    verdicts = [link.verdict for link in proofreader.check_links(text)]
    assert ("wrong" in verdicts) == wrong, verdicts


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        # a letter in an exponent and a denominator is no vector
        (
            r"We have $\left(1 + \frac{1}{n}\right)^{n^2} = \left(1 - \frac{1}{n}\right)^{n \cdot n}$ and "
            r"$\left(1 + \frac{1}{n}\right)^{n^2} = \left(1 - \frac{1}{n}\right)^{n \cdot n} "
            r"= \left(\left(1 + \frac{1}{n}\right)^n\right)^n$.",
            "wrong",
        ),
        (r"Then $|v + w|^2 = v \cdot v + 2 v \cdot w + w \cdot w = v \cdot v + w \cdot w$.", "not shown"),
    ],
)
def test_a_product_of_a_letter_with_itself(proofreader: TextProofreader, text: str, verdict: str) -> None:
    assert proofreader.check_links(text)[-1].verdict == verdict


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        # the first step of a chain that ends with what its middle is whatever the letter is
        (r"It is odd: $(m+2)^2 - m^2 = m^2 + 4 - m^2 = 4$.", True),
        (r"It is odd: $(m+2)^2 - m^2 = 4m + 4 = 4(m+1)$.", False),
        (r"Now $m^2 - 2m = m - 2 = 0$ is to be solved.", False),
        # the antiderivative in square brackets with both ends, and a limit of one
        (r"$\lim_{T\to\infty}\left[\frac12\arctan\frac x2\right]_0^T = \frac\pi2$", True),
        (r"$\lim_{T\to\infty}\left[\frac12\arctan\frac x2\right]_0^T = \frac\pi4$", False),
        # units with a prefix, and one that is left out on one side
        (r"The energy is $\frac12\cdot 1000\cdot 300\ \mathrm{J} = 300\ \mathrm{kJ}$.", True),
        (r"The energy is $\frac12\cdot 1000\cdot 300\ \mathrm{J} = 150\ \mathrm{kJ}$.", False),
        (r"The error is $\frac{6}{\sqrt{36}} = 0.25\ \text{g}$.", True),
        (r"The error is $\frac{6}{\sqrt{36}} = 1\ \text{g}$.", False),
        (r"The way is $4 \cdot 500 = 2\ \text{km}$ and it takes $2 \cdot 60 = 2\ \text{h}$.", False),
    ],
)
def test_chains_and_units(proofreader: TextProofreader, text: str, wrong: bool) -> None:
    verdicts = [link.verdict for link in proofreader.check_links(text)]
    assert ("wrong" in verdicts) == wrong, verdicts

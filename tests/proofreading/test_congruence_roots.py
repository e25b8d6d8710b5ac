"""A value or residue that is drawn from the congruence before it solves that, or is wrong."""

from __future__ import annotations

import pytest

from engines.proofreading.proofread_files import TextProofreader


@pytest.fixture(scope="module")
def proofreader() -> TextProofreader:
    return TextProofreader()


@pytest.mark.parametrize(("factor", "modulus"), [(2, 5), (3, 7), (12, 5), (7, 10)])
def test_inverses_are_looked_up(proofreader: TextProofreader, factor: int, modulus: int) -> None:
    inverse = pow(factor, -1, modulus)
    start = f"Since ${factor}y \\equiv 1 \\pmod {{{modulus}}}$, we get $y"
    for value, verdict in ((inverse, "follows"), (inverse + 1, "wrong")):
        assert proofreader.check_links(f"{start} = {value}$.")[-1].verdict == verdict
        congruent = f"{start} \\equiv {value} \\pmod {{{modulus}}}$."
        assert proofreader.check_links(congruent)[-1].verdict == verdict


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (r"From $4x \equiv 2 \pmod 6$ we get $x \equiv 2 \pmod 3$.", "follows"),
        (r"From $4x \equiv 2 \pmod 6$ we get $x \equiv 1 \pmod 3$.", "wrong"),
        (r"$$2c \equiv 1 \pmod 5, \quad c = 2$$", "wrong"),
        (r"We need the inverse: $$12c \equiv 1 \pmod 5 \iff 2c \equiv 1 \pmod 5, \quad c = 2$$", "wrong"),
        # Another modulus, another letter, and a value that is tried.
        (r"Solve $3t \equiv 2 \pmod 5$ and $t \equiv 3 \pmod 7$.", "given"),
        (r"Let $3t \equiv 2 \pmod 5$. We try $t = 1$.", "given"),
        (r"Since $2y \equiv 1 \pmod 5$, we get $z = 2$.", "given"),
    ],
)
def test_only_what_is_drawn_is_judged(proofreader: TextProofreader, text: str, verdict: str) -> None:
    assert proofreader.check_links(text)[-1].verdict == verdict


_IN_FIELD = "# Fields\n\nAll equations here are in $\\mathbb{F}_{11}=\\mathbb{Z}/11\\mathbb{Z}$.\n\n"


@pytest.mark.parametrize(
    ("root", "verdict"),
    [
        ("9", "right if"),
        ("8", "wrong"),
        (r"6 \cdot (-4)", "right if"),
        (r"6 \cdot (-3)", "wrong"),
        (r"\frac{-1 \pm 3}{2}", "right if"),
        (r"\frac{-1 \pm 4}{2}", "wrong"),
    ],
)
@pytest.mark.parametrize("behind", ["", "\n\nAnother field is $\\mathbb{R}$."])
def test_roots_in_a_ring_that_is_named(
    proofreader: TextProofreader, root: str, verdict: str, behind: str
) -> None:
    text = f"{_IN_FIELD}We solve $x^2 + x + 9 = 0$. Hence $x = {root}$.{behind}"
    assert proofreader.check_links(text)[-1].verdict == verdict


def test_both_signs_of_a_root_modulo_a_number(proofreader: TextProofreader) -> None:
    for factor, wrong in ((6, False), (7, True)):
        roots = rf"\frac{{-1 \pm 3}}{{2}} = {factor}(-1 \pm 3)"
        text = f"{_IN_FIELD}We solve $x^2 + x + 9 = 0$. So $x = {roots}$.\n\nIn $\\mathbb{{R}}$ it has none."
        assert (proofreader.check_links(text)[-1].verdict == "wrong") is wrong


@pytest.mark.parametrize(
    ("place", "verdict"),
    [
        (r"the field $\mathbb{F}_p$", "not shown"),
        (r"the ring $\mathbb{Z}/n\mathbb{Z}$", "not shown"),
        ("a field with eleven elements", "right if"),
        ("a field with thirteen elements", "wrong"),
        (r"the field $\mathbb{R}$", "wrong"),
    ],
)
def test_roots_in_rings_with_other_moduli(proofreader: TextProofreader, place: str, verdict: str) -> None:
    text = f"All equations here are in {place}. We solve $x^2 + x + 9 = 0$. Hence $x = 9$."
    assert proofreader.check_links(text)[-1].verdict == verdict

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

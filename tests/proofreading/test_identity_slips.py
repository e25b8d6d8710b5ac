"""One changed number or sign in an identity of series, imaginary numbers, matrices or unknown functions."""

from __future__ import annotations

import pytest

from engines.proofreading.proofread_files import TextProofreader


@pytest.fixture(scope="module")
def proofreader() -> TextProofreader:
    return TextProofreader()


_MATRICES = "The matrices $A$, $B$ and $Q$ are regular. "


@pytest.mark.parametrize(
    ("text", "instead"),
    [
        (r"We know $\frac{1}{1-x} = \sum_{n=3}^\infty x^n$.", "0 for 3"),
        (r"So $\frac{b}{1-a} = \sum_{k=7}^{\infty} a^k b$.", "0 for 7"),
        (r"Then $\frac{2}{1-x} = \sum_{n=0}^\infty x^n$.", "1 for 2"),
        (r"and $r e^{-i \theta} = r (\cos \theta + i \sin \theta)$.", "+ for -"),
        (_MATRICES + "Then $A A^{-1} = A^{-8} A$.", "-1 for -8"),
        (_MATRICES + "Then $Q^{-5} Q = I$.", "-1 for -5"),
        (_MATRICES + r"Then $\alpha(A-B) = \alpha A + \alpha B$.", "+ for -"),
        (r"Then $e^{z Y_{t+1}} = e^{z Y_t} e^{z \cdot (Y_{t+9} - Y_t)}$.", "9 for 1"),
        (r"Then $(1-x)^{a} (1-x)^{b-1} = (7-x)^{a + b - 1}$.", "1 for 7"),
    ],
)
def test_the_change_that_mends_an_identity_is_named(
    proofreader: TextProofreader, text: str, instead: str
) -> None:
    found = proofreader.check_links(text)[-1]
    assert found.verdict == "wrong"
    assert found.reason.endswith(f"it holds with {instead}")


@pytest.mark.parametrize(
    "text",
    [
        # recurrences, and conditions on matrices
        "Then $a_{n+2} - a_{n+1} = a_{n+1} - a_n$.",
        "We look at $f(x+1) = f(x+2)$.",
        "Then $F_{n+1} F_n = F_n F_{n-1}$.",
        _MATRICES + "Suppose $A^2 = I$. Then $A^3 = A$.",
        _MATRICES + "Now $AB = -BA$.",
        _MATRICES + "Now $Q^{-1} = Q$.",
    ],
)
def test_conditions_are_not_mended(proofreader: TextProofreader, text: str) -> None:
    assert "wrong" not in [each.verdict for each in proofreader.check_links(text)]

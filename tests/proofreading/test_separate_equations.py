"""A root of one of several equations for a letter is not accused by another, unless all hold together."""

from __future__ import annotations

import pytest

from engines.proofreading.proofread_files import TextProofreader


@pytest.fixture(scope="module")
def proofreader() -> TextProofreader:
    return TextProofreader()


_QUOTIENT = r"\frac{x^2-16}{x-4} = 8"


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        # of another paragraph and of the same one
        (f"Solve $x^2 = 7x$ and ${_QUOTIENT}$.\n\nDividing, we get $x = 7$.", False),
        (f"Solve $x^2 = 7x$ and ${_QUOTIENT}$.\n\nDividing, we get $x = 6$.", True),
        (f"Solve the system $x^2 = 7x$ and ${_QUOTIENT}$.\n\nDividing, we get $x = 7$.", True),
        # … which one change makes a root of the other
        ("Solve $x^2 = 7x$ and $x^2 = 64$. Dividing, we get $x = 7$.", False),
        ("Solve $x^2 = 7x$ and $x^2 = 64$. Dividing, we get $x = 9$.", True),
        ("Solve simultaneously $x^2 = 7x$ and $x^2 - 9x + 14 = 0$. We get $x = 0$.", True),
        # … and a root of the second one that is none of the first
        ("Solve $x^2 = 7x$ and $x^2 = 49$. The second one gives $x = -7$.", False),
        ("Solve the system $x^2 = 7x$ and $x^2 = 49$. We get $x = -7$.", True),
        ("Let $x$ satisfy $x^2 = 7x$ and $x^2 = 49$. Hence $x = -7$.", True),
    ],
)
def test_roots_of_several_equations(proofreader: TextProofreader, text: str, wrong: bool) -> None:
    assert (proofreader.check_links(text)[-1].verdict == "wrong") is wrong


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        # a root of the equation of one case is none of that of another
        ("If $x < 2$, then $5 - x = 9$. If $x > 2$, then $x^2 - 4x = 0$, so $x = 4$.", False),
        ("If $x < 2$, then $5 - x = 9$. If $x > 2$, then $x^2 - 4x = 0$, so $x = 0$.", True),
        # a case that is refused ends
        ("If $x > 5$, then $x^2 - 5x = 0$. No value satisfies $x > 5$, so the solution is $x = 2$.", False),
        ("If $x > 5$, then $x^2 - 5x = 0$. So the solution is $x = 0$.", True),
        # what holds of other values is no condition
        ("We have $3a = b$. Since $3a > 9$ for any digit $a > 3$, we have $a = 2$.", False),
        ("We have $3a = b$ and $a > 3$. Then $a^2 = 4$, so $a = 2$.", True),
        # the roots of a complex letter
        ("Let $z$ be a complex number. If $z^2 = -4$, then we get $|z^2| = 4$.", False),
    ],
)
def test_roots_of_cases(proofreader: TextProofreader, text: str, wrong: bool) -> None:
    assert (proofreader.check_links(text)[-1].verdict == "wrong") is wrong

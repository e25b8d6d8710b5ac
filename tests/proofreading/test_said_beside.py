"""What words beside a statement, and labels before it, say of how it is meant."""

from __future__ import annotations

import pytest

from engines.proofreading.proofread_files import TextProofreader


@pytest.fixture(scope="module")
def proofreader() -> TextProofreader:
    return TextProofreader()


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        # rounded numbers, and what the words call exact
        (r"We find $\sqrt{5} = 2.236$.", "right"),
        (r"The number is exactly $\sqrt{5} = 2.236$.", "not shown"),
        (r"We find $\frac59 = 0.555$.", "right"),
        (r"Rounded, $\frac59 = 0.555$.", "not shown"),
        (r"Rounded, $\frac59 = 0.556$.", "right"),
        # degrees and radians
        (r"We find $\sin 30 = 0.5$.", "right"),
        (r"With angles in radians, $\sin 30 = 0.5$.", "wrong"),
        (r"We measure in degrees. Then $\sin 30 = 0.5$; set to radians it is another number.", "right"),
        (r"With angles in radians, $\sin \frac{\pi}{6} = 0.5$.", "right"),
        # the estimate of a method, and a number that was rounded
        (r"By the trapezoidal rule $\int_0^1 \sqrt{x}\,dx \approx \frac12(0 + 1)$.", "not shown"),
        (r"By two terms $e^{0.5} \approx 1 + 0.5$.", "not shown"),
        (r"By two terms $e^{0.5} \approx 7 + 0.5$.", "wrong"),
        (r"We find $\sqrt{5} \approx 2.436$.", "wrong"),
        (r"We find $2.31 \cdot 4 \approx 2.31 + 5.18$.", "wrong"),
        # the number of an equation before it
        (r"$(7)\ 2 + 3 = 5$", "right"),
        (r"$(7)\ 2 + 3 = 6$", "wrong"),
        (r"$(1)\ s + t = 3$ and $(12)~s - t = 1$. Adding, $2s = 4$.", "follows"),
        (r"So $(7)(2) = 14$.", "right"),
        # cycles are no numbers
        (r"In $S_3$ let $\sigma = (132)$. Then $\sigma^3 = 1$.", "given"),
        (r"Let $s = 132$. Then $s^3 = 1$.", "wrong"),
        # integrals by functions
        (r"So $\int_a^b g\,d\beta = \int_a^b g\,d\beta_1 + \int_a^b g\,d\beta_2$.", "not shown"),
        (r"So $\int_a^b t\,dt = \int_a^b s\,ds + \int_a^b s\,ds$.", "wrong"),
        # a corner has no slope
        (r"Let $h(t) = |t - 3|$. Then $h'(3) = 0$.", "given"),
        (r"Let $h(t) = |t - 3|$. Then $h'(5) = 1$.", "follows"),
        # what is called a mistake proves nothing
        (r"Common error: $(s+t)^2 = s^2 + t^2$. Hence $(s+t)^2 = s^2 + t^2$.", "wrong"),
    ],
)
def test_what_is_said_beside_a_statement(proofreader: TextProofreader, text: str, verdict: str) -> None:
    assert proofreader.check_links(text)[-1].verdict == verdict

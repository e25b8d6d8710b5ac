"""Steps are judged by what they go on from: not by another exercise, a figure or a later item of a list."""

from __future__ import annotations

import pytest

from engines.proofreading.proofread_files import TextProofreader

_MEAN = r"""\begin{align*} \frac{u+v}{2} &\ge \sqrt{uv} \\
\Rightarrow 6(u+v) &\ge %s\sqrt{uv} \end{align*}"""
_RECTANGLE = r"A tile has the sides $u$ and $v$. For all $u$ and $v$ we have $\sqrt{%s} = u\sqrt{3v}$."
_PRICE = r"""The costs are $K(x) = 300 + 4x$ and the price is $p = 90 - 3x$.

The revenue is $R(x) = xp$, the profit $G(x) = R(x) - K(x)$.

$G''(x) = %s$"""
_CURVES = r"""For $w = \sin(h(x))$: $\frac{dw}{dx} = \cos(h(x)) \cdot h'(x)$

For $w = \cos(h(x))$: $\frac{dw}{dx} = -\sin(h(x)) \cdot h'(x)$"""
_CONDITIONS = r"""The solution is $u_h(t) = c_1\cos 2t + c_2\sin 2t$. We want $u(0) = 3$,
$u(\frac{\pi}{4}) = 3$:
\[u(0) = c_1\cos 0 + c_2\sin 0 = c_1 = 3\]
\[u(\frac{\pi}{4}) = c_1\cos\frac{\pi}{2} + c_2\sin\frac{\pi}{2} = c_2 = 3\]"""
_GRADIENT = r"""\begin{align*}
\Rightarrow & -\cos(x+3y) - 2\cos(2x+5y) = 0 \\
& -3\cos(x+3y) - 5\cos(2x+5y) = 0
\end{align*}"""
_EXERCISES = r"""\begin{enumerate}
\item Solve $v' = e^{x - v}$.
\subsubsection*{Solution}
Since $v(0) = 0 \Rightarrow e^0 = e^0 + C \Rightarrow C = 0$ and $v = x$
\item The next one gives $\ln w = \frac{x^2}{2} + x + C$. Therefore $\ln 3 = \frac12 + 1 + C$.
\end{enumerate}"""


def list_verdicts(proofreader: TextProofreader, text: str) -> list[str]:
    return [each.verdict for each in proofreader.check_links(text)]


@pytest.fixture(scope="module")
def proofreader() -> TextProofreader:
    return TextProofreader()


@pytest.mark.parametrize(
    ("holding", "failing"),
    [
        # a multiple of the inequality before it, and a step that fails where that holds
        (_MEAN % 12, _MEAN % 13),
        # the range of an item is that of this item
        (
            "Now:\n\n- For $x > 0$: $\\int \\frac{3}{x} dx = 3\\ln x + C$\n- For $x < 0$: $y = -x$",
            "Now:\n\n- For $x > 0$: $\\int \\frac{3}{x} dx = 2\\ln x + C$\n- For $x < 0$: $y = -x$",
        ),
        # lengths are positive
        (_RECTANGLE % "3u^2v", _RECTANGLE % "5u^2v"),
        # the size of what is square
        (r"The size is $(9 - 3)/2 + 1 = 4 \times 4$.", r"The size is $(9 - 3)/2 + 1 = 5 \times 5$."),
        (r"The size is $(9 - 3)/2 + 1 = 4×4$.", r"The value is $(9 - 3)/2 + 1 = 4×4$."),
        # each part is rounded to show what is lost
        (
            r"So $\sqrt{2001} - \sqrt{2000} \approx 44.73 - 44.72$.",
            r"So $\sqrt{2001} - \sqrt{2000} \approx 44.73 - 44.71$.",
        ),
        (
            r"So $0.3312(2x + 1.501) + 1.204x = 1.866x + 0.4971$.",
            r"So $0.3312(2x + 1.501) + 1.204x = 1.886x + 0.4971$.",
        ),
        # an edge, and an equation that the same formula solves
        (
            r"$x = 2$ and $x = e^y \Rightarrow y = \ln x \Leftrightarrow 2 = \ln x \Leftrightarrow x = e^2$",
            r"Let $x = 2$. Then $x^2 + 1 = 6$.",
        ),
    ],
)
def test_a_step_holds_by_what_it_goes_on_from(
    proofreader: TextProofreader, holding: str, failing: str
) -> None:
    assert {"wrong", "doubtful"}.isdisjoint(list_verdicts(proofreader, holding))
    assert "wrong" in list_verdicts(proofreader, failing)


@pytest.mark.parametrize("text", [_PRICE % -6, _CURVES, _CONDITIONS, _GRADIENT, _EXERCISES])
def test_what_is_said_of_another_thing_makes_no_step_doubtful(
    proofreader: TextProofreader, text: str
) -> None:
    assert {"wrong", "doubtful"}.isdisjoint(list_verdicts(proofreader, text))


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (r"The profit is $G(x) = 86x - 3x^2$. So $G'(x) = 86 - 5x$.", "wrong"),
        (
            r"For $w = \sin(h(x))$: $\frac{dw}{dx} = \cos(h(x)) h'(x)$. "
            r"So $\frac{dw}{dx} = -\cos(h(x)) h'(x)$.",
            "doubtful",
        ),
        (r"Here $C = 0$. Then $\ln 3 = 1 + C$.", "wrong"),
        (
            r"\begin{align*} -\cos(x+3y) - 2\cos(2x+5y) &= 0 \\ "
            r"\Rightarrow -3\cos(x+3y) - 6\cos(2x+4y) &= 0 \end{align*}",
            "wrong",
        ),
    ],
)
def test_a_slip_in_what_is_said_of_the_same_thing_stays_one(
    proofreader: TextProofreader, text: str, verdict: str
) -> None:
    assert list_verdicts(proofreader, text)[-1] == verdict


def test_two_bounds_on_one_term_are_no_contradiction(proofreader: TextProofreader) -> None:
    bound = r"the factor is bounded by $|\cos(\eta)\sin(\eta) + \eta^2| \le \frac{\sqrt{%s}}{4}$"
    text = f"On the first part {bound % 2}.\n\nOn the second part {bound % 3}."
    assert {"wrong", "doubtful"}.isdisjoint(list_verdicts(proofreader, text))

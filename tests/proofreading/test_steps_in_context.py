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


def test_a_letter_that_depends_on_the_argument_is_no_constant_of_a_slope(
    proofreader: TextProofreader,
) -> None:
    text = "With $b = \\frac{20}{a}$ we have $L(a) = 3a + 2b$. Hence $L'(a) = 3 {} \\frac{{40}}{{a^2}}$."
    right, wrong = (text.replace("{}", sign).replace("{{", "{").replace("}}", "}") for sign in "-+")
    assert proofreader.check_links(right)[-1].verdict == "follows"
    assert proofreader.check_links(wrong)[-1].verdict == "wrong"


def test_a_sentence_that_says_what_its_matrix_is_calculates_with_it(proofreader: TextProofreader) -> None:
    text = (
        r"For $M=\begin{pmatrix} 1&2\\ 3&7\end{pmatrix}$ we have "
        r"$M^{-1}=\begin{pmatrix} 7&-2\\ C&1\end{pmatrix}$."
    )
    assert proofreader.check_links(text.replace("C", "-3"))[-1].verdict == "follows"
    assert proofreader.check_links(text.replace("C", "3"))[-1].verdict == "wrong"


def test_a_value_looked_at_next_solves_no_equation(proofreader: TextProofreader) -> None:
    text = "Hence $$y = \\frac{6 - 2m}{9 - m^2} = \\frac{2}{3 S m}.$$\n\nFor $m = 0$ this is $y = \\frac23$."
    verdicts = {sign: proofreader.check_links(text.replace("S", sign))[1].verdict for sign in "+-"}
    assert verdicts == {"+": "right", "-": "wrong"}


def test_both_sides_written_in_another_way_keep_the_root(proofreader: TextProofreader) -> None:
    text = "Consider $9^x = 27^{x-2}$. Writing both sides as powers of three, $$3^{2x} = 3^{3x-E}.$$"
    assert proofreader.check_links(text.replace("E", "2"))[-1].verdict == "wrong"
    assert proofreader.check_links(text.replace("E", "6"))[-1].verdict != "wrong"


def test_a_remainder_to_be_calculated_names_the_modulus_behind_it(proofreader: TextProofreader) -> None:
    text = (
        "As $2 \\equiv 5 \\pmod 3$, we find $6^8 \\bmod 23$ by squaring: $$6^4 \\equiv 13^2 = 169 \\equiv R$$"
    )
    assert proofreader.check_links(text.replace("R", "8"))[-1].verdict == "right"
    assert proofreader.check_links(text.replace("R", "9"))[-1].verdict == "wrong"
    own = text.replace("R", r"4 \\pmod{11}")
    assert proofreader.check_links(own)[-1].verdict == "right"


@pytest.mark.parametrize(
    ("denied", "claimed"),
    [
        (
            r'The statement "$|a - b| = |a| - |b|$ for all $a, b$" is false.',
            r"We have $|a - b| = |a| - |b|$ for all $a, b$. This is useful.",
        ),
        (
            r"Some students wrote $$(x^3 \cos x)' = -3x^2 \sin x.$$",
            r"We have $$(x^3 \cos x)' = -3x^2 \sin x.$$",
        ),
    ],
)
def test_what_is_said_to_be_false_of_all_or_others_wrote_is_not_claimed(
    proofreader: TextProofreader, denied: str, claimed: str
) -> None:
    assert proofreader.check_links(denied)[0].verdict not in ("wrong", "doubtful")
    assert proofreader.check_links(claimed)[0].verdict == "wrong"


def test_two_conditions_joined_by_and_are_no_copies(proofreader: TextProofreader) -> None:
    verdicts = [each.verdict for each in proofreader.check_links("Here $t > 0$ and $t - 5 > 0$, so $t > 5$.")]
    assert verdicts == ["given", "given", "follows"]
    assert proofreader.check_links("Here $t - 5 > 0$, so $t > 6$.")[0].verdict == "wrong"

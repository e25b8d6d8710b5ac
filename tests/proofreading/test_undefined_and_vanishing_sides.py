"""Sides without a real value or that are said to be 0, rarer functions, ellipses and identities with `≡`."""

from __future__ import annotations

import pytest

from engines.proofreading.proofread_files import TextProofreader


@pytest.fixture(scope="module")
def proofreader() -> TextProofreader:
    return TextProofreader()


@pytest.mark.parametrize(
    ("template", "right", "wrong"),
    [
        # 1/sinh, and inverses of which one takes the reciprocal of what the other takes
        (r"| $\operatorname{{csch}}(u) = \frac{{{}}}{{\sinh(u)}}$ |", "1", "4"),
        (r"| $\text{{atanh}}(u) = \text{{acoth}}({} / u)$ |", "1", "3"),
        (r"$$\text{{arcsec}}(u {} 2) = \arccos\left(\frac{{1}}{{u+2}}\right) = w$$", "+", "-"),
        # roots and factorials of negative numbers are no real ones
        (r"Its length is $\sqrt{{2^2 {} 3^2}} = \sqrt{{13}}$.", "+", "-"),
        (r"There are $\frac{{4!}}{{(4-{})!}} = 12$ of them.", "2", "6"),
        # limits that are infinite are worked out, and one digit is the same in all bases
        (r"Then $\lim_{{u \to 0^{{+}}}} \ln u = {}\infty$.", "-", "+"),
        (r"Then $\lim_{{m\to\infty}} \frac{{m^{}+3}}{{m^2+m}} = 1$.", "2", "5"),
        # what a product leaves out, an identity without a modulus, large values
        (r"Recall that $m! = 1 \cdot {} \cdot 3 \cdots m$.", "2", "7"),
        (r"$$ 3u^2{}3u-18 \equiv 3(u-2)(u+3) $$", "+", "-"),
        (r"So $\dfrac{{e^{{au}} - e^{{-au}}}}{{2}} = \frac12 e^{{au}} - \frac1{} e^{{-au}}$.", "2", "9"),
        # terms that cancel in the middle of a calculation
        (r"Its slope is $\frac{{g(u+h)-g(u)}}{{h}} = \frac{{c {} c}}{{h}} = 0$.", "-", "+"),
        (r"Then $$w = p(u) q(-u) {} q(-u) p(u) = 0$$ everywhere.", "-", "+"),
        (r"So $$w = {} (1-r) + 0 \cdot 2 r + 0 \cdot (1-r) = 1-r.$$", "1", "6"),
    ],
)
def test_one_change_makes_it_wrong(
    proofreader: TextProofreader, template: str, right: str, wrong: str
) -> None:
    def collect_verdicts(text: str) -> set[str]:
        return {link.verdict for link in proofreader.check_links(text)}

    assert "wrong" not in collect_verdicts(template.format(right))
    assert "wrong" in collect_verdicts(template.format(wrong))


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        # equal terms that add up to 0 may be an equation for them
        ("Then $v - (-v) = 0$.", "doubtful"),
        ("Then $v + (-v) = 0$.", "right"),
        # a condition on b, and one without a solution
        (r"$b \cdot 7 + a \cdot 0 = 0$ is right.", "doubtful"),
        (r"$b \cdot 1 + a \cdot 0 = 0$ is right.", "not accused"),
        (r"$\frac{5}{|h|} = 0$ for small $h$.", "doubtful"),
        (r"Its share is $\frac{M-1}{M-1} = 1$.", "not accused"),
        (r"Its share is $\frac{M-1}{M-8} = 1$.", "doubtful"),
        (r"Solve $3(x^2+2x+1) = x+1$.", "not accused"),
        ("With $t = 0$ we get $g(0) + g(0) = 0$, so $g(0) = 0$.", "not accused"),
        # imaginary numbers, odd roots and what a text calls impossible
        (r"So $\sqrt{-9} = 3i$.", "not accused"),
        (r"So $\sqrt[3]{-8} = -2$.", "not accused"),
        (r"It would be $\sqrt{1 - 5} = 2$, which is impossible.", "not accused"),
        # conventions about infinite values
        (r"We set $1/0 = \infty$.", "not accused"),
    ],
)
def test_what_can_be_meant_is_not_called_wrong(proofreader: TextProofreader, text: str, verdict: str) -> None:
    judged = proofreader.check_links(text)[0].verdict
    assert judged == verdict if verdict != "not accused" else judged not in ("wrong", "loses domain")

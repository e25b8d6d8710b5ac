"""Claims that one change would make follow from the lines right before them; copies of bounds and indices."""

from __future__ import annotations

import pytest

from engines.proofreading.proofread_files import TextProofreader


@pytest.fixture(scope="module")
def proofreader() -> TextProofreader:
    return TextProofreader()


@pytest.mark.parametrize(
    ("template", "right", "wrong"),
    [
        # an equation worked out further, multiplied by what it divides by
        ("So $$mu+k = P(u-b) + Q$$ and\n\nwe expand\n\n$$mu+k = Pu - Pb {} Q$$", "+", "-"),
        (
            "We have $$- \\frac{{v W + v^2 M}}{{N}} = -k.$$ Here are two equations:"
            " $$v^2 M + v W {} k N = 0.$$",
            "-",
            "+",
        ),
        # a side that the line before works out otherwise, and a function put in
        (
            "$$Z(q) = \\int_0^q (a - b x) dx$$ and evaluating it is $$Z(q) = a q - \\frac{{b}}{{{}}} q^2$$.",
            "2",
            "3",
        ),
        ("If $g(x) = c + kx$, then $\\int_a^b g(x) dx = c (b - a) + \\frac{{k}}{{2}}(b^{} - a^2)$", "2", "8"),
        # definitions that are put in, and the slope of a function
        ("Here $H(x,y) = xy + B(y)$ and $B(y) = \\ln |y|$. Thus $$H(x,y) = xy {} \\ln |y|.$$", "+", "-"),
        ("Let $p(t) = (1-t)u + tv$ for $t$ between $0$ and $1$. Then $p'(t) = v {} u$.", "-", "+"),
        # a form of the equation before, and an equation that is solved in it
        ("So we rewrite $\\cos(t) = t$ as $\\cos(t) {} t = 0$. We find a root.", "-", "+"),
        ("The tangent line is $y - 1 = -\\frac16(x-0)$ or $y = -\\frac16 x + {}$.", "1", "3"),
        ("Thus $$12 = x^2 + x.$$\n\nSolve the quadratic equation $$x^2 {} x - 12 = 0.$$", "+", "-"),
        # a bound on a distance that stands twice otherwise, an index that skips others
        (
            "For all $u$ with $|u-b| < r$ it holds. Take $u$ with $|u-b| < r$.\n\n"
            "There is a point such that $|u{}b| < r$ holds.",
            "-",
            "+",
        ),
        ("Let $M_0 > 2$. For $M \\geq M_0$ it holds.\n\nThus, for all $M \\geq M_{}$, it holds.", "0", "5"),
    ],
)
def test_one_change_makes_it_doubtful(
    proofreader: TextProofreader, template: str, right: str, wrong: str
) -> None:
    def find_last(text: str) -> str:
        return proofreader.check_links(text)[-1].verdict

    assert find_last(template.format(right)) not in ("wrong", "doubtful")
    assert find_last(template.format(wrong)) in ("wrong", "doubtful")


@pytest.mark.parametrize(
    "text",
    [
        # said of both a sum and a difference, the next name of a series
        "Let $|p+q| < 1$ and then $|p-q| < 1$.",
        "We have $y_1 > 0$ and $y_1 > 0$ again.\n\nFurther $y_2 > 0$ is clear.",
        # two lines, and another row of a system, and a second example
        "Let $g(x) = x^2 + 1$ and $h(x) = x^2 + 3x$. At one place $g(x) = h(x)$ holds.",
        "Let $g(x) = x^2$. At $0$ it has $g(0) = 0$ and $g(3) = 9$, and for a root $g(x) = 2x - 1$.",
        "This leads to $$\\begin{aligned} 1 &= m - 9n \\\\ 3 &= m - 7n \\\\ 8 &= m - 3n \\end{aligned}$$",
        "One line is $w = 2u + 1$ and the other one is $w = 3u - 1$.",
        "Solve $2u + v = 4$ and $u - v = 2$ and $2u - 2v = 5$.",
        "The line is $y = 2(x-1) + 3$.\n\n## Second\n\nThe line is $y = 2x - 1$.",
    ],
)
def test_what_a_text_varies_is_not_doubted(proofreader: TextProofreader, text: str) -> None:
    assert {"wrong", "doubtful"}.isdisjoint(link.verdict for link in proofreader.check_links(text))


@pytest.mark.parametrize(("power", "verdict"), [(2, "follows"), (3, "wrong")])
def test_a_gradient_is_that_of_the_function_of_its_example(
    proofreader: TextProofreader, power: int, verdict: str
) -> None:
    gradient = r"\left( \frac{\partial g}{\partial x}, \frac{\partial g}{\partial y} \right)"
    first = (
        f"## Example 1\n\nThe function:\n\n$$g(x,y) = x^2$$\n\nThe gradient:\n\n$${gradient} = (2x, 0)$$\n\n"
    )
    second = (
        "## Example 2\n\nThe function:\n\n$$g(x,y) = y^2 \\cos(x)$$\n\nIt is smooth.\n\nThe gradient:\n\n"
        f"$${gradient} = (-y^{power} \\sin(x), 2y \\cos(x))$$\n"
    )
    assert proofreader.check_links(first + second)[-1].verdict == verdict


@pytest.mark.parametrize(
    ("template", "right", "wrong", "verdict"),
    [
        # the slope of a name that is a function of one variable, a name with a prime that stands only here
        (
            "Let us try $u = \\cos t + 3 t^2$. Then $$\\frac{{du}}{{dt}} = -\\sin t {} 6t.$$",
            "+",
            "-",
            "wrong",
        ),
        (
            "We have $w_1' a + w_2' b = 0$ and $w_1' c + w_2' d = 1$ hence $w_1' c^2 + w_{}' c d = c$.",
            "2",
            "9",
            "wrong",
        ),
        (
            "We get $$Z(s) = U(s) + V(s) Z(s).$$ We find $$Z(s) = \\frac{{U(s)}}{{1{}V(s)}}.$$",
            "-",
            "+",
            "wrong",
        ),
        # short laws with a name that stands only here
        ("Let $s_1$ and $s_2$ be given. In this case $s_1 s_2 = s_{} s_1$.", "2", "4", "doubtful"),
        ("So $p_2(x) = 3 + (x-1)(x-2)$ and hence it is: $$p_{}(x) = x^2 - 3x + 5$$", "2", "7", "doubtful"),
    ],
)
def test_names_and_slopes_that_are_meant(
    proofreader: TextProofreader, template: str, right: str, wrong: str, verdict: str
) -> None:
    assert proofreader.check_links(template.format(right))[-1].verdict in ("right", "follows")
    assert proofreader.check_links(template.format(wrong))[-1].verdict == verdict


_RING = "Let $R$ be a ring, $I$ an ideal of the ring and a subring of it. "


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (f"{_RING}Then $u(v-w) = uv+uw$.", "wrong"),
        (f"{_RING}Then $u(v+w) = uv+uw$.", "right"),
        (f"{_RING}Then $I(J-K) = IJ+IK$.", "given"),
        ("A number is in $\\mathbb{R}^4 = \\mathbb{R}$.", "wrong"),
        ("A number is in $\\mathbb{R}^1 = \\mathbb{R}$.", "right"),
    ],
)
def test_laws_of_rings_and_powers_of_sets(proofreader: TextProofreader, text: str, verdict: str) -> None:
    assert proofreader.check_links(text)[-1].verdict == verdict

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
        # an equation worked out further, solved for a value of a function, multiplied by what it divides by
        ("So $$mu+k = P(u-b) + Q$$ and\n\nwe expand\n\n$$mu+k = Pu - Pb {} Q$$", "+", "-"),
        (
            "We get $$Z(s) = U(s) + V(s) Z(s).$$ We find $$Z(s) = \\frac{{U(s)}}{{1{}V(s)}}.$$",
            "-",
            "+",
        ),
        (
            "We have $$- \\frac{{v W + v^2 M}}{{N}} = -k.$$ Here are two equations:"
            " $$v^2 M + v W {} k N = 0.$$",
            "-",
            "+",
        ),
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
    assert find_last(template.format(wrong)) == "doubtful"


@pytest.mark.parametrize(
    "text",
    [
        # said of both a sum and a difference, the next name of a series
        "Let $|p+q| < 1$ and then $|p-q| < 1$.",
        "We have $y_1 > 0$ and $y_1 > 0$ again.\n\nFurther $y_2 > 0$ is clear.",
        # another row of a system, and a second example
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

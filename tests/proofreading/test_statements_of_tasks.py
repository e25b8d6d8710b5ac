r"""Slips in what follows from an exercise or example: its functions, its equation, and steps from them."""

from __future__ import annotations

import pytest

from engines.proofreading.proofread_files import TextProofreader


@pytest.fixture(scope="module")
def proofreader() -> TextProofreader:
    return TextProofreader()


_FAR = "\n\nA sentence." * 12
"""Paragraphs of the text of an exercise."""


@pytest.mark.parametrize(
    ("template", "right", "wrong"),
    [
        # a part of an exercise, far behind the function
        (
            "\\begin{{problem}} Let $w(x) = \\frac{{x+4}}{{3x-1}}$.{far}\n\n\\begin{{subproblem}} $w(x) + 9$"
            " \\begin{{solution}} $w(x) + 9 = \\frac{{x+4}}{{3x-1}} {} 9$ \\end{{solution}}"
            "\\end{{subproblem}}\\end{{problem}}",
            "+",
            "-",
        ),
        # a function that is written in another form
        (
            "\\begin{{example}} Here is \\[ w(x) = \\frac{{x^2+x-12}}{{x-3}} .\\] Ann shows that"
            " \\[ w(x) = \\frac{{(x+4)(x-3)}}{{x-{}}} \\] but for one number.\\end{{example}}",
            "3",
            "8",
        ),
        # a value that is calculated
        (
            "\\begin{{example}} The formula is $w(x) = (x+3)(x+1)(x-2)$. We check:"
            " \\[ w(1) = (4)(2)(-{}) \\] Good.\\end{{example}}",
            "1",
            "5",
        ),
        # the answer to an equation that is the exercise
        (
            "\\begin{{problem}} Solve it.\\begin{{subproblem}} $x^4 - 25 = 0$ \\begin{{solution}}"
            " $x = \\sqrt{{{}}}$ or $x = -\\sqrt{{5}}$ \\end{{solution}}\\end{{subproblem}}\\end{{problem}}",
            "5",
            "7",
        ),
        (
            "\\begin{{problem}} Solve it.\\begin{{subproblem}} $3^{{x^2}} - 81 = 0$ \\begin{{solution}}"
            " $x = \\pm {}$ (they are real) \\end{{solution}}\\end{{subproblem}}\\end{{problem}}",
            "2",
            "7",
        ),
        # steps behind an arrow or "so", from an equation that is to be solved
        (
            "We solve the equation \\begin{{align*}} 3 = 2e^{{5t}} & \\Rightarrow \\ln\\left(\\frac32\\right)"
            " = 5t \\\\ & \\Rightarrow t = \\frac15\\ln\\left(\\frac{{{}}}{{2}}\\right) \\end{{align*}}"
            " It takes about $8$ days.",
            "3",
            "7",
        ),
        (
            "\\begin{{align*}} u - 0.28 = 0.98 + 2k & \\Rightarrow u = 0.98 + 0.28 + 2k \\\\"
            " & \\Rightarrow u = {}.26 + 2k \\end{{align*}}",
            "1",
            "7",
        ),
        ("We see $c^2 = 3^2 + 3^2$, so that $c = 3\\sqrt{{{}}}$.", "2", "5"),
    ],
)
def test_one_change_is_wrong(proofreader: TextProofreader, template: str, right: str, wrong: str) -> None:
    def list_verdicts(text: str) -> list[str]:
        return [link.verdict for link in proofreader.check_links(text)]

    assert {"wrong", "doubtful"}.isdisjoint(list_verdicts(template.format(right, far=_FAR)))
    assert "wrong" in list_verdicts(template.format(wrong, far=_FAR))


@pytest.mark.parametrize(("right", "wrong"), [("x + 4", "x - 4"), ("4 + x", "9 + x")])
def test_coefficients_are_put_in(proofreader: TextProofreader, right: str, wrong: str) -> None:
    text = (
        "Let $w(x) = \\frac{x-A}{x-B}$ for all $x$. Then $A = 3$ and $B = -4$, so $w(x) = \\frac{x-3}{%s}$."
    )
    verdicts = [proofreader.check_links(text % side)[-1].verdict for side in (right, wrong)]
    assert verdicts == ["follows", "doubtful"]


def test_a_solution_begins_a_sentence(proofreader: TextProofreader) -> None:
    text = (
        "\\begin{example} Find the zeros of the function that has formula \\[ w(x) = x^4 - 2x^3 + 5x^2 \\]"
        " \\begin{solution} We begin with $w(x) = x^4 - 2x^3 %s 5x^2$ here.\\end{solution}\\end{example}"
    )
    verdicts = [proofreader.check_links(text % sign)[-1].verdict for sign in "+-"]
    assert verdicts == ["follows", "doubtful"]


def test_what_was_refused_is_put_right(proofreader: TextProofreader) -> None:
    text = (
        "\\begin{example} We try $w(x) = (x+3)(x+1)(x-2)$. It gives \\[ w(1) = (4)(2)(-1) = -8 \\] %s"
        " Therefore the formula is \\[ w(x) = -(x+3)(x+1)(x-2) .\\]\\end{example}"
    )
    assert proofreader.check_links(text % "which is clearly not correct.")[-1].verdict == "not shown"


@pytest.mark.parametrize(
    ("template", "right", "wrong", "verdict"),
    [
        # what words draw from the lines shortly before, and a chain in a solution
        (
            "The equation is $\\mu w - v = h$.\n\nIf $\\mu \\neq 0$, then\n\n$$w = \\frac1\\mu(v {} h).$$",
            "+",
            "-",
            "wrong",
        ),
        (
            "\\begin{{solution}} First \\[ \\sin t = \\frac{{a}}{{r}} \\sin p \\] and therefore\n\n"
            "\\[ \\cos t = \\sqrt{{1 - \\sin^2 t}} = \\sqrt{{1 - \\frac{{a^2}}{{r^2}}\\sin^2 p}}. \\]\n\n"
            "So we get\n\n"
            "\\[ x = a\\cos p {} r\\cos t = a\\cos p + r\\sqrt{{1 - \\frac{{a^2}}{{r^2}}\\sin^2 p}} \\]"
            "\\end{{solution}}",
            "+",
            "-",
            "wrong",
        ),
        ("We get $b^2 = 4$, meaning that $b = \\pm {}$.", "2", "9", "wrong"),
        # a value that a chain goes on to, of what has another
        (
            "We know $PQ = 90$.\n\nMore.\n\nSince $RS = 5$ and $PQ = UV = {}0$, we see it.",
            "9",
            "8",
            "doubtful",
        ),
        # a rounded value of a function with a coefficient
        (
            "\\begin{{example}} We evaluate $w(t) = A e^{{-0.0001t}}$, where $A = 20$, and get"
            " $w({}931) \\approx 10$.\\end{{example}}",
            "6",
            "1",
            "wrong",
        ),
    ],
)
def test_what_leads_on_says_how_sure_it_is(
    proofreader: TextProofreader, template: str, right: str, wrong: str, verdict: str
) -> None:
    def list_verdicts(text: str) -> list[str]:
        return [link.verdict for link in proofreader.check_links(text)]

    assert {"wrong", "doubtful"}.isdisjoint(list_verdicts(template.format(right)))
    assert verdict in list_verdicts(template.format(wrong))


def test_letters_with_values_are_numbers_beside_groups(proofreader: TextProofreader) -> None:
    about = "This chapter is about groups: a group, a subgroup and a ring. Every group has subgroups. " * 4
    text = about + "Here $k = 3$ and $n = 3$, therefore $s = %sn - k = 6$."
    verdicts = [proofreader.check_links(text % factor)[-1].verdict for factor in "36"]
    assert verdicts == ["follows", "wrong"]


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        # another exercise has its own function of the name
        (
            "\\begin{problem} Let $w(x) = 2x+5$.\\end{problem}"
            + _FAR
            + "\n\n\\begin{problem} $w(x) + 1 = 2x-5+1$"
            " is given.\\end{problem}",
            "given",
        ),
        # a value of another unknown does not answer an equation
        (
            "\\begin{problem} $x^4 - 25 = 0$ \\begin{solution} We put $y = \\sqrt{7}$.\\end{solution}"
            "\\end{problem}",
            "given",
        ),
    ],
)
def test_other_tasks_say_nothing(proofreader: TextProofreader, text: str, verdict: str) -> None:
    assert proofreader.check_links(text)[-1].verdict == verdict

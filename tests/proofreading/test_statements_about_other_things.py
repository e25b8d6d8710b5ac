"""Statements of other arguments, bounds, curves and examples do not contradict each other, and an operation
on both sides of an equation is no mistake; real mistakes beside them are still called so."""

from __future__ import annotations

import pytest

from engines.proofreading.proofread_files import TextProofreader

_ACCUSED = ("wrong", "doubtful")


@pytest.fixture(scope="module")
def proofreader() -> TextProofreader:
    return TextProofreader()


def list_verdicts(proofreader: TextProofreader, text: str) -> list[str]:
    return [each.verdict for each in proofreader.check_links(text)]


def count_accused(proofreader: TextProofreader, text: str) -> int:
    return sum(verdict in _ACCUSED for verdict in list_verdicts(proofreader, text))


def test_an_unknown_function_has_no_roots(proofreader: TextProofreader) -> None:
    text = r"We find that $A(0) = \int_3^0 h(s) \, ds = -\int_0^3 h(s) \, ds = -\frac{1}{4}$."
    assert count_accused(proofreader, text) == 0
    assert list_verdicts(proofreader, "From $3x + 2 = 11$ we conclude that $3x = 13$.")[-1] == "wrong"


@pytest.mark.parametrize(
    "text",
    [
        r"We find $A(3) = \int_3^3 h(s) \, ds = 0$; $A(5) = \int_3^5 h(s) \, ds = 0$.",
        r"We have $F(5) = \frac{7\pi}{4} - \frac{5}{2}$. All the same $F(6) = \frac{7\pi}{4} - \frac{5}{2}$.",
    ],
)
def test_equal_values_at_other_arguments_are_no_contradiction(
    proofreader: TextProofreader, text: str
) -> None:
    assert count_accused(proofreader, text) == 0


def test_a_value_that_the_text_says_again_elsewhere_is_contradicted(proofreader: TextProofreader) -> None:
    right = r"$F(5) = \frac{7\pi}{4} - \frac{5}{2}$"
    text = rf"We have {right}. Again {right}. Once more $F(5) = \frac{{7\pi}}{{4}} - \frac{{9}}{{2}}$."
    assert count_accused(proofreader, text) == 1


def test_a_rate_of_another_example_is_no_contradiction(proofreader: TextProofreader) -> None:
    def place_apart(lines: int) -> str:
        gap = "\n" * lines
        again = r"Since $\frac{dw}{dx} = 2$, all is said."
        return (
            rf"The rate is $\frac{{dw}}{{dx}} = 6$.{gap}The second wheel has $\frac{{dw}}{{dx}} = 2$. {again}"
        )

    assert count_accused(proofreader, place_apart(26)) == 0
    assert count_accused(proofreader, place_apart(4)) == 1


def test_bounds_and_curves_that_are_joined_hold_apart(proofreader: TextProofreader) -> None:
    region = (
        r"The width runs from $x = \frac12 y - \frac12$ to $x = 2$. So the height is"
        r" $h(y) = 2 - (\frac12 y - \frac12)$, and the radius is the distance to the axis, so $r(y) = y$."
        r" The $y$ limits of the region are $y = 1$ and $y = 5$."
    )
    assert count_accused(proofreader, region) == 0
    curves = r"Plot the functions $y = \frac{1}{x}$ and $y = \frac{1}{x^{5/2}}$ in one picture."
    assert count_accused(proofreader, curves) == 0
    assert list_verdicts(proofreader, "We solve $2y - 1 = 5$. Hence $y = 3$, so $y = 1$.")[-1] == "wrong"
    squared = r"Let $y = \frac{2}{x}$. Squaring it we obtain $y^2 = \frac{5}{x^2}$."
    assert list_verdicts(proofreader, squared)[-1] == "wrong"


def test_an_equation_says_where_it_holds_behind_a_condition(proofreader: TextProofreader) -> None:
    text = (
        "The divisor vanishes. That occurs when $x = 2$. The numerator is zero, too."
        " That occurs when $x^2 - 3x - 4 = (x-4)(x+1) = 0$."
    )
    assert count_accused(proofreader, text) == 0
    assert list_verdicts(proofreader, "Let $x = 2$. Then $x^2 - 3x - 4 = (x-4)(x+1) = 0$.")[-1] == "wrong"


def test_a_place_of_rest_is_no_change_of_variables(proofreader: TextProofreader) -> None:
    text = (
        "The solution at rest is $P = M$. We separate and integrate:\n"
        r"$$\int \frac{1}{P^2 + 1}~dP = \int M~dt.$$"
    )
    assert count_accused(proofreader, text) == 0
    changed = r"Let $u = 3t$. Then $$\int \cos u \, du = \int \cos(3t) \, dt.$$"
    assert list_verdicts(proofreader, changed)[-1] == "wrong"


@pytest.mark.parametrize(
    "question",
    [
        "T/F: The rule states that",
        "True or False: The rule says that",
        "Wahr oder falsch: Die Regel besagt, dass daher und dann gilt",
        "Vrai ou faux : la règle dit que donc et alors",
        "Verdadero o falso: la regla dice que entonces y por lo tanto",
        "判断正误：因此",
    ],
)
def test_items_that_ask_whether_they_are_true_are_not_accused(
    proofreader: TextProofreader, question: str
) -> None:
    item = r"$\frac{d}{dx}(x^3\cos(x)) = 3x^2\sin(x)$."
    text = rf"\begin{{enumerate}}\item {question} {item}\end{{enumerate}}"
    assert count_accused(proofreader, text) == 0
    told = rf"\begin{{enumerate}}\item The rule states that {item}\end{{enumerate}}"
    assert list_verdicts(proofreader, told) == ["wrong"]


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        (r"\frac{d}{dx}[x^3 - y^3] = \frac{d}{dx}[9xy]", "follows"),
        (r"\frac{d}{dx}[x^3 - y^3] = \frac{d}{dx}[8xy]", "wrong"),
        (r"\int (x^3 - y^3) dx = \int 9xy dx", "follows"),
        (r"\int_0^1 (x^3 - y^3) dx = \int_0^1 9xy dx", "follows"),
        (r"\lim_{x \to 1} (x^3 - y^3) = \lim_{x \to 1} 9xy", "follows"),
        (r"\sum_{x=1}^5 (x^3 - y^3) = \sum_{x=1}^5 9xy", "follows"),
        (r"\ln(x^3 - y^3) = \ln(9xy)", "follows"),
    ],
)
def test_both_sides_of_a_stated_equation_undergo_one_operation(
    proofreader: TextProofreader, claim: str, verdict: str
) -> None:
    assert list_verdicts(proofreader, rf"The point lies on $x^3 - y^3 = 9xy$. So ${claim}$.")[-1] == verdict


def test_an_equation_at_single_values_is_not_differentiated(proofreader: TextProofreader) -> None:
    text = r"Let $x^2 = 2x$. So $\frac{d}{dx} x^2 = \frac{d}{dx} (2x)$."
    assert list_verdicts(proofreader, text)[-1] == "wrong"


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        # a formula holds in its range
        (
            r"Now $c(t) = 3t^2 - 4$ on $2 \le t \le 3$ only. So $\int_0^3 c(t) \, dt + 0 = \frac{65}{2}$.",
            "given",
        ),
        (
            r"Now $c(t) = 3t^2 - 4$ on $0 \le t \le 3$ only. So $\int_0^3 c(t) \, dt + 0 = \frac{65}{2}$.",
            "wrong",
        ),
        (
            r"Now $c(t) = 3t^2 - 4$ on $[2, 3]$ only. So $\frac{1}{3}\int_0^3 c(t) \, dt = \frac{65}{2}$.",
            "given",
        ),
        (
            r"Now $c(t) = 3t^2 - 4$ on $[0, 3]$ only. So $\frac{1}{3}\int_0^3 c(t) \, dt = \frac{65}{2}$.",
            "wrong",
        ),
        # a value is changed
        (
            r"Here $h = 1/4$, $h^2 = 1/16$. Change the value of $h$ to $1/500$: $h^2 + 1 = (0.002)^2 + 1$.",
            "given",
        ),
        (r"Here $h = 1/4$, so $h^2 = 1/16$. By our rule we get $h^2 + 1 = (0.002)^2 + 1$.", "wrong"),
        # the next equation has the root
        (
            r"Here $x = 1$ is below $x = e^{2y}$, so $2y = \ln x$, which means $4 = \ln x$, hence $x = e^4$.",
            "follows",
        ),
    ],
)
def test_a_value_or_formula_holds_where_it_is_said(
    proofreader: TextProofreader, text: str, verdict: str
) -> None:
    verdicts = list_verdicts(proofreader, text)
    assert verdicts[-1] == verdict
    assert (verdict == "wrong") == ("wrong" in verdicts)


def test_increments_get_another_value(proofreader: TextProofreader) -> None:
    first = r"Here $\Delta x = 2/8$ is the width, so $4\Delta x^2 + 1 = 4 (1/4)^2 + 1$."
    again = r"$$4\Delta x^2 + 1 = 4 (0.002)^2 + 1.$$"
    assert count_accused(proofreader, rf"{first} Change the value of $\Delta x$ to $2/1000$, so {again}") == 0
    assert count_accused(proofreader, rf"Here $\Delta x = 2/8$ is the width, so {again}") == 1


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (
            r"Let $f(t) = (1+2/t)^t$. So $\lim_{t\to\infty} \ln f(t) = \lim_{t\to\infty} \ln(1+\frac2t)^t$.",
            "right if",
        ),
        (
            r"Let $f(t) = (1+2/t)^t$. So $\lim_{t\to\infty} \ln f(t) = \lim_{t\to\infty} \ln(1+\frac3t)^t$.",
            "wrong",
        ),
        (r"Let $f(t) = t^4$. Hence $\sin f(2) = \sin (2)^4$.", "right if"),
        (r"Let $f(t) = t^4$. Hence $\sin f(2) = \sin (2)^3$.", "wrong"),
        (r"Hence $\sqrt{2003} - \sqrt{2002} \approx 44.75 - 44.74$.", "right"),
        (r"Hence $\sqrt{2003} - \sqrt{2002} \approx 44.75 - 44.72$.", "wrong"),
        (r"So $-\ln 1/x = \ln x$.", "right if"),
        (r"So $-\ln 1/x = 2\ln x$.", "wrong"),
        (r"So $\frac{b^2-{2b}^2+4ac}{4a} = \frac{-b^2+4ac}{4a}$.", "right if"),
        (r"So $\frac{b^2-{2b}^2+4ac}{4a} = \frac{-4b^2+4ac}{4a}$.", "wrong"),
        (r"So $2 + 7 + 12 + 17 = \sum_{k=1}^{4} 5k-3$.", "right if"),
        (r"So $2 + 7 + 12 + 17 = \sum_{k=1}^{4} 5k-2$.", "wrong"),
        (r"We have $\frac{x+y}{2} \ge \sqrt{xy}$.", "not shown"),
        (r"Therefore $2(x+y) \ge 5\sqrt{xy}$.", "wrong"),
        ("- For $x > 0$: $\\int \\frac{1}{x} \\, dx = \\ln x + C$\n- For $x < 0$: $0 = 0$", "right"),
    ],
)
def test_what_the_print_or_the_subject_says_is_meant(
    proofreader: TextProofreader, text: str, verdict: str
) -> None:
    assert list_verdicts(proofreader, text)[-1] == verdict


def test_a_mistake_in_an_antiderivative_of_one_case_is_found(proofreader: TextProofreader) -> None:
    cases = "- For $x > 0$: $\\int \\frac{{1}}{{x}} \\, dx = {} + C$\n- For $x < 0$: $0 = 0$"
    assert count_accused(proofreader, cases.format(r"\ln x")) == 0
    assert count_accused(proofreader, cases.format(r"2 \ln x")) == 1


def test_two_bounds_of_one_size_hold_together(proofreader: TextProofreader) -> None:
    first = r"where $|\sin \xi| \le \frac{\sqrt{2}}{2}$, so it is small."
    text = first + r"%sWith others we have $|\sin \xi| \le \frac{\sqrt{3}}{2}$."
    assert count_accused(proofreader, text % "\n\n") == 0
    again = r" Then $|\sin \xi| \le \frac{\sqrt{2}}{2}$ is used again." + "\n\n"
    assert count_accused(proofreader, text % again) == 1


def test_an_index_in_a_supposition_is_not_mistyped(proofreader: TextProofreader) -> None:
    text = "The function is $f(x) = x^3 - x^2 - 1$, and $x_0 = 0$ is poor. Then $x_1 = 2$ and $x_2 = 3$."
    assert count_accused(proofreader, rf"{text} This is bad if it turns out that $f'(x_5) = 0$.") == 0
    assert count_accused(proofreader, rf"{text} We see that $f'(x_5) = 0$.") == 1


@pytest.mark.parametrize(
    ("behind", "verdict"),
    [("**Conclusion:** Impossible, they are parallel.", "not shown"), ("Hence.", "wrong")],
)
def test_an_equation_without_solution_that_words_name_is_no_mistake(
    proofreader: TextProofreader, behind: str, verdict: str
) -> None:
    text = f"Line: $x = 1 + t$. Substitute:\n\n$$5(1 + t) - 5t = 6$$\n\n$$5 = 6$$\n\n{behind}"
    assert [each.verdict for each in proofreader.check_links(text)][1:] == [verdict] * 2


def test_the_rows_of_a_line_do_not_follow_from_a_plane(proofreader: TextProofreader) -> None:
    text = "Plane: $2x + 3y - z = 6$. Line: $x = 1+t, y = 2+t, z = 3+5t$"
    assert "wrong" not in {each.verdict for each in proofreader.check_links(text)}


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("- ❌ $(2+3)^2 = 13$", "not shown"),
        ("- 錯誤公式：$(2+3)^2 = 13$", "not shown"),
        ("It is $(2+3)^2 = 13$ ❌", "not shown"),
        ("- ✅ $(2+3)^2 = 13$", "wrong"),
        ("- ❌ $2 = 3$\n- ✅ $(2+3)^2 = 13$", "wrong"),
        ("It is $2 = 3$ ❌ and $(2+3)^2 = 13$", "wrong"),
        ("- ❌ $2^x = 5$ → $x = \\lg 5$", "not shown"),
        ("The logarithm is $log(e) ≈ 0.4343$.", "right if"),
        ("Check $3 \\stackrel{?}{=} 2(1) + 1 = 3$.\n\nCheck $2 \\stackrel{?}{=} 2(1) + 1 = 3$.", "not shown"),
    ],
)
def test_what_a_cross_or_question_marks_is_not_claimed(
    proofreader: TextProofreader, text: str, verdict: str
) -> None:
    assert list_verdicts(proofreader, text)[-1] == verdict


def test_choices_say_nothing_of_each_other(proofreader: TextProofreader) -> None:
    choices = "A. $y = 2x + 3$\n\nB. $y = -2x + 3$\n\nC. $y = 3x + 5$"
    assert list_verdicts(proofreader, choices) == ["given"] * 3

"""*Different* needs a witness in what the whole answer means: a piece of a text is none."""

from __future__ import annotations

import pytest

from engines.grading.grades import grade


@pytest.mark.parametrize(
    ("gold", "pred"),
    [
        ("x = 7", "7 is the only root; −3 must be rejected because the root of it isn't real"),
        ("4 : 5", "for every 4 roses there are 5 tulips"),
        (r"\begin{pmatrix}2\\5\end{pmatrix}", "a shift of 2 units to the right and 5 units up"),
        ("(4, 1)", "highest point at x = 4, there y = 1"),
        (r"[0,2]\cup\{5\}", "All $x$ with $0\\le x\\le2$, together with the isolated point $5$."),
        (
            r"\begin{pmatrix}7&1\\0&7\end{pmatrix}",
            r"a single $2\times2$ Jordan block with eigenvalue $\lambda=7$.",
        ),
        ("36, when both numbers are 6", "6 and 6, giving a max product of 36"),
    ],
)
def test_a_piece_of_a_text_is_no_witness(gold: str, pred: str) -> None:
    assert grade(gold, pred).verdict != "different"


@pytest.mark.parametrize(
    ("gold", "pred"),
    [
        ("7", "So the answer is 9."),
        ("7", "Each of them has 9 apples left."),
        ("x = 7", r"Hence \boxed{x = 9}."),
        ("(4, 1)", "The point is (4, 2)."),
        ("12 cm", "The length is 13 cm."),
    ],
)
def test_a_text_that_says_one_other_value_differs(gold: str, pred: str) -> None:
    assert grade(gold, pred).verdict == "different"


def test_the_remark_where_a_value_is_taken_is_no_answer() -> None:
    assert grade("$7$ (at $x=3$)", "7").accepted
    assert not grade("$7$ (at $x=3$)", "3").accepted
    assert not grade("$7$（$x=3$ のとき）", "x=7 のとき最大値 3 をとる。").accepted
    assert not grade("$7$ (at $x=3$)", "$7$ at $x=4$").accepted


def test_letters_named_in_the_question_are_put_into_its_formula() -> None:
    question = r"Write $\frac{x+7}{(x-1)(x+3)}$ as $\frac{A}{x-1}+\frac{B}{x+3}$."
    gold = r"\frac{2}{x-1}-\frac{1}{x+3}"
    assert grade(gold, "A = 2, B = -1", problem=question).accepted
    assert grade("A = 2, B = -1", gold, problem=question).accepted
    assert not grade(gold, "A = -1, B = 2", problem=question).accepted
    assert grade(gold, "A = -1, B = 2").verdict == "undecided"


@pytest.mark.parametrize(
    "pred", ["3 cis 120°", r"$3\operatorname{cis}\frac{2\pi}{3}$", "3∠120°", "3cis(2π/3)"]
)
def test_polar_forms_are_read(pred: str) -> None:
    gold = r"3\left(\cos\frac{2\pi}{3}+i\sin\frac{2\pi}{3}\right)"
    assert grade(gold, pred).accepted
    assert not grade(gold, pred.replace("3", "4", 1)).accepted
    assert not grade(
        gold, pred.replace("120", "60").replace("{2\\pi}", "{\\pi}").replace("(2π", "(π")
    ).accepted


@pytest.mark.parametrize(
    ("gold", "right", "wrong"),
    [
        (r"6\ \text{kg·m/s}", "6 N s", "6 N"),
        ("3 km", "3000 metres in all", "300 metres in all"),
        ("2,7 г/см³", r"$\rho = 2.7\ \text{г/см}^3$", r"$\rho = 2.7\ \text{г/м}^3$"),
        ("20 000 m²", "2 hectares", "20 hectares"),
        ("2 years", "24 months", "12 months"),
        ("3 года", "36 месяцев", "30 месяцев"),
        (r"2.5\times10^{-3}\ \text{yr}^{-1}", "0.0025 per year", "0.0025 per month"),
        ("21:00", "9 p.m.", "9 a.m."),
        ("21:00", "21 Uhr", "20 Uhr"),
    ],
)
def test_quantities_in_other_units(gold: str, right: str, wrong: str) -> None:
    assert grade(gold, right).accepted
    assert not grade(gold, wrong).accepted


def test_how_many_days_a_year_has_is_not_said() -> None:
    assert grade("1 year", "365 days").verdict == "undecided"


@pytest.mark.parametrize(
    ("gold", "right", "wrong"),
    [
        (r"\begin{pmatrix}4&0\\0&9\end{pmatrix}", "diag(4, 9)", "diag(9, 4)"),
        (r"\left(\tfrac27,\tfrac37,-\tfrac67\right)", "(2i + 3j − 6k)/7", "(2i + 3j + 6k)/7"),
        (r"u=x^2-4y^2,\ v=xy", "$u(x,y)=(x-2y)(x+2y)$, $v(x,y)=xy$", "$v(x,y)=(x-2y)(x+2y)$, $u(x,y)=xy$"),
        (r"\{-5,3\}", "x' = 3 and x'' = −5", "x' = 3 and x'' = 5"),
        ("10110011", "1011 0011", "1011 0010"),
    ],
)
def test_other_notations(gold: str, right: str, wrong: str) -> None:
    assert grade(gold, right).accepted
    assert not grade(gold, wrong).accepted


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        (
            "The result is significant, so the null hypothesis has to be discarded.",
            "There is no reason to reject H0",
        ),
        ("Die Nullhypothese wird abgelehnt", "Die Nullhypothese wird beibehalten"),
        ("On rejette l'hypothèse nulle", "On ne rejette pas l'hypothèse nulle"),
        ("Se rechaza la hipótesis nula", "No se rechaza la hipótesis nula"),
        ("Нулевая гипотеза отвергается", "Нулевая гипотеза не отвергается"),
        ("帰無仮説を棄却する", "帰無仮説を棄却できない"),
        ("there is enough evidence to reject H0", "there is not enough evidence to reject H0"),
    ],
)
def test_decisions_of_tests(right: str, wrong: str) -> None:
    assert grade("Reject H₀", right).accepted
    assert not grade("Reject H₀", wrong).accepted
    assert grade("Do not reject H₀", wrong).accepted
    assert not grade("Reject H₀", "The alternative hypothesis is rejected").accepted


@pytest.mark.parametrize(
    ("gold", "right", "wrong"),
    [
        (r"$8\pi\approx25.13$ cm²", "about 25.13 square centimetres", "about 25.31 square centimetres"),
        (r"$1-0{,}8^{5}\approx0{,}6723$", "rund 67,23 %", "rund 67,32 %"),
    ],
)
def test_the_decimals_count_that_a_reference_gives(gold: str, right: str, wrong: str) -> None:
    assert grade(gold, right, problem="How large is it?").accepted
    assert not grade(gold, wrong, problem="How large is it?").accepted
    assert not grade(gold, right, problem="Give the exact value.").accepted
    assert grade(gold, right).verdict != "equal" or "≈" in right


def test_a_question_may_ask_for_decimals() -> None:
    question = "Find the probability, exactly or to three decimals."
    assert grade(r"e^{-2}", r"P ≈ 0.135", problem=question).accepted
    assert not grade(r"e^{-2}", r"P ≈ 0.136", problem=question).accepted
    assert not grade(r"e^{-2}", r"P ≈ 0.14", problem=question).accepted
    assert grade("1/7", "14.29 %", problem="Give it as a percentage to two decimal places.").accepted
    assert not grade("1/7", "14.1 %", problem="Give it as a percentage to two decimal places.").accepted
    assert grade("1/7", "≈ 0.143", problem="How probable is it?").verdict == "equal if"


def test_a_question_may_ask_for_an_order() -> None:
    question = "Balance the equation; give the coefficients in order."
    assert grade("2, 7, 4, 6", "2, 7, 4, 6", problem=question).accepted
    assert not grade("2, 7, 4, 6", "2, 4, 6, 7", problem=question).accepted
    assert not grade("3, 6, 12", "12, 6, 3", problem="Write the first three terms.").accepted
    assert grade("3, 5", "5, 3", problem="Factor it in order to solve the equation.").accepted


def test_a_direction_may_be_a_sign() -> None:
    question = "Motion to the right is counted as positive. Find the velocity."
    assert grade("-4 m/s", "4 m/s to the left", problem=question).accepted
    assert grade("-4 m/s", "4 m/s nach links", problem=question).accepted
    assert not grade("-4 m/s", "4 m/s to the right", problem=question).accepted
    assert not grade("-4 m/s", "4 m/s up", problem=question).accepted
    assert grade("-4 m/s", "4 m/s to the left").verdict == "undecided"


def test_a_letter_that_a_question_has_not_is_no_witness() -> None:
    assert grade("7.5 years", "t ≈ 7.5 a", problem="Find the half-life.").verdict == "undecided"
    assert grade("5", "5x", problem="Find $x$.").verdict == "different"


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        (
            r"$x=5\sin\theta,\ y=5\cos\theta$ with $0\le\theta<2\pi$",
            r"$x=5\sin\theta,\ y=5\sin\theta$ with $0\le\theta<2\pi$",
        ),
        (r"$(5\cos 2s, 5\sin 2s)$, $0\le s<\pi$", r"$(5\cos 2s, 5\sin 2s)$, $0\le s<2\pi$"),
        ("x = 5 cos t, y = -5 sin t, t from 0 to 2π", "x = 5 cos t, y = 4 sin t, t from 0 to 2π"),
        (r"$(-5\cos t, 5\sin t)$, $t\in[0,2\pi)$", r"$(5+5\cos t, 5\sin t)$, $t\in[0,2\pi)$"),
    ],
)
def test_circles_are_run_through_in_several_ways(right: str, wrong: str) -> None:
    gold = r"$(5\cos t,5\sin t),\ t\in[0,2\pi)$"
    question = "Give a parametrisation of the circle, traversed once."
    assert grade(gold, right, problem=question).accepted
    assert not grade(gold, wrong, problem=question).accepted


def test_a_question_may_ask_for_the_direction_of_a_curve() -> None:
    gold, other = r"$(5\cos t,5\sin t),\ t\in[0,2\pi)$", r"$(5\cos t,-5\sin t),\ t\in[0,2\pi)$"
    question = "Give a counterclockwise parametrisation of the circle."
    assert not grade(gold, other, problem=question).accepted


def test_eigenvectors_are_no_zero_vectors() -> None:
    gold = r"$t(2,1)^T$, $t\neq0$"
    form = r"All vectors of the form $\begin{pmatrix}2a\\a\end{pmatrix}$ with "
    assert grade(gold, form + r"$a\in\mathbb{R}\setminus\{0\}$.").accepted
    assert not grade(gold, form + r"$a\in\mathbb{R}$.").accepted
    assert not grade(gold, form.replace("2a", "3a") + r"$a\in\mathbb{R}\setminus\{0\}$.").accepted


def test_words_that_are_read_as_letters_are_no_witness() -> None:
    assert grade(r"x\in\{-3,0,3\}", "x(x²-9)=0, so x = 0 or x = ±3").verdict != "different"


def test_a_value_beside_a_class_counts() -> None:
    assert not grade("converges to $9$ for $x=4$", "converges to $8$ for $x=4$").accepted


def test_a_backslash_between_sets_takes_one_from_the_other() -> None:
    assert grade(r"A \setminus B", "A \\ B").accepted
    assert not grade(r"A \setminus B", "B \\ A").accepted
    assert grade(r"\mathbb{C}\setminus\{2i,-2i\}", "ℂ \\ {2i, -2i}").accepted


@pytest.mark.parametrize(
    ("gold", "right", "wrong", "question"),
    [
        ("BC", "0xbc", "0xcb", "Write 188 in hexadecimal."),
        ("BC", "BC₁₆", "188", "Write 188 in base 16."),
        (
            "1, 3, 1, 2",
            "Fe2O3 + 3 CO → 3 CO2 + 2 Fe",
            "",
            "Balance $Fe_2O_3+CO\\to Fe+CO_2$; give the coefficients.",
        ),
        ("4, 3, 2", "3 O2 + 4 Fe → 2 Fe2O3", "4 O2 + 3 Fe → 2 Fe2O3", "Balance $Fe+O_2\\to Fe_2O_3$."),
        ("$X+Y$", "X OR Y", "X AND Y", "Simplify the Boolean expression $XY+XY'+X'Y$."),
        ("$X+Y$", "(X'Y')'", "X'+Y", "Simplify the Boolean expression $XY+XY'+X'Y$."),
        (
            r"$\begin{pmatrix}7&1\\0&7\end{pmatrix}$",
            "a single 2×2 Jordan block with eigenvalue 7",
            "two 1×1 Jordan blocks with eigenvalue 7",
            "Find the Jordan normal form.",
        ),
        (
            r"$\begin{pmatrix}7&1&0\\0&7&0\\0&0&3\end{pmatrix}$",
            "J_1(3) ⊕ J_2(7)",
            "J_2(3) ⊕ J_1(7)",
            "Find the Jordan normal form.",
        ),
        (
            r"$\{1,3,7,9\}$",
            "±1 and ±3 (mod 10)",
            "±1 and ±2 (mod 10)",
            r"List the units of $\mathbb{Z}/10\mathbb{Z}$.",
        ),
        (r"$f^{-1}(x)=\frac{x-8}{4}$", "y = x/4 - 2", "y = 4x + 8", "Find $f^{-1}(x)$."),
        (r"$x=2\pm\sqrt7$", "x₁ = 2+√7 (≈ 4.65), x₂ = 2−√7 (≈ −0.65)", "x₁ = 2+√7 (≈ 4.56), x₂ = 2−√7", ""),
        (
            "(6, 4)",
            "lowest point at x = 6, there y = 4",
            "lowest point at x = 4, there y = 6",
            "Find the vertex.",
        ),
        ("(6, 4)", "The vertex lies at x = 6 where y = 4", "x = 6 or y = 4", "Find the vertex."),
    ],
)
def test_what_the_question_fixes_of_a_notation(gold: str, right: str, wrong: str, question: str) -> None:
    if wrong:
        assert grade(gold, right, problem=question).accepted
        assert not grade(gold, wrong, problem=question).accepted
    else:
        assert not grade(gold, right, problem=question).accepted


@pytest.mark.parametrize(
    "pred",
    [
        "everywhere except at z = 3i and z = -3i",
        "all complex numbers except ±3i",
        r"$z\neq\pm3i$",
        "ℂ \\ {±3i}",
    ],
)
def test_all_numbers_but_a_few(pred: str) -> None:
    gold = r"$\mathbb{C}\setminus\{3i,-3i\}$"
    assert grade(gold, pred, problem="Where is f analytic?").accepted
    assert not grade(gold, pred.replace("3i", "2i"), problem="Where is f analytic?").accepted
    assert not grade(gold, "everywhere except at z = 3i", problem="Where is f analytic?").accepted
    assert not grade(gold, "all real numbers except 3i and -3i", problem="Where is f analytic?").accepted


def test_for_all_values_of_a_set() -> None:
    assert grade(r"$a\neq 2$ y $a\neq -2$", "para todo a ∈ ℝ \\ {−2, 2}").accepted
    assert not grade(r"$a\neq 2$ y $a\neq -2$", "para todo a ∈ ℝ \\ {2}").accepted
    assert grade("x > 5", "for all x > 5").accepted
    assert not grade("x > 5", "for all x ≥ 5").accepted


@pytest.mark.parametrize(
    ("question", "no", "other"),
    [
        ("¿87 es un número primo?", "No es primo porque 87 = 3·29", "No es par"),
        ("Is the map injective?", "It isn't injective", "It isn't surjective"),
        ("Is $f$ continuous?", "f is not continuous, because it jumps", "f' is not continuous"),
        ("Is 87 prime?", "87 is not prime", "89 is not prime"),
    ],
)
def test_yes_and_no_in_the_words_of_the_question(question: str, no: str, other: str) -> None:
    assert grade("No", no, problem=question).accepted
    assert not grade("Yes", no, problem=question).accepted
    assert not grade("No", other, problem=question).accepted


def test_yes_and_no_are_no_witness_for_other_words() -> None:
    assert grade("No", "It is discontinuous", problem="Is it continuous?").verdict != "different"


@pytest.mark.parametrize(
    ("gold", "right", "wrong"),
    [
        (
            r"$[0,3]\cup\{7\}$",
            "All $x$ with $0\\le x\\le3$, together with the isolated point $7$.",
            "0 ≤ x ≤ 3, together with 8",
        ),
        (
            r"$[2,5)\cup(5,+\infty)$",
            "todos los reales $x\\ge 2$ con $x\\neq 5$",
            "todos los reales $x\\ge 2$ con $x\\neq 4$",
        ),
        (r"$(-\infty,3)\cup(3,6]$", "x ≤ 6, with x ≠ 3", "x < 6, with x ≠ 3"),
        (
            r"$[0,4]\cup[6,9]$",
            "All x with 0 ≤ x ≤ 4 or 6 ≤ x ≤ 9.",
            "All integers x with 0 ≤ x ≤ 4 or 6 ≤ x ≤ 9.",
        ),
        (r"$(-\infty,0]$ und $[4,\infty)$", "für x ≤ 0 sowie für x ≥ 4", "für x < 0 sowie für x ≥ 4"),
        (r"$(-\infty,-2]\cup(5,\infty)$", "(-inf, -2] U (5, inf)", "(-inf, -2) U (5, inf)"),
        (r"$[0,3]$", "0 ≤ x ≤ 3", "0 ≤ x ≤ 3, together with 7"),
    ],
)
def test_sets_that_a_sentence_puts_together(gold: str, right: str, wrong: str) -> None:
    question = "Find the set."
    assert grade(gold, right, problem=question).accepted
    assert not grade(gold, wrong, problem=question).accepted


def test_the_words_around_a_set_stand_in_the_question() -> None:
    question = "On which intervals is $f$ increasing?"
    gold = r"$(-\infty,-2)$ and $(2,\infty)$"
    assert grade(gold, "f is increasing for x < -2 and also for x > 2", problem=question).accepted
    assert not grade(gold, "f is decreasing for x < -2 and also for x > 2", problem=question).accepted


def test_all_counts_that_stands_behind_a_conclusion() -> None:
    assert grade(r"x\in\{-3,0,3\}", "x(x²-9)=0, so x = 0 or x = ±3").accepted
    assert not grade(r"x\in\{-3,0,3\}", "x(x²-9)=0, so x = 0 or x = 3").accepted


@pytest.mark.parametrize(
    ("gold", "right", "wrong", "question"),
    [
        (
            "(1,6), (6,1)",
            "{x = 6, y = 1} or {x = 1, y = 6}",
            "{x = 6, y = 6} or {x = 1, y = 1}",
            "Solve the system.",
        ),
        (
            "mean 8, median 7, mode 7",
            "median = mode = 7, average = 8",
            "mean = median = 7, mode = 8",
            "Find them.",
        ),
        (
            r"translation by $\begin{pmatrix}4\\-1\end{pmatrix}$",
            "**Final answer:** a shift of 4 units to the right and 1 unit down.",
            "**Final answer:** a shift of 4 units to the left and 1 unit down.",
            "Describe the transformation.",
        ),
        (
            "x = 7",
            "7 is the only solution; −3 must be rejected",
            "−3 is the only solution; 7 must be rejected",
            "Solve it.",
        ),
        (
            "2, 7, 4",
            "The coefficients are 2, 7 and 4.",
            "The coefficients are 2, 4 and 7.",
            "Give them in order.",
        ),
    ],
)
def test_further_forms(gold: str, right: str, wrong: str, question: str) -> None:
    assert grade(gold, right, problem=question).accepted
    assert not grade(gold, wrong, problem=question).accepted


def test_a_maximum_is_no_minimum() -> None:
    assert not grade("(6, 4)", "maximum at x = 6, there y = 4", problem="Find the minimum.").accepted
    assert grade("(6, 4)", "minimum at x = 6, there y = 4", problem="Find the minimum.").accepted

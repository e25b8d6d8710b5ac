"""What a short text states besides its answer, and which letters of a formula may be any numbers."""

from __future__ import annotations

import pytest

from engines.grading.dropped_words import compare_dropped_words, list_clause_words
from engines.grading.final_answer import find_answer
from engines.grading.free_letters import drop_freed, find_free_letters
from engines.grading.grades import grade
from engines.grading.permutations import speaks_of_orders, spell_permutations
from engines.grading.side_statements import list_statements
from engines.grading.tokens import join_formulas, tokenize


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("The greatest value is $8$ when $x=3$", "8"),
        ("Das Minimum ist 8 bei $x=3$", "8"),
        ("Le maximum est 8, atteint en $x=3$", "8"),
        ("Максимум равен 8 при $x=3$", "8"),
        ("最大值为8，此时$x=3$", "8"),
        ("最小値 8 ($x=3$ のとき)", "8"),
        ("the maximum of $x^2+1$ is at $x=3$", "x=3"),
    ],
)
def test_an_extreme_value_goes_before_its_place(text: str, value: str) -> None:
    assert find_answer(text).text == value


@pytest.mark.parametrize(
    ("gold", "pred"),
    [
        ("The least value is $8$ when $x=3$", "The least value is $8$ when $x=4$"),
        ("$p=3$ when $q=9$", "$p=4$ when $q=9$"),
        ("$h(x)=ax$ mit $a>0$", "$h(x)=ax^3$ mit $a>0$"),
        ("multiples of $7$", "$7$"),
        ("all primes except $7$", "$7$"),
        ("Maximum at $x=1$ and minimum at $x=5$", "Maximum at $x=5$ and minimum at $x=1$"),
        ("$x=4$ (double root), $x=6$", "$x=4$, $x=6$ (double root)"),
    ],
)
def test_what_both_state_otherwise_keeps_them_from_being_equal(gold: str, pred: str) -> None:
    assert grade(gold, pred).verdict in ("undecided", "different")
    assert grade(gold, gold).verdict == "equal"


@pytest.mark.parametrize(
    ("gold", "pred"),
    [
        ("最大値 $6$", "最小値 $6$"),
        ("Наибольшее значение 6", "Наименьшее значение 6"),
        ("croissante sur $(0,4)$", "décroissante sur $(0,4)$"),
        ("konvergent für $x>4$", "divergent für $x>4$"),
        ("$4$ wenn $n$ gerade ist", "$4$ wenn $n$ ungerade ist"),
        ("6 km nach Norden", "6 km nach Süden"),
    ],
)
def test_opposites_are_known_in_other_languages(gold: str, pred: str) -> None:
    assert grade(gold, pred).verdict in ("undecided", "different")


def test_a_denied_word_is_not_its_own_opposite() -> None:
    assert grade("The series diverges", "The series does not converge").verdict == "equal"


def test_letters_that_may_be_any_numbers_are_no_answers() -> None:
    family = r"$h(x)=px+q$ for arbitrary real $p,q$"
    assert grade(family, "h(x) = ax + b, where a and b are any real constants").verdict == "equal"
    assert grade(family, r"$h(x)=px^2+q$ for arbitrary real $p,q$").verdict != "equal"
    assert grade(family, "$h(x)=px+q$").verdict == "equal"
    assert grade(r"$h(x)=px$ for all real $p$", r"$h(x)=cx$ ($c \in \mathbb{R}$)").verdict == "equal"
    assert grade(r"$h(x)=px$ for all real $p$", r"$h(x)=px$ ($p \in \mathbb{Q}$)").verdict != "equal"
    assert drop_freed(r"px \text{ for any real } p") == "px"
    tokens = tokenize("px where p is a constant")
    assert find_free_letters(tokens, 0, len(tokens)) == (1, ["p"])


def test_orders_of_one_tuple_among_others_are_listed() -> None:
    listed = "(5,5,5), (1,2,4), (1,4,2), (2,1,4), (2,4,1), (4,1,2), (4,2,1)"
    assert grade("$(5,5,5)$ and all permutations of $(1,2,4)$", listed).verdict == "equal"
    assert grade("$(5,5,5)$ and all permutations of $(1,2,4)$", "(5,5,5), (1,2,4)").verdict == "different"
    assert spell_permutations("(1, 1)") == "(1,1)"
    assert spell_permutations("f(1)") == ""
    assert speaks_of_orders("(1, 2) in any order")
    assert not speaks_of_orders("in this order")


def test_working_is_no_statement_of_its_own() -> None:
    assert list_statements("She has 3 + 4 = 7 plums", "7 plums") == []
    assert list_statements("The least is $2$ for $x=1$", "2") == ["x=1"]
    assert grade("So she has 3 + 4 = 7 plums", "7 plums, since 9 - 2 = 7").verdict == "equal"


@pytest.mark.parametrize(
    ("right", "wrong", "pred"),
    [
        (r"$n \equiv 2 \pmod 5$", r"$n \equiv 3 \pmod 5$", "all integers n of the form 5k+2, k ∈ ℤ"),
        (
            r"$n \equiv 2 \pmod 5$",
            r"$n \equiv 3 \pmod 5$",
            "all integers of the form 5k-3 for some integer k",
        ),
        ("3x e^{x^3}", "x e^{x^3}", "dy/dx = 3x e^(x^3)"),
        (r"\text{span}\{(1,-2,3)\}", r"\text{span}\{(1,2,3)\}", "the set of all vectors t(-1,2,-3), t∈ℝ"),
        ("x = 1+t, y = 2-t, z = 3t", "x = 1+t, y = 2+t, z = 3t", "(x,y,z) = (1,2,0) + s(1,-1,3), s ∈ ℝ"),
        (r"49\pi \text{ m}^2", r"49\pi \text{ cm}^2", "49π square meters"),
        ("June 9, 2031", "September 6, 2031", "2031-06-09"),
        ("June 9, 2031", "September 6, 2031", "2031年6月9日"),
    ],
)
def test_answers_of_exercises_are_read(right: str, wrong: str, pred: str) -> None:
    assert grade(right, pred).verdict == "equal"
    assert grade(wrong, pred).verdict in ("different", "undecided")


def test_a_date_is_no_difference_and_a_limited_form_no_class() -> None:
    assert grade("2016", "2031-06-09").verdict != "equal"
    assert grade(r"$n \equiv 2 \pmod 5$", "all positive integers of the form 5k+2").verdict != "equal"
    assert grade(r"$n \equiv 2 \pmod 5$", "all integers of the form 5k+2, k > 0").verdict != "equal"


@pytest.mark.parametrize(
    ("gold", "pred"),
    [
        ("a hole at $x=6$", "an asymptote at $x=6$"),
        ("stabil bei $x=6$", "instabil bei $x=6$"),
        ("two roots for $k>6$", "one root for $k>6$"),
        ("$g$ is continuous at $x=6$", "$g$ is not continuous at $x=6$"),
        ("before $t=6$", "after $t=6$"),
        ("The width is $6$ cm", "The width is $6$ m"),
        ("slope $6$, intercept $7$", "slope $7$, intercept $6$"),
        ("Tom gets $6$, Eva gets $7$", "Tom gets $7$, Eva gets $6$"),
    ],
)
def test_words_around_the_same_answer_may_say_something_else(gold: str, pred: str) -> None:
    assert grade(gold, pred).verdict in ("undecided", "different")


@pytest.mark.parametrize(
    ("gold", "pred"),
    [
        ("The width is $6$ cm", "The width is $6$ centimeters"),
        ("a hole at $x=6$", "there is a hole at $x=6$"),
        ("$x=6$", "a hole at $x=6$"),
        ("Die Summe ist $6$", "The sum is $6$"),
        ("slope $6$, intercept $7$", "intercept $7$, slope $6$"),
        ("The greatest value is $6$", "The maximum is $6$"),
    ],
)
def test_words_that_say_the_same_change_nothing(gold: str, pred: str) -> None:
    assert grade(gold, pred).verdict == "equal"


def test_sentences_that_differ_in_few_words_are_compared_by_these() -> None:
    def compare(one: str, other: str) -> str:
        return compare_dropped_words(
            (join_formulas(one, tokenize(one)), join_formulas(other, tokenize(other)))
        )

    assert compare("hole at $x$", "asymptote at $x$") == "hole and asymp"
    assert compare("the root is $x$", "so the roots are $x$") == ""
    assert list_clause_words(tokenize("the slope is 5")) == "slope"


def test_labelled_values_that_agree_do_not_hide_what_differs() -> None:
    assert grade("converges to $6$ for $x=7$", "converges to $5$ for $x=7$").verdict != "equal"
    assert grade("定义域 $[0,6]$，值域 $[2,7]$", "定义域 $[2,7]$，值域 $[0,6]$").verdict != "equal"
    assert grade("concave up on $(0,6)$", "concave up on $(0,6)$.").verdict == "equal"


@pytest.mark.parametrize(
    ("gold", "pred", "verdict"),
    [
        (
            "increasing on (0,2), decreasing elsewhere",
            "f is decreasing on (0, 2) and increasing elsewhere.",
            "undecided",
        ),
        ("positive for x<2, negative otherwise", "negative for x<2, positive otherwise", "undecided"),
        ("Amy has 12 apples more than Bob", "Bob has 12 apples more than Amy", "undecided"),
        ("The only solution is x = 4", "x = 4 is the only solution", "equal"),
    ],
)
def test_words_that_exchange_their_sides_are_not_the_same(gold: str, pred: str, verdict: str) -> None:
    assert grade(gold, pred).verdict == verdict

"""Values with where they are taken, false calculations beside a right answer, and other subjects."""

from __future__ import annotations

import pytest

from engines.grading.circumstances import split_placed
from engines.grading.grades import grade

MINIMUM = "-3 (when $x = 2$)"
LOWEST = r"$f_{\min}=-4$ at $x=1$"


@pytest.mark.parametrize(
    ("gold", "pred", "is_right"),
    [
        (MINIMUM, "-3", True),
        (MINIMUM, "-3 at x = 2", True),
        (MINIMUM, "at x = 2 the minimum is -3", True),
        (MINIMUM, "The minimum value -3 occurs at x = 2.", True),
        (MINIMUM, "f(2) = -3", True),
        (MINIMUM, "f(1) = -3", False),
        (MINIMUM, "2", False),
        (MINIMUM, "2 (when x = -3)", False),
        (MINIMUM, "-3 (when x = 1)", False),
        (MINIMUM, "at x = -3 the minimum is 2", False),
        (MINIMUM, "not -3 at x = 2", False),
        (LOWEST, "(1, -4)", True),
        (LOWEST, "The lowest point of the graph is (1, -4).", True),
        (LOWEST, "min f = f(1) = -4", True),
        (LOWEST, "(-4, 1)", False),
        (LOWEST, "The highest point is (1, -4).", False),
        ("$6$（$x=3$ のとき）", "x=3 のとき最大値 6 をとる。", True),
        ("$6$（$x=3$ のとき）", "最大値 6（x=3）", True),
        ("$6$（$x=3$ のとき）", "x=6 のとき最大値 3 をとる。", False),
        ("$6$（$x=3$ のとき）", "3", False),
        ("最大值为6，此时x=3", "当x=3时，最大值为6", True),
        ("最大值为6，此时x=3", "当x=6时，最大值为3", False),
        ("$-1$ bei $x=0$", "Das Minimum ist -1 und wird bei x = 0 angenommen.", True),
        ("$-1$ bei $x=0$", "Das Minimum ist 0 und wird bei x = -1 angenommen.", False),
        ("7, atteint en x = 3", "Le maximum vaut 7 et il est atteint pour x = 3.", True),
        ("0.3", "P(X = 3) = 0.2", False),
    ],
)
def test_circumstance_of_a_value_is_compared_by_itself(gold, pred, is_right):
    assert (grade(gold, pred).verdict == "equal") is is_right


def test_question_may_ask_for_the_place_too():
    assert grade(MINIMUM, "-3", problem="Find the minimum of f.").verdict == "equal"
    assert grade(MINIMUM, "-3", problem="Where is f smallest, and how small?").verdict == "undecided"
    assert split_placed("P(X = 3) = 0.2") is None


@pytest.mark.parametrize(
    ("gold", "pred", "problem", "is_right"),
    [
        ("12", "12, because 3·4 = 12", "", True),
        ("12", "12, because 3·5 = 12", "", False),
        ("12", "12 (denn 3·5 = 12)", "", False),
        ("1/2", "1/2, because 1/3 + 1/3 = 1/2", "", False),
        ("5", "√(3² + 5²) = 5", "", False),
        ("8", "2 + 2·2 = 8", "", False),
        # What follows a calculation, decimals, a rest and residues are no slips.
        ("9", "4 + 3 = 7 + 2 = 9", "", True),
        ("0.67", "2/3 = 0.67", "", True),
        ("3", "3, because 17 ÷ 5 = 3 remainder 2", "", True),
        ("1", "3·5 = 1", r"Compute $3\cdot5$ in $\mathbb{Z}_7$.", True),
        ("12", "12, and not 15, because 3·5 = 12 is false", "", True),
        ("no solution", "0 = 2, a contradiction, so no solution", "", True),
    ],
)
def test_false_calculation_beside_a_right_answer(gold, pred, problem, is_right):
    assert (grade(gold, pred, problem=problem).verdict == "equal") is is_right


@pytest.mark.parametrize(
    ("gold", "pred", "is_right"),
    [
        ("$ab$ is even", "$a$ is even", False),
        ("ab is even", "a is even", False),
        ("AB is invertible", "A is invertible", False),
        ("x is positive", "y is positive", False),
        ("n^2 is divisible by 4", "n is divisible by 4", False),
        ("$ab$ is even", "$ba$ is even", True),
        ("ab is even", "The product ab must be even.", True),
        ("ab is even", "the product of a and b is even", True),
        ("f is continuous", "The function is continuous", True),
    ],
)
def test_sentences_speak_of_the_same(gold, pred, is_right):
    assert (grade(gold, pred).verdict == "equal") is is_right


def test_one_number_is_not_all_of_them():
    assert grade("x > 3", "a number greater than 3").verdict == "undecided"
    assert grade("x > 3", "any number greater than 3").verdict == "equal"
    condition = "What condition must x satisfy?"
    assert grade("x > 3", "a number greater than 3", problem=condition).verdict == "equal"

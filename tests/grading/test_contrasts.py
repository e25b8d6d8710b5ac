"""Words and signs beside equal values that make two answers different: currencies, orders, times of day."""

from __future__ import annotations

import pytest

from engines.grading.grades import grade


@pytest.mark.parametrize(
    ("gold", "pred"),
    [
        ("€7", "$7"),
        ("7 €", "7$"),
        ("£12.50", "$12.50"),
        ("40 cents", "$40"),
        ("€30", "The answer is $30."),
        ("grew, increased by 8", "increased to 8"),
        ("eigenvalues 3 and 4", "eigenvectors 3 and 4"),
        ("12:00 noon", "12:00 midnight"),
        ("上午9点", "下午9点"),
        ("오전 9시", "오후 9시"),
        ("公元前50年", "公元50年"),
        ("零下8度", "8度"),
        ("8 Grad unter Null", "8 Grad"),
        ("无解", "有无数个解"),
        ("area = 20", "perimeter = 20"),
        ("6 kcal", "6 cal"),
        ("6 bit", "6 byte"),
        ("6 years", "6 months"),
        ("6 CHF", "6 EUR"),
        ("6 rad/s", "6 rpm"),
        ("10 ppm", "10%"),
    ],
)
def test_words_and_units_that_contrast_are_different(gold: str, pred: str) -> None:
    assert grade(gold, pred).verdict == "different"


@pytest.mark.parametrize(
    ("gold", "pred"),
    [
        ("$7", "7$"),
        ("$7", "7"),
        ("7", "$7$"),
        ("€7", "7 euros"),
        ("$30", "It costs $30"),
        ("40 cents", "$0.40"),
        ("decreased by 20%", "It is a 20% decrease."),
        ("零下8度", "-8度"),
        ("2 years", "24 months"),
        ("2 bytes", "16 bits"),
        ("3 kcal", "3000 cal"),
    ],
)
def test_the_same_amounts_are_equal(gold: str, pred: str) -> None:
    assert grade(gold, pred).accepted


@pytest.mark.parametrize(
    ("problem", "gold", "pred"),
    [
        ("Find the ordered triple $(p, q, r)$.", "4, 5, 6", "4, 6, 5"),
        ("Give m and n, in that order.", "4, 5", "5, 4"),
        ("What are the length and width of the field?", "4, 9", "9, 4"),
        ("How old are Eve and Tom, respectively?", "9, 14", "14, 9"),
        ("Find the quotient and remainder.", "3, 2", "2, 3"),
        ("List the first three terms of the sequence.", "2, 5, 10", "10, 5, 2"),
        ("List the roots in increasing order.", "2, 5, 7", "7, 5, 2"),
    ],
)
def test_order_counts_where_the_question_asks_for_one(problem: str, gold: str, pred: str) -> None:
    assert not grade(gold, pred, problem=problem).accepted
    assert grade(gold, f"\\boxed{{{gold}}}", problem=problem).accepted


@pytest.mark.parametrize(
    "problem",
    [
        "Find all roots.",
        "Find the sides of the field.",
        "A field has a given length and width. Find the two solutions of the equation.",
    ],
)
def test_order_says_nothing_elsewhere(problem: str) -> None:
    assert grade("4, 9", "9, 4", problem=problem).accepted


@pytest.mark.parametrize(
    ("gold", "pred", "accepted"),
    [
        ("9", "IX", True),
        ("XIV", "14", True),
        ("11", "IX", False),
        ("5 m/s", r"5\text{ ms}^{-1}", True),
        ("9.8 m/s^2", "9.8 ms⁻²", True),
        ("5 ms", "5 ms^{-1}", False),
        ("2 Std. 15 Min.", "135 Minuten", True),
        ("2 Std. 15 Min.", "15 Minuten", False),
        ("2h15", "135 min", True),
        ("2h15", "215", False),
        ("3,5", "Die Antwort ist 3,5.", True),
        ("3,5", "Die Antwort ist 5,3.", False),
        ("$1,2$", "Die Lösungen sind 1 und 2.", True),
    ],
)
def test_numerals_and_amounts_of_other_notations(gold: str, pred: str, *, accepted: bool) -> None:
    assert grade(gold, pred).accepted is accepted

"""Words beside a value, and other names, units and subjects than asked for, keep it from counting."""

from __future__ import annotations

import pytest

from engines.grading.grades import grade

ASKED_NAMES = [
    ("Find h(x).", "4x", "h(x) = 4x", "h'(x) = 4x"),
    ("Find t.", "7", "t = 7", "t^2 = 7"),
    ("Find t.", "7", "7 = t", "t_1 = 7"),
    ("Find c_n.", "2n", "c_n = 2n", "T_n = 2n"),
    ("Find p+q.", "9", "p+q = 9", "p-q = 9"),
    ("Find p+q.", "9", "q+p = 9", "p = 9"),
    ("Find P(C).", "1/4", "P(C) = 1/4", "P(D) = 1/4"),
    (r"Find $\sigma$.", "4", r"$\sigma = 4$", r"$\sigma^2 = 4$"),
    ("Find u(x).", "3x", "y = 3x", "v(x) = 3x"),
    ("Find the number of divisors of m", "4", "4", "m = 4"),
]


@pytest.mark.parametrize(("problem", "gold", "right", "wrong"), ASKED_NAMES)
def test_a_value_counts_for_the_name_that_is_asked_for(
    problem: str, gold: str, right: str, wrong: str
) -> None:
    assert grade(gold, right, problem=problem).accepted
    assert grade(gold, wrong, problem=problem).verdict == "undecided"


@pytest.mark.parametrize("pred", [".4", "y = .4", r"\boxed{.4}", "The chance is .4.", "So it's .4"])
def test_a_decimal_point_without_a_figure_before_it_is_one(pred: str) -> None:
    assert not grade("4", pred).accepted
    assert grade("2/5", pred).accepted


OPERATIONS = [
    "a third of 8",
    "log of 8",
    "the inverse of 8",
    "8 thirds",
    "reject 8",
    "8 doesn't fit, it isn't right",
    "usually 8",
    "la racine de 8",
    "die Gegenzahl von 8",
    "корень из 8",
    "8的平方根",
    "8の逆数",
    "x != 8",
    "k!=8",
    "m =/= 8",
    r"x \not= 8",
    r"$x\not = 8$",
    "8 violates the condition",
    "one answer is 8",
]


@pytest.mark.parametrize("pred", OPERATIONS)
def test_words_that_make_another_value_are_not_left_out(pred: str) -> None:
    assert grade("8", pred).verdict in ("undecided", "different", "unread")


@pytest.mark.parametrize(
    "pred",
    [
        "So the answer is 8.",
        "It is 8",
        "There are 8 in total",
        "Also ist es 8.",
        "所以是8",
        "8 of them",
    ],
)
def test_words_that_announce_a_value_change_nothing(pred: str) -> None:
    assert grade("8", pred).accepted


WORDED = [
    ("How many pears are left?", "8", "8 pears", "8 plums"),
    ("How many tails are there?", "8", "There are 8 tails", "8 heads"),
    ("What is the width of the field?", "8", "The width is 8", "The length is 8"),
    ("Find the mode.", "8", "the mode is 8", "the median is 8"),
    ("How many hours does it take?", "8", "8 hours", "8 km"),
    ("What is the temperature in °C?", "8", "8 °C", "8 K"),
]


@pytest.mark.parametrize(("problem", "gold", "right", "wrong"), WORDED)
def test_another_quantity_than_asked_for_is_no_answer(
    problem: str, gold: str, right: str, wrong: str
) -> None:
    assert grade(gold, right, problem=problem).accepted
    assert not grade(gold, wrong, problem=problem).accepted


EXCHANGED = [
    ("U is a knave and V is a knight", "V is a knight and U is a knave", "U is a knight and V is a knave"),
    (
        "the first grows and the second falls",
        "the second falls and the first grows",
        "the first falls and the second grows",
    ),
    ("yes; no", "yes; no.", "no; yes"),
    (
        "g converges pointwise but not uniformly",
        "g converges pointwise but not uniformly.",
        "g converges uniformly",
    ),
    ("a debt of 20", "a debt of 20.", "20"),
    ("no integer solutions", "no integer solution", "no solutions"),
    ("the medians meet in a point", "The medians meet in a point.", "the medians meet in a line"),
]


@pytest.mark.parametrize(("gold", "right", "wrong"), EXCHANGED)
def test_who_has_what_and_how_is_compared(gold: str, right: str, wrong: str) -> None:
    assert grade(gold, right).accepted
    assert not grade(gold, wrong).accepted


@pytest.mark.parametrize("pred", ["5! = 120", "5!=120", "$5!=120$"])
def test_a_factorial_before_an_equals_sign_denies_nothing(pred: str) -> None:
    assert grade("120", pred).accepted

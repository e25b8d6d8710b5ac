"""What an answer says besides the right value: another premise, another value, only some of them."""

from __future__ import annotations

import pytest

from engines.grading.grades import grade

_RULE = "If $m$ is even, then $m$ is not a multiple of 9."


@pytest.mark.parametrize(
    ("gold", "pred", "verdict"),
    [
        (_RULE, "If m is not odd, then m is not a multiple of 9.", "equal"),
        (_RULE, "m is not a multiple of 9 whenever m is even", "equal"),
        (_RULE, "m is even implies m is not a multiple of 9", "equal"),
        (_RULE, "If m is not a multiple of 9, then m is even.", "different"),
        (_RULE, "m is not a multiple of 9 only if m is even", "different"),
        (_RULE, "If k is even, then k is not a multiple of 9.", "undecided"),
        (_RULE, "If m is odd, then m is a multiple of 9.", "undecided"),
        (_RULE, "m is not a multiple of 9", "undecided"),
        ("If $k$ is even, then $k^3$ is even.", "Whenever k is not odd, k^3 is not odd either.", "equal"),
        (
            "Wenn $k$ gerade ist, dann ist $k^3$ gerade.",
            "Wenn k³ gerade ist, dann ist k gerade.",
            "different",
        ),
        ("If $t \\ge 5$, then $t^2 \\ge 25$.", "If t^2 >= 25, then t >= 5.", "different"),
    ],
)
def test_implications_are_compared_premise_with_premise(gold: str, pred: str, verdict: str) -> None:
    assert grade(gold, pred).verdict == verdict


def test_a_denied_implication_is_not_the_implication() -> None:
    assert grade(_RULE, f"It is not true that {_RULE[0].lower()}{_RULE[1:]}").verdict != "equal"


@pytest.mark.parametrize(
    ("gold", "right", "wrong"),
    [
        ("7", "7, e.g. by trying", "Both 7 and 9 fit, e.g. 7"),
        ("14", "**14** (which is twice 7)", "**7** (twice that is 14)"),
        ("$y=4$", "y = 8/2, also y = 4", "y = 1, also y = 4"),
        ("$y=1$ or $y=4$", "y = 1, also y = 4", "y = 1, also y = 5"),
        ("$y>6$", "all numbers greater than 6", "some numbers greater than 6"),
        ("$y>6$", "alle Zahlen größer als 6", "einige Zahlen größer als 6"),
        ("Q3 = 8, Q1 = 2", "Q1 = 2, Q3 = 8", "Q4 = 8, Q1 = 2"),
        ("$x_1 = 5, x_2 = 6$", "x_0 = 5, x_1 = 6", "x_3 = 5, x_4 = 6"),
        ("converges, sum 6", "It converges and its sum is 6", "It converges or its sum is 6"),
        ("$k$ is odd", "k is not even", "k^2 is odd"),
    ],
)
def test_right_values_beside_others_are_not_accepted(gold: str, right: str, wrong: str) -> None:
    assert grade(gold, right).verdict == "equal"
    assert grade(gold, wrong).verdict in ("undecided", "different")


def test_an_example_answers_a_question_for_one() -> None:
    assert grade("5", "Both 3 and 5 are odd primes, e.g. 5", problem="Give an example of a prime.").accepted


def test_the_value_counts_that_the_question_names() -> None:
    question = "What is the degree of this differential equation?"
    said = "The degree is 4; its order is 6"
    assert grade("4", said, problem=question).accepted
    assert grade("6", said, problem=question).verdict == "different"
    assert grade("6", "The degree is 4, i.e. quartic; order 6", problem=question).verdict == "different"
    assert not grade("4", "The degree is not 4, the order is 6", problem=question).accepted


def test_nouns_before_lists_of_points_leave_the_list_whole() -> None:
    assert grade("$\\{(5,6),(7,8)\\}$", "the two pairs (7,8), (5,6)").accepted
    assert not grade("$(7,8)$", "the points (5,6) and (7,8)").accepted


def test_there_is_at_least_one_is_some() -> None:
    said = "There is at least one guest who didn't visit any of the rooms."
    assert grade("Some guest visited no room.", said).accepted
    assert not grade("Every guest visited no room.", said).accepted


def test_a_quantifier_in_a_box_belongs_to_the_answer() -> None:
    assert not grade(r"\forall t: g(t) = 3", r"Hence \boxed{\exists t: g(t) = 3}.").accepted
    assert grade(r"\forall t: g(t) = 3", r"Hence \boxed{\forall t: g(t) = 3}.").accepted


@pytest.mark.parametrize("unit", ["kg/m^3", "kg m/s", "kg/s", "kg m^2 s^{-2}", "N m^2/kg^2"])
def test_numbers_before_units_are_compared(unit: str) -> None:
    assert grade(f"30 {unit}", f"3.0e1 {unit}").accepted
    for number in ("3", "31", "-30", "300"):
        assert grade(f"30 {unit}", f"{number} {unit}").verdict == "different"

"""Values that a text names and does not state, beside texts with the same words that state them."""

from __future__ import annotations

import pytest

from engines.grading.grades import grade


@pytest.mark.parametrize(
    "pred",
    [
        # denied before it
        "It is hardly 8.",
        "The answer is not \\boxed{8}.",
        "anything but 8",
        "I doubt that it is 8.",
        "It is false that the answer is 8.",
        "Es ist falsch, dass die Antwort 8 ist.",
        "Das Ergebnis ist keinesfalls 8.",
        "Ce n'est pas 8.",
        "La solución no es 8.",
        "O valor não é 8.",
        "La risposta non è 8.",
        "Het is zeker niet 8.",
        "Svaret är inte 8.",
        "Svaret er ikke 8.",
        "Není to 8.",
        "To nie jest 8.",
        "Значение не равно 8.",
        "Відповідь не дорівнює 8.",
        "Nu este 8.",
        "Vastaus ei ole 8.",
        "A válasz nem 8.",
        "Δεν είναι 8.",
        "الجواب ليس 8",
        "התשובה אינה 8",
        "Đáp số không phải là 8.",
        "Jawabannya bukan 8.",
        "并非8",
        # denied or rejected behind it
        "Cevap 8 değil.",
        "8이 아닙니다",
        "8じゃない",
        "उत्तर 8 नहीं है।",
        "n = 8 fails",
        "n = 8 crumbles",
        "It is 8 that is wrong.",
        "8 is too large",
        "8 is an upper bound",
        "\\boxed{8} is not correct",
        "8 ist falsch.",
        "8 has been ruled out.",
        "\\xcancel{8}",
        # taken back
        "The answer is 8. No, 9.",
        "The answer is 8. Sorry, it is 9.",
        "Answer: 8. Correction: 9.",
        "about 8, to be exact 7.9",
        "\\boxed{8} is tempting; the correct answer is 9.",
        "The answer would be 8 if n were even, but n is odd, so it is -8.",
        "Die Antwort ist 8. Nein, 9.",
        "答案是8。不对，是9。",
        "My first thought was 8, but that is wrong.",
        "8. The answer is 9",
        # given up or left open
        "I cannot solve this; 8",
        "It depends; 8",
        "I give up. 8 pages did not help.",
        "Either 8 or it does not exist.",
        "Keine Ahnung, 8",
        "I have no idea. \\boxed{8}",
        "Suppose it is 8.",
        "almost 8",
        # a label, an operand or a part of something else
        "Step 8",
        "Theorem 8 applies.",
        "see equation (8)",
        "Seite 8",
        "第8页",
        "mod 8",
        "8 to the power 2",
        "base 8",
        "8 pairs",
        "smaller than 8",
    ],
)
def test_a_value_that_is_taken_back_is_no_answer(pred: str) -> None:
    assert grade("8", pred).verdict in ("undecided", "unread", "different")


@pytest.mark.parametrize(
    "pred",
    [
        "No, it is 8.",
        "It is not 9 but 8.",
        "The answer is 8, not 9.",
        "There is no doubt that it is 8.",
        "Het is niet 9 maar 8.",
        "x = 8, since x = -8 is not allowed.",
        "There are 8 of them that are not even.",
        "At first I was not sure, but the answer is 8.",
        "I guess and check: 7 fails and 8 works. So the answer is 8.",
        "9 is too large, so it is 8.",
        "Wait, that is wrong. Actually, the answer is 8.",
        "\\boxed{8}. It cannot be larger, since 9 is impossible.",
        "The answer is 8. Is 9 another one? No.",
        "Step 3: we get x = 8.",
        "By theorem 5 the answer is 8.",
        "It would take 8 hours.",
        "8 is the largest such number.",
        "n = 8 works.",
        "n = 8 only",
        "Suppose that n is prime. Then n = 8.",
        "Adding everything, 5 + 3 = 8 points.",
        "Es sind nicht 9, sondern 8.",
        "Cevap 8.",
        "答案是8。",
    ],
)
def test_a_value_that_stands_is_accepted(pred: str) -> None:
    assert grade("8", pred).verdict == "equal"


def test_words_of_the_question_and_reference_change_nothing() -> None:
    assert grade("8", "page 8", problem="On which page does chapter 2 begin?").verdict == "equal"
    assert grade("8", "page 8", problem="How many legs has a spider?").verdict == "undecided"
    assert grade("8", "It is not 8", problem="Which of 2, 3, 8 is not a divisor of 12?").verdict != "equal"
    assert grade("8", "8 pairs", problem="How many pairs are there?").verdict == "equal"
    assert grade("step 8", "Step 8").verdict == "equal"
    assert grade("mod 8", "modulo 8").verdict != "different"


def test_formulas_are_taken_back_as_numbers_are() -> None:
    assert grade(r"\sqrt{5}", "The length is not $\\sqrt5$.").verdict != "equal"
    assert grade(r"\sqrt{5}", "The answer is $\\sqrt5$. Sorry, $\\sqrt7$.").verdict != "equal"
    assert grade(r"\sqrt{5}", "The length is $\\sqrt5$.").verdict == "equal"
    assert grade("L = gT^2", "L = g·T²").verdict == "equal"
    assert grade("x=2", "x := 2 failed").verdict != "equal"
    assert grade("x=2", "x := 2").verdict == "equal"
    assert grade("true", "It is false that it is true.").verdict != "equal"


@pytest.mark.parametrize(
    ("gold", "pred"),
    [
        # equal by premise and conclusion, by place, and case by case
        ("If n is odd, then n^2 is odd.", "I doubt it, but: if n is odd, then n^2 is odd."),
        ("-3 (when $x = 2$)", "It is not -3 when x = 2"),
        ("-3 (when $x = 2$)", "-3 when x = 2. Sorry, it is -4."),
        ("x > 0: 3; x < 0: -3", "x > 0: 3; x < 0: -3. No, that is wrong."),
    ],
)
def test_withdrawals_count_however_an_answer_was_found(gold: str, pred: str) -> None:
    assert not grade(gold, pred).accepted


@pytest.mark.parametrize(
    ("gold", "right", "wrong"),
    [
        (r"$\inf M=-2,\ \sup M=5$", "inf M = -2, sup M = 5", "inf M = 0, sup M = 5"),
        (r"$\min f=-1,\ \max f=3$", r"$\min f=-1,\ \max f=3$", "min f = -2, max f = 3"),
    ],
)
def test_values_beside_the_last_one_count(gold: str, right: str, wrong: str) -> None:
    assert grade(gold, right).verdict in ("equal", "undecided")
    assert not grade(gold, wrong).accepted


def test_a_value_of_a_function_is_no_calculation() -> None:
    assert grade("-3", "f(2) = -3").accepted
    assert not grade("-3", "f(2) = -4").accepted

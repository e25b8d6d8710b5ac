"""Answers in other forms, labelled by hand, and wrong answers that look right: what is accepted."""

from __future__ import annotations

import pytest

from benchmarks.hostile_answers import MAKERS, forms, hostile_pairs
from engines.grading.answers import answer
from engines.grading.grades import grade
from engines.grading.locales import language_of, with_decimal_points
from engines.language.numerals import read_numeral


def test_right_answers_in_other_forms_are_accepted_and_look_alikes_are_not() -> None:
    rows = forms()
    found = {(gold, pred): grade(gold, pred).accepted for _, _, gold, pred in rows}
    assert not [(gold, pred) for _, same, gold, pred in rows if same and not found[gold, pred]]
    assert not [(gold, pred) for _, same, gold, pred in rows if not same and found[gold, pred]]


@pytest.mark.parametrize("kind", list(MAKERS))
def test_no_changed_answer_is_accepted(kind: str) -> None:
    pairs = [(gold, pred) for changed, gold, pred in hostile_pairs(500, 5) if changed == kind]
    assert len(pairs) > 20
    assert [pair for pair in pairs if grade(*pair).accepted] == []


@pytest.mark.parametrize(
    ("gold", "pred", "verdict", "said"),
    [
        (r"p \land q", r"p \lor q", "different", "p is true, q is false"),
        (r"\{-2, 2\}", "(-2, 2)", "equal if", "lists the members of a set"),
        (r"\sin^2 x + C", r"-\cos^2 x + C", "equal", "up to an additive constant"),
        (r"x = k\pi, k \in \mathbb{Z}", r"x = 2k\pi, k \in \mathbb{Z}", "different", "pi belongs to one"),
        (r"x = k\pi, k \in \mathbb{Z}", r"x = k\pi, k \in \mathbb{N}", "different", "negative integers"),
        (r"x = k\sqrt2, k \in \mathbb{Z}", r"x = -k\sqrt2, k \in \mathbb{Z}", "undecided", "not known"),
        ("1, 2", "1, 2, 3", "different", "3 is not in the reference"),
        ("1, 2", "1, 2, 2", "equal if", "repeated"),
        (r"\frac{1}{3}", "0.3333333333", "equal", "significant digits"),
        (r"10^{-20}", "0.0000000000", "different", "and 0"),
    ],
)
def test_a_verdict_says_why(gold: str, pred: str, verdict: str, said: str) -> None:
    found = grade(gold, pred)
    assert found.verdict == verdict, found
    assert said in found.condition + found.witness + found.reason


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("一百零五", "105"),
        ("三万五千", "35000"),
        ("四分之三", "3/4"),
        ("三点五", "7/2"),
        ("one hundred forty-two", "142"),
        ("two hundred and five", "205"),
        ("a hundred", "100"),
        ("minus three", "-3"),
        ("three quarters", "3/4"),
    ],
)
def test_numbers_in_words(text: str, value: str) -> None:
    assert str(read_numeral(text)) == value


@pytest.mark.parametrize("text", ["", "five six", "and", "hundred", "分之三", "点五", "cat"])
def test_what_is_no_number_in_words(text: str) -> None:
    assert read_numeral(text) is None


@pytest.mark.parametrize(
    ("solution", "found"),
    [
        ("Die Antwort ist 3,5.", "3.5"),
        ("Somit ist x = 7. Antwort: 3,5 cm", "3.5 cm"),
        ("La respuesta es (1,2)", "(1,2)"),
        ("Ответ: 42 рубля", "42 рубля"),
        ("所以答案是24元。", "24元"),
        (r"$x \le -2$ or $x \ge 3$", r"x \le -2 \text{ or } x \ge 3"),
        (r"\boxed{1} or \boxed{2}", r"1 \text{ or } 2"),
        ("2 hours and 30 minutes", "2 hours and 30 minutes"),
    ],
)
def test_answers_in_other_languages_and_in_parts(solution: str, found: str) -> None:
    assert answer(solution) == found


def test_a_locale_says_how_decimals_are_written() -> None:
    assert grade("3.5", "3,5", locale="de").accepted
    assert not grade("3.5", "3,5", locale="en").accepted
    assert grade("1234", "1.234", locale="de").accepted
    assert not grade("1234", "1.234").accepted
    assert (language_of("La réponse est 2"), language_of("The answer is 2")) == ("fr", "")
    assert with_decimal_points("1,2,3 and (4,5)", "de") == "1,2,3 and (4,5)"

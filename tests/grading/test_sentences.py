"""Sentences that state several quantities, answers in words and values with labels: which one is graded."""

from __future__ import annotations

import pytest

from engines.grading import grade
from engines.grading.final_answer import find_answer
from engines.grading.labelled_values import read_labelled
from engines.grading.sentence_quantities import choose_quantity, list_quantities
from engines.grading.times import count_minutes, read_date
from engines.grading.tokens import tokenize
from engines.grading.word_answers import drop_direction, find_word_answer


@pytest.mark.parametrize(
    ("right", "wrong", "pred"),
    [
        # What is left, behind what was given.
        ("7", "5", "She had 12 plums, gave away 5 and has 7 left."),
        ("9", "4", "Il lui reste 9 billes après en avoir perdu 4."),
        ("9", "4", "Er hat 13 Nägel, verbraucht 4 und hat noch 9 Nägel."),
        ("9", "4", "Le quedan 9 canicas después de perder 4 de las 13."),
        ("9", "4", "Было 13 гвоздей, взяли 4, осталось 9 гвоздей."),
        ("9", "4", "原来有13个，拿走4个，还剩9个。"),
        ("9", "4", "Ne rimangono 9 dopo averne persi 4."),
        # What an article or a possessive points back to.
        ("64", "16", "So the 16 mugs cost a total of $64."),
        ("4", "6", "Each of the 6 pupils gets 4 pens."),
        ("35", "7", "Insgesamt kosten die 7 Ordner 35 Euro."),
        # Subordinate clauses, purposes, participles and brackets.
        ("8", "11", "Ben is 8 years old, which is 3 years younger than Ann, who is 11."),
        ("15", "45", "It would take 15 hours to clean 45 rooms."),
        ("7", "4", "There are now 7 birds on the wire (4 + 3 = 7)."),
        ("25", "20", "The tax was 20%, which means Mia paid $25 in tax."),
        ("14", "6", "Out of the 20 pupils, 6 were ill, so 14 came."),
        # A total before what it is made of.
        ("260", "20", "Together, the three towns have 260 sheep: one has 160, one 80, and one 20."),
        ("20", "8", "En total hay 20 alumnos: 12 niñas y 8 niños."),
        # Calculations.
        ("15", "24", "Thus there are 9 + 6 = 15 litres of water out of the 24 litres."),
        ("694", "330", "She paid $204 + $160 + $330 = $694."),
        ("9", "40", "So he scored 4+5=9 points in the 40 minutes"),
        ("84", "21", "Rob went 4 times as often as Ann, who went 21 times so Rob went 4*21 = 84 times"),
        # Nouns with a preposition.
        ("240", "30", "The machine fills 240 bottles in 8 hours at a rate of 30 bottles per hour."),
        ("(3,-2)", "5", "The center is at (3, -2) with radius 5."),
    ],
)
def test_a_sentence_states_one_of_its_quantities(right: str, wrong: str, pred: str) -> None:
    assert grade(right, pred).verdict == "equal"
    assert grade(wrong, pred).verdict != "equal"


@pytest.mark.parametrize(
    ("gold", "pred"),
    [
        ("30", "A box of 5 weighs 30 kg and costs 12 dollars."),
        ("5", "The smallest is 3 and the largest is 5."),
        ("6", "It is the 6th term of the sequence."),
        ("12", "小明一共买了3本书,花了12元。"),
        ("7", "She bought 7 pens and he bought 9 pens."),
    ],
)
def test_a_sentence_that_states_several_says_so(gold: str, pred: str) -> None:
    assert grade(gold, pred).verdict in ("equal if", "different", "undecided")
    assert find_answer(pred).rivals


@pytest.mark.parametrize(
    ("gold", "pred"),
    [
        ("30", "He does not have $30."),
        ("8", "Nobody bought 8 tickets."),
        ("60", "The speed should never exceed 60 mph."),
        ("6", "Niemand hat 6 Karten."),
        ("17", "I could not determine it, but it isn't 17."),
        ("14", "He is no longer 14."),
        ("n = 5", "The smallest such integer exceeds $5$."),
        ("31", "Their ages may add up to at most 31."),
        ("4", "不是4个"),
        ("4", "No hay 4 soluciones."),
        ("4", "Нет 4 решений."),
        ("60", "Скорость поезда больше 60 км/ч."),
        ("6", "6 times as many"),
        ("6", "a 6-sided die"),
        ("B", "Either A or B is true."),
        ("convergent", "It is unclear whether the series converges."),
        ("convergent", "The series converges only if p > 1."),
        ("even", "If it is even, then n is odd."),
        ("no solution", "There is no solution other than x = 2."),
    ],
)
def test_what_is_denied_is_no_answer(gold: str, pred: str) -> None:
    assert grade(gold, pred).verdict != "equal"


@pytest.mark.parametrize(
    ("gold", "right", "wrong"),
    [
        ("converges", "The series converges by the ratio test.", "The series does not converge."),
        ("even", "f is an even function", "f is an odd function"),
        ("DNE", "The limit does not exist because 1 and -1 differ.", "The limit is 1."),
        (r"S=\emptyset", "L'équation n'a pas de solution.", "L'équation a une infinité de solutions."),
        (r"\infty", "The limit diverges to +∞", "The limit diverges to -∞"),
        ("false", "The statement is false since 2 is an even prime.", "The statement is true."),
        ("similar", "Yes, the triangles are similar by AA.", "The triangles are not similar."),
        (
            "reject H_0",
            "Since p < 0.05, we reject the null hypothesis.",
            "We fail to reject the null hypothesis.",
        ),
        ("linearly independent", "The vectors are linearly independent.", "They are linearly dependent."),
        (r"\text{increasing on } (1,\infty)", "f is increasing for x > 1", "f is increasing for x > 2"),
        (r"\text{increasing on } (1,\infty)", "f is increasing for x > 1", "f is decreasing for x > 1"),
        ("March 14", "14 March", "15 March"),
        ("3:45 PM", "The train arrives at 15:45.", "The train arrives at 3:45 AM."),
        ("5 m north", "5 m to the north", "5 m east"),
        ("upward", "The net force points upward.", "The net force points downward."),
        ("f(x) = cx", "$f(x)=cx$ for some constant $c$", "$f(x)=2cx$ for some constant $c$"),
        (r"\ln 2", "The integral evaluates to ln(2) ≈ 0.693.", "The integral evaluates to ln(3) ≈ 1.099."),
        ("40", "After the 20% discount the shirt costs $40.", "After the 40% discount the shirt costs $20."),
        ("31", "Their ages add up to 31.", "Their ages are up to 31."),
        ("-3", "The minimum value is −3, attained at x = 2.", "The minimum value is 2, attained at x = −3."),
        ("5 N to the left", "A force of 5 N, directed to the left", "A force of 5 N, directed to the right"),
        ("9.8 m/s^2", "The acceleration is 9.8 m s⁻² downward.", "The acceleration is 9.8 m s⁻¹ downward."),
        ("9.8 m/s^2", "9.8 m s⁻²", "9.8 m s²"),
        ("1.6e-19 C", r"$q = 1.6 \times 10^{-19}$ coulombs", r"$q = 1.6 \times 10^{-16}$ coulombs"),
        ("72 km/h", "v = 20 m/s", "v = 2 m/s"),
        ("3 hours", "It takes 180 minutes to run 5 km.", "It takes 3 minutes to run 5 km."),
        ("4.5 h", "It takes four and a half hours.", "It takes four and a half minutes."),
        ("12 boys, 15 girls", "There are 15 girls and 12 boys.", "There are 15 boys and 12 girls."),
        ("mean 5, standard deviation 2", "μ = 5 and σ = 2", "μ = 2 and σ = 5"),
        ("a = 3, b = 4", "- a = 3\n- b = 4", "- a = 4\n- b = 3"),
        ("(4.2, 5.8)", "The 95% confidence interval is 5 ± 0.8", "The 95% confidence interval is 5 ± 0.4"),
        (
            r"\lambda = 2, 5",
            "The eigenvalues are λ₁ = 5 and λ₂ = 2.",
            "The eigenvalues are λ₁ = 5 and λ₂ = -2.",
        ),
        (
            "x = -2 oder x = 3",
            "Die Gleichung hat die Lösungen -2 und 3.",
            "Die Gleichung hat die Lösungen 2 und 3.",
        ),
        (r"\frac{3}{8}", "There is a 3 in 8 chance.", "There is a 3 in 10 chance."),
        ("5:3", "The odds are 5 to 3 in favor.", "The odds are 3 to 5 in favor."),
        (r"x\ge 2", "x的取值范围是x≥2", "x的取值范围是x>2"),
        ("[-1 ; 3]", "x appartient à [-1 ; 3]", "x appartient à ]-1 ; 3["),
        (r"\text{(C)}", r"The correct choice is (C) $24\pi$.", r"The correct choice is (B) $24\pi$."),
        (
            "B",
            "Options A and C are false, so only B is true.",
            "Options A and B are false, so only C is true.",
        ),
        (
            r"2\sqrt{5}",
            "Hence the distance is 2√5 units, i.e. approximately 4.47.",
            "The distance is 5√2 units.",
        ),
        (r"36\pi", "The circle has an area of 36π cm².", "The circle has an area of 36 cm²."),
    ],
)
def test_a_right_sentence_and_a_wrong_one(gold: str, right: str, wrong: str) -> None:
    assert grade(gold, right).verdict == "equal"
    assert grade(gold, wrong).verdict != "equal"


@pytest.mark.parametrize(
    ("gold", "right", "wrong"),
    [
        ("x+y+z=1", "(1,0,0)+s(1,-1,0)+t(0,1,-1)", "(1,0,0)+s(1,-1,0)+t(0,1,1)"),
        ("x+y+z=1", "(1,0,0)+s(1,-1,0)+t(0,1,-1)", "(1,0,0)+s(1,-1,0)"),
        (r"\vec r = (1,0,2)+t(2,1,-1)", "x = 1+2t, y = t, z = 2-t", "x = 1+2t, y = t, z = 2+t"),
        (
            "x = 1+2t, y = t, z = 2-t",
            r"\frac{x-1}{2} = y = \frac{z-2}{-1}",
            r"\frac{x-1}{2} = 5y = \frac{z-2}{-1}",
        ),
        (
            r"\frac{x-1}{2} = y = \frac{z-2}{-1}",
            r"\frac{x-3}{2} = y-1 = 1-z",
            r"\frac{x-1}{2} = 5y = \frac{z-2}{-1}",
        ),
        (
            r"(x-1)^2+(y-2)^2=9",
            "The circle has centre (1, 2) and radius 3.",
            "The circle has centre (1, 2) and radius 9.",
        ),
        (r"\text{span}\{(1,0,1),(0,1,1)\}", "span{(1,0,1),(1,1,2)}", "span{(1,0,1),(1,1,1)}"),
        (r"\langle 2x, 2y\rangle", "∇f = 2x i + 2y j", "∇f = 2y i + 2x j"),
        (r"x\ln x - x + C", "∫ ln x dx = x(ln x − 1) + C", "∫ ln x dx = x(ln x + 1) + C"),
        (r"n = 3k, k \ge 1, k\in\mathbb Z", "all positive multiples of 3", "all positive multiples of 6"),
        (
            r"n = 3k, k \ge 1, k\in\mathbb Z",
            r"n = 3k+3, k \in \mathbb{Z}, k \ge 0",
            r"n = 3k, k \in \mathbb{Z}, k \ge 0",
        ),
        (r"x\equiv 3 \pmod 7", "x = 7k + 3 for any integer k", "x = 3k + 7 for any integer k"),
        (r"f(x)=0 \text{ and } f(x)=x", r"Only $f(x)=x$ and $f\equiv 0$.", r"Only $f(x)=x$ and $f\equiv 1$."),
        ("x=2,-5", "x=2またはx=-5", "x=2またはx=5"),
    ],
)
def test_lines_planes_and_families_in_other_forms(gold: str, right: str, wrong: str) -> None:
    assert grade(gold, right).verdict == "equal"
    assert grade(gold, wrong).verdict != "equal"


def test_natural_numbers_may_begin_with_either() -> None:
    family = r"n = 3k, k \in \mathbb{N}"
    assert grade(family, r"n = 3k, k \in \mathbb{Z}, k \ge 1").verdict == "equal if"
    assert grade(family, r"n = 3k, k \in \mathbb{Z}, k \ge 2").verdict == "different"


def test_quantities_are_found_with_their_units() -> None:
    tokens = tokenize("It takes 2 hours and 30 minutes, at 20 m/s, for √5 km")
    said = [
        "".join(token.text for token in tokens[slice(*span)])
        for span in list_quantities(tokens, 0, len(tokens))
    ]
    assert said == ["2 hours and 30 minutes", "20 m/s", "√5 km"]
    tokens = tokenize("It has 3 rooms")
    assert choose_quantity(tokens, [(4, 5)], len(tokens)).rivals == ()


def test_words_of_answers_are_read() -> None:
    tokens = tokenize("It is not injective")
    assert find_word_answer(tokens, 0, len(tokens)) == "not injective"
    assert drop_direction("5 N, directed to the left") == "5 N"
    assert drop_direction("to the left") == "to the left"
    assert count_minutes("12:05 am") == 5
    assert count_minutes("12:05 pm") == 725
    assert read_date(tokenize("14. März 2025")) == "March 14, 2025"
    assert read_date(tokenize("March 44")) == ""
    labelled = read_labelled("12 boys and 15 girls")
    assert labelled is not None
    assert {*labelled} == {frozenset({"boy"}), frozenset({"girl"})}
    assert read_labelled("She sold 12 and then she bought 15 at 3 shops") is None


@pytest.mark.parametrize(
    ("gold", "pred"),
    [
        ("sufficient but not necessary", "sufficient"),
        ("bounded", "It is bounded but not closed."),
    ],
)
def test_what_words_do_not_decide_is_undecided(gold: str, pred: str) -> None:
    assert grade(gold, pred).verdict == grade(pred, gold).verdict == "undecided"

"""Answers in the style of school: values, ranges, units and owners in words of several languages, what is
said twice, and what the question says of its answer; beside each right answer a wrong neighbour."""

from __future__ import annotations

import pytest

from engines.grading.grades import grade
from engines.grading.meanings.dimensions import read_dimensions
from engines.grading.questions import read_question
from engines.grading.restatements import split_restated
from engines.grading.translated_words import translate_words
from engines.language.numerals import read_numeral

_RIGHT = {
    "values of letters": [
        ("(4, -1)", "x is 4 and y is −1"),
        ("(4, -1)", "x vaut 4 et y vaut −1"),
        ("(4, -1)", "x ist 4 und y ist −1"),
        ("(4; 5)", "x es 4 e y es 5"),
        ("(-1, 2)", "x равен −1, а y равен 2"),
        ("(5, 1)", "B' has x = 5, y = 1"),
        (r"\{(1, 4), (4, 1)\}", "x = 1 and y = 4, or else x = 4 and y = 1"),
        (r"\{(2, 5), (5, 2)\}", "soit x = 2 et y = 5, soit x = 5 et y = 2"),
        (r"\{(2, 5), (5, 2)\}", "entweder x = 2 und y = 5 oder x = 5 und y = 2"),
        (r"\{(2, 5), (5, 2)\}", "x = 5 e y = 2, ou então x = 2 e y = 5"),
        ("x = 1, x = 4", "解は x = 1 と x = 4 です"),
        ("2, 9", "as raízes são 2 e 9"),
        (r"x = 4 \pm \sqrt{3}", "x equals 4 plus or minus the square root of 3"),
        ("x = -7 or x = 6", "x is either −7 or 6"),
        ("(3, -8)", "T(3|−8)"),
        ("x^2 + 7", "f(x) is x^2 + 7"),
        (r"-\frac{1}{6}\cos(3x) + C", "-1/6 cos(3x) + C"),
        ("(6, -4)", "x-coordinate 6 and y-coordinate −4"),
        ("(6, -4)", "x座標が6、y座標が−4"),
        (r"\frac{17}{5}", "3⅖ units"),
        (r"7 + 2\sqrt{3}", "7 plus 2 times the square root of 3"),
        (r"\frac{1}{3},\ 40\%,\ 0.5", "0.5 > 0.4 > 1/3"),
        ("If $m$ is not odd, then $m^2$ is not odd.", "m even ⇒ m² even"),
        ("6", r"It has order six, since $6\cdot5=30$ is divisible by 10."),
        (r"\frac{n(n-1)}{2}", "half of n(n−1)"),
        ("x = 6", "Only x = 6 works; −2 is extraneous"),
        (r"5x^2 + C", "5x^2 plus a constant"),
        ("4:5:7", "4 to 5 to 7"),
        ("t = 6 s", "after 6 seconds"),
        ("14 and 21", "the smaller is 14, the larger 21"),
        (r"A^c \cap B^c", "all elements that are in neither A nor B"),
    ],
    "ranges": [
        ("(-5, 1)", "all x strictly between −5 and 1"),
        ("]-5; 1[", "les x strictement compris entre −5 et 1"),
        ("[-5, 1]", "alle x zwischen −5 und 1 (beide eingeschlossen)"),
        ("[-3; 8]", "x не меньше −3 и не больше 8"),
        ("(-3; 8)", "x больше −3 и меньше 8"),
        ("[-3; 8]", "x est supérieur ou égal à −3 et inférieur ou égal à 8"),
        (r"[6, \infty)", "x mayor o igual que 6"),
        (r"(6, \infty)", "x maggiore di 6"),
        (r"(-\infty, 6)", "x ist kleiner als 6"),
        (r"x \ge 6", "x is 6 or more"),
        (r"x < -1 \text{ or } x > 9", "x inférieur à −1 ou supérieur à 9"),
        ("[1, 6]", "x va de 1 a 6, extremos incluidos"),
        (r"(-\infty, 1) \cup (1, 7]", "all reals x ≤ 7 except 1"),
        (r"(-\infty, 1) \cup (1, 7]", "tous les réels x ≤ 7 sauf x = 1"),
        (r"(-\infty, 1) \cup (1, 7]", "alle reellen x ≤ 7 außer 1"),
        (r"\mathbb{R} \setminus \{4\}", "x can be anything but 4"),
        ("(-3, 3)", "f is decreasing for -3 < x < 3"),
        ("[-3, 8[", "x maior ou igual a -3 e menor que 8"),
        ("[-3, 3)", "|x| < 3 and also at x = -3"),
        ("[-3, 3)", "The series converges for $|x|<3$ and also at $x=-3$; it diverges for every other $x$."),
        (r"x = (-1)^k\frac{\pi}{6} + \pi k,\ k \in \mathbb{Z}", "x = π/6 + 2πn или x = 5π/6 + 2πn, n ∈ Z"),
        ("]-3; 3[", "g est décroissante pour −3 < x < 3"),
        (r"(4, \infty)", "die Funktion wächst für x > 4"),
    ],
    "units": [
        ("3 h", "Tardan 180 minutos"),
        ("70 km/h", "70 quilômetros por hora"),
        ("70 km/h", "70 chilometri all'ora"),
        ("70 км/ч", "70 километров в час"),
        ("15 m²", "15 metros cuadrados"),
        ("15 м²", "15 квадратных метров"),
        (r"20^\circ, 160^\circ", "x = 160 degrees or x = 20 Grad"),
        ("45 %", "quarante-cinq pour cent"),
        ("45 %", "un aumento del 45 por ciento"),
        ("R$ 35,50", "35,50 reais"),
        ("8,5 km/l", "8 quilômetros e meio por litro"),
        ("3.5 h", "3 hours and a half"),
        ("1,5 h", "une heure et demie"),
        (r"4 + 7\pi \text{ cm}", "(7π + 4) cm"),
        ("3/8", "tre ottavi"),
        ("1/6", "une chance sur six"),
        ("£4.50", "450p"),
        ("12:20", "It arrives at 12.20 p.m."),
    ],
    "said twice": [
        (r"5\pi", "V = 5π ≈ 15.71 cubic units"),
        (r"4 + 2\pi \text{ cm}", "2(π + 2) cm, also rund 10,28 cm"),
        (r"\sqrt{3}", "√3 (≈ 1.73)"),
        (r"\sqrt{3}", "√3, soit environ 1,73"),
        (r"\frac{3}{8}", "3/8, i.e. 0.375"),
        (r"\frac{1}{7}", "about 14.3% (1/7)"),
        ("3 h", "180 minutes (3 hours)"),
        ("2.5 km", "2500 m, or 2.5 km"),
        (r"3 + \frac{4}{x-1}", "a = 3 and b = 4, so it's 4/(x-1) + 3"),
        ("30", "thirty (30)"),
    ],
    "families": [
        (
            r"\left\{\frac{\pi}{6} + k\pi,\ k \in \mathbb{Z}\right\}",
            "x = π/6 + 2kπ ou x = 7π/6 + 2kπ (k ∈ ℤ)",
        ),
        (r"t\begin{pmatrix}1\\3\end{pmatrix},\ t \neq 0", "All vectors (a, 3a) with a ≠ 0"),
        (r"t(2, 1),\ t \neq 0", "non-zero multiples of (2, 1)"),
    ],
    "things with names": [
        (
            "local maximum $(-2, 5)$, local minimum $(2, -3)$",
            "There's a local min of -3 at x = 2 and a local max of 5 at x = -2.",
        ),
        ("17", "The minimum value is 17 (at x = 3)"),
        ("12 m by 12 m", "A square with sides of 12 metres"),
        ("4 cm × 9 cm", "4 cm wide and 9 cm long"),
        ("4 cm × 9 cm", "a rectangle, 9 cm by 4 cm"),
        ("Lea: 14, Kim: 7", "Kim is 7 years old and Lea is 14."),
        ("Anna has 12 marbles and Ben 8", "Ben: 8, Anna: 12"),
        ("A pen costs $2 and a ruler $5", "ruler: $5, pen: $2"),
        ("adult: 11, child: 6", "Adults pay 11 and children pay 6"),
        ("perimeter 24 cm, area 32 cm²", "P = 24 cm, A = 32 cm²"),
        (
            "6 L of the 10% solution and 9 L of the 30% solution",
            "9 litres of the stronger (30 %) one, and 6 litres of the weaker (10 %) one",
        ),
        ("rank 3, nullity 2", "nullity two, rank three"),
        ("(i) and (iii)", "only the first and the third"),
        (r"$(1\,4\,2)$", "(2 1 4)"),
        ("$(2,1)$ saddle, $(0,1)$ minimum", "minimum at (0,1), f = 3 there; saddle at (2,1)"),
        (
            r"$\lambda=7$: $(1,2)^T$; $\lambda=3$: $(1,-1)^T$",
            r"$\lambda_1=3$ with eigenvectors $t(-1,1)^T$, $\lambda_2=7$ with $s(1,2)^T$, where $s,t\neq0$",
        ),
        ("converges to 5", "Converges; sum = 5"),
        ("At least one guest in the hotel has no car.", "There's a guest in the hotel without a car"),
        ("At least one guest in the hotel has no car.", "Not every guest in the hotel has a car."),
    ],
}
_WRONG = {
    "values of letters": [
        ("(4, -1)", "x is −1 and y is 4"),
        ("(4, -1)", "x is 4 and y is not −1"),
        ("(5, 1)", "B' has x = 1, y = 5"),
        (r"\{(1, 4), (4, 1)\}", "x = 1 and y = 4, or else x = 4 and y = 2"),
        ("最大値は7です", "最小値は7です"),
        (r"-i", "i^27 = i"),
        ("(3, -8)", "T(−8|3)"),
        ("6", "the square root of $6$"),
        ("twice $6$", "$6$"),
        ("14 and 21", "the smaller is 14, the larger 22"),
        (r"A^c \cap B^c", "all elements that are in A but not in B"),
        (r"\frac{17}{5}", "3⅗ units"),
        (r"\frac{1}{3},\ 40\%,\ 0.5", "1/3 < 0.5 < 0.4"),
        ("If $m$ is not odd, then $m^2$ is not odd.", "m² even ⇒ m even"),
    ],
    "ranges": [
        ("[-5, 1]", "all x strictly between −5 and 1"),
        ("[-3; 8]", "x больше −3 и меньше 8"),
        (r"x \ge 6", "x is more than 6"),
        ("[-3, 3)", "|x| < 3 and also at x = 3"),
        (r"(-\infty, 1) \cup (1, 7]", "all reals x < 7 except 1"),
        (r"(-\infty, 1) \cup (1, 7]", "all reals x ≤ 7 except 2"),
        ("(-3, 3)", "f is decreasing for -3 < x < 4"),
        ("(-3, 3)", "f is not decreasing for -3 < x < 3"),
        (r"x < -1 \text{ or } x > 9", "x inférieur à −1 et supérieur à 9"),
    ],
    "units": [
        ("3 h", "Tardan 100 minutos"),
        ("t = 6 s", "after 6 minutes"),
        ("15 m²", "15 metros"),
        ("8,5 km/l", "8 quilômetros por litro"),
        ("45 %", "cinquante-cinq pour cent"),
        ("£4.50", "45p"),
        ("12:20", "It arrives at 12.50 p.m."),
    ],
    "said twice": [
        (r"5\pi", "V = 5π ≈ 25.71 cubic units"),
        (r"\frac{3}{8}", "3/8, i.e. 0.4"),
        ("3 h", "180 minutes (2 hours)"),
        ("3 h", "190 minutes, that is 3 hours"),
        (r"3 + \frac{4}{x-1}", "a = 3 and b = 4, so it's 4/(x-1) + 4"),
        ("2", "2 or 3"),
    ],
    "families": [
        (
            r"x = \frac{\pi}{6} + k\pi,\ k \in \mathbb{Z}",
            "x = π/6 + 2kπ or x = 5π/6 + 2kπ (k ∈ ℤ)",
        ),
        (r"t\begin{pmatrix}1\\3\end{pmatrix},\ t \neq 0", "All vectors (3a, a) with a ≠ 0"),
    ],
    "things with names": [
        (
            "local maximum $(-2, 5)$, local minimum $(2, -3)$",
            "There's a local max of -3 at x = 2 and a local min of 5 at x = -2.",
        ),
        ("17", "minimum 3 at x = 17"),
        ("12 m by 12 m", "A square with sides of 10 metres"),
        ("4 cm × 9 cm", "3 cm by 12 cm"),
        ("Lea: 14, Kim: 7", "Kim is 14 years old and Lea is 7."),
        ("Lea: 14, Kim: 7", "Kim is not 7 years old and Lea is 14."),
        ("rank 3, nullity 2", "The rank is not 3 and the nullity is 2"),
        ("12 red balls and 8 blue boxes", "12 red boxes and 8 blue balls"),
        ("(i) and (iii)", "only the first and the second"),
        (r"$(1\,4\,2)$", "(1 2 4)"),
        (
            "6 L of the 10% solution and 9 L of the 30% solution",
            "6 L of the 30% solution and 9 L of the 10% solution",
        ),
        ("At least one guest in the hotel has no car.", "No guest in the hotel has a car."),
    ],
}


@pytest.mark.parametrize("kind", list(_RIGHT))
def test_right_answers_of_school_are_accepted(kind: str) -> None:
    assert [pair for pair in _RIGHT[kind] if not grade(*pair).accepted] == []


@pytest.mark.parametrize("kind", list(_WRONG))
def test_their_wrong_neighbours_are_not(kind: str) -> None:
    assert [pair for pair in _WRONG[kind] if grade(*pair).accepted] == []


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("x no menor que 2", "x ≥ 2"),
        ("die Seite e ist 5", "die Seite e = 5"),
        ("e^x and e", "e^x and e"),
        ("12 litros y medio", "12.5 litros"),
        ("30 degrees Celsius", "30 degrees Celsius"),
        ("all reals x > 1 except 2 and 3", "x > 1 and x ≠ 2 and x ≠ 3"),
        (r"$x \in \mathbb R$ is 3", r"$x \in \mathbb R$ is 3"),
        ("P(A|B) = 2", "P(A|B) = 2"),
    ],
)
def test_words_are_written_as_the_reader_has_them(text: str, written: str) -> None:
    assert translate_words(text) == written


def test_parts_that_say_the_same_are_split_and_lists_are_not_taken_for_it() -> None:
    assert [part.text for part in split_restated("90 minutes, that is about 1.5 hours")] == [
        "90 minutes",
        "1.5 hours",
    ]
    assert len(split_restated("x = 12")) == 1
    assert not grade("5", "2 or 5").accepted


def test_a_question_says_what_letters_stand_for_and_which_unit_is_asked_for() -> None:
    choices = "Which is prime? A) 21  B) 23  C) 25"
    assert read_question(choices).choices == (("A", "21"), ("B", "23"), ("C", "25"))
    assert grade("B", "Option (b), i.e. twenty-three", problem=choices).accepted
    assert grade("23", "B", problem=choices).accepted
    assert grade("B", "23", problem=choices).accepted
    assert not grade("B", "C) 23", problem=choices).accepted
    assert not grade("B", "25", problem=choices).accepted
    assert not grade("23", "C", problem=choices).accepted
    litres = "How many litres of water does the box hold?"
    assert read_question(litres).unit == "litres"
    assert grade("24", "24 000 cm³, which is 24 litres", problem=litres).accepted
    assert not grade("24", "24 cm³", problem=litres).accepted
    assert grade("6", "6 legs", problem="How many legs has an ant?").accepted
    assert not grade("6", "6 wings", problem="How many legs has an ant?").accepted
    italian = "Un rettangolo di 5 cm e 3 cm: calcola l'area."
    assert grade(r"15 \text{ cm}^2", "0,0015 m²", problem=italian).accepted
    assert not grade(r"15 \text{ cm}^2", "0,015 m²", problem=italian).accepted
    asked = "Does the cube have an Eulerian circuit?"
    assert not grade("13", "The minimum is 13", problem="What is the maximum of f?").accepted
    assert grade("No", "Its degrees are odd, so such a circuit cannot exist.", problem=asked).accepted
    assert not grade("Yes", "Its degrees are odd, so such a circuit cannot exist.", problem=asked).accepted


def test_lengths_of_a_thing_are_no_product() -> None:
    assert [side.text for _, side in read_dimensions("5 by 8 cm") or []] == ["5", "8"]
    assert read_dimensions("12 square metres") is None
    assert not grade("4 cm × 9 cm", "6 cm by 6 cm").accepted


def test_numbers_in_italian_and_portuguese_are_read() -> None:
    said = ("ventotto", "centoventi", "vinte e cinco", "duzentos e dois", "due terzi", "três quartos")
    assert [str(read_numeral(text)) for text in said] == ["28", "120", "25", "202", "2/3", "3/4"]

"""Answers in other forms, labelled by hand, and wrong answers that look right: what is accepted."""

from __future__ import annotations

import pytest

from benchmarks._formula_changes import MAKERS, hostile_pairs
from benchmarks.hostile_answers import KINDS, forms
from engines.formula.statement_view import Statement, read_statement
from engines.grading.choices import read_choice
from engines.grading.final_answer import answer
from engines.grading.grades import grade
from engines.grading.integers_in_words import spell_integers
from engines.grading.locales import find_language, with_decimal_points
from engines.grading.numbers import plain_number
from engines.grading.tokens import tokenize
from engines.language.numerals import read_numeral


def test_answers_of_many_kinds_are_judged_as_they_were_labelled() -> None:
    rows = forms(KINDS)
    assert len(rows) == 150
    wrong = [(gold, pred) for _, same, gold, pred in rows if grade(gold, pred).accepted != same]
    assert wrong == []


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
        ("1, 1, 2", "1 and 2 (with multiplicity 2)", "different", "not in the answer"),
        ("1, 2", "1 (with multiplicity 2) and 2", "equal", "may be left out"),
        ("(1, 5)", "x is between 1 and 5", "equal if", "do not belong"),
        ("[1, 5]", "x is between 1 and 5", "equal if", "belong"),
        ("(1, 5)", "x is between 1 and 5, inclusive", "different", "belongs to one of them only"),
        (r"A \cup B", r"x \in A \text{ and } x \in B", "different", "x ∈ A is true, x ∈ B is false"),
        ("2 or 3", "2 or 3 but not both", "undecided", "may be the same"),
        ("7", "3 less than 10", "equal", ""),
        ("3", r"So $n = 3$. $\blacksquare$", "equal", ""),
        ("3", r"So $n = -3$. $\blacksquare$", "different", "3 and -3"),
        ("0.25 mol/L", "0.25 M", "equal", ""),
        ("0.25 mol/L", "0.5 M", "different", "1/4 and 1/2"),
        ("0.25 m", "0.25 M", "different", ""),
        ("y = 5 - 2x", "the line with slope -2 and y-intercept 5", "equal", ""),
        ("y = 5 - 2x", "the line through (0, 5) with slope 2", "different", ""),
        (
            "local max at x = 2, local min at x = 1",
            "f has a local min at 1 and a local max at 2",
            "equal",
            "",
        ),
        ("y = Ce^{-3x}", "y(x) = y_0 e^{-3x}", "equal", "stand for any constant"),
        ("(1, 2, 3) and permutations", "(3, 1, 2) and all its permutations", "equal", ""),
        ("(1, 2, 3) and permutations", "(1, 2, 3)", "different", "is not in"),
        ("(1, 2, 3) and permutations", "(1, 2, 3) and cyclic permutations", "different", "(1, 3, 2)"),
        ("(a, b, c) = (1, 1, 2) and permutations", "(1, 1, 2), (1, 2, 1), (2, 1, 1)", "equal", ""),
        ("6", "Half a dozen plums are left.", "equal", ""),
        ("12", "Half a dozen plums are left.", "different", "12 and 6"),
        ("72 km/h", "20 m s^{-1}", "equal", "converted"),
        ("2.5 mm", "2.5 × 10⁻³ m", "equal", "converted"),
        ("2.5 mm", "2.5 × 10⁻⁴ m", "different", ""),
        ("mean 10, variance 4", "μ = 10 and σ² = 4", "equal", ""),
        ("mean 10, variance 4", "μ = 10 and σ = 4", "undecided", ""),
        ("B", "I would choose B because the slope is negative.", "equal", ""),
        ("B", "I would not choose B.", "undecided", ""),
        ("saddle point at (0, 0)", "(0, 0) is a saddle point", "equal", ""),
        ("12 см", "Периметр равен 12 сантиметрам.", "equal", ""),
        (r"\{1, 2, \ldots, 10\}", "all integers from 1 to 10", "equal", ""),
        (r"\{3, 4, 5, \dots\}", r"x \in \mathbb{Z}, x \ge 3", "equal", ""),
        (r"\{4, 5, 6, \dots\}", r"x \in \mathbb{Z}, x \ge 3", "different", ""),
        (r"\{1, 2, 4, \dots\}", r"\{1, 2, 4, 8, \dots\}", "unread", "ellipsis"),
        (r"x = 3, y = 4 \text{ or } x = -3, y = -4", "(3, 4), (-3, -4)", "equal", ""),
        (r"x = 3, y = 4 \text{ or } x = -3, y = -4", "(3, -4), (-3, 4)", "different", ""),
        ("H_0 is rejected", "We reject the null hypothesis at the 5% level.", "equal", ""),
        ("H_0 is rejected", "We fail to reject the null hypothesis at the 5% level.", "different", ""),
        ("increasing on (-1, 1)", "f increases for -1 < x < 1", "equal", ""),
        ("increasing on (-1, 1)", "f decreases for -1 < x < 1", "different", ""),
        (
            "concave up on (0, 1), concave down on (1, 2)",
            "concave down for 1<x<2, up for x<0",
            "undecided",
            "",
        ),
        ("reflexive, not symmetric", "It is reflexive but not symmetric.", "equal", ""),
        ("reflexive, not symmetric", "It is symmetric but not reflexive.", "different", "reflexive"),
        ("Mia", "Mia is the tallest.", "equal", "speaks of"),
        ("Mia", "Mia is not the tallest.", "undecided", ""),
        ("Mia", "Tom is the brother of Mia.", "undecided", ""),
        (r"(f \circ g)(x) = 4x^2 + 1", "4x^2 + 1", "equal", ""),
        (r"\text{domain: } x \ge 2", r"[2, \infty)", "equal", ""),
        ("a_n = 2^n + 1", r"2^n + 1 \text{ for } n \ge 0", "equal", "begins"),
        ("x + 1", r"x + 1 \text{ for } x \ge 0", "equal if", "one of the cases"),
        ("√2", "根号2", "equal", ""),
        ("24 cm²", "L'aire est de 24 centimètres carrés.", "equal", ""),
        ("24 cm²", "24 centimeters squared", "equal", ""),
        ("24 cm³", "L'aire est de 24 centimètres carrés.", "different", "measures"),
        ("20 км/ч", "Скорость поезда равна 20 км/ч.", "equal", ""),
        ("20 км/ч", "Скорость поезда равна 20 м/с.", "different", ""),
        (r"\emptyset", "Die Lösungsmenge ist leer.", "equal", ""),
        ("B", "La bonne réponse est la B.", "equal", ""),
        ("B", "La bonne réponse est la C.", "different", ""),
        (r"\gcd = 6", "The greatest common divisor is 6.", "equal", ""),
        (r"\gcd = 6", r"\text{lcm} = 6", "equal if", ""),
        ("13", "3 less than 10", "different", "13 and 7"),
        (r"\frac{1}{3}", "0.3333333333", "equal", "significant digits"),
        (r"10^{-20}", "0.0000000000", "different", "and 0"),
        ("[0, 1]", "(0, 1]", "different", "0 belongs to one of them only"),
        ("1, 2", "1", "different", "2 is not in the answer"),
        (r"58\text{ in}", r"58\text{ in}^2", "different", "measures length and"),
        (
            r"\begin{pmatrix} 1 \\ 2 \end{pmatrix}",
            r"\begin{pmatrix} 1 & 2 \end{pmatrix}",
            "different",
            "2 by 1",
        ),
        ("(1, 2)", "(1, 2, 3)", "different", "has 3"),
        ("[1, 2]", "7", "different", "3/2 belongs to one of them only"),
        ("v", "(1, 2)", "undecided", "what v stands for"),
        ("B", "15", "undecided", "which answer B stands for"),
        (r"\mathbb{Q}", r"\mathbb{R}", "different", "sqrt(2) belongs to one"),
        ("10 m/s", "36 km/h", "equal", "converted to m/s"),
        (r"\sin 30^\circ", r"\frac12", "equal", ""),
        ("x = 1, 3", "x = 1, y = 3", "different", "says what y is"),
        ("x=2 or x=3", "x=2 and x=3", "equal", "are a list"),
        (r"\int x^2 dx", "x^3/3", "equal", "up to a constant"),
        ("10", "C_5^2", "equal", "combinations"),
        ("15", "C(5, 2)", "different", "15 and 10"),
        ("P(2, 3)", "P(3, 2)", "different", ""),
        ("(5, 2)", "C(5, 2)", "equal", "C is the name of the point"),
        ("(5, 2)", "f(5, 2)", "undecided", "what f(5, 2) stands for"),
        ("2:3", "2 to 3", "equal", ""),
        ("5:7", "x : y = 10 : 14", "equal", ""),
        ("5:7", "5:07", "undecided", ""),
        (r"P(X \ge 1) = 0.75", "3/4", "equal", ""),
        (r"P(A \mid B) = 0.75", "P(A|B) = 3/4", "equal", ""),
        ("P(A|B) = 0.75", "P(B|A) = 0.75", "undecided", "one is said of P(A|B), one of P(B|A)"),
        ("P(X = 2) = 0.75", "P(X = 3) = 0.75", "undecided", "one is said of P(X=2), one of P(X=3)"),
        (r"\{x : x^2 < 4\}", "(-2, 2)", "equal", ""),
        (r"\{x : x^2 < 4\}", "(-2, 3)", "different", "belongs to one"),
        (r"\{(x, y) : x < y\}", "(-2, 3)", "different", "a tuple"),
        ("[2, 3]", "2 to 3", "unread", ""),
        ("3", "The values of x are 1, 2 and 3.", "different", "1 is not"),
        ("4", "The remainder is 2 when divided by 4.", "undecided", ""),
        ("8", "The set has 8 elements or fewer.", "different", "fewer"),
        ("3", "The inequality holds for x > 3.", "different", ""),
        ("5", "Ответ: x = 3 и x = 5", "different", "3 is not"),
        ("3.5", "3,5", "equal if", "a decimal comma"),
        ("f(a) = 3", "f(b) = 3", "equal if", "stands for f(a)"),
        ("P(A) = 1/2", "P(A') = 1/2", "undecided", "one is said of P(A)"),
        ("f(x) = 5", "f(t) = 5", "equal", ""),
        ("x:y = 2:3", "y:x = 2:3", "different", "3/2 and 2/3"),
        ("y = Ce^{2x}", "y = Ae^{2x}", "equal", "stand for any constant"),
        ("y = Ae^{2x}", "y = Be^{2x}", "equal if", "B stands for A"),
        ("The maximum is 5.", "minimum 5", "undecided", "the other minimum"),
        ("5", "The solutions are t = 0 and t = 5.", "different", "0 is not"),
        ("36", "The probability is 5 out of 36.", "different", "5/36"),
        ("4", "The answer is 6 rather than 4.", "undecided", ""),
        ("41", "41 degrees below zero", "unread", "below"),
        ("27", "27以上", "undecided", "unit"),
        ("x = 1 or y = 4", "x = 1 and y = 4", "different", "x = 1 is true, y = 4 is false"),
        (r"n \equiv \pm 1 \pmod 7", r"n = 7k \pm 1, k \in \mathbb{Z}", "equal", "for all integers"),
        ("3 stones", "4 rocks", "undecided", "how much rocks is in stones"),
        ("100 cm", "1 m", "equal", "converted to cm"),
        (r"60^\circ", r"\frac{\pi}{3}", "equal", "a degree is"),
        (r"50\%", "0.5", "equal", "a percent is 1/100"),
        (r"\sqrt{2}", r"\sqrt{2} \approx 1.41", "equal", "the exact side counts"),
        ("x = 1, x = 2", "x = 2, x = 1", "equal", "in any order"),
        ("(B) 15", "B", "equal", "the letter of the choice"),
        ("(B) 15", "15", "equal", "the text of the choice"),
        (r"x = k\pi, k \in \mathbb{Z}", r"x = n\pi", "equal", "n stands for any integer"),
        (r"(-\infty, -1] \cup [2, \infty)", r"$x \le -1$, $x \ge 2$", "equal if", "each of the bounds"),
        (r"(-\infty, -1] \cup [2, \infty)", r"$x < -1$, $x \ge 2$", "different", ""),
        (r"(-\infty, -1] \cup [2, \infty)", r"x \le -1 \text{ and } x \ge 2", "different", ""),
        (r"2\sqrt3", "3.4641016151377", "different", "3.464101615137755 and 3.4641016151377"),
        ("8", r"\boxed{\text{8 ways}}", "equal", "only one of them has a unit"),
        ("-1, 2", "Ответ: -1; 2", "equal", ""),
        ("-1", "Answer: -1; then we check 2.", "equal", ""),
        ("D", "故选：D．", "equal", ""),
        (r"50\%", "答えは５０％です。", "equal", ""),
        ("15", "정답은 15입니다.", "equal", ""),
        ("-7", "minus 7", "equal", ""),
        ("4:30", "4:30 p.m.", "equal if", "both are pm"),
        ("4:30 am", "4:30 p.m.", "different", ""),
        (r"\text{A, C}", "C and A", "equal", ""),
        (r"\text{A and C}", r"\text{C, D}", "different", "are not"),
        ("ABD", "A, B, D", "equal if", "ABD lists choices"),
        ("ABD", "A, B, C", "undecided", ""),
        (r"[0,\infty)", r"\mathbb{R}_{\geq 0}", "equal", ""),
        (r"[0,\infty)", "all non-negative real numbers", "equal", ""),
        (r"[0,\infty)", r"\mathbb{R}^+", "different", "0 belongs to one"),
        ("all positive integers", r"\mathbb{Z}_{>0}", "equal", ""),
        (r"\mathbb{Z}^+", r"\mathbb{N}", "equal if", "begins with 1"),
        (r"\begin{cases} x+y=3 \\ x-y=1 \end{cases}", "x=2, y=1", "equal", "the only solution"),
        (r"\begin{cases} x+y=3 \\ x-y=1 \end{cases}", "x=1, y=2", "different", "x - y = 1 does not hold"),
        (r"\begin{cases} x+y=3 \\ 2x+2y=6 \end{cases}", "x=2, y=1", "undecided", "other solutions"),
        (r"x = k\pi", r"x = n\pi", "equal", "k and n stand for any integer"),
        (
            r"x = \pm\frac{\pi}{3} + 2k\pi",
            r"x = \frac{\pi}{3} + 2n\pi, x = \frac{5\pi}{3} + 2n\pi",
            "equal",
            "",
        ),
        (r"x = \pm\frac{\pi}{3} + 2k\pi", r"x = \frac{\pi}{3} + 2n\pi", "different", "5/3*pi belongs to one"),
        (r"x = \frac{\pi}{2} + n\pi", r"x = \frac{\pi}{2} - n\pi", "equal if", "n stands for any integer"),
        (r"(n-2)\pi", r"n\pi", "different", ""),
        (
            r"x = \frac{\pi}{6} + 2k\pi \text{ or } x = \frac{5\pi}{6} + 2k\pi",
            r"x = (-1)^n\frac{\pi}{6} + n\pi, n \in \mathbb{Z}",
            "equal",
            "",
        ),
        (
            r"x = \frac{\pi}{6} + 2k\pi \text{ or } x = \frac{5\pi}{6} + 2k\pi",
            r"x = (-1)^{n+1}\frac{\pi}{6} + n\pi, n \in \mathbb{Z}",
            "different",
            "pi belongs to one",
        ),
        ("y = Ce^{-2x}", "y(x) = Ke^{-2x}", "equal", "stand for any constant"),
        ("C_1e^x + C_2e^{-x}", r"A\cosh x + B\sinh x", "equal", "the constants stand for any numbers"),
        (r"y = C_1\cos x + C_2\sin x + x", r"y = A\sin x + B\cos x + x - \sin x", "equal", "any numbers"),
        (r"y = C_1\cos x + C_2\sin x + x", r"y = A\sin x + B\cos x + 2x", "different", "solves one of them"),
        ("C_1e^x + C_2e^{-x}", "C_1e^x + C_2xe^x", "different", "solves one of them only"),
        (r"(A \cup B)^c", r"A^c \cap B^c", "equal", ""),
        (r"\overline{A \cup B}", r"\overline{A} \cup \overline{B}", "different", "what is in A and not in B"),
        ("y = Ce^x", "y = Ke^x", "equal", "stand for any constant"),
        ("m + n = 7", "7", "equal", "m + n is what is asked for"),
        ("x + y = 7", "7", "equal if", "x + y is what is asked for"),
        ("-2", "-2 (twice)", "equal", "how often"),
        ("x = 1", r"x = 1 \text{ (multiplicity 2)}", "equal", "how often"),
        ("1, 2 (twice)", "2, 1", "equal", ""),
        ("-2 (twice)", "2 (twice)", "different", "-2 and 2"),
        ("-2 (twice)", r"-2 \text{ (multiplicity 3)}", "different", "2 times and the other 3"),
        (r"\{\{1\},\{2\}\}", r"\{\{2\},\{1\}\}", "equal", ""),
        (r"\{\emptyset,\{1,2\}\}", r"\{\{2,1\},\emptyset\}", "equal", ""),
        (r"\{\{1\}\}", r"\{1\}", "different", "is not in the answer"),
        (r"\{\{1,2\}\}", r"\{\{1\},\{2\}\}", "different", "is not in the answer"),
        (r"\{\emptyset\}", r"\emptyset", "different", "is not in the answer"),
        (r"2^k, k \in \mathbb{Z}", r"2^{1-n}, n \in \mathbb{Z}", "equal", "for all integers"),
        (r"2^k, k \in \mathbb{Z}", r"4^n, n \in \mathbb{Z}", "different", "2 belongs to one"),
        (
            r"n = 2^k, k \in \mathbb{Z}",
            r"n = 2^k, k \ge 0, k \in \mathbb{Z}",
            "different",
            "negative integers",
        ),
        (
            r"n = 3 \cdot 2^k, k \ge 1, k \in \mathbb{Z}",
            r"n = 6 \cdot 2^m, m \ge 0, m \in \mathbb{Z}",
            "equal",
            "for all",
        ),
        ("t(1,2,3)", "s(2,4,6)", "equal", "for all numbers"),
        ("t(1,2,3)", "s(1,2,4)", "different", "lines"),
        (r"(1,0)+t(1,1), t \in \mathbb{R}", r"(0,-1)+s(2,2), s \in \mathbb{R}", "equal", "for all numbers"),
        (r"(1,0)+t(1,1), t \in \mathbb{R}", r"(1,1)+s(1,1), s \in \mathbb{R}", "different", "lines"),
        ("(1,0,0)+s(1,1,0)+t(0,1,1)", "(1,1,0)+u(1,2,1)+v(1,0,-1)", "different", "planes"),
        ("(1,0,0)+s(1,1,0)+t(0,1,1)", "(2,2,1)+u(1,2,1)+v(1,0,-1)", "equal", "for all numbers"),
        ("t(1,2,3)", "s(1,0,0)+t(0,1,0)", "different", "a line and a plane"),
        ("1000", "1.000", "equal", "parts thousands"),
        ("1", "1.000", "equal", "decimal point"),
        ("1234", "1.234", "equal if", "parts thousands"),
        ("1234", "Die Antwort ist 1.234", "equal", "as the language"),
        ("1234567", "1.234.567", "equal", ""),
        ("x_1 = 3", "x1=3", "equal", ""),
        ("x_1 = 3", "x2=3", "equal if", "stands for"),
        ("x_1 = 4, x_2 = -1", "x_2 = -1, x_1 = 4", "equal", ""),
        ("x_1 = 4, x_2 = -1", "x_1 = -1, x_2 = 4", "equal if", "one unknown"),
        ("30 hours", "It takes 30 minutes.", "different", ""),
        (r"\{6m + 15n : m, n \in \mathbb{Z}\}", "all multiples of 3", "equal", "for all integers"),
        (r"\{6m + 15n : m, n \in \mathbb{Z}\}", "all multiples of 6", "different", "3 belongs to one"),
        ("(1, 2, 3)", "x = 1, z = 2 and y = 3", "different", ""),
        (r"\begin{pmatrix} 2 & 0 \\ 0 & 2 \end{pmatrix}", "2 I_2", "equal", ""),
        (r"\begin{pmatrix} 2 & 0 \\ 0 & 2 \end{pmatrix}", "I_2", "different", ""),
        ("x = 2, x = 5", "L = {2; 5}", "equal", "L is the set of the solutions"),
        ("3 + 4i", "3 + 4j", "equal", "j is the imaginary unit"),
        ("1/6", "The odds are 5 to 1 against.", "equal", ""),
        ("1/6", "The odds are 1 to 5 against.", "undecided", ""),
        ("1011_2", "1011 in base two", "equal", ""),
        ("FF_{16}", "0xFF", "equal", ""),
        ("100", "He wanted 100 dollars.", "unread", ""),
        ("100", "It is 100, but I am not sure.", "unread", ""),
        ("12", "Der Umfang wäre 12 cm, gesucht ist aber der Flächeninhalt: 6 cm².", "undecided", ""),
        ("Yes", "No, the triangles are similar.", "different", "yes and no"),
        ("5:30", "It ends at half past five.", "equal", ""),
        ("5:30", "It ends at half past six.", "different", ""),
        ("90 minutes", "an hour and a half", "equal", ""),
        ("2.5 hours", "an hour and a half", "different", ""),
        ("$3.75", "three dollars seventy-five", "equal", ""),
        ("$3.70", "three dollars seventy-five", "different", ""),
        (r"\begin{pmatrix} 0 & -1 \\ 1 & 0 \end{pmatrix}", "[0 -1; 1 0]", "equal", ""),
        (r"\begin{pmatrix} 0 & -1 \\ 1 & 0 \end{pmatrix}", "[0 1; 1 0]", "different", "-1 and 1"),
        ("[1, 2]", "[1; 2]", "equal", ""),
        (r"p \oplus q", "p or q, but not both", "equal", ""),
        (r"p \lor q", "p or q but not both", "different", "p is true, q is true"),
        (r"p \lor q", "$p$ or $q$ but not both", "different", "p is true, q is true"),
        (r"p \lor q", "p or q (or both)", "equal", ""),
        (r"p \oplus q", "p or q (or both)", "different", "p is true, q is true"),
    ],
)
def test_a_verdict_says_why(gold: str, pred: str, verdict: str, said: str) -> None:
    found = grade(gold, pred)
    assert found.verdict == verdict, found
    assert said in found.condition + found.witness + found.reason


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("x = 1, 2", ["or", "=", "x", "1", "=", "x", "2"]),
        (r"x \ne 1, 2", ["and", "!=", "x", "1", "!=", "x", "2"]),
        ("x > -3 and at most 7", ["and", ">", "x", "-3", "<=", "x", "7"]),
        ("if p then q", ["implies", "p", "q"]),
        (
            "f(x) = x for x > 0 and -x otherwise",
            ["=", "call", "f", "x", "cases", "x", ">", "x", "0", "*", "-1", "x", "else"],
        ),
        (r"17 \pmod{26}", ["congruent", "", "17", "26"]),
        (r"50\%", ["*", "50", "unit", "%"]),
        ("1:2:3", ["ratio", "1", "2", "3"]),
        (r"\le 5", ["<=", "", "5"]),
        ("(1,200)", ["tuple", "1", "200"]),
        ("1,2;3,4", ["list", "tuple", "1", "2", "tuple", "3", "4"]),
        ("[[1,2],[3,4]]", ["matrix", "row", "1", "2", "row", "3", "4"]),
        ("all real numbers except 0 and 1", ["without", "ℝ", "set", "0", "1"]),
        (r"n \text{ is odd}", ["congruent", "n", "1", "2"]),
        (r"p \oplus q", ["not", "iff", "p", "q"]),
    ],
)
def test_an_answer_is_read_as_a_whole(text: str, labels: list[str]) -> None:
    statement = read_statement(text, is_answer=True)
    assert isinstance(statement, Statement), statement
    assert statement.tree.list_labels() == labels


@pytest.mark.parametrize("text", ["x = 1, 2", r"n \text{ is odd}", r"\le 5"])
def test_a_formula_of_a_document_is_not_read_as_an_answer(text: str) -> None:
    assert isinstance(read_statement(text), str)


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
        ("dreiundzwanzig", "23"),
        ("fünfhundertzwölf", "512"),
        ("vingt-cinq", "25"),
        ("soixante et onze", "71"),
        ("soixante-dix-huit", "78"),
        ("quatre-vingts", "80"),
        ("quatre-vingt-dix-neuf", "99"),
        ("deux cent quarante-trois", "243"),
        ("двадцать пять", "25"),
        ("сто", "100"),
        ("廿五", "25"),
        ("伍仟", "5000"),
        ("13万2", "132000"),
        ("百万", "1000000"),
        ("一亿二千万", "120000000"),
        ("三十五分之二", "2/35"),
        ("三又二分之一", "7/2"),
        ("两个半", "5/2"),
        ("负三點一四", "-157/50"),
    ],
)
def test_numbers_in_words(text: str, value: str) -> None:
    assert str(read_numeral(text)) == value


@pytest.mark.parametrize(
    "text",
    ["", "five six", "and", "hundred", "分之三", "点五", "cat", "万", "二三十", "零分之一", "13万万2米"],
)
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
        ("She needs twenty-six eggs.", "twenty-six"),
        ("It is about fifty percent of them.", "fifty percent"),
        ("It takes 2 1/2 hours.", "2 1/2 hours"),
        ("It takes 2 hours and 30 minutes", "2 hours and 30 minutes"),
        ("all real numbers except 0", "all real numbers except 0"),
    ],
)
def test_answers_in_other_languages_and_in_parts(solution: str, found: str) -> None:
    assert answer(solution) == found


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r"\frac34", "3/4"),
        (r"-\frac{3}{4}", "-3/4"),
        (r"-1\frac12", "-3/2"),
        ("1 1/2", "3/2"),
        ("10 000.5", "20001/2"),
        ("2.5e-3", "1/400"),
        (r"1.5 \times 10^{3}", "1500"),
        ("0.58(3)", "7/12"),
        (r"0.1\overline{6}", "1/6"),
        ("1A_{16}", "26"),
        ("7/0", "None"),
        (r"\frac52x", "None"),
        ("1.2.3", "None"),
        (r"1\frac32", "None"),
    ],
)
def test_numbers_are_parsed_as_a_whole(text: str, value: str) -> None:
    number = plain_number(text)
    assert str(None if number is None else number.value) == value


@pytest.mark.parametrize(
    ("words", "members"),
    [
        ("the even numbers between 1 and 9", {2, 4, 6, 8}),
        ("the set of all primes less than 20", {2, 3, 5, 7, 11, 13, 17, 19}),
        ("the integers from -2 to 2", {-2, -1, 0, 1, 2}),
        ("the positive divisors of 12", {1, 2, 3, 4, 6, 12}),
        ("all multiples of 5 between 10 and 20", None),  # 10 and 20 may count or not
        ("all primes greater than 5", None),
        ("even", None),
    ],
)
def test_finite_sets_of_integers_in_words_are_listed(words: str, members: set[int] | None) -> None:
    listed = spell_integers(words).strip("\\{}")
    assert members == ({int(number) for number in listed.split(",")} if listed else None)


@pytest.mark.parametrize(
    ("text", "letter", "rest"),
    [
        ("(B)", "B", ""),
        ("Option C", "C", ""),
        (r"\textbf{(B)}\ 15", "B", "15"),
        ("A. 7", "A", "7"),
        ("Option A: 7", "A", "7"),
        ("故选B", "B", ""),
        ("B", None, None),
        ("(A)x", None, None),
        ("(A) or (B)", None, None),
        ("option (B) is wrong, so (C)", None, None),
    ],
)
def test_letters_of_choices(text: str, letter: str | None, rest: str | None) -> None:
    choice = read_choice(text)
    assert (choice and choice.letter, choice and choice.text) == (letter, rest)


def test_a_locale_says_how_decimals_are_written() -> None:
    assert grade("3.5", "3,5", locale="de").accepted
    assert not grade("3.5", "3,5", locale="en").accepted
    assert grade("1234", "1.234", locale="de").accepted
    assert not grade("1234", "1.234").accepted
    shown = [find_language(tokenize(text)) for text in ("La réponse est 2", "The answer is 2")]
    assert shown == ["fr", ""]
    assert with_decimal_points("1,2,3 and (4,5)", "de") == "1,2,3 and (4,5)"

"""Answers with labels, working, units of other scripts, properties, verdicts and choices in words."""

from __future__ import annotations

import pytest

from engines.grading.grades import grade

STATISTICS = "mean 6.33, median 6.5, mode 9"
ANGLES = r"$30^\circ,60^\circ,90^\circ$"
LINE = r"$\operatorname{span}\{(3,-1)^T\}$"
ODD = r"Which of these functions are even? (a) $x^2$ (b) $x^3$ (c) $\cos x$ (d) $x+1$"
EQUIVALENT = "reflexive and symmetric, not transitive"
GREATEST = r"$\exists x\in\mathbb{R}\ \forall y\in\mathbb{R}:\ x\ge y$"


@pytest.mark.parametrize(
    ("gold", "pred", "problem", "is_right"),
    [
        # The working of a value with a label.
        (STATISTICS, "Mode = 9, median = (6+7)/2 = 13/2, mean ≈ 6.33", "", True),
        (STATISTICS, "Mode = 9, median = (6+8)/2 = 7, mean ≈ 6.33", "", False),
        (STATISTICS, "Mode = 6, median = (6+7)/2 = 13/2, mean ≈ 6.33", "", False),
        ("7 and 3", "standard deviation 3, mean 7", "Find the mean and the standard deviation.", True),
        ("7 and 3", "standard deviation 7, mean 3", "Find the mean and the standard deviation.", False),
        # Sides of a figure.
        ("4 cm and 11 cm", "The rectangle is 11 cm long and 4 cm wide.", "", True),
        ("4 cm and 11 cm", "11 cm × 4 cm", "", True),
        ("4 cm and 11 cm", "Das Rechteck ist 11 cm lang und 4 cm breit.", "", True),
        ("4 cm and 11 cm", "The rectangle is 11 cm long and 5 cm wide.", "", False),
        ("4 cm and 11 cm", "4 cm by 11 m", "", False),
        ("length 11 cm, width 4 cm", "length 4 cm, width 11 cm", "", False),
        (
            r"$30^\circ,60^\circ,90^\circ$",
            "One part is 30° and the three angles measure 90°, 60° and 30°.",
            "",
            True,
        ),
        (
            r"$30^\circ,60^\circ,90^\circ$",
            "One part is 30° and the angles measure 80°, 60° and 30°.",
            "",
            False,
        ),
        # Shares, speeds and counted things.
        (r"$\frac{3}{4}$", "On a 9 chances sur 12, soit 75 %.", "", True),
        (r"$\frac{3}{4}$", "On a 9 chances sur 12, soit 25 %.", "", False),
        (r"$\frac{3}{4}$", "9 chances sur 10, soit 75 %", "", False),
        ("秒速20 m", "72000÷3600=20 なので 20 m/s です。", "", True),
        ("时速60千米", "60千米/时", "", True),
        ("秒速20 m", "20 m", "", False),
        ("秒速20 m", "時速20 m", "", False),
        ("18支", "4×4+2=18，答：小红有18支铅笔。", "", True),
        ("18支", "17支铅笔", "", False),
        ("3元", "3元素", "", False),
        (r"$9\pi$ см³", "V = (1/3)·π·9·3 = 9π кубических сантиметров", "", True),
        (r"$9\pi$ см³", "9π квадратных сантиметров", "", False),
        (LINE, "It consists of all scalar multiples of (-3, 1).", "", True),
        (LINE, "It consists of all scalar multiples of (3, 1).", "", False),
        # Properties, quantifiers and verdicts.
        (
            EQUIVALENT,
            "It is symmetric and reflexive, but it fails transitivity because (1,3) is not in R.",
            "",
            True,
        ),
        (EQUIVALENT, "symmetric and reflexive; transitivity fails", "", True),
        (EQUIVALENT, "It is reflexive, but symmetry fails", "", False),
        (EQUIVALENT, "reflexive, symmetric and transitive", "", False),
        (GREATEST, "There is a real number x such that y ≤ x for every real number y.", "", True),
        (GREATEST, "There is a real number x such that y ≤ x for some real number y.", "", False),
        (GREATEST, "for every real y there is a real x with x ≥ y", "", False),
        ("True", "Yes, it is a true statement: if n were odd, n² would be odd too.", "", True),
        ("True", "Yes. If n were odd, n² would be odd.", "", True),
        ("True", "Yes if n is even", "", False),
        ("True", "Yes: only if n is even", "", False),
        ("Reject $H_0$.", "Since 0.02 < 0.05 the null hypothesis is rejected.", "", True),
        ("Reject $H_0$.", "Since 0.02 < 0.05 the null hypothesis is not rejected.", "", False),
        (r"$\{2k\mid k\in\mathbb{Z}\}$", "exactly the even integers", "", True),
        (r"$\{2k\mid k\in\mathbb{Z}\}$", "exactly the odd integers", "", False),
        # Choices with their texts, and orders.
        ("(a), (c)", "c) cos x and a) x²", ODD, True),
        ("(a), (c)", "c) cos x and d) x+1", ODD, False),
        ("(a), (c)", "c) x² and a) cos x", ODD, False),
        (r"$\frac38<0.5<60\%$", "3/8, then 0.5, then 60 %", "", True),
        (r"$\frac38<0.5<60\%$", "0.5, then 3/8, then 60 %", "", False),
        (r"$\frac38<0.5<60\%$", "60%, 0.5, 3/8", "", False),
        ("x=2", "soit x = 1, soit x = 2", "", False),
    ],
)
def test_answers_in_words(gold, pred, problem, is_right):
    assert (grade(gold, pred, problem=problem).verdict == "equal") is is_right


REDUCED = r"If $a\ne0$: $x=\frac{5}{a}$; if $a=0$: no solution."
COUNTED = "If $m>9$: two solutions; if $m=9$: one solution; if $m<9$: no solution"


@pytest.mark.parametrize(
    ("gold", "pred", "is_right"),
    [
        (REDUCED, "x = 5/a if a ≠ 0, no solution if a = 0", True),
        (REDUCED, "no solution for a = 0, otherwise x = 5/a", True),
        (REDUCED, "a = 0: keine Lösung; a ≠ 0: x = 5/a", True),
        (REDUCED, "For a = 0 it reads 0 = 5, which is impossible. In every other case x = 5/a.", True),
        (REDUCED, "x = 5/a", False),
        (REDUCED, "no solution for a ≠ 0, otherwise x = 5/a", False),
        (REDUCED, "no solution for a = 1, otherwise x = 5/a", False),
        (REDUCED, "no solution for a = 0, otherwise x = a/5", False),
        (REDUCED, "infinitely many solutions for a = 0, otherwise x = 5/a", False),
        (COUNTED, "no solution for m < 9, one solution for m = 9 and two solutions for m > 9", True),
        (COUNTED, "no solution for m > 9, one solution for m = 9 and two solutions for m < 9", False),
        (COUNTED, "no solution for m < 9, one solution for m = 9", False),
        ("Wenn $t>0$: konvergent; wenn $t\\le0$: divergent", "konvergent für t > 0, sonst divergent", True),
        ("Wenn $t>0$: konvergent; wenn $t\\le0$: divergent", "divergent für t > 0, sonst konvergent", False),
    ],
)
def test_cases_of_a_parameter(gold, pred, is_right):
    assert (grade(gold, pred).verdict == "equal") is is_right

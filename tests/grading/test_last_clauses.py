"""What solutions conclude in their last clause, letters that get their values one by one"
", sets in plain texts."""

from __future__ import annotations

import pytest

from engines.grading.grades import grade

RISING = r"$(-\infty,-2)$ and $(2,\infty)$"
RISES = "On which open intervals is $f(x)=x^3-12x$ increasing?"
ROOTS = r"$2i,\ -\sqrt3-i,\ \sqrt3-i$"


@pytest.mark.parametrize(
    ("gold", "pred", "problem", "is_right"),
    [
        (r"$x\in\{-3,0,3\}$", "x(x² − 9) = 0, so x = 0 or x = ±3", "", True),
        (r"$x\in\{-3,0,3\}$", "x(x² − 9) = 0, so x = 0 or x = ±9", "", False),
        (
            r"$]-2\,;5[$",
            "L'inéquation est vérifiée si et seulement si x est strictement compris entre -2 et 5.",
            "",
            True,
        ),
        (
            r"$]-2\,;5[$",
            "L'inéquation est vérifiée si et seulement si x est strictement compris entre -5 et 2.",
            "",
            False,
        ),
        ("$(x+4)(x-3)$", "Het product is −12 en de som is 1, dus we krijgen (x − 3)(x + 4).", "", True),
        ("$(x+4)(x-3)$", "Het product is −12 en de som is 1, dus we krijgen (x + 3)(x − 4).", "", False),
        (
            "all real numbers",
            "Both sides are 3x − 6, so it is an identity: every x ∈ ℝ is a solution.",
            "",
            True,
        ),
        (
            "all real numbers",
            "Both sides are 3x − 6, so it is an identity: every x > 2 is a solution.",
            "",
            False,
        ),
        ("convergent", "the other series diverges: convergent", "", False),
        # Letters one after the other.
        ("$(4,1)$", "Adding gives 2x = 8, hence x = 4, and then y = 1.", "", True),
        ("$(4,1)$", "y = 1, hence x = 4", "", True),
        ("$(4,1)$", "Adding gives 2x = 8, hence x = 1, and then y = 4.", "", False),
        ("$(4,1)$", "x = 4, hence z = 1", "", False),
        ("$(4,1)$", "x = 4 and y = 2, so y = 1", "", False),
        ("$(4,1)$", "x = 4, maybe y = 1", "", False),
        # The same property on several sets.
        (RISING, "f rises: f increases for x < −2 and for x > 2.", RISES, True),
        (RISING, "increasing on (-∞,-2) and on (2,∞)", RISES, True),
        (RISING, "f wächst für x < -2 und für x > 2.", RISES, True),
        (RISING, "f decreases for x < −2 and for x > 2.", RISES, False),
        (RISING, "f increases for x < 2 and for x > −2.", RISES, False),
        (RISING, "f increases for x < −2 and decreases for x > 2.", RISES, False),
    ],
)
def test_last_clause_is_the_answer(gold, pred, problem, is_right):
    assert (grade(gold, pred, problem=problem).verdict == "equal") is is_right


@pytest.mark.parametrize(
    ("gold", "pred", "is_right"),
    [
        (r"$x\le -3$ or $x>1$", "(-inf, -3] U (1, inf)", True),
        (r"$x\le -3$ or $x>1$", "(-oo, -3] u (1, oo)", True),
        (r"$x\le -3$ or $x>1$", "(-inf, -3) U (1, inf)", False),
        (r"$(-\infty,2)\cup(2,6]$", "x ≤ 6, with x ≠ 2", True),
        (r"$(-\infty,2)\cup(2,6]$", "x ≤ 6 but x ≠ 2", True),
        (r"$(-\infty,2)\cup(2,6]$", "x ≤ 6, mit x ≠ 3", False),
        (r"$(-\infty,2)\cup(2,6]$", "x ≤ 6", False),
        (r"$[0,1]\cup[4,7]$", "All x with 0 ≤ x ≤ 1 or 4 ≤ x ≤ 7.", True),
        (r"$[0,1]\cup[4,7]$", "alle x mit 0 ≤ x ≤ 1 oder 4 ≤ x ≤ 7", True),
        (r"$[0,1]\cup[4,7]$", "All x with 0 ≤ x < 1 or 4 ≤ x ≤ 7.", False),
        (r"$[0,1]\cup[4,7]$", "All x with 0 ≤ x ≤ 1 and 4 ≤ x ≤ 7.", False),
        ("all real numbers", "it holds for every x", True),
        ("all real numbers", "jede reelle Zahl ist Lösung", True),
        ("all real numbers", "every integer is a solution", False),
        ("all real numbers", "every x > 0 is a solution", False),
        ("$(1,5)$ and $(5,1)$", "{x = 5, y = 1} or {x = 1, y = 5}", True),
        ("$(1,5)$ and $(5,2)$", "(x = 5, y = 2) or (x = 1, y = 5)", True),
        ("$(1,5)$ and $(5,2)$", "{x = 5, y = 1} or {x = 1, y = 5}", False),
        (r"$\{-1,0,1,2\}$", "They are the integers from -1 up to and including 2.", True),
        (r"$\{-1,0,1,2\}$", "They are the integers from -1 up to but not including 2.", False),
        (ROOTS, "$2e^{i(\\pi/2+2\\pi k/3)}$ for $k=0,1,2$", True),
        (ROOTS, "z_k = 2e^(i(π/2 + 2πk/3)) for k = 0, 1, 2", True),
        (ROOTS, "$2e^{i(\\pi/2+2\\pi k/3)}$ for $k=0,1$", False),
        (ROOTS, "$2e^{i(\\pi/2+\\pi k/3)}$ for $k=0,1,2$", False),
        (r"$\{0,1,2\}$", "$2k$ for $k=0,1,2$", False),
        (r"$50^\circ,\ 230^\circ$", "theta = 230 degrees or theta = 50 degrees", True),
        (r"$50^\circ,\ 230^\circ$", "theta = 230 degrees or theta = 60 degrees", False),
    ],
)
def test_sets_in_plain_texts(gold, pred, is_right):
    assert (grade(gold, pred).verdict == "equal") is is_right


SOLUTIONS = r"$L=\{(3+2t,\,t)\mid t\in\mathbb{R}\}$"


@pytest.mark.parametrize(
    ("gold", "pred", "is_right"),
    [
        (SOLUTIONS, "es gibt unendlich viele Lösungen: alle (x, y) mit y = (x−3)/2.", True),
        (SOLUTIONS, "all (x, y) with x = 3 + 2y", True),
        (SOLUTIONS, "all points on the line x - 2y = 3", True),
        (SOLUTIONS, "{(x,y): x - 2y = 3}", True),
        (SOLUTIONS, "L = {(3 + 2s, s) | s ∈ ℝ}", True),
        (SOLUTIONS, "all (x, y) with y = (x+3)/2", False),
        (SOLUTIONS, "all points on the line x + 2y = 3", False),
        (SOLUTIONS, "L = {(3, 0)}", False),
        ("$(4,7)$", "Schnittpunkt S(4|7)", True),
        ("$(4,7)$", "The point is P(4|7).", True),
        ("$(4,7)$", "They meet at x = 4, y = 7", True),
        ("$(4,7)$", "Schnittpunkt S(7|4)", False),
        ("P(A|B) = 1/2", "P(B|A) = 1/2", False),
        (r"$\frac{1}{5}(3,-4)$", "(3i - 4j)/5", True),
        (r"$\frac{1}{5}(3,-4)$", "(3i + 4j)/5", False),
        (r"$\frac{1}{5}(3,-4)$", "3i - 4j", False),
        ("$1011_2$", "(1011)₂ = 8+2+1", True),
        ("$1011_2$", "(1101)_2", False),
        (r"$f^{-1}(x)=\frac{x}{3}+2$", "y = (x + 6)/3", True),
        (r"$f^{-1}(x)=\frac{x}{3}+2$", "y = x/3 - 2", False),
        (r"$f^{-1}(x)=\frac{x}{3}+2$", "f(x) = x/3 + 2", False),
        ("centre $(1,4)$, radius $3$", "Mittelpunkt M(1|4), Radius r = 3", True),
        ("centre $(1,4)$, radius $3$", "Mittelpunkt M(4|1), Radius r = 3", False),
    ],
)
def test_points_vectors_and_lines(gold, pred, is_right):
    assert (grade(gold, pred).verdict == "equal") is is_right

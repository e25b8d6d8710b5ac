"""What a number refutes that satisfies all that was stated: claims for all numbers, steps, and roots."""

from __future__ import annotations

import pytest

from engines.formula.reader import read
from engines.mathematics.judging.judge import judge
from engines.proofreading.counterexamples import find_counterexample
from engines.proofreading.proofread_files import TextProofreader

_LOGARITHMS = r"Solve $\ln x + \ln(x-5) = \ln 6$. Then $x(x-5) = 6$, so $x=6$ or $x=-1$"
_ROOT = r"We solve $\sqrt{x+12} = x$. Squaring gives $x+12 = x^2$, so "


@pytest.fixture(scope="module")
def proofreader() -> TextProofreader:
    return TextProofreader()


def _find_wrong(proofreader: TextProofreader, text: str) -> list[str]:
    return [each.reason for each in proofreader.check_links(text) if each.verdict == "wrong"]


@pytest.mark.parametrize(
    ("statement", "known", "where"),
    [
        ("x^2 > 0", [], "x = 0"),
        (r"\cos x < 1", [], "x = 0"),
        (r"\sin x < 1", [], "x = 1/2*pi"),
        ("(x - 0.37)^2 > 0", [], "x = 37/100"),
        ("x^2 > 5", ["x > 2"], "x = 2.1"),
        ("n^2 > 5", ["n > 2", r"n \in \mathbb{Z}"], ""),
        (r"x^3 \le 100", [r"2 \le x", r"x \le 5"], "x = 5"),
        (r"x^3 \le 125", [r"2 \le x", r"x \le 5"], ""),
        ("a^2 > b^2", ["a > b"], "a = 0, b = -1"),
        ("a^2 + b^2 + c^2 + d^2 > 0", [], "a = 0, b = 0, c = 0, d = 0"),
        ("a^2 + b^2 + c^2 > ab + bc + ca", [], "a = 0, b = 0, c = 0"),
    ],
)
def test_counterexamples_are_simple_and_satisfy_what_is_known(
    statement: str, known: list[str], where: str
) -> None:
    trees = [read(each).tree for each in (statement, *known)]
    assert None not in trees
    wanted, *conditions = (each for each in trees if each is not None)
    assert find_counterexample(judge(), wanted, conditions) == where


@pytest.mark.parametrize(
    ("false", "true"),
    [
        (r"For all real $t$ we have $2^t > 1$.", r"For all real $t$ we have $2^t > 0$."),
        (r"Therefore $e^t \ge 1$ for every $t$.", r"Therefore $e^t \ge 1$ for every $t \ge 0$."),
        (r"For all $t > 0$ we have $\ln t > 0$.", r"For all $t > 1$ we have $\ln t > 0$."),
        (r"For all real $t$, $t^4 > 0$.", r"For all nonzero real $t$, $t^4 > 0$."),
        (r"For all real $t$, $|t| > 0$.", r"For all $t \ne 0$, $|t| > 0$."),
        (r"For all $t$ we have $\cos t < 1$.", r"For all $t$ we have $\cos t \le 1$."),
        (r"For all positive $t$, $t + \frac1t > 2$.", r"For all positive $t$, $t + \frac1t \ge 2$."),
        (r"\begin{theorem}For all real $t$, $t^2 > 0$.\end{theorem}", r"Suppose that $t^2 > 0$ for all $t$."),
        (r"Für alle reellen $t$ gilt $t^2 > 0$.", r"Für alle reellen $t$ gilt $t^2 \ge 0$."),
        (r"Для всех вещественных $t$ имеем $t^2 > 0$.", r"Для всех вещественных $t$ имеем $t^2 \ge 0$."),
        (
            r"Let $t$ be a real number. Then $t^2 > 0$.",
            r"For all real $t$ we have $t^2 > 0$ except at $t = 0$.",
        ),
        (r"For all real $t$ we have $t/2 > 0$.", r"Now fix an arbitrary $t/2 > 0$."),
        (r"So $s^2 t^2 > 0$ for all $s, t$.", r"So $s^2 t^2 > 0$ for all $s, t$ except on the line $t = 0$."),
        (r"For every integer $n$ we have $n^2 > n$.", r"For every integer $n > 1$ we have $n^2 > n$."),
        (r"For all real $t$, $t^2 > 0$.", r"Let $t$ be the length of a side. For all $t$, $t^2 > 0$."),
        (r"For all real $t$, $t^2 > 0$.", r"For all $t \in S$, $t^2 > 0$."),
        # the words stand in the formula
        (
            r"\[ t^2 > 0 \quad \text{for all } t \in \mathbb{R} \]",
            r"\[ t^2 > 0 \quad \text{for some } t \in \mathbb{R} \]",
        ),
        (
            r"\[ \ln t > 0 \quad \text{for all } t > 0. \]",
            r"\[ \ln t > 0 \quad \text{for all } t > 1. \]",
        ),
        (
            r"\[ t^2 \ge t \quad \text{for every } t \in [0, 3] \]",
            r"\[ t^2 \ge t \quad \text{for every } t \in S \]",
        ),
    ],
)
def test_claims_for_all_numbers_are_refuted_by_one(
    proofreader: TextProofreader, false: str, true: str
) -> None:
    assert any("fails at" in reason for reason in _find_wrong(proofreader, false))
    assert _find_wrong(proofreader, true) == []


@pytest.mark.parametrize(
    ("false", "true"),
    [
        ("Let $u > v$. Then $-u > -v$.", "Let $u > v$. Then $-u < -v$."),
        ("Suppose $t > 4$. Then $t^2 > 17$.", "Suppose $t > 4$. Then $t^2 > 16$."),
        (r"Let $1 \le t \le 6$. Then $t^2 \le 30$.", r"Let $1 \le t \le 6$. Then $t^2 \le 36$."),
        (r"Let $t \ge 1$ and $t \le 6$. Then $t^2 \le 30$.", r"Let $t \ge 1$ and $t \le 6$. Then $t < 7$."),
        ("From $t^2 < 25$ we get $t < -5$.", "From $t^2 < 25$ we get $-5 < t < 5$."),
        ("$t^2 < 25$, so $t < -5$.", "$t^2 > 25$, so $t < -5$ or $t > 5$."),
        ("If $u < v$ then $u^4 < v^4$.", "If $0 < u < v$ then $u^4 < v^4$."),
        (r"Let $u > v$. Then $\frac1u < \frac1v$.", r"Let $u > v > 0$. Then $\frac1u < \frac1v$."),
        # the kind and sign of a letter
        ("Let $t$ be a negative number. Then $t^2 > 1$.", "Let $t$ be a negative number. Then $t^2 > t$."),
        ("Let $n$ be a positive integer. Then $3^n > 3$.", "Let $n$ be a positive integer. Then $3^n > n$."),
        ("Let $t$ be a real number. Then $t^2 > 0$.", "Let $t$ be a non-zero real number. Then $t^2 > 0$."),
        ("Let $t$ be a real number. Then $t^2 > 0$.", "Let $n$ be an even positive integer. Then $n^2 > 3$."),
        # letters of which nothing is said here
        ("Let $u > v$. Then $-2u > -2v$.", "Let $u > v$. Then $wu > wv$."),
        ("Let $u > v$. Then $-2u > -2v$.", "Let $N > 2/s$. Then for $n > N$ we have $2/n < s$."),
        # what is not read, or said in other words, can be a premise, too
        ("Let $t > 4$. Then $t^2 > 17$.", "Let $t > 4$ be a prime. Then $t^2 > 17$."),
        ("Let $t > 4$. Then $t^2 > 17$.", "Let $t > 4$ and $g(t) = 0$. Then $t^2 > 17$."),
        ("Let $t > 4$. Then $t^2 > 17$.", "Let $t > 4$. We want $t^2 > 17$."),
        ("Let $t > 4$. Then $t^2 > 17$.", "Let $t > 4$. Then $t^2 > 25$ for $t > 5$."),
        ("Let $t > 4$. Then $t^2 > 17$.", "Let $n > 4$. Then $n^2 > 17$."),
        # cases
        ("Case 2: $t < 0$. Then $|t| = t$.", "Case 2: $t < 0$. Then $|t| = -t$."),
        (
            r"Case 1: $t \ge 0$. Then $|t| = t$. Case 2: $t < 0$. Then $|t| = t$.",
            r"Case 1: $t \ge 0$. Then $|t| = t$. Case 2: $t < 0$. Then $|t| = -t$.",
        ),
        ("Case 2: $t = -3$. Then $t^2 = -9$.", "Case 2: $t = -3$. Then $t^2 = 9$."),
    ],
)
def test_steps_fail_where_their_premises_hold(proofreader: TextProofreader, false: str, true: str) -> None:
    assert any("fails at" in reason for reason in _find_wrong(proofreader, false))
    assert _find_wrong(proofreader, true) == []


@pytest.mark.parametrize(
    ("false", "true"),
    [
        ("Since $t < 0$ and $t^2 = 36$, we get $t = 6$.", "Since $t < 0$ and $t^2 = 36$, we get $t = -6$."),
        (
            "Let $n$ be a positive integer with $n^2 = 81$. So $n = -9$.",
            "Let $n$ be a positive integer with $n^2 = 81$. So $n = 9$.",
        ),
        (
            "Let $t$ be a negative number with $t^2 = 81$. Hence $t = 9$.",
            "Let $t$ be a nonnegative number with $t^2 = 81$. Hence $t = 9$.",
        ),
        (
            r"Solve $\frac{t}{t-5} = \frac{5}{t-5}$. Then $t = 5$.",
            r"Solve $\frac{t}{t-5} = \frac{6}{t-5}$. Then $t = 6$.",
        ),
        (r"Solve $\ln x + \ln(x-5) = \ln 6$. Then $x(x-5) = 6$, so $x=-1$.", _LOGARITHMS + "."),
        (_ROOT + "$x = -3$.", _ROOT + "$x = 4$."),
        (_ROOT + "$x = -3$.", _ROOT + "$x = 4$ or $x = -3$. But $x = -3$ does not solve the first equation."),
        # the end of an interval, and a root that the text takes back
        (
            "Since $t > 6$ and $t(t - 6) = 0$, it follows that $t = 6$.",
            "As $t(t - 6) = 0$, we get $t = 6$. On the interval $6 < t$ it grows. It follows that $t = 6$.",
        ),
        (
            r"The equation $t/\sqrt{t^2 - 9} = 0$ gives $t = 0$.",
            r"The equation $t/\sqrt{t^2 - 9} = 0$ gives $t = 0$, which lies outside of the domain.",
        ),
        # the other case
        (
            "Since $t > 0$ and $t^2 = 36$, we get $t = -6$.",
            "If $t > 0$ and $t^2 = 36$, then $t = 6$. If $t < 0$ and $t^2 = 36$, then $t = -6$.",
        ),
    ],
)
def test_roots_satisfy_what_stands_beside_their_equation(
    proofreader: TextProofreader, false: str, true: str
) -> None:
    assert len(_find_wrong(proofreader, false)) == 1
    assert _find_wrong(proofreader, true) == []


def test_root_that_may_be_refused_later_does_not_follow(proofreader: TextProofreader) -> None:
    text = _LOGARITHMS + ".\n\nThe second of these is outside of the domain."
    last = proofreader.check_links(text)[-1]
    assert (last.right, last.verdict) == ("-1", "not shown")

"""Answers by formulas in other forms: series, sequences, spaces, families, constants, decimals."""

import pytest

from engines.grading.grades import grade
from engines.grading.rejected_values import drop_rejected

RIGHT = [
    (r"\sum_{n=0}^\infty \frac{(-1)^n x^{2n}}{n!}", r"1-x^2+\frac{x^4}{2!}-\frac{x^6}{3!}+\cdots"),
    (r"\sum_{n=1}^\infty \frac{x^n}{n}", r"\sum_{k=0}^\infty \frac{x^{k+1}}{k+1}"),
    (r"\sum_{n=0}^\infty x^n", r"1 + x + x^2 + \dots + x^n + \dots"),
    (r"\frac{(2n)!}{2^n n!}", "1·3·5·…·(2n−1)"),
    (r"2^n n!", r"2\cdot 4\cdot 6\cdots (2n)"),
    (r"\frac{n(n+1)}{2}", r"1+2+\cdots+n"),
    ("a_n = 2^n + 1, n ≥ 0", "a_0 = 2, a_{n+1} = 2a_n - 1 for n ≥ 0"),
    ("a_n = 5n - 3", r"a_1 = 2, a_n = a_{n-1} + 5 (n \ge 2)"),
    ("a_n=2^{n}-1", r"a_n = 2\cdot 2^{n-1}-1\ (n\in\mathbf{N}^*)"),
    (r"(x,y,z)=(1-t,2+t,t),\ t\in\mathbb R", "x = 1 - z, y = 2 + z, z arbitrary real"),
    ("x = 1-z, y = 2+z, z free", "x = 3 - y, z = y - 2, y free"),
    ("x+y+z=1", "r = (1,0,0) + s(-1,1,0) + t(-1,0,1), s, t ∈ ℝ"),
    (r"\text{span}\{(1,-2,1)\}", r"$\{t(-1,2,-1)^T : t\in\mathbb{R}\}$"),
    ("Basis: {(1,0,1),(0,1,0)}", "Basis: {(0,1,0),(2,0,2)}"),
    (r"\{2,4,6,8\}", r"\{2k : k\in\mathbb{Z},\ 1\le k\le 4\}"),
    (r"e^{i\pi k/2},\ k=0,1,2,3", "±1, ±i"),
    (r"\pm\frac{1}{3}(1,2,2)", "(1/3, 2/3, 2/3) and (-1/3, -2/3, -2/3)"),
    (r"x=\frac{\pi}{4}+k\pi,\ k\in\mathbb{Z}", r"$x=n\pi+\frac{\pi}{4}$, $n$ any integer"),
    (r"x = \frac{\pi}{4} + \pi k,\ k\in\mathbb{Z}", "x = π/4 + πn, n — целое число"),
    ("n = 4k or n = 4k+1 for some integer k", "n ≡ 0 or 1 (mod 4)"),
    (r"x \equiv 2 \pmod 3", "x ≡ 2, 5, 8 (mod 9)"),
    ("y = Ce^{-2x} + 3", "y(x) = 3 + A e^{-2x}, A an arbitrary constant"),
    ("y=Ce^{x^2}", r"$y(x)=K\exp(x^2)$, where $K$ is an arbitrary constant"),
    ("x^2+y^2=C", r"\frac{x^2}{2}+\frac{y^2}{2}=C"),
    (r"y = \frac{1}{C-x}", r"y = -\frac{1}{x+C}"),
    (r"\frac{a}{1-r} with a = 2, r = 1/2", "4"),
    (r"\Theta(n\log n)", r"\Theta(n\log_2 n)"),
    (r"\ln\frac{x^2}{y}", "2 ln x − ln y"),
    (r"3x^2\,\mathrm{sen}\,x+x^3\cos x", r"f'(x)=x^2(3\sin x+x\cos x)"),
    ("e^{-2}", r"$\lim = \frac{1}{e^2}$"),
    ("2:3", r"\frac{AB}{BC}=\frac{2}{3}"),
    ("(4.02, 5.98)", "5 ± 0.98"),
    (r"\frac{7}{2}", "x = 3,5"),
    ("0.333", r"\frac13"),
    ("0.973", r"$x = \frac{\ln 7}{2} \approx 0.97296$"),
    ("2x-y+z=3", r"$\mathbf r\cdot(2,-1,1)=3$"),
    ("a_n=2n-1", r"$a_1=1,\ a_{n+1}-a_n=2$"),
    (r"(x,y)=(3+5t,-2-3t), t\in\mathbb{Z}", "x = 8 - 5k, y = -5 + 3k, k any integer"),
    (r"n \not\equiv 0 \pmod 3", "n ≡ 1 or 2 (mod 3)"),
    ("x ≡ 0, 1 mod 3", "x ≡ 0 or x ≡ 1 (mod 3)"),
    (r"\{x\mid x=2k+1,k\in\mathbb{Z}\}", r"\{2k-1 : k\in\mathbb{Z}\}"),
    (r"x(t)=A\cos\omega t+B\sin\omega t", r"x=C_1\cos(\omega t)+C_2\sin(\omega t)"),
    (r"\sum_{n=0}^\infty x^n, |x|<1", r"$\sum_{n=0}^\infty x^n$ for $|x|<1$"),
    (r"c(1,-1)^T, c\neq 0", r"$c\begin{pmatrix}2\\-2\end{pmatrix}$, $c \ne 0$"),
    ("e^y=x^2+C", r"$y=\ln(x^2+C)$"),
    (r"36.9^\circ", r"\arctan(3/4)"),
    (r"\frac{n!}{(n-2)!}", "n(n-1)"),
    ("x = 9", "x = 9 (x = -1 is rejected since the log of a negative number is undefined)"),
]
WRONG = [
    (r"\sum_{n=0}^\infty \frac{(-1)^n x^{2n}}{n!}", r"1-x^2+\frac{x^4}{2!}+\frac{x^6}{3!}+\cdots"),
    (r"\sum_{n=1}^\infty \frac{x^n}{n}", r"\sum_{k=1}^\infty \frac{x^{k+1}}{k+1}"),
    (r"\frac{(2n)!}{2^n n!}", "1·3·5·…·(2n+1)"),
    ("a_n = 2^n + 1, n ≥ 0", "a_0 = 1, a_{n+1} = 2a_n - 1 for n ≥ 0"),
    ("a_n = 2^n + 1, n ≥ 0", "a_1 = 2, a_{n+1} = 2a_n - 1"),
    (r"(x,y,z)=(1-t,2+t,t),\ t\in\mathbb R", "x = 1 + z, y = 2 + z, z arbitrary real"),
    ("x+y+z=1", "r = (1,0,0) + s(-1,1,0) + t(-1,0,2), s, t ∈ ℝ"),
    (r"\{(1,0,1),(0,1,0)\}", r"\{(0,1,0),(2,0,2)\}"),
    (r"\{2,4,6,8\}", r"\{2k : k\in\mathbb{Z},\ 1\le k < 4\}"),
    (r"e^{i\pi k/2},\ k=0,1,2,3", "±1, i"),
    (r"x \equiv 2 \pmod 3", "x ≡ 2, 5 (mod 9)"),
    ("y = Ce^{-2x} + 3", "y(x) = 3 + A e^{2x}, A an arbitrary constant"),
    ("x^2+y^2=C", "x^2-y^2=C"),
    (r"\Theta(n\log n)", r"\Theta(n^2)"),
    ("(4.02, 5.98)", "5 ± 0.96"),
    ("0.333", r"\frac{1}{4}"),
    (r"\frac13", "0.333"),
    ("exactly 0.333", r"\frac13"),
    ("0.33", r"\frac13"),
    ("2x-y+z=3", r"$\mathbf r\cdot(2,1,1)=3$"),
    ("a_n=2n-1", r"$a_1=2,\ a_{n+1}-a_n=2$"),
    (r"(x,y)=(3+5t,-2-3t), t\in\mathbb{Z}", "x = 4 + 5k, y = -2 - 3k, k any integer"),
    (r"(x,y)=(3+5t,-2-3t), t\in\mathbb{Z}", "x = 3 + 10k, y = -2 - 6k, k any integer"),
    (r"(x,y)=(3+5t,-2-3t), t\in\mathbb{Z}", r"(3+5t,-2-3t), t\in\mathbb{R}"),
    (r"n \not\equiv 0 \pmod 3", "n ≡ 1 (mod 3)"),
    (r"\sum_{n=0}^\infty x^n, |x|<1", r"$\sum_{n=0}^\infty x^n$ for $|x|<2$"),
    (r"c(1,-1)^T, c\neq 0", r"c(1,-1)^T"),
    ("y^2=2x^2+C", r"y=\sqrt{2x^2+C}"),
    (r"x = k\pi, k\in\mathbb{Z}", r"x = k\pi, k any real number"),
    (r"\text{span}\{(1,2)\}", r"\{(1,2)\}"),
    ("3", "no solution (x = 3 is extraneous)"),
    ("3", "We get x = 3, but it is rejected."),
    (r"\$4.50", r"\$4.502"),
]


@pytest.mark.parametrize(("gold", "pred"), RIGHT)
def test_right_formulas_are_accepted(gold: str, pred: str) -> None:
    assert grade(gold, pred).verdict == "equal"


@pytest.mark.parametrize(("gold", "pred"), WRONG)
def test_wrong_formulas_are_not_accepted(gold: str, pred: str) -> None:
    assert not grade(gold, pred).accepted


def test_rejected_values_are_dropped_where_another_is_left() -> None:
    assert drop_rejected("x = 9 or x = -1 (rejected)") == "x = 9"
    assert drop_rejected("$x = 9$ or $x = -1$. The value $x = -1$ is extraneous.") == "$x = 9$"
    assert drop_rejected("x = -1 is rejected, so x = 9") == "so x = 9"
    assert drop_rejected("H_0 is rejected since p = 0.01") == "H_0 is rejected since p = 0.01"


@pytest.mark.parametrize(
    ("gold", "right", "wrong"),
    [
        ("x^2+4y^2=C", r"y=\pm\frac12\sqrt{K-x^2}", r"y=\pm\frac12\sqrt{K+x^2}"),
        ("y^2-x=C", r"y=\pm\sqrt{x+C}", r"y=\pm\sqrt{x}+C"),
        (r"g(x)=\frac{2x-1}{x-3}", r"g(x)=2+\frac{5}{x-3}, x\ne 3", r"g(x)=2+\frac{5}{x-3}, x\ne 2"),
        (r"y=\pm\frac43x", "4x-3y=0 and 4x+3y=0", "3x-4y=0 and 3x+4y=0"),
        ("y=2x, y=5x", "5x-y=0, 2x-y=0", "5x-y=0, 2x-y=1"),
        ("x=1 or y=2", "y=2 or x=1", "x=1 and y=2"),
        (r"x=-\frac94", "x = −2¼", "x = 2¼"),
        ("x=7/3, y=1/2", "x = 2 1/3 and y = 1/2", "x = 1 2/3 and y = 1/2"),
        ("y=4x-4", "t(x) = 4(x-2)+4", "t'(x) = 4(x-2)+4"),
    ],
)
def test_curves_restrictions_and_mixed_numbers(gold: str, right: str, wrong: str) -> None:
    assert grade(gold, right).verdict == "equal"
    assert grade(gold, wrong).verdict != "equal"


@pytest.mark.parametrize(("gold", "pred"), [("5", "x^2+y^2=5"), ("x^2+y^2=25", "5"), ("7", "2x+3y=7")])
def test_a_relation_beside_a_value_has_no_witness(gold: str, pred: str) -> None:
    assert grade(gold, pred).verdict == "undecided"
    assert grade("3x - y + 1 = 0", "3x + y + 1 = 0").verdict == "different"
    assert grade("xy=0", "x=0, y=0").verdict == "different"

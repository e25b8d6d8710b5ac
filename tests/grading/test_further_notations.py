"""Right answers in notations and words that their references have not, and the wrong ones beside them."""

from __future__ import annotations

import pytest

from engines.grading.grades import grade

_MATRIX = r"\begin{pmatrix}5&-1\\2&0.5\end{pmatrix}"
_SUBSETS = r"\{\varnothing,\{p\},\{q\},\{p,q\}\}"
_LINE = r"c\begin{pmatrix}2\\-1\end{pmatrix}\ (c\ne0)"
_DIAGONAL = r"P=\begin{pmatrix}1&1\\1&-1\end{pmatrix},\ D=\begin{pmatrix}3&0\\0&1\end{pmatrix}"


@pytest.mark.parametrize(
    ("gold", "pred"),
    [
        (_MATRIX, "{{5, -1}, {2, 0.5}}"),
        (_MATRIX, "{{5, -1}, {2, 1/2}}"),
        (r"\begin{pmatrix}2&2\\0&2\end{pmatrix}", "{{2, 2}, {0, 2}}"),
        (r"\pm(5/13,12/13)", "(5/13, 12/13) and its opposite"),
        (r"\pm(5/13,12/13)", "(5/13, 12/13) et son opposé"),
        (r"\pm\sqrt7", "x = √7 and its negative"),
        (r"(-\infty,-1)\cup(4,\infty)", "ℝ \\ [-1; 4]"),
        (r"(-\infty,-1)\cup(4,\infty)", "ℝ \\ [-1, 4]"),
        (r"(-\infty,-1]\cup[4,\infty)", "ℝ \\ (-1, 4)"),
        ("x^{5/4}", "x elevado a cinco cuartos"),
        ("x^{5/4}", "x to the power of five quarters"),
        ("x^{5/4}", "x hoch 5/4"),
        ("750 g", "tre quarti di chilo"),
        ("250 g", "un quarto di chilo"),
        ("15 min", "un cuarto de hora"),
        (r"2.5\times10^{7}\ \text{m}", "2500万 m"),
        ("120000000", "1億2000万"),
        ("35000", "3.5万"),
        (r"\hat y=2x-1", "y = 2x − 1"),
        (r"\hat p=0.4", "p = 2/5"),
        ("y=2x-1", r"\hat{y} = -1 + 2x"),
        (_SUBSETS, "{p, q}, {p}, {q}, ∅"),
        (_SUBSETS, "∅, {p}, {q} and {p, q}"),
        (_SUBSETS, "{{p, q}, {q}, {p}, ∅}"),
        (_LINE, "(−2t, t), t ≠ 0"),
        (_LINE, "(2s, -s) (s ≠ 0)"),
        (_LINE, "(4t, -2t), t ≠ 0"),
        ("(1,1),(4,4)", "x = y = 1 or x = y = 4"),
        ("(1,1),(4,4)", "x=y=4 or x=y=1"),
        ("(1,1),(4,4)", "y = x = 4 or y = x = 1"),
        (_DIAGONAL, "P = [1 1; -1 1], D = diag(1, 3)"),
        (_DIAGONAL, "P = [1 1; 1 -1], D = diag(3, 1)"),
        (_DIAGONAL, "P = [2 1; 2 -1], D = diag(3, 1)"),
        ("mean 4, median 5, mode 5", "The median and the mode are both 5 and the mean is 4."),
        ("Mittelwert 4, Median 5, Modus 5", "Median und Modus sind beide 5, der Mittelwert ist 4"),
        ("media 4, mediana 5, moda 5", "la mediana y la moda son ambas 5, la media es 4"),
        ("Rita 9, Pedro 6", "O Pedro tem 6 anos e a Rita tem 9."),
        ("Rita 9, Pedro 6", "A Rita tem 9 e o Pedro tem 6."),
        ("Rita 9, Pedro 6", "Pedro tem 6 e Rita tem 9"),
        ("SAS", "side-angle-side"),
        ("SAS", "two sides and the included angle"),
        ("SSS", "side side side"),
    ],
)
def test_another_notation_of_the_same_is_equal(gold: str, pred: str) -> None:
    assert grade(gold, pred).verdict == "equal"


@pytest.mark.parametrize(
    ("gold", "pred"),
    [
        (_MATRIX, "{{-1, 5}, {2, 0.5}}"),
        (_MATRIX, "{{2, 0.5}, {5, -1}}"),
        (_MATRIX, "{{5, 2}, {-1, 0.5}}"),
        (r"\pm(5/13,12/13)", "(12/13, 5/13) and its opposite"),
        (r"\pm(5/13,12/13)", "(5/13, 12/13)"),
        (r"\pm\sqrt7", "√6 and its negative"),
        (r"(-\infty,-1)\cup(4,\infty)", "ℝ \\ (-1, 4)"),
        (r"(-\infty,-1)\cup(4,\infty)", "ℝ \\ [-1, 5]"),
        (r"(-\infty,-1)\cup(4,\infty)", "[-1; 4]"),
        ("x^{5/4}", "x elevado a cuatro quintos"),
        ("x^{5/4}", "x to the power of five"),
        ("x^{5/4}", "x hoch 4/5"),
        ("750 g", "un quarto di chilo"),
        ("15 min", "tres cuartos de hora"),
        (r"2.5\times10^{7}\ \text{m}", "2500億 m"),
        ("120000000", "1億200万"),
        ("35000", "35万"),
        (r"\hat y=2x-1", "y = 2x + 1"),
        (r"\hat y=2x-1", "z = 2x − 1"),
        (_SUBSETS, "{p, q}, {p}, {q}"),
        (_SUBSETS, "{p}, {q}, ∅"),
        (_SUBSETS, "p, q, ∅"),
        (_LINE, "(2t, t), t ≠ 0"),
        (_LINE, "(−2t, t)"),
        (_LINE, "(-2, 1)"),
        ("(1,1),(4,4)", "x = y = 1 or x = y = 3"),
        ("(1,1),(4,4)", "x = y = 1"),
        ("(1,1),(4,4)", "x = 1 or y = 4"),
        (_DIAGONAL, "P = [1 1; -1 1], D = diag(3, 1)"),
        (_DIAGONAL, "P = [1 1; 1 -1], D = diag(1, 3)"),
        (_DIAGONAL, "P = [1 1; 1 -1], D = diag(3, 2)"),
        ("mean 4, median 5, mode 5", "The median and the mode are both 4 and the mean is 5."),
        ("Mittelwert 4, Median 5, Modus 5", "Median und Mittelwert sind beide 5, der Modus ist 4"),
        ("mean 4, median 5, mode 5", "The mean and the mode are both 5 and the median is 4."),
        ("Rita 9, Pedro 6", "O Pedro tem 9 anos e a Rita tem 6."),
        ("Rita 9, Pedro 6", "A Rita tem 9 e o Pedro tem 7."),
        ("Rita 9, Pedro 6", "O Pedro tem 6 anos e a Ana tem 9."),
        ("SAS", "side-side-angle"),
        ("SAS", "two angles and the included side"),
        ("SSS", "SAS"),
    ],
)
def test_what_is_near_it_is_not_equal(gold: str, pred: str) -> None:
    assert grade(gold, pred).verdict != "equal"


@pytest.mark.parametrize(
    ("problem", "gold", "right", "wrong"),
    [
        (
            "Find a basis of the plane.",
            r"\{(1,0,1)^T,(0,1,1)^T\}",
            "(1,1,2), (1,-1,0)",
            "(1,1,2), (2,2,4)",
        ),
        ("Find a basis for the kernel.", "(1,2,0),(0,0,1)", "(1,2,1) and (0,0,1)", "(1,2,1) and (0,1,0)"),
        ("Which is odd? (a) 4 (b) 9 (c) 6", "9", "it's (b)", "it's (c)"),
        ("Which is odd? (a) 4 (b) 9 (c) 6", "9", "It’s b", "It’s a"),
        (r"Calcula $\frac{5}{1+2i}$ entre 10.", r"\frac{1-2i}{10}", "0,1 − 0,2i", "0,2 − 0,1i"),
        (r"Berechne $\frac{5}{3-i}\cdot\frac12$.", r"\frac{3+i}{4}", "0,75 + 0,25i", "0,75 − 0,25i"),
    ],
)
def test_the_question_tells_a_right_answer_from_a_wrong_one(
    problem: str, gold: str, right: str, wrong: str
) -> None:
    assert grade(gold, right, problem=problem).verdict == "equal"
    assert grade(gold, wrong, problem=problem).verdict != "equal"

"""Products whose order counts, limits from one side, and matrices in rows that end with semicolons."""

from __future__ import annotations

import pytest

from engines.grading.grades import grade

_MATRICES = "Let $P$ and $Q$ be square matrices. Expand."


@pytest.mark.parametrize(
    ("gold", "pred"),
    [
        (r"\vec u\times\vec v", r"\vec v\times\vec u"),
        (r"\vec u\times\vec v", r"\vec u\cdot\vec v"),
        (r"\vec u\cdot(\vec v\times\vec w)", r"\vec u\cdot(\vec w\times\vec v)"),
        (r"\mathbf u\times\mathbf v", r"\mathbf v\times\mathbf u"),
        (r"\hat i\times\hat j", r"\hat j\times\hat i"),
        (r"M_{2\times4}", r"M_{4\times2}"),
        (r"\lim_{x\to3^+}g(x)=1", r"\lim_{x\to3^-}g(x)=1"),
        (r"\lim_{x\to\infty}g(x)=1", r"\lim_{x\to-\infty}g(x)=1"),
        (r"m^{\underline r}", r"m^{\overline r}"),
        ("[5, 6; 7, 8]", "[5, 6, 7, 8]"),
        ("[5, 6; 7, 8]", "[5, 6; 8, 7]"),
        ("[5; 6; 7]", "[5; 7; 6]"),
    ],
)
def test_another_order_of_factors_is_different(gold: str, pred: str) -> None:
    assert grade(gold, pred).verdict == "different"


def test_products_of_sets_keep_their_order() -> None:
    assert grade(r"S\times T", r"T\times S").verdict == "equal if"
    assert grade(r"L\times W", r"W\times L").accepted


@pytest.mark.parametrize(
    ("gold", "pred"),
    [
        (r"\vec u\times\vec v", r"-\vec v\times\vec u"),
        (r"\vec u\cdot(\vec v\times\vec w)", r"\vec v\cdot(\vec w\times\vec u)"),
        (r"\vec u\cdot\vec v", r"\vec v\cdot\vec u"),
        (r"\lim_{x\to3^+}g(x)=1", r"\lim_{x \to 3^{+}} g(x) = 1"),
        ("[5, 6; 7, 8]", r"\begin{pmatrix}5&6\\7&8\end{pmatrix}"),
        ("[5; 6; 7]", "(5, 6, 7)"),
        (r"x\times y", r"y\times x"),
    ],
)
def test_the_same_product_in_another_form_is_equal(gold: str, pred: str) -> None:
    assert grade(gold, pred).accepted


@pytest.mark.parametrize(
    ("problem", "gold", "pred"),
    [
        (_MATRICES, "(P+Q)^2", "P^2+2PQ+Q^2"),
        (_MATRICES, "P^2-Q^2", "(P-Q)(P+Q)"),
        (_MATRICES, "Q^{-1}P^{-1}", "P^{-1}Q^{-1}"),
        ("Let $x, y$ be elements of a non-abelian group.", "xy", "yx"),
        ("$H$ is a subgroup of the group $G$. Write its left coset.", "gH", "Hg"),
        ("Multiply the quaternions.", "jk", "kj"),
    ],
)
def test_letters_that_do_not_commute_keep_their_order(problem: str, gold: str, pred: str) -> None:
    assert not grade(gold, pred, problem=problem).accepted
    assert grade(gold, pred + " ", problem="").verdict != "unread"


@pytest.mark.parametrize(
    ("problem", "gold", "pred"),
    [
        ("Let $P$ and $Q$ be square matrices.", "P^2+PQ+QP+Q^2", "(P+Q)^2"),
        (_MATRICES, "2P+3Q", "3Q+2P"),
        ("Let $P$ and $Q$ be matrices with $PQ = QP$.", "(P+Q)^2", "P^2+2PQ+Q^2"),
        ("Let $x, y$ be elements of an abelian group.", "xy", "yx"),
        ("A matrix has eigenvalues $a$ and $b$. Find its determinant.", "ab", "ba"),
        ("In how many ways can a group of friends sit?", "xy", "yx"),
    ],
)
def test_the_order_of_other_letters_says_nothing(problem: str, gold: str, pred: str) -> None:
    assert grade(gold, pred, problem=problem).accepted


_NUMBERS = "Which is even?\nA. 3\nB. 8\nC. 5"
_NAMES = "Who is right?\nA. Eve\nB. Tom\nC. Kim"
_LINE = r"What is it? $\textbf{(A)}\ 3 \qquad\textbf{(B)}\ 8\qquad\textbf{(C)}\ 5$"


@pytest.mark.parametrize("problem", [_NUMBERS, _NAMES, _LINE, ""])
@pytest.mark.parametrize(
    "said", ["The correct option is {}.", "选{}", r"\boxed{{{}}}", "答案：{}", "Correct choice: {}"]
)
def test_letters_of_choices_are_accepted_as_they_are_said(problem: str, said: str) -> None:
    assert grade("B", said.format("B"), problem=problem).accepted
    assert not grade("B", said.format("C"), problem=problem).accepted


def test_choices_that_are_denied_are_not_taken() -> None:
    for said in ("The correct option is not B.", r"It is not \boxed{B}.", r"\boxed{B} is wrong.", "不选B"):
        assert not grade("B", said, problem=_NUMBERS).accepted

"""Whose value an answer states, beside whose value its question asks for."""

from __future__ import annotations

import pytest

from engines.grading.grades import grade


@pytest.mark.parametrize(
    ("problem", "gold", "right", "wrong"),
    [
        ("Find f(4).", "11", "f(4) = 11", "f(5) = 11"),
        ("Let $f(x) = x + 7$. Compute $f(4)$.", "11", "$f(4)=11$", "$g(4)=11$"),
        (
            "Where is $f$ increasing?",
            "x > 2",
            "$f$ is increasing for $x > 2$",
            "$f'$ is increasing for $x > 2$",
        ),
        ("Where is f increasing?", "x > 2", "f is increasing for x > 2", "h is increasing for x > 2"),
    ],
)
def test_a_value_of_another_term_is_no_answer(problem: str, gold: str, right: str, wrong: str) -> None:
    assert grade(gold, right, problem=problem).verdict == "equal"
    assert grade(gold, wrong, problem=problem).verdict != "equal"


@pytest.mark.parametrize(
    ("problem", "gold", "pred"),
    [
        ("Differentiate f(x) = x^2.", "2x", "f'(x) = 2x"),
        ("Let f(x) = x^2. What is its value at 3?", "9", "f(3) = 9"),
        ("Solve y' = 2y with y(0) = 1.", "e^{2x}", "y(x) = e^{2x}"),
        ("The graph of f passes through (1, 2). Find its slope there, if f(1) = 2.", "3", "f'(1) = 3"),
        ("Find the tangent of f(x) = x^2 at 1.", "2x - 1", "t(x) = 2x - 1"),
    ],
)
def test_a_term_that_the_question_means_counts(problem: str, gold: str, pred: str) -> None:
    assert grade(gold, pred, problem=problem).verdict == "equal"

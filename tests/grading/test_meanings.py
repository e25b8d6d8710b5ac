"""Answers in words are compared by what they mean: verdicts, classes, statements, named objects."""

from __future__ import annotations

import pytest

from engines.grading.grades import grade


@pytest.mark.parametrize(
    ("gold", "pred"),
    [
        ("No", "Nein, denn f ist in 0 nicht stetig."),
        ("False", "Not necessarily."),
        ("False", "This is false: take x = 0."),
        ("True", "True, by the mean value theorem."),
        ("正确", "对"),
        ("Yes, because det A ≠ 0", "Yes"),
        ("diverges", "The series diverges by the divergence test."),
        ("injective but not surjective", "one-to-one but not onto"),
        ("necessary but not sufficient", "必要不充分条件"),
        ("sufficient but not necessary", "достаточное, но не необходимое условие"),
        ("sufficient but not necessary", "hinreichend, aber nicht notwendig"),
        ("no solution", "The system is inconsistent, so there is no solution."),
        ("no solution", "L'équation n'a pas de solution."),
        ("no solution", "No such x exists."),
        ("no solution", "この方程式は解をもたない"),
        ("no solution", r"\varnothing"),
        ("two distinct real roots", "两个不相等的实数根"),
        ("相切", "the line touches the circle"),
        ("saddle point", "鞍点"),
        ("saddle point", "Neither: it is a saddle point."),
        ("decreasing on (0,1)", "f is decreasing for 0 < x < 1"),
        ("isosceles right triangle", "等腰直角三角形"),
        ("removable discontinuity", "It has a removable discontinuity at x = 1."),
        ("unstable", "not stable"),
        ("reflexive and symmetric but not transitive", "symmetric, reflexive, not transitive"),
        ("Reject the null hypothesis", "H_0 is rejected."),
    ],
)
def test_a_verdict_or_class_counts_without_its_reason(gold: str, pred: str) -> None:
    assert grade(gold, pred).verdict == "equal"


@pytest.mark.parametrize(
    ("gold", "pred"),
    [
        ("Yes", "No"),
        ("Yes", "Yes, but only if n is even"),
        ("True", "False, it fails for n = 4"),
        ("False", "The statement is true."),
        ("No", "Not only is it true, it is obvious"),
        ("diverges", "The series converges."),
        ("conditionally convergent", "convergent"),
        ("absolutely convergent", "The series converges, but not absolutely."),
        ("injective", "not injective"),
        ("injective", "surjective"),
        ("necessary: a > 0", "necessary and sufficient: a > 0"),
        ("necessary and sufficient", "necessary"),
        ("p is sufficient for q", "q is sufficient for p"),
        ("increasing on (0,1)", "increasing on (1,2)"),
        ("increasing on (0,1) and decreasing on (1,2)", "decreasing on (0,1) and increasing on (1,2)"),
        ("local maximum", "local minimum"),
        ("no real solutions", "exactly one real solution"),
        ("local maximum at (0,0)", "local maximum at (1,1)"),
        ("Yes, Alice wins", "Yes, Bob wins"),
        ("real for k > 3", "complex for k > 3"),
        ("translation by (1,2)", "reflection in (1,2)"),
        ("All primes are odd", "Some primes are odd"),
        ("not all are even", "all are not even"),
    ],
)
def test_another_class_or_a_hedge_is_not_accepted(gold: str, pred: str) -> None:
    assert grade(gold, pred).verdict in ("different", "undecided", "unread")
    assert grade(pred, gold).verdict in ("different", "undecided", "unread")

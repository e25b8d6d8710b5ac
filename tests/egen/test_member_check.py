"""The check of members by mpmath: what is equal, wrong, or without a value."""

from __future__ import annotations

import pytest

from benchmarks.members import judge_member
from engines.core.expression_language import LETTERS, read_prefix
from engines.formula.infix import read_infix

POINTS = [{"x": "1514", "y": "-707"}, {"x": "-311", "y": "4321"}]


@pytest.mark.parametrize(
    ("head", "member", "outcome"),
    [
        ("sin(x)^2", "1 - cos(x)^2", "equal"),
        ("sin(x)^2", "1 - cos(x)^3", "wrong"),
        ("(x-y)^2", "x^2 - 2*x*y + y^2", "equal"),
        ("x + 1/10^20", "x", "wrong"),
        ("x", "sqrt(x)^2", "undefined"),
        ("sqrt(x)^2", "x", "equal"),
        ("sqrt(-1-x^2)", "x", "not compared"),
    ],
)
def test_members_are_judged_by_their_values(head: str, member: str, outcome: str) -> None:
    assert judge_member(read_infix(head, LETTERS), read_infix(member, LETTERS), POINTS) == outcome


def test_derivatives_are_evaluated() -> None:
    derivative, right, wrong = map(read_prefix, ("d x pow x 3", "* 3 pow x 2", "* 2 pow x 2"))
    assert judge_member(derivative, right, POINTS) == "equal"
    assert judge_member(derivative, wrong, POINTS) == "wrong"

"""Factorial, binomial and their like are shown in every notation and judged by the commands of E-Gen."""

from __future__ import annotations

import pytest

from engines.egen.expressions.infix import read_infix
from engines.egen.expressions.language import LETTERS
from engines.egen.expressions.notation import expression_row
from engines.egen.judging import judge
from engines.egen.verification.verify import verifier
from engines.formula.meaning import read


@pytest.mark.parametrize(
    "text",
    [
        "factorial(n+1)",
        "binomial(n,2)",
        "root(3,x)",
        "ceil(x)",
        "gamma(x)",
        "max(x,y)",
        "gcd(n,m)",
        "lcm(4,n)",
    ],
)
def test_shown_in_every_notation_and_read_back(text: str) -> None:
    tree = read_infix(text, LETTERS)
    row = expression_row(tree)
    assert read_infix(row["infix"], LETTERS) == tree
    shown = read(row["latex"]).tree
    assert shown is not None
    assert judge().equal(shown, tree).verdict == "equal"


def test_judged_against_a_head() -> None:
    head, right, wrong = (
        read_infix(text, LETTERS) for text in ("max(x,y)", "(x+y+abs(x-y))/2", "(x+y-abs(x-y))/2")
    )
    found = verifier(head, right, wrong).check([right, wrong])
    assert [verdict.outcome for verdict in found] == ["equal", "different"]

"""Factorial, binomial and their like are shown in every notation and judged by the commands of E-Gen."""

from __future__ import annotations

import pytest

from engines.core.errors import ExpressionError
from engines.core.expression_language import BINDERS, FURTHER, LETTERS
from engines.formula.infix import read_infix
from engines.formula.meaning import read
from engines.mathematics.judging import judge
from engines.mathematics.terms.notation import expression_row
from engines.mathematics.verification.enclosures import BALL_FUNCTIONS
from engines.mathematics.verification.verifier import make_verifier


@pytest.mark.parametrize(
    "text",
    [
        "factorial(n+1)",
        "binomial(n,2)",
        "root(3,x)",
        "ceil(x)",
        "gamma(x)",
        "max(x,y,1)",
        "gcd(n,m)",
        "mod(n+1,2x)",
        "2n!*⌊x/2⌋^2",
        "(n+1)! - sin⌈x⌉ + 2^n!",
        "binom(n,k)/(n!)!",
        "min(x,max(y,z,1),3)",
        "-3! + |x|!",
        "lcm(4,n)",
    ],
)
def test_shown_in_every_notation_and_read_back(text: str) -> None:
    tree = read_infix(text, LETTERS)
    row = expression_row(tree)
    assert read_infix(row["infix"], LETTERS) == tree
    assert read_infix(row["unicode"], LETTERS) == tree
    shown = read(row["latex"]).tree
    assert shown is not None
    assert judge().equal(shown, tree).outcome == "equal"


def test_an_operator_has_a_value_and_is_read_by_its_name() -> None:
    assert {*FURTHER} - {*BINDERS} <= BALL_FUNCTIONS.keys()
    # The natural reader writes these with signs of their own.
    for name in FURTHER.keys() - {*BINDERS, "factorial", "gamma", "mod", "root"}:
        operands = "abcd"[: FURTHER[name]]
        tree = read(rf"\operatorname{{{name}}}({', '.join(operands)})").tree
        assert tree is not None
        assert tree.list_labels() == [name, *operands]


def test_read_as_written() -> None:
    assert read_infix("n! + 2^n!", LETTERS).list_labels() == [
        "+",
        "factorial",
        "n",
        "pow",
        "2",
        "factorial",
        "n",
    ]
    assert read_infix("gcd(a,b,c)", LETTERS).list_labels() == ["gcd", "gcd", "a", "b", "c"]


@pytest.mark.parametrize("text", ["n!!", "x²!", "√n!", "⌊x⌉", "max(x)", "log(1,2,3)", "max(1,,2)"])
def test_what_can_be_read_in_two_ways_is_refused(text: str) -> None:
    with pytest.raises(ExpressionError):
        read_infix(text, LETTERS)


def test_judged_against_a_head() -> None:
    head, right, wrong = (
        read_infix(text, LETTERS) for text in ("max(x,y)", "(x+y+abs(x-y))/2", "(x+y-abs(x-y))/2")
    )
    found = make_verifier(head, right, wrong).judge_members([right, wrong])
    assert [verdict.outcome for verdict in found] == ["equal", "different"]

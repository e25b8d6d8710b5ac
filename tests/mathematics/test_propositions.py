"""Propositions and quantified statements: truth tables worked out by hand, and what they do not decide."""

from __future__ import annotations

import pytest

from engines.core.tree import Tree
from engines.formula.reader import read
from engines.mathematics.judging import judge


def tree_of(text: str) -> Tree:
    reading = read(text)
    assert reading.tree is not None, reading.reason
    return reading.tree


@pytest.mark.parametrize(
    ("one", "other", "verdict"),
    [
        (r"p \land q", r"q \land p", "equal"),
        (r"p \land q", r"p \lor q", "different"),
        (r"\neg(p \land q)", r"\neg p \lor \neg q", "equal"),
        (r"\neg(p \land q)", r"\neg p \land \neg q", "different"),
        (r"p \to q", r"\neg q \implies \neg p", "equal"),
        (r"p \implies q", r"q \implies p", "different"),
        (r"p \iff q", r"(p \land q) \lor (\neg p \land \neg q)", "equal"),
        (r"\neg\neg p", "p", "equal"),
        (r"A \cup B", r"B \cup A", "equal"),
        (r"A \cup B", r"A \cap B", "different"),
        (r"A \setminus B", r"A \cap (A \setminus B)", "equal"),
        (r"\neg \forall x: P(x)", r"\exists x: \neg P(x)", "equal"),
        (r"\forall x > 0: f(x) > 0", r"\forall t > 0: f(t) > 0", "equal"),
        (r"\forall x: P(x)", r"\exists x: P(x)", "undecided"),
        (r"\forall x \exists y: x < y", r"\exists y \forall x: x < y", "undecided"),
        (r"\{x : x < 1 \text{ or } x > 2\}", r"(-\infty, 1) \cup (2, \infty)", "equal"),
        (r"\{x : x < 1 \text{ or } x > 2\}", r"(-\infty, 1) \cup [2, \infty)", "different"),
    ],
)
def test_what_says_the_same(one: str, other: str, verdict: str) -> None:
    for left, right in ((one, other), (other, one)):
        found = judge().equal(tree_of(left), tree_of(right))
        assert found.outcome == verdict, found
        assert found.witness or verdict != "different"


def test_universal_statements_hold_where_their_bodies_do() -> None:
    assert judge().holds(tree_of(r"\forall x \in \mathbb{R}: x^2 \ge 0")).outcome == "equal"
    assert judge().holds(tree_of(r"\forall x > 1: x > 2")).outcome == "different"
    assert judge().holds(tree_of(r"\exists x: x > 2")).outcome == "undecided"


def test_a_sign_that_joins_letters_is_no_predicate() -> None:
    letters = Tree("p"), Tree("q")
    either = tree_of(r"(p \lor q) \land \neg(p \land q)")
    assert judge().equal(Tree("call", (Tree("⊕"), *letters)), either).outcome == "equal"
    assert judge().equal(Tree("call", (Tree("⊕"), *letters)), tree_of(r"p \lor q")).outcome == "different"
    assert judge().equal(Tree("call", (Tree("↑"), *letters)), tree_of(r"p \lor q")).outcome == "undecided"

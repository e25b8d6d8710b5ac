"""Statements: what a whole text says, told by its connective, kind, relation and quantifiers."""

from __future__ import annotations

import pytest

from engines.core.tree import Tree
from engines.formula.statement_view import Statement, read_statement


def statement_of(text: str) -> Statement:
    result = read_statement(text)
    assert isinstance(result, Statement), result
    return result


@pytest.mark.parametrize(
    ("text", "kind", "connective", "relations"),
    [
        (r"p \land q", "compound", "and", ["", ""]),
        (r"p \lor q", "compound", "or", ["", ""]),
        (r"x \le -2 \text{ or } x \ge 3", "compound", "or", ["<=", ">="]),
        ("x = 1, y = 2", "system", "and", ["=", "="]),
        (r"x \in (-2, 2)", "relation", "", ["in"]),
        (r"\{-2, 2\}", "set", "", [""]),
        ("(-2, 2)", "tuple", "", [""]),
        (r"(-\infty, 2) \cup [3, \infty)", "union", "", [""]),
        ("1, 2", "list", "", [""]),
        ("3/4", "number", "", [""]),
        ("x + 1", "term", "", [""]),
        (r"5\text{ cm}", "quantity", "", [""]),
        (r"A \approx 1.41", "relation", "", ["approx"]),
    ],
)
def test_what_a_text_says(text: str, kind: str, connective: str, relations: list[str]) -> None:
    statement = statement_of(text)
    assert (statement.kind, statement.connective) == (kind, connective)
    assert [part.body_relation for part in statement.parts] == relations


def test_quantifiers_stand_before_the_body() -> None:
    ranged = Tree("in", (Tree("x"), Tree("ℝ")))
    body = Tree(">", (Tree("y"), Tree("x")))
    statement = Statement(Tree("forall", (Tree("x"), ranged, Tree("exists", (Tree("y"), body)))))
    assert [(one.label, one.name, one.range) for one in statement.quantifiers] == [
        ("forall", "x", ranged),
        ("exists", "y", None),
    ]
    assert (statement.kind, statement.body.tree, statement.body_relation) == ("quantified", body, ">")


def test_a_text_that_is_not_read_says_why() -> None:
    assert read_statement("1/2x") == "what is divided by can be read in two ways"


def shown(tree: Tree) -> str:
    return f"{tree.label}({', '.join(map(shown, tree.children))})" if tree.children else tree.label


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        (r"\forall x \in \mathbb{R}, x^2 \ge 0", "forall(x, in(x, ℝ), >=(pow(x, 2), 0))"),
        (r"x^2 \ge 0 \text{ for all real } x", "forall(x, in(x, ℝ), >=(pow(x, 2), 0))"),
        ("x^2 > 3 for all x", "forall(x, >(pow(x, 2), 3))"),
        (r"\forall x \exists y: x < y", "forall(x, exists(y, <(x, y)))"),
        (r"\nexists x: P(x)", "not(exists(x, call(P, x)))"),
        (r"\forall x (P(x) \to Q(x))", "forall(x, implies(call(P, x), call(Q, x)))"),
        (r"x = 5n, \text{ where } n \text{ is an integer}", "and(=(x, *(5, n)), in(n, ℤ))"),
        (r"\{x \mid x > 0\}", "such(x, >(x, 0))"),
        (r"\{3k : k \in \mathbb{Z}\}", "such(*(3, k), in(k, ℤ))"),
        (r"\begin{cases} x = 1 \\ y = 2 \end{cases}", "and(=(x, 1), =(y, 2))"),
        (r"\left\{\begin{array}{l} x = 1 \\ y = 2 \end{array}\right.", "and(=(x, 1), =(y, 2))"),
        (
            r"\begin{cases} 1, & \text{if } x > 0 \\ 0, & \text{otherwise} \end{cases}",
            "cases(1, >(x, 0), 0, else)",
        ),
    ],
)
def test_quantifiers_sets_by_a_condition_and_cases_are_read(text: str, tree: str) -> None:
    assert shown(statement_of(text).tree) == tree

"""Patterns: what wildcards match, and formulas up to other letters."""

from __future__ import annotations

import pytest

from engines.formula.operator_tree import count_features
from engines.formula.operator_tree_parser import search_tree
from engines.formula.patterns import (
    find_renaming,
    match_pattern,
    pattern_features,
    rename_variables,
    with_wildcards,
)


def bound(pattern: str, formula: str) -> dict[str, str] | None:
    found = match_pattern(search_tree(with_wildcards(pattern)), search_tree(formula))
    return None if found is None else {name: str(tree) for name, tree in found.bound.items()}


X1 = "(U!plus V!x N!1)"


@pytest.mark.parametrize(
    ("pattern", "formula", "expected"),
    [
        ("?a^2+?b^2", "x^2+y^2", {"a": "V!x", "b": "V!y"}),
        ("?a^2+?b^2", "z=1+x^2+y^2", {"a": "V!x", "b": "V!y"}),
        ("?a^2+?a", "(x+1)^2+(x+1)", {"a": X1}),
        ("?a^2+?a", "y^2+x", None),
        ("?a^2+?a", "y+y^2", {"a": "V!y"}),
        (r"\frac{?a}{?b}", r"\frac{x+1}{2}=y", {"a": X1, "b": "N!2"}),
        (r"\sqrt{?a}+1", r"\sqrt{x+1}+1", {"a": X1}),
        ("f(??)", "f(x,y)=2", {}),
        ("(?a+1)^2", "(x+y+1)^2", {"a": "(U!plus V!x V!y)"}),
        ("(?a+??)^2", "(x+y+1)^2", {"a": "V!x"}),
        ("?a ?b = ?b ?a", "AB = BA", {"a": "V!A", "b": "V!B"}),
        ("?a ?b = ?b ?a", "AB = CA", None),
        ("x^2", "y^2", None),
    ],
)
def test_a_wildcard_is_any_sub_expression_and_the_same_one_by_its_name(
    pattern: str, formula: str, expected: dict[str, str] | None
) -> None:
    assert bound(pattern, formula) == expected
    if expected is not None:  # what matches has all that is looked for in the index
        wanted, own = (
            pattern_features(search_tree(with_wildcards(pattern))),
            count_features(search_tree(formula)),
        )
        assert not wanted - own


def test_what_takes_too_long_is_taken_not_to_match() -> None:
    many = "+".join(f"?{letter}^2" for letter in "abcdefghijk")
    assert bound(many + "=0", "+".join(f"x_{{{n}}}" for n in range(11)) + "=0") is None


def test_letters_are_those_that_stand_where_the_others_do() -> None:
    query = search_tree("a^2+a")
    assert find_renaming(query, search_tree("x^2+x")) == {"V!a": "V!x"}
    assert str(rename_variables(query, {"V!a": "V!x"})) == "(U!plus (O!SUP V!x N!2) V!x)"
    assert str(rename_variables(search_tree("a-b"), {"V!a": "V!b"})) == "(O!minus V!b V!a)"

"""What is found out about a subterm once holds wherever it occurs."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.core.expression_language import ARITY
from engines.core.tree import Tree
from engines.mathematics.terms.arithmetic_normal_form import ArithmeticKeys, normalise_arithmetic
from engines.mathematics.terms.canonical import Canonical, Subterms, canonical_key
from engines.mathematics.terms.padding import Padding, has_padding
from tests.egen.expressions import LEAVES, trees


@settings(deadline=None)
@given(st.lists(trees(), min_size=1, max_size=12), st.lists(LEAVES, max_size=3))
def test_terms_among_others_are_what_they_are_alone(many: list[Tree], leaves: list[str]) -> None:
    nested = [Tree("+", (one, Tree(leaf))) for one in many for leaf in leaves]
    terms = Subterms(ARITY)
    padding, canonical, arithmetic = Padding(terms), Canonical(terms), ArithmeticKeys(terms)
    keys: set[tuple[int, str]] = set()
    for tree in (*many, *nested, *many):
        number = terms.number_of(tree.list_labels())
        assert terms.tokens_of(number) == tuple(tree.list_labels())
        assert padding.is_padded(number) == has_padding(tree)
        keys.add((canonical.key_of(number), canonical_key(tree)))
        assert arithmetic.key_of(number) == normalise_arithmetic(tree).text
    assert len(keys) == len({one for one, _ in keys}) == len({other for _, other in keys})
    assert len(terms) == len({node for tree in (*many, *nested) for node in _without_variables(tree)})


def _without_variables(tree: Tree) -> Tree:
    """The tree where a derivative has its body as only operand."""
    below = tree.children[1:] if tree.label == "d" else tree.children
    return Tree(tree.label, tuple(map(_without_variables, below)))


@pytest.mark.slow
def test_there_is_room_for_any_number() -> None:
    terms = Subterms(ARITY)
    numbers = [terms.number_of(["+", str(n), "x"]) for n in range(5_000)]
    assert len(set(numbers)) == 5_000
    assert [terms.number_of(["+", str(n), "x"]) for n in range(5_000)] == numbers
    assert terms.tokens_of(numbers[-1]) == ("+", "4999", "x")

"""Numbers of combinations and double factorials, against counting."""

from __future__ import annotations

from itertools import combinations, permutations
from math import prod

import pytest

from engines.core.tree import Tree
from engines.formula.counting import make_count, make_double_factorial
from engines.mathematics.judging import judge


@pytest.mark.parametrize(("n", "k"), [(5, 2), (6, 3), (7, 0), (4, 4)])
def test_counts_are_those_of_the_things_that_are_counted(n: int, k: int) -> None:
    for name, ways in (("C", combinations), ("P", permutations), ("A", permutations)):
        counted = Tree(str(len(list(ways(range(n), k)))))
        term = make_count(name, Tree(str(n)), Tree(str(k)))
        assert judge().equal(term, counted).outcome == "equal"


@pytest.mark.parametrize("n", range(12))
def test_double_factorials_are_products_of_every_second_number(n: int) -> None:
    term = make_double_factorial(Tree(str(n)))
    assert term is not None
    assert judge().equal(term, Tree(str(prod(range(n, 0, -2))))).outcome == "equal"


@pytest.mark.parametrize("added", range(-3, 4))
def test_double_factorials_of_an_even_number_and_a_constant(added: int) -> None:
    double = Tree("*", (Tree("2"), Tree("4")))
    number = Tree("+" if added > 0 else "-", (double, Tree(str(abs(added))))) if added else double
    term = make_double_factorial(number)
    assert term is not None
    assert judge().equal(term, Tree(str(prod(range(8 + added, 0, -2))))).outcome == "equal"


def test_the_double_factorial_of_a_letter_is_not_known() -> None:
    assert make_double_factorial(Tree("n")) is None

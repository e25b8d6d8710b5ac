"""Counts and enumeration against brute force; sampling against the uniform distribution."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from itertools import islice
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.core.expression_language import read_prefix, to_prefix
from engines.egen.egraph import term_grammar as sampling
from engines.egen.egraph.growth import EGraphRunner
from engines.egen.egraph.term_grammar import EGraph, ENode, Sampler, TermGrammar
from engines.egen.settings import Limits
from tests.conftest import count_examples
from tests.egen.grammar_terms import drawn, enumerated, sample, terms

CATALAN = EGraph.from_classes(0, {0: (ENode("x"), ENode("+", (0, 0)))})
"""x, x + x, x + (x + x), …: as many terms of 2n + 1 tokens as binary trees with n inner nodes."""

NODES = st.one_of(
    st.sampled_from(["x", "pi", "e"]).map(lambda label: (label, ())),
    st.tuples(st.sampled_from(["sin", "asin", "d"]), st.tuples(st.integers(0, 3))),
    st.tuples(st.sampled_from(["+", "*", "pow"]), st.tuples(st.integers(0, 3), st.integers(0, 3))),
)
GRAPHS = st.lists(st.lists(NODES, min_size=1, max_size=4, unique=True), min_size=4, max_size=4).map(
    lambda classes: EGraph.from_classes(
        0,
        {
            number: tuple(ENode(label, children) for label, children in sorted(nodes))
            for number, nodes in enumerate(classes)
        },
    )
)


def brute_force(egraph: EGraph, length: int, *, loops: bool) -> list[str]:
    """All terms of one length, by trying everything; without loops no operand's operand is the class
    itself."""

    def grow(number: int, tokens: int, above: int | None) -> list[str]:
        found = []
        for node in egraph.classes[number]:
            if not loops and (above in node.children or number in node.children):
                continue
            label = "d x" if node.label == "d" else node.label
            rest = tokens - node.tokens
            if not node.children and rest == 0:
                found.append(label)
            if len(node.children) == 1:
                found += [f"{label} {u}" for u in grow(node.children[0], rest, number)] if rest > 0 else []
            if len(node.children) == 2:
                for k in range(1, rest):
                    for u in grow(node.children[0], k, number):
                        found += [f"{label} {u} {v}" for v in grow(node.children[1], rest - k, number)]
        return found

    return grow(egraph.root, length, None)


@settings(max_examples=count_examples(60), deadline=None)
@given(GRAPHS, st.booleans())
def test_counts_and_terms_are_those_of_brute_force(egraph: EGraph, padding: bool) -> None:
    grammar = TermGrammar(egraph, padding=padding)
    counts = grammar.count_terms(7)
    for length in range(1, 8):
        expected = brute_force(egraph, length, loops=padding)
        found = [" ".join(term) for term in terms(grammar, length)]
        assert counts[length] == len(expected) == len(found)
        assert Counter(found) == Counter(expected)


def test_large_counts_are_exact_integers() -> None:
    counts = TermGrammar(CATALAN, padding=True).count_terms(201)
    for n in range(101):
        assert counts[2 * n + 1] == comb(2 * n, n) // (n + 1)
    assert not any(counts[::2])
    assert counts[201] > 10**56
    leaves = tuple(map(ENode, ("x", "pi", "e")))
    many = EGraph.from_classes(0, {0: (*leaves, *(ENode(label, (0, 0)) for label in ("+", "*", "pow")))})
    counts = TermGrammar(many, padding=True).count_terms(201)
    assert counts[201] == 3**201 * comb(200, 100) // 101


def test_enumeration_is_shortest_first_and_complete() -> None:
    trees = list(enumerated(TermGrammar(CATALAN, padding=True), 7))
    assert [len(tree) for tree in trees] == [1, 3, 5, 5, 7, 7, 7, 7, 7]
    assert len({to_prefix(tree) for tree in trees}) == 9


def test_sampling_is_uniform(monkeypatch: pytest.MonkeyPatch) -> None:
    grammar = TermGrammar(CATALAN, padding=True)
    for listed in (0, sampling.LISTED):  # drawn, and listed and shuffled
        monkeypatch.setattr(sampling, "LISTED", listed)
        draws = 4_200
        found = Counter(drawn(Sampler(grammar, 11, seed), 11, 1)[0] for seed in range(draws))
        assert len(found) == 42
        expected = draws / 42
        chi_square = sum((count - expected) ** 2 / expected for count in found.values())
        assert chi_square < 74.7  # 41 degrees of freedom: exceeded once in 1,000


def test_sampling_gives_every_term_once(monkeypatch: pytest.MonkeyPatch) -> None:
    grammar = TermGrammar(CATALAN, padding=True)
    everything = set(terms(grammar, 11))
    assert len(sample(grammar, 11, 10**6)) == 42
    monkeypatch.setattr(sampling, "LISTED", 0)
    for count in (1, 30, 42, 100):
        found = sample(grammar, 11, count, seed=5)
        assert len(found) == min(count, 42) == len(set(found))
        assert set(found) <= everything
    assert sample(grammar, 10, 5) == []


_SCRIPT = """
from engines.egen.egraph.term_grammar import EGraph, ENode
from engines.egen.egraph.term_grammar import TermGrammar
from engines.egen.egraph.term_grammar import Sampler
from tests.egen.grammar_terms import drawn
grammar = TermGrammar(EGraph.from_classes(0, {0: (ENode("x"), ENode("+", (0, 0)))}), padding=True)
for term in drawn(Sampler(grammar, 41, 7), 41, 3):
    print(" ".join(term))
"""


@pytest.mark.slow
def test_another_process_draws_the_same() -> None:
    here = [" ".join(term) for term in drawn(Sampler(TermGrammar(CATALAN, padding=True), 41, 7), 41, 3)]
    command = [sys.executable, "-c", _SCRIPT]
    environment = {**os.environ, "PYTHONHASHSEED": "3", "PYTHONPATH": "."}
    there = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert there.stdout.splitlines() == here


def test_without_padding_constants_are_numbers_and_nothing_is_neutral() -> None:
    egraph = EGraph.from_classes(
        4,
        {
            0: (ENode("0"), ENode("-", (2, 2))),
            1: (ENode("1"), ENode("cos", (0,))),
            2: (ENode("x"), ENode("tan", (3,)), ENode("*", (1, 2))),
            3: (ENode("atan", (2,)),),
            4: (ENode("sin", (2,)), ENode("+", (4, 0)), ENode("/", (4, 1)), ENode("pow", (4, 1))),
        },
    )
    assert [to_prefix(tree) for tree in enumerated(TermGrammar(egraph), 15)] == ["sin x"]
    padded = {to_prefix(tree) for tree in enumerated(TermGrammar(egraph, padding=True), 6)}
    assert {"sin x", "sin tan atan x", "+ sin x 0", "/ sin x 1", "sin * 1 x", "+ sin x - x x"} <= padded


def test_the_papers_example() -> None:
    # (x + 8) - 8: the class of x; e4 -> 0 | e1 - e1, and adding it says nothing.
    egraph = EGraph.from_classes(
        0,
        {
            0: (ENode("x"), ENode("-", (2, 1)), ENode("+", (0, 3))),
            1: (ENode("8"),),
            2: (ENode("+", (0, 1)),),
            3: (ENode("0"), ENode("-", (1, 1))),
        },
    )
    few = {to_prefix(tree) for tree in islice(enumerated(TermGrammar(egraph, padding=True), 5), 5)}
    assert {"x", "- + x 8 8", "+ x - 8 8", "+ x 0"} <= few
    assert [to_prefix(tree) for tree in enumerated(TermGrammar(egraph), 9)] == ["x"]


def test_a_grown_grammar_is_consistent() -> None:
    egraph = EGraphRunner("strict").grow_egraph(read_prefix("+ sin x pow x 2"), Limits(nodes=60))
    grammar = TermGrammar(egraph)
    counts = grammar.count_terms(11)
    for length in range(1, 12):
        found = terms(grammar, length)
        assert len(found) == len(set(found)) == counts[length]
        assert all(len(term) == length for term in found)

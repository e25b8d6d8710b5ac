"""Weights of rule families, and members that differ by signs or by undoing a function only."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from math import prod
from pathlib import Path

import pytest
from hypothesis import example, given, settings

from engines.core.expression_language import ARITY, VARIABLE, read_prefix, to_prefix
from engines.core.tree import Tree
from engines.egen.corpora import BuildCorpus, resolve_build
from engines.egen.egraph.detour_free_egraph import remove_detours
from engines.egen.egraph.growth import EGraphRunner
from engines.egen.egraph.member_selection import grow_cluster
from engines.egen.egraph.term_grammar import LISTED, Sampler, TermGrammar
from engines.egen.generation import Generate
from engines.egen.settings import FAMILIES, EgenConfig, Limits, normalise_family_weights, read_weights
from engines.formula.reader import read_expression as read
from engines.mathematics.terms.arithmetic_normal_form import normalise_arithmetic, tidy_expression
from engines.mathematics.terms.canonical import canonical_key
from engines.mathematics.verification.verifier import Verifier
from tests.conftest import expect_error
from tests.egen.expressions import trees
from tests.egen.grammar_terms import drawn, sample, terms

WEIGHTS = {"*": 0.25, "/": 0.25, "pow": 2.0, "sin": 4.0, "cos": 4.0}


@pytest.fixture(scope="module")
def grower() -> EGraphRunner:
    return EGraphRunner("strict")


@pytest.fixture(scope="module")
def grammar(grower: EGraphRunner) -> TermGrammar:
    part, origin = remove_detours(grower.grow_egraph(read("sin(x)"), Limits(nodes=1_000)))
    return TermGrammar(part, origin=origin, weights=WEIGHTS)


@pytest.mark.parametrize(("listed", "draws"), [pytest.param(True, 1, marks=pytest.mark.slow), (False, 16)])
def test_terms_of_one_length_and_weight_are_as_likely(grammar: TermGrammar, listed: bool, draws: int) -> None:
    from scipy.stats import chisquare

    length = next(n for n, count in enumerate(grammar.count_terms(20)) if count > (60 if listed else LISTED))
    every = terms(grammar, length)

    def cell(term: tuple[str, ...]) -> tuple[float, str]:
        return prod(WEIGHTS.get(token, 1.0) for token in term), " ".join(term[:2])

    wanted = Counter[tuple[float, str]]()
    for term in every:
        wanted[cell(term)] += cell(term)[0]
    whole = sum(wanted.values())
    seen = Counter[tuple[float, str]]()
    for seed in range(900 if listed else 60):
        seen.update(map(cell, drawn(Sampler(grammar, length, seed), length, draws)))
    total = sum(seen.values())
    large = [one for one, share in wanted.items() if share * total / whole >= 5]
    assert len({weight for weight, _ in large}) > 2
    found = [*(seen[one] for one in large), total - sum(seen[one] for one in large)]
    expected = [wanted[one] * total / whole for one in large]
    expected.append(total - sum(expected))
    if expected[-1] < 1e-9:
        found, expected = found[:-1], expected[:-1]
    assert chisquare(found, expected).pvalue > 1e-4


@pytest.mark.parametrize("length", [5, 9])
def test_every_term_comes_once_whatever_it_weighs(grammar: TermGrammar, length: int) -> None:
    found = sample(grammar, length, 2_000)
    assert len(set(found)) == len(found) == min(2_000, grammar.count_terms(length)[length])
    assert set(found) <= set(terms(grammar, length))


def test_the_families_hold_every_operator_once() -> None:
    named = [label for labels in FAMILIES.values() for label in labels]
    assert sorted(named) == sorted(set(ARITY) - {VARIABLE, "pi", "e"})


def test_weights_are_read_and_written_the_same() -> None:
    text = normalise_family_weights(" trig=4 , hyperbolic : .05, power=1")
    assert text == "hyperbolic=0.05, trig=4.0"
    assert normalise_family_weights(text) == text
    assert read_weights("") == {}
    for wrong in ("tanh=2", "trig", "trig=0", "trig=-1", "trig=nan", "trig=1e9", "trig=two"):
        with expect_error("E457") as error:
            read_weights(wrong)
        assert error.value.code == "E457"
    with expect_error("E457"):
        Generate("p & q", theory="logic", weights="trig=2")


@pytest.mark.slow
def test_a_heavier_family_is_in_more_members(grower: EGraphRunner) -> None:
    def functions(weights: str) -> int:
        config = EgenConfig(members=150, limits=Limits(nodes=1_000), style="plain", weights=weights)
        members = grow_cluster(read("tanh(3x+4)-6"), config, grower=grower).members
        assert len(members) == 150
        return sum(token in FAMILIES["hyperbolic"] for m in members for token in m.prefix.split())

    assert functions("hyperbolic=0.02") < functions("") < functions("hyperbolic=50")


def test_a_corpus_has_its_weights_in_one_spelling_and_others_have_none(tmp_path: Path) -> None:
    assert resolve_build(BuildCorpus(tmp_path / "one", weights="power = .5")).weights == "power=0.5"
    assert resolve_build(BuildCorpus(tmp_path / "one")).weights == ""
    assert Generate("x", weights="power=.5").complete_config().to_dict()["weights"] == "power=0.5"
    assert "weights" not in Generate("x").complete_config().to_dict()


def idea(text: str) -> str:
    return normalise_arithmetic(read_prefix(text)).text


DETOURS = [
    ("sin - 3 x", "* -1 sin - x 3"),
    ("cos - 3 x", "cos - x 3"),
    ("pow - 3 x 4", "pow - x 3 4"),
    ("pow - 3 x 3", "* -1 pow - x 3 3"),
    ("asinh * -2 x", "* -1 asinh * 2 x"),
    ("tan atan + x 1", "+ 1 x"),
    ("tan acot + x 1", "/ 1 + x 1"),
    ("coth * -1 atanh x", "/ -1 x"),
    ("+ 2 abs sin - 3 x", "+ abs sin - x 3 2"),
    ("cos + * -2 x * 2 pi", "cos * 2 x"),
    ("sin + x / pi 2", "cos x"),
    ("tan + x pi", "tan x"),
    ("* x pow x 2", "pow x 3"),
    ("* 2 + x 1", "+ * 2 x 2"),
    ("/ 1 sqrt x", "pow x / -1 2"),
    ("pow e * 2 ln x", "pow x 2"),
]


@pytest.mark.parametrize(("one", "other"), DETOURS)
def test_a_detour_is_seen_through(one: str, other: str) -> None:
    assert idea(one) == idea(other)
    assert canonical_key(one.split()) != canonical_key(other.split())


@pytest.mark.parametrize("one", ["acos * -1 x", "pow - 3 x / 1 2", "acot - 3 x", "asech * -1 x", "ln - 3 x"])
def test_a_sign_that_counts_stays(one: str) -> None:
    turned = one.replace("* -1 x", "x").replace("- 3 x", "- x 3")
    assert len({idea(text) for text in (one, turned, f"* -1 {turned}")}) == 3


@settings(deadline=None, max_examples=60)
@given(trees(max_leaves=6))
@example(read_prefix("* pow 5 43 x"))
@example(read_prefix("* * 1000000000000000 x * 1000000000000000 1000000000000000"))
@example(read_prefix("+ x pow 0 -2"))
def test_what_is_seen_through_has_the_same_values(tree: Tree) -> None:
    """But for f(f(u)) of an inverse function f first, which is u for some u only."""
    tokens = tree.list_labels()
    if any(a[0] == "a" and a[1:] == b for a, b in pairwise(tokens)):
        return
    tidied = tidy_expression(tree)
    assert (
        idea(to_prefix(tidied)) == idea(to_prefix(tree)) == normalise_arithmetic(tidy_expression(tidied)).text
    )
    verifier = Verifier(tree)
    if not verifier.reason and len(tidied) < 60:
        (verdict,) = verifier.judge_members([tidied])
        assert verdict.outcome in ("equal", "extends", "shrinks", "undecided")


@pytest.mark.slow
def test_members_differ_by_more_than_a_detour(grower: EGraphRunner) -> None:
    config = EgenConfig(members=200, limits=Limits(nodes=1_000), style="distinct")
    distinct = grow_cluster(read("sinh(2-7x)"), config, grower=grower).members
    keys = {idea(member.prefix) for member in distinct}
    assert len(keys) == len(distinct) > 40
    assert idea("sinh - 2 * 7 x") not in keys

"""Members in the style `plain`: no detours, drawn uniformly, and something for every head."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import mpmath
import pytest

from engines.core.expression_language import ARITY, UNDONE_BY, read_prefix
from engines.core.system import asset
from engines.core.tree import Tree
from engines.egen.algebra.classical import OPENINGS
from engines.egen.corpora import BuildCorpus, resolve_build
from engines.egen.egraph.analysis import SEVERAL
from engines.egen.egraph.detour_free_egraph import remove_detours
from engines.egen.egraph.growth import EGraphRunner, leads_to_detour
from engines.egen.egraph.member_selection import grow_cluster
from engines.egen.egraph.term_grammar import Sampler, TermGrammar
from engines.egen.generation import Generate
from engines.egen.generation import generate as generated
from engines.egen.records import Cluster
from engines.egen.rules.table import is_variable, load_families, load_rules
from engines.egen.rules_and_theories import Rules, list_rules
from engines.egen.settings import EgenConfig, Limits, Order, Style
from engines.formula.reader import read_expression as read
from engines.mathematics.algebra.rational import rational_value
from engines.mathematics.terms.canonical import Subterms
from engines.mathematics.terms.padding import Padding
from engines.mathematics.terms.syntactic_detours import SyntacticDetours
from engines.mathematics.verification.verifier import Verifier
from tests.egen.detours import detours
from tests.egen.grammar_terms import drawn, terms
from tests.mathematics.point_values import value_at

LIMITS = Limits(nodes=1_000)


@pytest.fixture(scope="module")
def grower() -> EGraphRunner:
    return EGraphRunner("strict")


def grown(grower: EGraphRunner, head: str, style: Style = "plain", members: int = 200) -> Cluster:
    return grow_cluster(read(head), EgenConfig(members=members, limits=LIMITS, style=style), grower=grower)


@pytest.mark.slow
@pytest.mark.parametrize("head", ["tanh(3x+4)-6", "sin(2x+5)^-8", "ln(x)"])
def test_members_make_no_detour(head: str, grower: EGraphRunner) -> None:
    members = [member.prefix.split() for member in grown(grower, head).members]
    assert len(members) > 100
    assert Counter(map(detours, members)) == {(0, 0): len(members)}
    assert any(detours(member.prefix.split()) != (0, 0) for member in grown(grower, head, "any").members)


CIRCULAR = ("sin", "cos", "tan", "csc", "sec", "cot")
HYPERBOLIC = ("sinh", "cosh", "tanh", "csch", "sech", "coth")
PARTNERS = {
    **{name: {f"a{other}" for other in family} for family in (CIRCULAR, HYPERBOLIC) for name in family},
    **{f"a{name}": set(family) for family in (CIRCULAR, HYPERBOLIC) for name in family},
}
EVEN_OR_ODD = {*CIRCULAR, *HYPERBOLIC, "abs", "asin", "atan", "acsc", "asinh", "atanh", "acsch", "acoth"}


def negative(tree: Tree) -> bool:
    value = rational_value(tree)
    return value is not None and value < 0


def begins(tree: Tree) -> set[str]:
    """What a term is, as far as the operator above it minds."""
    label, parts = tree.label, tree.children
    found = {
        "minus": label in "*/" and -1 in map(rational_value, parts[: 2 if label == "*" else 1]),
        "negative": label in "*/" and any(map(negative, parts[: 2 if label == "*" else 1])),
        "difference": label == "-" and len(parts) == 2,
        "reciprocal": (label == "/" and rational_value(parts[0]) in (1, -1))
        or (label == "pow" and negative(parts[1])),
        label: True,
    }
    return {name for name, holds in found.items() if holds}


def inside(tree: Tree) -> set[str]:
    """The functions that are reached through arithmetic only."""
    if tree.label not in ("+", "-", "*", "/", "pow", "sqrt", "abs"):
        return {tree.label}
    return {name for child in tree.children for name in inside(child)}


def spoils(tree: Tree) -> bool:
    """Whether the operator at the root makes a detour of its operands."""
    label, parts = tree.label, tree.children
    kinds = [begins(part) for part in parts]
    if len(parts) == 1:
        return bool(PARTNERS.get(label, set()) & inside(parts[0])) or (
            label in EVEN_OR_ODD and "minus" in kinds[0]
        )
    if label in ("+", "-"):
        return negative(parts[1]) or any("minus" in kind for kind in kinds) or "negative" in kinds[1]
    if label == "*":
        numbers = [rational_value(part) for part in parts]
        mind = {"minus"} | ({"negative"} if any(n is not None for n in numbers) else set())
        mind |= {"difference"} if -1 in numbers else set()
        return any(mind & kind for kind in kinds)
    if label == "/":
        return negative(parts[1]) or any("minus" in kind for kind in kinds) or "reciprocal" in kinds[1]
    if label == "pow":
        whole = (rational_value(parts[1]) or Fraction(1, 2)).denominator == 1
        return (whole and "minus" in kinds[0]) or (negative(parts[1]) and "reciprocal" in kinds[0])
    return False


@pytest.mark.parametrize("head", ["sin(x)", "ln(x)"])
def test_exactly_the_detours_are_left_out(head: str, grower: EGraphRunner) -> None:
    egraph = grower.grow_egraph(read(head), LIMITS)
    part, origin = remove_detours(egraph)
    for length in range(1, 10):
        whole = terms(TermGrammar(egraph), length)
        wanted = {term for term in whole if not any(map(spoils, read_prefix(" ".join(term))))}
        assert set(terms(TermGrammar(part, origin=origin), length)) == wanted
    assert whole != list(wanted)


def test_terms_of_one_length_are_drawn_uniformly(grower: EGraphRunner) -> None:
    from scipy.stats import chisquare

    part, origin = remove_detours(grower.grow_egraph(read("sin(x)"), LIMITS))
    grammar = TermGrammar(part, origin=origin)
    length = next(n for n, count in enumerate(grammar.count_terms(25)) if count > 4_000)
    supply = grammar.count_terms(length)[length]
    first = Counter[str]()
    for seed in range(60):
        first.update(term[0] + term[1] for term in drawn(Sampler(grammar, length, seed), length, 32))
    every = Counter(term[0] + term[1] for term in terms(grammar, length))
    assert sum(every.values()) == supply
    total = sum(first.values())
    kinds = [kind for kind, count in every.items() if count * total / supply >= 5]
    rest = supply - sum(every[kind] for kind in kinds)
    seen = [*(first[kind] for kind in kinds), total - sum(first[kind] for kind in kinds)]
    expected = [*(every[kind] * total / supply for kind in kinds), rest * total / supply]
    if not rest:
        seen, expected = seen[:-1], expected[:-1]
    assert len(seen) > 2
    assert chisquare(seen, expected).pvalue > 1e-4


@pytest.mark.parametrize("head", ["x", "exp(x)", "2^x", "x^x", "abs(x)", "e^pi", "1/2", "pi"])
def test_a_head_without_other_forms_has_written_ones(head: str, grower: EGraphRunner) -> None:
    assert grown(grower, head, "any").members == ()
    cluster = grown(grower, head)
    assert len(cluster.members) >= 4
    verdicts = Verifier(read(head), seed=77).judge_members([member.tree for member in cluster.members])
    assert {verdict.outcome for verdict in verdicts} <= {"equal", "extends"}


@pytest.mark.parametrize("head", ["acos(cos(x))", "x + atan(tan(2x))"])
def test_a_head_that_is_a_detour_has_members_with_no_other(head: str, grower: EGraphRunner) -> None:
    members = [member.prefix.split() for member in grown(grower, head, members=50).members]
    assert len(members) == 50
    for label, inside in {"tan": "acot", "sin": "asin", "cos": "acos"}.items():
        assert not any((label, inside) in pairwise(member) for member in members)


def test_numbers_longer_than_the_language_reads_are_not_written(grower: EGraphRunner) -> None:
    for head in ("10^30*x", "x/10^40", "-123456789012345678901234567890*x"):
        assert grown(grower, head, members=20).members


def test_a_polynomial_is_factored_and_multiplied_out(grower: EGraphRunner) -> None:
    assert "* - x 1 + + pow x 2 x 1" in {member.prefix for member in grown(grower, "x^3-1").members}
    assert "+ + + pow x 3 * 3 pow x 2 * 3 x 1" in {m.prefix for m in grown(grower, "(x+1)^3").members}


@pytest.mark.slow
def test_every_length_that_there_is_has_members(grower: EGraphRunner) -> None:
    for members in (60, 61, 200):
        lengths = Counter(member.tokens for member in grown(grower, "sin(2x+5)^-8", members=members).members)
        assert sum(lengths.values()) == members
        assert set(range(14, 26)) <= set(lengths)
    few = grown(grower, "sin(x)^2+cos(x)^2", members=3).members
    assert few[0].prefix == "1"


def test_members_are_listed_as_asked() -> None:
    def listed(order: Order) -> list[str]:
        wanted = Generate("sin(2*x)+3", members=40, max_tokens=14, nodes=300, order=order)
        return [member.prefix for member in generated(wanted).members]

    shortest, readable, random = listed("shortest"), listed("readable"), listed("random")
    assert sorted(shortest) == sorted(readable) == sorted(random)
    lengths = [len(prefix.split()) for prefix in shortest]
    assert lengths == sorted(lengths)
    assert random not in (shortest, readable)
    assert random == listed("random")
    own = ("sin", "x", "pi", "e", "pow")
    strange = [sum(t not in own and t.isalpha() for t in prefix.split()) for prefix in readable]
    assert strange == sorted(strange)
    assert strange[-1] > strange[0]


@pytest.mark.slow
def test_openings_are_what_they_claim() -> None:
    assert list_rules(Rules(file=asset(OPENINGS), check=True)).problems == []
    named = {rule.name for family in load_families(OPENINGS) for rule in family.rules}
    assert len(named) > 30


def test_the_style_of_before_leaves_no_trace() -> None:
    document = EgenConfig(style="any").to_dict()
    assert "style" not in document
    assert EgenConfig.from_document(document) == EgenConfig()
    assert EgenConfig.from_document(EgenConfig(style="plain").to_dict()).style == "plain"


def test_a_corpus_takes_the_style(tmp_path: Path) -> None:
    assert resolve_build(BuildCorpus(tmp_path / "one")).style == "plain"
    assert resolve_build(BuildCorpus(tmp_path / "one", style="any")).style == "any"
    assert resolve_build(BuildCorpus(tmp_path / "one", mode="paper")).style == "any"


def test_the_papers_mode_draws_all_terms_unless_asked() -> None:
    assert Generate("x").complete_config().style == "plain"
    assert Generate("x", mode="paper").complete_config().style == "any"
    assert Generate("x", mode="paper", style="plain").complete_config().style == "plain"
    assert Generate("x", style="any").complete_config().style == "any"


@pytest.mark.parametrize("head", ["3*x + 5", "sqrt(x)", "x^2*y", "m*v^2/2", "x^(1/3)", "x/y", "exp(x)"])
def test_heads_with_few_forms_have_a_first_page(head: str) -> None:
    cluster = generated(head, members=20)
    assert len(cluster.members) == 20
    assert not any(member.verdict.exceptional_points.has_holes for member in cluster.members)
    with mpmath.workdps(60):
        for values in (0.37, -1.9, 2.3, 0.7), (2.1, 0.4, 0.6, -3.2):
            at = dict(zip("xymv", map(mpmath.mpf, values), strict=True))
            wanted = value_at(cluster.head, at)
            for member in cluster.members:
                found = value_at(member.tree, at)
                assert found is not None, member.prefix
                assert wanted is not None
                assert abs(wanted - found) < mpmath.mpf(10) ** -50 * (1 + abs(wanted)), member.prefix


def test_rules_that_lead_to_detours_are_those_that_make_them() -> None:
    terms = Subterms(SEVERAL)
    detours, padding = SyntacticDetours(terms), Padding(terms)
    for rule in load_rules():
        if is_variable(rule.right) or not rule.right.children or is_variable(rule.left):
            continue
        number = terms.number_of([label.lstrip("?") for label in rule.right.list_labels()])
        if detours.makes_detour(number) or padding.is_padded(number):
            assert leads_to_detour(rule), rule.name
        elif leads_to_detour(rule):
            known = {*ARITY} - {"+", "-", "*", "/", "pow"}
            assert not rule.left.children or {*rule.right.list_labels()} & known & {*UNDONE_BY}, rule.name

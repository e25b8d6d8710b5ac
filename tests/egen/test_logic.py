"""Propositional logic by the code of all theories, held against whole truth tables."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import pytest
import sympy
from sympy.logic.boolalg import Boolean

from engines.core.errors import EngineError, ExpressionError
from engines.core.system import asset
from engines.core.tree import Tree
from engines.egen.egraph.derivation import derive
from engines.egen.egraph.growth import EGraphRunner
from engines.egen.egraph.member_selection import grow_cluster
from engines.egen.rules.table import parse_families, pattern_variables
from engines.egen.settings import EgenConfig, Limits
from engines.egen.theories.logic import LOGIC, TABLE, Logic, TruthTable
from engines.egen.theories.registry import theory_of
from engines.mathematics.terms.canonical import Subterms

read = LOGIC.read_term
RULES = [
    rule for family in parse_families(asset(TABLE).read_text(), TABLE, LOGIC.arity) for rule in family.rules
]


def truth(tree: Tree, at: Mapping[str, bool]) -> bool:
    """The value of a formula, by the definition of each operator."""
    parts = [truth(child, at) for child in tree.children]
    if tree.label in ("true", "false"):
        return tree.label == "true"
    match tree.label, parts:
        case "not", [a]:
            return not a
        case "and", [a, b]:
            return a and b
        case "or", [a, b]:
            return a or b
        case "implies", [a, b]:
            return b if a else True
        case "iff", [a, b]:
            return a == b
        case "xor", [a, b]:
            return a != b
        case _:
            return at[tree.label]


def rows(names: tuple[str, ...]) -> list[dict[str, bool]]:
    return [dict(zip(names, values, strict=True)) for values in product((False, True), repeat=len(names))]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("p & q -> ~r", "implies and p q not r"),
        ("p -> q -> r", "implies p implies q r"),
        ("not p and q or r", "or and not p q r"),
        ("a ^ b | c", "or xor a b c"),
        ("p <-> (q => true)", "iff p implies q true"),
        (r"\lnot(p \land q) \leftrightarrow \top", "iff not and p q true"),
        ("¬p ∨ q ⊕ ⊥", "or not p xor q false"),
        ("and p or q not r", "and p or q not r"),
    ],
)
def test_formulas_are_read_in_every_notation_and_written_back(text: str, tokens: str) -> None:
    tree = read(text)
    row = LOGIC.to_row(tree)
    assert row["prefix"] == tokens
    assert all(read(row[notation]) == tree for notation in ("prefix", "infix", "unicode", "latex"))


@pytest.mark.parametrize("text", ["", "p &", "p q", "(p", "p)", "sin p", "p + q", "P", "2", "~", "and p"])
def test_what_is_no_formula_is_refused(text: str) -> None:
    with pytest.raises(ExpressionError):
        read(text)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_every_rule_is_an_equivalence(rule: object) -> None:
    left, right = rule.left, rule.right  # type: ignore[attr-defined]
    assert all(truth(left, at) == truth(right, at) for at in rows(pattern_variables(left)))


@pytest.mark.parametrize(
    ("start", "target", "given"),
    [
        ("p -> q", "~q -> ~p", ""),
        ("p & (p -> q)", "p & q", ""),
        ("~(p | ~q)", "~p & q", ""),
        ("(p & q) | (p & ~q)", "p", ""),
        ("p ^ q", "~(p <-> q)", ""),
        ("p & ~p", "q & ~q", ""),
        ("(p & q) -> r", "p -> (q -> r)", ""),
        ("q", "r", "p, p -> q, r"),
        ("q | s", "true", "p, p -> q"),
        ("q", "p | q", "p -> q"),
        ("(q | p) & r", "q & r", "p -> q"),
        ("p & q", "p", "p -> q"),
    ],
)
def test_equivalences_are_derived(start: str, target: str, given: str) -> None:
    found = derive(read(start), read(target), theory=theory_of("logic", given, read(start), read(target)))
    lines = [step.tree for step in found.steps]
    assert lines[0] == read(start)
    assert lines[-1] == read(target)
    premises = [read(part) for part in given.split(",") if part]
    for at in rows(Logic.list_variables(*lines, *premises)):
        if all(truth(premise, at) for premise in premises):
            assert len({truth(line, at) for line in lines}) == 1


def test_what_does_not_follow_is_refused_with_a_row() -> None:
    start, target = read("p -> q"), read("q -> p")
    found = derive(start, target, theory=theory_of("logic", "p | r", start, target))
    assert not found.steps
    assert found.counterexample is not None
    at = {name: bool(value) for name, value in found.counterexample.at}
    assert truth(start, at) != truth(target, at)
    assert at["p"] or at["r"]


def test_premises_that_contradict_each_other_are_an_error() -> None:
    with pytest.raises(EngineError) as caught:
        TruthTable(read("p"), [read("q"), read("~q")])
    assert caught.value.code == "E221"


def test_members_are_equivalent_by_sympy() -> None:
    theory = theory_of("logic", "")
    config = EgenConfig(members=60, max_tokens=15, theory="logic", limits=Limits(nodes=800))
    head = read("~(p & q) -> r")
    cluster = grow_cluster(head, config, grower=EGraphRunner("strict", theory=theory))
    assert len(cluster.members) == 60
    wanted = _sympy(head)
    for member in cluster.members:
        assert sympy.simplify_logic(sympy.Xor(_sympy(member.tree), wanted)) == sympy.false
    terms = Subterms(theory.arity)
    forms = theory.make_forms(terms)
    assert len({forms.key_of(terms.number_of(member.prefix.split())) for member in cluster.members}) == 60


def _sympy(tree: Tree) -> Boolean:
    names = {"and": "And", "or": "Or", "not": "Not", "implies": "Implies", "iff": "Equivalent", "xor": "Xor"}
    if tree.children:
        return getattr(sympy, names[tree.label])(*map(_sympy, tree.children))
    return {"true": sympy.true, "false": sympy.false}.get(tree.label, sympy.Symbol(tree.label))


def test_premises_take_part_in_growth() -> None:
    theory = theory_of("logic", "p, p -> q", read("q & r"))
    grown = EGraphRunner("strict", theory=theory).grow_egraph(read("q & r"), Limits(nodes=300))
    assert grown.smallest_term(grown.root) == Tree("r")

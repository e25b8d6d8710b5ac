"""Derivations whose every line follows by the step it names."""

from __future__ import annotations

from itertools import pairwise

import mpmath
import pytest

from engines import egen
from engines.core.expression_language import fold_numbers, read_prefix, to_prefix
from engines.core.tree import Tree
from engines.egen.algebra.relations import ARITHMETIC
from engines.egen.egraph.derivation import derive
from engines.egen.egraph.proof_egraph import ProofEGraph, reverse_step_name
from engines.egen.records import Derivation
from engines.egen.rules.table import is_variable, load_rules
from engines.formula.reader import read_expression as read
from tests.mathematics.reals import UndefinedError, value

PROCEDURES = {
    *("expand", "factor", "cancel", "partial fractions", "common denominator", "collect", "squares", "roots"),
    *("exact value", "arctangents", "logarithms", "powers", "absolute value"),
    *("addition theorem", "negative angle", "multiple angle", ARITHMETIC),
}
"""Steps that no single rule makes."""


def fits(pattern: Tree, tree: Tree, binding: dict[str, Tree]) -> bool:
    if is_variable(pattern):
        return binding.setdefault(pattern.label, tree) == tree
    return (pattern.label, len(pattern.children)) == (tree.label, len(tree.children)) and all(
        fits(p, t, binding) for p, t in zip(pattern.children, tree.children, strict=True)
    )


def filled(pattern: Tree, binding: dict[str, Tree]) -> Tree:
    return binding.get(pattern.label) or Tree(
        pattern.label, tuple(filled(child, binding) for child in pattern.children)
    )


def literal(tree: Tree) -> Tree:
    """The tree with fractions as one number, as rules have them; other arithmetic stays."""
    if tree.label == "/" and all(part.label.lstrip("-").isdigit() for part in tree.children):
        return fold_numbers(tree)
    return Tree(tree.label, tuple(map(literal, tree.children)))


def results(tree: Tree, left: Tree, right: Tree) -> set[Tree]:
    """What a rule makes of a tree at one place, and what it makes at all of them."""
    found: set[Tree] = set()
    for place, child in enumerate(tree.children):
        found |= {tree.replace_subtree([place], one) for one in results(child, left, right)}
    everywhere = Tree(tree.label, tuple(max_result(child, left, right) for child in tree.children))
    for whole in (tree, everywhere):
        binding: dict[str, Tree] = {}
        if fits(left, whole, binding):
            found.add(filled(right, binding))
    return found | {everywhere}


def max_result(tree: Tree, left: Tree, right: Tree) -> Tree:
    inside = Tree(tree.label, tuple(max_result(child, left, right) for child in tree.children))
    binding: dict[str, Tree] = {}
    return filled(right, binding) if fits(left, inside, binding) else inside


def follows(before: Tree, after: Tree, rule: str) -> bool:
    """Whether the rule makes one line of the other, at one place or all, up to arithmetic."""
    rules = {one.name: one for one in load_rules()}
    backward = rule not in rules
    one = rules[reverse_step_name(rule) if backward else rule]
    source, wanted = (after, before) if backward else (before, after)
    made = {
        fold_numbers(tree)
        for start in (source, fold_numbers(source))
        for tree in results(start, fold_numbers(one.left), fold_numbers(one.right))
    }
    return fold_numbers(wanted) in made


def agree(before: Tree, after: Tree) -> bool:
    """Whether two lines have the same values, to 30 digits, at a few points where both have one."""
    both = 0
    for x in map(mpmath.mpf, ("-3.7", "-1.3", "-0.4", "0.3", "0.9", "2.2", "5.1")):
        try:
            one, other = value(before, x), value(after, x)
        except (UndefinedError, ZeroDivisionError):
            continue
        if abs(one - other) > mpmath.mpf(10) ** -30 * (1 + abs(one)):
            return False
        both += 1
    return both > 1


def each_line_follows(found: Derivation) -> None:
    for before, after in pairwise(found.steps):
        names = after.rule.split(" and ")
        if ARITHMETIC in names:
            assert fold_numbers(before.tree) == fold_numbers(after.tree)
        elif names[0] in PROCEDURES:
            assert set(names) <= PROCEDURES
            assert agree(before.tree, after.tree), after
        else:
            assert follows(literal(before.tree), literal(after.tree), after.rule), after


@pytest.mark.parametrize(
    ("start", "target"),
    [
        ("- tanh + * 3 x 4 6", "- * sinh + * 3 x 4 sech + * 3 x 4 6"),
        ("+ pow csc / x 7 -3 3", "+ pow sin / x 7 3 3"),
        ("+ pow + / x 6 2 9 * 3 x", "- * 3 x pow - -2 / x 6 9"),
        ("d x * -9 sinh + * -7 x 2", "* 63 cosh - 2 * 7 x"),
        ("d x * -2 pow ln / x 7 -2", "/ 4 * x pow ln / x 7 3"),
        ("* 0.5 x", "/ x 2"),
        ("pow e * -1 x", "/ 1 pow e x"),
        ("sin / pi 12", "/ - sqrt 6 sqrt 2 4"),
        ("+ sin x cos x", "* sqrt 2 sin + x / pi 4"),
        ("/ - pow e x pow e * -1 x + pow e x pow e * -1 x", "tanh x"),
        ("- * 4 atan / 1 5 atan / 1 239", "/ pi 4"),
        ("/ 1 - pow x 2 1", "- / 1 * 2 - x 1 / 1 * 2 + x 1"),
        ("acos - 1 * 2 pow x 2", "* 2 abs asin x"),  # by the e-graph
    ],
)
def test_each_line_follows_by_the_step_it_names(start: str, target: str) -> None:
    found = derive(read_prefix(start), read_prefix(target))
    assert to_prefix(found.steps[0].tree) == start
    assert to_prefix(found.steps[-1].tree) == target
    assert {step.verdict.outcome for step in found.steps} <= {"equal", "extends"}
    each_line_follows(found)


@pytest.mark.parametrize(
    ("start", "target", "steps"),
    [
        ("x^2-1", "(x-1)(x+1)", ["factor"]),
        ("(x^2-1)/(x-1)", "x+1", ["cancel"]),
        ("(x+1)^3", "x^3+3x^2+3x+1", ["expand"]),
        ("1/(x-1)-1/(x+1)", "2/(x^2-1)", ["common denominator"]),
        ("1/(x^2-1)", "1/(2(x-1))-1/(2(x+1))", ["partial fractions"]),
        ("sin(x)^2", "1-cos(x)^2", ["squares"]),
        ("atan(x)+acot(x)", "pi/2", ["acot-to-atan", "collect"]),
        ("atan(1)", "pi/4", ["arctangents"]),
        ("sqrt(3+2sqrt(2))", "1+sqrt(2)", ["exact value"]),
        ("sin(-x)", "-sin(x)", ["negative angle"]),
        ("cosh(-3x)", "4cosh(x)^3 - 3cosh(x)", ["negative angle", "multiple angle", "squares"]),
        ("d/dx(x^2 e^x)", "(x^2+2x)e^x", ["d-product", "d-power", "arithmetic", "d-exp", "d-x", "factor"]),
    ],
)
def test_steps_have_the_names_that_one_would_give_them(start: str, target: str, steps: list[str]) -> None:
    assert [step.rule for step in derive(read(start), read(target)).steps[1:]] == steps


def test_lines_carry_no_terms_0() -> None:
    found = derive(read("cos(pi - 2asin(x))"), read("2x^2 - 1"))
    lines = [step.tree for step in found.steps]
    assert len(lines) > 4
    assert all(Tree("0") not in line for tree in lines for line in tree)


def test_a_search_that_fails_says_why() -> None:
    sine = read_prefix("sin x")
    assert "not the same function" in derive(sine, read_prefix("cos x")).reason
    bounded = derive(read_prefix("acos - 1 * 2 pow x 2"), read_prefix("* 2 abs asin x"), nodes=20)
    assert bounded.steps == ()
    assert "bound" in bounded.reason
    assert "Nothing can be checked" in derive(read_prefix("ln - -1 pow x 2"), sine).reason
    assert derive(sine, sine).steps[0].tree == sine


@pytest.mark.parametrize(
    ("start", "target", "says"),
    [
        ("ln(abs((x-2)/(x-1)))", "integral(t,1,2,1/(t-x))", "Whether they are equal is undecided"),
        ("integral(t,0,1/2,e^t)", "sqrt(e)-1", "They are equal at all points tested"),
        ("2^2005", "2^2006", "or beyond, the second another number beyond it"),
    ],
)
def test_what_is_judged_alone_is_said_as_it_was_judged(start: str, target: str, says: str) -> None:
    found = egen.derive(egen.Derive(start, target))
    assert found["steps"] == []
    assert says in found["reason"]


def test_a_refusal_comes_with_a_counterexample() -> None:
    lost = derive(read("ln(x^2)"), read("2ln(x)"))
    assert lost.counterexample is not None
    assert lost.counterexample.x < 0
    assert lost.counterexample.member is None
    assert "domain" in lost.reason
    assert derive(read("ln(x^2)"), read("2ln(x)"), mode="common").steps
    wrong = derive(read("sin(2x)"), read("2sin(x)"))
    assert wrong.counterexample is not None
    assert None not in (wrong.counterexample.head, wrong.counterexample.member)


@pytest.mark.slow
def test_the_search_does_not_look_at_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    def forbidden() -> float:
        raise AssertionError("the clock decides")

    start, target = read_prefix("acos - 1 * 2 pow x 2"), read_prefix("* 2 abs asin x")
    once = derive(start, target)
    with monkeypatch.context() as patch:
        for name in ("time", "monotonic", "perf_counter"):
            patch.setattr(time, name, forbidden)
        again = derive(start, target)
    assert again == once


def test_reasons_are_taken_apart_to_the_end() -> None:
    # a = b and f(b) = c and g(c) = a give g(f(a)) = a by two congruences.
    proofs = ProofEGraph()
    a, b, c = proofs.add_node("x"), proofs.add_node("pi"), proofs.add_node("e")
    whole = proofs.add_tree(read_prefix("sin cos x"))
    proofs.union(a, b, "one")
    proofs.union(proofs.add_tree(read_prefix("cos pi")), c, "two")
    proofs.union(proofs.add_tree(read_prefix("sin e")), a, "three")
    assert proofs.find(whole) == proofs.find(a)
    lines = [(rule, to_prefix(tree)) for rule, tree in proofs.explain_equality(whole, a)]
    assert lines == [("one", "sin cos pi"), ("two", "sin e"), ("three", "x")]
    back = [(rule, to_prefix(tree)) for rule, tree in proofs.explain_equality(a, whole)]
    assert back == [("three~", "sin e"), ("two~", "sin cos pi"), ("one~", "sin cos x")]

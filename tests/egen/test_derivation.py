"""Derivations whose every line follows by the rule it names."""

from __future__ import annotations

from itertools import pairwise

import pytest

from engines.core.tree import Tree
from engines.egen.egraph.derivation import derive
from engines.egen.egraph.proofs import ARITHMETIC, Proofs, reverse
from engines.egen.expressions.language import prefix, read_prefix
from engines.egen.expressions.patterns import fold
from engines.egen.rules.table import is_variable, load_rules


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
        return fold(tree)
    return Tree(tree.label, tuple(map(literal, tree.children)))


def follows(before: Tree, after: Tree, rule: str) -> bool:
    """Whether the rule makes one line of the other, at any place and up to arithmetic."""
    rules = {one.name: one for one in load_rules()}
    backward = rule not in rules
    one = rules[reverse(rule) if backward else rule]
    source, wanted = (after, before) if backward else (before, after)

    def places(tree: Tree, path: tuple[int, ...] = ()) -> list[tuple[int, ...]]:
        inside = [found for k, child in enumerate(tree.children) for found in places(child, (*path, k))]
        return [path, *inside]

    for path in places(source):
        binding: dict[str, Tree] = {}
        if fits(fold(one.left), source.at(path), binding):
            made = source.replace(path, filled(fold(one.right), binding))
            if fold(made) == fold(wanted):
                return True
    return False


@pytest.mark.parametrize(
    ("start", "target"),
    [
        ("- tanh + * 3 x 4 6", "- * sinh + * 3 x 4 sech + * 3 x 4 6"),
        ("+ pow csc / x 7 -3 3", "+ pow sin / x 7 3 3"),
        ("+ pow + / x 6 2 9 * 3 x", "- * 3 x pow - -2 / x 6 9"),
        ("d x * -9 sinh + * -7 x 2", "* 63 cosh - 2 * 7 x"),
        ("d x * -2 pow ln / x 7 -2", "/ 4 * x pow ln / x 7 3"),
        ("* 0.5 x", "/ x 2"),
    ],
)
def test_each_line_follows_by_the_rule_it_names(start: str, target: str) -> None:
    steps = derive(read_prefix(start), read_prefix(target)).steps
    assert prefix(steps[0].tree) == start
    assert prefix(steps[-1].tree) == target
    assert {step.verdict.outcome for step in steps} <= {"equal", "extends"}
    for before, after in pairwise(steps):
        if after.rule == ARITHMETIC:
            assert fold(before.tree) == fold(after.tree)
        else:
            assert follows(literal(before.tree), literal(after.tree), after.rule), after


def test_a_search_that_fails_says_why() -> None:
    sine = read_prefix("sin x")
    assert "not the same function" in derive(sine, read_prefix("cos x")).reason
    bounded = derive(
        read_prefix("- tanh + * 3 x 4 6"), read_prefix("- * sinh + * 3 x 4 sech + * 3 x 4 6"), nodes=20
    )
    assert bounded.steps == ()
    assert "bound" in bounded.reason
    assert "Nothing can be checked" in derive(read_prefix("ln - -1 pow x 2"), sine).reason
    assert derive(sine, sine).steps[0].tree == sine


def test_reasons_are_taken_apart_to_the_end() -> None:
    # a = b and f(b) = c and g(c) = a give g(f(a)) = a by two congruences.
    proofs = Proofs()
    a, b, c = proofs.node("x"), proofs.node("pi"), proofs.node("e")
    whole = proofs.add(read_prefix("sin cos x"))
    proofs.unite(a, b, "one")
    proofs.unite(proofs.add(read_prefix("cos pi")), c, "two")
    proofs.unite(proofs.add(read_prefix("sin e")), a, "three")
    assert proofs.find(whole) == proofs.find(a)
    lines = [(rule, prefix(tree)) for rule, tree in proofs.explain(whole, a)]
    assert lines == [("one", "sin cos pi"), ("two", "sin e"), ("three", "x")]
    back = [(rule, prefix(tree)) for rule, tree in proofs.explain(a, whole)]
    assert back == [("three~", "sin e"), ("two~", "sin cos pi"), ("one~", "sin cos x")]

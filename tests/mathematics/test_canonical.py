"""Which expressions count as one member, and which only pad a shorter one."""

from __future__ import annotations

import gzip
import json
import math
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.core.expression_language import (
    FUNCTIONS,
    HYPERBOLIC,
    INVERSE,
    LETTERS,
    TRIGONOMETRIC,
    read_prefix,
    to_prefix,
)
from engines.core.tree import Tree
from engines.mathematics.terms.canonical import canonical_key
from engines.mathematics.terms.padding import has_padding
from tests.conftest import count_examples
from tests.egen.expressions import arithmetic, trees, value


def canonical(tree: Tree) -> Tree:
    """The canonical form as a tree, sums and products nested to the left."""
    return read_prefix(canonical_key(tree), LETTERS)


def key(text: str) -> str:
    return canonical_key(text.split())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("+ x 3", "+ 3 x"),
        ("- x 7", "+ -7 x"),
        ("- x -7", "+ 7 x"),
        ("- sin x * 3 x", "+ * -3 x sin x"),
        ("+ + x 1 sin x", "+ x + sin x 1"),
        ("- x - 3 sin x", "+ x - sin x 3"),
        ("* -1 - x 3", "- 3 x"),
        ("- 0 x", "* -1 x"),
        ("* 3 - x 4", "* -3 - 4 x"),
        ("* x / 1 sin x", "/ x sin x"),
        ("/ / x 2 sin x", "/ x * sin x 2"),
        ("/ x / sin x 2", "/ * 2 x sin x"),
        ("* 0.5 x", "/ x 2"),
        ("/ x -2", "* -1 / x 2"),
        ("* -2 * -3 x", "* 2 * 3 x"),
        ("sin + x 2", "sin + 2 x"),
        ("pow + x 2 9", "pow + 2 x 9"),
        ("2.0", "2"),
    ],
)
def test_forms_that_count_once(one: str, other: str) -> None:
    assert key(one) == key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("- x 3", "- 3 x"),
        ("/ x 3", "/ 3 x"),
        ("pow x 2", "pow 2 x"),
        ("pow x 2", "* x x"),
        ("+ 2 3", "5"),
        ("* 2 3", "6"),
        ("/ 1 pow x 2", "pow x -2"),
        ("sin * -1 x", "* -1 sin x"),
        ("pow - x 3 2", "pow - 3 x 2"),
        ("- x x", "0"),
        ("/ 63 sech + * -7 x 2", "* 63 cosh - 2 * 7 x"),
    ],
)
def test_forms_that_differ(one: str, other: str) -> None:
    assert key(one) != key(other)


@settings(deadline=None)
@given(trees())
def test_the_canonical_form_is_its_own(tree: Tree) -> None:
    form = canonical(tree)
    assert to_prefix(form) == canonical_key(tree) == canonical_key(form) == canonical_key(tree.list_labels())


def shuffled(tree: Tree, rng: random.Random) -> Tree:
    """The same expression with operands exchanged and sums and products regrouped at random."""
    children = [shuffled(child, rng) for child in tree.children]
    if tree.label in ("+", "*"):
        rng.shuffle(children)
        first, second = children
        if second.label == tree.label and rng.random() < 0.5:
            return Tree(tree.label, (Tree(tree.label, (first, second.children[0])), second.children[1]))
    if tree.label == "-" and rng.random() < 0.5:
        return Tree("+", (Tree("*", (Tree("-1"), children[1])), children[0]))
    if tree.label == "/" and rng.random() < 0.5:
        return Tree("*", (Tree("/", (Tree("1"), children[1])), children[0]))
    return Tree(tree.label, tuple(children))


@settings(deadline=None)
@given(trees(), st.randoms(use_true_random=False))
def test_rearranging_does_not_matter(tree: Tree, rng: random.Random) -> None:
    assert canonical_key(shuffled(tree, rng)) == canonical_key(tree)


@settings(deadline=None, max_examples=count_examples(300))
@given(arithmetic(), st.floats(0.1, 3))
def test_the_canonical_form_has_the_same_value(tree: Tree, x: float) -> None:
    was, now = value(tree.list_labels(), x), value(canonical(tree).list_labels(), x)
    if math.isfinite(was) and math.isfinite(now) and abs(was) < 1e6:
        # sin of a huge operand magnifies rounding; such trees are few
        largest = max((abs(value(node.list_labels(), x)) for node in tree), default=1.0)
        if largest < 1e6:
            assert now == pytest.approx(was, rel=1e-6, abs=1e-6 * max(1.0, largest))


PADDED = [
    "* 1 x", "* x 1", "/ x 1", "pow x 1", "+ 0 x", "+ x 0", "- x 0", "- 0 x",
    "* cos 0 x", "* x sin / pi 2", "+ x sin pi", "+ ln 1 x", "pow x - 4 3", "* - 4 3 x", "/ x pow e 0",
    "+ x - 2 2", "- x * 0 7", "* x / 3 3", "pow x + 0.5 0.5", "+ - x x 3", "* / sin x sin x 2", "* pow x 0 2",
    "+ 7 * 0 sin x", "* d x x sin x", "+ d x 3 x", "* tan / pi 4 x", "* log 3 3 x", "pow x sec 0",
    "* -1 * -1 x", "* * x -1 -1", "/ * -1 x -1", "/ / x -1 -1", "- 3 * -1 x", "* -1 * -3 x", "* -1 / x -7",
    "- sin x / x -1", "* cos pi * -1 x",
    "/ 1 / 1 x", "pow pow x -1 -1", "/ 1 pow x -1", "pow / 1 x -1", "pow sqrt x 2", "pow pow x 3 / 1 3",
    "pow pow x 0.5 2",
    "ln pow e x", "pow e ln x", "log 10 pow 10 x", "pow + 1 3 log + 1 3 x", "log e pow e x",
    "sin + 3 sin asin x", "d x * 2 tanh atanh x", "+ sinh 2 * 3 cos acos x",
]  # fmt: skip
PLAIN = [
    "x", "* 2 x", "/ 1 x", "* -1 x", "/ x -1", "pow x -1", "- x -7", "+ 2 3", "- 4 3", "* 3 - 7 2", "- 6 x",
    "* -2 * -3 x", "/ -2 * -3 x", "- x * -3 sin x", "* -1 - x 3", "sqrt pow x 2", "pow pow x 2 0.5", "abs x",
    "pow pow x 2 3", "pow x 0.5", "sin acos x", "sin acsc x", "sinh asin x", "ln pow x 2", "ln pow 2 x",
    "pow e * 2 ln x", "pow 2 log 3 x", "log 3 pow 2 x", "* x x", "- + x 8 8", "* tanh 30 x", "* sech 20 x",
    "* pow 0.5 60 x", "- * 3 x / x 7", "d x * 3 x", "* sqrt -1 x", "/ 1 pow x -2", "* 63 cosh - 2 * 7 x",
    "+ * sinh + * 3 x 4 sech + * 3 x 4 -6",
]  # fmt: skip


@pytest.mark.parametrize("text", PADDED)
def test_padding_is_seen(text: str) -> None:
    assert has_padding(text.split())
    assert has_padding(read_prefix(f"+ sin x sqrt {text}"))


@pytest.mark.parametrize("text", PLAIN)
def test_what_is_not_padding(text: str) -> None:
    assert not has_padding(text.split())
    assert not has_padding(read_prefix(f"* 3 sin {text}"))


def test_every_function_undone_by_its_inverse_is_padding() -> None:
    for name in TRIGONOMETRIC + HYPERBOLIC:
        for other in FUNCTIONS:
            undone = other == "a" + name
            assert has_padding([name, other, "x"]) == undone
            assert has_padding([other, name, "x"]) == undone
    assert len(INVERSE) == 12


@settings(deadline=None)
@given(trees())
def test_adding_padding_is_always_seen(tree: Tree) -> None:
    text = to_prefix(tree)
    for padded in (f"* 1 {text}", f"- {text} 0", f"pow {text} 1", f"/ 1 / 1 {text}", f"acsch csch {text}"):
        assert has_padding(padded.split())


@settings(deadline=None)
@given(arithmetic(), st.floats(0.5, 2.5))
def test_no_operand_worth_nothing_is_missed_in_constants(tree: Tree, x: float) -> None:
    """An independent reading: evaluate both operands of every operator that are free of x."""
    found = False
    for node in tree:
        if len(node.children) == 2:
            sides = [
                round(value(c.list_labels(), x), 9) if "x" not in c.list_labels() else None
                for c in node.children
            ]
            found |= node.label in "+-" and 0 in sides
            found |= node.label == "*" and 1 in sides
            found |= node.label == "/" and sides[1] == 1
    assert has_padding(tree) or not found


@pytest.mark.slow
@pytest.mark.real_data
def test_published_members_are_mostly_padding_or_repeats(real_data: Path) -> None:
    seen: set[tuple[int, str]] = set()
    members = padded = 0
    with gzip.open(real_data / "expr" / "egen_clusters_sample.jsonl.gz", "rt") as file:
        for line in file:
            cluster = json.loads(line)
            for text in cluster["exprs"]:
                members += 1
                tokens = text.split()
                padded += has_padding(tokens)
                assert canonical_key(canonical_key(tokens).split()) == canonical_key(tokens)
                seen.add((cluster["cluster"], canonical_key(tokens)))
    assert 0.3 < padded / members < 0.7
    assert len(seen) < members

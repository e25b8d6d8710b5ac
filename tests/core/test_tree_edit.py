"""The compiled tree edit distance, beside zss."""

from __future__ import annotations

import random

import pytest
import zss
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.core.tree import MAX_DEPTH, Tree
from engines.core.tree_edit import Edit, edit_distance, edit_script

TREES = st.recursive(
    st.sampled_from("abc").map(Tree),
    lambda inner: st.builds(
        lambda label, children: Tree(label, tuple(children)),
        st.sampled_from("abc"),
        st.lists(inner, min_size=1, max_size=3),
    ),
    max_leaves=8,
)


def by_zss(a: Tree, b: Tree) -> int:
    # The costs are given: by default zss compares labels as strings.
    return int(
        zss.distance(
            a,
            b,
            lambda node: list(node.children),
            lambda node: 1,
            lambda node: 1,
            lambda one, other: int(one.label != other.label),
        )
    )


def random_tree(rng: random.Random, size: int) -> Tree:
    sizes = []
    left = size - 1
    while left > 0:
        sizes.append(rng.randint(1, left))
        left -= sizes[-1]
    return Tree(rng.choice("+*x123"), tuple(random_tree(rng, part) for part in sizes))


@pytest.mark.slow
def test_two_thousand_pairs_agree_with_zss() -> None:
    rng = random.Random(11)
    for _ in range(2_000):
        a, b = (random_tree(rng, rng.randint(1, 12)) for _ in range(2))
        assert edit_distance(a, b) == by_zss(a, b)


@settings(deadline=None)  # the first call compiles
@given(TREES, TREES)
def test_any_pair_agrees_with_zss(a: Tree, b: Tree) -> None:
    assert edit_distance(a, b) == by_zss(a, b)


@settings(deadline=None)  # the first call compiles
@given(TREES, TREES, TREES)
def test_it_is_a_metric(a: Tree, b: Tree, c: Tree) -> None:
    assert (edit_distance(a, b) == 0) == (a == b)
    assert edit_distance(a, b) == edit_distance(b, a)
    assert edit_distance(a, c) <= edit_distance(a, b) + edit_distance(b, c)
    assert abs(len(a) - len(b)) <= edit_distance(a, b) <= len(a) + len(b)


@settings(deadline=None)  # the first call compiles
@given(TREES, TREES)
def test_the_script_turns_one_tree_into_the_other(a: Tree, b: Tree) -> None:
    script = edit_script(a, b)
    assert sum(edit.kind != "keep" for edit in script) == edit_distance(a, b)
    assert sorted(e.left for e in script if e.left is not None) == list(range(len(a)))
    assert sorted(e.right for e in script if e.right is not None) == list(range(len(b)))
    nodes_a, nodes_b = list(a), list(b)
    mapped: list[tuple[int, int]] = []
    for edit in script:
        if edit.left is None or edit.right is None:
            assert edit.kind == ("insert" if edit.left is None else "delete")
        else:
            same = nodes_a[edit.left].label == nodes_b[edit.right].label
            assert edit.kind == ("keep" if same else "rename")
            mapped.append((edit.left, edit.right))
    # A mapping is an edit when it keeps prefix order and who is an ancestor of whom.
    ends_a, ends_b = ([place + len(node) for place, node in enumerate(nodes)] for nodes in (nodes_a, nodes_b))
    for i, j in mapped:
        for k, m in mapped:
            assert (i < k) == (j < m)
            assert (i < k < ends_a[i]) == (j < m < ends_b[j])


def test_a_script_to_read() -> None:
    x, one, two = Tree("x"), Tree("1"), Tree("2")
    script = edit_script(Tree("+", (x, one)), Tree("+", (Tree("sin", (x,)), two)))
    assert set(script) == {
        Edit("keep", 0, 0),
        Edit("insert", None, 1),
        Edit("keep", 1, 2),
        Edit("rename", 2, 3),
    }


@pytest.mark.slow
def test_deep_and_wide_trees() -> None:
    deep = wide = Tree("x")
    for _ in range(MAX_DEPTH - 1):
        deep = Tree("sin", (deep,))
    wide = Tree("+", tuple(Tree("x") for _ in range(300)))
    assert edit_distance(deep, wide) == by_zss(deep, wide)
    assert edit_distance(deep, deep) == 0
    assert len(edit_script(deep, wide)) <= len(deep) + len(wide)

"""Features of operator trees for search: labels, paths, and whole sub-trees, exact and with wildcards.

A path leads from a node up to two operators above it, with the operand's place where the order counts. In
generalised features every variable is V and every number N, so that renamed formulas still meet. Equal
features mean equal parts.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from hashlib import blake2b

from engines.formula.operator_tree import OperatorTree

FEATURES_VERSION = 3
_STEPS = 3
"""Nodes of the longest path."""


def _general(label: str) -> str:
    return label[0] if label[:2] in ("V!", "N!", "-!") else label


def features(tree: OperatorTree) -> Counter[str]:
    """How often each feature occurs in a tree."""
    result: Counter[str] = Counter()
    whole: dict[int, tuple[str, str]] = {}
    order: list[tuple[OperatorTree, tuple[str, ...], tuple[str, ...]]] = [(tree, (), ())]
    for node, above, general in order:
        label, wild = node.label, _general(node.label)
        result[f"l {label}"] += 1
        path, other = (label, *above), (wild, *general)
        for steps in range(2, len(path) + 1):
            result["p " + " ".join(path[:steps])] += 1
            result["g " + " ".join(other[:steps])] += 1
        for place, child in enumerate(node.children):
            at = "" if node.unordered else str(place)
            order.append((child, (label + at, *above)[: _STEPS - 1], (wild + at, *general)[: _STEPS - 1]))
    for node, _, _ in reversed(order):
        whole[id(node)] = exact, wild = _whole(node, whole)
        if node.children:
            result[f"s {exact}"] += 1
            result[f"w {wild}"] += 1
    return result


def _whole(node: OperatorTree, below: dict[int, tuple[str, str]]) -> tuple[str, str]:
    """A text of a sub-tree, and one with wildcards; the same for the same operands in any order."""
    exact = [below[id(child)][0] for child in node.children]
    wild = [below[id(child)][1] for child in node.children]
    if node.unordered:
        exact.sort()
        wild.sort()
    if not node.children:
        return node.label, _general(node.label)
    return _short(f"({node.label} {' '.join(exact)})"), _short(f"({node.label} {' '.join(wild)})")


def _short(text: str) -> str:
    """A long text by its hash, so that what is written of deep trees does not grow with their depth."""
    return text if len(text) <= 80 else blake2b(text.encode(), digest_size=16).hexdigest()


@dataclass(frozen=True, slots=True)
class Part:
    """A part of one formula that another has too: its places in `walk()` order of both trees, its nodes, and
    whether its letters and numbers are the same."""

    here: int
    there: int
    size: int
    exact: bool


def shared_parts(one: OperatorTree, other: OperatorTree) -> list[Part]:
    """The largest sub-trees of one formula that the other has too, greatest first; none lies in another.

    Exact ones come before those that are equal up to letters and numbers. Single leaves count where they are
    exact.
    """
    nodes, others = list(one.walk()), list(other.walk())
    texts, sizes = _texts(nodes)
    theirs, _ = _texts(others)
    free: dict[tuple[bool, str], list[int]] = {}
    for place, (exact, wild) in enumerate(theirs):
        free.setdefault((True, exact), []).append(place)
        free.setdefault((False, wild), []).append(place)
    taken, used = set[int](), set[int]()
    result: list[Part] = []
    candidates = [(sizes[at], exact, at) for at in range(len(nodes)) for exact in (True, False)]
    candidates.sort(key=lambda one: (-one[0], not one[1], one[2]))
    for size, same, at in candidates:
        here = range(at, at + size)
        if (size == 1 and not same) or any(place in taken for place in here):
            continue
        for place in free.get((same, texts[at][0 if same else 1]), ()):
            there = range(place, place + size)
            if not any(number in used for number in there):
                result.append(Part(at, place, size, same))
                taken.update(here)
                used.update(there)
                break
    return result


def _texts(nodes: list[OperatorTree]) -> tuple[list[tuple[str, str]], list[int]]:
    """The text of the sub-tree at each place, and how many nodes it has; nodes in `walk()` order."""
    texts: list[tuple[str, str]] = [("", "")] * len(nodes)
    sizes = [1] * len(nodes)
    for place in range(len(nodes) - 1, -1, -1):
        node, child, below = nodes[place], place + 1, {}
        for one in node.children:
            below[id(one)] = texts[child]
            sizes[place] += sizes[child]
            child += sizes[child]
        texts[place] = _whole(node, below)
    return texts, sizes

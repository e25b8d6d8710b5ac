"""Operator trees: nodes with a type and a name, as formula search writes them (MathAMR, section 3.1).

A label is `T!name`. T is V (variable), N (number), C (constant), F (function), O (ordered operator), U
(unordered operator), M (group, list, set, interval, matrix), T (text), W (nothing), E (error), - (a token
whose meaning is unknown) or `+!T` for an operator that carries scripts of its own, as in ARQMath's trees.

Features of trees are for search: labels, paths, and whole sub-trees, exact and with wildcards. A path leads
from a node up to two operators above it, with the operand's place where the order counts. In generalised
features every variable is V and every number N, so that renamed formulas still meet. Equal features mean
equal parts.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from threading import Lock
from typing import Any

from engines.core.errors import DataError

TALLEST = 400
"""Levels of a tree. What is below is an error, so that it can be read as JSON, where each level is two, by
programs that take a thousand."""


@dataclass(frozen=True, slots=True)
class OperatorTree:
    """A node with its operands; `span` is where in the LaTeX it stands, (start, end), where that is known."""

    label: str
    children: tuple[OperatorTree, ...] = ()
    span: tuple[int, int] | None = None

    @property
    def unordered(self) -> bool:
        """Whether the operands of the node have no order."""
        return self.label.startswith(("U!", "+!U!"))

    def walk_nodes(self) -> Iterator[OperatorTree]:
        """Yield every node, parents first, from left to right."""
        pending = [self]
        while pending:
            node = pending.pop()
            yield node
            pending.extend(reversed(node.children))

    def count_nodes(self) -> int:
        """Return how many nodes it has."""
        return sum(1 for _ in self.walk_nodes())

    def is_too_tall(self) -> bool:
        """Return whether it has more levels than a tree may have."""
        row: Sequence[OperatorTree] = (self,)
        for _ in range(TALLEST):
            row = [child for node in row for child in node.children]
            if not row:
                return False
        return True

    def cut_deep_parts(self, spans: Sequence[tuple[int, int] | None] = ()) -> OperatorTree:
        """Return the tree with an error node in the place of every part that is too deep.

        Args:
            spans: Where the nodes stand in the source, in the order of `walk_nodes`.
        """
        positions = {id(node): span for node, span in zip(self.walk_nodes(), spans, strict=False)}
        order, levels = [self], {id(self): 1}
        for node in order:
            if levels[id(node)] < TALLEST:
                order += node.children
                levels.update((id(child), levels[id(node)] + 1) for child in node.children)
        done: dict[int, OperatorTree] = {}
        for node in reversed(order):
            if node.children and levels[id(node)] == TALLEST:
                done[id(node)] = OperatorTree("E!deep", (), positions.get(id(node), node.span))
            else:
                children = tuple(done[id(child)] for child in node.children)
                done[id(node)] = OperatorTree(node.label, children, node.span)
        return done[id(self)]

    def list_errors(self) -> list[OperatorTree]:
        """Return the error nodes of the tree."""
        return [node for node in self.walk_nodes() if node.label.startswith("E!")]

    def to_document(self) -> dict[str, Any]:
        """Return the tree for JSON: `label` and `children`, and the `span` of an error node.

        `children` is left out of leaves.
        """
        # Children are finished before their parents: no recursion, so any depth works.
        done: dict[int, dict[str, Any]] = {}
        for node in reversed(list(self.walk_nodes())):
            made: dict[str, Any] = {"label": node.label}
            if node.span is not None and node.label.startswith("E!"):
                made["span"] = list(node.span)
            if node.children:
                made["children"] = [done[id(child)] for child in node.children]
            done[id(node)] = made
        return done[id(self)]

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> OperatorTree:
        """Return a tree from its document.

        Raises:
            DataError E317: where a node has no label, or children that are no list.
        """
        order: list[Mapping[str, Any]] = [document]
        for node in order:
            children = node.get("children", []) if isinstance(node, dict) else None
            if not isinstance(children, list) or not isinstance(node.get("label"), str):
                raise DataError('an operator tree is {"label": text, "children": [trees]}', code="E317")
            order.extend(children)
        done: dict[int, OperatorTree] = {}
        for node in reversed(order):
            children = tuple(done[id(child)] for child in node.get("children", ()))
            match node.get("span"):
                case [int(start), int(end)]:
                    done[id(node)] = cls(node["label"], children, (start, end))
                case _:
                    done[id(node)] = cls(node["label"], children)
        return done[id(document)]

    def sort_operands(self) -> OperatorTree:
        """Return the tree with the operands of unordered operators sorted: equal trees become the same."""
        done: dict[int, tuple[OperatorTree, str]] = {}
        for node in reversed(list(self.walk_nodes())):
            made = [done[id(child)] for child in node.children]
            if node.unordered:
                made.sort(key=lambda pair: pair[1])
            key = f"({node.label} {' '.join(text for _, text in made)})"
            done[id(node)] = OperatorTree(node.label, tuple(tree for tree, _ in made), node.span), key
        return done[id(self)][0]

    def __str__(self) -> str:
        """Return one line: `(O!SUP V!x N!2)`."""
        done: dict[int, str] = {}
        for node in reversed(list(self.walk_nodes())):
            parts = [node.label, *(done[id(child)] for child in node.children)]
            done[id(node)] = f"({' '.join(parts)})" if node.children else node.label
        return done[id(self)]


def make_fragments(parts: Sequence[OperatorTree], span: tuple[int, int] | None = None) -> OperatorTree:
    """Return an error node over pieces that cannot be parsed; letters that follow one another are one text.

    >>> str(make_fragments([OperatorTree(label) for label in ("-!l", "-!h", "V!)", "-!s")]))
    '(E! O!fragments T!lh V!) -!s)'
    """
    joined: list[OperatorTree] = []
    for part in parts:
        if (
            part.label.startswith("-!")
            and joined
            and joined[-1].label.startswith(("-!", "T!"))
            and not joined[-1].children
        ):
            joined[-1] = OperatorTree(f"T!{joined[-1].label[2:]}{part.label[2:]}")
        else:
            joined.append(part)
    return OperatorTree("E!", (OperatorTree("O!fragments"), *joined), span)


ABSENT = OperatorTree("W!")
"""What is missing, and text inside formulas."""


def apply_operator(operator: OperatorTree, operands: Sequence[OperatorTree]) -> OperatorTree:
    """Return an operator over its operands; one with scripts becomes a node named after what carries the
    scripts.

    >>> sum_over_k = OperatorTree("O!SUB", (OperatorTree("O!sum"), OperatorTree("V!k")))
    >>> str(apply_operator(sum_over_k, [OperatorTree("V!x")]))
    '(+!O!sum (O!SUB O!sum V!k) V!x)'
    """
    if operator.children:
        label = operator.children[0].label
        return OperatorTree(label if label.startswith("+!") else f"+!{label}", (operator, *operands))
    return OperatorTree(operator.label, tuple(operands))


_FRAMES = 8_000
_LOCK = Lock()
_limits: list[int] = []


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Allow as many frames of recursion as the deepest formula takes, in all threads while one needs them."""
    with _LOCK:
        _limits.append(sys.getrecursionlimit())
        sys.setrecursionlimit(max(_limits[0], _FRAMES))
    try:
        yield
    finally:
        with _LOCK:
            limit = _limits.pop()
            if not _limits:
                sys.setrecursionlimit(limit)


# To be raised whenever features change, since an index of other features must not be searched.
FEATURES_VERSION = 3
_STEPS = 3
"""Nodes of the longest path."""


def _general_label(label: str) -> str:
    return label[0] if label[:2] in ("V!", "N!", "-!") else label


def count_features(tree: OperatorTree) -> Counter[str]:
    """Return how often each feature occurs in a tree."""
    result: Counter[str] = Counter()
    whole: dict[int, tuple[str, str]] = {}
    # Each entry has the path from its parent up to the root, and the same path with wildcards; both are
    # cut, since a feature has at most `_STEPS` labels.
    order: list[tuple[OperatorTree, tuple[str, ...], tuple[str, ...]]] = [(tree, (), ())]
    for node, above, general in order:
        label, wild = node.label, _general_label(node.label)
        result[f"l {label}"] += 1
        path, other = (label, *above), (wild, *general)
        for steps in range(2, len(path) + 1):
            result["p " + " ".join(path[:steps])] += 1
            result["g " + " ".join(other[:steps])] += 1
        # The position of a child counts only where the order of the operands matters.
        for index, child in enumerate(node.children):
            at = "" if node.unordered else str(index)
            order.append((child, (label + at, *above)[: _STEPS - 1], (wild + at, *general)[: _STEPS - 1]))
    # In reverse order children come before their parents, whose texts are composed of theirs.
    for node, _, _ in reversed(order):
        whole[id(node)] = exact, wild = _subtree_texts(node, whole)
        if node.children:
            result[f"s {exact}"] += 1
            result[f"w {wild}"] += 1
    return result


def _subtree_texts(node: OperatorTree, below: dict[int, tuple[str, str]]) -> tuple[str, str]:
    """Return a text of a sub-tree, and one with wildcards; the same for the same operands in any order."""
    exact = [below[id(child)][0] for child in node.children]
    wild = [below[id(child)][1] for child in node.children]
    if node.unordered:
        exact.sort()
        wild.sort()
    if not node.children:
        return node.label, _general_label(node.label)
    return _shorten_text(f"({node.label} {' '.join(exact)})"), _shorten_text(
        f"({node.label} {' '.join(wild)})"
    )


def _shorten_text(text: str) -> str:
    """Return a long text by its hash, so that what is written of deep trees does not grow with their
    depth.
    """
    return text if len(text) <= 80 else blake2b(text.encode(), digest_size=16).hexdigest()


@dataclass(frozen=True, slots=True)
class TreePart:
    """A part of one formula that another has too: its places in `walk()` order of both trees, its nodes, and
    whether its letters and numbers are the same."""

    here: int
    there: int
    size: int
    exact: bool


def shared_parts(one: OperatorTree, other: OperatorTree) -> list[TreePart]:
    """Return the largest sub-trees of one formula that the other has too, greatest first; none lies in
    another.

    Exact ones come before those that are equal up to letters and numbers. Single leaves count where they are
    exact.
    """
    nodes, others = list(one.walk_nodes()), list(other.walk_nodes())
    texts, sizes = _texts_and_sizes(nodes)
    theirs, _ = _texts_and_sizes(others)
    # Index the sub-trees of the other formula by their exact text and by that with wildcards.
    free: dict[tuple[bool, str], list[int]] = {}
    for index, (exact, wild) in enumerate(theirs):
        free.setdefault((True, exact), []).append(index)
        free.setdefault((False, wild), []).append(index)
    taken, used = set[int](), set[int]()
    result: list[TreePart] = []
    # Greedy: the largest parts first, exact ones before those up to names.
    candidates = [(sizes[at], exact, at) for at in range(len(nodes)) for exact in (True, False)]
    candidates.sort(key=lambda one: (-one[0], not one[1], one[2]))
    for size, same, at in candidates:
        # Nodes are in pre-order, so a sub-tree is a contiguous range of positions.
        here = range(at, at + size)
        if (size == 1 and not same) or any(index in taken for index in here):
            continue
        # Take the first occurrence in the other formula that is still free.
        for index in free.get((same, texts[at][0 if same else 1]), ()):
            there = range(index, index + size)
            if not any(number in used for number in there):
                result.append(TreePart(at, index, size, same))
                taken.update(here)
                used.update(there)
                break
    return result


def _texts_and_sizes(nodes: list[OperatorTree]) -> tuple[list[tuple[str, str]], list[int]]:
    """Return the text of the sub-tree at each place, and how many nodes it has; nodes in `walk()` order."""
    texts: list[tuple[str, str]] = [("", "")] * len(nodes)
    sizes = [1] * len(nodes)
    for index in range(len(nodes) - 1, -1, -1):
        node, child, below = nodes[index], index + 1, {}
        for one in node.children:
            below[id(one)] = texts[child]
            sizes[index] += sizes[child]
            child += sizes[child]
        texts[index] = _subtree_texts(node, below)
    return texts, sizes

"""Numbers for the classes of a grown e-graph, the same whatever order things happened in.

egglog's own ids depend on that order. Here classes are numbered by their smallest term: shorter terms first,
then by label, then by the numbers of the operands. Every class has one smallest term and no two classes share
a term, so the numbering depends on nothing else, and operands that make up a smallest term always have
smaller numbers than the class.
"""

from __future__ import annotations

import heapq
from collections.abc import Hashable, Iterable

import numpy as np
from numpy.typing import NDArray

from engines.core.numeric_kernel import compiled
from engines.egen.egraph.graph import ENode

__all__ = ["Row", "number_classes"]

Ints = NDArray[np.int64]
Row = tuple[Hashable, str, tuple[Hashable, ...]]
_NONE = -1


def number_classes(
    rows: Iterable[Row], root: Hashable, limit: int | None = None
) -> tuple[int, dict[int, tuple[ENode, ...]]]:
    """Canonical numbers for what can be reached from `root`.

    Args: rows: (class, label, child classes), one for each node. limit: keep this many nodes at most, those
    that occur in the shortest terms of the root. Returns: the root's number and the classes.
    """
    known: dict[Hashable, int] = {}
    homes: list[int] = []
    written: list[str] = []
    lefts: list[int] = []
    rights: list[int] = []
    for of, text, parts in rows:
        homes.append(known.setdefault(of, len(known)))
        written.append(text)
        lefts.append(known.setdefault(parts[0], len(known)) if parts else _NONE)
        rights.append(known.setdefault(parts[1], len(known)) if len(parts) > 1 else _NONE)
    texts = sorted(set(written))
    code = {text: place for place, text in enumerate(texts)}
    home, label = np.array(homes, np.int64), np.array([code[text] for text in written], np.int64)
    children = np.stack([np.array(lefts, np.int64), np.array(rights, np.int64)], axis=1)
    own = np.array([ENode(text).tokens for text in texts], np.int64)[label]

    rank, size = _ranked(home, label, own, children, len(known))
    kept = np.flatnonzero(_whole(children, rank))
    tokens = own + np.where(children < 0, 0, size[children]).sum(axis=1)
    places = np.where(children < 0, _NONE, rank[children])
    start = known[root]
    if limit is not None and len(kept) > limit:
        around = _around(start, home[kept], tokens[kept], children[kept], size)
        kept = kept[around[home[kept]] >= 0]
        # At the same length smallest terms come first, so that no node loses its operands to a tie.
        keys = (
            *(places[kept, 1], places[kept, 0], label[kept], rank[home[kept]]),
            *(tokens[kept] > size[home[kept]], around[home[kept]] + tokens[kept]),
        )
        kept = kept[np.lexsort(keys)[:limit]]
        still, _ = _ranked(home[kept], label[kept], own[kept], children[kept], len(known))
        kept = kept[_whole(children[kept], still)]
    reached = _reached(start, home[kept], children[kept], len(known))
    dense = np.full(len(known), _NONE, np.int64)
    order = np.flatnonzero(reached)
    dense[order[np.argsort(rank[order])]] = np.arange(len(order))
    kept = kept[reached[home[kept]]]
    below = np.where(children[kept] < 0, _NONE, dense[children[kept]])
    sort = np.lexsort((below[:, 1], below[:, 0], label[kept], tokens[kept], dense[home[kept]]))
    found: dict[int, list[ENode]] = {number: [] for number in range(len(order))}
    sorted_nodes = dense[home[kept]][sort].tolist(), label[kept][sort].tolist(), below[sort].tolist()
    for number, place, (one, other) in zip(*sorted_nodes, strict=True):
        found[number].append(ENode(texts[place], (one, other) if other >= 0 else (one,) if one >= 0 else ()))
    return int(dense[start]), {number: tuple(nodes) for number, nodes in found.items()}


def _whole(children: Ints, rank: Ints) -> NDArray[np.bool_]:
    """Which nodes have operands that all have terms."""
    return np.all((children < 0) | (rank[children] >= 0), axis=1)


@compiled
def _users(homes: Ints, children: Ints, count: int) -> tuple[Ints, Ints]:
    """The nodes that each class is an operand of, once for each time: (count + 1,) starts, and the nodes."""
    starts = np.zeros(count + 1, np.int64)
    for node in range(len(homes)):
        for side in range(2):
            if children[node, side] >= 0:
                starts[children[node, side] + 1] += 1
    starts = np.cumsum(starts)
    free = starts.copy()
    users = np.empty(starts[-1], np.int64)
    for node in range(len(homes)):
        for side in range(2):
            child = children[node, side]
            if child >= 0:
                users[free[child]] = node
                free[child] += 1
    return starts, users


@compiled
def _ranked(homes: Ints, labels: Ints, own: Ints, children: Ints, count: int) -> tuple[Ints, Ints]:
    """Place and length of each class's smallest term, found shortest first; -1 and 0 where there is none."""
    starts, users = _users(homes, children, count)
    rank, size = np.full(count, -1, np.int64), np.zeros(count, np.int64)
    waiting = np.zeros(len(homes), np.int64)
    heap = [(0, 0, 0, 0, 0)]
    heap.pop()
    for node in range(len(homes)):
        waiting[node] = (children[node, 0] >= 0) + (children[node, 1] >= 0)
        if not waiting[node]:
            heap.append((1, labels[node], -1, -1, node))
    heapq.heapify(heap)
    ranked = 0
    while len(heap):
        tokens, _, _, _, place = heapq.heappop(heap)
        home = homes[place]
        if rank[home] >= 0:
            continue
        rank[home], size[home] = ranked, tokens
        ranked += 1
        for at in range(starts[home], starts[home + 1]):
            node = users[at]
            waiting[node] -= 1
            if not waiting[node] and rank[homes[node]] < 0:
                left, right = children[node, 0], children[node, 1]
                total, second = own[node] + size[left], -1
                if right >= 0:
                    total, second = total + size[right], rank[right]
                heapq.heappush(heap, (total, labels[node], rank[left], second, node))
    return rank, size


@compiled
def _around(root: int, homes: Ints, tokens: Ints, children: Ints, size: Ints) -> Ints:
    """For each class the fewest tokens that a term of the root has around one of its terms, -1 where it is in
    none of them."""
    order = np.argsort(homes, kind="mergesort")
    firsts = np.searchsorted(homes[order], np.arange(len(size) + 1))
    around = np.full(len(size), -1, np.int64)
    around[root] = 0
    heap = [(0, root)]
    while len(heap):
        outside, home = heapq.heappop(heap)
        if outside > around[home]:
            continue
        for at in range(firsts[home], firsts[home + 1]):
            node = order[at]
            for side in range(2):
                child = children[node, side]
                if child >= 0:
                    beside = outside + tokens[node] - size[child]
                    if around[child] < 0 or beside < around[child]:
                        around[child] = beside
                        heapq.heappush(heap, (beside, child))
    return around


@compiled
def _reached(root: int, homes: Ints, children: Ints, count: int) -> NDArray[np.bool_]:
    """The classes that terms of the root are made of."""
    order = np.argsort(homes, kind="mergesort")
    firsts = np.searchsorted(homes[order], np.arange(count + 1))
    found = np.zeros(count, np.bool_)
    found[root] = True
    frontier = [root]
    while len(frontier):
        home = frontier.pop()
        for at in range(firsts[home], firsts[home + 1]):
            for side in range(2):
                child = children[order[at], side]
                if child >= 0 and not found[child]:
                    found[child] = True
                    frontier.append(child)
    return found

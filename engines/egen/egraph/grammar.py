"""The grammar of a grown e-graph: a non-terminal for each class, a production for each node."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import gcd
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engines.core.compiling import compiled
from engines.core.tree import Tree
from engines.egen.egraph.sampling import Tables, count_exactly, count_nearly
from engines.egen.expressions.language import HYPERBOLIC, TRIGONOMETRIC, VARIABLE, is_constant_token
from engines.egen.records import StopReason


class ENode(NamedTuple):
    """An operator over classes. `d` has its body as only child: the variable is always x."""

    label: str
    children: tuple[int, ...] = ()

    @property
    def tokens(self) -> int:
        """Tokens of the node itself in generator notation."""
        return 2 if self.label == "d" else 1


Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
_NONE = -1


@dataclass(frozen=True, eq=False)
class EGraph:
    """What can be reached from the root class, and how it came about.

    names: labels, by code. labels, children: (nodes,) codes and (nodes, 2) classes of every node, -1 for no
    operand, class by class, the root of a class's smallest term first. starts: (classes + 1,) the first node
    of each class. `nodes` counts the nodes that were grown, reachable or not; `fired` counts matches by rule;
    `seconds` is wall time.
    """

    root: int
    names: tuple[str, ...]
    labels: Ints
    children: Ints
    starts: Ints
    stop_reason: StopReason = "saturated"
    iterations: int = 0
    nodes: int = 0
    seconds: float = 0.0
    fired: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, root: int, classes: Mapping[int, Sequence[ENode]]) -> EGraph:
        """From the nodes of each class; classes are numbered from 0 on."""
        rows = [classes[number] for number in range(len(classes))]
        flat = [node for nodes in rows for node in nodes]
        codes = {label: code for code, label in enumerate(sorted({node.label for node in flat}))}
        return cls(
            root,
            tuple(codes),
            np.array([codes[node.label] for node in flat], np.int64),
            np.array([(*node.children, _NONE, _NONE)[:2] for node in flat], np.int64).reshape(-1, 2),
            np.cumsum([0, *map(len, rows)], dtype=np.int64),
        )

    def __len__(self) -> int:
        return len(self.starts) - 1

    @cached_property
    def classes(self) -> Mapping[int, tuple[ENode, ...]]:
        """The nodes of each class."""
        nodes = [
            ENode(self.names[label], tuple(child for child in both if child >= 0))
            for label, both in zip(self.labels.tolist(), self.children.tolist(), strict=True)
        ]
        return {number: tuple(nodes[first:end]) for number, (first, end) in enumerate(pairwise(self.starts))}

    @property
    def homes(self) -> Ints:
        """(nodes,) the class of each node."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    def labelled(self, *names: str) -> Bools:
        """(nodes,) which nodes have one of these labels."""
        return np.array([name in names for name in self.names], np.bool_)[self.labels]

    @cached_property
    def fractions(self) -> tuple[Bools, dict[int, tuple[int, int]]]:
        """(nodes,) which nodes are numbers; numerator and denominator of those that divide one by another."""
        numeral = np.array([is_constant_token(name) for name in self.names], np.bool_)
        first = np.append(self.labels, 0)[self.starts[:-1]]
        top, bottom = first[self.children.T]
        divided = np.flatnonzero(self.labelled("/") & numeral[top] & numeral[bottom]).tolist()
        return numeral[self.labels], {
            node: (int(self.names[top[node]]), int(self.names[bottom[node]])) for node in divided
        }

    @cached_property
    def constants(self) -> dict[int, Fraction]:
        """The numbers that classes are equal to."""
        numeral, divided = self.fractions
        values = {node: Fraction(*both) for node, both in divided.items() if both[1]}
        values |= {node: Fraction(self.names[self.labels[node]]) for node in np.flatnonzero(numeral).tolist()}
        homes, found = self.homes, dict[int, Fraction]()
        for node in sorted(values):
            found.setdefault(int(homes[node]), values[node])
        return found

    def smallest(self, number: int) -> Tree:
        return self.term(self.classes[number][0])

    def term(self, node: ENode) -> Tree:
        children = tuple(self.smallest(child) for child in node.children)
        return Tree(node.label, (Tree(VARIABLE), *children) if node.label == "d" else children)


def with_padding(egraph: EGraph, wrappings: Iterable[Tree]) -> EGraph:
    """The same e-graph where every class that is not a number also holds its own wrappings.

    Args: wrappings: terms over one pattern variable that are equal to it, such as `* 1 ?a`.
    """
    classes = {number: list(nodes) for number, nodes in egraph.classes.items()}
    homes = {node: number for number, nodes in egraph.classes.items() for node in nodes}

    def place(tree: Tree, inside: int) -> int:
        if tree.label.startswith("?"):
            return inside
        node = ENode(tree.label, tuple(place(child, inside) for child in tree.children))
        if node not in homes:
            homes[node] = len(classes)
            classes[homes[node]] = [node]
        return homes[node]

    for number in egraph.classes:
        if number not in egraph.constants:
            for tree in wrappings:
                node = ENode(tree.label, tuple(place(child, number) for child in tree.children))
                if homes.setdefault(node, number) == number and node not in classes[number]:
                    classes[number].append(node)
    padded = EGraph.of(egraph.root, classes)
    return replace(
        egraph, **{name: getattr(padded, name) for name in ("names", "labels", "children", "starts")}
    )


# Numbers for the classes of a grown e-graph, the same whatever order things happened in.
#
# egglog's own ids depend on that order. Here classes are numbered by their smallest term: shorter terms
# first, then by label, then by the numbers of the operands. Every class has one smallest term and no two
# classes share a term, so the numbering depends on nothing else, and operands that make up a smallest term
# always have smaller numbers than the class.


def number_classes(
    names: Sequence[str], rows: Ints, count: int, start: int, limit: int | None = None
) -> tuple[int, tuple[str, ...], Ints, Ints, Ints]:
    """An e-graph with canonical numbers for what can be reached from a class: the first fields of `EGraph`.

    Args: names: labels, sorted. rows: (nodes, 4) class, label and child classes, -1 for no child. count: of
    classes. start: the root. limit: keep this many nodes at most, those that occur in the shortest terms of
    the root.
    """
    home, label, children = rows[:, 0].copy(), rows[:, 1].copy(), rows[:, 2:].copy()
    own = np.array([ENode(name).tokens for name in names], np.int64)[label]
    rank, size = _ranked(home, label, own, children, count)
    kept = np.flatnonzero(_whole(children, rank))
    tokens = own + np.where(children < 0, 0, size[children]).sum(axis=1)
    places = np.where(children < 0, _NONE, rank[children])
    if limit is not None and len(kept) > limit:
        around = _around(start, home[kept], tokens[kept], children[kept], size)
        kept = kept[around[home[kept]] >= 0]
        # At the same length smallest terms come first, so that no node loses its operands to a tie.
        keys = (
            *(places[kept, 1], places[kept, 0], label[kept], rank[home[kept]]),
            *(tokens[kept] > size[home[kept]], around[home[kept]] + tokens[kept]),
        )
        kept = kept[np.lexsort(keys)[:limit]]
        still, _ = _ranked(home[kept], label[kept], own[kept], children[kept], count)
        kept = kept[_whole(children[kept], still)]
    reached = _reached(start, home[kept], children[kept], count)
    dense = np.full(count, _NONE, np.int64)
    order = np.flatnonzero(reached)
    dense[order[np.argsort(rank[order])]] = np.arange(len(order))
    kept = kept[reached[home[kept]]]
    below = np.where(children[kept] < 0, _NONE, dense[children[kept]])
    sort = np.lexsort((below[:, 1], below[:, 0], label[kept], tokens[kept], dense[home[kept]]))
    starts = np.searchsorted(dense[home[kept]][sort], np.arange(len(order) + 1))
    return int(dense[start]), tuple(names), label[kept][sort], below[sort], starts


def _whole(children: Ints, rank: Ints) -> NDArray[np.bool_]:
    return np.all((children < 0) | (rank[children] >= 0), axis=1)


@compiled
def _users(homes: Ints, children: Ints, count: int) -> tuple[Ints, Ints]:
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
    starts, users = _users(homes, children, count)
    rank, size = np.full(count, -1, np.int64), np.zeros(count, np.int64)
    waiting = np.zeros(len(homes), np.int64)
    heap = [(0, 0, 0, 0, 0)]
    heap.pop()
    for node in range(len(homes)):
        waiting[node] = int(children[node, 0] >= 0) + int(children[node, 1] >= 0)
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


# Terms are counted by length with a table over non-terminals and lengths. Operands are shorter than the term
# they are part of, so that the cycles of the grammar do no harm. Counts reach 10^21 at 25 tokens: they are
# worked out in doubles for choosing, and modulo as many 31-bit primes as it takes for exact integers (Chinese
# remainders).
#
# Without padding a rational constant (other than the head itself) is written as that number only, no
# production adds 0, subtracts from 0, multiplies by 1, divides by 1 or raises to the power 1, and no operand
# leads straight back to the class it is used in, which is what f(f^-1(u)), - -u, 1/(1/u) and (u + 8) - 8 do.
# The tests look at values of classes, not at how they are written, so that `cos 0` counts as 1, which E-Gen's
# published generator overlooks.


class Grammar:
    """The productions of an e-graph, ready for counting and sampling.

    Args: origin: for each class the one it is a part of, where classes were split (`plain`). weights: of
    operators that weigh more or less than 1 where terms are drawn; counts are without them.
    """

    def __init__(
        self,
        egraph: EGraph,
        *,
        padding: bool = False,
        origin: Ints | None = None,
        weights: Mapping[str, float] | None = None,
    ) -> None:
        self.root = egraph.root
        self._nearly: dict[int, tuple[NDArray[np.float64], NDArray[np.float64]]] = {}
        origin = np.arange(len(egraph)) if origin is None else origin
        parts = np.where(egraph.children < 0, _NONE, origin[egraph.children])
        homes = egraph.homes
        kept = np.ones(len(homes), np.bool_) if padding else _telling(egraph, homes, origin, parts)
        homes, labels, children, parts = homes[kept], egraph.labels[kept], egraph.children[kept], parts[kept]
        operands, rows = children.copy(), np.stack([np.arange(len(egraph)), np.full(len(egraph), _NONE)], 1)
        if not padding:
            # What leads straight back to the class it is used in: a row of its own, without that.
            size = int(origin.max()) + 1
            pairs = children * size + origin[homes][:, None]
            back = (children >= 0) & np.isin(pairs, (homes[:, None] * size + parts)[parts >= 0])
            barred, first, place = np.unique(pairs[back], return_index=True, return_inverse=True)
            order = np.argsort(first)
            operands[back] = len(egraph) + np.argsort(order)[place]
            rows = np.concatenate([rows, np.stack([barred[order] // size, barred[order] % size], 1)])
        given = weights or {}
        self.tables = Tables(
            starts=np.searchsorted(homes, np.arange(len(egraph) + 1)),
            own=np.array([ENode(name).tokens for name in egraph.names], np.int64)[labels],
            operands=operands,
            children=parts,
            rows=rows,
            names=["d x" if name == "d" else name for name in egraph.names],
            labels=labels,
            weights=np.array([given.get(name, 1.0) for name in egraph.names])[labels],
        )

    def counts(self, max_tokens: int) -> list[int]:
        """Terms of the root by length, exactly: item n counts those of n tokens (item 0 is 0)."""
        return count_exactly(self.tables, self.root, self.nearly(max_tokens)[0][self.root])

    def nearly(self, max_tokens: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Terms by (row, length) and by (production, length) as doubles (see `count_nearly`)."""
        if max_tokens not in self._nearly:
            self._nearly[max_tokens] = count_nearly(self.tables, max_tokens)
        return self._nearly[max_tokens]


def _telling(egraph: EGraph, homes: Ints, origin: Ints, parts: Ints) -> Bools:
    """(nodes,) which nodes say something. Args: parts: the children, by the classes they were parts of."""
    numeral, divided = egraph.fractions
    lowest = [node for node, (top, bottom) in divided.items() if bottom > 1 and gcd(top, bottom) == 1]
    number = numeral.copy()
    number[lowest] = True
    fixed, zero, one = np.zeros((3, len(egraph) + 1), np.bool_)
    for home, value in egraph.constants.items():
        fixed[home], zero[home], one[home] = home != egraph.root, value == 0, value == 1
    back = np.any((parts >= 0) & (parts == origin[homes][:, None]), axis=1)
    left, right = egraph.children.T
    neutral = egraph.labelled("+", "-") & (zero[left] | zero[right])
    neutral |= egraph.labelled("*") & (one[left] | one[right]) | egraph.labelled("/", "pow") & one[right]
    return np.where(fixed[homes], number, ~(back | neutral))


# An e-graph without detours: classes split by what their terms may not begin with.
#
# In the style `plain` no term holds a function of an inverse function of its family, or the other way round,
# with nothing but arithmetic between them (`tan acot u`, `cot(pi + acot u)`), a factor or numerator -1 that
# could be left out (in a product, sum or quotient, as the argument of an odd or even function, before a
# difference), a negative number that is added, subtracted or divided by, or a reciprocal of a reciprocal.
# What an operand may not be depends on the operator above it, so each class becomes several, one for each set
# of such demands: the terms that are left are still counted exactly and drawn uniformly.
#
# A head such as `acos(cos x)` is itself such a function of an inverse and may have no form that is none:
# there as few kinds of them as it takes are let through.

_MINUS, _DIFFERENCE, _RECIPROCAL, _NEGATIVE = 1, 2, 4, 128
_KINDS = dict.fromkeys(TRIGONOMETRIC, 8) | {f"a{name}": 16 for name in TRIGONOMETRIC}
_KINDS |= dict.fromkeys(HYPERBOLIC, 32) | {f"a{name}": 64 for name in HYPERBOLIC}
_ODD_OR_EVEN = {
    *TRIGONOMETRIC,
    *HYPERBOLIC,
    "abs",
    "asin",
    "atan",
    "acsc",
    "asinh",
    "atanh",
    "acsch",
    "acoth",
}
_FUNCTIONS = 8 | 16 | 32 | 64
_UNDONE = {8: 16, 16: 8, 32: 64, 64: 32}


def plain(egraph: EGraph) -> tuple[EGraph, Ints]:
    """The e-graph of the terms that make no detour, and for each of its classes the one it is a part of."""
    kinds, demands = _kinds(egraph), _demands(egraph)
    through = egraph.labelled("+", "-", "*", "/", "pow", "sqrt", "abs")
    parts = egraph.root, egraph.starts, egraph.children, kinds, demands, through
    for allowed in (0, *_UNDONE, _FUNCTIONS):
        origin, rows = _divided(*parts, allowed)
        rows = rows[_ending(rows[:, 0], rows[:, 2:], len(origin))]
        if not np.all(rows[:, 0]):
            break
    rows = rows[np.argsort(rows[:, 0], kind="stable")]
    starts = np.searchsorted(rows[:, 0], np.arange(len(origin) + 1))
    labels = egraph.labels[rows[:, 1]]
    return replace(egraph, root=0, labels=labels, children=rows[:, 2:].copy(), starts=starts), origin


@compiled
def _divided(
    root: int, starts: Ints, children: Ints, kinds: Ints, demands: Ints, through: Bools, allowed: int
) -> tuple[Ints, Ints]:
    """Classes divided by demands: the class that each is a part of, and rows of a class's number, a node and
    the numbers of its children. Args: through: which nodes pass on what their own class may not be."""
    numbers = np.full((len(starts) - 1, 256), -1, np.int64)
    numbers[root, 0] = 0
    waiting, origin = [(root, 0)], [root]
    rows = [0]
    rows.pop()
    while len(waiting):
        home, barred = waiting.pop()
        for node in range(starts[home], starts[home + 1]):
            if kinds[node] & barred & ~allowed or demands[node, 0] < 0:
                continue
            rows.append(numbers[home, barred])
            rows.append(node)
            for side in range(2):
                child, number = children[node, side], -1
                if child >= 0:
                    demand = demands[node, side] | (barred & _FUNCTIONS if through[node] else 0)
                    number = numbers[child, demand]
                    if number < 0:
                        number = numbers[child, demand] = len(origin)
                        waiting.append((child, demand))
                        origin.append(child)
                rows.append(number)
    return np.array(origin), np.array(rows, np.int64).reshape(-1, 4)


def _ending(homes: Ints, children: Ints, count: int) -> Bools:
    """Which nodes have a term that ends: a class may hold nothing but terms of itself."""
    ending = np.arange(count + 1) == count  # the last stands for no child
    found = np.zeros(len(homes), np.bool_)
    while (more := np.logical_and(*ending[children.T])).sum() > found.sum():
        found = more
        ending[homes[found]] = True
    return found


def _known(egraph: EGraph, holds: Callable[[Fraction], bool]) -> Bools:
    """(nodes, 2) whether an operand is a number for which something holds."""
    classes = [number for number, value in egraph.constants.items() if holds(value)]
    return np.isin(egraph.children, classes)


def _kinds(egraph: EGraph) -> Ints:
    """(nodes,) what the terms of a node begin with."""
    minus, one = _known(egraph, lambda c: c == -1), _known(egraph, lambda c: c == 1)
    negative = _known(egraph, lambda c: c < 0)
    times, over = egraph.labelled("*")[:, None], egraph.labelled("/")
    kinds = np.array([_KINDS.get(name, 0) for name in egraph.names], np.int64)[egraph.labels]
    kinds |= np.any(times & minus, axis=1) * _MINUS | np.any(times & negative, axis=1) * _NEGATIVE
    kinds |= egraph.labelled("-") * _DIFFERENCE | (egraph.labelled("pow") & negative[:, 1]) * _RECIPROCAL
    kinds |= (over & (one | minus)[:, 0]) * _RECIPROCAL
    return kinds | (over & minus[:, 0]) * _MINUS | (over & negative[:, 0]) * _NEGATIVE


def _demands(egraph: EGraph) -> Ints:
    """(nodes, 2) what each operand may not be; -1 where the node itself is a detour."""
    alone = [
        _UNDONE.get(_KINDS.get(name, 0), 0) | (_MINUS if name in _ODD_OR_EVEN else 0) for name in egraph.names
    ]
    demands = np.stack([np.array(alone, np.int64)[egraph.labels], np.zeros(len(egraph.labels), np.int64)], 1)
    negative = _known(egraph, lambda c: c < 0)[:, 1]
    whole = _known(egraph, lambda c: c.denominator == 1)[:, 1]
    times, over, raised = (egraph.labelled(name) for name in ("*", "/", "pow"))
    sums = egraph.labelled("+", "-")
    both = np.any(_known(egraph, lambda c: c == -1), axis=1) * _DIFFERENCE
    both |= np.any(_known(egraph, lambda _: True), axis=1) * _NEGATIVE | _MINUS
    demands[times] = both[times, None]
    demands[sums] = _MINUS, _MINUS | _NEGATIVE
    demands[over] = _MINUS, _MINUS | _RECIPROCAL
    demands[raised, 0] = (whole * _MINUS | negative * _RECIPROCAL)[raised]
    demands[(sums | over) & negative] = -1
    return demands

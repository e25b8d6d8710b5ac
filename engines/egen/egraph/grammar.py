"""The grammar of a grown e-graph: a non-terminal for each class, a production for each node."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import count
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


@dataclass(frozen=True, slots=True)
class EGraph:
    """What can be reached from the root class, and how it came about.

    `classes` lists the nodes of each class, the root of its smallest term first. `nodes` counts the nodes
    that were grown, reachable or not; `fired` counts matches by rule; `seconds` is wall time.
    """

    root: int
    classes: Mapping[int, tuple[ENode, ...]]
    stop_reason: StopReason = "saturated"
    iterations: int = 0
    nodes: int = 0
    seconds: float = 0.0
    fired: Mapping[str, int] = field(default_factory=dict)

    def constant(self, number: int) -> Fraction | None:
        for node in self.classes[number]:
            if not node.children and is_constant_token(node.label):
                return Fraction(node.label)
            if node.label == "/":
                value = [leaf.label for child in node.children for leaf in self.classes[child][:1]]
                if all(map(is_constant_token, value)) and Fraction(value[1]):
                    return Fraction(value[0]) / Fraction(value[1])
        return None

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
        if egraph.constant(number) is None:
            for tree in wrappings:
                node = ENode(tree.label, tuple(place(child, number) for child in tree.children))
                if homes.setdefault(node, number) == number and node not in classes[number]:
                    classes[number].append(node)
    return replace(egraph, classes={number: tuple(nodes) for number, nodes in classes.items()})


# Numbers for the classes of a grown e-graph, the same whatever order things happened in.
#
# egglog's own ids depend on that order. Here classes are numbered by their smallest term: shorter terms
# first, then by label, then by the numbers of the operands. Every class has one smallest term and no two
# classes share a term, so the numbering depends on nothing else, and operands that make up a smallest term
# always have smaller numbers than the class.

Ints = NDArray[np.int64]
Row = tuple[Hashable, str, tuple[Hashable, ...]]
_NONE = -1


def number_classes(
    rows: Sequence[Row], root: Hashable, limit: int | None = None
) -> tuple[int, dict[int, tuple[ENode, ...]]]:
    """Canonical numbers for what can be reached from `root`.

    Args: rows: (class, label, child classes), one for each node. limit: keep this many nodes at most, those
    that occur in the shortest terms of the root. Returns: the root's number and the classes.
    """
    known: defaultdict[Hashable, int] = defaultdict(count().__next__)
    home = np.array([known[of] for of, _, _ in rows], np.int64)
    texts = sorted({text for _, text, _ in rows})
    code = {text: place for place, text in enumerate(texts)}
    label = np.array([code[text] for _, text, _ in rows], np.int64)
    lefts = [known[parts[0]] if parts else _NONE for _, _, parts in rows]
    rights = [known[parts[1]] if len(parts) > 1 else _NONE for _, _, parts in rows]
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

Tokens = tuple[str, ...]


class Grammar:
    """The productions of an e-graph, ready for counting and sampling.

    Args: origin: for each class the one it is a part of, where classes were split (`plain`). weights: of
    operators that weigh more or less than 1 where terms are drawn; counts are without them.
    Attributes: root: the start class. productions: those of each class. total: see `counts`.
    """

    def __init__(
        self,
        egraph: EGraph,
        *,
        padding: bool = False,
        origin: Mapping[int, int] | None = None,
        weights: Mapping[str, float] | None = None,
    ) -> None:
        self.root = egraph.root
        self._weights = weights or {}
        self._origin = origin or {number: number for number in egraph.classes}
        origin = self._origin
        constants = {number: egraph.constant(number) for number in egraph.classes}
        zeros = {number for number, value in constants.items() if value == 0}
        ones = {number for number, value in constants.items() if value == 1}
        self.productions: list[tuple[ENode, ...]] = []
        for number, nodes in egraph.classes.items():
            kept = nodes
            if not padding and constants[number] is not None and number != egraph.root:
                kept = tuple(node for node in nodes if _is_numeral(node, egraph))
            elif not padding:
                kept = tuple(node for node in nodes if not _pads(origin, origin[number], node, zeros, ones))
            self.productions.append(kept)
        self._loops_allowed = padding
        self._nearly: dict[int, tuple[NDArray[np.float64], NDArray[np.float64]]] = {}

    @cached_property
    def tables(self) -> Tables:
        rows = [(number, -1) for number in range(len(self.productions))]
        places: dict[tuple[int, int], int] = {}
        origin = self._origin
        users = [{origin[child] for node in nodes for child in node.children} for nodes in self.productions]

        def operand(home: int, child: int) -> int:
            barred = origin[home]
            if self._loops_allowed or barred not in users[child]:
                return child
            if (child, barred) not in places:
                places[child, barred] = len(rows)
                rows.append((child, barred))
            return places[child, barred]

        flat = [node for nodes in self.productions for node in nodes]
        operands: list[int] = []
        both: list[int] = []
        for home, nodes in enumerate(self.productions):
            for node in nodes:
                ends = [-1] * (2 - len(node.children))
                operands += [*(operand(home, child) for child in node.children), *ends]
                both += [*(origin[child] for child in node.children), *ends]
        return Tables(
            starts=np.cumsum([0, *map(len, self.productions)], dtype=np.int64),
            own=np.array([node.tokens for node in flat], np.int64),
            operands=_pairs(operands),
            children=_pairs(both),
            rows=_pairs([number for row in rows for number in row]),
            labels=[("d", "x") if node.label == "d" else (node.label,) for node in flat],
            weights=np.array([self._weights.get(node.label, 1.0) for node in flat]),
        )

    def counts(self, max_tokens: int) -> list[int]:
        """Terms of the root by length, exactly: item n counts those of n tokens (item 0 is 0)."""
        return count_exactly(self.tables, self.root, self.nearly(max_tokens)[0][self.root])

    def nearly(self, max_tokens: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Terms by (row, length) and by (production, length) as doubles (see `count_nearly`)."""
        if max_tokens not in self._nearly:
            self._nearly[max_tokens] = count_nearly(self.tables, max_tokens)
        return self._nearly[max_tokens]


def _pairs(values: list[int]) -> NDArray[np.int64]:
    return np.array(values, np.int64).reshape(-1, 2)


def _is_numeral(node: ENode, egraph: EGraph) -> bool:
    if node.label != "/":
        return is_constant_token(node.label)
    parts = [egraph.classes[child][0].label for child in node.children]
    if not all(map(is_constant_token, parts)):
        return False
    value = Fraction(int(parts[0]), int(parts[1]))
    return value.denominator > 1 and (value.numerator, value.denominator) == (int(parts[0]), int(parts[1]))


def _pads(origin: Mapping[int, int], home: int, node: ENode, zeros: set[int], ones: set[int]) -> bool:
    """Whether a node of a class says nothing. Args: home: the class it was a part of, as in `origin`."""
    for child in node.children:
        if origin[child] == home:
            return True
    if len(node.children) != 2:
        return False
    left, right = node.children
    if node.label in ("+", "*"):
        neutral = zeros if node.label == "+" else ones
        return left in neutral or right in neutral
    if node.label == "-":
        return left in zeros or right in zeros
    return node.label in ("/", "pow") and right in ones


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
_ARITHMETIC = ("+", "-", "*", "/", "pow", "sqrt", "abs")
_FUNCTIONS = 8 | 16 | 32 | 64
_UNDONE = {8: 16, 16: 8, 32: 64, 64: 32}
_Nodes = list[tuple[ENode, int, tuple[int, ...]]]


def plain(egraph: EGraph) -> tuple[EGraph, dict[int, int]]:
    """The e-graph of the terms that make no detour, and for each of its classes the one it is a part of."""
    looked_at = _looked_at(egraph)
    for allowed in (0, *_UNDONE, _FUNCTIONS):
        found = _split(egraph, looked_at, allowed)
        if found[0].classes[0]:
            break
    return found


def _split(egraph: EGraph, looked_at: Mapping[int, _Nodes], allowed: int) -> tuple[EGraph, dict[int, int]]:
    numbers: dict[tuple[int, int], int] = {(egraph.root, 0): 0}
    waiting = [(egraph.root, 0)]
    homes: list[int] = []
    nodes: list[ENode] = []
    while waiting:
        home, barred = own = waiting.pop()
        passed, above = barred & ~allowed, barred & _FUNCTIONS
        number = numbers[own]
        for (label, children), kind, demands in looked_at[home]:
            if kind & passed:
                continue
            further = above if label in _ARITHMETIC else 0
            parts = []
            for child, demand in zip(children, demands, strict=True):
                part = child, demand | further
                place = numbers.get(part)
                if place is None:
                    place = numbers[part] = len(numbers)
                    waiting.append(part)
                parts.append(place)
            homes.append(number)
            nodes.append(ENode(label, tuple(parts)))
    classes: dict[int, list[ENode]] = {number: [] for number in range(len(numbers))}
    for number, node, ends in zip(homes, nodes, _ending(homes, nodes, len(numbers)).tolist(), strict=True):
        if ends:
            classes[number].append(node)
    origin = {number: home for (home, _), number in numbers.items()}
    return replace(egraph, root=0, classes={number: tuple(kept) for number, kept in classes.items()}), origin


def _ending(homes: list[int], nodes: list[ENode], count: int) -> NDArray[np.bool_]:
    """Which nodes have a term that ends: a class may hold nothing but terms of itself."""
    home = np.array(homes, np.int64)
    children = np.array([(*node.children, count, count)[:2] for node in nodes], np.int64).reshape(-1, 2)
    ending = np.arange(count + 1) == count
    found = np.zeros(len(nodes), np.bool_)
    while (more := np.logical_and(*ending[children.T])).sum() > found.sum():
        found = more
        ending[home[found]] = True
    return found


def _looked_at(egraph: EGraph) -> dict[int, _Nodes]:
    constants = {number: egraph.constant(number) for number in egraph.classes}
    return {
        number: [
            (node, _kind(node, constants), demands)
            for node in nodes
            if (demands := _demands(node, constants)) is not None
        ]
        for number, nodes in egraph.classes.items()
    }


def _kind(node: ENode, constants: Mapping[int, Fraction | None]) -> int:
    values = [constants[child] for child in node.children]
    if node.label == "*":
        negative = any(value is not None and value < 0 for value in values)
        return _MINUS | _NEGATIVE if -1 in values else _NEGATIVE * negative
    if node.label == "-":
        return _DIFFERENCE
    if node.label == "/":
        negative = values[0] is not None and values[0] < 0
        reciprocal = _RECIPROCAL * (values[0] in (1, -1))
        return reciprocal | _MINUS * (values[0] == -1) | _NEGATIVE * negative
    if node.label == "pow":
        return _RECIPROCAL if values[1] is not None and values[1] < 0 else 0
    return _KINDS.get(node.label, 0)


def _demands(node: ENode, constants: Mapping[int, Fraction | None]) -> tuple[int, ...] | None:
    """What each operand may not be; None where the node itself is a detour."""
    label, values = node.label, [constants[child] for child in node.children]
    if len(values) < 2:
        barred = _UNDONE.get(_KINDS.get(label, 0), 0) | (_MINUS if label in _ODD_OR_EVEN else 0)
        return (barred,) * len(values)
    right = values[1]
    negative = right is not None and right < 0
    if label == "*":
        barred = _MINUS | _DIFFERENCE if -1 in values else _MINUS
        number = any(value is not None for value in values)
        return (barred | _NEGATIVE * number,) * 2
    if label in ("+", "-"):
        return None if negative else (_MINUS, _MINUS | _NEGATIVE)
    if label == "/":
        return None if negative else (_MINUS, _MINUS | _RECIPROCAL)
    if label == "pow":
        whole = right is not None and right.denominator == 1
        return _MINUS * whole | _RECIPROCAL * negative, 0
    return 0, 0

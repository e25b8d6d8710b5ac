"""The grammar of a grown e-graph: a non-terminal for each class, a production for each node; its terms are
counted by length and drawn."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache, cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engines.core.arrays import Bools, Floats, Ints, find_among
from engines.core.compiling import compile_kernel
from engines.core.expression_language import VARIABLE, is_constant_token
from engines.core.tree import Tree
from engines.egen.settings import StopReason


class ENode(NamedTuple):
    """An operator over classes. `d` has its body as only child: the variable is always x."""

    label: str
    children: tuple[int, ...] = ()

    @property
    def tokens(self) -> int:
        """Tokens of the node itself in generator notation."""
        return 2 if self.label == "d" else 1


RandomState = NDArray[np.uint64]
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
    def from_classes(cls, root: int, classes: Mapping[int, Sequence[ENode]]) -> EGraph:
        """Make an e-graph from the nodes of each class; classes are numbered from 0 on."""
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

    def mask_labels(self, *names: str) -> Bools:
        """Return (nodes,) whether each node has one of these labels."""
        return np.array([name in names for name in self.names], np.bool_)[self.labels]

    @cached_property
    def fractions(self) -> tuple[Bools, dict[int, tuple[int, int]]]:
        """(nodes,) which nodes are numbers; numerator and denominator of those that divide one by another."""
        numeral = np.array([is_constant_token(name) for name in self.names], np.bool_)
        first = np.append(self.labels, 0)[self.starts[:-1]]
        top, bottom = first[self.children.T]
        divided = np.flatnonzero(self.mask_labels("/") & numeral[top] & numeral[bottom]).tolist()
        return numeral[self.labels], {
            node: (int(self.names[top[node]]), int(self.names[bottom[node]])) for node in divided
        }

    @cached_property
    def constants(self) -> dict[int, Fraction]:
        """The numbers that classes are equal to."""
        numeral, divided = self.fractions
        values = {node: Fraction(*both) for node, both in divided.items() if both[1]}
        values |= {node: Fraction(self.names[self.labels[node]]) for node in np.flatnonzero(numeral).tolist()}
        homes, value_of = self.homes, dict[int, Fraction]()
        for node in sorted(values):
            value_of.setdefault(int(homes[node]), values[node])
        return value_of

    def smallest_term(self, number: int) -> Tree:
        """Return the smallest term of a class."""
        return self.term_of_node(self.classes[number][0])

    def term_of_node(self, node: ENode) -> Tree:
        """Return the smallest term whose root is a node."""
        children = tuple(self.smallest_term(child) for child in node.children)
        return Tree(node.label, (Tree(VARIABLE), *children) if node.label == "d" else children)


def with_padding(egraph: EGraph, wrappings: Iterable[Tree]) -> EGraph:
    """Return the same e-graph where every class that is not a number also holds its own wrappings.

    Args: wrappings: terms over one pattern variable that are equal to it, such as `* 1 ?a`.
    """
    classes = {number: list(nodes) for number, nodes in egraph.classes.items()}
    homes = {node: number for number, nodes in egraph.classes.items() for node in nodes}

    # A variable of the wrapping stands for the class itself, which makes the class contain its own terms.
    def add_tree(tree: Tree, inside: int) -> int:
        if tree.label.startswith("?"):
            return inside
        node = ENode(tree.label, tuple(add_tree(child, inside) for child in tree.children))
        if node not in homes:
            homes[node] = len(classes)
            classes[homes[node]] = [node]
        return homes[node]

    for number in egraph.classes:
        if number not in egraph.constants:
            for tree in wrappings:
                node = ENode(tree.label, tuple(add_tree(child, number) for child in tree.children))
                if homes.setdefault(node, number) == number and node not in classes[number]:
                    classes[number].append(node)
    padded = EGraph.from_classes(egraph.root, classes)
    return replace(
        egraph, **{name: getattr(padded, name) for name in ("names", "labels", "children", "starts")}
    )


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


class TermGrammar:
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
        self._nearly: dict[int, tuple[Floats, Floats]] = {}
        origin = np.arange(len(egraph)) if origin is None else origin
        parts = np.where(egraph.children < 0, _NONE, origin[egraph.children])
        homes = egraph.homes
        kept = np.ones(len(homes), np.bool_) if padding else _find_telling_nodes(egraph, homes, origin, parts)
        homes, labels, children, parts = homes[kept], egraph.labels[kept], egraph.children[kept], parts[kept]
        # Row i is class i with all of its productions; a further row is a class
        # without one of its children.
        operands, rows = children.copy(), np.stack([np.arange(len(egraph)), np.full(len(egraph), _NONE)], 1)
        if not padding:
            # What leads straight back to the class it is used in: a row of its own, without that.
            size = int(origin.max()) + 1
            pairs = children * size + origin[homes][:, None]
            back = (children >= 0) & find_among(pairs, (homes[:, None] * size + parts)[parts >= 0])
            barred, first, inverse = np.unique(pairs[back], return_index=True, return_inverse=True)
            order = np.argsort(first)
            operands[back] = len(egraph) + np.argsort(order)[inverse]
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

    def count_terms(self, max_tokens: int) -> list[int]:
        """Count the terms of the root by length, exactly.

        Returns:
            For each length n from 0 to `max_tokens` the number of terms of n tokens.
        """
        return count_exactly(self.tables, self.root, self.count_nearly_terms(max_tokens)[0][self.root])

    def count_nearly_terms(self, max_tokens: int) -> tuple[Floats, Floats]:
        """Count the terms by (row, length) and by (production, length) as doubles; see `count_nearly`."""
        if max_tokens not in self._nearly:
            self._nearly[max_tokens] = count_nearly(self.tables, max_tokens)
        return self._nearly[max_tokens]


def _find_telling_nodes(egraph: EGraph, homes: Ints, origin: Ints, parts: Ints) -> Bools:
    """(nodes,) which nodes say something. Args: parts: the children, by the classes they were parts of."""
    numeral, divided = egraph.fractions
    lowest = [node for node, (top, bottom) in divided.items() if bottom > 1 and math.gcd(top, bottom) == 1]
    number = numeral.copy()
    number[lowest] = True
    fixed, zero, one = np.zeros((3, len(egraph) + 1), np.bool_)
    for home, value in egraph.constants.items():
        fixed[home], zero[home], one[home] = home != egraph.root, value == 0, value == 1
    back = np.any((parts >= 0) & (parts == origin[homes][:, None]), axis=1)
    left, right = egraph.children.T
    neutral = egraph.mask_labels("+", "-") & (zero[left] | zero[right])
    neutral |= (
        egraph.mask_labels("*") & (one[left] | one[right]) | egraph.mask_labels("/", "pow") & one[right]
    )
    return np.where(fixed[homes], number, ~(back | neutral))


# A term of a given length is drawn from the root down: a production with the number of terms it stands for as
# its weight, then how the length is shared between two operands. Where productions have weights of their own,
# a term counts as the product of those that it is made of. The sums are doubles, right to 1 part in 10^14.
# The random numbers are counter-based ones of our own (SplitMix64), so that a seed means the same terms
# everywhere.

LISTED = 4_000
"""A length with no more terms than this is gone through in a shuffled order instead of drawn from."""


@dataclass(frozen=True, slots=True)
class Tables:
    """A grammar as arrays.

    A row is a non-terminal: first the classes themselves, then classes as an operand of one whose
    productions may not lead straight back. starts: (classes + 1,) first production of each class. own:
    (productions,) tokens of the operator itself. operands, children: (productions, 2) rows and classes of
    the operands, -1 for none. rows: (rows, 2) class, and the class that its operands may not be, or -1.
    names, labels: what is printed, and (productions,) which of it. weights: (productions,) how much each
    counts where terms are drawn.
    """

    starts: Ints
    own: Ints
    operands: Ints
    children: Ints
    rows: Ints
    names: Sequence[str]
    labels: Ints
    weights: Floats

    @property
    def weighted(self) -> bool:
        """Whether terms of one length are not all as likely."""
        return bool(np.any(self.weights != 1))

    @property
    def arrays(self) -> tuple[Ints, Ints, Ints, Ints, Ints]:
        return self.starts, self.own, self.operands, self.children, self.rows


def count_nearly(tables: Tables, max_tokens: int, weights: Floats | None = None) -> tuple[Floats, Floats]:
    """Count terms by (row, length) and by (production, length), as doubles.

    Args:
        tables: The grammar.
        max_tokens: The longest length.
        weights: By production; then the weights of the terms are added up in place of their number.
    """
    by_row = np.zeros((len(tables.rows), max_tokens + 1))
    by_production = np.zeros((len(tables.own), max_tokens + 1), order="F")  # read along a class
    weights = np.ones(len(tables.own)) if weights is None else weights
    _count_by_length(*tables.arrays, weights, by_row, by_production)
    return by_row, by_production


@cache
def _nth_prime(index: int) -> int:
    """Return the largest primes of 31 bits, the largest first."""
    # Below 2^31, so that a product of two residues fits into 64 bits.
    number = _nth_prime(index - 1) - 2 if index else 2**31 - 1
    while any(number % factor == 0 for factor in range(3, math.isqrt(number) + 1, 2)):
        number -= 2
    return number


def count_exactly(tables: Tables, root: int, near: Floats) -> list[int]:
    """Count the terms of a class by length, as exact integers.

    Args:
        tables: The grammar.
        root: The class.
        near: The counts by row and length that `count_nearly` returned.
    """
    max_tokens = len(near) - 1
    if near.max() < 2.0**52:  # sums and products of smaller integers: the doubles are exact
        return [int(number) for number in near]
    # Beyond 2^52, counts are computed modulo several primes, whose product exceeds any count with a margin
    # for the rounding of the estimate. The Chinese remainder theorem puts them together.
    modulus = 1
    primes: list[int] = []
    while modulus < 4 * int(near.max()):
        primes.append(_nth_prime(len(primes)))
        modulus *= primes[-1]
    total = [0] * (max_tokens + 1)
    for prime in primes:
        by_row = np.zeros((len(tables.rows), max_tokens + 1), np.uint64)
        by_production = np.zeros((len(tables.own), max_tokens + 1), np.uint64, order="F")
        _count_modulo(*tables.arrays, by_row, by_production, np.uint64(prime))
        # `unit` is 1 modulo this prime and 0 modulo all others.
        others = modulus // prime
        unit = others * pow(others, -1, prime)
        for length, residue in enumerate(by_row[root].tolist()):
            total[length] = (total[length] + unit * residue) % modulus
    return total


@compile_kernel
def _count_by_length(
    starts: Ints,
    own: Ints,
    operands: Ints,
    children: Ints,
    rows: Ints,
    weights: Floats,
    by_row: Floats,
    by_production: Floats,
) -> None:
    shortest = np.full(len(rows), by_row.shape[1], np.int64)
    # By rising length: operands are shorter than their terms, so their numbers are known.
    for length in range(1, by_row.shape[1]):
        for p in range(len(own)):
            rest = length - own[p]
            left, right = operands[p, 0], operands[p, 1]
            total = 0.0
            if left < 0:
                total = 1.0 if rest == 0 else 0.0
            elif rest > 0 and right < 0:
                total = by_row[left, rest]
            elif rest > 0:
                # A pair of operands shares the remaining tokens in every possible way: a convolution.
                for first in range(shortest[left], rest + 1 - shortest[right]):
                    total += by_row[left, first] * by_row[right, rest - first]
            by_production[p, length] = weights[p] * total
        for row in range(len(rows)):
            home, barred = rows[row, 0], rows[row, 1]
            total = 0.0
            for p in range(starts[home], starts[home + 1]):
                if barred < 0 or (children[p, 0] != barred and children[p, 1] != barred):
                    total += by_production[p, length]
            by_row[row, length] = total
            if total > 0.0 and shortest[row] > length:
                shortest[row] = length


@compile_kernel
def _count_modulo(
    starts: Ints,
    own: Ints,
    operands: Ints,
    children: Ints,
    rows: Ints,
    by_row: RandomState,
    by_production: RandomState,
    prime: np.uint64,
) -> None:
    for length in range(1, by_row.shape[1]):
        for p in range(len(own)):
            rest = length - own[p]
            left, right = operands[p, 0], operands[p, 1]
            total = np.uint64(0)
            if left < 0:
                total = np.uint64(rest == 0)
            elif rest > 0 and right < 0:
                total = by_row[left, rest]
            elif rest > 0:
                for first in range(1, rest):
                    total += (by_row[left, first] * by_row[right, rest - first]) % prime
            by_production[p, length] = total % prime
        for row in range(len(rows)):
            home, barred = rows[row, 0], rows[row, 1]
            total = np.uint64(0)
            for p in range(starts[home], starts[home + 1]):
                if barred < 0 or (children[p, 0] != barred and children[p, 1] != barred):
                    total += by_production[p, length]
            by_row[row, length] = total % prime


@compile_kernel
def _next_random(state: RandomState) -> float:
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    return float(z >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@compile_kernel
def _draw_terms(
    starts: Ints,
    own: Ints,
    operands: Ints,
    children: Ints,
    rows: Ints,
    weights: Floats,
    by_row: Floats,
    by_production: Floats,
    root: int,
    length: int,
    numbers: Floats,
    state: RandomState,
    out: Ints,
) -> None:
    """One term per row of `out`: the productions in prefix order, -1 behind the last.

    Terms are drawn, or where there are `numbers` those that stand there in the order of productions: only
    without weights, and where there are so few that doubles count them exactly.
    """
    drawn = len(numbers) == 0
    waiting, aims = np.empty((length + 1, 2), np.int64), np.empty(length + 1)
    for term in range(out.shape[0]):
        waiting[0, 0], waiting[0, 1] = root, length
        aims[0] = 0.0 if drawn else numbers[term]
        top, at = 1, 0
        while top:
            top -= 1
            row, size = waiting[top, 0], waiting[top, 1]
            home, barred = rows[row, 0], rows[row, 1]
            # The position of the term among all that fit: a random number, or the number that is given.
            aim = _next_random(state) * by_row[row, size] if drawn else aims[top]
            chosen = -1
            # Subtract the ways of each production until the position falls into one.
            for p in range(starts[home], starts[home + 1]):
                ways = by_production[p, size]
                if ways > 0.0 and (barred < 0 or (children[p, 0] != barred and children[p, 1] != barred)):
                    # Chosen before the test, so that rounding at the end of the range leaves
                    # the last possible one.
                    chosen = p
                    if aim < ways:
                        break
                    aim -= ways
            out[term, at] = chosen
            at += 1
            rest = size - own[chosen]
            left, right = operands[chosen, 0], operands[chosen, 1]
            if left < 0:
                continue
            if right < 0:
                waiting[top, 0], waiting[top, 1], aims[top] = left, rest, aim
                top += 1
                continue
            # Two operands share the remaining tokens: each way to divide them has
            # its own number of pairs.
            share = 1
            for first in range(1, rest):
                ways = weights[chosen] * (by_row[left, first] * by_row[right, rest - first])
                if ways > 0.0:
                    share = first
                    if aim < ways:
                        break
                    aim -= ways
            # The left operand is taken from the stack first, since terms are written in prefix order.
            waiting[top, 0], waiting[top, 1] = right, rest - share
            waiting[top + 1, 0], waiting[top + 1, 1] = left, share
            if not drawn:
                # A pair is numbered as left · (number of right terms) + right.
                others = by_row[right, rest - share]
                aims[top], aims[top + 1] = aim % others, aim // others
            top += 2
        out[term, at:] = -1


@compile_kernel
def _shuffle_order(order: Ints, state: RandomState) -> None:
    for last in range(len(order) - 1, 0, -1):
        other = int(_next_random(state) * (last + 1))
        order[last], order[other] = order[other], order[last]


@compile_kernel
def _heaviest_last(weights: Floats, state: RandomState) -> Ints:
    """Numbers in the reverse of the order in which drawing by weight without replacement gives them
    (Efraimidis and Spirakis: by exponential waiting times)."""
    waits = np.empty(len(weights))
    for index in range(len(weights)):
        waits[index] = math.log(1.0 - _next_random(state)) / weights[index]
    return np.argsort(waits, kind="mergesort")


class Sampler:
    """Draws terms of a grammar by their weight, which is uniformly among those of a length where nothing is
    weighted, never the same one twice.

    Args: max_tokens: the longest that will be asked for. seed: whatever determines the drawing.
    """

    def __init__(self, grammar: TermGrammar, max_tokens: int, seed: int = 0) -> None:
        self._grammar = grammar
        self.tables = grammar.tables
        self._counts = self._shares = grammar.count_nearly_terms(max_tokens)
        if self.tables.weighted:
            self._shares = count_nearly(self.tables, max_tokens, self.tables.weights)
        self._seed = seed
        self._states: dict[int, RandomState] = {}
        self._seen: dict[int, set[bytes]] = {}
        self._orders: dict[int, Ints] = {}

    def count_supply(self, length: int) -> float:
        """Return how many terms of a length there are, as a double."""
        return float(self._counts[0][self._grammar.root, length])

    def draw_rows(self, length: int, count: int) -> Ints:
        """Draw further terms of one length, none of them twice.

        Returns:
            At most `count` terms, shape (terms, length): their productions in prefix order, with -1 after the
            last of each; no rows when all terms have been drawn.
        """
        if not self.count_supply(length):
            return np.empty((0, length), np.int64)
        if length not in self._states:
            # Each length has a random stream of its own, so that what is drawn of
            # one does not change another.
            words = np.random.SeedSequence([self._seed, length]).generate_state(1, np.uint64)
            self._states[length] = words.astype(np.uint64)
        state = self._states[length]
        # Few terms: number all of them, shuffle the numbers, and take them from the end.
        if self.count_supply(length) <= LISTED:
            if length not in self._orders:
                self._orders[length] = self._draw_order(length, state)
            order = self._orders[length]
            wanted = order[: -count - 1 : -1].copy()
            self._orders[length] = order[: len(order) - len(wanted)]
            return self._rows_of_numbers(length, wanted)
        drawn = np.empty((count, length), np.int64)
        tables = self.tables
        _draw_terms(
            *tables.arrays,
            tables.weights,
            *self._shares,
            self._grammar.root,
            length,
            np.empty(0),
            state,
            drawn,
        )
        # Many terms: the same one is drawn twice so rarely that repetitions can be dropped.
        seen = self._seen.setdefault(length, set())
        new = []
        for index, row in enumerate(drawn):
            key = row.tobytes()
            if key not in seen:
                seen.add(key)
                new.append(index)
        return drawn[new]

    def _rows_of_numbers(self, length: int, wanted: Ints) -> Ints:
        rows = np.empty((len(wanted), length), np.int64)
        alike, unused = np.ones_like(self.tables.weights), np.zeros(1, np.uint64)
        numbers = wanted.astype(np.float64)
        _draw_terms(
            *self.tables.arrays, alike, *self._counts, self._grammar.root, length, numbers, unused, rows
        )
        return rows

    def _draw_order(self, length: int, state: RandomState) -> Ints:
        order = np.arange(int(self.count_supply(length)))
        if not self.tables.weighted:
            _shuffle_order(order, state)
            return order
        factors = np.append(self.tables.weights, 1.0)  # -1, behind the end of a term, weighs nothing
        return _heaviest_last(factors[self._rows_of_numbers(length, order)].prod(axis=1), state)

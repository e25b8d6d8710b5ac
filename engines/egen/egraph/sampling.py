"""Counting and choosing terms of a grammar: compiled tables and a uniform sampler.

A term of a given length is drawn from the root down: a production with the number of terms it stands for as
its weight, then how the length is shared between two operands. Where productions have weights of their own, a
term counts as the product of those that it is made of. The sums are doubles, right to 1 part in 10^14. The
random numbers are counter-based ones of our own (SplitMix64), so that a seed means the same
terms everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import isqrt
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engines.core.compiling import compiled

if TYPE_CHECKING:
    from engines.egen.egraph.grammar import Grammar


LISTED = 4_000
"""A length with no more terms than this is gone through in a shuffled order instead of drawn from."""

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Words = NDArray[np.uint64]

_NONE = np.empty(0)


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
    """Terms by (row, length) and by (production, length), as doubles, or the sum of their weights."""
    by_row = np.zeros((len(tables.rows), max_tokens + 1))
    by_production = np.zeros((len(tables.own), max_tokens + 1), order="F")  # read along a class
    weights = np.ones(len(tables.own)) if weights is None else weights
    _count(*tables.arrays, weights, by_row, by_production)
    return by_row, by_production


@cache
def _prime(place: int) -> int:
    """The largest primes of 31 bits, the largest first."""
    number = _prime(place - 1) - 2 if place else 2**31 - 1
    while any(number % factor == 0 for factor in range(3, isqrt(number) + 1, 2)):
        number -= 2
    return number


def count_exactly(tables: Tables, root: int, near: Floats) -> list[int]:
    """Terms of a class by length as exact integers. Args: near: the same as `count_nearly` has it."""
    max_tokens = len(near) - 1
    if near.max() < 2.0**52:  # sums and products of smaller integers: the doubles are exact
        return [int(number) for number in near]
    modulus = 1
    primes: list[int] = []
    while modulus < 4 * int(near.max()):
        primes.append(_prime(len(primes)))
        modulus *= primes[-1]
    total = [0] * (max_tokens + 1)
    for prime in primes:
        by_row = np.zeros((len(tables.rows), max_tokens + 1), np.uint64)
        by_production = np.zeros((len(tables.own), max_tokens + 1), np.uint64, order="F")
        _count_modulo(
            *tables.arrays,
            by_row=by_row,
            by_production=by_production,
            prime=np.uint64(prime),
        )
        others = modulus // prime
        unit = others * pow(others, -1, prime)
        for length, residue in enumerate(by_row[root].tolist()):
            total[length] = (total[length] + unit * residue) % modulus
    return total


@compiled
def _count(
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


@compiled
def _count_modulo(
    starts: Ints,
    own: Ints,
    operands: Ints,
    children: Ints,
    rows: Ints,
    by_row: Words,
    by_production: Words,
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


@compiled
def _random(state: Words) -> float:
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    return float(z >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@compiled
def _draw(
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
    state: Words,
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
            aim = _random(state) * by_row[row, size] if drawn else aims[top]
            chosen = -1
            for p in range(starts[home], starts[home + 1]):
                ways = by_production[p, size]
                if ways > 0.0 and (barred < 0 or (children[p, 0] != barred and children[p, 1] != barred)):
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
            share = 1
            for first in range(1, rest):
                ways = weights[chosen] * (by_row[left, first] * by_row[right, rest - first])
                if ways > 0.0:
                    share = first
                    if aim < ways:
                        break
                    aim -= ways
            waiting[top, 0], waiting[top, 1] = right, rest - share
            waiting[top + 1, 0], waiting[top + 1, 1] = left, share
            if not drawn:
                others = by_row[right, rest - share]
                aims[top], aims[top + 1] = aim % others, aim // others
            top += 2
        out[term, at:] = -1


@compiled
def _shuffle(order: Ints, state: Words) -> None:
    for last in range(len(order) - 1, 0, -1):
        other = int(_random(state) * (last + 1))
        order[last], order[other] = order[other], order[last]


@compiled
def _heaviest_last(weights: Floats, state: Words) -> Ints:
    """Numbers in the reverse of the order in which drawing by weight without replacement gives them
    (Efraimidis and Spirakis: by exponential waiting times)."""
    waits = np.empty(len(weights))
    for place in range(len(weights)):
        waits[place] = math.log(1.0 - _random(state)) / weights[place]
    return np.argsort(waits, kind="mergesort")


class Sampler:
    """Draws terms of a grammar by their weight, which is uniformly among those of a length where nothing is
    weighted, never the same one twice.

    Args: max_tokens: the longest that will be asked for. seed: whatever determines the drawing.
    """

    def __init__(self, grammar: Grammar, max_tokens: int, seed: int = 0) -> None:
        self._grammar = grammar
        self.tables = grammar.tables
        self._counts = self._shares = grammar.nearly(max_tokens)
        if self.tables.weighted:
            self._shares = count_nearly(self.tables, max_tokens, self.tables.weights)
        self._seed = seed
        self._states: dict[int, Words] = {}
        self._seen: dict[int, set[bytes]] = {}
        self._orders: dict[int, Ints] = {}

    def supply(self, length: int) -> float:
        return float(self._counts[0][self._grammar.root, length])

    def rows(self, length: int, count: int) -> Ints:
        """At most `count` further terms of one length, as (terms, length) productions in prefix order with -1
        behind the last of each; none when all have been given."""
        if not self.supply(length):
            return np.empty((0, length), np.int64)
        if length not in self._states:
            self._states[length] = _state(self._seed, length)
        state = self._states[length]
        if self.supply(length) <= LISTED:
            if length not in self._orders:
                self._orders[length] = self._order(length, state)
            order = self._orders[length]
            wanted = order[: -count - 1 : -1].copy()
            self._orders[length] = order[: len(order) - len(wanted)]
            return self._numbered(length, wanted)
        drawn = np.empty((count, length), np.int64)
        tables = self.tables
        _draw(*tables.arrays, tables.weights, *self._shares, self._grammar.root, length, _NONE, state, drawn)
        seen = self._seen.setdefault(length, set())
        new = []
        for place, row in enumerate(drawn):
            key = row.tobytes()
            if key not in seen:
                seen.add(key)
                new.append(place)
        return drawn[new]

    def _numbered(self, length: int, wanted: Ints) -> Ints:
        found = np.empty((len(wanted), length), np.int64)
        alike, unused = np.ones_like(self.tables.weights), np.zeros(1, np.uint64)
        numbers = wanted.astype(np.float64)
        _draw(*self.tables.arrays, alike, *self._counts, self._grammar.root, length, numbers, unused, found)
        return found

    def _order(self, length: int, state: Words) -> Ints:
        order = np.arange(int(self.supply(length)))
        if not self.tables.weighted:
            _shuffle(order, state)
            return order
        factors = np.append(self.tables.weights, 1.0)  # -1, behind the end of a term, weighs nothing
        return _heaviest_last(factors[self._numbered(length, order)].prod(axis=1), state)


def _state(seed: int, length: int) -> Words:
    return np.random.SeedSequence([seed, length]).generate_state(1, np.uint64).astype(np.uint64)

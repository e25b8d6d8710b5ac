"""The grammar of an e-graph: one non-terminal per class, one production per node; its terms are the members.

Terms are counted by length with a table over non-terminals and lengths. Operands are shorter than the term
they are part of, so that the cycles of the grammar do no harm. Counts reach 10^21 at 25 tokens: they are
worked out in doubles for choosing, and modulo as many 31-bit primes as it takes for exact integers (Chinese
remainders).

Without padding a rational constant (other than the head itself) is written as that number only, no
production adds 0, subtracts from 0, multiplies by 1, divides by 1 or raises to the power 1, and no operand
leads straight back to the class it is used in, which is what f(f^-1(u)), - -u, 1/(1/u) and (u + 8) - 8 do.
The tests look at values of classes, not at how they are written, so that `cos 0` counts as 1, which
E-Gen's published generator overlooks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engines.core.tree import Tree, parse_prefix
from engines.egen.egraph.graph import EGraph, ENode
from engines.egen.egraph.sampling import Sampler, Tables, count_exactly, count_nearly
from engines.egen.expressions.language import ARITY, is_constant_token

__all__ = ["Grammar"]

Tokens = tuple[str, ...]


class Grammar:
    """The productions of an e-graph, ready for counting, enumerating and sampling.

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

    @cached_property
    def tables(self) -> Tables:
        """The productions as flat arrays."""
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
        return count_exactly(self.tables, self.root, max_tokens)

    def enumerate(self, max_tokens: int) -> Iterator[Tree]:
        """Every term, shortest first; those of one length in the order of productions."""
        for length in range(1, max_tokens + 1):
            for tokens in self.terms(length):
                yield parse_prefix(tokens, lambda token: ARITY.get(token, 0))

    def terms(self, length: int) -> list[Tokens]:
        """All terms of one length as prefix tokens; `counts` says beforehand how many there are."""
        near, _ = count_nearly(self.tables, length)
        return self._terms(self.root, length, near, {})

    def _terms(
        self, row: int, length: int, near: NDArray[np.float64], known: dict[tuple[int, int], list[Tokens]]
    ) -> list[Tokens]:
        key = (row, length)
        if key in known:
            return known[key]
        found: list[Tokens] = []
        if near[row, length]:
            tables = self.tables
            for place in tables.choices(row):
                head, rest = tables.labels[place], length - int(tables.own[place])
                left, right = tables.operands[place].tolist()
                if left < 0:
                    found += [head] if rest == 0 else []
                elif right < 0:
                    found += (
                        [head + body for body in self._terms(left, rest, near, known)] if rest > 0 else []
                    )
                else:
                    for first in range(1, rest):
                        if near[left, first] and near[right, rest - first]:
                            lefts = self._terms(left, first, near, known)
                            rights = self._terms(right, rest - first, near, known)
                            found += [head + a + b for a in lefts for b in rights]
        known[key] = found
        return found

    def sample(self, length: int, count: int, seed: int = 0) -> list[Tokens]:
        """Distinct terms of one length as prefix tokens, uniformly without replacement.

        All of them, when there are fewer than `count`. A seed gives the same terms on every machine.
        """
        sampler = Sampler(self, length, seed)
        found: list[Tokens] = []
        while len(found) < min(count, sampler.supply(length)):
            found += sampler.draw(length, count - len(found))
        return found


def _pairs(values: list[int]) -> NDArray[np.int64]:
    return np.array(values, np.int64).reshape(-1, 2)


def _is_numeral(node: ENode, egraph: EGraph) -> bool:
    """Whether a node of a constant's class is its usual writing: `3`, or `/ 1 2`."""
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

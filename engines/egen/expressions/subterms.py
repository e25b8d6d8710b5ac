"""Terms with every subterm held once, under a number: what is found out about one holds wherever it occurs.

Operands have smaller numbers than what they are operands of, and terms that are written the same have the
same number. Of the thousands of terms that are drawn for a head most subterms are shared.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from engines.core.numeric_kernel import compiled

DERIVATIVE = "d x"
"""The label of a derivative; its only operand is the body."""
_NONE = -1
_FIRST = 512

Ints = NDArray[np.int64]


class Subterms:
    """Numbered terms over the labels of a language.

    Args: arity: operands of each label; others have none. Attributes: names: of the labels, by code. labels,
    lefts, rights: code and operands of every term, -1 for none. table: the same as an array, with room behind
    the last.
    """

    def __init__(self, arity: Mapping[str, int]) -> None:
        self._arity = {**arity, DERIVATIVE: 1}
        self._codes: dict[str, int] = {}
        self._operands = np.empty(0, np.int64)
        self.names: list[str] = []
        self.labels: list[int] = []
        self.lefts: list[int] = []
        self.rights: list[int] = []
        self.table: Ints = np.empty((_FIRST, 3), np.int64)
        self._slots: Ints = np.full(4 * _FIRST, _NONE, np.int64)

    def __len__(self) -> int:
        """How many there are."""
        return len(self.labels)

    def codes(self, names: Iterable[str]) -> Ints:
        """The codes of labels, each of them one token but `DERIVATIVE`."""
        found = [self._codes.setdefault(name, len(self._codes)) for name in names]
        if len(self._codes) > len(self.names):
            self.names = list(self._codes)
            self._operands = np.array([self._arity.get(name, 0) for name in self.names], np.int64)
        return np.array(found, np.int64)

    def add(self, rows: Ints) -> list[int]:
        """The numbers of terms: (terms, length) codes in prefix order, -1 behind the last of each."""
        known = len(self)
        while known + rows.size > len(self.table):
            self.table = np.concatenate([self.table, np.empty_like(self.table)])
            self._slots = np.full(4 * len(self.table), _NONE, np.int64)
            _place(self.table, known, self._slots)
        numbers = np.empty(len(rows), np.int64)
        count = _add(rows, self._operands, self.table, known, self._slots, numbers)
        for column, new in zip(
            (self.labels, self.lefts, self.rights), self.table[known:count].T, strict=True
        ):
            column += new.tolist()
        found: list[int] = numbers.tolist()
        return found

    def read(self, tokens: Sequence[str]) -> int:
        """The number of a term in prefix notation."""
        names = [DERIVATIVE if token == "d" else token for token in tokens]
        codes = self.codes(
            name for place, name in enumerate(names) if not place or names[place - 1] != DERIVATIVE
        )
        return self.add(codes.reshape(1, -1))[0]

    def tokens(self, number: int) -> tuple[str, ...]:
        """A term in prefix notation."""
        names: list[str] = []
        waiting = [number]
        while waiting:
            at = waiting.pop()
            names.append(self.names[self.labels[at]])
            if self.rights[at] >= 0:
                waiting.append(self.rights[at])
            if self.lefts[at] >= 0:
                waiting.append(self.lefts[at])
        return tuple(" ".join(names).split())


@compiled
def _slot(code: int, left: int, right: int, table: Ints, slots: Ints) -> int:
    """Where the number of a term is noted, or would be."""
    mixed = np.uint64(code + 1) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ np.uint64(left + 1)) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(29)) ^ np.uint64(right + 1)) * np.uint64(0x94D049BB133111EB)
    last = len(slots) - 1  # a power of two less one
    at = np.int64((mixed ^ (mixed >> np.uint64(32))) & np.uint64(last))
    while slots[at] >= 0:
        row = slots[at]
        if table[row, 0] == code and table[row, 1] == left and table[row, 2] == right:
            break
        at = (at + 1) & last
    return int(at)


@compiled
def _place(table: Ints, count: int, slots: Ints) -> None:
    """Note the numbers of terms in empty slots."""
    for number in range(count):
        slots[_slot(table[number, 0], table[number, 1], table[number, 2], table, slots)] = number


@compiled
def _add(rows: Ints, operands: Ints, table: Ints, count: int, slots: Ints, numbers: Ints) -> int:
    """Number the terms in `rows`; how many there are then."""
    stack = np.empty(rows.shape[1] + 1, np.int64)
    for term in range(rows.shape[0]):
        top, end = 0, rows.shape[1]
        while rows[term, end - 1] < 0:
            end -= 1
        for at in range(end - 1, -1, -1):
            code = rows[term, at]
            left, right = -1, -1
            if operands[code] > 0:
                top -= 1
                left = stack[top]
            if operands[code] > 1:
                top -= 1
                right = stack[top]
            place = _slot(code, left, right, table, slots)
            if slots[place] < 0:
                table[count, 0], table[count, 1], table[count, 2] = code, left, right
                slots[place] = count
                count += 1
            stack[top] = slots[place]
            top += 1
        numbers[term] = stack[0]
    return count

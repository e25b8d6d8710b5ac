"""Token ids of millions of texts, in a temporary file; what stays of a pair; the special tokens around it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Frame", "Sequences", "longest_first", "padded", "tokenised"]

Ids = NDArray[np.int32]
_AT_ONCE = 1_000


@dataclass(frozen=True, slots=True)
class Sequences:
    """`ids` of all sequences, which end at `ends`. `whole` is how long each was before it was cut to what is
    kept of it."""

    ids: Ids
    ends: NDArray[np.int64]
    whole: NDArray[np.int64]

    @classmethod
    def of(cls, rows: Iterable[Sequence[int]], *, keep: int = 0) -> Sequences:
        """Write them down, of each the first `keep` (0: all). The file has no name and ends with the process,
        so a million posts take the disk's room and not the memory's."""
        ends, whole, end = [], [], 0
        with tempfile.TemporaryFile() as file:
            for row in rows:
                kept = row[:keep] if keep else row
                file.write(np.asarray(kept, np.int32).tobytes())
                end += len(kept)
                ends.append(end)
                whole.append(len(row))
            file.flush()
            ids = np.memmap(file, np.int32, "r", shape=(end,)) if end else np.zeros(0, np.int32)
        return cls(ids, np.array(ends, np.int64), np.array(whole, np.int64))

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, row: int) -> Ids:
        return self.ids[self.ends[row - 1] if row else 0 : self.ends[row]]

    @property
    def lengths(self) -> NDArray[np.int64]:
        """(sequences,) how many tokens are kept of each."""
        return np.diff(self.ends, prepend=0)


def tokenised(tokenizer: Any, texts: Iterable[str]) -> Iterator[list[int]]:
    """Token ids of every text, without special tokens and uncut."""
    source = iter(texts)
    while batch := list(islice(source, _AT_ONCE)):
        yield from tokenizer(
            batch,
            add_special_tokens=False,
            padding=False,
            truncation=False,
            return_attention_mask=False,
            return_token_type_ids=False,
            verbose=False,
        )["input_ids"]


def longest_first(left: int, right: int, room: int) -> tuple[int, int]:
    """How many tokens of either side stay when both must fit into `room`: the longer side gives first.

    >>> longest_first(40, 600, 509), longest_first(400, 300, 509), longest_first(10, 10, 509)
    ((40, 469), (255, 254), (10, 10))
    """
    if left + right <= room:
        return left, right
    short = min(left, right)
    half = room // 2
    if short <= half:
        return (left, room - left) if left <= right else (room - right, right)
    # Both give: as Hugging Face's "longest_first", the side that was longer keeps the odd token.
    return (half, room - half) if left <= right else (room - half, half)


@dataclass(frozen=True, slots=True)
class Frame:
    """The special tokens that a tokenizer puts around one text and around a pair, read off an example.

    `second` is the token type of what follows the middle of a pair.
    """

    before: tuple[int, ...]
    between: tuple[int, ...]
    after: tuple[int, ...]
    before_one: tuple[int, ...]
    after_one: tuple[int, ...]
    second: int

    @classmethod
    def of(cls, tokenizer: Any, *, types: int) -> Frame:
        """Of a fast tokenizer. Args: types: how many token types the model distinguishes."""
        pair, one = tokenizer("a", "b"), tokenizer("a")
        before, between, after = _around(pair["input_ids"], pair.sequence_ids(0))
        before_one, _, after_one = _around(one["input_ids"], one.sequence_ids(0))
        given = pair.get("token_type_ids")
        return cls(
            before, between, after, before_one, after_one, int(types > 1 and bool(given and max(given)))
        )

    @property
    def width(self) -> int:
        """Special tokens of a pair."""
        return len(self.before) + len(self.between) + len(self.after)

    @property
    def width_one(self) -> int:
        """Special tokens around one text."""
        return len(self.before_one) + len(self.after_one)

    def pair(self, left: Sequence[int] | Ids, right: Sequence[int] | Ids) -> tuple[Ids, Ids]:
        """Ids and token types of a pair."""
        head = (*self.before, *left, *self.between)
        ids = np.array([*head, *right, *self.after], np.int32)
        types = np.zeros(len(ids), np.int32)
        types[len(head) :] = self.second
        return ids, types

    def one(self, text: Ids) -> tuple[Ids, Ids]:
        """Ids and token types of a single text."""
        ids = np.array([*self.before_one, *text, *self.after_one], np.int32)
        return ids, np.zeros(len(ids), np.int32)


def _around(ids: list[int], sides: list[int | None]) -> tuple[tuple[int, ...], ...]:
    """The ids before, between and after those that belong to a text."""
    places = [place for place, side in enumerate(sides) if side is not None]
    cut = next((place for place in places if sides[place] == 1), places[-1] + 1)
    last = max(place for place in places if place < cut)
    between = tuple(ids[last + 1 : cut]) if cut <= places[-1] else ()
    return tuple(ids[: places[0]]), between, tuple(ids[places[-1] + 1 :])


def padded(rows: Sequence[Ids], pad: int) -> NDArray[np.int64]:
    """(rows, length of the longest)."""
    found = np.full((len(rows), max(map(len, rows))), pad, np.int64)
    for place, row in enumerate(rows):
        found[place, : len(row)] = row
    return found

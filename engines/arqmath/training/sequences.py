"""Token ids of millions of texts, in a file; what stays of a pair; the special tokens around it."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from engines.core.files import atomic_folder, locked
from engines.training.token_cache import prune

Ids = NDArray[np.int32]
Name = TypeVar("Name")
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
        with tempfile.TemporaryFile() as file:
            ends, whole = _written(file, rows, keep)
            file.flush()
            count = int(ends[-1]) if len(ends) else 0
            ids = np.memmap(file, np.int32, "r", shape=(count,)) if count else np.zeros(0, np.int32)
        return cls(ids, ends, whole)

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, row: int) -> Ids:
        return self.ids[self.ends[row - 1] if row else 0 : self.ends[row]]

    @property
    def lengths(self) -> NDArray[np.int64]:
        """(sequences,) how many tokens are kept of each."""
        return np.diff(self.ends, prepend=0)


def _written(
    file: IO[bytes], rows: Iterable[Sequence[int]], keep: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Write ids, of each row the first `keep` (0: all). Returns: where rows end, and how long they were."""
    ends, whole, end = [], [], 0
    for row in rows:
        kept = row[:keep] if keep else row
        file.write(np.asarray(kept, np.int32).tobytes())
        end += len(kept)
        ends.append(end)
        whole.append(len(row))
    return np.array(ends, np.int64), np.array(whole, np.int64)


def kept_rows(
    place: Path | None, rows: Callable[[], Iterable[tuple[Name, Sequence[int]]]], *, keep: int = 0
) -> tuple[list[Name], Sequences]:
    """Rows of ids, each with its name (text, or numbers in a list), in their order.

    With a `place` (see `Kept.place`) the first process that asks writes them there, complete or not at all;
    others wait, and they and all that come later read the same bits. What is damaged there is made again.
    Without one they are in a file that ends with the process. Args: keep: as `Sequences.of` takes it.
    """
    names: list[Name] = []

    def ids() -> Iterator[Sequence[int]]:
        for name, row in rows():
            names.append(name)
            yield row

    if place is None:
        found = Sequences.of(ids(), keep=keep)
        return names, found
    with locked(place):
        while (read := _read_rows(place)) is None:
            names.clear()
            with atomic_folder(place, "names.json") as draft:
                with (draft / "ids.i4").open("wb") as file:
                    ends, whole = _written(file, ids(), keep)
                np.save(draft / "ends.npy", ends)
                np.save(draft / "whole.npy", whole)
                (draft / "names.json").write_text(json.dumps(names), encoding="utf-8")
            prune(place)
    return read


def _read_rows(place: Path) -> tuple[list[Any], Sequences] | None:
    """What `kept_rows` wrote; None where it is not there, or not all of it."""
    try:
        os.utime(place)  # so that what is used stays
        ends, whole = (np.load(place / f"{name}.npy", allow_pickle=False) for name in ("ends", "whole"))
        names = json.loads((place / "names.json").read_bytes())
        count = int(ends[-1]) if len(ends) else 0
        if not len(names) == len(ends) == len(whole) or (place / "ids.i4").stat().st_size != 4 * count:
            return None
        ids = np.memmap(place / "ids.i4", np.int32, "r", shape=(count,)) if count else np.zeros(0, np.int32)
    except (OSError, ValueError, EOFError):
        return None
    return names, Sequences(ids, ends, whole)


def rows_by_kind(names: Iterable[str]) -> dict[tuple[str, str], int]:
    """The rows of texts that are named by their kind and their post's id.

    >>> rows_by_kind(["title 7", "text 7"])
    {('title', '7'): 0, ('text', '7'): 1}
    """
    rows = {}
    for row, name in enumerate(names):
        kind, _, post = name.partition(" ")
        rows[kind, post] = row
    return rows


def named(tokenizer: Any, texts: Iterable[tuple[Name, str]]) -> Iterator[tuple[Name, list[int]]]:
    """Token ids of texts that have names, as `tokenised` gives them."""
    names: list[Name] = []

    def each() -> Iterator[str]:
        for name, text in texts:
            names.append(name)
            yield text

    for place, ids in enumerate(tokenised(tokenizer, each())):
        yield names[place], ids


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


def best_window(text: Ids, asked: Ids, room: int) -> Ids:
    """The `room` tokens in a row of a text that share most with what is asked, the earliest of several.

    Each token that both have counts 1, divided among its places in the text: what stands everywhere tells no
    window from another.

    >>> best_window(np.array([7, 7, 7, 5, 8, 9, 7]), np.array([7, 8, 9]), 3).tolist()
    [8, 9, 7]
    """
    if len(text) <= room or not room:
        return text[:room]
    _, places, counts = np.unique(text, return_inverse=True, return_counts=True)
    worth = np.cumsum(np.isin(text, asked) / counts[places])
    found = worth[room - 1 :] - np.concatenate([[0.0], worth[:-room]])
    begin = int(np.argmax(np.round(found, 9)))
    return text[begin : begin + room]


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

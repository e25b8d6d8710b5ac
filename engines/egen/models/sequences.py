"""Many expressions as the token ids a model reads, back to back in one array: a byte a token, no padding."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from engines.core.errors import ExpressionError
from engines.core.tree import Tree
from engines.egen.expressions.language import prefix, read_prefix
from engines.egen.expressions.training_notation import END, PAD, START, VOCABULARY, to_training

__all__ = ["END", "PAD", "START", "Sequences", "batches", "ids", "plain", "usable", "without_log"]

_NUMBER = {token: number for number, token in enumerate(VOCABULARY)}

Ints = NDArray[np.int64]


@lru_cache(maxsize=8192)
def _ids(token: str) -> bytes:
    return bytes(_NUMBER[word] for word in to_training(Tree(token)))


def ids(text: str) -> bytes:
    """The ids of an expression in generator prefix notation, SOE and EOE around it.

    The text is not parsed: it must be an expression. Raises: ExpressionError for a token that training
    notation lacks: `log`, and constants without an exact form.
    """
    return b"\x01" + b"".join(map(_ids, text.split())) + b"\x02"


def usable(text: str, max_length: int) -> bool:
    """Whether an expression has a form that a model of this length reads."""
    try:
        return len(ids(text)) <= max_length
    except ExpressionError:
        return False


def plain(text: str) -> str:
    """Prefix notation without `log` (see `without_log`)."""
    return prefix(without_log(read_prefix(text))) if "log" in text else text


def without_log(tree: Tree) -> Tree:
    """The tree with `log b u` written `/ ln u ln b`: training notation has no token for it."""
    children = tuple(without_log(child) for child in tree.children)
    if tree.label == "log":
        return Tree("/", (Tree("ln", (children[1],)), Tree("ln", (children[0],))))
    return Tree(tree.label, children)


@dataclass(frozen=True, slots=True)
class Sequences:
    """`data`: (tokens,) ids of all expressions in turn; `ends`: (expressions,) where each ends in it."""

    data: NDArray[np.uint8]
    ends: Ints

    @classmethod
    def of(cls, prefixes: Iterable[str], *, max_length: int) -> Sequences:
        """Args: prefixes: in generator notation. max_length: of a sequence, SOE and EOE included.

        Raises: ExpressionError, with the place of the expression counted from 0, for one that is longer or
        has no form in training notation.
        """
        parts: list[bytes] = []
        for place, text in enumerate(prefixes):
            try:
                part = ids(text)
            except ExpressionError as error:
                raise ExpressionError(error.what, text=text, position=place, remedy=error.remedy) from None
            if len(part) > max_length:
                raise ExpressionError(
                    f"the expression has {len(part):,} tokens in training notation, and the model reads "
                    f"at most {max_length}",
                    text=text,
                    position=place,
                )
            parts.append(part)
        ends = np.cumsum(np.fromiter(map(len, parts), np.int64, len(parts)))
        return cls(np.frombuffer(b"".join(parts), np.uint8), ends)

    def __len__(self) -> int:
        return len(self.ends)

    @property
    def lengths(self) -> Ints:
        """(expressions,) tokens of each, SOE and EOE included."""
        return np.diff(self.ends, prepend=0)

    def padded(self, rows: Ints | Sequence[int], width: int | None = None) -> Ints:
        """(rows, width) ids filled up with PAD; width is the longest of them unless given."""
        chosen = np.asarray(rows, np.int64)
        ends = self.ends[chosen]
        begins = np.where(chosen > 0, self.ends[chosen - 1], 0)
        width = int((ends - begins).max(initial=0)) if width is None else width
        places = begins[:, None] + np.arange(width)
        inside = places < ends[:, None]
        return np.where(inside, self.data[np.minimum(places, len(self.data) - 1)], PAD).astype(np.int64)


def batches(lengths: Ints, tokens: int) -> list[Ints]:
    """Row numbers in batches of about one length, each of at most `tokens` with its padding.

    Every row is in one batch; a row that is longer than the budget is a batch of its own.
    """
    order = np.argsort(lengths, kind="stable")
    cut, begin = [], 0
    for place in range(1, len(order) + 1):
        # Sorted, so the row that comes is the longest.
        if place == len(order) or int(lengths[order[place]]) * (place + 1 - begin) > tokens:
            cut.append(order[begin:place])
            begin = place
    return cut

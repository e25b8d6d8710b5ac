"""Which texts of one side are on the other side too: by id, word for word, and nearly.

Both sides are streamed, and only hashes of them are kept (90 bytes a text), so whole collections of posts
can be compared. Nearly the same means that the sets of runs of four words agree by 80 % (Jaccard).
Candidates for that come from MinHash bands (8 of 4 rows: of the pairs that agree by 80 % they meet 98 of a
hundred, by 90 % all but one in 5,000) and are then compared exactly.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from array import array
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

EXAMPLES = 20
NEAR = 0.8
_RUN = 4
_BANDS, _ROWS = 8, 4
_CANDIDATES = 8
"""Candidates looked at for each band: a text only has to be found once."""
_EXCERPT = 160
_TAG = re.compile(r"<[^>]*>")
_NUMBER = re.compile(r"\d+(?:[.,/]\d+)*")
# Chinese is written without spaces: each character counts as a word.
_WORD = re.compile(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+")
_NOTHING = 0
"""The key of a text without words, which equals no other."""


class Unit(NamedTuple):
    """A text and its id, which is empty where texts have none."""

    id: str
    text: str


Side = Callable[[], Iterable[Unit]]
Numbers = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Shared:
    """One way to compare: how many units each side has, how many of A's are in B too, and the first of them,
    as (A's, B's)."""

    what: str
    count_a: int
    count_b: int
    shared: int
    examples: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True)
class _Keys:
    """What is kept of a side: a hash of each unit's id, text, and text with any numbers, and its bands."""

    ids: array[int] = field(default_factory=lambda: array("Q"))
    texts: array[int] = field(default_factory=lambda: array("Q"))
    masked: array[int] = field(default_factory=lambda: array("Q"))
    bands: array[int] = field(default_factory=lambda: array("Q"))


def compare_texts(a: Side, b: Side, *, ids: bool) -> tuple[Shared, ...]:
    """Compare two sides, each of which is read twice.

    Args: a, b: give the units anew at each call, in the same order. ids: whether ids are compared too.
    """
    ours, theirs = _keys(a()), _keys(b())
    same = _partners(ours.texts, theirs.texts)
    rows = {
        **({"ids": _partners(ours.ids, theirs.ids)} if ids else {}),
        "texts": same,
        "texts, whatever their numbers": _partners(ours.masked, theirs.masked),
    }
    pairs = _candidates(ours, theirs, set(np.flatnonzero(same < 0).tolist()))
    examples = {what: np.flatnonzero(found >= 0)[:EXAMPLES].tolist() for what, found in rows.items()}
    shown = {(int(row), int(rows[what][row])) for what, own in examples.items() for row in own}
    wanted = {row for others in pairs.values() for row in others}
    texts_b, runs_b = _read_again(b, {row for _, row in shown} | wanted, wanted)
    texts_a, runs_a = _read_again(a, {row for row, _ in shown} | pairs.keys(), pairs.keys())
    near = same.copy()
    for row, others in pairs.items():
        best = max(others, key=lambda other: _agreement(runs_a[row], runs_b[other]))
        if _agreement(runs_a[row], runs_b[best]) >= NEAR:
            near[row] = best
    what = f"texts, nearly the same ({NEAR:.0%})"
    rows[what] = near
    # What is the same word for word has been shown above.
    examples[what] = np.flatnonzero((near >= 0) & (same < 0))[:EXAMPLES].tolist()
    return tuple(
        Shared(
            name,
            len(ours.texts),
            len(theirs.texts),
            int((found >= 0).sum()),
            tuple((texts_a[row], texts_b[int(found[row])]) for row in examples[name]),
        )
        for name, found in rows.items()
    )


def _keys(units: Iterable[Unit]) -> _Keys:
    keys = _Keys()
    for identity, text in units:
        keys.ids.append(_hash(identity))
        words = _words(text)
        keys.texts.append(_hash(" ".join(words)))
        keys.masked.append(_hash(" ".join(_words(text, masked=True))))
        keys.bands.extend(_bands(_runs(words)))
    return keys


def _words(text: str, *, masked: bool = False) -> list[str]:
    text = _TAG.sub(" ", text).casefold()
    if masked:
        text = _NUMBER.sub("0", text)
    return _WORD.findall(text)


def _hash(text: str) -> int:
    if not text:
        return _NOTHING
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest(), "big")


def _runs(words: list[str]) -> Numbers:
    """Hashes of all runs of four words, each once; a shorter text is one run."""
    codes = np.array([zlib.crc32(word.encode("utf-8", "replace")) + 1 for word in words], dtype=np.uint64)
    if 0 < len(codes) < _RUN:
        codes = np.concatenate([codes, np.zeros(_RUN - len(codes), dtype=np.uint64)])
    runs = np.zeros(max(len(codes) - _RUN + 1, 0), dtype=np.uint64)
    for place in range(_RUN):
        runs = runs * np.uint64(0x9E3779B97F4A7C15) + codes[place : len(codes) - _RUN + 1 + place]
    return np.unique(_mixed(runs))


def _mixed(values: Numbers) -> Numbers:
    """SplitMix64's last step: every bit of the result depends on every bit of the value."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def _bands(runs: Numbers) -> list[int]:
    """The keys of a text's bands; texts that agree much share one of them."""
    if not len(runs):
        return [_NOTHING] * _BANDS
    salts = _mixed(np.arange(1, _BANDS * _ROWS + 1, dtype=np.uint64))
    least = _mixed(runs[:, None] ^ salts).min(axis=0).reshape(_BANDS, _ROWS)
    keys = np.arange(_BANDS, dtype=np.uint64)
    for row in range(_ROWS):
        keys = _mixed(keys ^ least[:, row])
    found: list[int] = keys.tolist()
    return found


def _partners(ours: array[int], theirs: array[int]) -> NDArray[np.int64]:
    """For each of our keys the first row of theirs with that key, or -1."""
    a, b = np.frombuffer(ours, dtype=np.uint64), np.frombuffer(theirs, dtype=np.uint64)
    order = np.argsort(b, kind="stable")
    place = np.searchsorted(b[order], a)
    found = np.full(len(a), -1, dtype=np.int64)
    rows = np.flatnonzero((place < len(b)) & (a != _NOTHING))
    others = order[place[rows]]
    same = b[others] == a[rows]
    found[rows[same]] = others[same]
    return found


def _candidates(ours: _Keys, theirs: _Keys, open_rows: set[int]) -> dict[int, set[int]]:
    """For our rows that are still open: rows of theirs with the same key in some band."""
    a = np.frombuffer(ours.bands, dtype=np.uint64).reshape(-1, _BANDS)
    b = np.frombuffer(theirs.bands, dtype=np.uint64).reshape(-1, _BANDS)
    found: dict[int, set[int]] = {}
    for band in range(_BANDS):
        order = np.argsort(b[:, band], kind="stable")
        column = b[order, band]
        left, right = (np.searchsorted(column, a[:, band], side=side) for side in ("left", "right"))
        for row in np.flatnonzero((right > left) & (a[:, band] != _NOTHING)).tolist():
            if row in open_rows:
                some = order[left[row] : min(right[row], left[row] + _CANDIDATES)]
                found.setdefault(row, set()).update(some.tolist())
    return found


def _read_again(
    side: Side, rows: Iterable[int], compared: Iterable[int]
) -> tuple[Mapping[int, str], Mapping[int, Any]]:
    """The excerpts of some rows, and the runs of those that are compared."""
    rows, compared = set(rows), set(compared)
    texts: dict[int, str] = {}
    runs: dict[int, Any] = {}
    if not rows:
        return texts, runs
    last = max(rows)
    for row, (identity, text) in enumerate(side()):
        if row in rows:
            texts[row] = _excerpt(identity, text)
        if row in compared:
            runs[row] = _runs(_words(text))
        if row >= last:
            break
    return texts, runs


def _excerpt(identity: str, text: str) -> str:
    text = " ".join(text.split())
    text = text if len(text) <= _EXCERPT else text[: _EXCERPT - 1] + "…"
    return f"{identity} {text}".strip()


def _agreement(a: Numbers, b: Numbers) -> float:
    common = len(np.intersect1d(a, b, assume_unique=True))
    return common / (len(a) + len(b) - common) if common else 0.0

"""Rows of tokens that are made once and read by whoever comes later."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from engines.training.token_cache import CachedSequences, cached_rows

ROWS = [("a", [1, 2, 3]), ("b", []), ("c", [4]), ("d", [2**31 - 1, 6])]


class Source:
    """Gives rows, and counts how often it was asked for them."""

    def __init__(self, rows: list[tuple[str, list[int]]] = ROWS) -> None:
        self.rows, self.asked = rows, 0

    def __call__(self) -> Iterator[tuple[str, list[int]]]:
        self.asked += 1
        yield from self.rows


def same(one: CachedSequences, other: CachedSequences) -> bool:
    return all(
        getattr(one, name).tobytes() == getattr(other, name).tobytes() for name in ("ids", "ends", "whole")
    )


@pytest.mark.parametrize("rows", [ROWS, [], [("a", [])]])
def test_what_is_read_back_is_what_was_made(tmp_path: Path, rows: list[tuple[str, list[int]]]) -> None:
    source = Source(rows)
    names, made = cached_rows(None, source, keep=2)
    for _ in range(2):
        kept, read = cached_rows(tmp_path / "rows" / "texts", source, keep=2)
        assert kept == names == [name for name, _ in rows]
        assert same(read, made)
        assert [read[row].tolist() for row in range(len(read))] == [ids[:2] for _, ids in rows]
    assert source.asked == 2


@pytest.mark.parametrize("name", ["ids.i4", "ends.npy", "whole.npy", "names.json"])
def test_what_is_damaged_is_made_again(tmp_path: Path, name: str) -> None:
    source = Source()
    cached_rows(tmp_path / "texts", source)
    file = tmp_path / "texts" / name
    for damaged in (file.read_bytes()[:-3], b""):
        file.write_bytes(damaged)
        _, read = cached_rows(tmp_path / "texts", source)
        assert same(read, CachedSequences.store_sequences([ids for _, ids in ROWS]))
    assert source.asked == 3


def test_whoever_comes_second_waits_for_the_first(tmp_path: Path) -> None:
    source, found = Source([(str(n), [n] * 50) for n in range(2_000)]), []
    threads = [
        threading.Thread(target=lambda: found.append(cached_rows(tmp_path / "texts", source)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert source.asked == 1
    assert all(names == found[0][0] and np.array_equal(rows.ids, found[0][1].ids) for names, rows in found)

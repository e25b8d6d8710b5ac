"""Rows that are kept in a temporary file take hardly any memory and are all there."""

from __future__ import annotations

import json
import tracemalloc

import pytest

from engines.core.stored_rows import StoredRows


def test_rows_come_back_in_order_however_they_are_asked_for() -> None:
    rows, expected = StoredRows(), []
    for number in range(3_000):
        expected.append({"line": number, "text": f"{number} π \ud800\n" * 400})
        rows.append(expected[-1])
    assert len(rows) == 3_000
    assert list(rows) == expected
    assert [json.loads(line) for line in rows.read_lines()] == expected
    assert (rows[7], rows[-1], rows[2:4]) == (expected[7], expected[-1], expected[2:4])


def test_two_readers_and_a_writer_do_not_disturb_each_other() -> None:
    rows = StoredRows()
    for number in range(2_000):
        rows.append({"line": number})
    read = []
    for one, other in zip(rows, rows, strict=True):
        assert one == other
        if len(read) == 100:
            rows.append({"line": 2_000})
        read.append(one["line"])
    assert read == list(range(2_001))


@pytest.mark.slow
def test_rows_are_not_in_memory() -> None:
    rows = StoredRows()
    tracemalloc.start()
    for number in range(20_000):
        rows.append({"line": number, "text": "x" * 2_000})
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(rows) == 20_000
    # 40 MB of text, of which the first 8 MiB are copied once, to the file.
    assert peak < 20e6

"""JSON Lines: what is no object is named with its line, however it is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from engines.core.errors import DataError
from engines.core.rows import json_object, json_objects, read_json_rows

DEEP = '{"a":' * 100_000


@pytest.mark.parametrize(
    ("line", "said"), [("{", "not JSON: "), (DEEP, "not JSON: "), ("[1]", "not a JSON object")]
)
def test_what_is_no_object_is_refused(line: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        json_object(line)


def test_bad_lines_are_told_and_the_rest_is_read(tmp_path: Path) -> None:
    file = tmp_path / "some.jsonl"
    file.write_text(f'{{"a": "1"}}\n\n{DEEP}\n3\n{{"b": "2"}}\n')
    told: list[DataError] = []
    assert list(json_objects(file, remedy="", on_bad=told.append)) == [(1, {"a": "1"}), (5, {"b": "2"})]
    assert [(error.line, error.code) for error in told] == [(3, "E317"), (4, "E317")]
    told.clear()
    assert list(read_json_rows(file, "a", on_bad=told.append)) == [(1, {"a": "1"})]
    assert [error.line for error in told] == [3, 4, 5]


def test_a_row_with_a_key_twice_is_refused_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "some.jsonl"
    file.write_text('{"a": "1"}\n{"a": "1", "a": "2"}\n{"a": "1", "b": {"c": 1, "c": 1}}\n')
    told: list[DataError] = []
    assert list(read_json_rows(file, "a", on_bad=told.append)) == [(1, {"a": "1"})]
    assert [(error.line, error.code, error.what) for error in told] == [
        (2, "E317", "'a' stands twice in one object"),
        (3, "E317", "'c' stands twice in one object"),
    ]

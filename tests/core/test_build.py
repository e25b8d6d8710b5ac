"""A build in parts: shares are disjoint and complete, a stop loses no finished part, a plan holds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engines.core.build import PLAN, Journal, ResumableBuild
from engines.core.errors import EngineError
from engines.core.events import Event, Sink
from tests.conftest import expect_error


def test_shares_together_are_all_parts_once(tmp_path: Path) -> None:
    whole = ResumableBuild(tmp_path).split_into_parts(50, 8)
    shares = [ResumableBuild(tmp_path, (number, 3)).split_into_parts(50, 8) for number in (1, 2, 3)]
    assert sorted(number for share in shares for number in share) == list(whole) == list(range(7))
    assert [item for items in whole.values() for item in items] == list(range(50))


def test_a_stop_keeps_finished_parts_and_the_rest_is_made_once(tmp_path: Path) -> None:
    made: list[int] = []
    seen: list[Any] = []

    def load(number: int) -> str | None:
        file = tmp_path / str(number)
        return file.read_text() if file.exists() else None

    def make(number: int, items: range, events: Sink) -> str:
        made.append(number)
        (tmp_path / str(number)).write_text(str(sum(items)))
        events(Event("progress", {"done": len(items), "unit": "items"}))
        return str(sum(items))

    first = ResumableBuild(tmp_path, stop=lambda: len(made) == 2)
    assert first.run(first.split_into_parts(10, 3), load, make) is None
    again = ResumableBuild(tmp_path, events=lambda event: seen.append(event.data))
    assert again.run(again.split_into_parts(10, 3), load, make) == ["3", "12", "21", "9"]
    assert made == [0, 1, 2, 3]
    assert [(data["done"], data["total"]) for data in seen] == [(9, 10), (10, 10)]
    again.publish_manifest({"format": 1}, parts="[0-9]")
    assert [path.name for path in tmp_path.iterdir()] == ["manifest.json"]


def test_another_plan_is_refused_by_the_setting_that_differs(tmp_path: Path) -> None:
    def other(name: str, before: object, after: object) -> EngineError:
        return EngineError(f"{name}: {before}, {after}", code="E452")

    build = ResumableBuild(tmp_path)
    build.write_or_check_plan({"config": {"seed": 1}, "place": "a"}, None, other)
    old = json.loads((tmp_path / PLAN).read_text())
    build.write_or_check_plan({"config": {"seed": 1}, "place": "b"}, old, other, keys=["config"])
    assert json.loads((tmp_path / PLAN).read_text())["place"] == "b"
    with expect_error("E452"):
        build.write_or_check_plan({"config": {"seed": 2}, "place": "b"}, old, other, keys=["config"])


def test_others_are_kept_out_and_shares_are_not(tmp_path: Path) -> None:
    with ResumableBuild(tmp_path).lock("E453"):
        with pytest.raises(EngineError) as raised, ResumableBuild(tmp_path, (1, 2)).lock("E453"):
            pass
        assert raised.value.code == "E453"
    with ResumableBuild(tmp_path, (1, 2)).lock("E453"), ResumableBuild(tmp_path, (2, 2)).lock("E453"):
        pass


def test_a_journal_loses_the_line_of_a_kill_alone_and_is_of_what_made_it(tmp_path: Path) -> None:
    path, other = tmp_path / "journal", EngineError("of another", code="E345")
    journal = Journal(path, {"by": "a"})
    assert journal.read_items(lambda _: other) == []
    journal.begin_file([{"n": 1}])
    journal.append({"n": 2})
    with path.open("a") as file:
        file.write('{"n": 3')
    assert journal.read_items(lambda _: other) == [{"n": 1}, {"n": 2}]
    assert Journal(path, {"by": "b"}).read_items(lambda _: None) == []
    with expect_error("E345"):
        Journal(path, {"by": "b"}).read_items(lambda head: other if head == '{"by": "a"}' else None)
    path.write_text('{"by": ')  # killed within the first line
    assert Journal(path, {"by": "b"}).read_items(lambda _: other) == []
    journal.remove()
    assert not path.exists()

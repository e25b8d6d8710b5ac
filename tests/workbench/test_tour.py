"""The tour does the main job of every engine on the sample workspace."""

from __future__ import annotations

import json
from typing import Any

import pytest

from engines.egen.language import read_prefix
from engines.egen.verify import Verifier
from workbench.cli.tour import tour
from workbench.workspace import Workspace


def taken(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    tour(as_json=True)
    return {stop["task"]: stop for stop in json.loads(capsys.readouterr().out)["stops"]}


def test_it_grows_judges_counts_opens_and_finds(capsys: pytest.CaptureFixture[str]) -> None:
    stops = taken(capsys)
    assert list(stops) == ["egen.generate", "egen.verify", "egen.stats", "egen.cluster", "egen.find"]
    members = [row["prefix"] for row in stops["egen.generate"]["result"]["members"]]
    other = Verifier(read_prefix("* 63 cosh - 2 * 7 x"), seed=7)
    assert len(set(members)) == 12
    assert {verdict.outcome for verdict in other.check([read_prefix(member) for member in members])} == {
        "equal"
    }
    assert [row["verdict"] for row in stops["egen.verify"]["result"]["members"]] == [
        "equal",
        "shrinks",
        "different",
    ]
    assert 0 in [match["cluster"] for match in stops["egen.find"]["result"]["matches"]]


def test_it_tells_it_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    tour()
    text = capsys.readouterr().out
    assert "1. Grow" in text
    assert "tan(atan(x)): equal" in text
    assert "5. Find" in text


def test_a_user_without_a_corpus_gets_the_rest(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.cli.tour.ensure_sample", lambda workspace: False)
    assert not list(Workspace.open().corpora.iterdir())
    assert list(taken(capsys)) == ["egen.generate", "egen.verify"]

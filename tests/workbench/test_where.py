"""`--where`: commands that list rows take the filters of the screens, against rows picked by hand."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from engines.core.system import asset
from tests.conftest import mathwb
from workbench.cli.command import app
from workbench.operations import all_operations, find_operation
from workbench.paper import load
from workbench.workspace import Workspace, ensure_sample

FORUM = asset("sample/arqmath/sample-forum")
CORPUS = asset("sample/corpora/sample-e")
PROBLEMS = asset("sample/problems/sample-en/problems.jsonl")

Run = Callable[..., Any]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """A command with `--json`, read; of one that fails its error."""
    monkeypatch.setenv("MATHWB_HOME", str(tmp_path))

    def ran(*words: object) -> Any:
        return json.loads(mathwb(*words, "--json").stdout)

    return ran


def _alike(anchor: Any) -> int:
    """How many problems of the file have an anchor's equation; 0 for a text without "how"."""
    return anchor["like"] if "how" in anchor["text"].casefold() else 0


def _hard(triplet: Any) -> bool:
    return triplet["text_sim_negative"] - triplet["text_sim_positive"] >= 0.1 and not triplet["alone"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "key", "where", "passes"),
    [
        (
            ("egen", "show", CORPUS, 0),
            "members",
            "verdict=equal tok<10",
            lambda member: member["verdict"] == "equal" and member["tokens"] < 10,
        ),
        (("egen", "show", CORPUS, 20), "members", "!op:sin", lambda m: "sin" not in m["prefix"].split()),
        (("arqmath", "topics", FORUM), "topics", "ndcg<.5", None),
        (("arqmath", "show", FORUM, "A.911"), "answers", "grade>1", lambda a: (a["grade"] or 0) > 1),
        (
            ("mathamr", "inspect", "--folder", FORUM, "--topic", "B.901"),
            "nearest",
            "grade>=0 score<.9",
            lambda hit: hit["grade"] is not None and hit["score"] < 0.9,
        ),
        (("mwp", "anchors", PROBLEMS), "anchors", "like>3 text:how", lambda a: _alike(a) > 3),
        (("mwp", "triplets", PROBLEMS), "triplets", "margin>=.1 !alone:yes", _hard),
    ],
)
def test_rows_that_pass_are_printed(
    run: Run, words: tuple[object, ...], key: str, where: str, passes: Callable[[Any], bool] | None
) -> None:
    whole, narrowed = run(*words), run(*words, "--where", where)
    if passes is None:
        name = whole["run"]
        passes = lambda topic: topic["ndcg"][name] < 0.5  # noqa: E731
    wanted = [row for row in whole[key] if passes(row)]
    assert 0 < len(wanted) < len(whole[key])
    assert narrowed[key] == wanted
    assert {**narrowed, key: 0} == {**whole, key: 0}


@pytest.mark.slow
def test_all_lists_of_an_explanation_are_narrowed(run: Run) -> None:
    whole = run("mwp", "explain", PROBLEMS, "en-003")
    lists = {"positives": "positive", "negatives": "negative", "lost": "lost", "own": "own"}
    for where, passes in (
        ("eq>.8 !as:positive", lambda role, one: one["eq_sim"] > 0.8 and role != "positive"),
        (
            "equation=N_0-N_1 problem:left",
            lambda _, one: one["template"] == "N_0-N_1" and "left" in one["text"],
        ),
    ):
        wanted = {name: [one for one in whole[name] if passes(role, one)] for name, role in lists.items()}
        assert any(wanted.values())
        assert run("mwp", "explain", PROBLEMS, "en-003", "--where", where) == {**whole, **wanted}


def test_the_mistakes_of_an_evaluation_are_narrowed() -> None:
    row = find_operation("egen.eval")
    mistakes = [
        {"query": "+ x 1", "expected": "x", "predicted": predicted, "cost": cost, "note": ""}
        for predicted, cost in (("sin x", 0.1), ("sin x", 0.3), ("cos x", 0.4))
    ]
    found = row.where.filter_record(
        {"wrong": 9, "mistakes": mistakes}, row.where.parse_filter("cost>.2 predicted:sin"), None
    )
    assert found == {"wrong": 9, "mistakes": mistakes[1:2]}


def test_a_wrong_filter_is_refused_before_the_work(run: Run) -> None:
    error = run("egen", "show", "nowhere", 0, "--where", "tokn>3")["error"]
    assert (error["code"], error["exit_code"]) == ("E440", 2)
    assert "tok" in error["remedy"]


def test_a_filter_is_refused_where_rows_go_to_a_file(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "t.jsonl"
    for more in (("--out", out), ("--detach",)):
        error = run("mwp", "triplets", PROBLEMS, "--where", "margin>.4", *more)["error"]
        assert (error["code"], error["exit_code"]) == ("E427", 2)
        assert more[0] in error["what"]
    assert not out.exists()


def test_the_fields_are_those_that_rows_have() -> None:
    for row in all_operations().values():
        if row.where is not None:
            fields = load(row.where.table).fields
            assert fields, row.name
            assert all(name.isidentifier() for name in fields), row.name


def test_notes_that_cannot_be_read_are_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MATHWB_HOME", str(tmp_path))
    workspace = Workspace.open()
    (workspace.root / "notes.jsonl").write_bytes(b'{"address": "job/1", "text": "caf\xe9"}\n{"addr')
    for words in (("egen", "show", str(CORPUS), "0"), ("jobs", "list")):
        for where, told in (("note:x", 2), ("x", 2), ("state:failed" if words[0] == "jobs" else "tok<9", 0)):
            assert mathwb(*words, "--where", where).stderr.count("notes.jsonl:") == told


@pytest.mark.slow
def test_notes_and_bookmarks_are_asked_for_as_on_the_screens(run: Run) -> None:
    workspace = Workspace.open()
    ensure_sample(workspace)
    workspace.notes.set_note("corpus/sample-e/cluster/0/member/2", "a nice one")
    workspace.notes.toggle_bookmark("arqmath/sample-forum/topic/A.911")
    workspace.notes.toggle_bookmark("arqmath/sample-forum/topic/A.911/post/60003")
    found = run("egen", "show", "sample-e", 0, "--where", "note:nice")
    assert [row["member"] for row in found["members"]] == [2]
    found = run("arqmath", "topics", "sample-forum", "--where", "is:bookmarked")
    assert [row["id"] for row in found["topics"]] == ["A.911"]
    workspace.notes.set_note("problems/sample-en/strategy/nn-bibleu-train/triplet/en-003", "too easy")
    found = run("mwp", "triplets", "sample-en", "--strategy", "nn", "--where", "note:easy")
    assert [row["anchor"] for row in found["triplets"]] == ["en-003"]
    workspace.notes.set_note("mathamr/sample-forum/topic/B.901", "a sum")
    found = run("mathamr", "topics", "sample-forum", "--where", "is:noted nodes>1")
    assert [row["id"] for row in found["topics"]] == ["B.901"]
    everything = run("arqmath", "show", "sample-forum", "A.911")["answers"]
    found = run("arqmath", "show", "sample-forum", "A.911", "--where", "!is:bookmarked")
    assert [row["id"] for row in found["answers"]] == [
        row["id"] for row in everything if row["id"] != "60003"
    ]


@pytest.mark.slow
def test_a_corpus_goes_by_its_name(run: Run, tmp_path: Path) -> None:
    by_path = run("egen", "show", CORPUS, 20)
    assert run("egen", "show", "sample-e", 20) == by_path
    shutil.copytree(CORPUS, tmp_path / "elsewhere")
    run("data", "add", "corpus", tmp_path / "elsewhere", "--name", "mine")
    assert run("egen", "show", "mine", 20)["head"] == by_path["head"]


def test_a_filter_that_passes_none_is_not_laid_on_what_was_asked() -> None:
    show = ("arqmath", "show", str(FORUM), "A.901")
    result = CliRunner().invoke(app, [*show, "--where", "grade>9"])
    assert result.exit_code == 0
    assert result.stdout.startswith("none of ")
    assert "filter" in result.stdout
    # Written answers are rows alone.
    row = find_operation("arqmath.show")
    rows = [{"run": "a", "grade": 3}, {"run": "b", "grade": 0}]
    assert row.where.filter_record(rows, row.where.parse_filter("grade>1"), None) == rows[:1]

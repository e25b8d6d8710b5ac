"""The collections of a workspace, and one's own judgements of their answers."""

from __future__ import annotations

import json
import multiprocessing
import os
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from engines.core.errors import DataError
from engines.core.events import Event, ignore, never
from engines.forum.folder import ArqmathFolder
from engines.retrieval.trec import read_qrels
from tests.conftest import expect_error
from tests.screens.arqmath_engine import write_collection, write_run
from workbench.cli.command import app
from workbench.operations import find_operation
from workbench.papers.arqmath.data import Judgements, find_collection, list_collections, list_rankers
from workbench.workspace import Workspace


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    workspace = Workspace.open(tmp_path / "ws")
    monkeypatch.setenv("MATHWB_WORKSPACE", str(workspace.root))
    return workspace


def test_own_and_registered_collections_are_listed_samples_first(
    workspace: Workspace, tmp_path: Path
) -> None:
    assert list_collections(workspace) == ()
    write_collection(workspace.make_folder("arqmath") / "mine")
    write_collection(workspace.make_folder("arqmath") / "sample-forum")
    write_collection(tmp_path / "far")
    workspace.data.add_entry("arqmath", tmp_path / "far")
    found = list_collections(workspace)
    assert [one.name for one in found] == ["sample-forum", "far", "mine"]
    far = find_collection(workspace, str(tmp_path / "far"))
    assert (far.path, far.home) == (tmp_path / "far", workspace.make_folder("arqmath") / "far")
    # What is kept of it lies in the workspace, and makes no collection there.
    far.open_judgements().set_grade("A.1", "11", 2)
    assert [one.name for one in list_collections(workspace)] == ["sample-forum", "far", "mine"]
    with expect_error("E354") as caught:
        find_collection(workspace, "mime")
    assert "'mine'" in caught.value.remedy


def test_added_runs_stay_where_they_are(workspace: Workspace, tmp_path: Path) -> None:
    write_collection(workspace.make_folder("arqmath") / "mine")
    mine = find_collection(workspace, "mine")
    run = write_run(tmp_path / "new.tsv", {"A.1": ["11"]})
    mine.add_run(run)
    mine.add_run(run)
    assert mine.added_runs() == [run]
    with pytest.raises(DataError):
        mine.add_run(workspace.root / "workspace.toml")
    mine.forget_run(run)
    assert mine.added_runs() == []
    assert run.exists()
    (mine.home / "runs.json").write_text("{", "utf-8")
    with expect_error("E504"):
        mine.added_runs()


def test_what_the_user_keeps_is_no_part_of_the_collection(workspace: Workspace, tmp_path: Path) -> None:
    write_collection(workspace.make_folder("arqmath") / "mine")
    before = ArqmathFolder.open(workspace.make_folder("arqmath") / "mine")
    mine = find_collection(workspace, "mine")
    mine.open_judgements().set_grade("A.1", "11", 2)
    mine.add_run(write_run(tmp_path / "new.tsv", {"A.1": ["11"]}))
    assert ArqmathFolder.open(workspace.make_folder("arqmath") / "mine") == before


def test_an_index_of_other_posts_is_built_anew(workspace: Workspace) -> None:
    folder = write_collection(workspace.make_folder("arqmath") / "mine")
    params = {"folder": str(folder), "index": str(folder / "index")}

    def ask(task: str, **more: str) -> dict[str, Any]:
        return find_operation(f"arqmath.{task}").run({**params, **more}, events=ignore, stop=never)

    assert ask("topics")["index"] == "small"
    assert ask("prepare")["documents"] == 7
    assert ask("topics")["index"] == "ready"
    with open(folder / "posts.jsonl", "a", encoding="utf-8") as file:
        file.write('{"id": "24", "type": 2, "parent_id": "20", "body": "Use a zeppelin."}\n')
    changed = (folder / "index" / "manifest.json").stat().st_mtime + 5
    os.utime(folder / "posts.jsonl", (changed, changed))
    assert ask("topics")["index"] == "small"
    assert ask("prepare")["documents"] == 8
    asked = {"index": params["index"], "query": "zeppelin"}
    found = find_operation("arqmath.search").run(asked)
    assert [hit["id"] for hit in found["hits"]] == ["24"]


def test_rankers_classify_or_compare_pairs_and_one_ships(workspace: Workspace) -> None:
    configs = {
        "a": {"architectures": ["BertModel"]},
        "b": {"architectures": ["BertForSequenceClassification"]},
        "c": None,
        "d": {"architectures": ["BertModel"], "pair_head": "cosine"},
        "e": [],
    }
    for name, config in configs.items():
        (workspace.models / name).mkdir()
        text = "{" if config is None else json.dumps(config)
        (workspace.models / name / "config.json").write_text(text, "utf-8")
    found = list_rankers(workspace)
    assert [path.name for path in found] == ["b", "d", "arqmath-reranker"]
    assert [path.parent == workspace.models for path in found] == [True, True, False]
    (workspace.models / "d").rename(workspace.models / "arqmath-reranker")
    assert list_rankers(workspace) == [workspace.models / name for name in ("arqmath-reranker", "b")]


def test_judgements_are_kept_taken_back_and_read_as_qrels(tmp_path: Path) -> None:
    own = Judgements(tmp_path / "x" / "judgements.jsonl")
    for topic, document, grade in (("A.10", "5", 3), ("A.9", "7", 0), ("A.9", "7", 1)):
        own.set_grade(topic, document, grade)
    assert own.grades_of("A.9") == {"7": 1}
    assert own.qrels_lines() == ["A.9\t0\t7\t1", "A.10\t0\t5\t3"]
    again = Judgements(own.path)
    assert again.all_records() == own.all_records()
    assert read_qrels(own.write_qrels(tmp_path / "own.tsv")).grades == {"A.9": {"7": 1}, "A.10": {"5": 3}}
    again.set_grade("A.9", "7", None)
    assert len(Judgements(own.path)) == 1
    with expect_error("E373"):
        own.set_grade("A.1", "1", 4)


def test_lines_that_are_no_judgements_are_reported_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "judgements.jsonl"
    path.write_text('{"topic": "A.1", "document": "1", "grade": 7}\nnonsense\n', "utf-8")
    own = Judgements(path)
    assert [problem.line for problem in own.problems] == [1, 2]
    own.set_grade("A.1", "2", 3)
    assert "nonsense" in path.read_text("utf-8")
    assert Judgements(path).grades_of("A.1") == {"2": 3}


def _judge(path: Path, first: int) -> None:
    own = Judgements(path)
    for number in range(first, first + 10):
        own.set_grade("A.1", str(number), number % 4)


def test_two_programs_lose_no_judgement(tmp_path: Path) -> None:
    path = tmp_path / "judgements.jsonl"
    others = [multiprocessing.Process(target=_judge, args=(path, first)) for first in (0, 10, 20)]
    for one in others:
        one.start()
    for one in others:
        one.join()
    assert len(Judgements(path)) == 30


def test_the_commands_print_what_the_screen_shows(workspace: Workspace, tmp_path: Path) -> None:
    def run(*words: str) -> tuple[int, str, str]:
        done = CliRunner().invoke(app, ["arqmath", *words])
        return done.exit_code, done.stdout, done.stderr

    write_collection(workspace.make_folder("arqmath") / "mine")
    code, out, _ = run("topics", "mine", "--json")
    document = json.loads(out)
    assert (code, document["run"], document["against"]) == (0, "dense", "bm25")
    code, out, _ = run("topics", str(workspace.make_folder("arqmath") / "mine"), "--run", "bm25")
    assert "against dense" in out
    code, out, _ = run("show", "mine", "A.1", "-k", "2")
    assert "Show ∑" in out
    assert "… and 4 more; --json lists all" in out
    other = write_run(tmp_path / "other.tsv", {"A.1": ["14"]})
    code, out, _ = run("show", "mine", "A.1", "--run", str(other), "--json")
    rows = json.loads(out)["answers"]
    assert (rows[0]["id"], rows[0]["run"]) == ("14", ["bm25", "dense", "other"])
    code, out, _ = run("show", "mine", "A.1", "--written")
    assert "gpt  grade 3" in out
    code, out, _ = run("post", "mine", "11", "--latex")
    assert "\\binom{n}{k}" in out
    code, _, err = run("post", "mine", "999")
    assert (code, err.startswith("E375")) == (3, True)
    code, _, err = run("show", "mine", "A.99")
    assert (code, err.startswith("E371")) == (2, True)
    code, _, err = run("topics", "mine", "--run", "densee")
    assert (code, "'dense'" in err) == (2, True)
    code, _, err = run("judgements", "nothing")
    assert (code, err.startswith("E354")) == (3, True)
    find_collection(workspace, "mine").open_judgements().set_grade("A.1", "22", 2)
    code, out, _ = run("judgements", "mine")
    assert (code, out) == (0, "A.1 0 22 2\n")
    code, out, _ = run("judgements", "mine", "--out", str(tmp_path / "own.tsv"))
    assert (code, out) == (0, "")
    assert read_qrels(tmp_path / "own.tsv").grades == {"A.1": {"22": 2}}


def test_posts_that_are_cut_short_are_told_of(workspace: Workspace) -> None:
    def warned(task: str, **more: object) -> list[str]:
        heard: list[Event] = []
        find_operation(task).run({"folder": "mine", **more}, events=heard.append, stop=never)
        return [event.data["message"] for event in heard if event.kind == "warning"]

    posts = write_collection(workspace.make_folder("arqmath") / "mine") / "posts.jsonl"
    whole = posts.read_bytes()
    index = str(workspace.make_folder("arqmath") / "mine" / "index")
    last = json.loads(whole.splitlines()[-1])["id"]
    find_operation("arqmath.prepare").run({"folder": "mine", "index": index}, events=ignore, stop=never)
    assert warned("arqmath.topics") == warned("arqmath.show", topic="A.1") == []
    posts.write_bytes(whole[:-20])
    with expect_error("E375"):
        find_operation("arqmath.post").run({"folder": str(posts), "id": str(last)}, events=ignore, stop=never)
    find_operation("arqmath.prepare").run({"folder": "mine", "index": index}, events=ignore, stop=never)
    told = ["posts.jsonl: rows that could not be read: 1; their posts have no text here"]
    assert warned("arqmath.topics") == warned("arqmath.show", topic="A.1") == told
    found = find_operation("arqmath.topics").run({"folder": "mine"}, events=ignore, stop=never)
    assert told[0] in found["problems"]

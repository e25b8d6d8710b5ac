"""The tour does the main job of every engine on the sample workspace."""

from __future__ import annotations

import json
from typing import Any

import pytest

from engines.core.expression_language import read_prefix
from engines.mathematics.verification.verifier import Verifier
from engines.retrieval.measures import evaluate
from engines.retrieval.trec import read_qrels, read_run
from workbench.cli.system import run_tours
from workbench.workspace import Workspace


def taken(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    run_tours(as_json=True)
    return {stop["task"]: stop for stop in json.loads(capsys.readouterr().out)["stops"]}


EGEN = ["egen.generate", "egen.verify", "egen.stats", "egen.show", "egen.find"]
MWP = ["mwp.problems", "mwp.augment", "mwp.triplets", "mwp.explain"]
MATHAMR = ["mathamr.topics", "mathamr.inspect"]
ARQMATH = ["arqmath.topics", "arqmath.ranking", "arqmath.post", "arqmath.prepare", "arqmath.search"]


@pytest.mark.slow
def test_it_grows_judges_counts_opens_and_finds(capsys: pytest.CaptureFixture[str]) -> None:
    stops = taken(capsys)
    assert list(stops) == [*EGEN, *MWP, *ARQMATH, *MATHAMR]
    members = [row["prefix"] for row in stops["egen.generate"]["result"]["members"]]
    other = Verifier(read_prefix("* 63 cosh - 2 * 7 x"), seed=7)
    assert len(set(members)) == 12
    assert {
        verdict.outcome for verdict in other.judge_members([read_prefix(member) for member in members])
    } == {"equal"}
    assert [row["verdict"] for row in stops["egen.verify"]["result"]["results"]] == [
        "equal",
        "shrinks",
        "different",
    ]
    assert 0 in [match["cluster"] for match in stops["egen.find"]["result"]["matches"]]


@pytest.mark.slow
def test_it_evaluates_compares_reads_and_searches(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.papers.egen.paper.run_tour", lambda guide, workspace: None)
    stops = taken(capsys)
    forum = Workspace.open().make_folder("arqmath") / "sample-forum"
    qrels = read_qrels(forum / "qrels_task1.tsv")
    own = {name: evaluate(read_run(forum / "runs" / f"{name}.tsv"), qrels) for name in ("bm25", "dense")}
    runs = {run["name"]: run for run in stops["arqmath.topics"]["result"]["runs"]}
    for name, result in own.items():
        assert runs[name]["ndcg_prime"] == pytest.approx(result.mean["ndcg_prime"])
    worst = stops["arqmath.ranking"]["result"]["topic"]
    losses = {
        topic: row["ndcg_prime"] - own["dense"].per_topic[topic]["ndcg_prime"]
        for topic, row in own["bm25"].per_topic.items()
    }
    assert losses[worst] == max(losses.values()) > 0
    assert qrels.grades[worst][stops["arqmath.post"]["result"]["id"]] == 3
    first = stops["arqmath.search"]["result"]["hits"][0]
    assert "diverge" in first["title"]
    # The second time the index is there.
    assert "arqmath.prepare" not in taken(capsys)


@pytest.mark.slow
def test_it_reads_augments_and_pairs_word_problems(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for paper in ("egen", "arqmath", "mathamr"):
        monkeypatch.setattr(f"workbench.papers.{paper}.paper.run_tour", lambda guide, workspace: None)
    stops = taken(capsys)
    assert list(stops) == MWP
    rows = {row["anchor"]: row for row in stops["mwp.triplets"]["result"]["triplets"]}
    told = stops["mwp.explain"]["result"]
    assert told["triplet"] == rows[told["triplet"]["anchor"]]
    assert told["triplet"]["text_sim_negative"] == max(
        row["text_sim_negative"] for row in rows.values() if not row["alone"]
    )


def test_it_inspects_a_formula_and_parses_a_text(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for paper in ("egen", "mwp", "arqmath"):
        monkeypatch.setattr(f"workbench.papers.{paper}.paper.run_tour", lambda guide, workspace: None)
    run_tours(as_json=True)
    _, of_topic, of_text = json.loads(capsys.readouterr().out)["stops"]
    assert of_topic["result"]["nearest"][0]["grade"] == 3
    assert of_text["result"]["parser"] == "builtin"
    assert [one["query"] for one in of_text["result"]["formulas"]] == [False, True]


def test_it_tells_it_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    run_tours()
    text = capsys.readouterr().out
    assert "1. Grow" in text
    assert "tan(atan(x)): equal" in text
    assert "5. Find" in text
    assert "dense is better than bm25 on" in text
    assert "unjudged" in text
    assert "14. Search it: why" in text


def test_a_user_without_the_samples_gets_the_rest(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.cli.system.ensure_sample", lambda workspace: False)
    assert not list(Workspace.open().corpora.iterdir())
    assert list(taken(capsys)) == EGEN[:2]

"""Runs whose scores are of two scales: the re-ranked documents of a two-stage run, and those behind."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from engines.arqmath.ranking.rank import Fuse, fuse
from engines.core import distributions
from engines.retrieval.fusion import min_max
from engines.retrieval.trec import Scored, TrecRun, check_out, read_run, scored_depth, with_tail, write_run
from tests.conftest import expect_error

DEPTH, LONG = 20, 100


def run_of(scores: list[list[float]]) -> TrecRun:
    found = {
        f"A.{topic}": [(f"{topic}-{n}", score) for n, score in enumerate(sorted(own, reverse=True))]
        for topic, own in enumerate(scores)
    }
    return TrecRun("x", found)


def two_scales(rank_tail: bool) -> TrecRun:
    """As other tools write them: probabilities, then ranks below 0, or the first stage's scores far below."""
    draw = Random(0)
    rows = []
    for _ in range(6):
        tail = [-float(n) if rank_tail else 20 * draw.random() - 1_000 for n in range(DEPTH + 1, LONG)]
        rows.append([draw.random() for _ in range(DEPTH)] + tail)
    return run_of(rows)


def test_a_tail_leaves_the_scores_before_it_their_spread() -> None:
    ranking = with_tail([("a", 0.9), ("b", 0.4)], [f"{n}" for n in range(900)])
    scores = [score for _, score in ranking]
    assert scores == sorted(set(scores), reverse=True)
    scaled = dict(min_max(ranking))
    assert scaled["a"] == 1.0
    assert scaled["b"] == pytest.approx(0.0, abs=1e-3)


def test_tails_are_written_as_they_are(tmp_path: Path) -> None:
    run = run_of([[0.1, 0.7, 0.3]])
    tailed = TrecRun("x", {topic: with_tail(own, ["y", "z"]) for topic, own in run.rankings.items()})
    write_run(tailed, tmp_path / "run")
    assert [name for name, _ in read_run(tmp_path / "run").rankings["A.0"]] == ["0-0", "0-1", "0-2", "y", "z"]


def test_only_an_unchanged_manifest_says_how_many_are_scored(tmp_path: Path) -> None:
    run, beside = tmp_path / "run", tmp_path / "run.json"
    write_run(two_scales(rank_tail=True), run)
    assert scored_depth(run) is None
    beside.write_text(json.dumps({"scored": DEPTH}))
    assert scored_depth(run) == DEPTH
    digest = hashlib.sha256(run.read_bytes()).hexdigest()
    beside.write_text(json.dumps({"run": {"sha256": digest}, "scored": DEPTH}))
    assert scored_depth(run) == DEPTH
    run.write_bytes(run.read_bytes() + b"A.9\tQ0\t1\t1\t0.5\tx\n")
    assert scored_depth(run) is None
    for text in ("", "[1]", json.dumps({"scored": 0}), json.dumps({"scored": "20"}), json.dumps({"run": 1})):
        beside.write_text(text)
        assert scored_depth(run) is None


@pytest.mark.parametrize("rank_tail", [True, False])
def test_fusing_scales_over_what_has_scores(tmp_path: Path, rank_tail: bool) -> None:
    two = two_scales(rank_tail)
    draw = Random(2)
    # Another system that has the same documents in its own order, all near each other.
    other = TrecRun(
        "y",
        {
            topic: sorted(((name, draw.random()) for name, _ in own), key=lambda pair: -pair[1])
            for topic, own in two.rankings.items()
        },
    )
    cut = replace(two, rankings={topic: own[:DEPTH] for topic, own in two.rankings.items()})
    tops: dict[str, dict[str, list[str]]] = {}
    for name, run in (("two", two), ("cut", cut), ("bare", two)):
        write_run(run, tmp_path / name)
        if name == "two":
            (tmp_path / "two.json").write_text(json.dumps({"scored": DEPTH}))
        write_run(other, tmp_path / "other")
        spec = Fuse((tmp_path / name, tmp_path / "other"), tmp_path / f"{name}.out", "weighted", (0.9, 0.1))
        fuse(spec)
        found = read_run(spec.out).rankings
        tops[name] = {topic: [document for document, _ in own[:10]] for topic, own in found.items()}
    # Documents behind the scored ones have next to nothing, as if they were not in the run.
    assert tops["two"] == tops["cut"]
    # Without a manifest nothing is guessed: the tail takes nearly all of the scale.
    assert tops["bare"] != tops["cut"]


def scored(names: str) -> list[Scored]:
    return [(name, -float(place)) for place, name in enumerate(names)]


def test_runs_of_other_topics_are_not_written_over(tmp_path: Path) -> None:
    for name, topics in (("one", ("A.1",)), ("other", ("A.1", "A.2")), ("old", ("A.1", "A.9"))):
        write_run(TrecRun(name, {topic: scored("abc") for topic in topics}), tmp_path / name)
    with expect_error("E432") as caught:
        fuse(Fuse((tmp_path / "one", tmp_path / "other"), tmp_path / "old"))
    assert (caught.value.code, caught.value.exit_code) == ("E432", 2)
    assert "A.9" in read_run(tmp_path / "old").rankings
    fuse(Fuse((tmp_path / "one", tmp_path / "other"), tmp_path / "new"))
    fuse(Fuse((tmp_path / "one", tmp_path / "other"), tmp_path / "new"))  # the same once more
    with expect_error("E430"):
        check_out(tmp_path / "run.tsv.gz", ["A.1"])


def test_a_light_install_fuses_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folders = dict(distributions._find_folders())
    for name in ("faiss-cpu", "torch", "transformers"):
        folders.pop(name, None)
    monkeypatch.setattr(distributions, "_find_folders", lambda: folders)
    for name in ("one", "other"):
        write_run(TrecRun(name, {"A.1": scored("abc")}), tmp_path / name)
    fuse(Fuse((tmp_path / "one", tmp_path / "other"), tmp_path / "new"))
    assert set(json.loads((tmp_path / "new.json").read_text("utf-8"))["versions"]) == {"mathwb", "numpy"}


@pytest.mark.parametrize(
    "line", ["A.1\t0\t12\t3", "A.1 what is the limit of this", "A.1\tA limit\tWhat is it?\t5\tx"]
)
def test_what_is_no_run_is_not_written_over(tmp_path: Path, line: str) -> None:
    out = tmp_path / "judgements.tsv"
    out.write_text(f"{line}\n", encoding="utf-8")
    with expect_error("E432"):
        check_out(out, ["A.1"])


@pytest.mark.parametrize(
    "line",
    [
        "A.1 Q0 12 1 0.5 tag",
        "A.1\t12\t1\t0.5\ttag",
        "A.1\tq_7\t12\t1\t0.5\ttag",
        "A.1\t1\t0.5\ttag\t\tThe answer is 1.",
    ],
)
def test_runs_of_every_task_are_written_over(tmp_path: Path, line: str) -> None:
    out = tmp_path / "run.tsv"
    out.write_text(f"{line}\n", encoding="utf-8")
    check_out(out, ["A.1"])

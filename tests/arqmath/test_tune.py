"""Choosing first stages: by named topics only, by cross-validation, and what is reported."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engines.arqmath import IndexCollection, index
from engines.arqmath.first_stage import FirstStage
from engines.arqmath.ranking.evaluate import Evaluate, evaluate
from engines.arqmath.ranking.rank import Rank, rank, read_judgements
from engines.arqmath.ranking.tune import Tune, _fuse_stages, tune
from engines.core.errors import EngineError
from engines.core.events import ignore
from engines.core.system import asset
from engines.retrieval.trec import TrecRun
from tests.conftest import expect_error

FORUM = asset("sample/arqmath/sample-forum")
TOPICS, QRELS = FORUM / "topics_task1.xml", FORUM / "qrels_task1.tsv"
CHOSEN = ("A.901", "A.902", "A.903", "A.904", "A.905")


@pytest.fixture(scope="module")
def indexed(place: Path) -> Path:
    index(IndexCollection(FORUM, place / "index"))
    rows = "".join(f"{name}\tnot asked so, only named\n" for name in CHOSEN)
    (place / "tune.tsv").write_text(rows)
    return place


def tuned(indexed: Path, qrels: Path = QRELS, **more: Any) -> dict[str, Any]:
    return tune(Tune(indexed / "index", (TOPICS,), (qrels,), **more))


def rows_of(found: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {row["system"]: row for row in found["systems"]}


def test_cross_validation_reports_every_topic_once(indexed: Path) -> None:
    found = tuned(indexed, folds=4)
    rows = rows_of(found)
    rank(Rank(indexed / "index", indexed / "run", (TOPICS,), first="lexical", rerank=False))
    plain = evaluate(Evaluate(indexed / "run", QRELS))
    assert (found["topics"], found["folds"]) == (plain["topics"], 4)
    assert rows["BM25 as indexed"]["ndcg_prime"] == pytest.approx(plain["ndcg_prime"], abs=1e-6)
    assert "chosen" not in rows["BM25 as indexed"]
    assert len(rows["BM25, k1 and b"]["chosen"]) == 4
    own = rows["BM25, k1 and b"]
    low, high = own["difference_interval"]
    assert low <= own["difference"] <= high
    assert own["difference"] == pytest.approx(own["ndcg_prime"] - plain["ndcg_prime"], abs=2e-6)


@pytest.mark.slow
def test_what_is_chosen_depends_on_named_topics_only(indexed: Path) -> None:
    """The judgements of the other topics turned round: what is chosen stays, what is reported does not."""
    lines = [line.split("\t") for line in QRELS.read_text().splitlines()]
    turned = indexed / "turned.tsv"
    other = [[t, o, d, g if t in CHOSEN else str(3 - int(g))] for t, o, d, g in lines]
    turned.write_text("".join("\t".join(line) + "\n" for line in other))
    one, two = (tuned(indexed, qrels, tune_topics=(indexed / "tune.tsv",)) for qrels in (QRELS, turned))
    assert (one["tuned_on"], one["topics"]) == (5, 7)
    chosen = [[row.get("chosen") for row in found["systems"]] for found in (one, two)]
    assert chosen[0] == chosen[1]
    assert rows_of(one)["BM25, k1 and b"]["ndcg_prime"] != rows_of(two)["BM25, k1 and b"]["ndcg_prime"]


def test_the_chosen_setting_is_the_best_of_the_named_topics(indexed: Path) -> None:
    """Each k1 and b of an index of its own."""
    few = indexed / "few.tsv"
    few.write_text("".join(line + "\n" for line in QRELS.read_text().splitlines() if line.startswith(CHOSEN)))
    means = {}
    for k1, b in ((0.4, 0.0), (1.2, 0.75), (3.0, 1.0)):
        index(IndexCollection(FORUM, indexed / f"{k1}-{b}", k1=k1, b=b))
        rank(Rank(indexed / f"{k1}-{b}", indexed / "own", (TOPICS,), first="lexical", rerank=False))
        means[k1, b] = evaluate(Evaluate(indexed / "own", few))["ndcg_prime"]
    setting = rows_of(tuned(indexed, tune_topics=(indexed / "tune.tsv",)))["BM25, k1 and b"]["chosen"][0]
    k1, b = (float(part.split()[1]) for part in setting.split(", "))
    index(IndexCollection(FORUM, indexed / "best", k1=k1, b=b))
    rank(Rank(indexed / "best", indexed / "own", (TOPICS,), first="lexical", rerank=False))
    assert evaluate(Evaluate(indexed / "own", few))["ndcg_prime"] >= max(means.values())


@pytest.mark.parametrize("more", [{"folds": 13}, {"tune_topics": (TOPICS,)}])
def test_nothing_to_choose_or_report_on_is_refused(indexed: Path, more: dict[str, Any]) -> None:
    with pytest.raises(EngineError) as caught:
        tuned(indexed, **more)
    assert caught.value.code == "E344"


def test_fused_lists_are_as_long_as_rank_writes_them() -> None:
    found = {
        name: TrecRun(name, {"A.1": [(f"{name}{n}", float(-n)) for n in range(1_000)]})
        for name in ("lexical", "dense")
    }
    [(_, run)] = _fuse_stages([FirstStage.from_text("lexical + dense")], found)
    assert len(run.rankings["A.1"]) == 1_000


def test_judgements_of_one_topic_in_two_files_are_taken_together(tmp_path: Path) -> None:
    files = tmp_path / "one.tsv", tmp_path / "two.tsv", tmp_path / "other.tsv"
    for file, lines in zip(files, ("A.1 0 a 3|A.2 0 a 1", "A.1 0 b 2|A.1 0 a 3", "A.2 0 a 2"), strict=True):
        file.write_text(lines.replace("|", "\n") + "\n")
    qrels = read_judgements(files[:2], [], ignore)
    assert qrels is not None
    assert qrels.grades == {"A.1": {"a": 3, "b": 2}, "A.2": {"a": 1}}
    with expect_error("E300") as caught:
        read_judgements(files, [], ignore)
    assert caught.value.where == str(files[2])

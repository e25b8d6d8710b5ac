"""A first stage is one class: once registered, every way to rank and search finds it by its name."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from engines.arqmath.collection.index import open_index
from engines.arqmath.collection.indexing import IndexCollection, index
from engines.arqmath.first_stage import RETRIEVERS, AnswerRetriever, FirstStage
from engines.arqmath.ranking.rank import Rank, rank
from engines.arqmath.ranking.search import Search
from engines.core.spec import describe_fields
from engines.retrieval.trec import TrecRun, read_run
from tests.arqmath import tiny_models
from workbench.cli.command import app

run_command = CliRunner()


@pytest.fixture(scope="module")
def indexed(place: Path) -> Path:
    tiny_models.posts(place / "posts")
    index(IndexCollection(place / "posts", place / "index"))
    return place


@pytest.fixture
def shortest() -> Iterator[None]:
    class Shortest(AnswerRetriever):
        """The shorter an answer, the better; needs nothing of its own in an index."""

        name, about, stored = "shortest", "short answers first", False

        def search(self, topics: Mapping[str, str], queries: Any, k: int, events: Any, stop: Any) -> TrecRun:
            posts = self.index.store.get_posts(self.index.store.answer_ids()).values()
            best = sorted(((post.id, -float(len(post.text))) for post in posts), key=lambda hit: -hit[1])[:k]
            return TrecRun.from_scores(self.name, dict.fromkeys(topics, best))

    yield
    del RETRIEVERS[Shortest.name]


@pytest.mark.usefixtures("shortest")
def test_a_registered_first_stage_ranks(indexed: Path, tmp_path: Path) -> None:
    topics = indexed / "posts" / "topics_task1.xml"
    lengths = {id: len(post.text) for id, post in posts(indexed).items()}
    made = rank(Rank(indexed / "index", tmp_path / "run", (topics,), first="shortest", rerank=False))
    assert made["first"] == "shortest"
    for ranking in read_run(tmp_path / "run").rankings.values():
        found = [lengths[id] for id, _ in ranking]
        assert found == sorted(lengths.values())[: len(found)]
    # It is an index's own like the others, and weighted and fused like them.
    opened = open_index(indexed / "index")
    assert {"lexical", "shortest"} <= set(opened.searches)
    assert opened.rank_topics({"T": "sum"}, 3, how="0.0001*lexical + shortest").rankings["T"][0][0] == min(
        lengths, key=lengths.__getitem__
    )
    assert str(FirstStage.from_text("rrf(shortest,lexical, k=7)")) == "rrf(shortest, lexical, k=7)"


@pytest.mark.usefixtures("shortest")
def test_the_command_takes_it_and_names_it_among_the_choices(indexed: Path, tmp_path: Path) -> None:
    topics = indexed / "posts" / "topics_task1.xml"
    line = ["arqmath", "rank", str(indexed / "index"), "--topics", str(topics), "--no-rerank"]
    made = run_command.invoke(app, [*line, "--out", str(tmp_path / "run"), "--first", "shortest"])
    assert (made.exit_code, (tmp_path / "run").exists()) == (0, True)
    refused = run_command.invoke(app, [*line, "--out", str(tmp_path / "other"), "--first", "longest"])
    assert refused.exit_code == 2
    assert ", ".join(RETRIEVERS) in " ".join(refused.output.split())


@pytest.mark.parametrize(("spec", "option"), [(Rank, "first"), (Search, "how")])
def test_help_names_every_first_stage(spec: Any, option: str) -> None:
    [field] = [field for field in describe_fields(spec) if field.name == option]
    assert all(name in field.arg.help for name in RETRIEVERS)


def posts(indexed: Path) -> Mapping[str, Any]:
    store = open_index(indexed / "index").store
    return store.get_posts(store.answer_ids())


STAGE = """
from mathwb.arqmath.first_stage import AnswerRetriever

class Oldest(AnswerRetriever):
    name, about, stored = "oldest", "old answers first", False

    def search(self, topics, queries, k, events, stop):
        raise NotImplementedError
"""


def test_an_installed_distribution_brings_a_first_stage(tmp_path: Path) -> None:
    about = tmp_path / "oldest-1.0.dist-info"
    about.mkdir()
    (tmp_path / "oldest_stage.py").write_text(STAGE)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: oldest\nVersion: 1.0\n")
    points = "oldest = oldest_stage:Oldest\nbroken = oldest_stage:Nothing\n"
    (about / "entry_points.txt").write_text(f"[mathwb.first_stages]\n{points}")
    program = (
        "from engines.arqmath.first_stage import RETRIEVERS, FirstStage\n"
        "print(list(RETRIEVERS)[-1], FirstStage.from_text('lexical + oldest'))"
    )
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["oldest", "lexical", "+", "oldest"]

"""The structure of formulas as a first stage: its terms, its scores, sums, and a build that goes on."""

from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engines.arqmath.collection import index_build
from engines.arqmath.collection.index import open_index
from engines.arqmath.collection.index_build import build_index
from engines.arqmath.collection.indexing import IndexCollection, index
from engines.arqmath.ranking.rank import Rank, rank
from engines.arqmath.ranking.search import Search, search
from engines.core.errors import EngineError
from engines.formula.operator_tree import FEATURES_VERSION, count_features
from engines.formula.operator_tree_parser import operator_tree
from engines.forum.folder import ArqmathFolder
from engines.retrieval.bm25 import build_lexical
from engines.retrieval.index_terms import STRUCTURE, structure_terms
from engines.retrieval.trec import read_run
from tests.arqmath.small_forum import forum
from tests.conftest import expect_error
from workbench.papers.arqmath import tables as text


@pytest.fixture(scope="module")
def indexed(place: Path) -> Path:
    forum(place / "posts")
    index(IndexCollection(place / "posts", place / "index", structure=True))
    return place


def test_renamed_formulas_have_the_same_terms_and_words_none() -> None:
    assert structure_terms(r"a $x^2+1$ b") == structure_terms(r"$$t^7+3$$ so")
    assert structure_terms(r"a $x^2+1$ b") != structure_terms(r"$2^x+1$")
    assert structure_terms("x + y, or $x$") == []
    twice = structure_terms(r"$a=b$ and $c=d$")
    assert Counter(twice) == Counter(2 * structure_terms("$a=b$"))
    assert f"structure-terms-{FEATURES_VERSION}" == STRUCTURE


def test_scores_are_bm25_of_the_features_with_wildcards(indexed: Path) -> None:
    """By the formula of BM25, term by term, from the operator trees."""
    found = open_index(indexed / "index")
    texts = {id: f"{post.title}\n{post.text}" for id, post in found.store.get_posts(ids(found)).items()}

    def counted(text: str) -> Counter[str]:
        counts: Counter[str] = Counter()
        for latex in text.split("$")[1::2]:
            every = count_features(operator_tree(latex))
            counts += Counter({name: n for name, n in every.items() if name.startswith(("g ", "w "))})
        return counts

    documents = {id: counted(text) for id, text in texts.items()}
    asked = counted(r"is $m^2 + 3m + 7 = (m+2)^2$ true")
    mean = sum(map(Counter.total, documents.values())) / len(documents)
    wanted = {}
    for id, counts in documents.items():
        score = 0.0
        for term, times in asked.items():
            holders = sum(term in other for other in documents.values())
            idf = math.log(1 + (len(documents) - holders + 0.5) / (holders + 0.5))
            limit = 1.2 * (0.25 + 0.75 * counts.total() / mean)
            score += times * idf * counts[term] / (counts[term] + limit)
        wanted[id] = score
    hits = {
        hit.id: hit.score for hit in found.search(r"is $m^2 + 3m + 7 = (m+2)^2$ true", 99, how="structure")
    }
    assert hits == pytest.approx({id: score for id, score in wanted.items() if score > 0}, rel=1e-5)
    # The same shape in other letters comes first.
    assert "n^2 + 2n + 1 = (n+1)^2" in texts[max(hits, key=hits.__getitem__)]
    assert found.search("only words", 9, how="structure") == []
    spec = Search(indexed / "index", "only words", how="structure")
    assert list(text.search(search(spec), spec)) == [
        "nothing found: no answer has a part of a formula of the query"
    ]


def ids(found: Any) -> list[str]:
    return [id.decode() for id in found.ids.tolist()]


def test_runs_and_sums_with_other_searches(indexed: Path, tmp_path: Path) -> None:
    topics = tmp_path / "topics.jsonl"
    asked = {"A.1": r"Sum of odd numbers $\sum_{i=1}^{m} (2i-1) = m^2$", "A.2": "no formula at all"}
    lines = [json.dumps({"id": id, "title": "", "question": text}) for id, text in asked.items()]
    topics.write_text("\n".join(lines))
    made = rank(Rank(indexed / "index", tmp_path / "run", (topics,), first="structure", rerank=False))
    assert made["first"] == "structure"
    run = read_run(tmp_path / "run")
    assert set(run.rankings) == {"A.1"}
    found = open_index(indexed / "index")
    assert found.searches == ["lexical", "structure"]
    alone = {name: found.rank_topics(asked, how=name).rankings["A.1"] for name in found.searches}
    summed: dict[str, float] = {}
    for name, weight in zip(found.searches, (1.0, 0.5), strict=True):
        scores = [score for _, score in alone[name]]
        for id, score in alone[name]:
            summed[id] = summed.get(id, 0.0) + weight * (score - min(scores)) / (max(scores) - min(scores))
    both = dict(found.rank_topics(asked, how="lexical + 0.5*structure").rankings["A.1"])
    assert both == pytest.approx(summed, abs=1e-6)


def test_a_stopped_build_goes_on_and_gives_the_same(
    indexed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_build, "_TERM_PART", 5)
    folder, heard = ArqmathFolder.open(indexed / "posts"), list[dict[str, Any]]()

    def listen(event: Any) -> None:
        heard.append(dict(event.data))

    def stop() -> bool:
        return any(data.get("unit") == "structures of answers" and data["done"] == 10 for data in heard)

    begun = build_index(folder, tmp_path / "index", structure=True, events=listen, stop=stop)
    assert not begun["complete"]
    parts = sorted((tmp_path / "index" / "parts").glob(f"{STRUCTURE}-*"))
    assert len(parts) == 2
    made = parts[0].stat().st_mtime_ns
    monkeypatch.setattr(index_build, "build_lexical", kept_time := Kept(parts[0]))
    whole = build_index(folder, tmp_path / "index", structure=True)
    assert kept_time.at == made
    assert whole["structure"] == open_index(indexed / "index").manifest["structure"]
    for file in (indexed / "index" / "structure").iterdir():
        if file.suffix == ".npy":
            ours = np.load(tmp_path / "index" / "structure" / file.name)
            assert (ours == np.load(file)).all()


class Kept:
    """`build_lexical`, which sees when a part was written."""

    def __init__(self, part: Path) -> None:
        self.part, self.at = part, 0

    def __call__(self, *args: Any, **named: Any) -> dict[str, Any]:
        self.at = self.part.stat().st_mtime_ns
        return build_lexical(*args, **named)


def test_it_is_added_later_and_its_lack_is_named(indexed: Path, tmp_path: Path) -> None:
    spec = IndexCollection(indexed / "posts", tmp_path / "index")
    assert index(spec)["structure"] is None
    with pytest.raises(EngineError) as lacking:
        open_index(tmp_path / "index").search("$a=b$", how="lexical + structure")
    assert (lacking.value.code, "--structure" in (lacking.value.remedy or "")) == ("E670", True)
    added = index(IndexCollection(indexed / "posts", tmp_path / "index", structure=True))
    assert added["structure"]["tokens"] == STRUCTURE
    assert added["lexical"] == open_index(indexed / "index").manifest["lexical"]
    assert index(spec)["structure"] == added["structure"]
    with pytest.raises(EngineError) as shared:
        IndexCollection(indexed / "posts", tmp_path / "x", dense=True, structure=True, share="1/2")
    assert shared.value.code == "E427"


def test_posts_without_formulas_are_told_apart_and_finished_without_structure(tmp_path: Path) -> None:
    posts = tmp_path / "posts"
    posts.mkdir()
    rows = (
        {"id": "1", "type": 1, "title": "What is a prime?", "body": "I ask what it is.", "tags": []},
        {"id": "2", "type": 2, "parent_id": "1", "body": "A number with two divisors."},
    )
    (posts / "posts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    with expect_error("E660") as caught:
        index(IndexCollection(posts, tmp_path / "index", structure=True))
    assert (caught.value.code, caught.value.where) == ("E660", str(posts / "posts.jsonl"))
    assert "without --structure" in caught.value.remedy
    assert index(IndexCollection(posts, tmp_path / "index"))["structure"] is None
    assert open_index(tmp_path / "index").search("divisors", 1)[0].id == "2"

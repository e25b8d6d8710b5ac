"""Learned sparse vectors: a tiny SPLADE through sentence-transformers, its index, and the first stage."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from scipy.sparse import csr_array

from engines.arqmath import IndexCollection, Rank, index, rank
from engines.arqmath.collection import index_build
from engines.arqmath.collection.index import open_index
from engines.arqmath.collection.index_build import build_index, document_text
from engines.core.errors import DataError, EngineError
from engines.forum.folder import ArqmathFolder
from engines.forum.topics import read_topics
from engines.retrieval import sparse
from engines.retrieval.sparse import SparseIndex, build_sparse, sparse_encoder
from engines.retrieval.trec import read_run
from tests.arqmath import tiny_models
from tests.conftest import expect_error


def splade(folder: Path, *, seed: int = 0) -> Path:
    """A masked language model of two layers; its weights of terms differ from text to text."""
    import torch
    from transformers import AutoConfig, BertForMaskedLM

    tiny_models.bert(folder, head=False)
    torch.manual_seed(seed)
    model = BertForMaskedLM(AutoConfig.from_pretrained(folder))
    with torch.no_grad():
        for weights in model.parameters():
            weights.mul_(4) if weights.dim() > 1 else None
    model.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def indexed(place: Path) -> Path:
    tiny_models.posts(place / "posts")
    splade(place / "splade")
    index(IndexCollection(place / "posts", place / "index", sparse=place / "splade", exact=True))
    return place


def test_the_first_stage_is_the_product_of_the_librarys_vectors(indexed: Path) -> None:
    from sentence_transformers import SparseEncoder

    model: Any = SparseEncoder(str(indexed / "splade"), device="cpu")
    model.save(str(indexed / "saved"))
    assert sparse_encoder(indexed / "saved").dimension == len(model.tokenizer)
    topics = indexed / "posts" / "topics_task1.xml"
    found = rank(Rank(indexed / "index", indexed / "run", (topics,), first="sparse", rerank=False))
    run = read_run(indexed / "run")
    assert (found["first"], found["topics"]) == ("sparse", 3)
    posts = open_index(indexed / "index").store.get_posts(open_index(indexed / "index").store.answer_ids())
    for topic in read_topics(topics):
        asked = model.encode_query([topic.text]).to_dense().numpy()[0]
        texts = [document_text(post) for post in posts.values()]
        products = model.encode_document(texts).to_dense().numpy() @ asked
        own = dict(run.rankings[topic.id])
        assert set(own) == {name for name, value in zip(posts, products, strict=True) if value > 0}
        expected = dict(zip(posts, products.tolist(), strict=True))
        assert own == pytest.approx({name: expected[name] for name in own}, rel=1e-4)
    sums = rank(
        Rank(indexed / "index", indexed / "both", (topics,), first="lexical + 2*sparse", rerank=False)
    )
    assert sums["documents"] >= found["documents"]


def test_blocks_and_parts_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(0)
    dense = generator.random((23, 40)) * (generator.random((23, 40)) < 0.1)
    dense[5] = 0
    queries = csr_array(generator.random((3, 40)) * (generator.random((3, 40)) < 0.2))
    parts = [csr_array(dense[begin:end]) for begin, end in pairwise((0, 7, 8, 23))]
    about = build_sparse(parts, tmp_path / "sparse", dimension=40)
    assert (about["documents"], about["postings"]) == (23, int((dense > 0).sum()))
    monkeypatch.setattr(sparse, "_BLOCK", 4)
    scores, rows = SparseIndex(tmp_path / "sparse").search(queries, 6)
    expected = queries.toarray() @ dense.T
    for own, places, products in zip(scores, rows, expected, strict=True):
        order = np.argsort(-products, kind="stable")[:6]
        kept = [place for place in order if products[place] > 0]
        assert places.tolist() == kept + [-1] * (6 - len(kept))
        assert own[: len(kept)] == pytest.approx(products[kept], rel=1e-6)


class Counting:
    """The model, and how many texts it was given."""

    def __init__(self, folder: Path) -> None:
        self._model = sparse_encoder(folder)
        self.name, self.place, self.dimension = "splade", str(folder), self._model.dimension
        self.fingerprint = self._model.fingerprint
        self.texts, self.limit = 0, 5

    def encode_documents(self, texts: Any, *, stop: Any = None) -> Any:
        self.texts += len(texts)
        return self._model.encode_documents(texts)

    def encode_queries(self, texts: Any) -> Any:
        return self._model.encode_queries(texts)

    def stop(self) -> bool:
        return self.texts >= self.limit


def test_a_stopped_build_goes_on_and_gives_the_same(
    indexed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_build, "_VECTOR_PART", 3)
    folder, model = ArqmathFolder.open(indexed / "posts"), Counting(indexed / "splade")
    first = build_index(folder, tmp_path / "index", sparse=model, stop=model.stop)
    assert (first["complete"], model.texts) == (False, 6)
    model.limit = 10**9
    assert build_index(folder, tmp_path / "index", sparse=model)["sparse"]["documents"] == 12
    assert model.texts == 6 + 12 - 3  # the part during which it was stopped is made again
    for name in ("data.csr.npy", "indices.csr.npy", "indptr.csr.npy"):
        ours, other = (np.load(one / "sparse" / name) for one in (tmp_path / "index", indexed / "index"))
        assert ours == pytest.approx(other, rel=1e-4)


def test_what_does_not_fit_is_refused(indexed: Path, tmp_path: Path) -> None:
    plain = tiny_models.bert(tmp_path / "plain", head=False)
    for folder in (plain, tmp_path):
        with pytest.raises(DataError) as caught:
            sparse_encoder(folder)
        assert caught.value.code == "E663"
    index(IndexCollection(indexed / "posts", tmp_path / "index"))
    with pytest.raises(EngineError) as lacking:
        open_index(tmp_path / "index").search("sum", how="sparse")
    assert (lacking.value.code, "--sparse" in (lacking.value.remedy or "")) == ("E670", True)
    other = splade(tmp_path / "other", seed=3)
    with pytest.raises(EngineError) as mixed:
        index(IndexCollection(indexed / "posts", indexed / "index", sparse=other))
    assert mixed.value.code == "E668"
    with pytest.raises(EngineError) as shared:
        IndexCollection(indexed / "posts", tmp_path / "x", dense=True, sparse=other, share="1/2")
    assert shared.value.code == "E427"


@pytest.mark.parametrize("searched", ["sparse", "dense"])
def test_a_model_that_was_moved_is_named_and_its_new_place_taken(
    indexed: Path, tmp_path: Path, searched: Literal["sparse", "dense"]
) -> None:
    posts, out, before, now = indexed / "posts", tmp_path / "index", tmp_path / "before", tmp_path / "now"

    def built(model: Path) -> dict[str, Any]:
        if searched == "sparse":
            return index(IndexCollection(posts, out, sparse=model, exact=True))
        return index(IndexCollection(posts, out, dense=True, encoder=str(model), exact=True))

    splade(before)
    built(before)
    found = open_index(out).search("prime", 3, how=searched)
    before.rename(now)
    with expect_error("E312") as caught:
        open_index(out).search("prime", 3, how=searched)
    assert (caught.value.code, caught.value.where) == ("E312", str(out))
    assert f"--out {out}" in caught.value.remedy
    files = {path: path.stat().st_mtime_ns for path in out.rglob("*") if path.suffix != ".json"}
    assert built(now)["complete"]
    assert open_index(out).search("prime", 3, how=searched) == found
    assert {path: path.stat().st_mtime_ns for path in files} == files  # nothing was encoded again

"""Neighbours in a corpus without vectors are those of the whole pool, and little is encoded for them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from engines.core.errors import ExpressionError, StoppedError
from engines.egen.models import encode, vectors
from engines.egen.models.model_folder import shipped_models
from engines.egen.models.nearest import Nearest, SolveAnalogy, analogy, nearest
from engines.egen.models.vectors import open_pool
from engines.retrieval.dense import normalize_rows

TEXTS = [
    f"{head} {tail}"
    for head in ("sin", "cos * 2", "+ x", "* x", "pow x", "/ 1", "tan", "- 3")
    for tail in ("x", "pow x 2", "+ x 1", "sin x", "* 2 x", "ln x", "cos x", "sqrt x", "/ x 7", "- x pow x 3")
]


@pytest.fixture
def clusters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "clusters.jsonl"
    path.write_text("".join(json.dumps({"head": text, "exprs": [text]}) + "\n" for text in TEXTS))
    monkeypatch.setattr(vectors, "size_of", lambda data: encode.MANY + 1)
    monkeypatch.setattr(vectors, "_AT_ONCE", 3)
    vectors._known.clear()
    vectors._open.clear()
    return path


@pytest.mark.usefixtures("one_thread")
@pytest.mark.parametrize("turned", [False, True])
def test_the_nearest_are_those_of_the_whole_pool(clusters: Path, tmp_path: Path, turned: bool) -> None:
    model = tmp_path / "model"
    model.mkdir()
    names = ["egen-composed", "egen-cl-mean"][:: -1 if turned else 1]
    (model / "config.json").write_text(json.dumps({"model_type": "egen-joined", "egen": {"parts": names}}))
    some = vectors.open_searched_pool(model, clusters)
    assert isinstance(some, vectors.BoundedPool)
    whole = open_pool(model, clusters, "all")
    assert len(some) == len(whole) == len(TEXTS)
    random = np.random.default_rng(0).normal(size=(2, whole.vectors.shape[1]))
    for query in [*whole.vectors[::27, None], *normalize_rows(random[:, None].astype(np.float32))]:
        for count in (1, 5, 200):
            found, expected = some.find_nearest(query, count), whole.find_nearest(query, count)
            cosines = [[row["cosine"] for row in rows] for rows in (found, expected)]
            assert cosines[0] == pytest.approx(cosines[1], abs=1e-5)
            surely = [
                {row["prefix"] for row in rows if row["cosine"] > cosines[1][-1] + 1e-5}
                for rows in (found, expected)
            ]
            assert surely[0] == surely[1]
    for row in (0, 17):
        assert some.vector_of(row) == pytest.approx(whole.vector_of(row), abs=1e-5)


@pytest.mark.usefixtures("one_thread")
def test_little_is_encoded_and_kept_for_the_next_question(clusters: Path) -> None:
    told: list[int] = []
    model = shipped_models()[0]
    some = vectors.open_searched_pool(model, clusters, events=lambda event: told.append(event.data["done"]))
    assert isinstance(some, vectors.BoundedPool)
    some.find_nearest(some.vector_of(5), 1)
    assert 1 <= len(some.known) < len(TEXTS) / 2
    assert told[-1] == len(TEXTS)
    again = vectors.open_searched_pool(model, clusters)
    assert isinstance(again, vectors.BoundedPool)
    assert again.known is some.known


def test_a_stop_ends_the_search(clusters: Path) -> None:
    stopping = [False]
    some = vectors.open_searched_pool(shipped_models()[0], clusters, stop=lambda: stopping[0])
    query = some.vector_of(0)
    stopping[0] = True
    with pytest.raises(StoppedError):
        some.find_nearest(-query, 50)


def test_a_whole_pool_that_is_there_is_taken(clusters: Path, tmp_path: Path) -> None:
    model = shipped_models()[0]
    whole = open_pool(model, clusters, "all", cache=tmp_path / "cache")
    assert vectors.open_searched_pool(model, clusters, cache=tmp_path / "cache") is whole


@pytest.mark.usefixtures("one_thread")
def test_what_was_encoded_is_kept_beside_the_pool(clusters: Path, tmp_path: Path) -> None:
    model, cache = shipped_models()[0], tmp_path / "cache"

    def asked() -> tuple[int, list[dict[str, object]]]:
        """In a process of its own: how many were known, and the answer."""
        vectors._known.clear()
        vectors._open.clear()
        some = vectors.open_searched_pool(model, clusters, cache=cache)
        assert isinstance(some, vectors.BoundedPool)
        return len(some.known), some.find_nearest(query, 4)

    query = encode.cached_encoder(model).encode(["sin * 3 x"])
    none, first = asked()
    some, again = asked()
    assert none == 0 < some < len(TEXTS)
    assert again == first
    (kept,) = cache.glob("*.known.npz")
    kept.write_bytes(kept.read_bytes()[:200])
    assert asked() == (0, first)


@pytest.mark.parametrize("expr", ["sin(", "y + 1"])
def test_an_expression_that_cannot_be_read_is_refused_before_the_corpus_is_encoded(
    clusters: Path, monkeypatch: pytest.MonkeyPatch, expr: str
) -> None:
    def no_corpus(*_: object, **__: object) -> None:
        raise AssertionError("the corpus was asked for")

    monkeypatch.setattr(vectors, "open_searched_pool", no_corpus)
    for model in shipped_models():
        with pytest.raises(ExpressionError):
            nearest(Nearest(model, expr, clusters))
        with pytest.raises(ExpressionError):
            analogy(SolveAnalogy(model, "sin(x)", "cos(x)", expr, data=clusters))

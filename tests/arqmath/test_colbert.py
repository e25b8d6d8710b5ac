"""Models of late interaction as sentence-transformers and Stanford's code save them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engines.arqmath.ranking.rank import Rank, rank
from engines.arqmath.ranking.scorers import ColbertScorer, is_colbert
from engines.core.errors import DataError
from engines.retrieval.trec import read_run
from tests.arqmath import tiny_models

PAIRS = [(q, a) for q in ("what is the sum", "prove the limit") for a in ("zero one", "even " * 200, "group")]


def stanford(folder: Path) -> Path:
    """A BERT with a projection of its states beside its weights, as ColBERTv2 lies on the hub."""
    import torch
    from safetensors.torch import load_file, save_file

    tiny_models.bert(folder, head=False)
    weights = load_file(folder / "model.safetensors")
    torch.manual_seed(1)
    projected = {f"bert.{name}": value for name, value in weights.items()}
    save_file({**projected, "linear.weight": torch.randn(8, 32)}, folder / "model.safetensors")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "architectures": ["HF_ColBERT"]}))
    about = {"query_maxlen": 12, "doc_maxlen": 40, "query_token_id": "[unused0]", "doc_token_id": "[unused1]"}
    (folder / "artifact.metadata").write_text(json.dumps({**about, "dim": 8}))
    return folder


def test_scores_are_sums_of_the_nearest_projected_tokens(tmp_path: Path) -> None:
    from sentence_transformers import MultiVectorEncoder

    folder = stanford(tmp_path / "colbert")
    model: Any = MultiVectorEncoder(str(folder), device="cpu")
    scorer = ColbertScorer(folder, device="cpu", exact=True)
    found = scorer.score(PAIRS)
    for (question, answer), score in zip(PAIRS, found, strict=True):
        asked = model.encode_query([question])[0].float().cpu().numpy()
        own = model.encode_document([answer])[0].float().cpu().numpy()
        assert own.shape[1] == 8
        assert score == pytest.approx((asked @ own.T).max(axis=1).sum(), abs=1e-4)
    model.save(str(tmp_path / "saved"))
    assert is_colbert(tmp_path / "saved")
    assert ColbertScorer(tmp_path / "saved", device="cpu", exact=True).score(PAIRS) == pytest.approx(found)
    assert scorer.truncated == 2  # the longest answer, of each question; the model reads 40 tokens
    assert np.ptp(found) > 0.01
    assert np.isnan(scorer.score(PAIRS, stop=lambda: True)).all()
    assert scorer.score([]).shape == (0,)


def test_rank_takes_a_colbert_for_what_it_is(tmp_path: Path) -> None:
    from engines.arqmath import IndexCollection, index

    posts = tiny_models.posts(tmp_path / "posts")
    index(IndexCollection(posts, tmp_path / "index"))
    folder, plain = stanford(tmp_path / "colbert"), tiny_models.bert(tmp_path / "plain", head=False)
    assert (is_colbert(folder), is_colbert(plain), is_colbert(tmp_path)) == (True, False, False)
    topics = (posts / "topics_task1.xml",)
    found = rank(Rank(tmp_path / "index", tmp_path / "run", topics, by="interaction", model=folder))
    assert (found["complete"], found["model"]) == (True, "colbert")
    scorer, run = ColbertScorer(folder), read_run(tmp_path / "run")
    from engines.arqmath.collection.index import open_index
    from engines.forum.topics import read_topics

    store = open_index(tmp_path / "index").store
    for topic in read_topics(topics[0]):
        for answer, score in run.rankings[topic.id][:5]:
            own = store.get_post(answer)
            assert own is not None
            assert score == pytest.approx(scorer.score([(topic.text, own.text)])[0], rel=2e-2)


def test_a_broken_one_is_refused(tmp_path: Path) -> None:
    folder = stanford(tmp_path / "colbert")
    (folder / "model.safetensors").unlink()
    with pytest.raises(DataError) as caught:
        ColbertScorer(folder)
    assert caught.value.code == "E380"


@pytest.mark.parametrize("lost", ["bert.encoder.layer.0.attention.self.query.weight", "linear.weight"])
def test_weights_that_are_missing_are_not_drawn_at_random(tmp_path: Path, lost: str) -> None:
    from safetensors.torch import load_file, save_file

    file = stanford(tmp_path / "colbert") / "model.safetensors"
    save_file({name: value for name, value in load_file(file).items() if name != lost}, file)
    with pytest.raises(DataError) as caught:
        ColbertScorer(file.parent)
    assert caught.value.code == "E380"

"""Training of sentence encoders: losses by hand, pairs and their split."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engines.core.system import asset
from engines.mathamr.retrieval.representations import EmbedStrings, embed_strings
from engines.mathamr.sentences import (
    JudgedPair,
    PairTurns,
    SentenceSettings,
    make_sentence_task,
    read_judged_pairs,
    split_pairs,
)
from engines.training import TrainConfig
from engines.training.checkpoints import Identity
from tests.conftest import expect_error

FORUM = asset("sample/arqmath/sample-forum")
PAIRS = [
    JudgedPair(f"B.{topic}", "q", f"{topic} {grade}", grade) for topic in range(1, 11) for grade in range(4)
]


def test_contrastive_loss_by_hand() -> None:
    """Cosine distances .2, .4 and 1 with labels 1, 0 and .5 and margin .5: .2², .1² and .5 · 1²."""
    torch = pytest.importorskip("torch")
    from engines.mathamr.sentences import margin_loss

    left = torch.tensor([[1.0, 0.0]] * 3)
    right = torch.tensor([[0.8, 0.6], [0.6, 0.8], [0.0, 1.0]])
    labels = torch.tensor([1.0, 0.0, 0.5])
    found = margin_loss(left, right, labels, margin=0.5, online=False)
    assert float(found) == pytest.approx((0.04 + 0.01 + 0.5) / 3, abs=1e-6)


def test_online_contrastive_keeps_hard_pairs() -> None:
    """The equal pair at .2 is closer than any unequal one, and the unequal one at 1 farther than every equal
    one: neither counts. What counts is the equal pair at .4 and the unequal one at .3."""
    torch = pytest.importorskip("torch")
    from engines.mathamr.sentences import margin_loss

    cosine = torch.tensor([0.8, 0.6, 0.7, 0.0])
    right = torch.stack([cosine, (1 - cosine**2).sqrt()], -1)
    left = torch.tensor([[1.0, 0.0]] * 4)
    labels = torch.tensor([1.0, 1.0, 0.0, 0.0])
    found = margin_loss(left, right, labels, margin=0.5, online=True)
    assert float(found) == pytest.approx((0.4**2 + 0.2**2) / 4, abs=1e-6)


def test_ranking_loss_by_hand() -> None:
    """Two orthogonal pairs at scale 1: -log(e / (e + 1)) each; the same text twice is right either time."""
    torch = pytest.importorskip("torch")
    from engines.mathamr.sentences import ranking_loss

    rows = torch.eye(2)
    assert float(ranking_loss(rows, rows, scale=1)) == pytest.approx(np.log(1 + np.exp(-1)), abs=1e-6)
    same = torch.tensor([[1.0, 0.0], [1.0, 0.0]])
    assert float(ranking_loss(same, same, scale=1)) == pytest.approx(0, abs=1e-6)


def test_a_held_out_topic_is_whole() -> None:
    kept, held = split_pairs(PAIRS, SentenceSettings(held_out=0.2), seed=0)
    assert len({pair.topic for pair in held}) == 2
    assert not {pair.topic for pair in held} & {pair.topic for pair in kept}
    assert len(kept) + len(held) == len(PAIRS)


def test_held_out_pairs_are_a_share_of_each_grade() -> None:
    """As the paper splits: 10 % of each grade."""
    _, held = split_pairs(PAIRS, SentenceSettings(split="pairs", held_out=0.1), seed=0)
    assert sorted(pair.grade for pair in held) == [0, 1, 2, 3]


def test_blocks_take_turns() -> None:
    turns = PairTurns(PAIRS, 4, seed=0).shuffled(3)
    examples = [turns[place] for place in range(len(turns))]
    blocks = [examples[at : at + 4] for at in range(0, len(examples), 4)]
    assert [{turn for _, turn in block} for block in blocks[:4]] == [{0}, {1}, {0}, {1}]
    assert sorted(row for row, turn in examples if turn == 0) == list(range(40))
    assert all(PAIRS[row].grade >= 2 for row, turn in examples if turn == 1)


def test_pairs_of_the_sample_have_the_papers_labels() -> None:
    settings = SentenceSettings(kind="opt", last_topic=999)
    pairs, missing = read_judged_pairs(FORUM, None, settings)
    assert (len(pairs), missing) == (79, 0)
    assert {pair.grade: pair.label for pair in pairs} == {0: 0.0, 1: 0.5, 2: 1.0, 3: 1.0}
    assert JudgedPair("", "", "", 7).label == 1.0


def test_batches_of_two_losses_are_refused() -> None:
    task = make_sentence_task({"block": 4}, {"collection": FORUM}, seed=0)
    with expect_error("E677"):
        task.collate([(0, 0), (1, 1)])


def test_strings_of_several_representations_are_not_embedded_together(tmp_path: Path) -> None:
    rows = ({"id": kind, "kind": kind, "string": "x"} for kind in ("opt", "latex"))
    (tmp_path / "mixed.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with expect_error("E402"):
        embed_strings(EmbedStrings(tmp_path / "mixed.jsonl", tmp_path / "out"))
    assert not (tmp_path / "out").exists()


def test_another_index_or_encoder_is_another_training(tmp_path: Path) -> None:
    data = {"collection": asset("sample/arqmath/sample-forum")}
    config = TrainConfig(steps=1)

    def identity(**more: Path) -> Mapping[str, Any]:
        return Identity.of_task(make_sentence_task({}, {**data, **more}, seed=0).origin(), config).settings

    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "looks.parquet").write_text(name)
    found = [identity(), identity(index=tmp_path / "one"), identity(index=tmp_path / "other")]
    assert found[0] != found[1] != found[2] != found[0]
    assert identity(encoder=tmp_path / "one") not in (identity(), identity(encoder=tmp_path / "other"))

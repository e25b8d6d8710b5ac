"""A step made of several batches, or by several processes, is the step of one batch that holds them all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.training.steps import alike, cases, gradients, rows, start


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from engines.egen.corpus.published import import_published
    from tests.arqmath.small_forum import backbone, forum
    from tests.egen.small_clusters import write_clusters
    from tests.mwp.solver_problems import written

    place = tmp_path_factory.mktemp("steps")
    import_published(write_clusters(place / "clusters.jsonl"), place / "corpus")
    forum(place / "forum")
    backbone(place).rename(place / "bert")
    _with_weights(place / "bert", place / "words")
    written(place, 42).rename(place / "problems.jsonl")
    return place


def _with_weights(backbone: Path, target: Path) -> None:
    import torch
    from transformers import AutoConfig, AutoModel, AutoTokenizer

    torch.manual_seed(0)
    AutoModel.from_config(AutoConfig.from_pretrained(backbone)).save_pretrained(target)
    AutoTokenizer.from_pretrained(backbone).save_pretrained(target)


@pytest.fixture(scope="module")
def alone(folder: Path) -> dict[str, Any]:
    import torch

    found = {}
    for name, task, batches in cases(folder, 0, 1):
        torch.manual_seed(0)
        found[name] = gradients(task, task.model(), batches)
    return found


@pytest.mark.slow
def test_two_processes_make_the_step_of_one(folder: Path, alone: dict[str, Any]) -> None:
    import torch

    start(folder, 2)
    shared = torch.load(folder / "2.pt")
    assert shared.keys() == alone.keys() == {"one", "batch", "positives", "seq2seq", *ORDERS, *LATER}
    for name, found in shared.items():
        alike(found, alone[name])


ORDERS = ("order True", "order False")
LATER = (
    "sentences apart",
    "sentences ranked",
    "sentences in turns",
    "problems",
    "some contrasted",
    "dense",
    "splade",
)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["one", "seq2seq", *ORDERS])
def test_accumulated_batches_count_by_their_tokens(folder: Path, alone: dict[str, Any], name: str) -> None:
    import torch

    task, (batch,) = next((task, batches) for case, task, batches in cases(folder, 0, 1) if case == name)
    if name == "one":
        table = task.train_data()
        parts = [task.collate([table[row] for row in chosen]) for chosen in (range(5), range(5, 8))]
    else:
        parts = [rows(batch, 0, 5), rows(batch, 5, 8)]
    assert len({task.counts(part) for part in parts}) == 2
    torch.manual_seed(0)
    alike(gradients(task, task.model(), parts), alone[name])

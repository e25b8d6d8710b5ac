"""A tiny model to train, here and in jobs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.jobs.conftest import TIMING, Lab, end_all, played
from workbench.jobs import timing
from workbench.paper import Trainer, trainers
from workbench.workspace import Workspace

__all__ = ["played"]

CHILDREN = Path(__file__).parent / "children"
sys.path.append(str(CHILDREN))

RECIPE = """
task = "train"
title = "parity"
seed = 3
minutes = 0.1

[params]
trainer = "tiny"
device = "cpu"

[params.model]
count = 200
folds = 2
fold = 0

[params.train]
steps = 20
batch_size = 8
bucket = 4
lr = 0.01
save_every = 5
eval_every = 4
log_every = 2
keep = 3
"""


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    """A recipe of the tiny model; equal to `tiny.config()`."""
    path = tmp_path / "parity.toml"
    path.write_text(RECIPE)
    return path


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Lab]:
    """A workspace whose jobs run quickly and know the tiny model."""
    monkeypatch.setenv("PYTHONPATH", str(CHILDREN))
    monkeypatch.setenv("JOBS_TEST_TIMING", json.dumps(TIMING))
    monkeypatch.setenv("MATHWB_WORKSPACE", str(tmp_path / "workspace"))
    for name, value in TIMING.items():
        monkeypatch.setattr(timing, name, value)
    monkeypatch.setitem(trainers(), "tiny", Trainer("tiny", "tiny:trainer", data=("corpus", "place")))
    yield Lab(Workspace.open(tmp_path / "workspace"))
    end_all(tmp_path)

"""A tiny model to train, here and in jobs."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.forked_jobs import TRAINING, end_forked, start_forked
from tests.jobs.conftest import TIMING, Lab, end_all, played
from workbench.jobs import control, job_registry, queue, scheduler, timing
from workbench.jobs.job_views import JobView
from workbench.paper import Trainer, all_trainers
from workbench.recipes import load_recipe
from workbench.train import job_spec
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
    yield from _lab(tmp_path, monkeypatch)


@pytest.fixture(scope="session")
def trained_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace in which the recipe has been trained, as job 1."""
    place = tmp_path_factory.mktemp("trained")
    (place / "parity.toml").write_text(RECIPE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MATHWB_HOME", str(place / "home"))
        for made in _lab(place, patch):
            job = control.submit_job(
                made.workspace, job_spec(made.workspace, load_recipe(str(place / "parity.toml")))
            )
            made.wait(job.id, "succeeded")
    return place / "workspace"


@pytest.fixture
def trained(lab: Lab, trained_once: Path) -> JobView:
    """The job of a finished training, in a workspace of the test's own."""
    shutil.copytree(trained_once, lab.workspace.root, dirs_exist_ok=True)
    job_registry.rebuild_index(lab.workspace)
    return lab.view(1)


def _lab(place: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Lab]:
    monkeypatch.setenv("PYTHONPATH", str(CHILDREN))
    monkeypatch.setenv("JOBS_TEST_TIMING", json.dumps(TIMING))
    monkeypatch.setenv("MATHWB_WORKSPACE", str(place / "workspace"))
    # A process more for each training; tests/jobs has what it does.
    monkeypatch.setenv("MATHWB_REPORTERS", "")
    for name, value in TIMING.items():
        monkeypatch.setattr(timing, name, value)
    monkeypatch.setitem(all_trainers(), "tiny", Trainer("tiny", "tiny:trainer", data=("corpus", "place")))
    for module in (queue, scheduler):
        monkeypatch.setattr(module, "start_detached", partial(start_forked, imports=TRAINING))
    yield Lab(Workspace.open(place / "workspace"))
    end_all(place)
    end_forked()

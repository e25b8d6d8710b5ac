"""Training as a job that is killed with -9: the weights at the end are those of one that never was."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tiny import Tiny, config

from engines.training import train
from workbench.jobs import control
from workbench.recipes import Recipe, load_recipe
from workbench.train import job_spec

if TYPE_CHECKING:
    from tests.jobs.conftest import Lab, Played


def weights(folder: Path) -> str:
    return hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The weights of a training in this process, without jobs and without interruption."""
    out = tmp_path_factory.mktemp("whole")
    train(Tiny(), config(), out)
    return weights(out / "model")


def spec(lab: Lab, path: Path, *, device: str = "", executor: str = "local", **model: Any) -> Recipe:
    recipe = load_recipe(str(path))
    recipe = replace(recipe, params={**recipe.params, "model": {**recipe.params["model"], **model}})
    return job_spec(lab.workspace, recipe, device=device, executor=executor)


@pytest.mark.slow
def test_killed_anywhere_ends_with_the_same_weights(lab: Lab, recipe: Path, whole: str) -> None:
    # The first attempt dies in a step before any checkpoint, the next in one after, the third while it saves.
    number = control.submit_job(
        lab.workspace, spec(lab, recipe, kill={"1": 4, "2": 9}, kill_saving={"3": 15})
    ).id
    for attempt in (1, 2, 3):
        view = lab.wait(number, "failed")
        assert (view.attempt, view.signal) == (attempt, 9)
        control.resume_job(lab.workspace, number)
        lab.until(lambda attempt=attempt: lab.view(number).attempt == attempt + 1)
    view = lab.wait(number, "succeeded")
    assert view.value["resumed_from"] == 10
    out = lab.out(number)
    assert weights(out / "model") == whole
    assert weights(lab.workspace.models / "parity") == whole
    assert view.value["model"] == str(lab.workspace.models / "parity")
    assert not list(out.rglob("*.tmp"))
    # What determines the result is saved with it, and no place of this machine.
    facts = json.loads((lab.workspace.models / "parity" / "training.json").read_text())
    assert facts["recipe"]["train"]["lr"] == 0.01
    assert facts["environment"]["packages"]["torch"]
    assert facts["environment"]["device"] == {"device": "cpu", "processes": 1, "gpus": []}
    assert (facts["config"]["seed"], facts["result"]["resumed_from"]) == (3, 10)
    assert str(lab.workspace.root) not in json.dumps(facts)


@pytest.mark.slow
def test_stopped_gently_and_resumed(lab: Lab, recipe: Path, whole: str, tmp_path: Path) -> None:
    path = tmp_path / "held.toml"
    path.write_text(recipe.read_text() + f'\n[params.data]\nplace = "{tmp_path}"\n')
    number = control.submit_job(lab.workspace, spec(lab, path, hold=8)).id
    lab.until(lambda: lab.view(number).metrics.get("accuracy") is not None, "the first evaluation")
    control.stop_job(lab.workspace, number)
    (tmp_path / "go").touch()
    view = lab.wait(number, "stopped")
    assert view.value["stop_reason"] == "stopped"
    assert 4 < view.value["step"] < 20
    control.resume_job(lab.workspace, number)
    view = lab.wait(number, "succeeded")
    assert weights(lab.out(number) / "model") == whole


@pytest.mark.slow
def test_two_processes_train_one_model_and_stop_when_asked(lab: Lab, recipe: Path, tmp_path: Path) -> None:
    path = tmp_path / "held.toml"
    path.write_text(recipe.read_text() + f'\n[params.data]\nplace = "{tmp_path}"\n')
    number = control.submit_job(lab.workspace, spec(lab, path, device="cpu:2", hold=8)).id
    lab.until(lambda: lab.view(number).metrics.get("accuracy") is not None, "the first evaluation")
    control.stop_job(lab.workspace, number)
    (tmp_path / "go").touch()
    view = lab.wait(number, "stopped")
    assert view.value["examples"] == view.value["step"] * 16
    control.resume_job(lab.workspace, number)
    view = lab.wait(number, "succeeded")
    assert (view.value["step"], view.value["examples"]) == (20, 320)
    assert (lab.workspace.models / "held" / "model.safetensors").exists()


@pytest.mark.slow
def test_on_a_cluster(lab: Lab, recipe: Path, whole: str, played: Played) -> None:
    number = control.submit_job(lab.workspace, spec(lab, recipe, executor="slurm:partition=gpu,time=5")).id
    view = lab.wait(number, "succeeded")
    assert weights(lab.out(number) / "model") == whole
    assert (view.exit_code, view.cluster_id) == (0, "71")
    assert played.asked("sbatch")[-1][-2:] == ["--partition=gpu", "--time=5"]

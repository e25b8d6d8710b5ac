"""Resumed with other settings, run anew, moved, taken from an archive."""

from __future__ import annotations

import json
import shutil
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from engines.core.errors import EngineError
from engines.core.files import atomic_writer
from tests.conftest import expect_error
from tests.forked_jobs import mathwb
from workbench.jobs import control, job_registry
from workbench.jobs.archive import plan_packing, unpack_job, write_planned
from workbench.jobs.folder import Job
from workbench.jobs.job_views import JobView
from workbench.recipes import load_recipe
from workbench.train import job_spec
from workbench.workspace import Workspace

if TYPE_CHECKING:
    from tests.jobs.conftest import Lab


@pytest.mark.slow
def test_a_training_goes_on_with_more_steps(lab: Lab, trained: JobView) -> None:
    number = trained.id
    with expect_error("E603"):
        control.resume_job(lab.workspace, number)
    control.resume_job(lab.workspace, number, ["steps=30", "log_every=5"])
    view = lab.wait(number, "succeeded")
    assert (view.attempt, view.value["step"], view.value["resumed_from"]) == (2, 30, 20)
    facts = json.loads((Path(view.value["model"]) / "training.json").read_text())
    assert facts["steps_changed"] == [{"at_step": 20, "from": 20, "to": 30}]


@pytest.mark.slow
def test_what_would_make_it_other_work_is_refused_with_the_difference(lab: Lab, trained: JobView) -> None:
    number = trained.id
    before = (lab.workspace.runs / str(number) / "recipe.toml").read_bytes()
    with expect_error("E637", exit_code=2) as caught:
        control.resume_job(lab.workspace, number, ["steps=30", "lr=0.5", "seed=9"])
    assert caught.value.what.endswith("seed: 3 there, 9 requested; train.lr: 0.01 there, 0.5 requested")
    assert f"mathwb jobs rerun {number} --set steps=30 --set lr=0.5 --set seed=9" in caught.value.remedy
    with expect_error("E424"):
        control.resume_job(lab.workspace, number, ["stesp=30"])
    # What the trainer does not take is refused too, here and in a new job.
    for anew, setting in ((False, "steps=0"), (True, "best=acuracy")):
        with pytest.raises(EngineError) as caught:
            (control.rerun_job if anew else control.resume_job)(lab.workspace, number, [setting])
        assert caught.value.code == "E630"
    assert (lab.workspace.runs / str(number) / "recipe.toml").read_bytes() == before
    assert (lab.view(number).attempt, len(job_registry.list_jobs(lab.workspace))) == (1, 1)


@pytest.mark.slow
def test_a_job_is_run_anew_in_a_folder_of_its_own(lab: Lab, trained: JobView) -> None:
    done = mathwb("jobs", "rerun", trained.id, "--set", "lr=0.02", "--json")
    second = lab.wait(json.loads(done.stdout)[0]["id"], "succeeded")
    assert (second.params["train"]["lr"], second.seed) == (0.02, trained.seed)
    assert second.title == f"{trained.title} lr=0.02"
    assert Path(trained.value["model"]).name == "parity"
    assert second.value["model"] == str(lab.workspace.models / "parity-2")
    assert {path.name for path in lab.workspace.models.iterdir()} == {"parity", "parity-2"}


def test_a_title_says_what_was_changed(lab: Lab, recipe: Path) -> None:
    from workbench.jobs.control import copy_recipe

    spec = replace(job_spec(lab.workspace, load_recipe(str(recipe))), title="train small lr=1e-4 seed=1")
    number = control.submit_job(lab.workspace, spec).id
    control.kill_job(lab.workspace, number)
    made = copy_recipe(
        lab.workspace, Job(number, lab.workspace.runs / str(number)), ["train.lr=0.5", "model.tau=0.2"]
    )
    assert made.title == "train small lr=0.5 seed=1 model.tau=0.2"


@pytest.mark.slow
def test_a_moved_workspace_resumes(lab: Lab, recipe: Path, tmp_path: Path) -> None:
    inside = lab.workspace.root / "exports" / "mine"
    spec = replace(job_spec(lab.workspace, load_recipe(str(recipe))))
    spec = replace(spec, params={**spec.params, "out": str(inside)})
    number = control.submit_job(lab.workspace, spec).id
    lab.wait(number, "succeeded")
    text = (lab.workspace.runs / str(number) / "recipe.toml").read_text()
    assert str(tmp_path) not in text
    assert tomllib.loads(text)["params"]["out"] == "../../exports/mine"
    moved = tmp_path / "elsewhere"
    shutil.move(lab.workspace.root, moved)
    there = Workspace.open(moved)
    assert job_registry.read_job(there, number).out == str(moved / "exports" / "mine")
    control.resume_job(there, number, ["steps=25"])
    view = lab.until(
        lambda: (found := job_registry.read_job(there, number)).state == "succeeded" and found, "its end"
    )
    assert (view.value["resumed_from"], view.value["model"]) == (20, str(moved / "models" / "parity"))


@pytest.mark.slow
def test_an_archive_is_run_as_it_is(trained: JobView, tmp_path: Path) -> None:
    archive = tmp_path / "job.tar.gz"
    write_planned(plan_packing(Job(trained.id, Path(trained.folder))), archive)
    done = mathwb("jobs", "run", "--yes", archive, "--json")
    again: dict[str, Any] = json.loads(done.stdout)
    assert (again["state"], again["value"]["loss_nats"]) == ("succeeded", trained.value["loss_nats"])
    for content, code in ((b"no archive", "E316"), (archive.read_bytes()[:200], "E316")):
        archive.write_bytes(content)
        with pytest.raises(EngineError) as caught:
            unpack_job(archive, tmp_path / "into")
        assert caught.value.code == code
    assert not list((tmp_path / "into").glob("*"))


def test_a_list_and_a_look_agree_on_a_recipe_that_was_broken(lab: Lab, trained: JobView) -> None:
    job_registry.reconcile_jobs(lab.workspace)
    path = lab.workspace.runs / str(trained.id) / "recipe.toml"
    with path.open("r+b") as file:  # in place: the folder does not change
        file.write(b"\xff\xff")
    listed = job_registry.list_jobs(lab.workspace)[0]
    assert (listed.state, listed.reason) == (lab.view(trained.id).state, lab.view(trained.id).reason)
    assert listed.title == "unreadable"


def test_stray_files_of_killed_writers_are_swept(lab: Lab, trained: JobView) -> None:
    folder = Path(trained.folder) / "attempt-1"
    stray, other = folder / ".result.json.0a1b2c3d.tmp", folder / ".own.tmp"
    stray.touch()
    other.touch()
    with atomic_writer(folder / "request.json") as file:
        job_registry.rebuild_index(lab.workspace)
        assert {path.name for path in folder.glob(".*.tmp")} == {Path(file.name).name, other.name}

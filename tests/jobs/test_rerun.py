"""A job that is repeated replaces nothing: neither what it wrote nor what another job is about to write."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engines.core.errors import EngineError
from workbench.jobs import control, job_registry
from workbench.jobs.folder import Job, create_job
from workbench.recipes import Recipe, load_recipe
from workbench.train import job_spec
from workbench.workspace import Workspace, ensure_sample


@pytest.fixture
def workspace() -> Workspace:
    result = Workspace.open()
    ensure_sample(result)
    return result


def waiting_job(workspace: Workspace, **params: Any) -> Job:
    job = create_job(workspace.runs, Recipe("train", "a job", params))
    job_registry.update_index(workspace, [job])
    assert job_registry.read_job(workspace, job.id).live
    return job


def outputs(workspace: Workspace, job: Job) -> tuple[str, str]:
    params = control.move_outputs(workspace, job, job.read_recipe()).params
    return params["out"], params["publish"]


def test_the_next_free_names_are_those_that_nobody_has_and_no_live_job_will_have(
    workspace: Workspace,
) -> None:
    corpus, model = workspace.corpora / "all", workspace.models / "small"
    first = waiting_job(workspace, out=str(corpus), publish=str(model))
    corpus.mkdir()
    assert outputs(workspace, first) == (f"{corpus}-2", f"{model}-2")
    waiting_job(workspace, out=f"{corpus}-2", publish=f"{model}-2")
    assert outputs(workspace, first) == (f"{corpus}-3", f"{model}-3")
    assert control.copy_recipe(workspace, first, ()).params == {"publish": f"{model}-3"}


def test_what_is_in_the_run_folder_of_the_one_is_in_that_of_the_other(workspace: Workspace) -> None:
    first = waiting_job(workspace, out="./out/made", publish="./out/model", data={"file": "/data/x"})
    assert first.read_recipe().params["publish"] == str(first.folder / "out" / "model")
    again = control.move_outputs(workspace, first, first.read_recipe())
    second = create_job(workspace.runs, again)
    own = second.folder / "out"
    assert second.read_recipe().params == {
        "out": str(own / "made"), "publish": str(own / "model"), "data": {"file": "/data/x"},
    }  # fmt: skip


def test_two_jobs_that_are_live_publish_to_two_places(workspace: Workspace) -> None:
    recipe = load_recipe("egen/cl-mean-tiny")
    first = job_spec(workspace, recipe, device="cpu")
    waiting_job(workspace, **first.params)
    second = job_spec(workspace, recipe, device="cpu")
    assert Path(second.params["publish"]).name == f"{Path(first.params['publish']).name}-2"
    with pytest.raises(EngineError) as caught:
        control.submit_job(workspace, first)
    assert caught.value.code == "E602"

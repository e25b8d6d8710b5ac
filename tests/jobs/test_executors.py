"""Executors of other distributions: found by their entry points, and given jobs as Slurm is."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from engines.core.errors import EngineError
from workbench.jobs import job_registry
from workbench.jobs.executors import find_executor, list_executors
from workbench.jobs.placement import check_placement

if TYPE_CHECKING:
    from tests.jobs.conftest import Lab

SPARE = """
import os, signal, subprocess
from engines.core.errors import EngineError
from workbench.jobs.executors import node_command
from workbench.jobs.slurm import ClusterState

def parse_options(text):
    if text and not text.startswith("size="):
        raise EngineError(f"executor has {text!r}", code="E638")
    return {"size": text.removeprefix("size=")}

def submit_runs(run, log, name, wanted, runs=(), parallel=0, after=()):
    if wanted["size"] == "0":
        raise EngineError("the spare machine refuses the job", code="E605")
    numbers = []
    for each in runs or (run,):
        with log.open("ab") as output:
            made = subprocess.Popen(node_command(each), cwd=run, stdout=output, stderr=output,
                                    env={**os.environ, "SPARE_JOB": "spare-1"}, start_new_session=True)
        numbers.append("spare-1")
        (run.parent / "spare.txt").write_text(f"{made.pid} {name} {wanted['size']}")
    return numbers

def job_state(number):
    return ClusterState("RUNNING")

def forget_states():
    pass

def cancel_job(number):
    pass

def job_id(environment):
    return environment.get("SPARE_JOB", "")

def ending_kind(number, environment):
    return ""

def requeue_job(number):
    return "it never does"
"""


@pytest.fixture
def spare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install a distribution with an executor, for this process and those of jobs."""
    site = tmp_path / "site"
    about = site / "spare-1.0.dist-info"
    about.mkdir(parents=True)
    (site / "spare_machine.py").write_text(SPARE)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: spare\nVersion: 1.0\n")
    points = "spare = spare_machine\nbroken = spare_machine:nothing\n"
    (about / "entry_points.txt").write_text(f"[mathwb.executors]\n{points}")
    monkeypatch.syspath_prepend(site)


@pytest.mark.usefixtures("spare")
def test_an_installed_distribution_brings_an_executor(
    lab: Lab, tmp_path: Path, whole: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", f"{os.environ['PYTHONPATH']}{os.pathsep}{tmp_path / 'site'}")
    view = lab.wait(lab.submit(n=6, executor="spare:size=3"), "succeeded")
    assert (view.value, view.cluster_id) == (whole, "spare-1")
    _, *told = (lab.workspace.runs / "spare.txt").read_text().split()
    assert told == [f"mathwb-{view.id}", "3"]


@pytest.mark.usefixtures("spare")
def test_what_an_executor_refuses_is_refused_at_once(lab: Lab) -> None:
    with pytest.raises(EngineError) as caught:
        lab.submit(n=6, executor="spare:size=0")
    assert caught.value.code == "E605"
    assert job_registry.list_jobs(lab.workspace) == []


@pytest.mark.usefixtures("spare")
@pytest.mark.parametrize("text", ["spare:colour=red", "broken", "spear", "local:size=1", ""])
def test_executors_and_options_that_make_no_sense(text: str) -> None:
    with pytest.raises(EngineError) as caught:
        check_placement({"executor": text})
    assert caught.value.code == "E638"


@pytest.mark.usefixtures("spare")
def test_names_of_executors() -> None:
    assert list_executors() == ["slurm", "broken", "spare"]
    with pytest.raises(EngineError) as caught:
        find_executor("spear")
    assert "spare" in caught.value.remedy

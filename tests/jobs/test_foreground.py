"""A job in the foreground: the same machinery, with Ctrl-C."""

from __future__ import annotations

import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from engines.core.events import Event
from workbench.jobs import control, job_registry
from workbench.recipes import Recipe

if TYPE_CHECKING:
    from tests.jobs.conftest import Lab

_CODE = """
import json, pathlib, sys
from workbench.jobs import job_registry, control
from workbench.recipes import Recipe
from workbench.workspace import Workspace
spec = Recipe(sys.argv[2], "in front", json.loads(sys.argv[3]), seed=7)
workspace = Workspace.open(pathlib.Path(sys.argv[1]))
view = control.run_foreground(workspace, spec, lambda event: print(event.kind, event.step, flush=True))
sys.exit(view.command_exit_code)
"""


def start(lab: Lab, task: str, params: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", _CODE, str(lab.workspace.root), f"test.{task}", params]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_every_event_arrives_and_signals_are_given_back(lab: Lab, whole: dict[str, Any]) -> None:
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD)]
    heard: list[Event] = []
    spec = Recipe("test.count", "in front", {"n": 6}, seed=7)
    view = control.run_foreground(lab.workspace, spec, heard.append)
    assert (view.state, view.value, view.command_exit_code) == ("succeeded", whole, 0)
    assert [event.step for event in heard if event.kind == "progress"] == [1, 2, 3, 4, 5, 6]
    assert [event.data["state"] for event in heard if event.kind == "state"] == ["running", "succeeded"]
    assert before == [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD)]
    assert [item.state for item in job_registry.list_jobs(lab.workspace)] == ["succeeded"]


def test_ctrl_c_stops_gently(lab: Lab) -> None:
    process = start(lab, "count", '{"n": 6, "hold": 3}')
    assert process.stdout
    while process.stdout.readline() != "progress 3\n":
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    process.communicate()
    assert process.returncode == 130
    view = lab.view(1)
    assert (view.state, view.reason, view.value["items"]) == ("stopped", "stopped by you", 3)


def test_ctrl_c_twice_kills(lab: Lab) -> None:
    process = start(lab, "greedy", "{}")
    assert process.stdout
    while process.stdout.readline() != "log None\n":
        assert process.poll() is None
    worker = lab.worker(1)
    process.send_signal(signal.SIGINT)
    lab.wait(1, "stopping")
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    process.communicate()
    assert process.returncode == 130
    assert lab.view(1).reason == "killed by you"
    assert not lab.alive(worker)


def test_others_see_it_and_can_stop_it(lab: Lab) -> None:
    process = start(lab, "count", '{"n": 6, "hold": 3}')
    lab.until(lambda: (lab.workspace.runs / "1").exists())
    lab.wait(1, "running")
    control.stop_job(lab.workspace, 1)
    process.communicate()
    assert process.returncode == 130


def test_its_command_killed_leaves_the_work_running(lab: Lab, whole: dict[str, Any]) -> None:
    process = start(lab, "count", '{"n": 6, "hold": 3}')
    assert process.stdout
    while process.stdout.readline() != "progress 3\n":
        assert process.poll() is None
    process.kill()
    process.communicate()
    assert lab.view(1).health == "orphaned"
    job_registry.reconcile_jobs(lab.workspace)
    lab.go(1)
    assert lab.wait(1, "succeeded").value == whole


def test_a_worker_that_cannot_be_started(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    view = control.run_foreground(lab.workspace, Recipe("test.count", "in vain", {"n": 1}))
    assert (view.state, view.code) == ("failed", "E624")
    assert view.reason == "the worker could not be started: No such file or directory"


@pytest.mark.parametrize(("task", "code"), [("fail", 1), ("crash", 1)])
def test_failures_end_with_one(lab: Lab, task: str, code: int) -> None:
    process = start(lab, task, "{}")
    process.communicate()
    assert process.returncode == code

"""Worker, supervisor or submitter killed with -9: one true state, and a resume that loses nothing."""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from engines.core.files import write_json
from tests.conftest import expect_error
from workbench.jobs import control, job_registry, queue, scheduler, timing
from workbench.jobs import machine as process
from workbench.jobs.folder import Heartbeat, create_job
from workbench.jobs.machine import ProcessId
from workbench.jobs.supervisor import ORPHANED
from workbench.jobs.tail import EventTail
from workbench.recipes import Recipe

if TYPE_CHECKING:
    from tests.jobs.conftest import Lab

GONE = "its worker and its supervisor ended without recording a result"


def resumed(lab: Lab, number: int, whole: dict[str, Any]) -> None:
    """A resume ends like a run that nothing happened to, and keeps what was finished."""
    times = {item: item.stat().st_mtime_ns for item in lab.out(number).glob("item-*[0-9]")}
    lab.go(number)
    assert control.resume_job(lab.workspace, number).attempt == 2
    assert lab.wait(number, "succeeded").value == whole
    assert times == {item: item.stat().st_mtime_ns for item in times}


@pytest.mark.slow
def test_worker(lab: Lab, whole: dict[str, Any]) -> None:
    number = lab.held()
    lab.kill(lab.worker(number))
    view = lab.wait(number, "failed")
    assert view.signal == signal.SIGKILL
    assert view.reason.startswith("killed by signal 9, often memory; peak ")
    assert "GiB" in view.reason.partition(" of ")[2]
    resumed(lab, number, whole)


@pytest.mark.slow
def test_worker_in_the_middle_of_an_item_and_of_a_line(lab: Lab, whole: dict[str, Any]) -> None:
    number = lab.submit(n=6, break_at=3)
    assert lab.wait(number, "failed").done == 3
    tail = EventTail(lab.attempt(number).events)
    assert [event.seq for event in tail.read_events()] == list(range(7))
    assert tail.damaged == 0
    resumed(lab, number, whole)


@pytest.mark.slow
def test_supervisor_alone_is_replaced_and_the_work_goes_on(lab: Lab, whole: dict[str, Any]) -> None:
    number = lab.held()
    worker, first = lab.worker(number), lab.supervisor(number)
    lab.kill(first)
    view = lab.view(number)
    assert (view.state, view.health) == ("running", "orphaned")
    assert job_registry.reconcile_jobs(lab.workspace) == []
    assert lab.supervisor(number) != first
    lab.until(lambda: lab.view(number).health == "ok")
    assert lab.worker(number) == worker
    lab.go(number)
    view = lab.wait(number, "succeeded")
    assert (view.value, view.attempt, view.exit_code) == (whole, 1, None)
    warnings = [e.data["message"] for e in lab.events(number) if e.kind == "warning"]
    assert warnings == ["the supervisor is gone; the work continues and records its own end"]


@pytest.mark.slow
def test_supervisor_and_the_worker_ends_before_anyone_looks(lab: Lab, whole: dict[str, Any]) -> None:
    number = lab.held()
    job_registry.reconcile_jobs(lab.workspace)
    lab.kill(lab.supervisor(number))
    worker = lab.worker(number)
    lab.go(number)
    lab.until(lambda: not lab.alive(worker), "the end of the worker")
    assert lab.attempt(number).read_result() is None
    assert lab.view(number).value == whole
    assert [view.state for view in job_registry.reconcile_jobs(lab.workspace)] == ["succeeded"]
    assert lab.attempt(number).read_result() is not None
    assert job_registry.reconcile_jobs(lab.workspace) == []


@pytest.mark.slow
def test_supervisor_then_worker(lab: Lab, whole: dict[str, Any]) -> None:
    number = lab.held()
    job_registry.reconcile_jobs(lab.workspace)
    lab.kill(lab.supervisor(number))
    lab.kill(lab.worker(number))
    view = lab.view(number)
    assert (view.state, view.reason, view.command_exit_code) == ("lost", GONE, 4)
    assert view.remedy == f"Resume it: mathwb jobs resume {number}"
    assert [view.id for view in job_registry.reconcile_jobs(lab.workspace)] == [number]
    resumed(lab, number, whole)
    assert job_registry.list_attempts(lab.workspace, number)[0].state == "lost"


def test_the_end_clears_away_what_killed_writers_have_left(lab: Lab) -> None:
    number = lab.held()
    folder = lab.attempt(number).folder
    strays = [folder / ".heartbeat.json.0a1b2c3d.tmp", folder.parent / ".env.json.0a1b2c3d.tmp"]
    for stray in strays:
        stray.write_text("{")
    lab.kill(lab.supervisor(number))
    lab.kill(lab.worker(number))
    job_registry.reconcile_jobs(lab.workspace)
    lab.wait(number, "lost")
    assert not any(stray.exists() for stray in strays)


@pytest.mark.slow
def test_worker_then_supervisor(lab: Lab, whole: dict[str, Any]) -> None:
    number = lab.held()
    supervisor = lab.supervisor(number)
    # Held still, so that it dies before it can take the exit code.
    os.kill(supervisor, signal.SIGSTOP)
    os.kill(lab.worker(number), signal.SIGKILL)
    lab.kill(supervisor)
    assert lab.wait(number, "lost").reason == GONE
    resumed(lab, number, whole)


@pytest.mark.slow
def test_adopted_worker(lab: Lab, whole: dict[str, Any]) -> None:
    number = lab.held()
    first = lab.supervisor(number)
    lab.kill(first)
    job_registry.reconcile_jobs(lab.workspace)
    lab.until(lambda: lab.supervisor(number) != first)
    lab.kill(lab.worker(number))
    assert lab.wait(number, "lost").reason == GONE
    resumed(lab, number, whole)


@pytest.mark.slow
def test_supervisor_twice(lab: Lab, whole: dict[str, Any]) -> None:
    number = lab.held()
    for _ in range(2):
        before = lab.supervisor(number)
        lab.kill(before)
        job_registry.reconcile_jobs(lab.workspace)
        lab.until(lambda: lab.supervisor(number) != before)  # noqa: B023
    lab.go(number)
    assert lab.wait(number, "succeeded").value == whole


@pytest.mark.slow
def test_many_readers_adopt_a_worker_once(lab: Lab, whole: dict[str, Any]) -> None:
    number = lab.held()
    lab.kill(lab.supervisor(number))
    for _ in range(4):
        job_registry.reconcile_jobs(lab.workspace)
    lab.go(number)
    assert lab.wait(number, "succeeded").value == whole
    states = [e.data["state"] for e in lab.events(number) if e.kind == "state"]
    assert states == ["running", "succeeded"]


@pytest.mark.slow
def test_orphan_can_be_stopped_and_killed(lab: Lab) -> None:
    for act in (control.stop_job, control.kill_job):
        number = lab.held()
        lab.kill(lab.supervisor(number))
        act(lab.workspace, number)
        assert lab.wait(number, "stopped").reason == (
            "stopped by you" if act is control.stop_job else "killed by you"
        )


@pytest.mark.slow
def test_whoever_submitted_it(lab: Lab, whole: dict[str, Any]) -> None:
    code = (
        "import sys, time, pathlib; from workbench.jobs import control; from workbench.recipes import Recipe;"
        "from workbench.workspace import Workspace;"
        "spec = Recipe('test.count', 'from a window', {'n': 6, 'hold': 3}, seed=7);"
        "job = control.submit_job(Workspace.open(pathlib.Path(sys.argv[1])), spec);"
        "print(job.id, flush=True); time.sleep(600)"
    )
    command = [sys.executable, "-c", code, str(lab.workspace.root)]
    window = subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True)
    assert window.stdout
    number = int(window.stdout.readline())
    lab.wait(number, "running")
    os.killpg(window.pid, signal.SIGKILL)
    window.wait()
    window.stdout.close()
    lab.go(number)
    assert lab.wait(number, "succeeded").value == whole
    assert [view.id for view in job_registry.reconcile_jobs(lab.workspace)] == [number]


def test_before_the_supervisor_began(
    lab: Lab, whole: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = Recipe("test.count", "never begun", {"n": 6}, seed=7)
    number = create_job(lab.workspace.runs, spec).id
    assert lab.view(number).state == "queued"
    monkeypatch.setattr(timing, "START_LIMIT_S", 0.0)
    view = lab.view(number)
    assert (view.state, view.reason) == ("lost", "its supervisor never started")
    job_registry.reconcile_jobs(lab.workspace)
    monkeypatch.setattr(timing, "START_LIMIT_S", 60.0)
    assert lab.view(number).state == "lost"
    resumed(lab, number, whole)


def test_the_clock_is_set_back_before_the_supervisor_began(lab: Lab) -> None:
    job = create_job(lab.workspace.runs, Recipe("test.count", "never begun", {"n": 6}))
    write_json(job.last_attempt().folder / "attempt.json", {"v": 1, "t": time.time() + 3600})
    assert lab.view(job.id).state == "lost"
    queue.enqueue(job.last_attempt())
    (place,) = (lab.workspace.runs / ".queue").glob("[0-9]*")
    place.rename(place.with_name(f"{place.name}.{int(time.time()) + 3600}"))
    assert lab.view(job.id).state == "lost"
    assert not scheduler.advance_queue(lab.workspace.runs)


def test_stopped_before_it_began(lab: Lab) -> None:
    job = create_job(lab.workspace.runs, Recipe("test.count", "not yet", {"n": 6}))
    assert control.stop_job(lab.workspace, job.id).state == "stopping"
    subprocess.run([sys.executable, "-m", "workbench.jobs.supervisor", str(job.folder)], check=True)
    view = lab.view(job.id)
    assert (view.state, view.reason) == ("stopped", "stopped by you before it started")
    assert not list(job.folder.glob("*/events.jsonl"))


def test_a_worker_that_comes_too_late_does_nothing(lab: Lab) -> None:
    job = create_job(lab.workspace.runs, Recipe("test.count", "late", {"n": 6}))
    command = [sys.executable, "-m", "workbench.jobs.worker", str(job.folder), "1"]
    assert subprocess.run(command).returncode == ORPHANED
    assert not job.out_folder(job.read_recipe()).exists()


@pytest.mark.slow
def test_a_supervisor_that_comes_too_late_changes_nothing(lab: Lab) -> None:
    number = lab.held()
    lab.kill(lab.supervisor(number))
    lab.kill(lab.worker(number))
    job_registry.reconcile_jobs(lab.workspace)
    before = (lab.attempt(number).folder / "result.json").read_bytes()
    folder = lab.workspace.runs / str(number)
    subprocess.run([sys.executable, "-m", "workbench.jobs.supervisor", str(folder)], check=True)
    assert (lab.attempt(number).folder / "result.json").read_bytes() == before


def rewrite(path: Path, **changes: Any) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


@pytest.mark.slow
def test_a_reused_process_number_is_nobody_of_ours(lab: Lab, whole: dict[str, Any]) -> None:
    number = lab.held()
    lab.kill(lab.supervisor(number))
    lab.kill(lab.worker(number))
    stranger = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(600)"], process_group=0)
    try:
        for name in ("worker.json", "heartbeat.json"):
            rewrite(lab.attempt(number).folder / name, pid=stranger.pid)
        assert lab.view(number).state == "lost"
        worker = lab.attempt(number).worker_process()
        assert worker is not None
        assert not worker.send_signal(signal.SIGKILL)
        assert not worker.send_signal(signal.SIGKILL, group=True)
        with expect_error("E603"):
            control.kill_job(lab.workspace, number)
        resumed(lab, number, whole)
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


@pytest.mark.slow
def test_a_restart_of_the_machine(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    number = lab.held()
    with monkeypatch.context() as patch:
        patch.setattr(process, "_boot_id", lambda: "another boot")
        assert lab.view(number).reason == "the machine was restarted while it ran"
    assert lab.view(number).state == "running"


def test_a_job_of_another_machine_is_believed_until_it_is_given_up(lab: Lab) -> None:
    job = create_job(lab.workspace.runs, Recipe("test.count", "elsewhere", {"n": 6}))
    attempt = job.last_attempt()
    there = dataclasses.replace(ProcessId.of_this_process(), host="node17")
    attempt.write_heartbeat(Heartbeat(time.time(), there))
    assert (lab.view(job.id).state, lab.view(job.id).health) == ("starting", "ok")
    attempt.write_heartbeat(Heartbeat(time.time() - 60, there))
    assert (lab.view(job.id).state, lab.view(job.id).health) == ("starting", "silent")
    assert job_registry.reconcile_jobs(lab.workspace) == []
    assert control.stop_job(lab.workspace, job.id).state == "stopping"
    view = control.kill_job(lab.workspace, job.id)
    assert (view.state, view.reason) == ("lost", "abandoned by you: its machine had stopped responding")


def test_ten_minutes_without_an_event(lab: Lab) -> None:
    number = lab.held()
    log = lab.attempt(number).events
    os.utime(log, (time.time() - 601,) * 2)
    assert lab.view(number).health == "stalled"
    lab.go(number)
    lab.wait(number, "succeeded")


@pytest.mark.slow
def test_signals_from_outside_stop_gently(lab: Lab) -> None:
    for whom in (lab.worker, lab.supervisor):
        number = lab.held()
        os.kill(whom(number), signal.SIGTERM)
        view = lab.wait(number, "stopped")
        assert view.reason == "stopped by a signal from outside"
        assert view.value["items"] == 3

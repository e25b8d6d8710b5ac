"""The queue of this machine: in order, as many as there are slots, whoever dies."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest

from workbench.jobs import control, job_registry, job_views, queue, scheduler
from workbench.jobs.folder import Job, create_job
from workbench.jobs.placement import device_of
from workbench.recipes import Recipe

if TYPE_CHECKING:
    from tests.jobs.conftest import Lab

pytestmark = pytest.mark.usefixtures("forked_jobs")


@pytest.fixture(autouse=True)
def two_slots(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MATHWB_JOB_SLOTS", "2")


def begun(lab: Lab) -> list[int]:
    """The jobs whose workers have begun, in that order."""
    found = [
        (view.started, view.id) for view in job_registry.list_jobs(lab.workspace) if view.started is not None
    ]
    return [number for _, number in sorted(found)]


def keepers(lab: Lab) -> list[int]:
    wanted = ["workbench.jobs.scheduler", str(lab.workspace.runs.resolve())]
    return [each.pid for each in psutil.process_iter() if _command(each)[-2:] == wanted]


def _command(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []


def four(lab: Lab) -> list[int]:
    numbers = [lab.submit(n=6, hold=3) for _ in range(4)]
    for number in numbers[:2]:
        lab.until(lambda: lab.view(number).done == 3, "item 3")  # noqa: B023
    return numbers


@pytest.mark.slow
def test_the_third_waits_visibly_and_starts_in_its_turn(lab: Lab) -> None:
    first, second, third, fourth = four(lab)
    assert [(lab.view(number).state, lab.view(number).waiting) for number in (third, fourth)] == [
        ("queued", "next"),
        ("queued", "1 before it"),
    ]
    lab.go(second)
    lab.until(lambda: lab.view(third).done == 3, "the third")
    assert (lab.view(fourth).state, lab.view(fourth).waiting) == ("queued", "next")
    for number in (first, third, fourth):
        lab.go(number)
        lab.wait(number, "succeeded")
    assert begun(lab)[2:] == [third, fourth]
    assert queue.queue_entries(lab.workspace.runs) == []
    lab.until(lambda: not keepers(lab), "the end of the keeper")


@pytest.mark.slow
def test_who_waits_can_be_stopped_and_the_next_moves_up(lab: Lab) -> None:
    _, second, third, fourth = four(lab)
    assert control.stop_job(lab.workspace, third).reason == "stopped by you before it started"
    lab.until(lambda: lab.view(fourth).waiting == "next", "the fourth to move up")
    lab.go(second)
    lab.until(lambda: lab.view(fourth).done == 3, "the fourth")
    assert lab.view(third).state == "stopped"


def test_what_waits_is_looked_at_once(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    """One look reads the queue once, however many wait; what it knew of them it does not read again."""
    held = [queue.take_slots({}) for _ in range(2)]
    monkeypatch.setattr(scheduler, "keep_queue", lambda _: None)
    numbers = [lab.submit(n=1) for _ in range(5)]
    job_registry.reconcile_jobs(lab.workspace)
    asked: list[Path] = []
    entries = queue.queue_entries
    monkeypatch.setattr(queue, "queue_entries", lambda runs: asked.append(runs) or entries(runs))
    monkeypatch.setattr(job_views, "job_view", lambda job, look=None: pytest.fail(f"job {job.id} was read"))
    found = job_registry.list_jobs(lab.workspace)
    assert [(each.id, each.state, each.waiting) for each in found] == [
        (number, "queued", f"{place} before it" if place else "next")
        for place, number in reversed(list(enumerate(numbers)))
    ]
    job_registry.reconcile_jobs(lab.workspace)
    assert len(asked) == 2
    own_keeper = scheduler.QueueRunner(lab.workspace.runs)
    assert own_keeper.advance_queue()
    monkeypatch.setattr(Job, "read_recipe", lambda job: pytest.fail(f"the recipe of {job.id} was read again"))
    assert own_keeper.advance_queue()
    for slots in held:
        slots.close()


def test_an_entry_that_goes_while_the_queue_is_read_keeps_none_from_starting(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever ends a job that waits takes it out of the queue without the lock of those who start jobs."""
    monkeypatch.setattr(scheduler, "keep_queue", lambda _: None)
    numbers = [lab.submit(n=1) for _ in range(2)]
    lock_slots, started = queue.lock_slots, []

    def lose_the_first(wanted: object) -> object:
        queue.leave_queue(lab.attempt(numbers[0]))
        return lock_slots(wanted)

    monkeypatch.setattr(scheduler, "lock_slots", lose_the_first)
    monkeypatch.setattr(scheduler, "start_supervisor", lambda attempt, *_: started.append(attempt.job))
    scheduler.advance_queue(lab.workspace.runs)
    assert started == numbers[1:]
    held = [queue.take_slots({}) for _ in range(2)]
    assert all(slots.locks for slots in held)
    for slots in held:
        slots.close()


def test_the_cards_are_asked_for_once(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    """Asking the driver takes longer than all else that a look at the queue does."""
    asked: list[int] = []
    monkeypatch.setattr(scheduler, "list_gpus", lambda: asked.append(1) or [])
    monkeypatch.setattr(scheduler, "keep_queue", lambda _: None)
    held = [queue.take_slots({}) for _ in range(2)]
    for _ in range(3):
        queue.enqueue(
            create_job(lab.workspace.runs, Recipe("test.count", "waits", {"device": "auto"})).last_attempt()
        )
    assert scheduler.QueueRunner(lab.workspace.runs).advance_queue()
    assert len(asked) == 1
    for slots in held:
        slots.close()


@pytest.mark.slow
def test_the_keeper_is_replaced(lab: Lab) -> None:
    _, second, third, _ = four(lab)
    for pid in lab.until(lambda: keepers(lab), "a keeper"):
        lab.kill(pid)
    lab.go(second)
    lab.wait(second, "succeeded")
    lab.until(lambda: lab.view(third).done == 3, "the third")
    assert len(lab.until(lambda: keepers(lab), "another keeper")) == 1


@pytest.mark.slow
def test_all_are_killed_and_a_look_goes_on(lab: Lab) -> None:
    """As after a restart of the machine: nothing of the queue lives, and what waits still waits."""
    numbers = four(lab)
    for pid in lab.until(lambda: keepers(lab), "a keeper"):
        lab.kill(pid)
    for number in numbers[:2]:
        lab.kill(lab.supervisor(number))
        lab.kill(lab.worker(number))
    assert [lab.view(number).state for number in numbers] == ["lost", "lost", "queued", "queued"]
    job_registry.reconcile_jobs(lab.workspace)
    for number in numbers[2:]:
        lab.until(lambda: lab.view(number).done == 3, "what waited")  # noqa: B023
    # Both slots are free at once, so the two begin side by side.
    assert sorted(begun(lab)[2:]) == numbers[2:]


@pytest.mark.slow
def test_an_orphan_keeps_its_slot(lab: Lab) -> None:
    first, _, third, _ = four(lab)
    for pid in lab.until(lambda: keepers(lab), "a keeper"):
        lab.kill(pid)
    worker = lab.worker(first)
    lab.kill(lab.supervisor(first))
    scheduler.advance_queue(lab.workspace.runs)
    assert lab.view(third).waiting == "next"
    os.kill(worker, signal.SIGKILL)
    lab.until(lambda: scheduler.advance_queue(lab.workspace.runs) and lab.view(third).done == 3, "the slot")


def test_what_is_no_place_in_the_queue_is_passed_over(lab: Lab) -> None:
    job = create_job(lab.workspace.runs, Recipe("test.count", "damaged", {"n": 1}))
    queue.enqueue(job.last_attempt())
    (entry,) = queue.queue_entries(lab.workspace.runs)
    place = lab.workspace.runs / ".queue" / entry.name
    place.write_text('{"variables":3}')
    for name in ("1-2-3-4", "1-x-y", "1--", f"{place.name} (copy)", f"{place.name}.tmp"):
        (place.parent / name).touch()
    (place.parent / "1-1-1").mkdir()
    job_registry.reconcile_jobs(lab.workspace)
    # It begins, without the variables that it was to have.
    assert lab.wait(job.id).state == "failed"
    assert lab.view(job.id).started is not None


@pytest.mark.slow
def test_a_job_in_front_does_not_wait(lab: Lab) -> None:
    four(lab)
    view = control.run_foreground(lab.workspace, Recipe("test.count", "in front", {"n": 6}, seed=7))
    assert view.state == "succeeded"


CARDS = """0, GPU-aaa, Card, 81920, 1000, 0
1, GPU-bbb, Card, 81920, 80000, 0
"""


def test_who_waits_keeps_its_variables_and_no_secret_is_written(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = [queue.take_slots({}) for _ in range(2)]
    monkeypatch.setattr(scheduler, "keep_queue", lambda _: None)
    asking = {
        "OMP_NUM_THREADS": "3",
        "HF_HOME": "/models",
        "MATHWB_REPORTERS": "",
        "HF_TOKEN": "hf_secret1",
        "WANDB_API_KEY": "secret2",
        "MLFLOW_TRACKING_URI": "https://me:secret3@place",
        "MY_OWN": "1",
    }
    for name, value in asking.items():
        monkeypatch.setenv(name, value)
    number = lab.submit(n=6, hold=3)
    files = [path for path in lab.workspace.root.rglob("*") if path.is_file()]
    assert files
    assert not any(b"secret" in path.read_bytes() for path in files)
    for name in ("HF_HOME", "WANDB_API_KEY"):
        monkeypatch.delenv(name)
    starting = {"OMP_NUM_THREADS": "5", "TORCH_HOME": "1", "HF_TOKEN": "theirs", "MY_OWN": "2"}
    for name, value in starting.items():
        monkeypatch.setenv(name, value)
    for slots in held:
        slots.close()
    scheduler.advance_queue(lab.workspace.runs)
    found = psutil.Process(lab.worker(number)).environ()
    wanted = {"OMP_NUM_THREADS": "3", "HF_HOME": "/models", "HF_TOKEN": "theirs", "MY_OWN": "2"}
    assert {name: found.get(name) for name in wanted} == wanted
    assert found.keys().isdisjoint({"TORCH_HOME", "WANDB_API_KEY"})


@pytest.fixture
def two_cards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = tmp_path / "bin" / "nvidia-smi"
    tool.parent.mkdir()
    tool.write_text(f"#!/bin/sh\ncat <<END\n{CARDS}END\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tool.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)


@pytest.mark.usefixtures("two_cards")
def test_who_waits_gets_a_gpu_that_it_asked_for(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    held = queue.take_slots({"device": "all"})
    asked = {}
    # The keeper of the queue is begun by the first, and starts both.
    for card in ("1", "0"):
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", card)
        asked[card] = lab.submit(n=1, device="auto")
    held.close()
    given = {}
    for card, number in asked.items():
        lab.wait(number, "succeeded")
        given[card] = [each["uuid"] for each in device_of(lab.attempt(number))["gpus"]]
    assert given == {"1": ["GPU-bbb"], "0": ["GPU-aaa"]}


@pytest.mark.usefixtures("two_cards")
def test_each_gpu_is_lent_to_one_job(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = queue.take_slots({"device": "auto"}), queue.take_slots({"device": "auto"})
    assert (first.cards, second.cards) == (("GPU-bbb",), ("GPU-aaa",))
    assert queue.take_slots({"device": "auto"}).cards == ()
    first.close()
    assert queue.take_slots({"device": "all"}).cards == ()
    assert queue.take_slots({"device": "1"}).cards == ("GPU-bbb",)
    second.close()
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
    assert queue.take_slots({"device": "all"}).cards == ("GPU-aaa",)

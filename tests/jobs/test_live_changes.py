"""Live jobs, of which twelve programs ask something at once, or one that is killed at every write."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from tests.conftest import mathwb
from tests.jobs.conftest import Lab
from tests.processes import KILLED, MANY, read_failures, run_at_once, run_until_write
from workbench.jobs import control, job_registry, timing
from workbench.jobs.attempt_recording import settle_attempt
from workbench.jobs.folder import all_jobs, find_job, is_protected
from workbench.jobs.queue import queue_entries

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("forked_jobs")]

REFUSALS = {"E601", "E603", "E465", "E466"}
"""There is no such job; its state does not allow it; it is not in the trash; it is there already."""


def ask(verb: str, *words: object) -> None:
    """Run `mathwb jobs`; another process may have been first, and nothing else may keep it from its work."""
    done = mathwb("jobs", verb, *words, "--json")
    rows = json.loads(done.stdout)
    assert isinstance(rows, list), (verb, rows, done.stderr)
    refused = {row["error"]["code"] for row in rows if "error" in row}
    assert refused <= REFUSALS, done.stderr
    assert bool(refused) == bool(done.returncode), done.stderr


def ask_often(home: Path, *acts: tuple[object, ...]) -> None:
    """Ask all of it in twelve processes at once."""
    many = [partial(ask, *map(str, acts[number % len(acts)])) for number in range(MANY)]
    assert run_at_once(many) == [0] * MANY, read_failures(home)


def ask_killed(lab: Lab, home: Path, *words: object) -> Iterator[int]:
    """Ask it in processes that are killed at the first write, at the second and so on; yield their exit
    codes, up to that of the one that was not killed."""
    for number in range(1, 200):
        code = run_until_write(partial(ask, *map(str, words)), number, lab.workspace.root)
        assert code in (0, KILLED), read_failures(home)
        yield code
        if code == 0:
            assert number > 3, "it was never killed"
            return
    pytest.fail("it was killed each time")


def settle_abandoned(lab: Lab, number: int) -> bool:
    """Record the end of an attempt that nobody works on, nor will, without the time that a supervisor gets to
    begin; return whether the attempt is over.

    Nobody will if there is no process of the workspace and nothing for a later one in the queue: whoever
    starts a supervisor waits until it is a process of its own. There are two looks because a process that
    starts another one and ends may escape one of them.
    """
    if not lab.view(number).live:
        return True
    time.sleep(0.1)
    waiting = [entry for entry in queue_entries(lab.workspace.runs) if not entry.started]
    if not waiting and not lab.processes() and not lab.processes():
        with mock.patch.object(timing, "START_LIMIT_S", 0.0):
            settle_attempt(lab.attempt(number))
    return not lab.view(number).live


def finish(lab: Lab, number: int, whole: dict[str, Any]) -> None:
    """Let a job come to its end, and check that nothing of its work was lost or done twice."""
    lab.go(number)
    assert lab.wait(number, "succeeded").value == whole
    assert [job.id for job in all_jobs(lab.workspace.runs)] == [number]
    for draft in lab.workspace.runs.rglob(".draft-*"):
        os.utime(draft, (0, 0))
    assert job_registry.rebuild_index(lab.workspace) == (1, "")
    assert not [*lab.workspace.runs.rglob(".draft-*")]


@pytest.mark.parametrize(("verb", "reason"), [("stop", "stopped by you"), ("kill", "killed by you")])
def test_twelve_end_a_job(lab: Lab, user_home: Path, whole: dict[str, Any], verb: str, reason: str) -> None:
    number = lab.held()
    ask_often(user_home, (verb, number))
    assert lab.wait(number, "stopped").reason == reason
    assert len(find_job(lab.workspace.runs, number).attempts()) == 1
    control.resume_job(lab.workspace, number)
    finish(lab, number, whole)


def test_twelve_resume_a_job(lab: Lab, user_home: Path, whole: dict[str, Any]) -> None:
    number = lab.held()
    control.stop_job(lab.workspace, number)
    lab.wait(number, "stopped")
    ask_often(user_home, ("resume", number))
    assert len(find_job(lab.workspace.runs, number).attempts()) == 2
    finish(lab, number, whole)


def test_stopping_killing_and_resuming_at_once_leave_one_job(
    lab: Lab, user_home: Path, whole: dict[str, Any]
) -> None:
    number = lab.held()
    ask_often(user_home, ("stop", number), ("resume", number), ("kill", number), ("protect", number))
    lab.until(lambda: not lab.view(number).live or lab.view(number).state == "running", "one state")
    lab.go(number)
    if lab.wait(number, "stopped", "succeeded").state == "stopped":
        control.resume_job(lab.workspace, number)
    finish(lab, number, whole)
    assert is_protected(find_job(lab.workspace.runs, number))


def test_a_live_job_is_not_deleted_whoever_asks(lab: Lab, user_home: Path, whole: dict[str, Any]) -> None:
    number = lab.held()
    ask_often(
        user_home, ("rm", number), ("protect", number), ("protect", number, "--off"), ("restore", number)
    )
    assert lab.view(number).state == "running"
    assert not lab.workspace.trash.list_items()
    control.protect_job(lab.workspace, number, on=False)
    finish(lab, number, whole)


def test_twelve_delete_and_restore_a_job(lab: Lab, user_home: Path, whole: dict[str, Any]) -> None:
    number = lab.held()
    finish(lab, number, whole)
    ask_often(user_home, ("rm", number))
    assert [item.address for item in lab.workspace.trash.list_items()] == [f"job/{number}"]
    assert not all_jobs(lab.workspace.runs)
    ask_often(user_home, ("restore", number))
    assert not lab.workspace.trash.list_items()
    finish(lab, number, whole)
    ask_often(user_home, ("rm", number), ("restore", number))
    deleted = [item.address for item in lab.workspace.trash.list_items()]
    assert deleted == ([] if all_jobs(lab.workspace.runs) else [f"job/{number}"])
    if deleted:
        ask("restore", number)
    finish(lab, number, whole)


@pytest.mark.parametrize("verb", ["stop", "kill"])
def test_ending_a_job_is_killed_at_every_write(
    lab: Lab, user_home: Path, whole: dict[str, Any], verb: str
) -> None:
    number = lab.held()
    for _ in ask_killed(lab, user_home, verb, number):
        job_registry.reconcile_jobs(lab.workspace)
        if lab.view(number).state != "running":
            # It was asked for before the process was killed, so it happens, or it is asked for once more.
            if lab.view(number).live:
                ask(verb, number)
            lab.wait(number, "stopped")
            control.resume_job(lab.workspace, number)
            lab.wait(number, "running")
    finish(lab, number, whole)


def test_resuming_a_job_is_killed_at_every_write(lab: Lab, user_home: Path, whole: dict[str, Any]) -> None:
    number = lab.held()
    control.stop_job(lab.workspace, number)
    lab.wait(number, "stopped")
    for _ in ask_killed(lab, user_home, "resume", number):
        job_registry.reconcile_jobs(lab.workspace)
        if lab.view(number).live:
            ask("kill", number)
        lab.until(partial(settle_abandoned, lab, number), "the end of the attempt")
        assert lab.view(number).state in ("stopped", "lost")
    control.resume_job(lab.workspace, number)
    finish(lab, number, whole)


def test_deleting_and_protecting_a_live_job_are_killed_at_every_write(
    lab: Lab, user_home: Path, whole: dict[str, Any]
) -> None:
    number = lab.held()
    for _ in ask_killed(lab, user_home, "protect", number):
        assert lab.view(number).state == "running"
    assert is_protected(find_job(lab.workspace.runs, number))
    for _ in ask_killed(lab, user_home, "protect", number, "--off"):
        assert lab.view(number).state == "running"
    assert not is_protected(find_job(lab.workspace.runs, number))
    finish(lab, number, whole)

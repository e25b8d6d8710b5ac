"""What watches the jobs sees every change, and reads none that has not changed."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from tests.jobs.test_trash import ended, swept
from workbench.jobs import control, job_registry, job_views, workspace_jobs
from workbench.jobs.folder import Ending, create_job
from workbench.jobs.workspace_jobs import JobWatcher
from workbench.recipes import Recipe

if TYPE_CHECKING:
    from tests.jobs.conftest import Lab

pytestmark = pytest.mark.usefixtures("forked_jobs")


def aged(lab: Lab) -> None:
    """As if nothing had been done for a while."""
    for folder in (*lab.workspace.runs.iterdir(), lab.workspace.runs):
        os.utime(folder, (1e9, 1e9))


def test_what_is_over_is_read_once(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(3):
        ended(lab)
    sweep, _ = swept(lab)
    aged(lab)
    watcher = JobWatcher(lab.workspace)
    first = watcher.read_jobs(reconcile=True)
    assert [job.id for job in first] == list(range(sweep.id + 2, 0, -1))
    read: list[Path] = []
    plain = os.stat
    monkeypatch.setattr(job_views, "job_view", lambda *_: pytest.fail("a job was read"))
    recorded = SimpleNamespace(stat=lambda path: (read.append(path), plain(path))[1])
    monkeypatch.setattr(workspace_jobs, "os", recorded)
    rounds = 60
    for number in range(rounds):
        assert watcher.read_jobs(reconcile=not number % 5) is first
    # Each in turn, and no more.
    assert sorted(read) == sorted(Path(job.folder) for job in first)


@pytest.mark.parametrize("settled", [True, False])
def test_every_change_is_seen_at_the_next_look(lab: Lab, settled: bool) -> None:
    job, (sweep, runs) = ended(lab), swept(lab)
    watcher = JobWatcher(lab.workspace)

    def seen(act: Callable[[], object]) -> None:
        if settled:
            aged(lab)
        watcher.read_jobs(reconcile=True)
        act()
        assert watcher.read_jobs(reconcile=False) == tuple(job_registry.list_jobs(lab.workspace))
        assert watcher.read_jobs(reconcile=True) == tuple(job_registry.list_jobs(lab.workspace))

    seen(lambda: control.protect_job(lab.workspace, job.id))
    seen(lambda: control.protect_job(lab.workspace, job.id, on=False))
    seen(lambda: control.remove_job(lab.workspace, job.id))
    seen(lambda: lab.workspace.trash.restore_item(lab.workspace, lab.workspace.trash.list_items()[0]))
    seen(lambda: control.remove_job(lab.workspace, runs[0].id))
    seen(lambda: lab.workspace.trash.restore_item(lab.workspace, lab.workspace.trash.list_items()[0]))
    seen(lambda: control.remove_job(lab.workspace, sweep.id))
    seen(lambda: ended(lab))
    seen(lambda: create_job(lab.workspace.runs, Recipe("test.count", "new", {"n": 1})))


def test_a_job_that_is_over_and_goes_on_is_seen_and_so_is_its_end(lab: Lab) -> None:
    job = create_job(lab.workspace.runs, Recipe("test.count", "once more", {"n": 1}))
    job.last_attempt().write_result(Ending("failed", started=1.0, ended=2.0))
    watcher = JobWatcher(lab.workspace)
    watcher.read_jobs(reconcile=True)
    aged(lab)
    assert watcher.read_jobs(reconcile=True)[0].state == "failed"
    assert job.add_attempt(1) is not None
    assert watcher.read_jobs(reconcile=False)[0].state == "queued"
    job.last_attempt().write_result(Ending("succeeded", started=3.0, ended=4.0))
    assert watcher.read_jobs(reconcile=False)[0].state == "succeeded"
    assert watcher.read_jobs(reconcile=True)[0].state == "succeeded"


def test_what_another_program_does_is_seen_within_a_round(lab: Lab) -> None:
    job = ended(lab)
    aged(lab)
    watcher = JobWatcher(lab.workspace)
    assert watcher.read_jobs(reconcile=True)[0].title == "made up"
    Recipe("test.count", "renamed", {"n": 1}).write(job.recipe)
    os.utime(lab.workspace.runs, (1e9, 1e9))
    titles = [watcher.read_jobs(reconcile=False)[0].title for _ in range(60)]
    assert titles[-1] == "renamed"

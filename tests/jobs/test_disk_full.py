"""A full disk: the job fails by that name, the end is recorded, and a resume goes on once there is room."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from engines.core.files import file_error
from tests.conftest import expect_error
from workbench.jobs import control
from workbench.jobs.folder import Attempt, Ending, create_job
from workbench.jobs.supervisor import DISK_FULL
from workbench.recipes import Recipe
from workbench.workspace import Workspace

if TYPE_CHECKING:
    from tests.jobs.conftest import Lab

pytestmark = pytest.mark.usefixtures("forked_jobs")

needs_full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 1 MiB."""
    place = tmp_path / "small"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(place)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("a file system can only be mounted by root")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


@pytest.mark.slow
def test_a_disk_that_fills_up(lab: Lab, small_disk: Path) -> None:
    lab.workspace = Workspace.open(small_disk / "workspace")
    number = lab.submit("fill_disk")
    view = lab.wait(number, "failed")
    assert view.reason.startswith("disk full: ")
    assert view.remedy
    assert lab.attempt(number).read_result() is not None
    assert os.statvfs(small_disk).f_bavail < 32
    (lab.out(number) / "big").unlink()
    (lab.out(number) / "room").touch()
    control.resume_job(lab.workspace, number)
    assert lab.wait(number, "succeeded").value == {"done": True}


@needs_full
def test_what_the_task_writes_does_not_fit(lab: Lab) -> None:
    number = lab.submit("fill_disk", target="/dev/full")
    view = lab.wait(number, "failed")
    assert (view.code, view.reason) == ("E310", f"disk full: {lab.workspace.runs / str(number)}")


@pytest.mark.slow
@needs_full
def test_the_events_do_not_fit(lab: Lab) -> None:
    job = create_job(lab.workspace.runs, Recipe("test.count", "no log", {"n": 6}))
    job.last_attempt().events.symlink_to("/dev/full")
    subprocess.run([sys.executable, "-m", "workbench.jobs.supervisor", str(job.folder)], check=True)
    view = lab.view(job.id)
    assert view.state == "failed"
    assert view.reason.startswith("disk full: ")


def test_not_even_the_last_words_fit(lab: Lab) -> None:
    view = lab.wait(lab.submit("crash", code=DISK_FULL), "failed")
    assert (view.code, view.reason.partition(": ")[0]) == ("E310", "disk full")


@pytest.mark.slow
def test_the_result_waits_for_room(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    say, refusals = Attempt.write_result, iter([True, True, False])

    def sometimes(self: Attempt, ending: Ending) -> None:
        if next(refusals):
            path = self.folder / "result.json"
            raise file_error(OSError(errno.ENOSPC, "No space left on device"), path, "write")
        say(self, ending)

    monkeypatch.setattr(Attempt, "write_result", sometimes)
    view = control.run_foreground(lab.workspace, Recipe("test.count", "patient", {"n": 1}))
    assert view.state == "succeeded"
    assert next(refusals, None) is None


def test_a_job_that_cannot_be_recorded_is_not_started(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Recipe, path: Path) -> None:
        raise file_error(OSError(errno.ENOSPC, "No space left on device"), path, "write")

    monkeypatch.setattr(Recipe, "write", full)
    with expect_error("E310"):
        lab.submit(n=1)
    assert list(lab.workspace.runs.iterdir()) == []

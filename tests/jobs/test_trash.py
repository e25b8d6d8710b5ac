"""Deleted jobs stay in the trash, whoever is killed meanwhile, and come back as they were."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from engines.core.errors import EngineError
from tests.conftest import mathwb
from tests.jobs.test_cli import jobs_command
from workbench import trash
from workbench.config import set_value
from workbench.jobs import control, job_registry
from workbench.jobs.folder import Ending, Job, create_job
from workbench.recipes import Recipe
from workbench.workspace import Workspace

if TYPE_CHECKING:
    from tests.jobs.conftest import Lab

pytestmark = pytest.mark.usefixtures("forked_jobs")


def ended(lab: Lab, **files: dict[str, object]) -> Job:
    job = create_job(lab.workspace.runs, Recipe("test.count", "made up", {"n": 1}), files=files)
    job.last_attempt().write_result(Ending("succeeded", started=time.time() - 5, ended=time.time()))
    return job


def swept(lab: Lab) -> tuple[Job, list[Job]]:
    sweep = create_job(lab.workspace.runs, Recipe("sweep", "a sweep", {}), files={"members.json": {"v": 1}})
    runs = [ended(lab, **{"sweep.json": {"v": 1, "sweep": sweep.id, "parallel": 0}}) for _ in range(2)]
    members = [{"job": run.id, "setting": {}, "repeat": {}} for run in runs]
    (sweep.folder / "members.json").write_text(json.dumps({"v": 1, "members": members}))
    return sweep, runs


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def refusal(act: object) -> str:
    with pytest.raises(EngineError) as caught:
        act()  # type: ignore[operator]
    return caught.value.code


def test_a_job_comes_back_byte_for_byte_in_another_process(lab: Lab) -> None:
    job = ended(lab)
    before = bytes_of(job.folder)
    assert jobs_command("rm", str(job.id)).returncode == 0
    assert not job.folder.exists()
    (row,) = json.loads(jobs_command("list", "--deleted", "--json").stdout)
    assert (row["item"], row["title"]) == (f"job/{job.id}", "made up")
    assert round((row["until"] - row["deleted"]) / 86_400) == 30
    assert create_job(lab.workspace.runs, Recipe("test.count", "next", {})).id == job.id + 1
    assert jobs_command("restore", str(job.id)).stdout == f"{job.id}  made up  succeeded\n"
    assert bytes_of(job.folder) == before
    assert jobs_command("list", "--deleted").stdout == "Nothing was deleted.\n"
    assert jobs_command("restore", str(job.id)).returncode == 3


def test_a_run_that_was_deleted_with_its_sweep_brings_the_sweep_back(lab: Lab) -> None:
    sweep, runs = swept(lab)
    control.remove_job(lab.workspace, sweep.id)
    assert job_registry.list_jobs(lab.workspace) == []
    assert jobs_command("restore", str(runs[0].id)).returncode == 0
    assert [view.id for view in job_registry.list_jobs(lab.workspace)] == [runs[1].id, runs[0].id, sweep.id]
    assert lab.view(sweep.id).state == "succeeded"


@pytest.mark.parametrize("moved", range(4))
def test_a_deletion_that_was_cut_short_loses_nothing(
    lab: Lab, monkeypatch: pytest.MonkeyPatch, moved: int
) -> None:
    """The process ends for good after so many of the three folders have been moved."""
    sweep, runs = swept(lab)
    before = {job.id: bytes_of(job.folder) for job in (sweep, *runs)}
    if not (child := os.fork()):
        plain, done = Path.rename, []

        def rename(path: Path, target: Path) -> Path:
            if path.name.isdecimal():
                if len(done) == moved:
                    os._exit(0)
                done.append(path)
            return plain(path, target)

        monkeypatch.setattr(Path, "rename", rename)
        control.remove_job(lab.workspace, sweep.id)
        os._exit(0)
    os.waitpid(child, 0)
    there = [number for number in before if (lab.workspace.runs / str(number)).exists()]
    assert len(there) == 3 - moved
    for item in control.deleted_jobs(lab.workspace):
        lab.workspace.trash.restore_item(lab.workspace, item)
    assert {number: bytes_of(lab.workspace.runs / str(number)) for number in before} == before
    assert len(job_registry.list_jobs(lab.workspace)) == 3


@pytest.mark.parametrize("moved", range(3))
def test_a_restoration_that_was_cut_short_goes_on(
    lab: Lab, monkeypatch: pytest.MonkeyPatch, moved: int
) -> None:
    sweep, _ = swept(lab)
    control.remove_job(lab.workspace, sweep.id)
    if not (child := os.fork()):
        plain, done = Path.rename, []

        def rename(path: Path, target: Path) -> Path:
            if len(done) == moved:
                os._exit(0)
            done.append(path)
            return plain(path, target)

        monkeypatch.setattr(Path, "rename", rename)
        lab.workspace.trash.restore_item(lab.workspace, lab.workspace.trash.find_item(f"job/{sweep.id}"))
        os._exit(0)
    os.waitpid(child, 0)
    lab.workspace.trash.restore_item(lab.workspace, lab.workspace.trash.find_item(f"job/{sweep.id}"))
    assert len(job_registry.list_jobs(lab.workspace)) == 3
    assert lab.workspace.trash.list_items() == []


def test_what_is_protected_cannot_be_deleted(lab: Lab) -> None:
    sweep, runs = swept(lab)
    job_registry.reconcile_jobs(lab.workspace)
    assert jobs_command("protect", str(runs[0].id)).returncode == 0
    for number in (sweep.id, runs[0].id):
        result = jobs_command("rm", str(number))
        assert (result.returncode, result.stderr[:4]) == (2, "E467")
    control.protect_job(lab.workspace, runs[0].id, on=False)
    control.protect_job(lab.workspace, sweep.id)
    # Also by what the index knows.
    assert all(view.protected for view in job_registry.list_jobs(lab.workspace))
    assert refusal(lambda: control.remove_job(lab.workspace, runs[1].id)) == "E467"
    jobs_command("protect", "--off", str(sweep.id))
    assert not any(view.protected for view in job_registry.list_jobs(lab.workspace))
    control.remove_job(lab.workspace, sweep.id)
    assert job_registry.list_jobs(lab.workspace) == []


def test_it_is_kept_for_as_long_as_the_setting_says(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    set_value("trash_days", "2")
    old, new = ended(lab), ended(lab)
    now = time.time()
    control.remove_job(lab.workspace, old.id)
    monkeypatch.setattr(trash.time, "time", lambda: now + 86_400)
    control.remove_job(lab.workspace, new.id)
    assert [item.name for item in lab.workspace.trash.list_items()] == [str(new.id), str(old.id)]
    monkeypatch.setattr(trash.time, "time", lambda: now + 2.5 * 86_400)
    lab.workspace.trash.purge_expired()
    assert [item.name for item in lab.workspace.trash.list_items()] == [str(new.id)]


def test_what_an_earlier_version_had_taken_away_comes_back(lab: Lab) -> None:
    job = ended(lab)
    before = bytes_of(job.folder)
    job.folder.rename(lab.workspace.runs / f".removed-{job.id}-0123abcd")
    job_registry.rebuild_index(lab.workspace)
    assert [item.address for item in control.deleted_jobs(lab.workspace)] == [f"job/{job.id}"]
    assert jobs_command("restore", str(job.id)).returncode == 0
    assert bytes_of(job.folder) == before


def test_nothing_is_replaced_by_what_comes_back_and_links_are_not_followed(lab: Lab, tmp_path: Path) -> None:
    job = ended(lab)
    theirs = tmp_path / "elsewhere"
    job.folder.rename(theirs)
    job.folder.symlink_to(theirs)
    item = control.remove_job(lab.workspace, job.id)
    job.folder.mkdir()
    assert refusal(lambda: lab.workspace.trash.restore_item(lab.workspace, item)) == "E466"
    job.folder.rmdir()
    lab.workspace.trash.restore_item(lab.workspace, item)
    item = control.remove_job(lab.workspace, job.id)
    lab.workspace.trash.remove_item(item)
    assert (theirs / "recipe.toml").exists()
    assert refusal(lambda: lab.workspace.trash.restore_item(lab.workspace, item)) == "E465"


def test_where_the_trash_cannot_be_written_the_job_stays(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    sweep, _ = swept(lab)
    plain = Path.rename

    def full(path: Path, target: Path) -> Path:
        if path.name == str(sweep.id):
            raise OSError(28, "No space left on device")
        return plain(path, target)

    monkeypatch.setattr(Path, "rename", full)
    assert refusal(lambda: control.remove_job(lab.workspace, sweep.id)) == "E310"
    assert len(job_registry.list_jobs(lab.workspace)) == 3
    assert lab.workspace.trash.list_items() == []


@pytest.mark.parametrize(
    "text", ["", "[", "3", "{}", '{"kind": "job", "name": 1, "title": [], "deleted": "x", "record": 3}']
)
def test_a_damaged_description_disturbs_nobody(lab: Lab, text: str) -> None:
    job = ended(lab)
    other = control.remove_job(lab.workspace, job.id)
    damaged = control.remove_job(lab.workspace, ended(lab).id)
    (damaged.folder / "item.json").write_text(text)
    assert [item.name for item in lab.workspace.trash.list_items()] == [other.name]
    lab.workspace.trash.purge_expired()
    assert damaged.list_contents()


def test_the_command_lists_restores_and_empties_all_kinds(lab: Lab) -> None:
    workspace = Workspace.open()
    job = ended(lab)
    control.remove_job(workspace, job.id)
    workspace.notes.set_note("job/1", "a note")
    workspace.notes.set_note("job/1", "")
    rows = json.loads(mathwb("trash", "list", "--json").stdout)
    assert [row["item"] for row in rows] == ["note/job/1", f"job/{job.id}"]
    assert mathwb("trash", "restore", "note/job/1").returncode == 0
    assert Workspace.open().notes.get("job/1").note == "a note"  # type: ignore[union-attr]
    assert mathwb("trash", "empty").returncode == 2
    assert job.id not in [view.id for view in job_registry.list_jobs(workspace)]
    assert mathwb("trash", "empty", "--yes").returncode == 0
    assert json.loads(mathwb("trash", "list", "--json").stdout) == []

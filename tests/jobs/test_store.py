"""The index may be wrong, missing or damaged: the run folders are the truth."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from engines.core.files import write_json
from engines.core.system import count_processors, format_bytes
from tests.conftest import expect_error
from workbench.jobs import control, job_index, job_registry, job_views, machine
from workbench.jobs.folder import Attempt, Ending, Heartbeat, Job, create_job
from workbench.jobs.job_index import JobIndex
from workbench.jobs.machine import ProcessId, is_network, memory_bytes
from workbench.recipes import Recipe

if TYPE_CHECKING:
    from tests.jobs.conftest import Lab

pytestmark = pytest.mark.usefixtures("forked_jobs")


def ended(lab: Lab, state: str = "succeeded") -> Job:
    """A job that is over, made without a process."""
    job = create_job(lab.workspace.runs, Recipe("test.count", "made up", {"n": 1}))
    job.last_attempt().write_result(Ending(state, ended=time.time()))
    return job


def test_what_is_over_is_read_from_the_index(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    made = [ended(lab).id for _ in range(3)]
    live = create_job(lab.workspace.runs, Recipe("test.count", "live", {})).id
    assert job_registry.reconcile_jobs(lab.workspace) == []
    read: list[int] = []
    plain = job_views.job_view
    monkeypatch.setattr(job_views, "job_view", lambda job, look: (read.append(job.id), plain(job, look))[1])
    assert [view.id for view in job_registry.list_jobs(lab.workspace)] == [live, *reversed(made)]
    assert read == [live]


def test_a_new_attempt_is_seen_without_the_index(lab: Lab) -> None:
    job = ended(lab, "failed")
    job_registry.reconcile_jobs(lab.workspace)
    time.sleep(0.02)
    assert job.add_attempt(1)
    assert [view.state for view in job_registry.list_jobs(lab.workspace)] == ["queued"]
    assert [view.state for view in job_registry.reconcile_jobs(lab.workspace)] == []
    job.last_attempt().write_result(Ending("succeeded", ended=time.time()))
    assert [view.state for view in job_registry.reconcile_jobs(lab.workspace)] == ["succeeded"]


def test_a_damaged_index_is_made_again(lab: Lab) -> None:
    made = [ended(lab).id for _ in range(3)]
    job_registry.reconcile_jobs(lab.workspace)
    path = JobIndex(lab.workspace.root).path
    for damage in (b"this is no database" * 100, path.read_bytes()[:5000] + b"\xff" * 4000):
        path.write_bytes(damage)
        assert sorted(view.id for view in job_registry.list_jobs(lab.workspace)) == made
        job_registry.reconcile_jobs(lab.workspace)
        assert sorted(JobIndex(lab.workspace.root).load_rows()) == made


def test_an_index_that_cannot_be_written_is_done_without(lab: Lab) -> None:
    job = ended(lab)
    index = JobIndex(lab.workspace.root)
    index.path.parent.mkdir(parents=True)
    index.path.mkdir()
    assert job_registry.reconcile_jobs(lab.workspace) == []
    assert [view.id for view in job_registry.list_jobs(lab.workspace)] == [job.id]
    count, notice = job_registry.rebuild_index(lab.workspace)
    assert count == 1
    assert notice.startswith("the job index cannot be used")


def test_reindex_makes_the_same_list_and_clears_away(lab: Lab) -> None:
    for state in ("succeeded", "failed", "lost"):
        ended(lab, state)
    job_registry.reconcile_jobs(lab.workspace)
    before = job_registry.list_jobs(lab.workspace)
    old, new = lab.workspace.runs / ".draft-0123456789ab", lab.workspace.runs / ".draft-ba9876543210"
    for folder in (old, new):
        folder.mkdir()
    os.utime(old, (time.time() - 7200,) * 2)
    assert job_registry.rebuild_index(lab.workspace) == (3, "")
    assert job_registry.list_jobs(lab.workspace) == before
    assert (old.exists(), new.exists()) == (False, True)
    known = JobIndex(lab.workspace.root).load_rows()
    assert {job: row.view.state for job, row in known.items()} == {1: "succeeded", 2: "failed", 3: "lost"}


def test_an_index_of_another_version_is_filled_anew(lab: Lab) -> None:
    ended(lab)
    path = JobIndex(lab.workspace.root).path
    path.parent.mkdir(parents=True)
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE jobs (id INTEGER PRIMARY KEY, view TEXT NOT NULL)")
    assert JobIndex(lab.workspace.root).load_rows() == {}
    job_registry.reconcile_jobs(lab.workspace)
    assert list(JobIndex(lab.workspace.root).load_rows()) == [1]


def test_a_view_of_another_version_is_read_again(lab: Lab) -> None:
    job = ended(lab)
    job_registry.reconcile_jobs(lab.workspace)
    with sqlite3.connect(JobIndex(lab.workspace.root).path) as database:
        view = {**asdict(lab.view(job.id)), "colour": "blue"}
        database.execute("UPDATE views SET view = ?", (json.dumps(view),))
    assert [view.id for view in job_registry.list_jobs(lab.workspace)] == [job.id]


def test_network_file_systems_do_without_wal(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    ended(lab)
    index = JobIndex(lab.workspace.root)
    index.load_rows()
    assert index.notice == ""
    index.clear()
    monkeypatch.setattr(job_index, "is_network", lambda path: True)
    job_registry.reconcile_jobs(lab.workspace)
    assert list(index.load_rows()) == [1]
    assert "network file system" in index.notice
    with sqlite3.connect(index.path) as database:
        assert database.execute("PRAGMA journal_mode").fetchone() != ("wal",)


def test_many_readers_at_once(lab: Lab) -> None:
    made = [ended(lab).id for _ in range(5)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: job_registry.reconcile_jobs(lab.workspace), range(16)))
    assert sorted(JobIndex(lab.workspace.root).load_rows()) == made


def test_two_workspaces_have_two_indexes(lab: Lab, tmp_path: Path) -> None:
    assert JobIndex(lab.workspace.root).path != JobIndex(tmp_path).path


def test_other_folders_among_the_runs_are_no_jobs(lab: Lab) -> None:
    job = ended(lab)
    for name in ("99999999999999999999", "007", "٣", "2", "123456789", "1.5"):
        (lab.workspace.runs / name).mkdir()
    for name in ("attempt-99999999999999999999", "attempt-٣", "xattempt-2", "attempt-0"):
        (job.folder / name).mkdir()
    write_json(lab.workspace.runs / "removed.json", {"highest": 1e400})
    job_registry.reconcile_jobs(lab.workspace)
    assert [(view.id, view.attempt) for view in job_registry.list_jobs(lab.workspace)] == [(1, 1)]
    with expect_error("E601"):
        control.remove_job(lab.workspace, 99999999999999999999)
    assert ended(lab).id == 3


@pytest.mark.parametrize(
    "text",
    ["[" * 100_000, "3", '{"t": 1e999, "pid": 1e999, "id": 1e999}', '{"t": ' + "9" * 400 + "}", "\xff\0"],
)
def test_damaged_documents_of_a_run_are_as_none(lab: Lab, text: str) -> None:
    names = ("attempt", "heartbeat", "worker", "request", "outcome", "device")
    job = create_job(lab.workspace.runs, Recipe("test.count", "damaged", {"n": 1}))
    for name in names:
        (job.last_attempt().folder / f"{name}.json").write_text(text)
    for name in ("sweep", "members", "env"):
        (job.folder / f"{name}.json").write_text(text)
    (job.folder.parent / "removed.json").write_text(text)
    job_registry.reconcile_jobs(lab.workspace)
    assert [view.id for view in job_registry.list_jobs(lab.workspace)] == [1]
    control.remove_job(lab.workspace, 1)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("exit_code", 10**30),
        ("ended", "soon"),
        ("started", 1e300),
        ("reason", {"a": 1}),
        ("metrics", 3),
        ("peak_bytes", -1e400),
    ],
)
def test_a_damaged_result_is_none(lab: Lab, name: str, value: object) -> None:
    job = ended(lab)
    document = Ending("succeeded", ended=time.time()).to_dict() | {name: value}
    (job.last_attempt().folder / "result.json").write_text(json.dumps(document))
    job_registry.reconcile_jobs(lab.workspace)
    assert [view.id for view in job_registry.list_jobs(lab.workspace)] == [1]
    assert job.last_attempt().read_result() is None
    assert job_registry.rebuild_index(lab.workspace) == (1, "")


def test_a_run_folder_with_a_damaged_recipe_is_listed_with_the_reason(lab: Lab) -> None:
    job = ended(lab)
    job.recipe.write_text("task = ")
    ended(lab)
    job_registry.reconcile_jobs(lab.workspace)
    states = {view.id: (view.state, view.code) for view in job_registry.list_jobs(lab.workspace)}
    assert states == {1: ("lost", "E610"), 2: ("succeeded", "")}


@pytest.mark.parametrize("name", ["attempt", "heartbeat", "worker", "request", "result"])
def test_a_damaged_document_counts_as_not_there(lab: Lab, name: str) -> None:
    for content in ("", '{"t"', "null", "[1]", '{"t":null,"pid":null}', '{"t":"x"}', "a folder"):
        attempt = ended(lab).last_attempt()
        gone = replace(ProcessId.of_this_process(), start=1)
        write_json(attempt.folder / "worker.json", {"t": 1.0, **asdict(gone)})
        attempt.write_heartbeat(Heartbeat(1.0, gone))
        attempt.write_outcome(Ending("succeeded", ended=1.0))
        path = attempt.folder / f"{name}.json"
        path.unlink(missing_ok=True)
        if content == "a folder":
            path.mkdir()
        else:
            path.write_text(content)
    job_registry.rebuild_index(lab.workspace)
    assert [view.state for view in job_registry.list_jobs(lab.workspace)] == ["succeeded"] * 7


def test_devices() -> None:
    assert 1 <= count_processors() <= (os.cpu_count() or 1)
    assert 2**20 < memory_bytes() < 2**50
    assert not is_network(Path("/proc"))
    assert [format_bytes(n) for n in (2048, 5 * 2**20, 3 * 2**29)] == ["2.0 KiB", "5.0 MiB", "1.5 GiB"]


def test_processes_are_known_again_on_a_mac(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "sysctl").write_text('#!/bin/sh\n[ "$*" = "-n kern.bootsessionuuid" ] && echo 4F-2A\n')
    (tmp_path / "sysctl").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(machine, "Path", lambda place: Path(f"{tmp_path}{place}"))  # no /proc
    monkeypatch.setattr(machine, "sys", SimpleNamespace(platform="darwin"))
    machine._boot_id.cache_clear()
    try:
        me = ProcessId.of_this_process()
        assert (me.boot, me.is_alive()) == ("4F-2A", True)
        assert not replace(me, start=me.start - 1).is_alive()
        assert replace(me, host="another-network.local").is_alive(), "the machine has another name now"
        assert replace(me, host="another.local", boot="9C-11").is_alive() is None
        child = subprocess.Popen(["sleep", "600"])
        there = replace(me, pid=child.pid, start=machine._start_ticks(child.pid) or 0)
        assert there.send_signal(signal.SIGKILL)
        child.wait()
        assert not there.is_alive()
    finally:
        machine._boot_id.cache_clear()


def test_a_stop_asked_for_meanwhile_does_not_replace_a_kill(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempt = create_job(tmp_path, Recipe("count", "", {"n": 1})).last_attempt()
    looks, wanted = [0], Attempt.read_request
    killer = threading.Thread(target=attempt.request_end, args=("kill",))

    def interrupted(self: Attempt) -> str:
        """Whoever looks first sees what another is about to change, unless that one has to wait."""
        before = wanted(self)
        looks[0] += 1
        if looks[0] == 1:
            killer.start()
            killer.join(0.3)
        return before

    monkeypatch.setattr(Attempt, "read_request", interrupted)
    attempt.request_end("stop")
    killer.join()
    assert wanted(attempt) == "kill"

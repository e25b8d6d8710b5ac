"""A job from its start to an end of its own."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.conftest import expect_error
from workbench.jobs import control, job_registry, timing
from workbench.jobs.folder import create_job, recipe_diff
from workbench.recipes import Recipe

if TYPE_CHECKING:
    from tests.jobs.conftest import Lab

pytestmark = pytest.mark.usefixtures("forked_jobs")


def test_a_job_succeeds_and_its_folder_tells_all(lab: Lab, whole: dict[str, Any]) -> None:
    number = lab.submit(n=6)
    view = lab.wait(number, "succeeded")
    assert view.value == whole
    assert (view.done, view.total, view.unit) == (6, 6, "items")
    assert view.metrics == {"loss_nats": 1 / 6}
    assert view.exit_code == 0
    assert view.command_exit_code == 0
    assert view.peak_bytes > 2**20
    folder = lab.workspace.runs / str(number)
    assert tomllib.loads((folder / "recipe.toml").read_text()) == {
        "task": "test.count",
        "title": "test count",
        "seed": 7,
        "params": {"n": 6},
    }
    result = json.loads((folder / "attempt-1" / "result.json").read_text())
    assert result["state"] == "succeeded"
    assert result["wall_s"] >= 0
    assert not (folder / "attempt-1" / "reserve").exists()


def test_events_have_the_documented_form(lab: Lab) -> None:
    number = lab.submit(n=2)
    lab.wait(number, "succeeded")
    lines = [json.loads(line) for line in lab.attempt(number).events.read_text().splitlines()]
    assert [line["seq"] for line in lines] == list(range(len(lines)))
    assert all(list(line) == ["v", "t", "job", "attempt", "seq", "kind", "step", "data"] for line in lines)
    assert {(line["v"], line["job"], line["attempt"]) for line in lines} == {(1, number, 1)}
    assert [line["kind"] for line in lines] == ["state", *["progress", "metric"] * 2, "state"]
    assert lines[-1]["data"]["state"] == "succeeded"


def test_numbers_that_json_does_not_know_become_null_with_one_warning(lab: Lab) -> None:
    number = lab.submit("report")
    assert lab.wait(number, "succeeded").value == {"best": None, "seed": 7}
    text = lab.attempt(number).events.read_text()
    assert "NaN" not in text
    events = lab.events(number)
    assert [event.data for event in events if event.kind == "metric"] == [{"loss_nats": None, "lr": 0.5}] * 2
    assert [event.data["message"] for event in events if event.kind == "warning"] == [
        "loss_nats is not a finite number"
    ]


def test_the_environment_is_recorded_without_names(lab: Lab, tmp_path: Path) -> None:
    data = tmp_path / "lines.txt"
    data.write_text("abc")
    number = lab.submit(n=1, source=str(data), depth={"folder": str(tmp_path)})
    lab.wait(number, "succeeded")
    text = (lab.workspace.runs / str(number) / "env.json").read_text()
    environment = json.loads(text)
    assert environment["data"] == {
        "source": {
            "path": str(data),
            "bytes": 3,
            "sha256": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        }
    }
    assert environment["seed"] == 7
    assert environment["recipe_sha256"] == lab.view(number).spec.sha256()
    assert environment["packages"]["psutil"]
    assert environment["python"].startswith("3.")
    assert re.search(rf"\b{re.escape(os.uname().nodename)}\b", text) is None


def test_a_failure_is_explained(lab: Lab) -> None:
    view = lab.wait(lab.submit("fail"), "failed")
    assert (view.code, view.remedy) == ("E350", "Train one first.")
    assert view.command_exit_code == 1


def test_files_that_were_moved_since_are_named(lab: Lab, tmp_path: Path) -> None:
    number = lab.submit("fail", source=str(tmp_path / "moved"), target=str(tmp_path))
    view = lab.wait(number, "failed")
    assert view.code == "E312"
    again = f"mathwb jobs rerun {number} --set source=PATH"
    assert view.remedy == f"Put {tmp_path / 'moved'} back and resume, or give its new place: {again}"


def test_a_fault_of_the_program_keeps_its_stack_in_the_log(lab: Lab) -> None:
    number = lab.submit("fail", unforeseen=True)
    view = lab.wait(number, "failed")
    assert view.reason == "unexpected ZeroDivisionError: one over nothing"
    assert "Traceback" in lab.attempt(number).stderr.read_text()


def test_a_worker_that_leaves_without_a_word_is_quoted_safely(lab: Lab) -> None:
    view = lab.wait(lab.submit("crash"), "failed")
    assert view.exit_code == 7
    assert view.reason == "the worker ended with exit code 7 and no result: the library gave up\\x1b[2J"


def test_an_unknown_task_fails_with_advice(lab: Lab) -> None:
    view = lab.wait(lab.submit("cuont"), "failed")
    assert view.code == "E410"
    assert "test.count" in view.remedy


def test_stop_is_gentle(lab: Lab) -> None:
    number = lab.held()
    assert control.stop_job(lab.workspace, number).state in ("stopping", "stopped")
    view = lab.wait(number, "stopped")
    assert view.reason == "stopped by you"
    assert view.value["items"] == 3
    assert view.command_exit_code == 130


@pytest.mark.slow
@pytest.mark.parametrize(
    ("say", "state"),
    [
        ({"complete": True}, "succeeded"),
        ({"complete": False}, "stopped"),
        ({"stop_reason": "node_limit"}, "succeeded"),
        ({"stop_reason": "stopped"}, "stopped"),
        ({}, "stopped"),
    ],
)
def test_a_stop_that_comes_at_the_very_end_is_judged_by_the_task(
    lab: Lab, say: dict[str, Any], state: str
) -> None:
    number = lab.submit("deny", say=say)
    lab.wait(number, "running")
    control.stop_job(lab.workspace, number)
    assert lab.wait(number, state).value == say


def test_a_job_that_does_not_listen_is_offered_to_be_killed(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = lab.submit("greedy")
    lab.wait(number, "running")
    pid = lab.worker(number)
    control.stop_job(lab.workspace, number)
    assert not lab.view(number).offer_kill
    monkeypatch.setattr(timing, "GRACE_S", 0.0)
    assert lab.until(lambda: lab.view(number).offer_kill)
    control.kill_job(lab.workspace, number)
    assert lab.wait(number, "stopped").reason == "killed by you"
    assert not lab.alive(pid)


def test_a_job_ends_with_its_folder_and_leaves_no_ghost(lab: Lab) -> None:
    number = lab.held()
    worker, supervisor = lab.worker(number), lab.supervisor(number)
    lab.view(number)
    # Renamed first: they write into it until they notice.
    gone = (lab.workspace.runs / str(number)).rename(lab.workspace.root / "gone")
    shutil.rmtree(gone, ignore_errors=True)
    lab.until(lambda: not lab.alive(worker) and not lab.alive(supervisor), "the end of its processes")
    assert job_registry.list_jobs(lab.workspace) == []
    with expect_error("E601"):
        lab.view(number)


def test_kill_reaches_processes_of_other_sessions(lab: Lab) -> None:
    number = lab.submit("leave_child")
    event = lab.until(lambda: [e for e in lab.events(number) if e.kind == "log"])
    child = event[0].data["child"]
    assert lab.alive(child)
    control.kill_job(lab.workspace, number)
    lab.wait(number, "stopped")
    lab.until(lambda: not lab.alive(child), "the death of the child")


def test_stop_and_resume_gives_the_same_result(lab: Lab, whole: dict[str, Any]) -> None:
    number = lab.held()
    control.stop_job(lab.workspace, number)
    lab.wait(number, "stopped")
    lab.go(number)
    assert control.resume_job(lab.workspace, number).attempt == 2
    assert lab.wait(number, "succeeded").value == whole
    first, second = job_registry.list_attempts(lab.workspace, number)
    assert (first.state, second.state) == ("stopped", "succeeded")
    assert not [e for e in lab.events(number) if e.kind == "warning"]


@pytest.mark.slow
def test_a_resume_in_another_environment_says_so(lab: Lab) -> None:
    number = lab.held()
    control.stop_job(lab.workspace, number)
    lab.wait(number, "stopped")
    path = lab.workspace.runs / str(number) / "env.json"
    path.write_text(path.read_text().replace('"python": "3.', '"python": "2.'))
    lab.go(number)
    control.resume_job(lab.workspace, number)
    lab.wait(number, "succeeded")
    warnings = [e for e in lab.events(number) if e.kind == "warning"]
    assert [change.split(":")[0] for change in warnings[0].data["changes"]] == ["python"]


def test_what_does_not_apply_is_refused_with_the_reason(lab: Lab) -> None:
    number = lab.held()
    for verb in (control.resume_job, control.remove_job):
        with expect_error("E603"):
            verb(lab.workspace, number)
    lab.go(number)
    lab.wait(number, "succeeded")
    for verb in (control.stop_job, control.kill_job):
        with expect_error("E603") as caught:
            verb(lab.workspace, number)
        assert caught.value.exit_code == 2
    with expect_error("E603"):
        control.resume_job(lab.workspace, number)
    with expect_error("E601"):
        job_registry.read_job(lab.workspace, 99)


@pytest.mark.slow
def test_two_jobs_do_not_write_to_one_folder(lab: Lab, tmp_path: Path) -> None:
    number = lab.held(out=str(tmp_path / "shared"))
    with expect_error("E602"):
        lab.submit(n=1, out=str(tmp_path / "other" / ".." / "shared"))
    lab.go(number)
    lab.wait(number, "succeeded")
    assert lab.wait(lab.submit(n=1, out=str(tmp_path / "shared")), "succeeded")


def test_numbers_are_given_out_once(lab: Lab) -> None:
    spec = Recipe("test.count", "t", {"n": 0})
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: create_job(lab.workspace.runs, spec).id, range(24)))
    assert sorted(made) == list(range(1, 25))
    assert {path.name for path in lab.workspace.runs.iterdir()} == {str(number) for number in made}


@pytest.mark.slow
def test_the_number_of_a_removed_job_is_not_used_again(lab: Lab) -> None:
    number = lab.submit(n=1)
    lab.wait(number, "succeeded")
    control.remove_job(lab.workspace, number)
    assert job_registry.list_jobs(lab.workspace) == []
    assert lab.submit(n=1) == number + 1


def test_the_difference_of_two_recipes() -> None:
    left = Recipe("test.count", "", {"n": 1, "model": {"dim": 64, "layers": 2}})
    right = Recipe("test.count", "", {"n": 1, "model": {"dim": 128}, "more": True})
    rows = [(row.key, row.left, row.right) for row in recipe_diff(left, right)]
    assert rows == [("model.dim", 64, 128), ("model.layers", 2, None), ("more", None, True)]


def test_disk_use_counts_both_folders(lab: Lab, tmp_path: Path) -> None:
    number = lab.submit(n=1, out=str(tmp_path / "elsewhere"))
    view = lab.wait(number, "succeeded")
    (tmp_path / "elsewhere" / "big").write_bytes(b"1" * 100_000)
    use = control.disk_use(view)
    assert use.out_bytes >= 100_000
    assert 0 < use.run_bytes < 100_000


def test_submitting_loads_nothing_heavy() -> None:
    code = (
        "import sys, workbench.jobs.control, workbench.cli.jobs;"
        "print([m for m in ('numpy', 'pyarrow', 'textual', 'torch') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"

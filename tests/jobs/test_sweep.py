"""Sweeps: several runs as one line, so many at a time, the worst ended early."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from engines.core.errors import EngineError
from tests.conftest import expect_error
from workbench.jobs import control, job_registry
from workbench.jobs.early_stopping import why_stop_early
from workbench.jobs.folder import Ending, Job, create_job, find_job
from workbench.jobs.sweep_members import SweepMember, note_members, sweep_members
from workbench.jobs.worker import resolve_recipe
from workbench.recipes import Recipe

if TYPE_CHECKING:
    from tests.jobs.conftest import Lab, Played

pytestmark = pytest.mark.usefixtures("forked_jobs")


def started(lab: Lab, runs: int, **how: Any) -> tuple[int, list[int]]:
    specs = [
        (Recipe("test.count", f"run {number}", {"n": 6, "hold": 3}, seed=7), {"number": number}, {})
        for number in range(runs)
    ]
    made = control.submit_sweep(lab.workspace, "test", "a sweep", specs, **how)
    return made.id, [each.job for each in sweep_members(made)]


@pytest.fixture(autouse=True)
def four_slots(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MATHWB_JOB_SLOTS", "4")


@pytest.mark.slow
def test_so_many_at_a_time_in_order(lab: Lab) -> None:
    number, members = started(lab, 3, parallel=1)
    other = lab.submit(n=6)
    lab.wait(other, "succeeded")
    lab.until(lambda: lab.view(members[0]).done == 3, "the first")
    assert [lab.view(each).state for each in members] == ["running", "queued", "queued"]
    view = lab.view(number)
    assert (view.state, view.done, view.total, view.unit) == ("running", 0, 3, "runs")
    for each in members:
        lab.go(each)
        lab.wait(each, "succeeded")
    assert lab.wait(number, "succeeded").done == 3


WHOLE = {"members": [{"job": number, "setting": {}, "repeat": {}} for number in (2, 3)]}


@pytest.mark.parametrize("content", ["", "{", '{"members":["x"]}', '{"members":[]}', json.dumps(WHOLE)])
def test_a_run_knows_its_sweep_when_the_list_is_damaged_and_one_that_was_removed_is_not_lost(
    lab: Lab, content: str
) -> None:
    sweep = create_job(lab.workspace.runs, Recipe("sweep", "a sweep", {}), files={"members.json": {"v": 1}})
    (sweep.folder / "members.json").write_text(content)
    assert lab.view(sweep.id).state == "queued"
    os.utime(sweep.recipe, (0, 0))
    assert (lab.view(sweep.id).state, lab.view(sweep.id).total) == ("lost", None)
    told = {"sweep.json": {"v": 1, "sweep": sweep.id, "parallel": 0}}
    for state in ("succeeded", "failed"):
        made = create_job(lab.workspace.runs, Recipe("test.count", "one", {}), files=told)
        made.last_attempt().write_result(Ending(state))
    job_registry.reconcile_jobs(lab.workspace)
    view = lab.view(sweep.id)
    assert (view.state, view.reason, view.total) == ("failed", "1 failed: 3", 2)
    # What is taken away comes back as it was; of a sweep with its runs.
    before = [view.id for view in job_registry.list_jobs(lab.workspace)]
    item = control.remove_job(lab.workspace, sweep.id)
    assert job_registry.list_jobs(lab.workspace) == []
    lab.workspace.trash.restore_item(lab.workspace, item)
    assert [view.id for view in job_registry.list_jobs(lab.workspace)] == before
    # Of a sweep with something in it that no job made all stays.
    (theirs := lab.workspace.runs / "3" / ".mine").touch()
    with pytest.raises(EngineError) as caught:
        control.remove_job(lab.workspace, sweep.id)
    assert caught.value.code == "E452"
    assert [view.id for view in job_registry.list_jobs(lab.workspace)] == before
    theirs.unlink()
    control.remove_job(lab.workspace, 3)
    assert (lab.view(sweep.id).state, lab.view(sweep.id).total) == ("succeeded", 1)
    assert [each.state for each in job_registry.list_jobs(lab.workspace)] == ["succeeded"] * 2


@pytest.mark.slow
def test_begun_anew_as_it_was(lab: Lab) -> None:
    number, members = started(lab, 3, parallel=1)
    lab.until(lambda: lab.view(members[0]).done == 3, "the first")
    control.kill_job(lab.workspace, number)
    again = control.rerun_job(lab.workspace, number)
    assert again.read_recipe() == Job(number, lab.workspace.runs / str(number)).read_recipe()
    others = sweep_members(again)
    assert [(lab.view(each.job).title, each.setting) for each in others] == [
        (f"run {place}", {"number": place}) for place in range(3)
    ]
    assert {each.job for each in others}.isdisjoint(members)
    with expect_error("E603"):
        control.rerun_job(lab.workspace, number, ["n=7"])
    control.kill_job(lab.workspace, again.id)
    made = control.submit_sweep(
        lab.workspace, "r", "s", [(Recipe("test.count", "a", {}), {}, {})], last=Recipe("test.count", "b", {})
    )
    with expect_error("E603"):
        control.rerun_job(lab.workspace, made.id)


@pytest.mark.slow
def test_stopped_and_resumed_as_one(lab: Lab) -> None:
    number, members = started(lab, 3, parallel=2)
    lab.until(lambda: [lab.view(each).done for each in members[:2]] == [3, 3], "two to begin")
    control.stop_job(lab.workspace, number)
    view = lab.wait(number, "stopped")
    assert view.reason == f"3 stopped: {', '.join(map(str, members))}"
    job_registry.reconcile_jobs(lab.workspace)
    for settings, code in ((["n=7"], "E637"), (["nosuch=1"], "E424")):
        with pytest.raises(EngineError) as caught:
            control.resume_job(lab.workspace, number, settings)
        assert caught.value.code == code
    assert [lab.view(each).attempt for each in members] == [1, 1, 1]
    for each in members:
        lab.go(each)
    control.resume_job(lab.workspace, number)
    lab.wait(number, "succeeded")
    assert [view.state for view in job_registry.list_jobs(lab.workspace) if view.id == number] == [
        "succeeded"
    ]
    with expect_error("E603"):
        control.resume_job(lab.workspace, number)


def test_an_array_of_a_cluster(lab: Lab, played: Played) -> None:
    played.hold()
    specs = [
        (Recipe("test.count", "r", {"n": 6, "executor": "slurm"}, seed=7), {}, {"seed": i}) for i in (0, 1)
    ]
    made = control.submit_sweep(lab.workspace, "test", "a sweep", specs, parallel=1)
    assert played.asked("sbatch")[0][-1] == "--array=0-1%1"
    played.says("squeue", "71_0|PENDING|Resources\n71_1|PENDING|JobArrayTaskLimit\n")
    first, second = (lab.view(each.job) for each in sweep_members(made))
    assert [(view.cluster_id, view.waiting) for view in (first, second)] == [
        ("71_0", "Resources"),
        ("71_1", "JobArrayTaskLimit"),
    ]
    played.says("sbatch", error="sbatch: error: Invalid account")
    with expect_error("E605"):
        control.submit_sweep(lab.workspace, "test", "refused", specs)
    assert len(job_registry.list_jobs(lab.workspace)) == 3


@pytest.mark.slow
def test_the_last_begins_when_the_others_are_over_however_they_ended(lab: Lab) -> None:
    held = Recipe("test.count", "held", {"n": 6, "hold": 3}, seed=7)
    last = Recipe("test.count", "last", {"n": 6}, seed=7)
    made = control.submit_sweep(
        lab.workspace,
        "test",
        "a work",
        [(held, {}, {}), (replace(held, task="test.fail"), {}, {})],
        last=last,
    )
    first, failed, joins = control.member_numbers(lab.workspace, made.id)
    lab.wait(failed, "failed")
    lab.until(lambda: lab.view(first).done == 3, "item 3")
    assert (lab.view(joins).state, lab.view(joins).waiting) == ("queued", "until the others are over")
    lab.kill(lab.supervisor(first))
    lab.kill(lab.worker(first))
    lab.wait(joins, "succeeded")
    assert lab.view(first).state == "lost"
    whole = lab.view(made.id)
    assert (whole.state, whole.remedy) == ("succeeded", "")
    assert whole.reason == f"1 lost: {first}; 1 failed: {failed}; {joins} did the rest"
    lab.go(first)
    control.resume_job(lab.workspace, first)
    lab.wait(first, "succeeded")
    assert [len(find_job(lab.workspace.runs, each).attempts()) for each in (first, failed, joins)] == [
        2,
        1,
        1,
    ]


def test_shares_on_a_cluster(lab: Lab, played: Played, tmp_path: Path) -> None:
    file = tmp_path / "mine.txt"
    params = {"model": str(tmp_path), "file": str(file), "out": f"{file}.npy", "executor": "slurm:time=5"}
    played.hold()
    played.says("squeue", "71_0|PENDING|Resources\n71_1|PENDING|Resources\n71|PENDING|Dependency\n")
    made = control.submit_shares(lab.workspace, Recipe("egen.embed", "egen embed mine.txt", params), 2)
    array, joins = played.asked("sbatch")
    assert (array[-1], joins[-1]) == ("--array=0-1", "--dependency=afterany:71_0:71_1")
    members = [
        find_job(lab.workspace.runs, number) for number in control.member_numbers(lab.workspace, made.id)
    ]
    specs = [resolve_recipe(each.read_recipe(), tmp_path) for each in members]
    assert [spec.share for spec in specs] == ["1/2", "2/2", None]
    assert lab.view(members[2].id).waiting == "Dependency"


def curve(lab: Lab, values: list[float], told: dict[str, Any]) -> Job:
    """A job that has logged a measure every 10 steps."""
    made = create_job(lab.workspace.runs, Recipe("train", "r", {}), files={"sweep.json": told})
    lines = [
        json.dumps(
            {
                "v": 1,
                "t": 1.0,
                "job": 1,
                "attempt": 1,
                "seq": i,
                "kind": "metric",
                "step": 10 * (i + 1),
                "data": {"accuracy": value},
            },
            separators=(",", ":"),
        )
        for i, value in enumerate(values)
    ]
    made.last_attempt().events.write_text("\n".join([*lines, ""]))
    return made


def test_the_worst_is_ended_by_the_median_of_the_others(lab: Lab) -> None:
    whole = create_job(lab.workspace.runs, Recipe("sweep", "s", {}), files={"members.json": {"members": []}})
    told = {"sweep": whole.id, "stop_worst": "accuracy", "lowest": False}
    made = [
        curve(lab, values, told)
        for values in ([0.5, 0.6, 0.9], [0.5, 0.7], [0.4, 0.8], [0.6, 0.65], [0.5, 0.69], [0.1])
    ]
    note_members(whole, [SweepMember(each.id) for each in made])
    said = [why_stop_early(each.last_attempt()) for each in made]
    # At step 20 the others of the fourth reached 0.6, 0.7, 0.8 and 0.69: their median is 0.695.
    assert said[3] == "stopped early: accuracy 0.65 at step 20, the median of 4 others is 0.695"
    # At step 30 nobody else is there yet; the last has measured once only.
    assert [bool(words) for words in said] == [False, False, False, True, False, False]

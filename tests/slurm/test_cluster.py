"""Jobs on a real cluster: what it says is what is so, and nothing is lost or done twice."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING, Any

import pytest

from engines.core.errors import EngineError
from tests.conftest import expect_error
from workbench.jobs import control, job_registry
from workbench.jobs.folder import Ticket
from workbench.recipes import Recipe

if TYPE_CHECKING:
    from tests.slurm.conftest import Slurm

pytestmark = pytest.mark.slurm


def test_a_job_runs_and_its_end_is_that_of_the_worker(lab: Slurm, whole: dict[str, Any]) -> None:
    number = lab.submit(n=6)
    view = lab.wait(number, "succeeded")
    assert (view.value, view.attempt, view.exit_code) == (whole, 1, 0)
    lab.until(lambda: lab.state(number).startswith("COMPLETED"))
    assert lab.state(number) == "COMPLETED None"


def test_pending_is_said_with_its_reason_and_stopped_is_stopped(lab: Slurm) -> None:
    lab.full()
    number = lab.submit(n=6)
    view = lab.until(lambda: (found := lab.view(number)).waiting and found, "a reason")
    assert (view.state, view.waiting) == ("queued", "Resources")
    with expect_error("E603"):
        control.resume_job(lab.workspace, number)
    control.stop_job(lab.workspace, number)
    view = lab.wait(number, "stopped")
    assert (view.reason, view.command_exit_code) == ("stopped by you before it started", 130)
    assert lab.state(number).startswith("CANCELLED")


def test_stop_while_running(lab: Slurm, whole: dict[str, Any]) -> None:
    number = lab.held()
    control.stop_job(lab.workspace, number)
    view = lab.wait(number, "stopped")
    assert (view.reason, view.value["items"]) == ("stopped by you", 3)
    lab.go(number)
    assert control.resume_job(lab.workspace, number).attempt == 2
    assert lab.wait(number, "succeeded").value == whole


def test_the_time_limit_saves_and_queues_again(lab: Slurm, whole: dict[str, Any]) -> None:
    number = lab.held(executor="slurm:time=1,warning=30")
    view = lab.until(lambda: (found := lab.view(number)).attempt == 2 and found, "the second attempt")
    assert view.live
    first = job_registry.list_attempts(lab.workspace, number)[0]
    assert (first.state, first.reason) == ("stopped", "the cluster's time limit")
    assert first.value["items"] == 3
    with expect_error("E603"):
        control.resume_job(lab.workspace, number)
    lab.go(number)
    view = lab.wait(number, "succeeded")
    assert (view.value, view.attempt) == (whole, 2)


def test_a_time_limit_in_which_nothing_is_done_is_the_end(lab: Slurm) -> None:
    number = lab.held(executor="slurm:time=1,warning=40")
    view = lab.wait(number, "failed")
    assert (view.code, view.attempt) == ("E625", 3)
    assert view.reason.startswith("the cluster's time limit: it got no further")


def test_a_cancelled_job_is_told_as_what_it_is(lab: Slurm) -> None:
    number = lab.held()
    lab.cluster.run("scancel", lab.view(number).cluster_id)
    view = lab.wait(number, "stopped")
    assert (view.reason, view.value["items"]) == ("cancelled on the cluster", 3)


def test_cancelled_while_it_waits(lab: Slurm) -> None:
    lab.full()
    number = lab.submit(n=6)
    lab.cluster.run("scancel", lab.view(number).cluster_id)
    assert lab.wait(number, "stopped").reason == "cancelled on the cluster before it started"


def test_requeued_by_someone(lab: Slurm, whole: dict[str, Any]) -> None:
    number = lab.held()
    cluster_id = lab.view(number).cluster_id
    lab.cluster.run("scontrol", "requeue", cluster_id)
    view = lab.until(lambda: (found := lab.view(number)).attempt == 2 and found, "the second attempt")
    assert (view.live, view.cluster_id) == (True, cluster_id)
    assert job_registry.list_attempts(lab.workspace, number)[0].reason == "requeued by the cluster"
    lab.go(number)
    assert lab.wait(number, "succeeded").value == whole


def test_a_killed_worker(lab: Slurm, whole: dict[str, Any]) -> None:
    number = lab.held()
    os.kill(lab.worker(number), signal.SIGKILL)
    view = lab.wait(number, "failed")
    assert (view.signal, view.exit_code, view.code) == (signal.SIGKILL, None, "E621")
    assert view.reason.startswith("killed by signal 9, often memory")
    lab.go(number)
    control.resume_job(lab.workspace, number)
    assert lab.wait(number, "succeeded").value == whole


def test_killed_by_the_user(lab: Slurm) -> None:
    number = lab.held()
    pid = lab.worker(number)
    control.kill_job(lab.workspace, number)
    assert lab.wait(number, "stopped").reason == "killed by you"
    lab.until(lambda: not lab.alive(pid), "the death of the worker")


def test_nothing_that_dies_where_it_was_submitted_matters(lab: Slurm, whole: dict[str, Any]) -> None:
    """No process of the job is there at all. Killed on the node, with all that knows of its end, it is what
    the cluster says."""
    number = lab.held()
    supervisor, worker = lab.supervisor(number), lab.worker(number)
    os.kill(supervisor, signal.SIGKILL)
    os.kill(worker, signal.SIGKILL)
    view = lab.wait(number, "lost")
    assert view.reason.startswith("the cluster says FAILED")
    lab.go(number)
    control.resume_job(lab.workspace, number)
    assert lab.wait(number, "succeeded").value == whole


def test_forgotten_without_accounting(lab: Slurm) -> None:
    number = lab.held()
    os.kill(lab.supervisor(number), signal.SIGSTOP)
    lab.attempt(number).write_ticket(Ticket("slurm", "4000000"))
    os.kill(lab.supervisor(number), signal.SIGKILL)
    os.kill(lab.worker(number), signal.SIGKILL)
    view = lab.wait(number, "lost")
    assert view.reason == ("the cluster no longer knows it and keeps no accounting, so its end is unknown")


@pytest.mark.parametrize(
    ("executor", "says"),
    [
        ("slurm:partition=none", "Invalid partition name specified"),
        ("slurm:nonsense=1", "unrecognized option '--nonsense=1'"),
        ("slurm:constraint=a100", "Invalid feature specification"),
    ],
)
def test_what_the_cluster_refuses_leaves_no_job(lab: Slurm, executor: str, says: str) -> None:
    with pytest.raises(EngineError, match=says) as caught:
        lab.submit(n=6, executor=executor)
    assert (caught.value.code, caught.value.exit_code) == ("E605", 3)
    assert job_registry.list_jobs(lab.workspace) == []


def test_any_option_of_sbatch(lab: Slurm, whole: dict[str, Any]) -> None:
    number = lab.submit(n=6, executor="slurm:nodes=1,cpus=2,exclusive=,comment=a, b,nice=5,memory=1")
    shown = lab.cluster.run("scontrol", "show", "job", lab.view(number).cluster_id)
    assert "Comment=a, b" in shown
    assert "NumCPUs=2" in shown
    assert lab.wait(number, "succeeded").value == whole


def test_in_front(lab: Slurm, whole: dict[str, Any]) -> None:
    heard: list[str] = []
    spec = Recipe("test.count", "in front", {"n": 6, "executor": "slurm"}, seed=7)
    view = control.run_foreground(lab.workspace, spec, lambda event: heard.append(event.kind))
    assert (view.state, view.value) == ("succeeded", whole)
    assert heard.count("progress") == 6


def test_a_sweep_is_an_array_of_which_each_run_ends_by_itself(lab: Slurm, whole: dict[str, Any]) -> None:
    specs = [
        (Recipe(f"test.{task}", task, {"n": 6, "executor": "slurm"}, seed=7), {"task": task}, {})
        for task in ("count", "fail", "count")
    ]
    made = control.submit_sweep(lab.workspace, "test", "a sweep", specs, parallel=1)
    view = lab.wait(made.id, "failed")
    members = [lab.view(number) for number in control.member_numbers(lab.workspace, made.id)]
    assert [each.state for each in members] == ["succeeded", "failed", "succeeded"]
    assert members[2].value == whole
    array = members[0].cluster_id.partition("_")[0]
    assert [each.cluster_id for each in members] == [f"{array}_{place}" for place in range(3)]
    assert (view.done, view.total) == (3, 3)


def test_a_run_of_an_array_is_queued_again_alone(lab: Slurm, whole: dict[str, Any]) -> None:
    spec = Recipe("test.count", "held", {"n": 6, "hold": 3, "executor": "slurm"}, seed=7)
    made = control.submit_sweep(
        lab.workspace, "test", "a sweep", [(spec, {}, {"seed": 0}), (spec, {}, {"seed": 1})]
    )
    first, second = control.member_numbers(lab.workspace, made.id)
    for number in (first, second):
        lab.until(lambda: lab.view(number).done == 3, "item 3")  # noqa: B023
    lab.cluster.run("scontrol", "requeue", lab.view(second).cluster_id)
    lab.until(lambda: lab.view(second).attempt == 2, "the second attempt")
    assert lab.view(first).attempt == 1
    for number in (first, second):
        lab.go(number)
        assert lab.wait(number, "succeeded").value == whole


def test_what_joins_shares_begins_when_they_are_over_and_a_lost_one_is_done_again_alone(
    lab: Slurm, whole: dict[str, Any]
) -> None:
    held = Recipe("test.count", "held", {"n": 6, "hold": 3, "executor": "slurm"}, seed=7)
    last = Recipe("test.count", "joins", {"n": 6, "executor": "slurm"}, seed=7)
    made = control.submit_sweep(lab.workspace, "test", "a work", [(held, {}, {}), (held, {}, {})], last=last)
    first, second, joins = control.member_numbers(lab.workspace, made.id)
    for number in (first, second):
        lab.until(lambda: lab.view(number).done == 3, "item 3")  # noqa: B023
    lab.until(lambda: lab.view(joins).waiting == "Dependency", "a dependency")
    lab.go(first)
    lab.wait(first, "succeeded")
    supervisor, worker = lab.supervisor(second), lab.worker(second)
    os.kill(supervisor, signal.SIGKILL)
    os.kill(worker, signal.SIGKILL)
    lab.wait(second, "lost")
    assert lab.wait(joins, "succeeded").value == whole
    assert lab.view(made.id).state == "succeeded"
    lab.go(second)
    control.resume_job(lab.workspace, second)
    assert lab.wait(second, "succeeded").value == whole
    assert [lab.view(number).attempt for number in (first, second, joins)] == [1, 2, 1]
    assert lab.view(made.id).state == "succeeded"

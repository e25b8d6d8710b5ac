"""Jobs of a cluster that a script plays: the states are those that it tells, whatever is left in the
folder."""

from __future__ import annotations

import dataclasses
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from engines.core.errors import EngineError
from tests.conftest import expect_error
from workbench.jobs import control, job_registry, slurm, timing
from workbench.jobs.folder import Attempt, Ending, Heartbeat, Job
from workbench.jobs.machine import ProcessId

if TYPE_CHECKING:
    from tests.jobs.conftest import Lab, Played

ELSEWHERE = dataclasses.replace(ProcessId.of_this_process(), host="node17")


def waiting(lab: Lab, played: Played) -> int:
    """A job that the cluster has and has not started."""
    played.hold()
    return lab.submit(n=6, executor="slurm")


def running(lab: Lab, played: Played, *, age_s: float) -> Attempt:
    """One that a node has begun and has not been heard of for so long."""
    attempt = lab.attempt(waiting(lab, played))
    attempt.write_heartbeat(Heartbeat(time.time() - age_s, ELSEWHERE))
    return attempt


def test_it_runs(lab: Lab, played: Played, whole: dict[str, Any]) -> None:
    view = lab.wait(lab.submit(n=6, executor="slurm"), "succeeded")
    assert (view.value, view.cluster_id) == (whole, "71")


def test_pending_for_as_long_as_it_takes(lab: Lab, played: Played, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timing, "START_LIMIT_S", 0.0)
    number = waiting(lab, played)
    played.says("squeue", "71|PENDING|QOSMaxJobsPerUserLimit")
    view = lab.view(number)
    assert (view.state, view.waiting) == ("queued", "QOSMaxJobsPerUserLimit")
    played.says("squeue", error="slurm_load_jobs error: Unable to contact slurm controller")
    assert (lab.view(number).state, lab.view(number).waiting) == (
        "queued",
        "the cluster cannot be reached from here",
    )
    played.says("squeue", "71|RUNNING|None")
    assert lab.view(number).state == "starting"


@pytest.mark.parametrize(
    ("state", "ends", "reason"),
    [
        ("TIMEOUT", "failed", "the cluster's time limit ended it before it could save"),
        ("OUT_OF_MEMORY", "failed", "it took more memory than the cluster allowed it"),
        ("NODE_FAIL", "lost", "its node failed"),
        ("CANCELLED", "stopped", "cancelled on the cluster"),
        ("PREEMPTED", "stopped", "the cluster preempted it for another job"),
        ("COMPLETED", "lost", "the cluster says COMPLETED, and it recorded no result"),
    ],
)
def test_ends_that_only_the_cluster_knows(
    lab: Lab, played: Played, state: str, ends: str, reason: str
) -> None:
    attempt = running(lab, played, age_s=60)
    played.says("squeue", error="slurm_load_jobs error: Invalid job id specified")
    played.says("sacct", f"{state} by 1000\n" if state == "CANCELLED" else f"{state}\n")
    view = lab.view(attempt.job)
    assert (view.state, view.reason) == (ends, reason)
    assert [found.state for found in job_registry.reconcile_jobs(lab.workspace)] == [ends]
    played.says("squeue", error="no controller")
    assert lab.view(attempt.job).state == ends


def test_an_end_that_nobody_knows(lab: Lab, played: Played) -> None:
    attempt = running(lab, played, age_s=60)
    played.says("squeue", error="slurm_load_jobs error: Invalid job id specified")
    assert lab.view(attempt.job).reason == (
        "the cluster no longer knows it and keeps no accounting, so its end is unknown"
    )


def test_a_node_that_is_not_heard_of_is_believed_as_long_as_the_cluster_has_the_job(
    lab: Lab, played: Played
) -> None:
    attempt = running(lab, played, age_s=60)
    for state, waits in (("RUNNING", "starting"), ("PENDING", "queued")):
        played.says("squeue", f"71|{state}|None")
        assert lab.view(attempt.job).state == waits
        for verb in (control.resume_job, control.remove_job):
            with expect_error("E603"):
                verb(lab.workspace, attempt.job)


def test_the_workers_own_account_wins_on_every_machine(lab: Lab, played: Played) -> None:
    attempt = running(lab, played, age_s=60)
    attempt.write_outcome(Ending("succeeded", ended=time.time()))
    played.says("squeue", "71|NODE_FAIL|None")
    assert lab.view(attempt.job).state == "succeeded"
    assert [view.state for view in job_registry.reconcile_jobs(lab.workspace)] == ["succeeded"]


def test_a_stop_takes_back_what_waits(lab: Lab, played: Played) -> None:
    number = waiting(lab, played)
    assert control.stop_job(lab.workspace, number).reason == "stopped by you before it started"
    assert played.asked("scancel") == [["--quiet", "71"]]
    assert lab.attempt(number).read_result() is not None


def test_no_resume_while_the_cluster_has_it(
    lab: Lab, played: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timing, "CLUSTER_WAIT_S", 0.0)
    attempt = running(lab, played, age_s=60)
    attempt.write_result(Ending("stopped", "for some reason", ended=time.time()))
    for state in ("PENDING", "RUNNING", "COMPLETING"):
        played.says("squeue", f"71|{state}|None")
        with expect_error("E603") as caught:
            control.resume_job(lab.workspace, attempt.job)
        assert (caught.value.code, caught.value.exit_code) == ("E603", 2)
    played.says("squeue", "71|COMPLETED|None")
    assert control.resume_job(lab.workspace, attempt.job).attempt == 2


def test_what_is_refused_leaves_nothing(lab: Lab, played: Played) -> None:
    played.says("sbatch", error="sbatch: error: Batch job submission failed: Invalid account")
    with expect_error("E605"):
        lab.submit(n=6, executor="slurm:account=nobody")
    assert job_registry.list_jobs(lab.workspace) == []


@pytest.mark.slow
def test_many_resumes_make_one_attempt(lab: Lab) -> None:
    number = lab.held()
    control.stop_job(lab.workspace, number)
    lab.wait(number, "stopped")
    barrier_passed = []

    def resume(_: int) -> None:
        try:
            control.resume_job(lab.workspace, number)
        except EngineError as error:
            assert error.code == "E603"  # noqa: PT017
        else:
            barrier_passed.append(1)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(resume, range(8)))
    assert barrier_passed
    assert [each.number for each in job_registry.list_attempts(lab.workspace, number)] == [1, 2]


def test_a_stale_writer_ends_itself(lab: Lab) -> None:
    """As when a machine that was given up comes back: its worker finds that the next attempt is at work."""
    number = lab.held()
    worker = lab.worker(number)
    job = Job(number, lab.workspace.runs / str(number))
    after = job.add_attempt(1)
    assert after is not None
    assert lab.alive(worker)
    after.claim_worker()
    lab.until(lambda: not lab.alive(worker), "the end of the stale worker")
    first = job.attempt(1)
    ending = lab.until(first.read_result, "its result")
    assert (ending.state, ending.code, ending.reason) == (
        "lost",
        "E626",
        "attempt 2 is running, so this one ends",
    )


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", {}),
        ("partition=gpu,time=60", {"partition": "gpu", "time": "60"}),
        ("gpus=2,cpus=8,memory=16", {"gpus": "2", "cpus-per-task": "8", "mem": "16G"}),
        ("nodes=2,constraint=a100&nvlink", {"nodes": "2", "constraint": "a100&nvlink"}),
        ("exclude=n1,n2,gres=gpu:a100:2", {"exclude": "n1,n2", "gres": "gpu:a100:2"}),
        ("exclusive=,time=1-12:00:00", {"exclusive": "", "time": "1-12:00:00"}),
    ],
)
def test_options_of_sbatch(text: str, found: dict[str, str]) -> None:
    assert slurm.parse_options(text) == {"signal": "B:USR2@120", **found}
    assert slurm.parse_options("warning=600")["signal"] == "B:USR2@600"


@pytest.mark.parametrize("text", ["partition", "time=long", "memory=2G", "output=x", "job-name=a", "a b=c"])
def test_options_that_are_refused(text: str) -> None:
    with pytest.raises(EngineError) as caught:
        slurm.parse_options(text)
    assert (caught.value.code, caught.value.exit_code) == ("E638", 2)

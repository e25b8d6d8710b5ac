"""The open workbench looks after jobs whose supervisor is gone; they are real ones."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import pytest

from screens.app import Workbench
from screens.jobs.job_detail import Detail
from screens.shell.watch import JobWatch
from screens.widgets.table import Table
from tests.jobs.conftest import PATIENCE_S, Lab, lab  # noqa: F401
from tests.screens.driving import until
from workbench.jobs.job_views import JobView
from workbench.workspace import Workspace

Make = Callable[..., Workbench]


@pytest.mark.slow
async def test_orphans_are_adopted_and_end_truly_while_it_is_open(
    lab: Lab,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("screens.shell.watch._RECONCILE_S", 0.2)
    lost, number = lab.held(), lab.held()
    app = Workbench(lab.workspace, screen="jobs")

    def state(of: int) -> str:
        rows = app.query_one("#jobs-table", Table).visible_records() if app.query("#jobs-table") else []
        return next((str(row["state"]) for row in rows if row["id"] == of), "")

    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: state(number) == state(lost) == "running")
        first, worker = lab.supervisor(number), lab.worker(number)
        lab.kill(first)
        lab.kill(lab.supervisor(lost))
        lab.kill(lab.worker(lost))
        await until(pilot, lambda: lab.attempt(number).read_heartbeat().supervisor.pid != first)  # type: ignore[union-attr]
        await until(pilot, lambda: state(lost) == "lost")
        await until(pilot, lambda: lab.attempt(lost).read_result() is not None)
        assert lab.worker(number) == worker
        lab.go(number)
        await until(pilot, lambda: state(number) == "succeeded")
        assert lab.attempt(number).read_result() is not None


async def test_every_end_is_told_with_reason_and_remedy(make: Make, jobs: list[JobView]) -> None:
    """Whoever listed the jobs in between: what counts is what the user was told."""
    running, ended = jobs[0], jobs[1:]
    failed = dataclasses.replace(
        running, state="failed", reason="killed by signal 9", remedy="Resume it.", code="E611", wall_s=90.0
    )
    done = dataclasses.replace(running, id=42, state="succeeded", title="egen/second")
    app = make(jobs=[running, *ended])
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: app._jobs_seen is not None)
        # Nothing is known of a workspace that is seen for the first time, so nothing of it is news.
        assert not app.activity
        app.watch_jobs.jobs = (failed, *ended)
        app.look_now()
        await until(pilot, lambda: app.activity)
        said = app.activity[-1]
        assert said.text == "job 41 egen/cl-mean-small failed after 1m: killed by signal 9"
        assert (said.severity, said.code, said.remedy) == ("error", "E611", "Resume it.")
        await until(
            pilot, lambda: any("killed by signal 9" in str(toast.message) for toast in app._notifications)
        )
        app.look_now()
        await until(pilot, lambda: not app._looking and not app._look_again)
        # Deleted and restored.
        for there in (ended, (failed, *ended)):
            app.watch_jobs.jobs = tuple(there)
            app.look_now()
            await until(pilot, lambda: not app._looking and not app._look_again)
        assert len(app.activity) == 1
        again = dataclasses.replace(running, attempt=2)
        app.watch_jobs.jobs = (again, *ended)
        app.look_now()
        await until(pilot, lambda: not any(end.startswith("41.") for end in app.session._own["told"]))
        app.exit_now()
    app = make(jobs=[done, dataclasses.replace(again, state="stopped", reason="asked to"), *ended])
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: app.activity)
        assert [line.text for line in app.activity] == [
            "job 41 egen/cl-mean-small stopped: asked to",
            "job 42 egen/second succeeded",
            "2 jobs ended while you were away: 42 egen/second succeeded, 41 egen/cl-mean-small stopped",
        ]
        await until(pilot, lambda: len(app._notifications))
        assert len(app._notifications) == 1
        app.exit_now()
    app = make(jobs=[done, *ended])
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: app._jobs_seen is not None)
        assert not app.activity


async def test_a_sweep_tells_of_its_runs(make: Make, jobs: list[JobView]) -> None:
    """One line and notice when it is over, one at the first run that goes wrong, however many there are."""
    of = dataclasses.replace(jobs[0], params={}, title="train r lr=1", wall_s=None)
    runs = [dataclasses.replace(of, id=number, sweep=1) for number in (4, 3, 2)]
    sweep = dataclasses.replace(of, id=1, task="sweep", title="sweep r", done=0.0, total=3.0, unit="runs")
    wrong = {"state": "failed", "reason": "out of memory", "code": "E110", "remedy": "Use less."}
    app = make(jobs=[*runs, sweep])

    async def end(*ends: JobView) -> None:
        ended = {view.id: view for view in ends}
        app.watch_jobs.jobs = tuple(ended.get(view.id, view) for view in app.watch_jobs.jobs)
        app.look_now()
        await until(pilot, lambda: not app._looking and not app._look_again)
        await pilot.pause()

    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: app._jobs_seen is not None)
        await end(dataclasses.replace(runs[2], state="succeeded"))
        await end(dataclasses.replace(runs[1], **wrong))
        last = dataclasses.replace(sweep, state="failed", reason="2 failed: 3, 4", remedy="Resume them.")
        await end(dataclasses.replace(runs[0], **wrong), last)
        await until(pilot, lambda: len(app._notifications) > 1)
        assert [str(toast.message) for toast in app._notifications] == [
            "E110 job 3 train r lr=1 failed: out of memory. Use less.",
            "job 1 sweep r failed: 3 runs, 2 failed: 3, 4. Resume them.",
        ]
        assert [line.text.split(":")[0] for line in app.activity] == [
            "job 3 train r lr=1 failed",
            "job 1 sweep r failed",
        ]
        app.session._own["told"] = []
        app.exit_now()
    again = make(jobs=list(app.watch_jobs.jobs))
    async with again.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: again.activity)
        said = "1 job ended while you were away: 1 sweep r failed"
        assert [line.text for line in again.activity][1:] == [said]


def test_a_sweep_with_its_runs_is_one_job(jobs: list[JobView], workspace: Workspace) -> None:
    running = dataclasses.replace(jobs[0], state="running", total=4.0)
    sweep = dataclasses.replace(running, id=5, task="sweep", done=1.0)
    watch = JobWatch(workspace)
    watch.jobs = (*(dataclasses.replace(running, id=n, sweep=5, done=4.0) for n in (6, 7)), sweep)
    load = watch._measure_load()
    assert (load.jobs, load.share) == (1, 0.25)


async def test_a_job_that_is_over_is_read_to_its_end_and_then_left_alone(
    make: Make, jobs: list[JobView], monkeypatch: pytest.MonkeyPatch
) -> None:
    over = [dataclasses.replace(view, state="succeeded") for view in jobs]
    app = make(jobs=over, screen="jobs")
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: bool(app.screen.query(Detail)))
        detail = app.screen.query_one(Detail)
        await until(pilot, lambda: detail.view is not None and detail._empty_reads >= 2)
        reads = []
        monkeypatch.setattr(detail, "poll_news", lambda: reads.append(1))
        detail._poll_if_live()
        assert not reads
        detail.view = dataclasses.replace(detail.view, state="running")  # type: ignore[type-var]
        detail._poll_if_live()
        assert reads == [1]

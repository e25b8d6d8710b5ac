"""What the Jobs screen shows of jobs: how far they are, why they failed, how they are told apart."""

from __future__ import annotations

import dataclasses
import errno
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.core.errors import EngineError
from engines.training import TrainConfig
from engines.training.loop import explain_failures, no_number
from screens.app import Workbench
from screens.jobs.columns import differing_at, elide_alike
from screens.jobs.form import NewJob
from screens.jobs.job_list import JobList
from screens.jobs.summary import summarise_job
from screens.shell.bars import KeyBar
from screens.shell.watch import JobWatch, LoadMeter
from screens.widgets.listing import ReaderBox
from screens.widgets.plot import PlotWidget, series_sign
from screens.widgets.table import Table
from tests.screens.driving import jobs_ready, rest, shown, until
from tests.screens.test_jobs_screen import WIDE
from workbench.jobs.folder import Ending
from workbench.jobs.job_views import JobView

Make = Callable[..., Workbench]


async def test_a_live_job_shows_how_far_it_is(make: Make) -> None:
    async with make().run_test(size=WIDE) as pilot:
        app = await jobs_ready(pilot)
        text = shown(app)
        assert "… running · 5 200 of 8 100 steps · 8.66 steps/s · 5m left" in text
        assert "64%" in text
        assert "loss 1.81 → 0.3101 · 41.2k tok/s · CPU, 1.9 GiB" in text
        plot = app.screen.query_one(PlotWidget)
        assert plot.display
        assert plot.caption == "loss_nats by step"
        assert plot.series[0].ys[0] == pytest.approx(1.81)
        assert "odd \\x1b[31mtext\\x1b[0m with [b]markup[/b]" in "\n".join(
            app.screen.query_one("#log", ReaderBox).reader.lines
        )


@pytest.mark.slow
async def test_another_metric_is_plotted_on_enter(make: Make) -> None:
    async with make().run_test(size=WIDE) as pilot:
        app = await jobs_ready(pilot)
        await pilot.press("tab", "right_square_bracket", "j", "enter")
        await rest(pilot)
        assert app.screen.query_one(PlotWidget).caption == "tokens_per_s by step"


async def test_a_failed_job_begins_with_reason_and_remedy(make: Make) -> None:
    async with make().run_test(size=WIDE) as pilot:
        app = await jobs_ready(pilot, at=39)
        lines = [line[line.rindex("││") + 2 :] for line in shown(app).splitlines() if "││" in line]
        assert lines[0].startswith(" ✗ failed: E110 out of memory; peak 61 GiB of 64")
        remedy = " ".join(line.strip(" │") for line in lines[1:3])
        assert remedy.startswith("Use smaller limits or fewer workers, then: mathwb jobs resume 39")


@pytest.mark.parametrize(
    ("raised", "reason", "remedy"),
    [
        (MemoryError(), "✗ failed: E632 out of memory", "Use batch_size below 32"),
        (no_number(70, 50), "✗ failed: E631 the loss is not a number at step 70", "lower lr"),
        (OSError(errno.ENOSPC, "full"), "✗ failed: E310 disk full: ", "Free some space"),
        (RuntimeError("CUDA error: unspecified"), "✗ failed: E633 the device is gone", "mathwb doctor"),
    ],
)
def test_a_failed_training_begins_with_reason_and_remedy(
    raised: Exception, reason: str, remedy: str, jobs: list[JobView], tmp_path: Path
) -> None:
    with pytest.raises(EngineError) as caught, explain_failures(TrainConfig(steps=1), tmp_path):
        raise raised
    end = Ending.of_error(caught.value)
    view = dataclasses.replace(
        jobs[0], state=end.state, reason=end.reason, remedy=end.remedy, code=end.code, attempt=2
    )
    first, second, *_ = summarise_job(view, 100).plain.splitlines()
    assert first.startswith(reason)
    assert remedy in second
    assert view.why_refused("resume") == ""


async def test_what_is_odd_about_a_live_job_is_said(make: Make, jobs: list[JobView]) -> None:
    stalled = dataclasses.replace(
        jobs[0], health="stalled", last_event_age_s=700.0, heartbeat_age_s=40.0, stopping_for_s=90.0
    )
    async with make(jobs=[stalled]).run_test(size=WIDE) as pilot:
        text = shown(await jobs_ready(pilot))
        for words in ("stalled?", "no event for 11m", "heartbeat 40s old", "X kills it"):
            assert words in text


@pytest.mark.slow
async def test_without_jobs_it_says_what_to_do(make: Make) -> None:
    async with make(jobs=[]).run_test(size=WIDE) as pilot:
        app = await jobs_ready(pilot)
        assert "No jobs yet" in shown(app)
        assert "a starts one" in shown(app)
        hints = {verb for verb, _, _ in app.screen.query_one(KeyBar).list_hints()}
        assert "add" in hints
        assert "stop" not in hints
        await pilot.press("a")
        await rest(pilot)
        assert isinstance(app.screen, NewJob)


async def test_new_lines_arrive_while_one_looks(make: Make, jobs: list[JobView]) -> None:
    async with make().run_test(size=WIDE) as pilot:
        app = await jobs_ready(pilot)
        log = Path(jobs[0].folder) / "attempt-1" / "events.jsonl"
        line = {"v": 1, "t": 1.79e9, "job": 41, "attempt": 1, "seq": 999, "kind": "log", "step": 5240}
        with log.open("a", encoding="utf-8") as file:
            file.write(json.dumps({**line, "data": {"message": "just now"}}) + "\n")
        reader = app.screen.query_one("#log", ReaderBox).reader
        await until(pilot, lambda: "just now" in reader.lines[-1])
        assert "just now" in reader.lines[-1]


async def test_states_change_under_the_cursor(make: Make, jobs: list[JobView]) -> None:
    async with make().run_test(size=WIDE) as pilot:
        app = await jobs_ready(pilot)
        done = dataclasses.replace(jobs[0], state="succeeded", wall_s=900.0)
        app.watch_jobs.jobs = (done, *jobs[1:])
        app.screen.post_message(JobWatch.Looked(app.jobs))
        await rest(pilot)
        assert "✓ succeeded · 5 200 of 8 100 steps · in 15m" in shown(app)
        assert app.query_one("#jobs-table", Table).current_key == "41"


@pytest.mark.parametrize(
    ("size", "told"),
    [
        ((80, 24), "GPU 0 ⣄⣄⣄⣄⣄⣄⣄ 50 %, 70.0 GiB"),
        ((120, 40), "GPU 0 ⣄⣄⣄⣄⣄ 50 %, 70.0 GiB · CPU ⣄⣄⣄⣄⣄ 1.0/2"),
    ],
)
async def test_the_gpus_come_first_of_the_devices(make: Make, size: tuple[int, int], told: str) -> None:
    async with make().run_test(size=size) as pilot:
        app = await jobs_ready(pilot)
        meters = {name: LoadMeter() for name in ("CPU", "memory", "GPU 0")}
        words = ("1.0/2", "4.6 GiB of 23.5 GiB", "50 %, 70.0 GiB")
        for _ in range(20):
            for meter, said in zip(meters.values(), words, strict=True):
                meter.add_reading(0.3, said)
        jobs = app.screen.query_one(JobList)
        jobs.show_meters(meters)
        assert jobs.footnote == told


def _line_of(app: Workbench, number: int) -> str:
    """What the list shows of a job, without its sign."""
    table = app.query_one("#jobs-table", Table)
    place = next(place for place, record in enumerate(table.visible_records()) if record["id"] == number)
    return table.render_line(place + 1).text


async def test_the_list_tells_how_far_how_fast_and_since_when(make: Make, jobs: list[JobView]) -> None:
    # A column that says the same in every line may leave.
    jobs[3] = dataclasses.replace(jobs[3], started=jobs[3].created + 86400, wall_s=50.0)
    async with make(jobs=jobs).run_test(size=(240, 50)) as pilot:
        app = await jobs_ready(pilot)
        line = _line_of(app, 41)
        assert re.search(r"… ━+─+ +64% +8\.66/s +5m 0\.3101 +21 Sep", line)
        assert re.search(r"✓ succeeded +21 Sep +11m", _line_of(app, 40))
        assert "out of mem" in _line_of(app, 39)
        reason = "1 lost: 21"  # of a sweep that goes on
        waits = dataclasses.replace(
            jobs[0], state="queued", waiting="Resources", cluster_id="71_0", done=None, reason=reason
        )
        app.watch_jobs.jobs = (waits, *jobs[1:])
        app.screen.post_message(JobWatch.Looked(app.jobs))
        await rest(pilot)
        assert "· Resources" in _line_of(app, 41)
        assert "waits: Resources · Slurm 71_0" in shown(app)
        assert reason in shown(app)


async def test_names_are_told_apart_on_a_narrow_screen(make: Make, jobs: list[JobView]) -> None:
    names = [f"train egen/cl-mean-small lr={rate} seed=1 fold=0" for rate in ("1e-4", "3e-4", "3e-3")]
    alike = [
        dataclasses.replace(jobs[0], id=number, title=name) for number, name in enumerate([*names, names[0]])
    ]
    async with make(jobs=alike).run_test(size=(80, 24)) as pilot:
        app = await jobs_ready(pilot)
        shown_names = [_line_of(app, number)[8:].split("… ━")[0].strip() for number in range(4)]
        assert len(set(shown_names)) == 3
        assert shown_names[0] == shown_names[3]


@given(st.lists(st.text("ab/-", min_size=1, max_size=40), min_size=2, max_size=6, unique=True))
def test_an_elided_name_keeps_the_first_character_that_differs(names: list[str]) -> None:
    places = differing_at(names)
    for name, place in zip(names, places, strict=True):
        others = [other for other in names if other != name]
        assert all(name[: place + 1] != other[: place + 1] or len(name) <= place for other in others)
        for cells in range(8, 30):
            told = elide_alike(name, cells, place)
            assert len(told) <= cells
            if place < len(name):
                assert name[place] in told


async def test_a_job_keeps_glyph_and_colour_wherever_the_cursor_is(make: Make) -> None:
    async with make().run_test(size=WIDE) as pilot:
        app = await jobs_ready(pilot)
        before = [(_line_of(app, number)[2], series_sign(number)) for number in (41, 40, 39, 38)]
        app.query_one("#jobs-table", Table).go_to("39")
        await rest(pilot)
        assert [(_line_of(app, number)[2], series_sign(number)) for number in (41, 40, 39, 38)] == before
        assert [glyph for glyph, _ in before] == [series_sign(number)[0] for number in (41, 40, 39, 38)]
    signs = [series_sign(number) for number in range(36)]
    assert len(set(signs)) == 36


async def test_devices_are_shown_with_what_they_were(make: Make) -> None:
    async with make().run_test(size=WIDE) as pilot:
        app = await jobs_ready(pilot)
        for share in (0.0, 0.5, 1.0):
            app.watch_jobs.add_reading("CPU", share, f"{2 * share:.1f}/2")
        app.watch_jobs.add_reading("memory", 0.25, "4.0 GiB of 16.0 GiB")
        app.screen.post_message(JobWatch.Looked(app.jobs))
        await rest(pilot)
        assert "CPU ⡀⣦⣿ 2.0/2 · memory ⣄ 4.0 GiB of 16.0 GiB" in shown(app)

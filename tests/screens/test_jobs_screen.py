"""The Jobs screen by real keys; what the keys ask of the jobs' room is recorded instead of done."""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.pilot import Pilot
from textual.worker import WorkerCancelled

import workbench.jobs
from engines.core.errors import EngineError
from engines.training import TrainConfig
from engines.training.failures import explained, no_number
from screens.app import Workbench
from screens.jobs.columns import _differs, summary, told_apart
from screens.jobs.detail import Detail
from screens.jobs.form import NewJob
from screens.jobs.keys import KEYS
from screens.shell.bars import KeyBar
from screens.shell.keymap import VERBS
from screens.shell.watch import JobWatch
from screens.widgets.dialogs import Confirm, TextScreen
from screens.widgets.listing import ReaderBox
from screens.widgets.plot import Plot, sign
from screens.widgets.reader import Reader
from screens.widgets.table import Table
from workbench.jobs import JobView
from workbench.jobs.folder import Ending
from workbench.recipes import Recipe
from workbench.workspace import Workspace

Make = Callable[..., Workbench]
WIDE = (120, 40)


class Asked(list[tuple[str, Any]]):
    """What the screen asked for, in order."""


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, jobs: list[JobView]) -> Asked:
    """Records every verb; a number is answered with its job, a new job gets the number 50."""
    seen = Asked()

    def record(verb: str) -> Callable[[Workspace, Any], Any]:
        def do(_: Workspace, what: Any) -> Any:
            seen.append((verb, what))
            if isinstance(what, Recipe):
                return dataclasses.replace(jobs[0], id=50)
            return next(view for view in jobs if view.id == what)

        return do

    for verb in ("stop", "kill", "resume", "remove", "submit"):
        monkeypatch.setattr(workbench.jobs, verb, record(verb))
    return seen


async def ready(pilot: Pilot[Any], at: int = 41) -> Workbench:
    """Wait for the jobs and the log, and put the cursor on a job."""
    app = pilot.app
    assert isinstance(app, Workbench)
    for _ in range(100):
        await pilot.pause(0.02)
        if app.watch_jobs.looked and app.query_one("#jobs-table", Table).shown == len(app.jobs):
            break
    if app.jobs:
        app.query_one("#jobs-table", Table).go_to(str(at))
    await rest(pilot)
    return app


async def rest(pilot: Pilot[Any]) -> None:
    """Let workers and the messages they make come to rest."""
    for _ in range(2):
        await pilot.pause()
        # One that gave way to its successor is no failure.
        with contextlib.suppress(WorkerCancelled):
            await pilot.app.workers.wait_for_complete()
    await pilot.pause(0.01)


def shown(app: Workbench) -> str:
    return "\n".join(strip.text for strip in app.screen._compositor.render_strips())


# Every key of the screen


async def test_x_asks_it_to_stop(make: Make, asked: Asked) -> None:
    async with make().run_test(size=WIDE) as pilot:
        app = await ready(pilot)
        await pilot.press("x")
        await rest(pilot)
        assert asked == [("stop", 41)]
        assert app.activity[-1].text == "job 41 saves what it has and stops"


async def test_kill_asks_first(make: Make, asked: Asked) -> None:
    async with make().run_test(size=WIDE) as pilot:
        app = await ready(pilot)
        await pilot.press("X")
        await rest(pilot)
        assert isinstance(app.screen, Confirm)
        await pilot.press("n")
        await rest(pilot)
        assert asked == []
        await pilot.press("X", "y")
        await rest(pilot)
        assert asked == [("kill", 41)]


async def test_what_has_not_succeeded_is_resumed(make: Make, asked: Asked) -> None:
    async with make().run_test(size=WIDE) as pilot:
        app = await ready(pilot)
        for number in (39, 38):
            for key in ("r", "R"):
                app.query_one("#jobs-table", Table).go_to(str(number))
                await pilot.press(key)
                await rest(pilot)
        assert asked == [("resume", number) for number in (39, 39, 38, 38)]


async def test_what_has_succeeded_is_run_again_in_a_folder_of_its_own(
    make: Make, asked: Asked, workspace: Workspace
) -> None:
    (workspace.corpora / "all").mkdir()
    (workspace.corpora / "all-2").mkdir()
    async with make().run_test(size=WIDE) as pilot:
        app = await ready(pilot, at=40)
        await pilot.press("r")
        await rest(pilot)
        assert asked == []
        await pilot.press("R")
        await rest(pilot)
        (verb, spec), *others = asked
        assert (verb, others) == ("submit", [])
        assert spec.params == {"templates": "all", "members": 120, "out": str(workspace.corpora / "all-3")}
        assert app.activity[-1].text == "job 50 is started"


async def test_a_refusal_is_reported_with_its_remedy(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise EngineError("job 41 is over", remedy="Resume it.", code="E603")

    monkeypatch.setattr(workbench.jobs, "stop", refuse)
    async with make().run_test(size=WIDE) as pilot:
        app = await ready(pilot)
        await pilot.press("x")
        await rest(pilot)
        last = app.activity[-1]
        assert (last.severity, last.code, last.text, last.remedy) == (
            "error", "E603", "job 41 is over", "Resume it.",
        )  # fmt: skip


def log_of(view: JobView, attempt: int, steps: range, loss: float, **data: float) -> None:
    """The log of an attempt that reports its loss at these steps."""
    folder = Path(view.folder) / f"attempt-{attempt}"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "events.jsonl").open("w", encoding="utf-8") as file:
        for number, step in enumerate(steps):
            line = {"v": 1, "t": 1.79e9 + number, "job": view.id, "attempt": attempt, "seq": number}
            values = {"loss_nats": loss, **data}
            text = json.dumps({**line, "kind": "metric", "step": step, "data": values}, separators=(",", ":"))
            file.write(text + "\n")


async def test_two_marked_jobs_are_compared(make: Make, jobs: list[JobView]) -> None:
    (Path(jobs[0].folder) / "env.json").write_text('{"packages": {"torch": "2.13"}}', encoding="utf-8")
    async with make().run_test(size=WIDE) as pilot:
        app = await ready(pilot)
        await pilot.press("d")
        await rest(pilot)
        assert app.screen.query_one(Detail).page.id == "log-page"  # type: ignore[union-attr]
        await pilot.press("space", "j", "d")
        await rest(pilot)
        rows = app.screen.query_one("#diff-table", Table).visible_records()
        found = {(row["part"], row["key"]): (row["left"], row["right"]) for row in rows}
        assert found["setting", "lr"] == (0.001, 3e-5)
        assert found["setting", "batch"] == (64, None)
        assert found["setting", "trainer"] == ("egen.contrastive", "arqmath.crossencoder")
        assert found["result", "state"] == ("running", "failed")
        assert found["result", "loss_nats"] == (0.3101, None)
        assert found["machine", "packages.torch"] == ("2.13", None)
        assert "job 41" in shown(app)


async def test_marked_jobs_are_drawn_together_with_a_legend(make: Make, jobs: list[JobView]) -> None:
    log_of(jobs[2], 1, range(0, 3000, 100), 0.7)
    async with make().run_test(size=WIDE) as pilot:
        app = await ready(pilot)
        assert [series.name for series in app.screen.query_one(Plot).series] == ["41 egen/cl-mean-small"]
        app.query_one("#jobs-table", Table).go_to("39")
        await pilot.press("space")
        app.query_one("#jobs-table", Table).go_to("41")
        for _ in range(100):
            await pilot.pause(0.02)
            if len(app.screen.query_one(Plot).series) == 2:
                break
        names = [series.name for series in app.screen.query_one(Plot).series]
        assert names == ["41 egen/cl-mean-small", "39 arqmath/finetune-n1"]
        text = shown(app)
        for number, name in ((41, "egen/cl-mean-small"), (39, "arqmath/finetune-n1")):
            glyph, _ = sign(number)
            assert f"{glyph} {number} {name}" in text
            # In the list, in the legend, and on the curve.
            assert text.count(glyph) > 2


async def test_attempts_go_on_as_one_curve_and_are_compared(make: Make, jobs: list[JobView]) -> None:
    resumed = dataclasses.replace(jobs[0], attempt=2)
    log_of(resumed, 2, range(4000, 6000, 40), 0.2)
    async with make(jobs=[resumed]).run_test(size=WIDE) as pilot:
        app = await ready(pilot)
        plot = app.screen.query_one(Plot)
        (series,) = plot.series
        assert list(series.xs) == sorted(series.xs)
        assert [y for x, y in zip(series.xs, series.ys, strict=True) if x >= 4000] == [0.2] * 50
        assert series.ys[0] == pytest.approx(1.81)
        await pilot.press("d")
        await rest(pilot)
        assert [series.name for series in plot.series] == ["attempt 1", "attempt 2"]
        assert plot.series[0].xs[-1] == 5200
        keys = [row["key"] for row in app.screen.query_one("#diff-table", Table).visible_records()]
        assert {"state", "wall_s"} <= set(keys)
        assert "attempt 1" in shown(app)
        await pilot.press("d")
        await rest(pilot)
        assert len(plot.series) == 1
        assert app.screen.query_one(Detail).page.id == "log-page"  # type: ignore[union-attr]


async def test_curves_are_smoothed_on_a_key(make: Make) -> None:
    async with make().run_test(size=WIDE) as pilot:
        app = await ready(pilot)
        plot = app.screen.query_one(Plot)
        before = list(plot.series[0].ys)
        await pilot.press("z")
        assert plot.caption == "loss_nats by step, smoothed 0.6"
        after = list(plot.series[0].ys)
        assert len(after) == len(before)
        assert after[0] == pytest.approx(before[0])
        # Each value is between the one before and the raw one, since the loss only falls.
        assert all(raw < mine < last for raw, mine, last in zip(before[1:], after[1:], after, strict=False))
        await pilot.press("z", "z", "z")
        assert list(plot.series[0].ys) == before


async def test_the_best_value_and_a_checkpoint_that_has_been_verified(
    make: Make, jobs: list[JobView], tmp_path: Path
) -> None:
    from engines.training import checkpoints

    out = tmp_path / "out"
    for step in (100, 200):
        checkpoints.write(out / "checkpoints", step, {"model.safetensors": bytes([step])}, {})
    view = dataclasses.replace(jobs[0], task="train", out=str(out), params={"train": {"best": "accuracy"}})
    with (Path(view.folder) / "attempt-1" / "events.jsonl").open("a", encoding="utf-8") as file:
        for step, value in ((100, 0.5), (200, 0.75), (300, 0.625)):
            line = {"v": 1, "t": 1.79e9, "job": 41, "attempt": 1, "seq": 0, "kind": "metric", "step": step}
            file.write(json.dumps({**line, "data": {"accuracy": value}}, separators=(",", ":")) + "\n")
    async with make(jobs=[view]).run_test(size=WIDE) as pilot:
        app = await ready(pilot)
        assert "accuracy 0.625 ▼ · best 0.75 at 200 · checkpoint 200 verified" in shown(app)
        (out / "checkpoints" / "step-000300").mkdir()
        for _ in range(100):
            await pilot.pause(0.02)
            if "damaged" in shown(app):
                break
        assert "checkpoint 200 verified, a newer one is damaged" in shown(app)


async def test_inspect_shows_where_it_ran(make: Make, jobs: list[JobView]) -> None:
    known = {
        "python": "3.11.7",
        "cpus": 2,
        "memory_bytes": 2**33,
        "git": {"commit": "0123456789abcdef", "changed": True},
        "packages": {"torch": "2.13.0"},
        "data": {"data.corpus": {"path": "/corpora/all", "bytes": 4096, "sha256": "ab" * 32}},
    }
    (Path(jobs[0].folder) / "env.json").write_text(json.dumps(known), encoding="utf-8")
    (Path(jobs[2].folder) / "env.json").write_text('{"data": [1]}', encoding="utf-8")
    async with make().run_test(size=WIDE) as pilot:
        app = await ready(pilot)
        await pilot.press("i")
        await rest(pilot)
        assert isinstance(app.screen, TextScreen)
        lines = app.screen.query_one(Reader).lines
        for words in (
            "commit 0123456789ab, with changes that are not committed",
            "python 3.11.7",
            "machine 2 cores, 8.0 GB of memory",
            "data.corpus /corpora/all",
            f"4.0 kB, sha256 {'ab' * 8}",
            "torch 2.13.0",
        ):
            assert words in [" ".join(line.split()) for line in lines]
        await pilot.press("escape", "j", "i")
        await rest(pilot)
        assert "has not started yet" in shown(app)
        await pilot.press("escape", "j", "i")
        await rest(pilot)
        assert "cannot be read" in shown(app)


async def test_open_hands_the_log_to_the_pager(
    make: Make, jobs: list[JobView], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Path] = []
    monkeypatch.setattr(Workbench, "open_file", lambda _, path: opened.append(path))
    (Path(jobs[0].folder) / "attempt-1" / "stderr.log").write_text("Traceback: it broke\n", "utf-8")
    async with make().run_test(size=WIDE) as pilot:
        app = await ready(pilot)
        await pilot.press("o")
        await rest(pilot)
        assert [path.name for path in opened] == ["job-41-attempt-1.log"]
        log = opened[0].read_text("utf-8").splitlines()
        assert log[0] == "job 41  egen/cl-mean-small  attempt 1: running"
        assert any("checkpoint" in line and "step-001000" in line for line in log)
        assert any(line.endswith("odd \\x1b[31mtext\\x1b[0m with [b]markup[/b]") for line in log)
        assert log[-1] == "Traceback: it broke"
        assert "131 lines of progress and metrics are left out; [metrics] has them" in log
        assert not any("loss_nats" in line for line in log)
        await pilot.press("tab", "left_square_bracket")
        await rest(pilot)
        names = [row["file"] for row in app.screen.query_one("#files-table", Table).visible_records()]
        assert names == ["recipe.toml", "attempt-1/events.jsonl", "attempt-1/stderr.log"]
        await pilot.press("enter")
        await rest(pilot)
        assert [path.name for path in opened] == ["job-41-attempt-1.log", "recipe.toml"]


async def test_a_terminal_that_cannot_be_handed_over_says_so(make: Make) -> None:
    async with make().run_test(size=WIDE) as pilot:
        app = await ready(pilot)
        await pilot.press("o")
        await rest(pilot)
        assert "cannot be handed over" in app.activity[-1].text


FORMS = {
    "c": lambda text: text.endswith("mathwb jobs show 41"),
    "i": lambda text: text == "41",
    "p": lambda text: text.endswith("/runs/41"),
    "r": lambda text: (
        tomllib.loads(text)["params"] == {"trainer": "egen.contrastive", "lr": 0.001, "batch": 64}
    ),
    "j": lambda text: json.loads(text)["title"] == "egen/cl-mean-small",
}


async def test_a_job_is_copied_in_every_form(make: Make, workspace: Workspace) -> None:
    async with make().run_test(size=WIDE) as pilot:
        await ready(pilot)
        for key, right in FORMS.items():
            await pilot.press("Y")
            await rest(pilot)
            await pilot.press(key)
            await rest(pilot)
            assert right((workspace.root / "clipboard.txt").read_text("utf-8")), key


EXPORTS = {
    "m": ("job-41-metrics.csv", "metric,step,mean,least,most"),
    "r": ("job-41.toml", 'task = "train"'),
    "t": ("jobs.csv", "id,task,title,state"),
    "j": ("jobs.jsonl", '{"id": 41, "task": "train"'),
}


async def test_exports(make: Make, workspace: Workspace) -> None:
    async with make().run_test(size=WIDE) as pilot:
        app = await ready(pilot)
        for key, (name, first) in EXPORTS.items():
            await pilot.press("e")
            await rest(pilot)
            await pilot.press(key)
            await rest(pilot)
            await pilot.press("enter")
            await rest(pilot)
            assert (workspace.exports / name).read_text("utf-8").startswith(first)
            assert name in app.activity[-1].text


def test_every_key_of_the_screen_is_pressed_above() -> None:
    source = Path(__file__).read_text("utf-8")
    for key in KEYS:
        assert any(f'"{name}"' in source for name in VERBS[key.verb].keys), key.id


# What is seen


async def test_a_live_job_shows_how_far_it_is(make: Make) -> None:
    async with make().run_test(size=WIDE) as pilot:
        app = await ready(pilot)
        text = shown(app)
        assert "… running · 5 200 of 8 100 steps · 8.66 steps/s · 5m left" in text
        assert "64%" in text
        assert "loss 1.81 → 0.3101 · 41.2k tok/s · CPU, 1.9 GB" in text
        plot = app.screen.query_one(Plot)
        assert plot.display
        assert plot.caption == "loss_nats by step"
        assert plot.series[0].ys[0] == pytest.approx(1.81)
        assert "odd \\x1b[31mtext\\x1b[0m with [b]markup[/b]" in "\n".join(
            app.screen.query_one("#log", ReaderBox).reader.lines
        )


async def test_another_metric_is_plotted_on_enter(make: Make) -> None:
    async with make().run_test(size=WIDE) as pilot:
        app = await ready(pilot)
        await pilot.press("tab", "right_square_bracket", "j", "enter")
        await rest(pilot)
        assert app.screen.query_one(Plot).caption == "tokens_per_s by step"


async def test_a_failed_job_begins_with_reason_and_remedy(make: Make) -> None:
    async with make().run_test(size=WIDE) as pilot:
        app = await ready(pilot, at=39)
        lines = [line[line.rindex("││") + 2 :] for line in shown(app).splitlines() if "││" in line]
        assert lines[0].startswith(" ✗ failed: E110 out of memory; peak 61 GiB of 64")
        remedy = " ".join(line.strip(" │") for line in lines[1:3])
        assert remedy.startswith("Use smaller limits or fewer workers, then: mathwb jobs resume 39")


@pytest.mark.parametrize(
    ("raised", "reason", "remedy"),
    [
        (MemoryError(), "✗ failed: E632 the memory does not suffice", "Use batch_size below 32"),
        (no_number(70, 50), "✗ failed: E631 the loss is no number any more at step 70", "lower lr"),
        (OSError(errno.ENOSPC, "full"), "✗ failed: E310 disk full: ", "Free some space"),
        (RuntimeError("CUDA error: unspecified"), "✗ failed: E633 the device is gone", "mathwb doctor"),
    ],
)
def test_a_failed_training_begins_with_reason_and_remedy(
    raised: Exception, reason: str, remedy: str, jobs: list[JobView], tmp_path: Path
) -> None:
    with pytest.raises(EngineError) as caught, explained(TrainConfig(steps=1), tmp_path):
        raise raised
    end = Ending.of_error(caught.value)
    view = dataclasses.replace(
        jobs[0], state=end.state, reason=end.reason, remedy=end.remedy, code=end.code, attempt=2
    )
    first, second, *_ = summary(view, 100).plain.splitlines()
    assert first.startswith(reason)
    assert remedy in second
    assert view.refusal("resume") == ""


async def test_what_is_odd_about_a_live_job_is_said(make: Make, jobs: list[JobView]) -> None:
    stalled = dataclasses.replace(
        jobs[0], health="stalled", last_event_age_s=700.0, heartbeat_age_s=40.0, stopping_for_s=90.0
    )
    async with make(jobs=[stalled]).run_test(size=WIDE) as pilot:
        text = shown(await ready(pilot))
        for words in ("stalled?", "no event for 11m", "heartbeat 40s old", "X kills it"):
            assert words in text


async def test_without_jobs_it_says_what_to_do(make: Make) -> None:
    async with make(jobs=[]).run_test(size=WIDE) as pilot:
        app = await ready(pilot)
        assert "No jobs yet" in shown(app)
        assert "a starts one" in shown(app)
        hints = {verb: enabled for verb, _, _, enabled in app.screen.query_one(KeyBar).hints()}
        assert hints["add"]
        assert not hints["stop"]
        await pilot.press("a")
        await rest(pilot)
        assert isinstance(app.screen, NewJob)


async def test_new_lines_arrive_while_one_looks(make: Make, jobs: list[JobView]) -> None:
    async with make().run_test(size=WIDE) as pilot:
        app = await ready(pilot)
        log = Path(jobs[0].folder) / "attempt-1" / "events.jsonl"
        line = {"v": 1, "t": 1.79e9, "job": 41, "attempt": 1, "seq": 999, "kind": "log", "step": 5240}
        with log.open("a", encoding="utf-8") as file:
            file.write(json.dumps({**line, "data": {"message": "just now"}}) + "\n")
        reader = app.screen.query_one("#log", ReaderBox).reader
        for _ in range(100):
            await pilot.pause(0.02)
            if "just now" in reader.lines[-1]:
                break
        assert "just now" in reader.lines[-1]


async def test_states_change_under_the_cursor(make: Make, jobs: list[JobView]) -> None:
    async with make().run_test(size=WIDE) as pilot:
        app = await ready(pilot)
        done = dataclasses.replace(jobs[0], state="succeeded", wall_s=900.0)
        app.watch_jobs.jobs = (done, *jobs[1:])
        app.screen.post_message(JobWatch.Looked(app.jobs))
        await rest(pilot)
        assert "✓ succeeded · 5 200 of 8 100 steps · in 15m" in shown(app)
        assert app.query_one("#jobs-table", Table).current_key == "41"


async def test_deleting_is_in_the_palette_only_and_wants_the_number(make: Make, asked: Asked) -> None:
    async with make().run_test(size=WIDE) as pilot:
        app = await ready(pilot, at=39)
        await pilot.press("colon", *"delete job 39", "enter")
        await rest(pilot)
        assert isinstance(app.screen, Confirm)
        await pilot.press("y", "enter")
        await rest(pilot)
        assert asked == []
        await pilot.press("backspace", *"39", "enter")
        await rest(pilot)
        assert asked == [("remove", 39)]
        await pilot.press("colon", *"rerun job 39", "enter")
        await rest(pilot)
        assert [verb for verb, _ in asked] == ["remove", "submit"]


# The list


def _line_of(app: Workbench, number: int) -> str:
    """What the list shows of a job, without its sign."""
    table = app.query_one("#jobs-table", Table)
    place = next(place for place, record in enumerate(table.visible_records()) if record["id"] == number)
    return table.render_line(place + 1).text


async def test_the_list_tells_how_far_how_fast_and_since_when(make: Make, jobs: list[JobView]) -> None:
    # A column that says the same in every line may leave.
    jobs[3] = dataclasses.replace(jobs[3], started=jobs[3].created + 86400, wall_s=50.0)
    async with make(jobs=jobs).run_test(size=(240, 50)) as pilot:
        app = await ready(pilot)
        line = _line_of(app, 41)
        assert re.search(r"… ━+─+ +64% +8\.66/s +5m 0\.3101 +21 Sep", line)
        assert re.search(r"✓ succeeded +21 Sep +11m", _line_of(app, 40))
        assert "out of mem" in _line_of(app, 39)
        waits = dataclasses.replace(jobs[0], state="queued", waiting="Resources", done=None, started=None)
        app.watch_jobs.jobs = (waits, *jobs[1:])
        app.screen.post_message(JobWatch.Looked(app.jobs))
        await rest(pilot)
        assert "· Resources" in _line_of(app, 41)
        assert "waits: Resources" in shown(app)


async def test_names_are_told_apart_on_a_narrow_screen(make: Make, jobs: list[JobView]) -> None:
    names = [f"train egen/cl-mean-small lr={rate} seed=1 fold=0" for rate in ("1e-4", "3e-4", "3e-3")]
    alike = [
        dataclasses.replace(jobs[0], id=number, title=name) for number, name in enumerate([*names, names[0]])
    ]
    async with make(jobs=alike).run_test(size=(80, 24)) as pilot:
        app = await ready(pilot, at=0)
        shown_names = [_line_of(app, number)[8:].split("… ━")[0].strip() for number in range(4)]
        assert len(set(shown_names)) == 3
        assert shown_names[0] == shown_names[3]


@given(st.lists(st.text("ab/-", min_size=1, max_size=40), min_size=2, max_size=6, unique=True))
def test_an_elided_name_keeps_the_first_character_that_differs(names: list[str]) -> None:
    places = _differs(names)
    for name, place in zip(names, places, strict=True):
        others = [other for other in names if other != name]
        assert all(name[: place + 1] != other[: place + 1] or len(name) <= place for other in others)
        for cells in range(8, 30):
            told = told_apart(name, cells, place)
            assert len(told) <= cells
            if place < len(name):
                assert name[place] in told


async def test_a_job_keeps_glyph_and_colour_wherever_the_cursor_is(make: Make) -> None:
    async with make().run_test(size=WIDE) as pilot:
        app = await ready(pilot)
        before = [(_line_of(app, number)[2], sign(number)) for number in (41, 40, 39, 38)]
        app.query_one("#jobs-table", Table).go_to("39")
        await rest(pilot)
        assert [(_line_of(app, number)[2], sign(number)) for number in (41, 40, 39, 38)] == before
        assert [glyph for glyph, _ in before] == [sign(number)[0] for number in (41, 40, 39, 38)]
    signs = [sign(number) for number in range(36)]
    assert len(set(signs)) == 36


async def test_devices_are_shown_with_what_they_were(make: Make) -> None:
    async with make().run_test(size=WIDE) as pilot:
        app = await ready(pilot)
        for share in (0.0, 0.5, 1.0):
            app.watch_jobs.measure("CPU", share, f"{2 * share:.1f}/2")
        app.watch_jobs.measure("memory", 0.25, "4.0 GB of 16.0 GB")
        app.screen.post_message(JobWatch.Looked(app.jobs))
        await rest(pilot)
        assert "CPU ⡀⣦⣿ 2.0/2 · memory ⣄ 4.0 GB of 16.0 GB" in shown(app)

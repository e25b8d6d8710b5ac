"""The Jobs screen by real keys; what the keys ask of the jobs' room is recorded instead of done."""

from __future__ import annotations

import dataclasses
import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

import workbench.jobs
from engines.core.errors import EngineError
from screens.app import Workbench
from screens.jobs.detail import Detail
from screens.jobs.form import NewJob, problem
from screens.jobs.screen import KEYS
from screens.keys import VERBS
from screens.watch import JobWatch
from screens.widgets.bars import KeyBar
from screens.widgets.dialogs import Confirm
from screens.widgets.listing import ReaderBox
from screens.widgets.plot import Plot
from screens.widgets.table import Table
from screens.widgets.textscreen import TextScreen
from workbench.jobs import JobSpec, JobView
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
            if isinstance(what, JobSpec):
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


async def test_a_new_job_is_filled_in_and_checked_while_typing(
    make: Make, asked: Asked, workspace: Workspace
) -> None:
    (workspace.corpora / "polynomials").mkdir()
    async with make().run_test(size=WIDE) as pilot:
        app = await ready(pilot)
        await pilot.press("a")
        await rest(pilot)
        assert isinstance(app.screen, NewJob)
        assert "about 1 min" in shown(app)
        assert "no use for a GPU" in shown(app)
        field = app.screen.query_one("#field-templates", Input)
        assert field.has_focus
        assert app.screen.query_one("#field-out", Input).value == "polynomials-2"
        await pilot.press("tab", "x")
        await rest(pilot)
        assert "a whole number from 1 on" in shown(app)
        await pilot.press("enter")
        assert isinstance(app.screen, NewJob)
        await pilot.press("backspace", "backspace", "enter")
        await rest(pilot)
        (verb, spec), *_ = asked
        assert verb == "submit"
        assert spec.task == "egen.corpus"
        assert spec.params["members"] == 12
        assert spec.params["templates"] == "poly"
        assert spec.params["out"] == str(workspace.corpora / "polynomials-2")
        assert spec.seed == 0


async def test_another_recipe_fills_the_fields(make: Make, asked: Asked) -> None:
    async with make().run_test(size=WIDE) as pilot:
        app = await ready(pilot)
        await pilot.press("a")
        await rest(pilot)
        app.screen.query_one("#recipes", Table).focus()
        await pilot.press("j")
        await rest(pilot)
        assert app.screen.query_one("#field-templates", Input).value == "all"
        await pilot.press("enter")
        await rest(pilot)
        assert app.screen.query_one("#field-templates", Input).has_focus
        await pilot.press("escape")
        await rest(pilot)
        assert not isinstance(app.screen, NewJob)
        assert asked == []


@pytest.mark.parametrize(
    ("name", "text", "wrong"),
    [
        ("templates", "poly", ""),
        ("templates", "polly", "one of"),
        ("templates", "", "one of"),
        ("members", "120", ""),
        ("members", "0", "from 1"),
        ("members", "١٢", "whole number"),
        ("seed", "0", ""),
        ("seed", "-1", "from 0"),
        ("workers", "99", "2 cores"),
        ("out", "new one", ""),
        ("out", "taken", "already"),
        ("out", "../up", "without slashes"),
        ("out", "..", "without slashes"),
        ("out", "bell\x07", "without slashes"),
    ],
)
def test_fields(name: str, text: str, wrong: str, tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    said = problem(name, text, corpora=tmp_path, cores=2)
    assert bool(said) == bool(wrong)
    assert wrong in said


def test_templates_may_be_a_file(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("sin x\n", encoding="utf-8")
    assert problem("templates", str(tmp_path / "mine.txt"), corpora=tmp_path, cores=2) == ""


async def test_two_marked_jobs_are_compared(make: Make) -> None:
    async with make().run_test(size=WIDE) as pilot:
        app = await ready(pilot)
        await pilot.press("d")
        await rest(pilot)
        assert app.screen.query_one(Detail).page.id == "log-page"  # type: ignore[union-attr]
        await pilot.press("space", "j", "d")
        await rest(pilot)
        rows = app.screen.query_one("#diff-table", Table).visible_records()
        wanted = {"lr": (0.001, 3e-5), "batch": (64, None), "task": ("egen.train", "arqmath.train")}
        assert {row["key"]: (row["left"], row["right"]) for row in rows} == wanted
        assert "job 41" in shown(app)


async def test_inspect_shows_where_it_ran(make: Make, jobs: list[JobView]) -> None:
    (Path(jobs[0].folder) / "env.json").write_text('{"python": "3.11.7", "cpus": 2}', encoding="utf-8")
    async with make().run_test(size=WIDE) as pilot:
        app = await ready(pilot)
        await pilot.press("i")
        await rest(pilot)
        assert isinstance(app.screen, TextScreen)
        assert '"python": "3.11.7"' in shown(app)
        await pilot.press("escape", "j", "i")
        await rest(pilot)
        assert "has not started yet" in shown(app)


async def test_open_hands_the_log_to_the_pager(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Path] = []
    monkeypatch.setattr(Workbench, "open_file", lambda _, path: opened.append(path))
    async with make().run_test(size=WIDE) as pilot:
        app = await ready(pilot)
        await pilot.press("o")
        assert [path.name for path in opened] == ["events.jsonl"]
        await pilot.press("tab", "left_square_bracket")
        await rest(pilot)
        names = [row["name"] for row in app.screen.query_one("#files-table", Table).visible_records()]
        assert names == ["recipe.toml", "attempt-1/events.jsonl"]
        await pilot.press("enter")
        await rest(pilot)
        assert [path.name for path in opened] == ["events.jsonl", "recipe.toml"]


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
    "r": lambda text: tomllib.loads(text)["params"] == {"lr": 0.001, "batch": 64},
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
    "r": ("job-41.toml", 'task = "egen.train"'),
    "t": ("jobs.csv", "id,task,title,state"),
    "j": ("jobs.jsonl", '{"id": 41, "task": "egen.train"'),
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
        assert "loss_nats 0.3101 · tokens_per_s 41.2k · CPU, 1.9 GB" in text
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
        assert lines[1].startswith(" Use smaller limits or fewer workers, then: mathwb jobs resume ")
        assert lines[2].startswith(" 39")


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

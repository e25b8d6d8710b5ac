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

from engines.core.errors import EngineError
from screens.app import Workbench
from screens.jobs.job_detail import Detail
from screens.keys import JOBS_KEYS
from screens.shell.keymap import VERBS
from screens.widgets.dialogs import Confirm, TextScreen
from screens.widgets.plot import PlotWidget, series_sign
from screens.widgets.reader import TextReader
from screens.widgets.table import Table
from tests.screens.driving import jobs_ready, press, rest, settle, shown, until
from workbench.folders import state_dir
from workbench.jobs import control, job_registry
from workbench.jobs.folder import Ending, create_job
from workbench.jobs.job_views import JobView
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
        monkeypatch.setattr(control, f"{verb}_job", record(verb))
    return seen


# Every key of the screen


async def test_x_asks_it_to_stop(make: Make, asked: Asked) -> None:
    async with make().run_test(size=WIDE) as pilot:
        app = await jobs_ready(pilot)
        await pilot.press("x")
        await rest(pilot)
        assert asked == [("stop", 41)]
        assert app.activity[-1].text == "job 41 saves its work and stops"


@pytest.mark.slow
async def test_kill_asks_first(make: Make, asked: Asked) -> None:
    async with make().run_test(size=WIDE) as pilot:
        app = await jobs_ready(pilot)
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
        app = await jobs_ready(pilot)
        for number in (39, 38):
            app.query_one("#jobs-table", Table).go_to(str(number))
            await pilot.press("R")
            await rest(pilot)
        assert asked == [("resume", number) for number in (39, 38)]


async def test_what_has_succeeded_is_run_again_in_a_folder_of_its_own(
    make: Make, asked: Asked, workspace: Workspace
) -> None:
    (workspace.corpora / "all").mkdir()
    (workspace.corpora / "all-2").mkdir()
    async with make().run_test(size=WIDE) as pilot:
        app = await jobs_ready(pilot, at=40)
        await pilot.press("R")
        await rest(pilot)
        (verb, spec), *others = asked
        assert (verb, others) == ("submit", [])
        assert spec.params == {"templates": "all", "members": 120, "out": str(workspace.corpora / "all-3")}
        assert app.activity[-1].text == "job 50 is started"


async def test_a_refusal_is_reported_with_its_remedy(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise EngineError("job 41 is over", remedy="Resume it.", code="E603")

    monkeypatch.setattr(control, "stop_job", refuse)
    async with make().run_test(size=WIDE) as pilot:
        app = await jobs_ready(pilot)
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


async def test_two_marked_jobs_are_compared(make: Make, jobs: list[JobView], workspace: Workspace) -> None:
    (Path(jobs[0].folder) / "env.json").write_text('{"packages": {"torch": "2.13"}}', encoding="utf-8")
    async with make().run_test(size=WIDE) as pilot:
        app = await jobs_ready(pilot)
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
        # The command that prints this page, and that of another one.
        for keys, command in (
            ("y", "compare 41 39"),
            (("left_square_bracket",) * 3 + ("y",), "tail -n 1000 39"),
        ):
            await pilot.press(*keys)
            await rest(pilot)
            assert (state_dir() / "clipboard.txt").read_text("utf-8").endswith(f"mathwb jobs {command}")


async def test_marked_jobs_are_drawn_together_with_a_legend(make: Make, jobs: list[JobView]) -> None:
    log_of(jobs[2], 1, range(0, 3000, 100), 0.7)
    async with make().run_test(size=WIDE) as pilot:
        app = await jobs_ready(pilot)
        assert [series.name for series in app.screen.query_one(PlotWidget).series] == [
            "41 egen/cl-mean-small"
        ]
        app.query_one("#jobs-table", Table).go_to("39")
        await pilot.press("space")
        app.query_one("#jobs-table", Table).go_to("41")
        await until(pilot, lambda: len(app.screen.query_one(PlotWidget).series) == 2)
        names = [series.name for series in app.screen.query_one(PlotWidget).series]
        assert names == ["41 egen/cl-mean-small", "39 arqmath/finetune-n1"]
        text = shown(app)
        for number, name in ((41, "egen/cl-mean-small"), (39, "arqmath/finetune-n1")):
            glyph, _ = series_sign(number)
            assert f"{glyph} {number} {name}" in text
            # In the list, in the legend, and on the curve.
            assert text.count(glyph) > 2


async def test_attempts_go_on_as_one_curve_and_are_compared(make: Make, jobs: list[JobView]) -> None:
    resumed = dataclasses.replace(jobs[0], attempt=2)
    log_of(resumed, 2, range(4000, 6000, 40), 0.2)
    async with make(jobs=[resumed]).run_test(size=WIDE) as pilot:
        app = await jobs_ready(pilot)
        plot = app.screen.query_one(PlotWidget)
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
        app = await jobs_ready(pilot)
        plot = app.screen.query_one(PlotWidget)
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
        app = await jobs_ready(pilot)
        best = "accuracy 0.625 ▼ · best 0.75 at 200 · checkpoint 200 verified"
        await until(pilot, lambda: best in shown(app))
        (out / "checkpoints" / "step-000300").mkdir()
        await until(pilot, lambda: "damaged" in shown(app))
        assert "checkpoint 200 verified, a newer one is damaged" in shown(app)


@pytest.mark.slow
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
        app = await jobs_ready(pilot)
        await pilot.press("i")
        await rest(pilot)
        assert isinstance(app.screen, TextScreen)
        lines = app.screen.query_one(TextReader).lines
        for words in (
            "commit 0123456789ab, with uncommitted changes",
            "python 3.11.7",
            "machine 2 cores, 8.0 GiB of memory",
            "data.corpus /corpora/all",
            f"4.0 KiB, sha256 {'ab' * 8}",
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
        app = await jobs_ready(pilot)
        await pilot.press("o")
        await rest(pilot)
        assert [path.name for path in opened] == ["job-41-attempt-1.log"]
        log = opened[0].read_text("utf-8").splitlines()
        assert log[0] == "job 41  egen/cl-mean-small  attempt 1: running"
        assert any("checkpoint" in line and "step-001000" in line for line in log)
        assert any(line.endswith("odd \\x1b[31mtext\\x1b[0m with [b]markup[/b]") for line in log)
        assert log[-1] == "Traceback: it broke"
        assert "131 lines of progress and metrics are left out; see [metrics]" in log
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
        app = await jobs_ready(pilot)
        await pilot.press("o")
        await rest(pilot)
        assert "cannot run another program" in app.activity[-1].text


FORMS = {
    "c": lambda text: text.endswith("mathwb jobs show 41"),
    "i": lambda text: text == "41",
    "p": lambda text: text.endswith("/runs/41"),
    "r": lambda text: (
        tomllib.loads(text)["params"] == {"trainer": "egen.contrastive", "lr": 0.001, "batch": 64}
    ),
    "j": lambda text: json.loads(text)["title"] == "egen/cl-mean-small",
}


@pytest.mark.slow
async def test_a_job_is_copied_in_every_form(make: Make, workspace: Workspace) -> None:
    async with make().run_test(size=WIDE) as pilot:
        await jobs_ready(pilot)
        for key, right in FORMS.items():
            await pilot.press("Y")
            await rest(pilot)
            await pilot.press(key)
            await rest(pilot)
            assert right((state_dir() / "clipboard.txt").read_text("utf-8")), key


EXPORTS = {
    "m": ("job-41-metrics.csv", "metric,step,mean,least,most"),
    "r": ("job-41.toml", 'task = "train"'),
    "t": ("jobs.csv", "id,task,title,state"),
    "j": ("jobs.jsonl", '{"id": 41, "task": "train"'),
}


@pytest.mark.slow
async def test_exports(make: Make, workspace: Workspace) -> None:
    async with make().run_test(size=WIDE) as pilot:
        app = await jobs_ready(pilot)
        for key, (name, first) in EXPORTS.items():
            await pilot.press("e")
            await rest(pilot)
            await pilot.press(key)
            await rest(pilot)
            await pilot.press("enter")
            await rest(pilot)
            assert (workspace.exports / name).read_text("utf-8").startswith(first)
            assert name in app.activity[-1].text


@pytest.mark.slow
async def test_curves_are_exported_for_a_paper(make: Make, workspace: Workspace) -> None:
    async with make().run_test(size=WIDE) as pilot:
        await jobs_ready(pilot)
        for key in ("e", "V", "enter"):
            await pilot.press(key)
            await rest(pilot)
        await settle(pilot, lambda: bool([*workspace.exports.glob("job-41-*.svg.meta.json")]))
        (path,) = workspace.exports.glob("job-41-*.svg")
        assert "<svg" in path.read_text("utf-8")


@pytest.mark.slow
async def test_a_bare_name_is_written_here_and_said_in_full(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with make().run_test(size=WIDE) as pilot:
        app = await jobs_ready(pilot)
        await pilot.press("e")
        await rest(pilot)
        await pilot.press("t")
        await rest(pilot)
        await pilot.press(*"bare.csv", "enter")
        await rest(pilot)
        assert (tmp_path / "bare.csv").is_file()
        assert str(tmp_path / "bare.csv") in app.activity[-1].text
        assert str(tmp_path / "bare.csv") in "".join(toast.message for toast in app._notifications)


def test_every_key_of_the_screen_is_pressed_above() -> None:
    source = Path(__file__).read_text("utf-8")
    for key in JOBS_KEYS:
        assert any(f'"{name}"' in source for name in VERBS[key.verb].keys), key.id


@pytest.mark.slow
async def test_a_deleted_job_is_brought_back_also_after_a_restart(
    make: Make, jobs: list[JobView], workspace: Workspace
) -> None:
    for view in jobs[1:3]:
        Path(view.folder).mkdir(parents=True, exist_ok=True)
        view.spec.write(Path(view.folder) / "recipe.toml")
    folders = lambda: {int(one.name) for one in workspace.runs.iterdir() if one.name.isdecimal()}  # noqa: E731
    (Path(jobs[2].folder) / "mine.txt").touch()
    before = folders()
    async with make().run_test(size=WIDE) as pilot:
        app = await jobs_ready(pilot, at=40)
        await pilot.press("D")
        await rest(pilot)
        assert folders() == before - {40}
        await pilot.press("u")
        await rest(pilot)
        assert folders() == before
        assert app.activity[-1].text == "taken back: job 40 is deleted"
        app.place.jobs.go_to("39")
        await pilot.press("D")
        await rest(pilot)
        assert (app.activity[-1].code, folders()) == ("E452", before)
        # Elsewhere than in the list nothing is deleted.
        app.place.jobs.go_to("40")
        app.place.show_pane("detail")
        await pilot.press("D")
        await rest(pilot)
        assert folders() == before
        app.place.show_pane("list")
        await pilot.press("D")
        await rest(pilot)
        assert folders() == before - {40}
    async with make().run_test(size=WIDE) as pilot:
        app = await jobs_ready(pilot)
        await settle(pilot, lambda: app.undo_history.deleted)
        await pilot.press("u")
        await rest(pilot)
        assert folders() == before
        assert app.activity[-1].text.startswith("restored: job 40")
        assert app.why_not("undo")


@pytest.mark.slow
async def test_long_work_is_deleted_only_when_confirmed_and_a_protected_job_not_at_all(
    make: Make, jobs: list[JobView], workspace: Workspace
) -> None:
    job = create_job(workspace.runs, Recipe("test.count", "long work", {"n": 1}))
    job.last_attempt().write_result(Ending("succeeded", started=1_000.0, ended=1_601.0))

    async def see(pilot: Pilot[None]) -> None:
        app.watch_jobs.jobs = (job_registry.read_job(workspace, job.id),)
        app.look_now()
        await settle(pilot, lambda: app.place.job == app.watch_jobs.jobs[0])

    async with make(jobs=[job_registry.read_job(workspace, job.id)]).run_test(size=WIDE) as pilot:
        app = await jobs_ready(pilot, at=job.id)
        await press(pilot, "D")
        assert "10m of work" in shown(app)
        await press(pilot, "n")
        assert job.folder.is_dir()
        await press(pilot, "P")
        await rest(pilot)
        await see(pilot)
        await press(pilot, "D")
        assert "is protected" in shown(app)
        assert job.folder.is_dir()
        await press(pilot, "P")
        await rest(pilot)
        await see(pilot)
        await press(pilot, "D", "y")
        await rest(pilot)
        assert not job.folder.exists()
        assert [item.address for item in workspace.trash.list_items()] == [f"job/{job.id}"]


@pytest.mark.slow
async def test_the_palette_runs_a_job_again_from_the_start(make: Make, asked: Asked) -> None:
    async with make().run_test(size=WIDE) as pilot:
        await jobs_ready(pilot, at=39)
        await pilot.press("colon", *"rerun job 39", "enter")
        await rest(pilot)
        assert [verb for verb, _ in asked] == ["submit"]

"""The ways of `docs/ways.md`, key by key, from the start screen of the sample workspace."""

from __future__ import annotations

import os
import re
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from screens.app import Workbench
from screens.jobs.job_detail import Detail
from screens.widgets.plot import PlotWidget
from screens.widgets.table import Table
from tests.screens.driving import shown, until
from workbench.jobs import control, job_registry
from workbench.workspace import Workspace, ensure_sample

_PAGE = (Path(__file__).parents[2] / "docs" / "ways.md").read_text("utf-8")
_SIZES = {"80x24": (80, 24), "120x40": (120, 40), "200x50": (200, 50)}
NARROW, WIDE = "80x24", "200x50"
"""At 120x40, where the keys and panes are those of 200x50, the screens are pressed by all the other tests."""
_KEYS = {
    ":": "colon",
    "esc": "escape",
    "⇧tab": "shift+tab",
    "/": "slash",
    "[": "left_square_bracket",
    "]": "right_square_bracket",
    " ": "space",
    **{name: name for name in ("enter", "space", "tab")},
}
_AGAIN = "mathwb"
"""Where the screens are left and started again."""


@dataclass(frozen=True)
class Step:
    """What is pressed, `typed` among it, and what stands on the screen then; `only` at this size."""

    words: tuple[str, ...]
    typed: str
    seen: str
    only: str

    @property
    def keys(self) -> list[str]:
        return [word for word in self.words if word not in (self.typed, _AGAIN)]

    @property
    def pressed(self) -> list[str]:
        parts = [list(word) if word == self.typed else [word] for word in self.words if word != _AGAIN]
        return [_KEYS.get(key, key) for part in parts for key in part]


_STAYS = {
    ("enter", "answer 9002021"),
    ("enter", "graph 18"),
    ("esc", "No jobs yet"),
    ("o", "1 not shown"),
    ("o", "a.md:3"),
    ("q", "published graph"),
    ("x", "K saves it"),
}
"""What may stand there before the key too: the focus moves, a dialog goes, an editor opens a file, or all has
grown before it is stopped."""


def ways() -> dict[str, list[Step]]:
    found = {}
    for number, text in re.findall(r"^## (\d+) .*?$(.*?)(?=^## |\Z)", _PAGE, re.MULTILINE | re.DOTALL):
        rows = re.findall(r"^\|(.*?)\|.*\|(.*?)\|$", text, re.MULTILINE)[2:]
        found[number] = [_step(press, seen) for press, seen in rows]
    return found


def _step(press: str, seen: str) -> Step:
    words = tuple(re.findall(r"`([^`]+)`", press))
    typed = next((word for word in words if len(word) > 1 and word not in (*_KEYS, _AGAIN)), "")
    only = re.search(r"at (\d+x\d+)", press)
    return Step(words, typed, seen.strip(" `"), only[1] if only else "")


def walks() -> list[tuple[str, str]]:
    """Return each way with a size to walk it at: by turns, and at both sizes where they differ in keys."""
    by_turns = [(number, (NARROW, WIDE)[int(number) % 2]) for number in ways()]
    other = {NARROW: WIDE, WIDE: NARROW}
    return [
        *by_turns,
        *((number, other[size]) for number, size in by_turns if any(step.only for step in ways()[number])),
    ]


def test_the_keys_are_counted() -> None:
    for number, steps in ways().items():
        counts = [sum(len(step.keys) for step in steps if step.only in ("", size)) for size in _SIZES]
        typed = sum(len(step.typed) for step in steps)
        row = re.search(rf"^\| {number} .*?\|(.*)\|$", _PAGE, re.MULTILINE)
        assert row, number
        cells = [cell.strip() for cell in row[1].split("|")]
        assert cells[:4] == [*map(str, counts), str(typed or "")], number
        if most := re.match(r"\d+", cells[4]):
            assert max(counts) + typed * ("included" in cells[4]) <= int(most[0])


@pytest.mark.slow
@pytest.mark.usefixtures("warm_engines")
@pytest.mark.parametrize(("number", "size"), walks())
async def test_every_key_leads_where_it_says(
    number: str, size: str, workspace: Workspace, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("One.\n\nA circle is $x^2+y^2=1$.\n")
    opened, editor = tmp_path / "opened", tmp_path / "vi"
    editor.write_text(f'#!/bin/sh\necho "$1" > {opened}\n')
    editor.chmod(0o755)
    # Two threads that wait for each other are slow where the cores have other work too.
    for name, value in {"HOME": tmp_path, "EDITOR": editor, "OMP_NUM_THREADS": 1}.items():
        monkeypatch.setitem(os.environ, name, str(value))
    monkeypatch.setattr(Workbench, "suspend", lambda _: nullcontext())
    ensure_sample(workspace)
    steps = [step for step in ways()[number] if step.only in ("", size)]
    if number == "10":  # six trainings; what their end shows is tested with sweeps
        steps = steps[: next(at for at, step in enumerate(steps) if _AGAIN in step.words)]
    try:
        while steps:
            steps = await _walk(Workbench(workspace), _SIZES[size], steps, _CHECKS.get(number, {}))
    finally:
        for view in job_registry.list_jobs(workspace):
            if view.live:
                control.kill_job(workspace, view.id)
    if number in ("12", "13"):
        assert opened.read_text().startswith("+")


async def _await_curves(app: Workbench, pilot: Pilot[Any]) -> None:
    """Wait until the resumed training has a curve too."""
    await until(pilot, lambda: "resumed from the checkpoint" in shown(app))

    def is_drawn() -> bool:
        follower = app.screen.query_one(Detail)._follower
        return follower is not None and sum(bool(run.curves) for run in follower.curves.attempts) == 2

    await until(pilot, is_drawn)


async def _compare_attempts(app: Workbench, pilot: Pilot[Any]) -> None:
    """Look at both attempts of a training that was stopped and resumed."""
    table = app.screen.query_one("#diff-table", Table)
    await until(pilot, lambda: len(table.rows) > 0)
    assert next(row["left"] for row in table.visible_records() if row["key"] == "state") == "stopped"
    first, second = app.screen.query_one(PlotWidget).series
    assert (first.name, second.name) == ("attempt 1", "attempt 2")
    # The second attempt begins where the first one stopped.
    assert second.xs[0] > first.xs[0]
    for words in ("● attempt 1", "■ attempt 2", "loss_nats", "[diff]"):
        assert words in shown(app)


Check = Callable[[Workbench, "Pilot[Any]"], Awaitable[None]]
_CHECKS: dict[str, dict[str, Check]] = {"3": {"attempt 2": _await_curves, "■ attempt 2": _compare_attempts}}
"""Of a way: what is looked at more closely once these words stand there."""


async def _walk(
    app: Workbench, size: tuple[int, int], steps: list[Step], checks: dict[str, Check]
) -> list[Step]:
    """Walk until the way ends or the screens are left. Returns: what is left of it."""

    said: list[str] = []
    record = app._add_entry
    app._add_entry = lambda severity, text, **more: (said.append(text), record(severity, text, **more))  # type: ignore[method-assign]

    def words() -> str:
        return " ".join([*shown(app).replace("│", " ").split(), *said])

    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: app.place and app.destinations and app.place.panes)
        await until(pilot, lambda: app.current_mode != "egraphs" or "members 40 of" in words())
        for at, step in enumerate(steps):
            if step.pressed:
                said.clear()
                assert step.seen not in words() or (step.words[0], step.seen) in _STAYS, "before the key"
            await pilot.press(*step.pressed)
            if _AGAIN in step.words:
                return [Step((), "", step.seen, ""), *steps[at + 1 :]]
            await until(pilot, lambda seen=step.seen: seen in words())  # type: ignore[misc]
            if check := checks.get(step.seen):
                await check(app, pilot)
    return []

"""The first minute of somebody who knows nothing, as `docs/guides/first-minute.md` tells it (way 11)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from screens.app import Workbench
from tests.screens.driving import shown, until
from workbench.workspace import Workspace, ensure_sample

_GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "first-minute.md"
_NAMED = {":": "colon", "esc": "escape", "(": "left_parenthesis", ")": "right_parenthesis", "*": "asterisk"}


def steps() -> list[tuple[list[str], str]]:
    """Keys, and what stands on the screen after them."""
    rows = re.findall(r"^\| (.*?) ?\| .*? \| ?(.*?) \|$", _GUIDE.read_text("utf-8"), re.MULTILINE)
    found = []
    for pressed, seen in rows[1:]:
        words = re.findall(r"`([^`]+)`", pressed)
        keys = [key for word in words for key in ([word] if word in ("enter", "esc") else word)]
        found.append(([_NAMED.get(key, key) for key in keys], seen.strip("`")))
    return found


def test_its_keys_are_counted() -> None:
    assert f"These are {sum(len(keys) for keys, _ in steps())} keys" in _GUIDE.read_text("utf-8")


@pytest.mark.slow
@pytest.mark.usefixtures("warm_engines")
async def test_every_step_shows_what_it_says(workspace: Workspace) -> None:
    ensure_sample(workspace)
    app = Workbench(workspace)
    async with app.run_test(size=(80, 24)) as pilot:
        for keys, seen in steps():
            await pilot.press(*keys)
            await until(pilot, lambda seen=seen: seen in " ".join(shown(app).split()))  # type: ignore[misc]
        assert app._exit
    (job,) = app.jobs
    assert (job.attempt, job.live) == (2, True)
    from workbench.jobs import control

    control.kill_job(workspace, job.id)

"""A workspace that can only be read: everything is shown, and what would write says why not."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from workbench.jobs.job_views import JobView
from workbench.workspace import Workspace

_MOUNT = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'
_LOOK = """
import asyncio, json, sys
from pathlib import Path
from screens.app import Workbench
from screens.shell.export import PaneSelection
from workbench.workspace import Workspace, ensure_sample

async def look():
    workspace = Workspace.open(Path(sys.argv[1]))
    ensure_sample(workspace)
    app = Workbench(workspace, screen="jobs")
    async with app.run_test(size=(120, 40)) as pilot:
        for _ in range(6000):
            await pilot.pause(0.02)
            if app.place is not None and app.place.selection() is not None:
                break
        verbs = ("bookmark", "note", "add", "again", "inspect")
        refused = {verb: app.place.why_not(verb) for verb in verbs}
        title = app.place.selection().title
        await pilot.press("m", "M", "a", "i", "escape", "B", "escape", "j")
        app.workspace.root.joinpath("notes.jsonl").read_text()
        app.set_note(PaneSelection("job/40", "job 40", ""), "more")
    print(json.dumps([app.crash, refused, title, [entry.code for entry in app.activity]]))

asyncio.run(look())
"""


@pytest.mark.slow
def test_a_read_only_workspace_is_shown(workspace: Workspace, jobs: list[JobView]) -> None:
    workspace.notes.set_note(f"job/{jobs[0].id}", "before")
    unshare = shutil.which("unshare")
    where = [str(unshare), "-rm", "sh", "-c", _MOUNT, str(workspace.root)]
    if unshare is None or subprocess.run([*where, "true"], capture_output=True, check=False).returncode:
        pytest.skip("nothing can be mounted here")
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [*where, sys.executable, "-c", _LOOK, str(workspace.root)],
        capture_output=True,
        text=True,
        check=True,
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
    )
    crash, refused, title, codes = json.loads(done.stdout.splitlines()[-1])
    assert crash == ""
    assert title.startswith("job ")
    why = "the workspace is read-only"
    assert refused == {"bookmark": why, "note": why, "add": why, "again": why, "inspect": ""}
    assert codes[-1] == "E311"

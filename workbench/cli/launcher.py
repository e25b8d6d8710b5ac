"""Opens the screens in the terminal."""

from __future__ import annotations

import gc
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.train import LaunchDraft


def look_rarely_for_garbage() -> None:
    """Let this process look less often for objects that only refer to each other: what a command makes stays
    as long as the command does, and going over it again and again takes a sixth of the time."""
    gc.set_threshold(50_000, 10, 10)


def open_screens(screen: str | None = None, launch: LaunchDraft | None = None) -> int:
    """Run the screens until the user leaves; returns the exit code.

    Raises:
        UsageError: Without a terminal.

    `screen`: the one to begin with, such as `jobs`. `launch`: what to fill in the form with.
    """
    from workbench.config import is_remote, own_config
    from workbench.errors import UsageError
    from workbench.workspace import Workspace, ensure_sample

    # A browser is a terminal too: textual-serve names its driver.
    if "TEXTUAL_DRIVER" not in os.environ and not (sys.stdin.isatty() and sys.stdout.isatty()):
        what = "the screens need a terminal"
        raise UsageError(what, code="E401", remedy="Without one, try: mathwb tour, or mathwb --help")
    # Textual reads its frame rate from the environment, once, when it is imported.
    if fps := own_config().get("fps") or (15 if is_remote() else 0):
        os.environ.setdefault("TEXTUAL_FPS", str(fps))
    workspace = Workspace.open()
    ensure_sample(workspace)
    from screens.app import run

    return run(workspace.root, screen=screen, launch=launch)

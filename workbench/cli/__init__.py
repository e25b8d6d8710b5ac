"""`mathwb`: `main` is the console script; `root` holds the commands."""

from __future__ import annotations

import gc
import io
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.train import Launch

__all__ = ["main", "open_screens"]


def open_screens(screen: str | None = None, launch: Launch | None = None) -> int:
    """Run the screens until the user leaves; returns the exit code. Raises: UsageError without a terminal.

    `screen`: the one to begin with, such as `jobs`. `launch`: what to fill in the form with.
    """
    from workbench.errors import UsageError
    from workbench.workspace import Workspace, ensure_sample

    # A browser is a terminal too: textual-serve names its driver.
    if "TEXTUAL_DRIVER" not in os.environ and not (sys.stdin.isatty() and sys.stdout.isatty()):
        what = "the screens need a terminal"
        raise UsageError(what, code="E401", remedy="Without one, try: mathwb tour, or mathwb --help")
    # What start-up makes stays: looking for garbage in it takes a sixth of the time to the first paint.
    gc.set_threshold(50_000, 10, 10)
    workspace = Workspace.open()
    ensure_sample(workspace)
    from screens.app import run

    return run(workspace.root, screen=screen, launch=launch)


def main() -> None:
    """Run the command that was typed; nothing typed opens the screens, without loading the command parser."""
    if sys.getfilesystemencoding() == "ascii":
        # Formulas and file names are not ASCII: begin again in the mode that Python itself chooses in such a
        # locale, unless it is told not to.
        os.environ["PYTHONUTF8"] = "1"
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            # Closed by who started us: nobody reads it, which is no reason to fail.
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115  # it lives as long as the process
        elif isinstance(stream := getattr(sys, name), io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        if "_MATHWB_COMPLETE" in os.environ:
            from workbench.cli.completion import answer

            answer(sys.argv[1:])
            sys.exit(0)
        if len(sys.argv) == 1:
            sys.exit(open_screens())
        from workbench.cli.command import app, warn_of_papers

        warn_of_papers()
        code = app(prog_name="mathwb", standalone_mode=False)
        sys.exit(code if isinstance(code, int) else 0)
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001  # the last place that can explain it
        from workbench.cli.command import fail

        sys.exit(fail(error))

"""`mathwb`: `main` is the console script; `root` holds the commands."""

from __future__ import annotations

import io
import os
import sys

from workbench.cli.launcher import look_rarely_for_garbage, open_screens

__all__ = ["main"]


def main() -> None:
    """Run the command that was typed; nothing typed opens the screens, without loading the command parser."""
    if sys.getfilesystemencoding() == "ascii":
        # Formulas and file names are not ASCII: begin again in the mode that Python itself chooses in such a
        # locale, unless it is told not to.
        os.environ["PYTHONUTF8"] = "1"
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])
    look_rarely_for_garbage()
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            # Closed by who started us: nobody reads it, which is no reason to fail.
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115  # it lives as long as the process
        elif isinstance(stream := getattr(sys, name), io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        if "_MATHWB_COMPLETE" in os.environ:
            from workbench.cli.completion import print_completions

            print_completions(sys.argv[1:])
            sys.exit(0)
        if len(sys.argv) == 1:
            sys.exit(open_screens())
        from workbench.cli.command import app, warn_of_papers

        warn_of_papers()
        code = app(prog_name="mathwb", standalone_mode=False)
        sys.exit(code if isinstance(code, int) else 0)
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001  # the last place that can explain it
        from workbench.cli.failures import report_failure

        sys.exit(report_failure(error))

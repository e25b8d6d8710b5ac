"""Talk goes to stderr, so that stdout holds data only; a failure is one line of it and an exit code."""

from __future__ import annotations

import json
import os
import sys

from engines.core.files import printable
from workbench.errors import UsageError, explain, one_line

__all__ = ["fail", "say"]


def say(text: str) -> None:
    """One line to stderr."""
    print(printable(text), file=sys.stderr, flush=True)


def fail(error: BaseException) -> int:
    """Report a failure and return the exit code; with `--json` the error is a document on stdout as well."""
    if isinstance(error, KeyboardInterrupt):
        say("interrupted")
        return 130
    if isinstance(error, OSError) and error.filename is None:
        # Stdout itself failed: what it still holds must not be written at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if isinstance(error, BrokenPipeError):
        # Whoever read our output has seen enough.
        return 0
    if type(error).__name__ == "NoArgsIsHelpError":
        # A group without a command answers with its help.
        print(error, file=sys.stderr)
        return 2
    explained = explain(_typed(error) or error)
    if "--json" in sys.argv[1:]:
        print(json.dumps({"error": explained.to_dict()}))
    say(one_line(explained))
    return explained.exit_code


def _typed(error: BaseException) -> UsageError | None:
    """The command parser's complaint about what was typed, in our words; None for any other failure.

    Its classes are private to typer, so they are known by what they can do.
    """
    describe = getattr(error, "format_message", None)
    if describe is None:
        return None
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "mathwb"
    what = " ".join(describe().replace("Value error, ", "").split())
    return UsageError(what, where=command, remedy=f"See: {command} --help")

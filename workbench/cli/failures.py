"""Failures of commands, explained in one line with their exit code; and what Ctrl-C stops."""

from __future__ import annotations

import functools
import json
import os
import re
import signal
import sys
from collections.abc import Callable
from typing import ParamSpec, TypeVar

import typer

from engines.core.text import make_printable
from workbench.errors import UsageError, explain, one_line


def print_message(text: str) -> None:
    """Print a line for people on stderr."""
    print(make_printable(text), file=sys.stderr, flush=True)


def report_failure(error: BaseException) -> int:
    """Report a failure and return the exit code; with `--json` the error is also a document on stdout."""
    if isinstance(error, KeyboardInterrupt):
        # 130 is the shell's code for a program that Ctrl-C has ended.
        print_message("interrupted")
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
    explained = explain(_explain_usage(error) or error)
    # Read from the command line itself, because the failure may be one of parsing it.
    if "--json" in sys.argv[1:]:
        print(json.dumps({"error": explained.to_dict()}))
    print_message(one_line(explained))
    return explained.exit_code


def _explain_usage(error: BaseException) -> UsageError | None:
    """Return the command parser's complaint about what was typed, in our words; None for any other failure.

    Its classes are private to typer, so they are known by what they can do.
    """
    # An error without a message of its own is none of the parser.
    describe = getattr(error, "format_message", None)
    if describe is None:
        return None
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "mathwb"
    what = " ".join(describe().replace("Value error, ", "").split())
    if option := _EXTRA.search(what):
        what = f"No such option: {option[1]}"
    return UsageError(what, where=command, remedy=f"See: {command} --help")


P = ParamSpec("P")


R = TypeVar("R")


def guard_command(command: Callable[P, R]) -> Callable[P, R]:
    """Wrap a command so that every failure ends with one line and the right exit code."""

    @functools.wraps(command)
    def run_guarded(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            result = command(*args, **kwargs)
            sys.stdout.flush()
        # What typer raises to end a command is not a failure.
        except (typer.Exit, typer.Abort, typer.BadParameter):
            raise
        except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001  # the last place that can explain it
            raise typer.Exit(report_failure(error)) from None
        return result

    return run_guarded


def stop_on_interrupt() -> Callable[[], bool]:
    """Return a stop flag that the first Ctrl-C sets; the second one kills, as usual.

    Only the main thread may call it, once per command.
    """
    raised = False

    def raise_flag(number: int, frame: object) -> None:  # noqa: ARG001  # the signature of signal handlers
        nonlocal raised
        raised = True
        # From now on Ctrl-C raises KeyboardInterrupt as usual, which ends a task that does not stop.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        print_message("stopping; press Ctrl-C again to quit at once")

    signal.signal(signal.SIGINT, raise_flag)
    return lambda: raised


_EXTRA = re.compile(r"extra argument.*\((--[a-z][a-z-]*)")
"""An option of no command, among expressions that may begin with a sign."""

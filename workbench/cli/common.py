"""What every command does the same way: data to stdout, talk to stderr, failures as one line."""

from __future__ import annotations

import functools
import json
import math
import os
import signal
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, ParamSpec, TypeVar

import typer

from engines.core.events import Event, Sink
from engines.core.files import printable
from workbench.errors import UsageError, explain, one_line
from workbench.operation import plain
from workbench.units import to_the_second


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


P = ParamSpec("P")
R = TypeVar("R")

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
"""The type of every command's `as_json` option."""

Executor = Annotated[
    str, typer.Option(help="local, or slurm with options of sbatch: slurm:partition=gpu,time=60.")
]

Where = Annotated[
    str | None,
    typer.Option(
        "--where",
        metavar="FILTER",
        help="Only the rows that pass: words, field:value, field=value, field>number; ! in front inverts.",
        show_default=False,
    ),
]
"""The type of the `where` option of commands that list rows; see `workbench.filters`."""


def emit(value: object, as_json: bool, *, text: str | Iterable[str] = ()) -> None:
    """Print a result to stdout.

    Args: value: the record that `--json` prints as one document (NaN and infinities become null). text: what
    people see instead, a string or lines; control characters in it are made visible.
    """
    if as_json:
        print(json.dumps(plain(value), allow_nan=False))
        return
    for line in text.splitlines() if isinstance(text, str) else text:
        print(printable(line))


def guard(command: Callable[P, R]) -> Callable[P, R]:
    """Make a command end with one line and the right exit code, whatever happens in it."""

    @functools.wraps(command)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            result = command(*args, **kwargs)
            sys.stdout.flush()
        except (typer.Exit, typer.Abort, typer.BadParameter):
            raise
        except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001  # the last place that can explain it
            raise typer.Exit(fail(error)) from None
        return result

    return guarded


def stop_on_interrupt() -> Callable[[], bool]:
    """A stop flag that the first Ctrl-C raises; the second one kills, as usual.

    Only the main thread may call it, once per command.
    """
    raised = False

    def raise_flag(number: int, frame: object) -> None:  # noqa: ARG001  # the signature of signal handlers
        nonlocal raised
        raised = True
        signal.signal(signal.SIGINT, signal.default_int_handler)
        say("stopping; press Ctrl-C again to end at once")

    signal.signal(signal.SIGINT, raise_flag)
    return lambda: raised


def progress_line(title: str) -> Sink:
    """A sink that shows progress events as one line on stderr that is written over, with rate and time left.

    On something that is not a terminal it prints a line every ten seconds. Warnings and errors stay as lines.
    """
    terminal = sys.stderr.isatty()
    started = 0.0
    stage: tuple[Any, Any] | None = None
    reached: Any = 0
    before: Any = 0
    last = -math.inf
    interval = 0.2 if terminal else 10.0

    def sink(event: Event) -> None:
        nonlocal last, started, stage, reached, before
        if event.kind in ("warning", "error"):
            if terminal:
                sys.stderr.write("\r\x1b[K")
            say(str(event.data.get("message", event.data)))
            return
        if event.kind != "progress":
            return
        done, total = event.data.get("done"), event.data.get("total")
        finished = done is not None and done == total
        now = time.monotonic()
        if (total, event.data.get("unit")) != stage or (done or 0) < reached:
            # Another stage of the work, whose rate is its own; what was done before it began does not count.
            started, stage, before = now, (total, event.data.get("unit")), done or 0
        reached = done or 0
        if now - last < interval and not finished:
            return
        last = now
        line = f"{title} {progress_text(event.data, now - started, before)}"
        sys.stderr.write(f"\r\x1b[K{printable(line)}" if terminal else printable(line) + "\n")
        if terminal and finished:
            sys.stderr.write("\n")
        sys.stderr.flush()

    return sink


def progress_text(data: Mapping[str, Any], seconds: float, before: int = 0) -> str:
    """`1,200/4,944 heads 24 % 8.1/s 7m42s left` from a progress event and the time since `before` were done.

    Work that knows its own rate better says it (`rate_per_s` in the event).
    """
    done, total, unit = data.get("done", 0), data.get("total"), data.get("unit", "")
    parts = [f"{done:,}" + (f"/{total:,}" if total else "") + (f" {unit}" if unit else "")]
    rate = data.get("rate_per_s") or ((done - before) / seconds if seconds > 0 else 0.0)
    if total:
        parts.append(f"{done / total:.0%}")
    if rate:
        parts.append(f"{rate:.3g}/s")
        if total and done < total:
            parts.append(f"{to_the_second((total - done) / rate)} left")
    return " ".join(parts)

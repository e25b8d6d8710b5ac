"""The engine process with operations for tests; run as a script it is the child."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import dataclass
from typing import Any

from engines.core.errors import ExpressionError
from engines.core.events import Event, Sink, Stop
from workbench import engine_process
from workbench.operations import Operation, all_operations

COMMAND = (sys.executable, __file__)


@dataclass(frozen=True, slots=True)
class Fake:
    """What any of them may be asked."""

    to: int = 0
    pause_s: float = 0.0
    how: str = ""
    size: int = 0


def count(spec: Fake, *, events: Sink, stop: Stop) -> dict[str, Any]:
    """Count to `to`, politely."""
    print("a stray print must not reach the parent")
    done = 0
    while done < spec.to and not stop():
        done += 1
        events(Event("progress", {"done": done, "total": spec.to}))
        time.sleep(spec.pause_s)
    return {"done": done, "pid": os.getpid()}


def deaf(spec: Fake, *, events: Sink, stop: Stop) -> dict[str, Any]:
    """Never end."""
    events(Event("state", {"pid": os.getpid()}))
    while True:
        time.sleep(0.01)


def fail(spec: Fake, *, events: Sink, stop: Stop) -> dict[str, Any]:
    """Fail in the way asked for."""
    if spec.how == "explained":
        raise ExpressionError("too many brackets", remedy="Remove one.")
    if spec.how == "panic":
        raise BaseException("no ordinary exception")
    if spec.how == "die":
        os.kill(os.getpid(), 9)
    return {"big": "x" * spec.size}


if __name__ == "__main__":
    for _name in ("count", "deaf", "fail"):
        all_operations()[_name] = Operation(_name, _name, f"{__name__}:{_name}", f"{__name__}:Fake")
    engine_process.serve_calls()

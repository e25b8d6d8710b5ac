"""The engine process with tasks for tests; run as a script it is the child."""

from __future__ import annotations

import os
import sys
import time
from typing import Any

from engines.core.errors import ExpressionError
from engines.core.events import Event, Sink, Stop
from workbench import engine_process, tasks

COMMAND = (sys.executable, __file__)


def count(params: dict[str, Any], *, events: Sink, stop: Stop) -> dict[str, Any]:
    """Count to `to`, politely."""
    print("a stray print must not reach the parent")
    done = 0
    while done < params["to"] and not stop():
        done += 1
        events(Event("progress", {"done": done, "total": params["to"]}))
        time.sleep(params.get("pause_s", 0.0))
    return {"done": done, "pid": os.getpid()}


def deaf(params: dict[str, Any], *, events: Sink, stop: Stop) -> dict[str, Any]:
    """Never end."""
    events(Event("state", {"pid": os.getpid()}))
    while True:
        time.sleep(0.01)


def fail(params: dict[str, Any], *, events: Sink, stop: Stop) -> dict[str, Any]:
    """Fail in the way asked for."""
    if params["how"] == "explained":
        raise ExpressionError("too many brackets", remedy="Remove one.")
    if params["how"] == "panic":
        raise BaseException("no ordinary exception")
    if params["how"] == "die":
        os.kill(os.getpid(), 9)
    return {"big": "x" * params["size"]}


if __name__ == "__main__":
    tasks.TASKS = {name: f"{__name__}:{name}" for name in ("count", "deaf", "fail")}  # type: ignore[misc]
    engine_process.serve()

"""Operations that do nothing useful in ways that can be checked."""

from __future__ import annotations

import hashlib
import math
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engines.core.errors import EngineError, StoppedError
from engines.core.events import Event, Sink, Stop
from engines.core.hashing import sha256


@dataclass(frozen=True, slots=True, kw_only=True)
class Fake:
    """What any of them may be asked."""

    out: Path
    seed: int = 0
    n: int = 0
    hold: int | None = None
    break_at: int | None = None
    unforeseen: bool = False
    code: int = 7
    more: bool | None = None
    target: Path | None = None
    source: Path | None = None
    executor: str = "local"
    device: str = "cpu"
    depth: Mapping[str, Any] = field(default_factory=dict)
    model: Mapping[str, Any] = field(default_factory=dict)
    say: Mapping[str, Any] = field(default_factory=dict)


NAMES = ("count", "fail", "crash", "leave_child", "fill_disk", "report", "greedy", "deny")


def register(table: Any) -> None:
    """Put them into the table of operations, as `test.count` and so on."""
    from workbench.operations import Operation

    for name in NAMES:
        table[f"test.{name}"] = Operation(f"test.{name}", name, f"fake_tasks:{name}", "fake_tasks:Fake")


def count(spec: Fake, *, events: Sink, stop: Stop) -> dict[str, Any]:
    """Write items 0 .. n-1, each atomically, those that are there already left alone; return their hash.

    `hold`: wait before this item until the file `go` is in the folder. `break_at`: kill this process with -9
    in the middle of this item and of a line of the event log, unless the file `go` is there.
    """
    out = spec.out
    out.mkdir(parents=True, exist_ok=True)
    go = out / "go"
    total = spec.n
    for number in range(total):
        while number == spec.hold and not go.exists() and not stop():
            time.sleep(0.01)
        if stop():
            break
        item = out / f"item-{number:05d}"
        text = f"{spec.seed}:{number}"
        if not item.exists():
            part = item.with_suffix(".part")
            if number == spec.break_at and not go.exists():
                part.write_text(text[:2])
                _half_a_line(out)
                os.kill(os.getpid(), 9)
            part.write_text(text)
            part.replace(item)
        events(Event("progress", {"done": number + 1, "total": total, "unit": "items"}, step=number + 1))
        events(Event("metric", {"loss_nats": 1 / (number + 1)}, step=number + 1))
    items = sorted(out.glob("item-*"))
    return {
        "items": len(items),
        "sha256": hashlib.sha256(b"".join(i.read_bytes() for i in items)).hexdigest(),
    }


def _half_a_line(out: Path) -> None:
    for log in out.parent.glob("attempt-*/events.jsonl"):
        with log.open("a") as file:
            file.write('{"v":1,"t":17')


def report(spec: Fake, *, events: Sink, stop: Stop) -> dict[str, Any]:
    """Report a number that JSON does not know, twice."""
    for step in (1, 2):
        events(Event("metric", {"loss_nats": math.nan, "lr": 0.5}, step=step))
    return {"best": math.inf, "seed": spec.seed}


def fail(spec: Fake, *, events: Sink, stop: Stop) -> dict[str, Any]:
    """Fail as engines do, or as nobody foresaw."""
    if spec.unforeseen:
        raise ZeroDivisionError("one over nothing")
    if spec.source:
        sha256(spec.source)
    raise EngineError("no model at the place named", code="E350", exit_code=3, remedy="Train one first.")


def crash(spec: Fake, *, events: Sink, stop: Stop) -> dict[str, Any]:
    """Leave without a word."""
    print("the library gave up\x1b[2J", file=sys.stderr, flush=True)
    os._exit(spec.code)


def leave_child(spec: Fake, *, events: Sink, stop: Stop) -> dict[str, Any]:
    """Start a process of another session that would outlive us, and wait."""
    child = subprocess.Popen(
        [sys.executable, "-S", "-c", "import time; time.sleep(600)"], start_new_session=True
    )
    events(Event("log", {"child": child.pid}))
    while not stop():
        time.sleep(0.01)
    return {}


def greedy(spec: Fake, *, events: Sink, stop: Stop) -> dict[str, Any]:
    """Do not listen."""
    events(Event("log", {"message": "deaf"}))
    time.sleep(600)
    return {}


def fill_disk(spec: Fake, *, events: Sink, stop: Stop) -> dict[str, Any]:
    """Write until there is no room, unless the file `room` is in the folder."""
    out = spec.out
    out.mkdir(parents=True, exist_ok=True)
    if not (out / "room").exists():
        with (spec.target or out / "big").open("wb") as file:
            while not stop():
                file.write(b"\0" * 4096)
                file.flush()
    return {"done": True}


def deny(spec: Fake, *, events: Sink, stop: Stop) -> dict[str, Any]:
    """Wait to be told to stop, and then say in its own words how far it has come, or that it has nothing."""
    events(Event("log", {"message": "waiting"}))
    while not stop():
        time.sleep(0.01)
    if not spec.say:
        raise StoppedError("the work was stopped", remedy="Start it again.")
    return dict(spec.say)

"""How the Jobs screen bears many runs and a long log: `python -m benchmarks.jobs_screen`.

Generates a workspace of runs, some of them live and still reporting, one with a million events, and opens the
screen on it without a terminal. Reported are the time of one look at all runs, the time from a key to the
painted answer (half and 95 % of the keys) while the long log is read and after it, and how long that takes.
`cpu` is what of a key's time the thread of the screen was at work: a crowded machine changes it least.

A second workspace has jobs that wait for a slot: `waiting_list_cpu_s` is the processor time of
`mathwb jobs list` beyond that of an empty workspace, `waiting_keeper_share` the share of a core that the
keeper of the queue takes.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks._record import Record, parser_of

LIVE = 5
WAITING = 1_000
EVENT_EVERY_S = 0.1


def _line(job: int, seq: int, t: float) -> str:
    """Nine of ten events are metrics, one is a line of the log; every hundredth is progress."""
    line = {"v": 1, "t": round(t, 3), "job": job, "attempt": 1, "seq": seq, "kind": "metric", "step": seq}
    if seq % 100 == 0:
        line |= {"kind": "progress", "data": {"done": seq, "total": 10**7, "unit": "steps"}}
    elif seq % 10 == 0:
        line |= {"kind": "log", "data": {"message": f"something worth a line happened at {seq}"}}
    else:
        loss = 0.3 + 4 * 0.9995 ** min(seq, 20_000) + 0.1 * ((seq * 7919) % 101) / 101
        line |= {"data": {"loss_nats": loss, "tokens_per_s": 41_200.0, "lr": 1e-3, "memory_bytes": 2e9}}
    return json.dumps(line, separators=(",", ":")) + "\n"


def generate(runs: Path, count: int, events: int) -> list[Path]:
    """Make the run folders; the newest has the long log. Returns: the event logs of live runs."""
    from workbench.jobs.folder import Ending, Heartbeat, create
    from workbench.jobs.machine import ProcessId
    from workbench.recipes import Recipe

    logs = []
    now = time.time()
    for number in range(1, count + 1):
        spec = Recipe("train", f"train egen/cl-mean-tiny {number}", {"train": {"lr": 1e-3 * number}}, number)
        attempt = create(runs, spec).last()
        live = number > count - LIVE
        many = events if number == count else 2_000
        with attempt.events.open("w", encoding="utf-8") as file:
            file.writelines(_line(number, seq, now - (many - seq) * 0.01) for seq in range(many))
        if live:
            # This process stands for supervisor and worker, so the run counts as alive.
            attempt.claim()
            attempt.beat(Heartbeat(now + 10**6, ProcessId.me(), 2 * 10**9, 2 * 10**9))
            logs.append(attempt.events)
        else:
            state = ("succeeded", "failed", "stopped")[number % 3]
            attempt.say_result(Ending(state, "for the record", started=now - 60, ended=now))
    return logs


class Reporter(threading.Thread):
    """Goes on reporting for the live runs."""

    def __init__(self, logs: Sequence[Path]) -> None:
        super().__init__(daemon=True)
        self._logs = logs
        self.over = threading.Event()

    def run(self) -> None:
        seq = 10**7
        while not self.over.wait(EVENT_EVERY_S):
            for job, log in enumerate(self._logs):
                with log.open("a", encoding="utf-8") as file:
                    file.write(_line(job, seq + 1, time.time()))
            seq += 1


async def key_s(app: Any, key: str) -> tuple[float, float]:
    """Seconds from a key to the end of the next paint, and of processor time of the screen's thread."""
    from textual import events

    painted = asyncio.Event()
    table = app.screen.focused
    before = table.cursor
    began, used = time.perf_counter(), time.thread_time()
    event = events.Key(key, key)
    event.set_sender(app)
    app._driver.send_message(event)
    while table.cursor == before:
        await asyncio.sleep(0.0005)
    app.screen.call_after_refresh(painted.set)
    await painted.wait()
    return time.perf_counter() - began, time.thread_time() - used


async def _screen(root: Path, seconds: float) -> dict[str, float]:
    """Open the screen, press keys while the long log is read and for `seconds` after it."""
    from screens.app import Workbench
    from screens.jobs.detail import Detail
    from screens.shell.terminal import Garbage
    from screens.widgets.table import Table
    from workbench.workspace import Workspace

    app = Workbench(Workspace.open(root), screen="jobs")
    app.garbage = Garbage()
    began = time.perf_counter()
    async with app.run_test(size=(120, 40)) as pilot:
        while not (app.place and app.query(Table) and app.query_one("#jobs-table", Table).shown):
            await pilot.pause(0.01)
        shown_s = time.perf_counter() - began
        detail = app.query_one(Detail)
        await pilot.pause(0.5)
        follower = detail._follower
        assert follower is not None

        async def presses(keys: Sequence[str]) -> list[tuple[float, float]]:
            times = []
            for key in keys:
                times.append(await key_s(app, key))
                await asyncio.sleep(0.05)
            return times

        reading: list[tuple[float, float]] = []
        # The mark keeps the long log's curve in the plot while the cursor goes on.
        await presses(["space", "k"])
        while detail._others and any(run.behind_bytes for run in detail._others.values()):
            reading += await presses("jk")
        caught_up_s = time.perf_counter() - began
        after: list[tuple[float, float]] = []
        until = time.perf_counter() + seconds
        while time.perf_counter() < until:
            after += await presses("jk")
    found = {"screen_filled_s": shown_s, "long_log_read_s": caught_up_s}
    return found | spread("key_while_reading", reading) | spread("key", after)


def spread(name: str, times: Sequence[tuple[float, float]]) -> dict[str, float]:
    """How many keys there were, and half, 95 % and most of their times, in ms and of the processor too."""
    found: dict[str, float] = {f"{name}_count": len(times)}
    if len(times) > 1:
        for kind, values in zip((name, f"{name}_cpu"), zip(*times, strict=True), strict=True):
            found[f"{kind}_median_ms"] = 1000 * statistics.median(values)
            found[f"{kind}_p95_ms"] = 1000 * statistics.quantiles(values, n=20)[-1]
            found[f"{kind}_most_ms"] = 1000 * max(values)
    return found


def measure(root: Path, count: int, events: int, seconds: float) -> dict[str, object]:
    """Make the workspace and measure on it."""
    from screens.shell.watch import JobWatch
    from workbench.workspace import Workspace

    workspace = Workspace.open(root)
    logs = generate(workspace.runs, count, events)
    watch = JobWatch(workspace)
    began = time.perf_counter()
    watch.look()
    first_s = time.perf_counter() - began
    reporter = Reporter(logs)
    reporter.start()
    looks = []
    for _ in range(20):
        began, used = time.perf_counter(), time.thread_time()
        watch.look()
        looks.append((time.perf_counter() - began, time.thread_time() - used))
    found = asyncio.run(_screen(root, seconds))
    reporter.over.set()
    return {
        "runs": count,
        "live": LIVE,
        "events_of_the_longest": events,
        "first_look_ms": round(1000 * first_s, 1),
        "look_median_ms": round(1000 * statistics.median(wall for wall, _ in looks), 1),
        "look_cpu_median_ms": round(1000 * statistics.median(cpu for _, cpu in looks), 1),
        **{key: round(value, 2) for key, value in found.items()},
    }


def queued(root: Path, count: int) -> dict[str, object]:
    """Let so many jobs wait, and measure the list and the keeper."""
    from workbench.jobs import machine as timing
    from workbench.jobs import queue
    from workbench.jobs.folder import create
    from workbench.jobs.records import enter
    from workbench.recipes import Recipe
    from workbench.workspace import Workspace

    os.environ["MATHWB_JOB_SLOTS"] = "1"
    slots = queue.take({})
    workspace, empty = Workspace.open(root / "waiting"), Workspace.open(root / "empty")
    made = [
        create(workspace.runs, Recipe("train", f"run {number}", {"train": {}})) for number in range(count)
    ]
    for job in made:
        queue.enqueue(job.last())
    enter(workspace, made)
    listing, beside = (
        statistics.median(_list_cpu_s(place.root) for _ in range(5)) for place in (workspace, empty)
    )
    keeper = queue.Keeper(workspace.runs)
    keeper.advance()
    used = time.process_time()
    for _ in range(100):
        keeper.advance()
    share = (time.process_time() - used) / 100 / timing.TICK_S
    # The list has started a keeper: it is to end, and to start none of them.
    for entry in queue.entries(workspace.runs):
        (workspace.runs / ".queue" / entry.name).unlink()
    time.sleep(4 * timing.TICK_S)
    slots.close()
    return {
        "waiting": count,
        "waiting_list_cpu_s": round(listing - beside, 3),
        "waiting_keeper_share": round(share, 4),
    }


def _list_cpu_s(root: Path) -> float:
    """Processor time of `mathwb jobs list`, in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-c", "from workbench.cli import main; main()", "--workspace", str(root)]
    subprocess.run([*command, "jobs", "list"], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Measure, print and record."""
    parser = parser_of(__doc__)
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=float, default=20.0, help="of pressing keys after the log is read")
    asked = parser.parse_args()
    kept = Record("jobs_screen", asked.out, runs=asked.runs, events=asked.events)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["MATHWB_HOME"] = folder
        figures = measure(Path(folder) / "workspace", asked.runs, asked.events, asked.seconds)
        figures |= queued(Path(folder), WAITING)
    print(json.dumps(figures, indent=1))
    kept.write(figures, libraries=("textual",))


if __name__ == "__main__":
    main()

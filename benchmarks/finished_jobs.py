"""What jobs that are over cost: processor time of the screens while nothing happens, and for each key.

A workspace gets so many finished jobs, and the workbench runs on it in a terminal of its own. Measured over
the whole process are the share of a core that it takes while nobody does anything, with the Jobs screen in
front and with another one, and the milliseconds of the processor for each key while `j` and then `k` is held
in the list of jobs (`benchmarks.screens`). The share is given as the median and the most of windows of ten
seconds: once, half a minute after the last key, the application collects garbage, for a fifth of a second.

    .venv/bin/python -m benchmarks.finished_jobs [--jobs 0 500 10000] [--seconds 60]
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks._record import Record, parser_of
from benchmarks.screens import Held, spread
from benchmarks.startup import terminal_environment
from engines.core.files import write_rows
from workbench.jobs.folder import Ending, create_job
from workbench.recipes import Recipe
from workbench.workspace import Workspace

_STARTS_S = 20.0
"""So long a crowded machine may need to show what there is."""
_WINDOW_S = 10.0


def make_jobs(root: Path, count: int) -> None:
    """Fill the runs of a workspace with jobs that are over: links to one."""
    runs = Workspace.open(root).runs
    if not count:
        return
    settings = {"recipe": "egen/cl-mean-small", "train": {"lr": 1e-4, "steps": 100}}
    first = create_job(runs, Recipe("train", "train egen/cl-mean-small", settings))
    event = {"v": 1, "job": 1, "attempt": 1, "kind": "metric"}
    rows = [{**event, "t": time.time(), "seq": n, "step": n, "data": {"loss_nats": 1 / n}} for n in (1, 2, 3)]
    write_rows(first.last_attempt().events, rows)
    ending = Ending("succeeded", started=time.time() - 60, ended=time.time(), metrics={"loss_nats": 0.5})
    first.last_attempt().write_result(ending)
    for number in range(first.id + 1, first.id + count):
        shutil.copytree(first.folder, runs / str(number), copy_function=os.link)


def shares_of_a_core(terminal: Held, seconds: float) -> list[float]:
    """What the process takes while nothing happens, in percent of a core, in windows of ten seconds."""
    shares = []
    for _ in range(max(1, round(seconds / _WINDOW_S))):
        before, began = terminal.used_s(), time.perf_counter()
        terminal.wait(_WINDOW_S)
        shares.append(100 * (terminal.used_s() - before) / (time.perf_counter() - began))
    return shares


def measured(count: int, seconds: float) -> dict[str, float | int]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        environment = terminal_environment(home) | {"MATHWB_WORKSPACE": str(Path(home) / "workspace")}
        make_jobs(Path(home) / "workspace", count)
        program = str(Path(sys.executable).with_name("mathwb"))
        subprocess.run([program, "jobs", "list"], env=environment, stdout=subprocess.DEVNULL, check=True)
        terminal = Held([program], environment)
        try:
            terminal.wait(_STARTS_S)
            elsewhere = shares_of_a_core(terminal, seconds)
            terminal.press("3")
            terminal.wait(_STARTS_S)
            jobs = shares_of_a_core(terminal, seconds)
            before = terminal.used_s()
            times = terminal.held("j", 6) + terminal.held("k", 6)
            terminal.wait(1.0)
            mean = (terminal.used_s() - before) * 1e3 / len(times)
        finally:
            terminal.end()
    return {
        "idle_percent_of_a_core": round(statistics.median(elsewhere), 2),
        "idle_percent_at_most": round(max(elsewhere), 2),
        "idle_percent_of_a_core_on_jobs": round(statistics.median(jobs), 2),
        "idle_percent_at_most_on_jobs": round(max(jobs), 2),
        **spread(times),
        "mean_cpu_ms": round(mean, 2),
    }


def main() -> None:
    """Measure, print and record."""
    parser = parser_of(__doc__)
    parser.add_argument("--jobs", type=int, nargs="+", default=[0, 500, 10_000], help="how many")
    parser.add_argument("--seconds", type=float, default=60.0, help="that nothing happens")
    asked = parser.parse_args()
    kept = Record("finished_jobs", asked.out, jobs=asked.jobs)
    figures = {}
    for count in asked.jobs:
        figures[f"jobs_{count}"] = measured(count, asked.seconds)
        print(count, figures[f"jobs_{count}"], flush=True)
    kept.write(figures, libraries=("textual",))


if __name__ == "__main__":
    main()

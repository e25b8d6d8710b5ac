"""From submitting a training to its first step, and what its supervisor costs: `python -m
benchmarks.start_of_job`.

The quickest recipe on the sample workspace, as the launch form submits it, several times one after another;
the first time warms the disk cache and stands apart. Then one training is left running and its supervisor
is watched.
"""

from __future__ import annotations

import json
import os
import statistics
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from benchmarks._record import Record, parser_of

if TYPE_CHECKING:
    from workbench.jobs import Job
    from workbench.recipes import Recipe
    from workbench.workspace import Workspace

TIMEOUT_S = 300.0


def _until_first_loss(job: Job) -> tuple[float, float, float, float]:
    """Unix times of the worker's start, of the first event, and of the first loss; and how many seconds of
    CPU time the worker has used by then, which a crowded machine changes least."""
    from workbench.jobs import EventTail

    attempt = job.last()
    tail, first = EventTail(attempt.events), 0.0
    deadline = time.monotonic() + TIMEOUT_S
    while time.monotonic() < deadline:
        for event in tail.read():
            first = first or event.t
            if event.kind == "metric" and "loss_nats" in event.data:
                worker = attempt.worker()
                assert worker is not None
                used = sum(psutil.Process(worker[0].pid).cpu_times()[:2])
                return worker[1], first, event.t, used
        time.sleep(0.02)
    raise TimeoutError(f"no loss in {TIMEOUT_S} s: see {attempt.folder}")


def _over(workspace: Workspace, number: int) -> None:
    from workbench import jobs

    jobs.stop(workspace, number)
    while jobs.job(workspace, number).live:
        time.sleep(0.05)


def start(workspace: Workspace, spec: Recipe) -> dict[str, float]:
    """Start a training, wait for its first loss, stop it. Returns: seconds since the start of `submit`."""
    from workbench import jobs

    began = time.time()
    job = jobs.submit(workspace, spec)
    submitted = time.time()
    worker, first, loss, used = _until_first_loss(job)
    asked = time.time()
    _over(workspace, job.id)
    return {
        "submit_s": submitted - began,
        "worker_s": worker - began,
        "first_event_s": first - began,
        "first_loss_s": loss - began,
        "worker_cpu_s": used,
        "stop_s": time.time() - asked,
    }


def supervisor(workspace: Workspace, spec: Recipe, seconds: float) -> dict[str, float]:
    """Watch the supervisor of a running training. Returns: its CPU time a minute, its memory."""
    from workbench import jobs

    job = jobs.submit(workspace, spec)
    _until_first_loss(job)
    beat = job.last().heartbeat()
    assert beat is not None
    process = psutil.Process(beat.supervisor.pid)
    before = sum(process.cpu_times()[:2])
    time.sleep(seconds)
    used = sum(process.cpu_times()[:2]) - before
    memory = process.memory_full_info()
    _over(workspace, job.id)
    return {
        "watched_s": seconds,
        "cpu_s_per_minute": round(60 * used / seconds, 3),
        "memory_mib": round(memory.rss / 2**20, 1),
        "memory_of_its_own_mib": round(memory.uss / 2**20, 1),
    }


def measure(root: Path, runs: int, seconds: float) -> dict[str, object]:
    """Both, on a workspace of its own."""
    from workbench.recipes import quickest, with_settings
    from workbench.train import job_spec
    from workbench.workspace import Workspace, ensure_sample

    workspace = Workspace.open(root)
    ensure_sample(workspace)
    recipe = quickest()
    spec = job_spec(workspace, recipe, device="cpu", publish=False)
    first = start(workspace, spec)
    later = [start(workspace, spec) for _ in range(runs)]
    medians = {name: round(statistics.median(each[name] for each in later), 3) for name in first}
    endless = with_settings(recipe, ["steps=1000000", "eval_every=0", "save_every=0", "best=''"])
    watched = job_spec(workspace, endless, device="cpu", publish=False)
    return {
        "recipe": recipe.name,
        "runs": runs,
        "median": medians,
        "worst_first_loss_s": round(max(each["first_loss_s"] for each in later), 3),
        "with_a_cold_cache": {name: round(value, 3) for name, value in first.items()},
        "supervisor": supervisor(workspace, replace(watched, title="endless"), seconds),
    }


def main() -> None:
    """Measure, print and record."""
    parser = parser_of(__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=60.0, help="of watching the supervisor")
    asked = parser.parse_args()
    kept = Record("start_of_job", asked.out)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["MATHWB_HOME"] = folder
        figures = measure(Path(folder) / "workspace", asked.runs, asked.seconds)
    print(json.dumps(figures, indent=1))
    kept.write(figures, libraries=("torch", "transformers"))


if __name__ == "__main__":
    main()

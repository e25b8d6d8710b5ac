"""Sweeps: several runs of one recipe as one line. A sweep is a run folder without attempts that names its
members.

    runs/ID/recipe.toml     which recipe, how many runs, how many at a time
            members.json    the jobs, each with its setting and what makes it one of several of that setting

Its state follows from theirs, so nothing of a sweep has to live. A member knows its sweep by `sweep.json`.
The shares of a work are a sweep too, whose last member begins when the others are over.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from engines.core.files import write_json
from workbench.jobs.folder import Attempt, Job, all_jobs, read_document
from workbench.jobs.tail import METRIC, LoggedEvent, MetricCurves, is_number
from workbench.recipes import Recipe

TASK = "sweep"
EARLY = "stopped early"
_ENOUGH = 3
"""So many others have to be as far before a run is compared with them."""


@dataclass(frozen=True, slots=True)
class Member:
    """A job of a sweep. `setting`: its place in the grid; `repeat`: seed and fold."""

    job: int
    setting: Mapping[str, Any] = field(default_factory=dict)
    repeat: Mapping[str, int] = field(default_factory=dict)


def members(sweep: Job) -> list[Member]:
    """The members of a sweep, as they were made; those of them that are gone are left out. None for another
    job."""
    place = sweep.folder / "members.json"
    if not place.exists():
        return []
    runs, number = sweep.folder.parent, int(sweep.folder.name)
    try:
        found = [
            Member(int(each["job"]), dict(each["setting"]), dict(each["repeat"]))
            for each in read_document(place)["members"]
        ]
    except (KeyError, TypeError, ValueError):
        found = []
    # Where the list is damaged, or was not written before its writer was killed, each still names its sweep.
    return [each for each in found if (runs / str(each.job)).is_dir()] or [
        Member(job.id) for job in all_jobs(runs) if sweep_of(job.folder) == number
    ]


def note_members(sweep: Job, found: Sequence[Member]) -> None:
    rows = [{"job": each.job, "setting": dict(each.setting), "repeat": dict(each.repeat)} for each in found]
    write_json(sweep.folder / "members.json", {"v": 1, "members": rows})


def sweep_of(run: Path) -> int:
    """The number of the sweep that a run folder belongs to; 0 for none."""
    return int(_of_sweep(run).get("sweep", 0))


def _of_sweep(run: Path) -> dict[str, Any]:
    result = read_document(run / "sweep.json")
    return result if isinstance(result.get("sweep"), int) else {}


def lane(job: Job) -> tuple[int, int]:
    """The sweep of a job, and how many of its members may run at a time (0: as many as there is room for)."""
    of_sweep = _of_sweep(job.folder)
    return int(of_sweep.get("sweep", 0)), int(of_sweep.get("parallel", 0))


def awaited(job: Job) -> list[Attempt]:
    """What the last member of a divided work waits for: the last attempts of the others that have no result
    yet; nothing for another job."""
    of_sweep = _of_sweep(job.folder)
    if not of_sweep.get("last"):
        return []
    runs = job.folder.parent
    others = [Job(each.job, runs / str(each.job)) for each in members(Job(0, runs / str(of_sweep["sweep"])))]
    ends = [attempt for other in others if other.id != job.id for attempt in other.attempts()[-1:]]
    return [attempt for attempt in ends if attempt.result() is None]


def divided(sweep: Job) -> bool:
    """Whether its runs are the shares of one work, with one that puts them together."""
    folders = (sweep.folder.parent / str(each.job) for each in members(sweep))
    return any(_of_sweep(folder).get("last") for folder in folders)


def verdict(attempt: Attempt) -> str:
    """Why a run of a sweep that ends the worst is to end early; empty when it goes on.

    The median rule: at its last measurement its best value so far is worse than the median of what the
    others had reached by the same step. Nobody is judged by a first measurement, or against fewer than
    three others.
    """
    run = attempt.folder.parent
    of_sweep = _of_sweep(run)
    measure = str(of_sweep.get("stop_worst", ""))
    if not measure:
        return ""
    best = min if of_sweep.get("lowest") else max
    own = curve(run, measure)
    if len(own) < 2:
        return ""
    step = own[-1][0]
    reached = []
    for member in members(Job(int(of_sweep["sweep"]), run.parent / str(of_sweep["sweep"]))):
        theirs = curve(run.parent / str(member.job), measure) if member.job != attempt.job else []
        if theirs and theirs[0][0] <= step <= theirs[-1][0]:
            reached.append(best(value for at, value in theirs if at <= step))
    if len(reached) < _ENOUGH:
        return ""
    mine, middle = best(value for _, value in own), median(reached)
    if mine == middle or best(mine, middle) == mine:
        return ""
    return (
        f"{EARLY}: {measure} {mine:.4g} at step {step}, the median of {len(reached)} others is {middle:.4g}"
    )


def curve(run: str | Path, measure: str) -> list[tuple[int, float]]:
    """The values of a measure by step, of all attempts at a job; a step that was done twice counts as it
    was last."""
    found: dict[int, float] = {}
    wanted = f'"{measure}"'.encode()
    for attempt in Job(0, Path(run)).attempts():
        try:
            lines = attempt.events.read_bytes().split(b"\n")
        except OSError:
            continue
        for line in lines:
            if METRIC not in line or wanted not in line:
                continue
            event = LoggedEvent.parse(line)
            if event and event.step is not None and is_number(value := event.data.get(measure)):
                found[event.step] = float(str(value))
    return sorted(found.items())


def logged(run: str | Path) -> list[str]:
    """The measures that a job has logged, in the order in which they came."""
    result: dict[str, None] = {}
    for attempt in Job(0, Path(run)).attempts():
        curves = MetricCurves(attempt.events)
        behind = -1
        while curves.update() or curves.behind_bytes != behind:
            behind = curves.behind_bytes
        result |= dict.fromkeys(curves.curves)
    return list(result)


def lowest_is_best(measure: str, trainings: Iterable[Mapping[str, Any]]) -> bool:
    """Whether the lowest value of a measure is the best. Args: trainings: the tables `train` of the runs."""
    if "loss" in measure or "perplexity" in measure or measure.endswith("_s"):
        return True
    return any(table.get("best") == measure and table.get("best_is_lowest") for table in trainings)


def plan(
    title: str, recipe: str, runs: int, parallel: int, stop_worst: str, lowest: bool
) -> tuple[Recipe, dict[str, Any]]:
    """The recipe of a sweep, and what each member records of it besides its number."""
    of_sweep = {"parallel": parallel, "stop_worst": stop_worst, "lowest": lowest}
    return Recipe(TASK, title, {"recipe": recipe, "runs": runs, **of_sweep}), {"v": 1, **of_sweep}

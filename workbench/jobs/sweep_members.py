"""The jobs of a sweep, and what stops them early."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engines.core.files import write_json
from workbench.jobs.folder import Attempt, Job, all_jobs, read_document, read_membership, sweep_of
from workbench.recipes import Recipe

SWEEP = "sweep"


@dataclass(frozen=True, slots=True)
class SweepMember:
    """A job of a sweep with its setting and with what distinguishes the repeats of that setting."""

    job: int
    setting: Mapping[str, Any] = field(default_factory=dict)
    repeat: Mapping[str, int] = field(default_factory=dict)


def sweep_members(sweep: Job) -> list[SweepMember]:
    """Return the members of a sweep, as they were made; those of them that are gone are left out. None for
    another job.
    """
    path = sweep.folder / "members.json"
    if not path.exists():
        return []
    runs, number = sweep.folder.parent, int(sweep.folder.name)
    try:
        results = [
            SweepMember(int(each["job"]), dict(each["setting"]), dict(each["repeat"]))
            for each in read_document(path)["members"]
        ]
    except (KeyError, TypeError, ValueError):
        results = []
    # Where the list is damaged, or was not written before its writer was killed, each still names its sweep.
    return [each for each in results if (runs / str(each.job)).is_dir()] or [
        SweepMember(job.id) for job in all_jobs(runs) if sweep_of(job.folder) == number
    ]


def note_members(sweep: Job, members: Sequence[SweepMember]) -> None:
    """Write the members of a sweep."""
    rows = [
        {"job": member.job, "setting": dict(member.setting), "repeat": dict(member.repeat)}
        for member in members
    ]
    write_json(sweep.folder / "members.json", {"v": 1, "members": rows})


def sweep_lane(job: Job) -> tuple[int, int]:
    """Return the sweep of a job, and how many of its members may run at a time (0: no limit)."""
    of_sweep = read_membership(job.folder)
    return int(of_sweep.get("sweep", 0)), int(of_sweep.get("parallel", 0))


def awaited_attempts(job: Job) -> list[Attempt]:
    """Return what the last member of a divided work waits for: the unfinished last attempts of the others."""
    of_sweep = read_membership(job.folder)
    # Only the member that merges the shares has the mark `last`; all others wait for nobody.
    if not of_sweep.get("last"):
        return []
    runs = job.folder.parent
    others = [
        Job(each.job, runs / str(each.job))
        for each in sweep_members(Job.of_folder(runs / str(of_sweep["sweep"])))
    ]
    # Only the last attempt counts: a share that failed and was resumed is unfinished again.
    ends = [attempt for other in others if other.id != job.id for attempt in other.attempts()[-1:]]
    return [attempt for attempt in ends if attempt.read_result() is None]


def is_divided(sweep: Job) -> bool:
    """Return whether the runs of a sweep are the shares of one work, with one that merges them."""
    folders = (sweep.folder.parent / str(each.job) for each in sweep_members(sweep))
    return any(read_membership(folder).get("last") for folder in folders)


def make_sweep_recipe(
    title: str, recipe: str, runs: int, parallel: int, stop_worst: str, lowest: bool
) -> tuple[Recipe, dict[str, Any]]:
    """Return the recipe of a sweep, and the settings of the sweep that each member stores beside its number.

    Args:
        title: The title of the sweep.
        recipe: The name of the recipe that all members run.
        runs: How many jobs the sweep has.
        parallel: How many members may run at a time, 0 for any number.
        stop_worst: The measure by which a member that is worse than most is stopped early; empty for none.
        lowest: Whether the lowest value of that measure is the best.
    """
    of_sweep = {"parallel": parallel, "stop_worst": stop_worst, "lowest": lowest}
    return Recipe(SWEEP, title, {"recipe": recipe, "runs": runs, **of_sweep}), {"v": 1, **of_sweep}

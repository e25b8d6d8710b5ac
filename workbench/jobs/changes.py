"""What may be changed of a job that has begun, and what is carried over to a new one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, count
from pathlib import Path

from engines.core.errors import EngineError
from workbench.jobs.differences import recipe_diff
from workbench.jobs.executors import check_placement
from workbench.jobs.folder import Job
from workbench.recipes import Recipe, with_settings

__all__ = ["changed", "fresh", "next_free"]

_PLACEMENT = frozenset(("device", "executor"))


def changed(job: Job, settings: Sequence[str]) -> Recipe:
    """The recipe of a job with settings that may be changed while it is at work.

    Raises: EngineError E637 that names each difference which would make it other work; UsageError E424.
    """
    from engines.training.identity import LENGTH, NOT_THE_WEIGHTS

    before = job.spec()
    after = _with(before, settings)
    of_trainings = {f"train.{name}" for name in (NOT_THE_WEIGHTS | LENGTH) - {"device"}}
    free = _PLACEMENT | (of_trainings if before.task == "train" else set())
    fixed = [row for row in recipe_diff(before, after) if row.key not in free]
    if fixed:
        told = "; ".join(f"{row.key}: {row.left!r} there, {row.right!r} asked for" for row in fixed)
        again = " ".join(f"--set {setting}" for setting in settings)
        raise EngineError(
            f"with these settings job {job.id} is other work: {told}",
            code="E637",
            exit_code=2,
            remedy=f"Free are {', '.join(sorted(free))}. Start anew: mathwb jobs rerun {job.id} {again}",
        )
    return after


def fresh(job: Job, settings: Sequence[str]) -> Recipe:
    """The recipe of a job for a new one, which writes to a folder of its own."""
    spec = job.spec()
    params = {key: value for key, value in spec.params.items() if key != "out"}
    if "publish" in params:
        place = Path(params["publish"])
        params["publish"] = str(next_free(place.parent, place.name))
    made = _with(replace(spec, params=params), settings)
    return replace(made, title=_retitled(spec.title, settings))


def _retitled(title: str, settings: Sequence[str]) -> str:
    """A title such as `train egen/cl-mean-tiny lr=1e-4 seed=1` with what was changed."""
    parts = title.split(" ")
    for setting in settings:
        key, _, value = setting.partition("=")
        name = key.strip().removeprefix("train.")
        places = [place for place, part in enumerate(parts) if part.startswith(f"{name}=")]
        parts[slice(places[0], places[0] + 1) if places else slice(len(parts), None)] = [f"{name}={value}"]
    return " ".join(parts)


def next_free(folder: Path, stem: str) -> Path:
    """The place of this name in a folder, or of the first of `stem-2`, `stem-3`, … that is free."""
    names = chain([stem], (f"{stem}-{number}" for number in count(2)))
    return next(folder / name for name in names if not (folder / name).exists())


def _with(spec: Recipe, settings: Sequence[str]) -> Recipe:
    """With settings replaced. Every job has an executor, named or not."""
    made = with_settings(replace(spec, params={"executor": "local", **spec.params}), settings)
    kept = {key: value for key, value in made.params.items() if (key, value) != ("executor", "local")}
    check_placement(kept)
    return replace(made, params=kept)

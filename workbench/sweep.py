"""Several runs of one recipe: a grid, draws, seeds and folds, and what their measures sum up to."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product
from math import prod
from random import Random
from typing import TYPE_CHECKING, Annotated, Any

from engines.core.spec import Arg
from workbench.errors import UsageError
from workbench.recipes import Recipe, with_settings, with_value
from workbench.train import job_spec

if TYPE_CHECKING:
    from workbench.jobs import Job
    from workbench.workspace import Workspace

CONFIDENCE = 0.95
_TRIALS = 10
_MOST = 1_000


@dataclass(frozen=True, slots=True)
class Sweep:
    """What makes several runs of one recipe, and how they go on together: every combination of grid values,
    draws, seeds and folds.

    Values are a list, `low..high/count` for values at equal distances, with `log` behind the count at equal
    ratios, or `low..high` for all whole numbers. Draws are even, with `/log` in the logarithm, and by the
    recipe's seed; what is drawn twice is run once.
    Raises: UsageError E427 for a setting that has no effect without another.
    """

    grid: Annotated[
        tuple[str, ...],
        Arg("One run for each combination; 1..5, 0..1/5 and 1e-5..1e-3/4log work too.", metavar="KEY=V1,V2"),
    ] = ()
    random: Annotated[
        tuple[str, ...],
        Arg(
            "Sample a value for each trial; append /log to sample on a logarithmic scale.",
            metavar="KEY=LOW..HIGH",
        ),
    ] = ()
    trials: Annotated[int | None, Arg(f"Number of trials for --random; default {_TRIALS}.", low=1)] = None
    seeds: Annotated[str, Arg("One run for each seed; 1..5 works too.", metavar="1,2,3")] = ""
    folds: Annotated[bool, Arg("One run for each fold of the recipe.")] = False
    parallel: Annotated[int, Arg("Runs at a time in the background; 0: as many as fit.", low=0)] = 0
    stop_worst: Annotated[
        str,
        Arg(
            "Stop background runs whose measure is worse than the median at the same step.", metavar="MEASURE"
        ),
    ] = ""

    def __post_init__(self) -> None:
        if self.trials and not self.random:
            raise UsageError(
                "trials need random values, and --random is not given", code="E427", remedy="Add --random."
            )
        if (self.parallel or self.stop_worst) and not self.several:
            name = "parallel" if self.parallel else "stop_worst"
            remedy = "Add --grid, --random, --seeds or --folds."
            raise UsageError(f"{name} needs several runs, and there is one", code="E427", remedy=remedy)

    @property
    def several(self) -> bool:
        return bool(self.grid or self.random or self.seeds or self.folds)


@dataclass(frozen=True, slots=True)
class Launch:
    """What the form for a new job is filled in with."""

    recipe: Recipe
    how: Sweep = Sweep()


@dataclass(frozen=True, slots=True)
class Variant:
    """One of several runs of a recipe. `setting` is its place in the grid, `repeat` what makes it one of
    several of that setting: seed and fold."""

    recipe: Recipe
    setting: Mapping[str, Any]
    repeat: Mapping[str, int]

    @property
    def name(self) -> str:
        """What tells it apart: `lr=0.001 seed=2`."""
        parts = {**self.setting, **self.repeat}
        return " ".join(f"{key.removeprefix('train.')}={value}" for key, value in parts.items())


Run = tuple[Recipe, Variant]
"""A job that is to be started, and what it is one of several of."""


def variants(recipe: Recipe, how: Sweep) -> list[Variant]:
    """The runs that are asked for.

    Raises: UsageError E424 for a key that the recipe lacks, E426 for values that make no sense, folds of a
    recipe without any, runs that would be the same, or more than can be meant.
    """
    seeds: list[int | None] = list(_seeds(how.seeds)) or [None]
    axes = [[(key, value) for value in _values(text)] for key, text in map(_axis, how.grid)]
    draws = _drawn(how.random, how.trials or _TRIALS, recipe.seed)
    if prod(map(len, axes)) * len(draws) * len(seeds) > _MOST:
        raise UsageError(f"more than {_MOST:,} runs", code="E426", remedy="Give fewer values.")
    result = []
    for setting in ((*fixed, *drawn) for drawn in draws for fixed in product(*axes)):
        of_grid = with_settings(recipe, [f"{key}={value}" for key, value in setting])
        for seed, fold in product(seeds, _folds(of_grid) if how.folds else [None]):
            made, repeat = of_grid, dict[str, int]()
            if seed is not None:
                made, repeat["seed"] = with_value(made, "seed", seed), seed
            if fold is not None:
                made, repeat["fold"] = with_value(made, "model.fold", fold), fold
            result.append(Variant(made, dict(setting), repeat))
    alike = len(result) - len({each.recipe.sha256() for each in result})
    if alike:
        remedy = "Give each key and each value once."
        raise UsageError(f"{alike} of {len(result)} runs repeat another one", code="E426", remedy=remedy)
    return result


def member_runs(
    workspace: Workspace, recipe: Recipe, how: Sweep, *, device: str = "", executor: str = "local"
) -> list[Run]:
    """The jobs of a sweep, each with a title that says which it is. Raises: as `variants` and `job_spec`."""
    result = []
    for each in variants(recipe, how):
        spec = job_spec(workspace, each.recipe, device=device, executor=executor, publish=False)
        result.append((replace(spec, title=f"{spec.title} {each.name}"), each))
    return result


def start(workspace: Workspace, recipe: Recipe, runs: Sequence[Run], how: Sweep) -> Job:
    """Start the runs in the background, as one line of the list. Raises: as `jobs.submit_sweep`."""
    from workbench.jobs import submit_sweep

    return submit_sweep(
        workspace,
        recipe.name,
        f"sweep {recipe.name}",
        [(spec, each.setting, each.repeat) for spec, each in runs],
        parallel=how.parallel,
        stop_worst=how.stop_worst,
    )


def by_setting(variants: Sequence[Variant], values: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The measures of finished runs, summed up over the repeats of each setting.

    Args: values: what each variant's task returned. Returns: rows of setting, runs and measures.
    """
    groups: dict[str, tuple[Mapping[str, Any], list[Mapping[str, Any]]]] = {}
    for variant, value in zip(variants, values, strict=True):
        groups.setdefault(str(variant.setting), (variant.setting, []))[1].append(value)
    rows = []
    for setting, found in groups.values():
        measures = [value.get("measures", {}) for value in found if value.get("complete")]
        names = [name for name in (measures[0] if measures else ()) if all(name in each for each in measures)]
        sums = {name: asdict(summary([float(each[name]) for each in measures], name)) for name in names}
        counts = {"runs": len(found), "finished": len(measures)}
        rows.append({"setting": dict(setting), **counts, "measures": sums})
    return rows


def _folds(recipe: Recipe) -> Sequence[int | None]:
    count = recipe.params.get("model", {}).get("folds", 0)
    if not count:
        raise UsageError(
            f"{recipe.name} has no folds", code="E426", remedy="Use --seeds, or a recipe with model.folds."
        )
    return range(count)


def _seeds(text: str) -> list[int]:
    try:
        return [int(value) for value in _values(text)] if text else []
    except ValueError:
        remedy = "As in: --seeds 1,2,3, or 1..3"
        raise UsageError(f"{text!r} is not a list of seeds", code="E426", remedy=remedy) from None


def _axis(text: str) -> tuple[str, str]:
    key, _, values = text.partition("=")
    if not key or not values:
        raise UsageError(
            f"{text!r} is not of the form key=v1,v2", code="E426", remedy="As in: --grid lr=1e-4,3e-4"
        )
    return key, values


_RANGE = re.compile(r"(?P<low>[-+.\deE]+?)\.\.(?P<high>[-+.\deE]+)(?:/(?P<count>[1-9]\d*)?(?P<log>log)?)?")


def _range(text: str) -> tuple[str, str, int, bool]:
    """Low, high, count (0: not given) and whether by ratios. Raises: UsageError E426."""
    match = _RANGE.fullmatch(text)
    try:
        if match is None:
            raise ValueError
        low, high = match["low"], match["high"]
        by_ratio = bool(match["log"])
        if not float(low) < float(high) or (by_ratio and float(low) <= 0):
            raise ValueError
    except ValueError:
        remedy = "As in: 1..5, 0..1/5, 1e-5..1e-3/4log, from the lower to the higher."
        raise UsageError(f"{text!r} is not a range", code="E426", remedy=remedy) from None
    return low, high, int(match["count"] or 0), by_ratio


def _values(text: str) -> Sequence[str]:
    if ".." not in text:
        return text.split(",")
    low, high, count, by_ratio = _range(text)
    if not count:
        if not (low.isdecimal() and high.isdecimal()) or by_ratio:
            raise UsageError(f"{text!r} gives no number of values", code="E426", remedy="As in: 0..1/5")
        return [str(value) for value in _few(range(int(low), int(high) + 1))]
    found = [_between(low, high, number / max(1, count - 1), by_ratio) for number in _few(range(count))]
    return [f"{value:.0f}" if value.is_integer() else f"{value:.4g}" for value in found]


def _few(numbers: range) -> range:
    if len(numbers) > _MOST:
        raise UsageError(f"more than {_MOST:,} values", code="E426", remedy="Give fewer values.")
    return numbers


def _drawn(random: Sequence[str], draws: int, seed: int) -> Sequence[tuple[tuple[str, str], ...]]:
    """The settings of each draw; one without any where nothing is drawn."""
    if not random:
        return [()]
    source = Random(seed)
    axes = [(key, *_range(text)) for key, text in map(_axis, random)]
    if counted := [key for key, _, _, count, _ in axes if count]:
        raise UsageError(
            f"{counted[0]} is sampled once per trial, but its range has a number of values",
            code="E426",
            remedy="Set the number of trials with --trials, or give the range to --grid.",
        )
    found = [
        tuple((key, _draw(source, low, high, by_ratio)) for key, low, high, _, by_ratio in axes)
        for _ in _few(range(draws))
    ]
    return list(dict.fromkeys(found))


def _draw(source: Random, low: str, high: str, by_ratio: bool) -> str:
    """A value of a range: a whole number between whole numbers, otherwise to four digits."""
    if low.isdecimal() and high.isdecimal():
        last = int(high)
        return str(min(last, int(_between(low, str(last + 1), source.random(), by_ratio))))
    return f"{_between(low, high, source.random(), by_ratio):.4g}"


def _between(low: str, high: str, part: float, by_ratio: bool) -> float:
    a, b = float(low), float(high)
    return a * (b / a) ** part if by_ratio else a + (b - a) * part


@dataclass(frozen=True, slots=True)
class Summary:
    """A measure over repeated runs: mean and 95 % interval of the mean (Student's t; None for one run)."""

    mean: float
    low: float | None
    high: float | None
    runs: int

    def __str__(self) -> str:
        if self.low is None or self.high is None:
            return f"{self.mean:.4g}"
        return f"{self.mean:.4g} [{self.low:.4g}, {self.high:.4g}]"


def summary(values: Sequence[float], measure: str = "") -> Summary:
    """Mean and interval of a measure's values in independent runs; that of a percentage, which the name of
    the `measure` says, ends at 0 and 100.

    >>> print(summary([0.9, 0.92, 0.94]))
    0.92 [0.8703, 0.9697]
    """
    mean = math.fsum(values) / len(values)
    half = interval(values)
    if half is None:
        return Summary(mean, None, None, len(values))
    low, high = mean - half, mean + half
    if measure.endswith("_percent"):
        low, high = max(0.0, low), min(100.0, high)
    return Summary(mean, low, high, len(values))


def interval(values: Sequence[float]) -> float | None:
    """Half the width of the 95 % interval of the mean; None for a single value."""
    if len(values) < 2:
        return None
    from statistics import stdev

    from engines.retrieval.significance import student_quantile

    quantile = student_quantile(CONFIDENCE, len(values) - 1)
    return quantile * stdev(values) / math.sqrt(len(values))

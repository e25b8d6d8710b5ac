"""Jobs side by side: what differs between two, and standings of any number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from engines.core.errors import EngineError
from engines.core.spec import suggest_name
from engines.retrieval.significance import Comparison as Paired
from engines.retrieval.significance import compare as paired
from engines.retrieval.significance import holm
from workbench.config import flatten_table
from workbench.errors import UsageError
from workbench.jobs.folder import DiffRow, diff_documents, read_document, recipe_diff
from workbench.jobs.job_views import AttemptView, JobView
from workbench.jobs.logged_values import read_finite_values
from workbench.jobs.loss_descriptions import is_lowest_best
from workbench.jobs.tail import is_number
from workbench.tables import describe_value
from workbench.train import MeasureSummary, interval_half_width, summarize_values

# Any number of runs compared: by setting, over their repeats, with intervals and paired tests; the best
# first.

_REPEATS = ("seed", "model.fold")
"""What makes one of several runs of a setting."""

_LEVEL = 0.05
"""From which p on a difference is no more than the spread."""

# Where a job runs or writes, which does not make another setting of it.
_NOT_SETTINGS = ("executor", "out", "publish", "recipe")


@dataclass(frozen=True, slots=True)
class SettingStanding:
    """A setting and how it compares with the best.

    Args:
        setting: The values in which the settings differ.
        jobs: Its jobs.
        failed: Those of them that failed.
        finished: The number of finished runs.
        value: The measure of the finished runs; several runs with one seed and fold count by their mean.
        shared: The number of repeats that it has in common with the best.
        difference: To the best, in the shared repeats.
        interval: The 95 % interval of the difference by Student's t.
        p: Of a two-sided paired randomisation test, corrected by Holm; None for the best, and if fewer than
            two repeats are shared.
        band: Step, mean, low and high of the measure during the training.
    """

    setting: Mapping[str, Any]
    jobs: tuple[int, ...]
    failed: tuple[int, ...]
    finished: int
    value: MeasureSummary | None
    shared: int = 0
    difference: float | None = None
    interval: tuple[float, float] | None = None
    p: float | None = None
    band: tuple[tuple[int, MeasureSummary], ...] = ()

    @property
    def name(self) -> str:
        """The setting in a line: `lr=0.001, model.size=2`."""
        parts = (f"{key.removeprefix('train.')}={describe_value(v, key)}" for key, v in self.setting.items())
        return ", ".join(parts) or "all alike"

    @property
    def apart(self) -> str:
        """The difference to the best with its interval: `-0.02 [-0.05, 0.01]`; empty if there is none."""
        if self.difference is None or self.interval is None:
            return ""
        low, high = self.interval
        return f"{self.difference:+.4g} [{low:.4g}, {high:.4g}]"

    def to_dict(self) -> dict[str, Any]:
        """Return the document of the row."""
        band = [{"step": step, **asdict(interval)} for step, interval in self.band]
        return {**asdict(self), "band": band}


@dataclass(frozen=True, slots=True)
class SettingRanking:
    """Settings by `measure`, the best first; those without a finished run last."""

    measure: str
    lowest: bool
    rows: tuple[SettingStanding, ...]

    @property
    def verdict(self) -> str:
        """A sentence: which setting won, by how much, and whether that is more than the spread of the
        repeats.
        """
        best, *others = self.rows
        # The rows are sorted, so the first one is the best; it has no value only if none has.
        if best.value is None:
            return "no run has ended yet"
        won = f"best by {self.measure}: {best.name}, {best.value}"
        second = next((row for row in others if row.value is not None), None)
        if second is None or second.value is None:
            return won
        ahead = abs(best.value.mean - second.value.mean)
        won += f"; it leads {second.name} by {ahead:.4g}"
        if second.p is None:
            return f"{won}; there are too few shared runs to judge this difference"
        if second.p < _LEVEL:
            return f"{won}, more than the spread of {second.shared} shared runs (p {second.p:.3g})"
        # With n shared runs the smallest p that the test can give is 2^(1-n), because each difference has two
        # signs.
        few = "; so few runs cannot show significance" if 2.0 ** (1 - second.shared) >= _LEVEL else ""
        return f"{won}, no more than the spread of {second.shared} shared runs (p {second.p:.3g}){few}"

    def to_dict(self) -> dict[str, Any]:
        """Return the document that `mathwb jobs compare --json` prints."""
        won = [row for row in self.rows[:1] if row.value is not None]
        best = dict(won[0].setting) if won else None
        rows = [row.to_dict() for row in self.rows]
        return {"measure": self.measure, "lowest_is_best": self.lowest, "best": best, "settings": rows}


def rank_settings(views: Sequence[JobView], measure: str = "") -> SettingRanking:
    """Compare the settings of many runs by a measure.

    Args:
        views: The runs.
        measure: The measure; by default the recipe's `best`, or the first that there is.

    Raises:
        UsageError: E403 for a measure that no run has, E645 if no run has any.
    """
    # Step 1: choose the measure.
    numbers = {view.id: _final_measures(view) for view in views}
    names = list(dict.fromkeys(name for number in numbers.values() for name in number))
    if not names:
        what = "none of these runs has a result yet"
        raise UsageError(what, code="E645", remedy="Wait until one has ended.")
    chosen = (str(view.params.get("train", {}).get("best", "")) for view in views)
    measure = measure or next((name for name in chosen if name in names), names[0])
    if measure not in names:
        remedy = suggest_name(measure, names)
        raise UsageError(f"no run has a measure {measure!r}", code="E403", remedy=remedy)
    # Step 2: put the runs into groups by setting, and the groups into order.
    lowest = is_lowest_best(measure, [view.params.get("train", {}) for view in views])
    groups = _by_setting(views)
    results = [_SettingGroup(setting, members, measure, numbers) for setting, members in groups]
    # Ascending order for losses, descending for scores; groups without a value come last either way.
    sign = 1 if lowest else -1
    results.sort(
        key=lambda group: (group.value is None, 0 if group.value is None else sign * group.value.mean)
    )
    rows = [group.to_standing() for group in results]
    # Step 3: test the others against the best, if there are others.
    if len(results) > 1 and results[0].value is not None:
        rows = [rows[0], *_compare_with_best(results[0], results[1:])]
    return SettingRanking(measure, lowest, tuple(rows))


class _SettingGroup:
    def __init__(
        self,
        setting: Mapping[str, Any],
        views: Sequence[JobView],
        measure: str,
        numbers: Mapping[int, Mapping[str, float]],
    ) -> None:
        self.setting, self.views = setting, views
        # Runs with the same seed and fold repeat each other, so they count once, by their mean.
        results: dict[str, list[float]] = {}
        for view in views:
            if measure in numbers[view.id]:
                results.setdefault(
                    f"{view.seed} {flatten_table(view.params).get('model.fold', '')}", []
                ).append(numbers[view.id][measure])
        self.values = {repeat: fmean(each) for repeat, each in results.items()}
        self.finished = sum(map(len, results.values()))
        self.value = summarize_values(list(self.values.values()), measure) if self.values else None
        self._measure = measure

    def to_standing(self, **more: Any) -> SettingStanding:
        failed = tuple(view.id for view in self.views if view.state in ("failed", "lost"))
        ids = tuple(view.id for view in self.views)
        return SettingStanding(
            self.setting, ids, failed, self.finished, self.value, band=self._measure_by_step(), **more
        )

    def _measure_by_step(self) -> tuple[tuple[int, MeasureSummary], ...]:
        """Return the measure at each step at which all finished runs have taken it."""
        # A failed run has a shorter curve, which would cut the band at its last step.
        done = [view for view in self.views if view.state == "succeeded"]
        curves = [dict(read_finite_values(view.folder, self._measure)) for view in done]
        steps = sorted(set.intersection(*map(set, curves))) if curves else []
        return tuple(
            (step, summarize_values([curve[step] for curve in curves], self._measure)) for step in steps
        )


def _compare_with_best(best: _SettingGroup, others: Sequence[_SettingGroup]) -> list[SettingStanding]:
    """Return the other settings, each compared with the best in the runs that both have."""
    tests: list[Paired | None] = []
    apart: list[list[float]] = []
    # Step 1: a paired test for each, over the repeats that both have.
    for group in others:
        shared = sorted(best.values.keys() & group.values.keys())
        apart.append([group.values[key] - best.values[key] for key in shared])
        try:
            tests.append(
                paired({key: best.values[key] for key in shared}, {key: group.values[key] for key in shared})
            )
        # Too few shared repeats for a test.
        except EngineError:
            tests.append(None)
    # Step 2: Holm's correction over those tests that could be made.
    adjusted = iter(holm([test.randomisation_p for test in tests if test is not None]))
    rows = []
    # Step 3: the rows. `next(adjusted)` is drawn only where there is a test, so the order stays the same.
    for group, test, differences in zip(others, tests, apart, strict=True):
        half = interval_half_width(differences)
        if test is None or half is None:
            rows.append(group.to_standing(shared=len(differences)))
            continue
        between = (test.difference - half, test.difference + half)
        figures = {"difference": test.difference, "interval": between, "p": next(adjusted)}
        rows.append(group.to_standing(shared=test.topics, **figures))
    return rows


def _by_setting(views: Sequence[JobView]) -> list[tuple[dict[str, Any], list[JobView]]]:
    settings = {view.id: {"task": view.task, **flatten_table(view.params)} for view in views}
    keys = dict.fromkeys(key for setting in settings.values() for key in setting)
    # A setting is what differs between at least two runs; what is the same in all says nothing.
    differ = [
        key
        for key in keys
        if key not in (*_REPEATS, *_NOT_SETTINGS)
        and len({str(setting.get(key)) for setting in settings.values()}) > 1
    ]
    groups: dict[str, tuple[dict[str, Any], list[JobView]]] = {}
    for view in views:
        setting = {key: settings[view.id].get(key) for key in differ}
        # The text of the setting is the key, because a mapping cannot be one.
        groups.setdefault(str(setting), (setting, []))[1].append(view)
    return list(groups.values())


def _final_measures(view: JobView) -> dict[str, float]:
    if view.state != "succeeded":
        return {}
    # A training has its results under `measures`, other operations have numbers at the top.
    result = view.value.get("measures") or view.value
    return {name: float(value) for name, value in result.items() if is_number(value)}


# Parameters that differ between any two jobs and are of no interest.
_PLACES = ("out", "publish")


@dataclass(frozen=True, slots=True)
class JobComparison:
    """The differences between two jobs. `results` has every number that either job ended with, equal or
    not.
    """

    settings: tuple[DiffRow, ...]
    environment: tuple[DiffRow, ...]
    results: tuple[DiffRow, ...]


def compare_jobs(left: JobView, right: JobView) -> JobComparison:
    """Compare two jobs by settings, environment and results."""
    settings = [row for row in recipe_diff(left.spec, right.spec) if row.key not in _PLACES]
    # The seed is a setting, and the hash of the recipe differs whenever one does.
    a, b = (read_document(Path(view.folder) / "env.json") for view in (left, right))
    environment = [row for row in diff_documents(a, b) if row.key not in ("v", "seed", "recipe_sha256")]
    return JobComparison(tuple(settings), tuple(environment), _side_by_side(left, right))


def compare_attempts(left: AttemptView, right: AttemptView) -> JobComparison:
    """Compare two attempts at one job by their results; recipe and environment are the job's."""
    return JobComparison((), (), _side_by_side(left, right))


def _side_by_side(left: JobView | AttemptView, right: JobView | AttemptView) -> tuple[DiffRow, ...]:
    before, after = _collect_results(left), _collect_results(right)
    keys = [*before, *(key for key in after if key not in before)]
    return tuple(DiffRow(key, before.get(key), after.get(key)) for key in keys)


def _collect_results(view: JobView | AttemptView) -> dict[str, Any]:
    """State, then measures and other numbers of the end, then the last metrics that are not among them."""
    rows: dict[str, Any] = {"state": view.state}
    value = dict(view.value)
    rows |= {key: number for key, number in value.pop("measures", {}).items() if is_number(number)}
    rows |= {key: number for key, number in value.items() if is_number(number)}
    # A metric that is also a result is shown once, as the result.
    rows |= {key: number for key, number in view.metrics.items() if key not in rows}
    rows["wall_s"] = None if view.wall_s is None else round(view.wall_s, 1)
    rows["peak_bytes"] = view.peak_bytes
    return rows

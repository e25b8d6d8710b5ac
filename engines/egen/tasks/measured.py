"""What every evaluation gives: figures with bootstrap intervals, each beside the paper's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["WORST", "Figure", "Mistake", "Report", "costliest", "interval", "mean_figure"]

Floats = NDArray[np.float64]
RESAMPLES = 1_000
WORST = 20
"""How many mistakes a report keeps unless told otherwise."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A value in percent with its 95 % bootstrap interval, and the protocol it belongs to: `paper` as
    published, `better` where the fact sheet names a flaw, `informed` where the right answers help, to tell
    one cause of failure from another. `paper`: the published values by model, in percent."""

    name: str
    protocol: str
    value: float
    low: float
    high: float
    paper: Mapping[str, float] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """JSON-able."""
        return {
            "name": self.name,
            "protocol": self.protocol,
            "value": self.value,
            "interval": [self.low, self.high],
            "paper": dict(self.paper),
        }


@dataclass(frozen=True, slots=True)
class Mistake:
    """A wrong answer, for people to look at: expressions in generator prefix notation.

    `cost` says how wrong, from 0 (a tie would have been right) on: by how much the cosine of what was
    predicted is above that of what was expected, unless the evaluation says another. `expected` or
    `predicted` may be empty where there is nothing to name; `note` says in words what happened.
    """

    query: str
    expected: str
    predicted: str
    cost: float
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        """JSON-able."""
        return asdict(self)


def costliest(mistakes: Iterable[Mistake], count: int = WORST) -> tuple[Mistake, ...]:
    """Those with the highest cost first; equal ones as they come."""
    return tuple(sorted(mistakes, key=lambda mistake: -mistake.cost)[:count])


@dataclass(frozen=True, slots=True)
class Report:
    """An evaluation. `setting` says on what: counts, seeds, thresholds; `wrong` counts the wrong answers and
    `mistakes` holds the costliest of them."""

    task: str
    model: str
    figures: tuple[Figure, ...]
    setting: Mapping[str, Any]
    wrong: int = 0
    mistakes: tuple[Mistake, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """JSON-able."""
        return {
            "task": self.task,
            "model": self.model,
            "setting": dict(self.setting),
            "figures": [figure.to_dict() for figure in self.figures],
            "wrong": self.wrong,
            "mistakes": [mistake.to_dict() for mistake in self.mistakes],
        }


def interval(
    measure: Callable[[NDArray[np.int64]], float], count: int, *, resamples: int = RESAMPLES, seed: int = 0
) -> tuple[float, float]:
    """The 2.5 and 97.5 percentiles of a measure over resamples (with replacement) of `count` units, whose
    numbers it is given."""
    if count == 0:
        return float("nan"), float("nan")
    draw = np.random.default_rng(seed)
    values = [measure(draw.integers(0, count, count)) for _ in range(resamples)]
    low, high = np.nanpercentile(values, [2.5, 97.5])
    return float(low), float(high)


def mean_figure(
    name: str,
    protocol: str,
    values: Floats,
    *,
    groups: NDArray[np.int64] | None = None,
    paper: Mapping[str, float] | None = None,
) -> Figure:
    """The mean of values from 0 to 1, in percent. Args: groups: numbers from 0 of what belongs together, such
    as queries of one cluster; then groups are resampled, not single values."""
    groups = np.arange(len(values)) if groups is None else groups
    sums, sizes = np.bincount(groups, weights=values), np.bincount(groups)
    low, high = interval(lambda rows: 100 * float(sums[rows].sum() / sizes[rows].sum()), len(sums))
    return Figure(name, protocol, 100 * float(values.mean()), low, high, paper or {})

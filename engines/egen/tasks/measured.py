"""What every evaluation gives: figures with bootstrap intervals, each beside the paper's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Figure", "Report", "interval", "mean_figure"]

Floats = NDArray[np.float64]
RESAMPLES = 1_000


@dataclass(frozen=True, slots=True)
class Figure:
    """A value in percent with its 95 % bootstrap interval, and the protocol it belongs to: `paper` as
    published, `better` where the fact sheet names a flaw. `paper`: the published values by model, in
    percent."""

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
class Report:
    """An evaluation. `setting` says on what: counts, seeds, thresholds; `mistakes` the worst cases, for
    people to look at, as rows of text and numbers."""

    task: str
    model: str
    figures: tuple[Figure, ...]
    setting: Mapping[str, Any]
    mistakes: tuple[Mapping[str, Any], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """JSON-able."""
        return {
            "task": self.task,
            "model": self.model,
            "setting": dict(self.setting),
            "figures": [figure.to_dict() for figure in self.figures],
            "mistakes": [dict(row) for row in self.mistakes],
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

"""What every evaluation gives: figures with bootstrap intervals, each beside the paper's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from engines.core.arrays import Floats
from engines.core.system import read_reported_figures
from engines.egen.models.datasets import is_usable
from engines.egen.models.encode import longest_input
from engines.retrieval.encoders import Encoder
from engines.retrieval.significance import bootstrap_bounds

T = TypeVar("T")

RESAMPLES = 1_000
WORST = 20
"""How many mistakes a report keeps unless another number is asked for."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A value in percent with its 95 % bootstrap interval, and the protocol it belongs to: `paper` as
    published, `better` where that has a flaw, `informed` where the right answers help, to keep
    one cause of failure apart from another. `paper`: the published values by model, in percent."""

    name: str
    protocol: str
    value: float
    interval: tuple[float, float]
    paper: Mapping[str, float] = field(default_factory=dict)


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


def select_costliest(mistakes: Iterable[Mistake], count: int = WORST) -> tuple[Mistake, ...]:
    """Return the mistakes with the highest cost, at most `count`."""
    return tuple(sorted(mistakes, key=lambda mistake: -mistake.cost)[:count])


def filter_readable(items: Iterable[T], texts: Callable[[T], Iterable[str]], encoder: Encoder) -> list[T]:
    """Return the items of which an encoder can read all texts."""
    most = longest_input(encoder)
    return [item for item in items if all(is_usable(text, most) for text in texts(item))]


def describe_unread(count: int) -> dict[str, int]:
    """Return the entry `left_out` of a report: how many items the model cannot read."""
    return {"the model cannot read it": count} if count else {}


@dataclass(frozen=True, slots=True)
class EvaluationReport:
    """An evaluation. `setting` says on what: counts, seeds, thresholds; `wrong` counts the wrong answers and
    `mistakes` holds the costliest of them."""

    task: str
    model: str
    figures: tuple[Figure, ...]
    setting: Mapping[str, Any]
    wrong: int = 0
    mistakes: tuple[Mistake, ...] = ()


def mean_figure(
    name: str, protocol: str, values: Floats, *, groups: NDArray[np.int64] | None = None
) -> Figure:
    """Return the mean of values from 0 to 1, in percent, beside the paper's in the paper's protocol.

    Args:
        groups: Numbers from 0 of what belongs together, such as queries of one cluster; then groups are
            resampled, not single values.
    """
    groups = np.arange(len(values)) if groups is None else groups
    sums, sizes = np.bincount(groups, weights=values), np.bincount(groups)
    interval = bootstrap_bounds(
        lambda rows: 100 * sums[rows].sum(-1) / sizes[rows].sum(-1), len(sums), draws=RESAMPLES
    )
    paper = read_reported_figures("egen", name) if protocol == "paper" else {}
    return Figure(name, protocol, 100 * float(values.mean()), interval, paper)

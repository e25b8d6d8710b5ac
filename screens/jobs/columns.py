"""Columns of the tables beside the list of jobs: files, measures, comparisons and standings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from os.path import commonprefix
from typing import TYPE_CHECKING, Any

from engines.core.system import format_bytes
from screens.shell.theme import (
    elide,
    format_count,
    format_number,
    format_time,
    safe_text,
)
from screens.widgets.table_columns import Record
from workbench.jobs.loss_descriptions import LOSS_DESCRIPTIONS
from workbench.tables import Column

if TYPE_CHECKING:
    from workbench.jobs.compare import JobComparison, SettingRanking
    from workbench.jobs.merged_curves import MeasureCurve


def differing_at(names: Sequence[str]) -> list[int]:
    """Return for each name from which character on it differs from the others."""
    ordered = sorted(set(names))
    # In sorted order the longest common beginning is that with a neighbour.
    shared = [len(commonprefix(pair)) for pair in pairwise(ordered)]  # noqa: RUF071  # of characters
    at = {name: max(shared[max(0, index - 1) : index + 1], default=0) for index, name in enumerate(ordered)}
    return [at[name] for name in names]


def elide_alike(name: str, cells: int, differs: int) -> str:
    """Shorten a name to `cells` cells, keeping the part from the character `differs` on visible.

    >>> elide_alike("egen/cl-mean-small lr 3e-4 seed 17", 20, 22)
    'egen/… lr 3e-4 seed…'
    """
    head = cells // 2
    tail = cells - 1 - head
    # The middle may be left out if the difference is in the head or the tail.
    if len(name) <= cells or differs < head or differs >= len(name) - tail:
        return elide(name, cells)
    # Else keep a little of the beginning, and the place where the names differ.
    head = max(1, cells // 4)
    room = cells - head - 2
    return f"{name[:head]}…{name[max(head, differs - room // 3) :][:room]}…"


def _make_value_cell(which: str) -> Callable[[Record], str]:
    def format_value(row: Record) -> str:
        value = row[which]
        return (
            ""
            if value is None
            else format_bytes(value)
            if row["metric"].endswith("_bytes")
            else f"{value:.5g}"
        )

    return format_value


FILE_COLUMNS = (
    Column("file", "file"),
    Column("size", "size", 10, "point", show=lambda record: format_bytes(record["size"])),
    Column("changed", "changed", 8, show=lambda record: format_time(record["changed"]), drop=1),
)

METRIC_COLUMNS = (
    Column("metric", "metric", fit=lambda row, cells: safe_text(_measure_in(row, cells))),
    Column("last", "last", 11, "point", show=_make_value_cell("last")),
    Column("least", "least", 11, "point", show=_make_value_cell("least"), drop=1),
    Column("most", "most", 11, "point", show=_make_value_cell("most"), drop=1),
    Column("values", "values", 8, "right", drop=2),
    Column("meaning", "meaning", drop=3, room=110),
)
METRICS_OF_RUNS = tuple(column for column in METRIC_COLUMNS if column.name != "last")
"""Of several runs there is no last value."""


def metric_row(name: str, curves: Sequence[MeasureCurve], apart: int) -> Record:
    """Return the row of a measure.

    Args:
        name: the measure.
        curves: its curves, one for each run.
        apart: the character at which its short name begins to differ from the others'.
    """
    last = curves[0].last if len(curves) == 1 else None
    row = {"id": name, "metric": name, "last": last, "values": sum(curve.count for curve in curves)}
    ends = {
        "least": min((low for curve in curves for low in curve.lows), default=None),
        "most": max((high for curve in curves for high in curve.highs), default=None),
    }
    return {**row, **ends, "apart": apart, "meaning": LOSS_DESCRIPTIONS.get(name, "")}


def _measure_in(row: Record, cells: int) -> str:
    name = "".join(shorten_measure(row["metric"]))
    return elide_alike(name, cells, row["apart"]) if cells else name


_SIDE = "its title is the name of a job or an attempt; left and right are its fields"


def diff_columns(left: str, right: str) -> tuple[Column, ...]:
    """Return the columns of a comparison of two jobs, with their names as titles."""

    def make_value_cell(side: str) -> Callable[[Record], str]:
        return lambda record: _value_text(record["key"], record[side])

    return (
        Column("part", "part", 7, drop=1),
        Column("key", "key", 18, show=lambda record: safe_text("".join(shorten_measure(record["key"])))),
        Column("left", left, show=make_value_cell("left"), unfiltered=_SIDE),
        Column("right", right, show=make_value_cell("right"), unfiltered=_SIDE),
    )


def diff_rows(comparison: JobComparison) -> list[Record]:
    """Return the rows of a comparison: settings, results and environment."""
    parts = {"setting": comparison.settings, "result": comparison.results, "machine": comparison.environment}
    return [
        {"id": f"{part}.{row.key}", "part": part, "key": row.key, "left": row.left, "right": row.right}
        for part, rows in parts.items()
        for row in rows
    ]


def standing_columns(measure: str) -> tuple[Column, ...]:
    """Return the columns of a sweep's standings by a measure."""
    named = "its title is the name of a measure; value is its field"
    return (
        Column("setting", "setting", 16),
        Column("value", "".join(shorten_measure(measure)), 24, unfiltered=named),
        Column("runs", "runs", 5, "right", drop=3),
        Column("failed", "failed", 6, "right", drop=4),
        Column("best", "to the best [95 %]", unfiltered="its title says of what; best is its field", drop=1),
        Column("p", "p", 6, drop=2),
    )


def standing_rows(ranking: SettingRanking) -> list[Record]:
    """Return the rows of a sweep's standings."""
    return [
        {
            "id": row.name,
            "setting": row.name,
            "value": "–" if row.value is None else str(row.value),
            "runs": f"{row.finished}/{len(row.jobs)}",
            "failed": len(row.failed) or "",
            "best": row.apart,
            "p": "" if row.p is None else f"{row.p:.3g}",
        }
        for row in ranking.rows
    ]


def _value_text(key: str, value: Any) -> str:
    """Return a value in as few digits as tell it apart; what is not there is a dash."""
    if value is None:
        return "–"
    if key.endswith("_bytes") and isinstance(value, int | float):
        return format_bytes(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return format_count(value)
    return format_number(value) if isinstance(value, float) else str(value)


def shorten_measure(name: str) -> tuple[str, str]:
    """Shorten a measure's name: `val kmeans` and ` %` for `validation_kmeans_percent`."""
    short = name.replace("validation_", "val ")
    stem = short.removesuffix("_percent")
    return stem, " %" if stem != short else ""

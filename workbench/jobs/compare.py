"""Two jobs side by side: what differs in setting, environment and result."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.jobs.differences import DiffRow, flat, recipe_diff
from workbench.jobs.folder import read_document
from workbench.jobs.view import AttemptView, JobView

__all__ = ["Comparison", "compare", "compare_attempts"]

_PLACES = ("out", "publish")


@dataclass(frozen=True, slots=True)
class Comparison:
    """What differs. `results` has every number that either job ended with, equal or not."""

    settings: tuple[DiffRow, ...]
    environment: tuple[DiffRow, ...]
    results: tuple[DiffRow, ...]

    def to_dict(self) -> dict[str, Any]:
        """JSON-able: rows of key, left and right."""
        return {
            name: [{"key": row.key, "left": row.left, "right": row.right} for row in getattr(self, name)]
            for name in ("settings", "environment", "results")
        }


def compare(left: JobView, right: JobView) -> Comparison:
    """Compare two jobs by their recipes, environments and results. Where a folder lies is no setting."""
    settings = [row for row in recipe_diff(left.spec, right.spec) if row.key not in _PLACES]
    a, b = _environment(left), _environment(right)
    environment = [
        DiffRow(key, a.get(key), b.get(key)) for key in sorted({*a, *b}) if a.get(key) != b.get(key)
    ]
    return Comparison(tuple(settings), tuple(environment), _side_by_side(left, right))


def compare_attempts(left: AttemptView, right: AttemptView) -> Comparison:
    """Compare two attempts at one job by their results: recipe and environment are the job's."""
    return Comparison((), (), _side_by_side(left, right))


def _side_by_side(left: JobView | AttemptView, right: JobView | AttemptView) -> tuple[DiffRow, ...]:
    before, after = _results(left), _results(right)
    keys = [*before, *(key for key in after if key not in before)]
    return tuple(DiffRow(key, before.get(key), after.get(key)) for key in keys)


def _environment(view: JobView) -> dict[str, Any]:
    found = read_document(Path(view.folder) / "env.json")
    # The seed is a setting, and the hash of the recipe differs whenever one does.
    return {key: value for key, value in flat(found).items() if key not in ("v", "seed", "recipe_sha256")}


def _results(view: JobView | AttemptView) -> dict[str, Any]:
    """State, then measures and other numbers of the end, then the last metrics that are not among them."""
    rows: dict[str, Any] = {"state": view.state}
    value = dict(view.value)
    rows |= {key: number for key, number in value.pop("measures", {}).items() if _is_number(number)}
    rows |= {key: number for key, number in value.items() if _is_number(number)}
    rows |= {key: number for key, number in view.metrics.items() if key not in rows}
    rows["wall_s"] = None if view.wall_s is None else round(view.wall_s, 1)
    rows["peak_bytes"] = view.peak_bytes
    return rows


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)

"""Differences between the recipes of two jobs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.recipes import Recipe

if TYPE_CHECKING:
    from workbench.jobs.view import JobView

__all__ = ["DiffRow", "diff", "flat", "recipe_diff", "texts"]


@dataclass(frozen=True, slots=True)
class DiffRow:
    """A setting in which two jobs differ; None where one of them does not have it."""

    key: str
    left: Any
    right: Any


def flat(params: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested tables as one level with dotted keys."""
    rows: dict[str, Any] = {}
    for key, value in params.items():
        if isinstance(value, Mapping):
            rows.update(flat(value, f"{prefix}{key}."))
        else:
            rows[prefix + key] = value
    return rows


def texts(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Every text in tables and lists, with its dotted key."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield from texts(item, f"{key}.{name}" if key else name)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from texts(item, key)
    elif isinstance(value, str):
        yield key, value


def recipe_diff(left: Recipe, right: Recipe) -> list[DiffRow]:
    """The settings that differ, `task` and `seed` first, then the parameters by name."""
    rows = []
    a, b = ({"task": spec.task, "seed": spec.seed, **flat(spec.params)} for spec in (left, right))
    for key in ["task", "seed", *sorted((set(a) | set(b)) - {"task", "seed"})]:
        if a.get(key) != b.get(key):
            rows.append(DiffRow(key, a.get(key), b.get(key)))
    return rows


def diff(left: JobView, right: JobView) -> list[DiffRow]:
    """The settings in which two jobs differ."""
    return recipe_diff(left.spec, right.spec)

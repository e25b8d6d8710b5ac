"""Parameters of a job: paths inside of its workspace, and how those of two jobs differ."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.recipes import Recipe

if TYPE_CHECKING:
    from workbench.jobs.view import JobView


_UP = "../../"
"""From a run folder to its workspace."""
INSIDE = "./out/"
"""What begins with this is in the folder that a run has for what it writes, whatever its number."""


def relative(params: Mapping[str, Any], root: Path) -> dict[str, Any]:
    """Parameters as they are written. Args: root: the workspace, absolute."""

    def change(text: str) -> str:
        path = Path(text)
        inside = path.is_absolute() and path.is_relative_to(root)
        return _UP + path.relative_to(root).as_posix() if inside else text

    return {key: _mapped(value, change) for key, value in params.items()}


def absolute(params: Mapping[str, Any], run: Path) -> dict[str, Any]:
    """Parameters as they were before they were written. Args: run: the run folder."""
    here = run.absolute()

    def change(text: str) -> str:
        return os.path.normpath(here / text) if text.startswith((_UP, INSIDE)) else text

    return {key: _mapped(value, change) for key, value in params.items()}


def _mapped(value: Any, change: Callable[[str], str]) -> Any:
    """The value with all texts in it changed."""
    if isinstance(value, Mapping):
        return {key: _mapped(item, change) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_mapped(item, change) for item in value]
    if isinstance(value, Path):
        return change(str(value))
    return change(value) if isinstance(value, str) else value


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

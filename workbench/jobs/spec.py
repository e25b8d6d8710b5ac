"""What a job is asked to do, and the `recipe.toml` that says it."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tomli_w

from engines.core.errors import DataError
from engines.core.files import file_error, write_text

__all__ = ["DiffRow", "JobSpec", "flat", "recipe_diff"]

_KEYS: dict[str, type] = {"task": str, "title": str, "seed": int, "params": dict}


@dataclass(frozen=True, slots=True)
class JobSpec:
    """One piece of work: a registered task, its parameters and a seed.

    Paths in `params` are absolute, since the worker runs elsewhere; `out`, when there is one, is the folder
    that the task writes to, otherwise the task gets `out/` in the run folder. None means "not given".
    """

    task: str
    title: str
    params: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0

    def to_toml(self) -> str:
        """The recipe: resolved, without times or machine names, so that equal work has equal recipes."""
        head = {"task": self.task, "title": self.title, "seed": self.seed}
        return tomli_w.dumps({**head, "params": _given(dict(self.params))})

    def write(self, path: Path) -> None:
        """Save the recipe atomically. Raises: DataError E610 for a value that a recipe cannot hold."""
        write_text(path, self.to_toml())

    @classmethod
    def read(cls, path: Path) -> JobSpec:
        """The recipe in a file.

        Raises: DataError E610 when it is missing, is not TOML, or lacks or misspells a key.
        """
        try:
            document = tomllib.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise file_error(error, path, "read") from error
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise DataError(f"the recipe cannot be read: {error}", path=path, code="E610") from error
        if wrong := _wrong(document):
            remedy = f"A recipe has {', '.join(_KEYS)}."
            raise DataError(wrong, path=path, code="E610", remedy=remedy)
        return cls(**{"title": document["task"], **document})

    def sha256(self) -> str:
        """Identifies the work: task, parameters and seed, not the title."""
        content = [self.task, self.seed, _given(dict(self.params))]
        return hashlib.sha256(json.dumps(content, sort_keys=True, default=str).encode()).hexdigest()


def _wrong(document: Mapping[str, Any]) -> str:
    """What is wrong with a recipe, in words; empty when nothing is."""
    if "task" not in document:
        return "the recipe names no task"
    for key, value in document.items():
        if key not in _KEYS:
            return f"the recipe has an unknown key {key!r}"
        if not isinstance(value, _KEYS[key]):
            return f"{key} of the recipe is {value!r}, not {_KEYS[key].__name__}"
    return ""


def _given(value: Any, name: str = "params") -> Any:
    """The value as TOML holds it. TOML knows no null: what is None is left out.

    Raises: DataError E610 for what is no text, number, list or table.
    """
    if isinstance(value, Mapping):
        return {str(key): _given(item, str(key)) for key, item in value.items() if item is not None}
    if isinstance(value, list | tuple):
        return [_given(item, name) for item in value]
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, str | int | float):
        return value
    raise DataError(f"a recipe cannot hold {value!r} as {name}", code="E610")


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


def recipe_diff(left: JobSpec, right: JobSpec) -> list[DiffRow]:
    """The settings that differ, `task` and `seed` first, then the parameters by name."""
    rows = []
    a, b = ({"task": spec.task, "seed": spec.seed, **flat(spec.params)} for spec in (left, right))
    for key in ["task", "seed", *sorted((set(a) | set(b)) - {"task", "seed"})]:
        if a.get(key) != b.get(key):
            rows.append(DiffRow(key, a.get(key), b.get(key)))
    return rows

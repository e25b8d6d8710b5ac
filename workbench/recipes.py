"""Recipes that ship with the program: work that is worth running, with what the paper reports for it."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from engines.core.assets import asset
from engines.core.errors import DataError
from engines.core.files import file_error
from workbench.errors import MissingError, UsageError, did_you_mean
from workbench.tasks import TASKS

__all__ = ["Recipe", "load", "quickest", "recipes", "with_settings", "with_value"]

_KEYS: Mapping[str, type | tuple[type, ...]] = {
    "task": str,
    "title": str,
    "seed": int,
    "minutes": (int, float),
    "quickest": bool,
    "params": Mapping,
    "paper": Mapping,
}
"""What a recipe may say, and of what type each is."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """A task with all its parameters.

    `name` is `engine/recipe`; `minutes` is what to expect on two cores; `quickest` marks the one that a
    training without a name runs; `paper` holds the published values to compare with, by name. `params` may
    hold tables (data, model, train): their keys are named `lr`, or `train.lr` where `lr` alone is in two.
    """

    name: str
    task: str
    title: str
    seed: int = 0
    minutes: float = 0.0
    quickest: bool = False
    params: Mapping[str, Any] = field(default_factory=dict)
    paper: Mapping[str, float] = field(default_factory=dict)


def recipes() -> tuple[Recipe, ...]:
    """Every recipe that ships, by name."""
    root = asset("recipes")
    return tuple(
        _read(path, path.relative_to(root).with_suffix("").as_posix())
        for path in sorted(root.glob("*/*.toml"))
    )


def load(name: str) -> Recipe:
    """A shipped recipe by name (`egen/templates`), or the one in a file.

    Raises: MissingError E352 when there is neither, DataError E610 when the file is no recipe.
    """
    path = Path(name)
    if path.suffix == ".toml":
        return _read(path, path.stem)
    known = {recipe.name: recipe for recipe in recipes()}
    if name not in known:
        raise MissingError(
            f"there is no recipe {name!r}",
            code="E352",
            remedy=did_you_mean(name, known) or "They are listed by: mathwb train --list",
        )
    return known[name]


def quickest() -> Recipe:
    """The recipe that a training without a name runs. Raises: MissingError E352 when none is marked."""
    for recipe in recipes():
        if recipe.quickest:
            return recipe
    raise MissingError(
        "no recipe is marked as the quickest", code="E352", remedy="Name one: mathwb train --headless RECIPE"
    )


def with_settings(recipe: Recipe, settings: Sequence[str]) -> Recipe:
    """The recipe with its seed or parameters replaced, each written `key=value`, the value as TOML writes it.

    A value that is no TOML is taken as text. Raises: UsageError E424 for a setting without `=`, with a key
    that the recipe does not have, or with one that is in several of its tables.
    """
    for setting in settings:
        key, equals, text = setting.partition("=")
        if not equals:
            raise UsageError(f"{setting!r} sets nothing", code="E424", remedy=_known(recipe, key))
        recipe = with_value(recipe, key, _value(text))
    return recipe


def with_value(recipe: Recipe, key: str, value: Any) -> Recipe:
    """The recipe with one setting replaced. Raises: UsageError E424."""
    if key == "seed":
        if isinstance(value, bool) or not isinstance(value, int):
            raise UsageError(f"seed is {value!r}, and a whole number is needed", code="E424")
        return replace(recipe, seed=value)
    table, name = _place(recipe, key)
    if not table:
        return replace(recipe, params={**recipe.params, name: value})
    return replace(recipe, params={**recipe.params, table: {**recipe.params.get(table, {}), name: value}})


def _place(recipe: Recipe, key: str) -> tuple[str, str]:
    """Table ("" for none) and name of the setting that `key` means."""
    if recipe.task == "train" and key.startswith("model."):
        return "model", key.removeprefix("model.")  # what may be set there, the trainer knows
    places = _places(recipe)
    found = [place for place in places if key in (place[1], f"{place[0]}.{place[1]}" if place[0] else "")]
    if len(found) == 1:
        return found[0]
    if found:
        names = ", ".join(f"{table}.{name}" if table else name for table, name in found)
        raise UsageError(f"{key!r} of {recipe.name} may be any of {names}", code="E424", remedy="Name one.")
    raise UsageError(f"{key!r} is nothing that {recipe.name} has", code="E424", remedy=_known(recipe, key))


def _places(recipe: Recipe) -> list[tuple[str, str]]:
    places: list[tuple[str, str]] = []
    for key, value in recipe.params.items():
        places += [(key, name) for name in value] if isinstance(value, Mapping) else [("", key)]
    if recipe.task == "train":
        from engines.training import TrainConfig

        # Seed and device belong to the job; everything else about training may be set, in the recipe or not.
        free = TrainConfig.__dataclass_fields__.keys() - {"seed", "device"}
        places += [("train", name) for name in sorted(free) if ("train", name) not in places]
    return places


def _known(recipe: Recipe, key: str) -> str:
    names = [name for _, name in _places(recipe)]
    listed = f"It has: {', '.join(names)}."
    if recipe.task == "train":
        listed += " Anything else of the model is named model.KEY."
    return did_you_mean(key, [*names, "seed"]) or listed


def _value(text: str) -> Any:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def _read(path: Path, name: str) -> Recipe:
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise file_error(error, path, "read") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        hint = "It is TOML in UTF-8, as those in assets/recipes."
        raise DataError(f"the recipe cannot be read: {error}", path=path, code="E610", remedy=hint) from error
    for key, value in document.items():
        if key not in _KEYS:
            hint = did_you_mean(key, _KEYS) or f"It has: {', '.join(_KEYS)}."
            raise DataError(f"a recipe has no key {key!r}", path=path, code="E610", remedy=hint)
        _fits(value, _KEYS[key], key, path)
    if document.get("task") not in TASKS:
        hint = did_you_mean(str(document.get("task")), TASKS) or 'A recipe that trains says: task = "train"'
        raise DataError(f"there is no task {document.get('task')!r}", path=path, code="E610", remedy=hint)
    for key in ("data", "model", "train") if document["task"] == "train" else ():
        _fits(document.get("params", {}).get(key, {}), Mapping, f"params.{key}", path)
    return Recipe(name=name, **{"title": name, **document})


def _fits(value: Any, wanted: type | tuple[type, ...], key: str, path: Path) -> None:
    """Refuse a value of another type. Raises: DataError E610."""
    if not isinstance(value, wanted) or (isinstance(value, bool) and wanted is not bool):
        what = "a table" if wanted is Mapping else "text" if wanted is str else "a number"
        what = "true or false" if wanted is bool else what
        raise DataError(
            f"{key} is {value!r}, and {what} is needed", path=path, code="E610", remedy="Change it there."
        )

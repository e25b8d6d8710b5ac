"""Recipes: work with its settings, as it ships, as a user writes it down, and as a job records it."""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tomli_w

from engines.core.errors import DataError, EngineError, did_you_mean
from engines.core.files import file_error, write_text
from engines.core.spec import suggest_name, to_mapping
from engines.core.system import format_bytes
from workbench.errors import MissingError, UsageError
from workbench.paper import added_papers, asset_folders

if TYPE_CHECKING:
    from workbench.operations import Operation


_KEYS: Mapping[str, type | tuple[type, ...]] = {
    "extends": str,
    "task": str,
    "title": str,
    "seed": int,
    "params": Mapping,
    "minutes": (int, float),
    "quickest": bool,
}
"""What a recipe may say, and of what type each is."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """A piece of work: an operation, by its name, with settings and a seed.

    One that ships is a partial spec of its operation, which the caller fills up; a job's is resolved: paths
    in `params` are absolute, since the worker runs elsewhere. `out`, when there is one, is the folder that
    the work writes to, otherwise an operation that has `out` gets a folder in the run folder. None means
    "not given". `params` may hold tables (data, model, train): their keys are named `lr`, or `train.lr`
    where `lr` alone is in two. Of one that ships `name` is `engine/recipe`, `minutes` what to expect on two
    cores, and `quickest` marks the one that a training without a name runs.
    """

    task: str
    title: str
    params: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    name: str = ""
    minutes: float = 0.0
    quickest: bool = False

    @classmethod
    def read(cls, path: Path, name: str = "") -> Recipe:
        """Read the recipe in a file.

        What it leaves open is as in the recipe that it `extends`, which ships or is a file beside it.

        Args:
            path: The file.
            name: The name of the recipe.

        Raises:
            DataError: E610 if the file is missing or not TOML, a key is missing or misspelt, or it extends
                itself.
        """
        document = _load_document(path)
        if "task" not in document:
            raise _recipe_error("the recipe has no task", path, 'A training recipe has: task = "train"')
        for key in ("data", "model", "train") if document["task"] == "train" else ():
            _check_type(document.get("params", {}).get(key, {}), Mapping, f"params.{key}", path)
        return cls(**{"title": name or document["task"], "name": name, **document})

    def document(self) -> dict[str, Any]:
        """Return what a job stores, without times or machine names, so that equal work has equal recipes."""
        head = {"task": self.task, "title": self.title, "seed": self.seed}
        return {**head, "params": _to_toml_value(dict(self.params))}

    def to_toml(self) -> str:
        """Return the recipe as the text of a TOML file."""
        return tomli_w.dumps(self.document())

    def write(self, path: Path) -> None:
        """Save the recipe atomically.

        Raises:
            DataError: E610 for a value that a recipe cannot have.
        """
        write_text(path, self.to_toml())

    def sha256(self) -> str:
        """Return the hash of the work: operation, settings and seed, not the title."""
        # The title is left out: the same work may be called differently.
        content = [self.task, self.seed, _to_toml_value(dict(self.params))]
        return hashlib.sha256(json.dumps(content, sort_keys=True, default=str).encode()).hexdigest()


# Limits for recipes of strangers. `tomllib` takes quadratic memory for dotted keys.
_MOST_BYTES, _MOST_PARTS = 2**20, 16
_PART = r"""(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*"""
_DOTTED = re.compile(rf"(?<![\w.-]){_PART}(?:\.[ \t]*{_PART}){{{_MOST_PARTS}}}")


def _parse_toml(text: bytes) -> dict[str, Any]:
    """Return what TOML says. A key of many parts is refused before it is read: it takes memory by their
    square.

    Raises:
        ValueError and RecursionError: For what is none, or too much.
    """
    if len(text) > _MOST_BYTES:
        raise ValueError(f"it is larger than {format_bytes(_MOST_BYTES)}")
    decoded = text.decode()
    if match := _DOTTED.search(decoded):
        raise ValueError(f"{match[0][:40]!r} is a key with more than {_MOST_PARTS} parts")
    return tomllib.loads(decoded)


def _toml_message(error: Exception) -> str:
    return "it is nested too deep" if isinstance(error, RecursionError) else str(error)


def _load_document(path: Path, before: tuple[Path, ...] = ()) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            # One byte more than is allowed, to notice that there is more.
            document = _parse_toml(file.read(_MOST_BYTES + 1))
    except OSError as error:
        raise file_error(error, path, "read") from error
    except (ValueError, RecursionError) as error:
        raise _recipe_error(
            f"the recipe cannot be read: {_toml_message(error)}", path, "It is TOML in UTF-8."
        ) from error
    # Step 1: every key must be known, and of the right type.
    for key, value in document.items():
        if key not in _KEYS:
            hint = did_you_mean(key, _KEYS) or f"It has: {', '.join(_KEYS)}."
            raise _recipe_error(f"a recipe has no key {key!r}", path, hint)
        _check_type(value, _KEYS[key], key, path)
    # Step 2: the recipe that this one extends, a file next to it or one that ships.
    if not (name := document.pop("extends", "")):
        return document
    if name.endswith(".toml"):
        beside = path.parent / name
    else:
        positions = [root / f"{name}.toml" for _, root in asset_folders("recipes")]
        beside = next(filter(Path.exists, positions), positions[0])
    # The files on the way here: a recipe that extends itself through others is refused.
    chain = (*before, path.resolve())
    if beside.resolve() in chain:
        raise _recipe_error(f"it extends itself: {name}", path, "One of them must extend nothing.")
    base = _load_document(beside, chain)
    # Only the recipe itself can be the quickest one, not each recipe that extends it.
    base.pop("quickest", None)
    return _merge_tables(base, document)


def _merge_tables(base: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Return one table on another: tables in both are put together, of all else the own is taken."""
    tables = {key for key in own if isinstance(own[key], Mapping) and isinstance(base.get(key), Mapping)}
    return {**base, **own, **{key: _merge_tables(base[key], own[key]) for key in tables}}


def _to_toml_value(value: Any, name: str = "params") -> Any:
    """Return the value as TOML holds it. TOML knows no null: what is None is left out.

    Raises:
        DataError: E610 for what is no text, number, list or table.
    """
    if isinstance(value, Mapping):
        return {str(key): _to_toml_value(item, str(key)) for key, item in value.items() if item is not None}
    if isinstance(value, list | tuple):
        return [_to_toml_value(item, name) for item in value]
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, str | int | float):
        return value
    what = f"a recipe cannot hold {value!r} as {name}"
    raise DataError(what, code="E610", remedy="Use text, numbers, true or false, lists and tables of them.")


def job_recipe(row: Operation, spec: Any) -> Recipe:
    """Return the recipe of a job that runs an operation with a spec."""
    params = to_mapping(spec)
    seed = params.pop("seed", 0)
    return Recipe(row.name, row.job_title(spec), params, seed)


def resolved_recipe(name: str, given: Mapping[str, Any]) -> Recipe:
    """Return the recipe of a job that runs an operation with some settings.

    Args:
        name: The name of the operation.
        given: Its settings.

    Raises:
        EngineError: What the operation refuses.
    """
    from workbench.operations import find_operation

    row = find_operation(name)
    return job_recipe(row, row.resolve_spec(given))


def list_recipes() -> tuple[Recipe, ...]:
    """List every recipe that ships or that an added paper brings, by name; unreadable ones of others are
    skipped.
    """
    shipped = [_read_shipped(path, root) for root, path in _recipe_files("")]
    # Unlike our own, recipes of others may be wrong without making the program unusable.
    for paper in added_papers()[0]:
        for root, path in _recipe_files(paper.name):
            with suppress(EngineError):  # doctor says what is wrong with it
                shipped.append(_read_shipped(path, root))
    return tuple(shipped)


def _recipe_files(paper: str) -> Iterator[tuple[Path, Path]]:
    for owner, root in asset_folders("recipes"):
        if owner == paper:
            yield from ((root, path) for path in sorted(root.glob(f"{owner or '*'}/*.toml")))


@cache
def _read_shipped(path: Path, root: Path) -> Recipe:
    return _known_work(Recipe.read(path, path.relative_to(root).with_suffix("").as_posix()), path)


def check_recipes(paper: str) -> None:
    """Read the recipes of an added paper.

    Raises:
        DataError: E610 for the first that is wrong.
    """
    for root, path in _recipe_files(paper):
        _read_shipped(path, root)


def is_launchable(recipe: Recipe) -> bool:
    """Return whether the launch form offers a recipe: a training, or work whose result has a folder in the
    workspace.
    """
    if recipe.task == "train":
        return True
    from workbench.operations import all_operations

    row = all_operations().get(recipe.task)
    return row is not None and row.background is not None and bool(row.background.home)


def load_recipe(name: str) -> Recipe:
    """Load a shipped recipe by name (`egen/templates`), or the recipe in a file.

    Raises:
        MissingError: E352 if there is neither.
        DataError: E610 if the file is not a recipe.
    """
    path = Path(name)
    if path.suffix == ".toml":
        return _known_work(Recipe.read(path, path.stem), path)
    shipped = {recipe.name: recipe for recipe in list_recipes()}
    if name not in shipped:
        remedy = did_you_mean(name, shipped) or "List them with: mathwb train --list"
        raise MissingError(f"there is no recipe {name!r}", code="E352", remedy=remedy)
    return shipped[name]


def quickest_recipe() -> Recipe:
    """Return the recipe of a training without a name.

    Raises:
        MissingError: E352 if no recipe is marked as the quickest.
    """
    for recipe in list_recipes():
        if recipe.quickest:
            return recipe
    what = "no recipe is marked as the quickest"
    raise MissingError(what, code="E352", remedy="Name one: mathwb train --headless RECIPE")


def with_settings(recipe: Recipe, settings: Sequence[str]) -> Recipe:
    """Return a recipe with its seed or parameters replaced.

    Args:
        recipe: The recipe.
        settings: Each `key=value`, the value as TOML writes it; a value that is not TOML is taken as text.

    Raises:
        UsageError: E424 for a setting without `=`, an unknown key, or one that is in several tables.
    """
    for setting in settings:
        key, equals, text = setting.partition("=")
        if not equals:
            # A key that does not exist is the likelier mistake, so it is reported first.
            if key != "seed":
                _find_setting(recipe, key)
            what = f"{key} has no value"
            raise UsageError(what, code="E424", remedy=f"Write it as in: --set {key}=VALUE")
        recipe = with_value(recipe, key, _parse_value(text))
    return recipe


def with_value(recipe: Recipe, key: str, value: Any) -> Recipe:
    """Return a recipe with one setting replaced.

    Raises:
        UsageError: E424 for an unknown key or a wrong seed.
    """
    if key == "seed":
        if isinstance(value, bool) or not isinstance(value, int):
            what = f"seed is {value!r}, and a whole number is needed"
            raise UsageError(what, code="E424", remedy="As in: --set seed=1")
        return replace(recipe, seed=value)
    table, name = _find_setting(recipe, key)
    if not table:
        return replace(recipe, params={**recipe.params, name: value})
    return replace(recipe, params={**recipe.params, table: {**recipe.params.get(table, {}), name: value}})


def _find_setting(recipe: Recipe, key: str) -> tuple[str, str]:
    """Table ("" for none) and name of the setting that `key` means."""
    if recipe.task == "train" and key.startswith("model."):
        return "model", key.removeprefix("model.")  # what may be set there, the trainer knows
    positions = _list_settings(recipe)
    # A setting is meant by its name alone, or by table and name.
    results = [
        index for index in positions if key in (index[1], f"{index[0]}.{index[1]}" if index[0] else "")
    ]
    if len(results) == 1:
        return results[0]
    if results:
        names = ", ".join(f"{table}.{name}" if table else name for table, name in results)
        what = f"{key!r} of {recipe.name or recipe.title} may be any of {names}"
        raise UsageError(what, code="E424", remedy="Name one.")
    what = f"{key!r} is unknown to {recipe.name or recipe.title}"
    raise UsageError(what, code="E424", remedy=_unknown_key_hint(recipe, key))


def _list_settings(recipe: Recipe) -> list[tuple[str, str]]:
    positions: list[tuple[str, str]] = []
    for key, value in recipe.params.items():
        positions += [(key, name) for name in value] if isinstance(value, Mapping) else [("", key)]
    if recipe.task == "train":
        from engines.training import TrainConfig

        # Seed and device belong to the job; everything else about training may be set, in the recipe or not.
        free = TrainConfig.__dataclass_fields__.keys() - {"seed", "device"}
        positions += [("train", name) for name in sorted(free) if ("train", name) not in positions]
    return positions


def _unknown_key_hint(recipe: Recipe, key: str) -> str:
    positions = _list_settings(recipe)
    names = [name for _, name in positions]
    listed = f"It has: {', '.join(names)}."
    if recipe.task == "train":
        listed += " Other model settings are named model.KEY."
    table, _, name = key.rpartition(".")
    # With a known table in front only the names of that table are suggested.
    of_table = [each for index, each in positions if table and index == table]
    hint = suggest_name(name, of_table) if of_table else suggest_name(key, [*names, "seed"])
    return hint if hint.startswith("Did") else listed


def _parse_value(text: str) -> Any:
    try:
        return _parse_toml(f"value = {text}".encode())["value"]
    # Not TOML: a word or a path, for which nobody should have to write quotes.
    except (ValueError, RecursionError):
        return text


def _known_work(recipe: Recipe, path: Path) -> Recipe:
    from workbench.operations import all_operations

    names = list(all_operations())
    if recipe.task not in names:
        hint = did_you_mean(recipe.task, names) or 'A training recipe has: task = "train"'
        raise _recipe_error(f"there is no task {recipe.task!r}", path, hint)
    return recipe


def _recipe_error(what: str, path: Path, remedy: str) -> DataError:
    return DataError(what, path=path, code="E610", remedy=remedy)


def _check_type(value: Any, wanted: type | tuple[type, ...], key: str, path: Path) -> None:
    # `True` is an `int` in Python, and a seed is not.
    if not isinstance(value, wanted) or (isinstance(value, bool) and wanted is not bool):
        what = "a table" if wanted is Mapping else "text" if wanted is str else "a number"
        what = "true or false" if wanted is bool else what
        raise _recipe_error(f"{key} is {value!r}, and {what} is needed", path, "Change it there.")

"""Where the files that ship with the program lie."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path

from engines.core.errors import DataError

__all__ = ["asset", "models_folder"]


@cache
def _roots() -> tuple[Path, ...]:
    """`assets/` of a checkout, then `workbench/_assets` of an installed wheel, found without importing it."""
    roots = [Path(__file__).resolve().parents[2] / "assets"]
    spec = find_spec("workbench")
    if spec is not None and spec.submodule_search_locations:
        roots += [Path(place) / "_assets" for place in spec.submodule_search_locations]
    return tuple(root for root in roots if root.is_dir())


def asset(relative: str) -> Path:
    """The path of a shipped file or folder, as in `asset("rules/egen.toml")`.

    Raises: DataError (exit code 3) when the installation lacks it.
    """
    for root in _roots():
        path = root / relative
        if path.exists():
            return path
    raise DataError(
        f"the file {relative} that ships with mathwb is missing",
        remedy="Install mathwb again; the installation is incomplete.",
        code="E356",
        exit_code=3,
    )


def models_folder() -> Path:
    """The folder of the models that ship, which may not be there; that of recipes always is."""
    return asset("recipes").parent / "models"

"""The collection that a training reads."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from engines.core.errors import DataError

__all__ = ["index_files", "need_collection"]


def need_collection(data: Mapping[str, Path]) -> None:
    """Raises: DataError E644 when a recipe names no collection."""
    if "collection" not in data:
        raise DataError(
            "the recipe names no collection",
            code="E644",
            exit_code=3,
            remedy="Name one with --set data.collection=NAME.",
        )


def index_files(data: Mapping[str, Path]) -> dict[str, tuple[Path, ...]]:
    """An index of formulas that is named, as data of the training: it is read instead of the collection's."""
    return {"index": (data["index"],)} if "index" in data else {}

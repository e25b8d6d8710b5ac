"""Places in the parameters of a job: those inside of its workspace are written relative to the run folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

__all__ = ["INSIDE", "absolute", "relative"]

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

"""Folders that an index is stored in: they appear whole or not at all, and what is corrupt is named."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from engines.core.errors import DataError
from engines.core.files import atomic_folder

ABOUT = "about.json"
"""Says what an index is; written last."""
_BYTES = "bytes"
"""In it, how long each file is."""


def corrupt(path: Path, error: BaseException | str) -> DataError:
    """A file of an index that is not as it was written."""
    return DataError(
        f"this file of the index is corrupt or cut short ({' '.join(str(error).split())[-120:]})",
        path=path,
        code="E661",
        remedy="Remove the index and build it again.",
    )


@contextmanager
def new_folder(out: Path, about: dict[str, Any]) -> Iterator[Path]:
    """A folder to fill that takes the place of `out` at the end of the block, with `about` in it.

    When the block fails, what there was stays. Raises: DataError when it cannot be written, E452 where `out`
    is no folder of an index.
    """
    with atomic_folder(out, ABOUT) as draft:
        yield draft
        files = sorted(path for path in draft.rglob("*") if path.is_file())
        sizes = {path.relative_to(draft).as_posix(): path.stat().st_size for path in files}
        stored = {**about, _BYTES: sizes}
        (draft / ABOUT).write_text(json.dumps(stored, indent=2) + "\n", encoding="utf-8")


def read_about(folder: Path) -> Mapping[str, Any]:
    """What `new_folder` was told of the index.

    Raises: DataError E661 for a file that is missing or not as long as it was written.
    """
    path = folder / ABOUT
    try:
        about = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise corrupt(path, error) from error
    if not isinstance(about, dict):
        raise corrupt(path, "not the description of an index")
    sizes = about.pop(_BYTES, {})
    for name, size in sizes.items():
        file = folder / name
        found = file.stat().st_size if file.exists() else 0
        if found != size:
            raise corrupt(file, f"{found:,} bytes instead of {size:,}")
    return about

"""Folders that an index is stored in: they appear whole or not at all, and damage is named."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from engines.core.errors import DataError
from engines.core.files import file_error

__all__ = ["ABOUT", "damaged", "new_folder", "read_about"]

ABOUT = "about.json"
"""Says what an index is; written last."""


def damaged(path: Path, error: BaseException | str) -> DataError:
    """A file of an index that is not as it was written."""
    return DataError(
        f"this file of the index is damaged or cut short ({' '.join(str(error).split())[-120:]})",
        path=path,
        code="E661",
        exit_code=3,
        remedy="Remove the index and build it again.",
    )


@contextmanager
def new_folder(out: Path, about: dict[str, Any]) -> Iterator[Path]:
    """A folder to fill that takes the place of `out` at the end of the block, with `about` in it.

    When the block fails, what there was stays. Raises: DataError when it cannot be written.
    """
    draft = out.with_name(f".{out.name}.tmp")
    try:
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(parents=True)
        yield draft
        (draft / ABOUT).write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")
        for file in draft.iterdir():
            with open(file, "rb+") as written:
                os.fsync(written.fileno())
        shutil.rmtree(out, ignore_errors=True)
        draft.rename(out)
    except OSError as error:
        raise file_error(error, out, "write") from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def read_about(folder: Path) -> Mapping[str, Any]:
    """What `new_folder` wrote beside the index. Raises: DataError E661."""
    path = folder / ABOUT
    try:
        about = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise damaged(path, error) from error
    if not isinstance(about, dict):
        raise damaged(path, "no description of an index")
    return about

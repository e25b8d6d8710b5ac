"""What all indexes share: folders that appear whole or not at all, and the rows with the best scores."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engines.core.errors import DataError
from engines.core.files import atomic_folder

Rows = NDArray[np.int64]
ABOUT = "about.json"
"""Says what an index is; written last."""
_BYTES = "bytes"
"""In it, how long each file is."""


def corrupt_file_error(path: Path, error: BaseException | str) -> DataError:
    """Return a file of an index that is not as it was written."""
    return DataError(
        f"this file of the index is corrupt or cut short ({' '.join(str(error).split())[-120:]})",
        path=path,
        code="E661",
        remedy="Remove the index and build it again.",
    )


@contextmanager
def new_folder(out: Path, about: dict[str, Any]) -> Iterator[Path]:
    """Yield a folder to fill that takes the place of `out` at the end of the block, with `about` in it.

    When the block fails, what there was stays.

    Raises:
        DataError: When it cannot be written, E452 where `out` is no folder of an index.
    """
    with atomic_folder(out, ABOUT) as draft:
        yield draft
        files = sorted(path for path in draft.rglob("*") if path.is_file())
        sizes = {path.relative_to(draft).as_posix(): path.stat().st_size for path in files}
        stored = {**about, _BYTES: sizes}
        (draft / ABOUT).write_text(json.dumps(stored, indent=2) + "\n", encoding="utf-8")


def read_about(folder: Path) -> Mapping[str, Any]:
    """Return the description that `new_folder` stored with an index.

    Raises:
        DataError: E661 for a file that is missing or not as long as it was written.
    """
    path = folder / ABOUT
    try:
        about = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise corrupt_file_error(path, error) from error
    if not isinstance(about, dict):
        raise corrupt_file_error(path, "not the description of an index")
    sizes = about.pop(_BYTES, {})
    for name, size in sizes.items():
        file = folder / name
        result = file.stat().st_size if file.exists() else 0
        if result != size:
            raise corrupt_file_error(file, f"{result:,} bytes instead of {size:,}")
    return about


def map_array(path: Path) -> Any:
    """Return an array of an index, which stays on the disk until it is read.

    Raises:
        DataError: E661.
    """
    try:
        return np.load(path, mmap_mode="r")
    except (OSError, ValueError, EOFError) as error:
        raise corrupt_file_error(path, error) from error


def best_of_both(
    best: tuple[NDArray[Any], Rows], scores: NDArray[Any], begin: int, k: int
) -> tuple[NDArray[Any], Rows]:
    """Merge the best rows so far with the scores of further rows.

    Args:
        best: Scores and rows so far, each of shape (queries, at most k).
        scores: The scores of the further rows, shape (queries, n).
        begin: The number of the first further row.
        k: How many rows are kept.

    Returns:
        The `k` best scores and rows; equal scores stay in the order of their rows.
    """
    positions = top_k(scores, k)
    both = np.hstack([best[0], np.take_along_axis(scores, positions, 1)])
    rows = np.hstack([best[1], positions + begin])
    order = top_k(both, k)
    return np.take_along_axis(both, order, 1), np.take_along_axis(rows, order, 1)


def top_k(scores: NDArray[np.floating[Any]], k: int) -> Rows:
    """Return the places of the `k` greatest scores along the last axis, greatest first, equal ones in their
    order.

    Args:
        scores: (…, n); NaN counts as the least.

    Returns:
        (…, min(k, n)).

    >>> top_k(np.array([0.1, 0.7, 0.3, 0.7]), 3).tolist()
    [1, 3, 2]
    """
    count = scores.shape[-1]
    k = max(0, min(k, count))
    result = np.zeros((*scores.shape[:-1], k), np.int64)
    if not result.size:
        return result
    rows = scores.reshape(-1, count)
    if np.isnan(rows.max()):
        rows = np.where(np.isnan(rows), -np.inf, rows)
    for row, places in zip(rows, result.reshape(-1, k), strict=True):
        least = np.partition(row, count - k)[count - k]
        above = np.flatnonzero(row > least)
        equal = np.flatnonzero(row == least)[: k - len(above)]
        places[:] = np.concatenate([above[np.argsort(-row[above], kind="stable")], equal])
    return result

"""The token cache: what is made of data for a training, such as tokens, by what it depends on."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from dis import opmap
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import CodeType
from typing import IO, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from engines.core.files import atomic_folder, remove_stale_drafts
from engines.core.locks import hold_lock

Name = TypeVar("Name")
Ids = NDArray[np.int32]

LIMIT_BYTES = 20 * 2**30
"""What has not been used for longest goes when more is kept."""
# Folders that are younger may still be in use by another process.
_A_MINUTE_S = 60
_READERS = ("core", "formula", "forum", "arqmath")
"""The packages that read posts and cut them into tokens."""
_NAME = re.compile("[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class TokenCache:
    """A folder that trainings share (none: nothing is stored), and the content of the data by kind."""

    folder: Path | None = None
    contents: Mapping[str, str] = field(default_factory=dict)

    def stored_path(self, name: str, *kinds: str, tokenizer: Any, **settings: Any) -> Path | None:
        """Return the path for what depends on the data of these kinds, the tokenizer and the settings, or
        None without a cache.

        The path also depends on our code and on the version of the tokenizers.
        """
        if self.folder is None:
            return None
        import tokenizers

        # What it does to a text, without how it was last told to pad and to cut.
        described = json.loads(tokenizer.backend_tokenizer.to_str())
        described = {key: value for key, value in described.items() if key not in ("padding", "truncation")}
        made_of = {
            "name": name,
            "data": {kind: self.contents[kind] for kind in kinds if kind in self.contents},
            "tokenizer": sha256(json.dumps(described, sort_keys=True).encode()).hexdigest(),
            "settings": settings,
            "versions": [_hash_own_code(), tokenizers.__version__],
        }
        return self.folder / sha256(json.dumps(made_of, sort_keys=True).encode()).hexdigest()[:32]


@cache
def _hash_own_code() -> str:
    """Return a hash of the code that reads posts and makes rows of tokens of them."""
    import engines

    (root,) = map(Path, engines.__path__)
    digest = sha256()
    files = [file for package in _READERS for file in (root / package).rglob("*.py")]
    for file in sorted([*files, Path(__file__)]):
        digest.update(f"{file.relative_to(root)} {_hash_program(file.read_bytes())}\n".encode())
    return digest.hexdigest()


def _hash_program(source: bytes) -> str:
    """Return a hash of what a program does: its comments, docstrings and layout have no part in it."""
    # At level 2 the compiler leaves out docstrings, and assertions; a walk through the syntax tree is slower.
    parts = [compile(source, "", "exec", dont_inherit=True, optimize=2)]
    digest = sha256()
    for part in parts:
        # Instructions are of two bytes. Where a docstring stood is one that does nothing.
        code = np.frombuffer(part.co_code, "u1").reshape(-1, 2)
        done = code[code[:, 0] != opmap["NOP"]].tobytes()
        # Sets have no order of their own.
        constants = [
            sorted(map(repr, each)) if isinstance(each, frozenset) else each
            for each in part.co_consts
            if not isinstance(each, CodeType)
        ]
        names = (part.co_name, part.co_names, part.co_varnames, part.co_cellvars, part.co_freevars)
        shape = (part.co_argcount, part.co_posonlyargcount, part.co_kwonlyargcount, part.co_flags)
        digest.update(repr((done, constants, names, shape)).encode())
        parts.extend(each for each in part.co_consts if isinstance(each, CodeType))
    return digest.hexdigest()


def prune_cache(keep: Path) -> None:
    """Remove the entries unused for longest until the cache is within `LIMIT_BYTES`, and stale drafts.

    A process that reads a removed entry can go on reading it.

    Args:
        keep: The entry that stays in any case.
    """
    results = []
    for entry in _cached_paths(keep.parent):
        try:
            changed = entry.stat().st_mtime
            size = sum(file.stat().st_size for file in entry.iterdir())
        except OSError:
            continue  # another process has just removed it
        results.append((changed, size, entry))
    remove_stale_drafts(keep.parent, _A_MINUTE_S)
    total = 0
    for _, size, entry in sorted(results, reverse=True):
        total += size
        if total > LIMIT_BYTES and entry != keep:
            _remove_entry(entry)


def remove_cache(folder: Path) -> None:
    """Remove all that is kept in a folder, and the folder if nothing else is in it."""
    for entry in _cached_paths(folder):
        _remove_entry(entry)
    with contextlib.suppress(OSError):
        folder.rmdir()


def _cached_paths(folder: Path) -> list[Path]:
    """Return what was kept here, by the names that `stored_path` gives; anything else is not ours."""
    return [path for path in folder.glob("*") if _NAME.fullmatch(path.name) and path.is_dir()]


def _remove_entry(path: Path) -> None:
    shutil.rmtree(path, ignore_errors=True)
    path.with_suffix(".lock").unlink(missing_ok=True)


# Rows of token ids, in files.


@dataclass(frozen=True, slots=True)
class CachedSequences:
    """Sequences of token ids, one after another in one array.

    Attributes:
        ids: The ids of all sequences, shape (tokens,).
        ends: Where each sequence ends in `ids`, shape (sequences,).
        whole: The length of each sequence before it was cut, shape (sequences,).
    """

    ids: Ids
    ends: NDArray[np.int64]
    whole: NDArray[np.int64]

    @classmethod
    def store_sequences(cls, rows: Iterable[Sequence[int]], *, keep: int = 0) -> CachedSequences:
        """Write sequences to a nameless file that ends with the process, so that they take no memory.

        Args:
            rows: The sequences.
            keep: How many ids of each are stored; 0: all.
        """
        with tempfile.TemporaryFile() as file:
            ends, whole = _write_sequences(file, rows, keep)
            file.flush()
            count = int(ends[-1]) if len(ends) else 0
            ids = np.memmap(file, np.int32, "r", shape=(count,)) if count else np.zeros(0, np.int32)
        return cls(ids, ends, whole)

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, row: int) -> Ids:
        return self.ids[self.ends[row - 1] if row else 0 : self.ends[row]]

    @property
    def lengths(self) -> NDArray[np.int64]:
        """(sequences,) how many tokens are kept of each."""
        return np.diff(self.ends, prepend=0)


def _write_sequences(
    file: IO[bytes], rows: Iterable[Sequence[int]], keep: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Write ids, of each row the first `keep` (0: all).

    Returns:
        Where rows end, and how long they were.
    """
    ends, whole, end = [], [], 0
    for row in rows:
        kept = row[:keep] if keep else row
        file.write(np.asarray(kept, np.int32).tobytes())
        end += len(kept)
        ends.append(end)
        whole.append(len(row))
    return np.array(ends, np.int64), np.array(whole, np.int64)


def cached_rows(
    path: Path | None, rows: Callable[[], Iterable[tuple[Name, Sequence[int]]]], *, keep: int = 0
) -> tuple[list[Name], CachedSequences]:
    """Return rows of ids, each with its name (text, or numbers in a list), in their order.

    With a `path` (see `TokenCache.stored_path`) the first process that asks writes them there, complete or
    not at all; others wait, and they and all that come later read the same bits. What is damaged is made
    again. Without one they are in a file that ends with the process.

    Args:
        keep: As `CachedSequences.store_sequences` takes it.
    """
    names: list[Name] = []

    # The names are collected while the sequences are written.
    def ids() -> Iterator[Sequence[int]]:
        for name, row in rows():
            names.append(name)
            yield row

    if path is None:
        result = CachedSequences.store_sequences(ids(), keep=keep)
        return names, result
    with hold_lock(path):
        # Damaged rows read as None and are written again, so their names are collected again too.
        while (read := _read_rows(path)) is None:
            names.clear()
            with atomic_folder(path, "names.json") as draft:
                with (draft / "ids.i4").open("wb") as file:
                    ends, whole = _write_sequences(file, ids(), keep)
                np.save(draft / "ends.npy", ends)
                np.save(draft / "whole.npy", whole)
                (draft / "names.json").write_text(json.dumps(names), encoding="utf-8")
            prune_cache(path)
    return read


def _read_rows(path: Path) -> tuple[list[Any], CachedSequences] | None:
    try:
        os.utime(path)  # so that what is used stays
        ends, whole = (np.load(path / f"{name}.npy", allow_pickle=False) for name in ("ends", "whole"))
        names = json.loads((path / "names.json").read_bytes())
        count = int(ends[-1]) if len(ends) else 0
        if not len(names) == len(ends) == len(whole) or (path / "ids.i4").stat().st_size != 4 * count:
            return None
        ids = np.memmap(path / "ids.i4", np.int32, "r", shape=(count,)) if count else np.zeros(0, np.int32)
    except (OSError, ValueError, EOFError):
        return None
    return names, CachedSequences(ids, ends, whole)

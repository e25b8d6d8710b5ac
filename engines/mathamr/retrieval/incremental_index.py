"""Indexes of documents: built of parts that processes share, and made up to date by the files that changed.

What an index was made of stands in its `files.json`: each file with its state, and what LaTeX files say of
each other. Files whose state is the same are taken from the index there is; it is replaced as a whole, so
that a search sees one state or the other. Parts that are finished outlive a stop, beside the new index.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import chain, islice
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engines.core.errors import DataError
from engines.core.events import Event, Sink, Stop, warn
from engines.core.files import atomic_folder, remove_folder, write_json
from engines.core.locks import sole_builder
from engines.documents.folder import Scanned, Unit, group_by_size, pdf_warning, scan_folder, unit_formulas
from engines.documents.formulas import DocumentFormula
from engines.documents.tex import Macros, Scan
from engines.mathamr.retrieval.segments import Segment, SegmentSource, merge_segments
from engines.mathamr.retrieval.segments import read_batches as rows_of
from engines.mathamr.rows import check

if TYPE_CHECKING:
    from engines.mathamr.retrieval.equal_formulas import ValueKeys

FILES = "files.json"
"""In an index of documents: what it was made of."""
_PART, _PARTS = "part.json", "parts.json"
_BATCH = 2_000_000
"""Bytes of documents that are read at once."""
_ROWS = 25_000
"""Rows of a table that are indexed at once."""
_NAMED = 5
"""So many kinds of what cannot be read are named."""
_SMALL = 3_000_000
"""Bytes that are indexed without other processes, which take a second to begin."""


@dataclass(frozen=True, slots=True)
class _Task:
    """Files to make a part of, or some rows of a table (`rows`), with what was left out of it and where
    first. `name` says what is in it."""

    name: str
    root: Path
    units: tuple[Unit, ...]
    macros: Mapping[str, Macros]
    column: str | None
    rows: tuple[DocumentFormula, ...] | None = None
    left_out: int = 0
    first: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _PreviousIndex:
    """The index that is there: its folder, its files with their numbers, states and how much of each was left
    out, and what its LaTeX files say."""

    folder: Path
    units: Mapping[str, tuple[int, str, int]]
    scans: Mapping[str, tuple[str, Scan]]
    about: Mapping[str, Any]


def write_documents(
    source: Path,
    out: Path,
    draft: Path,
    about: Mapping[str, Any],
    keys: ValueKeys | None,
    events: Sink,
    stop: Stop,
) -> dict[str, Any]:
    """Write the index of a folder, or file, into `draft`, of what the one in `out` has and what is new.

    Args:
        about: What the index says of itself already; an older one of other settings is of no use.

    Returns:
        What `about.json` says of it: see `index`.

    Raises:
        DataError: E660 where there are no formulas.
    """
    previous = _read_previous(out, about)
    result = scan_folder(source, {} if previous is None else previous.scans, about["column"])
    if pdf := result.left_out[".pdf"]:
        warn(events, pdf_warning(pdf))
    # Files whose state has not changed are taken from the older index.
    unchanged = set()
    if previous is not None:
        unchanged = {
            unit.path for unit in result.units if previous.units.get(unit.path, (0, ""))[1] == unit.state
        }
    new = [unit for unit in result.units if unit.path not in unchanged]
    numbers = {unit.path: number for number, unit in enumerate(result.units)}
    sources: list[SegmentSource] = []
    if previous is not None and unchanged:
        sources.append(_select_kept(previous, unchanged, numbers))
    left_out = {path: previous.units[path][2] for path in unchanged} if previous is not None else {}
    parts = out.with_name(f".{out.name}.parts")
    settings = {key: about[key] for key in ("version", "values")}
    first: dict[str, str] = {}
    # Parts that a killed build finished are found again under the same name.
    with sole_builder(parts, code="E669"):
        write_json(parts / _PARTS, {"of": out.name})
        for folder, part_facts in _make_parts(
            _plan_tasks(result, new, about["column"], settings), parts, keys, events, stop
        ):
            files = np.array([numbers[path] for path in part_facts["files"]], np.int32)
            sources.append(SegmentSource(folder, None, files))
            for path, count in part_facts["left_out"].items():
                left_out[path] = left_out.get(path, 0) + count
            for what, where in part_facts["first"].items():
                first.setdefault(what, where)
        events(Event("progress", {"done": len(sources), "total": len(sources), "unit": "parts, merging"}))
        for what, where in first.items():
            warn(events, f"{where}: {what}")
        counts = merge_segments(sources, draft) if sources else {"formulas": 0}
        if not counts["formulas"]:
            raise DataError(
                "there is no formula in it",
                path=source,
                code="E660",
                remedy="Expected formulas between dollars, or a table with a column of formulas (--column).",
            )
        units = [(unit.path, unit.state, left_out.get(unit.path, 0)) for unit in result.units]
        scans = {
            path: (state, scan.inputs, dict(scan.definitions), scan.root)
            for path, (state, scan) in result.scans.items()
        }
        write_json(draft / FILES, {"files": units, "scans": scans})
        remove_folder(parts, _PARTS)
    total = sum(left_out.values())
    return {
        **counts,
        "left_out": total,
        "doubts": {},
        "files": len(result.units),
        "files_read": len(new),
        "files_left_out": dict(sorted(result.left_out.items())),
    }


def is_current(source: Path, out: Path, about: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the description of the index in `out` if no file has changed since, otherwise None."""
    previous = _read_previous(out, about)
    if previous is None:
        return None
    result = scan_folder(source, previous.scans, about["column"])
    current_states = {unit.path: unit.state for unit in result.units}
    return (
        previous.about
        if current_states == {path: state for path, (_, state, _) in previous.units.items()}
        else None
    )


def _read_previous(out: Path, about: Mapping[str, Any]) -> _PreviousIndex | None:
    from engines.retrieval.index_storage import read_about

    try:
        old = read_about(out)
        held = json.loads((out / FILES).read_bytes())
        # An index of another version, of other documents or with other settings cannot be continued.
        if any(old.get(key) != about[key] for key in ("version", "documents", "column")):
            return None
        if (old.get("values") or {}).get("version") != (about["values"] or {}).get("version"):
            return None
        units = {path: (n, state, left) for n, (path, state, left) in enumerate(held["files"])}
        scans = {
            path: (state, Scan(tuple(map(tuple, inputs)), definitions, root))
            for path, (state, inputs, definitions, root) in held["scans"].items()
        }
    except (OSError, ValueError, KeyError, TypeError, DataError):  # it is made anew
        return None
    return _PreviousIndex(out, units, scans, old)


def _select_kept(before: _PreviousIndex, same: set[str], numbers: Mapping[str, int]) -> SegmentSource:
    files = np.full(len(before.units), -1, np.int32)
    for path, (number, _, _) in before.units.items():
        if path in same:
            files[number] = numbers[path]
    held = [batch["file"].to_numpy() for batch in rows_of(before.folder / "formulas.arrow")]
    column = np.concatenate([np.zeros(0, np.int32), *held])
    return SegmentSource(before.folder, files[column] >= 0, files)


def _plan_tasks(
    scanned: Scanned, new: Sequence[Unit], column: str | None, settings: Mapping[str, Any]
) -> Iterator[_Task]:
    """Return what is to be read, in parts; tables are read here, and only what is made of their rows
    elsewhere."""

    # The name of a part depends on all that it is made of, so a part of the same name is the same part.
    def hash_name(*what: object) -> str:
        return blake2b(repr((settings, column, *what)).encode(), digest_size=10).hexdigest()

    # Small files are put together, so that parts take about equally long.
    for batch in group_by_size([unit for unit in new if not unit.large], _BATCH):
        macros = {unit.path: scanned.macros[unit.path] for unit in batch if unit.path in scanned.macros}
        yield _Task(hash_name([(u.path, u.state) for u in batch]), scanned.root, tuple(batch), macros, column)
    for unit in new:
        if not unit.large:
            continue
        errors = _ErrorCounter()
        rows = unit_formulas(scanned.root, unit.path, None, column, errors.add_error)
        number = 0
        # Also once for a table without any row, so that its errors are counted.
        while (part := tuple(islice(rows, _ROWS))) or errors.count or not number:
            what = hash_name(unit.path, unit.state, number)
            yield _Task(what, scanned.root, (unit,), {}, column, part, errors.count, dict(errors.first))
            errors.count, errors.first = 0, {}
            number += 1


class _ErrorCounter:
    """Counts what cannot be read, and keeps where that was first."""

    def __init__(self) -> None:
        self.count = 0
        self.first: dict[str, str] = {}

    def add_error(self, error: DataError) -> None:
        self.count += 1
        if len(self.first) < _NAMED:
            self.first.setdefault(error.what, error.where)


def _make_parts(
    tasks: Iterable[_Task], folder: Path, keys: ValueKeys | None, events: Sink, stop: Stop
) -> Iterator[tuple[Path, dict[str, Any]]]:
    done = 0

    def report_part(part_folder: Path) -> tuple[Path, dict[str, Any]]:
        nonlocal done
        part_facts = json.loads((part_folder / _PART).read_bytes())
        done += part_facts["formulas"]
        events(Event("progress", {"done": done, "unit": "formulas indexed"}))
        return part_folder, part_facts

    # Keys are collected in this process, over all parts.
    tasks = iter(tasks)
    # A single small task is not worth starting processes for.
    first_tasks = list(islice(tasks, 2)) if keys is None else []
    if keys is not None or (
        len(first_tasks) < 2 and sum(u.size for task in first_tasks for u in task.units) < _SMALL
    ):
        for task in chain(first_tasks, tasks):
            check(stop)
            yield report_part(_make_part(task, folder, keys))
        return
    workers = max(1, min(8, os.cpu_count() or 1))
    # Processes are spawned: a fork would copy locks that other threads of this process hold.
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        waiting: list[Future[Path]] = []
        try:
            for task in chain(first_tasks, tasks):
                waiting.append(pool.submit(_make_part, task, folder, None))
                # Hand results on in order, with at most two waiting tasks per process.
                while waiting and (len(waiting) > 2 * workers or waiting[0].done()):
                    check(stop)
                    yield report_part(waiting.pop(0).result())
            while waiting:
                check(stop)
                yield report_part(waiting.pop(0).result())
        except BaseException:
            # Without this, leaving the block would wait for all tasks that were submitted.
            pool.shutdown(cancel_futures=True)
            raise


def _make_part(task: _Task, folder: Path, keys: ValueKeys | None) -> Path:
    """Make the part of a task, unless it is there.

    Returns:
        Its folder.
    """
    part_folder = folder / task.name
    # A folder appears under this name only when it is complete, so what an earlier run made can be used.
    if (part_folder / _PART).exists():
        return part_folder
    segment = Segment(None if keys is None else keys.start_anew(), by_tree=True)
    left_out: dict[str, int] = {}
    first = dict(task.first)
    count = 0
    # Each file has its own errors and its own numbering of repeated lines.
    for number, unit in enumerate(task.units):
        error_counter = _ErrorCounter()
        rows: Iterable[DocumentFormula] | None = task.rows
        if rows is None:
            rows = unit_formulas(
                task.root, unit.path, task.macros.get(unit.path), task.column, error_counter.add_error
            )
        times_seen: dict[str, int] = {}
        for row in rows:
            look = segment.add_look(row.latex)
            text = segment.add_field(row.path, "sentence", row.sentence) if row.sentence else -1
            name = f"{row.path}:{row.line}"
            occurrence = times_seen[name] = times_seen.get(name, 0) + 1
            # A second formula on one line has a number behind the line's.
            id_ = row.row or (name if occurrence == 1 else f"{name}:{occurrence}")
            segment.add_formula(look, id_, row.path, row.row, line=row.line, file=number, field=text)
            count += 1
        left_out[unit.path] = task.left_out + error_counter.count
        first = {**error_counter.first, **first}
    with atomic_folder(part_folder, _PART) as draft:
        segment.write_files(draft)
        files = [unit.path for unit in task.units]
        write_json(draft / _PART, {"files": files, "formulas": count, "left_out": left_out, "first": first})
    return part_folder

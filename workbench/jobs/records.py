"""The index of a workspace's jobs, and records put straight: ends that nobody wrote down, orphaned workers.

The index is SQLite in the local state folder, so that a long list costs one query. It holds nothing that
the run folders do not hold: a damaged or missing one is made again, one that cannot be written is done
without.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import shutil
import sqlite3
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from engines.core.errors import EngineError
from engines.core.files import sweep as clear_away
from workbench.config import state_dir
from workbench.jobs import queue
from workbench.jobs.folder import LIVE, Attempt, Ending, Job, all_jobs
from workbench.jobs.machine import is_network, sweep
from workbench.jobs.view import JobView, Look, changed_at, standing

if TYPE_CHECKING:
    from workbench.workspace import Workspace


_TABLE = "views (job INTEGER PRIMARY KEY, changed_ns INTEGER NOT NULL, view TEXT NOT NULL)"


@dataclass(frozen=True, slots=True)
class Row:
    """What the index knew of a job when its run folder had this modification time (`changed_ns`)."""

    view: JobView
    changed_ns: int


class Index:
    """The index of one workspace. Connections last for one call; `notice` says what is unusual about it."""

    def __init__(self, workspace_root: Path) -> None:
        name = hashlib.sha256(str(workspace_root.resolve()).encode()).hexdigest()[:16]
        self.path = state_dir() / "jobs" / f"{name}.sqlite3"
        self.notice = ""

    def load(self) -> dict[int, Row]:
        """What is known, by job; empty when the index had to be thrown away."""
        rows: dict[int, Row] = {}
        with self._connected() as database:
            for number, view, changed_ns in database.execute("SELECT job, view, changed_ns FROM views"):
                # A view of another version of the program is read from its folder again.
                with contextlib.suppress(TypeError, ValueError):
                    rows[number] = Row(JobView.from_dict(json.loads(view)), changed_ns)
        return rows

    def save(self, rows: Iterable[Row]) -> None:
        """Insert or replace."""
        with self._connected() as database:
            found = [(row.view.id, row.changed_ns, json.dumps(row.view.to_dict())) for row in rows]
            database.executemany("INSERT OR REPLACE INTO views VALUES (?, ?, ?)", found)

    def forget(self, numbers: Iterable[int]) -> None:
        """Drop jobs that are no more."""
        with self._connected() as database:
            database.executemany("DELETE FROM views WHERE job = ?", [(number,) for number in numbers])

    def clear(self) -> None:
        """Throw the index away, to be filled anew."""
        for suffix in ("", "-wal", "-shm", "-journal"):
            with contextlib.suppress(OSError):
                self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)

    @contextlib.contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        """One transaction. What goes wrong with an index goes no further than `notice`."""
        try:
            database = self._ready()
        except (sqlite3.Error, OSError) as error:
            self.notice = f"the job index cannot be used: {error}"
            database = sqlite3.connect(":memory:", isolation_level=None)
            database.execute(f"CREATE TABLE IF NOT EXISTS {_TABLE}")
        try:
            database.execute("BEGIN IMMEDIATE")
            yield database
            database.execute("COMMIT")
        except sqlite3.OperationalError as error:
            self.notice = f"the job index cannot be used: {error}"
        except sqlite3.DatabaseError as error:
            self._damaged(error)
        finally:
            database.close()

    def _ready(self) -> sqlite3.Connection:
        try:
            return self._open()
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError as error:
            self._damaged(error)
            return self._open()

    def _damaged(self, error: sqlite3.DatabaseError) -> None:
        self.notice = f"the job index was damaged and is made again: {error}"
        self.clear()

    def _open(self) -> sqlite3.Connection:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        new = not self.path.exists()
        database = sqlite3.connect(self.path, timeout=10.0, isolation_level=None)
        try:
            # The journal mode stays with the file, so the file system is looked at once.
            if new and is_network(self.path.parent):
                database.execute("PRAGMA journal_mode = TRUNCATE")
            elif new:
                database.execute("PRAGMA journal_mode = WAL")
            if database.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
                self.notice = f"{self.path.parent} is on a network file system: the job index is slower there"
            database.execute("PRAGMA synchronous = NORMAL")
            database.execute(f"CREATE TABLE IF NOT EXISTS {_TABLE}")
            return database
        except BaseException:
            database.close()
            raise


_RUBBISH = re.compile(r"\.draft-[0-9a-f]{12}|\.removed-\d+-[0-9a-f]{8}")
"""The names of runs half made or half removed."""


def look_at(workspace: Workspace) -> Look:
    """A look at all jobs of a workspace, with what the index knows."""
    return Look(workspace.runs, Index(workspace.root).load())


def reconcile(workspace: Workspace, look: Look | None = None) -> list[JobView]:
    """Put the records straight: write down the end of attempts whose supervisor could not, give orphaned
    workers a new one, and bring the index up to date.

    Args: look: just begun, to be gone on with. Returns: the jobs that are over now and were not when the
    index last knew of them.
    """
    queue.keep(workspace.runs)
    index = Index(workspace.root)
    look = look or look_at(workspace)
    known = look.known
    result = all_jobs(workspace.runs)
    news, rows = [], []
    # The members of a sweep, which are younger, before it: its state follows from theirs.
    for item in reversed(result):
        if look.kept(item) is not None:
            continue
        row = known.get(item.id)
        changed_ns = changed_at(item)
        last = item.attempts()[-1:]
        in_order = not last or settle(last[0], look=look)
        view = look.view(item)
        if not view.live and not in_order:
            continue
        if row is not None and row.view.live and not view.live:
            news.append(view)
        before = row and (row.changed_ns, row.view.state, row.view.attempt)
        if not view.live or before != (changed_ns, view.state, view.attempt):
            rows.append(Row(view, changed_ns))
    if rows:
        index.save(rows)
    gone = set(known) - {item.id for item in result}
    if gone:
        index.forget(gone)
    return news[::-1]


def reindex(workspace: Workspace) -> tuple[int, str]:
    """Make the index anew from the run folders, and clear away what half-made or half-removed runs have left.

    Returns: how many jobs there are, and what is unusual about the index ("" for nothing).
    """
    with contextlib.suppress(OSError):
        for place in (workspace.runs, *(item.folder for item in all_jobs(workspace.runs))):
            for entry in place.iterdir():
                if _RUBBISH.fullmatch(entry.name) and _old(entry):
                    shutil.rmtree(entry, ignore_errors=True)
    for item in all_jobs(workspace.runs):
        for folder in (item.folder, *(each.folder for each in item.attempts())):
            clear_away(folder, below=False)
    index = Index(workspace.root)
    index.clear()
    look = Look(workspace.runs)
    for item in all_jobs(workspace.runs):
        for attempt in item.attempts()[-1:]:
            settle(attempt, look=look)
    result = enter(workspace, all_jobs(workspace.runs), index)
    return result, index.notice


def settle(attempt: Attempt, *, give_up: bool = False, look: Look | None = None) -> bool:
    """Record the end of an attempt that has no one to record it, or give its worker a new supervisor.

    Args: look: the look at many jobs that this is part of. Returns: whether what its folder says now is
    final; not so when an end could not be written down.
    """
    now = standing(attempt, places=look.places if look else None)
    if now.recorded:
        return True
    silent = now.health == "silent" and give_up and attempt.ticket() is None
    if now.state in LIVE and not silent:
        if now.health == "orphaned":
            queue.supervise(attempt)
        return True
    # A full disk or a read-only folder: the state is right without being written, and another time will do.
    with contextlib.suppress(OSError, EngineError), attempt.held() as mine:
        if not mine:
            return False
        again = standing(attempt)
        if silent and again.health == "silent" and again.heartbeat is not None:
            reason = "abandoned by you: its machine had stopped responding"
            worker = attempt.worker()
            attempt.say_result(
                Ending("lost", reason, started=worker[1] if worker else None, ended=again.heartbeat.t)
            )
        elif again.ending is not None and not again.recorded:
            sweep(attempt.folder)
            attempt.say_result(again.ending)
            queue.leave(attempt)
        return True
    return False


def enter(workspace: Workspace, found: list[Job], index: Index | None = None) -> int:
    """Bring the index up to date with these jobs. Returns: how many there are."""
    look = Look(workspace.runs)
    rows = [Row(changed_ns=changed_at(item), view=look.view(item)) for item in found]
    (index or Index(workspace.root)).save(rows)
    return len(rows)


def _old(path: Path) -> bool:
    with contextlib.suppress(OSError):
        return time.time() - path.lstat().st_mtime > 3600
    return False

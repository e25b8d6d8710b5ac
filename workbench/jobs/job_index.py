"""The index of what is true about the jobs of a workspace.

It is SQLite in the local state folder, so that a long list costs one query. It holds nothing that the run
folders do not hold: a damaged or missing one is made again, one that cannot be written is done without.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path

from workbench.folders import state_dir
from workbench.jobs.job_views import IndexRow, JobView
from workbench.jobs.machine import is_network

_TABLE = "views (job INTEGER PRIMARY KEY, changed_ns INTEGER NOT NULL, view TEXT NOT NULL)"


class JobIndex:
    """The index of the jobs of one workspace, so that finished jobs need not be read from their folders.

    A connection lasts for one call. `notice` says what is unusual about the index.
    """

    def __init__(self, workspace_root: Path) -> None:
        # The state folder serves all workspaces of the user, so the path of this one makes the name.
        name = hashlib.sha256(str(workspace_root.resolve()).encode()).hexdigest()[:16]
        self.path = state_dir() / "jobs" / f"{name}.sqlite3"
        self.notice = ""

    def load_rows(self) -> dict[int, IndexRow]:
        """Return what is known, by job; empty if the index had to be discarded."""
        rows: dict[int, IndexRow] = {}
        with self._open_transaction() as database:
            for number, view, changed_ns in database.execute("SELECT job, view, changed_ns FROM views"):
                # A view of another version of the program is read from its folder again.
                with contextlib.suppress(TypeError, ValueError):
                    rows[number] = IndexRow(JobView(**json.loads(view)), changed_ns)
        return rows

    def save_rows(self, rows: Iterable[IndexRow]) -> None:
        """Store views, replacing those of the same jobs."""
        with self._open_transaction() as database:
            results = [
                (row.view.id, row.changed_ns, json.dumps(dataclasses.asdict(row.view))) for row in rows
            ]
            database.executemany("INSERT OR REPLACE INTO views VALUES (?, ?, ?)", results)

    def forget_jobs(self, numbers: Iterable[int]) -> None:
        """Remove jobs from the index."""
        with self._open_transaction() as database:
            database.executemany("DELETE FROM views WHERE job = ?", [(number,) for number in numbers])

    def clear(self) -> None:
        """Discard the index, to be filled again."""
        # SQLite's own files beside the database must go too, or it would apply an old journal to a new file.
        for suffix in ("", "-wal", "-shm", "-journal"):
            with contextlib.suppress(OSError):
                self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)

    @contextlib.contextmanager
    def _open_transaction(self) -> Iterator[sqlite3.Connection]:
        """Yield one transaction. What goes wrong with an index goes no further than `notice`."""
        try:
            database = self._open_or_rebuild()
        except (sqlite3.Error, OSError) as error:
            self.notice = f"the job index cannot be used: {error}"
            # An empty index in memory: the caller reads everything from the folders, which is slower but
            # right.
            database = sqlite3.connect(":memory:", isolation_level=None)
            database.execute(f"CREATE TABLE IF NOT EXISTS {_TABLE}")
        try:
            # IMMEDIATE takes the lock for writing at once; two readers that both wanted to write later would
            # fail.
            database.execute("BEGIN IMMEDIATE")
            yield database
            database.execute("COMMIT")
        # Busy or read-only: the index is left as it is. Other database errors mean that the file is damaged.
        except sqlite3.OperationalError as error:
            self.notice = f"the job index cannot be used: {error}"
        except sqlite3.DatabaseError as error:
            self._discard_damaged(error)
        finally:
            database.close()

    def _open_or_rebuild(self) -> sqlite3.Connection:
        try:
            return self._open_database()
        except sqlite3.OperationalError:
            # `OperationalError` is also a `DatabaseError`, but it says nothing about the file's content.
            raise
        except sqlite3.DatabaseError as error:
            self._discard_damaged(error)
            return self._open_database()

    def _discard_damaged(self, error: sqlite3.DatabaseError) -> None:
        self.notice = f"the job index was damaged and is made again: {error}"
        self.clear()

    def _open_database(self) -> sqlite3.Connection:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        new = not self.path.exists()
        # Seconds to wait for another process; `isolation_level=None` leaves the transactions to this class.
        database = sqlite3.connect(self.path, timeout=10.0, isolation_level=None)
        try:
            # The journal mode stays with the file, so the file system is looked at once.
            if new and is_network(self.path.parent):
                database.execute("PRAGMA journal_mode = TRUNCATE")
            elif new:
                database.execute("PRAGMA journal_mode = WAL")
            # Asked, because SQLite keeps another mode where it cannot change it.
            if database.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
                self.notice = f"{self.path.parent} is on a network file system: the job index is slower there"
            # After a power failure the last transaction may be missing, which the next look adds again.
            database.execute("PRAGMA synchronous = NORMAL")
            database.execute(f"CREATE TABLE IF NOT EXISTS {_TABLE}")
            return database
        except BaseException:
            database.close()
            raise

"""The index of a workspace's jobs: SQLite in the local state folder, so that a long list costs one query.

It holds nothing that the run folders do not hold. A damaged or missing index is made again from them; one
that cannot be written is done without.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from workbench import paths
from workbench.jobs.devices import is_network
from workbench.jobs.view import AttemptView, JobView

# Append-only: an index made by an older version is brought up to date by the steps it has not seen.
_MIGRATIONS = (
    """CREATE TABLE jobs (
        id INTEGER PRIMARY KEY, task TEXT NOT NULL, title TEXT NOT NULL, state TEXT NOT NULL,
        reason TEXT NOT NULL, attempt INTEGER NOT NULL, created REAL NOT NULL, ended REAL,
        changed_ns INTEGER NOT NULL, view TEXT NOT NULL
    )""",
    """CREATE TABLE attempts (
        job INTEGER NOT NULL, attempt INTEGER NOT NULL, state TEXT NOT NULL, reason TEXT NOT NULL,
        created REAL NOT NULL, started REAL, ended REAL, wall_s REAL, peak_bytes INTEGER NOT NULL,
        exit_code INTEGER, signal INTEGER,
        PRIMARY KEY (job, attempt)
    )""",
)


@dataclass(frozen=True, slots=True)
class Row:
    """What the index knew of a job when its run folder had this modification time (`changed_ns`)."""

    view: JobView
    changed_ns: int


class Index:
    """The index of one workspace. Connections last for one call; `notice` says what is unusual about it."""

    def __init__(self, workspace_root: Path) -> None:
        name = hashlib.sha256(str(workspace_root.resolve()).encode()).hexdigest()[:16]
        self.path = paths.state_dir() / "jobs" / f"{name}.sqlite3"
        self.notice = ""

    def load(self) -> dict[int, Row]:
        """What is known, by job; empty when the index had to be thrown away."""
        rows: dict[int, Row] = {}
        with self._connected() as database:
            for number, view, changed_ns in database.execute("SELECT id, view, changed_ns FROM jobs"):
                # A view of another version of the program is read from its folder again.
                with contextlib.suppress(TypeError, ValueError):
                    rows[number] = Row(JobView.from_dict(json.loads(view)), changed_ns)
        return rows

    def save(self, rows: Iterable[Row], attempts: Iterable[tuple[int, AttemptView]] = ()) -> None:
        """Insert or replace."""
        with self._connected() as database:
            database.executemany(
                "INSERT OR REPLACE INTO jobs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (
                        row.view.id,
                        row.view.task,
                        row.view.title,
                        row.view.state,
                        row.view.reason,
                        row.view.attempt,
                        row.view.created,
                        row.view.ended,
                        row.changed_ns,
                        json.dumps(row.view.to_dict()),
                    )
                    for row in rows
                ],
            )
            database.executemany(
                "INSERT OR REPLACE INTO attempts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (
                        job,
                        item.number,
                        item.state,
                        item.reason,
                        item.created,
                        item.started,
                        item.ended,
                        item.wall_s,
                        item.peak_bytes,
                        item.exit_code,
                        item.signal,
                    )
                    for job, item in attempts
                ],
            )

    def forget(self, numbers: Iterable[int]) -> None:
        """Drop jobs that are no more."""
        with self._connected() as database:
            for number in numbers:
                database.execute("DELETE FROM jobs WHERE id = ?", (number,))
                database.execute("DELETE FROM attempts WHERE job = ?", (number,))

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
            database = _prepared(sqlite3.connect(":memory:", isolation_level=None))
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
            return _prepared(database)
        except BaseException:
            database.close()
            raise


def _prepared(database: sqlite3.Connection) -> sqlite3.Connection:
    """Bring the tables up to date. `timeout` above is SQLite's busy_timeout."""
    database.execute("CREATE TABLE IF NOT EXISTS migrations (number INTEGER PRIMARY KEY)")
    (done,) = database.execute("SELECT COUNT(*) FROM migrations").fetchone()
    if done < len(_MIGRATIONS):
        database.execute("BEGIN IMMEDIATE")
        (done,) = database.execute("SELECT COUNT(*) FROM migrations").fetchone()
        for number in range(done, len(_MIGRATIONS)):
            database.execute(_MIGRATIONS[number])
            database.execute("INSERT INTO migrations VALUES (?)", (number,))
        database.execute("COMMIT")
    return database

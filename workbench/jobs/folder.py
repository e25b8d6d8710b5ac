"""The run folder, which is the truth about a job: who writes which file, and how it is read.

    runs/<id>/recipe.toml              submit: what to do
              env.json                 worker: versions, data hashes, machine
              attempt-N/attempt.json   submit or resume: when it was asked for
                        heartbeat.json supervisor: that it lives, and the memory in use
                        worker.json    worker: which process it is
                        events.jsonl   worker: what it reports
                        outcome.json   worker: how it ended, by its own account
                        cluster.json   whoever hands it to a cluster: the cluster's number for it
                        request.json   whoever asks it to stop or be killed
                        result.json    the holder of `lock`: how the attempt ended, for good
                        stdout.log stderr.log supervisor.log
              protected.json           whoever protects it from being deleted
    of a sweep members.json            its jobs, each with its setting and what tells its repeats apart
    of a run in it sweep.json          the number of its sweep, and how its runs go on together

Whoever holds `lock` may write the result, and nobody else: the supervisor while it lives, otherwise a reader
that finds the attempt dead. So a result is written once and never changes.

A sweep, several runs of one recipe as one line, is a run folder without attempts that names its members. Its
state follows from theirs, so nothing of a sweep has to live. The shares of a work are a sweep too, whose last
member begins when the others are over.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Self

from engines.core.errors import DataError, EngineError
from engines.core.files import file_error, remove_drafts, write_json
from engines.core.locks import update
from workbench.config import flatten_table
from workbench.jobs.machine import ProcessId
from workbench.recipes import Recipe

# Paths in a recipe
_UP = "../../"
"""From a run folder to its workspace."""
INSIDE = "./out/"
"""What begins with this is in the folder that a run has for what it writes, whatever its number."""


def to_relative(params: Mapping[str, Any], root: Path) -> dict[str, Any]:
    """Write paths that are inside the workspace relative to a run folder.

    Args:
        params: The parameters of a recipe.
        root: The folder of the workspace.
    """

    def shorten_path(text: str) -> str:
        path = Path(text)
        inside = path.is_absolute() and path.is_relative_to(root)
        return _UP + path.relative_to(root).as_posix() if inside else text

    return {key: map_texts(value, shorten_path) for key, value in params.items()}


def to_absolute(params: Mapping[str, Any], run: Path) -> dict[str, Any]:
    """Return parameters with absolute paths, as they were before `to_relative`.

    Args:
        params: The parameters of a stored recipe.
        run: The run folder.
    """
    # `absolute` and not `resolve`: a workspace behind a symbolic link keeps the path that its user gave.
    here = run.absolute()

    def expand_path(text: str) -> str:
        # `normpath` removes the dots without looking at the disk, since an output folder need not exist yet.
        return os.path.normpath(here / text) if text.startswith((_UP, INSIDE)) else text

    return {key: map_texts(value, expand_path) for key, value in params.items()}


def map_texts(value: Any, change: Callable[[str], str]) -> Any:
    """Return a value with every text in it changed by a function."""
    if isinstance(value, Mapping):
        return {key: map_texts(item, change) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [map_texts(item, change) for item in value]
    if isinstance(value, Path):
        return change(str(value))
    return change(value) if isinstance(value, str) else value


@dataclass(frozen=True, slots=True)
class DiffRow:
    """A setting in which two jobs differ; None on the side that does not have it."""

    key: str
    left: Any
    right: Any


def iterate_texts(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Yield every text in a value with its dotted key."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield from iterate_texts(item, f"{key}.{name}" if key else name)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from iterate_texts(item, key)
    elif isinstance(value, str):
        yield key, value


def recipe_diff(left: Recipe, right: Recipe) -> list[DiffRow]:
    """Return the settings in which two recipes differ: `task` and `seed`, then the parameters by name."""
    heads = [
        diff_documents({name: getattr(left, name)}, {name: getattr(right, name)}) for name in ("task", "seed")
    ]
    return [*heads[0], *heads[1], *diff_documents(left.params, right.params)]


def diff_documents(left: Mapping[str, Any], right: Mapping[str, Any]) -> list[DiffRow]:
    """Return the values in which two documents differ, by dotted key."""
    a, b = flatten_table(left), flatten_table(right)
    return [DiffRow(key, a.get(key), b.get(key)) for key in sorted({*a, *b}) if a.get(key) != b.get(key)]


# States and endings
LIVE = ("queued", "starting", "running", "stopping")
TERMINAL = ("succeeded", "failed", "stopped", "lost")

# 64 KiB: more than an `outcome.json` takes.
_RESERVE_BYTES = 2**16
_REMOVED = "removed.json"
_NUMBER = re.compile(r"[1-9][0-9]{0,14}")
"""A job's number as the name of its folder; a longer one, or another way to write it, is not ours."""
_KINDS: Mapping[str, Any] = {
    "str": str,
    "int": int,
    "int | None": int | None,
    "float": int | float,
    "float | None": int | float | None,
    "dict": dict,
}
_DAMAGED = (KeyError, TypeError, ValueError, OverflowError)
"""What reading a document raises that has not what is written there."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How an attempt ended; times are in Unix seconds.

    Args:
        state: One of `TERMINAL`.
        reason: Why, for the user.
        remedy: What the user can do about it.
        code: The error code.
        exit_code: The exit code of the worker.
        signal: The signal that ended the worker.
        started: When the worker began.
        ended: When it ended.
        peak_bytes: The largest resident memory of all its processes together.
        metrics: The last value of each metric.
        value: What the task returned.
    """

    state: str
    reason: str = ""
    remedy: str = ""
    code: str = ""
    exit_code: int | None = None
    signal: int | None = None
    started: float | None = None
    ended: float = 0.0
    peak_bytes: int = 0
    metrics: dict[str, float] = field(default_factory=dict)
    value: dict[str, Any] = field(default_factory=dict)

    @property
    def wall_s(self) -> float:
        """The running time of the worker in seconds."""
        return max(0.0, self.ended - self.started) if self.started is not None else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return the document that is stored."""
        return {"v": 1, **asdict(self), "wall_s": round(self.wall_s, 3)}

    @classmethod
    def of_error(cls, error: EngineError) -> Ending:
        """Return the failure that an error stands for."""
        # A full disk is the only error whose own text would not say enough: the path then follows the reason.
        full = error.code == "E310"
        reason = "disk full" if full else error.what
        if error.where:
            reason = f"{reason}: {error.where}" if full else f"{error.where}: {reason}"
        return cls("failed", reason, error.remedy, error.code, ended=time.time())

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Ending:
        """Read what `to_dict` wrote; keys of newer versions are ignored.

        Raises:
            ValueError: If a value has the wrong type.
        """
        # Annotations are texts here, so `dict[str, float]` is looked up by what comes before its bracket.
        known = {item.name: _KINDS[str(item.type).partition("[")[0]] for item in fields(cls)}
        fields_given = {key: value for key, value in document.items() if key in known}
        for key, value in fields_given.items():
            # Nothing that is counted here comes near 64 bits, so a larger integer is damage.
            if not isinstance(value, known[key]) or (isinstance(value, int) and abs(value) >= 2**63):
                raise ValueError(key)
        if not all(isinstance(value, int | float) for value in fields_given.get("metrics", {}).values()):
            raise ValueError("metrics")
        # A time of another magnitude would raise later, where it is turned into a date.
        for name in ("started", "ended"):
            if fields_given.get(name):
                _parse_time(fields_given[name])
        return cls(**fields_given)


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """A sign of life of the supervisor at Unix time `t`, with the memory of the worker and its children."""

    t: float
    supervisor: ProcessId
    rss_bytes: int = 0
    peak_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Ticket:
    """Which executor has an attempt. `number` is what it calls the job; empty while it is handed over."""

    executor: str
    number: str = ""


# Attempts
@dataclass(frozen=True, slots=True)
class Attempt:
    """An attempt at a job; every read is of this moment, and a file that cannot be read counts as missing."""

    job: int
    number: int
    folder: Path

    @property
    def events(self) -> Path:
        """The event log of the worker."""
        return self.folder / "events.jsonl"

    @property
    def stdout(self) -> Path:
        """The log of what the worker printed."""
        return self.folder / "stdout.log"

    @property
    def stderr(self) -> Path:
        """The log of the worker's errors."""
        return self.folder / "stderr.log"

    def _write_document(self, name: str, document: Mapping[str, Any]) -> None:
        """Write one of its documents, which has no other writer."""
        self._refuse_removed()
        write_json(self.folder / name, document)

    def _refuse_removed(self) -> None:
        """Refuse to write where the folder has been removed, which would make it anew."""
        if not self.folder.is_dir():
            raise file_error(FileNotFoundError(errno.ENOENT, ""), self.folder, "write")

    def created_at(self) -> float:
        """Return when the attempt was requested, in Unix seconds."""
        return _read_time(self.folder / "attempt.json")

    def read_heartbeat(self) -> Heartbeat | None:
        """Return the last sign of life of the supervisor, or None before the first."""
        raw = read_document(self.folder / "heartbeat.json")
        try:
            memory = int(raw["rss_bytes"]), int(raw["peak_bytes"])
            return Heartbeat(_parse_time(raw["t"]), ProcessId.from_dict(raw), *memory)
        except _DAMAGED:
            return None

    def write_heartbeat(self, heartbeat: Heartbeat) -> None:
        """Store a sign of life of the supervisor."""
        document = asdict(heartbeat)
        # The identity of the process is stored flat, next to the time, as `ProcessId.from_dict` expects it.
        self._write_document("heartbeat.json", {"v": 1, **document.pop("supervisor"), **document})

    def worker_process(self) -> ProcessId | None:
        """Return the process of the worker, or None if none has begun."""
        with contextlib.suppress(*_DAMAGED):
            return ProcessId.from_dict(read_document(self.folder / "worker.json"))
        return None

    def started_at(self) -> float | None:
        """Return when the worker began, in Unix seconds, or None if none has."""
        return _read_time(self.folder / "worker.json") or None

    def claim_worker(self) -> None:
        """Store this process as the worker."""
        self._write_document("worker.json", {"v": 1, "t": time.time(), **asdict(ProcessId.of_this_process())})

    def cluster_ticket(self) -> Ticket | None:
        """Return which executor has the attempt, or None for an attempt on this machine."""
        raw = read_document(self.folder / "cluster.json")
        # A file that names no executor is Slurm's.
        return Ticket(str(raw.get("cluster", "slurm")), str(raw.get("id", ""))) if raw else None

    def write_ticket(self, ticket: Ticket) -> None:
        """Store which executor has the attempt."""
        self._write_document("cluster.json", {"v": 1, "cluster": ticket.executor, "id": ticket.number})

    def read_request(self) -> str:
        """Return what was requested of the attempt: "", "stop" or "kill"."""
        return str(read_document(self.folder / "request.json").get("want", ""))

    def request_reason(self) -> str:
        """Return the limit of the cluster that requested a stop, or "" if the user did."""
        return str(read_document(self.folder / "request.json").get("why", ""))

    def stop_reason(self) -> str:
        """Return what stopped the attempt, for the user."""
        asked = "stopped by you" if self.read_request() else "stopped by a signal from outside"
        return self.request_reason() or asked

    def requested_at(self) -> float:
        """Return when the stop or kill was requested, in Unix seconds."""
        return _read_time(self.folder / "request.json")

    def request_end(self, want: str, why: str = "") -> None:
        """Request a stop or a kill. A stop does not replace a kill; the time of the first request is kept.

        Args:
            want: "stop" or "kill".
            why: The limit of the cluster that requests it; empty for the user.
        """

        def add_request(data: bytes) -> bytes:
            # A second request changes nothing, and a kill is never weakened to a stop.
            if self.read_request() in (want, "kill"):
                return data
            reason = {"why": why} if why else {}
            return json.dumps({"v": 1, "want": want, "t": time.time(), **reason}).encode() + b"\n"

        self._refuse_removed()
        # `update` holds the lock of the file, so that of two requesters neither overwrites the other's.
        update(self.folder / "request.json", add_request)

    def read_outcome(self) -> Ending | None:
        """Return how the attempt ended by the worker's own account, or None."""
        return _read_ending(self.folder / "outcome.json")

    def read_result(self) -> Ending | None:
        """Return how the attempt ended, once that is recorded for good, or None."""
        return _read_ending(self.folder / "result.json")

    def reserve_space(self) -> None:
        """Put a little disk space aside, so that a full disk can still take the record that it is full."""
        path = self.folder / "reserve"
        try:
            path.write_bytes(b"\0" * _RESERVE_BYTES)
        except OSError as error:
            raise file_error(error, path, "write") from error

    def write_outcome(self, ending: Ending) -> None:
        """Store the worker's account of its end.

        Raises:
            DataError: If even the reserved space does not suffice.
        """
        # Freed just before the write, so that a disk that is full by now still has room for the account.
        (self.folder / "reserve").unlink(missing_ok=True)
        self._write_document("outcome.json", ending.to_dict())

    def write_result(self, ending: Ending) -> None:
        """Store the end for good and remove what killed writers have left. Only the holder of the lock may
        call it.
        """
        # The same reserve serves the supervisor, when the worker died before it could use it.
        (self.folder / "reserve").unlink(missing_ok=True)
        for folder in (self.folder, self.folder.parent):
            remove_drafts(folder, below=False)
        self._write_document("result.json", ending.to_dict())

    @contextlib.contextmanager
    def hold_lock(self, wait_s: float = 0.0) -> Iterator[bool]:
        """Hold the lock of the attempt for the length of a block; it ends with this process at the latest.

        Args:
            wait_s: Seconds to wait for another holder.

        Yields:
            Whether the lock was free.
        """
        # The file of the lock is never removed: a process that opened the old one would lock a file that
        # nobody else sees.
        descriptor = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT, 0o644)
        try:
            yield _try_lock(descriptor, wait_s)
        finally:
            # Closing the descriptor releases the lock, unless a child process has inherited it.
            os.close(descriptor)


def _try_lock(descriptor: int, wait_s: float) -> bool:
    deadline = time.monotonic() + wait_s
    while True:
        try:
            # Asked without blocking and in a loop, because `flock` itself cannot wait for a limited time.
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if time.monotonic() >= deadline:
                return False
            time.sleep(0.02)
        except OSError as error:
            # A file system without locks: identities and heartbeats have to do.
            if error.errno in (errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS):
                return True
            raise


# Jobs
@dataclass(frozen=True, slots=True)
class Job:
    """A job by its number and run folder."""

    id: int
    folder: Path

    @classmethod
    def of_folder(cls, folder: str | Path) -> Self:
        """Return the job of a run folder, whose name is its number; 0 where it is none."""
        folder = Path(folder)
        return cls(int(folder.name) if folder.name.isdecimal() else 0, folder)

    @property
    def recipe(self) -> Path:
        """The file of the recipe."""
        return self.folder / "recipe.toml"

    @property
    def environment(self) -> Path:
        """The file of what determined the result besides the recipe."""
        return self.folder / "env.json"

    def is_there(self) -> bool:
        """Return whether the folder is that of a job: it has a recipe, or attempts at least."""
        return self.recipe.exists() or bool(self.attempts())

    def read_recipe(self) -> Recipe:
        """Read the recipe, with absolute paths.

        Raises:
            DataError: If it cannot be read.
        """
        result = Recipe.read(self.recipe)
        return replace(result, params=to_absolute(result.params, self.folder))

    def write_recipe(self, spec: Recipe, runs: Path) -> None:
        """Write the recipe. Paths in the workspace are written relative to the run folder, so a workspace
        can be moved.

        Raises:
            DataError: If it cannot be written.
        """
        replace(spec, params=to_relative(spec.params, runs.absolute().parent)).write(self.recipe)

    def out_folder(self, spec: Recipe) -> Path:
        """Return the folder that the work writes to."""
        return Path(spec.params.get("out") or self.folder / "out")

    def attempt(self, number: int) -> Attempt:
        """Return the attempt with a number, whether it exists or not."""
        return Attempt(self.id, number, self.folder / f"attempt-{number}")

    def attempts(self) -> list[Attempt]:
        """List the attempts, oldest first."""
        numbers = []
        with contextlib.suppress(OSError):
            for entry in os.scandir(self.folder):
                # The folder also contains logs and outputs, and a name such as `attempt-1.old` must not
                # count.
                begin, dash, number = entry.name.partition("attempt-")
                if dash and not begin and _NUMBER.fullmatch(number):
                    numbers.append(int(number))
        return [self.attempt(number) for number in sorted(numbers)]

    def last_attempt(self) -> Attempt:
        """Return the last attempt.

        Raises:
            EngineError: E604 if there is none.
        """
        attempts = self.attempts()
        # Name the likely cause: a sweep has no attempt, and any other folder without one is damaged.
        if not attempts and (self.folder / "members.json").exists():
            what = f"job {self.id} is a sweep, and each of its runs has its own log"
            remedy = f"List them: mathwb jobs list --where sweep:{self.id}"
            raise EngineError(what, code="E604", remedy=remedy)
        if not attempts:
            what = "the run folder holds no attempt"
            remedy = f"Remove it: mathwb jobs rm {self.id}"
            raise EngineError(what, where=str(self.folder), code="E604", exit_code=4, remedy=remedy)
        return attempts[-1]

    def add_attempt(self, after: int, ticket: Ticket | None = None) -> Attempt | None:
        """Make the attempt after number `after`.

        Args:
            after: The number of the last attempt.
            ticket: The executor that gets the new one; None on this machine.

        Returns:
            The attempt, or None if another process has just made it.
        """
        attempt = self.attempt(after + 1)
        # Under another name and renamed: an attempt is never seen without the time it was asked for.
        draft = self.folder / f".draft-{os.urandom(6).hex()}"
        draft.mkdir()
        try:
            write_json(draft / "attempt.json", {"v": 1, "t": time.time()})
            if ticket is not None:
                Attempt(self.id, attempt.number, draft).write_ticket(ticket)
            draft.rename(attempt.folder)
            with contextlib.suppress(OSError):
                os.utime(self.folder.parent)  # for those who watch the jobs
        except OSError as error:
            # A rename onto a folder that is not empty fails: another process has made this attempt first.
            if error.errno not in (errno.EEXIST, errno.ENOTEMPTY):
                raise
            return None
        finally:
            shutil.rmtree(draft, ignore_errors=True)
        return attempt


def read_document(path: Path) -> dict[str, Any]:
    """Read a small JSON document; it is empty if missing or damaged, since all are written atomically."""
    try:
        document = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


def _parse_time(value: Any) -> float:
    result = float(value)
    if not 0 <= result < 1e11:
        # The upper bound is the year 5138; anything above it is no time in seconds, but perhaps one in
        # milliseconds.
        raise ValueError(value)
    return result


def _read_time(path: Path) -> float:
    try:
        return _parse_time(read_document(path)["t"])
    except _DAMAGED:
        return 0.0


def _highest_number(runs: Path) -> int:
    try:
        highest = int(read_document(runs / _REMOVED)["highest"])
    except _DAMAGED:
        return 0
    return highest if _NUMBER.fullmatch(str(highest)) else 0


def _read_ending(path: Path) -> Ending | None:
    document = read_document(path)
    with contextlib.suppress(*_DAMAGED):
        return Ending.from_dict(document) if document.get("state") in TERMINAL else None
    return None


def create_job(
    runs: Path,
    spec: Recipe,
    ticket: Ticket | None = None,
    *,
    files: Mapping[str, Mapping[str, Any]] | None = None,
) -> Job:
    """Make a run folder with its recipe and first attempt, under the next free number.

    It is made under another name and renamed: a folder with a number is always complete, and of two processes
    that want the same number one gets it.

    Args:
        runs: The folder of all runs.
        spec: The recipe.
        ticket: The executor that is to get the job; None for this machine.
        files: Other JSON files of the run folder by name. A sweep has `members.json` among them, and no
            attempt.

    Raises:
        DataError: If it cannot be written.
    """
    draft = runs / f".draft-{os.urandom(6).hex()}"
    try:
        draft.mkdir(parents=True)
        Job.of_folder(draft).write_recipe(spec, runs)
        for name, document in (files or {}).items():
            write_json(draft / name, document)
        # A sweep has no attempt: nothing of it runs.
        if "members.json" not in (files or {}):
            Job.of_folder(draft).add_attempt(0, ticket)
        # The highest number that was ever deleted counts too, so that a new job never gets it.
        # Rename fails if another process took the number in the meantime; the next number is tried.
        number = max([_highest_number(runs), *(job.id for job in all_jobs(runs))]) + 1
        while True:
            target = runs / str(number)
            try:
                # A rename would silently replace an empty folder, so its absence is checked first.
                if not os.path.lexists(target):
                    draft.rename(target)
                    return Job(number, target)
            except OSError as error:
                if error.errno not in (errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR):
                    raise
            number += 1
    except OSError as error:
        raise file_error(error, runs, "write") from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def sweep_of(run: Path) -> int:
    """Return the number of the sweep that a run folder belongs to; 0 for none."""
    return int(read_membership(run).get("sweep", 0))


def read_membership(run: Path) -> dict[str, Any]:
    """Return what a run folder says of the sweep that it belongs to; nothing for a run of its own."""
    result = read_document(run / "sweep.json")
    return result if isinstance(result.get("sweep"), int) else {}


# Deleting
_PROTECTED = "protected.json"
_OURS = re.compile(
    r"recipe\.toml|(env|sweep|members|reporters|protected)\.json|report-.+|cluster-.+\.log|attempt-\d+|out"
    r"|tensorboard|wandb|\.draft-.+|\..+\.(tmp|old)|\.DS_Store|\.nfs.+"
)
"""What jobs, their tasks, their reporters and the system write into a run folder."""


def refuse_foreign(job: Job) -> None:
    """Refuse to delete a run folder that holds what no job made.

    Raises:
        DataError: E452 if it does.
    """
    try:
        others = sorted(one.name for one in job.folder.iterdir() if not _OURS.fullmatch(one.name))
    except OSError as error:
        raise file_error(error, job.folder, "read") from error
    if others:
        what = f"the run folder of job {job.id} also holds {', '.join(others)}, which would be lost"
        raise DataError(what, path=job.folder, code="E452", remedy="Move that elsewhere first.")


def retire_number(runs: Path, number: int) -> None:
    """Keep new jobs from getting the number of a deleted one, since notes may speak of it.

    Raises:
        DataError: If that cannot be written.
    """

    def raise_number(_: bytes) -> bytes:
        return f'{{"v": 1, "highest": {max(_highest_number(runs), number)}}}\n'.encode()

    update(runs / _REMOVED, raise_number)


def discard_job(runs: Path, job: Job) -> None:
    """Remove the run folder of a job that never began, for good.

    Raises:
        DataError: If it cannot be removed.
    """
    # Renamed first: from then on nobody sees half a job, and `rebuild_index` removes what a crash leaves.
    draft = runs / f".draft-{os.urandom(6).hex()}"
    try:
        job.folder.rename(draft)
        shutil.rmtree(draft)
    except OSError as error:
        raise file_error(error, job.folder, "write") from error


def is_protected(job: Job) -> bool:
    """Return whether the job, or the sweep that it is a run of, is protected from being deleted."""
    sweep = sweep_of(job.folder)
    # A protected sweep protects its runs, since a sweep without one of them could not be repeated.
    folders = [job.folder, *([job.folder.parent / str(sweep)] if sweep else [])]
    return any((folder / _PROTECTED).exists() for folder in folders)


def mark_protected(job: Job, *, on: bool) -> None:
    """Protect a job from removal, or end its protection.

    Raises:
        DataError: If the mark cannot be written.
    """
    path = job.folder / _PROTECTED
    if on:
        write_json(path, {"v": 1, "t": time.time()})
        return
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise file_error(error, path, "write") from error


def all_jobs(runs: Path) -> list[Job]:
    """Return every run folder, oldest first."""
    result = []
    with contextlib.suppress(FileNotFoundError):
        for entry in os.scandir(runs):
            # Anything else in the folder, such as drafts, the queue or a user's files, is no job.
            if _NUMBER.fullmatch(entry.name) and (job := Job(int(entry.name), Path(entry.path))).is_there():
                result.append(job)
    return sorted(result, key=lambda job: job.id)


def find_job(runs: Path, number: int) -> Job:
    """Return the job with a number.

    Raises:
        EngineError: E601 if there is none.
    """
    job = Job(number, runs / str(number))
    if not (_NUMBER.fullmatch(str(number)) and job.is_there()):
        raise EngineError(f"there is no job {number}", code="E601", remedy="See `mathwb jobs list`.")
    return job

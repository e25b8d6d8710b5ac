"""The worker of one attempt: runs the task of the recipe, logs what it reports, and says how it ended.

`python -m workbench.jobs.worker RUN_DIR ATTEMPT`, started by the supervisor in a process group of its own.
SIGTERM raises the flag that the task asks about. When the supervisor dies the worker carries on: it says so
in the log, and its `outcome.json` is what the next supervisor or reader goes by.

A worker that was started by a launcher (`placement.prepare_launch`) looks into the run folder for requests
instead. Of several processes the one of rank 0 is the worker; the others do their share of the task and write
nothing.
"""

from __future__ import annotations

import contextlib
import errno
import faulthandler
import json
import math
import os
import platform
import resource
import signal
import sys
import threading
import time
import traceback
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import workbench
from engines.core.distributions import installed_versions, list_requirements
from engines.core.errors import EngineError, StoppedError
from engines.core.events import Event, Sink, Stop, ignore, never
from engines.core.files import file_error, write_json
from engines.core.hashing import sha256
from engines.core.spec import describe_fields
from engines.core.system import count_processors, git_answers
from workbench.config import flatten_table
from workbench.errors import without_secrets
from workbench.jobs import timing
from workbench.jobs.folder import Attempt, Ending, Job, diff_documents, read_document
from workbench.jobs.lease import await_lease, watch_lease
from workbench.jobs.machine import memory_bytes
from workbench.jobs.placement import LAUNCHED, device_of
from workbench.jobs.supervisor import DISK_FULL, ORPHANED
from workbench.jobs.tail import LoggedEvent, keep_last
from workbench.recipes import Recipe

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class StopFlag:
    """A flag that a signal sets and the task reads; it remembers whether the task has read it."""

    def __init__(self) -> None:
        self.raised = False
        self.seen = False

    def __call__(self) -> bool:
        """Return what the task sees as `stop`."""
        # Whoever asks after the flag was raised knows of the request; `_was_stopped` relies on that.
        self.seen = self.raised
        return self.raised

    def take_signals(self) -> None:
        """Handle SIGTERM and SIGINT; in processes that the task forks they have their usual effect."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._raise_flag)
        os.register_at_fork(after_in_child=_default_signals)

    def _raise_flag(self, _number: int, _frame: object) -> None:
        self.raised = True


def _default_signals() -> None:
    # A pool ends its processes with SIGTERM; a handler that only raises a flag would keep them alive.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)


class EventLog:
    """The event log of an attempt: one write per line, so a reader sees whole lines, a crash costs one.

    Numbers that JSON cannot hold (NaN, infinities) become null, with one warning per name.
    """

    def __init__(self, attempt: Attempt) -> None:
        self.metrics: dict[str, float] = {}
        self._attempt = attempt
        self._seq = 0
        self._warned: set[str] = set()
        # Written by the task, and by threads that watch the supervisor and the lease.
        self._lock = threading.Lock()
        # Appending writes of a line are not mixed with those of another process, and no buffer is lost in a
        # crash.
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
        self._descriptor = os.open(attempt.events, flags, 0o644)

    def __call__(self, event: Event) -> None:
        """The sink that the task reports to.

        Raises:
            DataError: E310 when the disk is full.
        """
        lost: list[str] = []
        # JSON has no NaN, and a reader in another language would refuse the line.
        data = _replace_undefined(event.data, "", lost)
        if event.kind == "metric":
            keep_last(self.metrics, data)
        self._write_event(event.kind, data, event.step)
        for name in lost:
            if name not in self._warned:
                self._warned.add(name)
                self._write_event("warning", {"message": f"{name} is not a finite number"}, event.step)

    def _write_event(self, kind: str, data: Mapping[str, Any], step: int | None) -> None:
        # The number in the sequence and the line are one step, so lines are in the order of their numbers.
        with self._lock:
            of = self._attempt.job, self._attempt.number
            line = LoggedEvent(round(time.time(), 3), *of, self._seq, kind, step, dict(data)).to_dict()
            self._seq += 1
            text = json.dumps(line, ensure_ascii=False, separators=(",", ":"), default=str) + "\n"
            # Lone surrogates, as in the name of a file that is not UTF-8, are written as escapes.
            content = text.encode("utf-8", "backslashreplace")
            try:
                # A write may be short just before the disk is full; the second one then raises the error.
                written = os.write(self._descriptor, content)
                if written < len(content):
                    os.write(self._descriptor, content[written:])
            except OSError as error:
                raise file_error(error, self._attempt.events, "write") from error


def _replace_undefined(value: Any, name: str, lost: list[str]) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _replace_undefined(item, str(key), lost) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_replace_undefined(item, name, lost) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        lost.append(name)
        return None
    return value


def _run_job(job: Job, attempt: Attempt, log: EventLog, stop: StopFlag) -> Ending:
    try:
        spec = job.read_recipe()
        # Written before the work, so that a job that crashes still says what it ran with.
        _remember_environment(job, attempt, spec, log)
        _check_origin()
        log(Event("state", {"state": "running"}))
        value, was_stopped = perform_recipe(spec, job.out_folder(spec), events=log, stop=stop)
        # A task that was asked to stop either returns or raises `StoppedError`.
        ending = Ending("stopped", attempt.stop_reason()) if was_stopped else Ending("succeeded")
        value = _replace_undefined(value, "", [])
    except StoppedError:
        ending, value = Ending("stopped", attempt.stop_reason()), {}
    except BaseException as error:  # noqa: BLE001  # the bindings of some libraries panic outside Exception
        ending, value = _describe_failure(error, job, attempt), {}
    # macOS counts `ru_maxrss` in bytes, Linux in KiB.
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    ending = replace(ending, started=attempt.started_at(), ended=time.time(), peak_bytes=peak)
    return replace(ending, metrics=log.metrics, value=value)


def perform_recipe(recipe: Recipe, out: Path, *, events: Sink, stop: Stop) -> tuple[Any, bool]:
    """Run the operation of a recipe. The operation gets the recipe's seed and `out` if it takes them.

    Returns:
        What it returned, and whether it was stopped.
    """
    from workbench.operations import find_operation

    row = find_operation(recipe.task)
    done = row.perform(resolve_recipe(recipe, out), events=events, stop=stop)
    cut_short = isinstance(stop, StopFlag) and _was_stopped(done.document, stop)
    return done.document, done.code == 130 or cut_short


def resolve_recipe(recipe: Recipe, out: Path) -> Any:
    """Return the spec of a recipe whose work writes to `out` if the recipe names no folder.

    Raises:
        EngineError: As `Operation.resolve_spec`.
    """
    from workbench.operations import find_operation

    row = find_operation(recipe.task)
    names = {field.name for field in describe_fields(row.spec_type)}
    # The recipe's own values replace what is offered, and only fields that the operation has are offered.
    offered = {"out": str(out), "seed": recipe.seed}
    given = {name: value for name, value in offered.items() if name in names} | dict(recipe.params)
    if "executor" not in names:
        given.pop("executor", None)  # where it runs, which most operations know nothing of
    return row.resolve_spec(given)


def _was_stopped(value: Mapping[str, Any], stop: StopFlag) -> bool:
    """Return whether work that has returned was cut short. What it says itself (`complete`, `stop_reason`) is
    believed; otherwise it was, if it has seen the request to stop.
    """
    if not stop.seen or "complete" in value:
        return stop.seen and not value["complete"]
    return bool(value.get("stop_reason", "stopped") == "stopped")


def _missing_files_hint(job: Job) -> str:
    """Return what to do about files that the recipe names and that are not there; empty when all are."""
    try:
        params = flatten_table(job.read_recipe().params)
    except EngineError:
        return ""
    # The places that a job writes to need not exist before.
    named = {key: value for key, value in params.items() if key not in ("out", "publish")}
    gone = [key for key, value in named.items() if os.path.isabs(str(value)) and not Path(value).exists()]
    if not gone:
        return ""
    again = f"mathwb jobs rerun {job.id} --set {gone[0]}=PATH"
    return f"Put {named[gone[0]]} back and resume, or give its new place: {again}"


def _describe_failure(error: BaseException, job: Job, attempt: Attempt) -> Ending:
    resume = f"mathwb jobs resume {attempt.job}"
    if isinstance(error, EngineError):
        ending = Ending.of_error(error)
        return (
            # E312 is a file that is missing; if it is one that the recipe names, say how to give its new
            # path.
            replace(ending, remedy=moved)
            if error.code == "E312" and (moved := _missing_files_hint(job))
            else ending
        )
    # The whole traceback goes to the log of errors, the result gets one line.
    with contextlib.suppress(OSError):
        sys.stderr.write(without_secrets("".join(traceback.format_exception(error))))
    if isinstance(error, MemoryError):
        remedy = f"Use smaller limits or fewer workers, then: {resume}"
        return Ending("failed", "out of memory", remedy, "E110")
    if isinstance(error, OSError) and error.errno in _NO_ROOM:
        location = str(error.filename or attempt.folder.parent)
        return Ending("failed", f"disk full: {location}", f"Free some space, then: {resume}", "E310")
    what = without_secrets(f"unexpected {type(error).__name__}: {error}")
    return Ending("failed", what, f"See {attempt.stderr}", "E900")


def _remember_environment(job: Job, attempt: Attempt, spec: Recipe, log: EventLog) -> None:
    """Write env.json once; a later attempt says what has changed since."""
    device = device_of(attempt)
    where: dict[str, Any] = {key: device[key] for key in ("device", "processes") if key in device}
    # Names and not UUIDs: another card of the same kind is no change that deserves a warning.
    where["gpus"] = [card["name"] for card in device.get("gpus", ())]
    now = {**record_environment(spec), "device": where}
    before = read_document(job.environment)
    if not before:
        write_json(job.environment, now)
    elif changed := describe_changes(before, now):
        message = "the environment differs from the first attempt's"
        log(Event("warning", {"message": message, "changes": changed}))


_MANIFEST = "manifest.json"


def record_environment(spec: Recipe) -> dict[str, Any]:
    """Return the environment of a run as a JSON document.

    Every file that a parameter names is hashed, and of a folder its manifest; the output folder is not an
    input.
    """
    root = Path(workbench.__file__).parents[1]
    # Only a checkout has a commit; an installed wheel has none, and `git` is then None.
    git = git_answers(root, ["rev-parse", "HEAD"], ["status", "--porcelain"])
    return {
        "v": 1,
        "recipe_sha256": spec.sha256(),
        "seed": spec.seed,
        "mathwb": workbench.__version__,
        "git": git and {"commit": git[0], "changed": bool(git[1])},
        "python": platform.python_version(),
        "platform": platform.platform(),
        "cpus": count_processors(),
        "memory_bytes": memory_bytes(),
        "packages": installed_versions(sorted(list_requirements("mathwb"))),
        "data": _hash_data(spec),
    }


def describe_changes(before: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """Return the differences between two environments as lines: `packages.numpy: 2.1.0 -> 2.2.0`."""
    return [f"{row.key}: {row.left} -> {row.right}" for row in diff_documents(before, now)]


def _hash_data(spec: Recipe) -> dict[str, dict[str, Any]]:
    result = {}
    for key, value in flatten_table(spec.params).items():
        if not isinstance(value, str) or key == "out" or not Path(value).is_absolute():
            continue
        path = Path(value)
        # Of a folder only the manifest is hashed: to hash every file could take minutes.
        file = path / _MANIFEST if path.is_dir() else path
        if file.is_file():
            result[key] = {"path": value, "bytes": file.stat().st_size, "sha256": sha256(file)}
    return result


def _check_origin() -> None:
    """A folder `engines` of the user's may stand before ours in the module path."""
    import engines

    ours, theirs = (Path(package.__path__[0]).resolve() for package in (workbench, engines))
    if ours.parent not in (theirs, theirs.parent):  # a wheel has the engines around the workbench
        what = "another folder named engines shadows mathwb's own"
        raise EngineError(what, where=str(theirs), code="E623", remedy="Remove its parent from PYTHONPATH.")


def _watch_parent(log: EventLog, parent: int) -> None:
    """Say once that the supervisor is gone; the work goes on."""
    # A process whose parent dies gets another parent, so a changed parent means that the supervisor is gone.
    while os.getppid() == parent:
        time.sleep(timing.HEARTBEAT_S)
    with contextlib.suppress(EngineError, OSError):
        message = "the supervisor is gone; the work continues and records its own end"
        log(Event("warning", {"message": message}))


def _watch_requests(attempt: Attempt, stop: StopFlag) -> None:
    """Do what is asked of the attempt in its folder."""
    while (want := attempt.read_request()) != "kill":
        stop.raised = stop.raised or want == "stop"
        time.sleep(timing.TICK_S)
    os.killpg(0, signal.SIGKILL)


def _run_extra_rank(job: Job) -> int:
    """Return another rank's share of the work: the same task, heard by nobody, stopped by the first rank."""
    spec = job.read_recipe()
    try:
        perform_recipe(spec, job.out_folder(spec), events=ignore, stop=never)
    except EngineError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


def main(arguments: list[str]) -> int:
    """Work on an attempt, as the supervisor starts it.

    Returns:
        0 for `succeeded` and `stopped`, 1 for `failed`.
    """
    # Signals come first: a stop that arrives during the imports of the task must not end the process.
    stop = StopFlag()
    stop.take_signals()
    faulthandler.enable()
    folder = Path(arguments[0])
    job = Job(int(folder.name), folder)
    attempt = job.attempt(int(arguments[1]))
    launched = LAUNCHED in os.environ
    # The other ranks of a distributed job have no log and no claim.
    if os.environ.get("RANK", "0") != "0":
        return _run_extra_rank(job)
    try:
        attempt.claim_worker()
        beat = attempt.read_heartbeat()
        # Asked after the claim: whoever finds the supervisor dead later than this also finds the claim.
        if beat is None or (not launched and beat.supervisor.pid != os.getppid()):
            return ORPHANED
        # From here on the supervisor is known to live, and the work begins.
        log = EventLog(attempt)
        threading.Thread(target=watch_lease, args=(job, attempt, log), daemon=True).start()
        await_lease(job, attempt)
        # Behind a launcher the parent is not the supervisor, and requests come through the folder.
        watch = (_watch_requests, (attempt, stop)) if launched else (_watch_parent, (log, os.getppid()))
        threading.Thread(target=watch[0], args=watch[1], daemon=True).start()
        ending = _run_job(job, attempt, log, stop)
        # The outcome comes before the last events: a reader that sees the final state finds the outcome too.
        attempt.write_outcome(ending)
        with contextlib.suppress(EngineError, OSError):
            if ending.state == "failed":
                log(Event("error", {"code": ending.code, "message": ending.reason, "remedy": ending.remedy}))
            log(Event("state", {"state": ending.state, "reason": ending.reason}))
    except (EngineError, OSError) as error:
        # Not even the outcome could be written; the exit code is the only way left to say why.
        full = isinstance(error, EngineError) and error.code == "E310"
        if full or (isinstance(error, OSError) and error.errno in _NO_ROOM):
            return DISK_FULL
        raise
    return 1 if ending.state == "failed" else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

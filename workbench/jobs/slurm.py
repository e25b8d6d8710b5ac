"""Slurm: how a job is handed to the cluster, and what the cluster says of it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

from engines.core.errors import EngineError
from workbench.jobs.machine import MARK

WARNING_S = 120
"""So long before its time limit a job is warned, writes a checkpoint and is queued again."""

_OWN = {"cpus": "cpus-per-task", "memory": "mem", "warning": "signal"}
"""Names of ours for options of sbatch: memory in GB, the warning in seconds."""

_TAKEN = (
    *("array", "chdir", "error", "export", "job-name", "open-mode", "output", "parsable", "signal", "wait"),
    "wrap",
)
"""Options of sbatch that are set here."""

# Seconds for which an answer is reused, and seconds before a command of Slurm is given up.
_BELIEVED_S = 2.0
_PATIENCE_S = 30
_PENDING = (
    "PENDING",
    "REQUEUED",
    "REQUEUE_HOLD",
    "REQUEUE_FED",
    "SPECIAL_EXIT",
    "CONFIGURING",
    "RESV_DEL_HOLD",
)
_RUNNING = ("RUNNING", "COMPLETING", "SUSPENDED", "STOPPED", "SIGNALING", "STAGE_OUT", "RESIZING")


@dataclass(frozen=True, slots=True)
class ClusterState:
    """The state of a job as the cluster reports it.

    Args:
        state: Its word for the state; empty if it does not know the job (any more).
        reason: The reason for that.
        accounting: Whether the cluster keeps a record of finished jobs.
    """

    state: str = ""
    reason: str = ""
    accounting: bool = True

    @property
    def pending(self) -> bool:
        """Whether the job waits."""
        return self.state in _PENDING

    @property
    def live(self) -> bool:
        """Whether the job waits or runs."""
        return self.pending or self.state in _RUNNING


def parse_options(text: str) -> dict[str, str]:
    """Parse options of sbatch, as in `partition=gpu,time=60`, and return them by their long names.

    A value may have commas; an option without a value is written `exclusive=`.

    Raises:
        EngineError: E638 if an option cannot be read, is set by the program itself, or is not a number.
    """
    results: dict[str, str] = {}
    # Split at commas that an option follows, since values such as lists of nodes contain commas themselves.
    for part in filter(None, re.split(r",(?=[A-Za-z][A-Za-z-]*=)", text)):
        name, equals, value = part.partition("=")
        if not equals or not re.fullmatch(r"[a-z][a-z-]*", name):
            raise _option_error(
                part, "Write options as sbatch names them, as in partition=gpu,time=60,nodes=2."
            )
        if name in _TAKEN:
            raise _option_error(part, f"{name} is set by mathwb itself.")
        if name in ("memory", "warning") and not value.isdecimal():
            raise _option_error(part, "It is a whole number: GB for memory, seconds for warning.")
        if name == "time" and not re.fullmatch(r"[\d:-]+", value):
            raise _option_error(part, "Write a time in minutes, or as for sbatch: 2-12:00:00.")
        if name == "memory":
            # Slurm reads a number without a unit as MB.
            value = f"{value}G"
        elif name == "warning":
            # `B:` sends the signal to the batch script alone, which is our supervisor.
            value = f"B:USR2@{value}"
        results[_OWN.get(name, name)] = value
    # The warning can be replaced by the user's own.
    return {"signal": f"B:USR2@{WARNING_S}", **results}


def _option_error(part: str, remedy: str) -> EngineError:
    return EngineError(f"executor has {part!r}", code="E638", remedy=remedy)


def submit_runs(
    run: Path,
    log: Path,
    name: str,
    wanted: Mapping[str, str],
    runs: Sequence[Path] = (),
    parallel: int = 0,
    after: Sequence[str] = (),
) -> list[str]:
    """Hand a run folder to the cluster, or several as one array.

    Args:
        run: The run folder.
        log: The file for what it prints there; of several runs each has its own, `cluster-0.log`, ….
        name: The name of the job on the cluster.
        wanted: Options of sbatch.
        runs: The run folders of an array; the first one is `number_0` there.
        parallel: The number of array members at a time; 0: no limit.
        after: The cluster's numbers of jobs that have to be over first.

    Returns:
        The cluster's number of each.

    Raises:
        EngineError: E639 if there is no cluster here, E605 if it refuses.
    """
    if shutil.which("sbatch") is None:
        remedy = "Run it on a machine of the cluster, or with --executor local."
        raise EngineError("there is no Slurm here: sbatch is not found", code="E639", remedy=remedy)
    if runs:
        # %a is the index of the member in the array.
        log = log.with_stem(f"{log.stem}-%a")
    # A job that reaches its time limit is queued again by us, which Slurm allows only with this option.
    requeue = [] if "no-requeue" in wanted else ["--requeue"]
    positions = [f"--job-name={name}", f"--chdir={run}", f"--output={log}", "--open-mode=append"]
    given = [f"--{key}={value}" if value else f"--{key}" for key, value in wanted.items()]
    # Slurm's jobs that have ended in any way satisfy the dependency.
    if after:
        given.append(f"--dependency=afterany:{':'.join(after)}")
    # What describes a Slurm job that we are in does not describe this one.
    environment = {
        key: value
        for key, value in os.environ.items()
        if key != MARK and (not key.startswith("SLURM_") or key == "SLURM_CONF")
    }
    which = quote(str(run))
    # An array's script picks the run folder by the index of its member.
    if runs:
        at_most = f"%{parallel}" if parallel else ""
        given.append(f"--array=0-{len(runs) - 1}{at_most}")
        cases = "".join(
            f"{number}) run={quote(str(run_folder))} ;;\n" for number, run_folder in enumerate(runs)
        )
        which = '"$run"'
    choose = f"case $SLURM_ARRAY_TASK_ID in\n{cases}esac\n" if runs else ""
    # `exec` replaces the shell, so that Slurm's signals arrive at the supervisor itself. `-P` keeps the run
    # folder, which is the working directory, out of the module path.
    supervisor = f"{quote(sys.executable)} -P -m workbench.jobs.cluster_supervisor"
    script = f"#!/bin/sh\n{choose}exec {supervisor} {which}\n"
    done = _run_command(
        ["sbatch", "--parsable", *positions, *requeue, *given], stdin=script, environment=environment
    )
    if done is None or done.returncode:
        reason = "it does not answer" if done is None else _last_line(done.stderr)
        remedy = "Change the options of --executor slurm:…; `sinfo` lists partitions."
        raise EngineError(f"the cluster refuses the job: {reason}", code="E605", remedy=remedy)
    # With several clusters the answer is NUMBER;CLUSTER.
    number = done.stdout.strip().partition(";")[0]
    # Members of an array have numbers of their own, NUMBER_INDEX.
    return [f"{number}_{index}" for index in range(len(runs))] or [number]


def job_state(number: str) -> ClusterState | None:
    """Return what the cluster says of a job, or None if it cannot be asked from here.

    Answers are reused for two seconds.
    """
    seen = _seen.get(number)
    if seen is not None and time.monotonic() - seen[0] < _BELIEVED_S:
        return seen[1]
    now = time.monotonic()
    # One question for all that anyone wants to know of.
    watched = {number, *(key for key, (_, answer) in _seen.items() if answer is not None and answer.live)}
    queue = _query_queue(watched)
    for key in watched:
        # The queue forgets a job minutes after its end; the accounting, if there is one, keeps it.
        _seen[key] = (now, None if queue is None else queue.get(key) or _query_accounting(key))
    return _seen[number][1]


def forget_states() -> None:
    """Forget the answers of the cluster."""
    _seen.clear()


_seen: dict[str, tuple[float, ClusterState | None]] = {}


def _query_queue(numbers: Iterable[str]) -> dict[str, ClusterState] | None:
    wanted = ",".join(sorted(numbers))
    command = ["squeue", "--noheader", "--array", "--states=all", f"--jobs={wanted}", "--format=%i|%T|%r"]
    done = _run_command(command)
    if done is None:
        return None
    # `squeue` fails if all the numbers are unknown, which is an answer; any other failure is none.
    if done.returncode:
        return {} if "Invalid job id" in done.stderr else None
    result = {}
    for line in done.stdout.splitlines():
        # Missing fields become empty.
        number, state, reason = (*line.strip().split("|"), "", "")[:3]
        result[number] = ClusterState(state, "" if reason == "None" else reason)
    return result


def _query_accounting(number: str) -> ClusterState:
    done = _run_command(
        ["sacct", "--noheader", "--allocations", "--parsable2", f"--jobs={number}", "--format=State"]
    )
    if done is None or done.returncode:
        return ClusterState(accounting=False)
    lines = done.stdout.split("\n")
    # "CANCELLED by 1000"
    return ClusterState(lines[0].partition(" ")[0].strip())


def cancel_job(number: str) -> None:
    """Cancel a job on the cluster."""
    _run_command(["scancel", "--quiet", number])
    _seen.pop(number, None)


def ending_kind(number: str, environment: Mapping[str, str]) -> str:
    """Return what the cluster is doing with a job whose processes have received a signal.

    Args:
        number: The cluster's number of the job.
        environment: The environment of the job, which says how often it had been restarted before.

    Returns:
        "requeued", "cancelled" (by someone, by a limit, for another job), or "" if the cluster sent no
        signal.
    """
    done = _run_command(["scontrol", "--oneliner", "show", "job", number])
    if done is None or done.returncode:
        return ""
    facts = dict(re.findall(r"(JobState|Restarts)=(\w+)", done.stdout))
    # More restarts than when this process began: the cluster has put the job back into its queue.
    if int(facts.get("Restarts", 0)) > int(environment.get("SLURM_RESTART_COUNT", "0")):
        return "requeued"
    return "" if facts.get("JobState") == "RUNNING" else "cancelled"


def requeue_job(number: str) -> str:
    """Put a running job back into the queue, which ends it here.

    Returns:
        Why that is refused, or "".
    """
    done = _run_command(["scontrol", "requeue", number])
    if done is None:
        return "the cluster does not answer"
    return _last_line(done.stderr) if done.returncode else ""


def job_id(environment: Mapping[str, str]) -> str:
    """Return the cluster's number of the job that a process belongs to; empty outside of one."""
    # In an array SLURM_JOB_ID is a number of its own, which is not the one that `submit_runs` returned.
    if "SLURM_ARRAY_TASK_ID" in environment:
        return f"{environment['SLURM_ARRAY_JOB_ID']}_{environment['SLURM_ARRAY_TASK_ID']}"
    return environment.get("SLURM_JOB_ID", "")


def _run_command(
    command: Sequence[str], stdin: str = "", environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str] | None:
    """Run one of Slurm's commands; None when it is not here or does not answer in time."""
    try:
        return subprocess.run(
            command,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=_PATIENCE_S,
            check=False,
            env=environment,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None


def _last_line(text: str) -> str:
    # Slurm's advice to try --help says nothing about the reason, and its prefixes repeat the obvious.
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("Try ")]
    said = re.sub(r"^(sbatch: |error: |Batch job submission failed: )*", "", lines[-1]) if lines else ""
    return said.strip() or "it gives no reason"

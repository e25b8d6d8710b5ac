"""Executors: what runs a job that does not run on this machine.

Slurm is one. An installed distribution adds others by entry points of the group `mathwb.executors`, each of
which names a module, or an object, with the functions of `Executor`; `--executor NAME:OPTIONS` uses it.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from engines.core.entry_points import find_entry_points
from engines.core.errors import EngineError, did_you_mean
from workbench.jobs import slurm
from workbench.jobs.folder import Ticket
from workbench.jobs.slurm import ClusterState

GROUP = "mathwb.executors"


class Executor(Protocol):
    """What an executor can do. `workbench.jobs.slurm` is the executor of Slurm.

    The number of a job is the executor's own name for it, any text without spaces.
    """

    def parse_options(self, text: str) -> dict[str, str]:
        """Parse what follows the executor's name in `--executor NAME:OPTIONS`.

        Raises:
            EngineError: E638 if an option makes no sense.
        """

    def submit_runs(
        self,
        run: Path,
        log: Path,
        name: str,
        wanted: Mapping[str, str],
        runs: Sequence[Path] = (),
        parallel: int = 0,
        after: Sequence[str] = (),
    ) -> list[str]:
        """Have `node_command` of a run folder executed, or of several, and return at once.

        Args:
            run: The run folder; of several runs that of their sweep.
            log: The file for what it prints.
            name: A name for people.
            wanted: The options that `parse_options` returned.
            runs: The run folders, if there are several.
            parallel: The number of runs at a time; 0: no limit.
            after: Numbers of jobs that have to be over first, however they end.

        Returns:
            The number of each run's job.

        Raises:
            EngineError: E605 if it refuses, E639 if it cannot be used here.
        """

    def job_state(self, number: str) -> ClusterState | None:
        """Return the state of a job in Slurm's words, or None if the executor cannot be asked."""

    def forget_states(self) -> None:
        """Forget answers of `job_state` that are reused."""

    def cancel_job(self, number: str) -> None:
        """End a job, whether it waits or runs."""

    def job_id(self, environment: Mapping[str, str]) -> str | None:
        """Return the number of the job that `node_command` runs in, "" outside of one, None if unknown."""

    def ending_kind(self, number: str, environment: Mapping[str, str]) -> str:
        """Return why a job has received a signal: "requeued", "cancelled", or "" if not by the executor."""

    def requeue_job(self, number: str) -> str:
        """Queue a running job again, which ends it; return why that is refused, or ""."""


def node_command(run: Path) -> list[str]:
    """Return the command that an executor runs: it works on the last attempt of a run folder."""
    return [sys.executable, "-P", "-m", "workbench.jobs.cluster_supervisor", str(run)]


def list_executors() -> list[str]:
    """List the names of the installed executors."""
    return ["slurm", *(point.name for point in find_entry_points(GROUP))]


def find_executor(name: str) -> Executor:
    """Return the executor with a name.

    Raises:
        EngineError: E638 if there is none, or if it cannot be loaded.
    """
    # Slurm is always there; looking for entry points would cost each command that asks for it some time.
    if name == "slurm":
        return slurm
    # Entry points are looked up by name, and the code of others is loaded only if it is asked for.
    for point in find_entry_points(GROUP):
        if point.name == name:
            try:
                result: Executor = point.load()
            except Exception as error:  # whatever the code of others raises
                what = f"the executor {name} cannot be loaded: {type(error).__name__}: {error}"
                hint = "Update or uninstall the package that adds it."
                raise EngineError(what, code="E638", remedy=hint) from error
            return result
    names = ["local", *list_executors()]
    hint = did_you_mean(name, names) or f"Use {', '.join(names)}; options follow a colon."
    raise EngineError(f"executor is {name!r}", code="E638", remedy=hint)


def requested_executor(params: Mapping[str, Any]) -> str | None:
    """Return the name of the executor that the parameters of a job name, or None for this machine."""
    name = str(params.get("executor", "local")).partition(":")[0]
    return None if name == "local" else name


def executor_options(params: Mapping[str, Any]) -> dict[str, str] | None:
    """Return the options for the executor of a job, or None for a job on this machine.

    Raises:
        EngineError: E638 if the executor makes no sense.
    """
    # `local` takes no options; a colon after it is most likely a mistake.
    name, colon, options = str(params.get("executor", "local")).partition(":")
    if name != "local":
        return find_executor(name).parse_options(options)
    if colon:
        raise EngineError(f"executor is 'local:{options}'", code="E638", remedy="Use local, without options.")
    return None


def executor_of(ticket: Ticket) -> Executor:
    """Return the executor that has a job.

    Raises:
        EngineError: E638 if it is no longer installed.
    """
    return find_executor(ticket.executor)


def ask_state(ticket: Ticket) -> ClusterState | None:
    """Return what the executor says of a job, or None if it cannot be asked or is no longer installed."""
    try:
        return executor_of(ticket).job_state(ticket.number)
    except EngineError:
        return None

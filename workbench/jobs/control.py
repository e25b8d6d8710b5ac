"""What can be done with jobs: submit, stop, kill, resume, rerun and remove."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engines.core.errors import DataError, EngineError
from engines.core.events import Event, Sink, ignore
from workbench.jobs import queue, scheduler, timing
from workbench.jobs.attempt_recording import settle_attempt
from workbench.jobs.attempt_state import read_attempt_state
from workbench.jobs.early_stopping import EARLY
from workbench.jobs.executors import executor_of, executor_options, requested_executor
from workbench.jobs.folder import (
    INSIDE,
    LIVE,
    Attempt,
    Ending,
    Job,
    Ticket,
    create_job,
    discard_job,
    find_job,
    map_texts,
    mark_protected,
    recipe_diff,
    refuse_foreign,
    retire_number,
    sweep_of,
)
from workbench.jobs.job_index import JobIndex
from workbench.jobs.job_registry import list_attempts, list_jobs, read_job, update_index
from workbench.jobs.job_views import (
    JobView,
    job_view,
)
from workbench.jobs.loss_descriptions import is_lowest_best
from workbench.jobs.placement import check_placement
from workbench.jobs.reporting import reporter_file
from workbench.jobs.sweep_members import (
    SweepMember,
    awaited_attempts,
    is_divided,
    make_sweep_recipe,
    note_members,
    sweep_members,
)
from workbench.jobs.tail import EventTail
from workbench.recipes import Recipe, with_settings
from workbench.trash import TrashItem, restore_contents

if TYPE_CHECKING:
    from workbench.workspace import Workspace


# Parameters that every task has: where it runs, and where it writes.
_PLACEMENT = frozenset(("device", "executor"))
_OUTPUTS = frozenset(("out", "publish"))


def change_settings(job: Job, settings: Sequence[str]) -> Recipe:
    """Return the recipe of a job with those settings changed that may change while it is under way.

    Raises:
        EngineError: E637 naming each setting that would make it other work.
        UsageError: E424 for a setting that it does not have.
    """
    from engines.training.checkpoints import LENGTH, NOT_THE_WEIGHTS

    before = job.read_recipe()
    after = _apply_settings(before, settings)
    # A training may also change how long it goes on and how often it reports, because neither changes what
    # the weights mean at a given step. The device is placement and is in `_PLACEMENT` already.
    of_trainings = {f"train.{name}" for name in (NOT_THE_WEIGHTS | LENGTH) - {"device"}}
    free = _PLACEMENT | (of_trainings if before.task == "train" else set())
    fixed = [row for row in recipe_diff(before, after) if row.key not in free]
    if fixed:
        differences = "; ".join(f"{row.key}: {row.left!r} there, {row.right!r} requested" for row in fixed)
        # The hint repeats the settings, so that the user can paste it.
        again = " ".join(f"--set {setting}" for setting in settings)
        raise EngineError(
            f"these settings would make job {job.id} different work: {differences}",
            code="E637",
            remedy=(
                f"You may change {', '.join(sorted(free))}. To start again: mathwb jobs rerun "
                f"{job.id} {again}"
            ),
        )
    return after


def copy_recipe(workspace: Workspace, job: Job, settings: Sequence[str]) -> Recipe:
    """Return the recipe for a new job with the same work and its own output folder.

    Args:
        workspace: The workspace.
        job: The job to repeat.
        settings: Settings to change, each `key=value`.
    """
    spec = job.read_recipe()
    # Without `out` the new job writes into its own run folder.
    params = {key: value for key, value in spec.params.items() if key != "out"}
    made = _apply_settings(move_outputs(workspace, job, replace(spec, params=params)), settings)
    return replace(made, title=_update_title(spec.title, settings))


def move_outputs(workspace: Workspace, job: Job, spec: Recipe) -> Recipe:
    """Return the recipe of a job for a new one, which replaces nothing that the job wrote.

    What the job writes into its run folder, the new one writes into its own. Its output folder elsewhere and
    its model get the next free names beside those.
    """
    own = job.folder.absolute() / "out"

    def move_text(text: str) -> str:
        path = Path(text)
        return INSIDE + path.relative_to(own).as_posix() if path.is_relative_to(own) else text

    params = map_texts(spec.params, move_text)
    outputs = {name: Path(params[name]) for name in _OUTPUTS & params.keys() if params[name]}
    # Listing the jobs costs reads, so it is done only if an output folder outside the run has to move.
    taken = live_outputs(list_jobs(workspace)) if outputs else ()
    for name, position in outputs.items():
        if not params[name].startswith(INSIDE):
            params[name] = str(next_free(position.parent, position.name, taken))
    return replace(spec, params=params)


def live_outputs(jobs: Iterable[JobView]) -> set[Path]:
    """Return the output folders of those jobs that are live, and where they publish their models."""
    live = [view for view in jobs if view.live]
    return {Path(view.params[name]) for view in live for name in _OUTPUTS if view.params.get(name)}


def _update_title(title: str, settings: Sequence[str]) -> str:
    parts = title.split(" ")
    for setting in settings:
        key, _, value = setting.partition("=")
        name = key.strip().removeprefix("train.")
        # Replace the part of the title that names this setting, or append one.
        indices = [index for index, part in enumerate(parts) if part.startswith(f"{name}=")]
        parts[slice(indices[0], indices[0] + 1) if indices else slice(len(parts), None)] = [f"{name}={value}"]
    return " ".join(parts)


def next_free(folder: Path, stem: str, taken: Collection[Path] = ()) -> Path:
    """Return the first path `stem`, `stem-2`, `stem-3`, … in a folder that is neither taken nor there."""
    names = chain([stem], (f"{stem}-{number}" for number in count(2)))
    paths = (folder / name for name in names)
    return next(path for path in paths if path not in taken and not path.exists())


def _apply_settings(spec: Recipe, settings: Sequence[str]) -> Recipe:
    # `with_settings` refuses a key that the recipe does not have, so the default executor is added first and
    # removed again afterwards.
    made = with_settings(replace(spec, params={"executor": "local", **spec.params}), settings)
    kept = {key: value for key, value in made.params.items() if (key, value) != ("executor", "local")}
    check_placement(kept)
    return replace(made, params=kept)


@dataclass(frozen=True, slots=True)
class DiskUse:
    """Disk space in bytes: of the run folder, and of an output folder elsewhere."""

    run_bytes: int
    out_bytes: int


def disk_use(view: JobView) -> DiskUse:
    """Measure the disk space of a job. It walks its folders, so do not call it for every frame."""
    folder, out = Path(view.folder), Path(view.out or view.folder)
    return DiskUse(_disk_size(folder), 0 if out.is_relative_to(folder) else _disk_size(out))


def _disk_size(folder: Path) -> int:
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                # Blocks of 512 bytes are what `st_blocks` counts on every system, whatever the block size of
                # the disk.
                total += os.lstat(os.path.join(parent, name)).st_blocks * 512
    return total


# Starting and stopping
def submit_job(workspace: Workspace, spec: Recipe) -> Job:
    """Start a job in the background; it outlives this process.

    Raises:
        EngineError: E602 if another job writes to the same folder, E605 if the cluster refuses it, E639 if
            there is no cluster.
        DataError: If it cannot be recorded.
    """
    job = _record_job(workspace, spec)
    try:
        _start_attempt(job.last_attempt(), spec)
    except EngineError:
        # Refused at once, so there is nothing to show of it.
        discard_job(workspace.runs, job)
        JobIndex(workspace.root).forget_jobs([job.id])
        raise
    return job


def submit_sweep(
    workspace: Workspace,
    recipe: str,
    title: str,
    runs: Sequence[tuple[Recipe, Mapping[str, Any], Mapping[str, int]]],
    *,
    parallel: int = 0,
    stop_worst: str = "",
    last: Recipe | None = None,
) -> Job:
    """Start several runs of a recipe as one sweep; on a cluster they are one array.

    Args:
        workspace: The workspace.
        recipe: The name of the recipe.
        title: The title of the sweep.
        runs: Each run's recipe, its setting, and what distinguishes it from other runs of that setting.
        parallel: The number of runs at a time; 0: no limit.
        stop_worst: The measure by which a run that is worse than most is ended early.
        last: The recipe of a job that begins when all runs are over, however they ended.

    Raises:
        EngineError: As `submit_job`.
        DataError: As `submit_job`.
    """
    # Step 1: what all members have in common, taken from the first recipe.
    _refuse_shared_folder(workspace, runs[0][0])
    lowest = is_lowest_best(stop_worst, [spec.params.get("train", {}) for spec, _, _ in runs])
    plan, of_sweep = make_sweep_recipe(
        title, recipe, len(runs) + (last is not None), parallel, stop_worst, lowest
    )
    reporters = reporter_file(runs[0][0].task)
    # Step 2: the folder of the sweep, with an empty list of members; its number goes into every member.
    sweep = create_job(workspace.runs, plan, files={"members.json": {"v": 1, "members": []}})
    cluster = executor_options(runs[0][0].params)
    ticket = _new_ticket(runs[0][0])
    of_sweep["sweep"] = sweep.id
    jobs_made: list[Job] = []
    members: list[SweepMember] = []
    try:
        # Run folders are made first, all of them, so that a failure leaves nothing that runs.
        for spec, setting, repeat in runs:
            jobs_made.append(
                create_job(workspace.runs, spec, ticket, files={"sweep.json": of_sweep, **reporters})
            )
            members.append(SweepMember(jobs_made[-1].id, setting, repeat))
        # Step 3: the member that merges the results. It waits for the others, so it is no part of the array.
        parallel_jobs = list(jobs_made)
        if last is not None:
            files = {"sweep.json": {**of_sweep, "last": True}, **reporters}
            jobs_made.append(create_job(workspace.runs, last, ticket, files=files))
            members.append(SweepMember(jobs_made[-1].id))
        # Only now is the list complete; a crash before this line is repaired by `sweep_members`.
        note_members(sweep, members)
        # Step 4: hand everything over, to the queue of this machine or to the cluster.
        if ticket is None or cluster is None:
            for item in jobs_made:
                queue.enqueue(item.last_attempt())
        else:
            # Batch scripts run elsewhere and later, so the cluster gets resolved paths.
            run, folders = sweep.folder.resolve(), [item.folder.resolve() for item in parallel_jobs]
            log, name = run / "cluster.log", f"mathwb-{sweep.id}"
            numbers = executor_of(ticket).submit_runs(run, log, name, cluster, folders, parallel)
            for item, number in zip(parallel_jobs, numbers, strict=True):
                item.last_attempt().write_ticket(replace(ticket, number=number))
            # After the tickets are written, because `_start_attempt` reads from them what the last member
            # depends on.
            if last is not None:
                _start_attempt(jobs_made[-1].last_attempt(), last)
    except EngineError:
        # Undo in the order of making; what was handed over is cancelled before its folder disappears.
        for item in (*jobs_made, sweep):
            for attempt in item.attempts():
                _cancel_attempt(attempt)
            with contextlib.suppress(EngineError):
                discard_job(workspace.runs, item)
        raise
    # One call for all entries: the keeper reads the queue in order and starts as many as there are slots.
    if cluster is None:
        scheduler.keep_queue(workspace.runs)
    update_index(workspace, [sweep, *jobs_made])
    return sweep


def submit_shares(workspace: Workspace, spec: Recipe, shares: int) -> Job:
    """Divide work into jobs, each with its `share`, and one more that merges them and does what they left
    undone.

    Raises:
        EngineError: As `submit_job`.
        DataError: As `submit_job`.
    """
    runs: list[tuple[Recipe, Mapping[str, Any], Mapping[str, int]]] = [
        # Each share is a whole recipe, so it can be resumed or repeated on its own.
        (replace(spec, title=f"{spec.title} {share}", params={**spec.params, "share": share}), {}, {})
        for share in (f"{number}/{shares}" for number in range(1, shares + 1))
    ]
    title = f"{spec.title} in {shares} shares"
    return submit_sweep(workspace, spec.title, title, runs, last=spec)


def run_foreground(workspace: Workspace, spec: Recipe, sink: Sink = ignore) -> JobView:
    """Run a job in this process and wait for its end; every screen shows it like any other job.

    Ctrl-C stops it gently, a second one kills it. Call it from the main thread only, since it takes signals.

    Returns:
        The job at its end; its `command_exit_code` is the exit code of a command.
    """
    from workbench.jobs.supervisor import Supervisor

    if executor_options(spec.params) is not None:
        job = submit_job(workspace, spec)
        _follow_cluster_job(workspace, job, sink)
    else:
        job = _record_job(workspace, spec)
        # The foreground does not queue behind background jobs, but it takes free slots so that they see it.
        slots = queue.take_slots(spec.params)
        supervisor = Supervisor(job.last_attempt(), sink=sink, slots=slots)
        supervisor.run()
        # The order matters: the slots are free before the queue is asked who may start next.
        slots.close()
        scheduler.keep_queue(workspace.runs)
        supervisor.await_reporters()
    # The user, or another program, has deleted the run folder while the job ran.
    if not job.folder.is_dir():
        what = f"the run folder of job {job.id} was removed while it ran, so it was ended"
        remedy = "Start it again, and remove a job with: mathwb jobs rm ID"
        raise EngineError(what, where=str(job.folder), code="E620", remedy=remedy)
    view = job_view(job)
    update_index(workspace, [job])
    return view


def member_numbers(workspace: Workspace, number: int) -> list[int]:
    """Return the numbers of the jobs of a sweep, oldest first; none for another job.

    Raises:
        EngineError: E601 if there is no such job.
    """
    return [each.job for each in sweep_members(find_job(workspace.runs, number))]


def stop_job(workspace: Workspace, number: int) -> JobView:
    """Ask a job to stop gently: it finishes its current step, saves, and ends as `stopped`.

    Raises:
        EngineError: E603 if it is over.
    """
    if _is_sweep(workspace, number):
        return _each_member(workspace, number, "stop", stop_job)
    # A job that waits ends at once; a job that runs is asked and ends by itself.
    attempt = _live_attempt(workspace, number, "stop")
    attempt.request_end("stop")
    if (ticket := attempt.cluster_ticket()) and ticket.number:
        # Without a heartbeat the batch job has not begun, so there is nobody who could obey.
        if attempt.read_heartbeat() is None:
            _cancel_attempt(attempt)
            settle_attempt(attempt)
    # Nobody works on an entry of the queue yet: its end is recorded here.
    elif (number, attempt.number) in queue.queue_positions(workspace.runs):
        settle_attempt(attempt)
    # The supervisor is dead but its worker lives: the signal goes to the worker itself.
    elif not _wake_supervisor(attempt) and (worker := attempt.worker_process()):
        worker.send_signal(signal.SIGTERM)
    return read_job(workspace, number)


def kill_job(workspace: Workspace, number: int) -> JobView:
    """End a job at once, with all its processes; unsaved work is lost.

    A job of another machine that has fallen silent is given up.

    Raises:
        EngineError: E603 if it is over.
    """
    if _is_sweep(workspace, number):
        return _each_member(workspace, number, "kill", kill_job)
    attempt = _live_attempt(workspace, number, "kill")
    # The request is written first: whoever finds the dead worker must read that it was killed on purpose.
    attempt.request_end("kill")
    if worker := attempt.worker_process():
        worker.send_signal(signal.SIGKILL, group=True)
    _cancel_attempt(attempt)
    _wake_supervisor(attempt)
    # Nothing else may be left to record the end, so it is done here if the lock is free.
    settle_attempt(attempt, give_up=True)
    return read_job(workspace, number)


def resume_job(workspace: Workspace, number: int, settings: Sequence[str] = ()) -> JobView:
    """Start the next attempt at a job that failed, was stopped or was lost; it continues from what was
    saved.

    Args:
        workspace: The workspace.
        number: The job.
        settings: What to change, each `key=value`: of a training its length and how often it reports and
            saves; of any job where it runs. A training that has succeeded continues if it is given more
            steps.

    Raises:
        EngineError: E603 if it is live or has succeeded, E637 for settings that make it other work.
        UsageError: E424 for a setting that it does not have.
    """
    if _is_sweep(workspace, number):
        return _each_member(workspace, number, "resume", lambda at, each: resume_job(at, each, settings))
    from workbench.jobs.worker import resolve_recipe

    # The last attempt may have died unrecorded.
    item = find_job(workspace.runs, number)
    last = item.attempts()[-1:]
    if last:
        settle_attempt(last[0])
    view = job_view(item)
    if not (settings and view.state == "succeeded"):
        _refuse_unless_allowed(view, "resume")
    # Check everything before anything is written: the settings, the cluster, and the output folder.
    spec = change_settings(item, settings) if settings else item.read_recipe()
    if settings:
        resolve_recipe(spec, item.out_folder(spec))
    _await_cluster(item)
    _refuse_shared_folder(workspace, spec, but=item)
    # `add_attempt` gives None when another process resumes the same job at this moment; then that one counts.
    attempt = item.add_attempt(view.attempt, _new_ticket(spec))
    if attempt is not None:
        # The recipe is replaced only once the attempt is ours.
        if settings:
            item.write_recipe(spec, workspace.runs)
        try:
            _start_attempt(attempt, spec)
        except EngineError as error:
            # The attempt exists by now, and without a result it would look as if it waited.
            attempt.write_result(Ending.of_error(error))
            raise
    update_index(workspace, [item])
    _look_again(workspace, view.sweep)
    return job_view(item)


def remove_job(workspace: Workspace, number: int) -> TrashItem:
    """Move the run folder of a finished job into the trash; of a sweep also those of its runs.

    What the job wrote elsewhere stays.

    Raises:
        EngineError: E601 if there is no such job, E603 if it is not over, E467 if it is protected.
        DataError: E452 if a run folder holds what no job made.
    """
    runs = workspace.runs
    job = find_job(runs, number)
    view = job_view(job)
    # The members come before their sweep, so that the folder of the sweep is the last that moves.
    all_of_it = [*(find_job(runs, member.job) for member in sweep_members(job)), job]
    try:
        # All are checked before the first one moves: half a sweep cannot be deleted.
        for each in all_of_it:
            _refuse_unless_allowed(job_view(each), "remove")
            refuse_foreign(each)
        # Before the folders move, so that no new job can get one of these numbers in between.
        retire_number(runs, max(each.id for each in all_of_it))
        item = workspace.trash.put_item("job", str(number), view.title, [each.folder for each in all_of_it])
    except DataError as error:
        find_job(runs, number)  # raises where another program has just deleted it
        # One process has deleted it, and another has restored it.
        if isinstance(error.__cause__, FileNotFoundError):
            return remove_job(workspace, number)
        raise
    # The index is a cache, and it follows the folders.
    JobIndex(workspace.root).forget_jobs([each.id for each in all_of_it])
    _look_again(workspace, view.sweep)
    return item


def restore_jobs(workspace: Workspace, item: TrashItem) -> None:
    """Restore the run folders of a deleted job.

    Raises:
        EngineError: As `workbench.trash.restore_contents`.
        DataError: As `workbench.trash.restore_contents`.
    """
    # The names are read before the move, which empties the item.
    restored = [Job(int(path.name), workspace.runs / path.name) for path in item.list_contents()]
    restore_contents(item, workspace.runs)
    update_index(workspace, restored)
    for job in restored:
        _look_again(workspace, sweep_of(job.folder))


def deleted_jobs(workspace: Workspace) -> list[TrashItem]:
    """List the jobs in the trash, the latest first.

    Jobs that earlier versions of the program had deleted and not yet removed are moved into the trash first.
    """
    # Moved back to its number first, because the trash restores a folder under the name it was put in with.
    for folder in workspace.runs.glob(".removed-*"):
        match = _TAKEN_AWAY.fullmatch(folder.name)
        number = match[1] if match else ""
        target = workspace.runs / number
        job = Job(int(number or 0), folder)
        if number and job.is_there() and not os.path.lexists(target):
            with contextlib.suppress(OSError, EngineError):
                title = job.read_recipe().title
                folder.rename(target)
                workspace.trash.put_item("job", number, title, [target])
    return workspace.trash.list_items("job")


def protect_job(workspace: Workspace, number: int, *, on: bool = True) -> JobView:
    """Protect a job, or a sweep with all its runs, from being deleted, or end that.

    Raises:
        EngineError: E601 if there is no such job.
        DataError: If it cannot be written.
    """
    job = find_job(workspace.runs, number)
    mark_protected(job, on=on)
    # The view of a member contains the protection of its sweep, so all of them have to be read again.
    touched = [job, *(find_job(workspace.runs, member.job) for member in sweep_members(job))]
    for each in touched:
        _look_again(workspace, each.id)
    _look_again(workspace, sweep_of(job.folder))
    return job_view(job)


def worked_s(workspace: Workspace, number: int) -> float:
    """Return how long all attempts at a job have run together, in seconds."""
    return sum(attempt.wall_s or 0.0 for attempt in list_attempts(workspace, number))


def _look_again(workspace: Workspace, sweep: int) -> None:
    """Have a sweep (0: none) read anew: for the index it is over until its folder has changed, and for who
    watches the jobs until the folder of runs has."""
    with contextlib.suppress(OSError):
        if sweep:
            # The modification time of a folder is what the index and the watchers compare.
            os.utime(workspace.runs / str(sweep))
        os.utime(workspace.runs)


def _record_job(workspace: Workspace, spec: Recipe) -> Job:
    if spec.params.get("out") and not spec.params["out"].startswith(INSIDE):
        # The job runs in another working directory, so a relative path would mean another folder there.
        spec = replace(spec, params={**spec.params, "out": str(Path(spec.params["out"]).absolute())})
    _refuse_shared_folder(workspace, spec)
    job = create_job(workspace.runs, spec, _new_ticket(spec), files=reporter_file(spec.task))
    update_index(workspace, [job])
    return job


def _refuse_shared_folder(workspace: Workspace, spec: Recipe, but: Job | None = None) -> None:
    """Two jobs that write or publish to one folder would spoil it, unless they are shares of one work."""
    # Paths inside the run folder cannot collide, and are left out.
    texts = (spec.params.get(name) for name in _OUTPUTS)
    wanted = {Path(text).resolve() for text in texts if text and not text.startswith(INSIDE)}
    if not wanted:
        return
    # The shares of a divided work write to one folder, so the members of one sweep may.
    sweep = sweep_of(but.folder) if but else 0
    for view in list_jobs(workspace):
        own = (but and view.id == but.id) or (sweep and view.sweep == sweep)
        if not view.live or own:
            continue
        for text in filter(None, (view.out, view.params.get("publish"))):
            if Path(text).resolve() in wanted:
                what = f"job {view.id} is writing to the same folder"
                remedy = f"Wait for it, stop it (mathwb jobs stop {view.id}), or choose another folder."
                raise EngineError(what, where=text, code="E602", remedy=remedy)


def _start_attempt(attempt: Attempt, spec: Recipe) -> None:
    wanted, ticket = executor_options(spec.params), _new_ticket(spec)
    if wanted is None or ticket is None:
        queue.enqueue(attempt)
        # `attempt.folder` is RUNS/JOB/attempt-N, so its grandparent is the folder of runs.
        scheduler.keep_queue(attempt.folder.parent.parent)
        return
    run = attempt.folder.parent.resolve()
    # Slurm may refuse a dependency on a job that it has forgotten, so only live ones are named.
    others = awaited_attempts(Job(attempt.job, run))
    after = [
        held.number
        for other in others
        if (held := other.cluster_ticket()) and held.number and read_attempt_state(other).state in LIVE
    ]
    log, name = run / attempt.folder.name / "cluster.log", f"mathwb-{attempt.job}"
    (number,) = executor_of(ticket).submit_runs(run, log, name, wanted, after=after)
    # Until this line the ticket has no number, which readers show as being handed over.
    attempt.write_ticket(replace(ticket, number=number))


def _new_ticket(spec: Recipe) -> Ticket | None:
    """Return the ticket of a job that its executor is to get; None for a job on this machine.

    Raises:
        EngineError: E638 if the executor makes no sense.
    """
    # Called for its checks alone, before anything is written.
    executor_options(spec.params)
    name = requested_executor(spec.params)
    return None if name is None else Ticket(name)


def _cancel_attempt(attempt: Attempt) -> None:
    if (ticket := attempt.cluster_ticket()) and ticket.number:
        executor_of(ticket).cancel_job(ticket.number)


def _await_cluster(item: Job) -> None:
    """Wait until the cluster has let go of a job that is over.

    Raises:
        EngineError: E603 when it does not.
    """
    last = item.attempts()[-1:]
    ticket = last[0].cluster_ticket() if last else None
    if ticket is None or not ticket.number:
        return
    executor, number = executor_of(ticket), ticket.number
    deadline = time.monotonic() + timing.CLUSTER_WAIT_S
    # The state is asked repeatedly, and cached answers have to be dropped for that.
    while (answer := executor.job_state(number)) is not None and answer.live:
        if answer.pending or time.monotonic() > deadline:
            what = f"job {item.id} is still on the cluster: {answer.state} as {number}"
            end_it = f", or: scancel {number}" if ticket.executor == "slurm" else "."
            raise EngineError(what, code="E603", remedy=f"Wait for it to end{end_it}")
        time.sleep(timing.TICK_S)
        executor.forget_states()


def _follow_cluster_job(workspace: Workspace, item: Job, sink: Sink) -> None:
    """Pass on what a job of a cluster reports until it is over. Ctrl-C stops it, a second one kills it."""
    asked = 0

    def request_stop(_number: int, _frame: object) -> None:
        nonlocal asked
        asked += 1

    # The handler only counts. The loop acts, because a handler may interrupt a write to a file.
    before = signal.signal(signal.SIGINT, request_stop)
    done, attempt, tail, waiting = 0, item.last_attempt(), EventTail(item.last_attempt().events), ""
    try:
        while True:
            view = read_job(workspace, item.id)
            # 1. Obey Ctrl-C: the first stops, a later one kills.
            if asked > done:
                done = asked
                if not view.why_refused("kill"):
                    stop_job(workspace, item.id) if done == 1 else kill_job(workspace, item.id)
            # 2. Report why the cluster lets the job wait, whenever the reason changes.
            if view.waiting != waiting:
                waiting = view.waiting
                sink(Event("log", {"message": f"waiting on the cluster: {waiting}"}))
            # 3. Pass on the events that have arrived since the last round.
            for event in tail.read_events():
                sink(Event(event.kind, event.data, event.step))
            # 4. End when the job is over and its log is read to the end.
            if not view.live and not tail.unread_bytes:
                settle_attempt(item.last_attempt())
                return
            # 5. The cluster has requeued the job: follow the log of the next attempt.
            if view.attempt != attempt.number and not tail.unread_bytes:
                attempt = item.last_attempt()
                tail = EventTail(attempt.events)
            time.sleep(timing.TICK_S)
    finally:
        signal.signal(signal.SIGINT, before)


def rerun_job(workspace: Workspace, number: int, settings: Sequence[str] = ()) -> Job:
    """Start a new job with the recipe of another, from the beginning and in its own folder.

    A sweep is repeated with all its runs.
    """
    from workbench.jobs.worker import resolve_recipe

    if _is_sweep(workspace, number):
        return _rerun_sweep(workspace, find_job(workspace.runs, number), settings)
    spec = copy_recipe(workspace, find_job(workspace.runs, number), settings)
    resolve_recipe(spec, workspace.runs)
    return submit_job(workspace, spec)


def _rerun_sweep(workspace: Workspace, item: Job, settings: Sequence[str]) -> Job:
    if settings or is_divided(item):
        what = "other settings make another sweep" if settings else "its runs are shares of one task"
        again = "Start it with its command."
        raise EngineError(f"job {item.id} is a sweep: {what}", code="E603", remedy=again)
    spec = item.read_recipe()
    runs = [
        (copy_recipe(workspace, find_job(workspace.runs, each.job), ()), each.setting, each.repeat)
        for each in sweep_members(item)
    ]
    how = {name: spec.params[name] for name in ("parallel", "stop_worst")}
    return submit_sweep(workspace, spec.params["recipe"], spec.title, runs, **how)


def _is_sweep(workspace: Workspace, number: int) -> bool:
    return (find_job(workspace.runs, number).folder / "members.json").exists()


def _each_member(
    workspace: Workspace, number: int, verb: str, act: Callable[[Workspace, int], JobView]
) -> JobView:
    """Do it to each member of a sweep that it applies to.

    Raises:
        EngineError: E603 when it applies to none; what one of them raised, when all have been asked.
    """
    item, refused = find_job(workspace.runs, number), list[EngineError]()
    _refuse_unless_allowed(job_view(item), verb)
    for member in sweep_members(item):
        view = read_job(workspace, member.job)
        # A run that the median rule has ended is as far as it should get.
        done = verb == "resume" and view.reason.startswith(EARLY)
        if done or view.why_refused(verb):
            continue
        try:
            act(workspace, member.job)
        except EngineError as error:
            # One that has ended, or begun, since it was looked at needs nothing more.
            refused += [error] if error.code != "E603" else []
    if refused:
        raise refused[0]
    return read_job(workspace, number)


def _live_attempt(workspace: Workspace, number: int, verb: str) -> Attempt:
    item = find_job(workspace.runs, number)
    _refuse_unless_allowed(job_view(item), verb)
    return item.last_attempt()


def _refuse_unless_allowed(view: JobView, verb: str) -> None:
    refusal = view.why_refused(verb)
    if refusal and not (verb == "stop" and view.state == "stopping"):
        lost = view.state == "lost"
        if verb == "remove" and view.protected and not view.live:
            remedy = f"Let it be deleted: mathwb jobs protect --off {view.sweep or view.id}"
            raise EngineError(refusal, code="E467", remedy=remedy)
        raise EngineError(refusal, code="E603", exit_code=4 if lost else 2, remedy=view.remedy)


def _wake_supervisor(attempt: Attempt) -> bool:
    """Make the supervisor look at once. One on another machine looks by itself."""
    beat = attempt.read_heartbeat()
    return beat is None or beat.supervisor.is_alive() is None or beat.supervisor.send_signal(signal.SIGTERM)


_TAKEN_AWAY = re.compile(r"\.removed-([1-9][0-9]{0,14})-[0-9a-f]{8}")
"""What earlier versions called the folder of a deleted job."""

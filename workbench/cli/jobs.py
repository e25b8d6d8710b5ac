"""`mathwb jobs`: what runs in the background, without the screens."""

from __future__ import annotations

import contextlib
import json
import math
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from engines.core.errors import EngineError
from engines.core.system import format_bytes
from engines.core.text import make_printable
from workbench.cli.command import (
    CsvOption,
    JsonOption,
    PlotFile,
    TexOption,
    WhereOption,
    form_of,
    plain_argument,
    plain_option,
    print_result,
    progress_line,
)
from workbench.cli.command_groups import make_group
from workbench.cli.failures import print_message
from workbench.config import flatten_table
from workbench.errors import UsageError, one_line
from workbench.jobs import control, job_registry
from workbench.jobs.folder import Attempt, Job, find_job
from workbench.jobs.job_table import JOBS, describe_progress, describe_state, job_document
from workbench.jobs.job_views import AttemptView, JobSnapshot, JobView, notable_endings
from workbench.jobs.loss_descriptions import describe_losses
from workbench.jobs.placement import device_of
from workbench.jobs.reporting import ReportState, check_reporter, read_report_states
from workbench.jobs.tail import EventTail, LineTail
from workbench.operations import find_operation
from workbench.tables import TableForm, align_rows, describe_value, to_the_second
from workbench.workspace import Workspace


def describe_job(view: JobView, attempts: list[AttemptView], use: control.DiskUse) -> list[str]:
    """Return the lines of `mathwb jobs show`."""
    of = Job(view.id, Path(view.folder))
    device = device_of(of.attempt(view.attempt))
    facts: dict[str, Any] = {
        "job": f"{view.id}  {view.title}  ({view.task})",
        "state": describe_state(view),
        "reason": view.reason,
        "waiting": view.waiting,
        "cluster": view.cluster_id,
        "remedy": view.remedy,
        "done": describe_progress(view),
        "left": to_the_second(view.eta_s),
        "memory": format_bytes(view.memory_bytes) if view.memory_bytes else "",
        "peak": format_bytes(view.peak_bytes) if view.peak_bytes else "",
        "device": f"{device['device']}: {device['why']}" if {"device", "why"} <= device.keys() else "",
        "folder": view.folder,
        "out": view.out,
        "disk": f"{format_bytes(use.run_bytes)} run, {format_bytes(use.out_bytes)} elsewhere",
        "seed": view.seed,
        "protected": "yes" if view.protected else "",
    }
    facts["reported"] = ", ".join(reporter_line(state) for state in read_report_states(of))
    facts |= {
        f"params.{key}": describe_value(value, key) for key, value in flatten_table(view.params).items()
    }
    facts |= {key: describe_value(value, key) for key, value in view.metrics.items()}
    width = max(map(len, facts))
    # Empty values are left out, but a seed of 0 is one.
    lines = [f"{key:<{width}}  {value}" for key, value in facts.items() if value != ""]
    lines += [f"{name}: {said}" for name, said in describe_losses(view.metrics)]
    rows = [(item.number, item.state, to_the_second(item.wall_s), item.reason) for item in attempts]
    return [*lines, "", *align_rows(("attempt", "state", "took", "reason"), rows)]


def reporter_line(done: ReportState) -> str:
    """Return a line on how far a reporter has come."""
    step = f", to step {max(done.steps.values()):,}" if done.steps else ""
    end = f"; {done.error}" if done.error else f"; {done.end}" if done.end else ""
    return f"{done.name}: {done.events:,} events{step}{end}"


def compare_many(
    views: list[JobView], by: str, plot: Path | None, form: TableForm | None, as_json: bool
) -> None:
    """Print which setting of several jobs is best by a measure, and plot the means of the settings by
    step.
    """
    from workbench.jobs.compare import rank_settings

    result = rank_settings(views, by)
    # Step 1: the plot, if one is asked for.
    if plot is not None:
        curves = [
            {
                "name": row.name,
                "xs": [step for step, _ in row.band],
                "ys": [one.mean for _, one in row.band],
                # With a single run there is no interval, so the band has no width.
                "low": [one.mean if one.low is None else one.low for _, one in row.band],
                "high": [one.mean if one.high is None else one.high for _, one in row.band],
            }
            for row in result.rows
            if row.band
        ]
        _plot_curves(plot, curves, result.measure)
    # Step 2: the table.
    head = ("setting", result.measure, "runs", "failed", "to the best [95 %]", "p")
    rows = []
    for row in result.rows:
        value = "" if row.value is None else str(row.value)
        failed = ", ".join(map(str, row.failed))
        p = "" if row.p is None else f"{row.p:.3g}"
        rows.append((row.name, value, f"{row.finished}/{len(row.jobs)}", failed, row.apart, p))
    lines = [*align_rows(head, rows), "", result.verdict]
    print_result(result.to_dict(), as_json, text=lines, form=form)


def _plot_curves(path: Path, curves: list[dict[str, Any]], measure: str) -> None:
    """Raise UsageError E645 where there is nothing to draw."""
    if not curves:
        what = f"no run has logged {measure!r}"
        raise UsageError(what, code="E645", remedy="Name another with --by, or leave --plot out.")
    find_operation("picture.figure").run({"out": str(path), "curves": curves, "x": "step", "y": measure})
    print_message(f"plotted to {path}")


def compare_two(first: JobView, second: JobView, form: TableForm | None, as_json: bool) -> None:
    """Print the differences between two jobs."""
    from workbench.jobs.compare import compare_jobs

    result = compare_jobs(first, second)
    kinds = (("setting", result.settings), ("environment", result.environment), ("result", result.results))
    lines: list[str] = []
    for kind, differ in kinds:
        rows_of = [
            (row.key, *(describe_value(side, row.key) for side in (row.left, row.right))) for row in differ
        ]
        head = (kind, f"job {first.id}", f"job {second.id}")
        lines += align_rows(head, rows_of) if differ else [f"{kind}: no difference"]
        lines.append("")
    print_result(result, as_json, text=lines[:-1], form=form)


app = make_group("jobs", "Watch, stop and resume background jobs. Exit code 4 means that a job is lost.")

JobNumber = Annotated[int, plain_argument(metavar="ID", help="The job's number.")]
JobNumbers = Annotated[list[int], plain_argument(metavar="ID...", help="Job numbers.")]

SettingsOption = Annotated[
    list[str] | None, plain_option("--set", metavar="KEY=VALUE", help="Change a setting, as in steps=4000.")
]

# Seconds between two looks at a log that is followed.
_LOOK_EVERY_S = 0.25


class LogName(StrEnum):
    """The logs of a job."""

    events = "events"
    stdout = "stdout"
    stderr = "stderr"


@app.command("list")
def list_jobs(
    filter_: Annotated[
        list[str] | None,
        plain_argument(metavar="[FILTER]...", help="The same as --where, as separate words."),
    ] = None,
    where: WhereOption = None,
    deleted: Annotated[
        bool, typer.Option("--deleted", help="List deleted jobs, which `jobs restore` restores.")
    ] = False,
    csv: CsvOption = False,
    tex: TexOption = False,
    as_json: JsonOption = False,
) -> None:
    """List jobs, newest first. A sweep is one line; --where sweep:ID, --csv and --json list its runs.

    A filter, such as "state:failed task:corpus attempt>1", searches all jobs, runs of sweeps included.
    """
    from workbench.notes import NOTE_FIELDS
    from workbench.tables import parse_filter

    workspace = Workspace.open()
    if deleted:
        from workbench.cli.trash import emit_items

        if filter_ or where:
            what = "--deleted lists all deleted jobs, without a filter"
            raise UsageError(what, code="E406", remedy="Leave the filter out.")
        emit_items(control.deleted_jobs(workspace), as_json, form_of(tex, csv, as_json))
        return
    # One snapshot serves the news, the filter and the list, so each folder is read once.
    look = job_registry.look_at(workspace)
    _print_news(workspace, look)
    # Words of the filter and of --where are one filter: both have to match.
    where = " ".join((*(filter_ or ()), *((where,) if where else ())))
    wanted = parse_filter(where, (*JOBS.fields, *NOTE_FIELDS))
    notes = workspace.notes
    # Unreadable notes matter only to a filter that asks for them.
    for problem in notes.problems if set(wanted.names) & set(NOTE_FIELDS) else ():
        print_message(str(problem))
    rows = []
    for view in job_registry.list_jobs(workspace, look):
        row = JOBS.make_row(view)
        row.update(notes.filter_fields(f"job/{view.id}"))
        if wanted.matches(row):
            rows.append(row)
    columns = JOBS.columns_on("text")
    header = [column.title for column in columns]
    cells = {row["id"]: [column.in_line(row) for column in columns] for row in rows}
    # A sweep is one line of its own; its runs appear only if a filter asks for them.
    shown = [cells[row["id"]] for row in rows if where or not row["sweep"]]
    none = "No job matches." if where else "There are no jobs yet."
    lines = align_rows(header, shown, lambda _: (header, cells.values()), none=none)
    documents = [job_document(row["view"]) for row in rows]
    print_result(documents, as_json, text=lines, form=form_of(tex, csv, as_json))


@app.command("show")
def show_job(number: JobNumber, as_json: JsonOption = False) -> None:
    """Show a job: state and reason, attempts, settings, disk use. Exits with 4 if the job is lost."""
    workspace = Workspace.open()
    _print_news(workspace)
    view = job_registry.read_job(workspace, number)
    attempts = job_registry.list_attempts(workspace, number)
    use = control.disk_use(view)
    document = {**asdict(view), "attempts": [asdict(item) for item in attempts], "disk": asdict(use)}
    print_result(document, as_json, text=describe_job(view, attempts, use))
    if view.state == "lost":
        raise typer.Exit(view.command_exit_code)


@app.command("tail")
def print_log(
    number: JobNumber,
    lines: Annotated[int, typer.Option("-n", "--lines", min=0, help="Number of lines from the end.")] = 20,
    follow: Annotated[
        bool,
        typer.Option(
            "-f", "--follow", help="Follow the log until the job ends, and exit with the job's code."
        ),
    ] = False,
    log: Annotated[LogName, typer.Option(help="Which log to print.")] = LogName.events,
    as_json: Annotated[bool, typer.Option("--json", help="Print raw events as JSON, one per line.")] = False,
) -> None:
    """Print the log of the last attempt.

    With --follow, the exit code is the job's: 0 succeeded, 1 failed, 4 lost, 130 stopped.
    """
    workspace = Workspace.open()
    _print_news(workspace)
    attempt = find_job(workspace.runs, number).last_attempt()
    look = _log_printer(attempt, log, lines, as_json)
    while True:
        # Asked before the last look, so that nothing said between the two is missed.
        over = not job_registry.read_job(workspace, number).live
        look()
        if over or not follow:
            break
        time.sleep(_LOOK_EVERY_S)
    if follow:
        raise typer.Exit(job_registry.read_job(workspace, number).command_exit_code)


@app.command("stop")
def stop_jobs(numbers: JobNumbers, as_json: JsonOption = False) -> None:
    """Ask jobs to stop gently: each finishes its current step and saves."""
    _apply_to_jobs(numbers, control.stop_job, as_json)


@app.command("kill")
def kill_jobs(numbers: JobNumbers, as_json: JsonOption = False) -> None:
    """Kill jobs at once; unsaved work is lost."""
    _apply_to_jobs(numbers, control.kill_job, as_json)


@app.command("resume")
def resume_jobs(numbers: JobNumbers, settings: SettingsOption = None, as_json: JsonOption = False) -> None:
    """Resume jobs that failed, were stopped or were lost, from what they saved, as a new attempt.

    --set changes what may still change: where a job runs and, for a training, its length and how often it
    reports.
    """
    _apply_to_jobs(
        numbers, lambda workspace, number: control.resume_job(workspace, number, settings or ()), as_json
    )


@app.command("rerun")
def rerun_jobs(numbers: JobNumbers, settings: SettingsOption = None, as_json: JsonOption = False) -> None:
    """Start new jobs from the beginning, with the recipes of these."""

    def start_again(workspace: Workspace, number: int) -> JobView:
        return job_registry.read_job(workspace, control.rerun_job(workspace, number, settings or ()).id)

    _apply_to_jobs(numbers, start_again, as_json)


@app.command("rm")
def remove_jobs(numbers: JobNumbers, as_json: JsonOption = False) -> None:
    """Delete the run folders of finished jobs; `jobs restore` restores them. What they wrote elsewhere is
    kept.

    Deleted jobs stay in the trash for 30 days (the setting `trash_days`); `mathwb trash empty` frees their
    space.
    """

    def remove_one(workspace: Workspace, number: int) -> JobView:
        view = job_registry.read_job(workspace, number)
        control.remove_job(workspace, number)
        return view

    _apply_to_jobs(numbers, remove_one, as_json, "removed")


@app.command("restore")
def restore_jobs(numbers: JobNumbers, as_json: JsonOption = False) -> None:
    """Restore deleted jobs, a sweep with its runs. `jobs list --deleted` lists them."""

    def restore_job(workspace: Workspace, number: int) -> JobView:
        control.deleted_jobs(workspace)
        item = workspace.trash.find_item(f"job/{number}")
        workspace.trash.restore_item(workspace, item)
        return job_registry.read_job(workspace, int(item.name))

    _apply_to_jobs(numbers, restore_job, as_json)


@app.command("protect")
def protect_jobs(
    numbers: JobNumbers,
    off: Annotated[bool, typer.Option("--off", help="Let them be deleted again.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Protect jobs, or sweeps with their runs, from being deleted."""
    now = "no longer protected" if off else "protected"
    _apply_to_jobs(
        numbers, lambda workspace, number: control.protect_job(workspace, number, on=not off), as_json, now
    )


@app.command("compare")
def compare_jobs(
    numbers: Annotated[
        list[int], plain_argument(metavar="ID...", help="Numbers of two or more jobs, or of a sweep.")
    ],
    by: Annotated[
        str, plain_option(metavar="MEASURE", help="Measure to compare more than two jobs by.")
    ] = "",
    plot: PlotFile = None,
    csv: CsvOption = False,
    tex: TexOption = False,
    as_json: JsonOption = False,
) -> None:
    """Compare two jobs: settings, environment and results. With more jobs, or a sweep, find the best setting.

    Runs of one setting that differ in seed or fold are its repeats. Each setting is compared with the best by
    a paired randomisation test over the repeats that both have, with Holm's correction.
    """
    form = form_of(tex, csv, as_json)
    workspace = Workspace.open()
    views = _with_members(workspace, numbers)
    if len(views) < 2:
        what = "a single job cannot be compared"
        raise UsageError(what, code="E406", remedy="Name a second job, or a sweep.")
    # Two jobs are compared side by side; a measure or a plot asks for the comparison of settings.
    if len(views) == 2 and not by and plot is None:
        compare_two(views[0], views[1], form, as_json)
    else:
        compare_many(views, by, plot, form, as_json)


@app.command("curves")
def show_curves(
    numbers: JobNumbers,
    by: Annotated[str, typer.Option(metavar="MEASURE", help="Which measure.", show_default="the first")] = "",
    plot: PlotFile = None,
    csv: CsvOption = False,
    as_json: JsonOption = False,
) -> None:
    """Show the curve of a measure for each job, or each run of a sweep; --csv and --json give every point."""
    from workbench.jobs.logged_values import list_logged_measures, read_values_by_step

    form = form_of(False, csv, as_json)
    views = _with_members(Workspace.open(), numbers)
    # In the order of their first appearance; the first one is the default.
    names = list(dict.fromkeys(name for view in views for name in list_logged_measures(view.folder)))
    if not names or (by and by not in names):
        what = f"no run has logged {by!r}" if by else "none of these runs has logged a measure yet"
        remedy = f"There are: {', '.join(names)}." if names else "Wait until one has."
        raise UsageError(what, code="E645", remedy=remedy)
    measure = by or names[0]
    curves = {view.id: read_values_by_step(view.folder, measure) for view in views}
    # Jobs without a single point are left out of the plot and of the table.
    drawn = [
        {"name": f"{view.id} {view.title}", "xs": [x for x, _ in points], "ys": [y for _, y in points]}
        for view in views
        if (points := curves[view.id])
    ]
    if plot is not None:
        _plot_curves(plot, drawn, measure)
    rows = []
    for view in views:
        if points := curves[view.id]:
            ys = [y for _, y in points if y is not None]
            # Without a single finite value there is neither a lowest nor a highest one.
            ends = (min(ys), max(ys)) if ys else ("", "")
            last = "not finite" if points[-1][1] is None else points[-1][1]
            described = [describe_value(value, measure) for value in (*ends, last)]
            rows.append((view.id, view.title, len(points), len(points) - len(ys), *described))
    points_of = [
        (number, step, math.nan if value is None else value)
        for number, points in curves.items()
        for step, value in points
    ]
    head = ("id", "title", "points", "not finite", "least", "most", "last")
    lines = align_rows(head, rows, lambda _: (("job", "step", measure), points_of))
    document = {"measure": measure, "jobs": {str(number): points for number, points in curves.items()}}
    also = ", ".join(name for name in names if name != measure)
    explanations = [f"{name}: {text}" for name, text in describe_losses([measure])]
    print_result(document, as_json, text=[f"{measure}; also: {also}", *explanations, *lines], form=form)


def _with_members(workspace: Workspace, numbers: list[int]) -> list[JobView]:
    results: dict[int, JobView] = {}
    for number in numbers:
        members = control.member_numbers(workspace, number)
        for each in members or [number]:
            results[each] = job_registry.read_job(workspace, each)
    return list(results.values())


@app.command("report")
def report_jobs(
    numbers: JobNumbers,
    to: Annotated[
        str, plain_option(metavar="NAME", help="tensorboard, wandb, mlflow, trackio, or FILE.py:FUNCTION.")
    ],
    follow: Annotated[bool, typer.Option("-f", "--follow", help="Keep sending until the jobs end.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Send what jobs have logged to another tool: metrics by step, the recipe, the outcome.

    Nothing is sent twice, however often you run this; of steps repeated after an interruption, the first
    values are sent. The setting `reporters` does the same for new jobs while they run.
    """
    from workbench.jobs.reporting import report_job

    name, workspace = check_reporter(to), Workspace.open()
    documents, lines = [], []
    for number in [each for given in numbers for each in control.member_numbers(workspace, given) or [given]]:

        def is_over(number: int = number) -> bool:
            # The number is bound as a default, since the loop variable may have moved on by then.
            return not (follow and job_registry.read_job(workspace, number).live)

        # What a tool prints of itself is not the answer of this command.
        with contextlib.redirect_stdout(sys.stderr):
            done = report_job(find_job(workspace.runs, number), name, over=is_over)
        documents.append({"id": number, **asdict(done)})
        lines.append(f"{number}  {reporter_line(done)}")
    print_result(documents, as_json, text=lines)


@app.command("pack")
def pack_job(
    number: JobNumber,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="The archive.", show_default="mathwb-job-ID.tar.gz"),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Pack all that is needed to repeat a job elsewhere: recipe, data, environment, logs, model.

    Lists the contents before writing, and asks for confirmation in a terminal. Links and hidden files in
    folders are left out and named.
    """
    from workbench.jobs.archive import plan_packing
    from workbench.jobs.archive import write_planned as write_archive

    target = out or Path(f"mathwb-job-{number}.tar.gz")
    packing = plan_packing(find_job(Workspace.open().runs, number))
    # The contents go to stderr, so that `--json` prints nothing but the document.
    for name, length in packing.sizes.items():
        print_message(f"{format_bytes(length):>10}  {name}")
    for name in packing.left_out:
        print_message(f"not inside: {name}")
    if not yes and sys.stdin.isatty() and not typer.confirm(f"Write {target}?", err=True):
        raise typer.Exit(1)
    done = write_archive(packing, target)
    print_result(done, as_json, text=f"{done['files']:,} files, {format_bytes(done['bytes'])} in {target}")


@app.command("run")
def run_packed(
    recipe: Annotated[Path, plain_argument(help="An archive made by `mathwb jobs pack`, or a recipe.toml.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask; required without a terminal.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Run a packed job again and wait for it. Ctrl-C stops it gently; a second Ctrl-C kills it.

    Shows what the job does and reads, then asks for confirmation. The job writes only to its run folder.
    """
    from workbench.jobs.archive import unpack_job
    from workbench.jobs.worker import resolve_recipe

    workspace = Workspace.open()
    result = unpack_job(recipe, workspace.root / "exports")
    spec = result.recipe
    try:
        resolve_recipe(spec, workspace.runs)
        for line in result.remarks:
            print_message(line)
        if not yes and not sys.stdin.isatty():
            raise UsageError("confirmation is needed", code="E401", remedy="Add --yes if you trust it.")
        if not yes and not typer.confirm("Run it?", err=True):
            raise typer.Exit(1)
    # Also after Ctrl-C at the question: what was unpacked for this run is removed.
    except BaseException:
        result.remove()
        raise
    view = control.run_foreground(workspace, spec, progress_line(spec.title))
    print_result(view, as_json, text=f"job {view.id}  {describe_state(view)}  {view.reason}".rstrip())
    if view.command_exit_code:
        raise typer.Exit(view.command_exit_code)


@app.command("prune")
def prune_checkpoints(
    numbers: Annotated[
        list[int] | None,
        plain_argument(metavar="[ID]...", help="Job numbers; default: all jobs that succeeded."),
    ] = None,
    keep: Annotated[int, typer.Option(min=0, help="Keep this many of the newest checkpoints.")] = 0,
    as_json: JsonOption = False,
) -> None:
    """Delete the checkpoints of finished jobs; models and logs are kept."""
    from workbench.jobs.archive import drop_checkpoints

    workspace = Workspace.open()
    if numbers:
        views = [job_registry.read_job(workspace, number) for number in numbers]
    else:
        views = [view for view in job_registry.list_jobs(workspace) if view.state == "succeeded"]
    freed = {view.id: drop_checkpoints(view, keep) for view in views}
    lines = [f"{number}  {format_bytes(bytes_)}" for number, bytes_ in freed.items() if bytes_]
    lines.append(f"{format_bytes(sum(freed.values()))} freed")
    print_result(
        [{"id": number, "freed_bytes": bytes_} for number, bytes_ in freed.items()], as_json, text=lines
    )


@app.command("reindex")
def rebuild_index(as_json: JsonOption = False) -> None:
    """Rebuild the index of jobs from the run folders."""
    job_count, notice = job_registry.rebuild_index(Workspace.open())
    if notice:
        print_message(notice)
    print_result({"jobs": job_count, "notice": notice}, as_json, text=f"{job_count:,} jobs")


def _apply_to_jobs(
    numbers: list[int], act: Callable[[Workspace, int], JobView], as_json: bool, now: str = ""
) -> None:
    """Do it to each job; one that refuses is reported and does not keep the others from it."""
    workspace = Workspace.open()
    documents: list[Any] = []
    # The worst exit code of all is that of the command.
    lines, worst = [], 0
    for number in numbers:
        try:
            view = act(workspace, number)
        except EngineError as error:
            documents.append({"id": number, "error": error.to_dict()})
            print_message(one_line(error))
            worst = max(worst, error.exit_code)
        else:
            documents.append(view)
            lines.append(f"{view.id}  {view.title}  {now or describe_state(view)}")
    print_result(documents, as_json, text=lines)
    if worst:
        raise typer.Exit(worst)


def _print_news(workspace: Workspace, look: JobSnapshot | None = None) -> None:
    for view in notable_endings(job_registry.reconcile_jobs(workspace, look)):
        reason = f": {view.reason}" if view.reason else ""
        print_message(f"job {view.id} ({view.title}) has ended: {view.state}{reason}")


def _log_printer(attempt: Attempt, log: LogName, lines: int, as_json: bool) -> Callable[[], None]:
    if log is not LogName.events:
        text = LineTail({LogName.stdout: attempt.stdout, LogName.stderr: attempt.stderr}[log], from_end=lines)
        return lambda: _print_all([line.decode("utf-8", "backslashreplace") for line in text.read_lines()])
    events = EventTail(attempt.events, from_end=lines)

    def print_new_events() -> None:
        known = events.damaged
        while (result := events.read_events()) or events.unread_bytes:
            # Empty results with bytes left happen inside a very long line.
            _print_all([json.dumps(event.to_dict()) if as_json else event.to_text() for event in result])
        if events.damaged > known:
            print_message(f"{events.complaint}: {events.path}")

    return print_new_events


def _print_all(lines: list[str]) -> None:
    for line in lines:
        print(make_printable(line), flush=True)

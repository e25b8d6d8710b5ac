"""`mathwb train`: a model from a recipe, in front, in the background, or from the launch form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from engines.core.events import Event, Sink
from engines.core.spec import describe_fields, read
from workbench.cli import launcher
from workbench.cli.command import (
    ExecutorOption,
    JsonOption,
    plain_argument,
    plain_option,
    print_result,
    progress_line,
)
from workbench.cli.failures import print_message
from workbench.errors import UsageError
from workbench.jobs.control import run_foreground, submit_job
from workbench.jobs.job_views import JobView
from workbench.jobs.loss_descriptions import describe_losses
from workbench.recipes import Recipe, list_recipes, load_recipe, quickest_recipe, with_settings
from workbench.tables import align_rows, describe_value, format_duration
from workbench.train import (
    CheckTraining,
    LaunchDraft,
    MeasureSummary,
    Sweep,
    SweepRun,
    begun_from,
    by_setting,
    check_settings,
    check_trains,
    job_spec,
    member_runs,
    start_sweep,
    training_check,
)
from workbench.workspace import Workspace, ensure_sample

_SWEEP = {field.name: field.arg for field in describe_fields(Sweep)}


def _sweep_option(name: str) -> dict[str, Any]:
    arg = _SWEEP[name]
    return {"help": arg.help, "metavar": arg.metavar or None, "show_default": False}


def train_model(
    name: Annotated[
        str | None, plain_argument(metavar="[RECIPE]", help="A recipe's name, as shown by --list, or a file.")
    ] = None,
    headless: Annotated[bool, typer.Option("--headless", help="Train here and wait for the end.")] = False,
    detach: Annotated[
        bool, typer.Option("--detach", help="Train in the background and return at once.")
    ] = False,
    list_: Annotated[bool, typer.Option("--list", help="List the recipes that train a model.")] = False,
    print_: Annotated[
        bool,
        typer.Option("--print", help="Print the complete recipe, with what it extends and --set applied."),
    ] = False,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="KEY=VALUE", help="Change a setting, as in lr=3e-5 or data.corpus=mine."
        ),
    ] = None,
    device: Annotated[str, plain_option(help="auto, all, cpu, or GPUs by number or UUID, as in 0,1.")] = "",
    init_from: Annotated[
        str, plain_option(metavar="MODEL", help="Start from the weights of this model.")
    ] = "",
    out: Annotated[Path | None, plain_option(help="Folder for the checkpoints and the model.")] = None,
    seeds: Annotated[str, typer.Option(**_sweep_option("seeds"))] = "",
    folds: Annotated[bool, typer.Option("--folds", **_sweep_option("folds"))] = False,
    grid: Annotated[list[str] | None, typer.Option(**_sweep_option("grid"))] = None,
    random: Annotated[list[str] | None, typer.Option(**_sweep_option("random"))] = None,
    trials: Annotated[int | None, typer.Option(min=1, **_sweep_option("trials"))] = None,
    parallel: Annotated[int, typer.Option(min=0, **_sweep_option("parallel"))] = 0,
    stop_worst: Annotated[str, typer.Option(**_sweep_option("stop_worst"))] = "",
    executor: ExecutorOption = "local",
    as_json: JsonOption = False,
) -> None:
    """Train a model from a recipe. Without --headless or --detach, the training form opens on the screens.

    Ctrl-C writes a checkpoint and stops; `mathwb jobs resume` continues from it. A second one quits at once.
    """
    # Step 1: answer what needs no recipe.
    if list_:
        results = [recipe for recipe in list_recipes() if recipe.task == "train"]
        rows = [
            (recipe.name, recipe.title, f"about {format_duration(recipe.minutes * 60)}") for recipe in results
        ]
        documents = [{"name": item.name, "title": item.title, "minutes": item.minutes} for item in results]
        print_result(documents, as_json, text=align_rows(("recipe", "what it makes", "on two cores"), rows))
        return
    # What cannot be combined is refused before the recipe is read.
    if headless and detach:
        raise UsageError("--headless and --detach cannot be combined", code="E427", remedy="Use one of them.")
    how = Sweep(tuple(grid or ()), tuple(random or ()), trials, seeds, folds, parallel, stop_worst)
    if headless and (parallel or stop_worst):
        what = "--parallel and --stop-worst are for background runs, not for --headless"
        raise UsageError(what, code="E427", remedy="Use --detach.")
    # Step 2: the recipe, with the changes that the options ask for.
    recipe = with_settings(load_recipe(name) if name else quickest_recipe(), settings or [])
    if init_from:
        recipe = begun_from(recipe, init_from)
    if print_:
        print_result(recipe.document(), as_json, text=recipe.to_toml().rstrip())
        return
    # Neither in the foreground nor in the background: open the form, filled in.
    if not headless and not detach:
        if out or executor != "local" or as_json:
            raise UsageError(
                "the training form does not take --out, --executor and --json",
                code="E427",
                remedy="Add --headless or --detach, or leave them out.",
            )
        check_trains(recipe)
        if device:
            recipe = replace(recipe, params={**recipe.params, "device": device})
        raise typer.Exit(launcher.open_screens("jobs", LaunchDraft(recipe, how)))
    # Step 3: the workspace. The sample data belongs to the recipes that ship.
    workspace = Workspace.open()
    ensure_sample(workspace)
    # Several runs are a sweep, which checks each recipe before the first job is made.
    if how.several:
        if out:
            remedy = "Leave out --out."
            raise UsageError("several runs each have their own folder", code="E427", remedy=remedy)
        runs = member_runs(workspace, recipe, how, device=device, executor=executor)
        for spec, _ in runs:
            _check_training(workspace, spec, stop_worst)
        if detach:
            made = start_sweep(workspace, recipe, runs, how)
            text = f"job {made.id}: {len(runs)} runs of {recipe.name}; "
            text += f"compare them: mathwb jobs compare {made.id}"
            print_result({"job": made.id, "recipe": recipe.name, "runs": len(runs)}, as_json, text=text)
        else:
            _run_variants(workspace, recipe, runs, as_json)
        return
    # Step 4: a single run.
    spec = job_spec(workspace, recipe, out=out, device=device, executor=executor)
    _check_training(workspace, spec)
    if detach:
        job = submit_job(workspace, spec)
        text = f"job {job.id} trains {recipe.name}; follow it with: mathwb jobs tail -f {job.id}"
        print_result({"job": job.id, "recipe": recipe.name}, as_json, text=text)
        return
    view = _run_training(workspace, spec, recipe.name, as_json)
    print_result(_view_document(view), as_json, text=_result_lines(view))
    if view.command_exit_code:
        raise typer.Exit(view.command_exit_code)


def _check_training(workspace: Workspace, spec: Recipe, stop_worst: str = "") -> None:
    from workbench.jobs.worker import resolve_recipe

    resolve_recipe(spec, workspace.runs)
    if stop_worst:
        check_settings(read(CheckTraining, training_check(spec, stop_worst)))


def _run_training(workspace: Workspace, spec: Any, title: str, quiet: bool) -> JobView:
    view = run_foreground(workspace, spec, _event_printer(title, quiet))
    if view.state == "failed":
        print_message(f"{view.code} {view.reason}. {view.remedy}".strip())
    elif view.state == "stopped":
        print_message(f"{view.reason}; go on with: mathwb jobs resume {view.id}")
    return view


def _event_printer(title: str, quiet: bool) -> Sink:
    """Progress as one line, and what is worth a line of its own."""
    line = progress_line(title)

    def print_event(event: Event) -> None:
        if event.kind == "log" and not quiet:
            print_message(str(event.data.get("message", "")))
        elif event.kind != "error":
            line(event)

    return print_event


def _view_document(view: JobView) -> dict[str, Any]:
    ended = {"state": view.state, "reason": view.reason, "code": view.code, "remedy": view.remedy}
    return {"job": view.id, **ended, **view.value}


def _result_lines(view: JobView) -> list[str]:
    value = view.value
    if view.state != "succeeded":
        return []
    rows = [(name, describe_value(measure, name)) for name, measure in value.get("measures", {}).items()]
    lines = align_rows(("measure", "value"), rows) if rows else []
    lines += [f"{name}: {said}" for name, said in describe_losses(value.get("measures", {}))]
    made = f"step {value['best_step']:,} of {value['step']:,}, {value['tokens']:,} tokens"
    took = f"{value['seconds']:.0f} s on {value['device']}"
    return [*lines, f"model {value['model']} ({made}, {took}), job {view.id}"]


def _run_variants(workspace: Workspace, recipe: Recipe, runs: Sequence[SweepRun], as_json: bool) -> None:
    views: list[JobView] = []
    for number, (spec, variant) in enumerate(runs, 1):
        # What the first says of libraries and device holds for all.
        quiet = as_json or number > 1
        views.append(_run_training(workspace, spec, f"{number}/{len(runs)} {variant.name}", quiet))
        # Ctrl-C ends the whole series and not only this run.
        if views[-1].state == "stopped":
            break
    # The runs that were begun; the others have no result.
    done = [variant for _, variant in runs[: len(views)]]
    rows = by_setting(done, [view.value for view in views])
    documents = [
        {**_view_document(view), "setting": variant.setting, **variant.repeat}
        for variant, view in zip(done, views, strict=True)
    ]
    # One line for each measure of each setting.
    lines = []
    for row in rows:
        label = ", ".join(f"{key}={value}" for key, value in row["setting"].items()) or recipe.name
        if not row["measures"]:
            lines.append((label, "", "nothing measured", f"{row['finished']}/{row['runs']}"))
        for name, measure in row["measures"].items():
            lines.append((label, name, str(MeasureSummary(**measure)), f"{row['finished']}/{row['runs']}"))
    text = align_rows(("setting", "measure", "mean [95 % interval]", "runs"), lines)
    print_result({"recipe": recipe.name, "settings": rows, "runs": documents}, as_json, text=text)
    worst = max((view.command_exit_code for view in views), default=0)
    if worst:
        raise typer.Exit(worst)

"""`mathwb train`: a model from a recipe, in front, in the background, or from the launch form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from engines.core.events import Event, Sink
from workbench import cli
from workbench.cli.common import Executor, Json, emit, progress_line, say, table
from workbench.errors import UsageError
from workbench.jobs import JobView, run_foreground, submit, submit_sweep
from workbench.recipes import Recipe, load, quickest, recipes, with_settings
from workbench.training import (
    Summary,
    Variant,
    begun_from,
    by_setting,
    check_trains,
    job_spec,
    seeds_of,
    variants,
)
from workbench.units import duration
from workbench.workspace import Workspace, ensure_sample

__all__ = ["train"]


def train(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[RECIPE]", help="As --list shows, or a file.", show_default=False),
    ] = None,
    headless: Annotated[bool, typer.Option("--headless", help="Run it here and wait for its end.")] = False,
    detach: Annotated[bool, typer.Option("--detach", help="Start it in the background and return.")] = False,
    list_: Annotated[bool, typer.Option("--list", help="The recipes that train a model.")] = False,
    print_: Annotated[
        bool, typer.Option("--print", help="Print the recipe with what it extends and --set.")
    ] = False,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="As in lr=3e-5 or data.corpus=mine."),
    ] = None,
    device: Annotated[
        str, typer.Option(help="auto, all, cpu, or GPUs by number or UUID, as in 0,1.", show_default=False)
    ] = "",
    init_from: Annotated[
        str, typer.Option(metavar="MODEL", help="Begin with the weights of this model.", show_default=False)
    ] = "",
    out: Annotated[
        Path | None, typer.Option(help="The folder for checkpoints and model.", show_default=False)
    ] = None,
    seeds: Annotated[
        str, typer.Option(metavar="1,2,3", help="One run for each; 1..5 too.", show_default=False)
    ] = "",
    folds: Annotated[bool, typer.Option("--folds", help="One run for each fold of the recipe.")] = False,
    grid: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=V1,V2", help="One run for each; 1..5, 0..1/5 and 1e-5..1e-3/4log too."),
    ] = None,
    random: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=LOW..HIGH", help="Drawn for each trial; /log behind it: by ratios."),
    ] = None,
    trials: Annotated[int, typer.Option(min=1, help="How many draws of --random.")] = 10,
    parallel: Annotated[
        int, typer.Option(min=0, help="So many runs at a time in the background; 0: as there is room.")
    ] = 0,
    stop_worst: Annotated[
        str,
        typer.Option(
            metavar="MEASURE",
            help="End runs in the background that are worse in it than most at that step.",
            show_default=False,
        ),
    ] = "",
    executor: Executor = "local",
    as_json: Json = False,
) -> None:
    """Train a model from a recipe. Without --headless or --detach the form for it is opened on the screens.

    Ctrl-C writes a checkpoint and stops, and `mathwb jobs resume` goes on from it; a second Ctrl-C kills.
    """
    if list_:
        found = [recipe for recipe in recipes() if recipe.task == "train"]
        rows = [(recipe.name, recipe.title, f"about {duration(recipe.minutes * 60)}") for recipe in found]
        documents = [{"name": item.name, "title": item.title, "minutes": item.minutes} for item in found]
        emit(documents, as_json, text=table(("recipe", "what it makes", "on two cores"), rows))
        return
    if headless and detach:
        raise UsageError("--headless waits and --detach does not", code="E427", remedy="Use one of them.")
    recipe = with_settings(load(name) if name else quickest(), settings or [])
    if init_from:
        recipe = begun_from(recipe, init_from)
    if print_:
        emit(recipe.document(), as_json, text=recipe.to_toml().rstrip())
        return
    if not headless and not detach:
        if out or seeds or folds or grid or random or executor != "local" or as_json:
            raise UsageError(
                "the form takes a recipe, --set and --device only",
                code="E427",
                remedy="Add --headless or --detach.",
            )
        check_trains(recipe)
        if device:
            recipe = replace(recipe, params={**recipe.params, "device": device})
        raise typer.Exit(cli.open_screens("jobs", recipe))
    workspace = Workspace.open()
    ensure_sample(workspace)
    wanted = (device, executor)
    if seeds or folds or grid or random:
        if out:
            raise UsageError("several runs have a folder each", code="E427", remedy="Leave out --out.")
        plan = variants(
            recipe,
            seeds=seeds_of(seeds),
            folds=folds,
            grid=grid or [],
            random=random or [],
            draws=trials,
        )
        if detach:
            _sweep(workspace, recipe, plan, wanted, (parallel, stop_worst), as_json)
        else:
            _several(workspace, recipe, plan, wanted, as_json)
        return
    spec = _checked(workspace, job_spec(workspace, recipe, out=out, device=device, executor=executor))
    if detach:
        job = submit(workspace, spec)
        text = f"job {job.id} trains {recipe.name}; follow it with: mathwb jobs tail -f {job.id}"
        emit({"job": job.id, "recipe": recipe.name}, as_json, text=text)
        return
    view = _run(workspace, spec, recipe.name, as_json)
    emit(_document(view), as_json, text=_told(view))
    if view.command_exit_code:
        raise typer.Exit(view.command_exit_code)


def _checked(workspace: Workspace, spec: Recipe) -> Recipe:
    """A job that its trainer takes. Raises: EngineError for settings that it refuses."""
    from workbench.jobs.worker import settled

    settled(spec, workspace.runs)
    return spec


def _run(workspace: Workspace, spec: Any, title: str, quiet: bool) -> JobView:
    view = run_foreground(workspace, spec, _teller(title, quiet))
    if view.state == "failed":
        say(f"{view.code} {view.reason}. {view.remedy}".strip())
    elif view.state == "stopped":
        say(f"{view.reason}; go on with: mathwb jobs resume {view.id}")
    return view


def _teller(title: str, quiet: bool) -> Sink:
    """Progress as one line, and what is worth a line of its own."""
    line = progress_line(title)

    def tell(event: Event) -> None:
        if event.kind == "log" and not quiet:
            say(str(event.data.get("message", "")))
        elif event.kind != "error":
            line(event)

    return tell


def _document(view: JobView) -> dict[str, Any]:
    ended = {"state": view.state, "reason": view.reason, "code": view.code, "remedy": view.remedy}
    return {"job": view.id, **ended, **view.value}


def _told(view: JobView) -> list[str]:
    value = view.value
    if view.state != "succeeded":
        return []
    rows = [(name, f"{measure:.6g}") for name, measure in value.get("measures", {}).items()]
    lines = table(("measure", "value"), rows) if rows else []
    made = f"step {value['best_step']:,} of {value['step']:,}, {value['tokens']:,} tokens"
    took = f"{value['seconds']:.0f} s on {value['device']}"
    return [*lines, f"model {value['model']} ({made}, {took}), job {view.id}"]


def _several(
    workspace: Workspace,
    recipe: Recipe,
    plan: Sequence[Variant],
    wanted: tuple[str, str],
    as_json: bool,
) -> None:
    specs = [_member(workspace, each, wanted) for each in plan]
    views: list[JobView] = []
    for number, (variant, spec) in enumerate(zip(plan, specs, strict=True), 1):
        views.append(_run(workspace, spec, f"{number}/{len(plan)} {_label(variant)}", as_json))
        if views[-1].state == "stopped":
            break
    done = plan[: len(views)]
    rows = by_setting(done, [view.value for view in views])
    runs = [
        {**_document(view), "setting": variant.setting, **variant.repeat}
        for variant, view in zip(done, views, strict=True)
    ]
    lines = []
    for row in rows:
        label = ", ".join(f"{key}={value}" for key, value in row["setting"].items()) or recipe.name
        for name, found in row["measures"].items():
            lines.append((label, name, str(Summary(**found)), f"{row['finished']}/{row['runs']}"))
    text = table(("setting", "measure", "mean [95 % interval]", "runs"), lines)
    emit({"recipe": recipe.name, "settings": rows, "runs": runs}, as_json, text=text)
    worst = max((view.command_exit_code for view in views), default=0)
    if worst:
        raise typer.Exit(worst)


def _sweep(
    workspace: Workspace,
    recipe: Recipe,
    plan: Sequence[Variant],
    wanted: tuple[str, str],
    how: tuple[int, str],
    as_json: bool,
) -> None:
    """Start all runs in the background, as one line of the list."""
    parallel, stop_worst = how
    runs = [(_member(workspace, each, wanted), each.setting, each.repeat) for each in plan]
    settings = recipe.params.get("train", {})
    lowest = "loss" in stop_worst or (
        settings.get("best") == stop_worst and bool(settings.get("best_is_lowest"))
    )
    title = f"sweep {recipe.name}"
    made = submit_sweep(
        workspace, recipe.name, title, runs, parallel=parallel, stop_worst=stop_worst, lowest=lowest
    )
    text = f"job {made.id}: {len(runs)} runs of {recipe.name}; compare them: mathwb jobs compare {made.id}"
    emit({"job": made.id, "recipe": recipe.name, "runs": len(runs)}, as_json, text=text)


def _member(workspace: Workspace, variant: Variant, wanted: tuple[str, str]) -> Recipe:
    """One of several runs, its title says which: `train egen/cl-mean-tiny lr=0.001 seed=2`."""
    device, executor = wanted
    spec = _checked(
        workspace, job_spec(workspace, variant.recipe, device=device, executor=executor, publish=False)
    )
    parts = {**variant.setting, **variant.repeat}
    apart = "".join(f" {key.removeprefix('train.')}={value}" for key, value in parts.items())
    return replace(spec, title=spec.title + apart)


def _label(variant: Variant) -> str:
    parts = {**variant.setting, **variant.repeat}
    return ", ".join(f"{key} {value}" for key, value in parts.items())

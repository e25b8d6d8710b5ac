"""The program and its commands: what all of them do the same way, and those of operations."""

from __future__ import annotations

import inspect
import math
import os
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Optional

import typer

from engines.core.errors import EngineError, did_you_mean
from engines.core.events import Event, Sink, never
from engines.core.spec import Field, describe_fields, to_mapping
from engines.core.text import make_printable
from workbench import __version__
from workbench.cli.launcher import open_screens
from workbench.errors import UsageError, one_line
from workbench.operations import Operation, option_name, to_plain, write_json
from workbench.paper import Paper, added_papers, all_papers, own_papers
from workbench.tables import HintLine, TableForm, in_form, to_the_second

if TYPE_CHECKING:
    from workbench.tables import Filter
from workbench.cli.command_groups import (
    BARE_SETTINGS,
    CommandEntry,
    handwritten_entry,
    lazy_group,
    make_group,
)
from workbench.cli.failures import print_message, stop_on_interrupt


def plain_argument(**about: Any) -> Any:
    """Declare an argument whose help shows no default."""
    return typer.Argument(show_default=False, **about)


def plain_option(*names: str, **about: Any) -> Any:
    """Declare an option whose help shows no default."""
    return typer.Option(*names, show_default=False, **about)


JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
"""The type of every command's `as_json` option."""

ExecutorOption = Annotated[
    str,
    typer.Option(
        help="local, slurm with options of sbatch (slurm:partition=gpu,time=60), or an installed executor."
    ),
]

_FILTER = "Only matching rows: words, field:value, field=value, field>number; ! in front negates."
WhereOption = Annotated[str | None, plain_option("--where", metavar="FILTER", help=_FILTER)]
"""The type of the `where` option of commands that list rows; see `workbench.tables`."""


CsvOption = Annotated[
    bool, typer.Option("--csv", help="Print every row of the tables as CSV, and nothing else.")
]
TexOption = Annotated[bool, typer.Option("--tex", help="Print every row of the tables for LaTeX.")]


_Detach = Annotated[bool, typer.Option("--detach", help="Run in the background, as a job.")]
_PARTS = "With --detach: split the work over this many jobs, and merge the shares in one more."
_Shares = Annotated[int, plain_option("--shares", min=1, help=_PARTS)]
_FromRecipe = Annotated[str | None, typer.Option("--recipe", help="Start from the settings of this recipe.")]


PlotFile = Annotated[
    Path | None, plain_option("--plot", help="Plot to this .svg, .png or .pdf file, for a paper.")
]


def form_of(tex: bool, csv: bool, as_json: bool) -> TableForm | None:
    """Return the form of the tables that the options ask for.

    Raises:
        UsageError: E427 if they ask for more than one.
    """
    asked = [name for name, given in (("--tex", tex), ("--csv", csv), ("--json", as_json)) if given]
    if len(asked) > 1:
        what = f"{' and '.join(asked)} cannot be combined"
        raise UsageError(what, code="E427", remedy="Leave all but one out.")
    return "tex" if tex else "csv" if csv else None


def print_result(
    value: object, as_json: bool, *, text: str | Iterable[str] = (), form: TableForm | None = None
) -> None:
    """Print a result on stdout.

    Args:
        value: The record that `--json` prints as one document; NaN and infinities become null.
        as_json: Whether to print that document.
        text: What people see instead, a string or lines; control characters in it are made visible.
        form: The form of the tables; only they are printed then.
    """
    if as_json:
        write_json(to_plain(value), sys.stdout.write)
        return
    lines: Iterable[str] = text.splitlines() if isinstance(text, str) else text
    for line in lines if form is None else in_form(lines, form):
        print(make_printable(line))


def progress_line(title: str) -> Sink:
    """Return a sink that shows progress as one line on stderr, with rate and remaining time.

    If stderr is not a terminal, it prints a line every ten seconds. Warnings and errors stay as lines.
    """
    terminal = sys.stderr.isatty()
    started = 0.0
    stage: tuple[Any, Any] | None = None
    reached: Any = 0
    before: Any = 0
    last = -math.inf
    # Seconds between two lines: often enough to look alive, and rare in a log file.
    interval = 0.2 if terminal else 10.0

    # The closure remembers the stage and when it was last printed.
    def show_event(event: Event) -> None:
        nonlocal last, started, stage, reached, before
        if event.kind in ("warning", "error"):
            # \r\x1b[K returns to the beginning of the line and clears it, so that the message does not end in
            # old progress.
            if terminal:
                sys.stderr.write("\r\x1b[K")
            print_message(str(event.data.get("message", event.data)))
            return
        if event.kind != "progress":
            return
        done, total = event.data.get("done"), event.data.get("total")
        finished = done is not None and done == total
        now = time.monotonic()
        if (total, event.data.get("unit")) != stage or (done or 0) < reached:
            # Another stage of the work, whose rate is its own; what was done before it began does not count.
            started, stage, before = now, (total, event.data.get("unit")), done or 0
        reached = done or 0
        # The last report of a stage is always shown, or the line would stop at 97 %.
        if now - last < interval and not finished:
            return
        last = now
        line = f"{title} {progress_text(event.data, now - started, before)}"
        # In a terminal the line is written over; in a file each report is a line of its own.
        sys.stderr.write(f"\r\x1b[K{make_printable(line)}" if terminal else make_printable(line) + "\n")
        if terminal and finished:
            sys.stderr.write("\n")
        sys.stderr.flush()

    return show_event


def progress_text(data: Mapping[str, Any], seconds: float, before: int = 0) -> str:
    """Return the text of a progress event: `1,200/4,944 heads 24 % 8.1/s 7m42s left`.

    Rate and remaining time count from `before`, what was done when the stage began. An event may know its own
    rate better (`rate_per_s`).
    """
    done, total, unit = data.get("done", 0), data.get("total"), data.get("unit", "")
    parts = [f"{done:,}" + (f"/{total:,}" if total else "") + (f" {unit}" if unit else "")]
    rate = data.get("rate_per_s") or ((done - before) / seconds if seconds > 0 else 0.0)
    if total:
        parts.append(f"{done / total:.0%}")
    if rate:
        parts.append(f"{rate:.3g}/s")
        if total and done < total:
            parts.append(f"{to_the_second((total - done) / rate)} left")
    return " ".join(parts)


def paper_group(paper: Paper) -> typer.Typer:
    """Make the group of a paper's commands."""
    return make_group(
        paper.name, paper.help, [operation_entry(row) for row in paper.load_operations() if "." in row.name]
    )


def operation_entry(row: Operation) -> CommandEntry:
    """Return the entry of an operation's command."""
    name = row.name.rpartition(".")[2]
    return CommandEntry(name, row.help, partial(operation_command, row), row.expressions, row.listed)


_OPTION = re.compile(r"--[a-z][a-z-]*(=.*)?", re.DOTALL)


def operation_command(row: Operation) -> Callable[..., None]:
    """Make the command of an operation: its fields are the arguments and options."""
    fields = describe_fields(row.spec_type)
    defaults = _user_defaults(row)
    # Options that only some operations have, with whether this one takes them.
    parameters = [_field_parameter(field, defaults.get(field.name, field.default)) for field in fields]
    shared_options = (
        ("where", WhereOption, None, row.where),
        ("recipe", _FromRecipe, None, row.recipes),
        ("detach", _Detach, False, row.background),
        ("executor", ExecutorOption, "local", row.background),
        ("shares", _Shares, 1, row.divisible),
        ("csv", CsvOption, False, row.tables),
        ("tex", TexOption, False, row.tables),
        ("as_json", JsonOption, False, True),
    )
    parameters += [
        _keyword_parameter(name, kind, default) for name, kind, default, takes in shared_options if takes
    ]

    def run_operation(
        *,
        as_json: bool,
        csv: bool = False,
        tex: bool = False,
        detach: bool = False,
        executor: str = "local",
        shares: int = 1,
        recipe: str | None = None,
        where: str | None = None,
        **typed: Any,
    ) -> None:
        # Step 1: collect what was typed. A value from the command line wins over the recipe's.
        # What was not typed may be that of a recipe, or of work that was begun.
        untyped = {field.name for field in fields if field.arg.words and typed[field.name] is None}
        given = {
            field.name: _collect_value(field, typed[field.name])
            for field in fields
            if field.name not in untyped
        }
        given = _shift_arguments(fields, given)
        if recipe is not None:
            given = _of_recipe(row, recipe) | {
                name: value for name, value in given.items() if value is not None
            }
        # Step 2: check everything, before anything runs or is written.
        try:
            row_filter = row.where.parse_filter(where) if row.where and where else None
            spec = row.resolve_spec(given)
            if where:
                _refuse_unshown(row, spec, detach)
            form = form_of(tex, csv, as_json)
            # Step 3: run it here, or as a job.
            if not detach:
                for name, is_given in (("--executor", executor != "local"), ("--shares", shares > 1)):
                    if is_given:
                        what = f"{name} is only for background jobs"
                        raise UsageError(what, code="E427", remedy="Add --detach.")
                _run_and_print(row, spec, as_json, row_filter, form)
            else:
                _start_job(row, spec, executor, shares, as_json)
        # In an expression an unknown option looks like a part of it, so the error is explained again.
        except EngineError:
            if row.expressions:
                _refuse_unknown_options(row, given)
            raise

    # Typer reads the name, the help and the parameters from these attributes.
    run_operation.__name__ = row.name.rpartition(".")[2]
    run_operation.__doc__ = inspect.getdoc(row.spec_type)
    run_operation.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return run_operation


def _keyword_parameter(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default)


def _field_parameter(field: Field, default: Any) -> inspect.Parameter:
    arg = field.arg
    several = field.many or arg.words
    kind: Any = Literal[field.choices] if field.choices else str if arg.ref else field.kind
    if field.choices and several:
        # Typer has no list of choices; the spec checks each of them.
        kind = str
    # Show a default unless there is none, or an empty one.
    shown: Any = arg.shown or (default not in (None, (), "") and not field.required)
    about: dict[str, Any] = {"help": arg.help, "show_default": shown, "hidden": arg.hidden}
    if arg.metavar or (field.choices and several):
        about["metavar"] = arg.metavar or f"[{'|'.join(map(str, field.choices))}]"
    if field.kind in (int, float) and not field.choices:
        about |= {name: limit for name, limit in (("min", arg.low), ("max", arg.high)) if limit is not None}
    # The limits of a field may be floats; those of an integer option must be integers.
    if field.kind is int:
        about |= {name: int(about[name]) for name in ("min", "max") if name in about}
    if not field.is_option:
        about.pop("hidden")
        result: Any = typer.Argument(**about)
    else:
        long = option_name(field)
        if field.kind is bool and default is not False:
            long = f"{long}/--no-{long[2:]}"
        result = typer.Option(*([arg.short] if arg.short else []), long, **about)
    result.field = field  # for `_check_words`
    # Typer wants a list for an option that can be repeated, and None as its default.
    if several:
        kind = list[kind]
    if field.required:
        return _keyword_parameter(field.name, Annotated[kind, result], inspect.Parameter.empty)
    if default is None or several:
        kind = Optional[kind]  # noqa: UP045  # built while running
    return _keyword_parameter(field.name, Annotated[kind, result], default or None if several else default)


def _shift_arguments(fields: Sequence[Field], given: dict[str, Any]) -> dict[str, Any]:
    """Return what was typed with the arguments moved on by those that an option stands in for."""
    arguments = [field for field in fields if not field.is_option]
    typed = [given[field.name] for field in arguments if given.get(field.name) is not None]
    taken = [field for field in arguments if all(given.get(name) is None for name in field.arg.unless)]
    if len(taken) == len(arguments):
        return given
    if taken[-1].arg.words and len(typed) > len(taken):
        last = len(taken) - 1
        typed[last:] = [" ".join(typed[last:])]
    if len(typed) > len(taken):
        return given  # the spec says what does not go together
    moved = dict.fromkeys((field.name for field in arguments), None)
    return {**given, **moved, **{field.name: value for field, value in zip(taken, typed, strict=False)}}


def _collect_value(field: Field, value: Any) -> Any:
    if field.arg.words:
        return (", " if field.is_option else " ").join(value)
    return tuple(value) if field.many and value is not None else value


def _of_recipe(row: Operation, name: str) -> dict[str, Any]:
    from workbench.recipes import list_recipes, load_recipe

    recipe = load_recipe(name)
    if recipe.task != row.name:
        what = f"{name} is not a recipe for {row.name}: its task is {recipe.task}"
        own = ", ".join(one.name for one in list_recipes() if one.task == row.name)
        raise UsageError(what, code="E425", remedy=f"There are: {own}.")
    return {**recipe.params, "seed": recipe.seed}


def _user_defaults(row: Operation) -> Mapping[str, Any]:
    wanted = {
        setting: field
        for paper in all_papers()
        for setting, position in paper.defaults.items()
        for name, field in position
        if name == row.name
    }
    if not wanted:
        return {}
    from workbench.config import own_config

    # Without the settings of papers where none is set.
    settings = own_config().settings
    return {
        field: settings[name].value
        for name, field in wanted.items()
        if name in settings and settings[name].origin != "default"
    }


def _run_and_print(
    row: Operation, spec: Any, as_json: bool, wanted: Filter | None, form: TableForm | None = None
) -> None:
    if row.one_thread and "numpy" not in sys.modules:
        # Read when NumPy's library of matrices is loaded; what the user sets holds.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Step 1: start. Of an iterator nothing has been computed yet.
    stop = stop_on_interrupt() if row.takes_stop else never
    record = row.start(spec, events=_counted_progress(row), stop=stop)
    # Step 2: the filter.
    if row.where and wanted is not None:
        there = row.where.count_rows(record)
        record = row.where.filter_record(record, wanted, spec, events=_counted_progress(row))
        if there and not row.where.count_rows(record) and not as_json and form is None:
            print(f"none of {there:,} passes the filter")
            return
    # Step 3: print. Rows of an iterator are printed as they come, without waiting for the last one.
    if isinstance(record, Iterator) and row.json_lines:
        for one in record:
            print_result(one, True)
        return
    if isinstance(record, Iterator) and not as_json:
        for line in row.text_lines(record, spec):
            # The columns of such lines are separated by tabs, which `make_printable` would replace.
            print("\t".join(map(make_printable, line.split("\t"))))
        return
    if isinstance(record, Iterator) and not row.document:
        write_json(record, sys.stdout.write)
        return
    done = row.make_result(record)
    if as_json:
        write_json(done.streamed, sys.stdout.write)
    else:
        lines = row.text_lines(done.record, spec)
        for line in lines if form is None else in_form(lines, form):
            print_message(line) if isinstance(line, HintLine) else print(make_printable(line))
    if done.code:
        raise typer.Exit(done.code)


def _counted_progress(row: Operation) -> Sink:
    """Return the line on stderr. Progress that does not count what is done is for screens."""
    line = progress_line(row.name.rpartition(".")[2])

    def pass_on(event: Event) -> None:
        if event.kind != "progress" or "done" in event.data:
            line(event)

    return pass_on


def _start_job(row: Operation, spec: Any, executor: str, shares: int, as_json: bool) -> None:
    from workbench.jobs.control import submit_job, submit_shares
    from workbench.jobs.placement import check_placement
    from workbench.recipes import job_recipe
    from workbench.workspace import Workspace

    assert row.background is not None
    recipe = job_recipe(row, spec)
    if executor != "local":
        recipe = replace(recipe, params={**recipe.params, "executor": executor})
    check_placement(recipe.params)
    workspace = Workspace.open()
    if shares > 1:
        if spec.share is not None:
            what = "a single share cannot be divided"
            raise UsageError(what, code="E427", remedy="Use --share or --shares.")
        # The check is made with the first share, since all shares are alike.
        row.resolve_spec(
            {**to_mapping(spec), "share": f"1/{shares}"}
        )  # refuses what is not ready to be divided
        job = submit_shares(workspace, recipe, shares)
        follow = f"follow them with: mathwb jobs list --where sweep:{job.id}"
    else:
        job = submit_job(workspace, recipe)
        follow = f"follow it with: mathwb jobs tail {job.id}"
    out = str(getattr(spec, row.background.target))
    says = row.background.says.format(**to_mapping(spec))
    text = f"job {job.id} {says}{f' in {shares} shares' if shares > 1 else ''}; {follow}"
    print_result({"job": job.id, row.background.target: out}, as_json, text=text)


def _refuse_unshown(row: Operation, spec: Any, detach: bool) -> None:
    """A filter narrows what is printed.

    Raises:
        UsageError: E427 where nothing is.
    """
    assert row.where is not None
    to_file = bool(row.where.unless) and getattr(spec, row.where.unless) is not None
    if to_file or detach:
        fields = {field.name: field for field in describe_fields(row.spec_type)}
        other = "--detach" if detach else option_name(fields[row.where.unless])
        what = f"--where filters printed rows, and {other} prints none"
        raise UsageError(what, code="E427", remedy="Leave one of them out.")


def _refuse_unknown_options(row: Operation, given: Mapping[str, Any]) -> None:
    """Say so when part of an expression is an option that the command does not have."""
    known = [option_name(field) for field in describe_fields(row.spec_type) if field.is_option]
    for value in given.values():
        for word in str(value).split() if isinstance(value, str) else ():
            if _OPTION.fullmatch(word):
                name = word.partition("=")[0]
                remedy = did_you_mean(name, known) or f"See: mathwb {row.name.replace('.', ' ')} --help"
                raise UsageError(f"there is no option {name}", remedy=remedy) from None


COMMANDS = (
    *(CommandEntry(paper.name, paper.help, partial(paper_group, paper)) for paper in all_papers()),
    *(
        operation_entry(row)
        for paper in own_papers()
        for row in paper.load_operations()
        if "." not in row.name
    ),
    handwritten_entry(
        "train", "workbench.cli.train:train_model", "Train a model from a recipe, here or in the background."
    ),
    handwritten_entry(
        "repro",
        "workbench.cli.system:show_tables",
        "Show the papers' tables: their numbers, ours, what is missing.",
    ),
    handwritten_entry("jobs", "workbench.cli.jobs:app", "Long work in the background: watch, stop, resume."),
    handwritten_entry("data", "workbench.cli.data:app", "Your own files: register and check them."),
    handwritten_entry("trash", "workbench.cli.trash:app", "List and restore what was deleted."),
    handwritten_entry(
        "config", "workbench.cli.system:app", "Show or change settings, and see where each value comes from."
    ),
    handwritten_entry(
        "completion",
        "workbench.cli.completion:print_completion_script",
        "The script by which a shell completes.",
    ),
    handwritten_entry(
        "doctor",
        "workbench.cli.system:check_installation",
        "Check the installation: what is missing, and what to do.",
    ),
    handwritten_entry(
        "serve", "workbench.cli.system:serve_screens", "Open the screens in a browser, behind a token."
    ),
    handwritten_entry(
        "mcp",
        "workbench.cli.system:serve_tools",
        "Offer the checkers and solvers to language models, as tools.",
    ),
    handwritten_entry(
        "tour", "workbench.cli.system:run_tours", "Run the main task of every engine on the sample workspace."
    ),
)

app = typer.Typer(
    name="mathwb",
    cls=lazy_group(COMMANDS),
    help="A workbench for mathematical language. Without a command, it opens the screens.",
    **BARE_SETTINGS,
)


def program_command() -> tuple[Any, Any]:
    """Return the program as one command, with its context."""
    command = typer.main.get_command(app)
    return command, command.make_context("mathwb", ["-"], ignore_unknown_options=True, resilient_parsing=True)


def list_subcommands(command: Any, context: Any) -> Iterator[tuple[str, Any, Any]]:
    """Yield the commands of a group that help lists: name, command and context. A command has none."""
    for name in command.list_commands(context) if hasattr(command, "list_commands") else ():
        inner = command.get_command(context, name)
        if not inner.hidden:
            yield name, inner, inner.make_context(name, [], parent=context, resilient_parsing=True)


def warn_of_papers() -> None:
    """Print on stderr which papers of other distributions cannot be used."""
    for problem in added_papers()[1]:
        print_message(one_line(problem))


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"mathwb {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def open_program(
    context: typer.Context,
    workspace: Annotated[Path | None, plain_option("--workspace", help="The workspace folder.")] = None,
    ascii: Annotated[bool, typer.Option("--ascii", help="Draw with plain ASCII characters.")] = False,
    version: Annotated[  # noqa: ARG001  # answered by its callback
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Open the screens, or prepare for the command that follows."""
    # Settings reach every part, child processes too, through the environment.
    if workspace is not None:
        os.environ["MATHWB_WORKSPACE"] = str(workspace.absolute())
    if ascii:
        os.environ["MATHWB_ASCII"] = "1"
    if context.invoked_subcommand is None:
        raise typer.Exit(open_screens())

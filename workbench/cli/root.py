"""The commands and groups of `mathwb` by name; each module is imported when it is used, not before."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from workbench import __version__
from workbench.cli import open_screens
from workbench.cli.command import Entry, derived, lazy_group, paper_group, say, written
from workbench.errors import one_line
from workbench.paper import added_papers, own_papers, papers

COMMANDS = (
    *(Entry(paper.name, paper.help, partial(paper_group, paper)) for paper in papers()),
    *(derived(row) for paper in own_papers() for row in paper.rows() if "." not in row.name),
    written("train", "workbench.cli.train:train", "Train a model from a recipe, here or in the background."),
    written(
        "repro",
        "workbench.cli.system:repro",
        "Show the papers' tables: their numbers, ours, what is missing.",
    ),
    written("jobs", "workbench.cli.jobs:app", "Long work in the background: watch, stop, resume."),
    written("data", "workbench.cli.data:app", "Your own files: register and check them."),
    written(
        "config", "workbench.cli.system:app", "Show or change settings, and see where each value comes from."
    ),
    written("completion", "workbench.cli.completion:completion", "The script by which a shell completes."),
    written(
        "doctor", "workbench.cli.system:doctor", "Check the installation: what is missing, and what to do."
    ),
    written("serve", "workbench.cli.system:serve", "Open the screens in a browser, behind a token."),
    written(
        "mcp", "workbench.cli.system:mcp", "Offer the checkers and solvers to language models, as tools."
    ),
    written(
        "tour", "workbench.cli.system:tour", "Run the main task of every engine on the sample workspace."
    ),
)

app = typer.Typer(
    name="mathwb",
    cls=lazy_group(COMMANDS),
    help="A workbench for mathematical language. Without a command, it opens the screens.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def warn_of_papers() -> None:
    """Say on stderr which papers of other distributions cannot be used."""
    for problem in added_papers()[1]:
        say(one_line(problem))


def _version(wanted: bool) -> None:
    if wanted:
        print(f"mathwb {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    workspace: Annotated[
        Path | None, typer.Option("--workspace", help="The workspace folder.", show_default=False)
    ] = None,
    ascii: Annotated[bool, typer.Option("--ascii", help="Draw with plain ASCII characters.")] = False,
    version: Annotated[  # noqa: ARG001  # answered by its callback
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
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

"""`mathwb arqmath`: one module per command, loaded when it runs."""

from __future__ import annotations

import typer

from workbench.cli.lazy import Entry, lazy_group

__all__ = ["app"]

_HERE = "workbench.cli.arqmath"
COMMANDS = (
    Entry("eval", f"{_HERE}.eval:evaluate_run", "A run's prime measures, per topic and on average."),
    Entry("compare", f"{_HERE}.compare:compare_runs", "Runs side by side, with significance tests."),
)

app = typer.Typer(
    name="arqmath",
    cls=lazy_group(COMMANDS),
    help="ARQMath answer retrieval: evaluate and compare runs.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


@app.callback()
def arqmath() -> None:
    """ARQMath answer retrieval: evaluate and compare runs."""

"""Groups whose commands are named in a table and made when they run: help stays instant."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import typer

from workbench.cli.once import OnceCommand, OnceGroup
from workbench.operation import Operation, load

if TYPE_CHECKING:
    from workbench.paper import Paper

__all__ = ["Entry", "group", "lazy_group", "paper_group", "written"]


@dataclass(frozen=True, slots=True)
class Entry:
    """A command or group: its name, its line of help, and what makes it: a function with typer annotations or
    a `typer.Typer`. `expressions` lets an argument begin with `-`, as `- sin x 2` does; such a command has no
    one-letter options. What is not `listed` is a command all the same."""

    name: str
    help: str
    made: Callable[[], Any]
    expressions: bool = False
    listed: bool = True


def written(name: str, target: str, help: str) -> Entry:
    """A command or group that is written by hand, at `module:attribute`."""
    return Entry(name, help, partial(load, target))


def _command(entry: Entry) -> Any:
    from workbench.cli.common import guard

    found = entry.made()
    if not isinstance(found, typer.Typer):
        holder = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
        settings = {"ignore_unknown_options": entry.expressions}
        holder.command(entry.name, cls=OnceCommand, context_settings=settings, hidden=not entry.listed)(
            guard(found)
        )
        found = holder
    command = typer.main.get_command(found)
    command.name = entry.name
    return command


def lazy_group(entries: Sequence[Entry]) -> type[OnceGroup]:
    """The group class to give to `typer.Typer(cls=...)`."""
    by_name = {entry.name: entry for entry in entries}

    class LazyGroup(OnceGroup):
        """Knows its commands by name and loads the one that is asked for."""

        def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
            return list(by_name)

        def get_command(self, ctx: Any, cmd_name: str) -> Any:
            if cmd_name in by_name and cmd_name not in self.commands:
                self.commands[cmd_name] = _command(by_name[cmd_name])
            return super().get_command(ctx, cmd_name)

        def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
            with formatter.section("Commands"):
                formatter.write_dl([(entry.name, entry.help) for entry in entries if entry.listed])

        def resolve_command(self, ctx: Any, args: list[str]) -> Any:
            if args and args[0] not in by_name:
                from engines.core.errors import did_you_mean

                ctx.fail(f"There is no command {args[0]!r}. {did_you_mean(args[0], by_name)}".rstrip())
            return super().resolve_command(ctx, args)

    return LazyGroup


def _nothing() -> None:
    pass


class _Group(typer.Typer):
    """A group to whose commands options are given once."""

    def command(self, name: str | None = None, **settings: Any) -> Any:
        """As typer's."""
        return super().command(name, cls=OnceCommand, **settings)


def group(
    name: str,
    help: str,
    entries: Sequence[Entry] = (),
) -> typer.Typer:
    """A group of commands: those of a table, loaded when they run, or those its module adds."""
    app = _Group(
        name=name,
        cls=lazy_group(entries) if entries else OnceGroup,
        help=help,
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )
    # A callback makes it a group even with one command.
    app.callback()(_nothing)
    return app


def paper_group(paper: Paper) -> typer.Typer:
    """The group of a paper's commands, those of its operations."""
    entries = [
        Entry(row.name.partition(".")[2], row.help, partial(_derived, row), row.expressions, row.listed)
        for row in paper.rows()
    ]
    return group(paper.name, paper.help, entries)


def _derived(row: Operation) -> Any:
    from workbench.cli.command import command

    return command(row)

"""Groups whose commands are named in a table and imported when they run: help stays instant."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup

__all__ = ["Entry", "group", "lazy_group"]

_OPTION = re.compile(r"--[a-z][a-z-]*(=.*)?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Entry:
    """A command or group: its name, `module:attribute`, and its line of help.

    The attribute is a function with typer annotations or a `typer.Typer`. `expressions` lets an argument
    begin with `-`, as `- sin x 2` does; such a command has no one-letter options.
    """

    name: str
    target: str
    help: str
    expressions: bool = False


def _load(entry: Entry) -> Any:
    from workbench.cli.common import guard

    module, _, attribute = entry.target.partition(":")
    found = getattr(import_module(module), attribute)
    if entry.expressions:
        found = _without_options(found)
    if not isinstance(found, typer.Typer):
        holder = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
        settings = {"ignore_unknown_options": entry.expressions}
        holder.command(entry.name, context_settings=settings)(guard(found))
        found = holder
    command = typer.main.get_command(found)
    command.name = entry.name
    return command


def _without_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The command, which takes an option it does not have for a part of an expression, saying so."""
    from engines.core.errors import ExpressionError
    from workbench.errors import UsageError

    @functools.wraps(command)
    def checked(*args: Any, **values: Any) -> Any:
        try:
            return command(*args, **values)
        except ExpressionError:
            for value in values.values():
                for word in value if isinstance(value, list) else [value]:
                    if isinstance(word, str) and _OPTION.fullmatch(word):
                        raise UsageError(
                            f"there is no option {word.partition('=')[0]}",
                            remedy=f"See: mathwb egen {command.__name__} --help",
                        ) from None
            raise

    return checked


def lazy_group(entries: Sequence[Entry]) -> type[TyperGroup]:
    """The group class to give to `typer.Typer(cls=...)`."""
    by_name = {entry.name: entry for entry in entries}

    class LazyGroup(TyperGroup):
        """Knows its commands by name and loads the one that is asked for."""

        def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
            return list(by_name)

        def get_command(self, ctx: Any, cmd_name: str) -> Any:
            if cmd_name in by_name and cmd_name not in self.commands:
                self.commands[cmd_name] = _load(by_name[cmd_name])
            return super().get_command(ctx, cmd_name)

        def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
            with formatter.section("Commands"):
                formatter.write_dl([(entry.name, entry.help) for entry in entries])

        def resolve_command(self, ctx: Any, args: list[str]) -> Any:
            if args and args[0] not in by_name:
                from workbench.errors import did_you_mean

                ctx.fail(f"There is no command {args[0]!r}. {did_you_mean(args[0], by_name)}".rstrip())
            return super().resolve_command(ctx, args)

    return LazyGroup


def _nothing() -> None:
    pass


def group(
    name: str,
    help: str,
    entries: Sequence[Entry] = (),
    *,
    prepare: Callable[[typer.Context], None] | None = None,
) -> typer.Typer:
    """A group of commands: those of a table, loaded when they run, or those its module adds.

    `prepare` runs before each of them.
    """
    app = typer.Typer(
        name=name,
        cls=lazy_group(entries) if entries else TyperGroup,
        help=help,
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )
    # A callback makes it a group even with one command.
    app.callback()(prepare or _nothing)
    return app

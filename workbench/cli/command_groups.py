"""Groups of commands, each of which is loaded when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import typer

from engines.core.errors import did_you_mean
from workbench.cli.failures import guard_command
from workbench.cli.parsing import OnceCommand, OnceGroup
from workbench.paper import load

BARE_SETTINGS: dict[str, Any] = {
    "add_completion": False,
    "rich_markup_mode": None,
    "pretty_exceptions_enable": False,
}
"""What typer would add to a program, and is not added: completion, markup and tracebacks of its own."""


@dataclass(frozen=True, slots=True)
class CommandEntry:
    """A command or group.

    Args:
        name: Its name.
        help: Its line of help.
        made: Makes it: returns a function with typer annotations, or a `typer.Typer`.
        expressions: Whether an argument may begin with `-`, as in `- sin x 2`; such a command has no
            one-letter options.
        listed: Whether help lists it.
    """

    name: str
    help: str
    made: Callable[[], Any]
    expressions: bool = False
    listed: bool = True


def handwritten_entry(name: str, target: str, help: str) -> CommandEntry:
    """Return the entry of a command or group that is written by hand, at `module:attribute`."""
    return CommandEntry(name, help, partial(load, target))


def _build_command(entry: CommandEntry) -> Any:
    made = entry.made()
    if not isinstance(made, typer.Typer):
        function, made = guard_command(made), typer.Typer(**BARE_SETTINGS)
        # Otherwise a word such as `-1` would be read as an option.
        settings = {"ignore_unknown_options": entry.expressions}
        made.command(entry.name, cls=OnceCommand, context_settings=settings, hidden=not entry.listed)(
            function
        )
    command = typer.main.get_command(made)
    command.name = entry.name
    return command


def _suggest_groups(root: Any, name: str) -> str:
    """Return `Did you mean 'egen generate'?`, with each group that has a command of this name."""
    commands = {word: root.command.get_command(root, word) for word in root.command.list_commands(root)}
    groups = {word: command for word, command in commands.items() if hasattr(command, "list_commands")}
    paths = [f"'{word} {name}'" for word, group in groups.items() if name in group.list_commands(root)]
    return f"Did you mean {' or '.join(paths)}?" if paths else ""


def lazy_group(entries: Sequence[CommandEntry]) -> type[OnceGroup]:
    """Return the class of a group that loads a command when it is asked for."""
    by_name = {entry.name: entry for entry in entries}

    class LazyGroup(OnceGroup):
        """Knows its commands by name and loads the one that is asked for."""

        def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
            return list(by_name)

        def get_command(self, ctx: Any, cmd_name: str) -> Any:
            # The module of a command is imported here, and not before.
            if cmd_name in by_name and cmd_name not in self.commands:
                self.commands[cmd_name] = _build_command(by_name[cmd_name])
            return super().get_command(ctx, cmd_name)

        def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
            with formatter.section("Commands"):
                # Typer would load every command to print one line of help for each.
                formatter.write_dl([(entry.name, entry.help) for entry in entries if entry.listed])

        def resolve_command(self, ctx: Any, args: list[str]) -> Any:
            if args and args[0] not in by_name:
                hint = _suggest_groups(ctx.find_root(), args[0]) or did_you_mean(args[0], by_name)
                ctx.fail(f"There is no command {args[0]!r}. {hint}".rstrip())
            return super().resolve_command(ctx, args)

    return LazyGroup


class _Group(typer.Typer):
    def command(self, name: str | None = None, **settings: Any) -> Any:
        add = super().command(name, cls=OnceCommand, **settings)

        def add_guarded(function: Callable[..., Any]) -> Callable[..., Any]:
            add(guard_command(function))
            return function

        return add_guarded


def make_group(name: str, help: str, entries: Sequence[CommandEntry] = ()) -> typer.Typer:
    """Make a group of commands: those of a table, loaded when they run, or those that its module adds."""
    app = _Group(
        name=name,
        cls=lazy_group(entries) if entries else OnceGroup,
        help=help,
        no_args_is_help=True,
        **BARE_SETTINGS,
    )
    # A callback makes it a group even with one command.
    app.callback()(lambda: None)
    return app

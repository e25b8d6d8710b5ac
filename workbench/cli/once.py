"""Commands and groups whose options are given once: of two values the library takes the last, silently."""

from __future__ import annotations

from collections import Counter
from typing import Any

from typer.core import TyperCommand, TyperGroup, TyperOption

__all__ = ["OnceCommand", "OnceGroup"]


class _Once:
    """Before a command or group of typer: it refuses what is given again and could mean something else."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Refuse options that are given again, then go on."""
        this: Any = self
        _, _, order = this.make_parser(ctx).parse_args(args=list(args))
        for option, times in Counter(filter(_single, order)).items():
            if times > 1:
                names = "/".join((option.opts[-1], *option.secondary_opts[-1:]))
                ctx.fail(f"{names} is given {times} times, and may be given once.")
        more: Any = super()
        found: list[str] = more.parse_args(ctx, args)
        return found


def _single(option: Any) -> bool:
    """Whether a second one says something else: no option of several values, no sign without an opposite."""
    if not isinstance(option, TyperOption) or option.multiple or option.count:
        return False
    return not option.is_flag or bool(option.secondary_opts)


class OnceCommand(_Once, TyperCommand):
    """A command."""


class OnceGroup(_Once, TyperGroup):
    """A group, and so the program itself."""

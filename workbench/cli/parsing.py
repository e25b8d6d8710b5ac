"""How a command takes its arguments and options: typer's, with checks and help of our own."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from typer.core import TyperCommand, TyperGroup, TyperOption

from engines.core.spec import Field, parse
from workbench.operations import option_name


class _Once:
    """Before a command or group of typer: it refuses what is given again and could mean something else, and
    its help has no types of Python."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        # Typer writes types of Python into its help; the record of each parameter is rewritten as it is asked
        # for.
        for parameter in self.params:  # type: ignore[attr-defined]
            parameter.get_help_record = partial(_help_record, parameter.get_help_record)

    def get_params(self, ctx: Any) -> list[Any]:
        more: Any = super()
        parameters: list[Any] = more.get_params(ctx)
        for parameter in parameters:
            if not isinstance(parameter.process_value, partial):
                parameter.process_value = partial(_process_value, parameter, parameter.process_value)
        return parameters

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        # The arguments are parsed once more, only to count how often each option was given.
        this: Any = self
        _, _, order = this.make_parser(ctx).parse_args(args=list(args))
        for given, times in Counter(filter(_takes_one_value, order)).items():
            if times > 1:
                names = "/".join((given.opts[-1], *given.secondary_opts[-1:]))
                ctx.fail(f"{names} is given {times} times, but only one is allowed.")
        more: Any = super()
        result: list[str] = more.parse_args(ctx, args)
        return result


_TYPE = re.compile(r"<(?:list\[)?(str|int|float|Path|path)( range)?\]?>")


def _help_record(record: Callable[[Any], tuple[str, str] | None], context: Any) -> tuple[str, str] | None:
    """Return a parameter and its help: `<text>` and `<number>` for what it takes, a default without
    brackets.
    """
    if (pair := record(context)) is None:
        return None
    kinds = {"str": "text", "Path": "path", "path": "path"}
    name = _TYPE.sub(lambda match: f"<{kinds.get(match[1], 'number')}>", pair[0])
    return name, re.sub(r"\[default: \(([^()]*)\)", r"[default: \1", pair[1])


def _process_value(parameter: Any, process: Callable[[Any, Any], Any], context: Any, value: Any) -> Any:
    """Return what was typed for a parameter as a value of its type.

    Typer imports pydantic to convert and check, which takes as long as all else that a command imports. So it
    is asked only about what is not certainly of the type. What the field of a spec refuses is refused in the
    words of the spec, as in Python, recipes, forms and the tools of language models.
    """
    several = parameter.multiple or parameter.nargs == -1
    try:
        described = parameter.type_descriptor
        if (value is None and parameter.required) or (several and isinstance(value, str)):
            raise ValueError
        if value is None:
            result: Any = () if several else None
        else:
            result = _convert_text(value, described.annotation, described.parameter_info)
    except (AttributeError, TypeError, ValueError):
        _check_words(parameter, value if several else [value])
        return process(context, value)
    return result if parameter.callback is None else parameter.callback(context, parameter, result)


def _check_words(parameter: Any, words: Any) -> None:
    """Raise EngineError E424 if a word is no value of the field that the parameter stands for."""
    field = getattr(getattr(parameter.type_descriptor, "parameter_info", None), "field", None)
    if field is not None and not field.arg.words:
        for word in filter(lambda word: isinstance(word, str), words or ()):
            parse(replace(field, many=False), word, name=_typed_name(field))


def _typed_name(field: Field) -> str:
    return option_name(field) if field.is_option else field.name


_PLAIN_NUMBER = {
    int: re.compile(r"[+-]?\d{1,18}", re.ASCII),
    float: re.compile(r"[+-]?\d+(\.\d+)?", re.ASCII),
}


def _convert_text(value: Any, kind: Any, info: Any) -> Any:
    """Return a value of a type, if it is certainly one.

    Raises:
        ValueError: If it may be none.
    """
    if get_origin(kind) is list and value:
        return [_convert_text(one, get_args(kind)[0], info) for one in value]
    if info.parser is not None:
        raise ValueError
    if (kind in (str, bool) and type(value) is kind) or (
        get_origin(kind) is Literal and value in get_args(kind)
    ):
        return value
    if kind is Path and not (info.exists or info.resolve_path or info.writable or info.path_type):
        if info.file_okay and info.dir_okay and (os.access(value, os.R_OK) or not os.path.lexists(value)):
            return Path(value)
    elif kind in _PLAIN_NUMBER and not info.clamp:
        if not (type(value) is kind or _PLAIN_NUMBER[kind].fullmatch(value)):
            raise ValueError
        low, high = (
            (info.min is None or kind(value) >= info.min),
            (info.max is None or kind(value) <= info.max),
        )
        if low and high:
            return kind(value)
    raise ValueError


def _takes_one_value(option: Any) -> bool:
    # A repeatable option, a counter and a plain flag may be given again without a change of meaning.
    if not isinstance(option, TyperOption) or option.multiple or option.count:
        return False
    return not option.is_flag or bool(option.secondary_opts)


class OnceCommand(_Once, TyperCommand):
    """A command that refuses an option that is given twice."""


class OnceGroup(_Once, TyperGroup):
    """A group of commands with the same check; also the program itself."""

"""Specs: the settings of a piece of work as a frozen dataclass, described once and read from any mapping.

A class decorated with `specification` is one. A field is `name: Annotated[type, Arg(help, …)] = default`.
Types are str, int, float, bool, Path, a Literal of texts or numbers, another spec, a Mapping that another
module reads, any of these `| None`, and `tuple[type, ...]`. A spec checks its values when it is made, so
Python, the command line, recipes, forms and language models get the same error for the same mistake.
`describe_fields` takes a spec apart; `read` makes one from the mapping of a recipe, a job, a form or a
command; `to_mapping` is the way back.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from dataclasses import field as dataclass_field
from functools import cache, reduce, wraps
from importlib import import_module
from pathlib import Path
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    TypeVar,
    Union,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
    overload,
)

from engines.core.entry_points import load_entry_points
from engines.core.errors import EngineError, did_you_mean
from engines.core.text import is_text
from engines.moved import moved_verb

T = TypeVar("T")
_REQUIRED: Any = type("Required", (), {"__repr__": lambda _: "(required)"})()


@dataclass(frozen=True, slots=True)
class Arg:
    """The description of a field of a specification: its help text, its range, and how a command line takes
    it.

    Args:
        help: One line.
        low, high: The range of a number, or of each of several.
        longest: Of a text, in characters.
        writes: A path that is written, not read.
        ref: What a name that is no path stands for (`corpus`, `index`, `model`).
        shown: The default in words.
        metavar: How help names the value.
        option: True makes a field without a default an option of the command, False makes one with a default
            an argument; otherwise what has no default is an argument.
        name: The option's, where it is not the field's.
        short: A one-letter option besides.
        words: Of an argument the rest of the command line, with spaces between; an option can be given
            several times, with commas between.
        hidden: Left out of help and forms.
        inline: Of a file how its name ends, for callers who have no files and give what it holds.
        unless: Of an argument the options that stand in for it: where one is given, a command line begins
            with the next argument.
        sends: What is given leaves this machine; other programs that call operations cannot set it.
    """

    help: str = ""
    low: float | None = None
    high: float | None = None
    longest: int | None = None
    writes: bool = False
    ref: str = ""
    shown: str = ""
    metavar: str = ""
    option: bool | None = None
    name: str = ""
    short: str = ""
    words: bool = False
    hidden: bool = False
    inline: str = ""
    unless: tuple[str, ...] = ()
    sends: bool = False


@dataclass(frozen=True, slots=True)
class Flat:
    """Marks a field that holds another record whose settings are offered as the spec's own.

    `read`, `to_mapping`, commands, forms and recipes know the settings of the inner record by their names, as
    if the spec had them itself, and so do its constructor and its attributes. Settings are those inner fields
    that have an `Arg` (or are `Flat` themselves), unless the spec has a field of the same name.
    """


@dataclass(frozen=True, slots=True)
class Field:
    """A field taken apart: `kind` is one of str, int, float, bool, Path, dict or a spec; `choices` those of a
    Literal; `many` says that it is a tuple of them, `optional` that None may stand for "not given"; `inside`
    are the names of the fields that lead to the record that holds it (see `Flat`)."""

    name: str
    kind: type[Any]
    arg: Arg
    choices: tuple[Any, ...] = ()
    many: bool = False
    optional: bool = False
    default: Any = _REQUIRED
    inside: tuple[str, ...] = ()

    @property
    def required(self) -> bool:
        """Whether the field has no default value."""
        return self.default is _REQUIRED

    @property
    def is_option(self) -> bool:
        """Whether the command takes it as an option, not as an argument."""
        return self.arg.option if self.arg.option is not None else not self.required


@overload
def specification(cls: type[T], /) -> type[T]: ...
@overload
def specification(*, kw_only: bool) -> Callable[[type[T]], type[T]]: ...
@dataclass_transform(frozen_default=True, field_specifiers=(dataclass_field,))
def specification(cls: type[T] | None = None, /, *, kw_only: bool = False) -> Any:
    """Make a class a frozen dataclass whose values are checked when it is made.

    Values are checked as `read` checks them: paths may be texts, whole numbers serve as real ones, lists as
    tuples and mappings as specs. Defaults are taken as they are. The class's own `__post_init__` runs after.

    Args:
        cls: The class.
        kw_only: Whether all its fields are given by name.

    Raises:
        EngineError: E424 when the spec is made with an unknown setting, without a required one, or with a
            value of another type, outside its choices or its range.
    """
    if cls is None:
        return lambda inner: _make_specification(inner, kw_only)
    return _make_specification(cls, kw_only)


def _make_specification(cls: type[T], kw_only: bool) -> type[T]:
    # Step 1: check every value after construction, before the class's own check sees it.
    own_check = getattr(cls, "__post_init__", None)  # maybe of the spec that it extends

    def __post_init__(self: Any) -> None:  # noqa: N807 - dataclasses call it by this name
        for item in describe_fields(type(self)):
            value = getattr(self, item.name)
            if value is not item.default and not (value is None and item.optional):
                outer, inner = _assign_value(self, item, check_value(item, value))
                object.__setattr__(self, outer, inner)
        if own_check is not None:
            own_check(self)

    cls.__post_init__ = __post_init__  # type: ignore[attr-defined]
    # Step 2: a constructor that also takes the settings of the records inside this one, by their bare names.
    result: Any = dataclass(frozen=True, slots=True, kw_only=kw_only)(cls)
    assign_fields = result.__init__

    @wraps(assign_fields)
    def __init__(self: Any, *args: Any, **given: Any) -> None:  # noqa: N807
        settings = {item.name: item for item in describe_fields(result)}
        own = {item.name: item for item in fields(result) if item.init}
        for name in given:
            if name not in settings and name not in own:
                raise make_refusal(f"unknown setting {name}", "E424", suggest_name(name, settings))
        assigned = {*list(own)[: len(args)], *given}
        for item in settings.values():
            if item.required and item.name not in assigned:
                raise make_refusal(f"{item.name} is not given", "E424", item.arg.help)
        # Move settings of inner records into a copy of the record, the default one unless one was given.
        for item in settings.values():
            if not item.inside:
                continue
            outer, *path = *item.inside, item.name
            default = _default_of(own[outer])
            record = given.get(outer, default)
            if not isinstance(record, type(default)):
                raise make_refusal(f"{outer} is {record!r}, and {type(default).__name__} is needed", "E424")
            if item.name in given:
                given[outer] = _replace_inside(record, path, given.pop(item.name))
        assign_fields(self, *args, **given)

    # Step 3: read the settings of inner records as if they were attributes of this one.
    def __getattr__(self: Any, name: str) -> Any:  # noqa: N807 - asked only for what is no field
        for item in describe_fields(result):
            if item.inside and item.name == name:
                return getattr(reduce(getattr, item.inside, self), name)
        raise AttributeError(f"{result.__name__!r} object has no attribute {name!r}", name=name, obj=self)

    result.__init__ = __init__
    result.__getattr__ = __getattr__
    return result


def _assign_value(spec: Any, item: Field, value: Any) -> tuple[str, Any]:
    """Return which field of the spec itself changes when a setting gets a value, and what it then holds."""
    if not item.inside:
        return item.name, value
    outer = item.inside[0]
    return outer, _replace_inside(getattr(spec, outer), (*item.inside[1:], item.name), value)


def _replace_inside(record: Any, path: Sequence[str], value: Any) -> Any:
    """Return a record with one value changed in it, or in a record that it holds."""
    name, *rest = path
    return replace(record, **{name: _replace_inside(getattr(record, name), rest, value) if rest else value})


def describe_fields(spec: Any) -> tuple[Field, ...]:
    """Return the fields of a spec, in order.

    Raises:
        TypeError: For a type that no command or form could offer.
    """
    return _describe_class(spec)


@cache
def _describe_class(spec: Any) -> tuple[Field, ...]:
    hints = get_type_hints(spec, include_extras=True)
    own = [item for item in fields(spec) if item.init]
    result = []
    for item in own:
        hint, default = hints[item.name], _default_of(item)
        if Flat() not in getattr(hint, "__metadata__", ()):
            result.append(_describe_field(item.name, hint, default))
            continue
        for inner in _describe_class(get_args(hint)[0]):
            if inner.arg != Arg() and inner.name not in {other.name for other in own}:
                value = getattr(reduce(getattr, inner.inside, default), inner.name)
                result.append(replace(inner, default=value, inside=(item.name, *inner.inside)))
    return tuple(result)


def _default_of(item: dataclasses.Field[Any]) -> Any:
    if item.default_factory is not MISSING:
        return item.default_factory()
    return _REQUIRED if item.default is MISSING else item.default


def _describe_field(name: str, hint: Any, default: Any) -> Field:
    arg = Arg()
    if get_origin(hint) is Annotated:
        hint, *marks = get_args(hint)
        arg = next((mark for mark in marks if isinstance(mark, Arg)), arg)
    optional = many = False
    # `X | None` makes the setting optional, and `tuple[X, ...]` gives it several values.
    if get_origin(hint) in (Union, UnionType):
        inner = [part for part in get_args(hint) if part is not NoneType]
        optional = len(inner) < len(get_args(hint))
        if len(inner) != 1:
            raise TypeError(f"{name}: a field has one type, or that and None")
        hint = inner[0]
    if get_origin(hint) is tuple:
        many, hint = True, get_args(hint)[0]
    choices: tuple[Any, ...] = ()
    if get_origin(hint) is Literal:
        choices = get_args(hint)
        hint = type(choices[0])
    if get_origin(hint) is Mapping:
        hint = dict
    if hint not in (str, int, float, bool, Path, dict) and not is_dataclass(hint):
        raise TypeError(f"{name}: {hint!r} is no type of a field")
    return Field(name, hint, arg, choices, many, optional, default)


def read(spec: type[T], given: Mapping[str, Any], *, prefix: str = "", code: str = "E424") -> T:
    """Return the spec that a mapping describes; None stands for "not given", whole numbers serve as real
    ones.

    Args:
        prefix: Put before the names of its keys in messages (`model.`).
        code: Of the error.

    Raises:
        EngineError: `code`, exit code 2, for a key without a field, at whatever depth, a field without a
            value, another type, another choice, or a number out of its range; and what the spec itself
            refuses.
    """
    by_name = {field.name: field for field in describe_fields(spec)}
    for key in given:
        if key not in by_name:
            raise make_refusal(f"unknown setting {prefix}{key}", code, suggest_name(str(key), by_name))
    taken = {}
    for field in by_name.values():
        value = given.get(field.name)
        if value is None:
            if field.required:
                raise make_refusal(f"{prefix}{field.name} is not given", code, field.arg.help)
            continue
        taken[field.name] = check_value(field, value, name=f"{prefix}{field.name}", code=code)
    return spec(**taken)


def parse(field: Field, text: str, *, name: str = "", code: str = "E424") -> Any:
    """Return the value that a person wrote for a field, or None if the text is empty.

    Several values are separated by spaces.

    Raises:
        EngineError: `code`, if the text has the wrong type or is out of range.
    """
    name = name or field.name
    words = text.split() if field.many else [text.strip()]
    if not any(words):
        if field.required:
            raise make_refusal(f"{name} is not given", code, field.arg.help)
        return None
    items = [_parse_word(field, word, name, code) for word in words]
    return check_value(field, items if field.many else items[0], name=name, code=code)


def _parse_word(field: Field, word: str, name: str, code: str) -> Any:
    if field.kind is bool:
        if word.lower() not in _BOOLS:
            raise make_refusal(f"{name} is {word!r}, and true or false is needed", code)
        return _BOOLS[word.lower()]
    if field.kind not in (int, float):
        return word
    try:
        if not word.isascii():
            raise ValueError
        return field.kind(word)
    except ValueError:
        raise make_refusal(f"{name} is {word!r}, and {_WORDS[field.kind]} is needed", code) from None


def check_value(field: Field, value: Any, *, name: str = "", code: str = "E424") -> Any:
    """Return a value of a field's type, within its choices and range.

    Raises:
        EngineError: `code` otherwise.
    """
    name = name or field.name
    if not field.many:
        return _check_item(field, value, name, code)
    if not isinstance(value, list | tuple):
        raise make_refusal(f"{name} is {value!r}, and a list is needed", code)
    return tuple(_check_item(field, item, name, code) for item in value)


_BOOLS = dict.fromkeys(("true", "yes", "on", "1"), True) | dict.fromkeys(("false", "no", "off", "0"), False)
_WORDS: Mapping[type, str] = {
    str: "text",
    Path: "a path",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    dict: "a table",
}


def _check_item(field: Field, value: Any, name: str, code: str) -> Any:
    kind = field.kind
    if is_dataclass(kind):
        if isinstance(value, kind):
            return value
        if not isinstance(value, Mapping):
            raise make_refusal(f"{name} is {value!r}, and a table is needed", code)
        return read(kind, value, prefix=f"{name}.", code=code)
    # An integer is accepted where a real number is needed, and text where a path is.
    accepted = {float: (int, float), Path: (str, Path), dict: (Mapping,)}.get(kind, (kind,))
    # In Python a bool is also an int, but true is no number here.
    if not isinstance(value, accepted) or (isinstance(value, bool) and kind is not bool):
        raise make_refusal(f"{name} is {value!r}, and {_WORDS[kind]} is needed", code)
    if kind is float or kind is Path:
        value = kind(value)
    if kind is str and not field.arg.ref and not is_text(value):
        raise make_refusal(f"{name} holds half of a UTF-16 pair, or bytes that are not UTF-8", code)
    if kind is float and not math.isfinite(value):
        raise make_refusal(f"{name} is {value}, and a finite number is needed", code)
    if field.arg.longest is not None and len(value) > field.arg.longest:
        what = f"{name} has {len(value):,} characters, and at most {field.arg.longest:,} are read"
        raise make_refusal(what, code, "Split it into smaller ones.")
    if field.choices and value not in field.choices:
        listed = ", ".join(str(choice) or "empty" for choice in field.choices)
        raise make_refusal(
            f"{name} is {value!r}, not one of {listed}", code, _close_match(str(value), field.choices)
        )
    low, high = field.arg.low, field.arg.high
    if low is not None and not value >= low:
        raise make_refusal(f"{name} is {value}, and at least {low:g} is needed", code)
    if high is not None and not value <= high:
        raise make_refusal(f"{name} is {value}, and at most {high:,.10g} is allowed", code)
    return value


# An error lists at most so many of the names that would have been right.
_NAMED = 20


def suggest_name(word: str, names: Iterable[str]) -> str:
    """Return `Did you mean 'lr'?`, or else a list of the known names (the first twenty and how many
    follow); an empty text if there are none.
    """
    listed = list(names)
    if not listed:
        return ""
    more = f" and {len(listed) - _NAMED:,} more" if len(listed) > _NAMED else ""
    return _close_match(word, listed) or f"There are: {', '.join(listed[:_NAMED])}{more}."


def _close_match(word: str, names: Iterable[Any]) -> str:
    listed = list(map(str, names))
    short = "".join(part[:1] for part in word.lower().split("_"))
    # The initials of several words (`learning_rate`) are a name of their own.
    return did_you_mean(short if "_" in word and short in listed else word, listed)


def make_refusal(what: str, code: str, remedy: str = "") -> EngineError:
    """Return the error of a wrong value, with a hint."""
    return EngineError(what, code=code, remedy=remedy)


def share_of(text: str | None) -> tuple[int, int] | None:
    """Return `3/16` as `(3, 16)`, the third of sixteen processes that share the work.

    Raises:
        EngineError: E424.

    >>> share_of("3/16"), share_of(None)
    ((3, 16), None)
    """
    if text is None:
        return None
    match = re.fullmatch(r"([1-9]\d{0,5})/([1-9]\d{0,5})", text)
    if match is None or int(match[1]) > int(match[2]):
        raise make_refusal(f"{text!r} is not a share", "E424", "Write 1/16 to 16/16, for example.")
    return int(match[1]), int(match[2])


def exactly_one(given: Mapping[str, Any], remedy: str) -> None:
    """Check that one of several ways to say something is taken; None and () stand for "not given".

    Args:
        given: By what it is called in a message.

    Raises:
        EngineError: Exit code 2, E402 where none is, E427 where more than one is.
    """
    taken = [name for name, value in given.items() if value not in (None, ())]
    if not taken:
        raise make_refusal(f"{' or '.join(given)} is needed", "E402", remedy)
    if len(taken) > 1:
        raise make_refusal(f"{' and '.join(taken)} cannot be combined", "E427", remedy)


def no_effect(given: Mapping[str, Any], with_what: str, code: str = "E427") -> None:
    """Refuse what would be passed over in silence; None, False and () stand for "not given".

    Args:
        given: By what it is called in a message.

    Raises:
        EngineError: `code`, exit code 2.
    """
    for name, value in given.items():
        if value is not None and value is not False and value != ():
            raise make_refusal(f"{name} has no effect with {with_what}", code, "Leave it out.")


def to_mapping(spec: Any) -> dict[str, Any]:
    """Return a spec as a mapping of plain values that `read` takes back; what is None is left out."""
    result = {}
    for field in describe_fields(type(spec)):
        value = getattr(spec, field.name)
        if value is not None:
            result[field.name] = (
                [_to_plain_value(item) for item in value] if field.many else _to_plain_value(value)
            )
    return result


def _to_plain_value(value: Any) -> Any:
    if is_dataclass(value):
        return to_mapping(value)
    return str(value) if isinstance(value, Path) else value


REFERENCES = "mathwb.references"
"""The group of entry points that say what names stand for: `f(ref, name)` returns a path (see `Arg.ref`)."""


def offer_verbs(package: str, verbs: Mapping[str, tuple[str, str]]) -> tuple[list[str], Callable[[str], Any]]:
    """Return `__all__` and `__getattr__` of a package.

    Args:
        package: Its dotted name.
        verbs: For each verb the module it is in, and its spec.
    """
    modules = {name: module for verb, (module, spec) in verbs.items() for name in (verb, spec)}

    @cache
    def load(name: str) -> Any:
        if name not in modules:
            return moved_verb(package, name)
        module = import_module(f"{package}.{modules[name]}")
        loaded = getattr(module, name)
        if name not in verbs or not _named_fields(getattr(module, verbs[name][1])):
            return loaded
        return _accept_names(loaded)

    return [*modules], load


def _named_fields(spec: Any) -> list[Field]:
    return [item for item in describe_fields(spec) if item.arg.ref]


def _accept_names(verb: Callable[..., Any]) -> Callable[..., Any]:
    """Return the verb for notebooks: a spec may name a model or data set in place of its path."""

    @wraps(verb)
    def call(spec: Any, *args: Any, **given: Any) -> Any:
        if is_dataclass(spec) and not isinstance(spec, type):
            spec = replace(
                spec,
                **{
                    item.name: _resolve_name(item, getattr(spec, item.name))
                    for item in _named_fields(type(spec))
                },
            )
        return verb(spec, *args, **given)

    return call


def _resolve_name(item: Field, value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(_resolve_name(item, part) for part in value)
    if value is None or Path(value).exists():
        return value
    for resolve in load_entry_points(REFERENCES).values():
        return item.kind(str(resolve(item.arg.ref, str(value))))
    return value

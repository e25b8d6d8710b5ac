"""Operations: work that is written once, from which command, job, engine call and form are derived.

A row names a function of an engine as `module:name`, which takes a spec; nothing is imported before it is
needed. `resolve_spec` makes a spec of what the caller gives, with nothing left open; `perform` runs it. Every
caller, the command line, the engine process, a job, does these two and no more, so that the same operation
gives the same document everywhere.
"""

from __future__ import annotations

import inspect
import json
import shlex
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engines.core.errors import did_you_mean
from engines.core.events import Sink, Stop, ignore, never, warn
from engines.core.spec import Field, describe_fields, read, to_mapping
from engines.core.stored_rows import StoredRows
from workbench.errors import UsageError, explain, one_line
from workbench.paper import all_papers, load, resolve_reference

if TYPE_CHECKING:
    from workbench.tables import Filter


@dataclass(frozen=True, slots=True)
class Background:
    """How an operation runs as a job.

    Args:
        title: The title of the job; it may name fields of the spec, as in `corpus {out.name}`.
        says: What the job does, for the message when it starts, as in `builds {out}`.
        target: The field that names what the job writes.
        home: The folder of the workspace in which the target is a name; the launch form then offers recipes
            of the operation.

    Work whose spec has a field `share` can be divided into several jobs.
    """

    title: str
    says: str
    target: str = "out"
    home: str = ""


@dataclass(frozen=True, slots=True)
class FilterableRows:
    """The list in an operation's record that `--where FILTER` narrows; see `workbench.tables`.

    Args:
        key: The name of the list in the record; several names are separated by spaces.
        table: The `TableSpec` of its rows, as `module:name`; the filter may name its columns.
        address: `f(spec)` returns the function that gives the note address of an item. With it the filter may
            also ask for notes (`is:bookmarked`, `note:word`).
        unless: The option that sends the rows to a file instead.
    """

    key: str
    table: str
    address: str = ""
    unless: str = ""

    def parse_filter(self, text: str) -> Filter:
        """Parse a filter over the rows.

        Raises:
            FilterError: E440 if the text is not a filter.
        """
        from workbench.notes import NOTE_FIELDS
        from workbench.tables import parse_filter

        return parse_filter(text, (*load(self.table).fields, *(NOTE_FIELDS if self.address else ())))

    def filter_record(self, record: Any, wanted: Filter, spec: Any, *, events: Sink = ignore) -> Any:
        """Return the record with only those rows that pass the filter.

        Args:
            record: What the operation returned.
            wanted: The filter.
            spec: The spec that the operation was called with.
            events: Receives a warning for each note that cannot be read.
        """
        table, noted, held = (
            load(self.table),
            self._note_reader(spec, wanted, events),
            self._row_lists(record),
        )

        def passes_filter(item: Any) -> bool:
            row = table.make_row(item, record)
            row.update(noted(item))
            return wanted.matches(row)

        passing = {key: list(filter(passes_filter, held[key])) for key in self.key.split()}
        if isinstance(record, list):
            return passing[self.key]
        return {**record, **passing} if held is record else replace(record, **passing)

    def count_rows(self, record: Any) -> int:
        """Return the number of rows that a filter could narrow."""
        held = self._row_lists(record)
        return sum(len(held[key]) for key in self.key.split())

    def _row_lists(self, record: Any) -> Mapping[str, Any]:
        if isinstance(record, list):
            return {self.key: record}
        if isinstance(record, Mapping):
            return record
        return {field.name: getattr(record, field.name) for field in fields(record)}

    def _note_reader(self, spec: Any, wanted: Filter, events: Sink) -> Callable[[Any], Mapping[str, object]]:
        from workbench.notes import NOTE_FIELDS
        from workbench.workspace import Workspace

        # Notes are read only if the filter asks for them.
        if not set(wanted.names) & set(NOTE_FIELDS):
            return lambda _item: {}
        address, notes = load(self.address)(spec), Workspace.open().notes
        for problem in notes.problems:
            warn(events, str(problem))

        return lambda item: notes.filter_fields(address(item))


@dataclass(frozen=True, slots=True)
class OperationResult:
    """The result of an operation.

    Args:
        record: The engine's record.
        streamed: The document that `--json` prints; some of its rows may still be in a file (`StoredRows`).
        code: The exit code; 130 if it was stopped and keeps what it has.
    """

    record: Any
    streamed: Any
    code: int

    @property
    def document(self) -> Any:
        """The document with all its rows in memory."""
        return to_plain(self.streamed) if _has_stored_rows(self.streamed) else self.streamed


@dataclass(frozen=True, slots=True)
class Operation:
    """A row of the table of operations; all targets are `module:name`.

    Args:
        name: `paper.command`, or of a command of `mathwb` itself its name alone.
        help: Its line in the list of commands.
        call: `f(spec, *, events, stop, cache)`, any of which it may lack (`cache`: a folder for what can be
            made again); returns a record, a document or an iterator of rows.
        spec: The class of its first parameter, a frozen dataclass (see `engines.core.spec`), named where
            importing the function takes long.
        text: `f(record, spec)` yields the lines that people read; without it the function of the paper's
            tables that is named as the command, if there is one.
        document: `f(record)`, where `--json` prints something else than the record.
        resolve: `f(spec)`, what is left to be filled in after names and paths.
        code: `f(document)` gives the exit code where it is not `stop_code`'s.
        background: How it is a job, if `--detach` offers that.
        json_lines: Rows that it yields are printed as JSON Lines, with or without `--json`.
        expressions: An argument may begin with `-`.
        recipes: Its command takes `--recipe`, whose settings hold where no other is given.
        where: Its command takes `--where`, a filter over its rows.
        listed: Whether help lists it; the others serve screens.
        tool: It only reads and computes, so that `mathwb mcp` offers it, less what its spec writes.
        tables: What it prints has tables, which its command also prints as CSV and for LaTeX.
        one_thread: Its matrices are so small that its command computes with one thread of NumPy's: more would
            wait for each other.
    """

    name: str
    help: str
    call: str
    spec: str = ""
    text: str = ""
    document: str = ""
    resolve: str = ""
    code: str = ""
    background: Background | None = None
    json_lines: bool = False
    expressions: bool = False
    recipes: bool = False
    where: FilterableRows | None = None
    listed: bool = True
    tool: bool = False
    tables: bool = False
    one_thread: bool = False

    @property
    def spec_type(self) -> Any:
        """The class of the spec. Its module is imported, which imports nothing heavy."""
        if self.spec:
            return load(self.spec)
        function = load(self.call)
        # Annotations may be texts, which are looked up in the module of the function.
        kind = next(iter(inspect.get_annotations(function).values()))
        return getattr(import_module(function.__module__), kind) if isinstance(kind, str) else kind

    def resolve_spec(self, given: Mapping[str, Any]) -> Any:
        """Return the spec of what the caller gives, with nothing left open: names are paths, paths are
        absolute.

        Resolving the values of a resolved spec returns the same spec.

        Args:
            given: Values by the names of the spec's fields.

        Raises:
            EngineError: E424 for an unknown setting or a value that it does not take, E427 if an input would
                be overwritten, and whatever an unknown name raises.
        """
        spec = read(self.spec_type, given)
        # Names become paths before the operation's own `resolve`, which can rely on that.
        spec = replace(spec, **{field.name: path for field, path in _path_values(spec)})
        _refuse_overwriting(spec)
        return load(self.resolve)(spec) if self.resolve else spec

    def perform(self, spec: Any, *, events: Sink = ignore, stop: Stop = never) -> OperationResult:
        """Run the operation on a resolved spec and return its result."""
        return self.make_result(self.start(spec, events=events, stop=stop))

    def start(self, spec: Any, *, events: Sink = ignore, stop: Stop = never) -> Any:
        """Import the engine, call the function and return what it returns.

        Of an iterator no row has been computed yet.
        """
        from workbench.folders import cache_dir

        function = load(self.call)
        takes = inspect.signature(function).parameters
        # An operation takes of these what it names in its signature.
        offered = {"events": events, "stop": stop, "cache": cache_dir() / self.name.partition(".")[0]}
        return function(spec, **{name: value for name, value in offered.items() if name in takes})

    def make_result(self, record: Any) -> OperationResult:
        """Make the printable result of a record; an iterator is read to its end."""
        record = list(record) if isinstance(record, Iterator) else record
        document = load(self.document)(record) if self.document else record
        # Large tables stay in their file: everything else is made plain, and the rows are written one by one.
        if _has_stored_rows(document):
            rest = to_plain(
                {name: None if isinstance(value, StoredRows) else value for name, value in document.items()}
            )
            document = {
                name: value if isinstance(value, StoredRows) else rest[name]
                for name, value in document.items()
            }
        else:
            document = to_plain(document)
        return OperationResult(
            record, document, load(self.code)(document) if self.code else stop_code(document)
        )

    def run(self, given: Mapping[str, Any], *, events: Sink = ignore, stop: Stop = never) -> Any:
        """Resolve the spec, run the operation and return its document."""
        return self.perform(self.resolve_spec(given), events=events, stop=stop).document

    @property
    def divisible(self) -> bool:
        """Whether the work can be divided into shares."""
        return self.background is not None and "share" in {
            field.name for field in describe_fields(self.spec_type)
        }

    @property
    def takes_stop(self) -> bool:
        """Whether the function can be stopped early."""
        return "stop" in inspect.signature(load(self.call)).parameters

    def text_lines(self, record: Any, spec: Any) -> Iterable[str]:
        """Return the lines that people read of a record."""
        write = load(self.text) if self.text else find_text_function(self.name)
        if write is not None:
            written: Iterable[str] = write(record, spec)
            return written
        from workbench.tables import describe_value

        document = to_plain(record)
        if not isinstance(document, Mapping):
            return [describe_value(item) for item in (document if isinstance(document, list) else [document])]
        width = max((len(str(key)) for key in document), default=0)
        return [f"{key!s:<{width}}  {describe_value(item, str(key))}" for key, item in document.items()]

    def job_title(self, spec: Any) -> str:
        """Return the title of a job with this spec."""
        if self.background is None:
            return self.name
        return self.background.title.format(
            **{f.name: getattr(spec, f.name) for f in describe_fields(type(spec))}
        )


def stop_code(document: Any) -> int:
    """Return 130 if a document says that it was stopped or is incomplete, otherwise 0."""
    if isinstance(document, Mapping):
        stats = document.get("stats")
        reason = (stats if isinstance(stats, Mapping) else document).get("stop_reason")
        return 130 if document.get("complete") is False or reason == "stopped" else 0
    return 0


def to_plain(record: Any) -> Any:
    """Convert a record to mappings, lists, texts and numbers; numbers that are not finite become None."""
    import msgspec

    # Encoded and decoded once: that turns dataclasses, paths and NumPy values into plain values alike.
    written = to_json(record)
    try:
        return msgspec.json.decode(written)
    except msgspec.DecodeError:  # half of a UTF-16 pair
        return json.loads(written)


def to_json(record: Any) -> bytes:
    """Encode a record or document as JSON; NaN and infinities become null."""
    import msgspec

    try:
        return msgspec.json.encode(record, enc_hook=_encode_value)
    except UnicodeEncodeError:
        # Text of the user's files may hold half a pair of UTF-16, which is no UTF-8.
        return json.dumps(msgspec.to_builtins(record, enc_hook=_encode_value)).encode()


def _has_stored_rows(document: Any) -> bool:
    return isinstance(document, Mapping) and any(isinstance(value, StoredRows) for value in document.values())


def write_json(document: Any, write: Callable[[str], object]) -> None:
    """Write a plain document as one line of JSON.

    Rows that are in a file are read one by one, and so are those of an iterator.

    Args:
        document: The document.
        write: Called with each piece of the text.
    """
    if isinstance(document, Iterator):
        write("[")
        for number, row in enumerate(document):
            write(f"{', ' if number else ''}{json.dumps(to_plain(row), allow_nan=False)}")
        write("]\n")
        return
    if not _has_stored_rows(document):
        write(json.dumps(document, allow_nan=False) + "\n")
        return
    for number, (name, value) in enumerate(document.items()):
        write(f"{', ' if number else '{'}{json.dumps(name)}: ")
        if isinstance(value, StoredRows):
            write("[")
            for index, line in enumerate(value.read_lines()):
                write(f", {line}" if index else line)
            write("]")
        else:
            write(json.dumps(value, allow_nan=False))
    write("}\n")


def _encode_value(value: Any) -> Any:
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, StoredRows):
        return list(value)
    if hasattr(value, "tolist"):  # NumPy's numbers and arrays
        return value.tolist()
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")


def find_text_function(name: str) -> Callable[[Any, Any], Iterable[str]] | None:
    """Return the function of a paper's tables that has the name of a command, or None."""
    paper, _, command = name.partition(".")
    module = next((one.tables for one in all_papers() if one.name == paper), "")
    return getattr(import_module(module), command.replace("-", "_"), None) if module else None


def _path_values(spec: Any) -> Iterator[tuple[Field, Any]]:
    """Yield the fields of a spec that are paths or names of places, each with the place it stands for."""
    for one in describe_fields(type(spec)):
        value = getattr(spec, one.name)
        if value is None or (one.kind is not Path and not one.arg.ref):
            continue
        yield (
            one,
            tuple(_resolve_path(one, item) for item in value) if one.many else _resolve_path(one, value),
        )


def _refuse_overwriting(spec: Any) -> None:
    """What is written may be nothing of what is read.

    Raises:
        UsageError: E427.
    """
    written: list[tuple[str, Path]] = []
    read: list[Path] = []
    for one, written_path in _path_values(spec):
        if one.arg.writes:
            written.append((option_name(one), written_path))
        else:
            read += map(Path, written_path if one.many else (written_path,))
    for name, out in written:
        # `samefile` also sees links and other ways to write the same path.
        if (out.is_file() or out.is_dir()) and any(path.exists() and path.samefile(out) for path in read):
            what = f"{name} would overwrite what is read: {out}"
            raise UsageError(what, code="E427", remedy="Name another place.")


def _resolve_path(field: Field, value: Any) -> Any:
    """Return the absolute path that a value means; `-` stays standard input.

    A path that exists is meant before anything in the workspace that has its name.
    """
    if field.arg.ref:
        return field.kind(str(resolve_reference(field.arg.ref, str(value))))
    return value if str(value) == "-" else value.expanduser().absolute()


_OF_NO_PAPER = ("workbench.train:OPERATIONS", "workbench.operations:PICTURES")
PICTURES = (
    Operation("picture.curves", "A picture of curves.", "engines.core.picture:draw_curves", listed=False),
    Operation(
        "picture.figure", "Curves for a paper.", "engines.core.picture:write_curves_figure", listed=False
    ),
    Operation(
        "picture.formula", "A picture of a formula.", "engines.core.picture:draw_formula", listed=False
    ),
)
"""What the screens ask the engine process to draw."""


@cache
def all_operations() -> dict[str, Operation]:
    """Return every operation by name: those of the papers, and those that belong to none."""
    of_papers = (row for paper in all_papers() for row in paper.load_operations())
    # What belongs to no paper comes last, so that an added paper cannot replace it.
    others = (row for target in _OF_NO_PAPER for row in load(target))
    return {row.name: row for row in (*of_papers, *others)}


def find_operation(name: str) -> Operation:
    """Return the operation with a name.

    Raises:
        UsageError: E410 if there is none.
    """
    result = all_operations().get(name)
    if result is None:
        remedy = did_you_mean(name, all_operations())
        raise UsageError(f"unknown operation {name!r}", code="E410", remedy=remedy)
    return result


def command_line(row: Operation, spec: Any) -> str:
    """Return the command that runs an operation with a spec; options at their defaults are left out."""
    given = to_mapping(spec)
    options: list[str] = []
    arguments: list[str] = []
    for one in describe_fields(type(spec)):
        # An option at its default says nothing, and the command is for people to read.
        if one.name not in given or (not one.required and getattr(spec, one.name) == one.default):
            continue
        value = given[one.name]
        if not one.is_option:
            arguments += value if one.many else [str(value)]
        elif one.kind is bool:
            options.append(option_name(one) if value else f"--no-{option_name(one)[2:]}")
        else:
            # One word, since the value may begin with a dash.
            options += [f"{option_name(one)}={item}" for item in (value if one.many else [value])]
    # A prefix expression may begin with a minus sign.
    if any(argument.startswith("-") for argument in arguments):
        arguments = ["--", *arguments]
    return shlex.join(["mathwb", *row.name.split("."), *options, *arguments])


def option_name(field: Field) -> str:
    """Return the name of a field's option, such as `--max-size`."""
    return "--" + (field.arg.name or field.name.replace("_", "-"))


ResultDocument = Mapping[str, Any]


class Guide:
    """Runs the operations of the tour one after the other, prints their results and keeps them.

    Args:
        tell: Receives the lines that people read.
        say: Receives the messages for stderr.
    """

    def __init__(self, tell: Callable[[str], None], say: Callable[[str], None]) -> None:
        self._tell, self.say = tell, say
        self.stops: list[dict[str, Any]] = []

    def stop(
        self, title: str, task: str, params: dict[str, Any], tell: Callable[[ResultDocument], Iterable[str]]
    ) -> ResultDocument:
        """Run an operation as one stop of the tour.

        Args:
            title: The heading of the stop.
            task: The name of the operation.
            params: Its settings.
            tell: Makes the lines to print of its document.

        Returns:
            The document; it is empty if a package that the operation needs is not installed.
        """
        began = time.perf_counter()
        try:
            result = find_operation(task).run(params)
        except ModuleNotFoundError as error:
            self.say(f"left out: {title}")
            self.say(f"   {one_line(explain(error))}")
            return {}
        seconds = round(time.perf_counter() - began, 3)
        self.stops.append(
            {"title": title, "task": task, "params": params, "seconds": seconds, "result": result}
        )
        self._tell(f"{len(self.stops)}. {title} ({seconds:.2f} s)")
        for line in tell(result):
            self._tell(f"   {line}")
        self._tell("")
        return result

"""Operations as tools of the Model Context Protocol, over standard input and output.

Every operation that only reads or computes (`Operation.tool`) is a tool: its schema is made of its spec, less
what it would write. Calls run in the engine process, one after the other; a failure is an error of the tool,
with its remedy. The protocol itself is the package `mcp`'s.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from inspect import getdoc
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from engines.core.errors import EngineError
from engines.core.events import Event
from engines.core.files import write_text
from engines.core.spec import Field, describe_fields, make_refusal, suggest_name
from workbench import __version__
from workbench.engine_process import CallResult, EngineProcess
from workbench.errors import explain
from workbench.operations import Operation, all_operations

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

MOST = 40_000
"""Characters of an answer; of longer ones lists and texts are cut, which the answer says."""
_INSTRUCTIONS = """Checkers and solvers for mathematics. Expressions are infix, LaTeX or prefix unless a
tool says otherwise. Paths are of this machine and are only read; where there is a field ending in _text,
give the content itself there instead of a path. Equal was checked on the real numbers with error bounds,
different comes with a witness; undecided and "not shown" mean neither."""
_TYPES: Mapping[type, str] = {
    str: "string",
    Path: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    dict: "object",
}


@cache
def list_tools() -> dict[str, Operation]:
    """Return the operations that are offered as tools, by the name of the tool."""
    return {
        row.name.replace(".", "_").replace("-", "_"): row for row in all_operations().values() if row.tool
    }


def tool_schema(spec: Any) -> dict[str, Any]:
    """Return the JSON Schema of the arguments of a tool.

    Args:
        spec: The spec class of its operation.
    """
    # A client that could name an address would learn the key, which is sent there.
    fields = [
        field
        for field in describe_fields(spec)
        if not (field.arg.writes or field.arg.hidden or field.arg.sends)
    ]
    properties = {field.name: _field_schema(field) for field in fields}
    for field in fields:
        if field.arg.inline:
            about = f"What the file {field.name} would hold ({field.arg.inline}), instead of a path."
            properties[f"{field.name}_text"] = {"type": "string", "description": about}
    # What may be given as text instead is not required as a path, since JSON Schema has no simple "one of
    # two".
    needed = [field.name for field in fields if field.required and not field.arg.inline]
    return {"type": "object", "properties": properties, "required": needed, "additionalProperties": False}


def _field_schema(field: Field) -> dict[str, Any]:
    kind, arg = field.kind, field.arg
    # A spec inside a spec becomes an object with fields of its own.
    one: dict[str, Any] = {"type": _TYPES[kind]} if kind in _TYPES else tool_schema(kind)
    if field.choices:
        one["enum"] = list(field.choices)
    limits = {"minimum": arg.low, "maximum": arg.high, "maxLength": arg.longest}
    one |= {name: limit for name, limit in limits.items() if limit is not None}
    result = {"type": "array", "items": one} if field.many else one
    about = f"{arg.help} A path, or the name of one in the workspace." if arg.ref else arg.help
    if not field.required and field.default not in (None, ()) and kind in _TYPES:
        # Only a plain default is shown; others are described in words.
        result["default"] = list(field.default) if field.many else field.default
    elif arg.shown:
        about += f" Default: {arg.shown}."
    return {**result, "description": about}


def read_arguments(row: Operation, arguments: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Convert the arguments of a tool to the settings of its operation.

    Args:
        row: The operation.
        arguments: The arguments, as the client sends them.
        folder: Where a text that is given in place of a file is written.

    Raises:
        EngineError: E424 for an argument that the tool does not have and for standard input, E427 if a file
            is given twice.
    """
    fields = {field.name: field for field in describe_fields(row.spec_type)}
    offered = tool_schema(row.spec_type)["properties"]
    asked = {}
    for name, value in arguments.items():
        if name not in offered:
            raise make_refusal(f"unknown setting {name}", "E424", suggest_name(name, offered))
        if name not in fields:
            field = fields[name.removesuffix("_text")]
            # A path and its text say two different things about one file.
            if field.name in arguments:
                raise make_refusal(
                    f"{field.name} and {name} cannot be combined", "E427", "Leave one of them out."
                )
            path = folder / f"text{field.arg.inline}"
            write_text(path, str(value))
            asked[field.name] = str(path)
        elif fields[name].kind is Path and "-" in (value if isinstance(value, list) else [value]):
            what = f"{name} is standard input, which holds the protocol"
            raise make_refusal(what, "E424", "Give a path or text.")
        else:
            # Everything else is checked by the operation itself.
            asked[name] = value
    return asked


def bound_document(document: Any, most: int = MOST) -> str:
    """Encode a document as JSON of at most `most` characters.

    The longest lists and texts are cut until it fits; `left_out` says how much is missing from each.
    """
    text = json.dumps(document, ensure_ascii=False)
    # Items that a list keeps at first; the number is halved until the answer fits.
    keep = 4096
    while len(text) > most and keep:
        keep //= 2
        cut: dict[str, int] = {}
        short = _cut_value(document, keep, "", cut)
        text = json.dumps({"left_out": cut, "result": short}, ensure_ascii=False)
    return text


def _cut_value(value: Any, keep: int, location: str, cut: dict[str, int]) -> Any:
    # What has a name for each part is kept as a whole, up to so many.
    most = max(keep, 50) if isinstance(value, Mapping) else 40 * keep if isinstance(value, str) else keep
    if isinstance(value, Mapping | list | str) and len(value) > most:
        cut[location] = cut.get(location, 0) + len(value) - most
    if isinstance(value, Mapping):
        # The first entries of a mapping, which are usually the most important ones.
        rows = islice(value.items(), most)
        return {key: _cut_value(item, keep, f"{location}.{key}".lstrip("."), cut) for key, item in rows}
    if isinstance(value, list):
        return [_cut_value(item, keep, f"{location}[]", cut) for item in value[:most]]
    return value[:most] if isinstance(value, str) else value


def make_server(engine: EngineProcess, limit_s: float) -> Server[Any]:
    """Make the server of the tools.

    Args:
        engine: Runs the calls.
        limit_s: Time limit of a call, in seconds.
    """
    import asyncio

    import mcp_types as types
    from mcp.server.lowlevel import Server

    # The protocol's two questions: what tools there are, and the call of one.
    async def list_tools_handler(_context: Any, _params: Any) -> Any:
        return types.ListToolsResult(
            tools=[
                types.Tool(
                    name=name,
                    title=row.help.rstrip("."),
                    description=f"{row.help}\n\n{getdoc(row.spec_type)}",
                    input_schema=tool_schema(row.spec_type),
                    annotations=types.ToolAnnotations(
                        read_only_hint=True, idempotent_hint=True, open_world_hint=False
                    ),
                )
                for name, row in list_tools().items()
            ]
        )

    async def call_tool(context: Any, params: Any) -> Any:
        try:
            if params.name not in list_tools():
                raise make_refusal(
                    f"there is no tool {params.name}", "E410", suggest_name(params.name, list_tools())
                )
            # On a timeout the iteration is cancelled, and with it the call in the engine process.
            async with asyncio.timeout(limit_s):
                text = await run_operation(list_tools()[params.name], params.arguments or {}, context)
        except TimeoutError:
            remedy = "Ask for less: fewer members, rows or points."
            error = EngineError(f"it took longer than {limit_s:g} s", code="E702", remedy=remedy)
            return error_result(error)
        except Exception as error:  # noqa: BLE001  # the last place that can explain it
            return error_result(explain(error))
        return types.CallToolResult(content=[types.TextContent(text=text)])

    async def run_operation(row: Operation, arguments: Mapping[str, Any], context: Any) -> str:
        with TemporaryDirectory() as folder:
            values = read_arguments(row, arguments, Path(folder))
            async for item in engine.call(row.name, values):
                if isinstance(item, CallResult):
                    # The names of temporary files mean nothing to the client.
                    return bound_document(item.value).replace(f"{folder}/", "")
                await _send_event(context, item)
        raise EngineError("it was cancelled", code="E703")

    # An error of a tool is an answer that the model can read, not an error of the protocol.
    def error_result(error: EngineError) -> Any:
        return types.CallToolResult(content=[types.TextContent(text=str(error))], is_error=True)

    return Server(
        "mathwb",
        version=__version__,
        instructions=_INSTRUCTIONS,
        on_list_tools=list_tools_handler,
        on_call_tool=call_tool,
    )


async def _send_event(context: Any, event: Event) -> None:
    done = event.data.get("done")
    if event.kind == "progress" and done is not None:
        await context.session.report_progress(done, event.data.get("total"), event.data.get("unit"))


def serve_tools(limit_s: float) -> None:
    """Answer a client on standard input and output until it closes them."""
    import asyncio

    from mcp.server.stdio import stdio_server

    engine = EngineProcess()
    made = make_server(engine, limit_s)

    async def run_server() -> None:
        async with stdio_server() as (read, write):
            await made.run(read, write, made.create_initialization_options())

    try:
        asyncio.run(run_server())
    finally:
        engine.close()

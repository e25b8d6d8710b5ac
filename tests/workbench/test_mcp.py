"""`mathwb mcp`: the official client sees tools made of specs, and gets answers, errors with remedies, and no
more than it can read."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from engines.core.errors import EngineError
from engines.core.spec import describe_fields
from tests.workbench.operation_samples import SAMPLES
from workbench.engine_process import EngineProcess
from workbench.mcp import MOST, bound_document, list_tools, make_server, read_arguments, tool_schema
from workbench.workspace import Workspace

pytestmark = pytest.mark.skipif(not find_spec("mcp"), reason="needs mathwb[mcp]")

COMMAND = ["-P", "-c", "from workbench.cli import main; main()", "mcp"]


async def test_a_client_over_stdio_is_served(tmp_path: Path) -> None:
    """The real client reads nothing but the protocol from stdout, or it would fail."""
    from mcp.client import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client

    own = StdioServerParameters(command=sys.executable, args=COMMAND, env=dict(os.environ), cwd=tmp_path)
    async with Client(stdio_client(own)) as client:
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(listed) == set(list_tools())
        assert all(tool.annotations and tool.annotations.read_only_hint for tool in listed.values())
        pair = await client.call_tool("grade", {"gold": "1/2", "pred": "0.5"})
        assert not pair.is_error
        assert json.loads(pair.content[0].text)["totals"]["equal"] == 1
        text = "So $(a+b)^2 = a^2 + b^2$."
        read = await client.call_tool("proofread", {"file_text": text})
        (document,) = json.loads(read.content[0].text)["documents"]
        assert [link["verdict"] for link in document["links"]] == ["wrong"]
        missing = await client.call_tool("egen_verify", {"file": "none.tsv"})
        assert missing.is_error
        assert missing.content[0].text.startswith("E312")
        assert "Check the name" in missing.content[0].text
        for name, arguments, code in (
            ("egen_verify", {"file": "-"}, "E424"),
            ("egen_generate", {"expr": "x", "out": "mine.json"}, "E424"),
            ("egen_generate", {"expr": "sin("}, "E2"),
            ("proofread", {"file_text": text, "file": "a.md"}, "E427"),
            ("egen_corpus", {}, "E410"),
        ):
            refused = await client.call_tool(name, arguments)
            assert refused.is_error
            assert refused.content[0].text.startswith(code)
    assert not list(tmp_path.iterdir())


async def test_a_call_that_takes_too_long_is_ended(engine: EngineProcess) -> None:
    from mcp.client import Client

    engine.grace_s = 0.1
    async with Client(make_server(engine, 0.05)) as client:
        late = await client.call_tool("egen_generate", {"expr": "sin(2*x) + cos(3*x)", "members": 1000})
    assert late.is_error
    assert late.content[0].text.startswith("E702")


def test_schemas_say_what_specs_take(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the operations are asked elsewhere is valid by a validator that knows nothing of specs."""
    import jsonschema

    monkeypatch.setenv("MATHWB_HOME", str(home))
    for name, row in list_tools().items():
        made = tool_schema(row.spec_type)
        jsonschema.Draft202012Validator.check_schema(made)
        (place := tmp_path / name).mkdir()
        asked = _asked(row, place)
        jsonschema.validate(asked, made)
        assert read_arguments(row, asked, tmp_path) == asked
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**asked, "no_such_setting": 1}, made)
        fields = {field.name: field for field in describe_fields(row.spec_type)}
        assert not [each for each in made["properties"] if each in fields and fields[each].arg.writes]


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(list_tools()))
async def test_a_tool_writes_nothing(
    name: str, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: EngineProcess
) -> None:
    from mcp.client import Client

    monkeypatch.setenv("MATHWB_HOME", str(home))
    asked = _asked(list_tools()[name], tmp_path)
    before = _held(tmp_path), _held(Workspace.open().root)
    async with Client(make_server(engine, 300)) as client:
        answer = await client.call_tool(name, asked)
    assert not answer.is_error, answer.content[0].text
    assert len(answer.content[0].text) <= MOST
    json.loads(answer.content[0].text)
    assert (_held(tmp_path), _held(Workspace.open().root)) == before


@pytest.mark.parametrize("name", ["egen_eval", "mwp_eval", "mwp_solve"])
def test_a_client_cannot_have_the_key_sent_to_an_address(name: str, tmp_path: Path) -> None:
    row = list_tools()[name]
    offered = tool_schema(row.spec_type)["properties"]
    assert "model" in offered
    assert not {"llm", "llm_model", "budget"} & offered.keys()
    with pytest.raises(EngineError) as caught:
        read_arguments(row, {"llm": "https://far.example/v1"}, tmp_path)
    assert caught.value.code == "E424"


def test_a_long_answer_is_cut_and_says_so() -> None:
    small = {"results": [1, 2, 3]}
    assert json.loads(bound_document(small)) == small
    rows = [{"line": line, "text": "x" * 50} for line in range(10_000)]
    text = bound_document({"results": rows, "totals": {"lines": 10_000}, "note": "y" * 1_000_000}, 5_000)
    assert len(text) <= 5_000
    found = json.loads(text)
    kept = found["result"]["results"]
    assert kept == rows[: len(kept)]
    assert found["left_out"]["results"] == 10_000 - len(kept)
    assert found["left_out"]["note"] == 1_000_000 - len(found["result"]["note"])
    assert found["result"]["totals"] == {"lines": 10_000}


def _asked(row: Any, place: Path) -> dict[str, Any]:
    """What the operation is asked in its sample, less what it would write."""
    make: Callable[[Path, Path], dict[str, Any]] = SAMPLES[row.name]
    writes = {field.name for field in describe_fields(row.spec_type) if field.arg.writes or field.arg.hidden}
    asked = {name: value for name, value in make(Workspace.open().root, place).items() if name not in writes}
    return json.loads(json.dumps(asked))


def _held(folder: Path) -> dict[str, tuple[int, int]]:
    return {
        str(path.relative_to(folder)): (path.stat().st_size, path.stat().st_mtime_ns)
        for path in folder.rglob("*")
        if path.is_file()
    }

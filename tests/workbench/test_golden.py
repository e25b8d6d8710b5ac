"""What every operation writes with `--json` about the sample workspace, as `golden/` has it; the engine
process and a job give the same document.

`pytest tests/workbench/test_golden.py --snapshot-update` writes documents anew that change on purpose.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from engines.core.events import ignore, never
from engines.core.spec import to_mapping
from tests.workbench.operation_samples import SAMPLES
from tests.workbench.test_operations import ROWS, command_line_words, run
from workbench.engine_process import EngineProcess
from workbench.jobs.worker import perform_recipe
from workbench.operations import find_operation, to_plain
from workbench.recipes import Recipe
from workbench.workspace import Workspace

GOLDEN = Path(__file__).parent / "golden"
VOLATILE = re.compile(r"(_s|seconds|per_s|created|changed|modified|mib|bytes)\Z")
CACHED = re.compile(r"(?<=/)[0-9a-f]{16}\Z")
FINGERPRINT = re.compile(r"[0-9a-f]{64}\Z")
RENEW = "where that is meant: pytest tests/workbench/test_golden.py --snapshot-update"
FIRST = 40
"""So many items of a list are kept, and how many there are."""


def mask(document: Any, folders: Mapping[str, str]) -> Any:
    """Return the document without times, folders and the last digits of numbers."""
    if isinstance(document, Mapping):
        return {
            key: "…"
            if VOLATILE.search(key) and isinstance(value, int | float | str)
            else mask(value, folders)
            for key, value in document.items()
        }
    if isinstance(document, list):
        kept = [mask(item, folders) for item in document[:FIRST]]
        return kept if len(document) <= FIRST else [*kept, f"… {len(document)} items"]
    if isinstance(document, float) and math.isfinite(document):
        return float(f"{document:.4g}")
    if isinstance(document, str):
        for folder, name in folders.items():
            document = document.replace(folder, name)
        return CACHED.sub("CACHE", document)
    return document


def differences(kept: Any, document: Any, at: str = "") -> list[str]:
    """Return where two documents differ by more than the last digit of a number with a decimal point."""
    if isinstance(kept, dict) and isinstance(document, dict):
        gone = [f"{at}/{key}: gone" for key in kept if key not in document]
        new = [f"{at}/{key}: new" for key in document if key not in kept]
        both = [key for key in kept if key in document]
        found = [one for key in both for one in differences(kept[key], document[key], f"{at}/{key}")]
        return [*gone, *new, *found]
    if isinstance(kept, list) and isinstance(document, list):
        rows = enumerate(zip(kept, document, strict=False))
        found = [one for row, pair in rows for one in differences(*pair, f"{at}/{row}")]
        sizes = [] if len(kept) == len(document) else [f"{at}: {len(kept)} rows became {len(document)}"]
        return [*sizes, *found]
    if isinstance(kept, float) and isinstance(document, float):
        close = math.isclose(kept, document, rel_tol=2e-3, abs_tol=1e-6)
        return [] if close else [f"{at}: {kept} became {document}"]
    if isinstance(kept, str) and isinstance(document, str) and FINGERPRINT.match(kept) and kept != document:
        return [f"{at}: what this is the fingerprint of has changed"]
    same = type(kept) is type(document) and kept == document
    return [] if same else [f"{at}: {json.dumps(kept)[:300]} became {json.dumps(document)[:300]}"]


def test_a_changed_key_and_a_changed_number_are_seen() -> None:
    kept = {"a": [1, 2.0], "b": "x"}
    assert not differences(kept, {"a": [1, 2.0000001], "b": "x"})
    assert differences(kept, {"a": [1, 2.1], "b": "x"}) == ["/a/1: 2.0 became 2.1"]
    assert differences(kept, {"a": [1, 2], "b": "x"}) == ["/a/1: 2.0 became 2"]
    assert differences(kept, {"a": [1, 2.0], "c": "x"}) == ["/b: gone", "/c: new"]
    assert differences(kept, {"a": [3], "b": "x"}) == ["/a: 2 rows became 1", "/a/0: 1 became 3"]


def test_every_operation_has_a_document() -> None:
    assert sorted(path.stem for path in GOLDEN.iterdir()) == ROWS


def steady(document: Any) -> Any:
    """The document without what changes from time to time."""
    changing = ("changed", "out", "file", "run", "resumed")
    if isinstance(document, Mapping):
        return {
            key: steady(value)
            for key, value in document.items()
            if not (key.endswith(("_s", "seconds", "per_s")) or key in changing)
        }
    if isinstance(document, float) and math.isfinite(document):
        # Two processes may add the products of two vectors in another order.
        return float(f"{document:.4g}")
    return [steady(item) for item in document] if isinstance(document, list) else document


@pytest.mark.slow
@pytest.mark.usefixtures("one_thread")
@pytest.mark.parametrize("name", ROWS)
def test_the_document_is_as_it_was_and_the_same_through_every_door(
    name: str,
    home: Path,
    tmp_path: Path,
    engine: EngineProcess,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    request: pytest.FixtureRequest,
) -> None:
    monkeypatch.setenv("MATHWB_HOME", str(home))
    make: Callable[[Path, Path], dict[str, Any]] = SAMPLES[name]
    row, root = find_operation(name), Workspace.open().root
    doors = {door: tmp_path / door for door in ("command", "engine", "job")}
    for folder in doors.values():
        folder.mkdir()

    code, written = run(name, command_line_words(row, make(root, doors["command"])), capsys)
    folders = {str(doors["command"]): "FOLDER", str(root): "WORKSPACE", str(home): "HOME"}
    folders[str(Path(__file__).resolve().parents[2])] = "CHECKOUT"
    document = json.loads(json.dumps(mask({"exit": code, "document": written}, folders)))
    path = GOLDEN / f"{name}.json"
    if request.config.getoption("update_snapshots"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", "utf-8")
    found = differences(json.loads(path.read_text("utf-8")), document)
    assert not found, "\n".join([*found, f"kept in tests/workbench/golden; {RENEW}"])

    params = to_plain(to_mapping(row.resolve_spec(make(root, doors["engine"]))))
    documents = {"command": written, "engine": engine.call_blocking(name, params)}
    params = to_plain(to_mapping(row.resolve_spec(make(root, doors["job"]))))
    recipe = Recipe(name, name, params, int(params.get("seed", 0)))
    documents["job"], stopped = perform_recipe(recipe, doors["job"] / "out", events=ignore, stop=never)
    assert not stopped
    same = [
        json.loads(json.dumps(steady(one)).replace(str(doors[door]), "PLACE"))
        for door, one in documents.items()
    ]
    assert same[0] == same[1] == same[2]

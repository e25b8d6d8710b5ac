"""The notebooks of the documents run as they stand, without Jupyter, and show what they are kept with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from docs.notebooks import PLACE, run


def shown(notebook: dict[str, Any]) -> list[list[str]]:
    """The forms in which each cell shows what it gives."""
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    return [[form for output in cell["outputs"] for form in output.get("data", ())] for cell in cells]


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted(PLACE.glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path) -> None:
    kept = json.loads(path.read_text("utf-8"))
    done = run(kept)
    assert shown(done) == shown(kept)
    assert any("text/html" in forms for forms in shown(done))
    text = path.read_text("utf-8")
    assert not [place for place in ("/home/", "/tmp/", "/root/", "/work/") if place in text]
    assert {cell["cell_type"] for cell in kept["cells"]} == {"code", "markdown"}

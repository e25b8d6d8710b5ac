"""Run the notebooks of this folder, keep what they show, and write each as a page; no Jupyter is needed.

python -m docs.notebooks
"""

from __future__ import annotations

import ast
import io
from contextlib import chdir, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

PLACE = Path(__file__).resolve().parent


def run(notebook: dict[str, Any]) -> dict[str, Any]:
    """The notebook with the outputs of its cells, which run in an empty folder. Raises: what they raise."""
    names: dict[str, Any] = {"__name__": "__main__"}
    cells = []
    with TemporaryDirectory() as folder, chdir(folder):
        for number, cell in enumerate(notebook["cells"], 1):
            if cell["cell_type"] != "code":
                cells.append(cell)
                continue
            printed = io.StringIO()
            with redirect_stdout(printed):
                value = _value("".join(cell["source"]), names)
            outputs: list[dict[str, Any]] = []
            if text := printed.getvalue():
                outputs.append({"output_type": "stream", "name": "stdout", "text": _lines(text)})
            if value is not None:
                shown = {"output_type": "execute_result", "metadata": {}, "execution_count": number}
                outputs.append({**shown, "data": _data(value)})
            cells.append({**cell, "execution_count": number, "outputs": outputs})
    return {**notebook, "cells": cells}


def page(notebook: dict[str, Any], name: str) -> str:
    """The notebook as Markdown, with its outputs."""
    parts = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        parts.append(source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```")
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            text = "".join(output.get("text") or data["text/plain"]).rstrip("\n")
            rich = "".join(data.get("text/html") or data.get("image/svg+xml") or ())
            parts.append(f"<div>{rich}</div>" if rich else f"```text\n{text}\n```")
    parts.append(f"This page is `docs/notebooks/{name}.ipynb` as `python -m docs.notebooks` ran it.")
    return "\n\n".join(parts) + "\n"


def _value(source: str, names: dict[str, Any]) -> Any:
    """What the last expression of a cell gives."""
    body = ast.parse(source).body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    exec(compile(ast.Module(body, []), "cell", "exec"), names)
    return None if last is None else eval(compile(ast.Expression(last.value), "cell", "eval"), names)


def _data(value: Any) -> dict[str, list[str]]:
    forms = {"text/html": "_repr_html_", "image/svg+xml": "_repr_svg_"}
    found = {mime: getattr(value, name)() for mime, name in forms.items() if hasattr(value, name)}
    return {**{mime: _lines(text) for mime, text in found.items()}, "text/plain": _lines(_plain(value))}


def _plain(value: Any) -> str:
    # What shows itself as a table may hold paths of this machine, which are nobody's business.
    return f"<{type(value).__name__}>" if hasattr(value, "_repr_html_") else repr(value)


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)

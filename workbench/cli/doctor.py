"""`mathwb doctor`."""

from __future__ import annotations

import typer

from workbench.cli.common import Json, emit
from workbench.doctor import examine

__all__ = ["doctor"]

_GLYPHS = {"ok": "✓", "note": "·", "wrong": "!", "missing": "✗"}


def doctor(as_json: Json = False) -> None:
    """What is installed, what is missing, what to do. Ends with 3 when something needed is missing."""
    findings = examine()
    missing = any(finding.state == "missing" for finding in findings)
    lines: list[str] = []
    for finding in findings:
        lines.append(f"{_GLYPHS[finding.state]} {finding.state:<7}  {finding.name:<13}  {finding.what}")
        if finding.remedy:
            lines.append(f"{'':<26}→ {finding.remedy}")
    emit({"ok": not missing, "findings": findings}, as_json, text=lines)
    if missing:
        raise typer.Exit(3)

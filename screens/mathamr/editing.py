"""Editing: a graph as PENMAN text in the user's editor."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from pathlib import Path

from textual.app import SuspendNotSupported

from screens.mathamr.inspection import Inspection
from screens.shell.frame import Frame

__all__ = ["edited"]


def edited(workbench: Frame, penman: str, inspection: Inspection) -> str | None:
    """What the user made of a graph in $VISUAL, $EDITOR or vi; None where nothing was changed."""
    program = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    with tempfile.TemporaryDirectory(prefix="mathwb-") as folder:
        path = Path(folder) / f"{inspection.subject.topic or 'text'}.penman"
        lines = inspection.text.splitlines()
        path.write_text("".join(f"# {line}\n" for line in lines) + penman + "\n", "utf-8")
        try:
            with workbench.suspend():
                subprocess.run([*shlex.split(program), str(path)], check=False)
        except SuspendNotSupported:
            workbench.warn(
                "this terminal cannot be handed over", remedy="Give --graph to mathwb mathamr inspect."
            )
            return None
        except OSError as error:
            workbench.warn(f"{program} cannot be started: {error.strerror}", remedy="Set EDITOR.")
            return None
        text = path.read_text("utf-8", "replace")
    kept = "\n".join(line for line in text.splitlines() if not line.startswith("#")).strip()
    return None if kept in ("", penman.strip()) else kept

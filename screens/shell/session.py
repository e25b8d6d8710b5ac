"""The session file: what was open, as JSON in the state folder, written atomically, unknown keys kept."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engines.core.errors import EngineError
from engines.core.files import write_json

if TYPE_CHECKING:
    from workbench.jobs.view import JobView


_VERSION = 1
_DELETED_KEPT = 500
"""Of so many deleted jobs, which may be brought back, it stays known that the user was told of their end."""


class Session:
    """The session file: per workspace the mode, each screen's state, and which ends of jobs the user was told
    of; `crash` tells of the last crash.

    A file that cannot be read or is of a newer version is left alone: the session then begins empty, and is
    kept under another name before it would be replaced.
    """

    def __init__(self, path: Path, workspace: str) -> None:
        self.path = path
        self._workspace = workspace
        self._all = self._read()
        self._written = ""

    def _read(self) -> dict[str, Any]:
        try:
            document = json.loads(self.path.read_text(encoding="utf-8"))
            if isinstance(document, dict) and document.get("version") == _VERSION:
                return document
        except FileNotFoundError:
            return {"version": _VERSION}
        except (OSError, ValueError):
            pass
        with contextlib.suppress(OSError):
            self.path.replace(self.path.with_suffix(".old.json"))
        return {"version": _VERSION}

    @property
    def _own(self) -> dict[str, Any]:
        workspaces = self._all.setdefault("workspaces", {})
        own: dict[str, Any] = workspaces.setdefault(self._workspace, {})
        return own

    @property
    def mode(self) -> str:
        return str(self._own.get("mode", ""))

    @property
    def theme(self) -> str:
        return str(self._all.get("theme", ""))

    def screen(self, mode: str) -> Mapping[str, object]:
        saved = self._own.get("screens", {}).get(mode, {})
        return saved if isinstance(saved, dict) else {}

    def take_crash(self) -> str:
        """The crash file of the last time, once."""
        return str(self._all.pop("crash", ""))

    def newly_ended(self, jobs: Sequence[JobView]) -> list[JobView]:
        """The jobs whose end the user has not been told of; from now on they count as told. Whoever finds
        this workspace for the first time is told of none."""
        ended = {f"{view.id}.{view.attempt} of {view.created:.0f}": view for view in jobs if not view.live}
        known = self._own.get("told")
        before = known if isinstance(known, list) else []
        told = set(before) if isinstance(known, list) else set(ended)
        numbers = {str(view.id) for view in jobs}
        gone = [str(name) for name in before if str(name).partition(".")[0] not in numbers]
        self._own["told"] = [*gone[-_DELETED_KEPT:], *ended]
        return [view for name, view in ended.items() if name not in told]

    def keep(self, *, mode: str, theme: str, screens: Mapping[str, Mapping[str, object]]) -> None:
        """Remember this much; keys that newer versions or other screens wrote stay."""
        self._all["theme"] = theme
        own = self._own
        own["mode"] = mode
        saved = own.setdefault("screens", {})
        for name, state in screens.items():
            saved[name] = {**saved.get(name, {}), **state}

    def crashed(self, report: str) -> None:
        self._all["crash"] = report

    def save(self) -> None:
        """Write the file if anything changed; a session that cannot be written is no reason to disturb."""
        text = json.dumps(self._all, sort_keys=True)
        if text != self._written:
            with contextlib.suppress(EngineError, OSError):
                self.path.parent.mkdir(parents=True, exist_ok=True)
                write_json(self.path, self._all)
                self._written = text

"""The session file: what was open, as JSON in the state folder, written atomically, unknown keys kept."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engines.core.errors import EngineError
from engines.core.files import write_bytes
from engines.core.locks import update

if TYPE_CHECKING:
    from workbench.jobs.job_views import JobView


_VERSION = 1
_DELETED_KEPT = 500
"""Of so many deleted jobs, which may be restored, it stays known that the user was told of their end."""


class Session:
    """The session file: the mode and state of each workspace's screens, and the theme.

    It also stores which ends of jobs the user was notified of, and the last crash. Several processes may have
    it open: each writes what it has changed into the file as it is then. A file that cannot be read or is of
    a newer version is left alone: the session then begins empty, and the file is saved under another name
    before it would be replaced.
    """

    def __init__(self, path: Path, workspace: str) -> None:
        self.path = path
        self._workspace = workspace
        # A session that cannot be read must not keep the program from opening.
        try:
            document = _read_document(path.read_bytes()) or {}
        except OSError:
            document = {}
        own = _get_table(_get_table(document, "workspaces"), workspace)
        self._screens: dict[str, Mapping[str, object]] = dict(_get_table(own, "screens"))
        self._changed_screens: set[str] = set()
        self._own: dict[str, Any] = {}
        """What is to be written of this workspace besides."""
        self.mode = str(own.get("mode", ""))
        self.theme = self._saved_theme = str(document.get("theme", ""))
        self._crash = self._saved_crash = str(document.get("crash", ""))
        # None: no session of this workspace is known, so no end of a job is news.
        self._told: list[object] | None = notified if isinstance(notified := own.get("told"), list) else None
        self._written = self._to_json()

    def _to_json(self) -> str:
        return json.dumps([self.theme, self._crash, self._own, self._screens], sort_keys=True)

    def screen_state(self, mode: str) -> Mapping[str, object]:
        """Return the stored state of a screen."""
        return _get_table(self._screens, mode)

    def take_crash(self) -> str:
        """Return the path of the last crash's file, once."""
        report, self._crash = self._crash, ""
        return report

    def newly_ended(self, jobs: Sequence[JobView]) -> list[JobView]:
        """Return the jobs whose end the user has not been notified of, and remember that they are now.

        In a workspace that is opened for the first time, there are none.
        """
        # A resumed job ends again, and a number may be given again: attempt and time of creation tell them
        # apart.
        ended = {f"{view.id}.{view.attempt} of {view.created:.0f}": view for view in jobs if not view.live}
        notified = {*map(str, ended if self._told is None else self._told)}
        numbers = {str(view.id) for view in jobs}
        # Deleted jobs may be restored, and their ends are no news then.
        gone = [str(name) for name in self._told or () if str(name).partition(".")[0] not in numbers]
        self._told = [*gone[-_DELETED_KEPT:], *ended]
        self._own = {**self._own, "told": self._told}
        return [view for name, view in ended.items() if name not in notified]

    def remember_screens(self, *, mode: str, screens: Mapping[str, Mapping[str, object]]) -> None:
        """Remember the current mode and the states of screens; keys written by others are kept."""
        # New ones in place of the old, since another thread may be writing those.
        self._own = {**self._own, "mode": mode}
        self._screens = self._screens | {
            name: {**self.screen_state(name), **state} for name, state in screens.items()
        }
        self._changed_screens = self._changed_screens | screens.keys()

    def remember_crash(self, report: str) -> None:
        """Remember the file that describes a crash."""
        self._crash = report

    def save(self) -> None:
        """Write the file if anything changed; failures are ignored, since a session is not worth an error."""
        # Called every few seconds; nearly always nothing has changed.
        if (state := self._to_json()) != self._written:
            # Copied before the file is written, because the app may change them meanwhile.
            theme, crash = self.theme, self._crash
            with contextlib.suppress(EngineError, OSError):
                update(self.path, self._merge_into)
                self._written, self._saved_theme, self._saved_crash = state, theme, crash

    def _merge_into(self, data: bytes) -> bytes:
        """Return the file with what has changed in this process."""
        document = _read_document(data)
        # The old file may be of a newer version, so it is kept under another name.
        if document is None:
            write_bytes(self.path.with_suffix(".old.json"), data)
            document = {"version": _VERSION}
        # Another process may have changed the other value: only what this process has changed is written.
        for key, old, new in (
            ("theme", self._saved_theme, self.theme),
            ("crash", self._saved_crash, self._crash),
        ):
            if new and new != old:
                document[key] = new
            elif not new and document.get(key) == old:
                document.pop(key, None)
        workspaces = _get_table(document, "workspaces")
        own = _get_table(workspaces, self._workspace)
        # Of the screens only those that were open here; others may be open elsewhere.
        screens = {name: self._screens[name] for name in self._changed_screens}
        own = {**own, **self._own, "screens": {**_get_table(own, "screens"), **screens}}
        document["workspaces"] = {**workspaces, self._workspace: own}
        return json.dumps(document, indent=2, ensure_ascii=False).encode() + b"\n"


def _read_document(data: bytes) -> dict[str, Any] | None:
    """Return the document of a session file, a new one of none; None for one that cannot be read."""
    try:
        document = json.loads(data) if data else {"version": _VERSION}
    except ValueError:
        return None
    return document if isinstance(document, dict) and document.get("version") == _VERSION else None


def _get_table(document: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    table = document.get(key)
    return table if isinstance(table, dict) else {}

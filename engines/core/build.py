"""Long work that is resumed after a stop: builds by a plan, in parts that processes can share, and journals
of what is finished, an item a line."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from engines.core.errors import EngineError
from engines.core.events import Event, Sink, Stop, ignore, never
from engines.core.files import atomic_writer, file_error, write_json
from engines.core.locks import sole_builder
from engines.core.rows import json_object
from engines.core.spec import make_refusal

MANIFEST, PLAN = "manifest.json", "plan.json"
LOCK = "build.lock"

T = TypeVar("T")


class ResumableBuild:
    """A build in a folder, of parts of so many items each; None: in memory, where nothing can be resumed.

    What determines the result is its plan, or in the names of its parts. A part is made apart from all
    others, so that the bytes are the same whether one process makes them all, several share them, or a build
    that was stopped is resumed. How a part is stored is the caller's: `load` gives it, or None where it is
    missing or corrupt; `make` makes and stores it.
    """

    def __init__(
        self,
        folder: Path | None,
        share: tuple[int, int] | None = None,
        *,
        events: Sink = ignore,
        stop: Stop = never,
    ) -> None:
        """Args: share: (k, n): make only the parts k, k + n, k + 2n, …, so that n processes share the work.

        Raises:
            EngineError: E427 for a share without a folder.
        """
        if share and folder is None:
            raise make_refusal("a share needs a cache folder", "E427", "Name one as cache.")
        self._folder, self.share, self.events, self.stop = folder, share, events, stop

    @property
    def in_folder(self) -> bool:
        """Return whether the build has a folder, where finished parts survive a stop."""
        return self._folder is not None

    @property
    def folder(self) -> Path:
        """The folder of the build; an assertion fails for a build without one."""
        assert self._folder is not None
        return self._folder

    def lock(self, code: str) -> AbstractContextManager[None]:
        """Keep others out, except those that build another share.

        Raises:
            EngineError: `code`.
        """
        return sole_builder(self.folder, code=code, lock=LOCK, shared=self.share is not None)

    def write_or_check_plan(
        self,
        plan: Mapping[str, Any],
        old: Mapping[str, Any] | None,
        make_error: Callable[[str, Any, Any], EngineError],
        *,
        keys: Sequence[str] | None = None,
    ) -> None:
        """Write the plan of a build, or check it against the one that the folder was begun with.

        Args:
            plan: The settings of this build.
            old: The plan that the folder was begun with; None in a new folder.
            make_error: Returns the error for a setting (`config.seed`) from its name, old and new value.
            keys: The settings that must not change; all of them if None.
        """
        if old is not None:
            before, after = dict(_flatten_plan(old)), dict(_flatten_plan(plan))
            for name in before | after:
                fixed = keys is None or name.split(".")[0] in keys
                if fixed and before.get(name) != after.get(name):
                    raise make_error(name, before.get(name), after.get(name))
        if plan != old:
            write_json(self.folder / PLAN, plan)

    def split_into_parts(self, items: int, size: int) -> dict[int, range]:
        """Return the items of each part of the share, by its number."""
        first, of = self.share or (1, 1)
        numbers = range(-(-items // size))[first - 1 :: of]
        return {number: range(items)[number * size : (number + 1) * size] for number in numbers}

    def run(
        self,
        parts: Mapping[int, range],
        load: Callable[[int], T | None],
        make: Callable[[int, range, Sink], T | None],
    ) -> list[T] | None:
        """Return all parts, those that are missing made; None after a stop, which leaves the finished ones.

        Args:
            make: Gets the items and a sink to which it reports progress within the part.
        """
        total, before = sum(map(len, parts.values())), 0
        made: list[T] = []
        for number, items in parts.items():

            def report(event: Event, before: int = before) -> None:
                done = before + int(str(event.data["done"]))
                self.events(replace(event, data={**event.data, "done": done, "total": total}))

            part = load(number)
            if part is None:
                part = None if self.stop() else make(number, items, report)
            if part is None:
                return None
            made.append(part)
            before += len(items)
        return made

    def publish_manifest(self, manifest: Mapping[str, Any] | None = None, *, parts: str = "") -> None:
        """Write the manifest, after everything else, and remove the files of the pattern `parts`, whosever
        share they are."""
        if manifest is not None:
            write_json(self.folder / MANIFEST, manifest)
        if parts and self._folder is not None:
            for path in self._folder.glob(parts):
                path.unlink(missing_ok=True)


def _flatten_plan(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _flatten_plan(inner, f"{name}.{key}" if name else key)
    else:
        yield name, value


class Journal:
    """Finished items in a file, a JSON object a line, below a line that says what made them.

    A line is synced when it is written, so that a kill loses the item under way and nothing else.
    """

    def __init__(self, path: Path, head: Mapping[str, Any]) -> None:
        self.path, self._head = path, json.dumps(head)

    def read_items(self, other: Callable[[str], EngineError | None]) -> list[dict[str, Any]]:
        """Return the items; a last line that a kill cut off is left out.

        Args:
            other: Gets the first line of a file that something else made, and gives what to raise; None: it
                is begun anew.
        """
        try:
            first, *lines = self.path.read_text(encoding="utf-8", errors="replace").split("\n")
        except FileNotFoundError:
            return []
        except OSError as error:
            raise file_error(error, self.path, "read") from error
        if first != self._head:
            killed = not lines and self._head.startswith(first)  # while the first line was written
            refusal = None if killed else other(first)
            if refusal is not None:
                raise refusal
            return []
        result = []
        for line in lines[:-1]:
            with contextlib.suppress(ValueError):
                result.append(json_object(line))
        return result

    def begin_file(self, items: Iterable[Mapping[str, Any]]) -> None:
        """Write the file anew with these items."""
        with atomic_writer(self.path) as file:
            for text in (self._head, *map(json.dumps, items)):
                file.write(text + "\n")

    def append(self, item: Mapping[str, Any]) -> None:
        """Add one item as a line of JSON and sync it to disk, so a kill loses at most the item being
        written.
        """
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(item) + "\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise file_error(error, self.path, "write") from error

    def remove(self) -> None:
        """Delete the journal, if it exists."""
        self.path.unlink(missing_ok=True)

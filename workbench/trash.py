"""The trash of a workspace: what was deleted stays for `trash_days` days and can be restored.

    .trash/<moment>-<hex>/item.json   what it is, and what is needed to restore it
                          <name>      what was moved here, under the name that it had

Folders lie in the trash of the folder that held them (`runs`, `corpora`), everything else in that of the
workspace, so that nothing has to be copied from one disk to another. The description is written first:
wherever a deletion or its reversal is cut short, what lies here can be restored.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engines.core.errors import EngineError
from engines.core.files import file_error, write_json
from workbench.config import load_config
from workbench.errors import MissingError
from workbench.paper import load

if TYPE_CHECKING:
    from workbench.workspace import Workspace

FOLDER = ".trash"
_DESCRIPTION = "item.json"
_DAY_S = 86_400.0
_HALF_MADE_S = 3_600.0
"""A folder without a description that is older was left by a process that was killed."""

_RESTORERS = {
    "job": "workbench.jobs.control:restore_jobs",
    "note": "workbench.workspace:restore_note",
    "data": "workbench.workspace:restore_data",
    "folder": "workbench.workspace:restore_folder",
}
"""For each kind of thing the function that restores an item: `(workspace, item)`."""


@dataclass(frozen=True, slots=True)
class TrashItem:
    """A deleted item in the trash.

    Args:
        kind: What it is: job, note, data (an entry of the registry) or folder (data in the workspace).
        name: Its name.
        title: Its title.
        deleted: When it was deleted, in Unix seconds.
        folder: Its folder in the trash.
        record: What is needed to restore it, besides the contents of the folder.
    """

    kind: str
    name: str
    title: str
    deleted: float
    folder: Path
    record: Mapping[str, Any] = field(default_factory=dict)

    @property
    def address(self) -> str:
        """The name of the item in commands: `job/12`."""
        return f"{self.kind}/{self.name}"

    @property
    def sentence(self) -> str:
        """The name of the item in a sentence: `job 12`."""
        return f"{self.kind} {self.name}"

    def list_contents(self) -> list[Path]:
        """List the files and folders that were moved here and are still here."""
        with contextlib.suppress(FileNotFoundError):
            # Another program may remove the item at any time.
            return sorted(filter(_is_content, self.folder.iterdir()))
        return []

    def to_dict(self) -> dict[str, Any]:
        """Return the document that `mathwb trash list --json` prints."""
        return {
            "item": self.address,
            "title": self.title,
            "deleted": self.deleted,
            "until": self.deleted + _kept_s(),
        }


def _is_content(path: Path) -> bool:
    # Hidden files are drafts of the description, or were made by the file manager.
    return path.name != _DESCRIPTION and not path.name.startswith(".")


def _kept_s() -> float:
    return int(load_config().get("trash_days")) * _DAY_S


class Trash:
    """The deleted items of a workspace, in the order of their deletion."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def put_item(
        self,
        kind: str,
        name: str,
        title: str,
        contents: Sequence[Path] = (),
        record: Mapping[str, Any] | None = None,
    ) -> TrashItem:
        """Move folders or files of one folder into the trash, all or none, with what is needed to restore
        them.

        Items that have been here for too long are removed for good.

        Args:
            kind: What is deleted.
            name: Its name.
            title: Its title.
            contents: The files and folders.
            record: What is needed to restore it besides them.

        Raises:
            DataError: If the trash cannot be written.
        """
        # Deleting is the occasion to remove what is too old, since no process runs regularly.
        self.purge_expired()
        # The trash of the folder that the contents are in: a rename cannot cross file systems.
        parent = contents[0].parent if contents else self._root
        item = TrashItem(
            kind, name, title, time.time(), parent / FOLDER / _new_name(), {} if record is None else record
        )
        moved: list[Path] = []
        try:
            item.folder.mkdir(parents=True)
            # The description comes first, because contents without one could not be restored.
            described = {"v": 1, "kind": kind, "name": name, "title": title, "deleted": item.deleted}
            write_json(item.folder / _DESCRIPTION, {**described, "record": dict(item.record)})
            for path in contents:
                path.rename(item.folder / path.name)
                moved.append(path)
        # A failed move restores what has been moved, so that an item is deleted entirely or not at all.
        except (OSError, EngineError) as error:
            for path in moved:
                (item.folder / path.name).rename(path)
            shutil.rmtree(item.folder, ignore_errors=True)
            if isinstance(error, EngineError):
                raise
            raise file_error(error, parent, "write") from error
        return item

    def list_items(self, kind: str = "") -> list[TrashItem]:
        """List the items that can be restored, the latest first."""
        folders = (folder for folder in self._item_folders() if not folder.name.startswith("."))
        known = [item for folder in folders if (item := _read_item(folder)) is not None]
        return sorted(
            (item for item in known if kind in ("", item.kind)), key=lambda item: item.deleted, reverse=True
        )

    def find_item(self, address: str) -> TrashItem:
        """Return the item with an address that was deleted last.

        A job is also known by a run that was deleted with its sweep.

        Raises:
            MissingError: E465 if there is none.
        """
        kind, _, name = address.partition("/")
        items = self.list_items(kind)
        # The latest first: a name may have been deleted several times.
        for item in items:
            if name == item.name or name in (path.name for path in item.list_contents()):
                return item
        raise MissingError(f"the trash holds no {address}", code="E465", remedy="See: mathwb trash list")

    def restore_item(self, workspace: Workspace, item: TrashItem) -> None:
        """Restore an item from the trash.

        Raises:
            MissingError: E465 if it is not here any more.
            EngineError: What restoring its kind raises.
        """
        # Another process may have restored or removed it in the meantime.
        if _read_item(item.folder) is None:
            raise _gone_error(item)
        # Each kind has its own way back, in the module that knows the kind.
        load(_RESTORERS[item.kind])(workspace, item)
        self.remove_item(item)

    def remove_item(self, item: TrashItem) -> None:
        """Remove an item for good. Links are not followed.

        Raises:
            DataError: If it cannot be removed.
        """
        try:
            _discard_folder(item.folder)
        except FileNotFoundError:
            return
        except OSError as error:
            raise file_error(error, item.folder, "write") from error

    def purge_expired(self) -> None:
        """Remove what has been here for longer than the setting `trash_days`, for good."""
        now, kept_s = time.time(), _kept_s()
        for folder in self._item_folders():
            if folder.name.startswith("."):  # its removal was cut short
                shutil.rmtree(folder, ignore_errors=True)
                continue
            item = _read_item(folder)
            if item is None:
                # No description: made at this moment, or left by a crash. It is removed only if it is old and
                # empty.
                with contextlib.suppress(OSError):
                    if now - folder.stat().st_mtime > _HALF_MADE_S and not any(
                        map(_is_content, folder.iterdir())
                    ):
                        shutil.rmtree(folder, ignore_errors=True)
            elif now - item.deleted > kept_s:
                with contextlib.suppress(OSError):
                    _discard_folder(folder)

    def _item_folders(self) -> list[Path]:
        result: list[Path] = []
        # The trash of the workspace and that of each folder directly in it.
        parents = [self._root]
        with contextlib.suppress(OSError):
            parents += (one for one in self._root.iterdir() if one.is_dir())
        for parent in parents:
            with contextlib.suppress(OSError):
                result += (parent / FOLDER).iterdir()
        return result


def _discard_folder(folder: Path) -> None:
    """Remove a folder of the trash. It leaves the list at once, so that nothing is listed of which only a
    part is left, wherever the removal is cut short."""
    rubbish = folder.with_name(f".{folder.name}")
    folder.rename(rubbish)
    shutil.rmtree(rubbish)


def _new_name() -> str:
    # Padded, so that names sort by time, with four random bytes against two deletions in one tick.
    return f"{time.time_ns():020d}-{os.urandom(4).hex()}"


def _read_item(folder: Path) -> TrashItem | None:
    """Return the item in a folder; None for what is none, and for one whose contents are all back in
    place.
    """
    try:
        row = json.loads((folder / _DESCRIPTION).read_bytes())
        item = TrashItem(
            str(row["kind"]),
            str(row["name"]),
            str(row["title"]),
            float(row["deleted"]),
            folder,
            row["record"],
        )
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    known = item.kind in _RESTORERS and isinstance(item.record, dict)
    # An item with neither a record nor contents has been restored, and only its folder is left.
    return item if known and (item.record or item.list_contents()) else None


def restore_contents(item: TrashItem, parent: Path) -> None:
    """Restore the contents of an item into the folder where they were.

    Raises:
        MissingError: E465 if another program has taken them.
        EngineError: E466 if something else is there now.
        DataError: If they cannot be moved.
    """
    contents = item.list_contents()
    # All targets are checked before the first move, so that nothing is restored in part.
    for path in contents:
        target = parent / path.name
        if os.path.lexists(target):
            what = f"{item.sentence} cannot be restored: something else is in its place"
            raise EngineError(what, where=str(target), code="E466", remedy="Move that elsewhere first.")
    for path in contents:
        try:
            path.rename(parent / path.name)
        except FileNotFoundError:
            raise _gone_error(item) from None
        except OSError as error:
            raise file_error(error, path, "write") from error


def _gone_error(item: TrashItem) -> MissingError:
    what = f"{item.sentence} is not in the trash any more"
    return MissingError(what, code="E465", remedy="See: mathwb trash list")

"""What `u` takes back: the changes of this session, the latest first, then what earlier sessions deleted."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from engines.core.errors import EngineError
from screens.shell.theme import format_quantity

if TYPE_CHECKING:
    from workbench.trash import TrashItem
    from workbench.workspace import Workspace

_MAX_CHANGES = 100
"""Older changes can no longer be undone."""


class UndoHistory:
    """Changes and deletions that can be taken back.

    Attributes:
        deleted: What lies in the trash, the latest first; restored when there are no changes of this session.
    """

    def __init__(self, restore: Callable[[TrashItem], object]) -> None:
        """`restore`: restores an item from the trash."""
        self._restore = restore
        self._changes: deque[tuple[str, Callable[[], object]]] = deque(maxlen=_MAX_CHANGES)
        self.deleted: tuple[TrashItem, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to take back, as far as memory knows."""
        return not self._changes and not self.deleted

    def remember_change(self, what: str, back: Callable[[], object]) -> None:
        """Add a change in words, with what reverts it."""
        self._changes.append((what, back))

    def remember_deletion(self, what: str, item: TrashItem) -> None:
        """Add a change that moved an item to the trash."""
        self.remember_change(what, lambda: self._restore(item))

    def read_trash(self, workspace: Workspace) -> None:
        """Read what can be restored, and remove items whose time in the trash is over."""
        from workbench.jobs.control import deleted_jobs

        with suppress(EngineError, OSError):
            workspace.trash.purge_expired()
            deleted_jobs(workspace)  # with those of earlier versions
            self.deleted = tuple(workspace.trash.list_items())

    def take_back(self) -> str:
        """Revert the latest change, or restore the last deletion of an earlier session; return what was done.

        Raises:
            EngineError: It cannot be reverted; the next call does not try it again.
        """
        if self._changes:
            what, back = self._changes.pop()
            back()
            return f"taken back: {what}"
        # Taken off the list before it is restored, so that a second key does not restore it twice.
        item, *rest = self.deleted
        self.deleted = tuple(rest)
        self._restore(item)
        days = round((time.time() - item.deleted) / 86_400)
        when = f"deleted {format_quantity(days, 'day')} ago" if days else "deleted today"
        return f"restored: {item.sentence} {item.title}, {when}"

"""How much work a verdict may take: counted in operations, so that it does not depend on the machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


class WorkLimitError(Exception):
    """A value would take more work than its limit allows, so its point is left out of the comparison."""


@dataclass(slots=True)
class WorkLimit:
    """The operations that verdicts may take together, and those taken so far.

    Attributes:
        max_operations: How many they may take.
        spent: How many they have taken.
        refused: Whether a value was left out because it would have taken more.
    """

    max_operations: int
    spent: int = 0
    refused: bool = False

    def spend(self, operations: int) -> None:
        """Count operations.

        Raises:
            WorkLimitError: If they are more than are left.
        """
        if self.spent + operations > self.max_operations:
            self.refused = True
            raise WorkLimitError
        self.spent += operations


_LIMIT: ContextVar[WorkLimit | None] = ContextVar("limit", default=None)


@contextmanager
def limit_work(operations: int) -> Iterator[WorkLimit]:
    """Limit the operations of all verdicts that are computed inside the `with` block, taken together.

    Args:
        operations: How many they may take; a value that would take more raises `WorkLimitError`.
    """
    limit = WorkLimit(operations)
    token = _LIMIT.set(limit)
    try:
        yield limit
    finally:
        _LIMIT.reset(token)


def current_limit() -> WorkLimit | None:
    """Return the limit of the innermost `limit_work` block, or None outside of any."""
    return _LIMIT.get()


def spend_work(operations: int) -> None:
    """Count operations against the limit of the innermost `limit_work` block; without one do nothing.

    Raises:
        WorkLimitError: If they are more than are left.
    """
    limit = _LIMIT.get()
    if limit is not None:
        limit.spend(operations)

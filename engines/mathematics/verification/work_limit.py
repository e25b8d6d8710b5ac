"""How much work a verdict may take: counted in operations, so that it does not depend on the machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


class LongSumError(Exception):
    """A value takes more work than is allowed: the point is not looked at."""


@dataclass(slots=True)
class WorkLimit:
    """The operations that a verdict may take, and those that it took.

    Attributes: refused: whether it was asked for more.
    """

    most: int
    spent: int = 0
    refused: bool = False

    def spend(self, operations: int) -> None:
        """Count operations. Raises: LongSumError: If they are more than are left."""
        if self.spent + operations > self.most:
            self.refused = True
            raise LongSumError
        self.spent += operations


_LIMIT: ContextVar[WorkLimit | None] = ContextVar("limit", default=None)


@contextmanager
def limit_work(operations: int) -> Iterator[WorkLimit]:
    """Limit the work of the verdicts inside, all together."""
    limit = WorkLimit(operations)
    token = _LIMIT.set(limit)
    try:
        yield limit
    finally:
        _LIMIT.reset(token)


def current_limit() -> WorkLimit | None:
    """Return the limit at hand, None where there is none."""
    return _LIMIT.get()


def spend_work(operations: int) -> None:
    """Count operations where there is a limit. Raises: LongSumError: If they are more than are left."""
    limit = _LIMIT.get()
    if limit is not None:
        limit.spend(operations)

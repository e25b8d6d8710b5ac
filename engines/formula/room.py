"""Room for the recursion that deep formulas take."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

__all__ = ["room"]

_ROOM = 8_000
_LOCK = Lock()
_limits: list[int] = []


@contextmanager
def room() -> Iterator[None]:
    """As many frames of recursion as the deepest formula takes, in all threads while one needs them."""
    with _LOCK:
        _limits.append(sys.getrecursionlimit())
        sys.setrecursionlimit(max(_limits[0], _ROOM))
    try:
        yield
    finally:
        with _LOCK:
            limit = _limits.pop()
            if not _limits:
                sys.setrecursionlimit(limit)

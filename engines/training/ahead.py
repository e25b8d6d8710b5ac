"""Work ahead: what an iterator gives next is made in a thread while the last is in use."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Generic, TypeVar

__all__ = ["Ahead"]

T = TypeVar("T")


class Ahead(Iterator[T], Generic[T]):
    """The same items in the same order; one of them is always made, or being made. What the iterator raises
    is raised where its item is asked for. `close` it."""

    def __init__(self, source: Iterator[T]) -> None:
        self._source = source
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="ahead")
        self._next: Future[T] = self._thread.submit(next, source)

    def __next__(self) -> T:
        found = self._next.result()
        self._next = self._thread.submit(next, self._source)
        return found

    def settle(self) -> None:
        """Wait until the thread is at rest: what follows may use what the iterator uses."""
        wait([self._next])

    def close(self) -> None:
        """End the thread."""
        self._thread.shutdown(wait=True, cancel_futures=True)

"""The tour: the main job of every paper on the sample workspace, stop by stop."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from workbench.errors import explain, one_line
from workbench.operation import operation

Found = Mapping[str, Any]


class Guide:
    """Runs one operation after the other, tells its result, and keeps it.

    Args: tell: what people read goes there, line by line. say: talk goes there.
    """

    def __init__(self, tell: Callable[[str], None], say: Callable[[str], None]) -> None:
        self._tell, self.say = tell, say
        self.stops: list[dict[str, Any]] = []

    def stop(
        self, title: str, task: str, params: dict[str, Any], tell: Callable[[Found], Iterator[str]]
    ) -> Found:
        """Run an operation. Args: tell: its result in words. Returns: its document, which is empty where the
        operation needs a package that is not installed."""
        began = time.perf_counter()
        try:
            found = operation(task).run(params)
        except ModuleNotFoundError as error:
            self.say(f"left out: {title}")
            self.say(f"   {one_line(explain(error))}")
            return {}
        seconds = round(time.perf_counter() - began, 3)
        self.stops.append(
            {"title": title, "task": task, "params": params, "seconds": seconds, "result": found}
        )
        for line in (
            f"{len(self.stops)}. {title} ({seconds:.2f} s)",
            *(f"   {line}" for line in tell(found)),
            "",
        ):
            self._tell(line)
        return found

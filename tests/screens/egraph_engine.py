"""An engine for the E-graphs screen that answers at once, or when a test lets it, and always the same."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import asdict
from typing import Any

from engines.core.errors import EngineError
from engines.core.events import Event
from engines.egen.settings import EgenConfig
from workbench.engine_process import CallResult
from workbench.operations import find_operation

HEAD = "* 63 cosh - 2 * 7 x"
TERMS = {
    "0": ("2", [["2"]]),
    "1": ("7", [["7"]]),
    "2": ("63", [["63"]]),
    "3": ("x", [["x"]]),
    "4": ("* 7 x", [["*", 1, 3], ["*", 3, 1]]),
    "5": ("- 2 * 7 x", [["-", 0, 4]]),
    "6": ("cosh - 2 * 7 x", [["cosh", 5]]),
    "7": (HEAD, [["*", 2, 6], ["*", 6, 2]]),
}
GROWN = ["1", "* sin x csc x", "* tan x cot x", "/ cos x cos x"]


def _row(prefix: str) -> dict[str, Any]:
    return {"prefix": prefix, "tokens": len(prefix.split())}


class StillCall:
    """A call: what the real task says for the quick ones, a given story for those that grow."""

    def __init__(self, engine: StillEngine, task: str, params: Mapping[str, Any]) -> None:
        self.engine, self.task, self.params = engine, task, dict(params)
        self.stopped = asyncio.Event()
        self.behind = engine.behind

    def stop(self) -> None:
        self.stopped.set()

    async def __aiter__(self) -> AsyncIterator[Event | CallResult]:
        if error := self.engine.errors.get(self.task):
            raise error
        if self.task == "egen.generate":
            async for item in self._grow():
                yield item
        elif self.task == "egen.egraph":
            made = {"stop_reason": "saturated", "iterations": 3, "nodes": 10, "seconds": 0.01}
            yield CallResult(
                {
                    "root": 7,
                    "classes": {number: nodes for number, (_, nodes) in TERMS.items()},
                    "terms": {number: {"prefix": prefix} for number, (prefix, _) in TERMS.items()},
                    "fired": {"mul-comm": 4, "cosh-even": 1},
                    **made,
                }
            )
        elif self.task == "egen.derive":
            while self.behind:
                self.behind = self.engine.behind
                await asyncio.sleep(0.01)
            yield CallResult({"steps": self.engine.steps})
        else:
            value = find_operation(self.task).run(self.params)
            if self.task == "egen.explain" and self.engine.exceptions:
                value = {**value, "verdict": {**value["verdict"], "except": self.engine.exceptions}}
            self.engine.answers[self.task] = value
            yield CallResult(value)

    async def _grow(self) -> AsyncIterator[Event | CallResult]:
        if self.params["members"] == 1:  # warming up
            yield CallResult({})
            return
        if self.engine.cold:
            await self.stopped.wait()
            raise EngineError("stopped before it started", code="E703", exit_code=130)
        data = {"stage": "grow", "nodes": 1204, "classes": 310, "seconds": 0.1}
        yield Event("progress", data, 4)
        yield Event("progress", {"stage": "members", "done": 4, "total": 1000, "members": list(GROWN)})
        await self.stopped.wait()
        judged = {"verdict": "equal", "kept": 1.0, "gained": False}
        stats = {
            "stop_reason": "stopped",
            "iterations": 4,
            "nodes": 1204,
            "classes": 310,
            "total_members": 21 * 10**15,
        }
        names = ("members", "max_tokens", "mode", "padding", "seed")
        config = asdict(EgenConfig(**{name: self.params[name] for name in names if name in self.params}))
        members = [{**_row(prefix), **judged} for prefix in GROWN]
        yield CallResult({"head": self.params["expr"], "members": members, "stats": stats, "config": config})


class StillEngine:
    """Keeps what was asked, and by task the last answer of a real one; `errors` by task are raised instead of
    an answer; when `cold`, nothing grows; `exceptions` are points at which what is explained is not equal;
    `behind` is the task that calls are said to wait for, and a derivation is answered only without one."""

    def __init__(self) -> None:
        self.calls: list[StillCall] = []
        self.errors: dict[str, EngineError] = {}
        self.answers: dict[str, Any] = {}
        self.exceptions = ""
        self.steps: list[dict[str, Any]] = []
        self.cold = False
        self.behind = ""

    def call(self, task: str, params: Mapping[str, Any]) -> StillCall:
        call = StillCall(self, task, params)
        self.calls.append(call)
        return call

    def close(self) -> None:
        pass

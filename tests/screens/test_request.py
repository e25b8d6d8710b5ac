"""Latest-wins requests: one question at a time, the newest next, and every answer a message."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Any

from textual import on
from textual.app import App, ComposeResult

from engines.core.errors import EngineError
from engines.core.events import Event
from screens.shell.request import Answer, Progress, Request, Service
from workbench.engine_process import Result


class Call:
    """Waits until the test lets it go on."""

    def __init__(self, params: Mapping[str, Any]) -> None:
        self.params = params
        self.stopped = False
        self.go = asyncio.Event()

    def stop(self) -> None:
        self.stopped = True
        self.go.set()

    async def __aiter__(self) -> AsyncIterator[Event | Result]:
        yield Event("progress", {"done": 1})
        await self.go.wait()
        if self.stopped:
            raise EngineError("it was stopped", code="E703")
        yield Result({"twice": 2 * self.params["number"]})


class Engine:
    def __init__(self) -> None:
        self.calls: list[Call] = []

    def call(self, operation: str, params: Mapping[str, Any]) -> Call:
        assert operation == "double"
        self.calls.append(Call(params))
        return self.calls[-1]


class Doubled(Answer):
    pass


class Doubling(Progress):
    pass


class Asker(Service):
    pass


class Listening(App[None]):
    """Answers reach the service that asked, and bubble up from there."""

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[tuple[Any, Any, str]] = []
        self.progress = 0
        self.asker = Asker()

    def compose(self) -> ComposeResult:
        yield self.asker

    @on(Doubled)
    def _doubled(self, event: Doubled) -> None:
        self.heard.append((event.tag, event.value, event.error.code if event.error else ""))

    @on(Doubling)
    def _doubling(self) -> None:
        self.progress += 1


async def test_the_newest_question_is_asked_next_and_those_between_never() -> None:
    engine, app = Engine(), Listening()
    async with app.run_test() as pilot:
        request = Request(app.asker, lambda: engine, "double", Doubled, Doubling)  # type: ignore[arg-type,return-value]
        for number in (1, 2, 3):
            request.ask({"number": number}, number)
            await pilot.pause()
        assert [call.params["number"] for call in engine.calls] == [1]
        assert request.running
        engine.calls[0].go.set()
        await pilot.pause()
        assert [call.params["number"] for call in engine.calls] == [1, 3]
        engine.calls[1].go.set()
        await pilot.pause()
        await pilot.pause()
        assert app.heard == [(1, {"twice": 2}, ""), (3, {"twice": 6}, "")]
        assert app.progress == 2
        assert not request.running


async def test_what_is_stopped_answers_with_its_error_and_nothing_waits() -> None:
    engine, app = Engine(), Listening()
    async with app.run_test() as pilot:
        request = Request(app.asker, lambda: engine, "double", Doubled)  # type: ignore[arg-type,return-value]
        request.ask({"number": 1}, "first")
        await pilot.pause()
        request.ask({"number": 2}, "second")
        request.stop()
        await pilot.pause()
        await pilot.pause()
        assert app.heard == [("first", None, "E703")]
        assert len(engine.calls) == 1
        request.ask({"number": 4}, "third")
        await pilot.pause()
        request.forget()
        engine.calls[1].go.set()
        await pilot.pause()
        await pilot.pause()
        assert app.heard[1:] == [("third", {"twice": 8}, "")]

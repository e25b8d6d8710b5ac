"""Requests: one question at a time, the newest next, and answers that are remembered."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.widget import Widget

from engines.core.errors import EngineError
from engines.core.events import Event
from screens.shell.request import CachedRequest, RequestAnswer, RequestProgress
from tests.screens.driving import until
from workbench.engine_process import CallResult


class Call:
    """Waits until the test lets it go on."""

    def __init__(self, params: Mapping[str, Any]) -> None:
        self.params = params
        self.stopped = False
        self.go = asyncio.Event()

    def stop(self) -> None:
        self.stopped = True
        self.go.set()

    async def __aiter__(self) -> AsyncIterator[Event | CallResult]:
        yield Event("progress", {"done": 1})
        await self.go.wait()
        if self.stopped:
            raise EngineError("it was stopped", code="E703")
        yield CallResult({"twice": 2 * self.params["number"]})


class Engine:
    def __init__(self) -> None:
        self.calls: list[Call] = []

    def call(self, operation: str, params: Mapping[str, Any]) -> Call:
        assert operation == "double"
        self.calls.append(Call(params))
        return self.calls[-1]


class Listening(App[None]):
    def __init__(self) -> None:
        super().__init__()
        self.heard: list[tuple[Any, Any, str]] = []
        self.progress = 0
        self.asker = Widget()

    def compose(self) -> ComposeResult:
        yield self.asker

    def request(self, engine: Engine, **how: Any) -> CachedRequest:
        give: Any = lambda: engine  # noqa: E731
        return CachedRequest(self.asker, "double", self.take, self.advance, engine=give, **how)

    def take(self, answer: RequestAnswer) -> None:
        self.heard.append((answer.tag, answer.value, answer.error.code if answer.error else ""))

    def advance(self, progress: RequestProgress) -> None:
        self.progress += progress.event.data["done"]  # type: ignore[operator]


async def test_the_newest_question_is_asked_next_and_those_between_never() -> None:
    engine, app = Engine(), Listening()
    async with app.run_test() as pilot:
        request = app.request(engine)
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


async def test_what_is_answered_and_not_yet_delivered_is_not_asked_again() -> None:
    engine, app = Engine(), Listening()
    async with app.run_test() as pilot:
        request, held = app.request(engine), list[Any]()
        assert request.get({"number": 1}, 1) is None
        await until(pilot, lambda: app.progress)
        app.asker.call_later = lambda *what: held.append(what)  # type: ignore[assignment]
        engine.calls[0].go.set()
        while request.running:
            await asyncio.sleep(0.01)
        assert request.get({"number": 1}, 1) is None
        assert not request.running
        ((deliver, *what),) = held
        deliver(*what)
        assert request.get({"number": 1}, 1) == {"twice": 2}
        assert len(engine.calls) == 1


async def test_what_is_stopped_answers_with_its_error_and_nothing_waits() -> None:
    engine, app = Engine(), Listening()
    async with app.run_test() as pilot:
        request = app.request(engine)
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
        request.forget_waiting()
        engine.calls[1].go.set()
        await pilot.pause()
        await pilot.pause()
        assert app.heard[1:] == [("third", {"twice": 8}, "")]


async def test_a_failure_that_nobody_foresaw_is_an_answer(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("MATHWB_HOME", str(tmp_path))
    engine, app = Engine(), Listening()

    def fail(operation: str, params: Mapping[str, Any]) -> Call:
        raise failures.pop(0)

    failures = [RuntimeError("a broken process"), EngineError("no folder for its log", code="E312")]
    async with app.run_test() as pilot:
        request = app.request(engine)
        with monkeypatch.context() as patch:
            patch.setattr(engine, "call", fail)
            for number in (1, 2):
                request.ask({"number": number}, number)
                await pilot.pause()
                await pilot.pause()
        assert app.heard == [(1, None, "E900"), (2, None, "E312")]
        assert request.pending is None
        request.ask({"number": 3}, 3)
        await answered(pilot, engine)
        assert app.heard[2:] == [(3, {"twice": 6}, "")]


async def answered(pilot: Pilot[None], engine: Engine) -> None:
    await pilot.pause()
    engine.calls[-1].go.set()
    await pilot.pause()
    await pilot.pause()


async def test_what_is_known_is_not_asked_again_and_the_oldest_is_forgotten() -> None:
    engine, app = Engine(), Listening()
    async with app.run_test() as pilot:
        request = app.request(engine, size=2, read=lambda found: found["twice"] or None)
        for number in (1, 1, 2, 3):
            if request.get({"number": number}, number) is None:
                # Asked for again while it is asked, it is asked once.
                assert request.get({"number": number}, number) is None
                await answered(pilot, engine)
        assert [call.params["number"] for call in engine.calls] == [1, 2, 3]
        assert app.heard == [(1, 2, ""), (2, 4, ""), (3, 6, "")]
        assert list(request.known) == [2, 3]
        assert request.get({"number": 3}, 3) == 6
        # Nothing is remembered of what has no value, nor of what was merely asked.
        assert request.get({"number": 0}, 0) is None
        await answered(pilot, engine)
        request.ask({"number": 7}, 7)
        await answered(pilot, engine)
        assert list(request.known) == [2, 3]


async def test_what_was_asked_before_all_was_forgotten_has_no_answer() -> None:
    engine, app = Engine(), Listening()
    async with app.run_test() as pilot:
        request = app.request(engine)
        request.get({"number": 1}, 1)
        await pilot.pause()
        request.clear()
        assert request.pending is None
        assert request.get({"number": 1}, 1) is None
        engine.calls[0].go.set()
        await pilot.pause()
        assert app.heard == []
        await answered(pilot, engine)
        assert app.heard == [(1, {"twice": 2}, "")]

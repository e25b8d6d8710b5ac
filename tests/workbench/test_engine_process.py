"""The engine process answers, streams, stops, and comes back after a death."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from engines.core.errors import EngineError
from engines.core.events import Event
from tests.conftest import expect_error
from tests.workbench.fake_engine import COMMAND
from workbench.engine_process import CallResult, EngineProcess
from workbench.folders import crash_dir


@pytest.fixture
def engine() -> Iterator[EngineProcess]:
    engine = EngineProcess(grace_s=0.3, command=COMMAND)
    yield engine
    engine.close()


async def test_events_come_before_the_result(engine: EngineProcess) -> None:
    items = [item async for item in engine.call("count", {"to": 3})]
    assert [item.data["done"] for item in items if isinstance(item, Event)] == [1, 2, 3]
    assert isinstance(items[-1], CallResult)
    assert items[-1].value["done"] == 3


def test_the_child_stays_warm(engine: EngineProcess) -> None:
    first, second = (engine.call_blocking("count", {"to": 1})["pid"] for _ in range(2))
    assert first == second != os.getpid()


def test_calls_are_answered_in_order(engine: EngineProcess) -> None:
    calls = [engine.call("count", {"to": number}) for number in range(5)]
    assert [call.wait()["done"] for call in reversed(calls)] == [4, 3, 2, 1, 0]


async def test_a_polite_task_stops_with_what_it_has(engine: EngineProcess) -> None:
    engine.grace_s = 60.0
    call = engine.call("count", {"to": 10**6, "pause_s": 0.001})
    async for item in call:
        if isinstance(item, Event) and item.data["done"] == 3:
            call.stop()
    assert isinstance(item, CallResult)
    assert 3 <= item.value["done"] < 10**6


async def test_a_deaf_task_is_ended_and_the_next_call_works(engine: EngineProcess) -> None:
    call = engine.call("deaf", {})
    with pytest.raises(EngineError) as caught:
        async for item in call:
            assert isinstance(item, Event)
            pid = int(str(item.data["pid"]))
            call.stop()
    assert caught.value.code == "E702"
    assert not psutil.pid_exists(pid)
    assert engine.call_blocking("count", {"to": 1})["pid"] != pid


async def test_a_cancelled_listener_frees_the_engine(engine: EngineProcess) -> None:
    async def listen() -> None:
        async for _ in engine.call("deaf", {}):
            pass

    listener = asyncio.create_task(listen())
    await asyncio.sleep(0.1)
    listener.cancel()
    with pytest.raises(asyncio.CancelledError):
        await listener
    assert [item async for item in engine.call("count", {"to": 0})]


async def test_cancelling_from_elsewhere_ends_the_listening(engine: EngineProcess) -> None:
    call = engine.call("deaf", {})

    async def listen() -> int:
        return len([item async for item in call])

    listener = asyncio.create_task(listen())
    await asyncio.sleep(0.2)
    call.cancel()
    assert await asyncio.wait_for(listener, 60) <= 1


def test_a_call_stopped_in_the_queue_never_begins(engine: EngineProcess) -> None:
    running = engine.call("count", {"to": 50, "pause_s": 0.005})
    waiting = engine.call("deaf", {})
    waiting.stop()
    with expect_error("E703"):
        waiting.wait()
    assert running.wait()["done"] == 50


def test_failures_come_back_as_they_were(engine: EngineProcess) -> None:
    with pytest.raises(EngineError) as caught:
        engine.call_blocking("fail", {"how": "explained"})
    assert (caught.value.code, caught.value.exit_code) == ("E200", 2)
    assert caught.value.remedy == "Remove one."


def test_an_unforeseen_failure_leaves_a_crash_file_and_a_living_child(engine: EngineProcess) -> None:
    pid = engine.call_blocking("count", {"to": 0})["pid"]
    with expect_error("E900") as caught:
        engine.call_blocking("fail", {"how": "panic"})
    (report,) = crash_dir().iterdir()
    assert str(report) in caught.value.remedy
    assert "no ordinary exception" in report.read_text()
    assert engine.call_blocking("count", {"to": 0})["pid"] == pid


def test_a_child_that_dies_is_said_and_replaced(engine: EngineProcess) -> None:
    with expect_error("E701") as caught:
        engine.call_blocking("fail", {"how": "die"})
    assert caught.value.exit_code == 4
    assert engine.call_blocking("count", {"to": 2})["done"] == 2


def test_large_results_pass(engine: EngineProcess) -> None:
    assert len(engine.call_blocking("fail", {"how": "", "size": 3_000_000})["big"]) == 3_000_000


def test_unknown_tasks_and_unsendable_parameters_are_errors(engine: EngineProcess) -> None:
    with expect_error("E410"):
        engine.call_blocking("cuont", {})
    with pytest.raises(EngineError):
        engine.call_blocking("count", {"to": object()})
    assert engine.call_blocking("count", {"to": 1})["done"] == 1


def test_the_child_ends_with_its_parent(tmp_path: Path) -> None:
    script = (
        "import sys, os; sys.path.insert(0, sys.argv[1]); from fake_engine import COMMAND\n"
        "from workbench.engine_process import EngineProcess\n"
        "EngineProcess(command=COMMAND).call('deaf', {}).wait(lambda e: print(e.data['pid'], flush=True))\n"
    )
    command = [sys.executable, "-c", script, str(Path(__file__).parent)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert psutil.pid_exists(pid)
        parent.kill()
    deadline = time.monotonic() + 60
    while psutil.pid_exists(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not psutil.pid_exists(pid)

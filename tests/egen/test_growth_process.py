"""The process that grows: its limits hold whatever it is asked, and the next request finds it well."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from engines.core.events import Event
from engines.core.expression_language import read_prefix, to_prefix
from engines.egen.egraph import process as module
from engines.egen.egraph.derivation import derive
from engines.egen.egraph.growth import EGraphRunner
from engines.egen.egraph.process import ClusterRequest, GrowthError, GrowthPool, GrowthProcess
from engines.egen.settings import EgenConfig, Limits
from tests.conftest import expect_error
from tests.egen import fake_growth

HEAD = read_prefix("- tanh + * 3 x 4 6")
LIMITS = Limits(nodes=300)


@pytest.fixture(scope="module")
def process():
    with GrowthProcess() as process:
        yield process


def test_an_e_graph_is_the_one_that_grows_here(process: GrowthProcess) -> None:
    seen: list[Event] = []
    found = process.egraph(HEAD, limits=LIMITS, events=seen.append)
    here = EGraphRunner("strict").grow_egraph(HEAD, LIMITS)
    assert found.classes == here.classes
    for name in ("root", "stop_reason", "iterations", "nodes", "fired"):
        assert getattr(found, name) == getattr(here, name)
    assert [event.step for event in seen] == list(range(1, len(seen) + 1))
    assert {event.data["stage"] for event in seen} == {"grow"}


def test_a_derivation_is_the_one_that_is_found_here(process: GrowthProcess) -> None:
    start, target = read_prefix("* 0.5 x"), read_prefix("/ x 2")
    assert process.derive(start, target) == derive(start, target)
    shortest = process.derive(read_prefix("d x * x sin x")).steps[-1].tree
    assert "d" not in shortest.list_labels()
    assert process.derive(read_prefix("sin x")).reason == "No shorter form of it was found."


@pytest.mark.slow
def test_memory_ends_whatever_is_asked(process: GrowthProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_POLL_S", 0.001)  # an answer may be there before it is looked at otherwise
    tight = Limits(memory_bytes=1)
    for ask in (process.egraph, process.derive):
        with expect_error("E142") as caught:
            ask(HEAD, limits=tight)
        assert caught.value.reason == "memory_limit"
    assert process.egraph(HEAD, limits=LIMITS).root is not None


@pytest.mark.slow
def test_time_and_a_stop_end_what_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_POLITE_S", 0.1)
    config = EgenConfig(members=3, limits=Limits(time_s=-7.4))  # with the grace, 0.2 s and a little
    with GrowthProcess(fake_growth.moody_service) as process:
        hanging = process.generate(read_prefix("cos x"), config)
        assert (hanging.stats.stop_reason, hanging.members) == ("time_limit", ())
        waiting = process.generate(read_prefix("tanh x"), config)  # on a machine that does other things
        assert (waiting.stats.stop_reason, len(waiting.members)) == ("saturated", 3)
        monkeypatch.setattr(module, "_PATIENCE", 1)
        assert process.generate(read_prefix("tanh x"), config).stats.stop_reason == "time_limit"
        stopped = process.generate(read_prefix("cos x"), EgenConfig(members=3), stop=lambda: True)
        assert (stopped.stats.stop_reason, stopped.members) == ("stopped", ())
        assert len(process.generate(read_prefix("acos x"), EgenConfig(members=3)).members) == 3


@pytest.mark.slow
def test_a_process_that_dies_or_panics_is_replaced() -> None:
    config = EgenConfig(members=3)
    with GrowthProcess(fake_growth.moody_service) as process:
        for head in ("sin x", "cosh x"):
            with expect_error("E142"):
                process.generate(read_prefix(head), config)
        with expect_error("E100"):
            process.generate(read_prefix("sinh x"), config)
        assert len(process.generate(read_prefix("acos x"), config).members) == 3


def test_a_process_that_cannot_start_says_why() -> None:
    with GrowthProcess(fake_growth.broken_service) as process:
        for _ in range(2):
            with expect_error("E141"):
                process.generate(HEAD, EgenConfig(members=3))


@pytest.mark.slow
def test_a_process_that_has_grown_large_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "RECYCLE_BYTES", 1)
    with GrowthProcess(fake_growth.service) as process:
        for _ in range(2):
            assert len(process.generate(HEAD, EgenConfig(members=3)).members) == 3
            assert process.memory_bytes == 0


@pytest.mark.slow
def test_an_interruption_of_the_caller_ends_the_request() -> None:
    def interrupt(event: Event) -> None:
        raise KeyboardInterrupt

    with GrowthProcess() as process:
        with pytest.raises(KeyboardInterrupt):
            process.generate(HEAD, EgenConfig(members=20, limits=LIMITS), events=interrupt)
        assert not process.busy
        assert len(process.generate(HEAD, EgenConfig(members=5, limits=LIMITS)).members) == 5


def test_a_pool_answers_with_numbers() -> None:
    config = EgenConfig(members=3)
    heads = ["x", "sin x", "acos x"]
    found: dict[int, object] = {}
    with GrowthPool(2, fake_growth.moody_service) as pool:
        waiting = list(enumerate(heads))
        while len(found) < len(heads):
            while waiting and pool.free:
                number, head = waiting.pop()
                pool.submit_request(number, ClusterRequest(read_prefix(head), config))
            found.update(pool.collect_answers(0.1))
    assert isinstance(found[1], GrowthError)
    assert [to_prefix(found[n].head) for n in (0, 2)] == ["x", "acos x"]  # type: ignore[attr-defined]


@pytest.mark.slow
def test_a_script_without_a_main_guard_and_one_on_stdin_can_grow(tmp_path: Path) -> None:
    script = (
        "from engines.egen.egraph.process import shared_process\n"
        "from engines.core.expression_language import read_prefix\n"
        "print(shared_process().egraph(read_prefix('sin 2')).root)\n"
    )
    (tmp_path / "script.py").write_text(script)
    for command, source in (([str(tmp_path / "script.py")], ""), (["-"], script)):
        run = subprocess.run(
            [sys.executable, *command], input=source, capture_output=True, text=True, check=False
        )
        assert (run.stdout.strip().isdigit(), run.stderr) == (True, "")


@pytest.mark.slow
def test_the_signals_of_the_group_are_for_the_parent() -> None:
    with GrowthProcess(fake_growth.service) as process:
        process._start_process()
        assert process._process is not None
        for number in (signal.SIGINT, signal.SIGTERM):
            os.kill(process._process.pid, number)
            assert process.generate(HEAD, EgenConfig(members=3)).members

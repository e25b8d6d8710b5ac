"""Tests side by side: all is imported and collected once, then processes are forked that share the work.

`pytest -p tests.fork_workers --processes 3`. A process takes a piece of the tests when it has done another;
what it reports goes through a pipe to the process that collected, which alone writes to the terminal.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib
import multiprocessing.util
import os
import pickle
import signal
import struct
import tempfile
import traceback
import warnings
from collections.abc import Iterator, Sequence
from itertools import groupby
from multiprocessing.connection import Connection, Pipe, wait
from typing import Any, NoReturn

import pytest

PIECE_TESTS = 25
"""Tests that a process takes at once, all of one file, whose fixtures they share."""

MANY_TESTS = 1000
"""With so many it is worth while to import first what takes seconds and many tests need."""
_SLOW_IMPORTS = ("torch", "transformers.modeling_utils", "sentence_transformers")
_NUMBER = struct.Struct("i")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that asks for processes."""
    parser.addoption("--processes", type=int, default=0, help="Run the tests in so many forked processes.")


def pytest_configure(config: pytest.Config) -> None:
    """Say what pytest-xdist says, to plugins that would write a report for each process."""
    if _count_processes(config):
        os.environ["PYTEST_XDIST_WORKER_COUNT"] = str(_count_processes(config))
        # Further threads, theirs or of jobs, would wait for each other.
        os.environ.setdefault("OMP_NUM_THREADS", "1")


def _count_processes(config: pytest.Config) -> int:
    return 0 if config.option.collectonly else int(config.getoption("processes"))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_finish(session: pytest.Session) -> None:
    """Import what many tests import, once for all processes; the hook of `conftest.py` sets it aside."""
    if _count_processes(session.config) and len(session.items) >= MANY_TESTS:
        for name in _SLOW_IMPORTS:
            with contextlib.suppress(ImportError):
                importlib.import_module(name)


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Run the tests in processes, if so many are asked for; otherwise pytest's own loop runs them."""
    number = _count_processes(session.config)
    if not number or (session.testsfailed and not session.config.option.continue_on_collection_errors):
        return None
    pieces = list(cut_pieces(session.items))
    tokens, orders = os.pipe()
    # All numbers fit in a pipe, and each is read by one process.
    os.write(orders, b"".join(map(_NUMBER.pack, range(len(pieces)))))
    os.close(orders)
    # The first who asks for the folder of temporary ones makes it anew.
    config: Any = session.config
    config._tmp_path_factory.getbasetemp()
    results: dict[Connection, int] = {}
    try:
        for index in range(number):
            ours, theirs = Pipe(duplex=False)
            child = os.fork()
            if child == 0:
                _run_pieces(session, pieces, tokens, theirs, index)
            theirs.close()
            results[ours] = child
        os.close(tokens)
        _pass_reports(session, results)
    except BaseException:  # an interrupt above all
        for child in results.values():
            os.kill(child, signal.SIGKILL)
        raise
    return True


def cut_pieces(items: Sequence[pytest.Item]) -> Iterator[list[pytest.Item]]:
    """Yield runs of tests of one file, none with more than `PIECE_TESTS`."""
    for _, group in groupby(items, key=lambda item: item.location[0]):
        tests = list(group)
        for start in range(0, len(tests), PIECE_TESTS):
            yield tests[start : start + PIECE_TESTS]


class _Reporter:
    """Sends what a process has to report to the one that collected."""

    def __init__(self, session: pytest.Session, results: Connection) -> None:
        self._config, self._results = session.config, results
        # What pytest shows the two sides of a comparison with.
        self._tw = session.config.get_terminal_writer()

    def pytest_runtest_logstart(self, nodeid: str, location: Any) -> None:
        self._results.send(("logstart", {"nodeid": nodeid, "location": location}))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        data = self._config.hook.pytest_report_to_serializable(config=self._config, report=report)
        self._results.send(("logreport", data))

    def pytest_runtest_logfinish(self, nodeid: str, location: Any) -> None:
        self._results.send(("logfinish", {"nodeid": nodeid, "location": location}))

    def pytest_warning_recorded(
        self, warning_message: warnings.WarningMessage, when: str, nodeid: str, location: Any
    ) -> None:
        shown = warning_message
        what = {"when": when, "nodeid": nodeid, "location": location}
        self._results.send(
            ("warning", what, (str(shown.message), shown.category.__name__, shown.filename, shown.lineno))
        )


def _run_pieces(
    session: pytest.Session, pieces: list[list[pytest.Item]], tokens: int, results: Connection, index: int
) -> NoReturn:
    """Do a process's share of the work, and end it."""
    # What is to be done at the end of the process that collected is not to be done at the end of this one.
    atexit._clear()
    atexit.register(multiprocessing.util._exit_function)
    try:
        config: Any = session.config
        os.environ["PYTEST_XDIST_WORKER"] = f"gw{index}"
        config.workerinput = {"workerid": f"gw{index}"}
        factory = config._tmp_path_factory
        factory._basetemp = factory.getbasetemp() / f"process-{index}"
        factory._basetemp.mkdir()
        _open_own_files(config.pluginmanager.getplugin("capturemanager"))
        reporter = _Reporter(session, results)
        config.pluginmanager.unregister(name="terminalreporter")
        config.pluginmanager.register(reporter, "terminalreporter")
        items = iter(_take_items(pieces, tokens))
        item = next(items, None)
        while item is not None and not session.shouldfail and not session.shouldstop:
            # Fixtures that the next test needs too are kept.
            following = next(items, None)
            config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            item = following
        config.hook.pytest_sessionfinish(session=session, exitstatus=0)
        results.send(("done",))
    except BaseException:
        results.send(("broken", traceback.format_exc()))
    finally:
        # Above all, processes that tests have started end.
        atexit._run_exitfuncs()
        os._exit(0)


def _open_own_files(capture: Any) -> None:
    """Put files of this process's own under those that all of its kind would capture to."""
    # The objects stay: modules that are imported have taken them as `sys.stderr`.
    for each in (capture._global_capturing.out, capture._global_capturing.err):
        if hasattr(each, "targetfd"):
            with tempfile.TemporaryFile() as own:
                os.dup2(own.fileno(), each.tmpfile.fileno())


def _take_items(pieces: list[list[pytest.Item]], tokens: int) -> Iterator[pytest.Item]:
    while token := os.read(tokens, _NUMBER.size):
        yield from pieces[_NUMBER.unpack(token)[0]]


def _pass_reports(session: pytest.Session, results: dict[Connection, int]) -> None:
    """Pass what the processes report to the plugins, and say which tests none has reported."""
    hook = session.config.hook
    missing = {item.nodeid: item.location for item in session.items}
    while results:
        for pipe in wait(list(results)):
            assert isinstance(pipe, Connection)
            try:
                kind, *data = pipe.recv()
            except (EOFError, pickle.UnpicklingError):
                kind, data = "done", []
            if kind == "done":
                os.waitpid(results.pop(pipe), 0)
            elif kind == "broken":
                raise RuntimeError(data[0])
            elif kind == "warning":
                _repeat_warning(session, *data)
            elif kind == "logreport":
                report = hook.pytest_report_from_serializable(config=session.config, data=data[0])
                hook.pytest_runtest_logreport(report=report)
            else:
                if kind == "logfinish":
                    missing.pop(data[0]["nodeid"], None)
                getattr(hook, f"pytest_runtest_{kind}")(**data[0])
    if session.shouldfail or session.shouldstop:
        raise session.Failed(session.shouldfail or session.shouldstop)
    for name, location in missing.items():
        why = "its process ended before it was over"
        hook.pytest_runtest_logreport(
            report=pytest.TestReport(name, location, {}, "failed", why, when="call")
        )


def _repeat_warning(session: pytest.Session, what: dict[str, Any], shown: tuple[str, str, str, int]) -> None:
    text, name, filename, line = shown
    category = type(name, (Warning,), {})
    message = warnings.WarningMessage(category(text), category, filename, line)
    session.config.hook.pytest_warning_recorded.call_historic(kwargs={"warning_message": message, **what})

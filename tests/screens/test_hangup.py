"""The workbench ends when its terminal does or a signal says so, and stops as a job of the shell."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import shlex
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import psutil
import pytest

COMMAND = [sys.executable, "-P", "-c", "from workbench.cli import main; main()"]
ALTERNATE, USUAL_FUNCTION_LETTERS, NO_MOUSE = b"\x1b[?1049h", b"\x1b[?1049l", b"\x1b[?1003l"


def _environment() -> dict[str, str]:
    return os.environ | {"TERM": "xterm-256color", "COLUMNS": "100", "LINES": "30"}


def _seen(master: int, *marks: bytes) -> bytes:
    """Read until these marks were there. Returns: what was read."""
    seen, end = b"", time.monotonic() + 120
    while not all(mark in seen for mark in marks):
        assert time.monotonic() < end, seen[-2000:]
        if select.select([master], [], [], 0.1)[0]:
            try:
                seen += os.read(master, 65536)
            except OSError:  # its end
                break
    return seen


def _painted(master: int) -> bool:
    """Read until the frame with the screens' names is there."""
    return b"E-graphs" in _seen(master, b"E-graphs")


def test_a_terminal_that_goes_away_ends_the_program(user_home: Path) -> None:
    """Also where the kernel sends no SIGHUP: the terminal is not that of the session."""
    master, slave = pty.openpty()
    with subprocess.Popen(
        COMMAND, stdin=slave, stdout=slave, stderr=slave, env=_environment(), start_new_session=True
    ) as process:
        os.close(slave)
        try:
            assert _painted(master)
            children = psutil.Process(process.pid).children(recursive=True)
            os.close(master)
            assert process.wait(60) == 128 + signal.SIGHUP
            assert not psutil.wait_procs(children, 60)[1]
        finally:
            process.kill()


@pytest.mark.parametrize("number", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.slow)])
def test_a_signal_ends_it_and_the_terminal_is_as_before(user_home: Path, number: int) -> None:
    master, slave = pty.openpty()
    before = termios.tcgetattr(slave)
    with subprocess.Popen(
        COMMAND, stdin=slave, stdout=slave, stderr=slave, env=_environment(), start_new_session=True
    ) as process:
        try:
            assert ALTERNATE in _seen(master, b"E-graphs")
            process.send_signal(number)
            _seen(master, USUAL_FUNCTION_LETTERS, NO_MOUSE)
            assert process.wait(60) == 128 + number
            assert termios.tcgetattr(slave) == before
            assert (user_home / "state" / "session.json").exists()
        finally:
            process.kill()
            os.close(slave)
            os.close(master)


@pytest.mark.slow
def test_ctrl_z_stops_it_also_in_a_dialog_and_fg_brings_it_back(user_home: Path) -> None:
    """In an interactive shell, which alone can continue it."""
    master, slave = pty.openpty()
    shell = ["bash", "--norc", "--noprofile", "-i"]
    with subprocess.Popen(
        shell,
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env=_environment() | {"PS1": "ready> "},
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    ) as process:
        try:
            _seen(master, b"ready> ")
            os.write(master, f"{shlex.join(COMMAND)}\n".encode())
            _seen(master, ALTERNATE, b"E-graphs")
            for keys in (b"\x1a", b":\x1a"):
                os.write(master, keys)
                _seen(master, USUAL_FUNCTION_LETTERS, NO_MOUSE, b"Stopped")
                os.write(master, b"fg\n")
                _seen(master, ALTERNATE, b"E-graphs")
            (child,) = psutil.Process(process.pid).children()
            child.terminate()
            _seen(master, USUAL_FUNCTION_LETTERS, b"ready> ")
        finally:
            for left in psutil.Process(process.pid).children(recursive=True):
                left.kill()
            process.kill()
            os.close(slave)
            os.close(master)

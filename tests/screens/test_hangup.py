"""The workbench ends when its terminal does."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil


def _painted(master: int) -> bool:
    """Read until the frame with the screens' names is there."""
    seen, end = b"", time.monotonic() + 120
    while b"E-graphs" not in seen and time.monotonic() < end:
        if select.select([master], [], [], 0.1)[0]:
            seen += os.read(master, 65536)
    return b"E-graphs" in seen


def test_a_terminal_that_goes_away_ends_the_program(user_home: Path) -> None:
    """Also where the kernel sends no SIGHUP: the terminal is not that of the session."""
    master, slave = pty.openpty()
    command = [sys.executable, "-P", "-c", "from workbench.cli import main; main()"]
    environment = os.environ | {"TERM": "xterm-256color", "COLUMNS": "100", "LINES": "30"}
    with subprocess.Popen(
        command, stdin=slave, stdout=slave, stderr=slave, env=environment, start_new_session=True
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

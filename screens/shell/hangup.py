"""The end of a program whose terminal is gone.

The kernel tells only the session that the terminal belongs to (SIGHUP). Started in another way, by `nohup` or
by a program that lends it a terminal, the workbench would read an end without end, and wait for ever to
write.
"""

from __future__ import annotations

import os
import select
import signal
import sys
from threading import Thread

__all__ = ["end_with_terminal"]


def end_with_terminal() -> None:
    """From now on the process ends with the terminal of its input, as by SIGHUP: the session was kept a few
    seconds ago, and jobs go on."""
    if sys.stdin is not None and sys.stdin.isatty():
        Thread(target=_wait, args=(sys.stdin.fileno(),), daemon=True).start()


def _wait(terminal: int) -> None:
    poll = select.poll()
    poll.register(terminal, 0)
    if any(event & select.POLLHUP for _, event in poll.poll()):
        os._exit(128 + signal.SIGHUP)

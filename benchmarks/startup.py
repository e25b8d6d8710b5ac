"""How long until something is there: `mathwb --help` and the first paint of the screens.

Each is measured beside the least that its library can do, a Typer app with one command and a Textual app with
nothing in it, taking turns so that a busy machine slows all alike. The time of the processor is given too:
it counts what was done, however busy the machine. Run from the root of the checkout:

    .venv/bin/python -m benchmarks.startup [--runs 15]
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import resource
import select
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks._record import Record, parser_of

COLUMNS, ROWS = 120, 40
TIMEOUT_S = 30.0

BARE_TYPER = """
import typer

app = typer.Typer()

@app.command()
def hello(name: str = "world") -> None:
    print(name)

app()
"""

EMPTY_TEXTUAL = """
from textual.app import App

App().run()
"""

_ESCAPES = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[P_][^\x1b]*\x1b\\|[@-_])")
_QUESTION, _ANSWER = b"\x1b[c", b"\x1b[?1;2c"
"""What every terminal is asked for and answers at once: its attributes, here those of a plain one."""


@dataclass(frozen=True, slots=True)
class Took:
    """Seconds that passed, and seconds of the processor."""

    wall_s: float
    cpu_s: float


def time_command(
    command: Sequence[str], environment: Mapping[str, str], allowed: Sequence[int] = (0,)
) -> Took:
    """Run a command until it has ended; what it prints is read by nobody.

    Raises: CalledProcessError for an exit code that is not allowed.
    """
    began, before = time.perf_counter(), _children_s()
    done = subprocess.run(command, env=dict(environment), stdout=subprocess.DEVNULL, check=False)
    if done.returncode not in allowed:
        raise subprocess.CalledProcessError(done.returncode, command)
    return Took(time.perf_counter() - began, _children_s() - before)


def _children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Terminal:
    """A process in a terminal of its own."""

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        size: tuple[int, int] = (COLUMNS, ROWS),
    ) -> None:
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.execvpe(command[0], list(command), dict(environment))
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))

    def read(self, seconds: float) -> bytes:
        """What it draws next; nothing where it draws nothing for so long."""
        if not select.select([self.terminal], [], [], seconds)[0]:
            return b""
        part = os.read(self.terminal, 1 << 16)
        if _QUESTION in part:
            os.write(self.terminal, _ANSWER)
        return part

    def end(self) -> None:
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        os.close(self.terminal)


def terminal_environment(home: str) -> dict[str, str]:
    """That of a terminal with all colours, on this machine, without the user's own settings."""
    left_out = ("SSH_TTY", "SSH_CONNECTION", "NO_COLOR", "MATHWB_WORKSPACE")
    own = {name: value for name, value in os.environ.items() if name not in left_out}
    return own | {"MATHWB_HOME": home, "TERM": "xterm-256color", "COLORTERM": "truecolor"}


def first_paint_s(
    command: Sequence[str],
    environment: Mapping[str, str],
    marker: bytes,
    size: tuple[int, int] = (COLUMNS, ROWS),
) -> Took:
    """From the start of the process until a whole screen that holds `marker` has been drawn.

    Args: size: of the terminal, columns and rows.
    """
    began, before = time.perf_counter(), _children_s()
    wall_s, drawn = None, b""
    terminal = Terminal(command, environment, size)
    try:
        while time.perf_counter() - began < TIMEOUT_S:
            drawn += terminal.read(0.5)
            cells = _ESCAPES.sub(b"", drawn)
            # A frame writes every cell, so a whole screen has come when as many characters have.
            if len(cells.decode("utf-8", "ignore")) >= size[0] * size[1] and marker in cells:
                wall_s = time.perf_counter() - began
                break
    finally:
        terminal.end()
    if wall_s is None:
        raise TimeoutError(f"{command} drew nothing in {TIMEOUT_S} s: {drawn[-200:]!r}")
    return Took(wall_s, _children_s() - before)


def compare(ours: Callable[[], Took], bare: Callable[[], Took], runs: int) -> dict[str, float | int]:
    """Medians of runs that take turns, after one of each that warms the disk cache."""
    ours()
    bare()
    our_times, bare_times = zip(*[(ours(), bare()) for _ in range(runs)], strict=True)
    wall, bare_wall = [took.wall_s for took in our_times], [took.wall_s for took in bare_times]
    median, bare_median = statistics.median(wall), statistics.median(bare_wall)
    cpu = statistics.median(took.cpu_s for took in our_times)
    bare_cpu = statistics.median(took.cpu_s for took in bare_times)
    return {
        "runs": runs,
        "median_s": round(median, 4),
        "best_s": round(min(wall), 4),
        "bare_median_s": round(bare_median, 4),
        "bare_best_s": round(min(bare_wall), 4),
        "ratio_of_medians": round(median / bare_median, 2),
        "cpu_median_s": round(cpu, 4),
        "bare_cpu_median_s": round(bare_cpu, 4),
        "cpu_ratio_of_medians": round(cpu / bare_cpu, 2),
    }


def main() -> None:
    """Measure, print and record."""
    parser = parser_of(__doc__)
    parser.add_argument("--runs", type=int, default=15)
    arguments = parser.parse_args()
    runs = arguments.runs
    kept = Record("startup", arguments.out)
    mathwb = str(Path(sys.executable).with_name("mathwb"))
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        typer_app, textual_app = home / "bare.py", home / "empty.py"
        typer_app.write_text(BARE_TYPER)
        textual_app.write_text(EMPTY_TEXTUAL)
        environment = terminal_environment(folder)
        # The libraries are compiled; without this, what is ours would be compiled anew at each start.
        environment.pop("PYTHONDONTWRITEBYTECODE", None)

        def paint(command: Sequence[str], marker: bytes) -> Callable[[], Took]:
            return lambda: first_paint_s(command, environment, marker)

        first_ever = first_paint_s([mathwb], environment, b"mathwb")
        figures = {
            "help": compare(
                lambda: time_command([mathwb, "--help"], environment),
                lambda: time_command([sys.executable, str(typer_app), "--help"], environment),
                runs,
            ),
            "first_paint": {
                **compare(paint([mathwb], b"mathwb"), paint([sys.executable, str(textual_app)], b""), runs),
                "first_ever_start_s": round(first_ever.wall_s, 4),
            },
        }
    for name, measured in figures.items():
        print(name, measured)
    kept.write(figures, libraries=("typer", "textual"))


if __name__ == "__main__":
    main()

"""What a held key costs in the lists of the screens: processor time of the whole process, between one key and
the next.

The workbench runs in a terminal of its own on the sample workspace, or on `--workspace`. On each screen `j`
is held, 30 times a second, in the list that has the focus and in those that tab comes to; then `k` for as
long. Reported are half and 95 % of the keys, over all threads of the process (the engine process is another
one), the mean, which counts what was done after the last key too, and the bytes that went to the terminal. On
a machine with other work the first two are too low: what there was no time for is not counted.

    .venv/bin/python -m benchmarks.screens [--screens 1245] [--seconds 3]
"""

from __future__ import annotations

import itertools
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks._record import Record, parser_of
from benchmarks.startup import Terminal, terminal_environment

RATE = 30
NAMES = {"1": "egraphs", "2": "triplets", "3": "jobs", "4": "arqmath", "5": "mathamr"}
LONGER = {"1": "]"}
"""What leads to longer lists than those a screen opens with."""
LISTS = {"1": 2, "2": 1, "3": 1, "4": 2, "5": 1}
"""How many lists of a screen are measured: the first, and what tab leads to."""
_CLOCKS = 1_000
"""Bytes that are drawn in a second while nothing happens."""


class Held(Terminal):
    """What a terminal draws is thrown away; what it costs to hold a key."""

    drawn = 0

    def wait(self, seconds: float) -> None:
        until = time.perf_counter() + seconds
        while (left := until - time.perf_counter()) > 0:
            self.drawn += len(self.read(left))

    def rest(self, seconds: float = 1.5) -> None:
        """Until it has drawn next to nothing for a while, twice; its clocks go on."""
        calm = 0
        while calm < 2:
            before = self.drawn
            self.wait(seconds)
            calm = calm + 1 if self.drawn - before < seconds * _CLOCKS else 0

    def press(self, keys: str) -> None:
        os.write(self.terminal, keys.encode())

    def used_s(self) -> float:
        """Seconds of the processor that its threads have used."""
        tasks = Path(f"/proc/{self.process}/task").glob("*/schedstat")
        return sum(int(task.read_text().split()[0]) for task in tasks) / 1e9

    def held(self, key: str, seconds: float) -> list[float]:
        """Milliseconds of the processor between one key and the next."""
        marks = []
        began = time.perf_counter()
        for number in range(int(seconds * RATE) + 1):
            self.wait(max(0.0, began + number / RATE - time.perf_counter()))
            marks.append(self.used_s())
            self.press(key)
        return [(after - before) * 1e3 for before, after in itertools.pairwise(marks)]


def spread(times: list[float]) -> dict[str, float | int]:
    share: Callable[[float], float] = lambda part: round(sorted(times)[int(part * (len(times) - 1))], 2)  # noqa: E731
    return {"keys": len(times), "median_cpu_ms": share(0.5), "cpu_ms_95": share(0.95)}


def main() -> None:
    """Measure, print and record."""
    parser = parser_of(__doc__)
    parser.add_argument("--screens", default="1245", help="their keys")
    parser.add_argument("--seconds", type=float, default=3.0, help="that each key is held")
    parser.add_argument("--workspace", type=Path, help="in place of the sample")
    asked = parser.parse_args()
    kept = Record(
        "screens", asked.out, screens=asked.screens, workspace=asked.workspace and asked.workspace.name
    )
    figures: dict[str, dict[str, float | int]] = {}
    with tempfile.TemporaryDirectory() as home:
        environment = terminal_environment(home)
        if asked.workspace is not None:
            environment["MATHWB_WORKSPACE"] = str(asked.workspace.absolute())
        terminal = Held([str(Path(sys.executable).with_name("mathwb"))], environment)
        try:
            terminal.rest(3)
            for screen in asked.screens:
                terminal.press(screen)
                terminal.rest()
                terminal.press(LONGER.get(screen, ""))
                terminal.rest()
                for number in range(1, LISTS[screen] + 1):
                    before, drawn = terminal.used_s(), terminal.drawn
                    times = terminal.held("j", asked.seconds) + terminal.held("k", asked.seconds)
                    terminal.wait(1.0)
                    mean = (terminal.used_s() - before) * 1e3 / len(times)
                    drawn = (terminal.drawn - drawn) // len(times)
                    found = {**spread(times), "mean_cpu_ms": round(mean, 2), "mean_bytes": drawn}
                    figures[f"{NAMES[screen]}_list_{number}"] = found
                    print(NAMES[screen], number, found, flush=True)
                    terminal.rest()
                    terminal.press("\t")
                    terminal.rest()
        finally:
            terminal.end()
    kept.write(figures, libraries=("textual",))


if __name__ == "__main__":
    main()

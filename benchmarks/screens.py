"""From a key to the painted answer on the screens that show data: `python -m benchmarks.screens DATA`.

A workspace is made of what lies in the folder DATA: a corpus of published clusters, each of them several
times with another term behind it, problems of ASDiv, and a collection with its index. On each screen the
cursor goes up and down every list that tab comes by, with the engine process at work behind it. Reported are
half and 95 % of the keys, as wall-clock time and (`cpu`) as processor time of the screen's thread, which a
crowded machine changes least. What stands beside a list follows after the key, and is not waited for.

The workspace is kept in `--cache` and made once.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks._record import Record, parser_of
from benchmarks.jobs_screen import key_s, spread

TIMES = 10
KEYS = ("j", "j", "j", "k", "pagedown", "j", "pageup", "k")
ADDRESSES = {
    "egraphs": "corpus/published/cluster/0",
    "triplets": "problems/asdiv",
    "arqmath": "arqmath/mini",
    "mathamr": "mathamr/mini",
}


def make(data: Path, root: Path) -> None:
    """Make the workspace."""
    from workbench.workspace import Workspace

    Workspace.open(root)
    clusters = root.parent / "clusters.jsonl"
    with gzip.open(data / "expr" / "egen_clusters_sample.jsonl.gz", "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    with clusters.open("w", encoding="utf-8") as out:
        for time in range(TIMES):
            for row in rows:
                behind = (lambda text, n=time: f"+ {text} {n}") if time else str
                exprs = [behind(text) for text in row["exprs"]]
                again = {"head": behind(row["head"]), "exprs": exprs, "partial_domain": []}
                out.write(json.dumps(again) + "\n")
    for words in (
        ("data", "add", "problems", data / "mwp" / "asdiv_a_folds0-3.jsonl", "--name", "asdiv"),
        ("data", "add", "arqmath", data / "arqmath", "--name", "mini"),
        ("arqmath", "index", data / "arqmath", "--out", root / "arqmath" / "mini" / "index"),
        ("egen", "import", clusters, "--out", root / "corpora" / "published"),
    ):
        line = [sys.executable, "-c", "from workbench.cli import main; main()", *map(str, words)]
        subprocess.run(line, check=True)


async def _lists(root: Path, name: str, rounds: int) -> dict[str, dict[str, float]]:
    """Times of the keys by list: of those with rows that tab comes by."""
    from screens.app import Workbench
    from screens.shell.navigation import at_address
    from screens.shell.terminal import Garbage
    from screens.widgets.table import Table
    from workbench.workspace import Workspace

    app = Workbench(Workspace.open(root), screen=name)
    app.garbage = Garbage()
    found: dict[str, list[tuple[float, float]]] = {}
    rows: dict[str, int] = {}
    async with app.run_test(size=(120, 40)) as pilot:
        while app.place is None:
            await pilot.pause(0.05)
        steps = at_address(ADDRESSES[name])
        assert steps is not None
        app.go_along(*steps)
        await _quiet(app, pilot)
        for _ in range(8):
            table = app.screen.focused
            if isinstance(table, Table) and table.shown > 1 and str(table.id) not in found:
                times = found.setdefault(str(table.id), [])
                rows[str(table.id)] = table.shown
                for key in (KEYS if table.shown > 100 else ("j", "k")) * rounds:
                    times.append(await key_s(app, key))
                    await asyncio.sleep(0.05)
            await pilot.press("tab")
            await pilot.pause(0.2)
    return {table: {"rows": rows[table], **spread("key", times)} for table, times in found.items()}


async def _quiet(app: Any, pilot: Any) -> None:
    """Until the list at the cursor has rows and has kept them for three seconds."""
    from screens.widgets.table import Table

    same, before = 0, None
    for _ in range(600):
        await pilot.pause(0.1)
        table = app.screen.focused
        now = table.shown if isinstance(table, Table) else 0
        same = same + 1 if now and now == before else 0
        before = now
        if same >= 30:
            return
    raise RuntimeError(f"{app.current_mode} shows nothing")


def main() -> None:
    """Measure, print and record."""
    parser = parser_of(__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--cache", type=Path, required=True, help="where the workspace is kept")
    parser.add_argument("--rounds", type=int, default=8, help="of eight keys in each list")
    parser.add_argument("--only", default="", help="this screen")
    asked = parser.parse_args()
    kept = Record("screens", asked.out, data=asked.data, only=asked.only)
    os.environ["MATHWB_HOME"] = str(asked.cache.absolute())
    root = asked.cache.absolute() / "workspace"
    os.environ["MATHWB_WORKSPACE"] = str(root)
    if not (root / "corpora" / "published" / "manifest.json").exists():
        make(asked.data.absolute(), root)
    figures = {}
    for name in ADDRESSES:
        if asked.only in name:
            figures[name] = asyncio.run(_lists(root, name, asked.rounds))
            print(name, json.dumps(figures[name], indent=1), flush=True)
    kept.write(figures, libraries=("textual",))


if __name__ == "__main__":
    main()

"""Records of benchmarks: a JSON file each, with what it is about, machine, versions and commit."""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psutil

from engines.core.files import write_json
from engines.core.rows import read_lines
from engines.core.system import count_processors
from engines.training.checkpoints import hash_content
from workbench import __version__
from workbench.export import current_commit

RESULTS = Path(__file__).resolve().parent / "results"


def parser_of(about: str | None) -> argparse.ArgumentParser:
    """The parser of a benchmark, with the option that says where its `Record` goes; its help is the module's
    text."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", metavar="FILE", help="where the result goes; - for nowhere")
    return parser


def json_rows(path: Path) -> Iterator[Any]:
    """The rows of a file of JSON Lines, plain or gzip."""
    return (json.loads(line) for _, line in read_lines(path))


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A Markdown table, its first column to the left and the others to the right."""
    lines = [f"| {' | '.join(cells)} |" for cells in (heads, *rows)]
    return [lines[0], "|---|" + "--:|" * (len(heads) - 1), *lines[1:], ""]


def put_into(page: Path, text: str, mark: str = "measured") -> None:
    """Replace what stands between the page's two marks of that name."""
    begin, end = f"<!-- {mark}: begin -->", f"<!-- {mark}: end -->"
    before, found, rest = page.read_text(encoding="utf-8").partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise SystemExit(f"{page} has no lines {begin} and {end}")
    page.write_text(f"{before}{begin}\n\n{text}\n{end}{after}", encoding="utf-8")


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next(
        (line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown"
    )


class Record:
    """Where a result goes: `--out`, or `results/<name>.json`, which only what is about the same replaces.

    Args: out: what `--out` was. about: data by name, as the files or folders that hold it, and the settings
    without which it would be another result; None and what is empty is left out.
    Raises: SystemExit, before anything is measured.
    """

    def __init__(self, name: str, out: str | None, **about: object) -> None:
        self._name = name
        self.about = {key: _told(value) for key, value in about.items() if value not in (None, "", [], ())}
        self.path = Path(out) if out else RESULTS / f"{name}.json"
        if (
            out is None
            and self.path.exists()
            and (there := json.loads(self.path.read_bytes()).get("about", {})) != self.about
        ):
            unnamed = f"data it does not name (if they are the same, --out {self.path.name} in its folder)"
            raise SystemExit(
                f"{self.path.name} is about {json.dumps(there) if there else unnamed}, "
                f"this would be about {json.dumps(self.about)}: say with --out FILE where it goes"
            )

    def write(self, figures: Mapping[str, object], *, libraries: Sequence[str] = ()) -> None:
        """Write it and say where.

        Args: figures: what was measured, units in the names (`median_s`, `members_per_s`). libraries: those
        whose versions matter. The machine is described without its name or any path.
        """
        if self.path.name == "-":
            return
        machine = {
            "processor": _processor(),
            "cores": count_processors(),
            "memory_gib": round(psutil.virtual_memory().total / 2**30, 1),
            "load_1min_at_end": round(os.getloadavg()[0], 2),
            "system": f"{platform.system()} {platform.machine()}",
        }
        versions = {"python": platform.python_version(), "mathwb": __version__}
        versions |= {library: importlib.metadata.version(library) for library in libraries}
        document = {
            "benchmark": self._name,
            "about": self.about,
            "date": datetime.now(UTC).date().isoformat(),
            "commit": current_commit(),
            "machine": machine,
            "versions": versions,
            "figures": figures,
        }
        write_json(self.path, document)
        print(f"-> {self.path}")


def _told(value: object) -> object:
    if isinstance(value, Path):
        return {"name": value.name, "sha256": hash_content([value])}
    return [_told(each) for each in value] if isinstance(value, list | tuple) else value

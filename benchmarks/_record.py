"""Records of benchmarks: one JSON file each, with the machine, the versions and the commit."""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import platform
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import psutil

from engines.core.files import write_json
from engines.core.machine import processors
from workbench import __version__
from workbench.export import commit

__all__ = ["RESULTS", "parser_of", "put_into", "record", "table"]

RESULTS = Path(__file__).resolve().parent / "results"


def parser_of(about: str | None) -> argparse.ArgumentParser:
    """The parser of a benchmark; its help is the module's text."""
    return argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)


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


def record(name: str, figures: Mapping[str, object], *, libraries: Sequence[str] = ()) -> Path:
    """Write `results/<name>.json`, over what an earlier run left.

    Args: figures: what was measured, units in the names (`median_s`, `members_per_s`). libraries: those whose
    versions matter. The machine is described without its name or any path.
    """
    machine = {
        "processor": _processor(),
        "cores": processors(),
        "memory_gib": round(psutil.virtual_memory().total / 2**30, 1),
        "load_1min_at_end": round(os.getloadavg()[0], 2),
        "system": f"{platform.system()} {platform.machine()}",
    }
    versions = {"python": platform.python_version(), "mathwb": __version__}
    versions |= {library: importlib.metadata.version(library) for library in libraries}
    path = RESULTS / f"{name}.json"
    document = {
        "benchmark": name,
        "date": datetime.now(UTC).date().isoformat(),
        "commit": commit(),
        "machine": machine,
        "versions": versions,
        "figures": figures,
    }
    write_json(path, document)
    return path

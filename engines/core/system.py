"""The installation and the machine: shipped files, the papers' figures among them, the user's folders,
processors and devices, a checkout's commit."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from math import isnan
from pathlib import Path
from typing import Any

from engines.core.errors import DataError

_HERE = Path(__file__).resolve()
_ROOTS = (_HERE.parents[2] / "assets", _HERE.parents[1] / "_assets")
"""That of a checkout, and that of an installed wheel."""


def asset(relative: str) -> Path:
    """Return the path of a shipped file or folder, as in `asset("rules/egen.toml")`.

    Raises:
        DataError: (exit code 3) when the installation lacks it.
    """
    for root in _ROOTS:
        path = root / relative
        if path.exists():
            return path
    remedy = "Install mathwb again; the installation is incomplete."
    raise DataError(f"the file {relative} that ships with mathwb is missing", remedy=remedy, code="E356")


def models_folder() -> Path:
    """Return the folder of the models that ship, which may not be there; that of recipes always is."""
    return asset("recipes").parent / "models"


@cache
def reported_tables(paper: str) -> tuple[Mapping[str, Any], ...]:
    """Return the tables of a paper, as the file has them."""
    import tomllib

    return tuple(tomllib.loads(asset(f"repro/{paper}.toml").read_text(encoding="utf-8"))["table"])


def reported_row(paper: str, number: int, name: str) -> dict[str, float]:
    """Return a row of a table by measure; a figure that is misprinted stands as the paper's other figures
    give it.

    >>> reported_row("egen", 4, "CL Mean")
    {'kmeans_accuracy': 97.61}
    """
    (table,) = (one for one in reported_tables(paper) if one["number"] == number)
    (row,) = (one for one in table["rows"] if one["name"] == name)
    measures = [column["measure"] for column in table["columns"]]
    return {
        **dict(zip(measures, row["values"], strict=True)),
        **row.get("corrected", {}),
        **row.get("more", {}),
    }


def read_reported_figures(paper: str, measure: str) -> dict[str, float]:
    """Return the figures that a paper reports for a measure, by the name of the model.

    Only the first table that contains the measure is read.

    >>> "egen-both" in read_reported_figures("egen", "kmeans_accuracy")  # a row of ours in that table
    False
    """
    for table in reported_tables(paper):
        if measure in (column["measure"] for column in table["columns"]):
            rows = {row["name"]: reported_row(paper, table["number"], row["name"]) for row in table["rows"]}
            return {name: row[measure] for name, row in rows.items() if not isnan(row[measure])}
    return {}


def home_folder(kind: str) -> Path:
    """Return the folder of one kind: `data`, `config`, `state` or `cache`."""
    moved = os.environ.get("MATHWB_HOME")
    if moved:
        return Path(moved).expanduser() / kind
    import platformdirs

    return Path(getattr(platformdirs, f"user_{kind}_dir")("mathwb", appauthor=False))


def count_processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def measure_process(pid: int) -> tuple[int, float]:
    """Return the bytes of memory that a process holds and the seconds of the processor that it has used.

    Both are 0 for a process that is gone.
    """
    try:
        # The name of the command, in brackets, may hold anything; the numbers begin behind it.
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        fields = text.rpartition(")")[2].split()
        used, pages = int(fields[11]) + int(fields[12]), int(fields[21])
        return pages * os.sysconf("SC_PAGE_SIZE"), used / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError, ValueError):
        if Path("/proc/self/stat").exists():
            return 0, 0.0
    import psutil  # where there is no /proc

    try:
        process = psutil.Process(pid)
        times = process.cpu_times()
        return int(process.memory_info().rss), float(times.user + times.system)
    except psutil.Error:
        return 0, 0.0


def has_torch() -> bool:
    """Return whether torch is installed, which is not loaded to know."""
    return find_spec("torch") is not None


def torch_device(asked: str) -> str:
    """Return the device of torch that is asked for; `auto` is a GPU where there is one."""
    if asked == "auto" and not has_torch():
        return "cpu"
    import torch

    if asked == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    return asked


def half_precision(device: str) -> Any:
    """Return the 16-bit type of torch in which the device multiplies matrices several times faster, or None:
    that of a GPU, and bfloat16 on processors with AMX or AVX-512 BF16.
    """
    if not has_torch():
        return None
    import torch

    if device != "cpu":
        return torch.float16
    asked = ("_is_amx_tile_supported", "_is_avx512_bf16_supported")
    able = any(getattr(torch.cpu, name, lambda: False)() for name in asked)
    return torch.bfloat16 if able else None


MAX_LATEX = 20_000
"""Characters of a formula that somebody writes: reading takes longer than in proportion."""


def format_bytes(count: float) -> str:
    """Return a size in binary units with one decimal: `512 B`, `2.0 KiB`, `1.9 GiB`.

    >>> format_bytes(2**20 - 1)
    '1.0 MiB'
    """
    if count < 1023.5:
        return f"{count:.0f} B"
    for unit in ("KiB", "MiB", "GiB"):
        count /= 1024
        if count < 1023.95:
            return f"{count:.1f} {unit}"
    return f"{count / 1024:,.1f} TiB"


def git_answers(root: Path, *commands: Sequence[str]) -> list[str] | None:
    """Return what git prints about a checkout for each command, or None without git or a checkout."""
    import shutil
    import subprocess

    git = shutil.which("git")
    if git is None or not (root / ".git").exists():
        return None
    settings: dict[str, Any] = {"capture_output": True, "text": True, "timeout": 10, "check": True}
    # `git status` would lock the index to refresh it, and leave the lock there if it is killed with its job.
    try:
        return [
            subprocess.run([git, "--no-optional-locks", "-C", str(root), *command], **settings).stdout.strip()
            for command in commands
        ]
    except (OSError, subprocess.SubprocessError):
        return None

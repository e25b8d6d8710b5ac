"""Differences between what was recorded and what is seen, and which of them are allowed."""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Allowed", "Difference", "allowances", "differences", "read_baseline", "write_baseline"]

HERE = Path(__file__).parent
BASELINE = HERE / "baseline.json"
CUT = 100


@dataclass(frozen=True, slots=True)
class Difference:
    """A place in what a command line did: `json.members[].kept`, `err.0`, `exit`."""

    line: str
    path: str
    was: str | None
    now: str | None

    def __str__(self) -> str:
        return f"mathwb {self.line}\n  {self.path}\n    was {self.was}\n    now {self.now}"


@dataclass(frozen=True, slots=True)
class Allowed:
    """Differences that are meant: `*` in line and path stands for anything; and the reason."""

    line: str
    path: str
    reason: str

    def covers(self, difference: Difference) -> bool:
        """Whether a difference is one of these."""
        return _matches(self.line, difference.line) and _matches(self.path, difference.path)


def _matches(pattern: str, text: str) -> bool:
    return re.fullmatch(re.escape(pattern).replace(r"\*", ".*"), text) is not None


def allowances() -> list[Allowed]:
    """The list in `differences.toml`."""
    document = tomllib.loads((HERE / "differences.toml").read_text("utf-8"))
    return [Allowed(**row) for row in document.get("allowed", ())]


def read_baseline() -> dict[str, dict[str, dict[str, Any]]]:
    """What was recorded, by section and command line."""
    return json.loads(BASELINE.read_text("utf-8"))


def write_baseline(recorded: Mapping[str, Mapping[str, Any]]) -> None:
    """Write it with one command line a line."""
    parts = []
    for section, lines in recorded.items():
        rows = (
            f"{json.dumps(line, ensure_ascii=False)}:"
            f"{json.dumps(seen, ensure_ascii=False, separators=(',', ':'))}"
            for line, seen in lines.items()
        )
        parts.append(f"{json.dumps(section)}:{{\n" + ",\n".join(rows) + "\n}")
    BASELINE.write_text("{\n" + ",\n".join(parts) + "\n}\n", "utf-8")


def differences(was: Mapping[str, Any], now: Mapping[str, Any]) -> list[Difference]:
    """What a section has no longer, or otherwise, in the order of what was recorded; what is
    new takes nothing away."""
    found = []
    for line in was:
        if line not in now:
            found.append(Difference(line, "line", "there is such a line", None))
            continue
        before, after = dict(_leaves(was[line], "")), dict(_leaves(now[line], ""))
        for path, a in before.items():
            b = after.get(path)
            if not _same(a, b) and not _loose(before, path):
                found.append(Difference(line, path, a, b))
    return found


def _leaves(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        if not value:
            yield path, "{}"
        for name, item in value.items():
            joined = f"{path}{name}" if name in ("[]", "{}") else f"{path}.{name}".lstrip(".")
            yield from _leaves(item, joined)
    elif isinstance(value, list):
        for place, item in enumerate(value):
            yield f"{path}.{place}", str(item)
    else:
        yield path, str(value)


def _loose(before: Mapping[str, str], path: str) -> bool:
    """Whether the lines there were another number in each run."""
    return before.get(path.rpartition(".")[0] + ".0") == "~*"


def _same(was: str | None, now: str | None) -> bool:
    if was == now or was == "~":
        return True
    if was is None or now is None:
        return False
    was, now = was.replace("$T/", ""), now.replace("$T/", "")  # places may be given as typed or in full
    if was == now:
        return True
    if min(len(was), len(now)) > CUT and (was.startswith(now) or now.startswith(was)):
        return True  # only so much of a line is recorded
    if "~" in was and was == re.sub(r"\d+", "~", now):
        return True
    kind, _, value = was.partition(" ")
    other, _, seen = now.partition(" ")
    if kind == other and kind in ("float", "int", "str", "bool") and not value:
        return True
    if kind == other == "float" and seen:
        return math.isclose(float(value), float(seen), rel_tol=2e-3, abs_tol=1e-6)
    return kind == other and "|" in kind and not value

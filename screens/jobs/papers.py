"""Papers of a job: where it ran, and its whole log, each as lines that people read."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engines.core.files import printable
from engines.core.sizes import size
from screens.shell.text import count

if TYPE_CHECKING:
    from workbench.jobs.view import JobView

__all__ = ["log_lines", "origin_lines"]

_ERRORS = 1_000
"""So many of the last lines that the work wrote itself."""
_CELLS = 12


def origin_lines(folder: Path) -> list[str]:
    """What determined the result besides the recipe: versions, machine, data; or why that is not known."""
    try:
        found = json.loads((folder / "env.json").read_bytes())
        return list(_origin(found))
    except FileNotFoundError:
        return ["It has not started yet: its environment is recorded when it does."]
    except (OSError, ValueError, TypeError, LookupError, AttributeError) as error:
        return [f"The record cannot be read: {error}"]


def _origin(found: Mapping[str, Any]) -> Iterator[str]:
    commit, device = found.get("git") or {}, found.get("device") or {}
    changed = ", with changes that are not committed" if commit.get("changed") else ""
    cores, memory = found.get("cpus"), found.get("memory_bytes")
    machine = [f"{cores} cores"] if cores else []
    machine += [f"{size(memory)} of memory"] if memory else []
    facts = {
        "mathwb": found.get("mathwb"),
        "commit": f"{commit['commit'][:12]}{changed}" if commit else "",
        "python": found.get("python"),
        "system": found.get("platform"),
        "machine": ", ".join(machine),
        "device": ", ".join([str(device.get("device", "")), *device.get("gpus", ())]).strip(", "),
        "seed": found.get("seed"),
        "recipe": f"sha256 {found['recipe_sha256'][:16]}" if "recipe_sha256" in found else "",
    }
    yield from (f"{name:<{_CELLS}}{value}" for name, value in facts.items() if value not in ("", None))
    yield from ("", "data that it read")
    for name, data in found.get("data", {}).items():
        yield f"  {name:<{_CELLS}}{data['path']}"
        yield f"  {'':<{_CELLS}}{size(data['bytes'])}, sha256 {data['sha256'][:16]}"
    if not found.get("data"):
        yield "  none by its path"
    yield from ("", "versions")
    yield from (f"  {name:<24}{version}" for name, version in found.get("packages", {}).items())


def log_lines(view: JobView) -> Iterator[str]:
    """How the job stands, what its last attempt reported but for progress and metrics, and what the work
    wrote itself. Reads the whole log: for threads."""
    from workbench.jobs import EventTail
    from workbench.jobs.tail import last_lines

    yield f"job {view.id}  {view.title}  attempt {view.attempt}: {view.state}"
    yield from (text for text in (view.reason, view.remedy) if text)
    yield ""
    tail, left_out = EventTail(view.log("events.jsonl")), 0
    while (events := tail.read()) or tail.behind_bytes:
        for event in events:
            if event.kind in ("progress", "metric"):
                left_out += 1
            else:
                yield printable(event.text())
    yield from ("", f"{count(left_out)} lines of progress and metrics are left out; [metrics] has them")
    if tail.damaged:
        yield tail.complaint
    for name in ("stdout.log", "stderr.log"):
        if lines := last_lines(view.log(name), _ERRORS):
            yield from ("", f"the end of {name}", *map(printable, lines))

"""What is shown over the Jobs screen: devices, differences, environment and whole logs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engines.core.errors import EngineError
from engines.core.files import printable
from engines.core.system import processors, size
from screens.jobs.columns import shortened
from screens.shell.theme import count, number, safe_text, some
from screens.widgets.table import Record
from workbench.tables import Column

if TYPE_CHECKING:
    from workbench.jobs.compare import Comparison, Standings
    from workbench.jobs.machine import Gpu
    from workbench.jobs.view import JobView


@dataclass(frozen=True, slots=True)
class Machine:
    """This machine at one moment. `free_bytes`: memory. `taken`: UUIDs of the GPUs that live jobs have."""

    cores: int
    free_bytes: int
    gpus: tuple[Gpu, ...] = ()
    taken: frozenset[str] = frozenset()

    @property
    def cpu(self) -> str:
        return f"CPU, {some(self.cores, 'core')}, {size(self.free_bytes)} free"

    def why(self, policy: str) -> str:
        """What a device policy takes and why. Raises: EngineError for a GPU that is not there."""
        from workbench.jobs.queue import check_placement, choose

        check_placement({"device": policy})
        if policy.partition(":")[0] == "cpu":
            count = policy.partition(":")[2]
            return f"{self.cpu}: requested" + (f", {count} processes" if count else "")
        chosen, why = choose(policy, list(self.gpus), set(self.taken))
        if not chosen:
            return f"{self.cpu}: {why}"
        names = ", ".join(f"{card.index} {card.name}, {size(card.free_bytes)} free" for card in chosen)
        return f"GPU {names}: {why}"

    def lines(self) -> Sequence[str]:
        rows = [f"cpu   {self.cpu}"]
        for card in self.gpus:
            free = f"{size(card.free_bytes)} of {size(card.total_bytes)} free, {card.busy} % busy"
            used = "; used by a job" if card.uuid in self.taken else ""
            rows.append(f"{card.index:<4}  {card.name}, {free}{used}")
        return rows


def look(runs: Path) -> Machine:
    """Look at this machine; asking for its GPUs may take a while, so call it in a thread."""
    import psutil

    from workbench.jobs.machine import gpus, memory_bytes
    from workbench.jobs.queue import taken

    cards = tuple(gpus())
    try:
        used = frozenset(taken(runs)) if cards else frozenset()
    except (EngineError, OSError):
        used = frozenset()
    free = min(memory_bytes(), int(psutil.virtual_memory().available))
    return Machine(processors(), free, cards, used)


_SIDE = "its title is the name of a job or an attempt; left and right are its fields"


def diff_columns(left: str, right: str) -> tuple[Column, ...]:
    return (
        Column("part", "part", 7, drop=1),
        Column("key", "key", 18, show=lambda record: safe_text("".join(shortened(record["key"])))),
        Column(
            "left", left, show=lambda record: _value_text(record["key"], record["left"]), unfiltered=_SIDE
        ),
        Column(
            "right", right, show=lambda record: _value_text(record["key"], record["right"]), unfiltered=_SIDE
        ),
    )


def diff_rows(found: Comparison) -> list[Record]:
    parts = {"setting": found.settings, "result": found.results, "machine": found.environment}
    return [
        {"id": f"{part}.{row.key}", "part": part, "key": row.key, "left": row.left, "right": row.right}
        for part, rows in parts.items()
        for row in rows
    ]


def last_attempts(view: JobView) -> Comparison:
    from workbench.jobs.compare import compare_attempts
    from workbench.jobs.folder import Job
    from workbench.jobs.view import attempt_view

    job = Job(view.id, Path(view.folder))
    left, right = (attempt_view(job.attempt(number)) for number in (view.attempt - 1, view.attempt))
    return compare_attempts(left, right)


def standing_columns(measure: str) -> tuple[Column, ...]:
    named = "its title is the name of a measure; value is its field"
    return (
        Column("setting", "setting", 16),
        Column("value", "".join(shortened(measure)), 24, unfiltered=named),
        Column("runs", "runs", 5, "right", drop=3),
        Column("failed", "failed", 6, "right", drop=4),
        Column("best", "to the best [95 %]", unfiltered="its title says of what; best is its field", drop=1),
        Column("p", "p", 6, drop=2),
    )


def standing_rows(found: Standings) -> list[Record]:
    return [
        {
            "id": row.name,
            "setting": row.name,
            "value": "–" if row.value is None else str(row.value),
            "runs": f"{row.finished}/{len(row.jobs)}",
            "failed": len(row.failed) or "",
            "best": row.apart,
            "p": "" if row.p is None else f"{row.p:.3g}",
        }
        for row in found.rows
    ]


def standings_of(runs: Sequence[JobView]) -> Standings | EngineError:
    """How the settings of a sweep compare by its runs, or why that cannot be told."""
    from workbench.jobs.compare import standings

    try:
        return standings(runs)
    except EngineError as error:
        return error


def _value_text(key: str, value: Any) -> str:
    """A value in as few digits as tell it apart; what is not there is a dash."""
    if value is None:
        return "–"
    if key.endswith("_bytes") and isinstance(value, int | float):
        return size(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return count(value)
    return number(value) if isinstance(value, float) else str(value)


_ERRORS = 1_000
_CELLS = 12


def origin_lines(folder: Path) -> list[str]:
    """What determined the result besides the recipe: versions, machine, data; or why that is not known."""
    try:
        found = json.loads((folder / "env.json").read_bytes())
        return list(_origin(found))
    except FileNotFoundError:
        return ["It has not started yet; its environment is recorded at the start."]
    except (OSError, ValueError, TypeError, LookupError, AttributeError) as error:
        return [f"The record cannot be read: {error}"]


def _origin(found: Mapping[str, Any]) -> Iterator[str]:
    commit, device = found.get("git") or {}, found.get("device") or {}
    changed = ", with uncommitted changes" if commit.get("changed") else ""
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
    from workbench.jobs.tail import EventTail, last_lines

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
    yield from ("", f"{count(left_out)} lines of progress and metrics are left out; see [metrics]")
    if tail.damaged:
        yield tail.complaint
    for name in ("stdout.log", "stderr.log"):
        if lines := last_lines(view.log(name), _ERRORS):
            yield from ("", f"the end of {name}", *map(printable, lines))

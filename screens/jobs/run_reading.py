"""Read run folders of jobs (curves, events, checkpoints, files, logs), and look at the machine in threads."""

from __future__ import annotations

import bisect
import json
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engines.core.errors import EngineError
from engines.core.system import count_processors, format_bytes
from engines.core.text import make_printable
from screens.shell.theme import format_count, format_quantity
from screens.widgets.table_columns import Record

if TYPE_CHECKING:
    from workbench.jobs.compare import JobComparison, SettingRanking
    from workbench.jobs.job_views import JobView
    from workbench.jobs.machine import Gpu
    from workbench.jobs.merged_curves import AttemptCurves, MeasureCurve


MAX_FILES = 2_000
FIRST_LINES = 2_000
"""How much of a log that exists already is shown; the file holds the rest."""

PIECE_BYTES = 2**18
"""So much is read at once, so that a long log takes nothing from the keys."""

HASHED_BYTES = 2**29
"""A larger checkpoint is not read just to say that it is sound."""

_OUTPUT_LINES = 1_000
_LABEL_WIDTH = 12


class JobCurves:
    """The curves of a job's measures, for each attempt and joined.

    `read_piece` is called in threads; the rest may be called meanwhile.
    """

    def __init__(self, folder: Path, attempts: int, before: JobCurves | None = None) -> None:
        """`before`: of the same job when it had fewer attempts; what it has read is kept."""
        from workbench.jobs.merged_curves import AttemptCurves

        paths = [folder / f"attempt-{number}" / "events.jsonl" for number in range(1, attempts + 1)]
        known = before.attempts if before is not None else []
        self.attempts: list[AttemptCurves] = [*known, *map(AttemptCurves, paths[len(known) :])]
        self._lock = threading.Lock()

    def read_piece(self) -> bool:
        """Read a piece of what is new; return whether there was any."""
        added = False
        # Two threads may read the same curves.
        # A marked job may be under the cursor too.
        with self._lock:
            # In order: an attempt is read once those before it are complete.
            for curves in self.attempts:
                added = curves.read_more(PIECE_BYTES) or added
                if curves.unread_bytes:
                    break
        return added

    @property
    def unread_bytes(self) -> int:
        """Return the bytes that are still to be read, at most, of one attempt."""
        return max(curves.unread_bytes for curves in self.attempts)

    @property
    def names(self) -> list[str]:
        """Return the names of the curves of all attempts, each once."""
        return list(dict.fromkeys(name for curves in self.attempts for name in list(curves.curves)))

    def of_attempt(self, number: int, name: str) -> tuple[list[int], list[float]]:
        """Return the steps and values of one attempt."""
        curve = self.attempts[number - 1].curves.get(name)
        return ([], []) if curve is None else (list(curve.steps), list(curve.means))

    def join_attempts(self, name: str) -> tuple[list[int], list[float]]:
        """Return the steps and values of all attempts as one curve.

        From where an attempt begins, it replaces those before it.
        """
        steps: list[int] = []
        values: list[float] = []
        # A resumed attempt repeats steps after its checkpoint, and its values replace the earlier ones.
        for attempt, curves in enumerate(self.attempts, 1):
            begins = min((c.steps[0] for c in list(curves.curves.values()) if c.steps), default=None)
            if begins is None:
                continue
            keep = bisect.bisect_left(steps, begins)
            more_steps, more_values = self.of_attempt(attempt, name)
            steps, values = steps[:keep] + more_steps, values[:keep] + more_values
        return steps, values

    def undefined_steps(self, name: str) -> tuple[list[int], int]:
        """Return the steps at which a measure was not a finite number, and how often that was."""
        curves = [attempt.curves[name] for attempt in self.attempts if name in attempt.curves]
        return [step for curve in curves for step in curve.undefined_steps], sum(
            c.undefined_count for c in curves
        )

    def last_curve(self, name: str) -> MeasureCurve | None:
        """Return the curve of the last attempt that has this measure, or None."""
        return next((c.curves[name] for c in reversed(self.attempts) if name in c.curves), None)

    def list_points(self) -> list[tuple[str, int, float, float, float, int]]:
        """Return all points as rows: measure, step, mean, minimum, maximum and attempt."""
        return [
            (name, *point, attempt)
            for attempt, curves in enumerate(self.attempts, 1)
            for name, curve in curves.curves.items()
            for point in zip(curve.steps, curve.means, curve.lows, curve.highs, strict=True)
        ]


@dataclass(frozen=True, slots=True)
class News:
    """What was added to a job's log and curves since the last read."""

    lines: tuple[str, ...]
    curves: bool
    more: bool


class Follower:
    """The event log of the last attempt, and the curves of all.

    `read_news` is called in threads; `curves`, `device` and `checkpoint` may be read meanwhile.
    """

    def __init__(self, folder: Path, attempt: int, out: Path | None, curves: JobCurves) -> None:
        """Args: out: where a training keeps its checkpoints, None for other work. curves: of the same job."""
        from workbench.jobs.tail import EventTail

        self.key = (str(folder), attempt)
        self.curves = curves
        self.device: dict[str, Any] = {}
        self.checkpoint = ""
        self._folder, self._attempt = folder, attempt
        self._checkpoints = None if out is None else out / "checkpoints"
        self._checked = ""
        self._tail = EventTail(folder / f"attempt-{attempt}" / "events.jsonl", from_end=FIRST_LINES)

    def read_news(self) -> News:
        """Read a piece of what is new: lines of the log, curves, and the newest checkpoint."""
        # The damage is reported once, when it is found.
        known = self._tail.damaged
        events = self._tail.read_events(PIECE_BYTES)
        lines = tuple(event.to_text() for event in events if event.kind not in ("progress", "metric"))
        if self._tail.damaged > known:
            lines += (f"✗ {self._tail.complaint}",)
        added = self.curves.read_piece()
        # Written by the supervisor a moment after the attempt begins, so it is looked for until it is there.
        if not self.device:
            from workbench.jobs.folder import Job
            from workbench.jobs.placement import device_of

            self.device = device_of(Job.of_folder(self._folder).attempt(self._attempt))
        if self._checkpoints is not None:
            from engines.training.checkpoints import all_checkpoints

            result = all_checkpoints(self._checkpoints)
            newest = result[-1][1].name if result else ""
            # A checkpoint is verified once, since that reads all of its files.
            if newest != self._checked:
                self._checked, before = newest, self.checkpoint
                self.checkpoint = checkpoint_words(self._checkpoints)
                added = added or self.checkpoint != before
        return News(lines, added, bool(self._tail.unread_bytes or self.curves.unread_bytes))


def checkpoint_words(root: Path) -> str:
    """Describe the checkpoint that a resume would use and whether it is intact; reads the files."""
    from engines.training.checkpoints import all_checkpoints, newest_checkpoint

    result = all_checkpoints(root)
    if not result:
        return ""
    step, folder = result[-1]
    try:
        total = sum(file.stat().st_size for file in folder.iterdir())
    except OSError:
        total = 0
    if total > HASHED_BYTES:
        return f"checkpoint {format_count(step)}, {format_bytes(total)}"
    damaged: list[EngineError] = []
    sound = newest_checkpoint(root, on_bad=damaged.append)
    # One that was removed while it was read, since newer ones have come, is not damaged.
    bad = [error for error in damaged if Path(error.where).exists()]
    said = f"checkpoint {format_count(sound.step)} verified" if sound is not None else "no sound checkpoint"
    return f"{said}, a newer one is damaged" if bad and sound is not None else said


def _as_compared(value: object) -> str:
    """Return a value as the table of settings has it: `0.001` where `1e-3` was written."""
    from workbench.tables import describe_value

    text = str(value)
    try:
        return text if text.isdigit() else describe_value(float(text))
    except ValueError:
        return text


def group_runs(sweep: JobView, members: Sequence[JobView]) -> Mapping[str, Sequence[int]]:
    """Group the runs of a sweep by setting; if there is only one setting, each run is its own group."""
    from workbench.jobs.folder import Job
    from workbench.jobs.sweep_members import SweepMember, sweep_members

    known = {each.job: each for each in sweep_members(Job(sweep.id, Path(sweep.folder)))}
    runs = [known.get(view.id) or SweepMember(view.id) for view in members]
    several = len({str(run.setting) for run in runs}) > 1
    results: dict[str, list[int]] = {}
    for run in runs:
        parts = run.setting if several else run.repeat
        words = " ".join(
            f"{key.removeprefix('train.')}={_as_compared(value)}" for key, value in parts.items()
        )
        results.setdefault(words or f"run {run.job}", []).append(run.job)
    return results


def last_attempts(view: JobView) -> JobComparison:
    """Compare the last two attempts of a job."""
    from workbench.jobs.compare import compare_attempts
    from workbench.jobs.folder import Job
    from workbench.jobs.job_views import attempt_view

    job = Job(view.id, Path(view.folder))
    left, right = (attempt_view(job.attempt(number)) for number in (view.attempt - 1, view.attempt))
    return compare_attempts(left, right)


def standings_of(runs: Sequence[JobView]) -> SettingRanking | EngineError:
    """Return how the settings of a sweep compare, or the error if that cannot be told."""
    from workbench.jobs.compare import rank_settings

    try:
        return rank_settings(runs)
    except EngineError as error:
        return error


def job_files(view: JobView) -> list[Record]:
    """Return the files of the run folder, then those of the task's output folder, at most `MAX_FILES`."""
    results: list[Record] = []
    folder, out = Path(view.folder), Path(view.out or view.folder)
    # An output folder inside the run folder is reached from there; it must not be listed twice.
    roots = [folder] if out.is_relative_to(folder) else [folder, out]
    for root in roots:
        for parent, folders, names in os.walk(root):
            folders.sort()
            for name in sorted(names):
                path = Path(parent) / name
                try:
                    # The file of a job that runs may be gone by now.
                    status = path.stat()
                except OSError:
                    continue
                shown = path.relative_to(folder) if root == folder else path
                row = {"id": str(path), "file": str(shown), "size": status.st_size}
                results.append({**row, "changed": status.st_mtime})
                if len(results) >= MAX_FILES:
                    return results
    return results


def recipe_lines(folder: Path) -> list[str]:
    """Return the lines of a job's recipe."""
    try:
        return (folder / "recipe.toml").read_text("utf-8", "backslashreplace").splitlines()
    except OSError as error:
        return [f"the recipe cannot be read: {error.strerror}"]


def origin_lines(folder: Path) -> list[str]:
    """Describe what determined a result besides the recipe: versions, machine and data."""
    try:
        result = json.loads((folder / "env.json").read_bytes())
        return list(_describe_origin(result))
    except FileNotFoundError:
        return ["It has not started yet; its environment is recorded at the start."]
    except (OSError, ValueError, TypeError, LookupError, AttributeError) as error:
        return [f"The record cannot be read: {error}"]


def _describe_origin(origin: Mapping[str, Any]) -> Iterator[str]:
    commit, device = origin.get("git") or {}, origin.get("device") or {}
    changed = ", with uncommitted changes" if commit.get("changed") else ""
    cores, memory = origin.get("cpus"), origin.get("memory_bytes")
    machine = [f"{cores} cores"] if cores else []
    machine += [f"{format_bytes(memory)} of memory"] if memory else []
    facts = {
        "mathwb": origin.get("mathwb"),
        "commit": f"{commit['commit'][:12]}{changed}" if commit else "",
        "python": origin.get("python"),
        "system": origin.get("platform"),
        "machine": ", ".join(machine),
        "device": ", ".join([str(device.get("device", "")), *device.get("gpus", ())]).strip(", "),
        "seed": origin.get("seed"),
        "recipe": f"sha256 {origin['recipe_sha256'][:16]}" if "recipe_sha256" in origin else "",
    }
    yield from (f"{name:<{_LABEL_WIDTH}}{value}" for name, value in facts.items() if value not in ("", None))
    yield from ("", "data that it read")
    for name, data in origin.get("data", {}).items():
        yield f"  {name:<{_LABEL_WIDTH}}{data['path']}"
        yield f"  {'':<{_LABEL_WIDTH}}{format_bytes(data['bytes'])}, sha256 {data['sha256'][:16]}"
    if not origin.get("data"):
        yield "  none by its path"
    yield from ("", "versions")
    yield from (f"  {name:<24}{version}" for name, version in origin.get("packages", {}).items())


def log_lines(view: JobView) -> Iterator[str]:
    """Yield a job's state, the reports of its last attempt except progress, and the end of its output."""
    from workbench.jobs.tail import EventTail, last_lines

    yield f"job {view.id}  {view.title}  attempt {view.attempt}: {view.state}"
    yield from (text for text in (view.reason, view.remedy) if text)
    yield ""
    tail, left_out = EventTail(view.log_path("events.jsonl")), 0
    while (events := tail.read_events()) or tail.unread_bytes:
        for event in events:
            if event.kind in ("progress", "metric"):
                left_out += 1
            else:
                yield make_printable(event.to_text())
    yield from ("", f"{format_count(left_out)} lines of progress and metrics are left out; see [metrics]")
    if tail.damaged:
        yield tail.complaint
    for name in ("stdout.log", "stderr.log"):
        if lines := last_lines(view.log_path(name), _OUTPUT_LINES):
            yield from ("", f"the end of {name}", *map(make_printable, lines))


@dataclass(frozen=True, slots=True)
class Machine:
    """This machine at one moment: free memory in bytes, and the UUIDs of GPUs `taken` by live jobs."""

    cores: int
    free_bytes: int
    gpus: tuple[Gpu, ...] = ()
    taken: frozenset[str] = frozenset()

    @property
    def cpu(self) -> str:
        """Return the processor and free memory as one line."""
        return f"CPU, {format_quantity(self.cores, 'core')}, {format_bytes(self.free_bytes)} free"

    def explain_device(self, policy: str) -> str:
        """Describe which device a policy takes, and why.

        Raises:
            EngineError: The GPU does not exist.
        """
        from workbench.jobs.placement import check_placement, choose_gpus

        check_placement({"device": policy})
        if policy.partition(":")[0] == "cpu":
            count = policy.partition(":")[2]
            return f"{self.cpu}: requested" + (f", {count} processes" if count else "")
        chosen, why = choose_gpus(policy, list(self.gpus), set(self.taken))
        if not chosen:
            return f"{self.cpu}: {why}"
        names = ", ".join(
            f"{card.index} {card.name}, {format_bytes(card.free_bytes)} free" for card in chosen
        )
        return f"GPU {names}: {why}"

    def describe_devices(self) -> Sequence[str]:
        """Return one line for the CPU and one for each GPU."""
        rows = [f"cpu   {self.cpu}"]
        for card in self.gpus:
            free = f"{format_bytes(card.free_bytes)} of {format_bytes(card.total_bytes)} free"
            free += f", {card.busy} % busy"
            used = "; used by a job" if card.uuid in self.taken else ""
            rows.append(f"{card.index:<4}  {card.name}, {free}{used}")
        return rows


def look_at_machine(runs: Path) -> Machine:
    """Read the state of this machine; asking for GPUs can take a while, so call it in a thread."""
    import psutil

    from workbench.jobs.machine import list_gpus, memory_bytes
    from workbench.jobs.placement import taken_gpus

    cards = tuple(list_gpus())
    try:
        used = frozenset(taken_gpus(runs)) if cards else frozenset()
    except (EngineError, OSError):
        used = frozenset()
    free = min(memory_bytes(), int(psutil.virtual_memory().available))
    return Machine(count_processors(), free, cards, used)

"""The tables of the Jobs screen, jobs in words, and the list of jobs."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import pairwise
from os.path import commonprefix
from typing import TYPE_CHECKING, Any, cast

from textual.content import Content

from engines.core.errors import EngineError
from engines.core.system import format_bytes
from screens.keys import FOLD_KEYS
from screens.shell.export import (
    CommandLine,
    CopyForm,
    Destination,
    Export,
    Lookup,
    PaneSelection,
    json_form,
    table_exports,
)
from screens.shell.keymap import bindings
from screens.shell.theme import (
    STATES,
    elide,
    format_count,
    format_number,
    format_time,
    safe_text,
    state_label,
    text_width,
)
from screens.shell.watch import KEPT, LoadMeter
from screens.widgets.pane import ListPane, TreeListing
from screens.widgets.plot import series_sign
from screens.widgets.table import Record
from workbench.jobs.measures import MEASURES
from workbench.tables import Column, format_duration
from workbench.workspace import Workspace

if TYPE_CHECKING:
    from workbench.jobs.compare import JobComparison, SettingRanking
    from workbench.jobs.job_views import JobView
    from workbench.jobs.tail import MetricCurve


STATE_CELLS = 11


def job_records(
    views: Sequence[JobView], unfolded: Collection[int] = (), *, plain: bool = False
) -> list[Record]:
    """Return the records of the table of jobs, with the fields that filters use.

    Besides those: `view` is the job, `sign` its glyph and colour (the same as in the plot), `apart` the
    character at which its name begins to differ from the others', and for folding `home` is its sweep,
    `leaf` whether it is not a sweep, and `open` whether it is unfolded.
    """
    # Runs whose sweep is not in the list stand alone.
    there = {view.id for view in views}
    names = [_job_name(view) for view in views]
    shared = dict(zip(names, differing_at(names), strict=True))
    return [
        {
            **view.to_row(),
            "view": view,
            "sign": series_sign(view.id, plain=plain),
            "apart": shared[name],
            "home": str(view.sweep) if view.sweep in there else "",
            "leaf": view.task != "sweep",
            "open": view.id in unfolded,
        }
        for view, name in zip(views, names, strict=True)
    ]


def _job_name(view: JobView) -> str:
    """Return a training by the name of its recipe, since all begin with the same word; one of a sweep by what
    makes it one of several.
    """
    name = view.title.removeprefix("train ")
    return name.removeprefix(f"{view.params.get('recipe')} ") if view.sweep else name


def differing_at(names: Sequence[str]) -> list[int]:
    """Return for each name from which character on it differs from the others."""
    ordered = sorted(set(names))
    # In sorted order the longest common beginning is that with a neighbour.
    shared = [len(commonprefix(pair)) for pair in pairwise(ordered)]  # noqa: RUF071  # of characters
    at = {name: max(shared[max(0, index - 1) : index + 1], default=0) for index, name in enumerate(ordered)}
    return [at[name] for name in names]


def elide_alike(name: str, cells: int, differs: int) -> str:
    """Shorten a name to `cells` cells, keeping the part from the character `differs` on visible.

    >>> elide_alike("egen/cl-mean-small lr 3e-4 seed 17", 20, 22)
    'egen/… lr 3e-4 seed…'
    """
    head = cells // 2
    tail = cells - 1 - head
    # The middle may be left out if the difference is in the head or the tail.
    if len(name) <= cells or differs < head or differs >= len(name) - tail:
        return elide(name, cells)
    # Else keep a little of the beginning, and the place where the names differ.
    head = max(1, cells // 4)
    room = cells - head - 2
    return f"{name[:head]}…{name[max(head, differs - room // 3) :][:room]}…"


def _title_cell(record: Record, cells: int) -> str:
    """Return the name, a sweep's behind a sign that says whether its runs are shown, these further in."""
    fold = "  " if record["home"] else "" if record["leaf"] else "▾ " if record["open"] else "▸ "
    cells = max(1, cells - len(fold)) if cells else 0
    view: JobView = record["view"]
    name = _job_name(view)
    if view.sweep and 0 < cells < len(name):
        # The keys are those of its fellows.
        return elide(" ".join(part.partition("=")[2] or part for part in name.split()), cells)
    return elide_alike(name, cells, record["apart"]) if cells else name


def _state_cell(record: Record, cells: int) -> Content:
    """Return the state; how much is done of what runs and knows it; what a queued one waits for."""
    view: JobView = record["view"]
    if view.health == "stalled":
        return Content.styled("… stalled?", "$warning")
    if view.health == "silent":
        return Content.styled("? silent", "$warning")
    glyph, colour = STATES.get(view.state, ("·", "$quiet"))
    if view.state == "running" and view.share is not None:
        return Content.assemble((f"{glyph} ", colour), _progress_bar(view.share, (cells or STATE_CELLS) - 2))
    if view.state == "running" and view.done is not None:
        return Content.assemble(
            (f"{glyph} ", colour), safe_text(f"{format_number(view.done)} {view.unit}".rstrip())
        )
    if view.state == "queued" and view.waiting:
        return Content.assemble((f"{glyph} ", colour), safe_text(view.waiting))
    return Content.assemble(state_label(view.state))


def _format_rate(record: Record) -> str:
    rate = record["view"].rate
    return "" if rate is None else f"{rate:.3g}/s" if rate < 1e4 else f"{format_number(rate)}/s"


def _format_loss(record: Record) -> str:
    return "" if record["loss"] is None else f"{record['loss']:.4f}"[:6].rstrip(".")


def _format_start(record: Record) -> str:
    at = record["view"].started
    if at is None:
        return ""
    then, now = time.localtime(at), time.localtime()
    return time.strftime("%H:%M" if then[:3] == now[:3] else "%d %b", then)


def _short_reason(view: JobView) -> str:
    """Return the reason, without the state that stands beside it: `by you`, not `stopped: stopped by you`."""
    return view.reason.removeprefix(f"{view.state} ")


JOB_COLUMNS = (
    Column("id", "id", 5, "right", show=lambda r: Content.assemble(r["sign"], f"{r['id']:>4}")),
    Column("title", "title", fit=_title_cell),
    Column("state", "state", 2 * STATE_CELLS, least=STATE_CELLS, fit=_state_cell),
    Column("rate", "rate", 8, "point", show=_format_rate, drop=4),
    Column("eta", "eta", 6, "right", show=lambda r: safe_text(format_duration(r["eta"])), drop=1),
    Column("loss", "loss", 8, "point", show=_format_loss, drop=2),
    Column("start", "start", 6, "right", show=_format_start, drop=5),
    Column("took", "took", 6, "right", show=lambda r: safe_text(format_duration(r["took"])), drop=3),
    Column("reason", "reason", show=lambda r: safe_text(_short_reason(r["view"]), "$quiet"), drop=6, room=90),
)


def _make_value_cell(which: str) -> Callable[[Record], str]:
    def format_value(row: Record) -> str:
        value = row[which]
        return (
            ""
            if value is None
            else format_bytes(value)
            if row["metric"].endswith("_bytes")
            else f"{value:.5g}"
        )

    return format_value


FILE_COLUMNS = (
    Column("file", "file"),
    Column("size", "size", 10, "point", show=lambda record: format_bytes(record["size"])),
    Column("changed", "changed", 8, show=lambda record: format_time(record["changed"]), drop=1),
)

METRIC_COLUMNS = (
    Column("metric", "metric", fit=lambda row, cells: safe_text(_measure_in(row, cells))),
    Column("last", "last", 11, "point", show=_make_value_cell("last")),
    Column("least", "least", 11, "point", show=_make_value_cell("least"), drop=1),
    Column("most", "most", 11, "point", show=_make_value_cell("most"), drop=1),
    Column("values", "values", 8, "right", drop=2),
    Column("meaning", "meaning", drop=3, room=110),
)
METRICS_OF_RUNS = tuple(column for column in METRIC_COLUMNS if column.name != "last")
"""Of several runs there is no last value."""


def metric_row(name: str, curves: Sequence[MetricCurve], apart: int) -> Record:
    """Return the row of a measure.

    Args:
        name: the measure.
        curves: its curves, one for each run.
        apart: the character at which its short name begins to differ from the others'.
    """
    last = curves[0].last if len(curves) == 1 else None
    row = {"id": name, "metric": name, "last": last, "values": sum(curve.count for curve in curves)}
    ends = {
        "least": min((low for curve in curves for low in curve.low), default=None),
        "most": max((high for curve in curves for high in curve.high), default=None),
    }
    return {**row, **ends, "apart": apart, "meaning": MEASURES.get(name, "")}


def _measure_in(row: Record, cells: int) -> str:
    name = "".join(shorten_measure(row["metric"]))
    return elide_alike(name, cells, row["apart"]) if cells else name


_SIDE = "its title is the name of a job or an attempt; left and right are its fields"


def diff_columns(left: str, right: str) -> tuple[Column, ...]:
    """Return the columns of a comparison of two jobs, with their names as titles."""

    def make_value_cell(side: str) -> Callable[[Record], str]:
        return lambda record: _value_text(record["key"], record[side])

    return (
        Column("part", "part", 7, drop=1),
        Column("key", "key", 18, show=lambda record: safe_text("".join(shorten_measure(record["key"])))),
        Column("left", left, show=make_value_cell("left"), unfiltered=_SIDE),
        Column("right", right, show=make_value_cell("right"), unfiltered=_SIDE),
    )


def diff_rows(found: JobComparison) -> list[Record]:
    """Return the rows of a comparison: settings, results and environment."""
    parts = {"setting": found.settings, "result": found.results, "machine": found.environment}
    return [
        {"id": f"{part}.{row.key}", "part": part, "key": row.key, "left": row.left, "right": row.right}
        for part, rows in parts.items()
        for row in rows
    ]


def standing_columns(measure: str) -> tuple[Column, ...]:
    """Return the columns of a sweep's standings by a measure."""
    named = "its title is the name of a measure; value is its field"
    return (
        Column("setting", "setting", 16),
        Column("value", "".join(shorten_measure(measure)), 24, unfiltered=named),
        Column("runs", "runs", 5, "right", drop=3),
        Column("failed", "failed", 6, "right", drop=4),
        Column("best", "to the best [95 %]", unfiltered="its title says of what; best is its field", drop=1),
        Column("p", "p", 6, drop=2),
    )


def standing_rows(found: SettingRanking) -> list[Record]:
    """Return the rows of a sweep's standings."""
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


def _value_text(key: str, value: Any) -> str:
    """Return a value in as few digits as tell it apart; what is not there is a dash."""
    if value is None:
        return "–"
    if key.endswith("_bytes") and isinstance(value, int | float):
        return format_bytes(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return format_count(value)
    return format_number(value) if isinstance(value, float) else str(value)


def summarise_job(view: JobView, cells: int, extra: Sequence[Content] = ()) -> Content:
    """Summarise a job in a few lines.

    A live or successful job has its state, progress, speed and time; any other first the reason, then the
    hint.

    Args:
        view: the job.
        cells: the width of the lines.
        extra: lines that come from the job's log.
    """
    # A job that ended without success: its reason counts, not how far it came.
    if not view.live and view.state != "succeeded":
        glyph, colour = STATES.get(view.state, ("·", "$quiet"))
        code = f"{view.code} " if view.code else ""
        why = _short_reason(view)
        mark = " " if why != view.reason else ": "
        lines = [Content.assemble((f"{glyph} {view.state}", f"{colour} bold"), mark, safe_text(code + why))]
        if view.protected:
            lines.append(safe_text("protected", "$quiet"))
        if view.remedy:
            lines.append(safe_text(view.remedy, "$quiet"))
        return Content("\n").join([*lines, *extra])
    # Otherwise state, progress and time, as far as they are known.
    parts = [Content.assemble(state_label(view.state))]
    if view.protected:
        parts.append(safe_text("protected", "$quiet"))
    if view.waiting:
        parts.append(safe_text(f"waits: {view.waiting}"))
    if view.live and view.cluster_id:
        parts.append(safe_text(f"Slurm {view.cluster_id}", "$quiet"))
    if view.done is not None:
        total = f" of {format_count(int(view.total))}" if view.total else ""
        parts.append(safe_text(f"{format_count(int(view.done))}{total} {view.unit}".rstrip()))
    if view.live:
        if view.rate is not None:
            parts.append(safe_text(f"{format_number(view.rate)} {view.unit or 'steps'}/s"))
        if view.eta_s is not None:
            parts.append(safe_text(f"{format_duration(view.eta_s)} left"))
    elif view.wall_s is not None:
        parts.append(safe_text(f"in {format_duration(view.wall_s)}"))
    lines = [flow_parts(parts, cells)]
    if view.live and view.share is not None:
        lines.append(_progress_bar(view.share, cells))
    if view.reason:
        lines.append(safe_text(view.reason, "$warning"))  # of a sweep: which of its runs have not succeeded
    if odd := _warning_parts(view):
        lines.append(flow_parts(odd, cells))
    return Content("\n").join([*lines, *extra])


def list_measures(view: JobView, device: Mapping[str, Any], first_loss: float | None) -> list[Content]:
    """Return what is known of a job's loss, learning rate, throughput, device and memory.

    Args:
        view: the job.
        device: as `device_of` returns it.
        first_loss: the first loss of the whole job, for `1.82 → 0.31`.
    """
    known = dict(view.metrics)
    parts = []
    # 1. What trainings report, in a fixed order.
    loss = known.pop("loss_nats", None)
    if loss is not None:
        began = "" if first_loss is None else f"{format_number(first_loss)} → "
        parts.append(safe_text(f"loss {began}{format_number(loss)}"))
    if (rate := known.pop("lr", None)) is not None:
        parts.append(safe_text(f"lr {format_number(rate)}"))
    tokens, examples = known.pop("tokens_per_s", None), known.pop("examples_per_s", None)
    if tokens is not None:
        parts.append(safe_text(f"{format_number(tokens)} tok/s"))
    elif examples is not None:
        parts.append(safe_text(f"{format_number(examples)} ex/s"))
    memory = known.pop("memory_bytes", None)
    # 2. Of other work the first four measures by their own names.
    if loss is None:
        parts += [safe_text(f"{key} {format_number(value)}") for key, value in list(known.items())[:4]]
    # 3. The memory of the device that is used.
    gpus = bool(device.get("gpus"))
    name = str(device["device"]) if gpus else "CPU"
    if used := (gpus and memory) or view.memory_bytes or view.peak_bytes:
        at_most = "" if view.live else " at most"
        parts.append(safe_text(f"{name}, {format_bytes(used)}{at_most}", "$quiet"))
    return parts


def shorten_measure(name: str) -> tuple[str, str]:
    """Shorten a measure's name: `val kmeans` and ` %` for `validation_kmeans_percent`."""
    short = name.replace("validation_", "val ")
    stem = short.removesuffix("_percent")
    return stem, " %" if stem != short else ""


def _progress_bar(share: float, cells: int) -> Content:
    room = max(4, cells - 6)
    filled = min(room, round(share * room))
    return Content.assemble(
        ("━" * filled, "$accent"), ("─" * (room - filled), "$line"), (f"{share:>5.0%}", "$quiet")
    )


def _warning_parts(view: JobView) -> list[Content]:
    parts = []
    beat = view.heartbeat_age_s
    # Three missed heartbeats, as in `workbench.jobs.machine`.
    if view.live and beat is not None and beat > 15:
        parts.append(safe_text(f"heartbeat {format_duration(beat)} old", "$warning"))
    if view.live and view.health == "stalled":
        parts.append(safe_text(f"no event for {format_duration(view.last_event_age_s)}", "$warning"))
    if view.offer_kill:
        parts.append(safe_text("it will not stop by itself: X kills it", "$warning"))
    return parts


def flow_parts(parts: Sequence[Content], cells: int) -> Content:
    """Join parts into lines of at most `cells` cells; a line ends only between parts."""
    dot = Content.styled(" · ", "$quiet")
    lines: list[Content] = []
    for part in parts:
        if lines and lines[-1].cell_length + 3 + part.cell_length <= cells:
            lines[-1] = lines[-1] + dot + part
        else:
            lines.append(part)
    return Content("\n").join(lines)


def job_selection(job: JobView, line: CommandLine, *words: object) -> PaneSelection:
    """Return a job as a selection; `words` are those of its command line, `show` by default."""
    command = line("jobs", *map(str, words or ("show", job.id)))
    forms = (
        CopyForm("c", "command line", lambda: command),
        CopyForm("i", "id", lambda: str(job.id)),
        CopyForm("p", "run folder", lambda: job.folder),
        CopyForm("r", "recipe as TOML", job.spec.to_toml),
        json_form(lambda: asdict(job)),
    )
    return PaneSelection(f"job/{job.id}", f"job {job.id}", command, forms, lambda: job.title)


_READINGS = 4
"""So many of each device at least, so that a curve can be seen."""


class JobListing(TreeListing):
    """The jobs, newest first; the runs of a sweep are folded under it unless a filter matches them."""

    BINDINGS = bindings(FOLD_KEYS)

    jobs: Sequence[JobView] = ()
    unfolded: frozenset[int] = frozenset()
    plain = False

    def show_jobs(self, jobs: Sequence[JobView]) -> None:
        """Show a list of jobs in the table."""
        self.jobs = jobs
        self._fill_rows(filtered=bool(self.query_text))

    def _fill_rows(self, *, filtered: bool) -> None:
        # Runs by their sweep, oldest first.
        runs: dict[int, list[JobView]] = {view.id: [] for view in self.jobs if view.task == "sweep"}
        for view in reversed(self.jobs):
            if view.sweep in runs:
                runs[view.sweep].append(view)
        shown: list[JobView] = []
        for view in self.jobs:
            # A run is shown below its sweep, and alone only if the sweep is gone.
            if view.sweep not in runs:
                shown.append(view)
                shown += runs.get(view.id, ()) if filtered or view.id in self.unfolded else ()
        self.plain = bool(getattr(self.app, "ascii", False))
        self.load(job_records(shown, self.unfolded, plain=self.plain))

    def _apply_filter(self, text: str) -> None:
        self._fill_rows(filtered=bool(text.strip()))
        super()._apply_filter(text)

    def toggle_node(self, key: str) -> None:
        self.unfolded ^= {int(key)}
        self.show_jobs(self.jobs)
        self.table.go_to(key)

    def go_to(self, key: str) -> bool:
        """Put the cursor on a job, unfolding its sweep if necessary; return whether it exists."""
        sweep = next((view.sweep for view in self.jobs if str(view.id) == key), 0)
        if sweep and self.table.rows.find_index(key) is None:
            self.unfolded |= {sweep}
            self.show_jobs(self.jobs)
        return super().go_to(key)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Let left and right move between panes where there is nothing to fold or unfold."""
        row = self.table.current or {"leaf": True, "home": "", "open": False}
        if (action == "right" and row["leaf"]) or (action == "left" and not (row["open"] or row["home"])):
            return False
        return super().check_action(action, parameters)

    def state(self) -> dict[str, object]:
        return {**super().state(), "unfolded": sorted(self.unfolded)}

    async def restore(self, state: Mapping[str, object]) -> None:
        if isinstance(numbers := state.get("unfolded"), list):
            self.unfolded = frozenset(number for number in numbers if isinstance(number, int))
        await super().restore(state)


class JobList(ListPane):
    """The pane that lists jobs; it reports the job under the cursor, opened jobs and changed marks."""

    listing: JobListing

    def __init__(self, *, id: str) -> None:
        super().__init__(JobListing(JOB_COLUMNS, id="jobs"), title="jobs", id=id, share=3)
        self.listing.home = "job"

    def show_jobs(self, jobs: Sequence[JobView]) -> None:
        """Show a list of jobs, or how to start the first one."""
        if not jobs:
            self.listing.when_empty("No jobs yet", _starting_advice())
        self.listing.show_jobs(jobs)
        if self.table.marks:
            self.post_message(self.Marked(self))

    def show_meters(self, meters: Mapping[str, LoadMeter]) -> None:
        """Show the recent load and memory of the devices, GPUs first, as far as there is room."""
        # As many devices as fit with the fewest readings, then as many readings as fit for all of them.
        room, shown = self.size.width - 4, dict[str, LoadMeter]()
        for name in sorted(meters, key=lambda name: not name.startswith("GPU")):
            more = {**shown, name: meters[name]}
            shown = more if text_width(_meter_text(more, _READINGS)) <= room else shown
        lines = (_meter_text(shown, readings) for readings in range(KEPT, _READINGS - 1, -1))
        self.footnote = next((line for line in lines if text_width(line) <= room), "")

    @property
    def job(self) -> JobView | None:
        record = self.table.current
        return None if record is None else cast("JobView", record["view"])

    @property
    def marked(self) -> list[JobView]:
        return [record["view"] for record in self.table.marked]

    def selection(self, line: CommandLine) -> PaneSelection | None:
        return None if self.job is None else job_selection(self.job, line)

    def exports(self) -> Sequence[Export]:
        if not self.table.shown:
            return ()
        fields = self.listing.fields

        def make_table() -> tuple[Sequence[str], list[list[object]]]:
            return fields, [[record[name] for name in fields] for record in self.table.visible_records()]

        facts = {"filter": self.listing.query_text}
        return table_exports("table of jobs", "jobs", {".csv": "t", ".jsonl": "j"}, make_table, facts)

    def list_signs(self) -> Sequence[tuple[str, str]]:
        glyphs = " ".join(series_sign(number, plain=self.listing.plain)[0] for number in (1, 2, 3))
        return (
            ("▸ ▾", "a sweep: l shows its runs under it, h folds them"),
            (glyphs, "a glyph and a colour for each job, in the plot too"),
            ("… ━━──", "running, and how far"),
            ("✓", "succeeded"),
            ("✗", "failed: its detail shows why"),
            ("■", "stopped: its detail shows by whom"),
            ("?", "lost or not responding"),
            ("⣀⣤⣶", "load and memory over the last minute"),
        )

    def lookups(self) -> Sequence[Lookup]:
        return (Lookup("job", "Go to a job by its number.", self.go_to),)


def _starting_advice() -> str:
    """Return what stands here in time, and how to begin."""
    from workbench.recipes import quickest_recipe

    try:
        recipe = quickest_recipe()
        first = f"; enter then runs the quickest: {recipe.name}, about {format_duration(recipe.minutes * 60)}"
    except EngineError:
        first = ""
    what = "Trainings and other long work appear here, with their state, speed and time left."
    return f"{what} They go on when this window is closed.\n\na starts one{first}."


def _meter_text(meters: Mapping[str, LoadMeter], readings: int) -> str:
    return " · ".join(f"{name} {meter.format_readings(readings)}" for name, meter in meters.items())


def destinations(workspace: Workspace) -> Iterator[Destination]:
    """Return the recipes that can be started, and the jobs."""
    from workbench.jobs import control
    from workbench.recipes import is_launchable, list_recipes

    for recipe in list_recipes():
        if is_launchable(recipe):
            yield Destination((("train", recipe.name),), recipe.title)
    for view in control.list_jobs(workspace):
        yield Destination((("job", str(view.id)),), f"{view.title}, {view.state}")

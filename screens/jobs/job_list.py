"""The list of jobs: its table, with the runs of a sweep folded under it, and its pane."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, cast

from textual.content import Content

from engines.core.errors import EngineError
from screens.jobs.columns import differing_at, elide_alike
from screens.jobs.summary import draw_progress
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
from screens.shell.theme import STATES, elide, format_number, safe_text, state_label, text_width
from screens.shell.watch import KEPT, LoadMeter
from screens.widgets.pane import ListPane, TreeListing
from screens.widgets.plot import series_sign
from screens.widgets.table_columns import Record
from workbench.jobs.job_table import JOBS, short_reason
from workbench.tables import LazyRow, format_duration
from workbench.workspace import Workspace

if TYPE_CHECKING:
    from workbench.jobs.job_views import JobView


_STATE_CELLS = 11


def job_records(
    views: Sequence[JobView], unfolded: Collection[int] = (), *, plain: bool = False
) -> list[LazyRow]:
    """Return the rows of the table of jobs, with what its cells and its folding need.

    Of these `view` is the job, `sign` its glyph and colour (the same as in the plot), `apart` the
    character at which its name begins to differ from the others', and for folding `home` is its sweep,
    `leaf` whether it is not a sweep, and `open` whether it is unfolded.
    """
    # Runs whose sweep is not in the list stand alone.
    there = {view.id for view in views}
    names = [_job_name(view) for view in views]
    shared = dict(zip(names, differing_at(names), strict=True))
    rows = []
    for view, name in zip(views, names, strict=True):
        row = JOBS.make_row(view)
        row.update(
            sign=series_sign(view.id, plain=plain),
            apart=shared[name],
            home=str(view.sweep) if view.sweep in there else "",
            leaf=view.task != "sweep",
            open=view.id in unfolded,
        )
        rows.append(row)
    return rows


def _job_name(view: JobView) -> str:
    """Return a training by the name of its recipe, since all begin with the same word; one of a sweep by what
    makes it one of several.
    """
    name = view.title.removeprefix("train ")
    return name.removeprefix(f"{view.params.get('recipe')} ") if view.sweep else name


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
        return Content.assemble((f"{glyph} ", colour), draw_progress(view.share, (cells or _STATE_CELLS) - 2))
    if view.state == "running" and view.done is not None:
        return Content.assemble(
            (f"{glyph} ", colour), safe_text(f"{format_number(view.done)} {view.unit}".rstrip())
        )
    if view.state == "queued" and view.waiting:
        return Content.assemble((f"{glyph} ", colour), safe_text(view.waiting))
    return Content.assemble(state_label(view.state))


def _rate_cell(row: Record) -> str:
    rate = row["rate"]
    return "" if rate is None else f"{rate:.3g}/s" if rate < 1e4 else f"{format_number(rate)}/s"


_DRAWN = JOBS.screen_columns(
    {"title": _title_cell, "state": _state_cell},
    id=lambda row: Content.assemble(row["sign"], f"{row['id']:>4}"),
    rate=_rate_cell,
    reason=lambda row: safe_text(short_reason(row["view"]), "$quiet"),
)
# The reason is the longest text, so it stands at the end of the line.
JOB_COLUMNS = tuple(sorted(_DRAWN, key=lambda column: column.name == "reason"))


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
        """Return what the session stores: the list's state and the sweeps that are unfolded."""
        return {**super().state(), "unfolded": sorted(self.unfolded)}

    async def restore(self, state: Mapping[str, object]) -> None:
        """Set the list and its unfolded sweeps as the session stored them."""
        if isinstance(numbers := state.get("unfolded"), list):
            self.unfolded = frozenset(number for number in numbers if isinstance(number, int))
        await super().restore(state)


class JobList(ListPane):
    """The pane that lists jobs; it reports the job under the cursor, opened jobs and changed marks."""

    listing: JobListing

    def __init__(self, *, id: str) -> None:
        super().__init__(JobListing(JOB_COLUMNS, id="jobs", fields=JOBS.fields), title="jobs", id=id, share=3)
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
        """Return the job under the cursor, or None."""
        record = self.table.current
        return None if record is None else cast("JobView", record["view"])

    @property
    def marked_jobs(self) -> list[JobView]:
        """Return the jobs that are marked, in the order in which they were."""
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
    from workbench.jobs import job_registry
    from workbench.recipes import is_launchable, list_recipes

    for recipe in list_recipes():
        if is_launchable(recipe):
            yield Destination((("train", recipe.name),), recipe.title)
    for view in job_registry.list_jobs(workspace):
        yield Destination((("job", str(view.id)),), f"{view.title}, {view.state}")

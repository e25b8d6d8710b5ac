"""The right pane of the Jobs screen: how far a job is, its curves beside those of others, and its log,
metrics, recipe, differences and files."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual import events, on, work
from textual.app import ComposeResult
from textual.widget import Widget
from textual.widgets import Static
from textual.worker import get_current_worker

from engines.core.errors import EngineError
from screens.jobs.columns import flow, measures, summary
from screens.jobs.curves import CurvePlot, Points, shortened, validation
from screens.jobs.files import FILE_COLUMNS, MOST, job_files
from screens.jobs.follow import Follower, News, RunCurves, line_colour
from screens.text import number, safe_text, size
from screens.widgets.listing import Listing, ReaderBox
from screens.widgets.pane import Page, Pane
from screens.widgets.plot import MOST_SERIES
from screens.widgets.reader import Reader
from screens.widgets.rows import Column, Record
from screens.widgets.table import Table

if TYPE_CHECKING:
    from workbench.jobs.compare import Comparison
    from workbench.jobs.tail import Curve
    from workbench.jobs.view import JobView

__all__ = ["Detail"]

METRIC_COLUMNS = (
    Column("name", "metric"),
    Column("last", "last", 11, "right", show=lambda r: f"{r['last']:.5g}"),
    Column("low", "least", 11, "right", show=lambda r: f"{r['low']:.5g}", drop=1),
    Column("high", "most", 11, "right", show=lambda r: f"{r['high']:.5g}", drop=1),
    Column("count", "values", 8, "right", drop=2),
)

DRAW_EVERY_S = 0.25
"""A long log is read in many pieces; the plot is not drawn anew for each."""


class Detail(Pane):
    """Shows one job. `show_job` puts another there or brings the same one up to date, `overlay` draws the
    curves of marked jobs beside its own."""

    DEFAULT_CSS = """
    Detail #summary { height: auto; max-height: 7; padding: 0 1; }
    Detail Plot { height: 12; margin: 0 1; }
    Detail #log-state { height: 1; padding: 0 1; color: $quiet; }
    Detail.-low Plot { height: 7; }
    Detail.-low #summary { max-height: 5; }
    Detail.-high Plot { height: 18; }
    """

    def __init__(self, *, id: str) -> None:
        super().__init__(title="job", id=id, share=10)
        self.view: JobView | None = None
        self.apart = False
        """Whether the attempts are drawn as curves of their own."""
        self._follower: Follower | None = None
        self._marked: tuple[JobView, ...] = ()
        self._others: dict[int, RunCurves] = {}
        self._drawn = 0.0
        self._reading = False

    def compose(self) -> ComposeResult:
        log = ReaderBox(id="log", follow=True)
        log.reader.style = line_colour
        yield Static(id="summary")
        yield CurvePlot()
        yield Page("log", log, Static(id="log-state"), id="log-page")
        yield Page("metrics", id="metrics-page", make=self._make_metrics)
        yield Page("config", id="config-page", make=lambda: [ReaderBox(id="config")])
        yield Page("diff", id="diff-page", make=self._make_diff)
        yield Page("files", id="files-page", make=self._make_files)
        yield from super().compose()

    def _make_metrics(self) -> Iterable[Widget]:
        listing = Listing(METRIC_COLUMNS, id="metrics", counts=False)
        listing.when_empty("No metrics yet", "They appear as the work reports them.")
        yield listing

    def _make_diff(self) -> Iterable[Widget]:
        listing = Listing(_diff_columns("left", "right"), id="diff", counts=False)
        listing.when_empty("Nothing to compare", "Mark two jobs with space, then press d.")
        yield listing

    def _make_files(self) -> Iterable[Widget]:
        listing = Listing(FILE_COLUMNS, id="files", counts=False)
        listing.when_empty("No files", "The run folder is empty or gone.")
        yield listing

    async def on_mount(self) -> None:
        self.set_interval(0.25, self.poll)

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(event.size.height < 28, "-low")
        self.set_class(event.size.height > 42, "-high")
        self._summarise()

    @property
    def plot(self) -> CurvePlot:
        """The plot."""
        return self.query_one(CurvePlot)

    def show_job(self, view: JobView | None) -> None:
        """Show this job, or that there is none."""
        self.view = view
        if view is None:
            self.title = "job"
            self._follower = None
            self.plot.display = False
            self.query_one("#summary", Static).update("")
            self.query_one("#log", ReaderBox).reader.show([])
            self.query_one("#log-state", Static).update("")
            return
        self.title = f"{view.id} {view.title} · attempt {view.attempt}"
        self._summarise()
        key, before = (view.folder, view.attempt), self._follower
        if before is None or before.key != key:
            same = before if before is not None and before.key[0] == view.folder else None
            out = Path(view.out) if view.task == "train" and view.out else None
            self._follower = Follower(Path(view.folder), view.attempt, out, same)
            self.apart = self.apart and same is not None
            if same is None:
                self.plot.metric = ""
            self.query_one("#log", ReaderBox).reader.show([])
            self._log_state()
            self._draw()
            self._fill_page()
            self.poll()

    def overlay(self, marked: Sequence[JobView]) -> None:
        """Draw the curves of these jobs too, each in its own colour."""
        self._marked = tuple(marked)
        known, self._others = self._others, {}
        for view in marked[:MOST_SERIES]:
            before = known.get(view.id)
            if before is None or len(before.attempts) != view.attempt:
                before = RunCurves(Path(view.folder), view.attempt, before)
            self._others[view.id] = before
        self._draw()
        self.poll()

    def _summarise(self) -> None:
        view = self.view
        if view is None:
            return
        cells, extra = self.size.width - 4, []
        if self._follower is not None:
            curves = self._follower.curves
            _, losses = curves.joined("loss_nats")
            lines = [measures(view, self._follower.device, losses[0] if losses else None)]
            lines.append(validation(view, curves, self._follower.checkpoint))
            extra = [flow(parts, cells) for parts in lines if parts]
        self.query_one("#summary", Static).update(summary(view, cells, extra))

    # Log and curves

    def poll(self) -> None:
        """Look for news of the job, unless a look is under way."""
        if self._follower is not None and not self._reading and self.screen.is_current:
            self._reading = True
            self._read_news(self._follower, list(self._others.values()))

    @work(thread=True, group="follow", exit_on_error=False)
    def _read_news(self, follower: Follower, others: list[RunCurves]) -> None:
        worker = get_current_worker()
        checkpoint = follower.checkpoint
        news = follower.read()
        added = [curves.read() for curves in others]
        told = news.curves or any(added) or follower.checkpoint != checkpoint
        more = news.more or any(curves.behind_bytes for curves in others)
        if not worker.is_cancelled:
            self.app.call_from_thread(self._take, follower, News(news.lines, told, more))

    def _take(self, follower: Follower, news: News) -> None:
        self._reading = False
        if not self.is_attached:
            return
        if follower is self._follower:
            if news.lines:
                self.query_one("#log", ReaderBox).reader.append(news.lines)
                self._log_state()
            if news.curves and (not news.more or time.monotonic() - self._drawn > DRAW_EVERY_S):
                self._draw()
                self._summarise()
        if news.more or follower is not self._follower:
            self.poll()

    def _draw(self) -> None:
        """Draw the curves as they are now, and list the metrics."""
        self._drawn = time.monotonic()
        follower, plot = self._follower, self.plot
        if follower is None:
            return
        plot.choose(follower.curves.names or [name for run in self._others.values() for name in run.names])
        drawn = plot.display
        plot.draw_runs(self._runs(follower))
        if plot.display != drawn:
            # Without a curve there is nothing to smooth: the line of keys says so.
            self.screen.refresh_bindings()
        if self._page_name == "metrics-page":
            found = [(name, follower.curves.last(name)) for name in follower.curves.names]
            rows = [_metric_row(name, curve) for name, curve in found if curve is not None]
            self.query_one("#metrics", Listing).load(rows)

    def _runs(self, follower: Follower) -> Mapping[str, Points]:
        """What is drawn: attempts of their own, marked jobs with this one, or this one alone."""
        view, name = self.view, self.plot.metric
        assert view is not None
        own = follower.curves
        if self.apart and view.attempt > 1:
            numbers = range(max(1, view.attempt - MOST_SERIES + 1), view.attempt + 1)
            return {f"attempt {number}": own.of_attempt(number, name) for number in numbers}
        runs: dict[str, Points] = {f"{view.id} {view.title}": own.joined(name)}
        for other in self._marked:
            if other.id != view.id and other.id in self._others:
                runs[f"{other.id} {other.title}"] = self._others[other.id].joined(name)
        return runs

    def smooth(self) -> float:
        """Smooth the curves more, or not any more; returns the strength."""
        strength = self.plot.next_strength()
        self._draw()
        return strength

    @on(Table.Opened, "#metrics-table")
    def _metric_chosen(self, event: Table.Opened) -> None:
        event.stop()
        self.plot.metric = event.table.current_key or ""
        self._draw()

    @on(Reader.Changed)
    def _log_state(self) -> None:
        reader = self.query_one("#log", ReaderBox).reader
        if reader.follow:
            words = "following"
        else:
            words = f"+{reader.behind} lines below" if reader.behind else "not following"
        if not reader.lines:
            words = "nothing logged yet"
        left_off = f"  ·  {reader.left_off} earlier lines are only in the file" if reader.left_off else ""
        self.query_one("#log-state", Static).update(words + left_off)

    # Config, diff, files

    async def show_diff(self, left: JobView, right: JobView) -> None:
        """Show in which settings, environments and results two jobs differ."""
        await self.show_page("diff-page")
        self.query_one("#diff", Listing).show_loading("comparing")
        self._compare(left, right)

    @work(thread=True, exclusive=True, group="diff", exit_on_error=False)
    def _compare(self, left: JobView, right: JobView) -> None:
        from workbench.jobs.compare import compare

        found = compare(left, right)
        self.app.call_from_thread(self._show_comparison, found, f"job {left.id}", f"job {right.id}")

    async def show_attempts(self) -> bool:
        """Show the last two attempts side by side and the attempts as curves of their own; when that is shown
        already, one curve and the log again. Returns: whether they are shown."""
        view = self.view
        if view is None:
            return False
        self.apart = not (self.apart and self._page_name == "diff-page")
        self._draw()
        await self.show_page("diff-page" if self.apart else "log-page")
        if self.apart:
            self.query_one("#diff", Listing).show_loading("comparing")
            self._compare_attempts(view)
        return self.apart

    @work(thread=True, exclusive=True, group="diff", exit_on_error=False)
    def _compare_attempts(self, view: JobView) -> None:
        from workbench.jobs.compare import compare_attempts
        from workbench.jobs.folder import Job
        from workbench.jobs.view import attempt_view

        job = Job(view.id, Path(view.folder))
        left, right = (attempt_view(job.attempt(number)) for number in (view.attempt - 1, view.attempt))
        names = f"attempt {left.number}", f"attempt {right.number}"
        self.app.call_from_thread(self._show_comparison, compare_attempts(left, right), *names)

    def _show_comparison(self, found: Comparison, left: str, right: str) -> None:
        listing = self.query_one("#diff", Listing)
        listing.table.columns = _diff_columns(left, right)
        listing.when_empty(f"{left} and {right} are equal", "")
        rows = [
            {"id": f"{part}.{row.key}", "part": part, "key": row.key, "left": row.left, "right": row.right}
            for part, found_rows in (
                ("setting", found.settings),
                ("result", found.results),
                ("machine", found.environment),
            )
            for row in found_rows
        ]
        listing.load(rows, keep=False)

    @property
    def _page_name(self) -> str:
        return (self.page.id or "") if self.page is not None else ""

    @on(Pane.PageShown)
    def _fill_page(self) -> None:
        if self._page_name == "diff-page":
            listing = self.query_one("#diff", Listing)
            if not len(listing.table.rows):
                listing.load([])
        if self.view is None or self._follower is None:
            return
        if self._page_name == "files-page":
            self._list_files(self.view)
        elif self._page_name == "config-page":
            self._read_config(Path(self.view.folder))
        elif self._page_name == "metrics-page":
            self._draw()

    @work(thread=True, exclusive=True, group="config", exit_on_error=False)
    def _read_config(self, folder: Path) -> None:
        try:
            lines = (folder / "recipe.toml").read_text("utf-8", "backslashreplace").splitlines()
        except OSError as error:
            lines = [f"the recipe cannot be read: {error.strerror}"]
        self.app.call_from_thread(self.query_one("#config", ReaderBox).reader.show, lines)

    @work(thread=True, exclusive=True, group="files", exit_on_error=False)
    def _list_files(self, view: JobView) -> None:
        rows = job_files(view)
        self.app.call_from_thread(self._show_files, rows)

    def _show_files(self, rows: list[Any]) -> None:
        self.query_one("#files", Listing).load(rows)
        self.footnote = f"the first {MOST} files" if len(rows) >= MOST else ""

    @property
    def file(self) -> Path | None:
        """The file to open: the one under the cursor on the files page, else the event log."""
        if self._page_name == "files-page":
            key = self.query_one("#files", Listing).table.current_key
            return Path(key) if key else None
        return self._follower.path if self._follower else None

    def curves(self) -> list[tuple[str, int, float, float, float, int]]:
        """All curves as rows: metric, step, mean, least, most, attempt."""
        if self._follower is None:
            raise EngineError("no job is shown", remedy="Choose one first.", code="E601")
        return self._follower.curves.rows()


def _diff_columns(left: str, right: str) -> tuple[Column, ...]:
    return (
        Column("part", "of", 7, drop=1),
        Column("key", "what", 18, show=lambda record: safe_text("".join(shortened(record["key"])))),
        Column("left", left, show=lambda record: _told(record["key"], record["left"])),
        Column("right", right, show=lambda record: _told(record["key"], record["right"])),
    )


def _told(key: str, value: Any) -> str:
    """A value in as few digits as tell it apart; what is not there is a dash."""
    if value is None:
        return "–"
    if key.endswith("_bytes") and isinstance(value, int | float):
        return size(value)
    return number(value) if isinstance(value, float) else str(value)


def _metric_row(name: str, curve: Curve) -> Record:
    row = {"id": name, "name": name, "last": curve.last, "count": curve.count}
    return {**row, "low": min(curve.low), "high": max(curve.high)}

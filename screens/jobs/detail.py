"""The right pane of the Jobs screen: how far a job is, its curve, and its log, metrics, recipe, files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual import events, on, work
from textual.app import ComposeResult
from textual.widget import Widget
from textual.widgets import Static
from textual.worker import get_current_worker

from engines.core.errors import EngineError
from screens.jobs.columns import summary
from screens.jobs.files import FILE_COLUMNS, MOST, job_files
from screens.jobs.follow import Follower, News, line_colour
from screens.widgets.listing import Listing, ReaderBox
from screens.widgets.pane import Page, Pane
from screens.widgets.plot import Plot, Series
from screens.widgets.reader import Reader
from screens.widgets.rows import Column, Record
from screens.widgets.table import Table

if TYPE_CHECKING:
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
DIFF_COLUMNS = (Column("key", "setting", 24), Column("left", "left"), Column("right", "right"))


class Detail(Pane):
    """Shows one job. `show_job` puts another there or brings the same one up to date."""

    DEFAULT_CSS = """
    Detail #summary { height: auto; max-height: 5; padding: 0 1; }
    Detail Plot { height: 10; margin: 0 1; }
    Detail #log-state { height: 1; padding: 0 1; color: $quiet; }
    Detail.-low Plot { height: 6; }
    """

    def __init__(self, *, id: str) -> None:
        super().__init__(title="job", id=id, share=5)
        self.view: JobView | None = None
        self._follower: Follower | None = None
        self._metric = ""
        self._reading = False

    def compose(self) -> ComposeResult:
        plot, log = Plot(), ReaderBox(id="log", follow=True)
        plot.display = False
        log.reader.style = line_colour
        yield Static(id="summary")
        yield plot
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
        listing = Listing(DIFF_COLUMNS, id="diff", counts=False)
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
        self._summarise()

    def show_job(self, view: JobView | None) -> None:
        """Show this job, or that there is none."""
        self.view = view
        if view is None:
            self.title = "job"
            self._follower = None
            self.query_one(Plot).display = False
            self.query_one("#summary", Static).update("")
            self.query_one("#log", ReaderBox).reader.show([])
            self.query_one("#log-state", Static).update("")
            return
        self.title = f"{view.id} {view.title} · attempt {view.attempt}"
        self._summarise()
        if self._follower is None or self._follower.key != (view.folder, view.attempt):
            self._follower = Follower(Path(view.folder), view.attempt)
            self._metric = ""
            self.query_one("#log", ReaderBox).reader.show([])
            self._log_state()
            self.query_one(Plot).display = False
            self._fill_page()
            self.poll()

    def _summarise(self) -> None:
        if self.view is not None:
            self.query_one("#summary", Static).update(summary(self.view, self.size.width - 4))

    # Log and curves

    def poll(self) -> None:
        """Look for news of the job, unless a look is under way."""
        if self._follower is not None and not self._reading and self.screen.is_current:
            self._reading = True
            self._read_news(self._follower)

    @work(thread=True, group="follow", exit_on_error=False)
    def _read_news(self, follower: Follower) -> None:
        worker = get_current_worker()
        news = follower.read()
        if not worker.is_cancelled:
            self.app.call_from_thread(self._take, follower, news)

    def _take(self, follower: Follower, news: News) -> None:
        self._reading = False
        if follower is not self._follower or not self.is_attached:
            return
        if news.lines:
            self.query_one("#log", ReaderBox).reader.append(news.lines)
            self._log_state()
        if news.curves:
            self._draw(follower)
        if news.more:
            self.poll()

    def _draw(self, follower: Follower) -> None:
        curves = dict(follower.curves.curves)
        losses = [name for name in curves if "loss" in name]
        self._metric = self._metric or next(iter(losses or curves), "")
        plot = self.query_one(Plot)
        plot.display = bool(curves)
        if curves:
            curve = curves[self._metric]
            plot.caption = f"{self._metric} by step"
            plot.series = (Series(self._metric, list(curve.steps), list(curve.mean)),)
        if self._page_name == "metrics-page":
            rows = [_metric_row(name, curve) for name, curve in curves.items()]
            self.query_one("#metrics", Listing).load(rows)

    @on(Table.Opened, "#metrics-table")
    def _metric_chosen(self, event: Table.Opened) -> None:
        event.stop()
        self._metric = event.table.current_key or ""
        if self._follower is not None and self._metric:
            self._draw(self._follower)

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
        """Show in which settings two jobs differ."""
        from workbench.jobs import diff

        await self.show_page("diff-page")
        listing = self.query_one("#diff", Listing)
        found = diff(left, right)
        listing.table.columns = (
            Column("key", "setting", 24),
            Column("left", f"job {left.id}"),
            Column("right", f"job {right.id}"),
        )
        listing.when_empty(f"Jobs {left.id} and {right.id} have equal recipes", "")
        rows = [{"id": row.key, "key": row.key, "left": row.left, "right": row.right} for row in found]
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
            self._draw(self._follower)

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

    def curves(self) -> list[tuple[str, int, float, float, float]]:
        """All curves as rows: metric, step, mean, least, most."""
        if self._follower is None:
            raise EngineError("no job is shown", remedy="Choose one first.", code="E601")
        return [
            (name, *point)
            for name, curve in self._follower.curves.curves.items()
            for point in zip(curve.steps, curve.mean, curve.low, curve.high, strict=True)
        ]


def _metric_row(name: str, curve: Curve) -> Record:
    row = {"id": name, "name": name, "last": curve.last, "count": curve.count}
    return {**row, "low": min(curve.low), "high": max(curve.high)}

"""The right pane of the Jobs screen: how far a job is, its curves, log, metrics, recipe and files."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.content import Content
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Static
from textual.worker import get_current_worker

from engines.core.errors import EngineError
from screens.jobs.columns import (
    FILE_COLUMNS,
    METRIC_COLUMNS,
    METRICS_OF_RUNS,
    diff_columns,
    diff_rows,
    differing_at,
    metric_row,
    shorten_measure,
    standing_columns,
    standing_rows,
)
from screens.jobs.job_list import job_selection
from screens.jobs.run_reading import (
    MAX_FILES,
    Follower,
    JobCurves,
    News,
    group_runs,
    job_files,
    last_attempts,
    recipe_lines,
    standings_of,
)
from screens.jobs.summary import flow_parts, list_measures, summarise_job
from screens.shell.export import CommandLine, Export, PaneSelection, table_exports
from screens.shell.theme import format_count, format_number, safe_text
from screens.widgets.listing import Listing, ReaderBox
from screens.widgets.pane import Page, Pane
from screens.widgets.plot import MOST_SERIES, PicturePlot, Series
from screens.widgets.reader import TextReader
from screens.widgets.table import Table
from screens.widgets.table_columns import Record
from workbench.tables import Column

if TYPE_CHECKING:
    from workbench.jobs.compare import JobComparison, SettingRanking
    from workbench.jobs.job_views import JobView


_NOTHING = "Of the job under the cursor: its curves, its log, what it measured, its settings and its files."


def smooth_values(values: Sequence[float], strength: float) -> list[float]:
    """Return the bias-corrected exponential moving average; strength 0 returns the values.

    >>> smooth_values([1.0, 3.0], 0.5)
    [1.0, 2.3333333333333335]
    """
    if not strength:
        return list(values)
    total = weight = 0.0
    result = []
    for value in values:
        total = strength * total + (1 - strength) * value
        weight = strength * weight + (1 - strength)
        result.append(total / weight)
    return result


def line_colour(line: str) -> str:
    """Return the colour of a line of the log."""
    # A line of the log begins with its time; its kind stands in the next eight cells.
    kind = line[10:18].strip()
    return {"warning": "$warning", "error": "$error", "state": "$quiet"}.get(kind, "")


STRENGTHS = (0.0, 0.6, 0.9, 0.97)
"""Of the moving average, in the order in which the key goes through them."""

CurvePoints = tuple[Sequence[float], Sequence[float]]


class CurvePlot(PicturePlot):
    """The plot of a job: set `metric` (empty for the first loss), then call `draw_runs`."""

    def __init__(self) -> None:
        super().__init__()
        self.metric = ""
        # 0: no smoothing. The key goes through `STRENGTHS`.
        self.strength = 0.0
        self.display = False
        self.legend = True

    def choose_metric(self, names: Sequence[str]) -> None:
        """Choose a metric among these names if the current one is not among them."""
        if self.metric not in names:
            self.metric = next((name for name in names if "loss" in name), names[0] if names else "")

    def draw_runs(
        self,
        runs: Mapping[tuple[int | None, str], Sequence[CurvePoints]],
        undefined: Sequence[tuple[Sequence[int], int]] = (),
    ) -> None:
        """Draw the curves of runs.

        Args:
            runs: for each sign and name, the curves that are drawn alike.
            undefined: for each run the steps without a finite value, and how many there were.
        """
        series = []
        for (sign, name), curves in runs.items():
            xs, ys = list[float](), list[float | None]()
            for steps, values in curves:
                if len(steps):
                    # A gap is left between one curve and the next.
                    xs += [steps[0], *steps]
                    ys += [None, *smooth_values(values, self.strength)]
            # The gap that the loop puts before the first curve is cut off again.
            if xs:
                series.append(Series(name, xs[1:], ys[1:], sign))
        self.display = bool(series)
        how = f", smoothed {self.strength}" if self.strength else ""
        bad = sum(number for _, number in undefined)
        missing = f", × {bad:,} not finite" if bad else ""
        self.caption = f"{self.metric} by step{how}{missing}"
        # They have no width: the axis is marked in the cell of each, a picture with a thin line.
        self.gaps = tuple((float(step), float(step)) for steps, _ in undefined for step in steps)
        self.series = tuple(series)


def _read_marked(runs: Sequence[JobCurves]) -> News:
    added = [curves.read_piece() for curves in runs]
    return News((), any(added), any(curves.unread_bytes for curves in runs))


def best_metric(params: Mapping[str, Any], names: Sequence[str]) -> tuple[str, bool]:
    """Return the measure that judges a training run (empty if none), and whether less of it is better."""
    train = params.get("train")
    train = train if isinstance(train, Mapping) else {}
    if (best := train.get("best")) in names:
        return str(best), bool(train.get("best_is_lowest", False))
    result = next((name for name in names if name.startswith("validation")), "")
    return result, "loss" in result


def validation_parts(view: JobView, curves: JobCurves, checkpoint: str) -> list[Content]:
    """Return the last and best value of the decisive measure, and the checkpoint that a resume would use."""
    parts = []
    name, lowest = best_metric(view.params, curves.names)
    steps, values = curves.join_attempts(name) if name else ([], [])
    if values:
        best = min(values) if lowest else max(values)
        at = steps[values.index(best)]
        short, percent = shorten_measure(name)
        if values[-1] == best:
            parts.append(safe_text(f"{short} {format_number(best)}{percent} ▲ best, at {format_count(at)}"))
        else:
            parts.append(safe_text(f"{short} {format_number(values[-1])}{percent} ▼"))
            parts.append(safe_text(f"best {format_number(best)}{percent} at {format_count(at)}"))
    if checkpoint:
        bad = "damaged" in checkpoint or "no sound" in checkpoint
        parts.append(safe_text(checkpoint, "$warning" if bad else "$quiet"))
    return parts


T = TypeVar("T")

DRAW_EVERY_S = 0.5
"""A long log is read for so long at a time; the plot is not drawn anew more often."""

GIVE_WAY_S = 0.001
"""Between two pieces of a log, so that keys come before it."""

REST_S = 0.1
"""So long the cursor rests on a job before its curves are drawn and its log is read: while it runs down the
list there is no need."""

MOST_RUNS = 100
"""So many runs of a sweep are read and drawn."""

REMEMBERED = 8
"""So many jobs that were looked at last keep their curves."""


_TAIL = 1_000
"""So many lines does the command print that a yanked log comes to."""
_EMPTY_READS = 2
"""Of jobs that are over, so many readings in a row without news are enough."""


class Detail(Pane):
    """The pane of one job.

    `show_job` shows another job or updates the same one, and `overlay_jobs` draws the curves of marked jobs
    with its own. `Opened` is posted for the file under the cursor.
    """

    DEFAULT_CSS = """
    Detail #summary { height: auto; max-height: 7; padding: 0 1; }
    Detail #verdict { height: auto; padding: 0 1; display: none; }
    Detail PlotWidget { height: 2fr; margin: 0 1; }
    Detail #log-state { height: 1; padding: 0 1; color: $quiet; }
    Detail.-low #summary { max-height: 5; }
    Detail.-sweep #diff-page { height: auto; max-height: 50%; }
    Detail.-sweep #diff { height: auto; }
    Detail.-sweep #diff-table { height: auto; max-height: 14; }
    """

    def __init__(self, *, id: str) -> None:
        super().__init__(title="job", id=id, share=4)
        self.view: JobView | None = None
        self._empty_reads = 0
        self.apart = False
        """Whether the attempts are drawn as curves of their own."""
        self._follower: Follower | None = None
        self._marked: tuple[JobView, ...] = ()
        self._members: tuple[JobView, ...] = ()
        """The runs of the sweep that is shown."""
        self._settings: Mapping[str, Sequence[int]] = {}
        """Of the sweep that is shown: what is drawn alike, by name."""
        self._stood: tuple[object, ...] = ()
        """What the standings that are shown were made of."""
        # Curves of marked jobs, or of the runs of the sweep that is shown, by job.
        self._others: dict[int, JobCurves] = {}
        # Curves of jobs that were looked at last, by run folder and attempt.
        self._read: dict[tuple[str, int], JobCurves] = {}
        self._rows = 0
        self._begins = 0.0
        self._resting: Timer | None = None
        self._fresh = False
        # Whether a thread reads at the moment: the job's own log, and the curves drawn with it.
        self._reading = self._reading_marked = False
        self._compared: tuple[int, ...] = ()
        """The jobs, or the sweep, whose comparison is shown."""

    def compose(self) -> ComposeResult:
        log = ReaderBox(id="log", follow=True)
        log.reader.style = line_colour
        yield Static(id="summary")
        yield CurvePlot()
        yield Page("log", log, Static(id="log-state"), id="log-page")
        metrics = "No metrics yet", "They appear as the work reports them."
        diff = "Nothing to compare", "Mark two jobs with space, then press d."
        yield self._list_page("metrics", METRIC_COLUMNS, metrics)
        yield Page("config", id="config-page", make=lambda: [ReaderBox(id="config")])
        yield self._list_page("diff", diff_columns("left", "right"), diff, Static(id="verdict"))
        yield self._list_page("files", FILE_COLUMNS, ("No files", "The run folder is empty or gone."))
        yield from super().compose()

    def _list_page(
        self, name: str, columns: Sequence[Column], empty: tuple[str, str], *above: Widget
    ) -> Page:
        def make_listing() -> list[Widget]:
            fields = [column.name for column in columns]
            return [*above, Listing(columns, id=name, fields=fields, empty=empty)]

        return Page(name, id=f"{name}-page", make=make_listing)

    async def on_mount(self) -> None:
        self.set_interval(0.25, self._poll_if_live)

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(event.size.height < 28, "-low")
        self._show_summary()

    @property
    def _log(self) -> TextReader:
        return self.query_one("#log", ReaderBox).reader

    @property
    def plot(self) -> CurvePlot:
        """Return the plot of the curves."""
        return self.query_one(CurvePlot)

    async def show_job(self, view: JobView | None, members: Sequence[JobView] = ()) -> None:
        """Show a job, or update the one that is shown; `members` are the runs of a sweep."""
        last, self.view = self.view, view
        # Something about the job has changed: look for news again.
        if view != last or tuple(members) != self._members:
            self._empty_reads = 0
        self._members = tuple(members)
        # Step 1: no job is under the cursor.
        if view is None:
            self.title = "job"
            self._follower = None
            self.plot.display = False
            self.query_one("#summary", Static).update(safe_text(_NOTHING, "$quiet"))
            self._log.show_lines([])
            self.query_one("#log-state", Static).update("")
            if last is not None:  # the other pages would still be full of it
                self.set_class(False, "-sweep")
                await self.show_page("log-page")
            return
        # Step 2: the title, and a follower for the attempt.
        attempt = f" · attempt {view.attempt}" if view.task != "sweep" else ""
        self.title = f"{view.id} {view.title}{attempt}"
        # The follower reads the log and curves of one attempt; another attempt needs another one.
        key, before = (view.folder, view.attempt), self._follower
        if before is None or before.key != key:
            same = before if before is not None and before.key[0] == view.folder else None
            out = Path(view.out) if view.task == "train" and view.out else None
            self._follower = Follower(Path(view.folder), view.attempt, out, self._get_curves(view))
            self._fresh = True
            # The first is shown at once.
            self._begins = 0.0 if before is None else time.monotonic() + REST_S
            # Attempts drawn apart are those of one job.
            self.apart = self.apart and same is not None
            if same is None:
                self.plot.metric = ""
            self._act_at_rest(self._draw_curves)
            self._fill_page()
            self.poll_news()
        # Step 3: the summary, and for a sweep the standings of its settings.
        # What is known of the curves is this job's from here on.
        self._show_summary()
        if view.task == "sweep":
            await self._show_sweep(view, new=last is None or last.id != view.id)
        elif self.has_class("-sweep"):
            self.set_class(False, "-sweep")
            self._read_overlaid_curves()
            if self.page_name == "diff":
                await self.show_page("log-page")

    async def _show_sweep(self, view: JobView, *, new: bool) -> None:
        """The curves of all its runs, and how its settings stand."""
        # The members of the sweep have changed, so its settings are grouped again.
        if new or sum(map(len, self._settings.values())) != len(self._members):
            self._settings = group_runs(view, self._members)
            self._stood = ()
        self.set_class(True, "-sweep")
        if new:
            await self.show_page("diff-page")
        self._read_overlaid_curves()
        # The standings change only when a run changes its state.
        stands = (view.id, *(one.state for one in self._members))
        if stands != self._stood and self.page_name == "diff":
            self._stood = stands
            self._compared = (view.id,)
            self._fetch_in_thread(
                "diff", partial(standings_of, self._members), partial(self._show_standings, view)
            )

    def _act_at_rest(self, act: Callable[[], None]) -> None:
        """Do it once the cursor rests on the job; at once for the first."""
        if self._resting is not None:
            self._resting.stop()
        wait_s = self._begins - time.monotonic()
        self._resting = self.set_timer(wait_s, act) if wait_s > 0 else None
        if self._resting is None:
            act()

    def overlay_jobs(self, marked: Sequence[JobView]) -> None:
        """Draw the curves of marked jobs together with this job's."""
        self._marked = tuple(marked)
        self._read_overlaid_curves()

    def _read_overlaid_curves(self) -> None:
        """Read the curves of marked jobs, or else of the runs of the sweep that is shown."""
        wanted = self._marked[:MOST_SERIES] or self._members[:MOST_RUNS]
        read = {number: len(curves.attempts) for number, curves in self._others.items()}
        # The same runs with as many attempts as before: their curves are being read already.
        if {view.id: view.attempt for view in wanted} == read:
            return
        self._empty_reads = 0
        others, self._others = self._others, {}
        for view in wanted:
            known = others.get(view.id)
            same = known is not None and len(known.attempts) == view.attempt
            self._others[view.id] = known if known is not None and same else self._get_curves(view)
        self._draw_curves()
        self.poll_news()

    def _get_curves(self, view: JobView) -> JobCurves:
        key = view.folder, view.attempt
        # Taken out and put back at the end, so that the dictionary is in the order of use.
        if (result := self._read.pop(key, None)) is None:
            # What the attempt before has read is taken over.
            before = self._read.get((view.folder, view.attempt - 1))
            result = JobCurves(Path(view.folder), view.attempt, before)
        self._read[key] = result
        drawn = [*self._others.values(), result]
        # The oldest go, unless they are drawn at the moment.
        for old in list(self._read)[:-REMEMBERED]:
            if not any(self._read[old] is curves for curves in drawn):
                del self._read[old]
        return result

    def _show_summary(self) -> None:
        view = self.view
        if view is None:
            return
        cells, extra = self.size.width - 4, []
        if self._follower is not None:
            curves = self._follower.curves
            _, losses = curves.join_attempts("loss_nats")
            lines = [list_measures(view, self._follower.device, losses[0] if losses else None)]
            lines.append(validation_parts(view, curves, self._follower.checkpoint))
            extra = [flow_parts(parts, cells) for parts in lines if parts]
        text = summarise_job(view, cells, extra)
        # A line that is too long is wrapped, nobody here knows into how many.
        fits = all(line.cell_length <= cells for line in text.split(allow_blank=True))
        # A new layout of the whole pane costs much, and is needed only if the number of lines changes.
        rows, self._rows = self._rows, text.plain.count("\n") + 1 if fits else 0
        self.query_one("#summary", Static).update(text, layout=not fits or rows != self._rows)

    # Log and curves

    def _poll_if_live(self) -> None:
        """Look for news, but not again and again of jobs that are over and have been read to their end."""
        views = [view for view in (self.view, *self._members, *self._marked) if view is not None]
        if self._empty_reads < _EMPTY_READS or any(view.live for view in views):
            self.poll_news()

    def poll_news(self) -> None:
        """Read what the job and the marked jobs have reported, unless that is being read already."""
        if self._follower is None or not self.screen.is_current:
            # Nobody sees a screen that is not in front.
            return
        if self._others and not self._reading_marked:
            self._reading_marked = True
            self._read_on(partial(_read_marked, list(self._others.values())), lambda: True, self._take_marked)
        # The cursor may still be on its way; the log is read when it rests.
        wait_s = self._begins - time.monotonic()
        if wait_s > 0:
            self.set_timer(wait_s, self.poll_news)
        elif not self._reading:
            self._reading, follower = True, self._follower
            # Reading ends early if another job is shown by then.
            self._read_on(
                follower.read_news, lambda: follower is self._follower, partial(self._take_news, follower)
            )

    @work(thread=True, exit_on_error=False)
    def _read_on(
        self, read: Callable[[], News], wanted: Callable[[], bool], take: Callable[[News], None]
    ) -> None:
        """Read a log piece by piece while it is wanted, for at most half a second; `take` gets all of it."""
        worker, until = get_current_worker(), time.monotonic() + DRAW_EVERY_S
        lines: list[str] = []
        curves, more = False, True
        while more and wanted() and not worker.is_cancelled:
            news = read()
            lines += news.lines
            curves, more = curves or news.curves, news.more
            # The first lines of a job are shown at once.
            if self._fresh or time.monotonic() > until:
                break
            time.sleep(GIVE_WAY_S)
        if not worker.is_cancelled:
            self.app.call_from_thread(take, News(tuple(lines), curves, more))

    def _take_marked(self, news: News) -> None:
        self._reading_marked = False
        if news.curves or news.more:
            self._empty_reads = 0
        if self.is_attached and news.curves:
            self._act_at_rest(self._draw_curves)
        if self.is_attached and news.more:
            self.poll_news()

    def _take_news(self, follower: Follower, news: News) -> None:
        self._reading = False
        is_empty = not (news.lines or news.curves or news.more)
        # Counts readings without news; `_poll_if_live` gives up after a few for jobs that are over.
        self._empty_reads = self._empty_reads + 1 if is_empty else 0
        if not self.is_attached:
            return
        if follower is self._follower:
            if self._fresh:
                # Not before: an empty log for a moment would cost two layouts of the screen.
                self._fresh = False
                self._log.show_lines(list(news.lines))
                self._log_state()
            elif news.lines:
                self._log.append_lines(news.lines)
                self._log_state()
            if news.curves:
                self._draw_curves()
                self._show_summary()
        # More is waiting in the log, or another job has been chosen meanwhile.
        if news.more or follower is not self._follower:
            self.poll_news()

    def _draw_curves(self) -> None:
        follower = self._follower
        if follower is None or not self.query(CurvePlot):
            # The screen is being left.
            return
        plot = self.plot
        # A sweep has no curves of its own, so the names are those of its runs.
        plot.choose_metric(
            follower.curves.names or [name for run in self._others.values() for name in run.names]
        )
        drawn = plot.display
        runs = list(self._others.values()) if self._members else [follower.curves]
        plot.draw_runs(self._choose_curves(follower), [run.undefined_steps(plot.metric) for run in runs])
        if plot.display != drawn:
            # Without a curve there is nothing to smooth: the line of keys says so.
            self.screen.refresh_bindings()
        # The page of metrics shows the same curves as numbers.
        if self.page_name == "metrics":
            names = dict.fromkeys(name for run in runs for name in run.names)
            curves = {
                name: [curve for run in runs if (curve := run.last_curve(name)) is not None] for name in names
            }
            listing = self.query_one("#metrics", Listing)
            columns = METRICS_OF_RUNS if self._members else METRIC_COLUMNS
            if listing.table.columns != columns:
                listing.table.columns = columns
            begins = differing_at(["".join(shorten_measure(name)) for name in curves])
            listing.load(
                [
                    metric_row(*named_curve, apart)
                    for named_curve, apart in zip(curves.items(), begins, strict=True)
                ]
            )

    def _choose_curves(self, follower: Follower) -> Mapping[tuple[int | None, str], Sequence[CurvePoints]]:
        """Return what is drawn, by sign and name: attempts, the runs of a sweep by setting, marked jobs
        with this one, or this one alone."""
        view, name = self.view, self.plot.metric
        assert view is not None
        own = follower.curves
        runs: dict[tuple[int | None, str], Sequence[CurvePoints]] = {}
        if self._members and not self._marked:
            for sign, (label, numbers) in enumerate(self._settings.items()):
                read = [self._others[number] for number in numbers if number in self._others]
                runs[sign, label] = [one.join_attempts(name) for one in read]
            return runs
        # Only the last attempts, as many as have signs of their own.
        if self.apart and view.attempt > 1:
            numbers = range(max(1, view.attempt - MOST_SERIES + 1), view.attempt + 1)
            return {(None, f"attempt {number}"): [own.of_attempt(number, name)] for number in numbers}
        runs[view.id, f"{view.id} {view.title}"] = [own.join_attempts(name)]
        for other in self._marked:
            if other.id != view.id and other.id in self._others:
                runs[other.id, f"{other.id} {other.title}"] = [self._others[other.id].join_attempts(name)]
        return runs

    def smooth_more(self) -> None:
        """Smooth the curves more; after the strongest smoothing, not at all."""
        at = STRENGTHS.index(self.plot.strength) + 1
        self.plot.strength = STRENGTHS[at % len(STRENGTHS)]
        self._draw_curves()

    @on(Table.Opened, "#metrics-table")
    def _metric_chosen(self, event: Table.Opened) -> None:
        event.stop()
        self.plot.metric = event.table.current_key or ""
        self._draw_curves()

    @on(TextReader.Changed)
    def _log_state(self) -> None:
        reader = self._log
        if reader.follow:
            words = "following"
        else:
            words = f"+{reader.behind} lines below" if reader.behind else "not following"
        if not reader.lines:
            words = "its runs have logs: l shows them under it" if self._members else "nothing logged yet"
        left_off = f"  ·  {reader.left_off} earlier lines are in the file only" if reader.left_off else ""
        self.query_one("#log-state", Static).update(words + left_off, layout=False)

    # Config, diff, files

    async def show_diff(self, left: JobView, right: JobView) -> None:
        """Compare two jobs on the page of differences."""
        from workbench.jobs.compare import compare_jobs

        self._compared = (left.id, right.id)
        await self._compare_sides(f"job {left.id}", f"job {right.id}", lambda: compare_jobs(left, right))

    async def show_attempts(self) -> bool:
        """Compare the last two attempts and draw each attempt's curve, or go back to the log.

        Returns:
            Whether the attempts are shown now.
        """
        view = self.view
        if view is None:
            return False
        self.apart = not (self.apart and self.page_name == "diff")
        self._draw_curves()
        if self.apart:
            names = f"attempt {view.attempt - 1}", f"attempt {view.attempt}"
            self._compared = ()
            await self._compare_sides(*names, lambda: last_attempts(view))
        else:
            await self.show_page("log-page")
        return self.apart

    def _show_standings(self, sweep: JobView, ranking: SettingRanking | EngineError) -> None:
        if self.view is None or self.view.id != sweep.id or self._compared != (sweep.id,):
            return
        listing = self.query_one("#diff", Listing)
        if isinstance(ranking, EngineError):
            listing.when_empty("No run has ended yet", "Its settings are compared here as its runs end.")
            self._show_differences([])
            return
        listing.table.columns = standing_columns(ranking.measure)
        self._show_differences([*standing_rows(ranking)], ranking.verdict)

    def _show_differences(self, rows: list[Record], verdict: str = "") -> None:
        listing = self.query_one("#diff", Listing)
        listing.fields = tuple(column.name for column in listing.table.columns)
        listing.load(rows, keep=False)
        said = self.query_one("#verdict", Static)
        said.update(safe_text(verdict))
        said.display = bool(verdict)

    async def _compare_sides(self, left: str, right: str, compare: Callable[[], JobComparison]) -> None:
        await self.show_page("diff-page")
        listing = self.query_one("#diff", Listing)

        def show_comparison(comparison: JobComparison) -> None:
            listing.table.columns = diff_columns(left, right)
            listing.when_empty(f"{left} and {right} are equal", "")
            self._show_differences(diff_rows(comparison))

        listing.show_loading("comparing")
        self._fetch_in_thread("diff", compare, show_comparison)

    def _fetch_in_thread(self, group: str, read: Callable[[], T], show: Callable[[T], None]) -> None:
        def read_and_show() -> None:
            self.app.call_from_thread(show, read())

        self.run_worker(read_and_show, thread=True, exclusive=True, group=group, exit_on_error=False)

    @on(Pane.PageShown)
    def _fill_page(self) -> None:
        if self.page_name == "diff":
            self.query_one("#diff", Listing).show_state()
        if self.view is None or self._follower is None:
            return
        if self.page_name == "files":
            self._fetch_in_thread("files", partial(job_files, self.view), self._show_files)
        elif self.page_name == "config":
            show = self.query_one("#config", ReaderBox).reader.show_lines
            self._fetch_in_thread("config", partial(recipe_lines, Path(self.view.folder)), show)
        elif self.page_name == "metrics":
            self._draw_curves()

    def _show_files(self, rows: list[Any]) -> None:
        self.query_one("#files", Listing).load(rows)
        self.footnote = f"the first {MAX_FILES} files" if len(rows) >= MAX_FILES else ""

    @property
    def file(self) -> Path | None:
        """Return the file under the cursor on the page of files, or None."""
        if self.page_name != "files":
            return None
        key = self.query_one("#files", Listing).table.current_key
        return Path(key) if key else None

    @on(Table.Opened, "#files-table")
    def _file_opened(self, event: Table.Opened) -> None:
        event.stop()
        self.post_message(self.Opened(self))

    # What the screen asks

    def selection(self, line: CommandLine) -> PaneSelection | None:
        if self.view is None:
            return None
        if self.page_name == "diff" and self._compared:
            return job_selection(self.view, line, "compare", *self._compared)
        if self.page_name == "log" and self.view.task != "sweep":
            return job_selection(self.view, line, "tail", "-n", _TAIL, self.view.id)
        return job_selection(self.view, line)

    def exports(self) -> Sequence[Export]:
        view, follower = self.view, self._follower
        if view is None or follower is None:
            return ()
        columns = ("metric", "step", "mean", "least", "most", "attempt")
        stem, facts = f"job-{view.id}", {"job": view.id, "attempt": view.attempt}
        runs = self._others if self._members and not self._marked else {}

        def make_table() -> tuple[Sequence[str], Sequence[Sequence[object]]]:
            if runs:
                return ("job", *columns), [
                    (job, *row) for job, read in runs.items() for row in read.list_points()
                ]
            return columns, follower.curves.list_points()

        metrics = table_exports("metrics", f"{stem}-metrics", {".csv": "m"}, make_table, facts)
        if self.page_name == "diff" and (shown := self.query_one("#diff", Listing).table).shown:
            named = [column.name for column in shown.columns]
            results = named, [[row[name] for name in named] for row in shown.visible_records()]
            metrics += table_exports(
                "comparison", f"{stem}-compared", {".csv": "c", ".tex": "x"}, lambda: results, facts
            )
        plot = self.plot
        curves = (
            plot.list_exports(f"{stem}-{plot.metric}", "step", plot.metric, facts) if plot.display else []
        )
        return [*metrics, Export("r", "recipe as TOML", ".toml", stem, view.spec.write), *curves]

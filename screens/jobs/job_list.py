"""The left pane of the Jobs screen: the jobs, one of them under the cursor, some of them marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

from screens.jobs.columns import JOB_COLUMNS, job_records, job_selection
from screens.shell.export import Export, table_exports
from screens.shell.selection import CommandLine, Lookup, Selection
from screens.shell.text import width
from screens.shell.watch import KEPT, Meter
from screens.widgets.listing import Listing
from screens.widgets.pane import ListPane
from screens.widgets.plot import sign

if TYPE_CHECKING:
    from workbench.jobs.view import JobView

__all__ = ["JobList"]

_READINGS = 4
"""So many of each device at least, so that a curve can be seen."""


class JobList(ListPane):
    """Lists jobs; says when another one is under the cursor, is to be opened, or when marks change."""

    def __init__(self, *, id: str) -> None:
        empty = "No jobs yet", "a starts one: it goes on when this window is closed."
        super().__init__(Listing(JOB_COLUMNS, id="jobs", empty=empty), title="jobs", id=id, share=3)
        self.listing.home = "job"
        self._plain = False

    def show_jobs(self, jobs: Sequence[JobView]) -> None:
        """Show these jobs."""
        self._plain = bool(getattr(self.app, "ascii", False))
        self.listing.load(job_records(jobs, plain=self._plain))
        if self.table.marks:
            self.post_message(self.Marked(self))

    def show_meters(self, meters: Mapping[str, Meter]) -> None:
        """Load and memory of the devices, GPUs first, as far as there is room, with what they were a moment
        ago."""
        room, shown = self.size.width - 4, dict[str, Meter]()
        for name in sorted(meters, key=lambda name: not name.startswith("GPU")):
            more = {**shown, name: meters[name]}
            shown = more if width(_told(more, _READINGS)) <= room else shown
        lines = (_told(shown, readings) for readings in range(KEPT, _READINGS - 1, -1))
        self.footnote = next((line for line in lines if width(line) <= room), "")

    @property
    def job(self) -> JobView | None:
        """The job under the cursor."""
        record = self.table.current
        return None if record is None else cast("JobView", record["view"])

    @property
    def marked(self) -> list[JobView]:
        """The marked jobs, in the order in which they were marked."""
        return [record["view"] for record in self.table.marked]

    def selection(self, line: CommandLine) -> Selection | None:
        """The job under the cursor."""
        return None if self.job is None else job_selection(self.job, line)

    def exports(self) -> Sequence[Export]:
        """The table as it is filtered and sorted."""
        if not self.table.shown:
            return ()
        fields = self.listing.fields

        def rows() -> tuple[Sequence[str], list[list[object]]]:
            return fields, [[record[name] for name in fields] for record in self.table.visible_records()]

        facts = {"filter": self.listing.query_text}
        return table_exports("table of jobs", "jobs", {".csv": "t", ".jsonl": "j"}, rows, facts)

    def legend(self) -> Sequence[tuple[str, str]]:
        glyphs = " ".join(sign(number, plain=self._plain)[0] for number in (1, 2, 3))
        return (
            (glyphs, "a glyph and a colour for each job, in the plot too"),
            ("… ━━──", "running, and how much of it is done"),
            ("✓", "succeeded"),
            ("✗", "failed: its detail says why"),
            ("■", "stopped: its detail says by whom"),
            ("?", "lost or silent: nothing is heard of it"),
            ("⣀⣤⣶", "load and memory over the last minute"),
        )

    def lookups(self) -> Sequence[Lookup]:
        """`:job 12`."""
        return (Lookup("job", "Go to a job by its number.", self.go_to),)


def _told(meters: Mapping[str, Meter], readings: int) -> str:
    return " · ".join(f"{name} {meter.told(readings)}" for name, meter in meters.items())

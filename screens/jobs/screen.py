"""The Jobs screen: what runs, what ran, how it went, and what to do about it."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from textual import on, work

from engines.core.errors import EngineError
from screens.base import Command, Export, Form, Lookup, Selection, WorkbenchScreen
from screens.jobs.columns import JOB_COLUMNS, job_record
from screens.jobs.detail import Detail
from screens.keys import bindings, scope
from screens.watch import JobWatch
from screens.widgets.listing import Listing
from screens.widgets.pair import pair, why_no_pair
from screens.widgets.pane import Pane
from screens.widgets.table import Table

if TYPE_CHECKING:
    from screens.jobs.form import NewJob
    from workbench.jobs.spec import JobSpec
    from workbench.jobs.view import JobView
    from workbench.recipes import Recipe

__all__ = ["KEYS", "JobsScreen"]

KEYS = scope(
    "jobs",
    add=("new job", "Start a new job: choose a recipe and fill in its fields."),
    stop="Ask the job to save what it has and stop.",
    kill="End the job at once; what it had not saved is lost.",
    refresh=("resume", "Go on with a job that failed, was stopped or lost, as a new attempt."),
    again=("rerun", "Resume from what was saved; a job that succeeded is run again as a new one."),
    diff=(
        "compare",
        "Compare the two marked jobs by settings, results and machine; without marks the last two attempts.",
    ),
    smooth="Smooth the curves: more, most, and not at all again.",
    inspect="Show where the job ran: versions, machine, commit, hashes of its data.",
    edit=("open log", "Open the log, or the chosen file, in $PAGER."),
    yank=("yank", "Copy the command line that shows this job."),
    export="Write the metrics, the table of jobs or the recipe to a file.",
)


class JobsScreen(WorkbenchScreen):
    """The jobs on the left, one of them on the right."""

    MODE = "jobs"
    KEYS = KEYS
    BINDINGS = bindings(KEYS)

    _kept: Mapping[str, object] = {}
    _form: NewJob | None = None

    def panes(self) -> Iterable[Pane]:
        """The table and the detail."""
        listing = Listing(JOB_COLUMNS, id="jobs")
        listing.when_empty("No jobs yet", "a starts one: it goes on when this window is closed.")
        yield Pane(listing, title="jobs", id="list", share=7)
        yield Detail(id="detail")

    async def restore(self, state: Mapping[str, object]) -> None:
        """Wait for the jobs: the filter needs their fields, which the watch loads in its thread."""
        self._kept = state

    def begin(self) -> None:
        """Show what is known already; the watch brings the rest."""
        self.query_one("#jobs", Listing).show_loading("looking for jobs")
        if self.workbench.watch_jobs.looked:
            self.post_message(JobWatch.Looked(self.workbench.jobs))
        chosen, self.workbench.launch = self.workbench.launch, None
        if chosen is not None:
            self._open_form(chosen)

    # What there is

    @property
    def job(self) -> JobView | None:
        """The job under the cursor."""
        record = self.query_one("#jobs-table", Table).current
        return None if record is None else cast("JobView", record["view"])

    @on(JobWatch.Looked)
    async def _looked(self, event: JobWatch.Looked) -> None:
        from workbench.jobs import FIELDS

        listing = self.query_one("#jobs", Listing)
        listing.fields = FIELDS
        kept, self._kept = self._kept, {}
        if kept:
            await super().restore(kept)
        listing.load([job_record(view) for view in event.jobs])
        if listing.table.marks:
            self._marked()
        if self._form is not None:
            self._form.expect_times(event.jobs)

    @on(Table.Moved, "#jobs-table")
    def _moved(self) -> None:
        # The cursor is drawn first: what it points at takes longer.
        self.call_after_refresh(self._show_job)

    def _show_job(self) -> None:
        job = self.job
        self.query_one(Detail).show_job(job)
        self.crumbs = (f"job {job.id}",) if job is not None else ()
        self.refresh_bindings()

    @on(Table.Marked, "#jobs-table")
    def _marked(self) -> None:
        marked = self.query_one("#jobs-table", Table).marked
        self.query_one(Detail).overlay([cast("JobView", record["view"]) for record in marked])
        self.refresh_bindings()

    @on(Table.Opened, "#jobs-table")
    def _opened(self) -> None:
        self.show_pane("detail")

    @on(Table.Opened, "#files-table")
    def _file_opened(self) -> None:
        self.action_edit()

    # What can be done

    def why_not(self, verb: str) -> str:
        """The job's own reasons."""
        job = self.job
        if verb in ("stop", "kill", "refresh", "again", "inspect", "edit") and job is None:
            return "no job is selected"
        if job is not None:
            if verb in ("stop", "kill"):
                return job.refusal(verb)
            if verb == "refresh":
                return job.refusal("resume")
            if verb == "again" and job.live:
                return job.refusal("resume")
        if verb == "diff" and not self._has_attempts():
            return why_no_pair(self.query_one("#jobs-table", Table), "jobs")
        if verb == "smooth" and not self.query_one(Detail).plot.display:
            return "no curve is shown"
        return super().why_not(verb)

    def action_add(self) -> None:
        self._open_form(None)

    def _open_form(self, chosen: Recipe | None) -> None:
        """The form for a new job; `chosen` is the recipe it begins with."""
        from screens.jobs.form import NewJob
        from workbench.recipes import recipes

        try:
            ways = [recipe for recipe in recipes() if recipe.task in ("train", "egen.corpus")]
        except EngineError as error:
            self.workbench.report(error)
            return

        def start(spec: JobSpec | None) -> None:
            self._form = None
            if spec is not None:
                self._submit(spec)

        self._form = NewJob(ways, chosen=chosen, jobs=self.workbench.jobs)
        self.app.push_screen(self._form, start)

    def _submit(self, spec: JobSpec) -> None:
        from workbench import jobs

        self._do(lambda: jobs.submit(self.workbench.workspace, spec).id, "job {} is started")

    def action_stop(self) -> None:
        from workbench import jobs

        if (job := self.job) is not None:
            self._do(
                lambda: jobs.stop(self.workbench.workspace, job.id).id, "job {} saves what it has and stops"
            )

    def action_kill(self) -> None:
        from screens.widgets.dialogs import Confirm
        from workbench import jobs

        job = self.job
        if job is None:
            return

        def do(sure: bool | None) -> None:
            if sure:
                self._do(lambda: jobs.kill(self.workbench.workspace, job.id).id, "job {} is killed")

        self.app.push_screen(
            Confirm(f"kill job {job.id}?", f"{job.title} ends at once; what it has not saved is lost."), do
        )

    def action_refresh(self) -> None:
        from workbench import jobs

        if (job := self.job) is not None:
            self._do(lambda: jobs.resume(self.workbench.workspace, job.id).id, "job {} goes on")

    def action_again(self) -> None:
        if (job := self.job) is not None:
            if job.refusal("resume"):
                self._rerun()
            else:
                self.action_refresh()

    def _rerun(self) -> None:
        """The same recipe as a new job, in a folder of its own."""
        job = self.job
        if job is None:
            return
        spec = job.spec
        if out := spec.params.get("out"):
            names = (Path(f"{out}-{number}") for number in range(2, 10_000))
            free = next(name for name in names if not name.exists())
            spec = dataclasses.replace(spec, params={**spec.params, "out": str(free)})
        self._submit(spec)

    def _has_attempts(self) -> bool:
        """Whether `d` is about the attempts of the job under the cursor."""
        table = self.query_one("#jobs-table", Table)
        return not table.marked and self.job is not None and self.job.attempt > 1

    async def action_diff(self) -> None:
        chosen = pair(self.query_one("#jobs-table", Table))
        detail = self.query_one(Detail)
        if chosen is not None:
            await detail.show_diff(*(cast("JobView", record["view"]) for record in chosen))
            self.show_pane("detail")
        elif self._has_attempts() and await detail.show_attempts():
            self.show_pane("detail")

    def action_smooth(self) -> None:
        self.query_one(Detail).smooth()

    def action_inspect(self) -> None:
        from screens.widgets.textscreen import TextScreen

        job = self.job
        if job is None:
            return
        try:
            text = (Path(job.folder) / "env.json").read_text("utf-8", "backslashreplace")
            lines = json.dumps(json.loads(text), indent=2, ensure_ascii=False).splitlines()
        except FileNotFoundError:
            lines = ["It has not started yet: its environment is recorded when it does."]
        except (OSError, ValueError) as error:
            lines = [f"The record cannot be read: {error}"]
        self.app.push_screen(TextScreen(f"where job {job.id} ran", lines))

    def action_edit(self) -> None:
        if (path := self.query_one(Detail).file) is not None:
            self.workbench.open_file(path)

    def _delete(self) -> None:
        from screens.widgets.dialogs import Confirm
        from workbench import jobs

        job = self.job
        if job is None:
            return

        def remove() -> int:
            jobs.remove(self.workbench.workspace, job.id)
            return job.id

        def do(sure: bool | None) -> None:
            if sure:
                self._do(remove, "job {} is deleted")

        question = Confirm(f"delete job {job.id}?", f"The run folder goes: {job.folder}", typed=str(job.id))
        self.app.push_screen(question, do)

    @work(thread=True, group="do", exit_on_error=False)
    def _do(self, act: Callable[[], int], words: str) -> None:
        app = self.workbench
        try:
            number = act()
        except Exception as error:  # noqa: BLE001  # whatever it is, it is reported
            app.call_from_thread(app.report, error)
        else:
            app.call_from_thread(app.say, words.format(number))
            app.call_from_thread(self.query_one("#jobs-table", Table).expect, str(number))
        app.call_from_thread(app.look_now)

    # What others ask

    def selection(self) -> Selection | None:
        """The job under the cursor."""
        job = self.job
        if job is None:
            return None
        command = self.workbench.command_line("jobs", "show", str(job.id))
        forms = (
            Form("c", "command line", lambda: command),
            Form("i", "id", lambda: str(job.id)),
            Form("p", "run folder", lambda: job.folder),
            Form("r", "recipe as TOML", job.spec.to_toml),
            Form("j", "JSON", lambda: json.dumps(job.to_dict(), ensure_ascii=False)),
        )
        return Selection(f"job/{job.id}", f"job {job.id}", command, forms)

    def exports(self) -> Sequence[Export]:
        """Metrics of the job, the table, the recipe."""
        found = []
        job = self.job
        if job is not None:
            found += [
                Export("m", "metrics as CSV", ".csv", f"job-{job.id}-metrics", self._write_metrics),
                Export("r", "recipe as TOML", ".toml", f"job-{job.id}", job.spec.write),
            ]
        if self.query_one("#jobs-table", Table).shown:
            found += [
                Export("t", "table of jobs as CSV", ".csv", "jobs", self._write_table),
                Export("j", "table of jobs as JSON lines", ".jsonl", "jobs", self._write_table),
            ]
        return found

    def _write_metrics(self, path: Path) -> None:
        from workbench.export import write_table

        rows = self.query_one(Detail).curves()
        job = self.job
        facts = {"job": job.id if job else None, "attempt": job.attempt if job else None}
        write_table(path, ("metric", "step", "mean", "least", "most", "attempt"), rows, provenance=facts)

    def _write_table(self, path: Path) -> None:
        from workbench.export import write_table

        listing = self.query_one("#jobs", Listing)
        fields = listing.fields
        rows = [[record[name] for name in fields] for record in listing.table.visible_records()]
        write_table(path, fields, rows, provenance={"filter": listing.query_text})

    def lookups(self) -> Sequence[Lookup]:
        """`:job 12`."""
        return (Lookup("job", "Go to a job by its number.", self.query_one("#jobs-table", Table).go_to),)

    def commands(self) -> Sequence[Command]:
        """What has no key on purpose."""
        job = self.job
        if job is None:
            return ()
        number = job.id
        return (
            Command(f"rerun job {number} from the start", "the same recipe as a new job", self._rerun),
            Command(
                f"delete job {number}",
                "its run folder, after its number has been typed",
                self._delete,
                job.refusal("remove"),
            ),
        )

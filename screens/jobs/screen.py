"""The Jobs screen: what runs, what ran, how it went, and what to do about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from textual import on, work

from engines.core.errors import EngineError
from screens.jobs.job_detail import Detail
from screens.jobs.job_list import JobList
from screens.jobs.run_reading import log_lines, origin_lines
from screens.keys import JOBS_SCREEN
from screens.shell.export import Command, Lookup
from screens.shell.frame import AppFrame
from screens.shell.keymap import bindings
from screens.shell.screen import WorkbenchScreen
from screens.shell.theme import format_quantity
from screens.shell.watch import JobWatch
from screens.widgets.dialogs import Confirm
from screens.widgets.pane import Pane
from workbench.tables import format_duration

if TYPE_CHECKING:
    from screens.jobs.form import NewJob
    from workbench.jobs.folder import Job
    from workbench.jobs.job_views import JobView
    from workbench.train import LaunchDraft

_ASKED_ABOUT_S = 600
"""Work that took longer is not deleted without asking."""


class JobsScreen(WorkbenchScreen):
    """The Jobs screen: what runs, what ran, how it went, and what to do about it."""

    MODE = "jobs"
    BINDINGS = bindings(JOBS_SCREEN)

    def __init__(self) -> None:
        super().__init__()
        self.jobs = JobList(id="list")
        self.detail = Detail(id="detail")
        self._saved_state: Mapping[str, object] = {}
        self._shown: Sequence[JobView] | None = None
        self._form: NewJob | None = None
        self._drafts: dict[str, Mapping[str, str]] = {}
        self._texts = TemporaryDirectory()
        """Where logs are written as people read them, until the screens are left."""

    def panes(self) -> Iterable[Pane]:
        return self.jobs, self.detail

    async def restore(self, state: Mapping[str, object]) -> None:
        """Remember the state until there are jobs to put the cursor on."""
        self._saved_state = state

    def begin(self) -> None:
        self.jobs.listing.show_loading("looking for jobs")
        if self.workbench.watch_jobs.looked:
            self.post_message(JobWatch.Looked(self.workbench.jobs))
        chosen, self.workbench.launch = self.workbench.launch, None
        if chosen is not None:
            self._open_form(chosen)

    # What there is

    @property
    def job(self) -> JobView | None:
        """Return the job under the cursor, or None."""
        return self.jobs.job

    @on(JobWatch.Looked)
    async def _take_jobs(self, event: JobWatch.Looked) -> None:
        saved, self._saved_state = self._saved_state, {}
        if saved:
            await super().restore(saved)
        if event.jobs is not self._shown:
            self._shown = event.jobs
            self.jobs.show_jobs(event.jobs)
        self.jobs.show_meters(self.workbench.watch_jobs.meters)
        if self._form is not None:
            self._form.expect_times(event.jobs)

    @on(Pane.Selected, "#list")
    def _show_job_later(self) -> None:
        # The cursor is drawn first: what it points at takes longer.
        self.call_after_refresh(self._show_job)

    async def _show_job(self) -> None:
        job = self.job
        await self.detail.show_job(job, self._runs_of(job) if job is not None and job.task == "sweep" else ())
        self.refresh_bindings()

    def _runs_of(self, job: JobView) -> list[JobView]:
        return [view for view in reversed(self.workbench.jobs) if view.sweep == job.id]

    @on(Pane.Marked, "#list")
    def _overlay_marked(self) -> None:
        self.detail.overlay_jobs(self.jobs.marked_jobs)
        self.refresh_bindings()

    @on(Pane.Opened, "#list")
    def _open_detail(self) -> None:
        self.show_pane("detail")

    @on(Pane.Opened, "#detail")
    def _file_opened(self) -> None:
        self.action_edit()

    # What can be done

    def why_not(self, verb: str) -> str:
        job = self.job
        if verb in ("add", "stop", "kill", "again", "delete", "protect") and self.read_only:
            return self.read_only
        if verb == "delete" and self.active_pane is not self.jobs:
            return "jobs are deleted in the list of jobs"
        if verb in ("stop", "kill", "again", "delete", "protect", "inspect", "edit") and job is None:
            return "no job is selected"
        if job is not None and verb == "delete":
            return job.why_refused("remove")
        if job is not None and (verb in ("stop", "kill") or (verb == "again" and job.live)):
            return job.why_refused(verb if verb in ("stop", "kill") else "resume")
        if verb == "diff" and not self._has_attempts() and self._sweep is None:
            return self.jobs.table.why_no_pair("jobs")
        if verb == "smooth" and not self.detail.plot.display:
            return "no curve is shown"
        return super().why_not(verb)

    def action_add(self) -> None:
        self._open_form(None)

    def _open_form(self, chosen: LaunchDraft | None) -> None:
        from screens.jobs.form import NewJob
        from workbench.recipes import is_launchable, list_recipes

        try:
            ways = [recipe for recipe in list_recipes() if is_launchable(recipe)]
        except EngineError as error:
            self.workbench.report(error)
            return

        def start_job(start: Callable[[], Job] | None) -> None:
            self._form = None
            if start is not None:
                self._do_in_thread(lambda: start().id, "job {} is started")

        app = self.workbench
        self._form = NewJob(
            ways, app.workspace, lambda: app.engine, chosen=chosen, jobs=app.jobs, drafts=self._drafts
        )
        app.push_screen(self._form, start_job)

    def action_stop(self) -> None:
        if (job := self.job) is not None:
            self._change_job("stop", job, "job {} saves its work and stops")

    def action_kill(self) -> None:
        if (job := self.job) is not None:
            loss = f"{job.title} ends at once; unsaved work is lost."
            question = Confirm(f"kill job {job.id}?", loss)
            question.ask(self.app, lambda _: self._change_job("kill", job, "job {} is killed"))

    def action_again(self) -> None:
        if (job := self.job) is not None:
            if job.why_refused("resume"):
                self._rerun_job()
            else:
                self._change_job("resume", job, "job {} is resumed")

    def _rerun_job(self) -> None:
        from workbench.jobs import control
        from workbench.jobs.folder import Job

        if (job := self.job) is None:
            return
        if job.task == "sweep":
            self._do_in_thread(
                lambda: control.rerun_job(self.workbench.workspace, job.id).id, "job {} is started"
            )
            return

        # In a thread, because the names of the outputs are looked up on the disk.
        def submit_again() -> int:
            workspace = self.workbench.workspace
            recipe = control.move_outputs(workspace, Job(job.id, Path(job.folder)), job.spec)
            return control.submit_job(workspace, recipe).id

        self._do_in_thread(submit_again, "job {} is started")

    def _has_attempts(self) -> bool:
        """Return whether `d` is about the attempts of the job under the cursor."""
        return not self.jobs.marked_jobs and self.job is not None and self.job.attempt > 1

    @property
    def _sweep(self) -> JobView | None:
        result = None if self.jobs.marked_jobs else self.job
        return result if result is not None and result.task == "sweep" else None

    async def action_diff(self) -> None:
        chosen = self.jobs.table.pair
        if chosen is not None:
            await self.detail.show_diff(chosen[0]["view"], chosen[1]["view"])
            self.show_pane("detail")
        elif self._sweep is not None:
            await self.detail.show_page("diff-page")
            self.show_pane("detail")
        elif self._has_attempts() and await self.detail.show_attempts():
            self.show_pane("detail")

    def action_smooth(self) -> None:
        self.detail.smooth_more()

    def action_inspect(self) -> None:
        if (job := self.job) is not None:
            # A sweep runs nothing itself.
            ran = min(self._runs_of(job), key=lambda run: run.id, default=job)
            of = f", the first of sweep {job.id}," if ran is not job else ""
            self.show_text(f"where job {ran.id}{of} ran", origin_lines(Path(ran.folder)))

    def action_edit(self) -> None:
        if (path := self.detail.file) is not None:
            self.workbench.open_file(path)
        elif self.job is not None:
            self._open_log(self.job)

    @work(thread=True, exclusive=True, group="log", exit_on_error=False)
    def _open_log(self, job: JobView) -> None:
        app = self.workbench
        path = Path(self._texts.name) / f"job-{job.id}-attempt-{job.attempt}.log"
        try:
            with path.open("w", encoding="utf-8") as file:
                file.writelines(f"{line}\n" for line in log_lines(job))
        except (EngineError, OSError) as error:
            app.call_from_thread(app.report, error)
        else:
            app.call_from_thread(app.open_file, path)

    def action_delete(self) -> None:
        from workbench.jobs.control import worked_s

        if (job := self.job) is None:
            return
        delete = partial(
            self._do_in_thread, partial(self._delete_job, job.id), "job {} is deleted; u restores it"
        )
        worked = sum(worked_s(self.workbench.workspace, run.id) for run in self._runs_of(job) or [job])
        # A short job is deleted at once, since `u` restores it; longer work asks first.
        if job.task != "sweep" and worked <= _ASKED_ABOUT_S:
            delete()
            return
        runs = f", with its {format_quantity(len(self._runs_of(job)), 'run')}" if job.task == "sweep" else ""
        days = self.workbench.config.get("trash_days")
        kept = f"The trash keeps it for {days} days; u restores it."
        loss = f"{job.title}{runs}: {format_duration(worked)} of work. {kept}"
        Confirm(f"delete job {job.id}?", loss).ask(self.app, lambda _: delete())

    def _delete_job(self, number: int) -> int:
        from workbench.jobs import control

        item = control.remove_job(self.workbench.workspace, number)
        self.workbench.call_from_thread(self.workbench.remember_deletion, f"job {number} is deleted", item)
        return number

    @on(AppFrame.Restored)
    def _expect_restored(self, event: AppFrame.Restored) -> None:
        if event.item.kind == "job":
            self.jobs.table.expect_record(event.item.name)

    def action_protect(self) -> None:
        if (job := self.job) is None:
            return
        from workbench.jobs import control

        on = not job.protected
        protect = lambda: control.protect_job(self.workbench.workspace, job.id, on=on).id  # noqa: E731
        self._do_in_thread(protect, "job {} is protected" if on else "job {} can be deleted again")

    def _change_job(self, verb: str, job: JobView, words: str) -> None:
        """Do what `stop_job`, `kill_job` or `resume_job` of `workbench.jobs.control` does."""

        def change_job() -> int:
            from workbench.jobs import control

            getattr(control, f"{verb}_job")(self.workbench.workspace, job.id)
            return job.id

        self._do_in_thread(change_job, words)

    @work(thread=True, group="do", exit_on_error=False)
    def _do_in_thread(self, act: Callable[[], int], words: str) -> None:
        app = self.workbench
        try:
            number = act()
        except Exception as error:  # noqa: BLE001  # whatever it is, it is reported
            app.call_from_thread(app.report, error)
        else:
            app.call_from_thread(app.say, words.format(number))
            # The job may not be in the list yet; the cursor goes there when it is.
            app.call_from_thread(self.jobs.table.expect_record, str(number))
        app.call_from_thread(app.look_now)

    def lookups(self) -> Sequence[Lookup]:
        train = Lookup("train", "Fill in the form for a new job with a recipe.", self._fill_form)
        return [*super().lookups(), train]

    def _fill_form(self, name: str) -> bool:
        from workbench.recipes import is_launchable, list_recipes
        from workbench.train import LaunchDraft

        result = next(
            (recipe for recipe in list_recipes() if recipe.name == name and is_launchable(recipe)), None
        )
        if result is not None:
            self._open_form(LaunchDraft(result))
        return result is not None

    def list_commands(self) -> Sequence[Command]:
        job = self.job
        if job is None:
            return ()
        again = f"rerun job {job.id} from the start"
        return (Command(again, "the same recipe as a new job", self._rerun_job, self.read_only),)

"""Models: which there are, the jobs that make vectors and maps by them, and what stands in their way."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual import work

from engines.core.errors import EngineError
from engines.core.events import Event
from screens.shell.frame import Frame
from screens.shell.request import Answer, Service
from screens.shell.text import count

if TYPE_CHECKING:
    from workbench.jobs.view import JobView

__all__ = ["AT_ONCE", "NOT_ENCODED", "TOO_MANY", "Hindrance", "Models", "encoding_words"]

AT_ONCE = 20_000
"""A corpus with more expressions is encoded by a job, not while one waits."""
TOO_MANY = "E647"
"""The code of the error that says so."""


@dataclass(frozen=True, slots=True)
class Hindrance:
    """Why there are no vectors, and what can be done about it."""

    what: str
    advice: str


NOT_ENCODED = Hindrance(
    "This corpus is large, and its expressions have no vectors by this model yet",
    "`:` and `encode the corpus` starts a job that makes them.",
)


def encoding_words(event: Event) -> str:
    """How far an encoding is; nothing for other events."""
    data = event.data
    if event.kind != "progress" or not isinstance(data.get("total"), int):
        return ""
    done, total = int(str(data.get("done", 0))), int(str(data["total"]))
    return f"{count(done)} of {count(total)} {data.get('unit', '')}".rstrip()


class Models(Service):
    """Posts `Found` when it is known which models there are, `Made` when a job has made something."""

    class Found(Answer):
        """The models that ship and those of the workspace."""

    class Made(Answer):
        """A job that was waited for has made something; the value is its parameters."""

    def __init__(self, workbench: Frame) -> None:
        super().__init__()
        self._workbench = workbench
        self._awaited: frozenset[int] = frozenset()
        self._trained = 0

    @work(thread=True, exclusive=True, group="models", exit_on_error=False)
    def find(self) -> None:
        """List the models there are."""
        from workbench.papers.egen.models import models

        self.post_message(self.Found("", tuple(models(self._workbench.workspace))))

    def make_map(self, model: Path, corpus: Path, arrangement: str) -> None:
        """Start a job that makes a map."""
        what = "the 17 families" if arrangement == "families" else "the clusters"
        self._submit("egen.tsne", f"t-SNE of {what}", model, corpus, what=arrangement)

    def encode(self, model: Path, corpus: Path) -> None:
        """Start a job that encodes all expressions of a corpus."""
        self._submit("egen.index", "vectors", model, corpus)

    @work(thread=True, group="submit", exit_on_error=False)
    def _submit(self, task: str, made: str, model: Path, corpus: Path, **more: Any) -> None:
        from workbench.jobs import submit
        from workbench.recipes import Recipe

        app, title = self._workbench, f"{made} of {corpus.name} by {model.name}"
        try:
            recipe = Recipe(task, title, {"model": str(model), "data": str(corpus), **more})
            job = submit(app.workspace, recipe)
        except EngineError as error:
            app.call_from_thread(app.report, error)
            return
        self._awaited |= {job.id}
        app.call_from_thread(app.say, f"job {job.id} makes it: {title}")
        app.call_from_thread(app.look_now)

    def look(self, jobs: Iterable[JobView], model: Path | None, corpus: Path | None) -> int | None:
        """Take up what jobs have made, and notice models that were trained.

        Returns: the job that makes another map of what is shown, while it runs.
        """
        jobs = tuple(jobs)
        running = self.running(jobs, model, corpus)
        if running is not None:
            self._awaited |= {running}
        for job in jobs:
            if job.id in self._awaited and not job.live:
                self._awaited -= {job.id}
                if job.state == "succeeded":
                    self.post_message(self.Made(job.id, job.params))
                else:
                    self._workbench.warn(f"job {job.id} {job.state}: {job.reason}", remedy=job.remedy)
        trained = sum(job.task == "train" and job.state == "succeeded" for job in jobs)
        if trained != self._trained:
            self._trained = trained
            self.find()
        return running

    @staticmethod
    def running(jobs: Iterable[JobView], model: Path | None, corpus: Path | None) -> int | None:
        """The job that makes another map of this corpus by this model, while it runs."""
        wanted = {"model": str(model), "data": str(corpus)}
        making = (job for job in jobs if job.live and job.task == "egen.tsne")
        return next((job.id for job in making if wanted.items() <= job.params.items()), None)

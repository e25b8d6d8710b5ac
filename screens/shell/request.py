"""Latest-wins requests: questions to the engine process of which only the newest matters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from textual import work
from textual.message import Message
from textual.widget import Widget

from engines.core.errors import EngineError
from engines.core.events import Event
from workbench.errors import explain

if TYPE_CHECKING:
    from workbench.engine_process import Call, EngineProcess
    from workbench.recipes import Recipe
    from workbench.workspace import Workspace


@dataclass
class Answer(Message):
    """What an operation answered, or why it failed: `value` or `error`. Each request has a subclass of its
    own, so that one `@on` method takes its answers.

    `tag` is what the question was asked with; compare it with what is wanted now.
    """

    tag: Any
    value: Any = None
    error: EngineError | None = None


@dataclass
class Progress(Message):
    """How far a question is: an event of the operation."""

    tag: Any
    event: Event


@dataclass(frozen=True, slots=True)
class _Question:
    params: Mapping[str, Any]
    tag: Any


class Request:
    """Asks an operation one question at a time, and then the newest; those in between are never asked.

    A question that has begun is let finish, unless `stop` ends it: cancelling it for the next one would cost
    the warm engine process when it does not end at once.

    Args: owner: gets the messages. engine: gives the engine process. operation: its name. answer: the
    subclass of `Answer` to send. progress: the subclass of `Progress` to send, None for nobody listens.
    """

    def __init__(
        self,
        owner: Widget,
        engine: Callable[[], EngineProcess],
        operation: str,
        answer: type[Answer],
        progress: type[Progress] | None = None,
    ) -> None:
        self.operation = operation
        self._owner = owner
        self._engine = engine
        self._answer = answer
        self._progress = progress
        self._waiting: _Question | None = None
        self._call: Call | None = None
        self._busy = False

    @property
    def running(self) -> bool:
        """Whether a question is asked and not answered."""
        return self._busy

    @property
    def behind(self) -> str:
        """The operation of another question that the present one waits for; nothing once it has begun."""
        return self._call.behind if self._call is not None else ""

    def ask(self, params: Mapping[str, Any], tag: Any = None) -> None:
        """Ask this as soon as the present question is answered, unless a newer one comes."""
        self._waiting = _Question(params, tag)
        if not self._busy:
            self._busy = True
            self._owner.run_worker(self._work(), group=f"request {self.operation}", exit_on_error=False)

    def forget(self) -> None:
        """What waits is not wanted any more."""
        self._waiting = None

    def stop(self) -> None:
        """Ask the operation to end with what it has; nothing waits any more."""
        self._waiting = None
        if self._call is not None:
            self._call.stop()

    async def _work(self) -> None:
        try:
            while self._waiting is not None:
                question, self._waiting = self._waiting, None
                self._owner.post_message(await self._ask(question))
        finally:
            self._busy = False

    async def _ask(self, question: _Question) -> Answer:
        from workbench.engine_process import Result

        tag = question.tag
        self._call = self._engine().call(self.operation, question.params)
        try:
            async for item in self._call:
                if isinstance(item, Result):
                    return self._answer(tag, item.value)
                if self._progress is not None:
                    self._owner.post_message(self._progress(tag, item))
        except EngineError as error:
            return self._answer(tag, error=error)
        finally:
            self._call = None
        return self._answer(tag, error=EngineError("it was cancelled", code="E703", exit_code=130))


class OwnEngine:
    """An engine process of one's own, for what takes long; it begins with the first question.

    Args: begin: begins one.
    """

    def __init__(self, begin: Callable[[], EngineProcess]) -> None:
        self._begin = begin
        self._begun: EngineProcess | None = None

    def __call__(self) -> EngineProcess:
        if self._begun is None:
            self._begun = self._begin()
        return self._begun

    def close(self) -> None:
        """End it."""
        if self._begun is not None:
            self._begun.close()


class Ask(Protocol):
    """Gives a widget its way to ask an operation; the answers come to the widget, as messages.

    It is handed to panes and dialogs, which do not know the engine.
    """

    def __call__(
        self, owner: Widget, operation: str, answer: type[Answer], progress: type[Progress] | None = None
    ) -> Request: ...


class Service(Widget):
    """A part of a screen that is not seen; it asks the engine or reads files, and posts messages.

    Put it up with the screen (`compose`); its workers end with it, its messages go up to the screen.
    """

    DEFAULT_CSS = "Service { display: none; }"

    @dataclass
    class Submitted(Message):
        """The job of this number was started; or why there is none."""

        number: int
        title: str = ""
        error: EngineError | None = None

    @work(thread=True, group="submit", exit_on_error=False)
    def submit(self, workspace: Workspace, make: Callable[[], Recipe]) -> None:
        """Have a job do what this makes; `Submitted` tells of it."""
        from workbench import jobs

        try:
            recipe = make()
            job = jobs.submit(workspace, recipe)
        except (EngineError, OSError) as error:
            self.post_message(self.Submitted(0, error=explain(error)))
        else:
            self.post_message(self.Submitted(job.id, recipe.title))

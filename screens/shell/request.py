"""Questions to the engine process: one at a time and then the newest, with the answers remembered."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from textual.widget import Widget

from engines.core.errors import EngineError
from engines.core.events import Event
from engines.moved import moved_verb
from workbench.errors import explain

if TYPE_CHECKING:
    from screens.shell.frame import AppFrame
    from workbench.engine_process import Call, EngineProcess


@dataclass(frozen=True, slots=True)
class RequestAnswer:
    """The answer to a question: `value`, or `error` if it failed.

    `tag` is what the question was asked with; compare it with what is wanted now.
    """

    tag: Any = None
    value: Any = None
    error: EngineError | None = None


@dataclass(frozen=True, slots=True)
class RequestProgress:
    """An event of an operation that has not finished yet."""

    tag: Any
    event: Event


@dataclass(frozen=True, slots=True)
class _Question:
    params: Mapping[str, Any]
    tag: Any
    remember: bool
    age: int
    """How often everything had been forgotten when it was asked."""


class CachedRequest:
    """Asks an operation one question at a time, and then the newest; those in between are never asked.

    A question that has begun is let finish, unless `stop` ends it: cancelling it for the next one would cost
    the warm engine process when it does not end at once. `get` remembers the answers to what it asks.

    Args: owner: the widget whose methods `then` and `progress` are called, among its messages. operation: its
    name. engine: gives the engine process, if not that of the app. size: so many answers are remembered.
    read: makes of a value what is handed on and remembered; None is not remembered.
    """

    def __init__(
        self,
        owner: Widget,
        operation: str,
        then: Callable[[RequestAnswer], object],
        progress: Callable[[RequestProgress], object] | None = None,
        *,
        engine: Callable[[], EngineProcess] | None = None,
        size: int = 64,
        read: Callable[[Any], Any] = lambda value: value,
    ) -> None:
        self.operation = operation
        self.known: OrderedDict[Any, Any] = OrderedDict()
        self._owner = owner
        self._engine = engine or (lambda: cast("AppFrame", owner.app).engine)
        self._then = then
        self._progress = progress
        self._size = size
        self._read = read
        # At most one question waits; a newer one takes its place.
        self._waiting: _Question | None = None
        self._asked: _Question | None = None
        # Counts `clear`: an answer to a question from before it is of no interest.
        self._age = 0
        self._call: Call | None = None
        self._busy = False

    @property
    def running(self) -> bool:
        """Tell whether a question is being answered or waits."""
        return self._busy

    @property
    def pending(self) -> Any:
        """The tag of the newest question that is not answered; None when all are."""
        now = self._waiting or self._asked
        return None if now is None or now.age != self._age else now.tag

    @property
    def behind(self) -> str:
        """The operation of another question that the present one waits for; nothing once it has begun."""
        return self._call.behind if self._call is not None else ""

    def ask(self, params: Mapping[str, Any], tag: Any = None) -> None:
        """Ask a question as soon as the current one is answered, unless a newer question replaces it."""
        self._enqueue_question(_Question(params, tag, False, self._age))

    def get(self, params: Mapping[str, Any], tag: Hashable) -> Any:
        """Return the remembered answer to a question; if there is none, ask and return None."""
        if tag not in self.known:
            # The same question is not asked twice, whether it is being answered or waits.
            now = self._waiting or self._asked
            if now is None or (now.tag, now.remember, now.age) != (tag, True, self._age):
                self._enqueue_question(_Question(params, tag, True, self._age))
        return self.known.get(tag)

    def _enqueue_question(self, question: _Question) -> None:
        self._waiting = question
        # One worker at a time answers, until nothing waits.
        if not self._busy:
            self._busy = True
            self._owner.run_worker(
                self._answer_questions(), group=f"request {self.operation}", exit_on_error=False
            )

    def forget_waiting(self) -> None:
        """Drop the question that waits for its turn."""
        self._waiting = None

    def clear(self) -> None:
        """Forget all answers; the question that is being answered gets no reply any more."""
        self._waiting = None
        self._age += 1
        self.known.clear()

    def stop(self) -> None:
        """Tell the operation to end with what it has, and drop the question that waits."""
        self._waiting = None
        if self._call is not None:
            self._call.stop()

    async def _answer_questions(self) -> None:
        # The next question is taken only when the last one is answered.
        try:
            while self._waiting is not None:
                self._asked, self._waiting = self._waiting, None
                answer = await self._ask_engine(self._asked)
                # Among the owner's messages, so that the answer arrives in the order of its other events.
                self._owner.call_later(self._deliver_answer, self._asked, answer)
        # The owner is being removed.
        except asyncio.CancelledError:
            self._asked = None
            raise
        finally:
            self._busy = False

    def _deliver_answer(self, question: _Question, answer: RequestAnswer) -> object:
        # Until here it counts as asked, or the same would be asked again.
        if self._asked is question:
            self._asked = None
        if question.age != self._age:
            return None
        if answer.error is None:
            answer = RequestAnswer(answer.tag, self._read(answer.value))
            if question.remember and answer.value is not None:
                self.known[answer.tag] = answer.value
                # The oldest answer goes first.
                while len(self.known) > self._size:
                    self.known.popitem(last=False)
        return self._then(answer)

    async def _ask_engine(self, question: _Question) -> RequestAnswer:
        from workbench.engine_process import CallResult

        tag = question.tag
        try:
            self._call = self._engine().call(self.operation, question.params)
            async for item in self._call:
                if isinstance(item, CallResult):
                    return RequestAnswer(tag, item.value)
                if self._progress is not None and question.age == self._age:
                    self._owner.call_later(self._progress, RequestProgress(tag, item))
        except Exception as error:  # noqa: BLE001  # whatever it is, it is the answer: nobody waits for ever
            return RequestAnswer(tag, error=explain(error))
        finally:
            self._call = None
        # The call ended without a result, because it was cancelled.
        return RequestAnswer(tag, error=EngineError("it was cancelled", code="E703"))


def __getattr__(name: str) -> object:
    return moved_verb(__name__, name)

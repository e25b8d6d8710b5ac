"""Asking a language model many questions: answers are kept, and no more is spent than a budget allows."""

from __future__ import annotations

import contextlib
import hashlib
import json
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from engines.chat.http_client import (
    BusyError,
    Completion,
    Endpoint,
    UnsupportedSettingError,
    read_completion,
)
from engines.core.errors import EngineError
from engines.core.events import Event, Sink, Stop, ignore, never
from engines.core.files import write_json

# Nothing here is called unless an address was given. An answer is kept in a file of its own as soon as it has
# come, so that a run that was stopped goes on where it was, and what was asked can be read.

_AT_ONCE = 4
_TRIES = 5


@dataclass(frozen=True, slots=True)
class Prices:
    """The prices of a million tokens, in questions and in answers."""

    prompt: float = 0.0
    completion: float = 0.0

    def cost(self, prompt_tokens: int, completion_tokens: int) -> float:
        """Return the price of so many tokens."""
        return (prompt_tokens * self.prompt + completion_tokens * self.completion) / 1e6


@dataclass(frozen=True, slots=True)
class ModelAnswer(Completion):
    """A model's answer to a question. `asked` is False for an answer that was kept from before."""

    asked: bool


class Chat:
    """A language model at an address.

    Args: url: up to and without `/chat/completions`. model: its name there. folder: where answers are kept,
    each as a JSON file named by the SHA-256 of address, model, settings and prompt; None keeps none. prices:
    what its tokens cost. budget: the most that may be spent on what it asks; questions that are under way
    when it is spent are finished. longest: the most tokens of an answer; None leaves that to the model.
    Raises: EngineError E427, as `Endpoint.open`.
    """

    def __init__(
        self,
        url: str,
        model: str,
        folder: Path | None = None,
        *,
        prices: Prices | None = None,
        budget: float | None = None,
        longest: int | None = None,
    ) -> None:
        self._endpoint, self.model, self.folder = Endpoint.open(url), model, folder
        self._prices, self._budget, self._longest = prices or Prices(), budget, longest
        self._spent, self._lock = 0.0, threading.Lock()

    @property
    def url(self) -> str:
        """The address of the model."""
        return self._endpoint.url

    def ask(
        self, prompts: Sequence[str], *, events: Sink = ignore, stop: Stop = never
    ) -> list[ModelAnswer | None]:
        """Return the likeliest answer to every prompt, in their order; see `draw_answers`."""
        answers = self.draw_answers(prompts, 1, temperature=0, events=events, stop=stop)
        return [drawn[0] for drawn in answers]

    def draw_answers(
        self,
        prompts: Sequence[str],
        samples: int,
        *,
        temperature: float,
        events: Sink = ignore,
        stop: Stop = never,
    ) -> list[list[ModelAnswer | None]]:
        """Return so many answers to every prompt, in their order; None for what was not reached when `stop`
        was raised.

        Equal prompts are asked once for each sample. Events: progress in questions.

        Raises:
            EngineError: E691 when the address does not answer as it should, E692 when the budget is spent;
                answers until then are kept.
        """
        answers: dict[tuple[str, int], ModelAnswer] = {}
        waiting = [(prompt, sample) for sample in range(samples) for prompt in dict.fromkeys(prompts)]
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            pending = {
                pool.submit(self._answer, prompt, sample, temperature, stop): (prompt, sample)
                for prompt, sample in waiting
            }
            try:
                for done in as_completed(pending):
                    answer = done.result()
                    if answer is not None:
                        answers[pending[done]] = answer
                    progress = {"done": len(answers), "total": len(waiting), "unit": "questions"}
                    events(Event("progress", progress))
            except BaseException:  # also what interrupts the program: no more is spent then
                pool.shutdown(cancel_futures=True)
                raise
        return [[answers.get((prompt, sample)) for sample in range(samples)] for prompt in prompts]

    def summary(self, answers: Sequence[ModelAnswer]) -> dict[str, Any]:
        """Return what a report says about how answers came about, as JSON."""
        return {
            "address": self.url,
            "kept_in": None if self.folder is None else str(self.folder),
            "asked_now": sum(answer.asked for answer in answers),
            "refused": sum(answer.refused for answer in answers),
            "cut": sum(answer.cut for answer in answers),
            "prompt_tokens": sum(answer.prompt_tokens for answer in answers),
            "completion_tokens": sum(answer.completion_tokens for answer in answers),
        }

    def _answer(self, prompt: str, sample: int, temperature: float, stop: Stop) -> ModelAnswer | None:
        message = {"role": "user", "content": prompt}
        body: dict[str, Any] = {"model": self.model, "messages": [message], "temperature": temperature}
        if self._longest is not None:
            body["max_tokens"] = self._longest
        kept = self._cached_answer_path(body, sample)
        if kept is not None:
            # Where it cannot be read, it is asked again.
            with contextlib.suppress(OSError, ValueError, KeyError, TypeError, IndexError, AttributeError):
                return _answer(json.loads(kept.read_text(encoding="utf-8"))["response"], asked=False)
        if stop():
            return None
        self._check_budget()
        sent = dict(body)
        response = self._send(sent, stop)
        if response is None:
            return None
        answer = _answer(response, asked=True)
        with self._lock:
            self._spent += self._prices.cost(answer.prompt_tokens, answer.completion_tokens)
        if kept is not None:
            when = datetime.now(UTC).isoformat(timespec="seconds")
            write_json(kept, {"url": self.url, "asked": when, "request": sent, "response": response})
        return answer

    def _check_budget(self) -> None:
        if self._budget is not None and self._spent >= self._budget:
            what = f"the budget of {self._budget:g} is spent: {self._spent:g}"
            hint = "The answers so far are cached; the next run continues, with a budget of its own."
            raise EngineError(what, where=self.url, code="E692", remedy=hint)

    def _cached_answer_path(self, body: Mapping[str, Any], sample: int) -> Path | None:
        if self.folder is None:
            return None
        # Samples behind the first have their number in the name, since they ask the same.
        asked = [self.url, body, *([sample] if sample else [])]
        content = json.dumps(asked, sort_keys=True, ensure_ascii=False)
        return self.folder / f"{hashlib.sha256(content.encode()).hexdigest()}.json"

    def _send(self, body: dict[str, Any], stop: Stop) -> dict[str, Any] | None:
        """Return the response, after waiting and asking again while the address is busy; None when stopped. A
        model that does not take a setting is asked without it, and `body` loses it.
        """
        for attempt in range(_TRIES):
            try:
                while True:
                    try:
                        return self._endpoint.complete(body)
                    except UnsupportedSettingError as unsupported:
                        value = body.pop(unsupported.name)
                        if unsupported.instead:
                            body[unsupported.instead] = value
            except BusyError as busy:
                if attempt == _TRIES - 1:
                    raise self._endpoint.failure(busy.what, "Run the command again later") from None
                until = time.monotonic() + (2.0**attempt if busy.seconds is None else busy.seconds)
                while time.monotonic() < until:
                    if stop():
                        return None
                    time.sleep(0.05)
        raise AssertionError("unreachable")


def _answer(response: Mapping[str, Any], *, asked: bool) -> ModelAnswer:
    said = read_completion(response)
    return ModelAnswer(said.text, said.refused, said.cut, said.prompt_tokens, said.completion_tokens, asked)

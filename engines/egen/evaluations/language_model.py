"""Evaluations of a language model by questions in words, behind an OpenAI-compatible address."""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import json
import os
import re
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import numpy as np

from engines.core.errors import EngineError, ExpressionError
from engines.core.events import Event, Sink, Stop, ignore, never
from engines.core.files import write_json
from engines.core.tree import Tree
from engines.egen.evaluations import mistakes as by_cosine
from engines.egen.evaluations.analogies import Analogy
from engines.egen.evaluations.measured import WORST, Mistake, Report, costliest, mean_figure
from engines.egen.evaluations.mistakes import Derivation
from engines.egen.evaluations.semantic import Item
from engines.egen.expressions.canonical import canonical_key
from engines.egen.expressions.language import prefix, read_prefix
from engines.egen.expressions.notation import infix, read
from engines.egen.verification.verify import Verifier

# Nothing here is called unless an address was given. The key comes from the environment and is neither
# written down nor shown. An answer is kept in a file of its own as soon as it has come, so that a run that
# was stopped goes on where it was, and what was asked can be read.

KEY = "MATHWB_LLM_KEY"
"""The environment variable that holds the key, where the address asks for one."""

_AT_ONCE = 4
_TRIES = 5
_SECONDS = 120.0
_LONGEST_WAIT = 60.0
_MOST_BYTES = 4 * 2**20
_BUSY = (408, 409, 425, 429, 500, 502, 503, 504)
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: the text (empty where the model refused) and what it cost in tokens, 0 where the
    address does not say. `asked` is False for an answer that was kept from before."""

    text: str
    refused: bool
    prompt_tokens: int
    completion_tokens: int
    asked: bool


class Chat:
    """A language model at an address.

    Args: url: up to and without `/chat/completions`. model: its name there. folder: where answers are kept,
    each as a JSON file named by the SHA-256 of address, model and prompt; None keeps none.
    Raises: EngineError E427 for an address that is not http or https, holds a password, or would be sent
    the key unencrypted.
    """

    def __init__(self, url: str, model: str, folder: Path | None = None) -> None:
        self.url, self.model, self.folder = _checked(url), model, folder

    def ask(
        self, prompts: Sequence[str], *, events: Sink = ignore, stop: Stop = never
    ) -> list[Answer | None]:
        """An answer to every prompt, in their order; None for what was not reached when `stop` was raised.

        Equal prompts are asked once. Events: progress in questions.
        Raises: EngineError E691 when the address does not answer as it should; answers until then are kept.
        """
        found: dict[str, Answer] = {}
        waiting = list(dict.fromkeys(prompts))
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            pending = {pool.submit(self._answer, prompt, stop): prompt for prompt in waiting}
            try:
                for done in as_completed(pending):
                    answer = done.result()
                    if answer is not None:
                        found[pending[done]] = answer
                    events(
                        Event("progress", {"done": len(found), "total": len(waiting), "unit": "questions"})
                    )
            except EngineError:
                pool.shutdown(cancel_futures=True)
                raise
        return [found.get(prompt) for prompt in prompts]

    def _answer(self, prompt: str, stop: Stop) -> Answer | None:
        message = {"role": "user", "content": prompt}
        body = {"model": self.model, "messages": [message], "temperature": 0}
        kept = self._kept(body)
        if kept is not None:
            # Where it cannot be read, it is asked again.
            with contextlib.suppress(OSError, ValueError, KeyError, TypeError, IndexError, AttributeError):
                return _answer(json.loads(kept.read_text(encoding="utf-8"))["response"], asked=False)
        if stop():
            return None
        sent = dict(body)
        response = self._sent(sent, stop)
        if response is None:
            return None
        answer = _answer(response, asked=True)
        if kept is not None:
            kept.parent.mkdir(parents=True, exist_ok=True)
            when = datetime.now(UTC).isoformat(timespec="seconds")
            write_json(kept, {"url": self.url, "asked": when, "request": sent, "response": response})
        return answer

    def _kept(self, body: Mapping[str, Any]) -> Path | None:
        if self.folder is None:
            return None
        content = json.dumps([self.url, body], sort_keys=True, ensure_ascii=False)
        return self.folder / f"{hashlib.sha256(content.encode()).hexdigest()}.json"

    def _sent(self, body: dict[str, Any], stop: Stop) -> dict[str, Any] | None:
        """The response, after waiting and asking again while the address is busy; None when stopped. A model
        that takes no temperature is asked without one, and `body` loses it."""
        for attempt in range(_TRIES):
            try:
                try:
                    return _post(f"{self.url}/chat/completions", body)
                except _NoTemperatureError:
                    del body["temperature"]
                    return _post(f"{self.url}/chat/completions", body)
            except _BusyError as busy:
                if attempt == _TRIES - 1:
                    raise _fault(self.url, busy.what, "Run the command again later") from None
                until = time.monotonic() + (2.0**attempt if busy.seconds is None else busy.seconds)
                while time.monotonic() < until:
                    if stop():
                        return None
                    time.sleep(0.05)
        raise AssertionError("unreachable")


class _BusyError(Exception):
    """The address asks to come back later. Args: seconds: when, if it says so."""

    def __init__(self, what: str, seconds: float | None = None) -> None:
        super().__init__(what)
        self.what, self.seconds = what, seconds


class _NoTemperatureError(Exception):
    pass


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Redirects are not followed: the key would go to an address that nobody named."""

    def redirect_request(self, *_: Any) -> None:
        return None


def _checked(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        what = f"{url!r} is no address of a language model"
        remedy = "Name one like https://host/v1, without /chat/completions."
        raise EngineError(what, code="E427", remedy=remedy)
    if parts.username or parts.password or parts.query or parts.fragment:
        remedy = f"Put the key into the environment variable {KEY}, and only host and path into the address."
        raise EngineError("the address holds more than a host and a path", code="E427", remedy=remedy)
    if os.environ.get(KEY) and parts.scheme == "http" and parts.hostname not in _LOOPBACK:
        what = f"the key would be sent to {parts.hostname} unencrypted"
        raise EngineError(what, code="E427", remedy=f"Use https, or unset {KEY}.")
    return url.rstrip("/").removesuffix("/chat/completions")


def _post(url: str, body: Mapping[str, Any]) -> dict[str, Any]:
    key = os.environ.get(KEY, "")
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    request = urllib.request.Request(url, json.dumps(body).encode(), headers, method="POST")
    try:
        with urllib.request.build_opener(_NoRedirect).open(request, timeout=_SECONDS) as response:
            data = response.read(_MOST_BYTES + 1)
    except urllib.error.HTTPError as error:
        said = _said(error.read(_MOST_BYTES), key)
        what = f"it answers with {error.code}{said and f': {said}'}"
        if error.code in _BUSY:
            wait = error.headers.get("Retry-After") or ""
            seconds = min(float(wait), _LONGEST_WAIT) if re.fullmatch(r"\d+(\.\d+)?", wait) else None
            raise _BusyError(what, seconds) from None
        if error.code == 400 and "temperature" in said and "temperature" in body:
            raise _NoTemperatureError from None
        remedies = {401: f"Set {KEY} to a valid key", 403: f"Set {KEY} to a valid key"}
        raise _fault(url, what, remedies.get(error.code, "Check the address and the model's name")) from None
    except TimeoutError:
        raise _BusyError(f"no answer within {_SECONDS:.0f} s") from None
    except (OSError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", error)
        if isinstance(reason, TimeoutError):
            raise _BusyError(f"no answer within {_SECONDS:.0f} s") from None
        raise _fault(url, f"it cannot be reached ({reason})", "Check the address and the network") from None
    try:
        if len(data) > _MOST_BYTES:
            raise ValueError
        response = json.loads(data)
        _answer(response, asked=True)
    except (ValueError, KeyError, TypeError, IndexError, AttributeError):
        what = "its answer is not a chat completion"
        raise _fault(url, what, "Name an OpenAI-compatible address, such as one that ends with /v1") from None
    result: dict[str, Any] = response
    return result


def _said(data: bytes, key: str) -> str:
    """What an address says of its failure, short, and never with the key in it."""
    text = data.decode("utf-8", "replace")
    try:
        error = json.loads(text)["error"]
        text = str(error["message"] if isinstance(error, dict) else error)
    except (ValueError, KeyError, TypeError):
        text = re.sub(r"<[^>]*>", " ", text)
    if key:
        text = text.replace(key, "(key)")
    return " ".join(text.split())[:200]


def _fault(url: str, what: str, remedy: str) -> EngineError:
    remedy = f"{remedy}; the answers so far are cached, and the next run continues from them."
    return EngineError(what, where=url, code="E691", remedy=remedy)


def _answer(response: Mapping[str, Any], *, asked: bool) -> Answer:
    choice = response["choices"][0]
    message = choice["message"]
    text = message.get("content") or ""
    if not isinstance(text, str):
        raise TypeError
    refused = bool(message.get("refusal")) or choice.get("finish_reason") == "content_filter"
    usage = response.get("usage") or {}
    prompt, completion = (int(usage.get(f"{side}_tokens") or 0) for side in ("prompt", "completion"))
    return Answer("" if refused else text, refused, prompt, completion, asked)


# What is asked is what embeddings are measured on: items of `semantic`, derivations of `mistakes`,
# analogies of `algebra`. A refusal or an answer that cannot be read is a wrong answer and is counted.

T = TypeVar("T")

_LAST = re.compile(r"answer\s*[:=]\s*(.+)", re.IGNORECASE)
_ABOUT = (
    "Expressions are in the real variable x; a*b is a product, a^b a power, ln the natural logarithm, "
    "asin the inverse sine (likewise for the other functions), d/dx a derivative."
)


def semantic(
    chat: Chat,
    items: Sequence[Item],
    *,
    seed: int = 0,
    worst: int = WORST,
    events: Sink = ignore,
    stop: Stop = never,
) -> Report:
    """The share of items in percent for which the model names the candidate that equals the query; candidates
    stand in random order."""
    draw = np.random.default_rng(seed)
    prompts, orders = [], []
    for item in items:
        candidates = (item.answer, *item.distractors)
        order = draw.permutation(len(candidates)).tolist()
        lines = [f"{chr(ord('A') + n)}. {infix(candidates[place])}" for n, place in enumerate(order)]
        prompts.append(
            f"{_ABOUT}\n\nOne of these expressions equals {infix(item.query)} wherever both are defined. "
            "Which?\n\n" + "\n".join(lines) + "\n\nEnd with a line `ANSWER: ` and its letter."
        )
        orders.append(order)
    asked = _ask(chat, prompts, events, stop)
    chosen = [_chosen(text, len(order)) for text, order in zip(asked.texts, orders, strict=True)]
    hits = np.array([n is not None and order[n] == 0 for n, order in zip(chosen, orders, strict=True)], float)
    failures = [
        Mistake(item.query, item.answer, "" if n is None else (item.answer, *item.distractors)[order[n]], 1.0)
        for item, order, n, hit in zip(items, orders, chosen, hits, strict=True)
        if not hit
    ]
    return Report(
        "semantic",
        chat.model,
        (mean_figure("semantic_accuracy", "paper", hits),),
        {"items": len(items), "seed": seed, **asked.setting(chat, sum(n is None for n in chosen))},
        len(failures),
        costliest(failures, worst),
    )


def mistakes(
    chat: Chat,
    test: Sequence[Derivation],
    *,
    left_out: Mapping[str, int] | None = None,
    worst: int = WORST,
    events: Sink = ignore,
    stop: Stop = never,
) -> Report:
    """Precision, recall and F1 of the transitions that the model calls wrong, one question for a derivation.

    Where there is no answer that can be read, no transition counts as called wrong.
    """
    prompts = []
    for derivation in test:
        lines = [f"{n}. {infix(step)}" for n, step in enumerate(derivation.steps)]
        prompts.append(
            f"{_ABOUT}\n\nEach line should equal the line above it wherever both are defined.\n\n"
            + "\n".join(lines)
            + "\n\nWhich lines do not? End with a line `ANSWER: ` and their numbers, with commas between, "
            "or `ANSWER: none`."
        )
    asked = _ask(chat, prompts, events, stop)
    called = [_lines(text, len(item.steps)) for text, item in zip(asked.texts, test, strict=True)]
    flagged = np.array(
        [
            line in (said or ())
            for said, item in zip(called, test, strict=True)
            for line in range(1, len(item.steps))
        ],
        bool,
    )
    wrong = by_cosine.marks(test)
    owner = np.repeat(np.arange(len(test)), [len(item.steps) - 1 for item in test])
    steps = [step for item in test for step in pairwise(item.steps)]
    failures = []
    for row in np.flatnonzero(flagged != wrong).tolist():
        before, after = map(prefix, steps[row])
        if wrong[row]:
            failures.append(Mistake(before, "", after, 1.0, "a mistake that was missed"))
        else:
            failures.append(Mistake(before, after, "", 1.0, "a right step that was flagged"))
    return Report(
        "mistakes",
        chat.model,
        tuple(by_cosine.figures("paper", flagged, wrong, owner)),
        {
            "derivations": len(test),
            "transitions": len(wrong),
            "mistakes": int(wrong.sum()),
            **asked.setting(chat, sum(said is None for said in called)),
            "left_out": dict(left_out or {}),
        },
        len(failures),
        costliest(failures, worst),
    )


def algebra(
    chat: Chat, analogies: Sequence[Analogy], *, worst: int = WORST, events: Sink = ignore, stop: Stop = never
) -> Report:
    """The share of analogies in percent that the model completes.

    `paper`: with y2 itself, up to the order of operands. `better`: with any expression that is equal to it.
    """
    prompts = [
        f"{_ABOUT}\n\n{infix(item.x1)} is to {infix(item.y1)} as {infix(item.x2)} is to what?\n\n"
        "End with a line `ANSWER: ` and one expression."
        for item in analogies
    ]
    asked = _ask(chat, prompts, events, stop)
    said = [_expression(text) for text in asked.texts]
    strict, fair, failures = np.zeros(len(said)), np.zeros(len(said)), []
    for number, (item, tree) in enumerate(zip(analogies, said, strict=True)):
        expected = read_prefix(item.y2)
        if tree is not None:
            strict[number] = canonical_key(tree) == canonical_key(expected)
            fair[number] = strict[number] or Verifier(expected).check([tree])[0].outcome == "equal"
        if not strict[number]:
            predicted = "" if tree is None else prefix(tree)
            failures.append(Mistake(item.x2, item.y2, predicted, 1.0, f"{item.x1} : {item.y1}"))
    return Report(
        "algebra",
        chat.model,
        (
            mean_figure("algebra_accuracy", "paper", strict),
            mean_figure("algebra_accuracy_any_form", "better", fair),
        ),
        {"analogies": len(analogies), **asked.setting(chat, sum(tree is None for tree in said))},
        len(failures),
        costliest(failures, worst),
    )


class _Asked:
    def __init__(self, answers: Sequence[Answer]) -> None:
        self.answers = answers
        self.texts = [answer.text for answer in answers]

    def setting(self, chat: Chat, without: int) -> dict[str, Any]:
        """What a report says of them. Args: without: how many hold nothing that was asked for, refusals
        among them."""
        refused = sum(answer.refused for answer in self.answers)
        return {
            "address": chat.url,
            "kept_in": None if chat.folder is None else str(chat.folder),
            "asked_now": sum(answer.asked for answer in self.answers),
            "refused": refused,
            "unreadable": without - refused,
            "prompt_tokens": sum(answer.prompt_tokens for answer in self.answers),
            "completion_tokens": sum(answer.completion_tokens for answer in self.answers),
        }


def _ask(chat: Chat, prompts: Sequence[str], events: Sink, stop: Stop) -> _Asked:
    from engines.egen.models.vectors import stopped

    if not prompts:
        what = "there are no questions to ask"
        remedy = "Name data with more and longer expressions in each cluster."
        raise EngineError(what, code="E645", remedy=remedy)
    answers = chat.ask(prompts, events=events, stop=stop)
    reached = [answer for answer in answers if answer is not None]
    if len(reached) < len(answers):
        raise stopped("evaluation")
    return _Asked(reached)


def _last(text: str, form: Callable[[str], T | None]) -> T | None:
    found = _LAST.findall(text) or text.strip().splitlines()
    return form(found[-1].strip().strip("*`$ ").rstrip(".").strip("*`$ ")) if found else None


def _chosen(text: str, count: int) -> int | None:
    def form(said: str) -> int | None:
        match = re.match(r"\(?([A-Z])\b", said)
        number = -1 if match is None else ord(match[1]) - ord("A")
        return number if 0 <= number < count else None

    return _last(text, form)


def _lines(text: str, count: int) -> set[int] | None:
    def form(said: str) -> set[int] | None:
        if re.match(r"none\b", said, re.IGNORECASE):
            return set()
        if not re.fullmatch(r"(lines?\s*)?\d+(\s*(,|and|,\s*and)\s*\d+)*", said, re.IGNORECASE):
            return None
        named = {int(digits) for digits in re.findall(r"\d+", said)}
        return named if named <= set(range(1, count)) else None

    return _last(text, form)


def _expression(text: str) -> Tree | None:
    def form(said: str) -> Tree | None:
        try:
            return read(said)
        except ExpressionError:
            return None

    return _last(text, form)

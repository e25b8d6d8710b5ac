"""Questions to a language model behind an OpenAI-compatible address, each asked once and its answer kept.

Nothing here is called unless an address was given. The key comes from the environment and is neither written
down nor shown. An answer is kept in a file of its own as soon as it has come, so that a run that was stopped
goes on where it was, and what was asked can be read.
"""

from __future__ import annotations

import hashlib
import http.client
import json
import os
import re
import time
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from engines.core.errors import EngineError
from engines.core.events import Event, Sink, Stop, ignore, never
from engines.core.files import write_json

__all__ = ["KEY", "Answer", "Chat"]

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
        self.url = _checked(url)
        self.model = model
        self.folder = folder

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
        body = {
            "model": self.model,
            "messages": [{"role": "user", "content": prompt}],
            "temperature": 0,
        }
        kept = self._kept(body)
        if kept is not None and (row := _read(kept)) is not None:
            return _answer(row["response"], asked=False)
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
        self.what = what
        self.seconds = seconds


class _NoTemperatureError(Exception):
    """The model takes no temperature."""


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Redirects are not followed: the key would go to an address that nobody named."""

    def redirect_request(self, *_: Any) -> None:
        return None


def _checked(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        what = f"{url!r} is no address of a language model"
        remedy = "Name one like https://host/v1, without /chat/completions."
        raise EngineError(what, code="E427", exit_code=2, remedy=remedy)
    if parts.username or parts.password or parts.query or parts.fragment:
        remedy = f"Put the key into the environment variable {KEY}, and only host and path into the address."
        raise EngineError(
            "the address holds more than a host and a path", code="E427", exit_code=2, remedy=remedy
        )
    if os.environ.get(KEY) and parts.scheme == "http" and parts.hostname not in _LOOPBACK:
        what = f"the key would go to {parts.hostname} unencrypted"
        raise EngineError(what, code="E427", exit_code=2, remedy=f"Use https, or unset {KEY}.")
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
            raise _BusyError(what, _seconds(error.headers.get("Retry-After"))) from None
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
        what = "its answer is no chat completion"
        raise _fault(url, what, "Name an OpenAI-compatible address, such as one that ends with /v1") from None
    found: dict[str, Any] = response
    return found


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


def _seconds(given: str | None) -> float | None:
    return min(float(given), _LONGEST_WAIT) if given and re.fullmatch(r"\d+(\.\d+)?", given) else None


def _fault(url: str, what: str, remedy: str) -> EngineError:
    return EngineError(
        what,
        where=url,
        code="E691",
        exit_code=3,
        remedy=f"{remedy}; answers that have come are kept, and the next run goes on from them.",
    )


def _answer(response: Mapping[str, Any], *, asked: bool) -> Answer:
    """Of a chat completion. Raises: KeyError, IndexError, TypeError or AttributeError for anything else."""
    choice = response["choices"][0]
    message = choice["message"]
    text = message.get("content") or ""
    if not isinstance(text, str):
        raise TypeError
    refused = bool(message.get("refusal")) or choice.get("finish_reason") == "content_filter"
    usage = response.get("usage") or {}
    prompt, completion = (int(usage.get(f"{side}_tokens") or 0) for side in ("prompt", "completion"))
    return Answer("" if refused else text, refused, prompt, completion, asked)


def _read(path: Path) -> dict[str, Any] | None:
    """A kept answer; None where there is none, or it cannot be read and is asked again."""
    try:
        row: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        _answer(row["response"], asked=False)
    except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError):
        return None
    return row

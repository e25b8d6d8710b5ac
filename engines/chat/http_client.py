"""The address of a language model: what is sent there, by which way, and what comes back."""

from __future__ import annotations

import contextlib
import http.client
import ipaddress
import json
import os
import re
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from engines.core.errors import EngineError

# The key comes from the environment and is neither stored nor shown. It leaves this machine only encrypted:
# over plain http it is sent to this machine alone, which is never asked through a proxy, and an https address
# is asked through a proxy in a tunnel. Redirects are not followed.

KEY = "MATHWB_LLM_KEY"
"""The environment variable that holds the key, where the address asks for one."""

_SECONDS = 120.0
_LONGEST_WAIT = 60.0
_MOST_BYTES = 4 * 2**20
_BUSY = (408, 409, 425, 429, 500, 502, 503, 504)
_OPTIONAL = {"temperature": "", "max_tokens": "max_completion_tokens"}
"""Settings that some models do not take, and what they take in their place."""


class BusyError(Exception):
    """The address asks to come back later. Args: seconds: when, if it says so."""

    def __init__(self, what: str, seconds: float | None = None) -> None:
        super().__init__(what)
        self.what, self.seconds = what, seconds


class UnsupportedSettingError(Exception):
    """The model does not take a setting. Args: instead: what it takes in its place, "" where nothing."""

    def __init__(self, name: str, instead: str = "") -> None:
        super().__init__(name)
        self.name, self.instead = name, instead


@dataclass(frozen=True, slots=True)
class Completion:
    """The answer of a model.

    `text` is empty if the model refused; `cut` says whether the reply was cut off at the greatest length
    allowed; token counts are 0 where the address does not report them.
    """

    text: str
    refused: bool
    cut: bool
    prompt_tokens: int
    completion_tokens: int


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An address that completes chats: `url` without `/chat/completions`, and the key that it is sent."""

    url: str
    key: str = field(default="", repr=False)

    @classmethod
    def open(cls, url: str) -> Endpoint:
        """Return the endpoint at an address, with the key of the environment.

        Raises:
            EngineError: E427 for an address that is not http or https, holds a password, or would be sent the
                key unencrypted, and for a key that no request can carry.
        """
        key = os.environ.get(KEY, "").strip()
        try:
            parts = urlsplit(url)
            usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        except ValueError:
            usable = False
        if not usable or not url.isascii() or not url.isprintable() or " " in url:
            hint = "Name one like https://host/v1, without /chat/completions."
            raise EngineError("this is no address of a language model", code="E427", remedy=hint)
        if parts.username or parts.password or parts.query or parts.fragment:
            hint = (
                f"Put the key into the environment variable {KEY}, and only host and path into the address."
            )
            raise EngineError("the address holds more than a host and a path", code="E427", remedy=hint)
        if not (key.isascii() and key.isprintable()):
            what = f"the key in {KEY} holds characters that no key has"
            raise EngineError(what, code="E427", remedy="Copy it again, in one line.")
        if key and parts.scheme == "http" and not _is_loopback(parts.hostname or ""):
            what = f"the key would be sent to {parts.hostname} unencrypted"
            raise EngineError(what, code="E427", remedy=f"Use https, or unset {KEY}.")
        return cls(url.rstrip("/").removesuffix("/chat/completions"), key)

    def complete(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return the response to a request. Where it repeats the key, it says `(key)` instead.

        Raises:
            BusyError, UnsupportedSettingError: .
            EngineError: E691 for any other failure and for a response that is no chat completion.
        """
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        target = f"{self.url}/chat/completions"
        request = urllib.request.Request(target, json.dumps(body).encode(), headers, method="POST")
        try:
            with _opener(target).open(request, timeout=_SECONDS) as response:
                data = self._without_key(response.read(_MOST_BYTES + 1))
        # The status says whether to wait, to ask without a setting, or to give up.
        except urllib.error.HTTPError as error:
            message = ""
            with contextlib.suppress(OSError, http.client.HTTPException):  # it ends before its end
                message = _message(self._without_key(error.read(_MOST_BYTES)))
            what = f"it answers with {error.code}{message and f': {message}'}"
            if error.code in _BUSY:
                wait = error.headers.get("Retry-After") or ""
                seconds = min(float(wait), _LONGEST_WAIT) if re.fullmatch(r"\d+(\.\d+)?", wait) else None
                raise BusyError(what, seconds) from None
            for name, instead in _OPTIONAL.items():
                if error.code == 400 and name in message and name in body:
                    raise UnsupportedSettingError(name, instead if instead in message else "") from None
            hints = {401: f"Set {KEY} to a valid key", 403: f"Set {KEY} to a valid key"}
            raise self.failure(
                what, hints.get(error.code, "Check the address and the model's name")
            ) from None
        except TimeoutError:
            raise BusyError(f"no answer within {_SECONDS:.0f} s") from None
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", error)
            if isinstance(reason, TimeoutError):
                raise BusyError(f"no answer within {_SECONDS:.0f} s") from None
            what = f"it cannot be reached ({reason})"
            raise self.failure(what, "Check the address and the network") from None
        try:
            if len(data) > _MOST_BYTES:
                raise ValueError
            response_document: dict[str, Any] = json.loads(data)
            read_completion(response_document)
        except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError):
            hint = "Name an OpenAI-compatible address, such as one that ends with /v1"
            raise self.failure("its answer is not a chat completion", hint) from None
        return response_document

    def failure(self, what: str, hint: str) -> EngineError:
        """Return the error E691, which says that the next run continues."""
        hint = f"{hint}; the answers so far are cached, and the next run continues from them."
        return EngineError(what, where=self.url, code="E691", remedy=hint)

    def _without_key(self, data: bytes) -> bytes:
        return data.replace(self.key.encode(), b"(key)") if self.key else data


def read_completion(response: Mapping[str, Any]) -> Completion:
    """Return the completion that a response contains.

    Raises:
        KeyError, TypeError, IndexError, AttributeError or ValueError: For one that is no chat completion.
    """
    choice = response["choices"][0]
    message = choice["message"]
    text = message.get("content") or ""
    if not isinstance(text, str):
        raise TypeError
    reason = choice.get("finish_reason")
    refused = bool(message.get("refusal")) or reason == "content_filter"
    usage = response.get("usage") or {}
    prompt, completion = (int(usage.get(f"{side}_tokens") or 0) for side in ("prompt", "completion"))
    return Completion("" if refused else text, refused, reason == "length", prompt, completion)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Redirects are not followed: the key would go to an address that nobody named."""

    def redirect_request(self, *_: Any) -> None:
        return None


def _is_loopback(host: str) -> bool:
    """Return whether a host is this machine by its name alone, whatever a resolver would say of others."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host.lower() == "localhost"
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return (mapped or address).is_loopback


def _opener(url: str) -> urllib.request.OpenerDirector:
    if _is_loopback(urlsplit(url).hostname or ""):
        return urllib.request.build_opener(_NoRedirect, urllib.request.ProxyHandler({}))
    return urllib.request.build_opener(_NoRedirect)


def _message(data: bytes) -> str:
    """Return what an address says of its failure, short."""
    text = data.decode("utf-8", "replace")
    try:
        error = json.loads(text)["error"]
        text = str(error["message"] if isinstance(error, dict) else error)
    except (ValueError, KeyError, TypeError, RecursionError):
        text = re.sub(r"<[^>]*>", " ", text)
    return " ".join(text.split())[:200]

"""The screens in a browser: textual-serve behind a token, on this machine unless another address is given.

Each page that is opened is a workbench of its own, in a process of its own. Whoever has the address can do
what its user can: the token in it is long and random, and without it every request is answered with 403, that
of the websocket too. So is one that a page of another address makes (its `Origin`).
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import secrets
import shlex
import socket
import sys
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

import aiohttp_jinja2
from aiohttp import WSMsgType, web
from aiohttp.http_exceptions import HttpProcessingError
from textual_serve.app_service import AppService
from textual_serve.server import Server, to_int

from workbench.errors import UsageError

_DRIVER = "screens.shell.page_driver:PageDriver"
_COMMAND = (
    sys.executable,
    "-P",
    "-c",
    # textual-serve names its own driver in the environment.
    f"import os; os.environ['TEXTUAL_DRIVER'] = '{_DRIVER}'; from workbench.cli import main; main()",
)
# Seconds for pages to end when the server does.
_PATIENCE_S = 5.0
_MOST_CELLS = 1_000
"""Columns or rows of a page: what a screen never has would only take memory."""
_HEADERS = {
    # The page asks for a font elsewhere; nobody there is to hear of it.
    "Content-Security-Policy": "default-src 'self' 'unsafe-inline' data: blob:; connect-src 'self' ws: wss:",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
}

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def open_socket(host: str, port: int) -> socket.socket:
    """Open a listening socket; port 0 takes a free one.

    Raises:
        UsageError: E405 if the address cannot be used.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        result = socket.socket(family, kind, protocol)
        # A server that was just ended would otherwise block its port for minutes.
        result.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        result.bind(address)
        result.listen()
    except OSError as error:
        what = f"cannot listen on {host}:{port}: {error.strerror or error}"
        raise UsageError(what, code="E405", remedy="Use --port 0 for a free port.") from None
    return result


# A client may ask for any size, and a screen takes memory for every cell.
def _limit_cells(count: int) -> int:
    return min(max(count, 1), _MOST_CELLS)


def _origin_host(origin: str) -> str:
    """Return the host that a page comes from; "" where its `Origin` is none."""
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return ""


def _is_ours(record: logging.LogRecord) -> bool:
    """Return whether a failure is of this program. What is no HTTP, as a port scanner or https sends it, is
    answered with 400, and not a fault to show.
    """
    error = record.exc_info[1] if record.exc_info else None
    return not isinstance(error, HttpProcessingError)


def _parse_message(text: str) -> object:
    """Return what a page sends, None for what is no JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


class WebServer(Server):
    """Serves the screens at a listening socket."""

    def __init__(self, listener: socket.socket) -> None:
        host, port, *_ = listener.getsockname()
        super().__init__(shlex.join(_COMMAND), host=host, port=port, title="mathwb")
        self.token = secrets.token_urlsafe(24)
        self._place = listener
        self._pages: set[asyncio.Task[Any]] = set()

    @property
    def address(self) -> str:
        """The address with the token, for the browser."""
        # An address that means all interfaces cannot be opened in a browser.
        host = socket.gethostname() if self.host in ("0.0.0.0", "::") else self.host
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}/{self.token}/"

    def run_server(self) -> None:
        """Serve until Ctrl-C or a signal to end; open pages end with it."""
        # Attempts of port scanners would fill the terminal with tracebacks.
        logging.getLogger("aiohttp.server").addFilter(_is_ours)
        web.run_app(
            self._make_app(),
            sock=self._place,
            print=lambda *_: None,
            # The access log would print the token with every request.
            access_log=None,
            shutdown_timeout=_PATIENCE_S,
        )

    async def _make_app(self) -> web.Application:
        outer = web.Application(middlewares=[self._check_request])
        # Everything that textual-serve offers lies below the token, its files included.
        outer.add_subapp(f"/{self.token}", await super()._make_app())
        return outer

    async def on_startup(self, app: web.Application) -> None:
        """Print nothing: the command has printed the address."""

    async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
        """Run the workbench of a page; it ends with the page or with the server."""
        # A plain request to this address has no websocket to answer on.
        if not web.WebSocketResponse().can_prepare(request):
            raise web.HTTPBadRequest(text="This address is for the page's own connection.\n")
        given = [to_int(request.query.get(side, ""), 80) for side in ("width", "height")]
        if given != [_limit_cells(side) for side in given]:
            raise web.HTTPBadRequest(text=f"A page has 1 to {_MOST_CELLS:,} columns and rows.\n")
        page = asyncio.current_task()
        assert page is not None
        self._pages.add(page)
        try:
            return await super().handle_websocket(request)
        finally:
            self._pages.discard(page)

    async def _process_messages(self, websocket: web.WebSocketResponse, app_service: AppService) -> None:
        """Pass on what a page sends; a message that no page of ours sends is left out, and the page lives."""
        async for message in websocket:
            sent = _parse_message(message.data) if message.type is WSMsgType.TEXT else None
            match sent:
                case ["stdin", str(keys), *_]:
                    await app_service.send_bytes(keys.encode("utf-8", "replace"))
                case ["resize", {"width": int(width), "height": int(height)}, *_]:
                    await app_service.set_terminal_size(_limit_cells(width), _limit_cells(height))
                case ["ping", data, *_]:
                    with contextlib.suppress(ConnectionError):  # the page is gone
                        await websocket.send_json(["pong", data])
                case ["blur", *_]:
                    await app_service.blur()
                case ["focus", *_]:
                    await app_service.focus()

    async def on_shutdown(self, app: web.Application) -> None:  # noqa: ARG002
        """End the pages and wait until their workbenches are gone."""
        for page in self._pages:
            page.cancel()
        if self._pages:
            await asyncio.wait(self._pages, timeout=_PATIENCE_S)

    @web.middleware
    async def _check_request(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        # Not all requests have a path with a slash: `OPTIONS *` asks about the server.
        given = request.path.partition("/")[2].partition("/")[0]
        # Compared in constant time, so that the time of the answer says nothing about the token.
        if not secrets.compare_digest(given.encode("utf-8", "replace"), self.token.encode()):
            raise web.HTTPForbidden(text="The address is incomplete: it ends with a token.\n")
        # A browser sends `Origin` for requests that another page makes.
        origin = request.headers.get("Origin")
        if origin is not None and _origin_host(origin) != request.host:
            raise web.HTTPForbidden(text="The request comes from a page at another address.\n")
        # Relative addresses in the page need the slash at the end.
        if request.path == f"/{self.token}":
            raise web.HTTPFound(f"/{self.token}/")
        response = await handler(request)
        # A websocket has sent its headers already.
        if not response.prepared:
            response.headers.update(_HEADERS)
        return response

    async def handle_index(self, request: web.Request) -> web.StreamResponse:
        """Return the page; its addresses are those by which the browser came."""
        scheme = "wss" if request.scheme == "https" else "ws"
        size = request.query.get("fontsize", "16")
        context = {
            "font_size": min(max(to_int(size, 16), 4), 128),
            "app_websocket_url": f"{scheme}://{request.host}/{self.token}/ws",
            "config": {"static": {"url": f"/{self.token}/static/"}},
            "application": {"name": self.title},
        }
        return aiohttp_jinja2.render_template("app_index.html", request, context)

"""`mathwb serve`: nothing without the token, everything with it, and only on this machine."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import aiohttp
import psutil
import pytest

from engines.core.errors import EngineError
from workbench.cli.system import serve_screens
from workbench.errors import explain
from workbench.web import _COMMAND, WebServer, open_socket

MATHWB = [sys.executable, "-P", "-c", "from workbench.cli import main; main()"]


@pytest.fixture
def server(user_home: Path, tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server on a free port, and its address."""
    environment = os.environ | {"MATHWB_WORKSPACE": str(tmp_path / "w")}
    with (
        (tmp_path / "stderr").open("w") as stderr,
        subprocess.Popen(
            [*MATHWB, "serve", "--port", "0"],
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            env=environment,
        ) as process,
    ):
        assert process.stdout is not None
        yield process, process.stdout.readline().strip()
        process.send_signal(signal.SIGINT)
        try:
            assert process.wait(120) == 0
        finally:
            process.kill()


def status(address: str, **headers: str) -> int:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(urllib.request.Request(address, headers=headers), timeout=120) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


async def first_paint(address: str) -> bytes:
    """What a workbench writes through the websocket until its frame is there."""
    seen = b""
    async with (
        aiohttp.ClientSession() as session,
        session.ws_connect(f"{address}ws?width=100&height=30") as page,
    ):
        while b"E-graphs" not in seen:
            message = await page.receive(timeout=120)
            assert message.type is aiohttp.WSMsgType.BINARY, message
            seen += message.data
    return seen


def test_pages_of_other_addresses_are_refused(server: tuple[subprocess.Popen[str], str]) -> None:
    """Even with the token: it may have leaked into a page that means harm."""
    _, address = server
    host = address.split("/")[2]
    assert status(address) == status(address, Origin=f"http://{host}") == 200
    for origin in ("http://elsewhere.example", "null", f"http://{host}.example", "http://127.0.0.1:1", ""):
        assert status(address, Origin=origin) == status(f"{address}ws", Origin=origin) == 403


def answer(address: str, request: bytes) -> bytes:
    """The first line that a server answers to these bytes, whatever they are."""
    host, port = address.split("/")[2].split(":")
    with socket.create_connection((host, int(port)), timeout=120) as connection:
        connection.sendall(request)
        return connection.makefile("rb").readline()


def test_requests_that_no_browser_sends_are_refused_without_a_traceback(
    server: tuple[subprocess.Popen[str], str], tmp_path: Path
) -> None:
    _, address = server
    token, host = address.rstrip("/").rsplit("/", 1)[1], address.split("/")[2]
    ending = f" HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n"
    lines = {
        "OPTIONS *": b"403",
        "OPTIONS /": b"403",
        "GET *": b"40",
        f"CONNECT {host}": b"40",
        "GET //": b"403",
        "GET /%ff%fe/": b"403",
        f"GET /{token}/ws": b"400",
        f"POST /{token}/ws": b"405",
        f"GET /{token}/static/%00": b"40",
        f"GET /{token}/static/../../../etc/passwd": b"40",
        f"GET /{token}/download/%00": b"404",
        f"GET /{token}/?fontsize={'9' * 5_000}": b"200",
        f"GET /{token}/?fontsize=²": b"40",
    }
    for line, code in lines.items():
        said = answer(address, f"{line}{ending}\r\n".encode())
        assert said.split()[1].startswith(code), (line, said)
    for origin in ("http://[", "http://[::1", "\t"):
        said = answer(address, f"GET /{token}/{ending}Origin: {origin}\r\n\r\n".encode())
        assert said.split()[1] == b"403", origin
    assert answer(address, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n").split()[1] == b"400"
    upgrade = f" HTTP/1.1\r\nHost: {host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    upgrade += "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    assert answer(address, f"GET /{token}/ws?width=1000000000{upgrade}".encode()).split()[1] == b"400"
    assert "Traceback" not in (tmp_path / "stderr").read_text()
    assert status(address) == 200


def test_messages_that_no_page_sends_are_left_out_and_the_page_lives(
    server: tuple[subprocess.Popen[str], str], tmp_path: Path
) -> None:
    _, address = server
    malformed = (
        "", "{", "null", "7", "[]", "{}", '"stdin"', '["stdin"]', '["stdin", 7]', '["stdin", null]',
        '["stdin", "\\ud800"]', '["resize"]', '["resize", 7]', '["resize", {}]',
        '["resize", {"width": "a", "height": null}]', '["resize", {"width": 1e400, "height": -1}]',
        '["resize", {"width": 10000000000, "height": -5}]', '["ping"]', '[["stdin"], "x"]', "[" * 100_000,
    )  # fmt: skip

    async def converse() -> list[object]:
        seen = b""
        async with (
            aiohttp.ClientSession() as session,
            session.ws_connect(f"{address}ws?width=100&height=30") as page,
        ):
            while b"E-graphs" not in seen:
                message = await page.receive(timeout=120)
                assert message.type is aiohttp.WSMsgType.BINARY, message
                seen += message.data
            for text in malformed:
                await page.send_str(text)
            await page.send_bytes(b"\x00\xff")
            await page.send_str('["ping", 41]')
            while True:
                message = await page.receive(timeout=120)
                if message.type is not aiohttp.WSMsgType.BINARY:
                    return list(message.json())

    assert asyncio.run(converse()) == ["pong", 41]
    assert (tmp_path / "stderr").read_text() == ""


@pytest.mark.slow
def test_only_the_token_opens_the_door(server: tuple[subprocess.Popen[str], str]) -> None:
    process, address = server
    root, token = address.rstrip("/").rsplit("/", 1)
    assert len(token) >= 32
    upgrade = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
        "Sec-WebSocket-Version": "13",
    }
    for path in (
        "/",
        "/ws",
        "/static/js/textual.js",
        "/download/x",
        f"/{token[:-1]}/",
        f"/x{token}/",
        "/nothing",
    ):
        assert status(root + path) == 403, path
        assert status(root + path, **upgrade) == 403, path
    assert status(address) == 200
    assert status(address + "static/js/textual.js") == 200
    listening = [place for place in psutil.Process(process.pid).net_connections() if place.status == "LISTEN"]
    assert {place.laddr.ip for place in listening} == {"127.0.0.1"}
    seen = asyncio.run(first_paint(address))
    assert b"\x1b[?1049h" in seen
    assert b"mathwb" in seen


@pytest.mark.slow
def test_a_page_that_is_open_ends_with_the_server(server: tuple[subprocess.Popen[str], str]) -> None:
    process, address = server

    async def stop_while_open() -> list[psutil.Process]:
        async with (
            aiohttp.ClientSession() as session,
            session.ws_connect(f"{address}ws?width=100&height=30") as page,
        ):
            assert (await page.receive(timeout=120)).type is aiohttp.WSMsgType.BINARY
            children = psutil.Process(process.pid).children(recursive=True)
            process.send_signal(signal.SIGINT)
            while (await page.receive(timeout=120)).type is aiohttp.WSMsgType.BINARY:
                pass
        return children

    children = asyncio.run(stop_while_open())
    assert children
    assert process.wait(120) == 0
    assert psutil.wait_procs(children, timeout=120)[1] == []


def test_the_page_tells_nobody_its_address() -> None:
    place = open_socket("127.0.0.1", 0)
    server = WebServer(place)
    other = WebServer(place)
    place.close()
    assert server.token != other.token
    assert server.address.startswith("http://127.0.0.1:")


def test_a_port_that_is_taken_is_told() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(EngineError) as caught:
            open_socket("127.0.0.1", taken.getsockname()[1])
    assert caught.value.code == "E405"
    assert "--port 0" in caught.value.remedy


def test_without_textual_serve_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "textual_serve.server", None)
    monkeypatch.delitem(sys.modules, "workbench.web", raising=False)
    with pytest.raises(ModuleNotFoundError) as caught:
        serve_screens()
    said = explain(caught.value)
    assert (said.code, said.exit_code) == ("E351", 3)
    assert "pip install 'mathwb[serve]'" in said.remedy


@pytest.mark.slow
def test_a_page_ends_when_its_server_is_gone(user_home: Path, tmp_path: Path) -> None:
    """Nobody closes it then, and it hears of nothing but the end of its input."""
    environment = os.environ | {"MATHWB_WORKSPACE": str(tmp_path / "w"), "COLUMNS": "100", "ROWS": "30"}
    with subprocess.Popen(_COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as page:
        assert page.stdin is not None
        assert page.stdout is not None
        seen = b""
        while b"E-graphs" not in seen:
            some = os.read(page.stdout.fileno(), 65_536)
            assert some, "the page ended early"
            seen += some
        page.stdin.close()
        page.stdin = None
        # What it still writes is taken, so that it does not end by a pipe that is closed.
        try:
            page.communicate(timeout=120)
        finally:
            page.kill()
        assert page.returncode == 0

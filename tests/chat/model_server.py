"""A language model for tests: a server on loopback that answers as it is told."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Model:
    """A server that answers prompts with what `reply` says: a text, or a whole (status, headers, body)."""

    reply: Callable[[str], Any] = lambda _: "ANSWER: A"
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    url: str = ""

    def answer(self, body: dict[str, Any], headers: dict[str, str]) -> tuple[int, dict[str, str], bytes]:
        self.requests.append(body)
        self.headers.append(headers)
        said = self.reply(body["messages"][0]["content"])
        if isinstance(said, tuple):
            return said
        message = said if isinstance(said, dict) else {"role": "assistant", "content": said}
        usage = {"prompt_tokens": 100, "completion_tokens": 10}
        choice = {"message": message, "finish_reason": "stop"}
        return 200, {}, json.dumps({"choices": [choice], "usage": usage}).encode()


@contextmanager
def served() -> Iterator[Model]:
    """A model at `url`, until the context ends."""
    made = Model()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, headers, data = made.answer(body, dict(self.headers))
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield made
    finally:
        server.shutdown()
        thread.join()
        server.server_close()

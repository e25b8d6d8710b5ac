"""The links of an answer, judged by the operation `proofread` in an engine process of its own."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from screens.browser import BrowserScreen
from screens.shell.request import Answer


class Links:
    """Asks for an answer's links once, with what its question says as given. The operation reads files: the
    answers lie in a temporary folder until `close`."""

    def __init__(self, screen: BrowserScreen, then: Callable[[Answer], object]) -> None:
        self.request = screen.slow_request("proofread", then)
        self._folder: TemporaryDirectory[str] | None = None
        self._numbers = count(1)

    def get(self, name: str, post: Mapping[str, Any]) -> Any:
        """What is known of the answer with this id; None when it is asked."""
        if name in self.request.known or self.request.pending == name:
            return self.request.known.get(name)
        if self._folder is None:
            self._folder = TemporaryDirectory(prefix="mathwb-")
        path = Path(self._folder.name) / f"{next(self._numbers)}.jsonl"
        question = post["question"]
        said = f"{question['latex_title']}\n\n{question['latex']}" if question is not None else ""
        path.write_text(json.dumps({"id": name, "problem": said, "solution": post["latex"]}) + "\n", "utf-8")
        return self.request.get({"file": str(path)}, name)

    def close(self) -> None:
        if self._folder is not None:
            self._folder.cleanup()

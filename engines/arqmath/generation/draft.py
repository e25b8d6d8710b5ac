"""Answers kept topic by topic beside the run while it is made, so that a stopped or killed one goes on."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engines.core.errors import DataError
from engines.core.files import file_error, sha256
from engines.retrieval.run import Answer

__all__ = ["Draft"]

_BEGINNING = '{"made by": "'


class Draft:
    """Answers by topic as they were made, in a file: a line each, the first says what made them. A topic that
    has no answer has an empty one."""

    def __init__(self, path: Path, settings: Mapping[str, Any]) -> None:
        self.path = path
        self.answers: dict[str, Answer] = {}
        self._key = hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()
        kept = self._read()
        try:
            with open(path, "w", encoding="utf-8") as file:
                file.write(json.dumps({"made by": self._key}) + "\n")
        except OSError as error:
            raise file_error(error, path, "write") from error
        for answer in kept:
            self.keep(answer)

    @staticmethod
    def of(out: Path, topics: Path, model: Path | None, settings: Mapping[str, Any]) -> Draft:
        """The draft of the run `out`; one that other topics, weights or settings made is begun anew."""
        files = sorted(model.glob("*.safetensors")) if model else []
        weights = {file.name: sha256(file) for file in files}
        about = {"topics": sha256(topics), "weights": weights, **settings}
        return Draft(out.with_name(out.name + ".draft"), about)

    def _read(self) -> list[Answer]:
        try:
            lines = self.path.read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            return []
        except (OSError, UnicodeDecodeError):
            raise self._other() from None
        if lines and not lines[0].startswith(_BEGINNING[: len(lines[0])]):
            raise self._other()
        found = []
        for number, line in enumerate(lines):
            try:
                row = json.loads(line)
            except ValueError:
                break  # the line during which the process was killed
            if number == 0:
                if row.get("made by") != self._key:
                    return []
            else:
                found.append(Answer(row["topic"], row["text"], row["score"], "", row["sources"]))
        return found

    def _other(self) -> DataError:
        what = "the answers are kept here until the run is written, and this is another file"
        return DataError(what, path=self.path, code="E452", remedy="Choose another --out, or move the file.")

    def keep(self, answer: Answer) -> None:
        """Add an answer. Raises: DataError when it cannot be written."""
        row = {name: getattr(answer, name) for name in ("topic", "text", "score", "sources")}
        try:
            with open(self.path, "a", encoding="utf-8") as file:
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise file_error(error, self.path, "write") from error
        self.answers[answer.topic] = answer

    def remove(self) -> None:
        """Forget the file: the run is written."""
        self.path.unlink(missing_ok=True)

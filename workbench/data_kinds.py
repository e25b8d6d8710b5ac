"""Kinds of data a user may register, and how each is checked.

A check reads a file or folder once, in a stream, hands every bad line to `report` and goes on. It returns
what it counted; `records` is what the kind is about. Engines add a kind by a line in `KINDS`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from engines.core.errors import DataError, EngineError, ExpressionError
from engines.core.files import file_error, read_lines, sha256

__all__ = ["KINDS", "Kind", "Report", "check_clusters", "check_corpus", "check_expressions"]

Report = Callable[[DataError], None]
Check = Callable[[Path, Report], dict[str, int]]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of data: its name, one line about it, `module:function` of its check, and, for a folder, the
    file in it whose hash stands for the whole. Of a kind that may be a folder or a file, `files` is the
    `module:function` that lists the files that belong to it."""

    name: str
    help: str
    check: str
    folder: str = ""
    files: str = ""

    def run(self, path: Path, report: Report) -> dict[str, int]:
        """Check `path`. Raises: DataError when it cannot be read as this kind at all."""
        check: Check = _function(self.check)
        if not self.files and path.is_dir() != bool(self.folder):
            wanted = "a folder" if self.folder else "a file"
            raise DataError(f"data of kind {self.name} is {wanted}", path=path, code="E313")
        return check(path, report)

    def digests(self, path: Path) -> dict[Path, str]:
        """The SHA-256 of the files that stand for the data."""
        if self.files:
            listed: list[Path] = _function(self.files)(path)
            return {file: sha256(file) for file in listed}
        file = path / self.folder if self.folder else path
        return {file: sha256(file)}


def _function(target: str) -> Any:
    module, _, function = target.partition(":")
    return getattr(import_module(module), function)


_HERE = "workbench.data_kinds"
KINDS: Mapping[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind("expressions", "one expression per line, infix or prefix", f"{_HERE}:check_expressions"),
        Kind("clusters", "equal expressions in E-Gen's published layouts", f"{_HERE}:check_clusters"),
        Kind(
            "corpus", "a corpus folder made by mathwb egen corpus", f"{_HERE}:check_corpus", "manifest.json"
        ),
        Kind(
            "arqmath",
            "an ARQMath collection, a folder or one of its files",
            "workbench.arqmath_data:check",
            files="workbench.arqmath_data:files",
        ),
    )
}


def check_expressions(path: Path, report: Report) -> dict[str, int]:
    """One expression per line in infix or prefix; empty lines and those that begin with `#` are skipped."""
    from engines.egen.notation import read

    lines = records = 0
    for number, line in read_lines(path, on_bad=report):
        lines = number
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        try:
            read(text)
            records += 1
        except ExpressionError as error:
            report(_at(path, number, error))
    return {"records": records, "lines": lines}


def check_clusters(path: Path, report: Report) -> dict[str, int]:
    """Clusters in generator prefix notation, in either published layout.

    One JSON object per line with `head` and `exprs`, or plain blocks (the head, then what equals it, one per
    line) that a blank line ends. A cluster with bad expressions counts without them.
    """
    from engines.egen.language import read_prefix

    records = expressions = lines = 0
    inside = False
    for number, line in read_lines(path, on_bad=report):
        lines = number
        text = line.strip()
        whole = text.startswith("{")
        if not text or whole:
            inside = False
        if not text:
            continue
        try:
            members = _json_cluster(json.loads(text)) if whole else [text]
        except ValueError as error:
            report(DataError(f"this is no cluster: {error}", path=path, line=number, code="E318"))
            continue
        good = 0
        for member in members:
            try:
                read_prefix(member)
                good += 1
            except ExpressionError as error:
                report(_at(path, number, error, f" in {member[:60]!r}" if whole else ""))
        expressions += good
        records += bool(good) and not inside
        inside = inside or (not whole and bool(good))
    return {"records": records, "expressions": expressions, "lines": lines}


def _json_cluster(row: Any) -> list[str]:
    if not isinstance(row, dict) or not isinstance(row.get("head"), str):
        raise ValueError("an object with `head` and `exprs` is needed")
    members = row.get("exprs")
    if not isinstance(members, list) or not all(isinstance(member, str) for member in members):
        raise ValueError("`exprs` is no list of expressions")
    return [row["head"], *(member for member in members if member != row["head"])]


def check_corpus(path: Path, report: Report) -> dict[str, int]:
    """A corpus folder: every file that its manifest names is there and as it was when it was made."""
    manifest = path / "manifest.json"
    try:
        document = json.loads(manifest.read_text(encoding="utf-8"))
        files = {path / "shards" / shard["name"]: shard["sha256"] for shard in document["shards"]}
        expressions = sum(int(shard["rows"]) for shard in document["shards"])
        files |= {path / name: digest for name, digest in document["files"].items()}
    except OSError as error:
        raise file_error(error, manifest, "read") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError(f"this is no manifest of a corpus: {error!r}", path=manifest, code="E318") from error
    good = 0
    for file, digest in files.items():
        try:
            if sha256(file) != digest:
                raise DataError(
                    "the file is not as it was made",
                    path=file,
                    code="E319",
                    remedy=f"Make it again with: mathwb egen corpus --out {path}",
                )
            good += 1
        except DataError as error:
            report(error)
    return {"records": good, "files": len(files), "expressions": expressions}


def _at(path: Path, line: int, error: EngineError, within: str = "") -> DataError:
    return DataError(error.what + within, path=path, line=line, remedy=error.remedy, code=error.code)

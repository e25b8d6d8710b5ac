"""Expressions, clusters and corpora as registered data, and how each is checked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engines.core.errors import DataError, EngineError, ExpressionError
from engines.core.files import file_error, read_lines, sha256
from workbench.data_kinds import Kind, Report
from workbench.workspace import Workspace

__all__ = ["KINDS", "check_clusters", "check_corpus", "check_expressions", "corpora"]

_HERE = "workbench.papers.egen.data"
KINDS = (
    Kind("expressions", "one expression per line, infix or prefix", f"{_HERE}:check_expressions"),
    Kind("clusters", "equal expressions in E-Gen's published layouts", f"{_HERE}:check_clusters"),
    Kind(
        "corpus",
        "a corpus folder made by mathwb egen corpus",
        f"{_HERE}:check_corpus",
        "manifest.json",
        held=f"{_HERE}:corpora",
        many="corpora",
    ),
)


def corpora(workspace: Workspace) -> Iterator[Path]:
    """The finished corpora of a workspace."""
    for manifest in sorted(workspace.corpora.glob("*/manifest.json")):
        yield manifest.parent


def check_expressions(path: Path, report: Report) -> dict[str, int]:
    """One expression per line in infix or prefix; empty lines and those that begin with `#` are skipped."""
    from engines.egen.expressions.notation import read

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
    from engines.egen.expressions.language import read_prefix

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
            report(DataError(f"this is no cluster: {error}", path=path, line=number, code="E317"))
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
    from engines.egen.corpus.shards import corrupt

    manifest = path / "manifest.json"
    try:
        document = json.loads(manifest.read_text(encoding="utf-8"))
        files = {path / "shards" / shard["name"]: shard["sha256"] for shard in document["shards"]}
        expressions = sum(int(shard["rows"]) for shard in document["shards"])
        files |= {path / name: digest for name, digest in document["files"].items()}
    except OSError as error:
        raise file_error(error, manifest, "read") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError(
            f"this is no manifest of a corpus: {error!r}",
            path=manifest,
            code="E318",
            remedy="Name a folder that mathwb egen corpus or import made.",
        ) from error
    good = 0
    for file, digest in files.items():
        try:
            if sha256(file) != digest:
                raise corrupt(file, "the file is not as it was made", "Make it again")
            good += 1
        except DataError as error:
            report(error)
    return {"records": good, "files": len(files), "expressions": expressions}


def _at(path: Path, line: int, error: EngineError, within: str = "") -> DataError:
    return DataError(error.what + within, path=path, line=line, remedy=error.remedy, code=error.code)

"""`mathwb egen verify FILE`: does each member equal its head on the reals?"""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from engines.core.errors import DataError, EngineError
from engines.core.events import Event
from workbench.cli.common import Json, emit, progress_line, table

if TYPE_CHECKING:
    from engines.egen.verify import Judged

__all__ = ["verify"]

SHOWN = 10
PROGRESS_EVERY = 20_000


def verify(
    file: Annotated[
        Path, typer.Argument(help="Lines `head<TAB>member` in prefix notation; - is standard input.")
    ],
    seed: Annotated[int, typer.Option("--seed", min=0, help="Chooses the points.")] = 0,
    as_json: Json = False,
) -> None:
    """Judge pairs of expressions: equal, extends, shrinks, nowhere, different or undecided.

    A line that cannot be read is reported and counted, and the rest is judged.
    """
    from engines.core.files import read_lines
    from engines.egen.records import Outcome
    from engines.egen.verify import verify_lines

    unreadable: list[DataError] = []
    judged: list[Judged] = []
    progress = progress_line("verify")
    with _readable(file) as path:
        for item in verify_lines(read_lines(path, on_bad=unreadable.append), seed=seed):
            judged.append(item)
            if len(judged) % PROGRESS_EVERY == 0:
                progress(Event("progress", {"done": len(judged), "total": None, "unit": "lines"}))
    results = [_row(item) for item in judged]
    results += [_error_row(error.line or 0, error) for error in unreadable]
    results.sort(key=lambda row: row["line"])
    found = Counter(row["verdict"] for row in results)
    if found[None] == len(results):
        first = f"; line {results[0]['line']}: {results[0]['error']}" if results else ""
        raise DataError(
            f"of {len(results):,} lines none can be read{first}",
            path="standard input" if str(file) == "-" else file,
            remedy="Each line is: head, one tab, member, both in generator prefix notation.",
        )
    totals = {
        "lines": len(results),
        **{outcome: found[outcome] for outcome in get_args(Outcome)},
        "errors": found[None],
    }
    members = {item.line: item.member for item in judged}
    emit({"results": results, "totals": totals}, as_json, text=_text(results, totals, members))


def _row(item: Judged) -> dict[str, Any]:
    from engines.egen.verify import verdict_row

    if item.verdict is None:
        assert item.error is not None
        return _error_row(item.line, item.error)
    return {"line": item.line, **verdict_row(item.verdict)}


def _error_row(line: int, error: EngineError) -> dict[str, Any]:
    return {"line": line, "verdict": None, "kept": None, "counterexample": None, "error": error.what}


def _text(results: list[dict[str, Any]], totals: dict[str, int], members: dict[int, str]) -> Iterator[str]:
    yield from table(["verdict", "lines"], totals.items())
    failed = [row for row in results if row["verdict"] not in ("equal", "extends")]
    # Unreadable lines first: among thousands of verdicts they would go unseen.
    failed.sort(key=lambda row: row["verdict"] is not None)
    if failed:
        yield ""
        rows = [
            (
                row["line"],
                row["verdict"] or "error",
                _share(row["kept"]),
                _point(row),
                members.get(row["line"], ""),
            )
            for row in failed[:SHOWN]
        ]
        yield from table(["line", "verdict", "kept", "because", "member"], rows)
    if len(failed) > SHOWN:
        yield f"… and {len(failed) - SHOWN:,} more; --json lists all"


def _share(kept: float | None) -> str:
    return "" if kept is None else f"{kept:.0%}"


def _point(row: dict[str, Any]) -> str:
    """`x = 1.5: 2 and undefined`, or why the line cannot be read."""
    if row["verdict"] is None:
        return str(row["error"])
    example = row["counterexample"]
    if example is None:
        return ""
    head, member = (
        "undefined" if value is None else f"{value:.6g}" for value in (example["head"], example["member"])
    )
    return f"x = {example['x']:.4g}: {head} and {member}"


@contextmanager
def _readable(file: Path) -> Iterator[Path]:
    """The file; standard input as a file, because it is read twice to see what it is."""
    if str(file) != "-":
        yield file
        return
    with TemporaryDirectory() as folder:
        copy = Path(folder) / "standard-input"
        with copy.open("wb") as target:
            shutil.copyfileobj(sys.stdin.buffer, target)
        try:
            yield copy
        except DataError as error:
            error.where = error.where.replace(str(copy), "standard input")
            raise

"""The command `grade`: the pairs of a file, or one pair, with their verdicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, get_args

from engines.core.errors import DataError
from engines.core.events import Event, Sink, Stop, ignore, never
from engines.core.files import csv_cells, csv_rows, is_text, json_object, read_lines, whole_rows
from engines.core.shown import Tabular
from engines.core.spec import Arg, exactly_one, refused
from engines.egen.grading.compare import Units, Verdict
from engines.egen.grading.grade import Grade, grade

_PROGRESS_EVERY = 1_000
_REMEDY = (
    'Each line is {"gold": "…", "pred": "…"}, or the first line of a CSV names the columns gold and pred.'
)


@dataclass(frozen=True, slots=True)
class GradePairs:
    """Grade answers against references: equal, equal if, different, undecided or unread.

    An answer is LaTeX, plain text or a whole solution, in which the final answer is found. Only "equal" means
    that it is right; "equal if" names what has to hold, "different" shows by what, the others say why.
    """

    pairs: Annotated[
        Path | None,
        Arg("JSON Lines or CSV with gold and pred; - is standard input.", option=False, inline=".jsonl"),
    ] = None
    gold: Annotated[str | None, Arg("A reference, instead of a file.", metavar="TEXT")] = None
    pred: Annotated[str | None, Arg("The answer to it.", metavar="TEXT")] = None
    digits: Annotated[
        int | None, Arg("Compare numbers to so many decimals.", low=0, high=1000, shown="exactly")
    ] = None
    units: Annotated[
        Units, Arg("Compare units where both have one, require that of the reference, or ignore all.")
    ] = "compare"


@dataclass(frozen=True, slots=True)
class Graded(Tabular):
    """Each pair with its verdict, and how many have which; `complete`: it was not stopped."""

    results: list[dict[str, Any]]
    totals: dict[str, int]
    complete: bool = True

    def table(self) -> tuple[str, Sequence[str], Iterable[Sequence[Any]]]:
        names = ("line", "verdict", "gold", "pred", "condition", "witness", "reason")
        said = ", ".join(f"{count:,} {name}" for name, count in self.totals.items() if count)
        return said, names, [[row.get(name) for name in names] for row in self.results]


def grade_pairs(spec: GradePairs, *, events: Sink = ignore, stop: Stop = never) -> Graded:
    """Grade a file, or one pair. Raises: DataError where none of the rows can be used; EngineError E402 or
    E427 for a pair that is not whole or is given besides a file."""
    exactly_one({"PAIRS": spec.pairs, "--gold": spec.gold}, "Name a file, or give --gold and --pred.")
    if (spec.gold is None) != (spec.pred is None):
        missing = "--gold" if spec.gold is None else "--pred"
        raise refused(f"{missing} is needed", "E402", "Give --gold and --pred.")
    results: list[dict[str, Any]] = []
    bad: list[DataError] = []
    complete = True
    if spec.gold is not None and spec.pred is not None:
        result = grade(spec.gold, spec.pred, digits=spec.digits, units=spec.units)
        return _graded([_row(1, {}, result)], 0)
    assert spec.pairs is not None
    from engines.egen.verdicts import readable

    with readable(spec.pairs) as path:
        for number, row in _rows(path, bad):
            if stop():
                complete = False
                break
            result = grade(row["gold"], row["pred"], digits=spec.digits, units=spec.units)
            results.append(_row(number, row, result))
            if len(results) % _PROGRESS_EVERY == 0:
                events(Event("progress", {"done": len(results), "total": None, "unit": "pairs"}))
        if not results and complete:
            first = bad[0] if bad else DataError("there are no pairs", path=path, code="E317", remedy=_REMEDY)
            raise first
    for error in bad:
        events(Event("warning", {"message": str(error)}))
        results.append(_row(error.line or 0, {}, Grade("unread", reason=f"{error.where}: {error.what}")))
    results.sort(key=lambda row: row["line"])
    return _graded(results, len(bad), complete)


def document(found: Graded) -> dict[str, Any]:
    return {"results": found.results, "totals": found.totals, "complete": found.complete}


def code(document: Mapping[str, Any]) -> int:
    """The exit code: 0 only if every answer is right; 130 if stopped."""
    if not document["complete"]:
        return 130
    return 0 if document["totals"]["equal"] == document["totals"]["pairs"] else 1


def _graded(results: list[dict[str, Any]], bad: int, complete: bool = True) -> Graded:
    found = Counter(row["verdict"] for row in results)
    totals = {"pairs": len(results), **{verdict: found[verdict] for verdict in get_args(Verdict)}}
    return Graded(results, {**totals, "bad rows": bad}, complete)


def _row(line: int, row: Mapping[str, Any], found: Grade) -> dict[str, Any]:
    named = {"id": row["id"]} if isinstance(row.get("id"), str | int) else {}
    return {"line": line, **named, **asdict(found)}


def _rows(path: Path, bad: list[DataError]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The pairs of a file with their lines; JSON Lines begin with a brace, CSV with the names of columns."""
    lines = read_lines(path, on_bad=bad.append)
    first = next(((number, line) for number, line in lines if line.strip()), None)
    if first is None:
        return
    rows = _json_rows if first[1].lstrip().startswith(("{", "[")) else _csv_rows
    for number, row in rows(_again(first, lines), path, bad):
        what = _lacking(row)
        if what:
            bad.append(_bad(what, path, number))
        else:
            texts = {key: value if isinstance(value, str) else repr(value) for key, value in _pair(row)}
            yield number, {**row, **texts}


def _again(first: tuple[int, str], rest: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    yield first
    yield from rest


def _pair(row: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    yield from ((key, row[key]) for key in ("gold", "pred"))


def _lacking(row: Mapping[str, Any]) -> str:
    for key in ("gold", "pred"):
        value = row.get(key)
        if value is None:
            return f"the row has no {key}"
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            return f"{key} is {type(value).__name__}, and text or a number is needed"
        if isinstance(value, float) and value - value != 0:
            return f"{key} is {value}, and a finite number is needed"
        if isinstance(value, str) and not is_text(value):
            return f"the text {key!r} holds half of a UTF-16 pair"
    return ""


def _bad(what: str, path: Path, line: int) -> DataError:
    return DataError(what, path=path, line=line, code="E317", remedy=_REMEDY)


def _json_rows(
    lines: Iterator[tuple[int, str]], path: Path, bad: list[DataError]
) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in whole_rows(lines, path):
        try:
            yield number, json_object(line)
        except ValueError as error:
            bad.append(_bad(str(error), path, number))


def _csv_rows(
    lines: Iterator[tuple[int, str]], path: Path, bad: list[DataError]
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Rows of a CSV; a row that goes over several lines has the number of its first."""
    at, header = next(lines)
    delimiter = max(",;\t", key=header.count)
    columns = [name.strip() for name in csv_cells(header, delimiter)]
    missing = [name for name in ("gold", "pred") if name not in columns]
    twice = [name for name in ("gold", "pred") if columns.count(name) > 1]
    if twice:
        raise _bad(f"there are two columns {twice[0]}", path, at)
    if missing:
        raise _bad(f"there is no column {' nor '.join(missing)}", path, at)
    for row in csv_rows(lines, delimiter, strict=True):
        if row.wrong:
            bad.append(_bad(f"the row is no CSV: {row.wrong}", path, row.line))
        elif len(row.cells) > len(columns):
            what = f"the row has {len(row.cells)} cells, and there are {len(columns)} columns"
            bad.append(_bad(what, path, row.line))
        elif row.cells:
            yield row.line, dict(zip(columns, row.cells, strict=False))

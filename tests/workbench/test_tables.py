"""A column is declared once: what shows, filters or writes a table follows from its declaration."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from engines.core.assets import asset
from screens.shell.export import exported
from screens.widgets.table import Rows, content
from workbench.cli.root import app
from workbench.operation import Hint, operation
from workbench.papers.egen import tables
from workbench.tables import Column, TableSpec, figure, interval, rest

CORPUS = asset("sample/corpora/sample-e")

MEMBERS = [
    {"id": "0", "member": 0, "prefix": "sin x", "tokens": 2, "verdict": "equal", "kept": 1.0},
    {"id": "1", "member": 1, "prefix": "/ 1 csc x", "tokens": 4, "verdict": "equal", "kept": 0.5},
]


@pytest.fixture
def functions(monkeypatch: pytest.MonkeyPatch) -> TableSpec:
    """The members with one more column: how many functions they name."""

    def named(row: tables.Row) -> int:
        return sum(word.isalpha() and word != "x" for word in row["prefix"].split())

    column = Column("functions", "functions", 9, "right", value=named, format="02d", unit="functions")
    wider = replace(tables.MEMBERS, columns=(*tables.MEMBERS.columns, column))
    monkeypatch.setattr(tables, "MEMBERS", wider)
    return wider


def test_a_new_column_is_in_the_lines_and_the_filter_of_its_command(functions: TableSpec) -> None:
    show = ("egen", "show", str(CORPUS), "20")
    head, first, *_ = CliRunner().invoke(app, show).stdout.splitlines()
    # The infix form, which may be of any length, stands last.
    assert head.split() == ["member", "tok", "verdict", "kept", "functions", "infix"]
    row = operation("egen.show")
    found = row.run({"corpus": str(CORPUS), "cluster": 20})
    count = functions.row(found["members"][0])["functions"]
    assert first.split()[4] == f"{count:02d}"
    passing = row.narrowed(found, row.filter(f"functions>{count}"), None)["members"]
    assert passing == [one for one in found["members"] if functions.row(one)["functions"] > count]


def test_a_new_column_is_on_the_screen_and_sorts_by_its_value(functions: TableSpec) -> None:
    column = functions.drawn()[-1]
    rows = [functions.row(row) for row in MEMBERS]
    assert [str(content(column, row)) for row in rows] == ["01", "01"]
    rows[1]["prefix"] = "sin cos x"
    assert Rows(rows).ordered([0, 1], column, descending=True) == [1, 0]


def test_a_new_column_is_in_csv_and_tex(functions: TableSpec, tmp_path: Path) -> None:
    rows = [functions.row(row) for row in MEMBERS]
    for one in exported(functions, "members", "m", {".csv": "c", ".tex": "t"}, lambda: rows, {}):
        one.write(tmp_path / f"m{one.suffix}")
    with (tmp_path / "m.csv").open(newline="") as file:
        first = next(csv.DictReader(file))
    assert (first["functions"], first["infix"], first["latex"]) == (
        "1",
        "sin(x)",
        tables.written("latex", "sin x"),
    )
    tex = (tmp_path / "m.tex").read_text()
    assert r"functions \\" in tex
    assert f"${tables.written('latex', '/ 1 csc x')}$" in tex


def test_a_column_is_only_where_it_says() -> None:
    spec = TableSpec((Column("a", "a", on="text"), Column("b", "b", on="csv tex"), Column("c", "c", on="")))
    found = {place: [column.name for column in spec.on(place)] for place in ("screen", "text", "csv", "tex")}
    assert found == {"screen": [], "text": ["a"], "csv": ["b"], "tex": ["b"]}


def test_values_are_made_only_when_they_are_asked_for() -> None:
    asked: list[int] = []

    def twice(row: tables.Row) -> int:
        asked.append(row["a"])
        return 2 * int(row["a"])

    spec = TableSpec((Column("a", "a"), Column("twice", "twice", value=twice)))
    row = spec.row({"a": 3})
    assert row.get("a") == 3
    assert not asked
    assert (row["twice"], row.get("twice"), row.get("none", 7)) == (6, 6, 7)
    assert spec.row({"a": 1, "twice": "known"})["twice"] == "known"
    with pytest.raises(KeyError):
        row["none"]


def test_footnotes_and_figures() -> None:
    assert (figure(None), figure(0.5), interval((0.25, 1))) == ("", "0.5000", "0.250 to 1.000")
    assert list(rest(10, 10)) == []
    (line,) = rest(1_200, 10)
    assert isinstance(line, Hint)
    assert line == "1,190 more; --json lists all"

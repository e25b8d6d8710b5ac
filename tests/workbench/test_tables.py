"""A column is declared once: what shows, filters or writes a table follows from its declaration."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from engines.core.system import asset
from screens.shell.export import declared_exports
from screens.widgets.table import TableRows
from screens.widgets.table_columns import cell_content
from workbench.cli.command import app
from workbench.operations import find_operation
from workbench.papers.egen import tables
from workbench.tables import (
    Column,
    HintLine,
    TableSpec,
    align_rows,
    format_interval,
    format_measure,
    in_form,
    indent_lines,
)

CORPUS = asset("sample/corpora/sample-e")

MEMBERS = [
    {"id": "0", "member": 0, "prefix": "sin x", "tokens": 2, "verdict": "equal", "kept": 1.0},
    {"id": "1", "member": 1, "prefix": "/ 1 csc x", "tokens": 4, "verdict": "equal", "kept": 0.5},
]


@pytest.fixture
def functions(monkeypatch: pytest.MonkeyPatch) -> TableSpec:
    """The members with one more column: how many functions they name."""

    def named(row: tables.TableRow) -> int:
        return sum(word.isalpha() and word != "x" for word in row["prefix"].split())

    column = Column("functions", "functions", 9, "right", value=named, format="02d", unit="functions")
    wider = replace(tables.MEMBERS, columns=(*tables.MEMBERS.columns, column))
    monkeypatch.setattr(tables, "MEMBERS", wider)
    return wider


def test_a_new_column_is_in_the_lines_and_the_filter_of_its_command(functions: TableSpec) -> None:
    show = ("egen", "show", str(CORPUS), "20")
    head, first, *_ = CliRunner().invoke(app, show).stdout.splitlines()
    # The infix form, which may be of any length, stands last.
    assert head.split() == ["member", "tok", "verdict", "kept", "by", "functions", "infix"]
    row = find_operation("egen.show")
    found = row.run({"corpus": str(CORPUS), "cluster": 20})
    count = functions.make_row(found["members"][0])["functions"]
    assert first.split()[4] == f"{count:02d}"
    passing = row.where.filter_record(found, row.where.parse_filter(f"functions>{count}"), None)["members"]
    assert passing == [one for one in found["members"] if functions.make_row(one)["functions"] > count]


def test_a_new_column_is_on_the_screen_and_sorts_by_its_value(functions: TableSpec) -> None:
    column = functions.screen_columns()[-1]
    rows = [functions.make_row(row) for row in MEMBERS]
    assert [str(cell_content(column, row)) for row in rows] == ["01", "01"]
    rows[1]["prefix"] = "sin cos x"
    assert TableRows(rows).sort_indices([0, 1], column, descending=True) == [1, 0]


def test_a_new_column_is_in_csv_and_tex(functions: TableSpec, tmp_path: Path) -> None:
    rows = [functions.make_row(row) for row in MEMBERS]
    for one in declared_exports(functions, "members", "m", {".csv": "c", ".tex": "t"}, lambda: rows, {}):
        one.write(tmp_path / f"m{one.suffix}")
    with (tmp_path / "m.csv").open(newline="") as file:
        first = next(csv.DictReader(file))
    assert (first["functions"], first["infix"], first["latex"]) == (
        "1",
        "sin(x)",
        tables.write_expression("latex", "sin x"),
    )
    tex = (tmp_path / "m.tex").read_text()
    assert r"functions \\" in tex
    assert f"${tables.write_expression('latex', '/ 1 csc x')}$" in tex


def test_a_column_is_only_where_it_says() -> None:
    spec = TableSpec((Column("a", "a", on="text"), Column("b", "b", on="csv tex"), Column("c", "c", on="")))
    found = {
        place: [column.name for column in spec.columns_on(place)]
        for place in ("screen", "text", "csv", "tex")
    }
    assert found == {"screen": [], "text": ["a"], "csv": ["b"], "tex": ["b"]}


def test_values_are_made_only_when_they_are_asked_for() -> None:
    asked: list[int] = []

    def twice(row: tables.TableRow) -> int:
        asked.append(row["a"])
        return 2 * int(row["a"])

    spec = TableSpec((Column("a", "a"), Column("twice", "twice", value=twice)))
    row = spec.make_row({"a": 3})
    assert row.get("a") == 3
    assert not asked
    assert (row["twice"], row.get("twice"), row.get("none", 7)) == (6, 6, 7)
    assert spec.make_row({"a": 1, "twice": "known"})["twice"] == "known"
    with pytest.raises(KeyError):
        row["none"]


def test_what_stands_beside_tables_is_a_comment_of_latex_and_no_row_of_csv() -> None:
    lines = [
        "said",
        *align_rows(("a", "b"), [("x_1", 1.5)]),
        "",
        *indent_lines(align_rows(("c",), [("50 %",)])),
        HintLine("more"),
    ]
    assert list(in_form(lines, "csv")) == ["a,b", "x_1,1.5", "", "c", "50 %", "more"]
    tex = list(in_form(lines, "tex"))
    assert tex[0] == "% said"
    assert r"x\_1 & 1.5 \\" in tex
    assert r"50 \% \\" in tex


def test_footnotes_and_figures() -> None:
    assert (format_measure(None), format_measure(0.5), format_interval((0.25, 1))) == (
        "",
        "0.5000",
        "0.250 to 1.000",
    )


def test_files_have_every_row_and_people_are_told_how_many_more_there_are() -> None:
    rows = [(number, f"row {number}") for number in range(100)]
    lines = align_rows(("n", "text"), rows, most=10)
    assert len(lines) == 12
    assert lines[-1] == "… and 90 more; --json lists all"
    assert list(in_form(lines, "csv")) == ["n,text", *(f"{number},{text}" for number, text in rows)]
    assert sum(r"\\" in line for line in in_form(lines, "tex")) == 101
    spec = TableSpec((Column("n", "n"),))
    items = [{"n": number} for number in range(100)]
    assert [line.strip() for line in spec.text_lines(items[:3], total=5, most=3, every=items)] == [
        "n",
        "0",
        "1",
        "2",
        "… and 2 more; --json lists all",
    ]
    assert len([*in_form(spec.text_lines(items, most=2), "csv")]) == 101


def test_a_table_without_rows_is_a_sentence_for_people_and_a_header_in_files() -> None:
    lines = align_rows(("a", "b"), [], none="there are none")
    assert lines == ["there are none"]
    assert list(in_form(lines, "csv")) == ["a,b"]


def test_no_passing_row_is_no_row_of_csv(tmp_path: Path) -> None:
    line = ["egen", "show", str(CORPUS), "20", "--where", "no-such-word"]
    assert "passes the filter" in CliRunner().invoke(app, line).stdout
    done = CliRunner().invoke(app, [*line, "--csv"])
    head, *rows = csv.reader(done.stdout.splitlines())
    assert ("member" in head, rows) == (True, [])


def test_figures_of_csv_are_whole_and_those_of_tex_have_six_digits() -> None:
    spec = TableSpec((Column("p", "p"),))
    lines = spec.text_lines([{"p": 1.23456789e-9}])
    assert list(in_form(lines, "csv")) == ["p", "1.23456789e-09"]
    assert r"1.23457e-09 \\" in in_form(lines, "tex")

"""Exports open in other programs and say what they are."""

from __future__ import annotations

import csv
import json
import subprocess
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.conftest import expect_error
from workbench import __version__
from workbench.export import TABLE_FORMATS, csv_lines, current_commit, write_document, write_table

COLUMNS = ("member", "tokens", "note")
ROWS = [("sin(x)^2 & 50%", 5, 'say "so",\nthen'), ("π", 1, ""), ("two\rlines", 2, "x\r\n")]


def test_csv_jsonl_and_parquet_hold_the_same(tmp_path: Path) -> None:
    for ending in (".csv", ".jsonl", ".parquet"):
        write_table(tmp_path / f"t{ending}", COLUMNS, iter(ROWS), provenance={})
    with (tmp_path / "t.csv").open(newline="") as file:
        read = [(row["member"], int(row["tokens"]), row["note"]) for row in csv.DictReader(file)]
    assert read == ROWS
    lines = (tmp_path / "t.jsonl").read_text().splitlines()
    assert [tuple(json.loads(line).values()) for line in lines] == ROWS
    assert [tuple(row.values()) for row in pq.read_table(tmp_path / "t.parquet").to_pylist()] == ROWS


FORMULAS = (
    "=cmd|' /C calc'!A0",
    '=HYPERLINK("http://example.org","x")',
    "+cmd|x",
    "-sin(x)",
    "-2+3+cmd|' /C calc'!A0",
    "@SUM(A1)",
    "\t=1+1",
    "＝SUM(A1)",
)
NO_FORMULAS = ("-1", "+0.0123", "-3/4", "-1e5", "-inf", "- 2", "a=b", "x-y", "", "–", "(-x)")


def test_no_cell_is_a_formula_of_a_spreadsheet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def read(path: Path) -> list[str]:
        with path.open(newline="") as file:
            return [row[0] for row in csv.reader(file)][1:]

    rows = [(cell,) for cell in (*FORMULAS, *NO_FORMULAS)]
    path = write_table(tmp_path / "t.csv", ("text",), rows, provenance={})
    assert read(path) == [*(f"'{cell}" for cell in FORMULAS), *NO_FORMULAS]
    assert next(csv_lines(["=head"], [])) == "'=head"
    assert [*csv_lines(["n"], [[-5], [-0.5]])] == ["n", "-5", "-0.5"]
    monkeypatch.setenv("MATHWB_CSV_FORMULAS", "1")
    assert read(write_table(path, ("text",), rows, provenance={})) == [*FORMULAS, *NO_FORMULAS]


def test_tex_escapes_what_tex_would_act_upon(tmp_path: Path) -> None:
    text = write_table(tmp_path / "t.tex", COLUMNS, ROWS, provenance={}).read_text()
    assert r"sin(x)\textasciicircum{}2 \& 50\% & 5 &" in text
    assert r"\begin{tabular}{lrl}" in text


def test_a_table_without_rows_is_a_table(tmp_path: Path) -> None:
    for ending in TABLE_FORMATS:
        write_table(tmp_path / f"t{ending}", COLUMNS, [], provenance={})
    assert (tmp_path / "t.csv").read_text().splitlines() == ["member,tokens,note"]
    assert (tmp_path / "t.jsonl").read_text() == ""
    assert pq.read_table(tmp_path / "t.parquet").num_rows == 0
    assert r"member & tokens & note \\" in (tmp_path / "t.tex").read_text()


def test_the_sidecar_names_version_source_and_columns(tmp_path: Path) -> None:
    write_document(tmp_path / "graph.dot", "digraph {}", provenance={"run": 41})
    sidecar = json.loads((tmp_path / "graph.dot.meta.json").read_text())
    assert sidecar["mathwb"] == __version__
    assert sidecar["run"] == 41
    assert {"commit", "written"} <= sidecar.keys()


def test_an_unknown_ending_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with expect_error("E430"):
        write_table(tmp_path / "t.cvs", COLUMNS, ROWS, provenance={})
    assert list(tmp_path.iterdir()) == []


def test_a_written_benchmark_is_no_change_of_the_commit(tmp_path: Path) -> None:
    def git(*command: str) -> str:
        name = ["-c", "user.name=a", "-c", "user.email=a@b"]
        done = subprocess.run(
            ["git", *name, *command], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    result, code = tmp_path / "benchmarks" / "results" / "one.json", tmp_path / "code.py"
    result.parent.mkdir(parents=True)
    assert current_commit(tmp_path) == ""
    result.write_text("1")
    code.write_text("1")
    git("init", "-q")
    git("add", ".")
    git("commit", "-q", "-m", "first")
    head = git("rev-parse", "--short=12", "HEAD")
    result.write_text("2")
    current_commit.cache_clear()
    assert current_commit(tmp_path) == head
    code.write_text("2")
    current_commit.cache_clear()
    assert current_commit(tmp_path) == f"{head}+"

"""The papers' tables, and ours beside them only where something was measured."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from benchmarks.repro import measured
from engines.core.errors import EngineError
from engines.core.system import asset
from tests.conftest import expect_error
from workbench.cli.command import app
from workbench.jobs import control
from workbench.recipes import Recipe, load_recipe
from workbench.repro import engine_names, paper_tables, save_result
from workbench.train import job_spec

if TYPE_CHECKING:
    from tests.jobs.conftest import Lab

ROOT = Path(__file__).resolve().parents[2]


def test_every_table_has_a_number_for_every_column(lab: Lab) -> None:
    for engine in engine_names():
        for item in paper_tables(lab.workspace, engine):
            assert item.rows
            assert len({len(row.cells) for row in item.rows}) == 1
            assert all(cell.ours is None or row.source for row in item.rows for cell in row.cells)


def test_the_printed_f1_fits_precision_and_recall_but_where_noted(lab: Lab) -> None:
    for number in (8, 11):
        (item,) = paper_tables(lab.workspace, "egen", number=number)
        for row in item.rows:
            numbers = [cell.paper for cell in row.cells if cell.paper == cell.paper]
            if not numbers:
                continue  # a row of ours
            for precision, recall, f1 in (numbers[:3], numbers[3:]):
                right = abs(2 * precision * recall / (precision + recall) - f1) < 0.02
                assert right or (number, row.name, f1) == (8, "CL Max", 89.14)


def test_mathamrs_context_is_the_formulas_sentence_as_in_the_paper(lab: Lab) -> None:
    """`--window` counts the sentences before and after it; those of the released contexts are 1."""
    for item in paper_tables(lab.workspace, "mathamr"):
        assert "--encoder MODEL --window 0 " in item.command
    assert load_recipe("mathamr/sentences-paper").params["model"]["window"] == 0


def test_a_result_file_is_shown_with_its_interval(lab: Lab) -> None:
    values = {"kmeans_accuracy": {"mean": 95.5, "low": 94.0, "high": 96.5}}
    save_result(
        lab.workspace.root,
        "egen",
        table=4,
        row="CL Mean",
        values=values,
        setting="egen/cl-mean-small on the published sample",
        command="mathwb egen eval kmeans egen-small",
    )
    (item,) = paper_tables(lab.workspace, "egen", number=4)
    row = next(row for row in item.rows if row.name == "CL Mean")
    (cell,) = row.cells
    assert (cell.paper, cell.ours, cell.low, cell.high) == (97.61, 95.5, 94.0, 96.5)
    assert row.source == "egen/cl-mean-small on the published sample"


@pytest.mark.slow
def test_a_finished_run_of_a_recipe_is_shown(lab: Lab, recipe: Path) -> None:
    path = recipe.with_name("cl-max-test.toml")
    path.write_text(recipe.read_text())
    spec = job_spec(lab.workspace, load_recipe(str(path)), publish=False)
    params = {**spec.params, "recipe": "egen/cl-max-test", "model": {"measure": "kmeans_accuracy"}}
    control.submit_job(lab.workspace, Recipe(spec.task, spec.title, params, 1))
    accuracy = lab.wait(1, "succeeded").value["measures"]["kmeans_accuracy"]
    (item,) = paper_tables(lab.workspace, "egen", number=4)
    row = next(row for row in item.rows if row.name == "CL Max")
    assert row.source == "egen/cl-max-test, 1 run"
    assert row.cells[0].ours == accuracy  # and not what ships


def test_what_is_not_there_is_refused(lab: Lab) -> None:
    for engine, number in (("egan", None), ("egen", 5)):
        with pytest.raises(EngineError) as caught:
            paper_tables(lab.workspace, engine, number=number)
        assert caught.value.exit_code == 2
    (lab.workspace.root / "results" / "egen").mkdir(parents=True)
    (lab.workspace.root / "results" / "egen" / "bad.json").write_text(json.dumps({"table": 4}))
    with expect_error("E318"):
        paper_tables(lab.workspace, "egen")


def numbers(value: object) -> Iterator[float]:
    """Every number in a record."""
    if isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from numbers(each)
    elif isinstance(value, int | float):
        yield float(value)


@pytest.mark.parametrize("engine", engine_names())
def test_what_ships_as_ours_is_what_its_record_says(lab: Lab, engine: str) -> None:
    filled = [row for item in paper_tables(lab.workspace, engine) for row in item.rows if row.source]
    assert filled
    for row in filled:
        record, _, commit = row.record.partition(" of commit ")
        text = (ROOT / record).read_text()
        ours = [
            number for cell in row.cells for number in (cell.ours, cell.low, cell.high) if number is not None
        ]
        assert ours
        assert row.command
        if record.endswith(".md"):
            shown = set(re.findall(r"\d+(?:\.\d+)?", text))
            assert {f"{number:g}" for number in ours} <= {f"{float(number):g}" for number in shown}
        else:
            found = json.loads(text)
            assert found["commit"] == commit
            there = {round(number * by, 4) for number in numbers(found["figures"]) for by in (1, 100)}
            assert set(ours) <= there


def test_what_ships_as_ours_is_made_anew_from_its_records(tmp_path: Path) -> None:
    made = [row.save(tmp_path).relative_to(tmp_path) for row in measured()]
    shipped = asset("repro").parent
    assert {path.relative_to(shipped) for path in shipped.glob("results/*/*.json")} == set(made)
    for path in made:
        assert (shipped / path).read_text() == (tmp_path / path).read_text(), "run python -m benchmarks.repro"


def test_every_row_of_ours_has_a_place_in_its_table(lab: Lab) -> None:
    shown = {
        (engine, item.number, row.name)
        for engine in engine_names()
        for item in paper_tables(lab.workspace, engine)
        for row in item.rows
        if row.source
    }
    assert shown == {(row.engine, row.table, row.row) for row in measured()}
    assert {engine for engine, _, _ in shown} == set(engine_names())


def test_the_help_names_every_engine_and_commands_and_records_are_shown() -> None:
    told = CliRunner().invoke(app, ["repro", "--help"]).stdout
    assert all(engine in told for engine in engine_names())
    shown = CliRunner().invoke(app, ["repro", "mathamr"]).stdout
    assert "python -m benchmarks.mathamr COLLECTION" in shown
    assert "benchmarks/results/mathamr.json of commit" in shown

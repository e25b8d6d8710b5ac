"""The papers' tables, and ours beside them only where something was measured."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from engines.core.errors import EngineError
from workbench import jobs
from workbench.recipes import Recipe, load
from workbench.repro import engines, save_result, tables
from workbench.training import job_spec

if TYPE_CHECKING:
    from tests.jobs.conftest import Lab


def test_every_table_has_a_number_for_every_column(lab: Lab) -> None:
    for engine in engines():
        for item in tables(lab.workspace, engine):
            assert item.rows
            assert len({len(row.cells) for row in item.rows}) == 1
            assert all(cell.ours is None or row.source for row in item.rows for cell in row.cells)


def test_the_printed_f1_fits_precision_and_recall_but_where_noted(lab: Lab) -> None:
    for number in (8, 11):
        (item,) = tables(lab.workspace, "egen", number=number)
        for row in item.rows:
            numbers = [cell.paper for cell in row.cells]
            for precision, recall, f1 in (numbers[:3], numbers[3:]):
                right = abs(2 * precision * recall / (precision + recall) - f1) < 0.02
                assert right or (number, row.name, f1) == (8, "CL Max", 89.14)


def test_mathamrs_context_is_the_formulas_sentence_as_in_the_paper(lab: Lab) -> None:
    """`--window` counts the sentences before and after it; those of the released contexts are 1."""
    for item in tables(lab.workspace, "mathamr"):
        assert "--encoder MODEL --window 0 " in item.command
    assert load("mathamr/sentences-paper").params["model"]["window"] == 0


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
    (item,) = tables(lab.workspace, "egen", number=4)
    row = next(row for row in item.rows if row.name == "CL Mean")
    (cell,) = row.cells
    assert (cell.paper, cell.ours, cell.low, cell.high) == (97.61, 95.5, 94.0, 96.5)
    assert row.source == "egen/cl-mean-small on the published sample"


def test_a_finished_run_of_a_recipe_is_shown(lab: Lab, recipe: Path) -> None:
    path = recipe.with_name("cl-max-test.toml")
    path.write_text(recipe.read_text())
    spec = job_spec(lab.workspace, load(str(path)), publish=False)
    params = {**spec.params, "recipe": "egen/cl-max-test", "model": {"measure": "kmeans_accuracy"}}
    jobs.submit(lab.workspace, Recipe(spec.task, spec.title, params, 1))
    measured = lab.wait(1, "succeeded").value["measures"]["kmeans_accuracy"]
    (item,) = tables(lab.workspace, "egen", number=4)
    row = next(row for row in item.rows if row.name == "CL Max")
    assert row.source == "egen/cl-max-test, 1 run"
    assert row.cells[0].ours == measured


def test_what_is_not_there_is_refused(lab: Lab) -> None:
    for engine, number in (("egan", None), ("egen", 5)):
        with pytest.raises(EngineError) as caught:
            tables(lab.workspace, engine, number=number)
        assert caught.value.exit_code == 2
    (lab.workspace.root / "results" / "egen").mkdir(parents=True)
    (lab.workspace.root / "results" / "egen" / "bad.json").write_text(json.dumps({"table": 4}))
    with pytest.raises(EngineError, match="no result file"):
        tables(lab.workspace, "egen")

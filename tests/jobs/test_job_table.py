"""A column of the table of jobs is written in one place."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import TYPE_CHECKING

import pytest

from screens.jobs.job_list import JOB_COLUMNS, job_records
from screens.widgets.table_columns import cell_content
from workbench.cli import jobs as jobs_commands
from workbench.cli.command import app
from workbench.cli.manual import commands_page
from workbench.jobs import job_registry, job_table
from workbench.jobs.job_table import JOBS
from workbench.tables import Column, TableSpec

if TYPE_CHECKING:
    from tests.jobs.conftest import Lab


def test_a_new_column_is_printed_filtered_and_written(
    lab: Lab, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    small, large = lab.submit(n=2), lab.submit(n=3)
    for number in (small, large):
        lab.wait(number, "succeeded")
    items = Column("items", "items", value=lambda row: row["view"].params["n"])
    table = TableSpec((*JOBS.columns, items), item=JOBS.item)
    for module in (job_table, jobs_commands):
        monkeypatch.setattr(module, "JOBS", table)

    def list_jobs(*words: str) -> str:
        app(["jobs", "list", *words], standalone_mode=False)
        return capsys.readouterr().out

    assert list_jobs().split("\n")[0].split()[-1] == "items"
    assert [row["items"] for row in csv.DictReader(io.StringIO(list_jobs("--csv")))] == ["3", "2"]
    assert [row["items"] for row in json.loads(list_jobs("--json"))] == [3, 2]
    assert [row["id"] for row in json.loads(list_jobs("--where", "items>2", "--json"))] == [large]


def test_screen_and_reference_have_the_columns_of_the_table(lab: Lab) -> None:
    number = lab.submit(n=2)
    lab.wait(number, "succeeded")
    assert {column.name for column in JOB_COLUMNS} == {column.name for column in JOBS.columns_on("screen")}
    (row,) = job_records([job_registry.read_job(lab.workspace, number)])
    drawn = {column.name: cell_content(column, row).plain for column in JOB_COLUMNS}
    assert drawn["id"].endswith(str(number))
    assert re.fullmatch(r"\d\d:\d\d|\d\d \w+", drawn["start"])
    assert drawn["loss"] == "0.5000"
    section = commands_page().partition("mathwb jobs list\n")[2].partition("####")[0]
    assert {column.name for column in JOBS.columns if not column.unfiltered} <= set(
        re.findall(r"`(\w+)`", section)
    )

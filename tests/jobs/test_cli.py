"""`mathwb jobs`, as scripts use it."""

from __future__ import annotations

import csv
import dataclasses
import json
import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from engines.core.picture import CurvesFigure, write_curves_figure
from tests.conftest import mathwb
from workbench.cli.jobs import describe_job
from workbench.jobs import control, job_registry
from workbench.jobs.folder import create_job
from workbench.jobs.logged_values import read_finite_values, read_values_by_step
from workbench.recipes import Recipe

if TYPE_CHECKING:
    from tests.jobs.conftest import Lab

pytestmark = pytest.mark.usefixtures("forked_jobs")


jobs_command = partial(mathwb, "jobs")


def test_list_takes_the_filters_of_the_screen(lab: Lab) -> None:
    assert jobs_command("list").stdout == "There are no jobs yet.\n"
    good, bad = lab.submit(n=2), lab.submit("fail")
    lab.wait(good)
    lab.wait(bad)
    assert [view["id"] for view in json.loads(jobs_command("list", "--json").stdout)] == [bad, good]
    found = json.loads(jobs_command("list", "--where", "state:failed", "--json").stdout)
    assert [(view["id"], view["reason"]) for view in found] == [(bad, "no model at the place named")]
    assert json.loads(jobs_command("list", "--where", "done>1", "--json").stdout)[0]["id"] == good
    text = jobs_command("list").stdout.splitlines()
    assert text[0].split() == ["id", "title", "state", "attempt", "done", "left"]
    assert "2/2 items" in text[2]
    refused = jobs_command("list", "--where", "stat:failed")
    assert refused.returncode == 2
    assert "'state'" in refused.stderr


def test_show_tells_everything(lab: Lab) -> None:
    number = lab.submit(n=2, model={"dim": 3})
    lab.wait(number, "succeeded")
    document = json.loads(jobs_command("show", str(number), "--json").stdout)
    assert document["value"]["items"] == 2
    assert [attempt["state"] for attempt in document["attempts"]] == ["succeeded"]
    assert document["disk"]["run_bytes"] > 0
    text = jobs_command("show", str(number)).stdout
    assert "params.model.dim 3" in " ".join(text.split())
    assert jobs_command("show", "99").returncode == 2
    assert "there is no job 99" in jobs_command("show", "99").stderr


def test_show_prints_no_python_and_names_the_unit_of_bytes(lab: Lab) -> None:
    number = lab.submit(n=2)
    view = lab.wait(number, "succeeded")
    params = {"data": {"corpus": "mine", "names": ["a", "b"]}, "train": {"best_is_lowest": True}}
    metrics = {"memory_bytes": 573_633_000.0, "tokens": 2_500_000.0, "loss_nats": 0.5, "train_loss_nats": 0.6}
    view = dataclasses.replace(view, params=params, metrics=metrics)
    text = "\n".join(describe_job(view, [], control.DiskUse(1, 2)))
    flowing = " ".join(text.split())
    assert "params.data.corpus mine" in flowing
    assert "params.data.names a, b" in flowing
    assert "params.train.best_is_lowest true" in flowing
    assert "memory_bytes 547.1 MiB" in flowing
    assert "tokens 2,500,000" in flowing
    assert not re.search(r"[{}'\[\]]|e\+0", text)
    # Two losses, each with what it is.
    assert re.search("^loss_nats: .*batches", text, re.MULTILINE)
    assert re.search("^train_loss_nats: .*fixed part", text, re.MULTILINE)


def test_files_list_the_runs_of_a_sweep_as_json_does(
    lab: Lab, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from workbench.cli.command import app

    view = lab.wait(lab.submit(n=2), "succeeded")
    views = [dataclasses.replace(view, id=9, task="sweep"), *(dataclasses.replace(view, sweep=9),) * 3]
    views = [dataclasses.replace(each, id=9 - at) for at, each in enumerate(views)]
    monkeypatch.setattr(job_registry, "list_jobs", lambda *_: views)

    def printed(*more: str) -> str:
        app(["jobs", "list", *more], standalone_mode=False)
        return capsys.readouterr().out

    assert len(printed().splitlines()) == 2
    assert [int(row["id"]) for row in csv.DictReader(printed("--csv").splitlines())] == [9, 8, 7, 6]
    assert [row["id"] for row in json.loads(printed("--json"))] == [9, 8, 7, 6]


def test_curves_count_and_mark_what_is_no_number(lab: Lab, tmp_path: Path) -> None:
    number = lab.submit(n=2)
    lab.wait(number, "succeeded")
    log = lab.attempt(number).events
    (last,) = (json.loads(line) for line in log.read_text().splitlines()[-1:])
    values = {10: 2.0, 20: None, 30: 1.0, 40: None}
    with log.open("a") as file:
        for step, value in values.items():
            event = {**last, "kind": "metric", "step": step, "data": {"val": value, "only": None}}
            file.write(json.dumps(event, separators=(",", ":")) + "\n")
    assert read_values_by_step(log.parent.parent, "val") == [*values.items()]
    assert read_finite_values(log.parent.parent, "val") == [(10, 2.0), (30, 1.0)]
    with log.open("a") as file:
        for value in (5.0, 7.0):  # a measure without steps counts by its values
            event = {**last, "kind": "metric", "step": None, "data": {"rate": value}}
            file.write(json.dumps(event, separators=(",", ":")) + "\n")
    assert read_values_by_step(log.parent.parent, "rate") == [(0, 5.0), (1, 7.0)]
    line = ("curves", str(number), "--by", "val")
    head, row = jobs_command(*line).stdout.splitlines()[-2:]
    assert [*re.split("  +", head)] == ["id", "title", "points", "not finite", "least", "most", "last"]
    assert [*re.split("  +", row)][2:] == ["4", "2", "1", "2", "not finite"]
    assert json.loads(jobs_command(*line, "--json").stdout)["jobs"][str(number)] == [
        *map(list, values.items())
    ]
    rows = list(csv.DictReader(jobs_command(*line, "--csv").stdout.splitlines()))
    assert [(int(each["step"]), each["val"]) for each in rows] == [
        (10, "2.0"),
        (20, "nan"),
        (30, "1.0"),
        (40, "nan"),
    ]
    assert "not finite" in jobs_command("curves", str(number), "--by", "only").stdout
    assert jobs_command(*line, "--plot", str(tmp_path / "c.svg")).returncode == 0
    cross = r"M -2 2\s*L 2 -2\s*M -2 -2\s*L 2 2"
    for last, marked in ((1.0, False), (None, True)):
        place = tmp_path / f"{last}.svg"
        write_curves_figure(
            CurvesFigure(place, ({"name": "a", "xs": [10, 20], "ys": [2.0, last]},)), cache=tmp_path
        )
        assert bool(re.search(cross, place.read_text())) == marked


@pytest.mark.slow
def test_tail_follows_to_the_end_and_ends_like_the_job(lab: Lab) -> None:
    number = lab.held()
    shown = jobs_command("tail", str(number), "-n", "2").stdout.splitlines()
    assert len(shown) == 2
    assert "3/6 items" in shown[0]
    lab.go(number)
    followed = jobs_command("tail", str(number), "--follow", "--json", "-n", "99")
    assert followed.returncode == 0
    events = [json.loads(line) for line in followed.stdout.splitlines()]
    assert [event["seq"] for event in events] == list(range(14))
    log = lab.attempt(number).events
    first, second, *rest = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join((first, second[:9], b"\xe9\n", *rest)))
    cut = jobs_command("tail", str(number), "--json", "-n", "99")
    assert [json.loads(line)["seq"] for line in cut.stdout.splitlines()] == [0, *range(2, 14)]
    assert "1 line of events.jsonl cannot be read" in cut.stderr
    bad = lab.submit("crash")
    assert jobs_command("tail", str(bad), "-f").returncode == 1
    log = jobs_command("tail", str(bad), "--log", "stderr")
    assert log.stdout == "the library gave up\\x1b[2J\n"


@pytest.mark.slow
def test_stop_resume_and_rm(lab: Lab) -> None:
    number = str(lab.held())
    assert json.loads(jobs_command("stop", number, "--json").stdout)[0]["state"] in ("stopping", "stopped")
    lab.wait(int(number), "stopped")
    assert jobs_command("tail", number, "-f").returncode == 130
    assert jobs_command("stop", number).returncode == 2
    lab.go(int(number))
    assert jobs_command("resume", number).returncode == 0
    lab.wait(int(number), "succeeded")
    assert jobs_command("rm", number).stdout == f"{number}  test count  removed\n"
    assert jobs_command("list").stdout == "There are no jobs yet.\n"


def test_one_refusal_does_not_keep_the_others_from_it(lab: Lab) -> None:
    number = lab.held()
    result = jobs_command("kill", "99", str(number), "--json")
    assert result.returncode == 2
    first, second = json.loads(result.stdout)
    assert (first["error"]["code"], second["id"]) == ("E601", number)
    lab.wait(number, "stopped")


@pytest.mark.slow
def test_lost_is_four(lab: Lab) -> None:
    number = lab.held()
    job_registry.reconcile_jobs(lab.workspace)
    lab.kill(lab.supervisor(number))
    lab.kill(lab.worker(number))
    listed = jobs_command("list")
    assert listed.returncode == 0
    assert f"job {number} (test count) has ended: lost" in listed.stderr
    for words in (("show",), ("stop",), ("kill",), ("tail", "-f")):
        assert jobs_command(*words, str(number)).returncode == 4, words


def test_reindex(lab: Lab) -> None:
    create_job(lab.workspace.runs, Recipe("test.count", "x"))
    assert json.loads(jobs_command("reindex", "--json").stdout) == {"jobs": 1, "notice": ""}

"""Others are told what a job logs: all of it, once, whatever happens to the job or to them."""

from __future__ import annotations

import json
import re
import sqlite3
import sys
from collections import Counter
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

from engines.core.errors import EngineError
from tests.conftest import expect_error
from workbench.cli.command import app
from workbench.jobs import control, job_registry
from workbench.jobs.folder import create_job, find_job
from workbench.jobs.reporting import FILE, check_reporter, read_report_states, report_job, reporter_file
from workbench.jobs.tail import EventTail
from workbench.recipes import Recipe

if TYPE_CHECKING:
    from tests.jobs.conftest import Lab

pytestmark = pytest.mark.usefixtures("forked_jobs")

TELL = """
import json
from pathlib import Path

here = Path(__file__).parent

def tell(run, event):
    if (here / "broken").exists() and event.kind == "metric" and event.step == 4:
        raise OSError("no route to host")
    line = {"run": run.name, "kind": event.kind, "attempt": event.attempt, "step": event.step, **event.data}
    with (here / "told.jsonl").open("a") as file:
        file.write(json.dumps(line) + "\\n")
"""


class Told:
    """A reporter in a file, and what it was told."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "tell.py"
        self.path.write_text(TELL)
        self.name = f"{self.path}:tell"

    def lines(self) -> list[dict[str, Any]]:
        place = self.path.parent / "told.jsonl"
        return [json.loads(line) for line in place.read_text().splitlines()] if place.exists() else []

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [line for line in self.lines() if line["kind"] == kind]


@pytest.fixture
def told(tmp_path: Path) -> Told:
    return Told(tmp_path)


def at_once() -> bool:
    return True


@pytest.mark.slow
def test_a_killed_and_resumed_job_is_told_once(lab: Lab, told: Told) -> None:
    number = lab.submit(n=6, break_at=3)
    lab.wait(number, "failed")
    job = find_job(lab.workspace.runs, number)
    assert report_job(job, told.name, over=at_once).end == "failed"
    lab.go(number)
    # The second attempt says steps 1 to 3 again.
    control.resume_job(lab.workspace, number)
    lab.wait(number, "succeeded")
    for _ in range(2):
        found = report_job(job, told.name, over=at_once)
    assert [line["step"] for line in told.of("metric")] == [1, 2, 3, 4, 5, 6]
    assert [line["loss_nats"] for line in told.of("metric")] == [1 / step for step in range(1, 7)]
    assert [(line["state"], line["attempt"]) for line in told.of("ended")] == [
        ("failed", 1),
        ("succeeded", 2),
    ]
    # All other events of both attempts are told as they are in the logs.
    logged = [
        json.loads(line)["kind"]
        for attempt in job.attempts()
        for line in attempt.events.read_text().splitlines()
        if line.endswith("}")
    ]
    kinds = Counter(line["kind"] for line in told.lines())
    assert kinds["progress"] == logged.count("progress") == 9
    assert kinds["state"] == logged.count("state")
    assert (found.steps, found.end, found.error) == ({"loss_nats": 6}, "succeeded", "")


@pytest.mark.slow
def test_what_the_setting_names_is_told_while_the_job_runs(
    lab: Lab, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MATHWB_REPORTERS", told.name)
    number = lab.held()
    lab.until(lambda: len(told.of("metric")) == 3, "what is said before the job is over")
    lab.kill(lab.worker(number))
    lab.wait(number, "failed")
    lab.go(number)
    control.resume_job(lab.workspace, number)
    lab.wait(number, "succeeded")
    lab.until(lambda: [line["state"] for line in told.of("ended")][-1:] == ["succeeded"], "the end")
    assert [line["step"] for line in told.of("metric")] == [1, 2, 3, 4, 5, 6]


@pytest.mark.slow
def test_tensorboard_has_each_step_once_and_the_recipe(lab: Lab) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    from tensorboard.plugins.hparams.api_pb2 import STATUS_SUCCESS
    from tensorboard.plugins.hparams.plugin_data_pb2 import HParamsPluginData

    number = lab.submit(n=6, break_at=3, model={"dim": 3, "kind": "x", "deep": True})
    lab.wait(number, "failed")
    job = find_job(lab.workspace.runs, number)
    # Of trainings it is told without being asked, of other jobs not.
    assert not (job.folder / FILE).exists()
    assert reporter_file("train")[FILE]["names"] == ["tensorboard"]
    report_job(job, check_reporter("tensorboard"), over=at_once)
    lab.go(number)
    control.resume_job(lab.workspace, number)
    lab.wait(number, "succeeded")
    report_job(job, "tensorboard", over=at_once)
    board = EventAccumulator(str(job.folder / "tensorboard"))
    board.Reload()
    found = board.Scalars("loss_nats")
    assert [(one.step, one.value) for one in found] == [
        (step, pytest.approx(1 / step)) for step in range(1, 7)
    ]
    logged = EventTail(job.attempt(1).events).read_events()
    assert found[0].wall_time == next(event.t for event in logged if event.kind == "metric")
    parts = {
        name: HParamsPluginData.FromString(data) for name, data in board.PluginTagToContent("hparams").items()
    }
    given = parts["_hparams_/session_start_info"].session_start_info.hparams
    assert (given["n"].number_value, given["seed"].number_value) == (6, 7)
    assert (given["model.kind"].string_value, given["model.deep"].bool_value) == ("x", True)
    assert parts["_hparams_/session_end_info"].session_end_info.status == STATUS_SUCCESS


@pytest.mark.slow
def test_a_reporter_that_fails_harms_nothing_and_goes_on_where_it_stood(
    lab: Lab, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    (told.path.parent / "broken").touch()
    number = lab.submit(n=6)
    lab.wait(number, "succeeded")
    job = find_job(lab.workspace.runs, number)
    with expect_error("E628"):
        report_job(job, told.name, over=at_once)
    assert "no route to host" in read_report_states(job)[0].error
    assert "no route to host" in CliRunner().invoke(app, ["jobs", "show", str(number)]).stdout
    (told.path.parent / "broken").unlink()
    done = CliRunner().invoke(app, ["jobs", "report", str(number), "--to", told.name, "--json"])
    assert json.loads(done.stdout)[0]["end"] == "succeeded"
    assert [line["step"] for line in told.of("metric")] == [1, 2, 3, 4, 5, 6]


def test_what_cannot_be_had_is_refused_before_there_is_a_job(
    lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "wandb", None)
    monkeypatch.setenv("MATHWB_REPORTERS", "wandb")
    with expect_error("E627") as caught:
        lab.submit(n=1)
    assert 'pip install "mathwb[wandb]"' in caught.value.remedy
    assert job_registry.list_jobs(lab.workspace) == []
    for name in ("weights", f"{tmp_path}/none.py:tell"):
        with expect_error("E627"):
            check_reporter(name)


def test_a_damaged_note_is_not_taken_for_a_new_run(lab: Lab, told: Told) -> None:
    job = create_job(lab.workspace.runs, Recipe("test.count", "never begun", {}))
    report_job(job, told.name, over=at_once)
    (note,) = job.folder.glob("report-*.json")
    note.write_text("{")
    with pytest.raises(EngineError) as caught:
        report_job(job, told.name, over=at_once)
    assert caught.value.code == "E629"


def test_the_example_of_the_docs(lab: Lab, tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "reference" / "jobs.md").read_text()
    (example,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    path = tmp_path / "rows.py"
    path.write_text(example)
    number = lab.submit(n=2)
    lab.wait(number, "succeeded")
    job = find_job(lab.workspace.runs, number)
    report_job(job, f"{path}:rows", over=at_once)
    rows = (job.folder / "metrics.csv").read_text().splitlines()
    assert rows == ["1,1,loss_nats,1.0", "1,2,loss_nats,0.5", "1,,state,succeeded"]


# Stand-ins with the signatures of wandb 0.31, mlflow-skinny 3.17 and trackio 0.43, as far as they are called.


def installed(monkeypatch: pytest.MonkeyPatch, name: str, **members: Any) -> None:
    module = ModuleType(name)
    module.__spec__ = ModuleSpec(name, None)
    for key, value in members.items():
        setattr(module, key, value)
    monkeypatch.setitem(sys.modules, name, module)


def finished(lab: Lab) -> Any:
    number = lab.submit(n=3, model={"dim": 3})
    lab.wait(number, "succeeded")
    return find_job(lab.workspace.runs, number)


@pytest.mark.slow
def test_wandb(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Any] = []

    class Run:
        id = "abc"

        def define_metric(self, name: str, step_metric: str | None = None) -> None:
            calls.append(("define", name, step_metric))

        def log(self, data: dict[str, Any], step: int | None = None, commit: bool | None = None) -> None:
            assert step is None
            assert commit is None
            calls.append(("log", data))

        def finish(self, exit_code: int | None = None) -> None:
            calls.append(("finish", exit_code))

    def init(
        entity: str | None = None,
        project: str | None = None,
        dir: str | None = None,
        id: str | None = None,
        name: str | None = None,
        config: dict[str, Any] | None = None,
        allow_val_change: bool | None = None,
        job_type: str | None = None,
        resume: str | None = None,
        settings: dict[str, Any] | None = None,
    ) -> Run:
        assert settings == {"x_disable_stats": True, "console": "off"}
        assert (entity, project, resume, allow_val_change) == (None, "mathwb", "allow", True)
        assert dir
        assert name
        calls.append(("init", id, job_type, config))
        return Run()

    installed(monkeypatch, "wandb", init=init, Settings=dict)
    job = finished(lab)
    report_job(job, check_reporter("wandb"), over=at_once)
    config = {"n": 3, "model.dim": 3, "seed": 7}
    assert calls == [
        ("init", None, "test.count", config),
        ("define", "step", None),
        ("define", "*", "step"),
        *(("log", {"loss_nats": 1 / step, "step": step}) for step in (1, 2, 3)),
        ("finish", 0),
    ]
    # Nothing new: it is not opened again. With something new it is the same run.
    report_job(job, "wandb", over=at_once)
    assert len(calls) == 7
    job.add_attempt(1)
    line = {"v": 1, "t": 1.0, "job": job.id, "attempt": 2, "seq": 0, "kind": "metric", "step": 9}
    job.attempt(2).events.write_text(
        json.dumps({**line, "data": {"loss_nats": 0.1, "words": "no number"}}) + "\n"
    )
    report_job(job, "wandb", over=at_once)
    assert calls[7][:2] == ("init", "abc")
    assert calls[10] == ("log", {"loss_nats": 0.1, "step": 9})


@pytest.mark.slow
def test_mlflow(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Any] = []

    class MlflowClient:
        def __init__(self, tracking_uri: str | None = None) -> None:
            calls.append(tracking_uri)

        def get_experiment_by_name(self, name: str) -> Any:
            return None if name == "mathwb" else calls.append("another")

        def create_experiment(self, name: str, artifact_location: str | None = None) -> str:
            calls.append(("experiment", name, artifact_location))
            return "5"

        def create_run(
            self,
            experiment_id: str,
            start_time: int | None = None,
            tags: dict[str, Any] | None = None,
            run_name: str | None = None,
        ) -> Any:
            calls.append(("run", experiment_id, start_time, tags))
            assert run_name
            return SimpleNamespace(info=SimpleNamespace(run_id="r1"))

        def log_batch(
            self, run_id: str, metrics: Any = (), params: Any = (), tags: Any = (), synchronous: Any = None
        ) -> None:
            assert (tags, synchronous) == ((), None)
            calls.append((run_id, [tuple(vars(each).values()) for each in (*metrics, *params)]))

        def set_terminated(self, run_id: str, status: str | None = None) -> None:
            calls.append((run_id, status))

    class Metric:
        def __init__(self, key: str, value: float, timestamp: int, step: int) -> None:
            assert isinstance(timestamp, int)
            self.key, self.value, self.step = key, value, step

    class Param:
        def __init__(self, key: str, value: str) -> None:
            self.key, self.value = key, value

    installed(monkeypatch, "mlflow", MlflowClient=MlflowClient, is_tracking_uri_set=lambda: True)
    installed(monkeypatch, "mlflow.entities", Metric=Metric, Param=Param)
    job = finished(lab)
    report_job(job, check_reporter("mlflow"), over=at_once)
    assert calls == [
        None,
        ("experiment", "mathwb", None),
        ("run", "5", None, {"mathwb.task": "test.count", "mathwb.job": str(job.id)}),
        ("r1", [("n", "3"), ("model.dim", "3"), ("seed", "7")]),
        *(("r1", [("loss_nats", 1 / step, step)]) for step in (1, 2, 3)),
        ("r1", "FINISHED"),
    ]


def test_trackio(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Any] = []

    def init(
        project: str,
        name: str | None = None,
        group: str | None = None,
        config: dict[str, Any] | None = None,
        resume: str = "never",
        embed: bool = True,
        auto_log_gpu: bool | None = None,
        auto_log_cpu: bool | None = None,
    ) -> None:
        assert (group, auto_log_gpu, auto_log_cpu) == (None, False, False)
        calls.append((project, name, config, resume, embed))

    def log(metrics: dict[str, Any], step: int | None = None) -> None:
        calls.append((metrics, step))

    installed(monkeypatch, "trackio", init=init, log=log, finish=lambda: calls.append("finish"))
    job = finished(lab)
    report_job(job, check_reporter("trackio"), over=at_once)
    assert (calls[0][0], calls[0][2:]) == ("mathwb", ({"n": 3, "model.dim": 3, "seed": 7}, "allow", False))
    assert calls[1:] == [*(({"loss_nats": 1 / step}, step) for step in (1, 2, 3)), "finish"]


# The packages themselves, where they are installed: pip install "mathwb[mlflow,wandb,trackio]".


def told_twice(lab: Lab, name: str) -> Path:
    """The folder of a job that the reporter was told of in two goes, the second with one step more."""
    job = finished(lab)
    report_job(job, check_reporter(name), over=at_once)
    job.add_attempt(1)
    line = {"v": 1, "t": 1.0, "job": job.id, "attempt": 2, "seq": 0, "kind": "metric", "step": 9}
    job.attempt(2).events.write_text(json.dumps({**line, "data": {"loss_nats": 0.1}}) + "\n")
    report_job(job, name, over=at_once)
    return job.folder


STEPS = [(1, 1.0), (2, 1 / 2), (3, 1 / 3), (9, 0.1)]


@pytest.mark.parametrize("place", ["", "sqlite:///{}/own.db"])
def test_mlflow_itself_writes_the_database(
    lab: Lab, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in ("mlflow", "sqlalchemy", "alembic"):
        pytest.importorskip(package, reason='not installed: pip install "mathwb[mlflow]"')
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    if place:
        monkeypatch.setenv("MLFLOW_TRACKING_URI", place.format(tmp_path))
    folder = told_twice(lab, "mlflow")
    with sqlite3.connect(tmp_path / "own.db" if place else folder.parent / "mlflow.db") as data:
        rows = data.execute("select step, value from metrics where key = 'loss_nats' order by step")
        assert rows.fetchall() == [(step, pytest.approx(value)) for step, value in STEPS]
        assert data.execute("select key, value from params order by key").fetchall() == [
            ("model.dim", "3"),
            ("n", "3"),
            ("seed", "7"),
        ]
        assert data.execute("select count(*) from runs").fetchone() == (1,)
    assert not list(folder.glob("ml*"))
    assert len(job_registry.list_jobs(lab.workspace)) == 1  # a database beside the runs is none


def test_trackio_itself_writes_its_database_and_leaves_our_answer_alone(
    lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRACKIO_DIR", str(tmp_path / "trackio"))
    pytest.importorskip("trackio", reason='not installed: pip install "mathwb[trackio]"')
    folder = told_twice(lab, "trackio")
    with sqlite3.connect(tmp_path / "trackio" / "mathwb.db") as data:
        rows = data.execute("select step, metrics from metrics order by step").fetchall()
    assert [(step, json.loads(values)["loss_nats"]) for step, values in rows] == STEPS
    (folder / "report-trackio.json").unlink()
    done = CliRunner().invoke(app, ["jobs", "report", folder.name, "--to", "trackio", "--json"])
    assert json.loads(done.stdout)[0]["steps"] == {"loss_nats": 9}


def test_wandb_itself_keeps_the_run_offline(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("wandb", reason='not installed: pip install "mathwb[wandb]"')
    monkeypatch.setenv("WANDB_MODE", "offline")
    folder = told_twice(lab, "wandb")
    kept = [path.read_bytes() for path in folder.glob("wandb/offline-run-*/run-*.wandb")]
    assert sum(data.count(b"loss_nats") for data in kept) >= len(STEPS)
    known = json.loads((folder / "report-wandb.json").read_text())["known"]
    assert all(known.encode() in data for data in kept)


@pytest.mark.slow
def test_what_a_reporter_prints_is_not_in_our_answer(
    lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "loud.py").write_text("def tell(run, event):\n    print('hear, hear')\n")
    number = finished(lab).id
    asked = ["jobs", "report", str(number), "--to", f"{tmp_path}/loud.py:tell", "--json"]
    done = CliRunner().invoke(app, asked)
    assert json.loads(done.stdout)[0]["end"] == "succeeded"
    assert "hear, hear" in done.stderr


NOTED = """
class Notebook:
    def begin_run(self, run, known):
        self.file = run.folder / "notebook.txt"
        return run.name

    def report_event(self, event):
        with self.file.open("a") as file:
            file.write(event.kind + "\\n")

    def end_run(self, state, reason):
        with self.file.open("a") as file:
            file.write(state + "\\n")
"""


@pytest.mark.slow
def test_an_installed_distribution_brings_a_reporter(
    lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site"
    about = site / "noted-1.0.dist-info"
    about.mkdir(parents=True)
    (site / "noted_reporter.py").write_text(NOTED)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: noted\nVersion: 1.0\n")
    points = "notebook = noted_reporter:Notebook\nbroken = noted_reporter:Nothing\n"
    (about / "entry_points.txt").write_text(f"[mathwb.reporters]\n{points}")
    monkeypatch.syspath_prepend(site)
    assert check_reporter("notebook") == "notebook"
    number = lab.submit(n=2)
    lab.wait(number, "succeeded")
    job = find_job(lab.workspace.runs, number)
    assert report_job(job, "notebook", over=at_once).end == "succeeded"
    told = (job.folder / "notebook.txt").read_text().split()
    assert (told.count("metric"), told[-1]) == (2, "succeeded")
    with expect_error("E627"):
        check_reporter("broken")
    with pytest.raises(EngineError) as unknown:
        check_reporter("notbook")
    assert "notebook" in unknown.value.remedy

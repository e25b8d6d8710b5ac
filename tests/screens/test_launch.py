"""The launch form: recipes, fields that are checked while they are typed, devices, and what it submits."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, Static

from engines.core.errors import EngineError
from screens.app import Workbench
from screens.jobs.form import FormRow, NewJob
from screens.jobs.form_fields import OperationFields, TrainFields, form_fields
from screens.jobs.run_reading import Machine
from screens.widgets.table import Table
from tests.screens.driving import rest, shown, until
from tests.screens.launch_engine import Engine, answer_at_once, stand_still
from workbench.jobs.job_views import JobView
from workbench.jobs.machine import Gpu
from workbench.recipes import Recipe, load_recipe, with_settings
from workbench.train import LaunchDraft, Sweep
from workbench.workspace import Workspace, ensure_sample

Make = Callable[..., Workbench]
WIDE = (120, 60)
QUICK = "egen/cl-mean-tiny"


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Engine:
    return answer_at_once(monkeypatch)


@pytest.fixture(autouse=True)
def machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two cores and no GPU."""
    stand_still(monkeypatch)


@pytest.fixture
def submitted(monkeypatch: pytest.MonkeyPatch, jobs: list[JobView]) -> list[Recipe]:
    """The jobs that were submitted, instead of running them."""
    specs: list[Recipe] = []

    def submit(_: Workspace, spec: Recipe) -> JobView:
        specs.append(spec)
        return jobs[0]

    monkeypatch.setattr("workbench.jobs.control.submit_job", submit)
    return specs


@pytest.fixture
def sample(workspace: Workspace) -> Workspace:
    """With the sample corpus."""
    ensure_sample(workspace)
    return workspace


async def opened(pilot: Pilot[Any], key: str = "a") -> NewJob:
    """The form, after the key that opens it."""
    app: Any = pilot.app
    await until(pilot, lambda: isinstance(app.screen, NewJob) or (app.place and app.watch_jobs.looked))
    if key and not isinstance(pilot.app.screen, NewJob):
        await pilot.press(key)
    await rest(pilot)
    assert isinstance(pilot.app.screen, NewJob)
    return pilot.app.screen


def put(screen: NewJob, name: str, text: str) -> None:
    """Write a field."""
    screen.list_rows()[name].query_one(Input).value = text


@pytest.mark.slow
async def test_every_recipe_has_its_line_and_the_quickest_is_ready(
    make: Make, engine: Engine, submitted: list[Recipe], sample: Workspace
) -> None:
    async with make().run_test(size=WIDE) as pilot:
        screen = await opened(pilot)
        names = [row["id"] for row in screen.query_one("#recipes", Table).visible_records()]
        assert {"egen/polynomials", "egen/templates", QUICK, "egen/seq2seq-paper"} <= set(names)
        assert screen.query_one("#recipes", Table).current_key == QUICK
        text = shown(pilot.app)
        for words in (
            "E-Gen CL Mean, tiny",
            "about 1m",
            "CPU, 2 cores, 5.0 GiB free: there is no GPU",
        ):
            assert words in text
        await pilot.press("enter")
        await rest(pilot)
        (spec,) = submitted
        assert (spec.task, spec.seed, spec.title) == ("train", 0, f"train {QUICK}")
        assert spec.params["data"] == {"corpus": str(sample.corpora / "sample-e")}
        assert spec.params["publish"] == str(sample.models / "cl-mean-tiny")
        assert spec.params["train"] == load_recipe(QUICK).params["train"]
        assert engine.asked[-1]["trainer"] == "egen.contrastive"


@pytest.mark.slow
async def test_fields_are_checked_while_they_are_typed(
    make: Make, engine: Engine, submitted: list[Recipe], sample: Workspace
) -> None:
    async with make().run_test(size=WIDE) as pilot:
        screen = await opened(pilot)
        await pilot.press("tab")
        assert screen.list_rows()["data.corpus"].query_one(Input).has_focus
        await pilot.press("end", "x")
        await rest(pilot)
        assert "there is no corpus 'sample-ex' here" in shown(pilot.app)
        foot = str(screen.query_one("#foot", Static).render())
        assert "mathwb data add corpus PATH" in foot
        await pilot.press("enter")
        await rest(pilot)
        assert submitted == []
        await pilot.press("backspace")
        put(screen, "train.lr", "fast")
        await rest(pilot)
        assert "✗ a number" in shown(pilot.app)
        put(screen, "train.lr", "0")
        await rest(pilot)
        assert "lr is 0" in shown(pilot.app)
        put(screen, "train.lr", "3e-4")
        put(screen, "train.schedule", "zigzag")
        await rest(pilot)
        assert "schedule is 'zigzag'" in shown(pilot.app)
        put(screen, "train.schedule", "constant")
        put(screen, "job.more", "patience=2 keep=1")
        put(screen, "job.seed", "7")
        put(screen, "job.name", "mine")
        await pilot.press("enter")
        await rest(pilot)
        (spec,) = submitted
        train = spec.params["train"]
        assert (train["lr"], train["schedule"], train["patience"], train["keep"]) == (3e-4, "constant", 2, 1)
        assert spec.seed == 7
        assert spec.params["publish"] == str(sample.models / "mine")


@pytest.mark.slow
async def test_choices_are_listed_where_a_value_is_one_of_several(
    make: Make, engine: Engine, sample: Workspace
) -> None:
    async with make().run_test(size=WIDE) as pilot:
        screen = await opened(pilot)

        async def choose(name: str, *keys: str) -> str:
            screen.list_rows()[name].query_one(Input).focus()
            await rest(pilot)
            foot = str(screen.query_one("#foot", Static).render())
            await pilot.press("question_mark", *keys)
            await rest(pilot)
            assert pilot.app.screen is screen
            return foot

        assert "constant, linear, cosine_restarts" in await choose("train.schedule", *"cos", "enter")
        assert "mean, max" in await choose("model.pooling", "down", "enter")
        assert "sample-e" in await choose("data.exclude", "down", "enter")
        assert "auto, cpu" in await choose("job.device", "escape")
        assert await choose("job.more") == "other settings, as in patience=3"
        values = screen.list_values()
        assert values["train.schedule"] == "cosine_restarts"
        assert values["model.pooling"] == "max"
        assert values["data.exclude"] == "sample-e"
        assert values["job.device"] == "auto"
        assert values["job.more"] == "?"


async def test_what_is_typed_takes_the_place_of_what_stood_there_and_is_kept(
    make: Make, engine: Engine, submitted: list[Recipe], sample: Workspace
) -> None:
    async with make().run_test(size=(80, 24)) as pilot:
        screen = await opened(pilot)
        keys = lambda: str(pilot.app.screen.query_one("#fields").parent.border_subtitle)  # noqa: E731
        await until(pilot, lambda: screen._measures)
        for name, offered in (("train.best", True), ("train.steps", False)):
            screen.list_rows()[name].query_one(Input).focus()
            await rest(pilot)
            assert ("? choices" in keys()) is offered
        await pilot.press(*"600")
        assert screen.list_values()["train.steps"] == "600"
        assert keys().endswith("f5 reset   esc leave, kept")
        await pilot.press("escape")
        screen = await opened(pilot)
        assert screen.list_values()["train.steps"] == "600"
        await pilot.press("f5")
        await rest(pilot)
        assert screen.list_values()["train.steps"] == "200"
        assert keys().endswith("esc leave")
        screen.list_rows()["train.best"].query_one(Input).focus()
        await pilot.press("question_mark", *"loss", "enter")
        await rest(pilot)
        assert screen.list_values()["train.best"] == "loss_nats"
        await pilot.press("enter")
        await rest(pilot)
        assert submitted[0].params["train"]["best"] == "loss_nats"
        screen = await opened(pilot)
        assert screen.list_values()["train.best"] == "validation_kmeans_percent"


@pytest.mark.slow
async def test_an_error_that_names_no_field_stands_at_the_one_last_changed(
    make: Make, engine: Engine, sample: Workspace
) -> None:
    async with make().run_test(size=WIDE) as pilot:
        screen = await opened(pilot)
        screen.list_rows()["train.warmup"].query_one(Input).focus()
        engine.error = EngineError("that is longer than all of it", code="E640", remedy="Less.")
        await pilot.press("9")
        await rest(pilot)
        assert "✗ that is longer" in str(screen.list_rows()["train.warmup"].query_one(".say", Static).content)


@pytest.mark.slow
async def test_what_the_engine_finds_wrong_stands_at_its_field(
    make: Make, engine: Engine, submitted: list[Recipe], sample: Workspace
) -> None:
    engine.error = EngineError("pooling is 'median', not mean or max", code="E640", remedy="Change it.")
    async with make().run_test(size=WIDE) as pilot:
        screen = await opened(pilot)
        put(screen, "model.pooling", "median")
        await rest(pilot)
        assert "✗ pooling is 'median'" in str(
            screen.list_rows()["model.pooling"].query_one(".say", Static).content
        )
        await pilot.press("enter")
        await rest(pilot)
        assert submitted == []
        assert pilot.app.screen is screen
        engine.error = None
        await pilot.press("enter")
        await rest(pilot)
        assert len(submitted) == 1


async def test_missing_data_says_which_recipe_makes_it(make: Make, engine: Engine, sample: Workspace) -> None:
    async with make(launch=LaunchDraft(load_recipe("egen/cl-mean-small"))).run_test(size=WIDE) as pilot:
        screen = await opened(pilot, "")
        assert screen.query_one("#recipes", Table).current_key == "egen/cl-mean-small"
        assert "there is no corpus 'templates' here. The recipe egen/templates makes it" in shown(pilot.app)


async def test_a_form_whose_rows_are_gone_checks_nothing(
    make: Make, engine: Engine, submitted: list[Recipe], sample: Workspace
) -> None:
    async with make().run_test(size=WIDE) as pilot:
        screen = await opened(pilot)
        await screen.query(FormRow).remove()
        screen._take_machine(screen._machine)
        await pilot.press("enter")
        await rest(pilot)
        assert not submitted


async def test_a_recipe_comes_with_its_settings(make: Make, engine: Engine, sample: Workspace) -> None:
    recipe = with_settings(load_recipe(QUICK), ["lr=5e-4", "seed=3"])
    async with make(launch=LaunchDraft(recipe)).run_test(size=WIDE) as pilot:
        screen = await opened(pilot, "")
        values = screen.list_values()
        assert (values["train.lr"], values["job.seed"]) == ("0.0005", "3")
        assert screen.list_rows()["data.corpus"].query_one(Input).has_focus
        await pilot.press("escape")
        await rest(pilot)
        assert pilot.app.launch is None  # type: ignore[attr-defined]
        assert not isinstance(pilot.app.screen, NewJob)


@pytest.mark.slow
async def test_a_corpus_job(
    make: Make, engine: Engine, submitted: list[Recipe], workspace: Workspace
) -> None:
    (workspace.corpora / "polynomials").mkdir()
    async with make().run_test(size=WIDE) as pilot:
        screen = await opened(pilot)
        screen.query_one("#recipes", Table).go_to("egen/polynomials")
        await rest(pilot)
        assert "does not use a GPU" in shown(pilot.app)
        assert screen.list_values()["corpus.out"] == "polynomials-2"
        put(screen, "corpus.members", "12x")
        await rest(pilot)
        assert "a whole number is needed" in shown(pilot.app)
        await pilot.press("enter")
        await rest(pilot)
        assert screen.list_rows()["corpus.members"].query_one(Input).has_focus
        await pilot.press(*"12", "enter")
        await rest(pilot)
        (spec,) = submitted
        assert (spec.task, spec.seed) == ("egen.corpus", 0)
        assert spec.params["members"] == 12
        assert spec.params["templates"] == "poly"
        assert spec.params["out"] == str(workspace.corpora / "polynomials-2")
        assert engine.asked == []


@pytest.mark.slow
async def test_a_sweep(
    make: Make,
    engine: Engine,
    submitted: list[Recipe],
    sample: Workspace,
    jobs: list[JobView],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    swept: list[dict[str, Any]] = []

    def submit_sweep(_: Workspace, recipe: str, title: str, runs: Any, **how: Any) -> JobView:
        swept.append({"recipe": recipe, "title": title, "runs": runs, **how})
        return jobs[0]

    monkeypatch.setattr("workbench.train.submit_sweep", submit_sweep)
    async with make().run_test(size=WIDE) as pilot:
        screen = await opened(pilot)
        put(screen, "sweep.parallel", "2")
        await rest(pilot)
        assert "✗ parallel needs several runs, and there is one" in shown(pilot.app)
        put(screen, "sweep.grid", "lr=1e-4..3e-4/3 pooling=mean")
        put(screen, "sweep.seeds", "2..1")
        await rest(pilot)
        assert "'2..1' is not a range" in str(
            screen.list_rows()["sweep.seeds"].query_one(".say", Static).content
        )
        await pilot.press("enter")
        await rest(pilot)
        assert (swept, submitted) == ([], [])
        put(screen, "sweep.seeds", "1,2")
        put(screen, "sweep.stop_worst", "validation_kmeans_percent")
        engine.asked.clear()
        await rest(pilot)
        lines = [line.strip(" │") for line in shown(pilot.app).splitlines()]
        place = next(at for at, line in enumerate(lines) if "6 runs; each model stays" in line)
        assert lines[place].endswith("in its run folder")
        assert lines[place + 1].startswith("runs on")
        settings = [(lr, seed) for lr in (1e-4, 2e-4, 3e-4) for seed in (1, 2)]
        assert [(asked["train"]["lr"], asked["seed"]) for asked in engine.asked[-6:]] == settings
        assert {asked["stop_worst"] for asked in engine.asked[-6:]} == {"validation_kmeans_percent"}
        await pilot.press("enter")
        await rest(pilot)
    (one,) = swept
    assert submitted == []
    assert (one["recipe"], one["title"], one["parallel"], one["stop_worst"]) == (
        QUICK,
        f"sweep {QUICK}",
        2,
        "validation_kmeans_percent",
    )
    assert [(spec.params["train"]["lr"], spec.seed) for spec, _, _ in one["runs"]] == settings
    assert not any("publish" in spec.params for spec, _, _ in one["runs"])
    assert one["runs"][1][0].title == f"train {QUICK} lr=0.0001 pooling=mean seed=2"


@pytest.mark.slow
async def test_it_fits_a_small_terminal(make: Make, engine: Engine, sample: Workspace) -> None:
    async with make().run_test(size=(80, 24)) as pilot:
        screen = await opened(pilot)
        await pilot.press(*["tab"] * 20)
        await rest(pilot)
        focused = screen.focused
        assert focused is not None
        assert screen.region.contains_region(focused.region)
        assert "cl-mean-tiny" in shown(pilot.app)
        place = screen.list_rows()["sweep.stop_worst"].query_one(Input)
        place.focus()
        for name in ("sweep.parallel", "sweep.folds", "sweep.seeds"):
            await pilot.press("up")
            await rest(pilot)
            line = screen.list_rows()[name].query_one(Input)
            assert line.has_focus
            assert screen.query_one("#fields").region.contains_region(line.region)
        assert "1,2,3: One run for each seed; 1..5 works too." in str(
            screen.query_one("#foot", Static).render()
        )


# Without a screen

CARDS = (
    Gpu(0, "GPU-a", "Small Card", 16 * 2**30, 15 * 2**30, 0),
    Gpu(1, "GPU-b", "Big Card", 80 * 2**30, 70 * 2**30, 3),
)


def test_auto_says_which_card_and_why() -> None:
    machine = Machine(4, 2**33, CARDS)
    assert (
        machine.explain_device("auto")
        == "GPU 1 Big Card, 70.0 GiB free: the one of 2 with the most free memory"
    )
    assert (
        Machine(4, 2**33, CARDS, frozenset({"GPU-b"})).explain_device("auto").startswith("GPU 0 Small Card")
    )
    assert machine.explain_device("cpu").endswith("requested")
    assert machine.explain_device("0,1").endswith("requested")
    assert "1     Big Card, 70.0 GiB of 80.0 GiB free, 3 % busy" in machine.describe_devices()
    for policy in ("2", "gpu"):
        with pytest.raises(EngineError):
            machine.explain_device(policy)


@pytest.mark.parametrize(
    ("name", "text", "wrong"),
    [
        ("templates", "poly", ""),
        ("templates", "polly", "one of"),
        ("templates", "", ""),
        ("members", "120", ""),
        ("members", "0", "at least 1"),
        ("members", "١٢", "whole number"),
        ("seed", "0", ""),
        ("seed", "-1", "at least 0"),
        ("workers", "99", "2 cores"),
        ("out", "new one", ""),
        ("out", "taken", "already"),
        ("out", "../up", "without slashes"),
        ("out", "..", "without slashes"),
        ("out", "bell\x07", "without slashes"),
    ],
)
def test_fields_of_a_corpus(
    name: str, text: str, wrong: str, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engines.core.system.count_processors", lambda: 2)
    (workspace.corpora / "taken").mkdir()
    form = OperationFields(load_recipe("egen/polynomials"), workspace)
    values = {field.name: field.text for field in form.fields} | {f"corpus.{name}": text}
    found = form.find_problems(values)
    assert set(found) == ({f"corpus.{name}"} if wrong else set())
    assert all(wrong in error.what for error in found.values())


def test_templates_may_be_a_file(tmp_path: Path, workspace: Workspace) -> None:
    (tmp_path / "mine.txt").write_text("sin x\n", encoding="utf-8")
    form = OperationFields(load_recipe("egen/polynomials"), workspace)
    values = {field.name: field.text for field in form.fields}
    values["corpus.templates"] = str(tmp_path / "mine.txt")
    assert form.find_problems(values) == {}


@pytest.mark.parametrize(
    ("name", "text", "wrong"),
    [
        ("train.steps", "10", ""),
        ("train.steps", "ten", "whole number"),
        ("train.steps", "1.5", "whole number"),
        ("train.lr", "1", ""),
        ("train.batch_size", "0", "at least 1"),
        ("train.warmup", "-1", "at least 0"),
        ("model.heads", "two", "whole number"),
        ("data.exclude", "", ""),
        ("data.exclude", "nowhere", "there is no exclude"),
        ("job.seed", "x", "whole number"),
        ("job.device", "cpu:2", ""),
        ("job.device", "tpu", "device is 'tpu'"),
        ("job.name", "a/b", "without slashes"),
        ("job.more", "patience", "has no value"),
        ("job.more", "patince=3", "is unknown to"),
        ("job.more", "patience=3", ""),
        ("job.more", "'", "quotation"),
        ("sweep.grid", "lr=1e-4,3e-4 heads=2,4", ""),
        ("sweep.grid", "lr=0..0.5", "gives no number of values"),
        ("sweep.grid", "nothing=1,2", "is unknown to"),
        ("sweep.random", "lr=1e-4..1e-2/log", ""),
        ("sweep.seeds", "one", "is not a list of seeds"),
        ("sweep.folds", "true", "has no folds"),
        ("sweep.folds", "both", "true or false"),
        ("sweep.trials", "0", "at least 1"),
        ("sweep.trials", "5", "--random is not given"),
        ("sweep.stop_worst", "loss_nats", "there is one"),
    ],
)
def test_fields_of_a_training(name: str, text: str, wrong: str, sample: Workspace) -> None:
    form = form_fields(load_recipe(QUICK), sample)
    assert isinstance(form, TrainFields)
    values = {field.name: field.text for field in form.fields} | {name: text}
    found = form.find_problems(values)
    assert set(found) == ({name} if wrong else set())
    assert all(wrong in error.what for error in found.values())


def test_help_is_that_of_the_trainer_s_own_setting(sample: Workspace) -> None:
    """The vector of a problem is a mean or the first state, that of an expression a mean or the greatest."""
    found = {}
    for recipe in (load_recipe("mwp/solver-tiny"), load_recipe(QUICK)):
        tables = {"model": {"pooling": "mean"}, "train": {"lr": 1e-3}}
        form = form_fields(replace(recipe, params={**recipe.params, **tables}), sample)
        found |= {(recipe.name, field.name): field for field in form.fields}
        assert found[recipe.name, "train.lr"].help == "Highest learning rate."
        pooling = found[recipe.name, "model.pooling"]
        assert set(form.list_choices(pooling)) == {"mean", "first" if "mwp" in recipe.name else "max"}
    assert found["mwp/solver-tiny", "model.pooling"].help.endswith(
        "the mean of the token states, or the first one."
    )


def test_the_command_opens_the_form(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from workbench import cli
    from workbench.cli import launcher

    opened: list[tuple[str | None, LaunchDraft]] = []

    def open_screens(screen: str | None = None, launch: LaunchDraft | None = None) -> int:
        assert launch is not None
        opened.append((screen, launch))
        return 0

    monkeypatch.setattr(launcher, "open_screens", open_screens)

    def run(*words: str) -> int:
        monkeypatch.setattr(sys, "argv", ["mathwb", "train", *words])
        with pytest.raises(SystemExit) as left:
            cli.main()
        return int(left.value.code or 0)

    assert run() == 0
    assert run("egen/cl-max-tiny", "--set", "lr=1e-3", "--device", "cpu") == 0
    assert run("--grid", "lr=1e-4,1e-3", "--seeds", "1..3", "--parallel", "2") == 0
    (place, first), (_, second), (_, third) = opened
    assert place == "jobs"
    assert first.recipe.quickest
    assert not first.how.several
    of = second.recipe
    assert (of.name, of.params["train"]["lr"], of.params["device"]) == ("egen/cl-max-tiny", 1e-3, "cpu")
    assert third.how == Sweep(grid=("lr=1e-4,1e-3",), seeds="1..3", parallel=2)
    assert run("egen/templates") == 2
    assert "E425" in capsys.readouterr().err
    for words in (["--parallel", "2"], ["--seeds", "1,2", "--json"], ["--executor", "slurm"]):
        assert run(*words) == 2
        assert "E427" in capsys.readouterr().err
    assert len(opened) == 3


@pytest.mark.slow
async def test_the_form_of_the_command_has_the_sweep(
    make: Make, engine: Engine, sample: Workspace, submitted: list[Recipe], monkeypatch: pytest.MonkeyPatch
) -> None:
    grid = ("lr=1e-4..3e-4/3", "pooling=mean")
    how = Sweep(grid, random=("warmup=1..9",), trials=2, seeds="1,2", parallel=2)
    swept: list[tuple[int, int]] = []
    monkeypatch.setattr(
        "workbench.train.start_sweep",
        lambda workspace, recipe, runs, how: swept.append((len(runs), how.parallel)),
    )
    async with make(launch=LaunchDraft(load_recipe(QUICK), how)).run_test(size=WIDE) as pilot:
        screen = await opened(pilot, "")
        values = {
            name: text for name, text in screen.list_values().items() if name.startswith("sweep.") and text
        }
        assert values == {
            "sweep.grid": "lr=1e-4..3e-4/3 pooling=mean",
            "sweep.random": "warmup=1..9",
            "sweep.trials": "2",
            "sweep.seeds": "1,2",
            "sweep.parallel": "2",
        }
        assert "12 runs; each model" in shown(pilot.app)
        screen.query_one("#recipes", Table).focus()
        await pilot.press("j")
        await rest(pilot)
        assert screen.list_rows()["sweep.grid"].value == ""
        await pilot.press("k")
        await rest(pilot)
        await pilot.press("enter")
        await rest(pilot)
    assert (swept, submitted) == ([(12, 2)], [])

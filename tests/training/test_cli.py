"""`mathwb train`, and `jobs compare`, `pack`, `run` and `prune`, as commands."""

from __future__ import annotations

import contextlib
import csv
import json
import subprocess
import tarfile
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from engines.core.errors import EngineError
from tests.conftest import expect_error
from tests.forked_jobs import mathwb
from workbench.paper import all_trainers
from workbench.recipes import Recipe, list_recipes, load_recipe, with_settings
from workbench.train import Sweep, job_spec, list_variants, summarize_values

if TYPE_CHECKING:
    from tests.jobs.conftest import Lab


def done(*words: object, code: int = 0) -> subprocess.CompletedProcess[str]:
    result = mathwb(*words)
    assert result.returncode == code, result.stdout + result.stderr
    return result


def document(*words: object, code: int = 0) -> Any:
    return json.loads(done(*words, "--json", code=code).stdout)


@pytest.mark.slow
def test_train_compare_pack_run_prune(lab: Lab, recipe: Path, tmp_path: Path) -> None:
    first = lab.wait(document("train", recipe, "--detach")["job"], "succeeded").value
    assert (first["step"], first["complete"]) == (20, True)
    assert first["model"] == str(lab.workspace.models / "parity")
    second = document("train", recipe, "--headless", "--set", "lr=0.02", "--out", tmp_path / "mine")
    assert (tmp_path / "mine" / "model" / "training.json").exists()

    found = document("jobs", "compare", "1", "2")
    assert found["settings"] == [{"key": "train.lr", "left": 0.01, "right": 0.02}]
    assert found["environment"] == []
    results = {row["key"]: row for row in found["results"]}
    assert results["accuracy"]["left"] == first["measures"]["accuracy"]
    assert results["step"] == {"key": "step", "left": 20, "right": 20}
    text = done("jobs", "compare", "1", "2").stdout
    assert "environment: no difference" in text
    tex = done("jobs", "compare", "1", "2", "--tex").stdout
    assert tex.startswith(r"\begin{tabular}")
    assert r"train.lr & 0.01 & 0.02 \\" in tex

    curves = document("jobs", "curves", "1", "2", "--by", "accuracy")
    assert curves["jobs"]["1"][-1][1] == first["measures"]["accuracy"]
    rows = list(
        csv.DictReader(done("jobs", "curves", "1", "2", "--by", "accuracy", "--csv").stdout.splitlines())
    )
    points = [(number, step, value) for number, found in curves["jobs"].items() for step, value in found]
    assert [(row["job"], int(row["step"]), float(row["accuracy"])) for row in rows] == points
    done("jobs", "curves", "1", "2", "--plot", tmp_path / "curves.pdf")
    assert (tmp_path / "curves.pdf").read_bytes().startswith(b"%PDF")
    done("jobs", "compare", "1", "2", "--by", "accuracy", "--plot", tmp_path / "settings.svg")
    assert "<svg" in (tmp_path / "settings.svg").read_text()
    assert mathwb("jobs", "curves", "1", "--by", "none").returncode == 2

    packed = document("jobs", "pack", "1", "--out", tmp_path / "one.tar.gz")
    assert packed["left_out"] == []
    with tarfile.open(tmp_path / "one.tar.gz") as archive:
        archive.extractall(tmp_path / "elsewhere", filter="data")
    inside = tmp_path / "elsewhere" / "mathwb-job-1"
    assert str(tmp_path) not in (inside / "recipe.toml").read_text()
    with contextlib.chdir(inside):
        again = document("jobs", "run", "recipe.toml", "--yes")
    theirs = (inside / "model" / "model.safetensors").read_bytes()
    assert (Path(again["out"]) / "model" / "model.safetensors").read_bytes() == theirs

    assert len(list(Path(again["out"]).glob("checkpoints/step-*"))) == 3
    freed = document("jobs", "prune", "--keep", "1")
    assert {row["id"] for row in freed} == {1, 2, 3}
    assert all(row["freed_bytes"] > 0 for row in freed)
    assert len(list(Path(again["out"]).glob("checkpoints/step-*"))) == 1
    assert second["job"] == 2


@pytest.mark.slow
def test_several_runs_and_their_mean(lab: Lab, recipe: Path) -> None:
    found = document("train", "--headless", recipe, "--seeds", "1,2", "--grid", "lr=0.03", "--set", "steps=4")
    assert [row["setting"] for row in found["settings"]] == [{"lr": "0.03"}]
    assert [run["seed"] for run in found["runs"]] == [1, 2]
    values = [run["measures"]["accuracy"] for run in found["runs"]]
    told = found["settings"][0]["measures"]["accuracy"]
    assert told["mean"] == pytest.approx(sum(values) / 2)
    assert told["runs"] == 2
    assert not list(lab.workspace.models.iterdir())


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("--set", "lr=fast"), 2, "E630"),
        (("--set", "learning=1"), 2, "E424"),
        (("--set", "train.lrr=1"), 2, "'lr'"),
        (("--set", "seed=-1"), 2, "seed is -1"),
        (("--seeds=-1,2",), 2, "seed is -1"),
        (("--set", "best=acuracy"), 2, "'accuracy'"),
        (("--set", "data.corpus=no"), 2, "E424"),
        (("--device", "tpu"), 2, "E638"),
        (("--executor", "cloud"), 2, "E638"),
        (("--executor", "slurm:partition"), 2, "E638"),
        (("--detach",), 2, "E427"),
        (("--seeds", "1,x"), 2, "E426"),
        (("--grid", "lr"), 2, "E426"),
    ],
)
def test_refusals(lab: Lab, recipe: Path, arguments: tuple[str, ...], code: int, says: str) -> None:
    assert says in done("train", "--headless", recipe, *arguments, code=code).stderr
    assert not list(lab.workspace.runs.iterdir())


@pytest.mark.slow
def test_a_setting_of_the_model_is_checked_before_there_is_a_job(lab: Lab, recipe: Path) -> None:
    for how in ("--detach", "--headless"):
        refused = done("train", how, "egen/cl-mean-tiny", "--set", "model.d_modl=64", code=2).stderr
        assert "'d_model'" in refused
    for words in (["--set", "data.exlude=x"], ["--init-from", "nosuch"]):
        done("train", "--headless", "egen/cl-mean-tiny", *words, code=2 if "--set" in words else 3)
    refused = done("train", "--headless", recipe, "--init-from", "x", code=2).stderr
    assert "cannot start from a model" in refused
    # All trainers but the one of these tests begin from a model.
    assert [name for name, each in all_trainers().items() if each.begins not in each.data] == ["tiny"]
    assert not list(lab.workspace.runs.iterdir())


def test_data_that_a_trainer_would_not_read_is_refused(lab: Lab, recipe: Path, tmp_path: Path) -> None:
    path = tmp_path / "data.toml"
    path.write_text(recipe.read_text() + '\n[params.data]\ncorpuss = "mine"\n')
    with expect_error("E424") as caught:
        job_spec(lab.workspace, load_recipe(str(path)))
    assert "'corpus'" in caught.value.remedy


@pytest.mark.parametrize(
    "recipe", [each for each in list_recipes() if each.task == "train"], ids=lambda it: it.name
)
def test_every_recipe_names_data_that_its_trainer_reads(recipe: Recipe) -> None:
    assert set(recipe.params.get("data", {})) <= set(all_trainers()[recipe.params["trainer"]].data)


def test_a_recipe_is_printed_with_what_it_extends(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text('extends = "egen/cl-mean-tiny"\ntitle = "own"\n[params.train]\nsteps = 10\n')
    printed = done("train", own, "--print", "--init-from", "mine", "--set", "model.tau=0.2").stdout
    shipped, found = load_recipe("egen/cl-mean-tiny"), tomllib.loads(printed)
    assert found["title"] == "own"
    assert found["params"]["train"] == {**shipped.params["train"], "steps": 10}
    assert found["params"]["model"] == {**shipped.params["model"], "tau": 0.2}
    assert found["params"]["data"] == {**shipped.params["data"], "backbone": "mine"}


@pytest.mark.slow
def test_a_failed_run_ends_with_one_and_a_missing_gpu_is_named(lab: Lab, recipe: Path) -> None:
    failed = done(
        "train",
        "--headless",
        recipe,
        "--set",
        "batch_size=100000",
        "--set",
        "lr=1e30",
        "--set",
        "clip=0",
        code=1,
    )
    assert "E631" in failed.stderr
    missing = document("train", "--headless", recipe, "--device", "GPU-none", code=1)
    assert (missing["state"], missing["code"]) == ("failed", "E634")


def test_data_is_found_by_kind(lab: Lab, recipe: Path, tmp_path: Path) -> None:
    path = tmp_path / "data.toml"
    path.write_text(recipe.read_text() + '\n[params.data]\ncorpus = "mine"\n')
    with pytest.raises(EngineError) as caught:
        job_spec(lab.workspace, load_recipe(str(path)))
    assert (caught.value.code, caught.value.exit_code) == ("E354", 3)
    (lab.workspace.corpora / "mine").mkdir()
    spec = job_spec(lab.workspace, load_recipe(str(path)))
    assert spec.params["data"] == {"corpus": str(lab.workspace.corpora / "mine")}
    (tmp_path / "other").mkdir()
    named = with_settings(load_recipe(str(path)), [f"data.corpus={tmp_path / 'other'}"])
    assert job_spec(lab.workspace, named).params["data"] == {"corpus": str(tmp_path / "other")}


def test_settings_by_table(recipe: Path) -> None:
    changed = with_settings(
        load_recipe(str(recipe)), ["train.lr=1", "count=5", "seed=9", "warmup=3", "device=cpu"]
    )
    assert changed.params["train"]["lr"] == 1
    assert changed.params["train"]["warmup"] == 3
    assert changed.params["model"]["count"] == 5
    assert changed.seed == 9
    assert load_recipe(str(recipe)).params["train"]["lr"] == 0.01


def test_folds_and_seeds_multiply(recipe: Path) -> None:
    found = list_variants(load_recipe(str(recipe)), Sweep(seeds="4,5", folds=True, grid=("lr=0.1,0.2",)))
    assert len(found) == 8
    assert [variant.repeat for variant in found[:4]] == [
        {"seed": 4, "fold": 0},
        {"seed": 4, "fold": 1},
        {"seed": 5, "fold": 0},
        {"seed": 5, "fold": 1},
    ]
    assert found[-1].recipe.params["model"]["fold"] == 1
    assert found[-1].recipe.params["train"]["lr"] == 0.2
    assert list_variants(load_recipe(str(recipe)), Sweep())[0].recipe == load_recipe(str(recipe))


def test_the_interval_of_a_mean() -> None:
    from scipy import stats

    values = [0.5, 0.7, 0.65, 0.9]
    low, high = stats.t.interval(0.95, 3, loc=sum(values) / 4, scale=stats.sem(values))
    assert (summarize_values(values).low, summarize_values(values).high) == pytest.approx((low, high))
    assert summarize_values([0.5]).low is None


def test_the_interval_of_a_percentage_ends_at_0_and_100() -> None:
    found = summarize_values([99.0, 100.0, 92.0], "validation_kmeans_percent")
    assert (found.mean, found.high) == (97.0, 100.0)
    assert found.low == summarize_values([99.0, 100.0, 92.0]).low
    assert summarize_values([0.0, 3.0], "share_percent").low == 0.0
    assert summarize_values([99.0, 100.0, 92.0], "loss_nats").high == pytest.approx(107.83, abs=0.01)

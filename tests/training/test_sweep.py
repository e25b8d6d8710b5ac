"""Several runs of a recipe: one line, started in turn, each ending by itself."""

from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from engines.core.errors import EngineError
from tests.forked_jobs import mathwb
from workbench.jobs import control, job_registry
from workbench.recipes import load_recipe
from workbench.train import Sweep, list_variants

if TYPE_CHECKING:
    from tests.jobs.conftest import Lab


def document(*words: object) -> Any:
    return json.loads(mathwb(*words, "--json").stdout)


def complaint(*words: object) -> str:
    """Of a refused command."""
    refused = mathwb(*words)
    assert refused.returncode == 2
    return refused.stderr


def titles(sweep: int) -> list[str]:
    """What tells the members of a sweep apart."""
    return sorted(view["title"].partition(" lr=")[2] for view in document("jobs", "list", f"sweep:{sweep}"))


@pytest.mark.slow
def test_a_sweep_is_one_line_and_a_failed_member_fails_alone(lab: Lab, recipe: Path) -> None:
    started = document(
        "train", recipe, "--detach", "--grid", "lr=0.01,1e30", "--seeds", "1,2", "--set", "clip=0"
    )
    number = started["job"]
    assert started["runs"] == 4
    assert titles(number) == ["0.01 seed=1", "0.01 seed=2", "1e30 seed=1", "1e30 seed=2"]
    view = lab.wait(number, "failed")
    members = [view for view in job_registry.list_jobs(lab.workspace) if view.sweep == number]
    assert sorted((each.params["train"]["lr"], each.seed, each.state) for each in members) == [
        (0.01, 1, "succeeded"),
        (0.01, 2, "succeeded"),
        (1e30, 1, "failed"),
        (1e30, 2, "failed"),
    ]
    bad = sorted(each.id for each in members if each.state == "failed")
    assert (view.done, view.total, view.reason) == (4, 4, f"2 failed: {bad[0]}, {bad[1]}")
    control.remove_job(lab.workspace, number)
    assert job_registry.list_jobs(lab.workspace) == []


def test_ranges_and_draws(recipe: Path) -> None:
    def settings(key: str, how: Sweep) -> list[float]:
        return [float(each.setting[key]) for each in list_variants(load_recipe(str(recipe)), how)]

    assert settings("steps", Sweep(("steps=3..6",))) == [3, 4, 5, 6]
    assert settings("lr", Sweep(("lr=0..1/5",))) == [0, 0.25, 0.5, 0.75, 1]
    assert settings("lr", Sweep(("lr=1e-5..1e-2/4log",))) == pytest.approx([1e-5, 1e-4, 1e-3, 1e-2])
    by_ratio = Sweep(random=("lr=1e-5..1e-1/log",), trials=200)
    drawn = settings("lr", by_ratio)
    assert drawn == settings("lr", by_ratio)
    assert all(1e-5 <= value <= 1e-1 for value in drawn)
    # Evenly in the logarithm: half below its middle, within four standard deviations.
    assert abs(sum(value < 1e-3 for value in drawn) - 100) < 4 * math.sqrt(50)
    both = list_variants(load_recipe(str(recipe)), Sweep(random=("lr=0.1..1",), trials=3, seeds="1,2"))
    assert [each.repeat["seed"] for each in both] == [1, 2] * 3


def test_whole_numbers_are_drawn_evenly_and_each_combination_once(recipe: Path) -> None:
    how = Sweep(random=("steps=1..3", "lr=0.0..1"), trials=600)
    drawn = Counter(each.setting["steps"] for each in list_variants(load_recipe(str(recipe)), how))
    assert drawn.keys() == {"1", "2", "3"}
    assert all(abs(count - 200) < 4 * math.sqrt(600 * 2 / 9) for count in drawn.values())
    few = list_variants(load_recipe(str(recipe)), Sweep(random=("steps=1..3",), trials=50))
    assert sorted(each.setting["steps"] for each in few) == ["1", "2", "3"]


@pytest.mark.parametrize(
    "how",
    [
        *(Sweep((text,)) for text in ("lr=1..0", "lr=a..b", "lr=0..0.5", "lr=0..1/3log", "lr=0..1/0", "lr")),
        *(Sweep(seeds=text) for text in ("1,x", "1..", "5..1", "0..1/3")),
        Sweep(("lr=0.1,0.10",)),
        Sweep(("lr=0.1,0.2", "train.lr=0.3,0.4")),
        Sweep(("seed=1,2",), seeds="3,4"),
        Sweep(("steps=1..1000000",)),
        Sweep(("steps=1..200", "batch_size=1..200")),
        Sweep(random=("lr",)),
        Sweep(random=("lr=1e-5..1e-3/4log",)),
    ],
    ids=str,
)
def test_runs_that_make_no_sense_are_refused(recipe: Path, how: Sweep) -> None:
    with pytest.raises(EngineError) as caught:
        list_variants(load_recipe(str(recipe)), how)
    assert caught.value.code == "E426"


@pytest.mark.parametrize(
    "words",
    [
        ["--detach", "--parallel", "2"],
        ["--detach", "--stop-worst", "accuracy"],
        ["--detach", "--seeds", "1,2", "--trials", "5"],
        ["--headless", "--seeds", "1,2", "--parallel", "2"],
    ],
    ids=" ".join,
)
def test_what_would_have_no_effect_is_refused(lab: Lab, recipe: Path, words: list[str]) -> None:
    assert complaint("train", recipe, *words).startswith("E427")
    assert job_registry.list_jobs(lab.workspace) == []


def test_the_worst_are_told_by_a_measure_that_is_taken(lab: Lab, recipe: Path) -> None:
    words = ["train", recipe, "--detach", "--seeds", "1,2", "--stop-worst", "acuracy"]
    assert "E403" in (found := complaint(*words))
    assert "'accuracy'" in found
    assert job_registry.list_jobs(lab.workspace) == []


@pytest.mark.slow
def test_ranges_and_folds_run_to_their_end_listed_as_one_line_and_compared(lab: Lab, recipe: Path) -> None:
    """In front and in the background, the runs are those that the ranges and folds ask for."""
    words = ["--grid", "lr=0.01..0.03/2", "--folds", "--set", "steps=2"]
    front = document("train", recipe, "--headless", *words)
    number = document("train", recipe, "--detach", *words)["job"]
    assert titles(number) == ["0.01 fold=0", "0.01 fold=1", "0.03 fold=0", "0.03 fold=1"]
    lab.wait(number, "succeeded")
    expected = [(lr, fold) for lr in (0.01, 0.03) for fold in (0, 1)]
    found = {view.id: view for view in job_registry.list_jobs(lab.workspace)}
    made = [found[run["job"]] for run in front["runs"]]
    members = [found[member] for member in control.member_numbers(lab.workspace, number)]
    for views in (made, members):
        tables = [view.params for view in views]
        assert [(one["train"]["lr"], one["model"]["fold"]) for one in tables] == expected
        assert {view.state for view in views} == {"succeeded"}
    by_setting = {row["setting"]["lr"]: row["measures"]["accuracy"] for row in front["settings"]}
    compared = document("jobs", "compare", number)
    for row in compared["settings"]:
        own = by_setting[f"{row['setting']['train.lr']:g}"]
        assert (row["value"]["runs"], row["value"]["mean"]) == (2, pytest.approx(own["mean"]))
        assert len(row["jobs"]) == 2
    first, second = compared["settings"]
    assert compared["best"] == first["setting"]
    assert 0.5 <= second["p"] <= 1
    text = mathwb("jobs", "compare", number).stdout
    assert text.splitlines()[-1].startswith(f"best by {compared['measure']}: lr=0.0")
    listed = mathwb("jobs", "list").stdout.splitlines()[1:]
    # The runs in front are four lines, the sweep in the background is one.
    (line,) = [line for line in listed if line.split()[0] not in {str(view.id) for view in made}]
    assert line.split()[0] == str(number)
    assert "4/4 runs" in line
    assert len(mathwb("jobs", "list", "--where", f"sweep:{number}").stdout.splitlines()) == 5
    tail = mathwb("jobs", "tail", number)
    assert (tail.returncode, f"sweep:{number}" in tail.stderr) == (2, True)


def test_seeds_are_a_list_or_a_range(recipe: Path) -> None:
    def seeds(text: str) -> list[int | None]:
        return [
            each.repeat.get("seed") for each in list_variants(load_recipe(str(recipe)), Sweep(seeds=text))
        ]

    assert (seeds(""), seeds("4"), seeds("1,7"), seeds("2..5")) == ([None], [4], [1, 7], [2, 3, 4, 5])

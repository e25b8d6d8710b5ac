"""Several runs of a recipe: one line, started in turn, each ending by itself."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from engines.core.errors import EngineError
from workbench import jobs
from workbench.recipes import load
from workbench.training import seeds_of, variants

if TYPE_CHECKING:
    from tests.jobs.conftest import Lab


def mathwb(*arguments: object) -> Any:
    """What a command says with --json."""
    words = [sys.executable, "-c", "from workbench.cli import main; main()", *map(str, arguments), "--json"]
    return json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)


def test_a_sweep_is_one_line_and_a_failed_member_fails_alone(lab: Lab, recipe: Path) -> None:
    document = mathwb(
        "train", recipe, "--detach", "--grid", "lr=0.01,1e30", "--seeds", "1,2", "--set", "clip=0"
    )
    number = document["job"]
    assert document["runs"] == 4
    view = lab.wait(number, "failed")
    members = [view for view in jobs.jobs(lab.workspace) if view.sweep == number]
    assert sorted((each.params["train"]["lr"], each.seed, each.state) for each in members) == [
        (0.01, 1, "succeeded"),
        (0.01, 2, "succeeded"),
        (1e30, 1, "failed"),
        (1e30, 2, "failed"),
    ]
    bad = sorted(each.id for each in members if each.state == "failed")
    assert (view.done, view.total, view.reason) == (4, 4, f"2 failed: {bad[0]}, {bad[1]}")
    jobs.remove(lab.workspace, number)
    assert jobs.jobs(lab.workspace) == []


def test_ranges_and_draws(recipe: Path) -> None:
    def settings(key: str, **how: Any) -> list[float]:
        return [float(each.setting[key]) for each in variants(load(str(recipe)), **how)]

    assert settings("steps", grid=["steps=3..6"]) == [3, 4, 5, 6]
    assert settings("lr", grid=["lr=0..1/5"]) == [0, 0.25, 0.5, 0.75, 1]
    assert settings("lr", grid=["lr=1e-5..1e-2/4log"]) == pytest.approx([1e-5, 1e-4, 1e-3, 1e-2])
    drawn = settings("lr", random=["lr=1e-5..1e-1/log"], draws=200)
    assert drawn == settings("lr", random=["lr=1e-5..1e-1/log"], draws=200)
    assert all(1e-5 <= value <= 1e-1 for value in drawn)
    # Evenly in the logarithm: half below its middle, within four standard deviations.
    assert abs(sum(value < 1e-3 for value in drawn) - 100) < 4 * math.sqrt(50)
    both = variants(load(str(recipe)), random=["lr=0.1..1"], draws=3, seeds=[1, 2])
    assert [each.repeat["seed"] for each in both] == [1, 2] * 3
    for wrong in ("lr=1..0", "lr=a..b", "lr=0..0.5", "lr=0..1/3log"):
        with pytest.raises(EngineError) as caught:
            variants(load(str(recipe)), grid=[wrong])
        assert caught.value.code == "E426"


def test_a_sweep_is_listed_as_one_line_and_compared(lab: Lab, recipe: Path) -> None:
    number = mathwb("train", recipe, "--detach", "--grid", "lr=0.01,0.02", "--seeds", "1,2")["job"]
    titles = [view["title"].partition(" lr=")[2] for view in mathwb("jobs", "list", f"sweep:{number}")]
    assert sorted(titles) == ["0.01 seed=1", "0.01 seed=2", "0.02 seed=1", "0.02 seed=2"]
    lab.wait(number, "succeeded")
    words = [sys.executable, "-c", "from workbench.cli import main; main()", "jobs"]
    listed = subprocess.run([*words, "list"], capture_output=True, text=True, check=True).stdout
    assert [line.split()[0] for line in listed.splitlines()[1:]] == [str(number)]
    assert "4/4 runs" in listed
    members = subprocess.run(
        [*words, "list", "--where", f"sweep:{number}"], capture_output=True, text=True, check=True
    )
    assert len(members.stdout.splitlines()) == 5
    found = mathwb("jobs", "compare", number)
    assert [(len(row["jobs"]), row["value"]["runs"]) for row in found["settings"]] == [(2, 2), (2, 2)]
    assert found["best"] == found["settings"][0]["setting"]
    assert 0.5 <= found["settings"][1]["p"] <= 1
    text = subprocess.run([*words, "compare", str(number)], capture_output=True, text=True, check=True).stdout
    assert text.splitlines()[-1].startswith(f"best by {found['measure']}: train.lr=0.0")
    tail = subprocess.run([*words, "tail", str(number)], capture_output=True, text=True, check=False)
    assert (tail.returncode, f"sweep:{number}" in tail.stderr) == (2, True)


def test_seeds_are_a_list_or_a_range() -> None:
    assert (seeds_of(""), seeds_of("4"), seeds_of("1,7"), seeds_of("2..5")) == ([], [4], [1, 7], [2, 3, 4, 5])
    for text in ("1,x", "1..", "5..1", "0..1/3"):
        with pytest.raises(EngineError) as caught:
            seeds_of(text)
        assert caught.value.code == "E426"

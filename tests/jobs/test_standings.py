"""Many runs compared: grouped by setting, the best named, tests as the definitions have them."""

from __future__ import annotations

import itertools
from pathlib import Path
from statistics import stdev
from typing import Any

import pytest

from engines.core.errors import EngineError
from workbench.jobs.compare import rank_settings
from workbench.jobs.job_views import JobView

VALUES = {0.1: [0.80, 0.82, 0.90, 0.85, 0.88], 0.2: [0.70, 0.75, 0.76, 0.71, 0.79]}


def run(number: int, lr: float, seed: int, value: float | None, **train: Any) -> JobView:
    state = "failed" if value is None else "succeeded"
    found = {} if value is None else {"measures": {"accuracy": value, "loss": -1.0}}
    return JobView(
        number,
        "train",
        "r",
        state,
        seed=seed,
        params={"train": {"lr": lr, **train}, "out": f"/{number}"},
        folder="/nowhere",
        value=found,
    )


def runs(**train: Any) -> list[JobView]:
    rows = [(lr, seed, value) for lr, values in VALUES.items() for seed, value in enumerate(values)]
    return [run(number, lr, seed, value, **train) for number, (lr, seed, value) in enumerate(rows, 1)]


def test_the_best_setting_is_named_and_tested_in_pairs() -> None:
    found = rank_settings(runs())
    assert (found.measure, found.lowest) == ("accuracy", False)
    best, other = found.rows
    assert best.setting == {"train.lr": 0.1}
    assert best.value is not None
    assert best.value.mean == pytest.approx(sum(VALUES[0.1]) / 5)
    assert (best.p, best.difference) == (None, None)
    differences = [b - a for a, b in zip(*VALUES.values(), strict=True)]
    assert other.difference == pytest.approx(sum(differences) / 5)
    # Of all 32 assignments of signs, so many lie as far out.
    signs = itertools.product((1, -1), repeat=5)
    beyond = sum(
        abs(sum(s * d for s, d in zip(row, differences, strict=True))) >= abs(sum(differences)) - 1e-12
        for row in signs
    )
    assert other.p == beyond / 32
    # Student's t with four degrees of freedom: 2.776445 times the standard error.
    half = 2.776445 * stdev(differences) / 5**0.5
    assert other.interval == pytest.approx((other.difference - half, other.difference + half))
    assert other.shared == 5


def test_only_shared_repeats_are_compared_and_failures_are_counted() -> None:
    views = [*runs()[:5], run(6, 0.2, 0, 0.7), run(7, 0.2, 1, None), run(8, 0.3, 9, 0.5)]
    rows = rank_settings(views).rows
    assert [row.setting["train.lr"] for row in rows] == [0.1, 0.2, 0.3]
    assert [(row.shared, row.failed, row.p) for row in rows[1:]] == [(1, (7,), None), (0, (), None)]
    nothing = rank_settings([*runs()[:2], run(3, 0.4, 0, None)]).rows[-1]
    assert (nothing.value, nothing.failed) == (None, (3,))


def test_several_runs_of_one_repeat_count_by_their_mean() -> None:
    views = [*runs()[:5], run(6, 0.1, 0, 0.90), run(7, 0.2, 0, 0.7), run(8, 0.2, 1, 0.6)]
    best, other = rank_settings(views).rows
    assert (best.finished, best.value and best.value.runs) == (6, 5)
    assert best.value is not None
    assert best.value.mean == pytest.approx((0.85 + 0.82 + 0.90 + 0.85 + 0.88) / 5)
    assert other.difference == pytest.approx(((0.7 - 0.85) + (0.6 - 0.82)) / 2)


def test_the_lowest_is_best_where_the_recipe_says_so() -> None:
    found = rank_settings(runs(best="accuracy", best_is_lowest=True))
    assert found.lowest
    assert found.to_dict()["best"] == {"train.lr": 0.2}
    assert rank_settings(runs(), "loss").lowest


def test_a_band_over_seeds(tmp_path: Path) -> None:
    views = runs()[:3]
    for number, view in enumerate(views):
        folder = tmp_path / str(number) / "attempt-1"
        folder.mkdir(parents=True)
        lines = [
            f'{{"v":1,"t":1.0,"job":1,"attempt":1,"seq":{step},"kind":"metric","step":{step},'
            f'"data":{{"accuracy":{0.1 * (number + step)}}}}}\n'
            for step in range(1, 4 - (number == 2))
        ]
        (folder / "events.jsonl").write_text("".join(lines))
        object.__setattr__(view, "folder", str(folder.parent))
    band = rank_settings(views).rows[0].band
    assert [(step, round(found.mean, 6), found.runs) for step, found in band] == [(1, 0.2, 3), (2, 0.3, 3)]
    # Student's t with two degrees of freedom: 4.302653 times 0.1 / sqrt(3).
    assert band[0][1].high == pytest.approx(0.2 + 4.302653 * 0.1 / 3**0.5)


def test_refusals() -> None:
    with pytest.raises(EngineError) as caught:
        rank_settings(runs(), "acuracy")
    assert (caught.value.code, "accuracy" in caught.value.remedy) == ("E403", True)
    with pytest.raises(EngineError) as caught:
        rank_settings([run(1, 0.1, 0, None)])
    assert caught.value.code == "E645"

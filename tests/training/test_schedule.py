"""The learning rate, against torch's own schedulers."""

from __future__ import annotations

import pytest

from engines.core.errors import EngineError
from engines.training import TrainConfig
from engines.training.loop import learning_rate_factor


@pytest.mark.parametrize(("count", "times"), [(10, 2), (3, 1), (1, 2)])
def test_restarts_are_those_of_torch(count: int, times: int) -> None:
    import torch

    config = TrainConfig(
        steps=1,
        lr=1e-4,
        lr_min=1e-8,
        schedule="cosine_restarts",
        restart_epochs=count,
        restart_factor=times,
    )
    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1e-4)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, count, times, eta_min=1e-8)
    for epoch in range(75):
        ours = [
            learning_rate_factor(config, epoch * 5 + step, total=375, epoch_steps=5) * 1e-4
            for step in range(5)
        ]
        assert ours == pytest.approx(scheduler.get_last_lr() * 5, rel=1e-9)
        scheduler.step()


def test_restarts_at_every_step() -> None:
    config = TrainConfig(steps=1, schedule="cosine_restarts", per_step=True, restart_epochs=2)
    found = [learning_rate_factor(config, step, total=40, epoch_steps=5) for step in (0, 5, 10, 20, 30)]
    assert found == pytest.approx([1, 0.5, 1, 0.5, 1])


def test_warmup_and_line() -> None:
    config = TrainConfig(steps=110, lr=2.0, lr_min=0.2, warmup=10)
    found = [learning_rate_factor(config, step, total=110, epoch_steps=0) for step in (0, 9, 10, 60, 110)]
    assert found == pytest.approx([0.1, 1, 1, 0.55, 0.1])


@pytest.mark.parametrize("total", [110, 57_850, 3])
def test_a_share_of_the_steps_is_the_warmup_of_that_many_steps(total: int) -> None:
    share = TrainConfig(epochs=1, warmup_share=0.1)
    steps = TrainConfig(epochs=1, warmup=round(total / 10))
    for step in (0, 1, total // 20, total // 10, total // 2, total):
        factors = [learning_rate_factor(one, step, total=total, epoch_steps=0) for one in (share, steps)]
        assert factors[0] == factors[1]
    both = TrainConfig(epochs=1, warmup=2, warmup_share=0.5)
    assert both.count_warmup_steps(100) == 2


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"steps": 1, "warmup_share": 1.5},
        {"steps": 1, "lr": 0},
        {"steps": 1, "clip": -1},
        {"steps": 1, "schedule": "step"},
        {"steps": 1, "patience": 2},
        {"steps": 1, "batch_size": 0},
        {"steps": 1, "batch_size": 1.5},
        {"steps": True},
        {"steps": 1, "compile": 1},
        {"stesp": 1},
    ],
)
def test_settings_that_make_no_sense(values: dict[str, object]) -> None:
    with pytest.raises(EngineError) as caught:
        TrainConfig.from_table(values)
    assert (caught.value.code, caught.value.exit_code) == ("E630", 2)

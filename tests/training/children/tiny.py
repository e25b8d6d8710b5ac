"""A model that is trained in a second: tells the parity of the ones in a short row, with dropout."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from engines.training import Origin, TrainConfig


class Rows:
    """Rows of 0 and 1 of several lengths, with their parity."""

    def __init__(self, count: int = 200, seed: int = 0) -> None:
        draw = random.Random(seed)
        self.rows = [[draw.randint(0, 1) for _ in range(draw.randint(1, 9))] for _ in range(count)]

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> list[int]:
        return self.rows[index]


class Flow:
    """The same rows, read in order."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows.rows

    def read_epoch(self, epoch: int, start: int) -> Iterator[list[int]]:
        yield from self.rows[start:]


class Tiny:
    """The training task. `trouble` is what happens to the loss: a function of its number and the loss."""

    def __init__(
        self, *, count: int = 200, flow: bool = False, trouble: Any = None, measure: str = "accuracy"
    ) -> None:
        self.count, self.flow, self.trouble, self.measure = count, flow, trouble, measure
        self.calls = 0

    @property
    def measures(self) -> tuple[str, ...]:
        return (self.measure,)

    def origin(self) -> Origin:
        return Origin("tiny", {"count": self.count})

    def model(self) -> Any:
        from torch import nn

        class Net(nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.embed = nn.Embedding(3, 8, padding_idx=2)
                self.drop = nn.Dropout(0.2)
                self.hidden = nn.Linear(8, 16)
                self.out = nn.Linear(16, 2)

            def forward(self, ids: Any) -> Any:
                return self.out(self.hidden(self.drop(self.embed(ids)).sum(1)).tanh())

        return Net()

    def train_data(self) -> Any:
        rows = Rows(self.count)
        return Flow(rows) if self.flow else rows

    def length(self, example: Sequence[int]) -> int:
        return len(example)

    def collate(self, examples: Sequence[Sequence[int]]) -> Mapping[str, Any]:
        import torch

        longest = max(map(len, examples))
        ids = [[*row, *[2] * (longest - len(row))] for row in examples]
        return {"ids": torch.tensor(ids), "labels": torch.tensor([sum(row) % 2 for row in examples])}

    def counts(self, batch: Mapping[str, Any]) -> tuple[int, ...]:
        return (len(batch["labels"]),)

    def loss(self, model: Any, batch: Mapping[str, Any]) -> Any:
        import torch

        self.calls += 1
        loss = torch.nn.functional.cross_entropy(model(batch["ids"]), batch["labels"])
        return loss if self.trouble is None else self.trouble(self.calls, loss)

    def evaluate(self, model: Any) -> dict[str, float]:
        import torch

        torch.rand(7)
        assert not model.training
        batch = self.collate(Rows(50, seed=1).rows)
        right = model(batch["ids"].to(next(model.parameters()).device)).argmax(1).cpu() == batch["labels"]
        return {self.measure: right.float().mean().item()}

    def save(self, model: Any, folder: Path, facts: Mapping[str, Any]) -> None:
        from safetensors.torch import save_file

        from engines.training.checkpoints import model_card

        save_file(model.state_dict(), folder / "model.safetensors")
        text = model_card(
            "Parity", "Tells parity.", facts, data={"rows": self.count}, limits=["Short rows only."]
        )
        (folder / "README.md").write_text(text)


def config(**changes: Any) -> TrainConfig:
    """Twenty steps, a checkpoint every five."""
    values: dict[str, Any] = {
        "steps": 20,
        "batch_size": 8,
        "bucket": 4,
        "lr": 0.01,
        "save_every": 5,
        "eval_every": 4,
        "log_every": 2,
        "keep": 3,
        "seed": 3,
        "device": "cpu",
    }
    return TrainConfig(**{**values, **changes})


def trainer(model: Mapping[str, Any], data: Mapping[str, Path], *, seed: int) -> Tiny:
    """For jobs. `kill`: by number of attempt, the batch in which the process kills itself with -9.
    `kill_saving`: by number of attempt, the step whose checkpoint it does not survive. `hold`: wait in this
    batch until the file `go` is in the folder that `data.place` names."""
    attempt = Path(os.environ.get("MATHWB_ATTEMPT", "attempt-0")).name.removeprefix("attempt-")
    fatal, saving = model.get("kill", {}).get(attempt), model.get("kill_saving", {}).get(attempt)

    def trouble(number: int, loss: Any) -> Any:
        if number == fatal:
            os.kill(os.getpid(), signal.SIGKILL)
        while number == model.get("hold") and not (data["place"] / "go").exists():
            time.sleep(0.01)
        return loss * float("nan") if number == model.get("nan") else loss

    if saving:
        _die_at(saving)
    measure = model.get("measure", "accuracy")
    return Tiny(count=model.get("count", 200), trouble=trouble, measure=measure)


def _die_at(step: int) -> None:
    from engines.training import checkpoints

    whole = checkpoints.atomic_folder

    @contextmanager
    def half(target: Path, mark: str) -> Iterator[Path]:
        with whole(target, mark) as draft:
            yield draft
            if target.name == f"step-{step:06d}":
                file = draft / "training.pt"
                file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
                os.kill(os.getpid(), signal.SIGKILL)

    checkpoints.atomic_folder = half  # type: ignore[attr-defined]

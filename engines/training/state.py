"""The state of a training, to bytes and back. Nothing here unpickles objects."""

from __future__ import annotations

import io
import random
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engines.training.checkpoints import corrupt
from engines.training.config import TrainConfig
from engines.training.task import TrainingTask

if TYPE_CHECKING:
    import torch

__all__ = [
    "Best",
    "all_finite",
    "from_file",
    "get_random",
    "load_weights",
    "measured",
    "put_random",
    "to_bytes",
    "versions",
    "weights_to_bytes",
]


@dataclass(slots=True)
class Best:
    """The best evaluation so far, and how many in a row have not been better."""

    step: int = 0
    value: float | None = None
    worse_in_a_row: int = 0
    measures: dict[str, float] = field(default_factory=dict)

    def offer(self, step: int, measures: Mapping[str, float], config: TrainConfig) -> bool:
        """Take an evaluation into account. Returns: whether it is the best."""
        value = measures[config.best]
        sign = -1 if config.best_is_lowest else 1
        if self.value is not None and not sign * value > sign * self.value:
            self.worse_in_a_row += 1
            return False
        self.step, self.value, self.worse_in_a_row, self.measures = step, value, 0, dict(measures)
        return True

    def to_dict(self) -> dict[str, Any]:
        """JSON-able."""
        return asdict(self)

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Best:
        """What `to_dict` wrote."""
        return cls(**document)


def measured(task: TrainingTask, model: torch.nn.Module) -> dict[str, float]:
    """The task's measures; random numbers and training mode are as they were afterwards."""
    import torch

    before, training = get_random(), model.training
    model.eval()
    try:
        with torch.no_grad():
            return {name: float(value) for name, value in task.evaluate(model).items()}
    finally:
        model.train(training)
        put_random(before)


def get_random() -> dict[str, Any]:
    """The state of every global generator, as plain values and tensors."""
    import numpy as np
    import torch

    name, keys, place, has_gauss, gauss = np.random.get_state(legacy=True)
    found: dict[str, Any] = {
        "python": random.getstate(),
        "numpy": (name, torch.from_numpy(np.asarray(keys, np.int64)), place, has_gauss, gauss),
        "torch": torch.get_rng_state(),
    }
    if torch.cuda.is_available() and torch.cuda.is_initialized():
        found["cuda"] = torch.cuda.get_rng_state()
    return found


def put_random(saved: Mapping[str, Any]) -> None:
    """Put the state of the generators back."""
    import numpy as np
    import torch

    version, words, gauss = saved["python"]
    random.setstate((version, tuple(words), gauss))
    name, keys, *rest = saved["numpy"]
    np.random.set_state((name, keys.numpy().astype(np.uint32), *rest))
    torch.set_rng_state(saved["torch"])
    if "cuda" in saved and torch.cuda.is_available():
        torch.cuda.set_rng_state(saved["cuda"])


def weights_to_bytes(model: torch.nn.Module) -> bytes:
    """All weights and buffers as safetensors; what is shared is written once for each name."""
    from safetensors.torch import save

    # Copies, since safetensors refuses tensors that share memory.
    weights = model.state_dict().items()
    return save({name: value.detach().cpu().contiguous().clone() for name, value in weights})


def load_weights(model: torch.nn.Module, path: Path) -> None:
    """Put saved weights into a model of the same shape."""
    from safetensors.torch import load_file

    model.load_state_dict(load_file(path))


def to_bytes(value: Any) -> bytes:
    """Tensors and plain values as torch saves them."""
    import torch

    buffer = io.BytesIO()
    torch.save(value, buffer)
    return buffer.getvalue()


def from_file(path: Path) -> Any:
    """What `to_bytes` made: tensors and plain values only. Raises: EngineError E635 for anything else."""
    import pickle

    import torch

    try:
        return torch.load(path, map_location="cpu", weights_only=True)
    except (pickle.UnpicklingError, RuntimeError, ValueError, EOFError) as error:
        # The library's advice is to unpickle it all the same, which runs what it holds.
        raise corrupt(path.parent, f"{path.name} holds more than numbers, or not what was saved") from error


def all_finite(model: torch.nn.Module) -> bool:
    """Whether every weight is a number."""
    import torch

    return all(bool(torch.isfinite(weight).all().item()) for weight in model.parameters())


def versions() -> dict[str, str]:
    """Versions of what the numbers depend on; they are looked up, since transformers is slow to import."""
    return {name: metadata.version(name) for name in ("accelerate", "numpy", "torch", "transformers")}

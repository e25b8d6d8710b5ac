"""Loss and throughput between two readings, the time spent on evaluation and saving left out."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from engines.training.batches import Position

if TYPE_CHECKING:
    import torch
    from accelerate import Accelerator

__all__ = ["Meter"]

_TELL_EVERY_S = 0.5


class Meter:
    """Adds up on the device; only a reading waits for it."""

    def __init__(self, start: Position, total: torch.Tensor | None = None, count: int = 0) -> None:
        """Args: total, count: losses that were added and not read before a training was broken off."""
        self._before = start
        self._sum, self._count = total, count
        self._seconds = 0.0
        self._since: float | None = None
        self._told = 0.0

    def add(self, loss: torch.Tensor) -> None:
        """The loss of a step, detached."""
        self._sum = loss.float() if self._sum is None else self._sum + loss.float()
        self._count += 1

    def unread(self) -> tuple[float, int]:
        """The sum of the losses since the last reading, and how many they are."""
        return (0.0 if self._sum is None else self._sum.item()), self._count

    def pause_clock(self) -> None:
        """What follows is not training."""
        if self._since is not None:
            self._seconds += time.monotonic() - self._since
            self._since = None

    def resume_clock(self) -> None:
        """Training goes on."""
        self._since = time.monotonic()

    def due(self) -> bool:
        """Whether it is time to say how far it is."""
        now = time.monotonic()
        if now - self._told < _TELL_EVERY_S:
            return False
        self._told = now
        return True

    def finite(self) -> bool:
        """Whether every loss since the last reading was a number."""
        import torch

        return self._sum is None or bool(torch.isfinite(self._sum).item())

    def read(self, position: Position, accelerator: Accelerator) -> dict[str, float]:
        """Mean loss and throughput since the last reading, over all processes; memory of this one."""
        import torch

        total = torch.zeros((), device=accelerator.device) if self._sum is None else self._sum
        loss = accelerator.reduce(total / max(1, self._count), "mean").item()
        # The device has done its work by now, so the time of it is in this stretch.
        self.pause_clock()
        self.resume_clock()
        seconds = max(self._seconds, 1e-9)
        tokens = position.tokens - self._before.tokens
        examples = position.examples - self._before.examples
        self._before, self._sum, self._count, self._seconds = position, None, 0, 0.0
        return {
            "loss_nats": loss,
            "tokens_per_s": tokens / seconds,
            "examples_per_s": examples / seconds,
            "memory_bytes": float(_memory(accelerator.device)),
            "epoch": float(position.epoch),
        }


def _memory(device: Any) -> int:
    """Bytes in use: of the GPU, or of this process."""
    import torch

    if device.type == "cuda":
        return int(torch.cuda.max_memory_allocated(device))
    import psutil

    return int(psutil.Process().memory_info().rss)

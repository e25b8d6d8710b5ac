"""The loss that a step descends: the mean over all its batches, here and in the other processes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engines.training.task import Batch, TrainingTask

if TYPE_CHECKING:
    import torch
    from accelerate import Accelerator

__all__ = ["descend", "objective"]


def objective(model: torch.nn.Module, task: TrainingTask) -> torch.nn.Module:
    """Model and loss as one module, so that several processes and the compiler see one call a batch."""
    from torch import nn

    class Objective(nn.Module):  # type: ignore[misc]  # an untyped library
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, batch: Batch, shares: torch.Tensor) -> torch.Tensor:
            return (task.loss(self.model, batch) * shares).sum()

    return Objective()


def descend(
    module: torch.nn.Module, task: TrainingTask, batches: Sequence[Batch], accelerator: Accelerator
) -> torch.Tensor:
    """Add up the gradients of a step in the weights.

    A task's losses are means over a batch. Each counts by the tokens or examples that it is a mean over, so
    that several batches, here and in the other processes, give the gradient of one that holds them all.

    Args: module: the `objective`, prepared. batches: those of this process.
    Returns: this process's part of the loss; their mean over the processes is the loss in nats.
    """
    from contextlib import nullcontext

    import torch
    from accelerate.utils import send_to_device

    counts = torch.tensor([task.counts(batch) for batch in batches], dtype=torch.float32)
    counts = counts.to(accelerator.device)
    total = accelerator.reduce(counts.sum(0), "sum")
    # The gradients of the processes are averaged, and their sum is wanted.
    # A loss that no batch has anything for counts nothing.
    shares = counts / total.clamp(min=1) * accelerator.num_processes
    parts = []
    for number, batch in enumerate(batches, 1):
        whole = number == len(batches)
        with nullcontext() if whole else accelerator.no_sync(module):
            part = module(send_to_device(batch, accelerator.device, non_blocking=True), shares[number - 1])
            part.backward()
        parts.append(part.detach())
    return torch.stack(parts).sum()

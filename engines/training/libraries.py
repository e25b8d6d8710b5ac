"""What trainings take of torch and accelerate, which are loaded where they are used: quick imports, modules
and poolings, the device, and what several processes tell each other."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

from engines.core.errors import EngineError
from engines.training.task import TrainConfig

if TYPE_CHECKING:
    import torch
    from accelerate import Accelerator
    from torch import Tensor


@contextmanager
def quick_imports() -> Iterator[None]:
    """Import in the block without garbage collection, which would walk through half a million new objects
    again and again: a third of the time that torch and transformers take. They are never looked at again."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


class Module:
    """A base class: what is made of it is a `torch.nn.Module`, and only making one loads torch."""

    def __new__(cls, *_args: Any, **_settings: Any) -> Any:
        kind: Any = cls
        return super().__new__(_join_processes(kind))

    if TYPE_CHECKING:

        def __call__(self, *inputs: Any) -> Any: ...
        def __getattr__(self, name: str) -> Any: ...


@cache
def _join_processes(cls: Any) -> Any:
    from torch import nn

    return type(cls.__name__, (cls, nn.Module), {"__module__": cls.__module__})


def mean(states: Tensor, real: Tensor) -> Tensor:
    """Return the mean over real tokens, shape `(batch, d)`.

    Args:
        states: Shape `(batch, length, d)`.
        real: Which of them are real tokens, shape `(batch, length)`.
    """
    real = real[..., None]
    return states.masked_fill(~real, 0.0).sum(1) / real.sum(1).to(states.dtype)


def maximum(states: Tensor, real: Tensor) -> Tensor:
    """Return the maximum over real tokens, shape `(batch, d)`."""
    return states.masked_fill(~real[..., None], float("-inf")).amax(1)


def first(states: Tensor, real: Tensor) -> Tensor:  # noqa: ARG001  # the first token is real
    """Return the state of the first token, shape `(batch, d)`."""
    return states[:, 0]


POOLINGS = {"mean": mean, "max": maximum, "first": first, "cls": first}
"""How the states of tokens become one vector, by the name in a recipe."""


_PATIENCE_H = 2
"""How long processes wait for the first one, which alone evaluates and saves."""


def start_accelerator(config: TrainConfig) -> Accelerator:
    """Return this process's device and its link to the other processes that a launcher has started."""
    from datetime import timedelta

    import torch
    from accelerate import Accelerator, InitProcessGroupKwargs
    from accelerate.state import AcceleratorState

    if config.device == "cuda" and not torch.cuda.is_available():
        remedy = "See `mathwb doctor`, or use device = auto or cpu."
        raise EngineError("device is cuda, and there is no usable GPU", code="E634", remedy=remedy)
    # It is kept for the process, and a second training in it may have another device or precision.
    AcceleratorState._reset_state(reset_partial_state=True)
    here = torch.cuda.is_available() or torch.backends.mps.is_available()
    made = Accelerator(
        cpu=config.device == "cpu" or not here,
        mixed_precision="bf16" if choose_precision(config) == "bf16" else "no",
        dynamo_backend="inductor" if config.compile else "no",
        kwargs_handlers=[InitProcessGroupKwargs(timeout=timedelta(hours=_PATIENCE_H))],
    )
    if made.device.type == "cuda":
        # Products in TF32 are exact enough for training, and several times faster.
        torch.set_float32_matmul_precision("high")
    return made


def choose_precision(config: TrainConfig) -> str:
    """Return bf16 or fp32: what was requested, or with `auto` what the device can do."""
    import torch

    if config.precision != "auto":
        return config.precision
    able = config.device != "cpu" and torch.cuda.is_available() and torch.cuda.is_bf16_supported()
    return "bf16" if able else "fp32"


def broadcast_value(value: dict[str, float]) -> dict[str, float]:
    """Return the first process's value, in every process."""
    from accelerate.utils import broadcast_object_list

    box = [value]
    broadcast_object_list(box)
    return box[0]


def gather_values(value: Any, world: int) -> Sequence[Any]:
    """Return every process's value, in the order of the processes."""
    if world == 1:
        return [value]
    from accelerate.utils import gather_object

    return list(gather_object([value]))


def rows_of_all(rows: torch.Tensor) -> tuple[torch.Tensor, int]:
    """Gather the rows of a tensor from every process, in the order of the processes.

    Gradients flow back to the process that a row comes from; the numbers of rows may differ.

    Args:
        rows: The rows of this process, shape (rows, …).

    Returns:
        All rows, and the index of the first one of this process.
    """
    import torch
    import torch.distributed as dist

    if not dist.is_available() or not dist.is_initialized() or dist.get_world_size() == 1:
        return rows, 0
    return torch.compiler.disable(_exchange_rows)(rows)


def _exchange_rows(rows: torch.Tensor) -> tuple[torch.Tensor, int]:
    import torch
    import torch.distributed as dist

    count = torch.tensor([len(rows)], device=rows.device)
    counts = [torch.empty_like(count) for _ in range(dist.get_world_size())]
    dist.all_gather(counts, count)
    sizes = [int(count) for count in counts]
    filling = rows.new_zeros((max(sizes) - len(rows), *rows.shape[1:]))
    result = _make_gather_function().apply(torch.cat([rows, filling]))
    parts = [result[rank, :size] for rank, size in enumerate(sizes)]
    return torch.cat(parts), sum(sizes[: dist.get_rank()])


@cache
def _make_gather_function() -> Any:
    import torch
    import torch.distributed as dist

    class Gather(torch.autograd.Function):  # type: ignore[misc]  # an untyped library
        """(rows, …) of every process as (processes, rows, …)."""

        @staticmethod
        def forward(_: Any, rows: torch.Tensor) -> torch.Tensor:
            results = [torch.empty_like(rows) for _ in range(dist.get_world_size())]
            dist.all_gather(results, rows)
            return torch.stack(results)

        @staticmethod
        def backward(_: Any, gradient: torch.Tensor) -> torch.Tensor:
            # The loss of every process depends on these rows.
            whole = gradient.clone(memory_format=torch.contiguous_format)
            dist.all_reduce(whole)
            return whole[dist.get_rank()]

    return Gather

"""The machine: how many processors this process may use, where torch computes, and what that is fast in."""

from __future__ import annotations

import os
from typing import Any

__all__ = ["half_precision", "processors", "torch_device"]


def processors() -> int:
    """How many processors this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def torch_device(asked: str) -> str:
    """The device of torch that is asked for; `auto` is a GPU where there is one."""
    import torch

    if asked == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    return asked


def half_precision(device: str) -> Any:
    """The 16-bit type of torch in which the device multiplies matrices several times faster, or None: that of
    a GPU, and bfloat16 on processors with AMX or AVX-512 BF16."""
    import torch

    if device != "cpu":
        return torch.float16
    asked = ("_is_amx_tile_supported", "_is_avx512_bf16_supported")
    able = any(getattr(torch.cpu, name, lambda: False)() for name in asked)
    return torch.bfloat16 if able else None

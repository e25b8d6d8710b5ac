"""The machine: how many processors this process may use, and what they are fast in."""

from __future__ import annotations

import os
from typing import Any

__all__ = ["half_precision", "processors"]


def processors() -> int:
    """How many processors this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def half_precision(device: str) -> Any:
    """The 16-bit type of torch in which the device multiplies matrices several times faster, or None: that of
    a GPU, and bfloat16 on processors with AMX or AVX-512 BF16."""
    import torch

    if device != "cpu":
        return torch.float16
    asked = ("_is_amx_tile_supported", "_is_avx512_bf16_supported")
    able = any(getattr(torch.cpu, name, lambda: False)() for name in asked)
    return torch.bfloat16 if able else None

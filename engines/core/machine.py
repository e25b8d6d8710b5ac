"""The machine: processors that this process may use, and sizes in words."""

from __future__ import annotations

import os
from importlib.util import find_spec
from typing import Any


def processors() -> int:
    """How many processors this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def has_torch() -> bool:
    """Whether torch is installed, which is not loaded to know."""
    return find_spec("torch") is not None


def torch_device(asked: str) -> str:
    """The device of torch that is asked for; `auto` is a GPU where there is one."""
    if asked == "auto" and not has_torch():
        return "cpu"
    import torch

    if asked == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    return asked


def half_precision(device: str) -> Any:
    """The 16-bit type of torch in which the device multiplies matrices several times faster, or None: that of
    a GPU, and bfloat16 on processors with AMX or AVX-512 BF16."""
    if not has_torch():
        return None
    import torch

    if device != "cpu":
        return torch.float16
    asked = ("_is_amx_tile_supported", "_is_avx512_bf16_supported")
    able = any(getattr(torch.cpu, name, lambda: False)() for name in asked)
    return torch.bfloat16 if able else None


MAX_LATEX = 20_000
"""Characters of a formula that somebody writes: reading takes longer than in proportion."""


def size(count: float) -> str:
    """Bytes in binary units, one digit behind the point: `512 B`, `2.0 KiB`, `1.9 GiB`.

    >>> size(2**20 - 1)
    '1.0 MiB'
    """
    if count < 1023.5:
        return f"{count:.0f} B"
    for unit in ("KiB", "MiB", "GiB"):
        count /= 1024
        if count < 1023.95:
            return f"{count:.1f} {unit}"
    return f"{count / 1024:,.1f} TiB"

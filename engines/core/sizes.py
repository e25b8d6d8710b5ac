"""Sizes: bytes in words, the same in a command, on a screen and in an error."""

from __future__ import annotations

__all__ = ["MAX_LATEX", "size"]

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

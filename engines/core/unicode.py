"""Text that can be written: halves of UTF-16 pairs, as JSON and command lines may hold them, are none."""

from __future__ import annotations

__all__ = ["is_text"]


def is_text(text: str) -> bool:
    """Whether all of a text can be written as UTF-8.

    >>> is_text("\N{GRINNING FACE}"), is_text("\\ud83d")
    (True, False)
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True

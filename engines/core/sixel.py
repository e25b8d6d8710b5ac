"""Sixel: pictures as DEC terminals take them, six rows of pixels to a line of text.

A picture is an index into a palette for each pixel, row by row; `CLEAR` leaves the pixel as it is. The format
is that of the VT330/VT340 Programmer Reference Manual, volume 2, chapter 14.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

__all__ = ["CLEAR", "encode"]

CLEAR = 255
"""The index of a pixel that is not painted."""

_BAND = 6
_LEAST = 63
_TO_TEXT = bytes((index + _LEAST) % 256 for index in range(256))
_RUN = re.compile(rb"(.)\1{3,}", re.DOTALL)


@lru_cache(2048)
def _bit(colour: int, row: int) -> bytes:
    """A table that turns the pixels of a colour into the bit of their row, and all others into nothing."""
    return bytes(1 << row if index == colour else 0 for index in range(256))


def encode(
    pixels: bytes, width: int, palette: Sequence[Sequence[int]], box: tuple[int, int, int, int]
) -> str:
    """The part `box` of a picture, as a control sequence that paints it from the cursor on.

    Args: pixels: indices of `palette`, or `CLEAR`, `width` to a row. palette: red, green and blue from 0 to
    255, at most 255 colours. box: left, top, right and bottom in pixels, the last two exclusive.
    """
    left, top, right, bottom = box
    rows = [pixels[row * width + left : row * width + right] for row in range(top, bottom)]
    used = sorted(set().union(*rows) - {CLEAR})
    lines = [_band(rows[start : start + _BAND], right - left) for start in range(0, len(rows), _BAND)]
    colours = "".join(_register(index, palette[index]) for index in used)
    # The second parameter: pixels without a colour stay as they are.
    return f'\x1bP0;1;0q"1;1;{right - left};{bottom - top}{colours}{"-".join(lines)}\x1b\\'


def _register(index: int, colour: Sequence[int]) -> str:
    """The definition of a colour, whose parts go from 0 to 100."""
    red, green, blue = (round(part * 100 / 255) for part in colour)
    return f"#{index};2;{red};{green};{blue}"


def _band(rows: Sequence[bytes], width: int) -> str:
    """Up to six rows: for each colour a line of text, one over the other."""
    lines = []
    for colour in sorted(set().union(*rows) - {CLEAR}):
        bits = 0
        for number, row in enumerate(rows):
            bits |= int.from_bytes(row.translate(_bit(colour, number)), "little")
        text = bits.to_bytes(width, "little").translate(_TO_TEXT).rstrip(b"?")
        short = _RUN.sub(lambda run: b"!%d%s" % (len(run[0]), run[1]), text)
        lines.append(f"#{colour}{short.decode('ascii')}")
    return "$".join(lines)

"""Kitty's graphics protocol: pictures that stand in the place of characters (Unicode placeholders).

A picture is sent once, under a number, with how many cells it fills. Wherever a cell holds U+10EEEE with the
marks of a row and a column, in the colour that is the picture's number, the terminal draws that part of it:
it moves, is covered and goes away like any text. See https://sw.kovidgoyal.net/kitty/graphics-protocol.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from rich.color import Color
from rich.color_triplet import ColorTriplet

__all__ = ["MOST_CELLS", "colour", "fresh_number", "placeholders", "removal", "transmission"]

_PLACEHOLDER = "\U0010eeee"
_CHUNK = 4096

_RANGES = """
305 30d-30e 310 312 33d-33f 346 34a-34c 350-352 357 35b 363-36f 483-487 592-595 597-599 59c-5a1
5a8-5a9 5ab-5ac 5af 5c4 610-617 657-65b 65d-65e 6d6-6dc 6df-6e2 6e4 6e7-6e8 6eb-6ec 730 732-733
735-736 73a 73d 73f-741 743 745 747 749-74a 7eb-7f1 7f3 816-819 81b-823 825-827 829-82d 951 953-954
f82-f83 f86-f87 135d-135f 17dd 193a 1a17 1a75-1a7c 1b6b 1b6d-1b73 1cd0-1cd2 1cda-1cdb 1ce0 1dc0-1dc1
1dc3-1dc9 1dcb-1dcc 1dd1-1de6 1dfe 20d0-20d1 20d4-20d7 20db-20dc 20e1 20e7 20e9 20f0 2cef-2cf1
2de0-2dff
"""


def _marks() -> Iterator[str]:
    """The marks that stand for rows and columns from 0 on: those of Unicode 6.0 above a letter (class 230)
    that no normal form joins with it."""
    for part in _RANGES.split():
        first, _, last = part.partition("-")
        yield from map(chr, range(int(first, 16), int(last or first, 16) + 1))


_MARKS = tuple(_marks())

MOST_CELLS = len(_MARKS)
"""A picture has at most so many rows and columns."""


def fresh_number() -> int:
    """A number for a picture, 24 bits of which no colour of a theme is likely to have."""
    return random.randrange(0x010000, 0xFFFFFF)


def colour(number: int) -> Color:
    """The colour that names a picture."""
    return Color.from_triplet(ColorTriplet(number >> 16 & 255, number >> 8 & 255, number & 255))


def placeholders(row: int, columns: int) -> str:
    """The characters of a row of a picture."""
    mark = _MARKS[row]
    return "".join(f"{_PLACEHOLDER}{mark}{_MARKS[column]}" for column in range(columns))


def transmission(number: int, png: str, columns: int, lines: int) -> str:
    """What sends a picture (a PNG in Base64) to be drawn over so many cells; nothing is answered to it."""
    parts = [png[start : start + _CHUNK] for start in range(0, len(png), _CHUNK)]
    sequences = []
    for at, part in enumerate(parts):
        more = int(at < len(parts) - 1)
        first = f"a=T,U=1,f=100,i={number},c={columns},r={lines}," if at == 0 else ""
        sequences.append(f"\x1b_G{first}q=2,m={more};{part}\x1b\\")
    return "".join(sequences)


def removal(number: int) -> str:
    """What takes a picture from the terminal, with its data."""
    return f"\x1b_Ga=d,d=I,i={number},q=2\x1b\\"

"""A reader of sixel, written after the manual of the VT340 and not after the encoder."""

from __future__ import annotations

import re

__all__ = ["read_sixel"]

Pixel = tuple[int, int, int] | None


def read_sixel(sequence: str) -> list[list[Pixel]]:
    """The rows of pixels of a control sequence; None is not painted, colours are in percent."""
    found = re.fullmatch(r"\x1bP([\d;]*)q(.*)\x1b\\", sequence, re.DOTALL)
    assert found, "no sixel"
    assert found[1].split(";")[1] == "1", "pixels without a colour would be painted"
    body = found[2]
    size = re.match(r'"(\d+);(\d+);(\d+);(\d+)', body)
    assert size
    assert size[1] == size[2] == "1"
    width, height = int(size[3]), int(size[4])
    rows: list[list[Pixel]] = [[None] * width for _ in range(height)]
    registers: dict[int, tuple[int, int, int]] = {}
    colour, x, top, at = 0, 0, 0, size.end()
    while at < len(body):
        character = body[at]
        if character == "#":
            part = re.compile(r"#(\d+)(?:;2;(\d+);(\d+);(\d+))?").match(body, at)
            assert part
            colour = int(part[1])
            if part[2]:
                registers[colour] = (int(part[2]), int(part[3]), int(part[4]))
            at = part.end()
            continue
        count = 1
        if character == "!":
            part = re.compile(r"!(\d+)").match(body, at)
            assert part
            count, at = int(part[1]), part.end()
            character = body[at]
        at += 1
        if character == "$":
            x = 0
        elif character == "-":
            x, top = 0, top + 6
        else:
            bits = ord(character) - 63
            assert 0 <= bits < 64, repr(character)
            for column in range(x, x + count):
                for bit in range(6):
                    if bits >> bit & 1:
                        rows[top + bit][column] = registers[colour]
            x += count
    return rows

"""Kitty's pictures against the words of its documentation, in every cell that a terminal may have."""

from __future__ import annotations

import base64
import re
import unicodedata

import pytest

from screens.shell.terminal import MOST_CELLS, placeholder_text, removal_sequence, transmission_sequence

# Places in kitty's list of 297 marks (rowcolumn-diacritics.txt) that lie far apart.
KNOWN = {0: 0x305, 1: 0x30D, 15: 0x357, 16: 0x35B, 197: 0x1DFE, 198: 0x20D0, 213: 0x2DE0, 244: 0x2DFF}


def columns_of(row: str) -> list[str]:
    """The mark of the column of each cell; each cell is a placeholder with two marks."""
    cells = re.findall("\U0010eeee(.)(.)", row)
    assert "".join(f"\U0010eeee{first}{second}" for first, second in cells) == row
    assert len({first for first, _ in cells}) == 1
    return [second for _, second in cells]


def test_marks_stand_where_the_list_has_them() -> None:
    marks = columns_of(placeholder_text(0, MOST_CELLS))
    assert {place: ord(marks[place]) for place in KNOWN} == KNOWN
    assert len(set(marks)) == len(marks) == max(KNOWN) + 1
    assert marks == sorted(marks)
    # What makes the list: a mark above a letter, which no normal form takes apart or joins.
    assert all(unicodedata.combining(mark) == 230 and not unicodedata.decomposition(mark) for mark in marks)
    assert [placeholder_text(row, 1)[1] for row in range(MOST_CELLS)] == marks


@pytest.mark.parametrize("size", [1, 3_072, 3_073, 10_000])
def test_a_picture_is_sent_in_chunks_that_kitty_takes(size: int) -> None:
    data = bytes(number % 251 for number in range(size))
    sent = transmission_sequence(0x123456, base64.b64encode(data).decode(), 40, 12)
    chunks = re.findall(r"\x1b_G([^;]*);([^\x1b]*)\x1b\\", sent)
    assert "".join(f"\x1b_G{control};{part}\x1b\\" for control, part in chunks) == sent
    first, *more = [dict(item.split("=") for item in control.split(",")) for control, _ in chunks]
    # A virtual placement of a PNG, sent directly, which is not answered.
    placed = {"a": "T", "U": "1", "f": "100", "i": str(0x123456), "c": "40", "r": "12", "q": "2"}
    assert {key: first[key] for key in placed} == placed
    # "The client must send only the m and optionally q keys with subsequent chunks."
    assert all(set(control) == {"m", "q"} for control in more)
    assert [control["m"] for control in [first, *more]] == ["1"] * len(more) + ["0"]
    assert all(len(part) <= 4096 and len(part) % 4 == 0 for _, part in chunks)
    assert base64.b64decode("".join(part for _, part in chunks)) == data


def test_a_picture_goes_with_its_data() -> None:
    assert removal_sequence(7) == "\x1b_Ga=d,d=I,i=7,q=2\x1b\\"

"""Sixel: what the encoder writes is read back by an independent reader, pixel by pixel."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engines.core.picture import CLEAR, encode
from tests.core.sixel_reader import read_sixel

PALETTE = [(0, 0, 0), (255, 255, 255), (255, 0, 0), (51, 102, 204)]
PERCENT = [(0, 0, 0), (100, 100, 100), (100, 0, 0), (20, 40, 80)]


@st.composite
def pictures(draw: st.DrawFn) -> tuple[bytes, int, tuple[int, int, int, int]]:
    width, height = draw(st.integers(1, 23)), draw(st.integers(1, 20))
    colours = st.sampled_from([0, 1, 2, 3, CLEAR])
    # Runs, since repeated pixels are written in another way.
    pixels = bytearray()
    while len(pixels) < width * height:
        pixels += bytes([draw(colours)]) * draw(st.integers(1, 12))
    left, top = draw(st.integers(0, width - 1)), draw(st.integers(0, height - 1))
    box = left, top, draw(st.integers(left + 1, width)), draw(st.integers(top + 1, height))
    return bytes(pixels[: width * height]), width, box


@given(pictures())
def test_every_part_of_a_picture_is_read_back(picture: tuple[bytes, int, tuple[int, int, int, int]]) -> None:
    pixels, width, (left, top, right, bottom) = picture
    rows = read_sixel(encode(pixels, width, PALETTE, (left, top, right, bottom)))
    wanted = [
        [None if (at := pixels[y * width + x]) == CLEAR else PERCENT[at] for x in range(left, right)]
        for y in range(top, bottom)
    ]
    assert rows == wanted


def test_long_runs_are_written_short() -> None:
    assert "!200~" in encode(bytes([2]) * 1200, 200, PALETTE, (0, 0, 200, 6))

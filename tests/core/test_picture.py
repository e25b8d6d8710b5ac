"""Pictures: their size, where their colours are, and what cannot be drawn."""

from __future__ import annotations

import base64
import io
import math
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from engines.core.errors import EngineError
from engines.core.picture import CLEAR, CurvesPicture, FormulaPicture, Look, draw_curves, draw_formula
from tests.core.sixel_reader import read_sixel

LOOK = Look(
    foreground="#ffffff",
    background="#101010",
    quiet="#808080",
    line="#303030",
    warning="#e69f00",
    series=("#0000ff", "#ff0000", "#00ff00"),
    cell_width=9,
    cell_height=18,
)
XS = [-4 + 8 * step / 200 for step in range(201)]


def curve(name: str, *, until: float = 9.0) -> dict[str, Any]:
    return {"name": name, "xs": XS, "ys": [math.sin(x) if x < until else None for x in XS]}


def spec(*many: dict[str, Any], look: Look = LOOK) -> CurvesPicture:
    return CurvesPicture(many, look, columns=50, lines=12, x=(-4.0, 4.0), y=(-1.0, 1.0), caption="over x")


def image_of(document: dict[str, Any]) -> Image.Image:
    return Image.open(io.BytesIO(base64.b64decode(document["png"]))).convert("RGB")


def columns_like(image: Image.Image, colour: tuple[int, int, int]) -> list[int]:
    """The columns of pixels that hold a colour, nearly."""
    data = image.load()
    assert data is not None
    near = lambda pixel: all(abs(a - b) < 40 for a, b in zip(pixel, colour, strict=True))  # noqa: E731
    return [x for x in range(image.width) if any(near(data[x, y]) for y in range(image.height))]


def test_curves_fill_their_cells(tmp_path: Path) -> None:
    document = draw_curves(spec(curve("head")), cache=tmp_path)
    image = image_of(document)
    assert image.size == (50 * 9, 12 * 18) == (document["width"], document["height"])
    assert image.getpixel((0, 0)) == (16, 16, 16)
    blue = columns_like(image, (0, 0, 255))
    assert len(blue) > 0.7 * image.width


def test_a_curve_ends_where_it_is_undefined_and_two_that_coincide_are_both_seen(tmp_path: Path) -> None:
    image = image_of(draw_curves(spec(curve("head"), curve("member", until=0.0)), cache=tmp_path))
    blue, red = columns_like(image, (0, 0, 255)), columns_like(image, (255, 0, 0))
    # Beyond the legend, red stands only in the left half of the axes.
    assert max(red) < 0.65 * image.width < 0.9 * image.width < max(blue)
    assert min(blue) < 0.3 * image.width


def test_a_value_without_neighbours_is_seen(tmp_path: Path) -> None:
    one = {"name": "n", "xs": [-1.0, -0.5, 0.0, 0.5, 1.0], "ys": [None, None, 0.5, None, None]}
    blue = columns_like(image_of(draw_curves(spec(one), cache=tmp_path)), (0, 0, 255))
    assert 1 < len(blue) < 20


def test_no_line_is_drawn_over_a_pole(tmp_path: Path) -> None:
    one = {"name": "1/x", "xs": XS, "ys": [1 / x if x else None for x in XS]}
    upright = {"name": "1/x", "xs": [-0.001, 0.001], "ys": [-1000.0, 1000.0]}
    for each in (one, upright):
        image = image_of(draw_curves(replace(spec(each), y=(-4.0, 4.0)), cache=tmp_path))
        data = image.load()
        assert data is not None
        middles = [x for x in range(image.width) if data[x, image.height // 2 - 9][2] > 200]
        assert not middles


def test_for_sixel_the_pixels_the_palette_and_the_sequence_agree(tmp_path: Path) -> None:
    document = draw_curves(spec(curve("head"), look=replace(LOOK, colours=16)), cache=tmp_path)
    pixels = zlib.decompress(base64.b64decode(document["pixels"]))
    palette, width = document["palette"], document["width"]
    assert len(palette) <= 16
    assert len(pixels) == width * document["height"]
    rows = read_sixel(document["sixel"])
    for y, row in enumerate(rows):
        for x, found in enumerate(row):
            index = pixels[y * width + x]
            wanted = None if index == CLEAR else tuple(round(part * 100 / 255) for part in palette[index])
            assert found == wanted
    # The background is the terminal's.
    assert rows[0][0] is None


def test_a_formula_takes_whole_cells(tmp_path: Path) -> None:
    small = draw_formula(FormulaPicture("x", LOOK, columns=60, lines=6), cache=tmp_path)
    large = draw_formula(FormulaPicture(r"\frac{\sin\left(x\right)}{x^{2}} + 1", LOOK, 60, 6), cache=tmp_path)
    for document in (small, large):
        assert image_of(document).size == (document["columns"] * 9, document["lines"] * 18)
    assert (small["columns"], small["lines"]) < (large["columns"], large["lines"])
    # White ink, not on the edge.
    image = image_of(large)
    ink = image.convert("L").point(lambda value: 255 if value > 100 else 0).getbbox()
    assert ink is not None
    assert 0 <= ink[0] < ink[2] <= image.width


@pytest.mark.parametrize("latex", [r"\frac{1}{", r"\nosuchcommand{x}", "x" * 400])
def test_what_cannot_be_drawn_is_refused(latex: str, tmp_path: Path) -> None:
    with pytest.raises(EngineError) as caught:
        draw_formula(FormulaPicture(latex, LOOK, columns=40, lines=4), cache=tmp_path)
    assert caught.value.code == "E201"


def test_the_formulas_of_expressions_can_be_drawn(tmp_path: Path) -> None:
    from engines.core.expression_language import ARITY, read_prefix
    from engines.mathematics.terms.notation import to_latex

    for operator, arity in ARITY.items():
        prefix = " ".join([operator, *["x", "3"][:arity]])
        document = draw_formula(FormulaPicture(to_latex(read_prefix(prefix)), LOOK, 60, 6), cache=tmp_path)
        ink = image_of(document).convert("L").point(lambda value: 255 if value > 100 else 0).getbbox()
        assert ink is not None, prefix

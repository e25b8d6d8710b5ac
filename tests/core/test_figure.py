"""Plots for papers: drawn for grey too, with their fonts inside, and the same data are the same file."""

from __future__ import annotations

import io
import re
from pathlib import Path

import numpy as np
import pytest
from lxml import etree
from PIL import Image

from engines.core.errors import EngineError
from engines.core.picture import CurvesFigure, dots_figure, write_curves_figure

CURVES = tuple(
    {"name": name, "xs": list(range(20)), "ys": [height + (at == 7) for at in range(20)]}
    for height, name in enumerate(("first", "second", "third"))
)


def test_each_curve_has_a_line_style_and_a_marker_of_its_own(tmp_path: Path) -> None:
    write_curves_figure(CurvesFigure(tmp_path / "a.svg", CURVES, "step", "loss"), cache=tmp_path / "cache")
    text = (tmp_path / "a.svg").read_text()
    root = etree.fromstring(text.encode())
    lines = [
        path.get("style")
        for path in root.iterfind(".//{*}g/{*}path")
        if "fill: none" in (path.get("style") or "") and "stroke-width: 1.1" in (path.get("style") or "")
    ]
    dashes = {re.sub(r"stroke: #\w+", "", style) for style in lines}
    assert len(dashes) >= 3
    # Text is outlines: no font of the reader's is asked for.
    assert not root.findall(".//{*}text")
    assert "font-family" not in text


def test_it_is_read_in_grey(tmp_path: Path) -> None:
    """Without colour the three styles still differ: the same curve has other pixels in each."""
    drawn = []
    for number in range(3):
        names = [
            {**CURVES[0], "name": "a"} if at == number else {**CURVES[0], "ys": [None] * 20}
            for at in range(3)
        ]
        path = tmp_path / f"{number}.png"
        write_curves_figure(CurvesFigure(path, tuple(names)), cache=tmp_path / "cache")
        image = Image.open(io.BytesIO(path.read_bytes())).convert("L")
        drawn.append(np.asarray(image) < 200)
    for one in range(3):
        for other in range(one):
            assert (drawn[one] != drawn[other]).sum() > 200


def test_a_pdf_has_its_fonts_and_no_time(tmp_path: Path) -> None:
    rows = [("CL Mean, K-means", 92.2, (91.0, 93.1), 90.5), ("seq2seq", 80.0, None, None)]
    for name in ("a.pdf", "b.pdf"):
        dots_figure(tmp_path / name, rows, "%", "paper", cache=tmp_path / "cache")
    data = (tmp_path / "a.pdf").read_bytes()
    assert data == (tmp_path / "b.pdf").read_bytes()
    assert b"/FontFile2" in data
    assert b"/Type3" not in data


def test_other_formats_are_refused(tmp_path: Path) -> None:
    with pytest.raises(EngineError) as caught:
        CurvesFigure(tmp_path / "a.gif", CURVES)
    assert caught.value.code == "E430"

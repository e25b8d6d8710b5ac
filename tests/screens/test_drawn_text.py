"""Text and curves as they are drawn: cut to fit, numbers as people read them, plain ASCII."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.segment import Segment
from textual.color import Color

from engines.core.system import format_bytes
from screens.arqmath.answer import describe_answer
from screens.shell.theme import (
    Ascii,
    elide,
    format_count,
    format_number,
    format_quantity,
    safe_text,
    text_width,
)
from screens.widgets.plot import Series, draw_curves, find_ranges
from workbench.tables import format_duration


def test_a_curve_is_drawn_where_it_is() -> None:
    xs = [float(i) for i in range(20)]
    curve = Series("x", xs, xs)
    ranges = find_ranges([curve])
    assert ranges == ((0.0, 19.0), (0.0, 19.0))
    grid = draw_curves([curve], 20, 20, ranges, ascii=True)
    assert [[which for _, which in row].index(1) for row in grid] == list(range(19, -1, -1))


def test_gaps_and_poles_are_not_joined() -> None:
    xs = [float(i) for i in range(9)]
    hole = draw_curves(
        [Series("y", xs, [0.0, 0, 0, None, None, None, 1, 1, 1])], 9, 2, ((0, 8), (0, 1)), ascii=True
    )
    assert ["".join(character for character, _ in row) for row in hole] == ["      ***", "***      "]
    poles = [1 / (x - 4.5) for x in xs]
    assert find_ranges([Series("y", xs, poles)]) is not None
    assert find_ranges([Series("y", xs, [None] * 9)]) is None


def test_two_curves_that_coincide_are_told_from_two_that_do_not() -> None:
    xs, ys = [0.0, 1.0, 2.0], [0.0, 1.0, 0.0]
    both = draw_curves([Series("a", xs, ys), Series("b", xs, ys)], 3, 3, ((0, 2), (0, 1)))
    assert {which for row in both for _, which in row} == {0, 3}
    apart = draw_curves([Series("a", xs, [1.0] * 3), Series("b", xs, [0.0] * 3)], 3, 3, ((0, 2), (0, 1)))
    assert {which for row in apart for _, which in row} == {0, 1, 2}


@given(st.text(max_size=40), st.integers(1, 30))
def test_elided_text_fits(text: str, cells: int) -> None:
    plain = safe_text(text).plain
    short = elide(plain, cells)
    assert text_width(short) <= cells
    assert short == plain if text_width(plain) <= cells else "…" in short


@pytest.mark.parametrize(
    ("made", "wanted"),
    [
        (format_count(4731), "4 731"),
        (format_count(21 * 10**15), "2.1e16"),
        (format_duration(8), "8s"),
        (format_duration(840), "14m"),
        (format_duration(11100), "3h 05m"),
        (format_duration(None), ""),
        (format_bytes(1_900 * 2**20), "1.9 GiB"),
        (format_number(41200.0), "41.2k"),
        (format_number(0.31553), "0.3155"),
        (format_number(15_625.0), "15.62k"),
        (format_number(1e30), "1e30"),
        (format_number(-2.5e13), "-2.5e13"),
        (format_number(0.000097), "9.7e-5"),
        (format_number(0.0), "0"),
        (format_quantity(1, "node"), "1 node"),
        (format_quantity(4731, "node"), "4 731 nodes"),
        (format_quantity(0, "class", "classes"), "0 classes"),
        (format_quantity(1, "class", "classes"), "1 class"),
        (
            describe_answer({"grade": 2, "own": None, "gain": 0.774}, 40).plain.splitlines()[-1].strip(),
            "gain .77",
        ),
    ],
)
def test_numbers_as_people_read_them(made: str, wanted: str) -> None:
    assert made == wanted


def test_signs_without_an_ascii_character_take_the_blank_behind_them() -> None:
    for text, plain in {
        "x ≠ 0": "x !=0",
        "1 ≤ x": "1 <=x",
        "x ≥ 2 × y": "x >=2 x y",
        "over x, ×": "over x, x",
    }.items():
        shown = Ascii().apply([Segment(text)], Color(0, 0, 0))[0].text
        assert (shown, len(shown)) == (plain, len(text))


def test_every_sign_of_the_screens_has_an_ascii_form() -> None:
    """Read off the texts in the sources; `\U0010eeee` places a picture and is never shown as a letter."""
    signs = set("αβγδεθλμπστφωΓΔΣΩ±∓×÷∞∈∂∇∫∑∏√∀∃∅∩∪∧∨¬⇒⇔≤≥≠≈≡⊂⊆⊇→←↦")
    for path in Path("screens").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                signs.update(node.value)
    for sign in signs - {"\U0010eeee", "?"}:
        if not sign.isascii() and text_width(sign):
            shown = Ascii().apply([Segment(sign)], Color(0, 0, 0))[0].text
            assert shown.isascii(), sign
            assert "?" not in shown, f"{sign} {ord(sign):x}"
            assert len(shown) == text_width(sign)

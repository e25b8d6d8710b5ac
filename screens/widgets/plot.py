"""Plots: curves drawn with braille dots."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from screens.shell.theme import DOTS, elide, safe_text
from screens.shell.theme import number as measure

_COLOURS = ("$accent", "$series-2", "$series-3", "$series-4", "$series-5", "$series-6")
_GLYPHS = "●■▲◆○□"
_LETTERS = "*o+x%@"
_SEVERAL = "#"

MOST_SERIES = len(_COLOURS)
"""More curves than that cannot be told apart."""

_GLYPH_EVERY = 12
"""A curve's glyph stands on it once in so many cells, so that it is known without colour too."""


@dataclass(frozen=True, slots=True)
class Series:
    """A curve: `ys` is None where it is undefined; a gap is left there. `sign` is its own for good,
    else it goes by its place among the others."""

    name: str
    xs: Sequence[float]
    ys: Sequence[float | None]
    sign: int | None = None


def sign(number: int, *, plain: bool = False) -> tuple[str, str]:
    """Glyph (a letter when `plain`) and colour of a number; 36 in a row have signs of their own, and any
    six in a row differ in both."""
    glyphs = _LETTERS if plain else _GLYPHS
    count = len(_COLOURS)
    return glyphs[(number + number // count) % count], _COLOURS[number % count]


Range = tuple[float, float]


def span(series: Sequence[Series]) -> tuple[Range, Range] | None:
    """The ranges of x and y to draw; poles do not flatten the rest. None when nothing is defined."""
    xs = [x for one in series for x in one.xs]
    ys = sorted(y for one in series for y in one.ys if y is not None and math.isfinite(y))
    if not ys:
        return None
    low, high = ys[0], ys[-1]
    if len(ys) >= 20:
        inner_low, inner_high = ys[len(ys) // 20], ys[-1 - len(ys) // 20]
        reach = 3 * (inner_high - inner_low) or 1.0
        low, high = max(low, inner_low - reach), min(high, inner_high + reach)
    if low == high:
        low, high = low - 0.5, high + 0.5
    x_low, x_high = min(xs), max(xs)
    return (x_low, x_high if x_high > x_low else x_low + 1), (low, high)


def _line(x0: int, y0: int, x1: int, y1: int) -> Iterator[tuple[int, int]]:
    steps = max(abs(x1 - x0), abs(y1 - y0), 1)
    for step in range(steps + 1):
        yield round(x0 + (x1 - x0) * step / steps), round(y0 + (y1 - y0) * step / steps)


def draw(
    series: Sequence[Series],
    cells: int,
    lines: int,
    ranges: tuple[Range, Range],
    *,
    ascii: bool = False,
    glyphs: bool = False,
) -> list[list[tuple[str, int]]]:
    """Draw at most `MOST_SERIES` curves; with `glyphs` each has its own sign on it here and there.

    Returns: lines of cells, each a character and which curves are in it: 0 none, and 1, 2, 4, … added up.
    """
    signs = _signs(series, plain=ascii)
    across, down = (1, 1) if ascii else (2, 4)
    series = series[:MOST_SERIES]
    dots = [[[0] * len(series) for _ in range(cells)] for _ in range(lines)]
    (x_low, x_high), (y_low, y_high) = ranges
    wide, high = cells * across - 1, lines * down - 1
    for number, one in enumerate(series):
        before: tuple[int, int] | None = None
        # From where to where the column of the last point is drawn already.
        top = bottom = 0
        for x, y in zip(one.xs, one.ys, strict=True):
            if y is None or not math.isfinite(y):
                before = None
                continue
            column = round((x - x_low) / (x_high - x_low) * wide)
            row = round((y_high - y) / (y_high - y_low) * high)
            inside = 0 <= row <= high
            # A jump over the whole height is a pole, not a slope.
            joined = before is not None and abs(row - before[1]) < high
            path: Iterable[tuple[int, int]] = ((column, row),)
            if joined and before and column == before[0]:
                # A long curve has many points in a column; only what they add to it is drawn.
                rows = range(row, top) if row < top else range(bottom + 1, row + 1)
                path = ((column, each) for each in rows)
                top, bottom = min(top, row), max(bottom, row)
            else:
                if joined and before:
                    path = _line(*before, column, row)
                top = bottom = row
            for dot_x, dot_y in path:
                if 0 <= dot_y <= high and 0 <= dot_x <= wide:
                    cell = dots[dot_y // down][dot_x // across]
                    cell[number] |= 1 if ascii else DOTS[dot_y % 4][dot_x % 2]
            before = (column, row) if inside or before is None or joined else None
    grid = [[_cell(bits, [letter for letter, _ in signs] if ascii else ()) for bits in row] for row in dots]
    if glyphs and not ascii:
        _put_glyphs(grid, dots, signs)
    return grid


def _signs(series: Sequence[Series], *, plain: bool) -> list[tuple[str, str]]:
    return [
        sign(number if one.sign is None else one.sign, plain=plain)
        for number, one in enumerate(series[:MOST_SERIES])
    ]


def _cell(bits: list[int], letters: Sequence[str]) -> tuple[str, int]:
    which = sum(1 << number for number, dots in enumerate(bits) if dots)
    if not which:
        return " ", 0
    if letters:
        return (_SEVERAL if which & (which - 1) else letters[which.bit_length() - 1]), which
    dots = 0
    for each in bits:
        dots |= each
    return chr(0x2800 | dots), which


def _put_glyphs(
    grid: list[list[tuple[str, int]]], dots: list[list[list[int]]], signs: Sequence[tuple[str, str]]
) -> None:
    """Each curve's glyph on it, at columns of its own."""
    count, cells = len(dots[0][0]), len(grid[0])
    for number in range(count):
        for column in range(2 + number * _GLYPH_EVERY // count, cells, _GLYPH_EVERY):
            line = next((line for line, row in enumerate(dots) if row[column][number]), None)
            if line is not None:
                grid[line][column] = (signs[number][0], 1 << number)


class Plot(Widget):
    """A few curves with their ranges.

    Set `series`; `gaps` marks stretches of the x axis (where something is undefined), `caption` stands under
    it in the middle, `short_caption` where that has no room, in a line of its own if it has none either,
    `empty` while there is nothing to draw. With `legend` the names of several curves stand above them, each
    with the glyph that is also on the curve.
    """

    DEFAULT_CSS = "Plot { height: 1fr; min-height: 4; }"

    series: reactive[tuple[Series, ...]] = reactive(())
    gaps: reactive[tuple[Range, ...]] = reactive(())
    caption: reactive[str] = reactive("")
    empty: reactive[str] = reactive("nothing to draw yet")
    legend: reactive[bool] = reactive(False)
    short_caption: reactive[str] = reactive("")

    def render(self) -> Content:
        ranges = span(self.series)
        named = self.legend and len(self.series) > 1
        cells, lines = self.size.width, self.size.height - 2 - named
        if ranges is None or lines < 1 or cells < 12:
            return Content.styled(self.empty, "$quiet")
        (x_low, x_high), (y_low, y_high) = ranges
        labels = [measure(y_high), measure(y_low)]
        margin = max(map(len, labels))
        inner = cells - margin - 1
        left, right = measure(x_low), measure(x_high)
        room = inner - len(left) - len(right)
        fitting = [words for words in (self.caption, self.short_caption) if len(words) + 2 <= room]
        below = "" if fitting or lines < 2 else self.short_caption
        lines -= bool(below)
        plain = bool(getattr(self.app, "ascii", False))
        colours = [colour for _, colour in _signs(self.series, plain=plain)]
        rows = [self._legend(cells, plain)] if named else []
        for index, row in enumerate(draw(self.series, inner, lines, ranges, ascii=plain, glyphs=named)):
            label = labels[0] if index == 0 else labels[1] if index == lines - 1 else ""
            parts: list[Content | str] = [Content.styled(f"{label:>{margin}}│", "$quiet")]
            for which, cells_alike in groupby(row, key=lambda cell: cell[1]):
                parts.append(_coloured("".join(character for character, _ in cells_alike), which, colours))
            rows.append(Content("").join(parts))
        rows.append(Content(" " * margin) + self._axis(inner, x_low, x_high))
        middle = fitting[0] if fitting else ""
        rows.append(Content.styled(" " * (margin + 1) + left + middle.center(room) + right, "$quiet"))
        rows += [Content.styled(elide(below, cells), "$quiet")] if below else []
        return Content("\n").join(rows)

    def _legend(self, cells: int, plain: bool) -> Content:
        shown = self.series[:MOST_SERIES]
        more = f" +{len(self.series) - len(shown)}" if len(self.series) > len(shown) else ""
        room = max(3, (cells - len(more)) // len(shown) - 4)
        parts: list[Content | str] = []
        for one, (glyph, colour) in zip(shown, _signs(shown, plain=plain), strict=True):
            parts += [Content.styled(f"{glyph} ", colour), safe_text(elide(one.name, room)), "  "]
        return Content.assemble(*parts, (more, "$quiet"))

    def _axis(self, cells: int, low: float, high: float) -> Content:
        middles = (low + (high - low) * (cell + 0.5) / cells for cell in range(cells))
        missing = (any(start <= x <= end for start, end in self.gaps) for x in middles)
        parts = [Content.styled("└", "$quiet")]
        for gap, alike in groupby(missing):
            count = len(list(alike))
            parts.append(
                Content.styled("×" * count, "$warning") if gap else Content.styled("─" * count, "$quiet")
            )
        return Content("").join(parts)


def _coloured(text: str, which: int, colours: Sequence[str]) -> Content:
    if which == 0:
        return Content(text)
    single = not which & (which - 1)
    return Content.styled(text, colours[which.bit_length() - 1] if single else "$foreground bold")

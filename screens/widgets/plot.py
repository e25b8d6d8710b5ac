"""Curves drawn with braille dots, or with letters where the terminal has no braille."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

__all__ = ["Plot", "Series", "draw"]

_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
_COLOURS = ("$accent", "$series-2")
_LETTERS = {1: "*", 2: "o", 3: "#"}


@dataclass(frozen=True, slots=True)
class Series:
    """A curve: `ys` is None where it is undefined; a gap is left there."""

    name: str
    xs: Sequence[float]
    ys: Sequence[float | None]


Range = tuple[float, float]


def _usable(value: float | None) -> bool:
    return value is not None and math.isfinite(value)


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
    series: Sequence[Series], cells: int, lines: int, ranges: tuple[Range, Range], *, ascii: bool = False
) -> list[list[tuple[str, int]]]:
    """Draw at most two curves.

    Returns: lines of cells, each a character and which curves are in it (0 none, 1, 2, 3 both).
    """
    across, down = (1, 1) if ascii else (2, 4)
    dots: list[list[list[int]]] = [[[0, 0] for _ in range(cells)] for _ in range(lines)]
    (x_low, x_high), (y_low, y_high) = ranges
    wide, high = cells * across - 1, lines * down - 1
    for number, one in enumerate(series[:2]):
        before: tuple[int, int] | None = None
        for x, y in zip(one.xs, one.ys, strict=True):
            if y is None or not math.isfinite(y):
                before = None
                continue
            column = round((x - x_low) / (x_high - x_low) * wide)
            row = round((y_high - y) / (y_high - y_low) * high)
            inside = 0 <= row <= high
            # A jump over the whole height is a pole, not a slope.
            joined = before is not None and abs(row - before[1]) < high
            path = _line(*before, column, row) if joined and before else iter([(column, row)])
            for dot_x, dot_y in path:
                if 0 <= dot_y <= high and 0 <= dot_x <= wide:
                    cell = dots[dot_y // down][dot_x // across]
                    cell[number] |= 1 if ascii else _DOTS[dot_y % 4][dot_x % 2]
            before = (column, row) if inside or before is None or joined else None
    return [[_cell(bits, ascii) for bits in row] for row in dots]


def _cell(bits: list[int], ascii: bool) -> tuple[str, int]:
    which = (1 if bits[0] else 0) | (2 if bits[1] else 0)
    if not which:
        return " ", 0
    return (_LETTERS[which] if ascii else chr(0x2800 | bits[0] | bits[1])), which


class Plot(Widget):
    """Up to two curves with their ranges.

    Set `series`; `gaps` marks stretches of the x axis (where something is undefined), `caption` stands under
    it in the middle, `empty` while there is nothing to draw.
    """

    DEFAULT_CSS = "Plot { height: 1fr; min-height: 4; }"

    series: reactive[tuple[Series, ...]] = reactive(())
    gaps: reactive[tuple[Range, ...]] = reactive(())
    caption: reactive[str] = reactive("")
    empty: reactive[str] = reactive("nothing to draw yet")

    def render(self) -> Content:
        """The drawing with its axes."""
        ranges = span(self.series)
        cells, lines = self.size.width, self.size.height - 2
        if ranges is None or lines < 1 or cells < 12:
            return Content.styled(self.empty, "$quiet")
        (x_low, x_high), (y_low, y_high) = ranges
        labels = [f"{y_high:.3g}", f"{y_low:.3g}"]
        margin = max(map(len, labels))
        inner = cells - margin - 1
        plain = bool(getattr(self.app, "ascii", False))
        rows = []
        for number, row in enumerate(draw(self.series, inner, lines, ranges, ascii=plain)):
            label = labels[0] if number == 0 else labels[1] if number == lines - 1 else ""
            parts: list[Content | str] = [Content.styled(f"{label:>{margin}}│", "$quiet")]
            parts += [_coloured(character, which) for character, which in row]
            rows.append(Content("").join(parts))
        rows.append(Content(" " * margin) + self._axis(inner, x_low, x_high))
        left, right = f"{x_low:.4g}", f"{x_high:.4g}"
        room = inner - len(left) - len(right)
        middle = self.caption if len(self.caption) + 2 <= room else ""
        rows.append(Content.styled(" " * (margin + 1) + left + middle.center(room) + right, "$quiet"))
        return Content("\n").join(rows)

    def _axis(self, cells: int, low: float, high: float) -> Content:
        parts: list[Content | str] = [Content.styled("└", "$quiet")]
        for cell in range(cells):
            x = low + (high - low) * (cell + 0.5) / cells
            missing = any(start <= x <= end for start, end in self.gaps)
            parts.append(Content.styled("×", "$warning") if missing else Content.styled("─", "$quiet"))
        return Content("").join(parts)


def _coloured(character: str, which: int) -> Content:
    if which == 0:
        return Content(character)
    return Content.styled(character, "$foreground bold" if which == 3 else _COLOURS[which - 1])

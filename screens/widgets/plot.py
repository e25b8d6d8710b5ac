"""Plots: curves drawn with braille dots, and as pixels where the terminal has them."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, cast

from rich.style import Style
from textual import events
from textual.color import Color
from textual.content import Content
from textual.reactive import reactive
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from screens.shell import terminal as kitty
from screens.shell.export import Export, engine_writer
from screens.shell.request import CachedRequest, RequestAnswer
from screens.shell.terminal import NONE, Graphics, Sixel
from screens.shell.theme import DOTS, elide, safe_text
from screens.shell.theme import format_number as measure

if TYPE_CHECKING:
    from screens.shell.frame import AppFrame


_COLOURS = ("$accent", "$series-2", "$series-3", "$series-4", "$series-5", "$series-6")
# Glyphs of the series, and the letters that replace them in ASCII.
_GLYPHS = "●■▲◆○□"
_LETTERS = "*o+x%@"
_SEVERAL = "#"

MOST_SERIES = len(_COLOURS)
"""More curves than that cannot be told apart."""

_GLYPH_EVERY = 12
"""A curve's glyph stands on it once in so many cells, so that it is known without colour too."""


@dataclass(frozen=True, slots=True)
class Series:
    """A curve; a y of None leaves a gap.

    `sign` fixes the curve's sign and colour; without it they follow from its position among the others.
    """

    name: str
    xs: Sequence[float]
    ys: Sequence[float | None]
    sign: int | None = None


def series_sign(number: int, *, plain: bool = False) -> tuple[str, str]:
    """Return the glyph (a letter when `plain`) and the colour of a number.

    36 consecutive numbers have different signs, and any six differ in both glyph and colour.
    """
    glyphs = _LETTERS if plain else _GLYPHS
    count = len(_COLOURS)
    return glyphs[(number + number // count) % count], _COLOURS[number % count]


Range = tuple[float, float]


def find_ranges(series: Sequence[Series]) -> tuple[Range, Range] | None:
    """Return the ranges of x and y to draw, or None when nothing is defined.

    The range of y leaves poles out, so that they do not flatten the rest.
    """
    xs = [x for one in series for x in one.xs]
    ys = sorted(y for one in series for y in one.ys if y is not None and math.isfinite(y))
    if not ys:
        return None
    low, high = ys[0], ys[-1]
    # The outer twentieths may be poles. What is farther than three times the inner range is cut off.
    if len(ys) >= 20:
        inner_low, inner_high = ys[len(ys) // 20], ys[-1 - len(ys) // 20]
        reach = 3 * (inner_high - inner_low) or 1.0
        low, high = max(low, inner_low - reach), min(high, inner_high + reach)
    # A constant would have a range of height 0.
    if low == high:
        low, high = low - 0.5, high + 0.5
    x_low, x_high = min(xs), max(xs)
    return (x_low, x_high if x_high > x_low else x_low + 1), (low, high)


def _line_points(x0: int, y0: int, x1: int, y1: int) -> Iterator[tuple[int, int]]:
    # As many steps as the longer side, so that the line has no holes.
    steps = max(abs(x1 - x0), abs(y1 - y0), 1)
    for step in range(steps + 1):
        yield round(x0 + (x1 - x0) * step / steps), round(y0 + (y1 - y0) * step / steps)


def draw_curves(
    series: Sequence[Series],
    cells: int,
    lines: int,
    ranges: tuple[Range, Range],
    *,
    ascii: bool = False,
    glyphs: bool = False,
) -> list[list[tuple[str, int]]]:
    """Draw at most `MOST_SERIES` curves in braille cells; with `glyphs` each also bears its own sign.

    Returns:
        Lines of cells; each is a character and the curves in it: 0 for none, otherwise 1, 2, 4, … added up.
    """
    signs = _series_signs(series, plain=ascii)
    # A braille cell has 2 × 4 dots; in ASCII the cell itself is the dot.
    across, down = (1, 1) if ascii else (2, 4)
    series = series[:MOST_SERIES]
    # Bits of the dots by line, cell and curve: each curve keeps its own, because colours are chosen later.
    dots = [[[0] * len(series) for _ in range(cells)] for _ in range(lines)]
    (x_low, x_high), (y_low, y_high) = ranges
    wide, high = cells * across - 1, lines * down - 1
    for number, one in enumerate(series):
        before: tuple[int, int] | None = None
        # From where to where the column of the last point is drawn already.
        top = bottom = 0
        # Draw one curve from point to point.
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
                path = ((column, row) for row in rows)
                top, bottom = min(top, row), max(bottom, row)
            else:
                if joined and before:
                    path = _line_points(*before, column, row)
                top = bottom = row
            for dot_x, dot_y in path:
                if 0 <= dot_y <= high and 0 <= dot_x <= wide:
                    cell = dots[dot_y // down][dot_x // across]
                    cell[number] |= 1 if ascii else DOTS[dot_y % 4][dot_x % 2]
            before = (column, row) if inside or before is None or joined else None
    # Turn the dots into characters, with the curves that are in each cell.
    grid = [
        [_braille_cell(bits, [letter for letter, _ in signs] if ascii else ()) for bits in row]
        for row in dots
    ]
    if glyphs and not ascii:
        _put_glyphs(grid, dots, signs)
    return grid


def _series_signs(series: Sequence[Series], *, plain: bool) -> list[tuple[str, str]]:
    return [
        series_sign(number if one.sign is None else one.sign, plain=plain)
        for number, one in enumerate(series[:MOST_SERIES])
    ]


def _braille_cell(bits: list[int], letters: Sequence[str]) -> tuple[str, int]:
    which = sum(1 << number for number, dots in enumerate(bits) if dots)
    if not which:
        return " ", 0
    if letters:
        # A power of two stands for one curve alone.
        return (_SEVERAL if which & (which - 1) else letters[which.bit_length() - 1]), which
    dots = 0
    for bit in bits:
        dots |= bit
    return chr(0x2800 | dots), which


def _put_glyphs(
    grid: list[list[tuple[str, int]]], dots: list[list[list[int]]], signs: Sequence[tuple[str, str]]
) -> None:
    count, cells = len(dots[0][0]), len(grid[0])
    for number in range(count):
        # Shifted by curve, so that glyphs of curves that coincide do not cover each other.
        for column in range(2 + number * _GLYPH_EVERY // count, cells, _GLYPH_EVERY):
            line = next((line for line, row in enumerate(dots) if row[column][number]), None)
            if line is not None:
                grid[line][column] = (signs[number][0], 1 << number)


class PlotWidget(Widget):
    """A plot of a few curves with their ranges.

    Set `series` to draw. `gaps` marks stretches of the x axis where something is undefined. `caption` stands
    below in the middle; without room for it, `short_caption` does, if necessary in a line of its own.
    `empty` is shown while there is nothing to draw. With `legend` the names of several curves stand above
    them, each with the glyph on its curve.
    """

    DEFAULT_CSS = "PlotWidget { height: 1fr; min-height: 4; }"

    series: reactive[tuple[Series, ...]] = reactive(())
    gaps: reactive[tuple[Range, ...]] = reactive(())
    caption: reactive[str] = reactive("")
    empty: reactive[str] = reactive("nothing to draw yet")
    legend: reactive[bool] = reactive(False)
    short_caption: reactive[str] = reactive("")

    def render(self) -> Content:
        ranges = find_ranges(self.series)
        named = self.legend and len(self.series) > 1
        # Two lines for the axis and its labels, and one for the legend.
        cells, lines = self.size.width, self.size.height - 2 - named
        if ranges is None or lines < 1 or cells < 12:
            return Content.styled(self.empty, "$quiet")
        (x_low, x_high), (y_low, y_high) = ranges
        # As fine as the drawing: 1 and 0 for the sine that was looked at where it is 0.9994 and 0.0003.
        step = 10.0 ** math.floor(math.log10((y_high - y_low) / 100))
        labels = [measure(round(y / step) * step) for y in (y_high, y_low)]
        # The widest label decides where the axis stands.
        margin = max(map(len, labels))
        inner = cells - margin - 1
        left, right = measure(x_low), measure(x_high)
        room = inner - len(left) - len(right)
        # The longest caption that fits between the ends of the axis; else one below it, in a line of its own.
        fitting = [words for words in (self.caption, self.short_caption) if len(words) + 2 <= room]
        below = "" if fitting or lines < 2 else self.short_caption
        lines -= bool(below)
        plain = bool(getattr(self.app, "ascii", False))
        colours = [colour for _, colour in _series_signs(self.series, plain=plain)]
        rows = [self._legend_line(cells, plain)] if named else []
        # The plot itself, line by line, with the labels at its first and last line.
        for index, row in enumerate(
            draw_curves(self.series, inner, lines, ranges, ascii=plain, glyphs=named)
        ):
            label = labels[0] if index == 0 else labels[1] if index == lines - 1 else ""
            parts: list[Content | str] = [Content.styled(f"{label:>{margin}}│", "$quiet")]
            # Neighbouring cells with the same curves are one piece of text.
            for which, cells_alike in groupby(row, key=lambda cell: cell[1]):
                parts.append(
                    _colour_letters("".join(character for character, _ in cells_alike), which, colours)
                )
            rows.append(Content("").join(parts))
        rows.append(Content(" " * margin) + self._axis_line(inner, x_low, x_high))
        middle = fitting[0] if fitting else ""
        rows.append(Content.styled(" " * (margin + 1) + left + middle.center(room) + right, "$quiet"))
        rows += [Content.styled(elide(below, cells), "$quiet")] if below else []
        return Content("\n").join(rows)

    def _legend_line(self, cells: int, plain: bool) -> Content:
        shown = self.series[:MOST_SERIES]
        more = f" +{len(self.series) - len(shown)}" if len(self.series) > len(shown) else ""
        room = max(3, (cells - len(more)) // len(shown) - 4)
        parts: list[Content | str] = []
        for one, (glyph, colour) in zip(shown, _series_signs(shown, plain=plain), strict=True):
            parts += [Content.styled(f"{glyph} ", colour), safe_text(elide(one.name, room)), "  "]
        return Content.assemble(*parts, (more, "$quiet"))

    def _axis_line(self, cells: int, low: float, high: float) -> Content:
        # A cell stands for the stretch of x around its middle.
        half = (high - low) * 0.5 / cells
        middles = (low + half * (2 * cell + 1) for cell in range(cells))
        # A gap narrower than a cell is in the cell of its middle.
        missing = (
            any(start <= x <= end or abs((start + end) / 2 - x) <= half for start, end in self.gaps)
            for x in middles
        )
        parts = [Content.styled("└", "$quiet")]
        for gap, alike in groupby(missing):
            count = len(list(alike))
            parts.append(
                Content.styled("×" * count, "$warning") if gap else Content.styled("─" * count, "$quiet")
            )
        return Content("").join(parts)


def _colour_letters(text: str, which: int, colours: Sequence[str]) -> Content:
    if which == 0:
        return Content(text)
    single = not which & (which - 1)
    return Content.styled(text, colours[which.bit_length() - 1] if single else "$foreground bold")


_PAUSE_S = 0.1
"""A picture is asked for when nothing has changed for so long,"""
_BETWEEN_S = 0.5
"""and at most so often, since a curve that grows changes all the time."""
_STALE_S = 1.5
"""A picture of what was is shown for so long while the next one is drawn."""


class _Shown:
    def __init__(self, owner: Pictured, document: Mapping[str, Any], graphics: Graphics) -> None:
        self.columns, self.lines = int(document["columns"]), int(document["lines"])
        self._owner = owner
        self._kitty = graphics.protocol == "kitty"
        # kitty: the picture is sent now, and the cells refer to it by its number.
        if self._kitty:
            self.number = kitty.fresh_number()
            self._write_sequence(
                kitty.transmission_sequence(self.number, document["png"], self.columns, self.lines)
            )
        else:
            self.number = owner.frame.sixels.add_picture(Sixel(owner, document))

    def picture_row(self, line: int, style: Style) -> Strip:
        """Return a line of cells that show one row of the picture."""
        if self._kitty:
            from rich.segment import Segment

            named = style + Style(color=kitty.number_to_colour(self.number))
            return Strip([Segment(kitty.placeholder_text(line, self.columns), named)], self.columns)
        return kitty.picture_strip(self.number, self.columns, style)

    def remove_picture(self) -> None:
        """Remove the picture from the terminal."""
        if self._kitty:
            self._write_sequence(kitty.removal_sequence(self.number))
        else:
            self._owner.frame.sixels.remove_picture(self.number)

    def _write_sequence(self, sequence: str) -> None:
        driver = self._owner.app._driver
        if driver is not None:
            driver.write(sequence)


class Pictured(Widget):
    """A widget that is drawn with characters, and with a picture once the engine has made one.

    Call `renew_picture` when the content changes. A subclass names the `operation` that draws it, and returns
    its parameters from `picture_question`. There is no picture while a dialog covers the screen, because only
    text can be dimmed.
    """

    operation = ""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._shown: _Shown | None = None
        self._asked: Mapping[str, Any] | None = None
        self._asked_at = 0.0
        self._room: tuple[int, ...] = ()
        self._pause: Timer | None = None
        self._stale: Timer | None = None
        self._request: CachedRequest | None = None

    # For subclasses to give

    def picture_question(self) -> Mapping[str, Any] | None:
        """Return the operation's parameters without `look`, or None when there is nothing to draw."""
        raise NotImplementedError

    def picture_room(self) -> tuple[int, ...]:
        """Return the cells on which the size of the picture depends."""
        return self.size

    def fit_picture(self, document: Mapping[str, Any] | None) -> None:
        """Adapt to a new picture, or to None when the picture goes away."""

    # The picture

    @property
    def frame(self) -> AppFrame:
        """Return the application, with its type."""
        return cast("AppFrame", self.app)

    @property
    def graphics(self) -> Graphics:
        """Return the graphics that the terminal can show."""
        return getattr(self.app, "graphics", NONE)

    @property
    def picture_shown(self) -> bool:
        """Return whether the picture is drawn and fits in the widget."""
        # The picture stays in memory while a dialog is open, but is not drawn.
        if (shown := self._shown) is None or self.screen is not self.app.screen:
            return False
        # After a resize the picture may be larger than its widget, until the next one is there.
        return shown.columns <= self.size.width and shown.lines <= self.size.height

    def on_mount(self) -> None:
        # A picture's number is a colour: kitty needs all of them.
        coloured = self.graphics.protocol != "kitty" or self.app.console.color_system == "truecolor"
        if self.graphics.protocol == "none" or not coloured:
            return
        self._request = CachedRequest(self, self.operation, self._receive_picture)
        self.app.screen_change_signal.subscribe(self, lambda _: self.refresh() if self._shown else None)
        # What ran meanwhile may have cleared the terminal's pictures.
        self.app.app_resume_signal.subscribe(self, lambda _: self._draw_again())
        self.app.theme_changed_signal.subscribe(self, lambda _: self._draw_again())

    def on_unmount(self) -> None:
        self._drop_picture()

    def on_resize(self, event: events.Resize) -> None:  # noqa: ARG002  # its size is the widget's by now
        if self._request is None:
            return
        self.graphics.measure_cell()
        # The size of a cell counts too: another font makes another picture.
        room = (*self.picture_room(), *self.graphics.cell)
        if room != self._room:
            self._room = room
            self._draw_again()

    def _draw_again(self) -> None:
        self._drop_picture()
        self.renew_picture()

    def renew_picture(self) -> None:
        """Ask for a new picture, because the content changed; the last one stays for a moment."""
        if self._request is None:
            return
        if self._pause is not None:
            self._pause.stop()
        if self._shown is not None and self._stale is None:
            self._stale = self.set_timer(_STALE_S, self._drop_picture)
        # Wait for a pause in the changes, and for the time since the last question.
        wait = max(_PAUSE_S, self._asked_at + _BETWEEN_S - time.monotonic())
        self._pause = self.set_timer(wait, self._ask_picture)

    def _ask_picture(self) -> None:
        assert self._request is not None
        question = self.picture_question() if all(self.picture_room()) else None
        # The question that is answered is compared by identity with this one.
        self._asked = question
        if question is None:
            self._request.forget_waiting()
            self._drop_picture()
            return
        self._asked_at = time.monotonic()
        self._request.ask({**question, "look": self._describe_look()}, question)

    def _receive_picture(self, event: RequestAnswer) -> None:
        # The answer to an older question.
        if event.tag is not self._asked:
            return
        if event.error is not None:
            # It stays with the drawing, which says the same.
            self._drop_picture()
            return
        # The new picture is on the screen before the old one is removed, so that nothing flickers.
        before, self._shown = self._shown, _Shown(self, event.value, self.graphics)
        self._stop_stale_timer()
        self.fit_picture(event.value)
        self.refresh()
        if before is not None:
            # Its cells are still on the screen until the next update.
            self.call_after_refresh(before.remove_picture)

    def _stop_stale_timer(self) -> None:
        if self._stale is not None:
            self._stale.stop()
            self._stale = None

    def _drop_picture(self) -> None:
        self._stop_stale_timer()
        shown, self._shown = self._shown, None
        if shown is not None:
            shown.remove_picture()
            if self.is_attached:
                self.fit_picture(None)
                self.refresh()

    def _describe_look(self) -> dict[str, Any]:
        def theme_colour(name: str) -> str:
            return Color.parse(self.app.theme_variables[name]).hex6

        width, height = self.graphics.cell
        names = ("accent", *(f"series-{number}" for number in range(2, MOST_SERIES + 1)))
        return {
            "foreground": theme_colour("foreground"),
            "background": self.background_colors[1].hex6,
            "quiet": theme_colour("quiet"),
            "line": theme_colour("line"),
            "warning": theme_colour("warning"),
            "series": [theme_colour(name) for name in names],
            "cell_width": width,
            "cell_height": height,
            # Only sixel has a limited number of colours.
            "colours": self.graphics.colours if self.graphics.protocol == "sixel" else 0,
        }

    def render_line(self, y: int) -> Strip:
        shown = self._shown
        if shown is None or not self.picture_shown:
            return super().render_line(y)
        style = self.rich_style
        # Below the picture the widget is blank.
        if y >= shown.lines:
            return Strip.blank(self.size.width, style)
        return shown.picture_row(y, style).adjust_cell_length(self.size.width, style)


class PicturePlot(PlotWidget, Pictured):
    """A plot that is also drawn as a picture where the terminal can show one."""

    operation = "picture.curves"

    def watch_series(self) -> None:
        if not self.series:
            self._drop_picture()
        self.renew_picture()

    watch_gaps = watch_caption = watch_series

    def list_exports(self, stem: str, x: str, y: str, facts: Mapping[str, object]) -> list[Export]:
        """Return the exports of the curves as a picture; `x` and `y` name the axes."""
        curves = [{"name": one.name, "xs": list(one.xs), "ys": list(one.ys)} for one in self.series]
        if not curves:
            return []
        write = engine_writer(self.frame.engine, "picture.figure", {"curves": curves, "x": x, "y": y}, facts)
        ways = (("V", ".svg"), ("P", ".png"), ("F", ".pdf"))
        return [
            Export(key, f"curves as {suffix[1:].upper()} for a paper", suffix, stem, write)
            for key, suffix in ways
        ]

    def picture_question(self) -> Mapping[str, Any] | None:
        ranges = find_ranges(self.series)
        columns, lines = self.size
        # Smaller ones are better drawn with characters, and kitty has no marks for larger ones.
        if ranges is None or columns < 16 or lines < 5 or max(columns, lines) > kitty.MOST_CELLS:
            return None
        most = columns * self.graphics.cell[0]
        return {
            "curves": [_thin_curve(one, most) for one in self.series[:MOST_SERIES]],
            "columns": columns,
            "lines": lines,
            "x": list(ranges[0]),
            "y": list(ranges[1]),
            "gaps": [{"low": low, "high": high} for low, high in self.gaps],
            "caption": self.caption.replace("× ", "shaded: "),
            "markers": self.legend,
        }


def _thin_curve(one: Series, most: int) -> dict[str, Any]:
    """Return a curve with about `most` points at most: of each stretch the least and the largest value."""
    xs, ys = list(one.xs), list(one.ys)
    # Two points for each stretch, so a stretch has twice as many values as there are points; rounded up.
    step = -(-2 * len(xs) // max(2, most))
    if step > 2:
        chosen: list[int] = []
        for start in range(0, len(xs), step):
            stretch = range(start, min(start + step, len(xs)))
            known = [(y, at) for at in stretch if (y := ys[at]) is not None]
            # The extremes keep every spike; a gap stays a gap.
            ends = {min(known)[1], max(known)[1]} if known else {start}
            gap = [at for at in stretch if ys[at] is None][:1]
            chosen += sorted({*ends, *gap})
        xs, ys = [xs[at] for at in chosen], [ys[at] for at in chosen]
    return {"name": one.name, "xs": xs, "ys": ys}


class FormulaImage(Pictured):
    """A formula as printed; it takes no room where the terminal cannot draw it."""

    DEFAULT_CSS = "FormulaImage { height: 0; padding: 0 1; }"

    operation = "picture.formula"
    MOST_LINES = 6

    def __init__(self) -> None:
        super().__init__()
        self._latex = self._text = ""

    def show_formula(self, latex: str, text: str) -> None:
        """Show a formula; `text` stands in its place while a dialog covers it."""
        self._latex, self._text = latex, text
        # The last formula must not be seen next to another expression.
        self._drop_picture()
        self.renew_picture()

    def picture_question(self) -> Mapping[str, Any] | None:
        columns = min(self.size.width, kitty.MOST_CELLS)
        question = {"latex": self._latex, "columns": columns, "lines": self.MOST_LINES}
        return question if self._latex else None

    def picture_room(self) -> tuple[int, ...]:
        """Return its width: its height is the picture's."""
        return (self.size.width,)

    def fit_picture(self, document: Mapping[str, Any] | None) -> None:
        # A line of space below it.
        self.styles.height = document["lines"] + 1 if document is not None else 0

    def render(self) -> Content:
        return safe_text(self._text)

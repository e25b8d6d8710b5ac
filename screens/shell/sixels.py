"""Sixel pictures over the cells of widgets.

The cells of a picture are spaces that carry its number (see `cells`). Whatever of them an update writes to
the terminal is painted over again, in as few rectangles as there are, and no more than that: what covers a
picture stays, and what goes away takes its pixels with it, since text written over pixels removes them.
"""

from __future__ import annotations

import base64
import itertools
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
from textual.strip import Strip
from textual.widget import Widget

from engines.core.sixel import encode

__all__ = ["Sixel", "Sixels", "cells", "painted"]

_META = "sixel"

Rectangle = tuple[int, int, int, int]
"""Left, top, right, bottom, the last two exclusive."""


class Sixel:
    """A picture of so many cells, as the engine gives it (`engines.core.picture`), and its widget."""

    def __init__(self, widget: Widget, document: Mapping[str, Any]) -> None:
        self.widget = widget
        self.columns, self.lines = int(document["columns"]), int(document["lines"])
        self._width, self._height = int(document["width"]), int(document["height"])
        self._palette = document["palette"]
        self._packed: str = document["pixels"]
        self._whole: str = document["sixel"]

    def part(self, columns: tuple[int, int], lines: tuple[int, int]) -> str:
        """The control sequence that paints these cells of it."""
        if columns == (0, self.columns) and lines == (0, self.lines):
            return self._whole
        across, down = self._width // self.columns, self._height // self.lines
        box = (columns[0] * across, lines[0] * down, columns[1] * across, lines[1] * down)
        return encode(zlib.decompress(base64.b64decode(self._packed)), self._width, self._palette, box)


class Sixels:
    """The sixel pictures of an app, by number."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)
        self._shown: dict[int, Sixel] = {}

    def __len__(self) -> int:
        return len(self._shown)

    def add(self, picture: Sixel) -> int:
        """Show a picture from now on; returns its number, for `cells`."""
        number = next(self._numbers)
        self._shown[number] = picture
        return number

    def remove(self, number: int) -> None:
        """Do not paint a picture any more."""
        self._shown.pop(number, None)

    def painted(self, update: CompositorUpdate) -> str:
        """What paints the cells of pictures that an update writes."""
        spans: dict[int, dict[int, list[tuple[int, int]]]] = defaultdict(lambda: defaultdict(list))
        for x, y, strip in _written(update):
            for segment in strip:
                end = x + segment.cell_length
                number = _number(segment)
                if number in self._shown:
                    _join(spans[number][y], x, end)
                x = end
        parts = []
        for number, lines in spans.items():
            picture = self._shown[number]
            region = picture.widget.content_region
            for left, top, right, bottom in _rectangles(lines):
                columns = left - region.x, right - region.x
                rows = top - region.y, bottom - region.y
                inside = columns[0] >= 0 and columns[1] <= picture.columns
                if inside and rows[0] >= 0 and rows[1] <= picture.lines:
                    parts.append(f"\x1b[{top + 1};{left + 1}H{picture.part(columns, rows)}")
        # The cursor is left where it was.
        return f"\x1b7{''.join(parts)}\x1b8" if parts else ""


class _Painted(CompositorUpdate):
    """An update with the pictures that belong over its cells."""

    def __init__(self, update: CompositorUpdate, sixels: Sixels) -> None:
        self._update = update
        self._sixels = sixels

    def render_segments(self, console: Console) -> str:
        """The update as control sequences, then the pictures."""
        return self._update.render_segments(console) + self._sixels.painted(self._update)


def painted(renderable: Any, sixels: Sixels) -> Any:
    """What is to be displayed, with the pictures that belong over it."""
    return _Painted(renderable, sixels) if isinstance(renderable, CompositorUpdate) else renderable


def cells(number: int, columns: int, style: Style) -> Strip:
    """A row of cells of a picture."""
    return Strip([Segment(" " * columns, style + Style(meta={_META: number}))], columns)


def _number(segment: Segment) -> int:
    style = segment.style
    return style.meta.get(_META, 0) if style is not None and not segment.control else 0


def _written(update: CompositorUpdate) -> Iterator[tuple[int, int, Strip]]:
    """The strips that an update writes, each with the column and line of its beginning."""
    if isinstance(update, LayoutUpdate):
        for y, strips in enumerate(update.strips, update.region.y):
            x = update.region.x
            for strip in strips:
                yield x, y, strip
                x += strip.cell_length
    elif isinstance(update, ChopsUpdate):
        for y, start, end in update.spans:
            for stop, (x, chop) in zip(update.chop_ends[y], update.chops[y].items(), strict=False):
                if chop is not None and x <= end and stop > start:
                    yield x, y, chop if x >= start and stop <= end else chop.crop(0, min(stop, end) - x)


def _join(spans: list[tuple[int, int]], start: int, end: int) -> None:
    """Add a span to those of a line, to the last of them where it goes on."""
    if spans and spans[-1][1] == start:
        start = spans.pop()[0]
    spans.append((start, end))


def _rectangles(lines: Mapping[int, Iterable[tuple[int, int]]]) -> Iterator[Rectangle]:
    """Spans by line as rectangles: equal ones of lines that follow each other are one."""
    open_: dict[tuple[int, int], int] = {}
    before = -1
    for line in sorted(lines):
        present = set(lines[line])
        for span in [span for span in open_ if line != before + 1 or span not in present]:
            yield span[0], open_.pop(span), span[1], before + 1
        for span in present:
            open_.setdefault(span, line)
        before = line
    for span, top in open_.items():
        yield span[0], top, span[1], before + 1

"""Graphics of the terminal: by which protocol it draws pixels, and how they are put into cells."""

from __future__ import annotations

import base64
import fcntl
import itertools
import os
import random
import re
import select
import struct
import sys
import termios
import time
import tty
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from rich.color import Color
from rich.color_triplet import ColorTriplet
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
from textual.strip import Strip
from textual.widget import Widget

if TYPE_CHECKING:
    from textual.driver import Driver


# Kitty's graphics protocol: pictures that stand in the place of characters (Unicode placeholders).
#
# A picture is sent once, under a number, with how many cells it fills. Wherever a cell holds U+10EEEE with
# the
# marks of a row and a column, in the colour that is the picture's number, the terminal draws that part of
# it:
# it moves, is covered and goes away like any text. See https://sw.kovidgoyal.net/kitty/graphics-protocol.

_PLACEHOLDER = "\U0010eeee"
_CHUNK = 4096

_RANGES = """
305 30d-30e 310 312 33d-33f 346 34a-34c 350-352 357 35b 363-36f 483-487 592-595 597-599 59c-5a1
5a8-5a9 5ab-5ac 5af 5c4 610-617 657-65b 65d-65e 6d6-6dc 6df-6e2 6e4 6e7-6e8 6eb-6ec 730 732-733
735-736 73a 73d 73f-741 743 745 747 749-74a 7eb-7f1 7f3 816-819 81b-823 825-827 829-82d 951 953-954
f82-f83 f86-f87 135d-135f 17dd 193a 1a17 1a75-1a7c 1b6b 1b6d-1b73 1cd0-1cd2 1cda-1cdb 1ce0 1dc0-1dc1
1dc3-1dc9 1dcb-1dcc 1dd1-1de6 1dfe 20d0-20d1 20d4-20d7 20db-20dc 20e1 20e7 20e9 20f0 2cef-2cf1
2de0-2dff
"""


def _marks() -> Iterator[str]:
    """The marks that stand for rows and columns from 0 on: those of Unicode 6.0 above a letter (class 230)
    that no normal form joins with it."""
    for part in _RANGES.split():
        first, _, last = part.partition("-")
        yield from map(chr, range(int(first, 16), int(last or first, 16) + 1))


_MARKS = tuple(_marks())

MOST_CELLS = len(_MARKS)
"""A picture has at most so many rows and columns."""


def fresh_number() -> int:
    """A number for a picture, 24 bits of which no colour of a theme is likely to have."""
    return random.randrange(0x010000, 0xFFFFFF)


def colour(number: int) -> Color:
    return Color.from_triplet(ColorTriplet(number >> 16 & 255, number >> 8 & 255, number & 255))


def placeholders(row: int, columns: int) -> str:
    mark = _MARKS[row]
    return "".join(f"{_PLACEHOLDER}{mark}{_MARKS[column]}" for column in range(columns))


def transmission(number: int, png: str, columns: int, lines: int) -> str:
    """What sends a picture (a PNG in Base64) to be drawn over so many cells; nothing is answered to it."""
    parts = [png[start : start + _CHUNK] for start in range(0, len(png), _CHUNK)]
    sequences = []
    for at, part in enumerate(parts):
        more = int(at < len(parts) - 1)
        first = f"a=T,U=1,f=100,i={number},c={columns},r={lines}," if at == 0 else ""
        sequences.append(f"\x1b_G{first}q=2,m={more};{part}\x1b\\")
    return "".join(sequences)


def removal(number: int) -> str:
    return f"\x1b_Ga=d,d=I,i={number},q=2\x1b\\"


# Sixel pictures over the cells of widgets.
#
# The cells of a picture are spaces that carry its number (see `cells`). Whatever of them an update writes
# to
# the terminal is painted over again, in as few rectangles as there are, and no more than that: what covers
# a
# picture stays, and what goes away takes its pixels with it, since text written over pixels removes them.

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
        if columns == (0, self.columns) and lines == (0, self.lines):
            return self._whole
        across, down = self._width // self.columns, self._height // self.lines
        box = (columns[0] * across, lines[0] * down, columns[1] * across, lines[1] * down)
        from engines.core.picture import encode

        return encode(zlib.decompress(base64.b64decode(self._packed)), self._width, self._palette, box)


class Sixels:
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
        self._shown.pop(number, None)

    def painted(self, update: CompositorUpdate) -> str:
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
    def __init__(self, update: CompositorUpdate, sixels: Sixels) -> None:
        self._update = update
        self._sixels = sixels

    def render_segments(self, console: Console) -> str:
        return self._update.render_segments(console) + self._sixels.painted(self._update)


def painted(renderable: Any, sixels: Sixels) -> Any:
    return _Painted(renderable, sixels) if isinstance(renderable, CompositorUpdate) else renderable


def cells(number: int, columns: int, style: Style) -> Strip:
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


# Graphics of the terminal: whether it draws pixels, by which protocol, and how large its cells are.
#
# It is asked once, before the screens start: for its name (XTVERSION), by a kitty graphics query, for the
# size
# of a cell, and, last, for its primary attributes (DA1), which every terminal answers and sixel is one of.
# Answers come in the order of the questions, so that the wait ends with the last of them.

Protocol = Literal["none", "kitty", "sixel"]

_QUESTIONS = "\x1b[>0q\x1b_Gi=4711,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\\x1b[16t\x1b[c"
_REGISTERS = "\x1b[?1;1;0S\x1b[c"
_ATTRIBUTES = re.compile(rb"\x1b\[\?([\d;]*)c")
_KITTY = re.compile(rb"\x1b_Gi=4711;([^\x1b]*)\x1b\\")
_NAME = re.compile(rb"\x1bP>\|([^\x1b]*)\x1b\\")
_CELL = re.compile(rb"\x1b\[6;(\d+);(\d+)t")
_COLOURS = re.compile(rb"\x1b\[\?1;0;(\d+)S")
_ANSWERS = (_ATTRIBUTES, _KITTY, _NAME, _CELL, _COLOURS, re.compile(rb"\x1b\[\?1;[123](?:;\d+)*S"))

_WAIT_S = 0.15
_WAIT_REMOTE_S = 0.6
"""Over SSH an answer takes longer, and one that came too late would be taken for keys."""

_USUAL_CELL = (10, 20)
_FEWEST_COLOURS, _MOST_COLOURS = 16, 254


@dataclass(slots=True)
class Graphics:
    """What the terminal draws. `cell`: width and height of a cell in pixels. `colours`: how many sixel may
    use at once. `typed`: what the user typed while the terminal was asked, see `give_back`."""

    protocol: Protocol = "none"
    cell: tuple[int, int] = _USUAL_CELL
    colours: int = _FEWEST_COLOURS
    typed: bytes = b""

    def measure(self) -> None:
        """Take the present size of a cell, which changes with the font; where it is not told, it stays."""
        self.cell = cell_size() or self.cell


NONE = Graphics()


def cell_size() -> tuple[int, int] | None:
    """Width and height of a cell in pixels as the kernel knows them; None where the terminal did not say."""
    try:
        packed = fcntl.ioctl(sys.__stdout__.fileno() if sys.__stdout__ else 1, termios.TIOCGWINSZ, bytes(8))
    except (OSError, ValueError):
        return None
    lines, columns, width, height = struct.unpack("HHHH", packed)
    if not (lines and columns and width >= columns and height >= lines):
        return None
    return width // columns, height // lines


def ask_terminal(
    choice: str, *, remote: bool = False, environment: Mapping[str, str] = os.environ
) -> Graphics:
    """What the terminal at stdin and stdout draws.

    Args: choice: the user's setting: a protocol, `none`, or nothing for what the terminal answers. remote:
    whether it is far away. Returns: `Graphics`, with the protocol `none` without a terminal, where colours or
    pictures are not wanted, and when there is no answer in time.
    """
    if choice == "none" or environment.get("TERM", "dumb") == "dumb" or environment.get("NO_COLOR"):
        return Graphics()
    source, sink = sys.__stdin__, sys.__stdout__
    try:
        if source is None or sink is None or not (source.isatty() and sink.isatty()):
            return Graphics()
        answer = _conversation(source.fileno(), sink.fileno(), _WAIT_REMOTE_S if remote else _WAIT_S)
    except (OSError, ValueError, termios.error):
        return Graphics()
    found = understood(answer, cell_size())
    if choice in ("kitty", "sixel"):
        found.protocol = "kitty" if choice == "kitty" else "sixel"
    return found


def understood(answer: bytes, cell: tuple[int, int] | None) -> Graphics:
    """Read a terminal's answers; `cell` is the size of a cell, where the kernel knows it."""
    found = Graphics()
    if sent := _CELL.search(answer):
        found.cell = (int(sent[2]) or _USUAL_CELL[0], int(sent[1]) or _USUAL_CELL[1])
    found.cell = cell or found.cell
    if colours := _COLOURS.search(answer):
        found.colours = max(2, min(_MOST_COLOURS, int(colours[1])))
    kitty, attributes = _KITTY.search(answer), _ATTRIBUTES.search(answer)
    if kitty and kitty[1] == b"OK" and _has_placeholders(answer):
        found.protocol = "kitty"
    elif attributes and b"4" in attributes[1].split(b";")[1:]:
        found.protocol = "sixel"
    for pattern in _ANSWERS:
        answer = pattern.sub(b"", answer)
    found.typed = answer
    return found


def _has_placeholders(answer: bytes) -> bool:
    """Whether the terminal is one that draws pictures in the place of characters: others that know the kitty
    protocol do not, and do not say so."""
    name = _NAME.search(answer)
    if name is None:
        return False
    if name[1].startswith(b"ghostty"):
        return True
    version = re.match(rb"kitty\((\d+)\.(\d+)", name[1])
    return version is not None and (int(version[1]), int(version[2])) >= (0, 28)


def _conversation(source: int, sink: int, wait_s: float) -> bytes:
    """What comes back, up to the last answer or the end of the wait."""
    before = termios.tcgetattr(source)
    # No key that waits is thrown away, neither here nor on the way back.
    tty.setcbreak(source, termios.TCSADRAIN)
    try:
        answer = _answer(source, sink, _QUESTIONS, wait_s)
        attributes = _ATTRIBUTES.search(answer)
        if attributes and b"4" in attributes[1].split(b";")[1:]:
            # Only now: who has no sixel may take this for something else.
            answer += _answer(source, sink, _REGISTERS, wait_s)
    finally:
        termios.tcsetattr(source, termios.TCSADRAIN, before)
    return answer


def _answer(source: int, sink: int, questions: str, wait_s: float) -> bytes:
    os.write(sink, questions.encode("ascii"))
    answer, end = b"", time.monotonic() + wait_s
    while not _ATTRIBUTES.search(answer):
        left = end - time.monotonic()
        if left <= 0 or not select.select([source], [], [], left)[0]:
            break
        part = os.read(source, 4096)
        if not part:
            break
        answer += part
    return answer


def give_back(typed: bytes, driver: Driver) -> None:
    """Let keys that were typed while the terminal was asked come to the screens after all."""
    from textual._xterm_parser import XTermParser

    for message in XTermParser().feed(typed.decode("utf-8", "replace")):
        driver.process_message(message)

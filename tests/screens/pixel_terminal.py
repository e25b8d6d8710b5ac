"""A terminal with pixels, as far as tests need one: a grid of cells that keeps what stands in each.

It reads what is written to it: text and colours, the kitty graphics protocol with Unicode placeholders, and
sixel, whose pixels go away when text is written over them. It shares nothing with what writes.
"""

from __future__ import annotations

import base64
import io
import re
import unicodedata
from dataclasses import dataclass, field

from PIL import Image

from tests.core.sixel_reader import Pixel, read_sixel

__all__ = ["Cell", "PixelTerminal"]

_SEQUENCE = re.compile(
    r"\x1b(?:\[(?P<csi>[?>=<]?[\d;:]*)[ -/]*(?P<end>[@-~])|(?P<string>[_P\]])(?P<body>.*?)(?:\x1b\\|\x07)"
    r"|(?P<single>[78=>]))",
    re.DOTALL,
)
# The first marks of kitty's list, row and column 0 on, as its documentation has them.
_FIRST_MARKS = (
    "\u0305\u030d\u030e\u0310\u0312\u033d\u033e\u033f\u0346\u034a\u034b\u034c\u0350\u0351\u0352\u0357"
)


@dataclass
class Cell:
    """A character with its marks, its colour, and whether pixels are painted over it."""

    text: str = " "
    colour: tuple[int, int, int] | None = None
    painted: bool = False


@dataclass
class _Sent:
    control: dict[str, str]
    data: str = ""


@dataclass
class PixelTerminal:
    columns: int
    lines: int
    cell: tuple[int, int]
    cells: dict[tuple[int, int], Cell] = field(default_factory=dict)
    images: dict[int, tuple[Image.Image, int, int]] = field(default_factory=dict)
    sixels: list[list[list[Pixel]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._x = self._y = 0
        self._kept = (0, 0)
        self._colour: tuple[int, int, int] | None = None
        self._rest = ""
        self._sent: _Sent | None = None

    def write(self, text: str) -> None:
        """Take what a program writes."""
        text, self._rest = self._rest + text, ""
        at = 0
        while at < len(text):
            if text[at] == "\x1b":
                found = _SEQUENCE.match(text, at)
                if found is None:
                    self._rest = text[at:]
                    return
                self._sequence(found)
                at = found.end()
            else:
                self._character(text[at])
                at += 1

    def _character(self, character: str) -> None:
        if character == "\n":
            self._y += 1
        elif character == "\r":
            self._x = 0
        elif unicodedata.combining(character) and self._x:
            self.cells[self._y, self._x - 1].text += character
        elif character >= " ":
            self.cells[self._y, self._x] = Cell(character, self._colour)
            self._x += 2 if unicodedata.east_asian_width(character) in "WF" else 1

    def _sequence(self, found: re.Match[str]) -> None:
        if found["string"] == "_" and found["body"].startswith("G"):
            self._kitty(found["body"][1:])
        elif found["string"] == "P" and re.match(r"[\d;]*q", found["body"]):
            self._sixel(found[0])
        elif found["single"] == "7":
            self._kept = self._x, self._y
        elif found["single"] == "8":
            self._x, self._y = self._kept
        elif found["end"] == "H":
            line, _, column = found["csi"].partition(";")
            self._x, self._y = int(column or 1) - 1, int(line or 1) - 1
        elif found["end"] == "m":
            self._style(found["csi"])
        elif found["end"] == "h" and found["csi"] == "?1049":
            self.cells.clear()

    def _style(self, codes: str) -> None:
        if codes in ("", "0"):
            self._colour = None
        part = re.search(r"(?:^|;)38;2;(\d+);(\d+);(\d+)", codes)
        if part:
            self._colour = (int(part[1]), int(part[2]), int(part[3]))

    def _kitty(self, body: str) -> None:
        control_text, _, data = body.partition(";")
        control = dict(item.split("=") for item in control_text.split(","))
        if control.get("a") == "d":
            assert control["d"] == "I"
            self.images.pop(int(control["i"]))
            return
        if control.get("a") == "q":
            return
        assert len(data) <= 4096
        sent = self._sent = self._sent or _Sent(control)
        sent.data += data
        if control.get("m") == "1":
            return
        self._sent = None
        assert (sent.control["a"], sent.control["U"], sent.control["f"]) == ("T", "1", "100")
        image = Image.open(io.BytesIO(base64.b64decode(sent.data)))
        self.images[int(sent.control["i"])] = (image, int(sent.control["c"]), int(sent.control["r"]))

    def _sixel(self, sequence: str) -> None:
        rows = read_sixel(sequence)
        self.sixels.append(rows)
        across, down = len(rows[0]) // self.cell[0], len(rows) // self.cell[1]
        assert (across * self.cell[0], down * self.cell[1]) == (len(rows[0]), len(rows)), "not whole cells"
        for line in range(down):
            for column in range(across):
                part = [
                    row[column * self.cell[0] : (column + 1) * self.cell[0]]
                    for row in rows[line * self.cell[1] : (line + 1) * self.cell[1]]
                ]
                if any(pixel is not None for row in part for pixel in row):
                    self.cells.setdefault((self._y + line, self._x + column), Cell()).painted = True

    def resize(self, columns: int) -> None:
        """Be narrower: what stood beyond is gone."""
        self.columns = columns
        self.cells = {place: cell for place, cell in self.cells.items() if place[1] < columns}

    # What is to be seen

    def text(self, line: int) -> str:
        """The characters of a line."""
        return "".join(self.cells.get((line, x), Cell()).text for x in range(self.columns))

    def painted(self) -> set[tuple[int, int]]:
        """The cells, as line and column, that have pixels of sixel over them."""
        return {place for place, cell in self.cells.items() if cell.painted}

    def placed(self) -> dict[int, dict[tuple[int, int], tuple[int, int]]]:
        """By image: the cells that show it, each with the row and column of the image that it shows."""
        found: dict[int, dict[tuple[int, int], tuple[int, int]]] = {}
        for place, cell in self.cells.items():
            # Its marks may still be on their way.
            if cell.text[0] == "\U0010eeee" and len(cell.text) == 3:
                assert cell.colour is not None
                number = cell.colour[0] << 16 | cell.colour[1] << 8 | cell.colour[2]
                row, column = (_FIRST_MARKS.find(mark) for mark in cell.text[1:3])
                found.setdefault(number, {})[place] = (row, column)
        return found

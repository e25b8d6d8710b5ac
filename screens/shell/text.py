"""Text as the screens show it: data stays data, numbers align, long text is cut in the middle."""

from __future__ import annotations

from rich.cells import cell_len, set_cell_size
from textual.content import Content

from engines.core.files import printable
from workbench.units import noun

__all__ = ["DOTS", "clock", "count", "elide", "number", "safe_text", "some", "width"]

DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""The bits of the dots of a braille character, four lines of two."""


def safe_text(text: object, style: str = "") -> Content:
    """Text from anywhere as content: no markup is read in it and control characters are shown escaped."""
    plain = printable(str(text))
    return Content.styled(plain, style) if style else Content(plain)


def width(text: str) -> int:
    """Cells that `text` takes."""
    return cell_len(text)


def elide(text: str, cells: int) -> str:
    """`text` in at most `cells` cells, the middle replaced by … when it is longer."""
    if cell_len(text) <= cells:
        return text
    if cells <= 1:
        return "…" if cells == 1 else ""
    head = cells // 2
    tail = cells - 1 - head
    left = set_cell_size(text, head)
    right = text[-tail:] if tail else ""
    while cell_len(right) > tail:
        right = right[1:]
    return left + "…" + " " * (tail - cell_len(right)) + right


def count(number: int) -> str:
    """A count with its thousands apart: `4 731`; beyond 15 digits as `2.1e16`."""
    if abs(number) >= 10**15:
        digits = str(abs(number))
        return f"{'-' if number < 0 else ''}{digits[0]}.{digits[1]}e{len(digits) - 1}"
    return f"{number:,}".replace(",", " ")


def some(number: int, one: str, many: str = "") -> str:
    """So many: `1 node`, `4 731 nodes`; `many` when it is not `one` with an s."""
    return f"{count(number)} {noun(number, one, many)}"


def number(value: float) -> str:
    """A measured value in at most four digits: `0.3155`, `9.7e-5`, `41.2k`, `3.1M`, `1e21`."""
    if abs(value) >= 1e12 or 0 < abs(value) < 1e-4:
        digits, _, exponent = f"{value:.4g}".partition("e")
        return f"{digits}e{int(exponent)}" if exponent else f"{digits}"
    for limit, unit in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if abs(value) >= limit:
            return f"{value / (limit if unit != 'k' else 1e3):.4g}{unit}"
    return f"{value:.4g}"


def clock(seconds: float) -> str:
    """A moment (seconds since 1970) as local `HH:MM:SS`."""
    import time

    return time.strftime("%H:%M:%S", time.localtime(seconds))

"""Graphics of the terminal: whether it draws pixels, by which protocol, and how large its cells are.

It is asked once, before the screens start: for its name (XTVERSION), by a kitty graphics query, for the size
of a cell, and, last, for its primary attributes (DA1), which every terminal answers and sixel is one of.
Answers come in the order of the questions, so that the wait ends with the last of them.
"""

from __future__ import annotations

import fcntl
import os
import re
import select
import struct
import sys
import termios
import time
import tty
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from textual.driver import Driver

__all__ = ["NONE", "Graphics", "Protocol", "ask_terminal", "cell_size", "give_back", "understood"]

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

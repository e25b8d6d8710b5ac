"""The terminal: its end, its pace, its keys in their order, and the pictures that it draws."""

from __future__ import annotations

import base64
import fcntl
import gc
import itertools
import os
import random
import re
import select
import signal
import struct
import sys
import termios
import time
import tty
import zlib
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Thread
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from rich.color import Color
from rich.color_triplet import ColorTriplet
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
from textual.app import App
from textual.message_pump import MessagePump
from textual.strip import Strip
from textual.widget import Widget

if TYPE_CHECKING:
    from textual.driver import Driver


# The kernel tells only the session that the terminal belongs to of its end (SIGHUP). Started in another way,
# by `nohup` or by a program that lends it a terminal, the workbench would read an end without end, and wait
# for ever to write.


def end_with_terminal() -> None:
    """End the process when the terminal of its input goes away, as SIGHUP does.

    The session was saved a few seconds before, and jobs go on.
    """
    if sys.stdin is not None and sys.stdin.isatty():
        # A thread, because the main one may be blocked while it writes to the terminal that is gone.
        Thread(target=_exit_with_terminal, args=(sys.stdin.fileno(),), daemon=True).start()


def _exit_with_terminal(terminal: int) -> None:
    poll = select.poll()
    # No events are asked for: POLLHUP is always reported.
    poll.register(terminal, 0)
    if any(event & select.POLLHUP for _, event in poll.poll()):
        # Without cleaning up, since all of that would write to the terminal.
        os._exit(128 + signal.SIGHUP)


def stop_as_job(terminal: int) -> None:
    """Stop the process group as ctrl+z does, until the shell continues it in the foreground.

    Without a shell that could continue it, the system does not stop it, and this returns at once.

    Args:
        terminal: the terminal's descriptor; the terminal must be as the shell left it.
    """
    # Textual's own handler would suspend the app once more.
    before = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
    try:
        os.killpg(0, signal.SIGTSTP)
        # `bg` continues it, too: it stops again at once, since it cannot draw there.
        while os.tcgetpgrp(terminal) != os.getpgrp():
            # SIGTTOU stops the group as writing from the background would.
            os.killpg(0, signal.SIGTTOU)
    finally:
        signal.signal(signal.SIGTSTP, before)


@contextmanager
def ended_by_exception(signals: Iterable[int]) -> Iterator[None]:
    """Turn some signals into SystemExit in the block, so that the terminal is restored."""

    def raise_exit(number: int, _frame: object) -> None:
        raise SystemExit(128 + number)

    # By default a signal would end the process without restoring the terminal.
    before = {number: signal.signal(number, raise_exit) for number in signals}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


_THRESHOLDS = (5_000, 5, 400)
"""The usual ones look through everything every few keys, for a tenth of a second; these nearly never do."""
# Seconds without a key after which new objects are collected, and after which all objects are.
_QUIET_S = 1.5
_LONG_QUIET_S = 30.0


class Garbage:
    """Collect garbage while nobody types: new objects soon after the last key, all objects after a while.

    What exists already is frozen in between, so that collecting new objects is quick.
    """

    def __init__(self) -> None:
        gc.set_threshold(*_THRESHOLDS)
        self._typed = self._swept = time.monotonic()
        self._whole = False

    def note_key(self) -> None:
        """Remember that a key was typed now."""
        self._typed = time.monotonic()

    def collect_when_quiet(self) -> None:
        """Collect garbage if nobody has typed for a while; call it every second."""
        now = time.monotonic()
        # A key was just pressed, and another one may come at any moment.
        if now - self._typed < _QUIET_S:
            return
        # Once after the last key: only what was made since then.
        if self._swept <= self._typed:
            self._collect_garbage(now, whole=False)
        # Then, after a long pause, everything, once.
        elif now - max(self._typed, self._swept) >= _LONG_QUIET_S and not self._whole:
            self._collect_garbage(now, whole=True)
        # While nobody types at all, new objects from time to time.
        elif now - self._swept >= _LONG_QUIET_S:
            self._collect_garbage(now, whole=False)

    def _collect_garbage(self, now: float, *, whole: bool) -> None:
        # Frozen objects are not looked at, so a complete collection has to thaw them first.
        if whole:
            gc.unfreeze()
        gc.collect()
        gc.freeze()
        self._swept, self._whole = now, whole


Typed = events.Key | events.Paste

_PATIENCE_S = 1.0
"""A key that has not come to its end by then is not waited for when another one arrives."""
# Seconds until a key that nobody can take yet is tried again.
_AGAIN_S = 0.02
_ROUNDS = 3
"""How often the way from the widget to the app is gone behind a key: once for the key, then for what it made
the widgets say to each other (enter in a filter: submitted, left, focus the table)."""


class KeyFlow:
    """Let one key at a time into the app.

    Textual gives keys that arrive together to the widget focused at that moment. If the first key opens an
    input, the others have already gone to the table behind it. Here a key waits until the one before it was
    taken by a widget or has done what it is bound to, and a key that finds the focus moved follows it.

    Args:
        app: the app.
        send: puts a key into the app.
        ready: tells whether something can take keys; until then they wait.
        settle: reports what was left pending before a key; if it returns True, the key waits for that.
    """

    def __init__(
        self,
        app: App[Any],
        send: Callable[[Typed], Awaitable[None]],
        ready: Callable[[], bool],
        settle: Callable[[Typed], bool],
    ) -> None:
        self._app = app
        self._send = send
        self._ready = ready
        self._settle = settle
        self._waiting: deque[Typed] = deque()
        self.busy = False
        """Whether some key has not come to its end."""
        self._present: Typed | None = None
        self._target: MessagePump | None = None
        self._since = 0.0

    async def put_key(self, event: Typed) -> None:
        """Queue a key, and send it if no other key is on its way."""
        self._waiting.append(event)
        # A key whose handling never ends must not block the keyboard.
        late = self._present is not None and time.monotonic() - self._since > _PATIENCE_S
        if not self.busy or late:
            await self._send_next()

    def came_back(self, event: Typed) -> bool:
        """Handle a key that no widget took and that arrived at the app.

        Returns:
            Whether the key was meant for the app; if not, the focus has moved, and the key goes there.
        """
        # The focus is where it was when the key was sent: the key is meant for the app.
        if event is not self._present or self._target is self._key_target():
            return True
        # A copy, since this event has been through the app already.
        again = (
            events.Key(event.key, event.character)
            if isinstance(event, events.Key)
            else events.Paste(event.text)
        )
        # It was next, so it goes before the keys that were typed after it.
        self._waiting.appendleft(again)
        return False

    def _key_target(self) -> MessagePump:
        return self._app.focused or self._app.screen

    async def _send_next(self) -> None:
        self._present = None
        self.busy = bool(self._waiting)
        if not self._waiting:
            return
        # Screens are built after the first paint; until then there is nothing that could take a key.
        if not self._ready():
            self._app.set_timer(_AGAIN_S, self._send_next)
            return
        self._present = event = self._waiting[0]
        self._target = target = self._key_target()
        self._since = time.monotonic()
        # A cursor that had not settled reports its record first, and the key waits for that.
        if not self._settle(event):
            self._waiting.popleft()
            await self._send(event)
        self._follow_key(event, target, _ROUNDS)

    def _follow_key(self, event: Typed, node: MessagePump, rounds: int) -> None:
        """Be where the key is, right behind it: what stands in a widget's queue is done in turn."""
        # Posted as `call_later` posts it, but without arguments: Textual would inspect the signature of each.
        follower = _Follower(self._arrive_behind, event, node, rounds)
        # Posting fails on a widget that is being removed; the app then goes on with the next key.
        if not node.post_message(events.Callback(callback=follower.arrive)):
            self._app.call_later(self._send_next)

    def _arrive_behind(self, event: Typed, node: MessagePump, rounds: int) -> None:
        if event is not self._present:
            return
        # Up from parent to parent: whoever has handled the key has done so before this message arrives there.
        parent = node._parent
        if node is not self._app and parent is not None:
            self._follow_key(event, parent, rounds)
        elif rounds > 1 and self._target is not None:
            self._follow_key(event, self._target, rounds - 1)
        else:
            self._app.call_later(self._send_next)


class _Follower(NamedTuple):
    """What goes behind a key, from widget to widget: whom to call, for which key, where, how often again."""

    report: Callable[[Typed, MessagePump, int], None]
    event: Typed
    node: MessagePump
    rounds: int

    def arrive(self) -> None:
        """Report that the key has passed this widget."""
        self.report(self.event, self.node, self.rounds)


# kitty's graphics protocol: a picture is sent once, under a number, with how many cells it fills. Wherever a
# cell holds U+10EEEE with the marks of a row and a column, in the colour that is the picture's number, the
# terminal draws that part of it: it moves, is covered and goes away like any text. See
# https://sw.kovidgoyal.net/kitty/graphics-protocol.

_PLACEHOLDER = "\U0010eeee"
# The protocol allows at most 4096 bytes of Base64 in one sequence.
_CHUNK = 4096

_RANGES = """
305 30d-30e 310 312 33d-33f 346 34a-34c 350-352 357 35b 363-36f 483-487 592-595 597-599 59c-5a1
5a8-5a9 5ab-5ac 5af 5c4 610-617 657-65b 65d-65e 6d6-6dc 6df-6e2 6e4 6e7-6e8 6eb-6ec 730 732-733
735-736 73a 73d 73f-741 743 745 747 749-74a 7eb-7f1 7f3 816-819 81b-823 825-827 829-82d 951 953-954
f82-f83 f86-f87 135d-135f 17dd 193a 1a17 1a75-1a7c 1b6b 1b6d-1b73 1cd0-1cd2 1cda-1cdb 1ce0 1dc0-1dc1
1dc3-1dc9 1dcb-1dcc 1dd1-1de6 1dfe 20d0-20d1 20d4-20d7 20db-20dc 20e1 20e7 20e9 20f0 2cef-2cf1
2de0-2dff
"""


def _list_marks() -> Iterator[str]:
    """Yield the marks that stand for rows and columns from 0 on: those of Unicode 6.0 above a letter (class
    230) that no normal form joins with it.
    """
    for part in _RANGES.split():
        first, _, last = part.partition("-")
        yield from map(chr, range(int(first, 16), int(last or first, 16) + 1))


_MARKS = tuple(_list_marks())

MOST_CELLS = len(_MARKS)


def fresh_number() -> int:
    """Return a random 24-bit number for a picture, unlikely to be a colour of a theme."""
    return random.randrange(0x010000, 0xFFFFFF)


def number_to_colour(number: int) -> Color:
    """Return the colour that encodes a picture's number, 8 bits in each channel."""
    return Color.from_triplet(ColorTriplet(number >> 16 & 255, number >> 8 & 255, number & 255))


def placeholder_text(row: int, columns: int) -> str:
    """Return the placeholder characters for one row of a kitty picture."""
    mark = _MARKS[row]
    return "".join(f"{_PLACEHOLDER}{mark}{_MARKS[column]}" for column in range(columns))


def transmission_sequence(number: int, png: str, columns: int, lines: int) -> str:
    """Return the escape sequence that sends a kitty picture; the terminal does not answer it.

    Args:
        number: the picture's number.
        png: the picture as PNG in Base64.
        columns: its width in cells.
        lines: its height in cells.
    """
    parts = [png[start : start + _CHUNK] for start in range(0, len(png), _CHUNK)]
    sequences = []
    # a=T: send and display; U=1: by placeholders; f=100: PNG; q=2: no answer; m=1: more follows.
    for at, part in enumerate(parts):
        more = int(at < len(parts) - 1)
        first = f"a=T,U=1,f=100,i={number},c={columns},r={lines}," if at == 0 else ""
        sequences.append(f"\x1b_G{first}q=2,m={more};{part}\x1b\\")
    return "".join(sequences)


def removal_sequence(number: int) -> str:
    """Return the escape sequence that removes a kitty picture."""
    return f"\x1b_Ga=d,d=I,i={number},q=2\x1b\\"


# Sixel: the cells of a picture are spaces that carry its number (see `picture_strip`). Whatever of them an
# update writes to the terminal is painted over again, in as few rectangles as there are: what covers
# a picture stays, and what goes away takes its pixels with it, since text written over pixels removes them.

_META = "sixel"

Rectangle = tuple[int, int, int, int]
"""Left, top, right, bottom, the last two exclusive."""


class Sixel:
    """A sixel picture as the engine returns it (`engines.core.picture`), and its widget."""

    def __init__(self, widget: Widget, document: Mapping[str, Any]) -> None:
        self.widget = widget
        self.columns, self.lines = int(document["columns"]), int(document["lines"])
        self._width, self._height = int(document["width"]), int(document["height"])
        self._palette = document["palette"]
        self._packed: str = document["pixels"]
        self._whole: str = document["sixel"]

    def encode_part(self, columns: tuple[int, int], lines: tuple[int, int]) -> str:
        """Return the sixel sequence of a rectangle of cells; the ends of both ranges are exclusive."""
        # The complete picture is encoded already; a part is encoded each time it is needed.
        if columns == (0, self.columns) and lines == (0, self.lines):
            return self._whole
        across, down = self._width // self.columns, self._height // self.lines
        box = (columns[0] * across, lines[0] * down, columns[1] * across, lines[1] * down)
        from engines.core.picture import encode

        return encode(zlib.decompress(base64.b64decode(self._packed)), self._width, self._palette, box)


class Sixels:
    """The sixel pictures that are on the screen, by number."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)
        self._shown: dict[int, Sixel] = {}

    def __len__(self) -> int:
        return len(self._shown)

    def add_picture(self, picture: Sixel) -> int:
        """Add a picture; return its number, for `picture_strip`."""
        number = next(self._numbers)
        self._shown[number] = picture
        return number

    def remove_picture(self, number: int) -> None:
        """Forget a picture that is no longer shown."""
        self._shown.pop(number, None)

    def paint_update(self, update: CompositorUpdate) -> str:
        """Return the sequences that paint the picture cells of a screen update again."""
        # By picture and line: the ranges of cells that the update has written.
        spans: dict[int, dict[int, list[tuple[int, int]]]] = defaultdict(lambda: defaultdict(list))
        for x, y, strip in _list_strips(update):
            for segment in strip:
                end = x + segment.cell_length
                number = _picture_number(segment)
                if number in self._shown:
                    _add_span(spans[number][y], x, end)
                x = end
        parts = []
        for number, lines in spans.items():
            picture = self._shown[number]
            region = picture.widget.content_region
            # From cells of the screen to cells of the picture.
            for left, top, right, bottom in _merge_spans(lines):
                columns = left - region.x, right - region.x
                rows = top - region.y, bottom - region.y
                # A cell may still carry the number while the picture has moved or become smaller.
                inside = columns[0] >= 0 and columns[1] <= picture.columns
                if inside and rows[0] >= 0 and rows[1] <= picture.lines:
                    # Positions of the terminal begin with 1.
                    parts.append(f"\x1b[{top + 1};{left + 1}H{picture.encode_part(columns, rows)}")
        # The cursor is left where it was.
        return f"\x1b7{''.join(parts)}\x1b8" if parts else ""


class _Painted(CompositorUpdate):
    def __init__(self, update: CompositorUpdate, sixels: Sixels) -> None:
        self._update = update
        self._sixels = sixels

    def render_segments(self, console: Console) -> str:
        # The text first: writing it would remove pixels that were painted before.
        return self._update.render_segments(console) + self._sixels.paint_update(self._update)


def with_sixels(renderable: Any, sixels: Sixels) -> Any:
    """Return a screen update that also paints its pictures."""
    return _Painted(renderable, sixels) if isinstance(renderable, CompositorUpdate) else renderable


def picture_strip(number: int, columns: int, style: Style) -> Strip:
    """Return the blank cells of a picture's line, which carry its number."""
    return Strip([Segment(" " * columns, style + Style(meta={_META: number}))], columns)


def _picture_number(segment: Segment) -> int:
    style = segment.style
    return style.meta.get(_META, 0) if style is not None and not segment.control else 0


def _list_strips(update: CompositorUpdate) -> Iterator[tuple[int, int, Strip]]:
    """Yield the strips that an update writes, each with the column and line of its beginning."""
    if isinstance(update, LayoutUpdate):
        for y, strips in enumerate(update.strips, update.region.y):
            # The strips of a line follow each other from the left edge of the region.
            x = update.region.x
            for strip in strips:
                yield x, y, strip
                x += strip.cell_length
    elif isinstance(update, ChopsUpdate):
        # A partial update consists of spans, each of which may cover several pieces of a line, or parts of
        # them.
        for y, start, end in update.spans:
            for stop, (x, chop) in zip(update.chop_ends[y], update.chops[y].items(), strict=False):
                if chop is not None and x <= end and stop > start:
                    yield x, y, chop if x >= start and stop <= end else chop.crop(0, min(stop, end) - x)


def _add_span(spans: list[tuple[int, int]], start: int, end: int) -> None:
    # Neighbouring spans become one, so that a picture is painted in few pieces.
    if spans and spans[-1][1] == start:
        start = spans.pop()[0]
    spans.append((start, end))


def _merge_spans(lines: Mapping[int, Iterable[tuple[int, int]]]) -> Iterator[Rectangle]:
    """Spans by line as rectangles: equal ones of lines that follow each other are one."""
    open_: dict[tuple[int, int], int] = {}
    before = -1
    for line in sorted(lines):
        present = set(lines[line])
        # Spans that do not go on in this line end here, as complete rectangles.
        for span in [span for span in open_ if line != before + 1 or span not in present]:
            yield span[0], open_.pop(span), span[1], before + 1
        for span in present:
            open_.setdefault(span, line)
        before = line
    for span, top in open_.items():
        yield span[0], top, span[1], before + 1


# The terminal is asked once, before the screens start: for its name (XTVERSION), by a kitty graphics query,
# for the size of a cell, and, last, for its primary attributes (DA1), which every terminal answers and sixel
# is one of. Answers come in the order of the questions, so that the wait ends with the last of them.

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

# Pixels, for terminals that do not tell; most fonts are twice as high as they are wide.
_USUAL_CELL = (10, 20)
_FEWEST_COLOURS, _MOST_COLOURS = 16, 254


@dataclass(slots=True)
class Graphics:
    """What the terminal can draw.

    `cell` is the width and height of a cell in pixels, `colours` how many a sixel picture can have, and
    `typed` what the user typed while the terminal was asked (see `give_back`).
    """

    protocol: Protocol = "none"
    cell: tuple[int, int] = _USUAL_CELL
    colours: int = _FEWEST_COLOURS
    typed: bytes = b""

    def measure_cell(self) -> None:
        """Read the current size of a cell, which changes with the font; keep it if it is not known."""
        self.cell = cell_size() or self.cell


NONE = Graphics()


def cell_size() -> tuple[int, int] | None:
    """Return the width and height of a cell in pixels as the kernel knows them, or None."""
    try:
        packed = fcntl.ioctl(sys.__stdout__.fileno() if sys.__stdout__ else 1, termios.TIOCGWINSZ, bytes(8))
    except (OSError, ValueError):
        return None
    # The kernel's `struct winsize`: rows, columns, and the width and height of the window in pixels.
    lines, columns, width, height = struct.unpack("HHHH", packed)
    # Many terminals leave the pixels at 0.
    if not (lines and columns and width >= columns and height >= lines):
        return None
    return width // columns, height // lines


def ask_terminal(
    choice: str, *, remote: bool = False, environment: Mapping[str, str] = os.environ
) -> Graphics:
    """Ask the terminal at stdin and stdout what it can draw.

    Args:
        choice: the user's setting: a protocol, `none`, or empty for what the terminal answers.
        remote: whether the terminal is far away.
        environment: the environment variables.

    Returns:
        The graphics; their protocol is `none` without a terminal, colours, or an answer in time.
    """
    if choice == "none" or environment.get("TERM", "dumb") == "dumb" or environment.get("NO_COLOR"):
        return Graphics()
    source, sink = sys.__stdin__, sys.__stdout__
    try:
        if source is None or sink is None or not (source.isatty() and sink.isatty()):
            return Graphics()
        # A user's choice still needs the answers, for the size of a cell and the number of colours.
        answer = _hold_conversation(source.fileno(), sink.fileno(), _WAIT_REMOTE_S if remote else _WAIT_S)
    except (OSError, ValueError, termios.error):
        return Graphics()
    answers = read_answers(answer, cell_size())
    if choice in ("kitty", "sixel"):
        answers.protocol = "kitty" if choice == "kitty" else "sixel"
    return answers


def read_answers(answer: bytes, cell: tuple[int, int] | None) -> Graphics:
    """Read a terminal's answers; `cell` is the size of a cell if the kernel knows it."""
    answers = Graphics()
    if sent := _CELL.search(answer):
        answers.cell = (int(sent[2]) or _USUAL_CELL[0], int(sent[1]) or _USUAL_CELL[1])
    # The kernel's size wins, because it changes with the font.
    answers.cell = cell or answers.cell
    if colours := _COLOURS.search(answer):
        answers.colours = max(2, min(_MOST_COLOURS, int(colours[1])))
    kitty, attributes = _KITTY.search(answer), _ATTRIBUTES.search(answer)
    if kitty and kitty[1] == b"OK" and _has_placeholders(answer):
        answers.protocol = "kitty"
    # Attribute 4 is sixel; the first number is the class of the terminal.
    elif attributes and b"4" in attributes[1].split(b";")[1:]:
        answers.protocol = "sixel"
    # What is left after all answers are removed was typed by the user.
    for pattern in _ANSWERS:
        answer = pattern.sub(b"", answer)
    answers.typed = answer
    return answers


def _has_placeholders(answer: bytes) -> bool:
    """Return whether the terminal is one that draws pictures in the place of characters: others that know the
    kitty protocol do not, and do not say so.
    """
    name = _NAME.search(answer)
    if name is None:
        return False
    if name[1].startswith(b"ghostty"):
        return True
    version = re.match(rb"kitty\((\d+)\.(\d+)", name[1])
    return version is not None and (int(version[1]), int(version[2])) >= (0, 28)


def _hold_conversation(source: int, sink: int, wait_s: float) -> bytes:
    """Return what comes back, up to the last answer or the end of the wait."""
    before = termios.tcgetattr(source)
    # No key that waits is thrown away, neither here nor on the way back.
    tty.setcbreak(source, termios.TCSADRAIN)
    try:
        answer = _ask_questions(source, sink, _QUESTIONS, wait_s)
        attributes = _ATTRIBUTES.search(answer)
        if attributes and b"4" in attributes[1].split(b";")[1:]:
            # Only now: who has no sixel may take this for something else.
            answer += _ask_questions(source, sink, _REGISTERS, wait_s)
    finally:
        termios.tcsetattr(source, termios.TCSADRAIN, before)
    return answer


def _ask_questions(source: int, sink: int, questions: str, wait_s: float) -> bytes:
    os.write(sink, questions.encode("ascii"))
    answer, end = b"", time.monotonic() + wait_s
    # Answers arrive in any number of pieces; DA1 is the last of them.
    while not _ATTRIBUTES.search(answer):
        left = end - time.monotonic()
        if left <= 0 or not select.select([source], [], [], left)[0]:
            break
        part = os.read(source, 4096)
        if not part:
            # An empty read is the end of the input.
            break
        answer += part
    return answer


def give_back(typed: bytes, driver: Driver) -> None:
    """Pass on the keys that were typed while the terminal was asked."""
    # Textual's own parser, so that these keys are the same events as later ones.
    from textual._xterm_parser import XTermParser

    for message in XTermParser().feed(typed.decode("utf-8", "replace")):
        driver.process_message(message)

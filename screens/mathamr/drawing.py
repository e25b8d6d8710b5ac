"""Drawing of an operator tree: in the plane where it fits, else a node a line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.binding import BindingType
from textual.content import Content
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from engines.core.files import printable
from screens.mathamr.inspection import Drawn
from screens.mathamr.keys import TREE_KEYS
from screens.shell.keymap import bindings
from screens.shell.text import width

__all__ = ["Placed", "TreeDrawing", "in_the_plane", "line_by_line"]

_GAP = 2


@dataclass(frozen=True, slots=True)
class Placed:
    """A node's words in the drawing, or the lines that lead to it (`node` is -1)."""

    line: int
    column: int
    text: str
    node: int = -1


def _words(node: Drawn) -> str:
    return printable(node.words)


def line_by_line(root: Drawn) -> list[Placed]:
    """A node a line, indented under its operator; nodes count in the order of `walk`."""
    found: list[Placed] = []
    pending: list[tuple[Drawn, str, str]] = [(root, "", "")]
    number = 0
    while pending:
        node, lead, below = pending.pop()
        found += [Placed(number, 0, lead), Placed(number, width(lead), _words(node), number)]
        number += 1
        for place, child in reversed(list(enumerate(node.children))):
            last = place == len(node.children) - 1
            pending.append((child, below + ("└ " if last else "├ "), below + ("  " if last else "│ ")))
    return found


def in_the_plane(root: Drawn) -> list[Placed]:
    """Operators over their operands, every level two lines under the one above."""
    nodes = list(root.walk())
    number = {id(node): place for place, node in enumerate(nodes)}
    wide: dict[int, int] = {}
    for node in reversed(nodes):
        below = [wide[id(child)] for child in node.children]
        wide[id(node)] = max(width(_words(node)), sum(below) + _GAP * (len(below) - 1))
    found: list[Placed] = []
    middles: dict[int, int] = {}
    order: list[tuple[Drawn, int, int]] = []
    pending = [(root, 0, 0)]
    while pending:
        node, column, line = pending.pop()
        order.append((node, column, line))
        inner = sum(wide[id(child)] for child in node.children) + _GAP * (len(node.children) - 1)
        at = column + max(0, (wide[id(node)] - inner) // 2)
        for child in node.children:
            pending.append((child, at, line + 2))
            at += wide[id(child)] + _GAP
    for node, column, line in reversed(order):
        words = _words(node)
        under = [middles[id(child)] for child in node.children]
        room = wide[id(node)] - width(words)
        middle = (under[0] + under[-1]) // 2 if under else column + wide[id(node)] // 2
        start = max(column, min(middle - width(words) // 2, column + room))
        middles[id(node)] = middle = start + width(words) // 2
        found.append(Placed(line, start, words, number[id(node)]))
        if under:
            first, last = min(under[0], middle), max(under[-1], middle)
            bar = "".join(_joint(place, first, last, under, middle) for place in range(first, last + 1))
            found.append(Placed(line + 1, first, bar))
    return found


def _joint(place: int, first: int, last: int, under: Sequence[int], middle: int) -> str:
    """The sign where lines meet: from the operator above, to operands below, along."""
    ways = (place == middle, place in under, place > first, place < last)
    return {
        (True, True, False, False): "│",
        (True, True, True, True): "┼",
        (True, True, True, False): "┤",
        (True, True, False, True): "├",
        (True, False, True, True): "┴",
        (True, False, True, False): "┘",
        (True, False, False, True): "└",
        (False, True, True, True): "┬",
        (False, True, False, True): "┌",
        (False, True, True, False): "┐",
    }.get(ways, "─")


class TreeDrawing(ScrollView, can_focus=True):
    """A tree with a cursor on one of its nodes."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(TREE_KEYS)
    DEFAULT_CSS = """
    TreeDrawing { height: 1fr; padding: 0 1; scrollbar-size-vertical: 1; scrollbar-size-horizontal: 1; }
    """

    class Moved(Message):
        """The cursor was put on another node."""

    class Opened(Message):
        """The node is to be shown in the graph."""

    class Left(Message):
        """The pane on the left is wanted."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.nodes: list[Drawn] = []
        self.cursor = 0
        self._homes: list[int] = []
        self._placed: dict[int, list[Placed]] = {}
        self._boxes: dict[int, Placed] = {}

    @property
    def current(self) -> Drawn | None:
        """The node under the cursor."""
        return self.nodes[self.cursor] if self.nodes else None

    def show(self, root: Drawn | None) -> None:
        """Show another tree, the cursor on its root."""
        self.nodes = list(root.walk()) if root is not None else []
        number = {id(node): place for place, node in enumerate(self.nodes)}
        self._homes = [0] * len(self.nodes)
        for place, node in enumerate(self.nodes):
            for child in node.children:
                self._homes[number[id(child)]] = place
        self.cursor = 0
        self._arrange()

    def go_to(self, key: str) -> bool:
        """Put the cursor on a node of the graph, without saying so; whether it is in the tree."""
        place = next((place for place, node in enumerate(self.nodes) if node.key == key), None)
        if place is None:
            return False
        self.cursor = place
        self._show_cursor()
        return True

    def _arrange(self) -> None:
        placed: list[Placed] = []
        if self.nodes:
            placed = in_the_plane(self.nodes[0])
            if max(one.column + width(one.text) for one in placed) > self._room:
                placed = line_by_line(self.nodes[0])
        self._placed, self._boxes = {}, {}
        for one in placed:
            self._placed.setdefault(one.line, []).append(one)
            if one.node >= 0:
                self._boxes[one.node] = one
        wide = max((one.column + width(one.text) for one in placed), default=0)
        self.virtual_size = Size(wide, max(self._placed, default=-1) + 1)
        self._show_cursor()

    @property
    def _room(self) -> int:
        return max(10, self.size.width)

    def on_resize(self) -> None:
        self._arrange()

    def _show_cursor(self) -> None:
        if (box := self._boxes.get(self.cursor)) is not None:
            region = Region(box.column, box.line, width(box.text), 1)
            self.scroll_to_region(region, animate=False, force=True)
        self.refresh()

    def _go(self, place: int) -> None:
        place = max(0, min(place, len(self.nodes) - 1))
        if self.nodes and place != self.cursor:
            self.cursor = place
            self._show_cursor()
            self.post_message(self.Moved())

    def action_down(self) -> None:
        self._go(self.cursor + 1)

    def action_up(self) -> None:
        self._go(self.cursor - 1)

    def action_top(self) -> None:
        self._go(0)

    def action_bottom(self) -> None:
        self._go(len(self.nodes) - 1)

    def action_left(self) -> None:
        if self.cursor:
            self._go(self._homes[self.cursor])
        else:
            self.post_message(self.Left())

    def action_right(self) -> None:
        if (node := self.current) is not None and node.children:
            self._go(self.cursor + 1)

    def action_open(self) -> None:
        if self.nodes:
            self.post_message(self.Opened())

    def on_click(self, event: events.Click) -> None:
        x, y = event.x + round(self.scroll_x) - self.styles.padding.left, event.y + round(self.scroll_y)
        for one in self._placed.get(y, ()):
            if one.node >= 0 and one.column <= x < one.column + width(one.text):
                self._go(one.node)

    def render_line(self, y: int) -> Strip:
        """One line of the drawing."""
        cells, base = self.size.width, self.visual_style
        content, at = Content(), 0
        for one in sorted(self._placed.get(y + round(self.scroll_y), ()), key=lambda one: one.column):
            content += Content(" " * (one.column - at))
            content += Content.styled(one.text, "$line") if one.node < 0 else self._named(one)
            at = one.column + width(one.text)
        segments = [
            Segment(text, part.rich_style)
            for text, part in content.render(base, end="", parse_style=self._get_style)
        ]
        strip = Strip(segments).crop(round(self.scroll_x), round(self.scroll_x) + cells)
        return strip.adjust_cell_length(cells, base.rich_style)

    def _named(self, one: Placed) -> Content:
        node = self.nodes[one.node]
        words = Content(one.text)
        words = words.stylize("$warning" if node.children else "$success")
        if node.kind:
            words = words.stylize("$quiet", 0, 1)
        if one.node == self.cursor:
            words = words.stylize("bold on $cursor")
            words = words.stylize("underline", 2 if node.kind else 0)
        return words

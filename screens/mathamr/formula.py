"""The middle pane: a formula's operator tree, and the formulas nearest to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from rich.segment import Segment
from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widgets import Static

from engines.core.errors import EngineError
from engines.core.files import printable
from engines.core.tree import outline
from screens.mathamr.contexts import (
    HIT_COLUMNS,
    RANKED,
    RANKED_COLUMNS,
    hit_records,
    ranked_records,
    shown_formula,
)
from screens.mathamr.inspection import (
    Drawn,
    Inspection,
    formula_selection,
    graph_exports,
    hit_selection,
    text_selection,
)
from screens.mathamr.keys import TREE_KEYS
from screens.shell.export import CommandLine, Export, Selection, exported
from screens.shell.keymap import bindings
from screens.shell.theme import safe_text, width
from screens.widgets.listing import Listing
from screens.widgets.pane import Page, Pane
from screens.widgets.reader import Moving
from screens.widgets.table import Record, Table
from workbench.papers.mathamr.tables import NEAREST

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
    for number, (lead, node) in enumerate(outline(root, lambda node: node.children)):
        found += [Placed(number, 0, lead), Placed(number, width(lead), _words(node), number)]
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


class TreeDrawing(Moving, ScrollView, can_focus=True):
    """A tree with a cursor on one of its nodes: says when another one is selected, or this one opened."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(TREE_KEYS)
    DEFAULT_CSS = """
    TreeDrawing { height: 1fr; padding: 0 1; scrollbar-size-vertical: 1; scrollbar-size-horizontal: 1; }
    """

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.nodes: list[Drawn] = []
        self.cursor = 0
        self._homes: list[int] = []
        self._placed: dict[int, list[Placed]] = {}
        self._boxes: dict[int, Placed] = {}

    @property
    def current(self) -> Drawn | None:
        return self.nodes[self.cursor] if self.nodes else None

    def show(self, root: Drawn | None) -> None:
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
            self.post_message(Pane.Selected(self))

    @property
    def shown(self) -> int:
        return len(self.nodes)

    def move(self, lines: int) -> None:
        self._go(self.cursor + lines)

    def action_left(self) -> None:
        if self.cursor:
            self._go(self._homes[self.cursor])
        else:
            self.post_message(Pane.Left(self))

    def action_right(self) -> None:
        if (node := self.current) is not None and node.children:
            self._go(self.cursor + 1)

    def action_open(self) -> None:
        if self.nodes:
            self.post_message(Pane.Opened(self))

    def on_click(self, event: events.Click) -> None:
        x, y = event.x + round(self.scroll_x) - self.styles.padding.left, event.y + round(self.scroll_y)
        for one in self._placed.get(y, ()):
            if one.node >= 0 and one.column <= x < one.column + width(one.text):
                self._go(one.node)

    def render_line(self, y: int) -> Strip:
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


class FormulaPane(Pane):
    DEFAULT_CSS = """
    FormulaPane .about { height: auto; max-height: 8; padding: 0 1; color: $quiet; }
    FormulaPane #formula-line { height: auto; max-height: 2; padding: 0 1; margin-bottom: 1; }
    """

    def __init__(self, *, id: str, share: int) -> None:
        super().__init__(title="operator tree", id=id, share=share)
        self.raw = False
        self.inspection: Inspection | None = None
        self.formula: Record | None = None
        self.drawing = TreeDrawing(id="tree")
        self._near: Mapping[str, Any] | None = None
        self._line = Static(id="formula-line")

    def compose(self) -> ComposeResult:
        hits = Listing(HIT_COLUMNS, id="nearest", fields=NEAREST.fields, counts=False)
        ranked = Listing(RANKED_COLUMNS, id="ranked", fields=RANKED.fields, counts=False)
        yield Page("tree", self._line, self.drawing, id="tree-page")
        yield Page("nearest", hits, Static(classes="about", id="nearest-about"), id="nearest-page")
        yield Page("runs", ranked, id="runs-page")
        yield from super().compose()

    # What is shown

    def show(self, inspection: Inspection | None) -> None:
        same = (
            inspection is not None
            and self.inspection is not None
            and inspection.subject.source == self.inspection.subject.source
        )
        self.inspection = inspection
        if not same:
            self._near = None
            self._load("nearest", None)
            self._load("ranked", None)
        self.formula = None
        self.show_formula(inspection.query if inspection is not None else None)

    def show_formula(self, formula: Record | None) -> None:
        if formula is not None and self.formula is not None and formula["id"] == self.formula["id"]:
            return
        self.formula = formula
        there = self.inspection if formula is not None else None
        self.drawing.show(there.drawn(formula) if there is not None and formula is not None else None)
        self.draw()

    def draw(self) -> None:
        formula = self.formula
        if formula is None:
            self._line.update(Content.styled("No formula yet.", "$quiet"))
            self.footnote = ""
            return
        kind = "" if formula["query"] else "not the query"
        lost = "not in the graph" if formula["root"] is None else ""
        self._line.update(safe_text(shown_formula(formula["latex"], self.raw), "$accent bold"))
        self.footnote = " · ".join(filter(None, (kind, lost)))

    def light(self, key: str) -> None:
        if self.inspection is None:
            return
        row = self.inspection.meant(key)
        self.show_formula(self.inspection.formula_of(key))
        if not self.drawing.go_to(key) and row is not None and row["formula"]:
            self.drawing.go_to(row["id"])

    # Nearest formulas and runs

    def show_near(self, document: Mapping[str, Any] | None, error: EngineError | None = None) -> None:
        self._near = document
        for name in ("nearest", "ranked"):
            if error is not None:
                self.query_one(f"#{name}", Listing).show_error(error)
            else:
                self._load(name, document)

    def _load(self, name: str, document: Mapping[str, Any] | None) -> None:
        listing = self.query_one(f"#{name}", Listing)
        if document is None and self.inspection is None:
            listing.when_empty("No formula yet", "Choose a topic, or write a text of your own.")
            listing.load([])
            return
        if document is None:
            listing.show_loading("looking for formulas")
            return
        if name == "nearest":
            why = next((one for one in document["warnings"] if "index" in one), "There is no collection.")
            listing.when_empty("No formulas to compare with", why)
            found = hit_records(document["nearest"], raw=self.raw)
        else:
            listing.when_empty("No runs of Task 2", "`mathwb mathamr search` makes one.")
            found = ranked_records(document["runs"], raw=self.raw)
        listing.load(found, keep=False)

    @on(Table.Moved, "#nearest-table")
    def _near_moved(self, event: Table.Moved) -> None:
        event.stop()
        row = event.table.current
        about = self.query_one("#nearest-about", Static)
        about.display = row is not None
        if row is None:
            return
        parts = [
            f"{shown_formula(part['query'], self.raw)}{'' if part['exact'] else ' (other letters)'}"
            for part in row["parts"][:3]
        ]
        lines = [safe_text("in common: " + ", ".join(parts), "$foreground")] if parts else []
        context = row["context"]
        if not self.raw:
            from engines.formula.unicode import render_text

            context = render_text(context)
        about.update(Content("\n").join([*lines, safe_text(context or "(its text is not here)")]))

    @on(Pane.PageShown)
    def _page_shown(self) -> None:
        titles = {"tree": "operator tree", "nearest": "nearest formulas", "runs": "runs"}
        self.title = titles[self.page_name]

    @property
    def key(self) -> str:
        """The node of the graph that is under the cursor; nothing where the formula is not in it."""
        node = self.drawing.current
        return node.key if node is not None else ""

    @property
    def runs_shown(self) -> bool:
        return self.page_name == "runs" and bool(self._near and self._near["runs"])

    # What the screen asks

    def selection(self, line: CommandLine) -> Selection | None:
        if self.inspection is None or self.formula is None:
            return None
        if self.page_name == "tree":
            return formula_selection(self.inspection, self.formula, line, "opt")
        row = self._listing.table.current
        if row is None:
            return text_selection(self.inspection, line)
        return hit_selection(self.inspection, row, line, ranked=self.page_name == "runs")

    @property
    def _listing(self) -> Listing:
        return self.query_one("#nearest" if self.page_name == "nearest" else "#ranked", Listing)

    def exports(self) -> Sequence[Export]:
        if self.inspection is None:
            return ()
        found = graph_exports(self.inspection)
        if self.page_name != "tree":
            subject, table = self.inspection.subject, self._listing.table
            found = [
                *exported(
                    NEAREST if self.page_name == "nearest" else RANKED,
                    "formulas",
                    f"{subject.stem}-formulas",
                    {".csv": "c", ".jsonl": "J"},
                    table.visible_records,
                    subject.params,
                ),
                *found,
            ]
        return found

    def legend(self) -> Sequence[tuple[str, str]]:
        return (
            ("O", "an operator with ordered operands; U: with unordered operands"),
            ("V N C F", "a variable, a number, a constant, a function"),
            ("–", "a formula not judged for this topic"),
        )

"""The graph as a tree that folds, the operator tree of its formula, and the formulas nearest to it."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
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
from engines.core.text import make_printable
from engines.core.tree import walk_outline
from screens.keys import GRAPH_KEYS, TREE_KEYS
from screens.mathamr.contexts import (
    EQUAL_COLUMNS,
    GRAPH_COLUMNS,
    GRAPH_FIELDS,
    HIT_COLUMNS,
    RANKED,
    RANKED_COLUMNS,
    hit_records,
    ranked_records,
    shown_formula,
)
from screens.mathamr.inspection import (
    DrawnNode,
    Inspection,
    formula_selection,
    graph_exports,
    hit_selection,
    node_selection,
    text_selection,
)
from screens.shell.export import CommandLine, Export, Lookup, PaneSelection, declared_exports
from screens.shell.frame import AppFrame
from screens.shell.keymap import bindings
from screens.shell.theme import format_count, safe_text, text_width
from screens.widgets.listing import Listing
from screens.widgets.pane import ListPane, Page, Pane, TreeListing
from screens.widgets.reader import Moving
from screens.widgets.table import Table
from screens.widgets.table_columns import Record
from workbench.papers.mathamr.tables import EQUAL, NEAREST


def edit_graph(workbench: AppFrame, penman: str, inspection: Inspection) -> str | None:
    """Let the user edit a graph in an editor; return the text, or None if nothing was changed."""
    with tempfile.TemporaryDirectory(prefix="mathwb-") as folder:
        path = Path(folder) / f"{inspection.subject.topic or 'text'}.penman"
        # The sentence is written above the graph as comments, which are removed again below.
        lines = inspection.text.splitlines()
        path.write_text("".join(f"# {line}\n" for line in lines) + penman + "\n", "utf-8")
        if not workbench.edit_file(path, otherwise="Give --graph to mathwb mathamr inspect."):
            return None
        text = path.read_text("utf-8", "replace")
    edited = "\n".join(line for line in text.splitlines() if not line.startswith("#")).strip()
    return None if edited in ("", penman.strip()) else edited


_ORIGINS = {
    "published": "published graph",
    "builtin": "built-in parser, approximate",
    "amrlib": "amrlib's model",
    "given": "edited by hand",
}


def describe_parser(parser: str) -> str:
    """Describe whose graph the parser of this name makes."""
    return _ORIGINS.get(parser, parser)


class GraphListing(TreeListing):
    """The nodes of a graph; those below a folded node are hidden."""

    BINDINGS = bindings(GRAPH_KEYS)

    inspection: Inspection | None = None
    _folded: frozenset[str] = frozenset()

    def show_graph(self, inspection: Inspection | None) -> None:
        """Show another graph, unfolded; for the same topic the cursor stays where it is."""
        before, self.inspection = self.inspection, inspection
        keep = bool(before and inspection and before.subject.source == inspection.subject.source)
        self._folded, self._back = frozenset(), ()
        self._reload_rows(keep=keep)
        if not keep:
            self.table.cursor = 0

    def _reload_rows(self, *, keep: bool = True) -> None:
        rows, hidden = [], set()
        # Nodes come parents first, so a hidden parent hides its children too.
        for row in self.inspection.rows if self.inspection is not None else ():
            if row["home"] in hidden:
                hidden.add(row["id"])
                continue
            if row["id"] in self._folded:
                hidden.add(row["id"])
            assert self.inspection is not None
            meant = self.inspection.resolve_reference(row["id"]) or row
            state = {"open": row["id"] not in self._folded, "leaf": not row["children"]}
            rows.append({**row, **state, "meant": meant["kind"]})
        self.load(rows, keep=keep)

    def go_to(self, key: str) -> bool:
        """Put the cursor on a node, unfolding and clearing the filter if they hide it."""
        row = self.inspection.get_row(key) if self.inspection is not None else None
        if row is None:
            return False
        assert self.inspection is not None
        above = set()
        # Unfold all ancestors of the node.
        home = self.inspection.get_row(row["home"])
        while home is not None:
            above.add(home["id"])
            home = self.inspection.get_row(home["home"])
        if above & self._folded:
            self._folded -= above
            self._reload_rows()
        if not self.table.go_to(key):
            self.clear_filter()
            return self.table.go_to(key)
        return True

    def toggle_node(self, key: str) -> None:
        self._folded ^= {key}
        self._reload_rows()

    def follow_reference(self) -> bool:
        """Follow a reference to its node; return whether the cursor was on a reference."""
        row = self.table.current
        if row is None or row["kind"] != "reference":
            return False
        self._back = (*self._back, row["id"])
        return self.go_to(row["variable"])


class GraphPane(ListPane):
    """The pane of the graph."""

    LEGEND = (
        ("▸", "folded: l unfolds it; +4: it has four nodes below"),
        ("↗", "occurs elsewhere in the graph: enter goes there, esc returns"),
        (":math", "the operator tree of a formula starts here"),
    )

    def __init__(self, *, id: str, share: int) -> None:
        self.nodes = GraphListing(GRAPH_COLUMNS, id="graph", fields=GRAPH_FIELDS)
        self.stale = False
        """Whether another graph is awaited than the one that stands here."""
        self.nodes.when_empty("No graph yet", "enter on a topic shows its graph; a inspects any text.")
        super().__init__(self.nodes, title="graph", id=id, share=share)

    @property
    def key(self) -> str:
        """Return the variable of the node under the cursor, or an empty string."""
        return self.table.current_key or ""

    @property
    def inspection(self) -> Inspection | None:
        """Return the inspection whose graph is shown, or None."""
        return self.nodes.inspection

    def show_graph(self, inspection: Inspection | None) -> None:
        """Show the graph of an inspection."""
        self.nodes.home = f"{inspection.subject.address}/node" if inspection is not None else ""
        self.nodes.show_graph(inspection)
        if inspection is None:
            self.footnote = ""
            return
        document: Any = inspection.document
        again = sum(row["kind"] == "reference" for row in inspection.rows)
        words = [describe_parser(document["parser"]), f"{format_count(again)} re-entrant" if again else ""]
        words.append(f"{len(document['warnings'])} warnings: i" if document["warnings"] else "")
        self.footnote = " · ".join(filter(None, words))

    def show_loading(self, what: str) -> None:
        self.footnote = ""
        self.nodes.inspection = None
        self.nodes.show_loading(what)

    def show_error(self, error: EngineError) -> None:
        self.show_loading("")
        self.nodes.show_error(error)

    def go_to(self, key: str) -> bool:
        return not self.stale and self.nodes.go_to(key)

    def light_node(self, key: str) -> None:
        """Put the cursor on a node if it is visible."""
        self.table.go_to(key)

    # What the screen asks

    def selection(self, line: CommandLine) -> PaneSelection | None:
        row: Record | None = self.table.current
        return None if self.inspection is None else node_selection(self.inspection, row, line)

    def exports(self) -> Sequence[Export]:
        return () if self.inspection is None else graph_exports(self.inspection)

    def lookups(self) -> Sequence[Lookup]:
        return [Lookup("node", "Go to a node of the graph by its variable.", self.go_to)]


_GAP = 2


@dataclass(frozen=True, slots=True)
class NodeText:
    """A node's words in the drawing, or the lines that lead to it (`node` is -1)."""

    line: int
    column: int
    text: str
    node: int = -1


def _node_words(node: DrawnNode) -> str:
    return make_printable(node.words)


def line_by_line(root: DrawnNode) -> list[NodeText]:
    """Lay a tree out with one node in each line, indented under its operator, in the order of `walk`."""
    result: list[NodeText] = []
    for number, (lead, node) in enumerate(walk_outline(root, lambda node: node.children)):
        result += [
            NodeText(number, 0, lead),
            NodeText(number, text_width(lead), _node_words(node), number),
        ]
    return result


def in_the_plane(root: DrawnNode) -> list[NodeText]:
    """Lay a tree out in the plane: operators above their operands, two lines for each level."""
    # 1. How wide each subtree is, from the leaves upwards.
    nodes = list(root.walk())
    number = {id(node): index for index, node in enumerate(nodes)}
    wide: dict[int, int] = {}
    for node in reversed(nodes):
        below = [wide[id(child)] for child in node.children]
        wide[id(node)] = max(text_width(_node_words(node)), sum(below) + _GAP * (len(below) - 1))
    result: list[NodeText] = []
    middles: dict[int, int] = {}
    # 2. Give each subtree its stretch of columns, from the root downwards.
    order: list[tuple[DrawnNode, int, int]] = []
    pending = [(root, 0, 0)]
    while pending:
        node, column, line = pending.pop()
        order.append((node, column, line))
        inner = sum(wide[id(child)] for child in node.children) + _GAP * (len(node.children) - 1)
        at = column + max(0, (wide[id(node)] - inner) // 2)
        for child in node.children:
            pending.append((child, at, line + 2))
            at += wide[id(child)] + _GAP
    # 3. Put each operator above the middle of its operands, children before parents.
    for node, column, line in reversed(order):
        words = _node_words(node)
        under = [middles[id(child)] for child in node.children]
        room = wide[id(node)] - text_width(words)
        middle = (under[0] + under[-1]) // 2 if under else column + wide[id(node)] // 2
        start = max(column, min(middle - text_width(words) // 2, column + room))
        middles[id(node)] = middle = start + text_width(words) // 2
        result.append(NodeText(line, start, words, number[id(node)]))
        # 4. Draw the lines between an operator and its operands.
        if under:
            first, last = min(under[0], middle), max(under[-1], middle)
            bar = "".join(_joint_sign(index, first, last, under, middle) for index in range(first, last + 1))
            result.append(NodeText(line + 1, first, bar))
    return result


def _joint_sign(index: int, first: int, last: int, under: Sequence[int], middle: int) -> str:
    # Upwards to the operator, downwards to an operand, to the left, to the right.
    ways = (index == middle, index in under, index > first, index < last)
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


class TreeDrawing(ScrollView, Moving, can_focus=True):
    """A drawn tree with a cursor; it reports the selected and the opened node."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(TREE_KEYS)
    DEFAULT_CSS = """
    TreeDrawing { height: 1fr; padding: 0 1; scrollbar-size-vertical: 1; scrollbar-size-horizontal: 1; }
    """

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.nodes: list[DrawnNode] = []
        self.cursor = 0
        self._homes: list[int] = []
        self._placed: dict[int, list[NodeText]] = {}
        self._boxes: dict[int, NodeText] = {}

    @property
    def current(self) -> DrawnNode | None:
        """Return the node under the cursor, or None."""
        return self.nodes[self.cursor] if self.nodes else None

    def show_tree(self, root: DrawnNode | None) -> None:
        """Show another operator tree."""
        self.nodes = list(root.walk()) if root is not None else []
        number = {id(node): index for index, node in enumerate(self.nodes)}
        self._homes = [0] * len(self.nodes)
        for index, node in enumerate(self.nodes):
            for child in node.children:
                self._homes[number[id(child)]] = index
        self.cursor = 0
        self._arrange_nodes()

    def go_to(self, key: str) -> bool:
        """Put the cursor on a node of the graph without reporting it; return whether the tree contains it."""
        position = next((index for index, node in enumerate(self.nodes) if node.key == key), None)
        if position is None:
            return False
        self.cursor = position
        self._show_cursor()
        return True

    def _arrange_nodes(self) -> None:
        placed: list[NodeText] = []
        if self.nodes:
            placed = in_the_plane(self.nodes[0])
            # A drawing that is too wide becomes one with a node in each line.
            if max(one.column + text_width(one.text) for one in placed) > self._room:
                placed = line_by_line(self.nodes[0])
        self._placed, self._boxes = {}, {}
        for one in placed:
            self._placed.setdefault(one.line, []).append(one)
            if one.node >= 0:
                self._boxes[one.node] = one
        wide = max((one.column + text_width(one.text) for one in placed), default=0)
        self.virtual_size = Size(wide, max(self._placed, default=-1) + 1)
        self._show_cursor()

    @property
    def _room(self) -> int:
        return max(10, self.size.width)

    def on_resize(self) -> None:
        self._arrange_nodes()

    def _show_cursor(self) -> None:
        if (box := self._boxes.get(self.cursor)) is not None:
            region = Region(box.column, box.line, text_width(box.text), 1)
            self.scroll_to_region(region, animate=False, force=True)
        self.refresh()

    def _go_to_index(self, index: int) -> None:
        index = max(0, min(index, len(self.nodes) - 1))
        if self.nodes and index != self.cursor:
            self.cursor = index
            self._show_cursor()
            self.post_message(Pane.Selected(self))

    @property
    def shown(self) -> int:
        """Return the number of nodes that are drawn."""
        return len(self.nodes)

    def move_by(self, lines: int) -> None:
        self._go_to_index(self.cursor + lines)

    def action_left(self) -> None:
        if self.cursor:
            self._go_to_index(self._homes[self.cursor])
        else:
            self.post_message(Pane.Left(self))

    def action_right(self) -> None:
        if (node := self.current) is not None and node.children:
            self._go_to_index(self.cursor + 1)

    def action_open(self) -> None:
        if self.nodes:
            self.post_message(Pane.Opened(self))

    def on_click(self, event: events.Click) -> None:
        x, y = event.x + round(self.scroll_x) - self.styles.padding.left, event.y + round(self.scroll_y)
        for one in self._placed.get(y, ()):
            if one.node >= 0 and one.column <= x < one.column + text_width(one.text):
                self._go_to_index(one.node)

    def render_line(self, y: int) -> Strip:
        cells, base = self.size.width, self.visual_style
        content, at = Content(), 0
        for one in sorted(self._placed.get(y + round(self.scroll_y), ()), key=lambda one: one.column):
            content += Content(" " * (one.column - at))
            content += Content.styled(one.text, "$line") if one.node < 0 else self._name_content(one)
            at = one.column + text_width(one.text)
        segments = [
            Segment(text, part.rich_style)
            for text, part in content.render(base, end="", parse_style=self._get_style)
        ]
        strip = Strip(segments).crop(round(self.scroll_x), round(self.scroll_x) + cells)
        return strip.adjust_cell_length(cells, base.rich_style)

    def _name_content(self, one: NodeText) -> Content:
        node = self.nodes[one.node]
        words = Content(one.text)
        words = words.stylize("$warning" if node.children else "$success")
        if node.kind:
            words = words.stylize("$quiet", 0, 1)
        if one.node == self.cursor:
            words = words.stylize("bold on $cursor")
            words = words.stylize("underline", 2 if node.kind else 0)
        return words


_LISTS = {
    "nearest": ("nearest", HIT_COLUMNS, NEAREST),
    "equal": ("equal", EQUAL_COLUMNS, EQUAL),
    "runs": ("ranked", RANKED_COLUMNS, RANKED),
}
"""The pages that list formulas, by their tabs: listing, columns and table."""


def _why_none(reason: str) -> str:
    """Return what helps where nothing is listed as equal."""
    if "values" in reason:
        return f"{reason}; the command `index the formulas` makes one that has values".capitalize() + "."
    return f"{reason}.".capitalize() if reason else "Nearest lists what shares parts with it."


class FormulaPane(Pane):
    """The pane of a formula: its operator tree, and formulas that are near or equal."""

    DEFAULT_CSS = """
    FormulaPane .about { height: auto; max-height: 8; padding: 0 1; color: $quiet; }
    FormulaPane #formula-line { height: auto; max-height: 2; padding: 0 1; margin-bottom: 1; }
    """
    LEGEND = (
        ("O", "an operator with ordered operands; U: with unordered operands"),
        ("V N C F", "a variable, a number, a constant, a function"),
        ("–", "a formula not judged for this topic"),
    )

    def __init__(self, *, id: str, share: int) -> None:
        super().__init__(title="operator tree", id=id, share=share)
        self.raw = False
        self.inspection: Inspection | None = None
        self.formula: Record | None = None
        self.drawing = TreeDrawing(id="tree")
        self._near: Mapping[str, Any] | None = None
        self._line = Static(id="formula-line")

    def compose(self) -> ComposeResult:
        yield Page("tree", self._line, self.drawing, id="tree-page")
        for page, (name, columns, spec) in _LISTS.items():
            below = [Static(classes="about", id="nearest-about")] if page == "nearest" else []
            yield Page(page, Listing(columns, id=name, fields=spec.fields), *below, id=f"{page}-page")
        yield from super().compose()

    # What is shown

    def show_inspection(self, inspection: Inspection | None) -> None:
        """Show the query of an inspection."""
        before, self.inspection = self.inspection, inspection
        if not (before and inspection and before.subject.source == inspection.subject.source):
            self._near = None
            for name, _, _ in _LISTS.values():
                self._load_formulas(name, None)
        self.formula = None
        self.show_formula(inspection.query if inspection is not None else None)

    def show_formula(self, formula: Record | None) -> None:
        """Show the operator tree of a formula."""
        # The same formula: its drawing keeps the cursor.
        if formula is not None and self.formula is not None and formula["id"] == self.formula["id"]:
            return
        self.formula = formula
        there = self.inspection if formula is not None else None
        self.drawing.show_tree(
            there.operator_tree(formula) if there is not None and formula is not None else None
        )
        self.draw_content()

    def draw_content(self) -> None:
        """Draw the lists again."""
        formula = self.formula
        if formula is None:
            self._line.update(Content.styled("No formula yet.", "$quiet"))
            self.footnote = ""
            return
        kind = "" if formula["query"] else "not the query"
        lost = "not in the graph" if formula["root"] is None else ""
        self._line.update(safe_text(shown_formula(formula["latex"], self.raw), "$accent bold"))
        self.footnote = " · ".join(filter(None, (kind, lost)))

    def light_node(self, key: str) -> None:
        """Put the cursor on a node, showing the tree of its formula."""
        if self.inspection is None:
            return
        row = self.inspection.resolve_reference(key)
        self.show_formula(self.inspection.formula_of(key))
        # A reference that the drawing does not have leads to the node that it refers to.
        if not self.drawing.go_to(key) and row is not None and row["formula"]:
            self.drawing.go_to(row["id"])

    # Nearest formulas and runs

    def show_near(self, document: Mapping[str, Any] | None, error: EngineError | None = None) -> None:
        """Show the formulas near and equal to the query, or the error."""
        self._near = document
        for name, _, _ in _LISTS.values():
            if error is not None:
                self.query_one(f"#{name}", Listing).show_error(error)
            else:
                self._load_formulas(name, document)

    def _load_formulas(self, name: str, document: Mapping[str, Any] | None) -> None:
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
            result = hit_records(document["nearest"], raw=self.raw)
        elif name == "equal":
            listing.when_empty("No formula is proved equal", _why_none(document["not_equal"]))
            result = hit_records(document["equal"], raw=self.raw)
        else:
            listing.when_empty("No runs of Task 2", "`mathwb mathamr search` makes one.")
            result = ranked_records(document["runs"], raw=self.raw)
        listing.load(result, keep=False)

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
        titles = {"tree": "operator tree", "nearest": "nearest formulas", "equal": "equal formulas"}
        self.title = titles.get(self.page_name, self.page_name)

    @property
    def key(self) -> str:
        """The node of the graph that is under the cursor; nothing where the formula is not in it."""
        node = self.drawing.current
        return node.key if node is not None else ""

    @property
    def runs_shown(self) -> bool:
        """Return whether the page compares runs."""
        return self.page_name == "runs" and bool(self._near and self._near["runs"])

    # What the screen asks

    def selection(self, line: CommandLine) -> PaneSelection | None:
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
        return self.query_one(f"#{_LISTS[self.page_name][0]}", Listing)

    @property
    def equal_formula(self) -> Record | None:
        """The formula that is shown as equal to the query, under the cursor."""
        return self._listing.table.current if self.page_name == "equal" else None

    def exports(self) -> Sequence[Export]:
        if self.inspection is None:
            return ()
        result = graph_exports(self.inspection)
        if self.page_name not in _LISTS:
            return result
        spec, rows = _LISTS[self.page_name][2], self._listing.table.visible_records
        stem, facts = f"{self.inspection.subject.stem}-formulas", self.inspection.subject.params
        return [*declared_exports(spec, "formulas", stem, {".csv": "c", ".jsonl": "J"}, rows, facts), *result]

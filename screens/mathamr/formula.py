"""The middle pane: a formula's operator tree, the formulas nearest to it, and what runs rank."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from engines.core.errors import EngineError
from screens.mathamr.columns import (
    HIT_COLUMNS,
    NEAREST_FIELDS,
    RANKED_COLUMNS,
    RANKED_FIELDS,
    hit_records,
    ranked_records,
    shown_formula,
)
from screens.mathamr.drawing import TreeDrawing
from screens.mathamr.inspection import Inspection
from screens.mathamr.selection import formula_selection, graph_exports, hit_selection, text_selection
from screens.shell.export import Export, picked, table_exports
from screens.shell.selection import CommandLine, Selection
from screens.shell.text import safe_text
from screens.widgets.listing import Listing
from screens.widgets.pane import Page, Pane
from screens.widgets.rows import Record
from screens.widgets.table import Table

__all__ = ["FormulaPane"]

_EXPORTED = {name: name for name in ("rank", "score", "grade", "formula", "latex")}


class FormulaPane(Pane):
    """Shows one formula of an inspection."""

    DEFAULT_CSS = """
    FormulaPane .about { height: auto; max-height: 8; padding: 0 1; color: $quiet; }
    FormulaPane #formula-line { height: auto; max-height: 2; padding: 0 1; margin-bottom: 1; }
    """

    class Moved(Message):
        """Another node of the tree is under the cursor."""

    class Opened(Message):
        """The node is to be shown in the graph."""

    class Left(Message):
        """The pane on the left is wanted."""

    def __init__(self, *, id: str, share: int) -> None:
        super().__init__(title="operator tree", id=id, share=share)
        self.raw = False
        self.inspection: Inspection | None = None
        self.formula: Record | None = None
        self.drawing = TreeDrawing(id="tree")
        self._near: Mapping[str, Any] | None = None
        self._line = Static(id="formula-line")

    def compose(self) -> ComposeResult:
        hits = Listing(HIT_COLUMNS, id="nearest", fields=NEAREST_FIELDS, counts=False)
        ranked = Listing(RANKED_COLUMNS, id="ranked", fields=RANKED_FIELDS, counts=False)
        yield Page("tree", self._line, self.drawing, id="tree-page")
        yield Page("nearest", hits, Static(classes="about", id="nearest-about"), id="nearest-page")
        yield Page("runs", ranked, id="runs-page")
        yield from super().compose()

    # What is shown

    def show(self, inspection: Inspection | None) -> None:
        """Show the query formula of another inspection; what is near it comes by `show_near`."""
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
        """Show another formula of the inspection."""
        if formula is not None and self.formula is not None and formula["id"] == self.formula["id"]:
            return
        self.formula = formula
        there = self.inspection if formula is not None else None
        self.drawing.show(there.drawn(formula) if there is not None and formula is not None else None)
        self.draw()

    def draw(self) -> None:
        """Name the formula anew."""
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
        """Put the cursor on a node of the graph, in the tree of its formula."""
        if self.inspection is None:
            return
        row = self.inspection.meant(key)
        self.show_formula(self.inspection.formula_of(key))
        if not self.drawing.go_to(key) and row is not None and row["formula"]:
            self.drawing.go_to(row["id"])

    # Nearest formulas and runs

    def show_near(self, document: Mapping[str, Any] | None, error: EngineError | None = None) -> None:
        """The formulas near the query, and what the runs rank."""
        self._near = document
        for name in ("nearest", "ranked"):
            if error is not None:
                self.query_one(f"#{name}", Listing).show_error(error)
            else:
                self._load(name, document)

    def _load(self, name: str, document: Mapping[str, Any] | None) -> None:
        listing = self.query_one(f"#{name}", Listing)
        if document is None and self.inspection is None:
            listing.when_empty("No formula yet", "A topic, or a text of your own, has some.")
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
        titles = {"tree-page": "operator tree", "nearest-page": "nearest formulas", "runs-page": "runs"}
        self.title = titles[self._page]

    # Keys

    @on(TreeDrawing.Moved)
    def _moved(self, event: TreeDrawing.Moved) -> None:
        event.stop()
        self.post_message(self.Moved())

    @on(TreeDrawing.Opened)
    def _opened(self, event: TreeDrawing.Opened) -> None:
        event.stop()
        self.post_message(self.Opened())

    @on(TreeDrawing.Left)
    def _left(self, event: TreeDrawing.Left) -> None:
        event.stop()
        self.post_message(self.Left())

    @property
    def key(self) -> str:
        """The node of the graph that is under the cursor; nothing where the formula is not in it."""
        node = self.drawing.current
        return node.key if node is not None else ""

    @property
    def _page(self) -> str:
        return (self.page.id or "") if self.page is not None else ""

    @property
    def runs_shown(self) -> bool:
        """Whether what runs rank is shown, and there are some."""
        return self._page == "runs-page" and bool(self._near and self._near["runs"])

    # What the screen asks

    def selection(self, line: CommandLine) -> Selection | None:
        """The formula, or the one under the cursor of a list."""
        if self.inspection is None or self.formula is None:
            return None
        if self._page == "tree-page":
            return formula_selection(self.inspection, self.formula, line, "opt")
        row = self._listing.table.current
        if row is None:
            return text_selection(self.inspection, line)
        return hit_selection(self.inspection, row, line, ranked=self._page == "runs-page")

    @property
    def _listing(self) -> Listing:
        return self.query_one("#nearest" if self._page == "nearest-page" else "#ranked", Listing)

    def exports(self) -> Sequence[Export]:
        """The list that is shown, and the graph."""
        if self.inspection is None:
            return ()
        found = graph_exports(self.inspection)
        if self._page != "tree-page":
            subject, table = self.inspection.subject, self._listing.table
            found = [
                *table_exports(
                    "formulas",
                    f"{subject.stem}-formulas",
                    {".csv": "c", ".jsonl": "J"},
                    lambda: picked(table.visible_records(), _EXPORTED),
                    subject.params,
                ),
                *found,
            ]
        return found

    def legend(self) -> Sequence[tuple[str, str]]:
        return (
            ("O", "an operator whose operands have an order; U: one whose operands have none"),
            ("V N C F", "a variable, a number, a constant, a function"),
            ("–", "a formula that nobody judged for this topic"),
        )

"""The right pane: the strings of the representations, PENMAN, triples and alignments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from textual import events, on
from textual.app import ComposeResult

from engines.core.tree import outline
from screens.mathamr.columns import TRIPLE_COLUMNS, shown_formula
from screens.mathamr.graph import origin
from screens.mathamr.inspection import Inspection, formula_selection, graph_exports, text_selection
from screens.shell.export import CommandLine, Export, Selection
from screens.shell.theme import fold
from screens.widgets.listing import Listing, ReaderBox
from screens.widgets.pane import Page, Pane
from screens.widgets.table import Table


def alignment(inspection: Inspection, *, raw: bool) -> list[str]:
    return list(_lines(inspection, raw))


def _lines(inspection: Inspection, raw: bool) -> Iterator[str]:
    document = inspection.document
    yield f"graph: {origin(document['parser'])}"
    for warning in document["warnings"]:
        yield f"warning: {warning}"
    yield ""
    for formula in inspection.formulas:
        place = formula["place"]
        where = f"characters {place[0]} to {place[1]}" if place is not None else "not in the text"
        root = f"tree under {formula['root']}" if formula["root"] is not None else "not in the graph"
        asked = ", the query" if formula["query"] else ""
        yield f"formula {formula['id']}{asked}: {shown_formula(formula['latex'], raw)}, {where}, {root}"
    yield ""
    wide = max((len(row["id"]) for row in inspection.rows), default=0)
    for row in inspection.rows:
        place = inspection.place(row["id"])
        what = "–" if place is None else f"{inspection.parts(row['id'])}  [{place[0]}:{place[1]}]"
        name = f"→ {row['variable']}" if row["kind"] == "reference" else row["shown"]
        yield f"{row['id']:<{wide}}  {row['role']:<12} {name:<18} {what}"
    yield ""
    yield "Formula nodes are aligned by LaTeX, concepts by the spelling of words."


_KINDS = {
    "mathamr": "MathAMR",
    "mathamr-released": "MathAMR as released",
    "opt": "operator tree",
    "raw-opt": "text with operator tree",
    "raw-latex": "text with LaTeX",
    "latex": "LaTeX",
}
_HEADING = "│ "
_TEXTS = ("string", "penman", "slt", "text")
_USUAL = {"string": "s", "penman": "p", "triples": "t", "text": "x"}


class StringsPane(Pane):
    """Shows an inspection written down in lines; `Opened` means the node of a triple."""

    def __init__(self, *, id: str, share: int) -> None:
        super().__init__(title="string", id=id, share=share)
        self.raw = False
        self._inspection: Inspection | None = None
        self._key = ""

    def compose(self) -> ComposeResult:
        boxes = {name: ReaderBox(id=name) for name in _TEXTS}
        for name, box in boxes.items():
            box.reader.style = self._look_penman if name == "penman" else _look
        triples = Listing(TRIPLE_COLUMNS, id="triples", counts=False)
        yield Page("string", boxes["string"], id="string-page")
        yield Page("PENMAN", boxes["penman"], id="penman-page")
        yield Page("triples", triples, id="triples-page")
        yield Page("SLT", boxes["slt"], id="slt-page")
        yield Page("text", boxes["text"], id="text-page")
        yield from super().compose()

    def show(self, inspection: Inspection | None) -> None:
        self._inspection, self._key = inspection, ""
        self.draw()

    def light(self, key: str) -> None:
        if key == self._key or self._inspection is None:
            return
        row = self._inspection.meant(key)
        self._key = row["variable"] if row is not None else ""
        self.query_one("#penman", ReaderBox).reader.refresh()
        self.query_one("#triples", Listing).table.go_to(f"{self._key} :instance")

    def draw(self) -> None:
        if not self.is_attached or not self.query("#string"):
            return
        inspection, cells = self._inspection, max(16, self.size.width - 6)
        lines: dict[str, list[str]] = {name: [] for name in _TEXTS}
        triples = []
        if inspection is not None:
            document = inspection.document
            strings = document["strings"]
            lines = {
                "string": [
                    line
                    for name, title in _KINDS.items()
                    for line in (f"{_HEADING}{title}", *fold(strings[name], cells), "")
                ],
                "penman": document["penman"].replace(" " * 6, "  ").splitlines(),
                "slt": list(self._layouts(inspection, cells)),
                "text": list(self._whole(inspection, cells)),
            }
            triples = [
                {"id": f"{source} {role}", "source": source, "role": role, "target": target}
                for source, role, target in document["triples"]
            ]
        for name, found in lines.items():
            self.query_one(f"#{name}", ReaderBox).reader.show(found)
        self.query_one("#triples", Listing).load(triples, keep=False)

    def _layouts(self, inspection: Inspection, cells: int) -> Iterator[str]:
        query = inspection.query
        if query is not None:
            yield f"{_HEADING}{query['latex']}"
            yield from tree_lines(query["slt"])
            yield ""
            yield f"{_HEADING}as a string"
            yield from fold(inspection.document["strings"]["slt"], cells)

    def _whole(self, inspection: Inspection, cells: int) -> Iterator[str]:
        from engines.formula.unicode import render_text

        text = inspection.text
        yield from fold(text if self.raw else render_text(text), cells)
        yield ""
        for warning in inspection.document["warnings"]:
            yield from (_HEADING + line for line in fold(warning, cells - 2))

    def on_resize(self, event: events.Resize) -> None:  # noqa: ARG002
        self.call_after_refresh(self.draw)

    def _look_penman(self, line: str) -> str:
        return "bold on $cursor" if self._key and f"({self._key} /" in line else ""

    @on(Pane.PageShown)
    def _page_shown(self) -> None:
        if self.page is not None:
            self.title = self.page.label

    @on(Table.Opened, "#triples-table")
    def _triple_opened(self, event: Table.Opened) -> None:
        event.stop()
        self.post_message(self.Opened(self))

    @property
    def key(self) -> str:
        row = self.query_one("#triples", Listing).table.current
        return str(row["source"]) if row is not None else ""

    # What the screen asks

    def selection(self, line: CommandLine) -> Selection | None:
        if self._inspection is None:
            return None
        if self.page_name == "slt" and self._inspection.query is not None:
            return formula_selection(self._inspection, self._inspection.query, line, "slt")
        return text_selection(self._inspection, line, _USUAL.get(self.page_name, "s"))

    def exports(self) -> Sequence[Export]:
        return () if self._inspection is None else graph_exports(self._inspection)


def _look(line: str) -> str:
    return "$quiet" if line.startswith(_HEADING) else ""


def tree_lines(tree: Mapping[str, Any]) -> Iterator[str]:
    """A tree as `{"label", "children"}`, what hangs on a node indented under it."""
    from engines.mathamr.graph.drawing import readable

    for lead, node in outline(tree, lambda node: node.get("children", ())):
        yield lead + readable(node["label"]).replace("!", " ")

"""The sentence on top with the words of a node lit, and the right pane: strings, PENMAN, triples."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from textual import events, on
from textual.app import ComposeResult
from textual.content import Content
from textual.message import Message
from textual.style import Style
from textual.widgets import Static

from engines.core.tree import walk_outline
from screens.mathamr.contexts import TRIPLE_COLUMNS, shown_formula
from screens.mathamr.graph import describe_parser
from screens.mathamr.inspection import Inspection, formula_selection, graph_exports, text_selection
from screens.shell.export import CommandLine, Export, PaneSelection
from screens.shell.theme import fold_lines, safe_text
from screens.widgets.listing import Listing, ReaderBox
from screens.widgets.pane import Page, Pane
from screens.widgets.table import Table

_FORMULA = re.compile(r"\$([^$]*)\$")
_WORD = re.compile(r"\S+\s*|\s+")
_LIT = "bold underline on $cursor"


class SentenceView(Static):
    """At most three lines of the text, around what is lit; a click on a word posts `Picked`."""

    DEFAULT_CSS = """
    SentenceView {
        height: auto; max-height: 5; padding: 0 1; border: round $line;
        border-title-color: $quiet; border-subtitle-color: $quiet; border-subtitle-align: right;
    }
    """

    @dataclass
    class Picked(Message):
        """The word or part of a formula at this position of the text."""

        position: int

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.raw = False
        self._inspection: Inspection | None = None
        self._key = ""
        self._cells = 0

    def show_text(self, inspection: Inspection | None, origin: str = "") -> None:
        """Show another text; `origin` says whose graph of it is shown."""
        self._inspection, self._key = inspection, ""
        topic = inspection.subject.topic if inspection is not None else ""
        self.border_title = safe_text(topic or ("text" if inspection is not None else ""))
        self.border_subtitle = safe_text(origin)
        self.draw_content()

    def light_node(self, key: str) -> None:
        """Light the text that a node comes from."""
        if key != self._key:
            self._key = key
            self.draw_content()

    def draw_content(self) -> None:
        """Draw the lines again."""
        inspection = self._inspection
        if inspection is None:
            self.update(Content.styled("A formula and the sentences around it.", "$quiet"))
            return
        whole = text_content(inspection, self._key, raw=self.raw)
        most = 3 if self.app.size.height >= 30 else 2
        self.update(_lines_around(whole.wrap(self.size.width or 116), most))

    def on_resize(self, event: events.Resize) -> None:
        if event.size.width != self._cells:
            self._cells = event.size.width
            self.draw_content()

    def on_click(self, event: events.Click) -> None:
        if (span := event.style.meta.get("place")) is not None:
            self.post_message(self.Picked(span))


def text_content(inspection: Inspection, key: str, *, raw: bool) -> Content:
    """Return the text with its formulas, as LaTeX if `raw`, with the text of a node lit."""
    text, lit = inspection.text, inspection.text_span(key) or (-1, -1)
    query = inspection.query
    parts: list[Content] = []
    at = 0
    for match in _FORMULA.finditer(text):
        parts += _word_parts(text, at, match.start(), lit)
        is_query = query is not None and query["latex"] == match[1]
        style = "$accent bold" if is_query else "$accent"
        parts.append(_formula_content(match[1], match.start(1), lit, style, raw))
        at = match.end()
    parts += _word_parts(text, at, len(text), lit)
    return Content("").join(parts)


def _word_parts(text: str, start: int, end: int, lit: tuple[int, int]) -> Iterator[Content]:
    for match in _WORD.finditer(text, start, end):
        here = match.start() < lit[1] and match.end() > lit[0]
        word = match[0].replace("\n", " ")
        bare = word.rstrip()
        shown = safe_text(bare, _LIT if here else "") + Content(word[len(bare) :])
        yield shown.stylize(Style.from_meta({"place": match.start()}))


def _formula_content(latex: str, start: int, lit: tuple[int, int], style: str, raw: bool) -> Content:
    """Return a formula between its brackets. One that is lit in part has that part under the mouse, too."""
    from engines.formula.unicode import unicode_text

    # The part within the formula, cut at its ends.
    first, last = max(0, lit[0] - start), min(len(latex), lit[1] - start)
    shown, part = (latex, (first, last)) if raw else lit_part(latex, first, last, unicode_text)
    begin, end = ("$", "$") if raw else ("⟦", "⟧")
    parts = [safe_text(shown, style)]
    if first < last:
        before, lit_here, after = shown[: part[0]], shown[part[0] : part[1]], shown[part[1] :]
        parts = [safe_text(before, style), safe_text(lit_here, f"{style} {_LIT}"), safe_text(after, style)]
    parts = [safe_text(begin, "$quiet"), *parts, safe_text(end, "$quiet")]
    return Content("").join(parts).stylize(Style.from_meta({"place": start}))


def lit_part(latex: str, start: int, end: int, shown: Callable[[str], str]) -> tuple[str, tuple[int, int]]:
    """Return a formula as it is `shown`, and where the part `latex[start:end]` is in that.

    The part is found by what changes when signs are put around it, or other letters and digits in its place.
    If that fails, it is the whole formula.
    """
    whole = shown(latex)
    if not start < end or (start, end) == (0, len(latex)):
        return whole, (0, len(whole))
    before, part, after = latex[:start], latex[start:end], latex[end:]
    # First put a sign on either side of the part, and see where the signs come out.
    marked = shown(f"{before}{{ǁ {part} ǁ}}{after}")
    left, right = marked.find("ǁ"), marked.rfind("ǁ")
    inner = marked[left + 1 : right].strip()
    if left < right and marked[:left] + inner + marked[right + 1 :] == whole:
        return whole, (left, left + len(inner))
    # If that changes the drawing, replace letters and digits, and see what differs.
    for letter, other in (("n", "i"), ("Q", "R")):
        changed = shown(before + _change_letters(part, letter, other) + after)
        if len(changed) == len(whole) and changed != whole:
            differing = [at for at, sign in enumerate(whole) if sign != changed[at]]
            return whole, (differing[0], differing[-1] + 1)
    return whole, (0, len(whole))


def _change_letters(part: str, letter: str, other: str) -> str:
    def change_sign(match: re.Match[str]) -> str:
        sign = match[0]
        # Commands of LaTeX must stay what they are.
        if len(sign) > 1:
            return sign
        return str((int(sign) + 1) % 10) if sign.isdigit() else other if sign == letter else letter

    return re.sub(r"\\[A-Za-z]+|[A-Za-z0-9]", change_sign, part)


def _lines_around(lines: list[Content], most: int) -> Content:
    """So many of the lines, with the first that is lit among them; … says that there are more."""
    lit = next((n for n, line in enumerate(lines) if any(_LIT in str(span.style) for span in line.spans)), 0)
    # The line that is lit in the middle, as far as the text allows.
    start = max(0, min(lit - most // 2, len(lines) - most))
    shown = lines[start : start + most]
    dots = Content.styled("… ", "$quiet")
    if start > 0:
        shown[0] = dots + shown[0]
    if start + most < len(lines):
        shown[-1] = shown[-1].rstrip() + Content.styled(" …", "$quiet")
    return Content("\n").join(shown)


def alignment_lines(inspection: Inspection, *, raw: bool) -> Iterator[str]:
    """Describe how the nodes of the graph are aligned with the text."""
    document = inspection.document
    yield f"graph: {describe_parser(document['parser'])}"
    for warning in document["warnings"]:
        yield f"warning: {warning}"
    yield ""
    for formula in inspection.formulas:
        span = formula["place"]
        where = f"characters {span[0]} to {span[1]}" if span is not None else "not in the text"
        root = f"tree under {formula['root']}" if formula["root"] is not None else "not in the graph"
        role = ", the query" if formula["query"] else ""
        yield f"formula {formula['id']}{role}: {shown_formula(formula['latex'], raw)}, {where}, {root}"
    yield ""
    wide = max((len(row["id"]) for row in inspection.rows), default=0)
    for row in inspection.rows:
        span = inspection.text_span(row["id"])
        what = "–" if span is None else f"{inspection.node_text(row['id'])}  [{span[0]}:{span[1]}]"
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
    """The pane of an inspection's linear forms; `Opened` is posted for the node of a triple."""

    def __init__(self, *, id: str, share: int) -> None:
        super().__init__(title="string", id=id, share=share)
        self.raw = False
        self._inspection: Inspection | None = None
        self._key = ""

    def compose(self) -> ComposeResult:
        boxes = {name: ReaderBox(id=name) for name in _TEXTS}
        for name, box in boxes.items():
            box.reader.style = self._penman_style if name == "penman" else _line_style
        triples = Listing(TRIPLE_COLUMNS, id="triples")
        yield Page("string", boxes["string"], id="string-page")
        yield Page("PENMAN", boxes["penman"], id="penman-page")
        yield Page("triples", triples, id="triples-page")
        yield Page("SLT", boxes["slt"], id="slt-page")
        yield Page("text", boxes["text"], id="text-page")
        yield from super().compose()

    def show_inspection(self, inspection: Inspection | None) -> None:
        """Show the strings and triples of another inspection."""
        self._inspection, self._key = inspection, ""
        self.draw_content()

    def light_node(self, key: str) -> None:
        """Light the lines of a node."""
        if key == self._key or self._inspection is None:
            return
        row = self._inspection.resolve_reference(key)
        self._key = row["variable"] if row is not None else ""
        self.query_one("#penman", ReaderBox).reader.refresh()
        self.query_one("#triples", Listing).table.go_to(f"{self._key} :instance")

    def draw_content(self) -> None:
        """Draw the forms again."""
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
                    for line in (f"{_HEADING}{title}", *fold_lines(strings[name], cells), "")
                ],
                "penman": document["penman"].replace(" " * 6, "  ").splitlines(),
                "slt": list(self._layout_lines(inspection, cells)),
                "text": list(self._text_lines(inspection, cells)),
            }
            triples = [
                {"id": f"{source} {role}", "source": source, "role": role, "target": target}
                for source, role, target in document["triples"]
            ]
        for name, text_lines in lines.items():
            self.query_one(f"#{name}", ReaderBox).reader.show_lines(text_lines)
        self.query_one("#triples", Listing).load(triples, keep=False)

    def _layout_lines(self, inspection: Inspection, cells: int) -> Iterator[str]:
        query = inspection.query
        if query is not None:
            yield f"{_HEADING}{query['latex']}"
            yield from tree_lines(query["slt"])
            yield ""
            yield f"{_HEADING}as a string"
            yield from fold_lines(inspection.document["strings"]["slt"], cells)

    def _text_lines(self, inspection: Inspection, cells: int) -> Iterator[str]:
        from engines.formula.unicode import render_text

        text = inspection.text
        yield from fold_lines(text if self.raw else render_text(text), cells)
        yield ""
        for warning in inspection.document["warnings"]:
            yield from (_HEADING + line for line in fold_lines(warning, cells - 2))

    def on_resize(self) -> None:
        self.call_after_refresh(self.draw_content)

    def _penman_style(self, line: str) -> str:
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
        """Return the variable of the node whose triple is under the cursor, or an empty string."""
        row = self.query_one("#triples", Listing).table.current
        return str(row["source"]) if row is not None else ""

    # What the screen asks

    def selection(self, line: CommandLine) -> PaneSelection | None:
        if self._inspection is None:
            return None
        if self.page_name == "slt" and self._inspection.query is not None:
            return formula_selection(self._inspection, self._inspection.query, line, "slt")
        return text_selection(self._inspection, line, _USUAL.get(self.page_name, "s"))

    def exports(self) -> Sequence[Export]:
        return () if self._inspection is None else graph_exports(self._inspection)


def _line_style(line: str) -> str:
    return "$quiet" if line.startswith(_HEADING) else ""


def tree_lines(tree: Mapping[str, Any]) -> Iterator[str]:
    """Draw a tree of `{"label", "children"}`, one node in each line."""
    from engines.mathamr.graph.drawing import readable_label

    for lead, node in walk_outline(tree, lambda node: node.get("children", ())):
        yield lead + readable_label(node["label"]).replace("!", " ")

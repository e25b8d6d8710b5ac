"""x1 is to y1 as x2 is to what? The analogies that are measured, own ones, and what vectors answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual import on, work
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from engines.core.errors import EngineError
from screens.egraphs.asking import AT_ONCE, UNKNOWN
from screens.egraphs.forms import check, shown
from screens.egraphs.latest import Latest
from screens.egraphs.sheet import Sheet
from screens.egraphs.vectors import NOT_ENCODED, hit_verdict
from screens.keys import bindings, scope
from screens.text import count, safe_text
from screens.widgets.listing import Listing
from screens.widgets.rows import Column, Record
from screens.widgets.table import Table

if TYPE_CHECKING:
    from screens.egraphs.screen import EgraphsScreen

__all__ = ["ANALOGY_KEYS", "Analogies", "read_analogy"]

ANALOGY_KEYS = scope(
    "analogies",
    add=("write one", "Write an analogy: x1 : y1 :: x2, and = what is expected if you know it."),
)

_HITS = 20


def _analogy(record: Record) -> Content:
    x1, y1, x2 = (shown(record[name]) for name in ("x1", "y1", "x2"))
    return safe_text(x1) + _sign(" : ") + safe_text(y1) + _sign(" :: ") + safe_text(x2)


def _sign(text: str) -> Content:
    return Content.styled(text, "$accent")


_COLUMNS = (
    Column("family", "family", 16, drop=1),
    Column("x1", "x1 : y1 :: x2", show=_analogy),
    Column("y2", "expected", show=lambda record: safe_text(shown(record["y2"]) if record["y2"] else "–")),
)


def _judged(record: Record) -> Content:
    if record["verdict"] is None:
        return Content.styled("= x2", "$quiet") if record["echo"] else Content()
    glyph, colour = hit_verdict(record["verdict"], record["verdict"] == "equal")
    words = f"{glyph} {record['verdict']}"
    return Content.styled(words, colour) + Content.styled("  = x2" if record["echo"] else "", "$quiet")


_HIT_COLUMNS = (
    Column("place", "#", 3, "right"),
    Column("cosine", "cosine", 6, "right", show=lambda record: f"{record['cosine']:.4f}"),
    Column("prefix", "answer", show=lambda record: safe_text(shown(record["prefix"]))),
    Column("verdict", "expected?", 18, show=_judged),
    Column("where", "place", 7, "right", drop=1),
)


def read_analogy(text: str) -> tuple[dict[str, str], str]:
    """What was typed. Returns: the analogy in prefix notation and nothing, or nothing and what is wrong."""
    left, _, right = text.partition("::")
    third, _, expected = right.partition("=")
    x1, _, y1 = left.partition(":")
    parts = {"x1": x1, "y1": y1, "x2": third, "y2": expected}
    found = {}
    for name, part in parts.items():
        if not part.strip():
            if name == "y2":
                found[name] = ""
                continue
            return {}, f"{name} is missing: write x1 : y1 :: x2"
        found[name], wrong = check(part.strip())
        if wrong:
            return {}, f"{name}: {wrong}"
    return {"family": "own", **found}, ""


class Analogies(Sheet):
    """The analogies on top; under them the answers to the one under the cursor."""

    BINDINGS = bindings(ANALOGY_KEYS)
    DEFAULT_CSS = """
    Analogies #analogies { height: 2fr; }
    Analogies .figures { border-top: solid $line; }
    Analogies #hits { height: 3fr; }
    """

    def __init__(self, owner: EgraphsScreen, model: Path, folder: Path) -> None:
        super().__init__(owner)
        self._model = model
        self._folder = folder
        self._measured: list[dict[str, str]] = []
        self._found: Mapping[str, Any] | None = None
        self._asked: Latest[Record] = Latest(self, self._solve)

    def compose(self) -> ComposeResult:
        with Vertical() as box:
            box.border_title = safe_text(f"analogies by {self._model.name}, answers from {self._folder.name}")
            box.border_subtitle = "a write one   / filter   tab answers   y command   e export   esc close"
            yield Listing(_COLUMNS, id="analogies", fields=("family", "x1", "y1", "x2", "y2"))
            yield Static(classes="figures")
            yield Listing(
                _HIT_COLUMNS, id="hits", fields=("place", "cosine", "prefix", "verdict"), counts=False
            )

    def on_mount(self) -> None:
        self.query_one("#analogies", Listing).show_loading("listing the families")
        self._list()

    @work(exclusive=True, exit_on_error=False)
    async def _list(self) -> None:
        listing = self.query_one("#analogies", Listing)
        try:
            found = await self.ask("egen.analogies", {}, lambda _: None)
        except EngineError as error:
            listing.show_error(error)
            return
        self._measured = sorted(found["analogies"], key=lambda each: str(each["family"]))
        self._load()
        listing.table.focus()

    def _load(self) -> None:
        rows = [*self.owner.own_analogies, *self._measured]
        records: Sequence[Record] = [{"id": str(number), **row} for number, row in enumerate(rows)]
        self.query_one("#analogies", Listing).load(records, keep=False)

    @property
    def chosen(self) -> Record | None:
        """The analogy under the cursor."""
        return self.query_one("#analogies-table", Table).current

    @on(Table.Moved, "#analogies-table")
    def _moved(self) -> None:
        record = self.chosen
        self._found = None
        self.query_one(".figures", Static).update("")
        hits = self.query_one("#hits", Listing)
        if record is None:
            hits.load([], keep=False)
        else:
            hits.show_loading("asking the engine")
            self._asked.ask(record)

    def _params(self, record: Record) -> dict[str, Any]:
        asked = {name: record[name] for name in ("x1", "y1", "x2")}
        expected = {"expected": record["y2"]} if record["y2"] else {}
        return {"model": str(self._model), "data": str(self._folder), **asked, **expected, "count": _HITS}

    async def _solve(self, record: Record) -> None:
        hits = self.query_one("#hits", Listing)
        try:
            found = await self.ask(
                "egen.analogy",
                {**self._params(record), "at_most": AT_ONCE},
                lambda words: hits.show_loading(f"encoding: {words}"),
            )
        except EngineError as error:
            if error.code == UNKNOWN:
                hits.when_empty(NOT_ENCODED.what, NOT_ENCODED.advice)
                hits.load([], keep=False)
            else:
                hits.show_error(error)
            return
        if self.chosen is not record:
            return
        self._found = found
        self.query_one(".figures", Static).update(_summary(found))
        rows = [
            {
                **each,
                "id": str(place),
                "place": place,
                "where": "" if each["cluster"] is None else f"{each['cluster']}.{each['member']}",
            }
            for place, each in enumerate(found["hits"], 1)
        ]
        hits.load(rows, keep=False)

    def action_add(self) -> None:
        from screens.widgets.dialogs import Prompt

        def done(text: str | None) -> None:
            if text is not None:
                self.owner.own_analogies.insert(0, read_analogy(text)[0])
                self.query_one("#analogies", Listing).clear_filter()
                self._load()
                self.query_one("#analogies-table", Table).cursor = 0

        hint = "x1 : y1 :: x2, and if you know it = what is expected   ⏎ asks it"
        prompt = Prompt("analogy:", "", hint=hint, check=lambda text: read_analogy(text)[1])
        self.app.push_screen(prompt, done)

    def command(self) -> list[str] | None:
        """`mathwb egen analogy`."""
        record = self.chosen
        if record is None:
            return None
        words = ["egen", "analogy", self._model.name, "--corpus", str(self._folder), "-k", str(_HITS)]
        words += ["--expected", record["y2"]] if record["y2"] else []
        return [*words, "--", record["x1"], record["y1"], record["x2"]]

    def table(self) -> tuple[str, tuple[str, ...], list[list[object]], Mapping[str, object]]:
        """The answers."""
        columns = ("prefix", "cosine", "verdict", "echo", "cluster", "member")
        found = self._found or {"hits": []}
        rows = [[each[name] for name in columns] for each in found["hits"]]
        asked = {name: found[name] for name in ("x1", "y1", "x2", "expected", "place") if name in found}
        facts = {"model": self._model.name, "corpus": self._folder.name, **asked}
        return f"{self._folder.name}-{self._model.name}-analogy", columns, rows, facts


def _summary(found: Mapping[str, Any]) -> Content:
    x1, y1, x2 = (shown(found[name]["prefix"]) for name in ("x1", "y1", "x2"))
    asked = f"{x1} : {y1} :: {x2} : ?   of {count(found['candidates'])} candidates"
    lines = [safe_text(asked, "bold")]
    if found["expected"] is not None:
        place, other = found["place"], found["place_without_echo"]
        what = shown(found["expected"]["prefix"])
        if place == 1:
            lines.append(Content.styled("✓ ", "$success") + safe_text(f"{what} is the first answer"))
        elif place is None:
            where = f"is not among the first {len(found['hits'])}"
            lines.append(Content.styled("✗ ", "$error") + safe_text(f"{what} {where}"))
        else:
            more = f", {other} without forms of x2" if other not in (place, None) else ""
            lines.append(Content.styled("✗ ", "$warning") + safe_text(f"{what} is answer {place}{more}"))
    return Content("\n").join(lines)

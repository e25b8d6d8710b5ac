"""What a model gets wrong: the paper's five evaluations, each with its mistakes sorted by cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual import on, work
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from engines.core.errors import EngineError
from screens.egraphs.forms import shown
from screens.egraphs.sheet import Sheet
from screens.keys import bindings, scope
from screens.text import count, safe_text
from screens.widgets.listing import Listing
from screens.widgets.pane import TabStrip
from screens.widgets.rows import Column, Record
from screens.widgets.table import Table
from screens.widgets.textscreen import TextScreen

if TYPE_CHECKING:
    from screens.egraphs.screen import EgraphsScreen

__all__ = ["MISTAKE_KEYS", "Mistakes", "figure_lines"]

MISTAKE_KEYS = scope(
    "mistakes",
    open="Show the question, what was expected and what was predicted in full.",
    next_tab="Show the next evaluation.",
    previous_tab="Show the previous evaluation.",
)

_TASKS = ("kmeans", "semantic", "mistakes", "algebra", "retrieval")
_TITLES = ("K-means", "semantic", "mistake detection", "algebra", "retrieval")
_LISTED = 200
_COUNTS = {"semantic": 200, "mistakes": 100}
"""So many items are built here, which takes seconds; the command line takes more unless told."""


def _expression(name: str) -> Any:
    return lambda record: safe_text(shown(record[name]) if record[name] else "–")


_COLUMNS = (
    Column("cost", "cost", 7, "right", show=lambda record: f"{record['cost']:.4f}"),
    Column("query", "asked", show=_expression("query")),
    Column("expected", "expected", show=_expression("expected"), drop=1),
    Column("predicted", "predicted", show=_expression("predicted")),
)


def figure_lines(found: Mapping[str, Any]) -> Iterator[Content]:
    """A line for each figure of the paper's protocol, with the better ones beside it."""
    published = [figure for figure in found["figures"] if figure["protocol"] == "paper"]
    better = [figure for figure in found["figures"] if figure["protocol"] != "paper"]
    width = max((len(figure["name"]) for figure in published), default=0)
    for figure in published:
        beside = [other for other in better if other["name"].startswith(figure["name"])]
        name = figure["name"].replace("_", " ")
        line = safe_text(f"{name:<{width}} ", "$quiet") + _figure(figure)
        if len(beside) == 1:
            yield line + safe_text("   ") + _beside(figure, beside[0])
        else:
            yield line
            yield from (safe_text("  ") + _beside(figure, other) for other in beside)


def _beside(figure: Mapping[str, Any], other: Mapping[str, Any]) -> Content:
    """A figure of a better protocol: what its name adds, and its value."""
    rest = other["name"].removeprefix(figure["name"]).strip("_").replace("_", " ")
    return safe_text(f"{rest or 'other threshold'} ", "$quiet") + _figure(other)


def _figure(figure: Mapping[str, Any]) -> Content:
    low, high = figure["interval"]
    interval = safe_text(f" [{low:.1f}, {high:.1f}]", "$quiet")
    return safe_text(f"{figure['value']:6.2f} %", "bold") + interval


class Mistakes(Sheet):
    """One evaluation at a time; it is run when it is first shown, and kept while the screen lives."""

    BINDINGS = bindings(MISTAKE_KEYS)

    def __init__(self, owner: EgraphsScreen, model: Path, folder: Path) -> None:
        super().__init__(owner)
        self._model = model
        self._folder = folder
        self._at = 0

    def compose(self) -> ComposeResult:
        with Vertical() as box:
            box.border_title = safe_text(f"mistakes of {self._model.name} on {self._folder.name}")
            box.border_subtitle = "⏎ open   [ ] evaluation   / filter   y command   e export   esc close"
            yield TabStrip()
            yield Static(classes="figures")
            yield Listing(_COLUMNS, id="wrong", fields=("cost", "query", "expected", "predicted", "note"))

    def on_mount(self) -> None:
        self._show()

    @property
    def evaluation(self) -> str:
        """The evaluation that is shown."""
        return _TASKS[self._at]

    def _params(self) -> dict[str, Any]:
        more = {"count": _COUNTS[self.evaluation]} if self.evaluation in _COUNTS else {}
        return {"task": self.evaluation, "model": str(self._model), "data": str(self._folder), **more}

    @property
    def report(self) -> Mapping[str, Any] | None:
        """What the engine returned, once it did."""
        return self.owner.reports.get((str(self._model), str(self._folder), self.evaluation))

    def _show(self) -> None:
        self.query_one(TabStrip).show_tabs(_TITLES, self._at)
        listing, figures = self.query_one(Listing), self.query_one(".figures", Static)
        found = self.report
        if found is None:
            figures.update("")
            listing.show_loading("measuring")
            self._measure(self._params())
            return
        wrong = f"{count(found['wrong'])} wrong"
        if found["wrong"] > len(found["mistakes"]):
            wrong += f", the costliest {count(len(found['mistakes']))} are listed"
        lines = [*figure_lines(found), safe_text(wrong, "$quiet")]
        figures.update(Content("\n").join(lines))
        listing.when_empty("Nothing was wrong", "")
        rows: Sequence[Record] = [{"id": str(n), **each} for n, each in enumerate(found["mistakes"])]
        listing.load(rows, keep=False)
        listing.table.focus()

    @work(exclusive=True, exit_on_error=False)
    async def _measure(self, params: dict[str, Any]) -> None:
        listing = self.query_one(Listing)

        def tell(words: str) -> None:
            if self.evaluation == params["task"]:
                listing.show_loading(f"measuring: {words}")

        key = (params["model"], params["data"], params["task"])
        try:
            found = await self.ask("egen.eval", {**params, "worst": _LISTED}, tell)
        except EngineError as error:
            if self.evaluation == params["task"]:
                listing.show_error(error)
            return
        self.owner.reports[key] = found
        if self.evaluation == params["task"]:
            self._show()

    def action_next_tab(self) -> None:
        self._step(1)

    def action_previous_tab(self) -> None:
        self._step(-1)

    def _step(self, by: int) -> None:
        self._at = (self._at + by) % len(_TASKS)
        self._show()

    @on(TabStrip.Picked)
    def _picked(self, event: TabStrip.Picked) -> None:
        self._at = event.index
        self._show()

    @on(Table.Opened)
    def _opened(self) -> None:
        record = self.query_one(Listing).table.current
        if record is not None:
            self.app.push_screen(TextScreen("mistake", list(_whole(record))))

    def command(self) -> list[str]:
        """`mathwb egen eval`."""
        words = ["egen", "eval", self.evaluation, self._model.name, "--data", str(self._folder)]
        if self.evaluation in _COUNTS:
            words += ["--count", str(_COUNTS[self.evaluation])]
        return [*words, "--worst", str(_LISTED)]

    def table(self) -> tuple[str, tuple[str, ...], list[list[object]], Mapping[str, object]]:
        """The mistakes."""
        columns = ("cost", "query", "expected", "predicted", "note")
        found = self.report or {"mistakes": [], "figures": [], "setting": {}}
        rows = [[each[name] for name in columns] for each in found["mistakes"]]
        facts = {"model": self._model.name, "corpus": self._folder.name, "task": self.evaluation}
        made = {"setting": found["setting"], "figures": found["figures"]}
        return f"{self._folder.name}-{self._model.name}-{self.evaluation}", columns, rows, {**facts, **made}


def _whole(record: Record) -> Iterator[str]:
    for title, name in (("asked", "query"), ("expected", "expected"), ("predicted", "predicted")):
        yield title
        text = record[name]
        yield from (f"  {line}" for line in ([shown(text), text] if text else ["nothing"]))
        yield ""
    yield f"cost {record['cost']:.6f}"
    if record["note"]:
        yield f"note {record['note']}"

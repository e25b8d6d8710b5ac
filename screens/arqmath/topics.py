"""The left pane: the collections as tabs, the topics with their scores, and the run's mean over them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from textual import events, on
from textual.app import ComposeResult
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from screens.arqmath.lists import LossListing
from screens.arqmath.looks import TOPIC_COLUMNS, TOPIC_FIELDS, fraction, sparkline
from screens.widgets.pane import Pane, TabStrip
from screens.widgets.rows import Record

__all__ = ["TopicsPane", "topic_records"]


class TopicsPane(Pane):
    """Says `Picked` when another collection is to be shown."""

    DEFAULT_CSS = """
    TopicsPane #mean { height: 2; padding: 0 1; border-top: none; }
    """

    class Picked(Message):
        """The collection with this name is to be shown."""

        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

    def __init__(self, *, id: str, share: int) -> None:
        self.listing = LossListing(TOPIC_COLUMNS, loss="delta", id="topics", fields=TOPIC_FIELDS)
        self.listing.when_empty(
            "No collection yet", "mathwb data add arqmath FOLDER registers your copy of ARQMath."
        )
        super().__init__(self.listing, Static(id="mean"), title="topics", id=id, share=share)
        self.names: Sequence[str] = ()
        self.shown = ""
        self._facts: Mapping[str, Any] = {}
        self._values: list[float] = []

    def compose(self) -> ComposeResult:
        yield from super().compose()

    def show_names(self, names: Sequence[str], shown: str) -> None:
        """The collections there are, and which one the table shows."""
        self.names, self.shown = tuple(names), shown
        self._strip.display = len(names) > 1
        self._strip.show_tabs(names, self.names.index(shown) if shown in self.names else -1)

    def step(self, by: int) -> None:
        """Ask for the next or previous collection."""
        if self.names:
            at = self.names.index(self.shown) if self.shown in self.names else 0
            self.post_message(self.Picked(self.names[(at + by) % len(self.names)]))

    @on(TabStrip.Picked)
    async def _strip_picked(self, event: TabStrip.Picked) -> None:
        event.stop()
        event.prevent_default()
        self.post_message(self.Picked(self.names[event.index]))

    def show_run(self, facts: Mapping[str, Any], values: Sequence[float]) -> None:
        """The run's mean with its interval, and its topics as a line of bars."""
        self._facts, self._values = facts, list(values)
        self._draw()

    def on_resize(self, event: events.Resize) -> None:  # noqa: ARG002
        self.call_after_refresh(self._draw)

    def _draw(self) -> None:
        foot = next(iter(self.query("#mean").results(Static)), None)
        if foot is None:
            return
        mean = self._facts.get("ndcg_prime")
        foot.display = bool(self._facts)
        if mean is None:
            foot.update(Content.styled("no judgements for this run", "$quiet"))
            return
        line = sparkline(self._values, self.size.width - 4, plain=bool(getattr(self.app, "ascii", False)))
        low, high = self._facts["interval"]
        words = f"mean {fraction(mean)} [{fraction(low)}, {fraction(high)}]"
        foot.update(Content.assemble((line, "$accent"), "\n", words))


def topic_records(
    overview: Mapping[str, Any], run: str, against: str, *, plain: bool = False
) -> list[Record]:
    """The topics as one run does on them, held against another; `plain` leaves formulas as LaTeX."""
    records: list[Record] = []
    for topic in overview["topics"]:
        ndcg, before = topic["ndcg"].get(run), topic["ndcg"].get(against)
        info = {name.casefold(): value.casefold() for name, value in topic["info"].items()}
        grades = topic["grades"] or ()
        records.append(
            {
                "id": topic["id"],
                "title": topic["title" if plain else "shown"],
                "ndcg": ndcg,
                "before": before,
                "delta": ndcg - before if ndcg is not None and before is not None else None,
                "kind": topic["kind"],
                "difficulty": info.get("difficulty", ""),
                "category": info.get("category", ""),
                "judged": sum(grades),
                "relevant": sum(grades[2:]),
                "run": list(topic["judged"]),
            }
        )
    return records

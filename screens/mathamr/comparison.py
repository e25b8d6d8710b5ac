"""Comparison of two graphs of a text: the triples of both, and those that only one has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from screens.shell.export import Export, picked, table_exports
from screens.shell.frame import Frame
from screens.shell.request import Answer
from screens.shell.text import safe_text
from screens.widgets.listing import Listing
from screens.widgets.rows import Column, Record
from screens.widgets.sheet import Sheet

__all__ = ["Comparison"]

_SIGNS = {"both": (" ", ""), "one": ("−", "$error"), "other": ("+", "$success")}


def _told(name: str) -> Column:
    return Column(name, name, show=lambda r: safe_text(r[name], _SIGNS[r["in"]][1]))


_COLUMNS = (
    Column("sign", "", 1, show=lambda r: Content(_SIGNS[r["in"]][0]), sort=lambda r: r["in"]),
    _told("source"),
    Column("role", "role", 16, show=lambda r: safe_text(r["role"], _SIGNS[r["in"]][1] or "$quiet")),
    _told("target"),
)


class Comparison(Sheet):
    """Two graphs given as PENMAN text with the names of whose they are; the second is asked for if it is
    given as the settings of an inspection."""

    class Inspected(Answer):
        """The other graph is there."""

    class Compared(Answer):
        """They are compared."""

    def __init__(
        self, workbench: Frame, stem: str, shown: tuple[str, str], other: str, params: Mapping[str, Any]
    ) -> None:
        super().__init__(workbench)
        self._stem, self._other = stem, other
        self._name, self._penman = shown
        self._penman_other = ""
        self._params = params
        self._inspect = self.request("mathamr.inspect", self.Inspected)
        self._compare = self.request("mathamr.compare", self.Compared)
        self.rows = Listing(_COLUMNS, id="triples-compared", fields=("in", "source", "role", "target"))

    def compose(self) -> ComposeResult:
        with Vertical() as box:
            box.border_title = safe_text(f"{self._name}  against  {self._other}")
            box.border_subtitle = "/ filter   y command   e export   esc close"
            yield Static(classes="figures")
            yield self.rows

    def on_mount(self) -> None:
        self.rows.show_loading(f"asking for the graph: {self._other}")
        self._inspect.ask({**self._params, "k": 0})

    @on(Inspected)
    def _inspected(self, event: Inspected) -> None:
        if event.error is not None:
            self.rows.show_error(event.error)
            return
        self._penman_other = event.value["penman"]
        self._compare.ask({"one": self._penman, "other": self._penman_other})

    @on(Compared)
    def _compared(self, event: Compared) -> None:
        if event.error is not None:
            self.rows.show_error(event.error)
            return
        found = event.value
        count = {where: sum(row["in"] == where for row in found["triples"]) for where in _SIGNS}
        least = "" if found["optimal"] else "at least "
        lines = (
            f"Smatch {least}{found['f1']:.3f}   precision {found['precision']:.3f}   "
            f"recall {found['recall']:.3f}",
            f"{count['both']} triples in both   − {count['one']} only {self._name}",
            f"+ {count['other']} only {self._other}",
        )
        self.query_one(".figures", Static).update(Content("\n").join(map(safe_text, lines)))
        self.rows.load([{**row, "id": str(number)} for number, row in enumerate(found["triples"])])
        self.rows.table.focus()

    def command(self) -> list[str] | None:
        if not self._penman_other:
            return None
        return ["mathamr", "compare", self._penman, self._penman_other]

    def exports(self) -> Sequence[Export]:
        rows: Sequence[Record] = self.rows.table.visible_records()
        if not rows:
            return ()
        return table_exports(
            "triples",
            f"{self._stem}-compared",
            {".csv": "c", ".jsonl": "J"},
            lambda: picked(rows, {name: name for name in ("in", "source", "role", "target")}),
            {"one": self._penman, "other": self._penman_other},
        )

"""The edit path between two equations: their trees side by side, node by node, and what becomes of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from engines.core.tree import Tree
from engines.mwp.problems.equation import parse_infix
from screens.shell.export import Export, picked, table_exports
from screens.shell.frame import Frame
from screens.shell.request import Answer
from screens.shell.text import safe_text
from screens.triplets.columns import figure
from screens.triplets.drawing import aligned, node_lines
from screens.widgets.listing import Listing
from screens.widgets.rows import Column, Record
from screens.widgets.sheet import Sheet

__all__ = ["EditPath", "Pair", "rows"]

_LOOKS = {"keep": "$quiet", "rename": "$warning", "delete": "$error", "insert": "$success"}
_SIGNS = {"keep": "=", "rename": "→", "delete": "−", "insert": "+"}


@dataclass(frozen=True, slots=True)
class Pair:
    """Two normalised equations in infix notation, each with the name of its problem."""

    left_name: str
    left: str
    right_name: str
    right: str


class _Compared(Answer):
    """The edits are there."""


def _step(record: Record) -> Content:
    look = _LOOKS[record["edit"]]
    return Content.styled(
        f"{_SIGNS[record['edit']]} {record['edit'] if record['edit'] != 'keep' else ''}", look
    )


def _node(name: str) -> Any:
    def cell(record: Record) -> Content:
        return safe_text(record[name], "" if record["edit"] == "keep" else _LOOKS[record["edit"]] + " bold")

    return cell


class EditPath(Sheet):
    """Shows the shortest way from one equation to another."""

    def __init__(self, workbench: Frame, pair: Pair) -> None:
        super().__init__(workbench)
        self.pair = pair
        columns = (
            Column("left", pair.left_name, 40, show=_node("left"), unfiltered="it draws a tree"),
            Column("edit", "edit", 10, show=_step),
            Column("right", pair.right_name, show=_node("right"), unfiltered="it draws a tree"),
        )
        self._listing = Listing(columns, id="edits", counts=False)
        self._about = Static(classes="figures")
        self._compare = self.request("mwp.similarity", _Compared)

    def compose(self) -> ComposeResult:
        with Vertical() as box:
            box.border_title = safe_text(f"from {self.pair.left_name} to {self.pair.right_name}")
            box.border_subtitle = "y command   e export   esc close"
            yield self._about
            yield self._listing

    def on_mount(self) -> None:
        self._listing.show_loading("comparing")
        self._compare.ask({"left": self.pair.left, "right": self.pair.right}, self.pair)

    @on(_Compared)
    def _compared(self, event: _Compared) -> None:
        if event.error is not None:
            self._listing.show_error(event.error)
            return
        found = event.value
        lefts, rights = found["nodes"]
        self._about.update(
            Content.assemble(
                safe_text(f"{found['left']}  →  {found['right']}", "bold"),
                "\n",
                safe_text(
                    f"similarity 1 − {found['distance']}/({lefts} + {rights}) "
                    f"= {figure(found['similarity'])}",
                    "$quiet",
                ),
            )
        )
        self._listing.load(rows(found))
        self._listing.table.focus()

    def command(self) -> list[str] | None:
        """The command that prints the same."""
        return ["mwp", "similarity", self.pair.left, self.pair.right]

    def exports(self) -> list[Export]:
        """The edits as a table."""
        if not len(self._listing.table.rows):
            return []
        heads = {"left": self.pair.left_name, "edit": "edit", "right": self.pair.right_name}
        return table_exports(
            "edit path",
            "edit-path",
            {".csv": "c", ".jsonl": "j"},
            lambda: picked(self._listing.table.visible_records(), heads),
            {"left": self.pair.left, "right": self.pair.right},
        )


def rows(found: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The nodes of both trees with what becomes of them, as `mwp.similarity` says."""
    left, right = (list(node_lines(parse_infix(found[name], Tree))) for name in ("left", "right"))
    return [
        {
            "id": place,
            "left": "" if edit["left"] is None else left[edit["left"]],
            "edit": edit["kind"],
            "right": "" if edit["right"] is None else right[edit["right"]],
        }
        for place, edit in enumerate(aligned(found["edits"]))
    ]

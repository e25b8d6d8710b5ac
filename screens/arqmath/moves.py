"""Moves: two rankings side by side, with lines from where a relevant answer was to where it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from textual.content import Content

from screens.arqmath.columns import grade_cell
from screens.shell.text import DOTS, safe_text
from screens.widgets.listing import Listing
from screens.widgets.rows import Column, Record
from screens.widgets.table import Table

__all__ = ["MovesListing"]

_CELLS = 11
_RUN = "its title is the name of a run"
_DRAWN = 100
"""Moves are drawn among so many first ranks."""


class MovesTable(Table):
    """Always in the order of the ranks: the lines between them are drawn across the rows."""

    def why_not(self, verb: str) -> str:
        """Why the order stays."""
        return "lines are drawn from rank to rank" if verb in ("sort", "reverse") else super().why_not(verb)

    def set_sorting(self, sorting: tuple[str, bool] | None) -> None:
        """Nothing: see above."""

    def restore(self, state: Mapping[str, object]) -> None:
        """All but an order."""
        super().restore({**state, "sorting": None})


class MovesListing(Listing):
    """Two rankings, rank by rank, with lines from where a relevant answer was to where it is.

    `side` says whose answer the cursor is on. The answer under the cursor has its line drawn too.
    """

    def __init__(self, *, id: str) -> None:
        self.side = "right"
        self.names = ("", "")
        self._canvas: list[list[tuple[int, int]]] = []
        self._pairs: list[tuple[int, int, int, str]] = []
        columns = (
            Column("rank", "rank", 4, "right"),
            Column("left", "left", show=lambda r: self._end(r, "left"), unfiltered=_RUN),
            Column("moves", "", _CELLS, show=self._moves),
            Column("right", "right", show=lambda r: self._end(r, "right"), unfiltered=_RUN),
        )
        super().__init__(columns, id=id, fields=("rank",), counts=False, table=MovesTable)

    @property
    def chosen(self) -> Record | None:
        """The answer under the cursor, on the chosen side."""
        record = self.table.current
        found: Record | None = record[self.side] if record is not None else None
        return found

    def take_side(self, side: str) -> None:
        """Put the cursor on the other ranking."""
        self.side = side
        self.draw()

    def show(self, rows: Sequence[Record], names: tuple[str, str], *, keep: bool) -> None:
        """Show rows of `answer_rows`; `names` are the runs on the left and on the right."""
        self.names = names
        left = {row["other"]: row for row in rows if row["other"] is not None}
        right = {row["rank"]: row for row in rows if row["rank"] is not None}
        count = max([0, *left, *right])
        self._pairs = [
            (row["other"] - 1, row["rank"] - 1, row["grade"] or 0, row["id"])
            for row in rows
            if row["other"] is not None and row["rank"] is not None
        ]
        rename = {"left": names[0], "right": names[1]}
        # The headings are the names of the runs.
        self.table.columns = tuple(
            replace(column, title=rename.get(column.name, column.title)) for column in self.table.columns
        )
        self._canvas = []
        self.load(
            [
                {"id": str(rank), "rank": rank, "left": left.get(rank), "right": right.get(rank)}
                for rank in range(1, count + 1)
            ],
            keep=keep,
        )
        if not keep:
            self.table.cursor = 0
        self.draw()

    def draw(self) -> None:
        """Draw the moves anew; the line of the chosen answer is above all others."""
        chosen = self.chosen["id"] if self.chosen is not None else None
        lines = min(len(self.table.rows), _DRAWN)
        dots = [[(0, 0)] * _CELLS for _ in range(lines)]
        drawn = [
            (3 if name == chosen else 2 if there > here else 1, here, there)
            for here, there, grade, name in self._pairs
            if (grade > 0 or name == chosen) and here < lines and there < lines
        ]
        wide = 2 * _CELLS - 1
        for look, here, there in sorted(drawn):
            start, end = 4 * here + 1, 4 * there + 1
            steps = max(abs(end - start), wide)
            for step in range(steps + 1):
                x, y = round(step * wide / steps), round(start + (end - start) * step / steps)
                bits, before = dots[y // 4][x // 2]
                dots[y // 4][x // 2] = (bits | DOTS[y % 4][x % 2], max(look, before))
        self._canvas = dots
        self.table.refresh()

    def _moves(self, record: Record) -> Content:
        place = record["rank"] - 1
        if place >= len(self._canvas):
            return Content()
        looks = ("", "$success", "$warning", "$accent bold")
        parts = [
            Content.styled(chr(0x2800 | bits), looks[look]) if bits else Content(" ")
            for bits, look in self._canvas[place]
        ]
        return Content("").join(parts)

    def _end(self, record: Record, side: str) -> Content:
        row: Mapping[str, Any] | None = record[side]
        if row is None:
            return Content()
        here = self.chosen is not None and row["id"] == self.chosen["id"]
        look = "$accent bold" if here else "$foreground" if row["grade"] else "$quiet"
        text = safe_text(row["answer"] or row["id"], look)
        return grade_cell(row["grade"], row["own"]) + Content(" ") + text

"""The left pane: the sets of problems as tabs, and their problems with the margins of their triplets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engines.core.errors import EngineError
from screens.shell.export import Export, picked, table_exports
from screens.shell.selection import CommandLine, Lookup, Selection
from screens.triplets.choice import Choice
from screens.triplets.columns import ANCHOR_COLUMNS, ANCHOR_FIELDS
from screens.triplets.selection import Shown, home, triplet_selection
from screens.widgets.listing import Listing
from screens.widgets.pane import ListPane
from screens.widgets.rows import Record

__all__ = ["AnchorsPane"]

_EXPORTED: Mapping[str, str] = {
    "id": "anchor",
    "template": "equation",
    **{name: name for name in ("positive", "negative", "margin", "strategy", "label")},
}


class AnchorsPane(ListPane):
    """Lists the problems of a set."""

    def __init__(self, *, id: str) -> None:
        super().__init__(Listing(ANCHOR_COLUMNS, id="anchors", fields=ANCHOR_FIELDS), title="anchors", id=id)
        self.shown: Shown | None = None
        """The triplet of the anchor under the cursor, once it is there."""
        self._stem = "triplets"
        self.show_none()

    def show_none(self) -> None:
        """There is no set."""
        self.listing.when_empty("No problems yet", "mathwb data add problems FILE registers your own.")
        if self.is_attached:
            self.listing.load([])

    def show_loading(self, name: str) -> None:
        """A set is being read."""
        self.listing.show_loading(f"reading {name}")

    def show_error(self, error: EngineError) -> None:
        """It cannot be read."""
        self.listing.show_error(error)

    def show_anchors(self, name: str, choice: Choice, records: Sequence[Record]) -> None:
        """Show the problems of a set, with their triplets by a choice."""
        self._stem = name
        self.listing.home = home(name, choice)
        self.listing.when_empty("No problem has an equation", "i says what was skipped.")
        self.listing.load(records, keep=True)

    @property
    def anchor_id(self) -> str:
        """The id of the problem under the cursor."""
        return self.table.current_key or ""

    def why_not(self, verb: str) -> str:
        """An anchor has to be there."""
        return "there is no problem" if verb == "open" and not self.anchor_id else super().why_not(verb)

    def selection(self, line: CommandLine) -> Selection | None:
        """The triplet of the anchor under the cursor."""
        return None if self.shown is None else triplet_selection(self.shown, line)

    def exports(self) -> Sequence[Export]:
        """The lines as they are filtered and sorted."""
        if not len(self.table.rows):
            return ()
        return table_exports(
            "list of triplets",
            f"{self._stem}-triplets",
            {".csv": "c", ".tex": "t"},
            lambda: picked(self.table.visible_records(), _EXPORTED),
            {"filter": self.listing.query_text},
        )

    def legend(self) -> Sequence[tuple[str, str]]:
        return (
            ("margin", "likeness of text to the negative less that to the positive: the larger, the harder"),
            ("✗", "labelled as a bad triplet"),
            ("p n", "another positive, another negative than by the choice before"),
            ("1", "the only problem with its equation"),
        )

    def lookups(self) -> Sequence[Lookup]:
        """`:triplet 12`."""
        return (Lookup("triplet", "Go to the triplet of a problem by its id.", self.listing.go_to),)

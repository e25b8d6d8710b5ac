"""The left pane: sets of problems as tabs, and their problems."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from screens.shell.export import CommandLine, Destination, Export, Lookup, Selection, exported
from screens.triplets.choice import Choice
from screens.triplets.columns import ANCHOR_COLUMNS, Shown, home, triplet_selection
from screens.widgets.listing import Listing
from screens.widgets.pane import ListPane
from screens.widgets.table import Record
from workbench.papers.mwp.tables import CHOSEN
from workbench.workspace import Workspace


def destinations(workspace: Workspace) -> Iterator[Destination]:
    """The sets; of those that lie in the workspace the problems too, by id and text.

    Registered files may be large and of any format: their problems are found on the screen.
    """
    from workbench.papers.mwp.data import held, sets

    own = set(held(workspace))
    for name, path in sets(workspace).items():
        home = ("problems", name)
        yield Destination((home,), "a set of math word problems")
        if path.parent in own:
            yield from (
                Destination((home, ("triplet", id_)), f"problem: {text}") for id_, text in _problems(path)
            )


def _problems(path: Path) -> Iterator[tuple[str, str]]:
    for line in path.read_text("utf-8", "replace").splitlines():
        try:
            row = json.loads(line)
            yield str(row["id"]), str(row.get("original") or row["text"])
        except (ValueError, KeyError, TypeError):
            continue  # the screen says what is wrong with the file


class AnchorsPane(ListPane):
    NONE = "No problems yet", "Register your own with: mathwb data add problems FILE"

    def __init__(self, *, id: str) -> None:
        super().__init__(Listing(ANCHOR_COLUMNS, id="anchors", fields=CHOSEN.fields), title="anchors", id=id)
        self.shown: Shown | None = None
        """The triplet of the anchor under the cursor, once it is there."""
        self._stem = "triplets"

    def show_anchors(self, name: str, choice: Choice, records: Sequence[Record]) -> None:
        self._stem = name
        self.listing.home = home(name, choice)
        self.listing.when_empty("No problem has an equation", "i shows what was skipped.")
        self.listing.load(records, keep=True)

    @property
    def anchor_id(self) -> str:
        return self.table.current_key or ""

    def why_not(self, verb: str) -> str:
        return "there is no problem" if verb == "open" and not self.anchor_id else super().why_not(verb)

    def selection(self, line: CommandLine) -> Selection | None:
        return None if self.shown is None else triplet_selection(self.shown, line)

    def exports(self) -> Sequence[Export]:
        if not len(self.table.rows):
            return ()
        return exported(
            CHOSEN,
            "list of triplets",
            f"{self._stem}-triplets",
            {".csv": "c", ".tex": "t"},
            self.table.visible_records,
            {"filter": self.listing.query_text},
        )

    def legend(self) -> Sequence[tuple[str, str]]:
        return (
            ("margin", "text similarity to the negative minus that to the positive; larger is harder"),
            ("✗", "labelled as a bad triplet"),
            ("p n", "the positive or negative differs from the previous choice's"),
            ("1", "the only problem with its equation"),
        )

    def lookups(self) -> Sequence[Lookup]:
        return (Lookup("triplet", "Go to the triplet of a problem by its id.", self.listing.go_to),)

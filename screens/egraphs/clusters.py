"""The left pane: the corpora of the workspace as tabs over one table of clusters."""

from __future__ import annotations

from collections.abc import Sequence

from textual import on
from textual.message import Message

from screens.egraphs.looks import CLUSTER_COLUMNS, CLUSTER_FIELDS
from screens.widgets.listing import Listing
from screens.widgets.pane import Pane, TabStrip

__all__ = ["ClustersPane"]


class ClustersPane(Pane):
    """Says `Picked` when another corpus is to be shown."""

    class Picked(Message):
        """The corpus with this name is to be shown."""

        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

    def __init__(self, *, id: str, share: int) -> None:
        listing = Listing(CLUSTER_COLUMNS, id="clusters", fields=CLUSTER_FIELDS)
        listing.when_empty("No corpus yet", "a grows an expression; the Jobs screen (3) builds a corpus.")
        super().__init__(listing, title="clusters", id=id, share=share)
        self.names: Sequence[str] = ()
        self.shown = ""

    def show_names(self, names: Sequence[str], shown: str) -> None:
        """The corpora there are, and which one the table shows."""
        self.names, self.shown = tuple(names), shown
        strip = self._strip
        strip.display = len(names) > 1
        strip.show_tabs(names, self.names.index(shown) if shown in self.names else -1)

    def step(self, by: int) -> None:
        """Ask for the next or previous corpus."""
        if self.names:
            at = self.names.index(self.shown) if self.shown in self.names else 0
            self.post_message(self.Picked(self.names[(at + by) % len(self.names)]))

    @on(TabStrip.Picked)
    async def _strip_picked(self, event: TabStrip.Picked) -> None:
        event.stop()
        event.prevent_default()
        self.post_message(self.Picked(self.names[event.index]))

"""The search page: answers found by the first stage, reordered as a cross-encoder scores them."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from textual.message import Message

from screens.arqmath.columns import HIT_COLUMNS, HIT_FIELDS, hit_rows
from screens.arqmath.runs import Runs
from screens.arqmath.search import MOST, origin
from screens.shell.export import Export, picked, table_exports
from screens.shell.text import count
from screens.widgets.listing import Listing

__all__ = ["HitList"]

_EXPORTED: Mapping[str, str] = {
    "first": "first_stage",
    "again": "probability",
    "id": "id",
    "score": "score",
    "answer": "answer",
}


_NOTHING_YET = "Nothing was searched for yet", "a asks."


class HitList(Listing):
    """What was found for the words that were `asked`, ranked again by `model`; `words` say how."""

    class Changed(Message):
        """Something was found, or is in another order."""

    def __init__(self, *, id: str) -> None:
        super().__init__(HIT_COLUMNS, id=id, fields=HIT_FIELDS, counts=False)
        self.asked = ""
        self.model: Path | None = None
        self._hits: list[dict[str, Any]] = []
        self._how = ""
        self._plain = False
        self._began = 0.0
        self.when_empty(*_NOTHING_YET)

    def forget(self) -> None:
        """Another collection comes: what was found is not of it."""
        self.asked, self.model, self._hits, self._how = "", None, [], ""
        self.when_empty(*_NOTHING_YET)
        self.load([])

    def begin(self, query: str, model: Path | None, *, plain: bool) -> None:
        """A search has begun, with a cross-encoder or without; `plain` leaves formulas as LaTeX."""
        self.asked, self.model, self._hits, self._how = query, model, [], ""
        self._plain, self._began = plain, time.monotonic()
        self.when_empty("No answer has a word of the query", "a asks something else.")
        self.show_loading(f"searching for {query}")

    def hear(self, data: Mapping[str, Any]) -> None:
        """Show what an event of `arqmath.search` tells: answers, then scores of a cross-encoder."""
        if data.get("stage") == "first":
            model = self.model
            self._take(
                data["hits"], f"{data['how']}, {model.name} is read   x stops" if model else data["how"]
            )
        elif data.get("stage") == "rerank":
            for hit in self._hits:
                hit["again"] = data["probabilities"].get(hit["id"], hit["again"])
            self._how = f"ranked again {data['done']} of {data['total']}   x stops"
            self._show()

    def finish(self, found: Mapping[str, Any]) -> None:
        """Show what `arqmath.search` answered."""
        model = self.model
        second = f"then {model.name} ({origin(model)})" if model else "not ranked again"
        self._take(found["hits"], f"{found['how']}, {second}, {time.monotonic() - self._began:.1f} s")

    def _take(self, hits: Sequence[Mapping[str, Any]], how: str) -> None:
        self._hits, self._how = hit_rows(hits, plain=self._plain), how
        self._show()

    def _show(self) -> None:
        # What has a second opinion comes first, by it; the rest as the first stage has it.
        self._hits.sort(key=lambda hit: (hit["again"] is None, -(hit["again"] or 0.0), hit["first"]))
        self.load(list(self._hits))
        self.post_message(self.Changed())

    @property
    def wanted(self) -> tuple[str, Path | None]:
        """What was asked last, and of which model; answers to anything else come too late."""
        return self.asked, self.model

    @property
    def words(self) -> str:
        """How many there are, and what ranked them."""
        return f"{count(len(self._hits))} answers · {self._how}" if self._how else ""

    @property
    def command(self) -> list[str]:
        """What `arqmath search` is to be told behind the index, to find the same."""
        model = [] if self.model is None else ["--model", str(self.model)]
        return [self.asked, "-k", str(MOST), *model]

    def exports(self, runs: Runs) -> Sequence[Export]:
        """What was found as a table."""
        if not self._hits:
            return ()
        return table_exports(
            "what was found",
            f"{runs.collection.name}-search",
            {".csv": "h", ".tex": "H"},
            lambda: picked(self.table.visible_records(), _EXPORTED),
            {**runs.origin, "query": self.asked},
        )

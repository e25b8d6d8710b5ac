"""The left pane: topics with their scores, and answers found by a search."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from textual import events
from textual.content import Content
from textual.widgets import Static

from screens.arqmath.columns import (
    HIT_COLUMNS,
    TOPIC_COLUMNS,
    hit_rows,
    sparkline,
    topic_records,
    topic_selection,
)
from screens.arqmath.runs import Runs, fraction
from screens.arqmath.searching import MOST, origin
from screens.shell.export import CommandLine, Export, Selection, exported
from screens.shell.theme import count
from screens.widgets.listing import Listing
from screens.widgets.pane import ListPane
from screens.widgets.table import Record, Table
from workbench.papers.arqmath.tables import HITS, TOPICS


class TopicsPane(ListPane):
    NONE = "No collection yet", "Register your copy of ARQMath with: mathwb data add arqmath FOLDER"
    DEFAULT_CSS = """
    TopicsPane #mean { height: 2; padding: 0 1; border-top: none; }
    """

    def __init__(self, *, id: str, share: int) -> None:
        table = partial(Table, loss="delta")
        listing = Listing(TOPIC_COLUMNS, id="topics", fields=TOPICS.fields, table=table)
        self._mean = Static(id="mean")
        self._mean.display = False
        super().__init__(listing, self._mean, title="topics", id=id, share=share)
        self._runs: Runs | None = None
        self._plain = False
        self._records: Sequence[Record] = ()

    def show_loading(self, what: str) -> None:
        self._runs = None
        self._mean.display = False
        self.listing.show_loading(what)

    def show_runs(self, runs: Runs, *, plain: bool) -> None:
        """The topics with the scores of the run that is shown; `plain` leaves formulas as LaTeX."""
        self._runs, self._plain = runs, plain
        self._records = topic_records(runs.overview, runs.run, runs.against, plain=plain)
        self.listing.when_empty(
            "No topics, judgements or runs", "An arqmath.toml in the folder can name them."
        )
        self._draw_mean()
        self.listing.home = f"{runs.address}/topic"
        self.listing.load(self._records, keep=True)

    def begin_at_first_score(self) -> None:
        """Put the cursor, if nobody has moved it or sorted yet, on the first topic that the run has."""
        if self.table.cursor == 0 and self.table.sorting is None:
            scored = (str(record["id"]) for record in self._records if record["ndcg"] is not None)
            if (first := next(scored, None)) is not None:
                self.table.go_to(first)

    @property
    def records(self) -> Sequence[Record]:
        return self._records

    @property
    def empty(self) -> bool:
        return not len(self.table.rows)

    @property
    def topic(self) -> str:
        return self.table.current_key or ""

    # The run's mean

    def on_resize(self, event: events.Resize) -> None:  # noqa: ARG002
        self.call_after_refresh(self._draw_mean)

    def _draw_mean(self) -> None:
        facts = self._runs.facts if self._runs is not None else {}
        self._mean.display = bool(facts)
        mean = facts.get("ndcg_prime")
        if mean is None:
            self._mean.update(Content.styled("no judgements for this run", "$quiet"))
            return
        values = [record["ndcg"] for record in self._records if record["ndcg"] is not None]
        line = sparkline(values, self.size.width - 4, plain=self._plain)
        low, high = facts["interval"]
        words = f"mean {fraction(mean)} [{fraction(low)}, {fraction(high)}]"
        self._mean.update(Content.assemble((line, "$accent"), "\n", words))

    # What the screen asks

    def legend(self) -> Sequence[tuple[str, str]]:
        return (
            (
                "nDCG′",
                "of the shown run; 1 if the best answers come first; unjudged answers are ignored",
            ),
            ("delta", "nDCG′ minus that of the run compared with"),
            (sparkline((0.0, 0.5, 1.0), 3, plain=self._plain), "nDCG′ topic by topic, from 0 to 1"),
            ("[.5, .6]", "95 % bootstrap interval of the mean, over topics"),
        )

    def selection(self, line: CommandLine) -> Selection | None:
        topic = self.table.current
        return None if topic is None or self._runs is None else topic_selection(topic, self._runs, line)

    def exports(self) -> Sequence[Export]:
        if self._runs is None:
            return ()
        stem = f"{self._runs.collection.name}-topics"
        return exported(
            TOPICS, "topics", stem, {".csv": "c", ".tex": "t"}, self.table.visible_records, self._runs.origin
        )


_NOTHING_YET = "No search yet", "a asks."


class HitList(Listing):
    """What was found for the words that were `asked`, ranked again by `model`; `words` say how. `Selected`
    comes when more was found, or in another order."""

    def __init__(self, *, id: str) -> None:
        super().__init__(HIT_COLUMNS, id=id, fields=HITS.fields, counts=False)
        self.asked = ""
        self.model: Path | None = None
        self._hits: list[dict[str, Any]] = []
        self._how = ""
        self._plain = False
        self._began = 0.0
        self.when_empty(*_NOTHING_YET)

    def forget(self) -> None:
        self.asked, self.model, self._hits, self._how = "", None, [], ""
        self.when_empty(*_NOTHING_YET)
        self.load([])

    def begin(self, query: str, model: Path | None, *, plain: bool) -> None:
        self.asked, self.model, self._hits, self._how = query, model, [], ""
        self._plain, self._began = plain, time.monotonic()
        self.when_empty("No answer has a word of the query", "a starts another search.")
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
        self.post_message(ListPane.Selected(self))

    @property
    def wanted(self) -> tuple[str, Path | None]:
        return self.asked, self.model

    @property
    def words(self) -> str:
        return f"{count(len(self._hits))} answers · {self._how}" if self._how else ""

    @property
    def command(self) -> list[str]:
        model = [] if self.model is None else ["--model", str(self.model)]
        return [self.asked, "-k", str(MOST), *model]

    def exports(self, runs: Runs) -> Sequence[Export]:
        if not self._hits:
            return ()
        return exported(
            HITS,
            "the results",
            f"{runs.collection.name}-search",
            {".csv": "h", ".tex": "H"},
            self.table.visible_records,
            {**runs.origin, "query": self.asked},
        )

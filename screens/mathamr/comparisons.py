"""Two graphs of a text, or the runs of a collection, side by side."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from screens.shell.export import Export, engine_writer, pick_columns, table_exports
from screens.shell.request import CachedRequest, RequestAnswer
from screens.shell.screen import Sheet
from screens.shell.theme import safe_text
from screens.widgets.dialogs import frame_dialog
from screens.widgets.listing import Listing
from screens.widgets.table_columns import Record
from workbench.tables import Column

_SIGNS = {"both": (" ", ""), "one": ("−", "$error"), "other": ("+", "$success")}


def _side_column(name: str) -> Column:
    return Column(name, name, show=lambda r: safe_text(r[name], _SIGNS[r["in"]][1]))


_COLUMNS = (
    Column("sign", "", 1, show=lambda r: Content(_SIGNS[r["in"]][0]), sort=lambda r: r["in"]),
    _side_column("source"),
    Column("role", "role", 16, show=lambda r: safe_text(r["role"], _SIGNS[r["in"]][1] or "$quiet")),
    _side_column("target"),
)


class GraphComparison(Sheet):
    """The comparison of two graphs, each PENMAN text with the name of its parser.

    The second graph is asked for with the parameters of an inspection.
    """

    def __init__(self, stem: str, shown: tuple[str, str], other: str, params: Mapping[str, Any]) -> None:
        super().__init__()
        self._stem, self._other = stem, other
        self._name, self._penman = shown
        self._penman_other = ""
        self._params = params
        self.rows = Listing(_COLUMNS, id="triples-compared", fields=("in", "source", "role", "target"))

    def compose(self) -> ComposeResult:
        title, keys = f"{self._name}  against  {self._other}", "/ filter   y command   e export   esc close"
        yield frame_dialog(title, keys, Static(classes="figures"), self.rows)

    def on_mount(self) -> None:
        waiting = f"waiting for the graph: {self._other}"

        def compare_graphs(inspection: Mapping[str, Any]) -> None:
            self._penman_other = inspection["penman"]
            both = {"one": self._penman, "other": self._penman_other}
            self.ask_for(self.rows, "mathamr.compare", both, self._show_comparison, waiting)

        # First the other graph, then the comparison of both.
        self.ask_for(self.rows, "mathamr.inspect", {**self._params, "k": 0}, compare_graphs, waiting)

    def _show_comparison(self, comparison: Mapping[str, Any]) -> None:
        count = {where: sum(row["in"] == where for row in comparison["triples"]) for where in _SIGNS}
        # Where the search for the best match was cut short, the score is a lower bound.
        least = "" if comparison["optimal"] else "at least "
        lines = (
            f"Smatch {least}{comparison['f1']:.3f}   precision {comparison['precision']:.3f}   "
            f"recall {comparison['recall']:.3f}",
            f"{count['both']} triples in both   − {count['one']} only {self._name}",
            f"+ {count['other']} only {self._other}",
        )
        self.query_one(".figures", Static).update(Content("\n").join(map(safe_text, lines)))
        self.rows.load([{**row, "id": str(number)} for number, row in enumerate(comparison["triples"])])
        self.rows.table.focus()

    def command_words(self) -> list[str] | None:
        if not self._penman_other:
            return None
        return ["mathamr", "compare", self._penman, self._penman_other]

    def exports(self) -> Sequence[Export]:
        if not (rows := self.rows.table.visible_records()):
            return ()
        table = lambda: pick_columns(rows, {name: name for name in self.rows.fields})  # noqa: E731
        facts = {"one": self._penman, "other": self._penman_other}
        keys = {".csv": "c", ".jsonl": "J"}
        return table_exports("triples", f"{self._stem}-compared", keys, table, facts)


_MEASURE = "ndcg10_prime"


def _run_names(paths: Sequence[str]) -> list[str]:
    """Return the runs by the names of their files, written as filters can ask for them, each once."""
    names: list[str] = []
    for path in paths:
        name = re.sub(r"\W", "_", Path(path).name.partition(".")[0].casefold())
        # `topic` is the name of the first column.
        names.append(name if name not in ("topic", *names) else f"{name}_{len(names) + 1}")
    return names


def _difference_column(name: str) -> Column:
    def draw_difference(record: Record) -> Content:
        value = record[name]
        return safe_text(f"{value:+.4f}", "$success" if value > 0 else "$error" if value < 0 else "$quiet")

    return Column(name, name, 12, "right", show=draw_difference)


class StandingsSheet(Sheet):
    """The scores of a collection's runs, by topic."""

    def __init__(self, name: str, folder: str) -> None:
        super().__init__()
        self._name, self._folder = name, folder
        self._measure = CachedRequest(self, "mathamr.standings", self._show_standings)
        self._found: Mapping[str, Any] | None = None
        self._runs: list[str] = []
        keys = "/ filter   s sort   y command   e export   esc close"
        self._box = frame_dialog(f"runs of {name}, by topic", keys, Static(classes="figures"))

    def compose(self) -> ComposeResult:
        yield self._box

    def on_mount(self) -> None:
        self.query_one(Static).update(f"measuring the runs of {self._name}")
        self._measure.ask({"folder": self._folder})

    async def _show_standings(self, event: RequestAnswer) -> None:
        # The columns are known only with the answer, so the list is made here.
        if event.error is not None:
            listing = Listing((Column("topic", "topic"),), id="standings")
            await self._box.mount(listing)
            listing.show_error(event.error)
            return
        self._found = result = event.value
        self._runs = _run_names(result["runs"])
        first, *others = self._runs
        columns = (
            Column("topic", "topic", 8),
            Column(first, first, 12, "right", show=lambda record: f"{record[first]:.4f}"),
            *map(_difference_column, others),
        )
        listing = Listing(columns, id="standings", fields=("topic", *self._runs))
        await self._box.mount(listing)
        self.query_one(".figures", Static).update(
            Content("\n").join(map(safe_text, self._summary_lines(result)))
        )
        listing.load(self._topic_records(result))
        listing.table.focus()

    def _summary_lines(self, result: Mapping[str, Any]) -> list[str]:
        tests = {one["run"]: one for one in result["comparisons"] if one["measure"] == _MEASURE}
        others = f"; other runs minus {self._runs[0]}" if len(self._runs) > 1 else ""
        lines = [f"nDCG′@10 over {result['topics']} judged topics{others}"]
        for name, system in zip(self._runs, result["systems"], strict=True):
            low, high = system["intervals"][_MEASURE]
            test = tests.get(system["run"])
            line = f"{name}   {system[_MEASURE]:.4f} ({low:.3f} to {high:.3f})"
            if test:
                counts = f"{test['wins']} topics better, {test['losses']} worse"
                line += f"   {test['difference']:+.4f}, {counts}, p {test['bonferroni_p']:.3f}"
            lines.append(line)
        return lines

    def _topic_records(self, result: Mapping[str, Any]) -> list[Record]:
        first, *others = (system["per_topic"] for system in result["systems"])
        records: list[Record] = []
        for topic, row in first.items():
            known = {"id": topic, "topic": topic, self._runs[0]: row[_MEASURE]}
            for name, other in zip(self._runs[1:], others, strict=True):
                known[name] = other[topic][_MEASURE] - row[_MEASURE]
            records.append(known)
        return records

    def command_words(self) -> list[str] | None:
        if (result := self._found) is None:
            return None
        words = ["mathamr", "eval", *result["runs"], "--index", result["index"]]
        words += [word for path in result["qrels"] for word in ("--qrels", path)]
        return words if result["unit"] == "formula" else [*words, "--unit", result["unit"]]

    def exports(self) -> Sequence[Export]:
        if (result := self._found) is None:
            return ()
        table = self.query_one(Listing).table
        given = {"index": result["index"], "runs": result["runs"], "qrels": result["qrels"]}
        settings = {**given, "unit": result["unit"]}
        draw = engine_writer(self.workbench.engine, "mathamr.eval", settings, settings, out="plot")
        rows = lambda: pick_columns(table.visible_records(), {name: name for name in ("topic", *self._runs)})  # noqa: E731
        what, stem, keys = "runs by topic", f"{self._name}-runs", {".csv": "c", ".tex": "t"}
        tables = table_exports(what, stem, keys, rows, settings)
        return (*tables, Export("s", f"{what} as SVG", ".svg", stem, draw))

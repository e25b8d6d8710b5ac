"""Columns of the MathAMR screen's tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from textual.content import Content

from engines.core.tree import branch
from screens.shell.theme import safe_text
from screens.widgets.table import Record
from workbench.papers.mathamr.tables import NEAREST, TOPICS, topic_row
from workbench.tables import Column, TableSpec

STYLES: Mapping[str, str] = {"concept": "$foreground", "operator": "$warning", "constant": "$success"}
"""The colours of kinds of nodes; what refers to a node elsewhere has that node's."""


def shown_formula(latex: str, raw: bool) -> str:
    from engines.formula.unicode import unicode_text

    return latex if raw else unicode_text(latex)


def _node(record: Record) -> Content:
    """A node behind the lines that lead to it: `│ └ :math ▸ plus +4`."""
    role = safe_text(f"{record['role']} " if record["role"] else "", "$quiet")
    reference = record["kind"] == "reference"
    folded = not record["open"]
    sign = "↗ " if reference else "▸ " if folded else ""
    look = STYLES.get(record["meant"], "$foreground")
    name = safe_text(record["shown"], f"{look} italic" if reference else look)
    more = safe_text(f" +{record['below']}", "$quiet") if folded else Content()
    return (
        Content.styled(branch(record["last"]), "$line") + role + Content.styled(sign, "$accent") + name + more
    )


def _quiet(name: str) -> Callable[[Record], Content]:
    return lambda record: safe_text(record[name], "$quiet")


_DRAWN = "it draws role and concept, which are fields"
GRAPH_COLUMNS = (
    Column("node", "node", 80, show=_node, sort=lambda r: r["depth"], unfiltered=_DRAWN),
    Column("variable", "variable", 8, show=_quiet("variable"), drop=1),
    Column("word", "word", show=_quiet("word"), drop=2),
)
GRAPH_FIELDS = ("role", "concept", "kind", "variable", "word", "depth", "formula")


def _graph(record: Record) -> Content:
    return Content.styled("✓", "$success") if record["graph"] == "yes" else Content.styled("–", "$quiet")


TOPIC_COLUMNS = TOPICS.drawn(graph=_graph, formula=lambda record: safe_text(record["formula"], "$foreground"))


def topic_records(topics: Iterable[Mapping[str, Any]], *, raw: bool) -> list[Record]:
    return [{**topic_row(topic), "formula": shown_formula(topic["latex"], raw)} for topic in topics]


def _grade(record: Record) -> Content:
    grade = record["grade"]
    if grade is None:
        return Content.styled("–", "$quiet")
    return Content.styled(str(grade), ("$quiet", "", "$success", "$success bold")[grade])


HIT_COLUMNS = NEAREST.drawn(
    score=lambda record: f"{record['score']:.3f}"[:5],
    grade=_grade,
    latex=lambda record: safe_text(record["shown"], "$foreground"),
    post=_quiet("post"),
)
RANKED = TableSpec(
    (
        *NEAREST.columns[:-1],
        Column("run", "run", 8, show=_quiet("run")),
        Column("elsewhere", "elsewhere", 14, show=_quiet("elsewhere"), drop=1),
    )
)
"""What runs rank, side by side."""
RANKED_COLUMNS = (
    HIT_COLUMNS[0],
    replace(HIT_COLUMNS[1], drop=2),
    *HIT_COLUMNS[2:4],
    *RANKED.columns[-2:],
)


def ranked_records(runs: Iterable[Mapping[str, Any]], *, raw: bool) -> list[Record]:
    return [
        {**record, "id": f"{run['name']} {record['id']}", "run": run["name"], "elsewhere": _elsewhere(record)}
        for run in runs
        for record in hit_records(run["formulas"], raw=raw)
    ]


def _elsewhere(record: Record) -> str:
    """The formula's rank in each other run: further up there ↑, further down ↓, – where it is not."""
    parts = []
    for name, rank in record["elsewhere"].items():
        sign = (
            "–"
            if rank is None
            else "="
            if rank == record["rank"]
            else "↑↓"[rank > record["rank"]] + str(rank)
        )
        parts.append(f"{name} {sign}")
    return ", ".join(parts)


def hit_records(found: Iterable[Mapping[str, Any]], *, raw: bool) -> list[Record]:
    return [
        {"post": "", **one, "id": str(one["rank"]), "shown": shown_formula(one["latex"], raw)}
        for one in found
    ]


TRIPLE_COLUMNS = (
    Column("source", "source", 8, show=_quiet("source")),
    Column("role", "role", 16, show=_quiet("role")),
    Column("target", "target"),
)

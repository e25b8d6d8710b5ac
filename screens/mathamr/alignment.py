"""Alignment of an inspection in lines: what each formula and node comes from, and what was wrong."""

from __future__ import annotations

from collections.abc import Iterator

from screens.mathamr.columns import shown_formula
from screens.mathamr.graph import origin
from screens.mathamr.inspection import Inspection

__all__ = ["alignment"]


def alignment(inspection: Inspection, *, raw: bool) -> list[str]:
    """Parser, warnings, formulas, then the nodes with the text that each comes from."""
    return list(_lines(inspection, raw))


def _lines(inspection: Inspection, raw: bool) -> Iterator[str]:
    document = inspection.document
    yield f"graph: {origin(document['parser'])}"
    for warning in document["warnings"]:
        yield f"warning: {warning}"
    yield ""
    for formula in inspection.formulas:
        place = formula["place"]
        where = f"characters {place[0]} to {place[1]}" if place is not None else "not in the text"
        root = f"tree under {formula['root']}" if formula["root"] is not None else "not in the graph"
        asked = ", the query" if formula["query"] else ""
        yield f"formula {formula['id']}{asked}: {shown_formula(formula['latex'], raw)}, {where}, {root}"
    yield ""
    wide = max((len(row["id"]) for row in inspection.rows), default=0)
    for row in inspection.rows:
        place = inspection.place(row["id"])
        what = "–" if place is None else f"{inspection.parts(row['id'])}  [{place[0]}:{place[1]}]"
        name = f"→ {row['variable']}" if row["kind"] == "reference" else row["shown"]
        yield f"{row['id']:<{wide}}  {row['role']:<12} {name:<18} {what}"
    yield ""
    yield "Nodes of formulas are placed by their LaTeX, concepts by the spelling of their words."

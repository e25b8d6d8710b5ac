"""MathAMR's registration."""

from __future__ import annotations

from workbench.paper import Paper

__all__ = ["PAPER"]

PAPER = Paper(
    name="mathamr",
    key="5",
    title="MathAMR",
    help="Formulas in context as graphs: trees, strings, search.",
    operations="workbench.papers.mathamr.operations:OPERATIONS",
    folder="mathamr",
    references={"formulas": "workbench.papers.mathamr.places:index_path"},
)

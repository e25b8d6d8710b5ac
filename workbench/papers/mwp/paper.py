"""The registration of the paper on math word problems."""

from __future__ import annotations

from workbench.paper import DataKey, Paper

__all__ = ["PAPER"]

PAPER = Paper(
    name="mwp",
    key="2",
    title="Triplets",
    help="Math word problems: read, augment, find hard triplets.",
    operations="workbench.papers.mwp.operations:OPERATIONS",
    kinds="workbench.papers.mwp.data:KINDS",
    data=(DataKey("problems", "problems", "workbench.papers.mwp.data:place"),),
    folder="problems",
    doctor="workbench.papers.mwp.doctor:examine",
    tour="workbench.papers.mwp.tour:tour",
    references={"problems": "workbench.papers.mwp.data:problems_path"},
)

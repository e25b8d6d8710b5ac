"""MathAMR's registration."""

from __future__ import annotations

from workbench.paper import Paper, Trainer

__all__ = ["PAPER"]

PAPER = Paper(
    name="mathamr",
    key="5",
    title="MathAMR",
    help="Formulas in context as graphs: trees, strings, search.",
    operations="workbench.papers.mathamr.operations:OPERATIONS",
    trainers=(
        Trainer(
            "mathamr.sentences",
            "engines.mathamr.training.sentences:sentence_encoder",
            data=("collection", "index", "encoder"),
            begins="encoder",
        ),
        Trainer(
            "mathamr.trees",
            "engines.mathamr.training.trees:tree_encoder",
            data=("collection", "index", "backbone"),
            begins="backbone",
        ),
        Trainer(
            "mathamr.graphs",
            "engines.mathamr.training.graphs:graph_encoder",
            data=("collection", "index", "backbone"),
            begins="backbone",
        ),
    ),
    settings="workbench.papers.mathamr.settings:KEYS",
    folder="mathamr",
    doctor="workbench.papers.mathamr.doctor:examine",
    tour="workbench.papers.mathamr.tour:tour",
    kinds="workbench.papers.mathamr.data:KINDS",
    references={
        "amr": "workbench.papers.mathamr.data:amr_path",
        "formulas": "workbench.papers.mathamr.places:index_path",
    },
)

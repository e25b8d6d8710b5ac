"""The registration of the paper on math word problems."""

from __future__ import annotations

from workbench.paper import DataKey, Paper, Trainer

__all__ = ["PAPER"]

PAPER = Paper(
    name="mwp",
    key="2",
    title="Triplets",
    help="Math word problems: read, augment, find hard triplets.",
    operations="workbench.papers.mwp.operations:OPERATIONS",
    trainers=(
        Trainer(
            "mwp.solver",
            "engines.mwp.solver.training:solver",
            ("engines.mwp.solver.settings:SolverSettings",),
            data=("problems", "also", "unlike", "development", "labels", "encoder"),
            begins="encoder",
        ),
    ),
    kinds="workbench.papers.mwp.data:KINDS",
    data=tuple(
        DataKey(name, "problems", "workbench.papers.mwp.data:place")
        for name in ("problems", "also", "development", "unlike")
    ),
    folder="problems",
    doctor="workbench.papers.mwp.doctor:examine",
    tour="workbench.papers.mwp.tour:tour",
    references={
        "problems": "workbench.papers.mwp.data:problems_path",
        "solver": "workbench.papers.mwp.models:solver_path",
    },
)

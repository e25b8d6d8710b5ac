"""MathAMR's operations, in the order in which help lists them."""

from __future__ import annotations

from workbench.operation import Operation

__all__ = ["OPERATIONS"]

_ENGINE = "engines.mathamr"

OPERATIONS = (
    Operation(
        "mathamr.opt",
        "The operator tree of a formula.",
        spec=f"{_ENGINE}.representations.opt:Opt",
        call=f"{_ENGINE}.representations.opt:opt",
        text="workbench.papers.mathamr.text:opt",
        expressions=True,
        json_lines=True,
    ),
    Operation(
        "mathamr.graft",
        "Put operator trees of formulas into AMR graphs.",
        spec=f"{_ENGINE}.graph.graft:Graft",
        call=f"{_ENGINE}.graph.graft:graft",
        json_lines=True,
    ),
    Operation(
        "mathamr.linearize",
        "Write MathAMR graphs as strings.",
        spec=f"{_ENGINE}.graph.linearize:Linearize",
        call=f"{_ENGINE}.graph.linearize:linearize",
        json_lines=True,
    ),
)

"""MathAMR's operations, in the order in which help lists them."""

from __future__ import annotations

from workbench.operation import Operation

__all__ = ["OPERATIONS"]

_ENGINE = "engines.mathamr"
_TEXT = "workbench.papers.mathamr.text"

OPERATIONS = (
    Operation(
        "mathamr.opt",
        "The operator tree of a formula.",
        spec=f"{_ENGINE}.representations.opt:Opt",
        call=f"{_ENGINE}.representations.opt:opt",
        text=f"{_TEXT}:opt",
        expressions=True,
        json_lines=True,
    ),
    Operation(
        "mathamr.slt",
        "The symbol layout tree of a formula.",
        spec=f"{_ENGINE}.representations.slt:Slt",
        call=f"{_ENGINE}.representations.slt:slt",
        text=f"{_TEXT}:slt",
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
    Operation(
        "mathamr.draw",
        "A graph as a picture, or for Graphviz.",
        spec=f"{_ENGINE}.graph.drawing:Draw",
        call=f"{_ENGINE}.graph.drawing:draw",
        text=f"{_TEXT}:draw",
    ),
)

"""Settings that several of MathAMR's specs share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from engines.core.spec import Arg

__all__ = [
    "ONE_FORMULA",
    "Compared",
    "FormulaIndexed",
    "Reader",
    "Representation",
    "SomeCollection",
    "SomeEncoder",
    "Window",
]

ONE_FORMULA = "Name one: --latex 'x^2' or --file FILE."
"""What to do where neither or both are given."""

SomeCollection = Annotated[
    Path, Arg("A collection, or its name.", ref="collection", metavar="FOLDER", option=False)
]
FormulaIndexed = Annotated[
    Path,
    Arg("What `mathwb mathamr index` made, or a collection's name.", ref="formulas", option=True),
]
SomeEncoder = Annotated[str, Arg("minilm, or a model folder.", ref="encoder")]
Representation = Literal[
    "opt", "slt", "latex", "raw-latex", "raw-opt", "amr-latex", "mathamr", "mathamr-marked", "graph"
]
Compared = Literal[
    "opt", "slt", "latex", "raw-latex", "raw-opt", "amr-latex", "mathamr", "mathamr-marked", "graph", "paths"
]
"""The representations, and the parts that operator trees share, which need no encoder."""
Window = Annotated[int, Arg("Sentences before and after that of the formula.", low=0, high=3)]
Reader = Annotated[
    Literal["builtin", "latexml"], Arg("latexml: LaTeXML, where it is installed; all at once.")
]
"""What reads LaTeX."""

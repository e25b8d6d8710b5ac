"""Choices and arguments that several operations on collections have in common; light to import."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from engines.core.spec import Arg

__all__ = ["Added", "Against", "By", "Candidates", "Family", "IndexFolder", "RunName", "SomeCollection"]

By = Literal["model", "formulas", "interaction"]
"""What a second stage scores by."""
Candidates = Literal["index", "judged", "tagged", "all"]
"""What a cross-encoder scores: a first stage's best, the judged answers, those to questions that share a
tag with the topic, or all there are."""

Family = Literal["bert", "albert", "roberta"]
"""Architectures of language models."""

SomeCollection = Annotated[
    Path, Arg("A collection's folder, or its name in the workspace.", ref="collection", metavar="FOLDER")
]
Added = Annotated[tuple[Path, ...], Arg("Run files from elsewhere.", hidden=True)]
IndexFolder = Annotated[Path | None, Arg("The collection's index; it need not be there.", hidden=True)]
RunName = Annotated[str, Arg("Name of a run, or a run file.", shown="the last")]
Against = Annotated[str, Arg("The run that it is held against.", shown="the first")]

"""Arguments that several operations take."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from engines.core.spec import Arg

Family = Literal["bert", "albert", "roberta"]
"""Architectures of language models."""

SomeCollection = Annotated[
    Path, Arg("A collection's folder, or its name in the workspace.", ref="collection", metavar="FOLDER")
]
IndexFolder = Annotated[Path | None, Arg("The collection's index; it need not be there.", hidden=True)]

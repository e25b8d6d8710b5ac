"""Model folders: those that ship, and which hold a model of expressions at all."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

from engines.core.assets import models_folder
from engines.core.spec import Arg

ModelFolder = Annotated[Path, Arg("A folder (of sentence-transformers too), or a model's name.", ref="model")]


_BEST = "egen-both"


def shipped_models() -> list[Path]:
    """All models of expressions that ship, the best first."""
    found = models_folder().glob("egen-*")
    return sorted(found, key=lambda folder: (folder.name != _BEST, folder.name))


def embeds(folder: Path) -> bool:
    """Whether a folder holds a model of ours, or one of sentence-transformers."""
    try:
        if (folder / "modules.json").exists():
            about = json.loads((folder / "config_sentence_transformers.json").read_bytes())
            return about.get("model_type") != "CrossEncoder"
    except (OSError, ValueError, AttributeError):
        return True
    try:
        return "egen" in json.loads((folder / "config.json").read_bytes())
    except (OSError, ValueError):
        return False


def models_among(folders: Iterable[Path]) -> list[Path]:
    """The models that turn expressions into vectors: those that ship, then those among the folders; of two
    with the same name the latter."""
    found = {folder.name: folder for folder in (*shipped_models(), *folders) if embeds(folder)}
    return list(found.values())

"""Indexing a collection, as a task."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from engines.core.events import Sink, Stop

__all__ = ["index"]


def index(params: dict[str, Any], *, events: Sink, stop: Stop) -> dict[str, Any]:
    """Index the answers of a collection. Params: folder, out, dense, encoder (minilm or a model folder).

    Returns: as `engines.arqmath.index.build_index`.
    """
    from engines.arqmath.folder import ArqmathFolder
    from engines.arqmath.index import build_index

    return build_index(
        ArqmathFolder.open(params["folder"]),
        Path(params["out"]),
        dense=bool(params.get("dense")),
        encoder=params.get("encoder") or "minilm",
        events=events,
        stop=stop,
    )

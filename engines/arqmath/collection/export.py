"""Documents of an index as other tools for retrieval read them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from engines.core.errors import StoppedError
from engines.core.events import Event, Sink, Stop, ignore, never
from engines.core.spec import Arg

__all__ = ["ExportDocuments", "export"]

_ROWS = 2_000


@dataclass(frozen=True, slots=True)
class ExportDocuments:
    """Write the answers of an index as lines of JSON, as Pyserini and PyTerrier index them.

    Each line has `id` and `contents`: the title of the question, a line break, the answer with its formulas
    as `$latex$`, which is what is searched here.
    """

    index: Annotated[
        Path,
        Arg("What `mathwb arqmath index` made, or an indexed collection.", ref="index", metavar="DIR"),
    ]
    out: Annotated[Path, Arg("The file to write.", option=True, writes=True)]


def export(spec: ExportDocuments, *, events: Sink = ignore, stop: Stop = never) -> dict[str, Any]:
    """The file appears whole or not at all.

    Returns: out, documents. Events: progress in documents. Raises: DataError for a folder that is no index,
    as `open_index`, and when `out` cannot be written; StoppedError after a stop.

    >>> from engines.core.assets import asset
    >>> from tempfile import mkdtemp
    >>> from engines.arqmath import IndexCollection, index
    >>> place = Path(mkdtemp())
    >>> _ = index(IndexCollection(asset("sample/arqmath/sample-forum"), place / "index"))
    >>> export(ExportDocuments(place / "index", place / "documents.jsonl"))["documents"]
    182
    """
    import json

    from engines.arqmath.collection.index import document_text, open_index
    from engines.core.files import atomic_writer

    store = open_index(spec.index).store
    ids = store.answer_ids()
    with atomic_writer(spec.out) as file:
        for begin in range(0, len(ids), _ROWS):
            if stop():
                raise StoppedError("the export was stopped", remedy="Run it again.")
            for post in store.many(ids[begin : begin + _ROWS]).values():
                row = {"id": post.id, "contents": document_text(post)}
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
            done = min(begin + _ROWS, len(ids))
            events(Event("progress", {"done": done, "total": len(ids), "unit": "documents"}))
    return {"out": str(spec.out), "documents": len(ids)}

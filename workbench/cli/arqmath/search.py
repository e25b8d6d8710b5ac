"""`mathwb arqmath search DIR QUERY`: look something up in an indexed collection."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from workbench.cli.common import Json, emit, table
from workbench.errors import UsageError

__all__ = ["search"]


class How(StrEnum):
    """What a search goes by."""

    lexical = "lexical"
    dense = "dense"
    fused = "fused"


def search(
    folder: Annotated[
        str,
        typer.Argument(help="What `mathwb arqmath index` made, or an indexed collection.", metavar="DIR"),
    ],
    query: Annotated[str, typer.Argument(help="Words, and formulas between dollar signs.", metavar="QUERY")],
    k: Annotated[int, typer.Option("-k", min=1, max=10_000, help="How many answers.")] = 10,
    how: Annotated[
        How | None,
        typer.Option(
            "--how",
            help="By words and formulas (BM25), by vectors, or both joined by reciprocal ranks. "
            "[default: both, where there are vectors]",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Search the answers of an indexed collection."""
    from engines.arqmath.index import open_index
    from engines.retrieval.tokens import snippet
    from workbench.collections import index_path

    if not query.strip():
        raise UsageError("there is nothing to search for", code="E402", remedy="Name words or a formula.")
    found = open_index(index_path(folder))
    way = found.how if how is None else how.value
    hits = found.search(query, k, how=way)
    posts = found.store.many(hit.id for hit in hits)
    rows = [
        {
            "rank": rank,
            "score": round(hit.score, 6),
            "id": hit.id,
            "question": posts[hit.id].parent,
            "title": posts[hit.id].title,
            "snippet": snippet(posts[hit.id].text, query),
        }
        for rank, hit in enumerate(hits, start=1)
    ]
    document = {"query": query, "how": way, "answers": len(found), "hits": rows}
    if not rows:
        emit(document, as_json, text="nothing found: no answer has a word or symbol of the query")
        return
    lines = []
    for line, row in zip(
        table(
            ["", "score", "answer", "title"],
            [[r["rank"], f"{r['score']:.4f}", r["id"], r["title"]] for r in rows],
        ),
        [None, *rows],
        strict=True,
    ):
        lines.append(line)
        if row is not None:
            lines.append(f"      {row['snippet']}")
    emit(document, as_json, text=lines)

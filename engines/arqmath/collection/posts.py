"""Posts of a collection: one with the question that it answers, and how several begin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from engines.arqmath.choices import IndexFolder, SomeCollection
from engines.core.errors import DataError
from engines.core.spec import Arg

__all__ = ["Post", "Snippets", "post", "snippets"]


@dataclass(frozen=True, slots=True)
class Post:
    """Print a post with its formulas written for a terminal, and the question that it answers."""

    folder: SomeCollection
    id: Annotated[str, Arg("The post's id.")]
    latex: Annotated[bool, Arg("Formulas as LaTeX.")] = False
    index: IndexFolder = None


@dataclass(frozen=True, slots=True)
class Snippets:
    """Print how posts begin, in a line each."""

    folder: SomeCollection
    ids: Annotated[tuple[str, ...], Arg("The posts' ids.")]
    latex: Annotated[bool, Arg("Formulas as LaTeX.")] = False
    index: IndexFolder = None


def post(spec: Post) -> dict[str, Any]:
    """One post, from the index where there is one, else by reading the posts through.

    Returns: id, kind, title, text (written for a terminal), latex_title, latex (as they are kept), tags,
    parent, score, question (the same of its question, or None). Raises: DataError E375 when there is no such
    post, and for a collection without posts.

    >>> from engines.core.assets import asset
    >>> forum = asset("sample/arqmath/sample-forum")
    >>> post(Post(forum, "9001034"))["question"]["id"]
    '9001008'
    """
    from engines.arqmath.collection.lookup import as_record, find_posts, rows_left_out
    from engines.forum.folder import ArqmathFolder

    folder = ArqmathFolder.open(spec.folder)
    found = find_posts(folder, [spec.id], spec.index).get(spec.id)
    if found is None:
        lost = rows_left_out(folder, spec.index)
        where = f"; it may be in a row that could not be read, of which there are {lost:,}" if lost else ""
        raise DataError(
            f"there is no post {spec.id!r}{where}",
            path=folder.path,
            code="E375",
            exit_code=3,
            remedy="Ids are shown by: mathwb arqmath show, or mathwb arqmath search",
        )
    parent = find_posts(folder, [found.parent], spec.index).get(found.parent) if found.parent else None
    return {**as_record(found), "question": as_record(parent) if parent else None}


def snippets(spec: Snippets) -> dict[str, Any]:
    """How posts begin. Returns: snippets ({id: text}) of those that exist."""
    from engines.arqmath.collection.lookup import beginning, find_posts
    from engines.forum.folder import ArqmathFolder

    found = find_posts(ArqmathFolder.open(spec.folder), spec.ids, spec.index)
    return {"snippets": {id_: beginning(one.text, plain=spec.latex) for id_, one in found.items()}}

"""Posts of a collection by their ids, each answer with its question."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from engines.arqmath.collection.store import PostStore, StoredPost
from engines.core.errors import DataError
from engines.core.files import cached
from engines.core.spec import Arg
from engines.forum.folder import ArqmathFolder, IndexFolder, SomeCollection


@dataclass(frozen=True, slots=True)
class Post:
    """Print a post, with its formulas as plain text, and the question it answers."""

    folder: SomeCollection
    id: Annotated[str, Arg("The post's id.")]
    latex: Annotated[bool, Arg("Print formulas as LaTeX.")] = False
    index: IndexFolder = None


@dataclass(frozen=True, slots=True)
class Snippets:
    """Print how posts begin, in a line each."""

    folder: SomeCollection
    ids: Annotated[tuple[str, ...], Arg("The posts' ids.")]
    latex: Annotated[bool, Arg("Print formulas as LaTeX.")] = False
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
    folder = ArqmathFolder.open(spec.folder)
    result = find_posts(folder, [spec.id], spec.index).get(spec.id)
    if result is None:
        lost = rows_left_out(folder, spec.index)
        where = f"; it may be in one of the unreadable rows, of which there are {lost:,}" if lost else ""
        raise DataError(
            f"there is no post {spec.id!r}{where}",
            path=folder.path,
            code="E375",
            remedy="Ids are shown by: mathwb arqmath show, or mathwb arqmath search",
        )
    parent = find_posts(folder, [result.parent], spec.index).get(result.parent) if result.parent else None
    return {**as_record(result), "question": as_record(parent) if parent else None}


def snippets(spec: Snippets) -> dict[str, Any]:
    """How posts begin. Returns: snippets ({id: text}) of those that exist."""
    result = find_posts(ArqmathFolder.open(spec.folder), spec.ids, spec.index)
    return {"snippets": {id_: beginning(one.text, plain=spec.latex) for id_, one in result.items()}}


SMALL_BYTES = 64 * 2**20
"""Posts in a file up to this size (as it is on disk) are indexed while one waits."""


def find_posts(folder: ArqmathFolder, ids: Iterable[str], index: Path | None = None) -> dict[str, StoredPost]:
    """The posts with these ids; those that do not exist are left out.

    Args: index: a folder that may hold `posts.sqlite`. Without it the file of posts is read until all are
    found. Raises: DataError when the collection has neither.
    """
    wanted = set(ids)
    if index is not None and (index / "posts.sqlite").exists():
        store = _store(index / "posts.sqlite")
        return store.many(list(wanted))
    return _read(folder.need_posts(), wanted)


def rows_left_out(folder: ArqmathFolder, index: Path | None = None) -> int:
    """How many rows of a collection's posts could not be read: as its store knows, else by reading them
    through. Args: index: as of `find_posts`."""
    from engines.forum.readers import Report, read_posts

    if index is not None and (index / "posts.sqlite").exists():
        return _store(index / "posts.sqlite").counts.get("left_out", 0)
    report = Report()
    for _ in read_posts(folder.need_posts(), report):
        pass
    return report.bad


def _read(posts: Path, wanted: set[str]) -> dict[str, StoredPost]:
    from engines.forum.readers import Report, read_posts

    result: dict[str, StoredPost] = {}
    for post in read_posts(posts, Report()):
        if post.id in wanted:
            result[post.id] = StoredPost(
                post.id, post.kind, post.title, post.body.text, post.tags, post.parent, post.score
            )
            if len(result) == len(wanted):
                break
    return result


_store = cached(4)(PostStore)


def beginning(text: str, characters: int = 160, *, plain: bool = False) -> str:
    """The beginning of a post in one line, its formulas written for a terminal (`plain`: left as LaTeX); none
    is cut in two."""
    from engines.formula.unicode import render_text

    line = " ".join(text[: 4 * characters].split())
    if len(line) > characters:
        cut = line[:characters]
        if cut.count("$") % 2:
            end = line.find("$", characters)
            cut = line[: end + 1] if 0 <= end < 3 * characters else cut[: cut.rindex("$")]
        line = cut
    if plain:
        return line
    return " ".join(render_text(line).split())


def as_record(post: StoredPost) -> dict[str, object]:
    """A post as a record that goes between processes, with its text also rendered."""
    from engines.formula.unicode import render_text

    return {
        "id": post.id,
        "kind": post.kind,
        "title": render_text(post.title),
        "latex_title": post.title,
        "text": render_text(post.text),
        "latex": post.text,
        "tags": list(post.tags),
        "parent": post.parent,
        "score": post.score,
    }

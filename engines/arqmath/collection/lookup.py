"""Posts by their ids: from a collection's store where there is one, else by reading its posts through."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from engines.arqmath.collection.store import PostStore, StoredPost
from engines.core.files import changed

if TYPE_CHECKING:
    from engines.forum.folder import ArqmathFolder

__all__ = ["SMALL_BYTES", "as_record", "beginning", "find_posts", "rows_left_out"]

SMALL_BYTES = 64 * 2**20
"""Posts in a file up to this size (as it is on disk) are indexed while one waits."""


def find_posts(folder: ArqmathFolder, ids: Iterable[str], index: Path | None = None) -> dict[str, StoredPost]:
    """The posts with these ids; those that do not exist are left out.

    Args: index: a folder that may hold `posts.sqlite`. Without it the file of posts is read until all are
    found. Raises: DataError when the collection has neither.
    """
    wanted = set(ids)
    if index is not None and (index / "posts.sqlite").exists():
        store = _store(index / "posts.sqlite", changed(index / "posts.sqlite"))
        return store.many(list(wanted))
    return _read(folder.need_posts(), wanted)


def rows_left_out(folder: ArqmathFolder, index: Path | None = None) -> int:
    """How many rows of a collection's posts could not be read: as its store knows, else by reading them
    through. Args: index: as of `find_posts`."""
    from engines.forum.readers import Report, read_posts

    if index is not None and (index / "posts.sqlite").exists():
        return _store(index / "posts.sqlite", changed(index / "posts.sqlite")).counts.get("left_out", 0)
    report = Report()
    for _ in read_posts(folder.need_posts(), report):
        pass
    return report.bad


def _read(posts: Path, wanted: set[str]) -> dict[str, StoredPost]:
    from engines.forum.readers import Report, read_posts

    found: dict[str, StoredPost] = {}
    for post in read_posts(posts, Report()):
        if post.id in wanted:
            found[post.id] = StoredPost(
                post.id, post.kind, post.title, post.body.text, post.tags, post.parent, post.score
            )
            if len(found) == len(wanted):
                break
    return found


@lru_cache(4)
def _store(path: Path, at: tuple[int, int]) -> PostStore:  # noqa: ARG001  # built again means opened again
    return PostStore(path)


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

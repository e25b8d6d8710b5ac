"""The posts of a collection by id: one SQLite file that can be built again at any time, and posts from it or,
without it, from their file."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, TypeVar

from engines.core.errors import DataError
from engines.core.events import Event, Sink, Stop, ignore, never
from engines.core.files import file_error
from engines.core.hashing import cache_by_file_state, file_stamp
from engines.core.spec import Arg, specification
from engines.forum.folder import ArqmathFolder, IndexFolder, SomeCollection
from engines.forum.readers import Report, read_post_links, read_posts

T = TypeVar("T")

_FORMAT = 1
_ROWS = 2_000
_SCHEMA = """
CREATE TABLE IF NOT EXISTS posts (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, kind INTEGER NOT NULL,
    title TEXT NOT NULL, text TEXT NOT NULL, tags TEXT NOT NULL, parent TEXT NOT NULL,
    score INTEGER);
CREATE TABLE IF NOT EXISTS duplicates (post TEXT NOT NULL, other TEXT NOT NULL, named INTEGER NOT NULL,
    PRIMARY KEY (post, other)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS begun (one INTEGER PRIMARY KEY, source TEXT, report TEXT, seen INTEGER);
"""
_SELECT = """
SELECT post.id, post.kind, CASE WHEN post.kind = 2 THEN coalesce(question.title, '') ELSE post.title END,
       post.text, CASE WHEN post.kind = 2 THEN coalesce(question.tags, '') ELSE post.tags END,
       post.parent, post.score, CASE WHEN post.kind = 2 THEN coalesce(question.text, '') ELSE '' END
FROM posts AS post LEFT JOIN posts AS question ON post.kind = 2 AND question.id = post.parent
"""


@dataclass(frozen=True, slots=True)
class StoredPost:
    """A question (`kind` 1) or an answer (2).

    `text` is the cleaned body with formulas as `$latex$`. Title and tags of an answer are those of its
    question, `parent`, whose cleaned body is `question`. `score` is None where the collection has no votes.
    """

    id: str
    kind: int
    title: str
    text: str
    tags: tuple[str, ...]
    parent: str
    score: int | None
    question: str = ""


def build_store(
    posts: Path, out: Path, *, links: Path | None = None, events: Sink = ignore, stop: Stop = never
) -> dict[str, Any]:
    """Write the store of a file of posts, over an older one; it appears whole or not at all.

    What was stopped or killed stays beside it as a draft, and the same call goes on from there.

    Args:
        links: PostLinks, whose duplicates are kept beside those that the posts name themselves.

    Returns:
        `complete` (false after a stop), questions, answers, duplicates, `repeated` (posts whose id had
        occurred: the first is kept), `left_out` (rows that could not be read) and `first` of those, as texts.

    Raises:
        DataError: For a file that is no collection, or when `out` cannot be written.
    """
    draft = out.with_name(f".{out.name}.tmp")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with closing(_open_draft(draft, posts)) as base:
            facts = _fill_store(base, posts, links, events, stop)
        if facts["complete"]:
            # Synchronised before it replaces the older store, so that a power cut leaves one of them whole.
            with draft.open("rb") as file:
                os.fsync(file.fileno())
            draft.replace(out)
        return facts
    except DataError:
        _remove_draft(draft)
        raise
    except OSError as error:
        raise file_error(error, out, "write") from error
    except sqlite3.OperationalError as error:
        what = f"the store cannot be written: {error}"
        remedy = "Is the disk full, or is another program writing to the folder?"
        raise DataError(what, path=out, code="E310", remedy=remedy) from error


def _open_draft(draft: Path, posts: Path) -> sqlite3.Connection:
    """Return the draft of the store of these posts, with what is in it; a new one where there is none that
    can be used.
    """
    source = json.dumps([str(posts.absolute()), *file_stamp(posts)])
    # First the draft that is there; where it is of other posts, or corrupt, a new one.
    for fresh in (False, True):
        if fresh or not draft.exists():
            _remove_draft(draft)
        base = sqlite3.connect(draft)
        try:
            # A log beside the file, so that being killed costs the last rows and not the file.
            base.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;" + _SCHEMA)
            base.execute(
                "INSERT OR IGNORE INTO begun VALUES (0, ?, ?, 0)", (source, json.dumps(asdict(Report())))
            )
            base.commit()
            if base.execute("SELECT source FROM begun").fetchone() == (source,):
                return base
        except sqlite3.DatabaseError:
            if fresh:
                base.close()
                raise
        base.close()
    raise AssertionError("a new draft is one of these posts")


def _remove_draft(draft: Path) -> None:
    for end in ("", "-wal", "-shm"):
        draft.with_name(draft.name + end).unlink(missing_ok=True)


def _fill_store(
    base: sqlite3.Connection, posts: Path, links: Path | None, events: Sink, stop: Stop
) -> dict[str, Any]:
    # A draft knows how many posts it has read; reading goes on behind them.
    stored_report, seen = base.execute("SELECT report, seen FROM begun").fetchone()
    report, link_report = Report(**json.loads(stored_report)), Report()
    for rows in _in_turn(read_posts(posts, report, report.passed), _ROWS):
        if stop():
            return {"complete": False}
        base.executemany(
            "INSERT OR IGNORE INTO posts (id, kind, title, text, tags, parent, score) VALUES (?,?,?,?,?,?,?)",
            [(p.id, p.kind, p.title, p.body.text, " ".join(p.tags), p.parent, p.score) for p in rows],
        )
        _insert_duplicates(base, ((post.id, duplicate) for post in rows for duplicate in post.duplicates))
        seen += len(rows)
        # Rows and position are committed together, so a kill loses at most one batch and never doubles one.
        base.execute("UPDATE begun SET report = ?, seen = ?", (json.dumps(asdict(report)), seen))
        base.commit()
        events(Event("progress", {"done": seen, "total": None, "unit": "posts"}))
    if links is not None:
        link_rows = read_post_links(links, link_report)
        _insert_duplicates(
            base, ((post, duplicate) for post, duplicate, kind in link_rows if kind == "duplicate")
        )
    # The index on answers is made last, which is faster than keeping it up to date.
    base.execute("CREATE INDEX IF NOT EXISTS answers ON posts (parent, number) WHERE kind = 2")
    counts = dict(base.execute("SELECT kind, count(*) FROM posts GROUP BY kind"))
    facts = {
        "questions": counts.get(1, 0),
        "answers": counts.get(2, 0),
        "duplicates": base.execute("SELECT count(*) FROM duplicates WHERE named").fetchone()[0],
        "repeated": seen - sum(counts.values()),
        "left_out": report.bad + link_report.bad,
    }
    base.executemany("INSERT OR REPLACE INTO facts VALUES (?,?)", [*facts.items(), ("format", _FORMAT)])
    base.execute("DROP TABLE begun")
    base.commit()
    # A finished store needs no write-ahead log beside it.
    base.execute("PRAGMA journal_mode = DELETE")
    first = [f"{posts.name}:{line}: {why}" for line, why in report.first]
    return {"complete": True, **facts, "first": first}


def _insert_duplicates(base: sqlite3.Connection, pairs: Iterable[tuple[str, str]]) -> None:
    """Keep pairs of questions in both directions; `named` are those that the collection itself has."""
    both = (row for post, other in pairs for row in ((post, other, 1), (other, post, 0)))
    insert = (
        "INSERT INTO duplicates VALUES (?,?,?) ON CONFLICT DO UPDATE SET named = max(named, excluded.named)"
    )
    base.executemany(insert, both)


class PostStore:
    """An opened store, for reading from any thread.

    Raises, when opened or asked: DataError E661 for a file that is corrupt or no store, E312 for one that is
    not there.
    """

    def __init__(self, path: Path) -> None:
        if not path.is_file():
            raise file_error(FileNotFoundError(2, "no such file"), path, "read")
        self.path = path
        # A finished store is replaced and never changed, so SQLite need neither lock it nor look for changes.
        uri = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
        self._base = sqlite3.connect(uri, uri=True, check_same_thread=False)
        facts: dict[str, int] = dict(self._query_rows("SELECT name, value FROM facts"))
        pages, size = (
            next(self._query_rows("PRAGMA page_count"))[0],
            next(self._query_rows("PRAGMA page_size"))[0],
        )
        # A store that was cut off could still answer some of the queries, so its length is checked first.
        if pages * size > path.stat().st_size:
            raise self._corrupt_error("it is shorter than before")
        if facts.pop("format", None) != _FORMAT:
            what = "the store was made by another version of this program"
            raise DataError(what, path=path, code="E662", remedy="Remove the index and build it again.")
        self.counts: Mapping[str, int] = facts
        """questions, answers, duplicates, repeated, left_out."""

    def get_post(self, id: str) -> StoredPost | None:
        """Return the post with an id, or None."""
        return self.get_posts([id]).get(id)

    def get_posts(self, ids: Iterable[str]) -> dict[str, StoredPost]:
        """Return those of the posts that there are, by id, in the order asked for."""
        wanted = list(dict.fromkeys(ids))
        results: dict[str, StoredPost] = {}
        # SQLite limits the number of values in a statement; older versions take 999.
        for some in _in_turn(wanted, 500):
            marks = ",".join("?" * len(some))
            rows = self._query_rows(f"{_SELECT} WHERE post.id IN ({marks})", some)
            for id, kind, title, text, tags, parent, score, question in rows:
                results[id] = StoredPost(id, kind, title, text, tuple(tags.split()), parent, score, question)
        return {id: results[id] for id in wanted if id in results}

    def list_answer_ids(self, question_id: str) -> list[str]:
        """Return the ids of a question's answers, in the order of the collection."""
        query = "SELECT id FROM posts WHERE kind = 2 AND parent = ? ORDER BY number"
        return [row[0] for row in self._query_rows(query, (question_id,))]

    def answer_ids(self) -> list[str]:
        """Return the ids of all answers, in the order of the collection."""
        return [row[0] for row in self._query_rows("SELECT id FROM posts WHERE kind = 2 ORDER BY number")]

    def answer_tags(self) -> Iterator[tuple[str, list[str]]]:
        """Return the id of every answer with the tags of its question, in the order of the collection."""
        query = (
            "SELECT post.id, coalesce(question.tags, '') FROM posts AS post LEFT JOIN posts AS question "
            "ON question.id = post.parent WHERE post.kind = 2 ORDER BY post.number"
        )
        return ((id, tags.split()) for id, tags in self._query_rows(query))

    def question_ids(self) -> list[str]:
        """Return the ids of all questions, in the order of the collection."""
        return [row[0] for row in self._query_rows("SELECT id FROM posts WHERE kind = 1 ORDER BY number")]

    def list_duplicate_ids(self, question_id: str) -> list[str]:
        """Return the ids of the questions that are marked as the same one."""
        return [r[0] for r in self._query_rows("SELECT other FROM duplicates WHERE post = ?", (question_id,))]

    def close(self) -> None:
        """Close the database."""
        self._base.close()

    def _query_rows(self, query: str, values: Iterable[Any] = ()) -> Iterator[Any]:
        try:
            yield from self._base.execute(query, tuple(values))
        except sqlite3.DatabaseError as error:
            raise self._corrupt_error(str(error)) from error

    def _corrupt_error(self, why: str) -> DataError:
        from engines.retrieval.index_storage import corrupt_file_error

        return corrupt_file_error(self.path, why)


def _in_turn(items: Iterable[T], size: int) -> Iterator[list[T]]:
    rest = iter(items)
    while some := list(islice(rest, size)):
        yield some


@specification
class ShowPost:
    """Print a post, with its formulas as plain text, and the question it answers."""

    folder: SomeCollection
    id: Annotated[str, Arg("The post's id.")]
    latex: Annotated[bool, Arg("Print formulas as LaTeX.")] = False
    index: IndexFolder = None


@specification
class ListSnippets:
    """Print how posts begin, in a line each."""

    folder: SomeCollection
    ids: Annotated[tuple[str, ...], Arg("The posts' ids.")]
    latex: Annotated[bool, Arg("Print formulas as LaTeX.")] = False
    index: IndexFolder = None


def read_post(spec: ShowPost) -> dict[str, Any]:
    """Return one post, from the index where there is one, else by reading the posts through.

    Returns:
        Id, kind, title, text (written for a terminal), latex_title, latex (as they are kept), tags, parent,
        score, question (the same of its question, or None).

    Raises:
        DataError: E375 when there is no such post, and for a collection without posts.

    >>> from engines.core.system import asset
    >>> forum = asset("sample/arqmath/sample-forum")
    >>> read_post(ShowPost(forum, "9001034"))["question"]["id"]
    '9001008'
    """
    folder = ArqmathFolder.open(spec.folder)
    result = find_posts(folder, [spec.id], spec.index).get(spec.id)
    if result is None:
        lost = rows_left_out(folder, spec.index)
        where = f"; it may be in one of the unreadable rows, of which there are {lost:,}" if lost else ""
        remedy = "Ids are shown by: mathwb arqmath show, or mathwb arqmath search"
        raise DataError(f"there is no post {spec.id!r}{where}", path=folder.path, code="E375", remedy=remedy)
    parent = find_posts(folder, [result.parent], spec.index).get(result.parent) if result.parent else None
    return {**as_record(result), "question": as_record(parent) if parent else None}


def list_snippets(spec: ListSnippets) -> dict[str, Any]:
    """Return how posts begin.

    Returns:
        Snippets ({id: text}) of those that exist.
    """
    result = find_posts(ArqmathFolder.open(spec.folder), spec.ids, spec.index)
    return {"snippets": {id_: shorten_text(one.text, plain=spec.latex) for id_, one in result.items()}}


SMALL_BYTES = 64 * 2**20
"""Posts in a file up to this size (as it is on disk) are indexed while one waits."""


def find_posts(folder: ArqmathFolder, ids: Iterable[str], index: Path | None = None) -> dict[str, StoredPost]:
    """Return the posts with these ids; those that do not exist are left out.

    Args:
        index: A folder that may hold `posts.sqlite`. Without it the file of posts is read until all are
            found.

    Raises:
        DataError: When the collection has neither.
    """
    wanted = set(ids)
    if index is not None and (index / "posts.sqlite").exists():
        return _store(index / "posts.sqlite").get_posts(wanted)
    return posts_of_file(folder.need_posts(), wanted)


def rows_left_out(folder: ArqmathFolder, index: Path | None = None) -> int:
    """Return how many rows of a collection's posts could not be read: as its store knows, else by reading
    them through.

    Args:
        index: As of `find_posts`.
    """
    if index is not None and (index / "posts.sqlite").exists():
        return _store(index / "posts.sqlite").counts.get("left_out", 0)
    report = Report()
    for _ in read_posts(folder.need_posts(), report):
        pass
    return report.bad


def posts_of_file(posts: Path, wanted: Collection[str], *, to_end: bool = False) -> dict[str, StoredPost]:
    """Return the posts of a file with these ids, as they stand there: an answer without what its question
    says.

    to_end: read on when all are found, which notices a file that is cut off.
    """
    result: dict[str, StoredPost] = {}
    for post in read_posts(posts, Report()):
        if post.id in wanted and post.id not in result:
            result[post.id] = StoredPost(
                post.id, post.kind, post.title, post.body.text, post.tags, post.parent, post.score
            )
            if len(result) == len(wanted) and not to_end:
                break
    return result


_store = cache_by_file_state(4)(PostStore)


def shorten_text(text: str, characters: int = 160, *, plain: bool = False) -> str:
    """Return the beginning of a post in one line, its formulas written for a terminal (`plain`: left as
    LaTeX); none is cut in two.
    """
    from engines.formula.unicode import render_text

    # A long post is not read to its end; four times the length leaves room to complete a formula.
    line = " ".join(text[: 4 * characters].split())
    if len(line) > characters:
        cut = line[:characters]
        # An odd number of dollar signs: the cut is within a formula, which is completed or left out.
        if cut.count("$") % 2:
            end = line.find("$", characters)
            cut = line[: end + 1] if 0 <= end < 3 * characters else cut[: cut.rindex("$")]
        line = cut
    if plain:
        return line
    return " ".join(render_text(line).split())


def as_record(post: StoredPost) -> dict[str, object]:
    """Return a post as a record that goes between processes, with its text also rendered."""
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

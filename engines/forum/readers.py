"""Streaming readers of an ARQMath collection: posts, links, comments, attributes of topics, formula tables.

Real files are tens of gigabytes, so every reader streams and keeps nothing. A malformed row is counted in
the `Report` and the reading goes on; only a file that is not what it should be ends it.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from engines.core.errors import DataError
from engines.core.files import file_error, json_object, read_lines
from engines.forum.cleaning import (
    CleanText,
    broken_formulas,
    clean,
    clean_with_formulas,
)
from engines.forum.packed import LINKS, MAX_ROW, POSTS, ROOT, attributes_of, split, unpacked

_SHOWN = 20


@dataclass(slots=True)
class Report:
    """What a reader met: rows read, rows left out, rows read with something missing, and line and reason of
    the first of those that were left out (`first`) and of the others (`broken`). `passed` is the place of the
    last row: a reader can go on after it."""

    read: int = 0
    bad: int = 0
    warned: int = 0
    first: list[tuple[int, str]] = field(default_factory=list)
    broken: list[tuple[int, str]] = field(default_factory=list)
    passed: int = 0

    def leave_out(self, line: int, reason: str) -> None:
        """Count a row that could not be read."""
        self.bad += 1
        if len(self.first) < _SHOWN:
            self.first.append((line, reason))

    def warn(self, line: int, reason: str) -> None:
        """Count a row that was read although something in it is broken."""
        self.warned += 1
        if len(self.broken) < _SHOWN:
            self.broken.append((line, reason))


@dataclass(frozen=True, slots=True)
class Post:
    """A question (`kind` 1) or answer (`kind` 2), cleaned; `parent` is an answer's question, `title_formulas`
    are those of the title as (id or "", LaTeX)."""

    id: str
    kind: int
    title: str
    body: CleanText
    tags: tuple[str, ...]
    parent: str
    score: int | None
    accepted: str
    related: tuple[str, ...] = ()
    duplicates: tuple[str, ...] = ()
    title_formulas: tuple[tuple[str, str], ...] = ()

    @property
    def text(self) -> str:
        """Title and body as one text."""
        return f"{self.title} {self.body.text}".strip()


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment on a post, cleaned."""

    id: str
    post: str
    text: str


@dataclass(frozen=True, slots=True)
class Formula:
    """A row of a formula table: where it stands, what it looks like, its representation, and its line."""

    id: str
    post: str
    kind: str
    visual_id: str
    text: str
    line: int = 0


@contextmanager
def open_binary(path: Path, name: str = POSTS) -> Iterator[IO[bytes]]:
    """A file for reading, unpacked when it is packed (see `engines.forum.packed`); of an archive that file.

    Raises: DataError when it cannot be read, when it is UTF-16 (E315), and as `unpacked` does.
    """
    try:
        with unpacked(path, name) as file:
            start = file.peek(2)[:2] if isinstance(file, io.BufferedReader) else b""
            if start in (b"\xff\xfe", b"\xfe\xff"):
                raise DataError(
                    "the text is UTF-16, and UTF-8 is needed",
                    path=path,
                    code="E315",
                    remedy="Save it as UTF-8, for example with: iconv -f UTF-16 -t UTF-8",
                )
            yield file
    except OSError as error:
        raise file_error(error, path, "read") from error


def read_rows(
    path: str | Path, report: Report, after: int = 0, name: str = POSTS
) -> Iterator[tuple[int, dict[str, str]]]:
    """The `<row …/>` elements of a Stack Exchange XML file (Posts, Comments, PostLinks, Votes, …).

    Args: after: how many rows are passed over unread; the `passed` of a report to go on with. name: the file
    that is read of an archive. Yields: line number and attributes, unescaped. Rows are read as text one by
    one, however they stand on lines, so that a broken one costs no other; the end of a file that lacks
    its closing tag counts as one, and so does a comment that does not end. Declarations of entities are
    refused, since those files have none.
    """
    path = Path(path)
    with open_binary(path, name) as file:
        for number, (line, raw, last) in enumerate(split(file, report.leave_out)):
            if not number:
                _no_entities(raw, path)
                root = ROOT.search(raw)
            if number <= after:
                continue
            report.passed = number
            try:
                text = raw.decode("utf-8")
            except UnicodeDecodeError as error:
                report.leave_out(line, f"not UTF-8 at byte {len('<row') + error.start}")
                continue
            attributes = attributes_of(text)
            if attributes is None:
                ends = "the file ends inside the row" if last else "the row does not end"
                report.leave_out(line, "the row is not well-formed" if "/>" in text else ends)
            elif "Id" not in attributes:
                report.leave_out(line, "no Id")
            else:
                report.read += 1
                yield line, attributes
                if last and root is not None and b"</" + root[1] not in raw:
                    report.leave_out(line, f"the file is truncated: it ends without </{root[1].decode()}>")
    if not report.read:
        raise DataError(
            f"no rows: all {report.bad:,} are malformed ({report.first[0][1]})" if report.bad else "no rows",
            path=path,
            line=report.first[0][0] if report.bad else None,
            remedy='Expected rows such as <row Id="1" … />, in UTF-8.',
        )


def _no_entities(prolog: bytes, path: Path) -> None:
    for word in (b"<!ENTITY", b"<!DOCTYPE"):
        if word in prolog:
            raise DataError(
                "the file declares XML entities, which ARQMath files never do",
                path=path,
                line=1 + prolog.count(b"\n", 0, prolog.index(word)),
                remedy="It may be an attack; download the file from its source again.",
            )


def read_posts(path: str | Path, report: Report, after: int = 0) -> Iterator[Post]:
    """Questions and answers of `Posts.V1.x.xml` or of a JSON-lines collection (`posts_mini.jsonl.gz`).

    Other kinds of post (wiki pages, moderator notices) are passed over. Args: after: as `read_rows`.
    """
    path = Path(path)
    if path.name.removesuffix(".gz").endswith(".jsonl"):
        yield from _json_posts(path, report, after)
        return
    for line, row in read_rows(path, report, after):
        kind = row.get("PostTypeId")
        if kind not in ("1", "2"):
            continue
        if kind == "2" and not row.get("ParentId"):
            report.leave_out(line, f"answer {row['Id']} has no ParentId")
            continue
        tags = row.get("Tags", "")
        score = row.get("Score", "")
        title = clean_with_formulas(row.get("Title", ""))
        yield Post(
            id=row["Id"],
            kind=int(kind),
            title=title.text,
            body=_body(row.get("Body", ""), line, report),
            tags=tuple(tags.strip("<>|").replace("><", "|").split("|")) if tags else (),
            parent=row.get("ParentId", ""),
            score=int(score) if score.lstrip("-").isdigit() else None,
            accepted=row.get("AcceptedAnswerId", ""),
            title_formulas=title.formulas,
        )


def _body(body: str, line: int, report: Report) -> CleanText:
    cleaned = clean_with_formulas(body)
    if broken := broken_formulas(body, cleaned):
        report.warn(line, f"formulas in broken HTML, treated as text: {broken}")
    return cleaned


def _left_out(report: Report, after: int = 0) -> Callable[[DataError], None]:
    def left_out(error: DataError) -> None:
        if (error.line or 0) > after:
            report.leave_out(error.line or 0, error.what)

    return left_out


def _json_posts(path: Path, report: Report, after: int) -> Iterator[Post]:
    for line, text in read_lines(path, on_bad=_left_out(report, after)):
        if line <= after or not text.strip():
            continue
        report.passed = line
        try:
            row = json_object(text)
            kind = int(row["type"])
            if kind not in (1, 2):
                continue
            title = clean_with_formulas(row.get("title") or "")
            post = Post(
                id=str(row["id"]),
                kind=kind,
                title=title.text,
                body=_body(row.get("body") or "", line, report),
                tags=tuple(row.get("tags") or ()),
                parent=str(row.get("parent_id") or ""),
                score=row.get("score"),
                accepted=str(row.get("accepted") or ""),
                related=tuple(map(str, row.get("related") or ())),
                duplicates=tuple(map(str, row.get("duplicates") or ())),
                title_formulas=title.formulas,
            )
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            report.leave_out(line, f"not a post: {type(error).__name__}: {error}")
            continue
        report.read += 1
        yield post


def read_links(path: str | Path, report: Report) -> Iterator[tuple[str, str, str]]:
    """PostLinks: (post, other post, "related" or "duplicate")."""
    names = {"1": "related", "3": "duplicate"}
    for line, row in read_rows(path, report, name=LINKS):
        kind = names.get(row.get("LinkTypeId", ""))
        if kind is None or "PostId" not in row or "RelatedPostId" not in row:
            report.leave_out(line, "not a link between two posts")
            continue
        yield row["PostId"], row["RelatedPostId"], kind


def read_comments(path: str | Path, report: Report) -> Iterator[Comment]:
    """Comments.V1.x.xml, cleaned as posts are."""
    for line, row in read_rows(path, report):
        if "PostId" not in row:
            report.leave_out(line, f"comment {row['Id']} has no PostId")
            continue
        yield Comment(row["Id"], row["PostId"], clean(row.get("Text", "")))


def read_topic_info(path: str | Path) -> dict[str, dict[str, str]]:
    """The attributes of topics by topic and column, from a CSV with a column `Topic`.

    Raises: DataError for a file without that column, or one that is no text or no CSV.
    """
    path = Path(path)
    rows = csv.DictReader(text + "\n" for _, text in read_lines(path))
    found: dict[str, dict[str, str]] = {}
    try:
        for row in rows:
            topic = row.pop("Topic", "")
            if topic:
                found[topic] = {str(name): str(value or "") for name, value in row.items()}
    except csv.Error as error:
        raise DataError(
            f"not a CSV file: {error}",
            path=path,
            line=rows.line_num,
            remedy="Save it as CSV, with commas and quotes.",
        ) from error
    if "Topic" not in (rows.fieldnames or ()):
        raise DataError(
            "no column 'Topic'", path=path, line=1, remedy="The first line names the columns; one is Topic."
        )
    return found


def read_formulas(path: str | Path, report: Report) -> Iterator[Formula]:
    """A formula table of any version: tab separated with a header.

    It says where ids, post, type and visual id stand (v1 has no visual id), and the representation: `formula`
    or `latex`, else the last column.
    """
    path = Path(path)
    csv.field_size_limit(MAX_ROW)
    lines = ((line, text.rstrip("\r")) for line, text in read_lines(path, on_bad=_left_out(report)))
    _, first = next(lines, (0, ""))
    header = [name.strip('"') for name in first.split("\t")]
    if "id" not in header:
        remedy = "Expected: id, post_id, …, with tabs between them."
        raise DataError("the header has no column 'id'", path=path, line=1, remedy=remedy)
    at = {name: index for index, name in enumerate(header)}
    post = at.get("post_id", at.get("topic_id", -1))
    written = at.get("formula", at.get("latex", -1))
    for line, row in _rows(lines, len(header), report):
        report.read += 1
        yield Formula(
            id=row[at["id"]],
            post=row[post] if post >= 0 else "",
            kind=row[at["type"]] if "type" in at else "",
            visual_id=row[at["visual_id"]] if "visual_id" in at else "",
            text=row[written],
            line=line,
        )


def _rows(
    lines: Iterator[tuple[int, str]], width: int, report: Report
) -> Iterator[tuple[int, Sequence[str]]]:
    """The rows of a table with tabs, and the line where each begins. A cell in quotes may reach over several
    lines, none of which is a row by itself; any other quote is a character."""
    ahead = next(lines, None)
    while ahead is not None:
        taken: list[tuple[int, str]] = []

        def texts(taken: list[tuple[int, str]] = taken) -> Iterator[str]:
            nonlocal ahead
            while ahead is not None and not (taken and ahead[1].count("\t") == width - 1):
                taken.append(ahead)
                ahead = next(lines, None)
                yield taken[-1][1] + "\n"

        try:
            row = next(csv.reader(texts(), delimiter="\t", strict=True), [])
        except csv.Error:
            row = []
        if len(row) == width:
            yield taken[0][0], row
            continue
        for line, text in taken:
            cells = text.split("\t")
            if len(cells) == width:
                yield line, cells
            elif text:
                report.leave_out(line, f"{len(cells)} columns, not {width}")

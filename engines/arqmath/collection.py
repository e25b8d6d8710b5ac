"""Streaming readers of an ARQMath collection: posts, links, comments, topics, formula tables.

Real files are tens of gigabytes, so every reader streams and keeps nothing. A malformed row is counted in
the `Report` and the reading goes on; only a file that is not what it should be ends it.
"""

from __future__ import annotations

import csv
import gzip
import html
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from engines.arqmath.cleaning import CleanText, clean, clean_with_formulas
from engines.core.errors import DataError
from engines.core.files import read_lines

__all__ = [
    "Formula",
    "Post",
    "Report",
    "Topic",
    "read_formulas",
    "read_links",
    "read_posts",
    "read_rows",
    "read_topics",
]

_ATTRIBUTE = re.compile(r'([A-Za-z][\w.-]*)\s*=\s*"([^"]*)"')
_MAX_ROW = 32 * 2**20
"""A longer row is malformed: no post comes near 32 MiB."""
_SHOWN = 20


@dataclass(slots=True)
class Report:
    """What a reader met: rows read, rows left out, and the first of those with line and reason."""

    read: int = 0
    bad: int = 0
    first: list[tuple[int, str]] = field(default_factory=list)

    def leave_out(self, line: int, reason: str) -> None:
        """Count a row that could not be read."""
        self.bad += 1
        if len(self.first) < _SHOWN:
            self.first.append((line, reason))


@dataclass(frozen=True, slots=True)
class Post:
    """A question (`kind` 1) or answer (`kind` 2), cleaned; `parent` is an answer's question."""

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

    @property
    def text(self) -> str:
        """Title and body as one text."""
        return f"{self.title} {self.body.text}".strip()


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic of Task 1, 2 or 3; `formula` and `latex` belong to Task 2."""

    id: str
    title: CleanText
    question: CleanText
    tags: tuple[str, ...]
    formula: str = ""
    latex: str = ""

    @property
    def text(self) -> str:
        """Title and question as one text."""
        return f"{self.title.text} {self.question.text}".strip()


@dataclass(frozen=True, slots=True)
class Formula:
    """A row of a formula table: where it stands, what it looks like, and its representation."""

    id: str
    post: str
    kind: str
    visual_id: str
    text: str


def _open(path: Path) -> IO[bytes]:
    try:
        with open(path, "rb") as probe:
            compressed = probe.read(2) == b"\x1f\x8b"
        return gzip.open(path, "rb") if compressed else open(path, "rb")  # type: ignore[return-value]
    except FileNotFoundError:
        raise DataError("no such file", path=path, exit_code=3) from None
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", path=path, exit_code=3) from None


def read_rows(path: str | Path, report: Report) -> Iterator[tuple[int, dict[str, str]]]:
    """The `<row …/>` elements of a Stack Exchange XML file (Posts, Comments, PostLinks, Votes, …).

    Yields: line number and attributes, unescaped. Rows are read as text one by one, so that a broken one
    costs no other; declarations of entities are refused, since those files have none.
    """
    path = Path(path)
    with _open(path) as file:
        pending, started = b"", 0
        for line, raw in enumerate(file, start=1):
            if pending:
                raw = pending + raw
            elif b"<row" not in raw:
                if b"<!ENTITY" in raw or b"<!DOCTYPE" in raw:
                    raise DataError(
                        "the file declares its own entities, as no ARQMath file does",
                        path=path,
                        line=line,
                        remedy="It may be an attack on the reader; get the file from its source again.",
                    )
                continue
            else:
                started = line
            if b"/>" not in raw:
                if len(raw) <= _MAX_ROW and raw.count(b"<row") == 1:
                    pending = raw
                    continue
                report.leave_out(started, "the row does not end")
                pending = b""
                if raw.count(b"<row") < 2:
                    continue
                raw = raw[raw.rindex(b"<row") :]
                pending, started = raw, line
                continue
            pending = b""
            try:
                text = raw.decode("utf-8")
            except UnicodeDecodeError as error:
                report.leave_out(started, f"not UTF-8 at byte {error.start}")
                continue
            if text.count("<row") > 1:
                # The row before broke off; what follows it on its last line is whole.
                report.leave_out(started, "the row does not end")
                text = text[text.rindex("<row") :]
            attributes = {
                name: html.unescape(value) if "&" in value else value
                for name, value in _ATTRIBUTE.findall(text)
            }
            if "Id" not in attributes:
                report.leave_out(started, "no Id")
                continue
            report.read += 1
            yield started, attributes
        if pending:
            report.leave_out(started, "the file ends inside the row")
    if not report.read:
        raise DataError("no rows", path=path, remedy='Expected lines such as <row Id="1" … />.')


def read_posts(path: str | Path, report: Report) -> Iterator[Post]:
    """Questions and answers of `Posts.V1.x.xml` or of a JSON-lines collection (`posts_mini.jsonl.gz`).

    Other kinds of post (wiki pages, moderator notices) are passed over.
    """
    path = Path(path)
    if path.name.removesuffix(".gz").endswith(".jsonl"):
        yield from _json_posts(path, report)
        return
    for line, row in read_rows(path, report):
        kind = row.get("PostTypeId")
        if kind not in ("1", "2"):
            continue
        if kind == "2" and not row.get("ParentId"):
            report.leave_out(line, f"answer {row['Id']} has no ParentId")
            continue
        tags = row.get("Tags", "")
        score = row.get("Score", "")
        yield Post(
            id=row["Id"],
            kind=int(kind),
            title=clean(row.get("Title", "")),
            body=clean_with_formulas(row.get("Body", "")),
            tags=tuple(tags.strip("<>|").replace("><", "|").split("|")) if tags else (),
            parent=row.get("ParentId", ""),
            score=int(score) if score.lstrip("-").isdigit() else None,
            accepted=row.get("AcceptedAnswerId", ""),
        )


def _json_posts(path: Path, report: Report) -> Iterator[Post]:
    for line, text in read_lines(path):
        if not text.strip():
            continue
        try:
            row = json.loads(text)
            post = Post(
                id=str(row["id"]),
                kind=int(row["type"]),
                title=clean(row.get("title") or ""),
                body=clean_with_formulas(row.get("body") or ""),
                tags=tuple(row.get("tags") or ()),
                parent=str(row.get("parent_id") or ""),
                score=row.get("score"),
                accepted=str(row.get("accepted") or ""),
                related=tuple(map(str, row.get("related") or ())),
                duplicates=tuple(map(str, row.get("duplicates") or ())),
            )
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            report.leave_out(line, f"not a post: {type(error).__name__}: {error}")
            continue
        report.read += 1
        yield post


def read_links(path: str | Path, report: Report) -> Iterator[tuple[str, str, str]]:
    """PostLinks: (post, other post, "related" or "duplicate")."""
    names = {"1": "related", "3": "duplicate"}
    for line, row in read_rows(path, report):
        kind = names.get(row.get("LinkTypeId", ""))
        if kind is None or "PostId" not in row or "RelatedPostId" not in row:
            report.leave_out(line, "not a link between two posts")
            continue
        yield row["PostId"], row["RelatedPostId"], kind


def read_topics(path: str | Path) -> list[Topic]:
    """The topics of any task and year. Raises: DataError for XML that is broken or declares entities."""
    from lxml import etree

    path = Path(path)
    with _open(path) as file:
        content = file.read()
    if b"<!ENTITY" in content or b"<!DOCTYPE" in content:
        raise DataError("the file declares its own entities, as no topic file does", path=path)
    try:
        root = etree.fromstring(content, etree.XMLParser(resolve_entities=False, no_network=True))
    except etree.XMLSyntaxError as error:
        raise DataError(f"not well-formed XML: {error.msg}", path=path, line=error.lineno) from None
    topics = []
    for element in root.iter("Topic"):
        fields: Mapping[str, str] = {str(child.tag): "".join(map(str, child.itertext())) for child in element}
        number = element.get("number")
        if not number or "Question" not in fields:
            raise DataError(
                "a topic without number or question", path=path, line=int(str(element.sourceline))
            )
        topics.append(
            Topic(
                id=str(number),
                title=clean_with_formulas(fields.get("Title", "")),
                question=clean_with_formulas(fields["Question"]),
                tags=tuple(tag.strip() for tag in fields.get("Tags", "").split(",") if tag.strip()),
                formula=fields.get("Formula_Id", "").strip(),
                latex=fields.get("Latex", "").strip(),
            )
        )
    if not topics:
        raise DataError("no <Topic> in the file", path=path, remedy="Is this a topic file of ARQMath?")
    return topics


def read_formulas(path: str | Path, report: Report) -> Iterator[Formula]:
    """A formula table of any version: tab separated with a header, the representation in the last column.

    The header says where ids, post, type and visual id stand (v1 has no visual id).
    """
    path = Path(path)
    csv.field_size_limit(_MAX_ROW)
    lines = read_lines(path)
    first = next(lines, None)
    if first is None:
        raise DataError("the formula table is empty", path=path)
    header = first[1].rstrip("\r").split("\t")
    if "id" not in header:
        raise DataError("the header has no column 'id'", path=path, line=1, remedy="Expected: id, post_id, …")
    at = {name: index for index, name in enumerate(header)}
    post = at.get("post_id", at.get("topic_id", -1))
    rows = csv.reader((text for _, text in lines), delimiter="\t")
    for row in rows:
        if len(row) != len(header):
            report.leave_out(rows.line_num + 1, f"{len(row)} columns, not {len(header)}")
            continue
        report.read += 1
        yield Formula(
            id=row[at["id"]],
            post=row[post] if post >= 0 else "",
            kind=row[at["type"]] if "type" in at else "",
            visual_id=row[at["visual_id"]] if "visual_id" in at else "",
            text=row[-1],
        )

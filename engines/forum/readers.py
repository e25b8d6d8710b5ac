"""Streaming readers of an ARQMath collection, plain or packed: posts, links, comments, formula tables."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import zip_longest
from pathlib import Path
from typing import IO

from engines.core.errors import DataError
from engines.core.files import file_error
from engines.core.rows import CsvRow, csv_rows, json_object, read_lines, refuse_binary
from engines.forum.packed_files import LINKS, POSTS, open_unpacked
from engines.forum.post_text import CleanText, broken_formulas, clean_body, clean_with_formulas, unescape_html
from engines.moved import moved_verb

_TAG_NAME = re.compile(r"[^\s<>|,]+")
"""A name in a list of tags, as Stack Exchange writes them (`<a><b>`, `|a|b|`) or with commas."""


# The rows of a Stack Exchange XML file: cut out as bytes, and taken apart into attributes.
#
# Rows are found as text, however they stand on lines, many times as fast as by an XML parser. Comments, CDATA
# sections and processing instructions are no rows, whatever stands in them.

ROOT = re.compile(rb"<([A-Za-z]+)[^<>]*>\s*\Z")
"""The start of the root element, before the first row."""
_START = re.compile(rb"<row(?=[\s/>])")
_NAME = re.compile(r"\s+([A-Za-z][\w.:-]*)\s*=\s*")
_ATTRIBUTE = re.compile(rf"""{_NAME.pattern}(?:"([^"]*)"|'([^']*)')""")
_ROW = re.compile(rf"""(?:{_ATTRIBUTE.pattern.replace("(", "(?:").replace("(?:?:", "(?:")})*+\s*/?>""")
_ENDED = re.compile(_ROW.pattern.encode())
_ASIDE = re.compile(rb"<!--|<!\[CDATA\[|<\?")
_ENDS = {b"<!--": b"-->", b"<![CDATA[": b"]]>", b"<?": b"?>"}
_NAMES = {b"<!--": "comment", b"<![CDATA[": "CDATA section", b"<?": "processing instruction"}
_CHUNK = 2**20
MAX_ROW = 32 * 2**20
"""A longer row is malformed: no post comes near 32 MiB."""


def split_rows(file: IO[bytes], tell: Callable[[int, str], None]) -> Iterator[tuple[int, bytes, bool]]:
    """Yield the text before the first `<row`, then what follows each `<row`.

    Each item is the line where it begins, the bytes up to the next row (only the beginning of a row that is
    too long), and whether it is the last.

    Args:
        tell: Is told the line and kind of what is no row and does not end; nothing behind it is read.
    """
    line, rest, skipped, in_row = 1, b"", False, False
    while chunk := file.read(_CHUNK):
        data = rest + chunk
        *whole, rest = _START.split(data)
        if data.count(b"<") > len(whole):  # something else stands there than rows
            data, endless = _without_asides(data, file, in_row=in_row)
            if endless:
                tell(line + data.count(b"\n"), f"the {endless} does not end: the rest is not read")
            *whole, rest = _START.split(data)
        for raw in whole:
            if not skipped:
                yield line, raw, False
            line, skipped, in_row = line + raw.count(b"\n"), False, True
        if len(rest) > MAX_ROW:
            if not skipped:
                yield line, rest[:_CHUNK].replace(b"/>", b""), False
            kept = len(rest) - len("<row")
            line, skipped, rest = line + rest.count(b"\n", 0, kept), True, rest[kept:]
    if not skipped:
        yield line, rest, True


def _without_asides(data: bytes, file: IO[bytes], *, in_row: bool) -> tuple[bytes, str]:
    """Return the bytes without comments and the like, whose line ends stay, and what one is called that never
    ends.

    Args:
        in_row: They begin inside a row. What looks like a comment inside an attribute is left there.
    """
    pieces: list[bytes] = []
    start = look = 0
    while match := _ASIDE.search(data, look):
        tag = start if in_row else -1
        for row in _START.finditer(data, start, match.start()):
            tag = row.end()
        if tag >= 0 and not _ENDED.match(data, tag, match.start()):
            look = match.end()
            continue
        pieces.append(data[start : match.start()])
        end, begin, lines, in_row = _ENDS[match[0]], match.end(), 0, False
        while (stop := data.find(end, begin)) < 0:
            chunk = file.read(_CHUNK)
            if not chunk:
                return b"".join(pieces), _NAMES[match[0]]
            kept = data[max(begin, len(data) - len(end) + 1) :]
            lines += data.count(b"\n", begin, len(data) - len(kept))
            data, begin = kept + chunk, 0
        pieces.append(b"\n" * (lines + data.count(b"\n", begin, stop)))
        start = look = stop + len(end)
    return b"".join([*pieces, data[start:]]), ""


def attributes_of(text: str) -> dict[str, str] | None:
    """Return the attributes of a row, from behind `<row`; None when it is broken."""
    parts = text.split('"')
    names = list(map(_attribute_name, parts[:-1:2]))
    if None in names or not len(parts) % 2 or not parts[-1].lstrip().startswith(("/>", ">")):
        # Single quotes, or something between a row and the next.
        whole = _ROW.match(text)
        if whole is None:
            return None
        result = _ATTRIBUTE.findall(text, 0, whole.end())
        names, values = [name for name, _, _ in result], [double or single for _, double, single in result]
    else:
        values = parts[1::2]
    attributes = {
        str(name): _decode_attribute(value) if "&" in value else value
        for name, value in zip(names, values, strict=True)
    }
    return attributes if len(attributes) == len(names) else None  # no name may occur twice


@lru_cache(maxsize=1_024)
def _attribute_name(between: str) -> str | None:
    """Return the name of an attribute, from what stands between the value before it and its own."""
    match = _NAME.fullmatch(between)
    return match[1] if match else None


def _decode_attribute(value: str) -> str:
    """Return an attribute's value: XML's five entities and the line ends that Stack Exchange writes as
    numbers.
    """
    if "&#" in value:
        value = value.replace("&#xA;", "\n").replace("&#xD;", "\n").replace("&#10;", "\n")
    return unescape_html(value)


# Streaming readers of an ARQMath collection: posts, links, comments, attributes of topics, formula tables.
#
# Real files are tens of gigabytes, so every reader streams and keeps nothing. A malformed row is counted in
# the `Report` and the reading goes on; only a file that is not what it should be ends it.

_SHOWN = 20


@dataclass(slots=True)
class Report:
    """What a reader met: rows read, rows left out, and rows read with something missing.

    `first` and `broken` hold line and reason of the first rows that were left out and of the first with
    something missing. `passed` is the position of the last row, after which a reader can go on.
    """

    read: int = 0
    bad: int = 0
    warned: int = 0
    first: list[tuple[int, str]] = field(default_factory=list)
    broken: list[tuple[int, str]] = field(default_factory=list)
    passed: int = 0

    def leave_out(self, line: int, reason: str) -> None:
        """Count a row as left out, and keep the first few with their reasons."""
        self.bad += 1
        if len(self.first) < _SHOWN:
            self.first.append((line, reason))

    def add_warning(self, line: int, reason: str) -> None:
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
    line: int = field(default=0, compare=False)

    @property
    def text(self) -> str:
        """Title and body as one text."""
        return f"{self.title} {self.body.text}".strip()


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment on a post."""

    id: str
    post: str
    text: str


@dataclass(frozen=True, slots=True)
class FormulaRow:
    """A row of a formula table: where it stands, what it looks like, its representation, and its line."""

    id: str
    post: str
    kind: str
    visual_id: str
    text: str
    line: int = 0


@contextmanager
def open_binary(path: Path, name: str = POSTS) -> Iterator[IO[bytes]]:
    """Yield a file for reading, unpacked when it is packed (see `engines.forum.readers`); of an archive that
    file.

    Raises:
        DataError: When it cannot be read, when it is UTF-16 (E315), and as `open_unpacked` does.
    """
    try:
        with open_unpacked(path, name) as file:
            if isinstance(file, io.BufferedReader):
                refuse_binary(file.peek(2)[:2], path)
            yield file
    except OSError as error:
        raise file_error(error, path, "read") from error


def read_rows(
    path: str | Path, report: Report, after: int = 0, name: str = POSTS
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the `<row …/>` elements of a Stack Exchange XML file (Posts, Comments, PostLinks, Votes, …).

    Args:
        after: How many rows are passed over unread; the `passed` of a report to go on with.
        name: The file that is read of an archive.

    Yields:
        Line number and attributes, unescaped. Rows are read as text one by one, however they stand on lines,
        so that a broken one costs no other; the end of a file that lacks its closing tag counts as one, and
        so does a comment that does not end. Declarations of entities are refused, since those files have
        none.
    """
    path = Path(path)
    with open_binary(path, name) as file:
        for number, (line, raw, last) in enumerate(split_rows(file, report.leave_out)):
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
            elif not attributes.get("Id"):
                report.leave_out(line, "no Id")
            else:
                report.read += 1
                yield line, attributes
                if last and root is not None and b"</" + root[1] not in raw:
                    # The root's closing tag is missing: the file was cut off.
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
    """Yield the questions and answers of `Posts.V1.x.xml` or of a collection in JSON Lines
    (`posts_mini.jsonl.gz`).

    Other kinds of post (wiki pages, moderator notices) are passed over.

    Args:
        after: As `read_rows`.
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
        score = row.get("Score", "")
        title = clean_with_formulas(row.get("Title", ""))
        yield Post(
            id=row["Id"],
            kind=int(kind),
            title=title.text,
            body=_clean_post_body(row.get("Body", ""), line, report),
            tags=read_tags(row.get("Tags", "")),
            parent=row.get("ParentId", ""),
            score=int(score) if score.lstrip("-").isdigit() else None,
            accepted=row.get("AcceptedAnswerId", ""),
            title_formulas=title.formulas,
            line=line,
        )


def _clean_post_body(body: str, line: int, report: Report) -> CleanText:
    cleaned = clean_with_formulas(body)
    if broken := broken_formulas(body, cleaned):
        report.add_warning(line, f"formulas in broken HTML, treated as text: {broken}")
    return cleaned


def _left_out(report: Report, after: int = 0) -> Callable[[DataError], None]:
    def left_out(error: DataError) -> None:
        if (error.line or 0) > after:
            report.leave_out(error.line or 0, error.what)

    return left_out


def _json_posts(path: Path, report: Report, after: int) -> Iterator[Post]:
    for line, text in read_lines(path, on_bad=_left_out(report, after)):
        # A continued reading passes over the lines that were read before.
        if line <= after or not text.strip():
            continue
        report.passed = line
        try:
            row = json_object(text)
            kind, id, parent = str(row["type"]), _id(row["id"]), _id(row.get("parent_id"))
            if kind not in ("1", "2"):
                continue
            if not id:
                raise ValueError("no id")
            if kind == "2" and not parent:
                report.leave_out(line, f"answer {id} has no parent_id")
                continue
            title = clean_with_formulas(row.get("title") or "")
            score = str(row.get("score"))
            post = Post(
                id=id,
                kind=int(kind),
                title=title.text,
                body=_clean_post_body(row.get("body") or "", line, report),
                tags=read_tags(row.get("tags") or ""),
                parent=parent,
                score=int(score) if score.lstrip("-").isdigit() else None,
                accepted=_id(row.get("accepted")),
                related=_ids(row.get("related")),
                duplicates=_ids(row.get("duplicates")),
                title_formulas=title.formulas,
                line=line,
            )
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            report.leave_out(line, f"not a post: {type(error).__name__}: {error}")
            continue
        report.read += 1
        yield post


def read_tags(tags: object) -> tuple[str, ...]:
    """Return the tags of a post or topic, however they are put together, or as a list.

    >>> read_tags("<calculus><real-analysis>"), read_tags("|calculus|"), read_tags("calculus, real-analysis")
    (('calculus', 'real-analysis'), ('calculus',), ('calculus', 'real-analysis'))

    Raises:
        TypeError: For anything else.
    """
    if isinstance(tags, list):
        tags = " ".join(tags)
    if not isinstance(tags, str):
        raise TypeError("tags are neither a text nor a list of texts")
    return tuple(_TAG_NAME.findall(tags))


def _id(value: object) -> str:
    """Return an id of a post, "" for none.

    Raises:
        TypeError: For what is neither a text nor a whole number.
    """
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise TypeError(f"{value!r} is no id")
    return str(value).strip()


def _ids(value: object) -> tuple[str, ...]:
    """Return ids in a list, or one by itself."""
    given = value if isinstance(value, list) else [value]
    return tuple(filter(None, map(_id, given)))


def read_post_links(path: str | Path, report: Report) -> Iterator[tuple[str, str, str]]:
    """Yield the links between posts of a PostLinks file: two post ids, and "related" or "duplicate"."""
    names = {"1": "related", "3": "duplicate"}
    for line, row in read_rows(path, report, name=LINKS):
        kind = names.get(row.get("LinkTypeId", ""))
        if kind is None or "PostId" not in row or "RelatedPostId" not in row:
            report.leave_out(line, "not a link between two posts")
            continue
        yield row["PostId"], row["RelatedPostId"], kind


def read_comments(path: str | Path, report: Report) -> Iterator[Comment]:
    """Yield the comments of a Comments file."""
    for line, row in read_rows(path, report):
        if "PostId" not in row:
            report.leave_out(line, f"comment {row['Id']} has no PostId")
            continue
        yield Comment(row["Id"], row["PostId"], clean_body(row.get("Text", "")))


def read_topic_info(path: str | Path) -> dict[str, dict[str, str]]:
    """Return the attributes of topics by topic and column, from a CSV with a column `Topic`.

    Raises:
        DataError: For a file without that column, or one that is no text or no CSV.
    """
    path = Path(path)
    head, *rows = [*csv_rows(read_lines(path))] or [CsvRow(1, 1, [])]
    if wrong := next((row for row in (head, *rows) if row.wrong), None):
        remedy = "Save it as CSV, with commas and quotes."
        raise DataError(f"not a CSV file: {wrong.wrong}", path=path, line=wrong.line, remedy=remedy)
    if "Topic" not in head.cells:
        raise DataError(
            "no column 'Topic'", path=path, line=1, remedy="The first line names the columns; one is Topic."
        )
    result: dict[str, dict[str, str]] = {}
    for row in rows:
        values = dict(zip_longest(head.cells, row.cells[: len(head.cells)], fillvalue=""))
        if topic := values.pop("Topic"):
            result[topic] = values
    return result


def read_formulas(path: str | Path, report: Report) -> Iterator[FormulaRow]:
    """Yield a formula table of any version: tab separated with a header.

    It says where ids, post, type and visual id stand (v1 has no visual id), and the representation: `formula`
    or `latex`, else the last column.
    """
    path = Path(path)
    lines = ((line, text.rstrip("\r")) for line, text in read_lines(path, on_bad=_left_out(report)))
    _, first = next(lines, (0, ""))
    header = [name.strip('"') for name in first.split("\t")]
    if "id" not in header:
        remedy = "Expected: id, post_id, …, with tabs between them."
        raise DataError("the header has no column 'id'", path=path, line=1, remedy=remedy)
    at = {name: index for index, name in enumerate(header)}
    post = at.get("post_id", at.get("topic_id", -1))
    written = at.get("formula", at.get("latex", -1))
    for line, row in read_tabbed_rows(lines, len(header), report):
        report.read += 1
        yield FormulaRow(
            id=row[at["id"]],
            post=row[post] if post >= 0 else "",
            kind=row[at["type"]] if "type" in at else "",
            visual_id=row[at["visual_id"]] if "visual_id" in at else "",
            text=row[written],
            line=line,
        )


def read_tabbed_rows(
    lines: Iterator[tuple[int, str]], width: int, report: Report
) -> Iterator[tuple[int, Sequence[str]]]:
    """Yield the rows of a table with tabs, and the line where each begins. A cell in quotes may reach over
    several lines, none of which is a row by itself; any other quote is a character.
    """
    ahead = next(lines, None)
    while ahead is not None:
        taken: list[tuple[int, str]] = []

        def texts(taken: list[tuple[int, str]] = taken) -> Iterator[tuple[int, str]]:
            nonlocal ahead
            while ahead is not None and not (taken and ahead[1].count("\t") == width - 1):
                taken.append(ahead)
                ahead = next(lines, None)
                yield taken[-1]

        result = next(csv_rows(texts(), "\t", strict=True), None)
        row = result.cells if result is not None else []
        if len(row) == width:
            yield taken[0][0], row
            continue
        for line, text in taken:
            cells = text.split("\t")
            if len(cells) == width:
                yield line, cells
            elif text:
                report.leave_out(line, f"{len(cells)} columns, not {width}")


def __getattr__(name: str) -> object:
    return moved_verb(__name__, name)

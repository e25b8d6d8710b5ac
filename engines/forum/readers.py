"""Streaming readers of an ARQMath collection, plain or packed: posts, their HTML as text, links, comments,
formula tables."""

from __future__ import annotations

import html
import io
import re
import shutil
import subprocess
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import zip_longest
from pathlib import Path
from typing import IO, Any

from engines.core.errors import DataError
from engines.core.files import file_error
from engines.core.hashing import open_read
from engines.core.rows import CsvRow, csv_rows, json_object, read_lines, refuse_binary
from engines.formula.lexer import remove_comments

# A post's HTML as plain text with every formula between dollar signs, as TU_DBS cleans.
#
# `<span class="math-container" id="7">$$x^2$$</span>` becomes `$x^2$`, and so do `$$x^2$$`, `\(x^2\)` and
# `\[x^2\]` of posts as Stack Exchange publishes them; `\begin{align}…\end{align}` that stands alone becomes
# `$\begin{align}…\end{align}$`. Other markup is dropped, the ends of blocks become line breaks. Written for
# throughput: the bodies of a million posts pass through here.

_FORMULA = re.compile(
    r"<span\b(?=[^>]*\bmath-container\b)(?:[^>]*?\bid\s*=\s*[\"']?([\w.-]+)[\"']?)?[^>]*>"
    r"((?:[^<]++|<(?!/?span\b))*+)</span\s*>",
    re.IGNORECASE,
)
_PLAIN_FORMULA = re.compile(r'<span class="math-container" id="([\w.-]+)">([^<]*)</span>')
"""As ARQMath writes nearly all of them, and several times as fast."""
_DELIMITED = re.compile(
    r"(?<!\\)(?P<mark>\$?)(?:\\\((.{1,2000}?)(?<!\\)\\\)|\\\[(.{1,2000}?)(?<!\\)\\\])(?P=mark)"
    r"|\$\$([^$]{1,2000})\$\$"
    r"|(?<!\\)(?P<dollar>\$\s*)?(?P<display>\\begin\s*\{(?P<name>(?:equation|align|alignat|flalign|gather"
    r"|multline|eqnarray)\*?)\}.{1,5000}?\\end\s*\{(?P=name)\})(?(dollar)\s*\$)"
    r"|(?<![\\$])(?P<inline>\$[^$\n]+\$)(?!\$)",
    re.DOTALL,
)
"""Formulas between other marks than single dollars, and environments that are formulas by themselves; and
what stands between single dollars, so that what is within it is not taken for one of these."""
_BRACKETED = re.compile(r"\\\(((?:(?!\\\)).)*)\\\)|\\\[((?:(?!\\\]).)*)\\\]")
_PLAIN = re.compile(r"(\$\$?)([^$]+)\1")
_HIDDEN = re.compile(r"<!--.*?-->|<(script|style)\b.*?</\1\s*>", re.DOTALL | re.IGNORECASE)
_BLOCK = re.compile(r"</?(?:p|br|div|li|ul|ol|blockquote|pre|h[1-6]|hr|tr|table)\b[^>]*>", re.IGNORECASE)
_TAG = re.compile(r"</?[a-zA-Z][^>]*>")
_TAG_NAME = re.compile(r"[^\s<>|,]+")
"""A name in a list of tags, as Stack Exchange writes them (`<a><b>`, `|a|b|`) or with commas."""
_UNEVEN = ("  ", "\t", "\xa0", "\r", "\f", "\v")
_MARK = "\x00"
"""Stands for a formula while the text around it is cleaned; U+0000 cannot occur in XML or HTML text."""


@dataclass(frozen=True, slots=True)
class CleanText:
    """`text` with formulas in place; `formulas` are those that the HTML marks, as (id or "", LaTeX) in their
    order."""

    text: str
    formulas: tuple[tuple[str, str], ...]


def clean_body(body: str) -> str:
    """Return the text of a post's HTML, formulas as `$latex$`."""
    return clean_with_formulas(body).text


def clean_with_formulas(body: str) -> CleanText:
    """Return the text of a body and the formulas in it.

    >>> clean_with_formulas('<p>Is <span class="math-container" id="q_1">$$a&lt;b$$</span>?</p>')
    CleanText(text='Is $a<b$?', formulas=(('q_1', 'a<b'),))
    """
    text, formulas = _take_formulas(body.replace(_MARK, ""))
    if "<" in text:
        if "<!--" in text or "<s" in text or "<S" in text:
            text = _HIDDEN.sub(" ", text)
        text = text.replace("<p>", "\n").replace("</p>", "\n")
        if "<" in text:
            text = _TAG.sub("", _BLOCK.sub("\n", text))
    text = unescape_html(text)
    text = _in_dollars(text)
    if any(space in text for space in _UNEVEN):
        text = "\n".join([line for part in text.split("\n") if (line := " ".join(part.split()))])
    elif "\n" in text:
        text = "\n".join([line for part in text.split("\n") if (line := part.strip())])
    else:
        text = text.strip()
    if formulas:
        pieces = text.split(_MARK)
        parts = [pieces[0]]
        for (_, latex), piece in zip(formulas, pieces[1:], strict=False):
            parts.append(f"${latex}${piece}")
        text = "".join(parts)
    return CleanText(text, tuple(formulas))


def _in_dollars(text: str) -> str:
    """Return a text with its formulas between single dollar signs, whatever they stood between."""
    if "\\(" in text or "\\[" in text or "$$" in text or "\\begin" in text:
        return _DELIMITED.sub(_replace_delimiters, text)
    return text


def _replace_delimiters(match: re.Match[str]) -> str:
    """Return a formula between other delimiters; what holds dollars or another formula is none."""
    if match["inline"]:
        return match[0]
    latex = " ".join(remove_comments(match[2] or match[3] or match[4] or match["display"]).split())
    return f"${latex}$" if latex and "$" not in latex and _MARK not in latex else match[0]


def clean_plain(text: str) -> CleanText:
    r"""Return a text that is no HTML, and its formulas.

    >>> clean_plain(r"Is \(2^{% 10}\) even?")
    CleanText(text='Is $2^{10}$ even?', formulas=(('', '2^{10}'),))
    """
    text = _PLAIN.sub(lambda match: f"{match[1]}{remove_comments(match[2])}{match[1]}", _in_dollars(text))
    return CleanText(" ".join(text.split()), tuple(("", match[2]) for match in _PLAIN.finditer(text)))


def broken_formulas(body: str, cleaned: CleanText) -> int:
    """Return how many formulas of a body could not be found in the text, as their HTML is broken."""
    missing = body.count("math-container") - len(cleaned.formulas)
    if missing > 0:
        # ARQMath's tagger went over some posts twice: a span that only holds another one is no formula.
        missing -= body.count('<span class="math-container"><span class="math-container"')
    return max(0, missing)


def unescape_html(text: str) -> str:
    """Return a text with HTML's character references resolved once.

    The four that the escaping of HTML itself needs are replaced directly, which is much faster.
    """
    if "&" not in text:
        return text
    simple = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"')
    count = simple.count("&")
    if not count:
        return simple
    # `&amp;` comes last: what it yields is not looked at again.
    return simple.replace("&amp;", "&") if count == simple.count("&amp;") else html.unescape(text)


def _take_formulas(text: str) -> tuple[str, list[tuple[str, str]]]:
    """Return the text with a mark for each formula, and the formulas: (id or "", LaTeX)."""
    parts = _PLAIN_FORMULA.split(text)
    marked = _MARK.join(parts[::3])
    if "math-container" not in marked:
        return marked, list(zip(parts[1::3], _extract_latex(parts[2::3]), strict=True))
    ids: list[str] = []
    sources: list[str] = []

    def take(match: re.Match[str]) -> str:
        ids.append(match.group(1) or "")
        sources.append(_TAG.sub("", match.group(2)) if "</" in match.group(2) else match.group(2))
        return _MARK

    marked = _FORMULA.sub(take, text)
    return marked, list(zip(ids, _extract_latex(sources), strict=True))


def _extract_latex(escaped: list[str]) -> list[str]:
    """Return the LaTeX of formulas as HTML has it: without what delimits it, white space as single spaces."""
    together = unescape_html(_MARK.join(escaped))
    if "%" in together:
        together = _MARK.join(map(remove_comments, together.split(_MARK)))
    if "\n" in together or any(space in together for space in _UNEVEN):
        together = " ".join(together.split())
    return [_strip_delimiters(latex.strip("$ ")) for latex in together.split(_MARK)] if escaped else []


def _strip_delimiters(latex: str) -> str:
    """Return a formula without the brackets of LaTeX around it."""
    inside = _BRACKETED.fullmatch(latex) if latex.startswith(("\\(", "\\[")) else None
    return (inside[1] or inside[2] or "").strip() if inside else latex


# Files as they are published: plain, or packed by gzip, bzip2, xz, zip or 7z, which their first bytes say.
#
# Of an archive the file `Posts.xml` is read, or another by its name, or the only one in a zip. 7z is unpacked
# by a program: 7-Zip or libarchive's bsdtar, whichever is installed; nothing is written to the disk.

LINKS, POSTS = "PostLinks.xml", "Posts.xml"
_ZIP, _SEVEN = b"PK\x03\x04", b"7z\xbc\xaf\x27\x1c"
_PROGRAMS = {
    **dict.fromkeys(("7zz", "7z", "7za", "7zr"), (("x", "-so", "-bd", "-y", "--"), ("l", "-ba", "--"))),
    "bsdtar": (("-x", "-O", "-f"), ("-t", "-f")),
}
"""Programs that write a file of a 7z archive to their output, and that it is there: what comes before the
archive's name for the one and for the other."""


@contextmanager
def open_unpacked(path: Path, name: str = POSTS) -> Iterator[IO[bytes]]:
    """Yield a file for reading, unpacked when it is packed.

    Args:
        name: Of the file that is read of an archive.

    Raises:
        OSError: When it cannot be read.
        DataError: Also while it is read, for one that is corrupt or cut short (E316), an archive without
            posts (E318), and 7z without a program for it (E328).
    """
    import bz2
    import gzip
    import lzma
    import zipfile

    with open_read(path) as file:
        # The first bytes tell how the file is packed, whatever its name says.
        start = file.peek(6)[:6]
        try:
            if start.startswith(b"\x1f\x8b"):
                yield gzip.GzipFile(fileobj=file)  # type: ignore[misc]
            elif start.startswith(b"BZh"):
                yield bz2.BZ2File(file)
            elif start == b"\xfd7zXZ\x00":
                with lzma.LZMAFile(file) as stream:
                    yield stream
            elif start.startswith(_ZIP):
                with (
                    zipfile.ZipFile(file) as archive,
                    archive.open(_find_member(archive, path, name)) as member,
                ):
                    yield member
            elif start == _SEVEN:
                with _open_seven_zip(path, name) as output:
                    yield output
            else:
                yield file
        except (EOFError, zlib.error, gzip.BadGzipFile, lzma.LZMAError, zipfile.BadZipFile) as error:
            raise _corrupt_archive_error(path) from error
        except OSError as error:
            if error.errno is None:  # bzip2 says so of bad data
                raise _corrupt_archive_error(path) from error
            raise


def _corrupt_archive_error(path: Path) -> DataError:
    what = "the compressed file ends too early or is corrupt"
    return DataError(what, path=path, code="E316", remedy="Fetch or copy it again.")


def holds_member(path: Path, name: str) -> bool:
    """Return whether a file is a zip or 7z archive with a file of this name in it; no for one that is
    corrupt, or that no program here unpacks, as reading its posts will tell.
    """
    import zipfile

    try:
        with path.open("rb") as file:
            start = file.read(6)
        if start.startswith(_ZIP):
            with zipfile.ZipFile(path) as archive:
                return bool(_member_names(archive, name))
    except (OSError, zipfile.BadZipFile):
        return False
    program = next(filter(shutil.which, _PROGRAMS), None)
    if start != _SEVEN or program is None:
        return False
    command = [program, *_PROGRAMS[program][1], str(path.absolute()), name]
    listed = subprocess.run(command, capture_output=True, check=False)
    return not listed.returncode and name.lower().encode() in listed.stdout.lower()


def _member_names(archive: Any, name: str) -> list[str]:
    return [each for each in archive.namelist() if each.rpartition("/")[2].lower() == name.lower()]


def _find_member(archive: Any, path: Path, name: str) -> str:
    names, wanted = (
        [each for each in archive.namelist() if not each.endswith("/")],
        _member_names(archive, name),
    )
    if len(names) != 1 and not wanted:
        what = f"the archive holds {len(names)} files, and none is {name}"
        raise DataError(what, path=path, code="E318", remedy=f"Unpack it and name its {name}.")
    return str((wanted or names)[0])


@contextmanager
def _open_seven_zip(path: Path, name: str) -> Iterator[IO[bytes]]:
    """Return what a program writes of a file in a 7z archive."""
    program = next(filter(shutil.which, _PROGRAMS), None)
    if program is None:
        remedy = f"Install 7-Zip or bsdtar, or unpack {name} from it yourself."
        raise DataError("no program that unpacks 7z is installed", path=path, code="E328", remedy=remedy)
    command = [program, *_PROGRAMS[program][0], str(path.absolute()), name]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        try:
            yield process.stdout
            ended = not process.stdout.read(1)
        except BaseException:
            process.kill()
            raise
        if not ended:
            process.kill()
        elif process.wait():
            raise _corrupt_archive_error(path)


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

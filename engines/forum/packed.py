"""Files as they are published, plain or packed, and the rows of a Stack Exchange XML file."""

from __future__ import annotations

import re
import shutil
import subprocess
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import IO, Any

from engines.core.errors import DataError
from engines.core.files import open_read
from engines.forum.cleaning import unescape

# Files as they are published: plain, or packed by gzip, bzip2, xz, zip or 7z, which their first bytes say.
#
# Of an archive the file `Posts.xml` is read, or another by its name, or the only one in a zip. 7z is
# unpacked
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
def unpacked(path: Path, name: str = POSTS) -> Iterator[IO[bytes]]:
    """A file for reading, unpacked when it is packed. Args: name: of the file that is read of an archive.

    Raises: OSError when it cannot be read; DataError, also while it is read, for one that is corrupt or cut
    short (E316), an archive without posts (E318), and 7z without a program for it (E328).
    """
    import bz2
    import gzip
    import lzma
    import zipfile

    with open_read(path) as file:
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
                with zipfile.ZipFile(file) as archive, archive.open(_member(archive, path, name)) as member:
                    yield member
            elif start == _SEVEN:
                with _seven(path, name) as output:
                    yield output
            else:
                yield file
        except (EOFError, zlib.error, gzip.BadGzipFile, lzma.LZMAError, zipfile.BadZipFile) as error:
            raise _corrupt(path) from error
        except OSError as error:
            if error.errno is None:  # bzip2 says so of bad data
                raise _corrupt(path) from error
            raise


def _corrupt(path: Path) -> DataError:
    what = "the compressed file ends too early or is corrupt"
    return DataError(what, path=path, code="E316", remedy="Download or copy it again.")


def holds(path: Path, name: str) -> bool:
    """Whether a file is a zip or 7z archive with a file of this name in it; no for one that is corrupt, or
    that no program here unpacks, as reading its posts will tell."""
    import zipfile

    try:
        with path.open("rb") as file:
            start = file.read(6)
        if start.startswith(_ZIP):
            with zipfile.ZipFile(path) as archive:
                return bool(_named(archive, name))
    except (OSError, zipfile.BadZipFile):
        return False
    program = next(filter(shutil.which, _PROGRAMS), None)
    if start != _SEVEN or program is None:
        return False
    command = [program, *_PROGRAMS[program][1], str(path.absolute()), name]
    listed = subprocess.run(command, capture_output=True, check=False)
    return not listed.returncode and name.lower().encode() in listed.stdout.lower()


def _named(archive: Any, name: str) -> list[str]:
    return [each for each in archive.namelist() if each.rpartition("/")[2].lower() == name.lower()]


def _member(archive: Any, path: Path, name: str) -> str:
    names, wanted = [each for each in archive.namelist() if not each.endswith("/")], _named(archive, name)
    if len(names) != 1 and not wanted:
        what = f"the archive holds {len(names)} files, and none is {name}"
        raise DataError(what, path=path, code="E318", remedy=f"Unpack it and name its {name}.")
    return str((wanted or names)[0])


@contextmanager
def _seven(path: Path, name: str) -> Iterator[IO[bytes]]:
    """What a program writes of a file in a 7z archive."""
    program = next(filter(shutil.which, _PROGRAMS), None)
    if program is None:
        raise DataError(
            "no program that unpacks 7z is installed",
            path=path,
            code="E328",
            remedy=f"Install 7-Zip or bsdtar, or unpack {name} from it yourself.",
        )
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
            raise _corrupt(path)


# The rows of a Stack Exchange XML file: cut out as bytes, and taken apart into attributes.
#
# Rows are found as text, however they stand on lines, many times as fast as by an XML parser. Comments,
# CDATA
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


def split(file: IO[bytes], tell: Callable[[int, str], None]) -> Iterator[tuple[int, bytes, bool]]:
    """What stands before the first `<row`, and then what follows each: the line where it begins, the bytes up
    to the next one (of a row that is too long only the first), and whether it is the last.

    Args: tell: is told the line and kind of what is no row and does not end; nothing behind it is read.
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
    """The bytes without comments and the like, whose line ends stay, and what one is called that never ends.

    Args: in_row: they begin inside a row. What looks like a comment inside an attribute is left there.
    """
    pieces: list[bytes] = []
    start = look = 0
    while found := _ASIDE.search(data, look):
        tag = start if in_row else -1
        for row in _START.finditer(data, start, found.start()):
            tag = row.end()
        if tag >= 0 and not _ENDED.match(data, tag, found.start()):
            look = found.end()
            continue
        pieces.append(data[start : found.start()])
        end, begin, lines, in_row = _ENDS[found[0]], found.end(), 0, False
        while (stop := data.find(end, begin)) < 0:
            chunk = file.read(_CHUNK)
            if not chunk:
                return b"".join(pieces), _NAMES[found[0]]
            kept = data[max(begin, len(data) - len(end) + 1) :]
            lines += data.count(b"\n", begin, len(data) - len(kept))
            data, begin = kept + chunk, 0
        pieces.append(b"\n" * (lines + data.count(b"\n", begin, stop)))
        start = look = stop + len(end)
    return b"".join([*pieces, data[start:]]), ""


def attributes_of(text: str) -> dict[str, str] | None:
    """The attributes of a row, from behind `<row`; None when it is broken."""
    parts = text.split('"')
    names = list(map(_name, parts[:-1:2]))
    if None in names or not len(parts) % 2 or not parts[-1].lstrip().startswith(("/>", ">")):
        # Single quotes, or something between a row and the next.
        whole = _ROW.match(text)
        if whole is None:
            return None
        found = _ATTRIBUTE.findall(text, 0, whole.end())
        names, values = [name for name, _, _ in found], [double or single for _, double, single in found]
    else:
        values = parts[1::2]
    attributes = {
        str(name): _attribute(value) if "&" in value else value
        for name, value in zip(names, values, strict=True)
    }
    return attributes if len(attributes) == len(names) else None  # no name may occur twice


@lru_cache(maxsize=1_024)
def _name(between: str) -> str | None:
    """The name of an attribute, from what stands between the value before it and its own."""
    found = _NAME.fullmatch(between)
    return found[1] if found else None


def _attribute(value: str) -> str:
    """An attribute's value: XML's five entities and the line ends that Stack Exchange writes as numbers."""
    if "&#" in value:
        value = value.replace("&#xA;", "\n").replace("&#xD;", "\n").replace("&#10;", "\n")
    return unescape(value)

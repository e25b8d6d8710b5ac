"""The rows of a Stack Exchange XML file: cut out as bytes, and taken apart into attributes.

Rows are found as text, however they stand on lines, many times as fast as by an XML parser. Comments, CDATA
sections and processing instructions are no rows, whatever stands in them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import IO

from engines.forum.cleaning import unescape

__all__ = ["MAX_ROW", "ROOT", "attributes_of", "split"]

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
                tell(line + data.count(b"\n"), f"the {endless} does not end: what follows it is not read")
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

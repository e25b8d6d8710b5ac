"""A collection multiplied to any size, as the Posts XML of ARQMath, for benchmarks.

Copies get ids of their own, threads stay together, and words are exchanged at random, so that no two copies
are alike and an index cannot profit from repetition. The formulas stay as they are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from engines.core.errors import DataError
from engines.core.files import atomic_writer, read_lines
from engines.forum.readers import Report, read_rows

_STRIDE = 10_000_000
"""Ids of a copy are those of the collection plus a multiple of it."""
_WORD = re.compile(r"(?<![\\&\w])([a-z]{4,})(?![\w;])")
_MARKUP = re.compile(r"(<[^>]*>|\$[^$]*\$)")
_SHARE = 0.15
_ID_FIELDS = ("Id", "ParentId", "AcceptedAnswerId")


def multiply(posts: str | Path, out: str | Path, *, target_bytes: int, seed: int = 0) -> dict[str, int]:
    """Write a Posts XML file of at least `target_bytes` (posts are whole) out of a collection of any format.

    The collection is kept in memory: a small one is meant. Returns: posts, copies (begun), bytes.
    """
    rows = [_Row.of(row) for row in _rows(Path(posts))]
    if not rows:
        raise DataError(
            "no posts to multiply", path=posts, code="E318", remedy="Name Posts XML, or a table of posts."
        )
    draw = Random(seed)
    words = sorted({row.pieces[place] for row in rows[:2_000] for place in row.words}) or ["word"]
    count = size = copy = 0
    with atomic_writer(Path(out), "wb") as file:
        head = b'<?xml version="1.0" encoding="utf-8"?>\n<posts>\n'
        size += file.write(head)
        while size < target_bytes:
            for row in rows:
                size += file.write(row.written(copy * _STRIDE, words, draw).encode("utf-8"))
                count += 1
                if size >= target_bytes:
                    break
            copy += 1
        size += file.write(b"</posts>\n")
    return {"posts": count, "copies": copy, "bytes": size}


@dataclass(frozen=True, slots=True)
class _Row:
    """A post ready to be written: its attributes but for the body, and the body, escaped, in pieces of which
    those at `words` may be exchanged."""

    attributes: dict[str, str]
    pieces: list[str]
    words: list[int]

    @staticmethod
    def of(row: dict[str, str]) -> _Row:
        pieces: list[str] = []
        words: list[int] = []
        for number, part in enumerate(_MARKUP.split(row["Body"])):
            cut = [part] if number % 2 else _WORD.split(part)
            words += range(len(pieces) + 1, len(pieces) + len(cut), 2)
            pieces += map(_escaped, cut)
        return _Row({name: value for name, value in row.items() if name != "Body"}, pieces, words)

    def written(self, shift: int, words: list[str], draw: Random) -> str:
        attributes = dict(self.attributes)
        for name in _ID_FIELDS:
            if attributes.get(name, "").isdigit():
                attributes[name] = str(int(attributes[name]) + shift)
        pieces = self.pieces
        if shift and self.words:
            pieces = pieces.copy()
            for place in draw.choices(self.words, k=int(_SHARE * len(self.words)) + 1):
                pieces[place] = draw.choice(words)
        start = " ".join(f'{name}="{_escaped(value)}"' for name, value in attributes.items())
        return f'  <row {start} Body="{"".join(pieces)}" />\n'


def _rows(path: Path) -> Iterator[dict[str, str]]:
    """Posts as the attributes of a Posts XML row, bodies as HTML."""
    if not path.name.removesuffix(".gz").endswith(".jsonl"):
        for _, row in read_rows(path, Report()):
            if row.get("PostTypeId") in ("1", "2") and row.get("Id", "").isdigit():
                yield {"Body": "", **row}
        return
    for _, line in read_lines(path):
        post: dict[str, Any] = json.loads(line)
        row = {"Id": str(post["id"]), "PostTypeId": str(post["type"])}
        if post["type"] == 2:
            row["ParentId"] = str(post["parent_id"])
        row |= {"CreationDate": "2012-03-04T05:06:07.080", "Score": "1", "Body": post["body"]}
        if post["type"] == 1:
            tags = "".join(f"<{tag}>" for tag in post.get("tags") or ())
            row |= {"Title": post.get("title") or "", "Tags": tags}
        yield row


def _escaped(value: str) -> str:
    value = value.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
    return value.replace("\r\n", "&#xA;").replace("\n", "&#xA;")

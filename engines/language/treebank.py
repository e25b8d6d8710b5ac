"""Sentences of a treebank in CoNLL-U, with heads, relations, tags and lemmas."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from engines.core.errors import DataError
from engines.core.files import read_lines

__all__ = ["Sentence", "read_treebank"]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence: one entry a word in each tuple. `heads` are word numbers from 0 (the root's its own),
    `spaces` says whether a blank follows, `tags` are Penn Treebank tags, `relations` those of Universal
    Dependencies."""

    words: tuple[str, ...]
    spaces: tuple[bool, ...]
    tags: tuple[str, ...]
    lemmas: tuple[str, ...]
    heads: tuple[int, ...]
    relations: tuple[str, ...]


def read_treebank(path: Path) -> Iterator[Sentence]:
    """The sentences of a CoNLL-U file, plain or gzipped; empty nodes of enhanced graphs are passed over.

    Raises:
        DataError E317: for a line that is no word of ten columns, or whose head is no word of its sentence.
    """
    rows: list[tuple[int, list[str]]] = []
    fused: dict[int, bool] = {}
    for number, line in read_lines(path):
        if line.startswith("#"):
            continue
        if not line.strip():
            if rows:
                yield _sentence(path, rows, fused)
            rows, fused = [], {}
            continue
        columns = line.split("\t")
        if len(columns) != 10:
            raise _unusable(path, number, f"{len(columns)} columns where CoNLL-U has 10")
        if "-" in columns[0]:
            # A fused token, such as "don't": its words are written without blanks between them.
            first, last = (int(part) for part in columns[0].split("-"))
            fused.update(dict.fromkeys(range(first, last), False))
            fused[last] = "SpaceAfter=No" not in columns[9]
        elif "." not in columns[0]:
            rows.append((number, columns))
    if rows:
        yield _sentence(path, rows, fused)


def _sentence(path: Path, rows: list[tuple[int, list[str]]], fused: dict[int, bool]) -> Sentence:
    heads = []
    for place, (number, columns) in enumerate(rows):
        head = int(columns[6]) if columns[6].isdigit() else -1
        if not 0 <= head <= len(rows):
            raise _unusable(path, number, f"the head {columns[6]} is no word of the sentence")
        heads.append(head - 1 if head else place)
    cells = [columns for _, columns in rows]
    return Sentence(
        words=tuple(cell[1] for cell in cells),
        spaces=tuple(
            fused.get(place, "SpaceAfter=No" not in cell[9]) for place, cell in enumerate(cells, start=1)
        ),
        tags=tuple(cell[4] for cell in cells),
        lemmas=tuple(cell[2] for cell in cells),
        heads=tuple(heads),
        relations=tuple(cell[7] for cell in cells),
    )


def _unusable(path: Path, line: int, what: str) -> DataError:
    return DataError(
        what, path=path, line=line, code="E317", remedy="Give a treebank in CoNLL-U, plain or gzipped."
    )

"""Sentences of a treebank in CoNLL-U, with heads, relations, tags and lemmas."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
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
        DataError E317: for a line that is no word of ten columns, or whose head is no word of its sentence,
            and a sentence whose words are not counted from 1 or do not all hang on one root. E314: for a file
            without sentences.
    """
    empty = True
    rows: list[tuple[int, list[str]]] = []
    fused: dict[int, bool] = {}
    for number, line in read_lines(path):
        if line.startswith("#"):
            continue
        if not line.strip():
            if rows:
                empty = False
                yield _sentence(path, rows, fused)
            rows, fused = [], {}
            continue
        columns = line.split("\t")
        if len(columns) != 10:
            raise _unusable(path, number, f"{len(columns)} columns where CoNLL-U has 10")
        if "-" in columns[0]:
            # A fused token, such as "don't": its words are written without blanks between them.
            ends = re.fullmatch(r"([0-9]{1,4})-([0-9]{1,4})", columns[0])
            if ends is None:
                raise _unusable(path, number, f"{columns[0]} is no range of words")
            first, last = int(ends[1]), int(ends[2])
            fused.update(dict.fromkeys(range(first, last), False))
            fused[last] = "SpaceAfter=No" not in columns[9]
        elif "." not in columns[0]:
            rows.append((number, columns))
    if rows:
        yield _sentence(path, rows, fused)
    elif empty:
        raise DataError(
            "the file has no sentences", path=path, code="E314", remedy="Name a file with content."
        )


def _sentence(path: Path, rows: list[tuple[int, list[str]]], fused: dict[int, bool]) -> Sentence:
    heads = []
    for place, (number, columns) in enumerate(rows):
        if columns[0] != str(place + 1):
            raise _unusable(path, number, f"the word is called {columns[0]} where {place + 1} is due")
        head = int(columns[6]) if re.fullmatch(r"[0-9]{1,4}", columns[6]) else -1
        if not 0 <= head <= len(rows):
            raise _unusable(path, number, f"the head {columns[6]} is no word of the sentence")
        heads.append(head - 1 if head else place)
    ends: Sequence[int] = range(len(heads))
    for _ in heads:
        ends = [heads[place] for place in ends]  # after as many steps as there are words all are at a root
    if len(set(ends)) > 1 or heads[ends[0]] != ends[0]:
        raise _unusable(path, rows[0][0], "the words of the sentence do not all hang on one root")
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

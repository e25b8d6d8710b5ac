"""Files of AMR graphs: blocks of PENMAN, each under its sentence (`# ::snt`), with empty lines between."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from engines.core.errors import DataError, raised
from engines.core.files import read_lines

__all__ = ["Block", "read_blocks"]

_SENTENCE = "# ::snt "


@dataclass(frozen=True, slots=True)
class Block:
    """A sentence, the PENMAN text of its graph, and the line where its block begins."""

    sentence: str
    graph: str
    line: int


def read_blocks(path: Path, *, on_bad: Callable[[DataError], None] = raised) -> Iterator[Block]:
    """The graphs of a file, plain or gzip, in order. Blocks that are comments alone are passed over.

    Args: on_bad: what is done with the error of a block without a sentence, if not to raise it.
    Raises: DataError E317 for such a block.
    """
    block: list[str] = []
    begin = 0
    for line, text in read_lines(path, on_bad=on_bad):
        if text.strip():
            begin = begin if block else line
            block.append(text)
        elif block:
            yield from _block(path, begin, block, on_bad)
            block = []
    yield from _block(path, begin, block, on_bad)


def _block(path: Path, line: int, block: list[str], on_bad: Callable[[DataError], None]) -> Iterator[Block]:
    graph = "\n".join(text for text in block if not text.startswith("#"))
    sentence = next((text.removeprefix(_SENTENCE) for text in block if text.startswith(_SENTENCE)), None)
    if graph and sentence is None:
        remedy = "Each graph stands under its sentence: # ::snt The boy wants to go ."
        on_bad(DataError("a graph without its sentence", path=path, line=line, code="E317", remedy=remedy))
    elif graph and sentence is not None:
        yield Block(sentence.strip(), graph, line)

"""Sentence-order pairs as text, to look at or to train with elsewhere (Reusch, Thiele and Lehner, 2022).

The pairs are those of `pretraining_data.order_pairs`: chunks of consecutive segments of up to 509 tokens (512
without the three special ones), one document in ten aiming at a random shorter length, split at a random
border between segments, swapped half of the time, the longer side truncated. The label is 0 for the right
order and 1 for swapped ones, as in Hugging Face's models and the published code; the paper's text has it the
other way round. A document of one segment gives no pair.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from engines.arqmath.training.pretraining import order_pairs
from engines.core.files import atomic_writer

ROOM = 512 - 3
"""Tokens of a pair without the special ones."""


@dataclass(frozen=True, slots=True)
class TextPair:
    """Two pieces of a document; `label` is 0 when `first` comes first in it, 1 when they are swapped."""

    first: str
    second: str
    label: int


def text_pairs(
    documents: Iterable[Sequence[str]], tokenizer: Any, *, room: int = ROOM, seed: int = 0
) -> Iterator[TextPair]:
    """The pairs of documents, each a list of segments.

    Args: tokenizer: a fast one; its tokens are counted, and what it cuts is cut between two of them.
    """
    draw = Random(seed)
    for document in documents:
        pieces: list[str] = []
        numbered: list[range] = []
        for found in _pieces(document, tokenizer):
            numbered.append(range(len(pieces), len(pieces) + len(found)))
            pieces += found
        if len(numbered) < 2:
            continue
        for left, right, swapped in order_pairs(numbered, room, draw):
            first, second = ("".join(pieces[number] for number in side).strip() for side in (left, right))
            yield TextPair(first, second, int(swapped))


def write_segments(
    documents: Iterable[Sequence[str]], out: str | Path, *, tokenizer: Any | None = None, seed: int = 0
) -> dict[str, int]:
    """Write documents as JSON lines (packed when the name ends in .gz): `{"segments": […]}` each, or, with a
    tokenizer, their sentence-order pairs, `{"first", "second", "label"}` each.

    Returns: documents (that have a segment), single (of one segment only), segments, and, with a tokenizer,
    pairs and swapped (those of label 1).
    """
    counts = {"documents": 0, "single": 0, "segments": 0}

    def counted() -> Iterator[Sequence[str]]:
        for document in documents:
            if document:
                counts["documents"] += 1
                counts["single"] += len(document) == 1
                counts["segments"] += len(document)
                yield document

    def rows() -> Iterator[Mapping[str, object]]:
        if tokenizer is None:
            yield from ({"segments": list(document)} for document in counted())
            return
        counts.update(pairs=0, swapped=0)
        for pair in text_pairs(counted(), tokenizer, seed=seed):
            counts["pairs"] += 1
            counts["swapped"] += pair.label
            yield {"first": pair.first, "second": pair.second, "label": pair.label}

    out = Path(out)
    with atomic_writer(out, "wb") as file:
        # Without its name and time in it, the same content is the same file.
        packed = gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) if out.suffix == ".gz" else None
        with packed or nullcontext(file) as target:
            for row in rows():
                target.write((json.dumps(row, ensure_ascii=False) + "\n").encode("utf-8", "replace"))
    return counts


def _pieces(document: Sequence[str], tokenizer: Any) -> Iterator[list[str]]:
    """Each segment cut where its tokens begin, with a space at its end; one without tokens is left out."""
    if not document:
        return
    encoded = tokenizer(
        list(document),
        add_special_tokens=False,
        return_offsets_mapping=True,
        return_attention_mask=False,
        verbose=False,
    )
    for segment, offsets in zip(document, encoded["offset_mapping"], strict=True):
        if offsets:
            starts = [0, *(begin for begin, _ in offsets[1:])]
            ends = [*starts[1:], len(segment)]
            cut = [segment[begin:end] for begin, end in zip(starts, ends, strict=True)]
            yield [*cut[:-1], cut[-1] + " "]

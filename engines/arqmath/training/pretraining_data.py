"""Documents for pre-training, and what is cut from them: pairs of segments in order or swapped, or chunks.

A document is a list of segments. Its consecutive segments are filled into chunks of up to `room` tokens; for
one document in ten they are filled to a random shorter length, so that the model sees short inputs too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

from engines.arqmath.collection.amps import read_amps
from engines.arqmath.training.segmentation import formula_parts, formulas, sentences, text_and_formulas
from engines.arqmath.training.sequences import tokenised
from engines.arqmath.training.settings import PretrainSettings
from engines.core.errors import DataError
from engines.forum.folder import ArqmathFolder
from engines.forum.readers import Report, read_posts

__all__ = ["Example", "chunks", "documents", "examples", "in_order", "needed", "order_pairs"]

Example = tuple[Sequence[int], Sequence[int], bool]
"""Tokens of the first and of the second segment, and whether they are swapped. A chunk has no second."""
_SHORTER = 0.1
_AT_ONCE = 500


def needed(settings: PretrainSettings, data: Mapping[str, Path]) -> list[str]:
    """The kinds of data that the corpora are made of. Raises: DataError E674 when one is not named."""
    kinds: list[str] = []
    for corpus in settings.names:
        kind = "collection" if corpus.startswith("mathse") else "amps"
        if kind not in data:
            raise DataError(
                f"the recipe names no {kind} for {corpus}",
                code="E674",
                exit_code=3,
                remedy=f"Name one with --set data.{kind}=PATH",
            )
        kinds += [kind] if kind not in kinds else []
    return kinds


def documents(
    settings: PretrainSettings, data: Mapping[str, Path], report: Report | None = None
) -> Iterator[list[str]]:
    """The documents of the corpora, one after the other: a post each (the title of a question is its first
    segment), a formula each for MathSE (3), an exercise each for AMPS. Args: report: gets the malformed
    rows."""
    report = report or Report()
    for corpus in settings.names:
        if corpus.startswith("mathse"):
            folder = ArqmathFolder.open(data["collection"])
            yield from _of_posts(corpus, folder, settings.split_inside_formulas, report)
        else:
            for exercise in read_amps(data["amps"], report):
                if corpus == "amps" or exercise.source == corpus:
                    yield exercise.segments


def _of_posts(corpus: str, folder: ArqmathFolder, inside: bool, report: Report) -> Iterator[list[str]]:
    for post in read_posts(folder.need_posts(), report):
        known = [latex for _, latex in post.body.formulas]
        if corpus == "mathse3":
            found = formulas(post.title if known and not inside else post.text)
            yield from map(formula_parts, found if inside else [*found, *known])
        else:
            cut = sentences if corpus == "mathse1" else text_and_formulas
            yield cut(post.body.text, title=post.title, known=known, split_inside_formulas=inside)


def examples(
    read: Iterable[Sequence[str]], tokenizer: Any, room: int, *, pairs: bool, seed: int
) -> Iterator[Example]:
    """What the documents give, in their order.

    Args: room: tokens of an example without the special ones. pairs: of segments; chunks without.
    """
    draw = Random(seed)
    source = iter(read)
    while batch := list(islice(source, _AT_ONCE)):
        segments = tokenised(tokenizer, (segment for document in batch for segment in document))
        for document in batch:
            found = [ids for ids in islice(segments, len(document)) if ids]
            yield from order_pairs(found, room, draw) if pairs else chunks(found, room)


def chunks(document: Sequence[Sequence[int]], room: int) -> Iterator[Example]:
    """Consecutive segments, as many as fit; one that is too long is cut into several."""
    ids = [token for segment in document for token in segment]
    for begin in range(0, len(ids), room):
        yield ids[begin : begin + room], (), False


def order_pairs(document: Sequence[Sequence[int]], room: int, draw: Random) -> Iterator[Example]:
    """Chunks of two segments or more, each split at a random border and swapped half of the time. What is too
    long loses tokens of its longer side, at a random end. One segment alone gives nothing."""
    wanted = draw.randint(2, room) if draw.random() < _SHORTER else room
    chunk: list[Sequence[int]] = []
    filled = 0
    for place, segment in enumerate(document):
        chunk.append(segment)
        filled += len(segment)
        if filled < wanted and place < len(document) - 1:
            continue
        if len(chunk) > 1:
            cut = draw.randint(1, len(chunk) - 1)
            sides = [[token for part in side for token in part] for side in (chunk[:cut], chunk[cut:])]
            left, right = _shortened(sides[0], sides[1], room, draw)
            swapped = draw.random() < 0.5
            yield (right, left, True) if swapped else (left, right, False)
        chunk, filled = [], 0


def in_order(example: Example) -> Example:
    """A pair as it stands in its document."""
    first, second, swapped = example
    return (second, first, False) if swapped else example


def _shortened(left: list[int], right: list[int], room: int, draw: Random) -> tuple[list[int], list[int]]:
    """Both sides without the tokens that are too many."""
    bounds = [[0, len(left)], [0, len(right)]]
    for _ in range(len(left) + len(right) - room):
        longer = max(bounds, key=lambda bound: bound[1] - bound[0])
        if draw.random() < 0.5:
            longer[0] += 1
        else:
            longer[1] -= 1
    return left[slice(*bounds[0])], right[slice(*bounds[1])]

"""Semantic understanding beyond syntax: the equal one among near-copies (E-Gen, Table 6)."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engines.core.errors import DataError, EngineError, ExpressionError
from engines.core.events import Event, Sink, Stop, ignore, never
from engines.core.expression_language import read_prefix, to_prefix
from engines.core.files import write_rows
from engines.core.rows import json_objects, read_lines
from engines.egen.evaluations.figures import (
    WORST,
    EvaluationReport,
    Figure,
    Mistake,
    describe_unread,
    filter_readable,
    mean_figure,
    select_costliest,
)
from engines.egen.evaluations.mistakes import near_copies
from engines.egen.models.datasets import Labelled
from engines.mathematics.terms.padding import has_padding
from engines.mathematics.verification.verifier import Verifier
from engines.retrieval.dense import Vectors
from engines.retrieval.encoders import Encoder

NEAR = 3
"""Near-copies of the query, and as many of the answer."""
MIN_DISTANCE = 4
"""Tree edit distance between query and answer, at least."""
_LOOKED_AT = 40
_TRIES = 4


@dataclass(frozen=True, slots=True)
class SemanticItem:
    """A question: which of the candidates equals the query? Texts in generator prefix notation; `distractors`
    are near-copies of the query, then of the answer."""

    query: str
    answer: str
    distractors: tuple[str, ...]

    @property
    def texts(self) -> tuple[str, ...]:
        """The query, the answer and the distractors."""
        return (self.query, self.answer, *self.distractors)


def build_items(
    data: Labelled, count: int = 1_000, *, seed: int = 0, events: Sink = ignore, stop: Stop = never
) -> list[SemanticItem]:
    """Make items from clusters, going round them in random order until there are `count`.

    Query and answer are members without padding, verified equal, `MIN_DISTANCE` or more edits apart. Every
    distractor differs from its original in one label and is verified to differ in value. Items are distinct;
    fewer come back when the clusters do not hold so many.
    """
    draw = random.Random(seed)
    members = [[text for text in texts if not has_padding(text.split())] for texts in data.clusters]
    members = [texts for texts in members if len(texts) > 1]
    draw.shuffle(members)
    results: dict[tuple[str, str], SemanticItem] = {}
    for _ in range(_TRIES * (1 + count // max(1, len(members)))):
        for texts in members:
            if len(results) >= count or stop():
                return list(results.values())
            item = _make_item(texts, draw)
            if item is not None:
                results[item.query, item.answer] = item
                events(Event("progress", {"done": len(results), "total": count, "unit": "items"}))
    return list(results.values())


def _make_item(texts: Sequence[str], draw: random.Random) -> SemanticItem | None:
    from engines.core.tree_edit import edit_distance

    query = read_prefix(draw.choice(texts))
    others = [read_prefix(text) for text in draw.sample(texts, min(_LOOKED_AT, len(texts)))]
    far = [tree for tree in others if tree != query and edit_distance(tree, query) >= MIN_DISTANCE]
    if not far:
        return None
    answer = draw.choice(far)
    if Verifier(query).judge_members([answer])[0].outcome not in ("equal", "extends", "shrinks"):
        return None
    wrong = [*near_copies(query, NEAR, draw), *near_copies(answer, NEAR, draw)]
    distractors = tuple(dict.fromkeys(map(to_prefix, wrong)))
    if len(distractors) < 2 * NEAR:
        return None
    return SemanticItem(to_prefix(query), to_prefix(answer), distractors)


def write_items(items: Sequence[SemanticItem], path: Path) -> None:
    """Write items as JSON Lines."""
    write_rows(path, map(asdict, items))


def holds_items(path: Path) -> bool:
    """Return whether a file holds items of this evaluation."""
    return not path.is_dir() and '"query"' in next((line for _, line in read_lines(path)), "")


def read_items(path: Path) -> Iterator[SemanticItem]:
    """Read items from a file of JSON Lines."""
    remedy = "`egen eval semantic --write FILE` makes such a file."
    for number, row in json_objects(path, remedy=remedy):
        try:
            item = SemanticItem(str(row["query"]), str(row["answer"]), tuple(map(str, row["distractors"])))
            for text in item.texts:
                read_prefix(text)
        except (KeyError, TypeError) as error:
            what = "this is not an object with `query`, `answer` and `distractors`"
            raise DataError(what, path=path, line=number, code="E317", remedy=remedy) from error
        except ExpressionError as error:
            raise DataError(error.what, path=path, line=number, remedy=error.remedy, code="E317") from error
        yield item


def evaluate(
    encoder: Encoder,
    items: Sequence[SemanticItem],
    *,
    seed: int = 0,
    worst: int = WORST,
    events: Sink = ignore,
    stop: Stop = never,
) -> EvaluationReport:
    """Measure the share of items in percent whose answer is nearest to the query (E-Gen, Table 6).

    Candidates are in random order.

    `better`: against the near-copies of the query alone and of the answer alone (chance is 25 % in each),
    which says where it fails; a tie is not a hit there.
    """
    kept = filter_readable(items, lambda item: item.texts, encoder)
    if not kept:
        remedy = "Name data with more and longer expressions in each cluster."
        raise EngineError("there are no items to evaluate", code="E645", remedy=remedy)
    draw = np.random.default_rng(seed)
    texts, orders = [], []
    # All items get as many candidates as the shortest has, so that chance is the same for all.
    width = min(len(item.distractors) for item in kept) + 1
    for item in kept:
        order = draw.permutation(width)
        candidates = [item.answer, *item.distractors][:width]
        # A block of rows for each item: the query, then its candidates in random order.
        texts += [item.query, *(candidates[index] for index in order)]
        orders.append(order)
    vectors = encoder.encode(texts, events=events, stop=stop).reshape(len(kept), width + 1, -1)
    # Unit vectors: the product is the cosine.
    scores = (vectors[:, 1:] * vectors[:, :1]).sum(-1)
    candidate_numbers = np.array(orders)
    # Candidate 0 is the answer; find where the order has put it.
    answers = (candidate_numbers == 0).argmax(1)
    hits = (scores.argmax(1) == answers).astype(float)
    answer_scores = scores[np.arange(len(kept)), answers]
    wrong = np.flatnonzero(hits == 0)
    return EvaluationReport(
        "semantic",
        encoder.name,
        (
            mean_figure("semantic_accuracy", "paper", hits),
            *_iterate_halves(scores, answer_scores, candidate_numbers),
        ),
        {
            "items": len(kept),
            "candidates": width,
            "chance_percent": 100 / width,
            "left_out": describe_unread(len(items) - len(kept)),
            "seed": seed,
        },
        len(wrong),
        select_costliest(
            (
                Mistake(
                    kept[row].query,
                    kept[row].answer,
                    texts[row * (width + 1) + 1 + int(scores[row].argmax())],
                    float(scores[row].max() - answer_scores[row]),
                )
                for row in wrong.tolist()
            ),
            worst,
        ),
    )


def _iterate_halves(scores: Vectors, own: Vectors, places: NDArray[np.int64]) -> Iterator[Figure]:
    """Yield the answer against each half of the distractors.

    Args:
        scores: (items, candidates).
        own: (items,) those of the answers.
        places: (items, candidates) which candidate stands where: 0 the answer, then distractors in the order
            of the item.
    """
    ordered = np.take_along_axis(scores, np.argsort(places, axis=1), 1)
    half = (scores.shape[1] - 1) // 2
    for name, rivals in (("query", ordered[:, 1 : 1 + half]), ("answer", ordered[:, 1 + half :])):
        if rivals.shape[1]:
            hits = (own > rivals.max(1)).astype(float)
            yield mean_figure(f"semantic_accuracy_against_copies_of_{name}", "better", hits)

"""Pairs of strings to learn from: each topic's formula with each judged formula, and their grade."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from engines.core.errors import DataError
from engines.mathamr.training.settings import SentenceSettings

__all__ = ["LABELS", "Pair", "judged_pairs", "split"]

LABELS = (0.0, 0.5, 1.0, 1.0)
"""The similarity that a grade stands for (section 4.2): high and medium 1, low .5."""


@dataclass(frozen=True, slots=True)
class Pair:
    """The strings of a topic's formula and of a judged one, and how similar they are, 0 to 1."""

    topic: str
    query: str
    text: str
    grade: int

    @property
    def label(self) -> float:
        """0, .5 or 1."""
        return LABELS[self.grade]


def judged_pairs(collection: Path, index: Path | None, settings: SentenceSettings) -> tuple[list[Pair], int]:
    """The pairs of the topics that the settings name, and how many judged formulas the collection lacks.

    Without an index one is made for the while. Raises: DataError E674 where no judged formula is there.
    """
    from engines.forum.folder import ArqmathFolder
    from engines.mathamr.retrieval.formula_index import FormulaIndex
    from engines.mathamr.retrieval.indexing import IndexFormulas
    from engines.mathamr.retrieval.indexing import index as make
    from engines.mathamr.retrieval.representing import Strings
    from engines.mathamr.retrieval.task2 import Task2

    task = Task2(ArqmathFolder.open(collection))
    with TemporaryDirectory(prefix="mathwb-") as place:
        if index is None:
            index = Path(place) / "index"
            make(IndexFormulas(collection, index))
        strings = Strings(FormulaIndex(index), settings.kind, settings.window)
        topics = [
            topic
            for topic in task.topics.values()
            if settings.first_topic <= _number(topic.id) <= settings.last_topic and topic.id in task.grades
        ]
        queries = strings.of_topics(topics)
        found: list[Pair] = []
        missing = 0
        for topic, query in zip(topics, queries, strict=True):
            judged = task.grades[topic.id]
            here = [one for one in judged if strings.index.row(one) is not None]
            missing += len(judged) - len(here)
            for one, text in zip(here, strings.of_formulas(here), strict=True):
                found.append(Pair(topic.id, query, text, judged[one]))
    if not found:
        raise DataError(
            "no judged formula of these topics is in the collection",
            path=collection,
            code="E674",
            remedy="Name others with --set model.first_topic=N and model.last_topic=N.",
        )
    return found, missing


def _number(topic: str) -> int:
    digits = topic.rpartition(".")[2]
    return int(digits) if digits.isdigit() else 0


def split(pairs: Sequence[Pair], settings: SentenceSettings, seed: int) -> tuple[list[Pair], list[Pair]]:
    """Pairs to learn from and pairs to measure on: by topics, or each grade's pairs by chance."""
    draw = Random(seed)
    if settings.split == "topics":
        topics = sorted({pair.topic for pair in pairs})
        count = min(len(topics) - 1, max(1, round(settings.held_out * len(topics))))
        out = set(draw.sample(topics, count)) if settings.held_out else set()
        return [one for one in pairs if one.topic not in out], [one for one in pairs if one.topic in out]
    kept, held = [], []
    for grade in sorted(Counter(pair.grade for pair in pairs)):
        own = [pair for pair in pairs if pair.grade == grade]
        draw.shuffle(own)
        cut = round(settings.held_out * len(own))
        held += own[:cut]
        kept += own[cut:]
    return kept, held

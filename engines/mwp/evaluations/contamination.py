"""How many problems of a test are known from training, and how much better those are solved."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from engines.mwp.evaluations.comparisons import wilson_interval
from engines.mwp.problems.near_duplicates import ALIKE, find_look_alikes, fingerprint_problems
from engines.mwp.problems.problem import Problem


def measure_contamination(
    rows: Sequence[Problem],
    right: Sequence[bool],
    marks: Collection[str],
    learned: Sequence[Problem] | None = None,
) -> dict[str, Any]:
    """Return how many problems have the words of a training problem or resemble one, and the accuracy on
    these and on all others.

    Args:
        rows: The problems of the test.
        right: Whether each was answered right.
        marks: Of the words of the training problems, as `fingerprint_problems` gives them.
        learned: The training problems themselves; without them only the same words are found, and
            `resembling` is None.
    """
    texts = fingerprint_problems(rows)
    known = {*marks, *fingerprint_problems(learned or ())}
    identical = {index for index, mark in enumerate(texts) if mark in known}
    resembling = None if learned is None else set(find_look_alikes(rows, learned)) - identical
    alike = identical | (resembling or set())
    parts = {
        "like_training": [score for index, score in enumerate(right) if index in alike],
        "unlike_training": [score for index, score in enumerate(right) if index not in alike],
    }
    return {
        # How many training texts the comparison knows: by marks of their words, or as problems.
        "training_texts": len(known),
        "identical": len(identical),
        "resembling": None if resembling is None else len(resembling),
        "jaccard": ALIKE,
        **{
            name: {
                "problems": len(scores),
                "answer_accuracy": sum(scores) / len(scores) if scores else None,
                "ci95": wilson_interval(scores) if scores else None,
            }
            for name, scores in parts.items()
        },
    }

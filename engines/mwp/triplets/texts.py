"""Similarity of problem texts: Bi-BLEU, or the cosine of sentence vectors (BERTSim)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from engines.core.errors import EngineError
from engines.core.events import Sink, Stop, ignore, never
from engines.mwp.problems.problem import Problem
from engines.mwp.triplets.bibleu import BiBleu, tokens
from engines.mwp.triplets.settings import Text, Tokens

__all__ = ["BertSim", "TextSimilarity", "similarity_of"]


class TextSimilarity(Protocol):
    """How alike the texts of a pool are."""

    name: str

    def of(self, anchor: int, others: NDArray[np.integer[Any]]) -> NDArray[np.float64]:
        """(n,): of one text with others, by their places."""
        ...


class BertSim:
    """The cosine of sentence vectors. Args: vectors: (texts, d), of length 1."""

    name = "bertsim"

    def __init__(self, vectors: NDArray[np.float32]) -> None:
        self.vectors = vectors

    def of(self, anchor: int, others: NDArray[np.integer[Any]]) -> NDArray[np.float64]:
        """As `TextSimilarity.of`."""
        return np.asarray(self.vectors[others] @ self.vectors[anchor], np.float64)


def similarity_of(
    problems: Sequence[Problem],
    text: Text,
    *,
    how: Tokens = "auto",
    encoder: str | None = None,
    events: Sink = ignore,
    stop: Stop = never,
) -> TextSimilarity:
    """What compares the texts of problems; a random choice is measured by Bi-BLEU.

    Args: encoder: of sentences, `minilm` or a folder; None takes MiniLM where all problems are English.
    Raises: EngineError E682 for Chinese problems without an encoder, and as `encoder` does.
    """
    if text != "bertsim":
        return BiBleu([tokens(problem.text, problem.language, how) for problem in problems])
    if encoder is None and any(problem.language == "zh" for problem in problems):
        raise EngineError(
            "the built-in sentence encoder reads no Chinese",
            code="E682",
            exit_code=2,
            remedy="Name a folder of one that does: --encoder FOLDER, or take --text bibleu.",
        )
    from engines.retrieval.encoders import BUILT_IN
    from engines.retrieval.encoders import encoder as opened

    model = opened(encoder or BUILT_IN)
    return BertSim(model.encode([problem.original for problem in problems], events=events, stop=stop))

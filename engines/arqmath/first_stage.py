"""First stages: searches by terms, by vectors of answers and of questions, by structure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, get_args

from engines.core.errors import EngineError
from engines.core.spec import Arg

if TYPE_CHECKING:
    from engines.retrieval.run import Run


By = Literal["model", "formulas", "interaction"]
"""What a second stage scores by."""
Candidates = Literal["index", "judged", "tagged", "all"]
"""What a cross-encoder scores: a first stage's best, the judged answers, those to questions that share a
tag with the topic, or all there are."""

Family = Literal["bert", "albert", "roberta"]
"""Architectures of language models."""

SomeCollection = Annotated[
    Path, Arg("A collection's folder, or its name in the workspace.", ref="collection", metavar="FOLDER")
]
Added = Annotated[tuple[Path, ...], Arg("Run files from elsewhere.", hidden=True)]
IndexFolder = Annotated[Path | None, Arg("The collection's index; it need not be there.", hidden=True)]
RunName = Annotated[str, Arg("Name of a run, or a run file.", shown="the last")]
Against = Annotated[str, Arg("The run that it is held against.", shown="the first")]


Search = Literal["lexical", "dense", "questions", "sparse", "structure"]
"""By BM25; by the cosine of topic and answer; by the cosine of topic and the question that is answered; by
the product of learned sparse vectors; by BM25 over the structure of formulas."""

_SEARCHES: tuple[Search, ...] = get_args(Search)
_TERM = re.compile(r"\s*(?:(\d+(?:\.\d+)?|\.\d+)\s*\*)?\s*([a-z]+)\s*")
_RANKS = re.compile(r"\s*rrf\s*\(([^()]*?)(?:,\s*k\s*=\s*(\d+)\s*)?\)\s*")
_K = 60
"""The constant of reciprocal rank fusion, unless one says otherwise."""


@dataclass(frozen=True, slots=True)
class FirstStage:
    """Searches with their weights.

    Several are summed, each after min-max over what it found for a topic; where there is a `k` they are fused
    by reciprocal ranks instead, 1 / (k + rank), all of one weight.
    """

    weights: tuple[tuple[Search, float], ...]
    k: int | None = None

    @classmethod
    def read(cls, text: str) -> FirstStage:
        """`lexical`, `lexical + 0.5*dense + 2*questions`, `rrf(lexical, questions)`, `rrf(lexical, dense,
        k=20)`; `fused` is `rrf(lexical, dense)`. Raises: EngineError E435 that says what is wrong."""
        if text.strip() == "fused":
            return FUSED
        ranks = _RANKS.fullmatch(text)
        parts = ranks[1].split(",") if ranks else text.split("+")
        weights: dict[Search, float] = {}
        for part in parts:
            term = _TERM.fullmatch(part)
            name = next((name for name in _SEARCHES if term and term[2] == name), None)
            if term is None or name is None:
                raise _refused(text, f"{part.strip()!r} is none of {', '.join(_SEARCHES)}")
            if name in weights:
                raise _refused(text, f"{name} is in it twice")
            if term[1] is not None and (ranks or not float(term[1])):
                raise _refused(text, "ranks have no weights" if ranks else f"{name} has no weight")
            weights[name] = float(term[1] or 1)
        if ranks and len(weights) < 2:
            raise _refused(text, "there is nothing to fuse")
        return cls(tuple(weights.items()), int(ranks[2] or _K) if ranks else None)

    def __str__(self) -> str:
        """As `read` reads it."""
        if self == FUSED:
            return "fused"
        if self.k is not None:
            constant = "" if self.k == _K else f", k={self.k}"
            return f"rrf({', '.join(name for name, _ in self.weights)}{constant})"
        if len(self.weights) == 1:
            return self.weights[0][0]
        return " + ".join(name if weight == 1 else f"{weight:g}*{name}" for name, weight in self.weights)

    def fuse(self, found: Mapping[Search, Run]) -> Run:
        """One run out of what its searches found."""
        from engines.retrieval.fusion import reciprocal_rank_fusion, weighted_sum

        runs = [found[name] for name, _ in self.weights]
        if len(runs) == 1:
            return runs[0]
        if self.k is not None:
            return reciprocal_rank_fusion(runs, k=self.k)
        return weighted_sum(runs, [weight for _, weight in self.weights])


FUSED = FirstStage((("lexical", 1.0), ("dense", 1.0)), _K)


def _refused(text: str, why: str) -> EngineError:
    return EngineError(
        f"{text!r} is no first stage: {why}",
        code="E435",
        exit_code=2,
        remedy="As in: lexical, fused, lexical + 0.5*dense + 2*questions, rrf(lexical, questions)",
    )

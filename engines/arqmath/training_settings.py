"""What a recipe's table `model` says for pre-training and for fine-tuning. No torch is needed for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from engines.core.errors import EngineError
from engines.training.tables import typed

__all__ = ["CORPORA", "FinetuneSettings", "PairSource", "PretrainSettings"]

CORPORA = ("mathse1", "mathse2", "mathse3", "khan", "amps")
"""MathSE (1) natural sentences, (2) text and formulas, (3) parts of formulas; AMPS' Khan exercises, all of
AMPS. Of several the examples are mixed."""
PairSource = Literal["collection", "annotated"]


CODE = "E676"


def _refused(what: str, remedy: str = "Change it with --set or in the recipe.") -> EngineError:
    return EngineError(what, code=CODE, exit_code=2, remedy=remedy)


@dataclass(frozen=True, slots=True, kw_only=True)
class PretrainSettings:
    """How a language model is pre-trained.

    - `corpora`: what is read, out of `CORPORA`, several joined by `+`. `max_length`: tokens of an example,
      special ones counted.
    - `order`: whether sentence order is predicted besides the masked tokens; RoBERTa never does.
    - `masked`: share of the tokens that is predicted. `latex_tokens`: give the tokenizer the LaTeX tokens.
    - `held_out`: share of the documents that is measured on, `measured` examples of it at most.
    """

    corpora: str = "mathse1"
    max_length: int = 512
    order: bool = True
    masked: float = 0.15
    latex_tokens: bool = True
    held_out: float = 0.05
    measured: int = 500

    @property
    def names(self) -> tuple[str, ...]:
        """The corpora one by one."""
        return tuple(self.corpora.split("+"))

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> PretrainSettings:
        """From a table of a recipe. Raises: EngineError E676."""
        return cls(**typed(cls, values, owner="a model", code=CODE))

    def __post_init__(self) -> None:
        """Refuse what makes no sense. Raises: EngineError E676."""
        if any(name not in CORPORA for name in self.names):
            raise _refused(f"corpora is {self.corpora!r}", f"It names one of {', '.join(CORPORA)}, or a+b.")
        if not 0 < self.masked < 1 or not 0 < self.held_out < 1:
            raise _refused("masked and held_out are shares between 0 and 1")
        if self.max_length < 8 or self.measured < 1:
            raise _refused("max_length is at least 8, and measured at least 1")


@dataclass(frozen=True, slots=True, kw_only=True)
class FinetuneSettings:
    """How a cross-encoder is fine-tuned.

    - `pairs`: "collection" takes questions with their own answers, `per_question` at most; "annotated" the
      relevant answers of judged topics. `hard_share`: how many of the incorrect answers come from the
      first stage, where its run is given.
    - `max_length`: tokens of a pair with its special ones; longer pairs lose tokens of their longer side.
    - `measured`: held-out questions, at most, that an evaluation looks at; each with `candidates` answers,
      one of them correct.
    """

    pairs: PairSource = "collection"
    per_question: int = 1
    hard_share: float = 0.5
    max_length: int = 512
    measured: int = 500
    candidates: int = 10

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> FinetuneSettings:
        """From a table of a recipe. Raises: EngineError E676."""
        return cls(**typed(cls, values, owner="a model", code=CODE))

    def __post_init__(self) -> None:
        """Refuse what makes no sense. Raises: EngineError E676."""
        if self.pairs not in get_args(PairSource):
            raise _refused(f"pairs is {self.pairs!r}, not {' or '.join(get_args(PairSource))}")
        if min(self.per_question, self.measured) < 1 or self.candidates < 2 or self.max_length < 8:
            raise _refused("per_question and measured are at least 1, candidates 2, max_length 8")
        if not 0 <= self.hard_share <= 1:
            raise _refused("hard_share is from 0 to 1")

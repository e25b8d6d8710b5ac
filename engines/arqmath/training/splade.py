"""The trainer `arqmath.splade`: a sparse encoder of questions and answers, as SPLADE v2 (Formal et al. 2021).

A language model with its head for masked tokens says of every word of its vocabulary how much it counts in
a text: the highest log(1 + relu(logit)) of the text's tokens. The product of question and answer orders
answers. It is trained as `bi_encoder` says; to the loss is added, with a weight for each side, an estimate of
the FLOPS of a search: the sum over words of the squared mean weight (Paria et al. 2020). These weights rise
with the square of the batches. It is saved as a folder of sentence-transformers' SparseEncoder: `arqmath
index --sparse FOLDER`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engines.arqmath.training.bi_encoder import LIMITS, BiEncoderTask
from engines.arqmath.training.model_folder import quiet, save_library_model
from engines.arqmath.training.settings import CODE, SpladeSettings
from engines.core.errors import EngineError
from engines.core.spec import read

if TYPE_CHECKING:
    import torch

__all__ = ["SpladeTask", "flops", "splade"]


def splade(model: Mapping[str, Any], data: Mapping[str, Path], *, seed: int) -> SpladeTask:
    """The trainer `arqmath.splade`. Data: collection (a folder of ARQMath); run (a first stage's, whose
    topics are questions of the collection: `arqmath rank --questions`; without one wrong answers are those of
    the batch); backbone (a folder of a language model; MiniLM, with a new head, without); exclude (ids of
    posts to keep out, one per line)."""
    return SpladeTask(read(SpladeSettings, model, place="model.", code=CODE), data, seed)


def flops(vectors: torch.Tensor) -> torch.Tensor:
    """The sum over terms of the squared mean of their weights, (texts, terms)."""
    return (vectors.mean(0) ** 2).sum()


class SpladeTask(BiEncoderTask):
    """The training as a task."""

    trainer = "arqmath.splade"
    measures = (*BiEncoderTask.measures, "validation_question_terms", "validation_answer_terms")

    def __init__(self, settings: SpladeSettings, data: Mapping[str, Path], seed: int) -> None:
        super().__init__(settings, data, seed)
        self.settings = settings

    @property
    def temperature(self) -> float:
        """Products are taken as they are."""
        return 1.0

    @cached_property
    def _language(self) -> tuple[torch.nn.Module, bool]:
        with quiet():
            return self.backbone.masked_model()

    def model(self) -> torch.nn.Module:
        """The language model, its pooling, and how many batches it has seen."""
        return _pooled(self._language[0])

    def regularisation(
        self, model: torch.nn.Module, questions: torch.Tensor, answers: torch.Tensor
    ) -> torch.Tensor:
        """The FLOPS of both sides by their weights, which rise with every batch."""
        seen: torch.Tensor = model.get_buffer("batches")
        seen += 1
        share = (seen / max(1, self.settings.flops_warmup)).clamp(max=1) ** 2
        weights = self.settings.question_flops, self.settings.answer_flops
        return share * (weights[0] * flops(questions) + weights[1] * flops(answers))

    def observed(self, question: torch.Tensor, answers: torch.Tensor) -> dict[str, float]:
        """How many terms of a question and, on average, of an answer are not 0."""
        return {
            f"validation_{side}_terms": float((vectors > 0).sum(1).float().mean())
            for side, vectors in (("question", question), ("answer", answers))
        }

    def evaluate(self, model: torch.nn.Module) -> dict[str, float]:
        """As of every bi-encoder, with the numbers of terms. Raises: EngineError E687 when no answer has any:
        then nothing more is learnt."""
        found = super().evaluate(model)
        if found.get("validation_answer_terms") == 0:
            raise EngineError(
                "no word of any held-out answer has a weight, and none will get one again",
                code="E687",
                remedy="Lower the weights of the FLOPS or the learning rate, or begin with a language model "
                "that has its head for masked tokens.",
            )
        return found

    def save(self, model: torch.nn.Module, folder: Path, facts: Mapping[str, Any]) -> None:
        """A folder for SparseEncoder, with tokenizer and card."""
        from sentence_transformers.sparse_encoder.modules import SpladePooling

        new = "new: the words' own vectors behind a transform that began as the identity"
        save_library_model(
            "SparseEncoder",
            model.get_submodule("language"),
            self.backbone.tokenizer,
            [SpladePooling()],
            folder,
            facts,
            title="ARQMath SPLADE",
            about="Encodes questions and answers as weights of terms; their product orders answers.",
            data={**self.told(), "head": new if self._language[1] else "that of the language model"},
            limits=LIMITS,
            use=(
                "from sentence_transformers import SparseEncoder\n"
                'model = SparseEncoder("this-folder")\n'
                'model.similarity(model.encode("Is $2$ prime?"), model.encode("Primes\\nYes, it is."))'
            ),
            tags=("sparse-encoder", "splade"),
        )


def _pooled(language: Any) -> torch.nn.Module:
    """(texts, terms) weights of texts."""
    import torch
    from torch import nn

    class Splade(nn.Module):  # type: ignore[misc]  # an untyped library
        def __init__(self) -> None:
            super().__init__()
            self.language = language
            self.register_buffer("batches", torch.zeros((), dtype=torch.float32))

        def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
            logits = self.language(input_ids=input_ids, attention_mask=attention_mask).logits
            padding = attention_mask.unsqueeze(-1) == 0
            # What is highest stays so in the logarithm, which is then taken once for a text.
            highest = logits.masked_fill(padding, -torch.inf).max(1).values
            return torch.log1p(torch.relu(highest.float()))

    return Splade()

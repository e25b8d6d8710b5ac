"""The trainer `arqmath.encoder`: a dense encoder of questions and answers.

A text's vector, of length 1, is the mean of its tokens' states or the first token's state; the cosine of
question and answer orders answers. It is trained as `bi_encoder` says, and saved as a folder of
sentence-transformers: `arqmath index --dense --encoder FOLDER` makes the vectors of answers and questions by
it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engines.arqmath.training.bi_encoder import LIMITS, BiEncoderTask
from engines.arqmath.training.model_folder import save_library_model
from engines.arqmath.training.settings import CODE, DenseSettings, Pooling
from engines.core.spec import read

if TYPE_CHECKING:
    import torch

__all__ = ["DenseTask", "encoder"]


def encoder(model: Mapping[str, Any], data: Mapping[str, Path], *, seed: int) -> DenseTask:
    """The trainer `arqmath.encoder`. Data: collection (a folder of ARQMath); run (a first stage's, whose
    topics are questions of the collection: `arqmath rank --questions`; without one wrong answers are those of
    the batch); backbone (a model folder; MiniLM without); exclude (ids of posts to keep out, one per line).
    """
    return DenseTask(read(DenseSettings, model, place="model.", code=CODE), data, seed)


class DenseTask(BiEncoderTask):
    """The training as a task."""

    trainer = "arqmath.encoder"

    def __init__(self, settings: DenseSettings, data: Mapping[str, Path], seed: int) -> None:
        super().__init__(settings, data, seed)
        self.settings = settings

    @property
    def temperature(self) -> float:
        """What cosines are divided by."""
        return self.settings.temperature

    def model(self) -> torch.nn.Module:
        """The language model and its pooling."""
        return _pooled(self.backbone.encoder(), self.settings.pooling)

    def save(self, model: torch.nn.Module, folder: Path, facts: Mapping[str, Any]) -> None:
        """A folder for SentenceTransformer, with tokenizer and card."""
        from sentence_transformers.base.modules import Normalize
        from sentence_transformers.sentence_transformer.modules import Pooling as LibraryPooling

        language: Any = model.get_submodule("language")
        pooling = self.settings.pooling
        library = LibraryPooling(int(language.config.hidden_size), pooling_mode=pooling)
        what = {"mean": "the mean of all states", "cls": "the first state"}[pooling]
        save_library_model(
            "SentenceTransformer",
            language,
            self.backbone.tokenizer,
            [library, Normalize()],
            folder,
            facts,
            title="ARQMath encoder",
            about="Encodes questions and answers as vectors of length 1; their cosine orders answers.",
            data={**self.told(), "vector": what},
            limits=LIMITS,
            use=(
                "from sentence_transformers import SentenceTransformer\n"
                'model = SentenceTransformer("this-folder")\n'
                'model.similarity(model.encode("Is $2$ prime?"), model.encode("Primes\\nYes, it is."))'
            ),
            tags=("sentence-similarity",),
        )


def _pooled(language: Any, pooling: Pooling) -> torch.nn.Module:
    """(texts, d) unit vectors of texts."""
    from torch import nn

    class Encoder(nn.Module):  # type: ignore[misc]  # an untyped library
        def __init__(self) -> None:
            super().__init__()
            self.language = language

        def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
            found = self.language(input_ids=input_ids, attention_mask=attention_mask)
            states = found.last_hidden_state.float()
            if pooling == "cls":
                return nn.functional.normalize(states[:, 0], dim=-1)
            mask = attention_mask.unsqueeze(-1).float()
            return nn.functional.normalize((states * mask).sum(1) / mask.sum(1), dim=-1)

    return Encoder()

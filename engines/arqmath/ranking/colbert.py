"""A second stage by ColBERT's models, which sentence-transformers reads: its own, PyLate's and Stanford's.

Questions and answers are encoded by themselves, each with its marker and length, every token to a short
vector; the score is the sum over the question's tokens of the nearest token of the answer.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engines.arqmath.training.cross_encoder import StoredText
from engines.core.events import Event, Sink, Stop, ignore, never
from engines.core.machine import half_precision, torch_device
from engines.retrieval.encoders import fingerprint
from engines.retrieval.library_folders import library_model

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["ColbertScorer", "is_colbert"]

_BATCH = 32


def is_colbert(folder: Path) -> bool:
    """The folder says that it holds such a model; a plain encoder has no projection of tokens."""
    about: dict[str, Any] = {}
    for name in ("config.json", "config_sentence_transformers.json"):
        try:
            found = json.loads((folder / name).read_bytes())
        except (OSError, ValueError):  # what opens the folder says what is wrong with it
            continue
        about |= found if isinstance(found, dict) else {}
    kinds = about.get("architectures") or []
    return "HF_ColBERT" in kinds or about.get("model_type") in ("ColBERT", "MultiVectorEncoder")


class ColbertScorer:
    """Scores of pairs by late interaction of a model that was trained for it."""

    truncated = 0

    def __init__(self, folder: Path, *, device: str = "auto", exact: bool = False) -> None:
        """Load it.

        Args: exact: single precision also where the device multiplies matrices of 16 bits several times
        faster.

        Raises: DataError E312 where there is no folder, E380 for one that the library cannot open whole.
        """
        self.name = folder.resolve().name
        device = torch_device(device)
        half = None if exact else half_precision(device)
        self._model, _ = library_model(
            "MultiVectorEncoder", folder, device, "Name a folder of ColBERT.", "E380"
        )
        if half is not None:
            self._model.to(dtype=half)
        self.fingerprint = f"colbert {half} {fingerprint(folder)}"

    def reads(self, answer: StoredText) -> str:
        """The answer."""
        return answer.text

    def score(
        self, pairs: Sequence[tuple[str, str]], *, events: Sink = ignore, stop: Stop = never
    ) -> NDArray[np.float64]:
        """As `Scorer.score`; (pairs,) sums of the model's similarity."""
        import numpy as np

        found = np.full(len(pairs), np.nan)
        asked = list(dict.fromkeys(question for question, _ in pairs))
        self.truncated += self._cut([answer for _, answer in pairs])
        queries = dict(zip(asked, self._encoded(asked, "encode_query"), strict=True)) if asked else {}
        order = sorted(range(len(pairs)), key=lambda row: len(pairs[row][1]))
        for begin in range(0, len(order), _BATCH):
            if stop():
                break
            batch = order[begin : begin + _BATCH]
            answers = self._encoded([pairs[row][1] for row in batch], "encode_document")
            mine = [queries[pairs[row][0]] for row in batch]
            found[batch] = self._model.similarity_pairwise(mine, answers).float().cpu().numpy()
            events(Event("progress", {"done": begin + len(batch)}))
        return found

    def _encoded(self, texts: list[str], how: str) -> list[Any]:
        return list(getattr(self._model, how)(texts, batch_size=_BATCH, show_progress_bar=False))

    def _cut(self, answers: Sequence[str]) -> int:
        """How many answers have more tokens than the model reads."""
        limit = self._model[0].document_length or self._model.max_seq_length
        if not answers or limit is None:
            return 0
        ids = self._model.tokenizer(list(answers), verbose=False)["input_ids"]
        return sum(len(own) > limit for own in ids)

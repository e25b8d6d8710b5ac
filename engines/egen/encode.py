"""From expressions to vectors: by a model of ours, or any sentence-transformers folder as a baseline."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np

from engines.core.errors import DataError
from engines.core.events import Event, Sink, Stop, ignore, never
from engines.egen.sequences import Sequences, batches
from engines.retrieval.similarity import Vectors

if TYPE_CHECKING:
    from torch import nn

__all__ = [
    "Embedder",
    "ModelEmbedder",
    "SentenceEmbedder",
    "Vectors",
    "load_embedder",
]

TOKENS_PER_BATCH = 8_192
_WHOLE = "Copy the folder again, whole."
_UNSAFE = ("*.bin", "*.pt", "*.pth", "*.pkl", "*.pickle", "*.ckpt")


class Embedder(Protocol):
    """What evaluations ask for vectors."""

    @property
    def name(self) -> str:
        """What it is called in reports."""
        ...

    @property
    def max_length(self) -> int:
        """The longest expression it reads: tokens in training notation, SOE and EOE included."""
        ...

    def embed(self, texts: Sequence[str], *, events: Sink = ignore, stop: Stop = never) -> Vectors:
        """(texts, d), not normalised, in the order of the texts (generator prefix notation).

        Events: progress in expressions. When `stop` is raised, it ends early: rows not reached are zero.
        """
        ...


class ModelEmbedder:
    """A model of ours on a device; batches are of about one length, so hardly any padding is computed."""

    def __init__(self, model: nn.Module, name: str = "", *, device: str = "cpu") -> None:
        self.name = name
        self.model = model.to(device)
        self.max_length = model.config.max_length
        self._device = device

    def embed(self, texts: Sequence[str], *, events: Sink = ignore, stop: Stop = never) -> Vectors:
        """As `Embedder.embed`. Raises: ExpressionError with the place of a text that the model cannot
        read."""
        return self.embed_sequences(Sequences.of(texts, max_length=self.max_length), events=events, stop=stop)

    def embed_sequences(self, rows: Sequences, *, events: Sink = ignore, stop: Stop = never) -> Vectors:
        """(expressions, d) of expressions that are token ids already."""
        import torch

        from engines.egen.model import embed

        found = np.zeros((len(rows), self.model.config.d_model), np.float32)
        training = self.model.training
        self.model.eval()
        done = 0
        with torch.inference_mode():
            for batch in batches(rows.lengths, TOKENS_PER_BATCH):
                if stop():
                    break
                ids = torch.from_numpy(rows.padded(batch)).to(self._device)
                found[batch] = embed(self.model, ids).float().cpu().numpy()
                done += len(batch)
                events(Event("progress", {"done": done, "total": len(rows), "unit": "expressions"}))
        self.model.train(training)
        return found


class SentenceEmbedder:
    """A sentence-transformers folder; it is given generator prefix notation as text."""

    max_length = 10**6

    def __init__(self, folder: Path, *, device: str = "cpu") -> None:
        """Raises: DataError E642 when the library cannot open the folder."""
        import transformers
        from sentence_transformers import SentenceTransformer

        # Its warnings stay: they tell which weights are missing or do not fit.
        transformers.utils.logging.disable_progress_bar()
        self.name = folder.name
        try:
            self._model = SentenceTransformer(
                str(folder), device=device, local_files_only=True, model_kwargs={"use_safetensors": True}
            )
        except Exception as error:  # the library raises what the damage happens to lead to
            raise DataError(
                f"sentence-transformers cannot open it: {' '.join(str(error).split())[:200]}",
                path=folder,
                code="E642",
                exit_code=3,
                remedy=_WHOLE,
            ) from error

    def embed(self, texts: Sequence[str], *, events: Sink = ignore, stop: Stop = never) -> Vectors:
        """As `Embedder.embed`."""
        parts = []
        for begin in range(0, len(texts), 1024):
            if stop():
                break
            part = list(texts[begin : begin + 1024])
            parts.append(self._model.encode(part, batch_size=64, show_progress_bar=False))
            done = begin + len(part)
            events(Event("progress", {"done": done, "total": len(texts), "unit": "expressions"}))
        found = np.zeros((len(texts), int(self._model.get_embedding_dimension() or 0)), np.float32)
        for begin, vectors in zip(range(0, len(texts), 1024), parts, strict=False):
            found[begin : begin + len(vectors)] = vectors
        return found


def load_embedder(folder: Path, *, device: str = "auto") -> Embedder:
    """The embedder of a model folder. Args: device: auto takes a GPU where there is one.

    Raises: DataError E642 for a folder that holds no model, E643 for weights that only unpickling would read.
    """
    import json

    import torch

    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    config = folder / "config.json"
    ours = False
    if config.exists():
        try:
            ours = "egen" in json.loads(config.read_bytes())
        except ValueError as error:
            raise DataError(
                "its config.json cannot be read", path=folder, code="E642", exit_code=3, remedy=_WHOLE
            ) from error
    if ours or not (folder / "modules.json").exists():
        from engines.egen.model_folder import load_model

        return ModelEmbedder(load_model(folder), folder.name, device=device)
    unsafe = [path.name for pattern in _UNSAFE for path in folder.rglob(pattern)]
    if unsafe and not list(folder.rglob("*.safetensors")):
        raise DataError(
            f"its weights are in {unsafe[0]}, which is read by running what is in it",
            path=folder,
            code="E643",
            remedy="Save the model with safetensors.",
        )
    return SentenceEmbedder(folder, device=device)

"""From expressions to vectors by a model of ours."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from engines.core.arrays import Ints
from engines.core.events import Event, Sink, Stop, ignore, never
from engines.core.model_checks import check_finite
from engines.core.system import half_precision
from engines.egen.models.datasets import Sequences, make_batches
from engines.retrieval.dense import Vectors, normalize_rows

if TYPE_CHECKING:
    from torch import nn


TOKENS_PER_BATCH = 8_192


class ModelEncoder:
    """A model of ours on a device, an `Encoder` of expressions in generator prefix notation; batches are of
    about one length, so hardly any padding is computed.

    `max_length`: the longest expression it reads, in tokens of training notation, SOE and EOE included.
    """

    def __init__(self, model: nn.Module, name: str = "", *, device: str = "cpu") -> None:
        self.name = name
        self.model = model.to(device)
        self.dimension = int(model.config.d_model)
        self.max_length = int(model.config.max_length)
        self._device = device

    def encode(
        self,
        texts: Sequence[str],
        *,
        normalise: bool = True,
        half: bool = False,
        events: Sink = ignore,
        stop: Stop = never,
    ) -> Vectors:
        """Encode expressions as `Encoder.encode` does.

        Args:
            half: Matrices are multiplied in 16 bits where the device is faster so.

        Raises:
            ExpressionError: With the place of a text that the model cannot read.
        """
        rows = Sequences.from_prefixes(texts, max_length=self.max_length)
        result = np.zeros((len(rows), self.dimension), np.float32)
        done = 0
        with self.open_embedding(half) as embed:
            for batch in make_batches(rows.lengths, TOKENS_PER_BATCH):
                if stop():
                    break
                result[batch] = embed(rows.pad_rows(batch))
                done += len(batch)
                events(Event("progress", {"done": done, "total": len(rows), "unit": "expressions"}))
        check_finite(result, self.name)
        return normalize_rows(result) if normalise else result

    @contextmanager
    def open_embedding(self, half: bool) -> Iterator[Callable[[Ints], Vectors]]:
        """Yield a function from ids `(batch, length)` to rows `(batch, dimension)`, not normalised."""
        import torch

        from engines.egen.models.transformer import embed

        short = half_precision(self._device) if half else None
        training = self.model.training
        self.model.eval()
        with (
            torch.inference_mode(),
            torch.autocast(torch.device(self._device).type, short, enabled=short is not None),
        ):
            yield lambda ids: embed(self.model, torch.from_numpy(ids).to(self._device)).float().cpu().numpy()
        self.model.train(training)

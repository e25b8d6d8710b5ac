"""Encoders of problems: a pretrained model of text, a small transformer, and the GRU of GTS.

Each turns tokens (batch, length) into states (batch, length, width). Marks of numbers are tokens behind the
vocabulary and have rows of their own.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from engines.training.libraries import POOLINGS, Module

if TYPE_CHECKING:
    from torch import Tensor, nn

    from engines.mwp.solver.settings import SolverSettings


class EncodedProblems(NamedTuple):
    """Problems as vectors: states (batch, length, width) with their mask, the problem (batch, width), its
    quantities (batch, numbers, width), and which of them are there (batch, numbers)."""

    states: Tensor
    mask: Tensor
    vector: Tensor
    quantities: Tensor
    present: Tensor

    def select_rows(self, indices: Tensor) -> EncodedProblems:
        """Return the encoded problems at some indices of the batch."""
        return EncodedProblems(*(part[indices] for part in self))

    def with_constants(self, constants: Tensor) -> Tensor:
        """Return the quantities an equation is made of, shape `(batch, constants + numbers, width)`.

        Args:
            constants: Vectors of the constants, shape `(constants, width)`.
        """
        import torch

        return torch.cat([constants.expand(len(self.quantities), -1, -1), self.quantities], 1)


def encode_problems(
    encoder: nn.Module, ids: Tensor, length: Tensor, marks: Tensor, pooling: Literal["mean", "first"]
) -> EncodedProblems:
    """Encode a batch of problems: the states of its tokens, a vector of the text, and the vectors of its
    numbers.

    Args:
        ids: Token ids, shape `(batch, length)`, padded.
        length: How many tokens of each row are real, shape `(batch,)`.
        marks: The position of each number's mark, shape `(batch, numbers)`; -1 where there is none.
    """
    import torch

    mask = torch.arange(ids.shape[1], device=ids.device) < length[:, None]
    states = encoder(ids, mask)
    # The first state of a recurrent encoder is that of two directions, which it knows.
    own = pooling == "first" and isinstance(encoder, GruEncoder)
    vector = encoder.pool_ends(states, length) if own else POOLINGS[pooling](states, mask)
    present = marks >= 0
    # A number that is not there gets the first state, and `present` says that it is none.
    at = marks.clamp(min=0)[:, :, None].expand(-1, -1, states.shape[-1])
    return EncodedProblems(states, mask, vector, states.gather(1, at), present)


class _Table(Module):
    def __init__(self, tokens: nn.Embedding, marks: int) -> None:
        from torch import nn

        super().__init__()
        self.tokens = tokens
        self.marks = nn.Embedding(marks, tokens.embedding_dim)
        nn.init.normal_(self.marks.weight, std=0.02)

    def forward(self, ids: Tensor) -> Tensor:
        return _embed_ids(self.tokens, self.marks, ids)


def _embed_ids(tokens: nn.Embedding, marks: nn.Embedding, ids: Tensor) -> Tensor:
    """(batch, length, width) of ids, those of marks behind those of tokens."""
    import torch

    known = tokens.num_embeddings
    marked = ids >= known
    # Both tables look up every id, so each gets one that it has in place of the other's.
    result = tokens(ids.masked_fill(marked, 0))
    return torch.where(marked[:, :, None], marks((ids - known).clamp(min=0)), result)


class LowRankLinear(Module):
    """A linear layer that stays as it is, plus a learned product of two thin ones (Hu et al. 2022)."""

    def __init__(self, layer: nn.Linear, rank: int) -> None:
        import torch
        from torch import nn

        super().__init__()
        self.layer = layer
        self.down = nn.Parameter(torch.empty(rank, layer.in_features))
        # Zeros: the layer begins as it was before the adapter.
        self.up = nn.Parameter(torch.zeros(layer.out_features, rank))
        nn.init.kaiming_uniform_(self.down, a=math.sqrt(5))

    def forward(self, inputs: Tensor) -> Tensor:
        """Return the layer's output plus the low-rank update (LoRA) `up @ down @ inputs`."""
        from torch import nn

        return self.layer(inputs) + nn.functional.linear(
            nn.functional.linear(inputs, self.down), self.up, None
        )


class PretrainedEncoder(Module):
    """A model of Hugging Face; with a rank its own weights are frozen."""

    def __init__(self, model: Any, marks: int, rank: int) -> None:
        from torch import nn

        super().__init__()
        self.width = int(model.config.hidden_size)
        if hasattr(model, "pooler"):
            model.pooler = None
        if rank:
            model.requires_grad_(False)
            _add_adapters(model, rank)
        self.model = model
        self.marks = nn.Embedding(marks, self.width)
        nn.init.normal_(self.marks.weight, std=0.02)

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Return the states of tokens, shape `(batch, length, width)`."""
        # The model gets embeddings instead of ids, since its own table has no rows for marks.
        inputs = _embed_ids(self.model.get_input_embeddings(), self.marks, ids)
        return self.model(inputs_embeds=inputs, attention_mask=mask.long()).last_hidden_state


def _add_adapters(module: nn.Module, rank: int) -> None:
    from torch import nn

    for name, child in module.named_children():
        if isinstance(child, nn.Linear):
            setattr(module, name, LowRankLinear(child, rank))
        else:
            _add_adapters(child, rank)


class TransformerEncoder(Module):
    """A small transformer, trained from scratch."""

    def __init__(self, tokens: int, marks: int, settings: SolverSettings) -> None:
        import torch
        from torch import nn

        super().__init__()
        self.width = width = settings.width
        self.table = _Table(nn.Embedding(tokens, width, padding_idx=0), marks)
        self.positions = nn.Parameter(torch.randn(settings.max_length, width) * 0.02)
        layer = nn.TransformerEncoderLayer(
            width, max(1, width // 64), 4 * width, settings.dropout, "gelu", batch_first=True, norm_first=True
        )
        self.stack = nn.TransformerEncoder(
            layer, settings.layers, nn.LayerNorm(width), enable_nested_tensor=False
        )

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Return the states of tokens, shape `(batch, length, width)`."""
        inputs = self.table(ids) + self.positions[: ids.shape[1]]
        return self.stack(inputs, src_key_padding_mask=~mask)


class GruEncoder(Module):
    """The encoder of GTS (Xie and Sun 2019): a GRU both ways, whose two states are added."""

    def __init__(self, tokens: int, marks: int, settings: SolverSettings) -> None:
        from torch import nn

        super().__init__()
        self.width, embedding, layers = settings.width, settings.embedding, settings.layers
        self.table = _Table(nn.Embedding(tokens, embedding, padding_idx=0), marks)
        self.dropout = nn.Dropout(settings.dropout)
        between = settings.dropout if layers > 1 else 0.0
        self.gru = nn.GRU(
            embedding, self.width, layers, batch_first=True, bidirectional=True, dropout=between
        )

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Return the sum of the states of both directions, shape `(batch, length, width)`."""
        from torch import nn

        # Packed by length, so that the backward direction begins at the last token and not at the padding.
        packed = nn.utils.rnn.pack_padded_sequence(
            self.dropout(self.table(ids)), mask.sum(1).cpu(), batch_first=True, enforce_sorted=False
        )
        states, _ = nn.utils.rnn.pad_packed_sequence(
            self.gru(packed)[0], batch_first=True, total_length=ids.shape[1]
        )
        return states[:, :, : self.width] + states[:, :, self.width :]

    def pool_ends(self, states: Tensor, length: Tensor) -> Tensor:
        """Return the vector of each text, shape `(batch, width)`: the last state forwards plus the first
        backwards.
        """
        import torch

        return states[torch.arange(len(states), device=states.device), length - 1] + states[:, 0]


FROM_SCRATCH = {"transformer": TransformerEncoder, "gru": GruEncoder}
"""Encoders trained from scratch, by the names of `SolverSettings.encoder`; each is made of the number of its
tokens and marks, and the settings."""

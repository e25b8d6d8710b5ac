"""The transformer of E-Gen (fact sheet section 3): an encoder, and a decoder where there is one.

Pre-norm residuals with a final norm, ReLU, sinusoidal positions added to embeddings times sqrt(d), attention
projections without bias, layer-norm eps 1e-6. Only imported where torch is wanted.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, get_args

import torch
import torch.nn.functional as F  # noqa: N812  # the name everybody uses
from torch import Tensor, nn

from engines.core.errors import EngineError
from engines.egen.sequences import END, PAD
from engines.egen.training_notation import VOCABULARY

__all__ = [
    "EPSILON",
    "Cache",
    "Decoder",
    "EgenModel",
    "Encoder",
    "ModelConfig",
    "Pooling",
    "pool",
    "sinusoids",
]

Pooling = Literal["mean", "max"]
EPSILON = 1e-6


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """Sizes and pooling; the paper's are the defaults. `decoder_layers` is 0 for an encoder alone;
    `max_length` counts SOE and EOE."""

    d_model: int = 512
    heads: int = 8
    ffn: int = 2048
    layers: int = 6
    decoder_layers: int = 0
    max_length: int = 200
    dropout: float = 0.0
    pooling: Pooling = "mean"

    def __post_init__(self) -> None:
        """Refuse what makes no model. Raises: EngineError E640."""
        sizes = (self.d_model, self.heads, self.ffn, self.layers)
        wrong = ""
        if min(sizes) < 1 or self.decoder_layers < 0:
            wrong = "d_model, heads, ffn and layers are at least 1"
        elif self.d_model % self.heads or self.d_model % 2:
            wrong = f"d_model {self.d_model} is not an even multiple of {self.heads} heads"
        elif self.pooling not in get_args(Pooling):
            wrong = f"pooling is {self.pooling!r}, not mean or max"
        elif not 0 <= self.dropout < 1 or self.max_length < 3:
            wrong = "dropout is below 1, and max_length at least 3"
        if wrong:
            raise EngineError(wrong, code="E640", exit_code=2, remedy="Change the sizes of the model.")

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> ModelConfig:
        """From a table of a recipe or a model folder. Raises: EngineError E640 for an unknown size."""
        known = {field.name for field in fields(cls)}
        if unknown := sorted(set(values) - known):
            raise EngineError(
                f"a model has no setting {unknown[0]!r}",
                code="E640",
                exit_code=2,
                remedy=f"It has: {', '.join(sorted(known))}.",
            )
        return cls(**values)

    def to_dict(self) -> dict[str, Any]:
        """JSON-able."""
        return asdict(self)


def sinusoids(length: int, width: int) -> Tensor:
    """(length, width): sine at even and cosine at odd places, wavelengths from 2 pi to 10,000 * 2 pi."""
    rates = torch.exp(torch.arange(0, width, 2) * (-math.log(10_000.0) / width))
    angles = torch.arange(length)[:, None] * rates
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


def pool(states: Tensor, ids: Tensor, pooling: Pooling) -> Tensor:
    """(batch, d) from (batch, length, d): mean or maximum over real tokens, without SOE, EOE and PAD."""
    real = (ids > END)[..., None]
    if pooling == "max":
        return states.masked_fill(~real, -torch.inf).amax(1)
    return states.masked_fill(~real, 0.0).sum(1) / real.sum(1).to(states.dtype)


class _Attention(nn.Module):  # type: ignore[misc]  # torch is untyped here
    """Queries of one sequence over keys and values of the same or another."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.heads, self.dropout = config.heads, config.dropout
        self.query = nn.Linear(config.d_model, config.d_model, bias=False)
        self.key_value = nn.Linear(config.d_model, 2 * config.d_model, bias=False)
        self.out = nn.Linear(config.d_model, config.d_model, bias=False)

    def _split(self, states: Tensor) -> Tensor:
        return states.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def project(self, states: Tensor) -> tuple[Tensor, Tensor]:
        """Keys and values: (batch, heads, length, d/heads) each."""
        key, value = self.key_value(states).chunk(2, dim=-1)
        return self._split(key), self._split(value)

    def forward(
        self,
        states: Tensor,
        key_value: tuple[Tensor, Tensor],
        mask: Tensor | None = None,
        causal: bool = False,
    ) -> Tensor:
        dropout = self.dropout if self.training else 0.0
        found = F.scaled_dot_product_attention(
            self._split(self.query(states)), *key_value, attn_mask=mask, dropout_p=dropout, is_causal=causal
        )
        return self.out(found.transpose(1, 2).flatten(2))


class _FeedForward(nn.Sequential):  # type: ignore[misc]
    def __init__(self, config: ModelConfig) -> None:
        super().__init__(
            nn.Linear(config.d_model, config.ffn),
            nn.ReLU(),
            nn.Dropout(config.dropout),
            nn.Linear(config.ffn, config.d_model),
        )


class _Embedding(nn.Module):  # type: ignore[misc]
    """Token embeddings times sqrt(d) plus positions."""

    positions: Tensor

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.tokens = nn.Embedding(len(VOCABULARY), config.d_model)
        self.register_buffer("positions", sinusoids(config.max_length, config.d_model), persistent=False)
        self.scale = math.sqrt(config.d_model)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, ids: Tensor, begin: int = 0) -> Tensor:
        """(batch, length, d) from ids (batch, length) that stand at position `begin` and after."""
        here = self.positions[begin : begin + ids.shape[1]]
        return self.dropout(self.tokens(ids) * self.scale + here)


class _EncoderLayer(nn.Module):  # type: ignore[misc]
    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.attention = _Attention(config)
        self.feed_forward = _FeedForward(config)
        self.attention_norm = nn.LayerNorm(config.d_model, EPSILON)
        self.feed_forward_norm = nn.LayerNorm(config.d_model, EPSILON)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        normed = self.attention_norm(states)
        states = states + self.dropout(self.attention(normed, self.attention.project(normed), mask))
        return states + self.dropout(self.feed_forward(self.feed_forward_norm(states)))


class Encoder(nn.Module):  # type: ignore[misc]
    """Ids to states."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.embedding = _Embedding(config)
        self.layers = nn.ModuleList(_EncoderLayer(config) for _ in range(config.layers))
        self.norm = nn.LayerNorm(config.d_model, EPSILON)

    def forward(self, ids: Tensor) -> Tensor:
        """(batch, length, d) from ids (batch, length), PAD at the ends."""
        mask = (ids != PAD)[:, None, None, :]
        states = self.embedding(ids)
        for layer in self.layers:
            states = layer(states, mask)
        return self.norm(states)


@dataclass(slots=True)
class Cache:
    """What a decoder keeps between tokens: keys and values of the source and of what was written so far, for
    each layer, and how long that is. `mask` says which source tokens are real."""

    mask: Tensor
    source: list[tuple[Tensor, Tensor]]
    written: list[tuple[Tensor, Tensor] | None]
    length: int = 0

    def choose(self, rows: Tensor) -> None:
        """Go on with these rows only, in this order; a row may come more than once."""
        self.mask = self.mask[rows]
        self.source = [(key[rows], value[rows]) for key, value in self.source]
        self.written = [pair and (pair[0][rows], pair[1][rows]) for pair in self.written]


class _DecoderLayer(nn.Module):  # type: ignore[misc]
    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.attention = _Attention(config)
        self.source_attention = _Attention(config)
        self.feed_forward = _FeedForward(config)
        self.attention_norm = nn.LayerNorm(config.d_model, EPSILON)
        self.source_norm = nn.LayerNorm(config.d_model, EPSILON)
        self.feed_forward_norm = nn.LayerNorm(config.d_model, EPSILON)
        self.dropout = nn.Dropout(config.dropout)

    def forward(
        self, states: Tensor, source: tuple[Tensor, Tensor], mask: Tensor, past: tuple[Tensor, Tensor] | None
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """States after the layer, and the keys and values of all that was written."""
        normed = self.attention_norm(states)
        key, value = self.attention.project(normed)
        if past is not None:
            key, value = torch.cat([past[0], key], 2), torch.cat([past[1], value], 2)
        # With a past, the one new token sees all of it; without, every token sees what stands before it.
        states = states + self.dropout(self.attention(normed, (key, value), causal=past is None))
        normed = self.source_norm(states)
        states = states + self.dropout(self.source_attention(normed, source, mask))
        states = states + self.dropout(self.feed_forward(self.feed_forward_norm(states)))
        return states, (key, value)


class Decoder(nn.Module):  # type: ignore[misc]
    """States of a source and the ids written so far to logits of the next."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.embedding = _Embedding(config)
        self.layers = nn.ModuleList(_DecoderLayer(config) for _ in range(config.decoder_layers))
        self.norm = nn.LayerNorm(config.d_model, EPSILON)
        self.out = nn.Linear(config.d_model, len(VOCABULARY))

    def begin(self, states: Tensor, ids: Tensor) -> Cache:
        """The cache for a source: its states and ids."""
        source = [layer.source_attention.project(states) for layer in self.layers]
        return Cache((ids != PAD)[:, None, None, :], source, [None] * len(self.layers))

    def forward(self, ids: Tensor, cache: Cache) -> Tensor:
        """(batch, length, vocabulary) logits after each of ids (batch, length), which follow what the cache
        holds: all at once after `begin`, or one at a time."""
        states = self.embedding(ids, cache.length)
        for place, layer in enumerate(self.layers):
            states, cache.written[place] = layer(
                states, cache.source[place], cache.mask, cache.written[place]
            )
        cache.length += ids.shape[1]
        return self.out(self.norm(states))


class EgenModel(nn.Module):  # type: ignore[misc]
    """An encoder whose pooled states embed expressions, and a decoder when `decoder_layers` is not 0."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        self.encoder = Encoder(config)
        self.decoder = Decoder(config) if config.decoder_layers else None
        for weights in self.parameters():
            if weights.dim() > 1:
                nn.init.xavier_uniform_(weights)

    def embed(self, ids: Tensor) -> Tensor:
        """(batch, d) embeddings, not normalised, of ids (batch, length)."""
        return pool(self.encoder(ids), ids, self.config.pooling)

    def logits(self, source: Tensor, target: Tensor) -> Tensor:
        """(batch, length - 1, vocabulary): of each target token after the first, from those before it."""
        if self.decoder is None:
            raise EngineError("this model has no decoder", code="E641", exit_code=2)
        return self.decoder(target[:, :-1], self.decoder.begin(self.encoder(source), source))

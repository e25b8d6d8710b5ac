"""The transformer of E-Gen (section 3 of the paper): an encoder, and a decoder where there is one.

Pre-norm residuals with a final norm, ReLU, sinusoidal positions added to embeddings times sqrt(d), attention
projections without bias, layer-norm eps 1e-6. A model is a torch module that holds the weights and its
`config`; what it computes are the functions here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engines.core.errors import EngineError
from engines.egen.expressions.training_notation import VOCABULARY
from engines.egen.models.sequences import END, PAD
from engines.egen.models.settings import ModelConfig, Pooling

if TYPE_CHECKING:
    from torch import Tensor, nn

__all__ = ["EPSILON", "Cache", "begin", "embed", "encode", "logits", "new_model", "pool", "sinusoids", "step"]

EPSILON = 1e-6

_KeyValue = tuple["Tensor", "Tensor"]


def new_model(config: ModelConfig) -> nn.Module:
    """A model with random weights (Xavier, uniform), from torch's global random numbers.

    `config` is kept on it; `encoder` and, when `decoder_layers` is not 0, `decoder` are its parts.
    """
    from torch import nn

    width = config.d_model

    def attention() -> nn.Module:
        sizes = {"query": width, "key_value": 2 * width, "out": width}
        return nn.ModuleDict({name: nn.Linear(width, size, bias=False) for name, size in sizes.items()})

    def layer(*attentions: str) -> nn.Module:
        parts = {"up": nn.Linear(width, config.ffn), "down": nn.Linear(config.ffn, width)}
        for name in attentions:
            parts |= {name: attention(), f"{name}_norm": nn.LayerNorm(width, EPSILON)}
        return nn.ModuleDict({**parts, "feed_forward_norm": nn.LayerNorm(width, EPSILON)})

    def stack(count: int, *attentions: str) -> nn.ModuleDict:
        made = nn.ModuleDict({"tokens": nn.Embedding(len(VOCABULARY), width)})
        made["layers"] = nn.ModuleList(layer(*attentions) for _ in range(count))
        made["norm"] = nn.LayerNorm(width, EPSILON)
        made.register_buffer("positions", sinusoids(config.max_length, width), persistent=False)
        return made

    model = nn.ModuleDict({"encoder": stack(config.layers, "attention")})
    if config.decoder_layers:
        model["decoder"] = stack(config.decoder_layers, "attention", "source_attention")
        model["decoder"]["out"] = nn.Linear(width, len(VOCABULARY))
    model.config = config
    for weights in model.parameters():
        if weights.dim() > 1:
            nn.init.xavier_uniform_(weights)
    return model


def sinusoids(length: int, width: int) -> Tensor:
    """(length, width): sine at even and cosine at odd places, wavelengths from 2 pi to 10,000 * 2 pi."""
    import torch

    rates = torch.exp(torch.arange(0, width, 2) * (-math.log(10_000.0) / width))
    angles = torch.arange(length)[:, None] * rates
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


def pool(states: Tensor, ids: Tensor, pooling: Pooling) -> Tensor:
    """(batch, d) from (batch, length, d): mean or maximum over real tokens, without SOE, EOE and PAD."""
    real = (ids > END)[..., None]
    if pooling == "max":
        return states.masked_fill(~real, -math.inf).amax(1)
    return states.masked_fill(~real, 0.0).sum(1) / real.sum(1).to(states.dtype)


def embed(model: nn.Module, ids: Tensor) -> Tensor:
    """(batch, d) embeddings, not normalised, of ids (batch, length)."""
    return pool(encode(model, ids), ids, model.config.pooling)


def encode(model: nn.Module, ids: Tensor) -> Tensor:
    """(batch, length, d) states of ids (batch, length), PAD at the ends."""
    part = model["encoder"]
    mask = (ids != PAD)[:, None, None, :]
    states = _embedded(model, part, ids, 0)
    for layer in part["layers"]:
        normed = layer["attention_norm"](states)
        attended = _attend(
            model, layer["attention"], normed, _project(model, layer["attention"], normed), mask
        )
        states = _feed_forward(model, layer, states + attended)
    return part["norm"](states)


@dataclass(slots=True)
class Cache:
    """What a decoder keeps between tokens: keys and values of the source and of what was written so far, for
    each layer, and how long that is. `mask` says which source tokens are real."""

    mask: Tensor
    source: list[_KeyValue]
    written: list[_KeyValue | None]
    length: int = 0

    def choose(self, rows: Tensor) -> None:
        """Go on with these rows only, in this order; a row may come more than once."""
        self.mask = self.mask[rows]
        self.source = [(key[rows], value[rows]) for key, value in self.source]
        self.written = [pair and (pair[0][rows], pair[1][rows]) for pair in self.written]


def begin(model: nn.Module, ids: Tensor) -> Cache:
    """The decoder's cache for sources (batch, length). Raises: EngineError E641 without a decoder."""
    if not model.config.decoder_layers:
        raise EngineError(
            "this model has no decoder", code="E641", exit_code=2, remedy="Train one with a seq2seq recipe."
        )
    states = encode(model, ids)
    layers = model["decoder"]["layers"]
    source = [_project(model, layer["source_attention"], states) for layer in layers]
    return Cache((ids != PAD)[:, None, None, :], source, [None] * len(layers))


def step(model: nn.Module, ids: Tensor, cache: Cache) -> Tensor:
    """(batch, length, vocabulary) logits after each of ids (batch, length), which follow what the cache
    holds: all at once after `begin`, or one at a time."""
    import torch

    part = model["decoder"]
    states = _embedded(model, part, ids, cache.length)
    for place, layer in enumerate(part["layers"]):
        normed = layer["attention_norm"](states)
        key, value = _project(model, layer["attention"], normed)
        past = cache.written[place]
        if past is not None:
            key, value = torch.cat([past[0], key], 2), torch.cat([past[1], value], 2)
        cache.written[place] = (key, value)
        # With a past, the one new token sees all of it; without, every token sees what stands before it.
        states = states + _attend(model, layer["attention"], normed, (key, value), causal=past is None)
        normed = layer["source_attention_norm"](states)
        source = cache.source[place]
        states = states + _attend(model, layer["source_attention"], normed, source, cache.mask)
        states = _feed_forward(model, layer, states)
    cache.length += ids.shape[1]
    return part["out"](part["norm"](states))


def logits(model: nn.Module, source: Tensor, target: Tensor) -> Tensor:
    """(batch, length - 1, vocabulary): of each target token after the first, from those before it."""
    return step(model, target[:, :-1], begin(model, source))


def _dropped(model: nn.Module, states: Tensor) -> Tensor:
    import torch.nn.functional as F  # noqa: N812  # the name everybody uses

    return F.dropout(states, model.config.dropout, model.training)


def _embedded(model: nn.Module, part: Any, ids: Tensor, begin: int) -> Tensor:
    here = part.positions[begin : begin + ids.shape[1]]
    return _dropped(model, part["tokens"](ids) * math.sqrt(model.config.d_model) + here)


def _split(model: nn.Module, states: Tensor) -> Tensor:
    """(batch, heads, length, d/heads)."""
    return states.unflatten(-1, (model.config.heads, -1)).transpose(1, 2)


def _project(model: nn.Module, attention: Any, states: Tensor) -> _KeyValue:
    key, value = attention["key_value"](states).chunk(2, dim=-1)
    return _split(model, key), _split(model, value)


def _attend(
    model: nn.Module,
    attention: Any,
    states: Tensor,
    key_value: _KeyValue,
    mask: Tensor | None = None,
    causal: bool = False,
) -> Tensor:
    """What is added to the residual: queries of the states over keys and values."""
    import torch.nn.functional as F  # noqa: N812

    found = F.scaled_dot_product_attention(
        _split(model, attention["query"](states)),
        *key_value,
        attn_mask=mask,
        dropout_p=model.config.dropout if model.training else 0.0,
        is_causal=causal,
    )
    return _dropped(model, attention["out"](found.transpose(1, 2).flatten(2)))


def _feed_forward(model: nn.Module, layer: Any, states: Tensor) -> Tensor:
    """The residual after the feed-forward part."""
    inner = _dropped(model, layer["up"](layer["feed_forward_norm"](states)).relu())
    return states + _dropped(model, layer["down"](inner))

"""The transformer of E-Gen (section 3 of the paper), and how it writes expressions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engines.core.errors import EngineError, ExpressionError
from engines.core.expression_language import to_prefix
from engines.core.tree import Tree
from engines.egen.models.config import ModelConfig
from engines.egen.models.datasets import Sequences, make_batches
from engines.mathematics.terms.notation import END, PAD, START, VOCABULARY, decode_ids
from engines.mathematics.verification.verdicts import MemberVerdict
from engines.mathematics.verification.verifier import Verifier
from engines.training.libraries import POOLINGS

if TYPE_CHECKING:
    from torch import Tensor, nn

# Pre-norm residuals with a final norm, ReLU, sinusoidal positions added to embeddings times sqrt(d),
# attention projections without bias, layer-norm eps 1e-6. A model is a torch module that holds the weights
# and its `config`; what it computes are the functions here.

EPSILON = 1e-6

_KeyValue = tuple["Tensor", "Tensor"]


def new_model(config: ModelConfig) -> nn.Module:
    """Return a model with random weights (Xavier, uniform), from torch's global random numbers.

    `config` is kept on it; `encoder` and, when `decoder_layers` is not 0, `decoder` are its parts.
    """
    from torch import nn

    width = config.d_model

    def new_attention() -> nn.Module:
        # Keys and values come from one product, since both read the same states.
        sizes = {"query": width, "key_value": 2 * width, "out": width}
        return nn.ModuleDict({name: nn.Linear(width, size, bias=False) for name, size in sizes.items()})

    def new_layer(*attentions: str) -> nn.Module:
        parts = {"up": nn.Linear(width, config.ffn), "down": nn.Linear(config.ffn, width)}
        for name in attentions:
            parts |= {name: new_attention(), f"{name}_norm": nn.LayerNorm(width, EPSILON)}
        return nn.ModuleDict({**parts, "feed_forward_norm": nn.LayerNorm(width, EPSILON)})

    def new_stack(count: int, *attentions: str) -> nn.ModuleDict:
        made = nn.ModuleDict({"tokens": nn.Embedding(len(VOCABULARY), width)})
        made["layers"] = nn.ModuleList(new_layer(*attentions) for _ in range(count))
        made["norm"] = nn.LayerNorm(width, EPSILON)
        made.register_buffer("positions", make_sinusoids(config.max_length, width), persistent=False)
        return made

    model = nn.ModuleDict({"encoder": new_stack(config.layers, "attention")})
    if config.decoder_layers:
        model["decoder"] = new_stack(config.decoder_layers, "attention", "source_attention")
        model["decoder"]["out"] = nn.Linear(width, len(VOCABULARY))
    model.config = config
    for weights in model.parameters():
        if weights.dim() > 1:
            nn.init.xavier_uniform_(weights)
    return model


def make_sinusoids(length: int, width: int) -> Tensor:
    """Return sinusoidal positions, shape `(length, width)`: sine at even and cosine at odd columns.

    Wavelengths go from 2π to 10,000 · 2π (Vaswani et al. 2017, section 3.5).
    """
    import torch

    rates = torch.exp(torch.arange(0, width, 2) * (-math.log(10_000.0) / width))
    angles = torch.arange(length)[:, None] * rates
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


def embed(model: nn.Module, ids: Tensor) -> Tensor:
    """Return embeddings `(batch, d)`, not normalised, of ids `(batch, length)`; SOE, EOE and PAD do not
    count.
    """
    return POOLINGS[model.config.pooling](encode(model, ids), ids > END)


def encode(model: nn.Module, ids: Tensor) -> Tensor:
    """Return the states `(batch, length, d)` of ids `(batch, length)`, with PAD at the ends."""
    part = model["encoder"]
    mask = (ids != PAD)[:, None, None, :]
    states = _embed_tokens(model, part, ids, 0)
    for layer in part["layers"]:
        normed = layer["attention_norm"](states)
        attended = _attend_to(
            model, layer["attention"], normed, _project_keys(model, layer["attention"], normed), mask
        )
        states = _feed_forward(model, layer, states + attended)
    return part["norm"](states)


@dataclass(slots=True)
class Cache:
    """What a decoder keeps between tokens: keys and values, for each layer, of the source and of what it has
    written.

    `mask` says which source tokens are real, `length` how many tokens have been written.
    """

    mask: Tensor
    source: list[_KeyValue]
    written: list[_KeyValue | None]
    length: int = 0

    def choose_rows(self, rows: Tensor) -> None:
        """Go on with these rows only, in this order; a row may come more than once."""
        self.mask = self.mask[rows]
        self.source = [(key[rows], value[rows]) for key, value in self.source]
        self.written = [pair and (pair[0][rows], pair[1][rows]) for pair in self.written]


def begin_decoding(model: nn.Module, ids: Tensor) -> Cache:
    """Return the decoder's cache for sources (batch, length)."""
    if not model.config.decoder_layers:
        raise EngineError("this model has no decoder", code="E641", remedy="Train one with a seq2seq recipe.")
    states = encode(model, ids)
    layers = model["decoder"]["layers"]
    source = [_project_keys(model, layer["source_attention"], states) for layer in layers]
    return Cache((ids != PAD)[:, None, None, :], source, [None] * len(layers))


def decode_step(model: nn.Module, ids: Tensor, cache: Cache) -> Tensor:
    """Return the logits `(batch, length, vocabulary)` after each of ids `(batch, length)`, which follow those
    in the cache.

    All ids are given at once after `begin_decoding`, or one at a time.
    """
    import torch

    part = model["decoder"]
    states = _embed_tokens(model, part, ids, cache.length)
    for layer_number, layer in enumerate(part["layers"]):
        normed = layer["attention_norm"](states)
        key, value = _project_keys(model, layer["attention"], normed)
        past = cache.written[layer_number]
        if past is not None:
            key, value = torch.cat([past[0], key], 2), torch.cat([past[1], value], 2)
        cache.written[layer_number] = (key, value)
        # With a past, the one new token sees all of it; without, every token sees what stands before it.
        states = states + _attend_to(model, layer["attention"], normed, (key, value), causal=past is None)
        normed = layer["source_attention_norm"](states)
        source = cache.source[layer_number]
        states = states + _attend_to(model, layer["source_attention"], normed, source, cache.mask)
        states = _feed_forward(model, layer, states)
    cache.length += ids.shape[1]
    return part["out"](part["norm"](states))


def compute_logits(model: nn.Module, source: Tensor, target: Tensor) -> Tensor:
    """Return the logits of each target token after the first, given those before it, shape `(batch, length -
    1, vocabulary)`.
    """
    return decode_step(model, target[:, :-1], begin_decoding(model, source))


def _apply_dropout(model: nn.Module, states: Tensor) -> Tensor:
    import torch.nn.functional as F  # noqa: N812  # the name everybody uses

    return F.dropout(states, model.config.dropout, model.training)


def _embed_tokens(model: nn.Module, part: Any, ids: Tensor, begin: int) -> Tensor:
    here = part.positions[begin : begin + ids.shape[1]]
    return _apply_dropout(model, part["tokens"](ids) * math.sqrt(model.config.d_model) + here)


def _split_heads(model: nn.Module, states: Tensor) -> Tensor:
    """(batch, heads, length, d/heads)."""
    return states.unflatten(-1, (model.config.heads, -1)).transpose(1, 2)


def _project_keys(model: nn.Module, attention: Any, states: Tensor) -> _KeyValue:
    key, value = attention["key_value"](states).chunk(2, dim=-1)
    return _split_heads(model, key), _split_heads(model, value)


def _attend_to(
    model: nn.Module,
    attention: Any,
    states: Tensor,
    key_value: _KeyValue,
    mask: Tensor | None = None,
    causal: bool = False,
) -> Tensor:
    """Return what is added to the residual: queries of the states over keys and values."""
    import torch.nn.functional as F  # noqa: N812

    result = F.scaled_dot_product_attention(
        _split_heads(model, attention["query"](states)),
        *key_value,
        attn_mask=mask,
        dropout_p=model.config.dropout if model.training else 0.0,
        is_causal=causal,
    )
    return _apply_dropout(model, attention["out"](result.transpose(1, 2).flatten(2)))


def _feed_forward(model: nn.Module, layer: Any, states: Tensor) -> Tensor:
    inner = _apply_dropout(model, layer["up"](layer["feed_forward_norm"](states)).relu())
    return states + _apply_dropout(model, layer["down"](inner))


_TOKENS_PER_BATCH = 4_096


@dataclass(frozen=True, slots=True)
class WrittenCandidate:
    """An expression that the model wrote for a source: its ids without SOE, the mean log-probability of a
    token in nats, the tree where the ids are an expression, and the verdict on it as a member beside the
    source."""

    ids: tuple[int, ...]
    score_nats: float
    tree: Tree | None
    verdict: MemberVerdict | None

    @property
    def equal(self) -> bool:
        """Whether it is the same function wherever the source is defined."""
        return self.verdict is not None and self.verdict.outcome in ("equal", "extends")


def write(model: nn.Module, sources: Sequence[Tree], *, beams: int = 1) -> list[list[WrittenCandidate]]:
    """Return what the model writes for each source, best first and judged by the verifier, at most `beams`
    each.

    Args:
        beams: 1 is greedy decoding.
    """
    import torch

    limit = model.config.max_length
    rows = Sequences.from_prefixes([to_prefix(tree) for tree in sources], max_length=limit)
    raw: list[list[tuple[list[int], float]]] = [[] for _ in sources]
    device = next(model.parameters()).device
    for batch in make_batches(rows.lengths, max(1, _TOKENS_PER_BATCH // beams)):
        ids = torch.from_numpy(rows.pad_rows(batch)).to(device)
        with torch.inference_mode():
            result = beam_search(model, ids, beams, limit)
        for row, candidates in zip(batch.tolist(), result, strict=True):
            raw[row] = candidates
    return [_judge_candidates(tree, candidates) for tree, candidates in zip(sources, raw, strict=True)]


def _judge_candidates(source: Tree, candidates: list[tuple[list[int], float]]) -> list[WrittenCandidate]:
    verifier = Verifier(source)
    written = []
    for ids, score in candidates:
        try:
            tree = decode_ids(ids)
        except ExpressionError:
            written.append(WrittenCandidate(tuple(ids), score, None, None))
            continue
        (verdict,) = verifier.judge_members([tree])
        written.append(WrittenCandidate(tuple(ids), score, tree, verdict))
    return written


def greedy_accuracy(model: nn.Module, sources: Sequence[Tree]) -> float:
    """Return the share of sources for which greedy decoding writes an equal expression."""
    result = write(model, sources)
    return sum(candidates[0].equal for candidates in result) / max(1, len(result))


def beam_search(model: nn.Module, ids: Tensor, beams: int, limit: int) -> list[list[tuple[list[int], float]]]:
    """Search for the `beams` best sequences of each source by mean log-probability per token.

    Returns:
        For each source, best first: the ids written, with EOE, and the mean. One beam is greedy decoding. A
            beam that has ended stays as it is and takes part; the search is over when all have ended.
    """
    import torch

    cache = begin_decoding(model, ids)
    count = len(ids)
    if beams > 1:
        cache.choose_rows(torch.arange(count, device=ids.device).repeat_interleave(beams))
    tokens = torch.full((count, beams, 1), START, device=ids.device)
    # Only the first beam is alive at first, or all would be the same.
    sums = torch.full((count, beams), -torch.inf, device=ids.device)
    sums[:, 0] = 0.0
    ended = torch.zeros(count, beams, dtype=torch.bool, device=ids.device)
    lengths = torch.zeros(count, beams, device=ids.device)
    for _ in range(limit - 1):
        # The cache holds all tokens before, so only the last one is decoded.
        chances = decode_step(model, tokens[:, :, -1].reshape(-1, 1), cache)[:, -1].float().log_softmax(-1)
        chances = chances.view(count, beams, -1)
        # An ended beam has one continuation, PAD, which costs nothing.
        frozen = torch.full_like(chances, -torch.inf)
        frozen[..., PAD] = 0.0
        chances = torch.where(ended[..., None], frozen, chances)
        totals = sums[..., None] + chances
        longer = lengths + (~ended)
        # Rank by mean log-probability; an index of the flat table is beam · vocabulary + token.
        ranks = (totals / longer.clamp(min=1)[..., None]).flatten(1).topk(beams, dim=-1).indices
        parent, token = ranks // chances.shape[-1], ranks % chances.shape[-1]
        sums = totals.flatten(1).gather(1, ranks)
        lengths = longer.gather(1, parent)
        ended = ended.gather(1, parent) | (token == END)
        history = tokens.gather(1, parent[..., None].expand(-1, -1, tokens.shape[-1]))
        tokens = torch.cat([history, token[..., None]], -1)
        # Reorder the cache as the beams were reordered.
        offsets = torch.arange(count, device=ids.device)[:, None] * beams
        if beams > 1:
            cache.choose_rows((parent + offsets).flatten())
        if bool(ended.all()):
            break
    result = []
    means = (sums / lengths.clamp(min=1)).tolist()
    for rows, scores in zip(tokens[:, :, 1:].tolist(), means, strict=True):
        ranked = sorted(zip(rows, scores, strict=True), key=lambda pair: -pair[1])
        result.append([(_until_end(row), score) for row, score in ranked if score > -torch.inf])
    return result


def _until_end(row: list[int]) -> list[int]:
    return row[: row.index(END) + 1] if END in row else [token for token in row if token != PAD]

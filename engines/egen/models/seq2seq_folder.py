"""A seq2seq model as transformers has it: `AutoModelForSeq2SeqLM` opens its folder without code of ours.

    config.json  generation_config.json  model.safetensors

The network is exactly a Blenderbot: pre-norm with a final norm in both halves, ReLU, a table of positions,
token embeddings times sqrt(d), those of both halves and the output layer each their own. What a Blenderbot
has in addition is filled in: attention biases are zeros, the table of positions holds the sinusoids, and the
embeddings that both halves might share, which nothing reads, are those of the encoder.

Its norms have eps 1e-5, ten times ours. Since a norm of `r x` with eps `r^2 e` is that of `x` with eps `e`,
all that is added to the residual is stored times r = sqrt(10), and the numbers are the same.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from engines.egen.expressions.training_notation import VOCABULARY
from engines.egen.models.sequences import END, PAD, START
from engines.egen.models.settings import ModelConfig

if TYPE_CHECKING:
    from torch import Tensor, nn

__all__ = ["EXACT", "KIND", "generation_config", "own_tensors", "their_config", "their_tensors"]

KIND = "blenderbot"
EXACT = ("model.encoder.embed_positions.weight", "model.decoder.embed_positions.weight")
"""Kept in fp32: calculated by us, not learned."""

_RESIDUAL = math.sqrt(10)
_ATTENTIONS = {
    "encoder": {"attention": "self_attn"},
    "decoder": {"attention": "self_attn", "source_attention": "encoder_attn"},
}


def their_tensors(model: nn.Module) -> Iterator[tuple[str, Tensor]]:
    """The weights of a model with a decoder under the names of transformers."""
    import torch

    from engines.egen.models.transformer import sinusoids

    config, weights = model.config, model.state_dict()
    for own, theirs, factor in _names(config):
        for name, tensor in zip(theirs, (weights[own] * factor).chunk(len(theirs)), strict=True):
            yield name, tensor
            if "_proj" in name:
                yield name.replace("weight", "bias"), torch.zeros(config.d_model)
    yield "final_logits_bias", weights["decoder.out.bias"][None]
    yield "model.shared.weight", weights["encoder.tokens.weight"] * _RESIDUAL
    for name in EXACT:
        yield name, sinusoids(config.max_length, config.d_model) * _RESIDUAL


def own_tensors(tensors: dict[str, Tensor], config: ModelConfig) -> Iterator[tuple[str, Tensor]]:
    """The weights under our names. What is missing is left for `load_state_dict` to refuse."""
    import torch

    for own, theirs, factor in _names(config):
        if all(name in tensors for name in theirs):
            yield own, torch.cat([tensors[name].float() for name in theirs]) / factor
    if "final_logits_bias" in tensors:
        yield "decoder.out.bias", tensors["final_logits_bias"].float().flatten()


def their_config(config: ModelConfig) -> dict[str, Any]:
    """What stands in `config.json`."""
    sizes = {
        f"{part}_{name}": size
        for part, layers in (("encoder", config.layers), ("decoder", config.decoder_layers))
        for name, size in (("layers", layers), ("attention_heads", config.heads), ("ffn_dim", config.ffn))
    }
    dropouts = dict.fromkeys(("dropout", "attention_dropout", "activation_dropout"), config.dropout)
    return {
        "architectures": ["BlenderbotForConditionalGeneration"],
        "model_type": KIND,
        "dtype": "float32",
        "vocab_size": len(VOCABULARY),
        "d_model": config.d_model,
        **sizes,
        **dropouts,
        "activation_function": "relu",
        "max_position_embeddings": config.max_length,
        "scale_embedding": True,
        "tie_word_embeddings": False,
        **generation_config(config),
        "egen": asdict(config),
    }


def generation_config(config: ModelConfig) -> dict[str, Any]:
    """How transformers writes expressions unless told otherwise: greedily, as `decoding` does; what a
    Blenderbot does to keep a talk going is switched off."""
    return {
        "pad_token_id": PAD,
        "bos_token_id": START,
        "eos_token_id": END,
        "decoder_start_token_id": START,
        "max_length": config.max_length,
        "encoder_no_repeat_ngram_size": 0,
        "forced_eos_token_id": None,
    }


def _names(config: ModelConfig) -> Iterator[tuple[str, tuple[str, ...], float]]:
    """Our name, their names for its rows from the top, and the factor that theirs have in them."""
    yield "decoder.out.weight", ("lm_head.weight",), 1.0
    for part, layers in (("encoder", config.layers), ("decoder", config.decoder_layers)):
        yield f"{part}.tokens.weight", (f"model.{part}.embed_tokens.weight",), _RESIDUAL
        yield from _norm(f"{part}.norm", f"model.{part}.layer_norm")
        for number in range(layers):
            own, their = f"{part}.layers.{number}", f"model.{part}.layers.{number}"
            for name, theirs in _ATTENTIONS[part].items():
                yield from _attention(f"{own}.{name}", f"{their}.{theirs}")
            for kind in ("weight", "bias"):
                yield f"{own}.up.{kind}", (f"{their}.fc1.{kind}",), 1.0
                yield f"{own}.down.{kind}", (f"{their}.fc2.{kind}",), _RESIDUAL
            yield from _norm(f"{own}.feed_forward_norm", f"{their}.final_layer_norm")


def _attention(own: str, their: str) -> Iterator[tuple[str, tuple[str, ...], float]]:
    yield f"{own}.query.weight", (f"{their}.q_proj.weight",), 1.0
    yield f"{own}.key_value.weight", (f"{their}.k_proj.weight", f"{their}.v_proj.weight"), 1.0
    yield f"{own}.out.weight", (f"{their}.out_proj.weight",), _RESIDUAL
    yield from _norm(f"{own}_norm", f"{their}_layer_norm")


def _norm(own: str, their: str) -> Iterator[tuple[str, tuple[str, ...], float]]:
    for kind in ("weight", "bias"):
        yield f"{own}.{kind}", (f"{their}.{kind}",), 1.0

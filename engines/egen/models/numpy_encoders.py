"""Our encoders in NumPy, for where there is no torch.

They give the vectors of `engines.egen.models.transformer.embed` and `engines.egen.composed.network` to 1e-5.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engines.core.arrays import Ints, NamedArrays, ShortFloats
from engines.core.compiling import compile_kernel
from engines.core.errors import EngineError
from engines.core.model_checks import check_model_folder, read_config
from engines.core.spec import read
from engines.egen.composed.network import ComposedEncoder, ComposedSizes, SubtermBatch
from engines.egen.models.config import CODE, ModelConfig
from engines.egen.models.model_encoder import ModelEncoder
from engines.egen.models.model_folder import check_depth, load_model, unopened_error
from engines.mathematics.terms.notation import END, PAD, VOCABULARY

# The same as in `transformer`: stored weights were trained with it.
_EPSILON = np.float32(1e-6)


def _open_folder(folder: Path) -> tuple[dict[str, Any], NamedArrays]:
    """`config.json` and the weights in fp32."""
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        document = read_config(folder)
        check_model_folder(folder)
        stored = load_file(folder / "model.safetensors")
    except (OSError, ValueError, SafetensorError) as error:
        raise unopened_error(folder, " ".join(str(error).split())[:160]) from error
    return document, {name: rows.astype(np.float32) for name, rows in stored.items()}


class _Plain(ModelEncoder):
    """A model of ours without its decoder; what writes is read where it is asked for, by torch."""

    def __init__(self, folder: Path, config: ModelConfig, embed: Callable[[Ints], ShortFloats]) -> None:
        self.name, self.dimension, self.max_length = folder.name, config.d_model, config.max_length
        self._folder, self._embed = folder, embed

    @property
    def model(self) -> Any:
        return load_model(self._folder)

    @contextmanager
    def open_embedding(self, half: bool) -> Iterator[Callable[[Ints], ShortFloats]]:  # noqa: ARG002  # always in fp32
        yield self._embed


def model_encoder(folder: Path) -> ModelEncoder:
    """Open a transformer from its folder, to run in NumPy."""
    encoder_folder = folder / "0_Transformer"  # with a decoder, the encoder is here once more
    document, stored = _open_folder(encoder_folder if encoder_folder.is_dir() else folder)
    try:
        config = ModelConfig.from_table(dict(document["egen"]))
        return _Plain(folder, config, make_transformer(stored, config, float(document["egen_shift"])))
    except (ValueError, KeyError, TypeError, EngineError) as error:
        raise unopened_error(folder, "the weights do not fit the model that config.json describes") from error


class _PlainComposed(ComposedEncoder):
    def __init__(self, folder: Path, width: int, embed: Callable[[Mapping[str, Any]], ShortFloats]) -> None:
        self.name, self.dimension, self._embed = folder.name, width, embed

    def embed_terms(self, part: SubtermBatch) -> ShortFloats:
        return self._embed(part.arrays)


def composed_encoder(folder: Path) -> ComposedEncoder:
    """Open a composed encoder from its folder, to run in NumPy."""
    document, stored = _open_folder(folder)
    try:
        width = read(ComposedSizes, document["egen"], prefix="egen.", code=CODE).d_model
        return _PlainComposed(folder, width, make_composed(stored, width))
    except (ValueError, KeyError, TypeError, EngineError) as error:
        raise unopened_error(
            folder, "the weights do not fit the network that config.json describes"
        ) from error


def make_transformer(stored: NamedArrays, config: ModelConfig, shift: float) -> Callable[[Ints], ShortFloats]:
    """Return a function from ids `(batch, length)` to embeddings `(batch, d)`, not normalised."""
    tokens, positions = (stored[f"embeddings.{kind}_embeddings.weight"] for kind in ("word", "position"))
    check_depth(stored, config)
    if tokens.shape != (len(VOCABULARY), config.d_model) or len(positions) != config.max_length + 1:
        raise ValueError("the embeddings are of another size than config.json says")
    final = stored["encoder.LayerNorm.weight"], stored["encoder.LayerNorm.bias"] - np.float32(shift)
    layers = [_make_layer(stored, f"encoder.layer.{number}.", config) for number in range(config.layers)]

    def embed_ids(ids: Ints) -> ShortFloats:
        batch, length = ids.shape
        states = (tokens[ids] + positions[1 : length + 1]).reshape(batch * length, -1)
        hidden = np.where(ids == PAD, np.float32(-np.inf), np.float32(0))[:, None, None, :]
        for layer in layers:
            layer(states, hidden if (ids[:, -1] == PAD).any() else None, batch)
        rows, real = _normalize_states(states, *final).reshape(batch, length, -1), (ids > END)[..., None]
        if config.pooling == "max":
            return np.asarray(np.where(real, rows, np.float32(-np.inf)).max(1))
        return np.asarray((rows * real).sum(1) / real.sum(1, dtype=np.float32))

    return embed_ids


def _make_layer(
    stored: NamedArrays, name: str, config: ModelConfig
) -> Callable[[ShortFloats, ShortFloats | None, int], None]:
    """Add to states (batch * length, d) what a layer adds."""
    # The scale of the scores is put into the projection of the queries, once and for all.
    scale = np.float32((config.d_model // config.heads) ** -0.5)
    three = [stored[f"{name}attention.self.{kind}.weight"].T for kind in ("query", "key", "value")]
    projection = np.concatenate([three[0] * scale, *three[1:]], 1)
    norm, feed_norm = (
        (stored[f"{name}{kind}.weight"], stored[f"{name}{kind}.bias"])
        for kind in ("attention.self_attn_layer_norm", "LayerNorm")
    )
    out = np.ascontiguousarray(stored[f"{name}attention.output.dense.weight"].T)
    up, down = (
        np.ascontiguousarray(stored[f"{name}{kind}.dense.weight"].T) for kind in ("intermediate", "output")
    )
    up_bias, down_bias = (stored[f"{name}{kind}.dense.bias"] for kind in ("intermediate", "output"))

    def add_layer(states: ShortFloats, hidden: ShortFloats | None, batch: int) -> None:
        result = (_normalize_states(states, *norm) @ projection).reshape(
            batch, len(states) // batch, 3, config.heads, -1
        )
        # Attention of all heads at once: softmax(QKᵀ/√d) V; the scale is in the projection already.
        query, key, value = (result[:, :, kind].transpose(0, 2, 1, 3) for kind in range(3))
        scores = query @ key.transpose(0, 1, 3, 2).copy()
        if hidden is not None:
            scores += hidden
        # Softmax in place; the largest score is subtracted so that no exponential overflows.
        scores -= scores.max(-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(-1, keepdims=True)
        states += (scores @ value).transpose(0, 2, 1, 3).reshape(len(states), -1) @ out
        # Feed-forward network with ReLU, added to the residual.
        inner = _normalize_states(states, *feed_norm) @ up
        inner += up_bias
        np.maximum(inner, 0, out=inner)
        states += inner @ down
        states += down_bias

    return add_layer


def _normalize_states(states: ShortFloats, weight: ShortFloats, bias: ShortFloats) -> ShortFloats:
    result = states - states.mean(-1, keepdims=True)
    spread = np.einsum("ij,ij->i", result, result)[:, None] / np.float32(states.shape[-1])
    result /= np.sqrt(spread + _EPSILON)
    result *= weight
    result += bias
    return result


def make_composed(stored: NamedArrays, width: int) -> Callable[[Mapping[str, NDArray[Any]]], ShortFloats]:
    """Return a function from what `SubtermBatch.arrays` gives to unit embeddings, shape `(expressions,
    d)`.
    """
    of_one, of_two, lefts, rights, outs, biases = (
        stored[name] for name in ("of_one", "of_two", "left", "right", "out", "bias")
    )
    first, second = ((stored[f"number.{layer}.weight"].T, stored[f"number.{layer}.bias"]) for layer in (0, 2))

    def apply_operation(kind: int, left: ShortFloats, right: ShortFloats) -> ShortFloats:
        # The same computation as `composed.network`, without torch.
        is_unary = kind < len(of_one)
        mapped = (
            left @ of_one[kind] if is_unary else np.concatenate([left, right], 1) @ of_two[kind - len(of_one)]
        )
        units = mapped.shape[1] - width
        products = (left @ lefts[kind]) * (right @ rights[kind])
        products /= 4
        hidden = np.concatenate([products, _apply_gelu(mapped[:, :units] + biases[kind])], 1)
        return mapped[:, units:] + hidden @ outs[kind]

    def compute_states(batch: Mapping[str, NDArray[Any]]) -> ShortFloats:
        read = _apply_gelu(batch["leaves"] @ first[0] + first[1]) @ second[0] + second[1]
        leaves = _scale_rows(np.where(batch["is_x"][:, None], stored["x"], read))
        levels = [rows for name, rows in batch.items() if name.startswith("level")]
        result = np.empty((len(leaves) + sum(map(len, levels)), width), np.float32)
        result[: len(leaves)], end = leaves, len(leaves)
        for rows in levels:
            # Terms of a level are sorted by operator; `cuts` are where the operator changes.
            cuts = [0, *(np.flatnonzero(np.diff(rows[:, 0])) + 1), len(rows)]
            for begin, stop in pairwise(cuts):
                kind, left, right = int(rows[begin, 0]), *rows[begin:stop, 1:].T
                result[end + begin : end + stop] = _scale_rows(
                    apply_operation(kind, result[left], result[right])
                )
            end += len(rows)
        return result

    def embed_batch(batch: Mapping[str, NDArray[Any]]) -> ShortFloats:
        rows = compute_states(batch)[batch["roots"]] @ stored["embedding.weight"].T
        return rows / np.linalg.norm(rows, axis=-1, keepdims=True)

    def _scale_rows(rows: ShortFloats) -> ShortFloats:
        return rows * (np.float32(math.sqrt(width)) / np.linalg.norm(rows, axis=-1, keepdims=True))

    return embed_batch


def _apply_gelu(rows: ShortFloats) -> ShortFloats:
    return np.asarray(_gelu_of(np.ascontiguousarray(rows).ravel())).reshape(rows.shape)


@compile_kernel
def _gelu_of(rows: Any) -> Any:
    result = np.empty_like(rows)
    for index in range(len(rows)):
        row = float(rows[index])
        result[index] = 0.5 * row * (1.0 + math.erf(row * 0.7071067811865476))
    return result

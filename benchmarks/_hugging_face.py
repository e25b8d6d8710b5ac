"""A recipe's training as one writes it with transformers alone: no model, loss or batch of ours.

The model is one of the library of the same sizes, or the recipe's backbone; each batch is tokenised as text,
padded to its longest; the loss is the usual one: other positives of the batch as negatives (contrastive),
cross-entropy of tokens or of classes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, normalize
from transformers import (
    AutoModel,
    AutoModelForSeq2SeqLM,
    AutoModelForSequenceClassification,
    BartConfig,
    BertConfig,
    PreTrainedTokenizerFast,
)

from engines.arqmath.training.finetuning import CrossEncoderTask
from engines.egen.expressions.notation import END, PAD, START, VOCABULARY
from engines.egen.models.trainers import Contrastive, Seq2seq


@dataclass(frozen=True, slots=True)
class Way:
    """A model, how examples become a batch, and the loss of a batch."""

    model: nn.Module
    collate: Callable[[list[Any]], dict[str, Tensor]]
    loss: Callable[[nn.Module, dict[str, Tensor]], Tensor]


def hugging_face(task: Contrastive | Seq2seq | CrossEncoderTask) -> Way:
    """The task's model, batches and loss with transformers alone."""
    if isinstance(task, Contrastive):
        return _contrastive(task)
    return _seq2seq(task) if isinstance(task, Seq2seq) else _cross_encoder(task)


def _words(task: Contrastive | Seq2seq) -> tuple[Any, list[str]]:
    """A tokenizer of words, and the expressions as texts."""
    words = Tokenizer(WordLevel({word: n for n, word in enumerate(VOCABULARY)}, unk_token=VOCABULARY[PAD]))
    words.pre_tokenizer = WhitespaceSplit()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=words, pad_token=VOCABULARY[PAD])
    rows = task.rows.sequences
    ids = (rows.data[end - length : end] for end, length in zip(rows.ends, rows.lengths, strict=True))
    return tokenizer, [" ".join(VOCABULARY[n] for n in row) for row in ids]


def _contrastive(task: Contrastive) -> Way:
    sizes, (tokenizer, texts) = task.config, _words(task)
    config = BertConfig(
        vocab_size=len(VOCABULARY),
        hidden_size=sizes.d_model,
        num_hidden_layers=sizes.layers,
        num_attention_heads=sizes.heads,
        intermediate_size=sizes.ffn,
        max_position_embeddings=sizes.max_length,
        hidden_act="relu",
        hidden_dropout_prob=sizes.dropout,
        attention_probs_dropout_prob=sizes.dropout,
    )

    def collate(examples: list[Any]) -> dict[str, Tensor]:
        both = [texts[example[side]] for side in (0, 1) for example in examples]
        return dict(tokenizer(both, padding="longest", return_tensors="pt"))

    def loss(model: nn.Module, batch: dict[str, Tensor]) -> Tensor:
        states, real = model(**batch).last_hidden_state, batch["attention_mask"][..., None]
        vectors = normalize((states * real).sum(1) / real.sum(1), dim=-1)
        anchors, positives = vectors.chunk(2)
        scores = anchors @ positives.T / task.settings.tau
        return cross_entropy(scores, torch.arange(len(scores), device=scores.device))

    return Way(AutoModel.from_config(config, add_pooling_layer=False), collate, loss)


def _seq2seq(task: Seq2seq) -> Way:
    sizes, (tokenizer, texts) = task.config, _words(task)
    config = BartConfig(
        vocab_size=len(VOCABULARY),
        d_model=sizes.d_model,
        encoder_layers=sizes.layers,
        decoder_layers=sizes.decoder_layers,
        encoder_attention_heads=sizes.heads,
        decoder_attention_heads=sizes.heads,
        encoder_ffn_dim=sizes.ffn,
        decoder_ffn_dim=sizes.ffn,
        max_position_embeddings=sizes.max_length,
        activation_function="relu",
        dropout=sizes.dropout,
        pad_token_id=PAD,
        bos_token_id=START,
        eos_token_id=END,
        decoder_start_token_id=START,
    )

    def collate(examples: list[Any]) -> dict[str, Tensor]:
        source, target = (
            tokenizer([texts[example[side]] for example in examples], padding="longest", return_tensors="pt")
            for side in (0, 1)
        )
        return {
            "input_ids": source["input_ids"],
            "attention_mask": source["attention_mask"],
            "decoder_input_ids": target["input_ids"],
        }

    def loss(model: nn.Module, batch: dict[str, Tensor]) -> Tensor:
        logits, wanted = model(**batch).logits[:, :-1], batch["decoder_input_ids"][:, 1:]
        smoothing = task.settings.smoothing
        return cross_entropy(
            logits.flatten(0, 1), wanted.flatten(), ignore_index=PAD, label_smoothing=smoothing
        )

    return Way(AutoModelForSeq2SeqLM.from_config(config), collate, loss)


def _cross_encoder(task: CrossEncoderTask) -> Way:
    tokenizer, most = task.backbone.tokenizer, task.settings.max_length
    _, rows = task._texts
    used = {row for *sides, _ in task.train_data().table.tolist() for row in sides}
    texts = {row: tokenizer.decode(rows[row]) for row in used}

    def collate(examples: list[Any]) -> dict[str, Tensor]:
        sides = [[texts[example[side]] for example in examples] for side in (0, 1)]
        batch = tokenizer(*sides, padding="longest", truncation=True, max_length=most, return_tensors="pt")
        return {**batch, "labels": torch.tensor([label for _, _, label in examples])}

    def loss(model: nn.Module, batch: dict[str, Tensor]) -> Tensor:
        found: Tensor = model(**batch).loss
        return found

    folder = task.backbone.folder
    return Way(AutoModelForSequenceClassification.from_pretrained(folder, num_labels=2), collate, loss)

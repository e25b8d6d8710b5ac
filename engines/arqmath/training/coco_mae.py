"""The trainer `arqmath.coco-mae`: the first token's state learns to stand for a whole span of a post."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engines.arqmath.training.forum_task import move_to_model
from engines.arqmath.training.model_folder import TokenIds, pad_rows
from engines.arqmath.training.pretraining import IGNORED, MaskedTask, find_word_head
from engines.arqmath.training.settings import CocoMaeSettings
from engines.core.errors import DataError, EngineError
from engines.training.data import Numbered, Resampled, number_rows
from engines.training.libraries import rows_of_all
from engines.training.token_cache import Sequences

if TYPE_CHECKING:
    import torch


# The network of Coco-MAE: an encoder, and a decoder that must rely on the encoder's state of another span.
#
# The contrastive loss is that of coCondenser (Gao and Callan 2022), of cosines over a temperature instead of
# inner products; the decoder is that of CoT-MAE (Wu et al. 2022), in layers of its own that begin at random.


def with_decoder(language: Any, *, layers: int) -> torch.nn.Module:
    """A language model with a decoder of so many layers beside it.

    `encode_spans(ids, attention)` gives states (spans, length, width), `decode_spans(ids, attention, first)`
    those of the decoder: it reads embeddings, and `first` (spans, width) in the place of each span's first
    token. `words` is the head of both.
    """
    from torch import nn

    config = language.config

    class CocoMae(nn.Module):  # type: ignore[misc]  # an untyped library
        def __init__(self) -> None:
            super().__init__()
            self.language = language
            layer = nn.TransformerEncoderLayer(
                config.hidden_size,
                config.num_attention_heads,
                config.intermediate_size,
                dropout=config.hidden_dropout_prob,
                activation="gelu",
                layer_norm_eps=config.layer_norm_eps,
                batch_first=True,
            )
            self.decoder = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)

        @property
        def words(self) -> Any:
            return find_word_head(self.language)

        def encode_spans(self, ids: torch.Tensor, attention: torch.Tensor) -> torch.Tensor:
            states: torch.Tensor = self.language.base_model(
                input_ids=ids, attention_mask=attention
            ).last_hidden_state
            return states

        def decode_spans(
            self, ids: torch.Tensor, attention: torch.Tensor, first: torch.Tensor
        ) -> torch.Tensor:
            import torch

            base = self.language.base_model
            read = base.embeddings(input_ids=ids)
            if config.model_type == "albert":  # its embeddings are narrower than its states
                read = base.encoder.embedding_hidden_mapping_in(read)
            read = torch.cat([first.unsqueeze(1).to(read.dtype), read[:, 1:]], 1)
            states: torch.Tensor = self.decoder(read, src_key_padding_mask=attention == 0)
            return states

    return CocoMae()


def span_scores(
    firsts: torch.Tensor, *, temperature: float, among: torch.Tensor | None = None, begin: int = 0
) -> tuple[torch.Tensor, torch.Tensor]:
    """Cosines over temperature of every span with all spans but itself, and where its post's other one is.

    Args: firsts: (2 x posts, width), first the posts' earlier spans, then the later ones. among: those of all
    that they are compared with, in the same order (none: the same); `begin`: the first own post there.
    Returns: (2 x posts, 2 x all posts), itself at minus infinity, and (2 x posts,).
    """
    import torch
    from torch.nn.functional import normalize

    among = firsts if among is None else among
    count, all_ = len(firsts) // 2, len(among) // 2
    rows = begin + torch.arange(count, device=firsts.device)
    itself, other = torch.cat([rows, all_ + rows]), torch.cat([all_ + rows, rows])
    cosines = normalize(firsts.float(), dim=-1) @ normalize(among.float(), dim=-1).T
    columns = torch.arange(len(among), device=firsts.device)
    return (cosines / temperature).masked_fill(columns == itself.unsqueeze(1), -torch.inf), other


def contrast_spans(firsts: torch.Tensor, *, temperature: float) -> torch.Tensor:
    """The contrastive loss in nats, the mean over spans; the spans of all processes are negatives.

    Args: firsts: as `span_scores` takes them.
    """
    import torch
    from torch.nn.functional import cross_entropy

    together, begin = rows_of_all(torch.cat(firsts.chunk(2), -1))
    among = torch.cat(together.chunk(2, -1))
    return cross_entropy(*span_scores(firsts, temperature=temperature, among=among, begin=begin))


# The trainer `arqmath.coco-mae`: the first token's state learns to stand for a whole span of a post.
#
# Two spans of one post that do not overlap are read by the encoder, each with some tokens masked, which it
# predicts. A shallow decoder reads each span again with more of its tokens masked and, in the place of its
# first token, the encoder's first state of the other span; it predicts through the same head, and is thrown
# away afterwards. Besides, each span is to find the other one of its post among all spans of the batch by the
# cosine of their first states. The three losses are those of BERT, CoT-MAE (Wu et al. 2022) and coCondenser
# (Gao and Callan 2022), together as in Coco-MAE (Zhong et al. 2023). Spans are drawn anew in each epoch.

_LEAST = 8
"""Tokens of a span at least, without special ones; a post of fewer than two such is left out."""
_AT_ONCE = 32


def draw_two_spans(text: TokenIds, room: int, draw: np.random.Generator) -> tuple[TokenIds, TokenIds]:
    """Two spans of a text that do not overlap, the earlier one first, of at most `room` tokens each: it is
    cut in two at random, and of each part a window at random is taken."""
    cut = int(draw.integers(_LEAST, len(text) - _LEAST + 1))

    def draw_window(part: TokenIds) -> TokenIds:
        begin = int(draw.integers(max(0, len(part) - room) + 1))
        return part[begin : begin + room]

    return draw_window(text[:cut]), draw_window(text[cut:])


class CocoMaeTask(MaskedTask[CocoMaeSettings]):
    """The trainer `arqmath.coco-mae`. Data: collection (a folder of ARQMath); backbone (a model folder, with
    or without weights; MiniLM without)."""

    trainer = "arqmath.coco-mae"
    settings_class = CocoMaeSettings
    measures = (
        "validation_loss_nats",
        "validation_masked_nats",
        "validation_decoder_nats",
        "validation_contrastive_nats",
        "validation_span_accuracy",
    )

    def __init__(self, model: Mapping[str, Any], data: Mapping[str, Path], *, seed: int) -> None:
        super().__init__(model, data, seed=seed)
        self._compared: bool | None = None

    def model(self) -> torch.nn.Module:
        """The backbone with its head for masked tokens, rows for new LaTeX tokens, and the decoder."""
        return with_decoder(self.language_model(order=False), layers=self.settings.decoder_layers)

    @property
    def _room(self) -> int:
        return self.settings.max_length - self.frame.width_one

    @cached_property
    def _texts(self) -> Sequences:
        return self.tokenize_texts(
            "whole posts", "collection", texts=lambda: ((post.id, post.text) for post in self.iterate_posts())
        )[1]

    @cached_property
    def _sides(self) -> tuple[list[int], list[int]]:
        draw = np.random.default_rng([self.seed, 4])
        held = draw.random(len(self._texts)) < self.settings.held_out
        long = self._texts.lengths >= 2 * _LEAST
        measured = draw.permutation(np.flatnonzero(long & held))[: self.settings.measured]
        return np.flatnonzero(long & ~held).tolist(), sorted(measured.tolist())

    def train_data(self) -> Resampled[Numbered]:
        """The rows that are trained on. Raises: DataError E674 when there are none."""
        if not self._sides[0]:
            what = f"no post has {2 * _LEAST} tokens, for two spans"
            remedy = "Name a collection with longer posts: --set data.collection=PATH"
            raise DataError(what, path=self.data["collection"], code="E674", exit_code=3, remedy=remedy)
        return number_rows(self._sides[0], self.seed)

    def length(self, example: Numbered) -> int:
        """Tokens of both spans at most, with the special ones."""
        return min(int(self._texts.lengths[example[0]]), 2 * self._room) + 2 * self.frame.width_one

    def collate(self, examples: Sequence[Numbered]) -> dict[str, torch.Tensor]:
        """A batch. Its spans and masks are drawn from the seed and the numbers of its posts, so they are the
        same whenever the same batch is made, and others in another epoch."""
        rows, numbers = zip(*examples, strict=True)
        return self._build_batch(rows, np.random.default_rng([self.seed, 5, *numbers]))

    def _build_batch(self, rows: Sequence[int], draw: np.random.Generator) -> dict[str, torch.Tensor]:
        """(2 x posts, length) each, first the earlier spans and then the later ones: `attention_mask`,
        `input_ids` and `labels` of the encoder, `decoder_ids` and `decoder_labels`."""
        import torch

        pad, settings = self.tokenizer.pad_token_id, self.settings
        pairs = [draw_two_spans(self._texts[row], self._room, draw) for row in rows]
        shares = {"": settings.masked, "decoder_": settings.decoder_masked}
        found: dict[str, list[TokenIds]] = {}
        for text in (*(pair[0] for pair in pairs), *(pair[1] for pair in pairs)):
            whole, _, open_ = self.frame_text(text)
            for name, share in shares.items():
                ids, labels = self.mask_text(whole, open_, draw, share)
                found.setdefault(name or "input_", []).append(ids)
                found.setdefault(f"{name}labels", []).append(labels)
        batch = {
            "input_ids": pad_rows(found["input_"], pad),
            "attention_mask": pad_rows([np.ones_like(ids) for ids in found["input_"]], 0),
            "labels": pad_rows(found["labels"], IGNORED),
            "decoder_ids": pad_rows(found["decoder_"], pad),
            "decoder_labels": pad_rows(found["decoder_labels"], IGNORED),
        }
        return {name: torch.from_numpy(rows) for name, rows in batch.items()}

    def counts(self, batch: Mapping[str, Any]) -> tuple[int, ...]:
        """Tokens that the encoder and the decoder predict, and spans."""
        predicted = (int((batch[name] != IGNORED).sum()) for name in ("labels", "decoder_labels"))
        return (*predicted, len(batch["labels"]))

    def _predict_tokens(
        self, model: Any, batch: Mapping[str, Any]
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Logits (predicted tokens, vocabulary) of encoder and decoder, and the encoder's first states (2 x
        posts, width)."""
        attention = batch["attention_mask"]
        states = model.encode_spans(batch["input_ids"], attention)
        firsts = states[:, 0]
        others = firsts.roll(len(firsts) // 2, 0)
        again = model.decode_spans(batch["decoder_ids"], attention, others)
        wanted = (batch[name] != IGNORED for name in ("labels", "decoder_labels"))
        encoder, decoder = (model.words(each[at]) for each, at in zip((states, again), wanted, strict=True))
        return encoder, decoder, firsts

    def loss(self, model: torch.nn.Module, batch: Mapping[str, Any]) -> torch.Tensor:
        """(3,) cross-entropy in nats of the encoder's and the decoder's masked tokens and of finding the
        other span among those of all processes, times their weights."""
        import torch
        from torch.nn.functional import cross_entropy

        encoder, decoder, firsts = self._predict_tokens(model, batch)
        settings = self.settings
        labels = (batch[name][batch[name] != IGNORED] for name in ("labels", "decoder_labels"))
        words, again = (cross_entropy(*each) for each in zip((encoder, decoder), labels, strict=True))
        apart = contrast_spans(firsts, temperature=settings.temperature)
        self._compared = self._compared or bool(apart > 0)
        return torch.stack(
            [words, settings.decoder_weight * again, settings.contrastive_weight * apart.to(words.dtype)]
        )

    def unmeasured(self, _name: str) -> str:
        return "" if self._sides[1] else "no post is held out"

    def evaluate(self, model: torch.nn.Module) -> dict[str, float]:
        """On held-out posts, with the same spans and masks every time: the loss that is trained with and its
        three parts, and how often the other span is the nearest among those of all these posts. Raises:
        EngineError E687 when the contrastive loss of every batch was 0, as it is of single posts."""
        import torch
        from torch.nn.functional import cross_entropy

        if self._compared is False and self.settings.contrastive_weight:
            what = "the contrastive loss of every batch was 0, so it taught nothing"
            remedy = "Use a larger train.batch_size, or set model.contrastive_weight=0."
            raise EngineError(what, code="E687", remedy=remedy)
        rows = self._sides[1]
        if not rows:
            return {}
        sums, counts = np.zeros(2), np.zeros(2)
        sides: tuple[list[torch.Tensor], list[torch.Tensor]] = ([], [])
        for begin in range(0, len(rows), _AT_ONCE):
            batch = self._build_batch(
                rows[begin : begin + _AT_ONCE], np.random.default_rng([self.seed, 6, begin])
            )
            batch = move_to_model(batch, model)
            *logits, firsts = self._predict_tokens(model, batch)
            for place, (words, name) in enumerate(zip(logits, ("labels", "decoder_labels"), strict=True)):
                wanted = batch[name][batch[name] != IGNORED]
                sums[place] += float(cross_entropy(words.float(), wanted, reduction="sum"))
                counts[place] += len(wanted)
            for side, part in zip(sides, firsts.chunk(2), strict=True):
                side.append(part)
        scores, other = span_scores(torch.cat([*sides[0], *sides[1]]), temperature=self.settings.temperature)
        words, again = sums / counts
        apart = float(cross_entropy(scores, other))
        settings = self.settings
        return {
            "validation_loss_nats": words
            + settings.decoder_weight * again
            + settings.contrastive_weight * apart,
            "validation_masked_nats": words,
            "validation_decoder_nats": again,
            "validation_contrastive_nats": apart,
            "validation_span_accuracy": float((scores.argmax(-1) == other).double().mean()),
        }

    def save(self, model: torch.nn.Module, folder: Path, facts: Mapping[str, Any]) -> None:
        """The encoder with its head, without the decoder."""
        trained: Any = model
        data = {
            "collection": self.folder.title,
            "posts": f"{len(self._sides[0]):,}, two spans of each",
            "initialised from": self.backbone.name,
            "objectives": "masked tokens, masked tokens of the other span, and finding the other span",
            "tokens of a span": self.settings.max_length,
        }
        self.save_language_model(trained.language, folder, facts, data)

"""The trainer `arqmath.pretrain`: masked tokens and the order of two segments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import islice
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from engines.arqmath.training.backbones import add_latex_tokens
from engines.arqmath.training.corpora import read_documents
from engines.arqmath.training.forum_task import ForumTask, move_to_model, require_data
from engines.arqmath.training.model_folder import (
    TokenIds,
    pad_rows,
    quieten_transformers,
    save_model,
    tokenize_texts,
)
from engines.arqmath.training.settings import PretrainSettings
from engines.core.errors import DataError
from engines.core.spec import to_mapping
from engines.training.data import Numbered, Resampled, number_rows
from engines.training.token_cache import CachedSequences, cached_rows

if TYPE_CHECKING:
    import torch


IGNORED = -100
"""Label of a token that is not predicted."""
LIMITS = (
    "Made from questions and answers in English about mathematics, formulas as LaTeX between dollar signs.",
    "This is a language model: fine-tune it before it ranks or classifies anything.",
)
_HEADS = {"bert": "cls.predictions", "albert": "predictions", "roberta": "lm_head"}


def find_word_head(model: Any) -> torch.nn.Module:
    """Return the module that turns states `(tokens, width)` into logits `(tokens, vocabulary)`."""
    head: torch.nn.Module = model.get_submodule(_HEADS[model.config.model_type])
    return head


def mask_tokens(
    ids: TokenIds,
    open_: NDArray[np.bool_],
    draw: np.random.Generator,
    *,
    share: float,
    mask: int,
    ordinary: TokenIds,
) -> tuple[TokenIds, TokenIds]:
    """Return what the model reads and what it should predict.

    BERT's scheme (Devlin et al. 2019): of the chosen tokens 80 % are masked, 10 % replaced by a random token
    and 10 % left as they are.

    Args:
        open_: (tokens,) which may be predicted.
        ordinary: Ids that replace a token.

    Returns:
        Ids and labels, (tokens,) each; at least one token is predicted where one may be.
    """
    indices = np.flatnonzero(open_)
    chosen = draw.permutation(indices)[: max(1, round(share * len(indices)))]
    read, labels = ids.copy(), np.full(len(ids), IGNORED, np.int32)
    labels[chosen] = ids[chosen]
    kind = draw.random(len(chosen))
    read[chosen[kind < 0.8]] = mask
    random = chosen[kind >= 0.9]
    read[random] = ordinary[draw.integers(len(ordinary), size=len(random))]
    return read, labels


# Documents for pre-training, and what is cut from them: pairs of segments in order or swapped, or chunks.
#
# A document is a list of segments. Its consecutive segments are filled into chunks of up to `room` tokens;
# for one document in ten they are filled to a random shorter length, so that the model sees short inputs too.

PretrainExample = tuple[Sequence[int], Sequence[int], bool]
"""Tokens of the first and of the second segment, and whether they are swapped. A chunk has no second."""
_SHORTER = 0.1
_AT_ONCE = 500


def require_corpora(settings: PretrainSettings, data: Mapping[str, Path]) -> list[str]:
    """Return the kinds of data that the corpora are made of.

    Raises:
        DataError: E674 when one is not named.
    """
    kinds: list[str] = []
    for corpus in settings.names:
        kind = "collection" if corpus.startswith("mathse") else "amps"
        require_data(data, kind, f"{kind} for {corpus}")
        kinds += [kind] if kind not in kinds else []
    return kinds


def build_examples(
    read: Iterable[Sequence[str]], tokenizer: Any, room: int, *, pairs: bool, seed: int
) -> Iterator[PretrainExample]:
    """Yield the examples that documents give, in their order.

    Args:
        room: Tokens of an example without the special ones.
        pairs: Of segments; chunks without.
    """
    draw = Random(seed)
    source = iter(read)
    while batch := list(islice(source, _AT_ONCE)):
        segments = tokenize_texts(tokenizer, (segment for document in batch for segment in document))
        for document in batch:
            results = [ids for ids in islice(segments, len(document)) if ids]
            yield from order_pairs(results, room, draw) if pairs else cut_chunks(results, room)


def cut_chunks(document: Sequence[Sequence[int]], room: int) -> Iterator[PretrainExample]:
    """Yield chunks of consecutive segments, as long as they fit; one that is too long is cut into several."""
    ids = [token for segment in document for token in segment]
    for begin in range(0, len(ids), room):
        yield ids[begin : begin + room], (), False


def order_pairs(document: Sequence[Sequence[int]], room: int, draw: Random) -> Iterator[PretrainExample]:
    """Yield chunks of two segments or more, each split at a random border and swapped half of the time.

    This is the sentence-order prediction of ALBERT (Lan et al. 2020). A chunk that is too long loses tokens
    of its longer side, at a random end. A single segment gives nothing.
    """
    target_length = draw.randint(2, room) if draw.random() < _SHORTER else room
    chunk: list[Sequence[int]] = []
    filled = 0
    for index, segment in enumerate(document):
        chunk.append(segment)
        filled += len(segment)
        if filled < target_length and index < len(document) - 1:
            continue
        if len(chunk) > 1:
            cut = draw.randint(1, len(chunk) - 1)
            sides = [[token for part in side for token in part] for side in (chunk[:cut], chunk[cut:])]
            left, right = _shorten_pair(sides[0], sides[1], room, draw)
            swapped = draw.random() < 0.5
            yield (right, left, True) if swapped else (left, right, False)
        chunk, filled = [], 0


def restore_order(example: PretrainExample) -> PretrainExample:
    """Return a pair as it stands in its document."""
    first, second, swapped = example
    return (second, first, False) if swapped else example


def _shorten_pair(left: list[int], right: list[int], room: int, draw: Random) -> tuple[list[int], list[int]]:
    bounds = [[0, len(left)], [0, len(right)]]
    for _ in range(len(left) + len(right) - room):
        longer = max(bounds, key=lambda bound: bound[1] - bound[0])
        if draw.random() < 0.5:
            longer[0] += 1
        else:
            longer[1] -= 1
    return left[slice(*bounds[0])], right[slice(*bounds[1])]


# The trainer `arqmath.pretrain`: masked tokens and the order of two segments.
#
# BERT and ALBERT learn both; RoBERTa, and every model with `order` off, masked tokens alone. With
# `first_token` the segments stand in their order, and the first token of the second one is always masked and
# predicted, with a loss of its own beside that of the other masked tokens. 15 % of the tokens are predicted:
# 80 % of them are masked, 10 % replaced by random ones, 10 % kept. Label 0 of the order means right, 1
# swapped, as Hugging Face's models have it.
#
# The mathematical pre-training of the paper is three trainings in a row, MathSE (1), (2) and (3): each takes
# the model folder of the one before as `data.backbone`. What is saved opens as AutoModel,
# AutoModelForMaskedLM and AutoModelForPreTraining.

_MEASURED_AT_ONCE = 32


@dataclass(frozen=True, slots=True)
class PretrainRows:
    """Examples as token ids: both segments of each back to back in `sequences`, the first of `first` tokens;
    `swapped` is the label of their order. An example is its row."""

    sequences: CachedSequences
    first: NDArray[np.int32]
    swapped: NDArray[np.int8]

    @classmethod
    def from_examples(
        cls, make_examples: Callable[[], Iterable[PretrainExample]], path: Path | None = None
    ) -> PretrainRows:
        """Write them down; with a `place` see `cached_rows`."""

        def iterate_rows() -> Iterator[tuple[list[int], Sequence[int]]]:
            for left, right, wrong in make_examples():
                yield [len(left), int(wrong)], [*left, *right]

        names, sequences = cached_rows(path, iterate_rows)
        cut = np.array(names, np.int32).reshape(-1, 2)
        return cls(sequences, cut[:, 0], cut[:, 1].astype(np.int8))

    def __len__(self) -> int:
        return len(self.sequences)

    def __getitem__(self, row: int) -> int:
        return row


class PretrainTask(ForumTask[PretrainSettings]):
    """The trainer `arqmath.pretrain`. Data: collection (a folder of ARQMath) and amps (a folder of AMPS), as
    the corpora need them; backbone (a model folder, with or without weights; MiniLM without)."""

    trainer = "arqmath.pretrain"
    settings_class = PretrainSettings
    needs: ClassVar = {}
    measures = (
        "validation_loss_nats",
        "validation_masked_accuracy",
        "validation_order_accuracy",
        "validation_first_token_accuracy",
    )

    def __init__(self, model: Mapping[str, Any], data: Mapping[str, Path], *, seed: int) -> None:
        super().__init__(model, data, seed=seed)
        require_corpora(self.settings, data)

    def list_source_files(self) -> dict[str, Sequence[Path]]:
        """Return the files that the training reads, by what they serve as."""
        files: dict[str, Sequence[Path]] = {"backbone": self.backbone_files()}
        for kind in require_corpora(self.settings, self.data):
            files[kind] = (self.folder.need_posts() if kind == "collection" else self.data[kind],)
        return files

    @property
    def order(self) -> bool:
        """Whether the order of two segments is learned."""
        return self.settings.order and self.backbone.family != "roberta"

    @property
    def pairs(self) -> bool:
        """Whether an example is two segments, and not one."""
        return self.order or self.settings.first_token

    @property
    def _width(self) -> int:
        return self.frame.width if self.pairs else self.frame.width_one

    def model(self) -> torch.nn.Module:
        """Return the backbone with its heads, and rows for new LaTeX tokens."""
        with quieten_transformers():
            made = self.backbone.pretraining_model(order=self.order)
            if self.settings.latex_tokens:
                add_latex_tokens(self.tokenizer, made)
        return made

    @cached_property
    def _ordinary(self) -> TokenIds:
        special = self.tokenizer.all_special_ids
        return np.setdiff1d(np.arange(len(self.tokenizer)), special).astype(np.int32)

    def _read_examples(self, *, held_out: bool) -> Iterator[PretrainExample]:
        read = read_documents(self.settings, self.data)
        draw = np.random.default_rng([self.seed, 4])
        share = self.settings.held_out
        side = (document for document in read if (draw.random() < share) == held_out)
        room = self.settings.max_length - self._width
        result = build_examples(side, self.tokenizer, room, pairs=self.pairs, seed=self.seed)
        return result if self.order else map(restore_order, result)

    @cached_property
    def _train(self) -> PretrainRows:
        return PretrainRows.from_examples(
            partial(self._read_examples, held_out=False), self._cache_path("train")
        )

    def _cache_path(self, side: str) -> Path | None:
        """Return where the examples of a side are kept: what is masked of them is drawn later."""
        settings = {name: value for name, value in to_mapping(self.settings).items() if name != "masked"}
        made_of = {"seed": self.seed, "order": self.order, "settings": settings}
        return self._cache.stored_path(side, "collection", "amps", tokenizer=self.tokenizer, **made_of)

    @cached_property
    def held_out(self) -> PretrainRows:
        """The first examples of documents that are not trained on."""
        return PretrainRows.from_examples(
            lambda: islice(self._read_examples(held_out=True), self.settings.measured),
            self._cache_path("held out"),
        )

    def train_data(self) -> Resampled[Numbered]:
        """Return the training examples, with new masks in every epoch.

        Raises:
            DataError: E674 when there are none.
        """
        if not len(self._train):
            what = "no document gives an example for the pre-training"
            remedy = "Sentence order needs documents of two segments or more; name other data."
            raise DataError(what, path=self.data.get("collection"), code="E674", exit_code=3, remedy=remedy)
        return number_rows(range(len(self._train)), self.seed)

    @cached_property
    def _lengths(self) -> NDArray[np.int64]:
        return self._train.sequences.lengths + self._width

    def length(self, example: Numbered) -> int:
        """Return the length of an example in tokens."""
        return int(self._lengths[example[0]])

    def collate(self, examples: Sequence[Numbered]) -> dict[str, torch.Tensor]:
        """Return a batch. Its masks are drawn from the seed and the numbers of its examples, so they are the
        same whenever the same batch is made, and others in another epoch.
        """
        rows, numbers = zip(*examples, strict=True)
        return self._build_batch(self._train, rows, np.random.default_rng([self.seed, 5, *numbers]))

    def _build_batch(
        self, rows: PretrainRows, chosen: Sequence[int], draw: np.random.Generator
    ) -> dict[str, torch.Tensor]:
        """Build a batch of masked examples.

        Returns:
            `input_ids`, `token_type_ids`, `attention_mask` and `labels`, shape `(batch, length)`;
                `next_sentence_label`, shape `(batch,)`, where the order is learned; `first_place` and
                `first_label`, shape `(batch,)`, where the first token of the second segment is: its position,
                and which token it is.
        """
        import torch

        frame = self.frame
        inputs, types, labels, first_positions, firsts = [], [], [], [], []
        first_too = self.settings.first_token
        for row in chosen:
            ids, first = rows.sequences[row], int(rows.first[row])
            if self.pairs:
                wrapped, token_types = frame.wrap_pair(ids[:first], ids[first:])
                # Only tokens of the text may be masked, never the special ones around it.
                maskable = np.zeros(len(wrapped), np.bool_)
                begin, middle = len(frame.before), len(frame.before) + first
                maskable[begin:middle] = True
                first_positions.append(middle + len(frame.between))
                maskable[first_positions[-1] + first_too : len(wrapped) - len(frame.after)] = True
            else:
                wrapped, token_types = frame.wrap_text(ids)
                maskable = np.zeros(len(wrapped), np.bool_)
                maskable[len(frame.before_one) : len(wrapped) - len(frame.after_one)] = True
            share, mask = self.settings.masked, self.tokenizer.mask_token_id
            read, targets = mask_tokens(
                wrapped, maskable, draw, share=share, mask=mask, ordinary=self._ordinary
            )
            # With `first_token`, the first token of the second segment is always masked and predicted by a
            # head of its own.
            if first_too:
                firsts.append(wrapped[first_positions[-1]])
                read[first_positions[-1]] = self.tokenizer.mask_token_id
            inputs.append(read)
            types.append(token_types)
            labels.append(targets)
        batch = self.pad_pairs(list(zip(inputs, types, strict=True)))
        batch["labels"] = torch.from_numpy(pad_rows(labels, IGNORED))
        if self.order:
            batch["next_sentence_label"] = torch.from_numpy(rows.swapped[list(chosen)].astype(np.int64))
        if first_too:
            batch["first_place"] = torch.tensor(first_positions)
            batch["first_label"] = torch.from_numpy(np.array(firsts, np.int64))
        return batch

    def _compute_logits(
        self, model: Any, batch: Mapping[str, Any]
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
        """Logits (predicted tokens, vocabulary), and those of what is predicted besides: (batch, 2) of the
        order, (batch, vocabulary) of the first token. Only states of predicted tokens go through the
        vocabulary, which is most of the work on a small model."""
        import torch

        result = model.base_model(
            input_ids=batch["input_ids"],
            token_type_ids=batch["token_type_ids"],
            attention_mask=batch["attention_mask"],
        )
        states = result.last_hidden_state
        predicted = find_word_head(model)
        second = None
        if self.order:
            order = {"bert": "cls.seq_relationship", "albert": "sop_classifier"}
            second = model.get_submodule(order[self.backbone.family])(result.pooler_output)
        elif self.settings.first_token:
            first_position = batch["first_place"]
            second = predicted(
                states[torch.arange(len(first_position), device=first_position.device), first_position]
            )
        return predicted(states[batch["labels"] != IGNORED]), second

    @property
    def _second(self) -> str:
        return "next_sentence_label" if self.order else "first_label"

    def counts(self, batch: Mapping[str, Any]) -> tuple[int, ...]:
        """Return the number of masked tokens and, where examples are pairs, of examples."""
        masked_tokens = int((batch["labels"] != IGNORED).sum())
        return (masked_tokens, len(batch["labels"])) if self.pairs else (masked_tokens,)

    def loss(self, model: torch.nn.Module, batch: Mapping[str, Any]) -> torch.Tensor:
        """Return the cross-entropy of the masked tokens, and of the order or the first token, in nats; shape
        `(1,)` or `(2,)`.
        """
        import torch
        from torch.nn.functional import cross_entropy

        words, second = self._compute_logits(model, batch)
        labels = batch["labels"]
        losses = [cross_entropy(words, labels[labels != IGNORED])]
        if second is not None:
            losses.append(cross_entropy(second, batch[self._second]))
        return torch.stack(losses)

    def unmeasured(self, _name: str) -> str:
        """Return why a metric cannot be measured, or an empty text."""
        return "" if len(self.held_out) else "no document is held out"

    def evaluate(self, model: torch.nn.Module) -> dict[str, float]:
        """Measure held-out documents with the same masks every time.

        The loss, by which the paper chooses its model, and the shares of masked tokens, and of orders or
        first tokens, that are predicted correctly.
        """
        import torch
        from torch.nn.functional import cross_entropy

        rows = self.held_out
        if not len(rows):
            return {}
        # By length, so that little is padded; the seed of the masks depends on the batch alone.
        by_length = np.argsort(rows.sequences.lengths, kind="stable")
        sums = dict.fromkeys(("loss", "right", "words", "second_loss", "second_right"), 0.0)
        for begin in range(0, len(rows), _MEASURED_AT_ONCE):
            chosen = by_length[begin : begin + _MEASURED_AT_ONCE].tolist()
            batch = self._build_batch(rows, chosen, np.random.default_rng([self.seed, 6, begin]))
            batch = move_to_model(batch, model)
            with torch.inference_mode():
                words, second = self._compute_logits(model, batch)
            wanted = batch["labels"][batch["labels"] != IGNORED]
            sums["words"] += len(wanted)
            sums["loss"] += float(cross_entropy(words.float(), wanted, reduction="sum"))
            sums["right"] += float((words.argmax(-1) == wanted).sum())
            if second is not None:
                labels = batch[self._second]
                sums["second_loss"] += float(cross_entropy(second.float(), labels, reduction="sum"))
                sums["second_right"] += float((second.argmax(-1) == labels).sum())
        # Sums over all batches are divided once: batches differ in their count of masked tokens.
        result = {
            "validation_loss_nats": sums["loss"] / sums["words"] + sums["second_loss"] / len(rows),
            "validation_masked_accuracy": sums["right"] / sums["words"],
        }
        if self.pairs:
            name = "order" if self.order else "first_token"
            result[f"validation_{name}_accuracy"] = sums["second_right"] / len(rows)
        return result

    def save(self, model: torch.nn.Module, folder: Path, facts: Mapping[str, Any]) -> None:
        """Write the model, its tokenizer and its card into a folder."""
        rows, second = self._train, []
        if self.pairs:
            second = ["sentence order" if self.order else "the first token of a second segment"]
        data = {
            "corpora": self.settings.corpora,
            **{name: path.name for name, path in self.data.items() if name != "backbone"},
            "examples": f"{len(rows):,}",
            "initialised from": self.backbone.name,
            "objectives": " and ".join(["masked tokens", *second]),
            "tokens of an example": self.settings.max_length,
        }
        save_model(
            model,
            self.tokenizer,
            folder,
            facts,
            title=f"{self.backbone.family.upper()} for mathematical language",
            about="Pre-trained on mathematical text and formulas; a backbone for ranking answers.",
            data=data,
            limits=LIMITS,
            use=(
                "from transformers import AutoModelForMaskedLM, AutoTokenizer\n"
                'tokenizer = AutoTokenizer.from_pretrained("this-folder")\n'
                'model = AutoModelForMaskedLM.from_pretrained("this-folder")'
            ),
            tags=("fill-mask",),
        )

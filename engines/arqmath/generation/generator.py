"""The answer generator of Task 3 as a training task: GPT-2 that continues a problem with its solution."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from engines.arqmath.generation.problems import Problems, amps_texts, collection_texts
from engines.arqmath.generation.prompts import single_digits, train_tokenizer
from engines.arqmath.training.model_folder import (
    kind_of,
    open_model,
    open_tokenizer,
    save_model,
    unusable,
)
from engines.core.errors import DataError
from engines.core.spec import Arg, read, refused, values
from engines.training.identity import model_files
from engines.training.imports import quick_imports
from engines.training.kept import Kept
from engines.training.task import Origin

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedTokenizerFast

__all__ = ["Generator", "GeneratorSettings", "generator"]

LIMITS = (
    "It writes fluent text that is often wrong: the best run of the paper is relevant for 8 of 100 topics.",
    "Answers repeat the question, and themselves; read them as drafts.",
)
CODE, UNOPENED = "E652", "E650"
_HELD_OUT = 0.05
_MEASURED = 200


@dataclass(frozen=True, slots=True)
class GeneratorSettings:
    """What a recipe's table `model` says. The sizes count only without a backbone; they are GPT-2's."""

    max_length: Annotated[int, Arg("Tokens of an example, the end token among them.", low=32)] = 1024
    width: Annotated[int, Arg("Width of the model.", low=1)] = 768
    layers: Annotated[int, Arg("Layers.", low=1)] = 12
    heads: Annotated[int, Arg("Attention heads.", low=1)] = 12
    vocabulary: Annotated[int, Arg("Tokens of the vocabulary.", low=257)] = 50_257

    def __post_init__(self) -> None:
        """Refuse what makes no model. Raises: EngineError E652."""
        if self.width % self.heads:
            wrong = f"width {self.width} is no multiple of {self.heads} heads"
            raise refused(wrong, CODE, "Change the model's settings.")


def generator(model: Mapping[str, Any], data: Mapping[str, Path], *, seed: int) -> Generator:
    """The trainer `arqmath.generator`. Data: `collection`, `amps` or both; `backbone`: a GPT-2 folder."""
    return Generator(read(GeneratorSettings, model, place="model.", code=CODE), data, seed)


class Generator:
    """See `engines.training.TrainingTask`."""

    measures = ("validation_loss_nats", "cut_share")

    def __init__(self, settings: GeneratorSettings, data: Mapping[str, Path], seed: int) -> None:
        if not {"collection", "amps"} & set(data):
            raise DataError(
                "the recipe names nothing to learn from",
                code="E651",
                exit_code=3,
                remedy="Name a collection with --set data.collection=PATH, or AMPS with data.amps.",
            )
        self.settings, self.data, self.seed = settings, data, seed
        self._kept = Kept()

    def origin(self) -> Origin:
        """The trainer, its settings, and the files that are read."""
        from engines.forum.folder import ArqmathFolder

        data: dict[str, Sequence[Path]] = {}
        if "collection" in self.data:
            data["collection"] = (ArqmathFolder.open(self.data["collection"]).need_posts(),)
        if "amps" in self.data:
            data["amps"] = (self.data["amps"],)
        if "backbone" in self.data:
            data["backbone"] = model_files(self.data["backbone"])
        return Origin("arqmath.generator", values(self.settings), data)

    @cached_property
    def tokenizer(self) -> PreTrainedTokenizerFast:
        """The backbone's, or a new one learned from the texts; digits apart."""
        if "backbone" in self.data:
            return single_digits(open_tokenizer(self.data["backbone"], UNOPENED))
        texts = (text for source in self._sources() for _, text in source.read)
        return train_tokenizer(texts, self.settings.vocabulary)

    def _sources(self) -> list[Any]:
        found = []
        if "collection" in self.data:
            found.append(collection_texts(self.data["collection"], seed=self.seed))
        if "amps" in self.data:
            found.append(amps_texts(self.data["amps"], seed=self.seed))
        return found

    @cached_property
    def problems(self) -> Problems:
        """All training sequences."""
        most = self.settings.max_length
        place = self._kept.place(
            "problems", "collection", "amps", tokenizer=self.tokenizer, seed=self.seed, most=most
        )
        return Problems(self.tokenizer, self._sources(), max_length=most, place=place)

    def keep_rows(self, kept: Kept) -> None:
        """Tokens are kept there."""
        self._kept = kept

    @cached_property
    def _order(self) -> Any:
        return np.random.default_rng(self.seed).permutation(len(self.problems))

    @property
    def _held_out(self) -> int:
        return max(1, round(_HELD_OUT * len(self.problems))) if len(self.problems) > 1 else 0

    def model(self) -> torch.nn.Module:
        """The backbone, or a new model of the settings' sizes."""
        with quick_imports():
            from transformers import GPT2Config, GPT2LMHeadModel

        if "backbone" in self.data:
            return opened(self.data["backbone"], self.settings.max_length)
        end = self.tokenizer.eos_token_id
        config = GPT2Config(
            vocab_size=len(self.tokenizer),
            n_positions=self.settings.max_length,
            n_embd=self.settings.width,
            n_layer=self.settings.layers,
            n_head=self.settings.heads,
            bos_token_id=end,
            eos_token_id=end,
        )
        return GPT2LMHeadModel(config)

    def train_data(self) -> _Sequences:
        """The sequences that are not held out (95 %)."""
        return _Sequences(self.problems, self._order[self._held_out :])

    def length(self, example: tuple[list[int], int]) -> int:
        """Tokens of a sequence."""
        return len(example[0])

    def collate(self, examples: Sequence[tuple[list[int], int]]) -> dict[str, torch.Tensor]:
        """`ids`, `mask`, `labels`: (batch, length); labels are -100 on prompt and padding."""
        import torch

        longest = max(len(ids) for ids, _ in examples)
        ids = torch.full((len(examples), longest), self.tokenizer.pad_token_id)
        labels = torch.full((len(examples), longest), -100)
        mask = torch.zeros((len(examples), longest), dtype=torch.long)
        for row, (sequence, begin) in enumerate(examples):
            ids[row, : len(sequence)] = torch.tensor(sequence)
            labels[row, begin : len(sequence)] = torch.tensor(sequence[begin:])
            mask[row, : len(sequence)] = 1
        return {"ids": ids, "mask": mask, "labels": labels}

    def counts(self, batch: Mapping[str, Any]) -> tuple[int, ...]:
        """Tokens of the solutions."""
        return (int((batch["labels"][:, 1:] != -100).sum()),)

    def loss(self, model: torch.nn.Module, batch: Mapping[str, Any]) -> torch.Tensor:
        """Cross-entropy of the solution's tokens, in nats a token."""
        found: torch.Tensor = model(
            input_ids=batch["ids"], attention_mask=batch["mask"], labels=batch["labels"]
        ).loss
        return found

    def evaluate(self, model: torch.nn.Module) -> dict[str, float]:
        """Of at most 200 held-out pairs: `validation_loss_nats` a token; with the share of all pairs that
        were shortened, `cut_share`."""
        import torch

        device = next(model.parameters()).device
        held = _Sequences(self.problems, self._order[: min(self._held_out, _MEASURED)])
        total = count = 0.0
        for begin in range(0, len(held), 8):
            batch = self.collate([held[place] for place in range(begin, min(begin + 8, len(held)))])
            (tokens,) = self.counts(batch)
            with torch.inference_mode():
                loss = self.loss(model, {key: value.to(device) for key, value in batch.items()})
            total, count = total + float(loss) * tokens, count + tokens
        measures = {"cut_share": self.problems.cut}
        return {"validation_loss_nats": total / count, **measures} if count else measures

    def save(self, model: torch.nn.Module, folder: Path, facts: Mapping[str, Any]) -> None:
        """Write model, tokenizer and card."""
        data = {kind: path.name for kind, path in self.data.items()}
        data |= {"pairs": f"{len(self.problems):,}", "of them shortened": f"{self.problems.cut:.1%}"}
        save_model(
            model,
            self.tokenizer,
            folder,
            facts,
            title="ARQMath answer generator",
            about="Continues `PROBLEM: …SOLUTION: ` with an answer (ARQMath Task 3).",
            data=data,
            limits=LIMITS,
            use=(
                "from transformers import pipeline\n"
                'pipeline("text-generation", "this-folder")("PROBLEM: What is $1+1$?SOLUTION: ")'
            ),
            tags=("text-generation",),
        )


def opened(folder: Path, max_length: int = 0) -> Any:
    """A GPT-2 folder as a model.

    Raises: DataError E650 for one that is none, has pickled weights, or reads less than `max_length`.
    """
    from transformers import GPT2LMHeadModel

    if (kind := kind_of(folder, UNOPENED)) != "gpt2":
        what = f"the model is of kind {kind!r}, not gpt2"
        raise unusable(folder, what, UNOPENED, "Name a folder of GPT-2.")
    model, _ = open_model(GPT2LMHeadModel, folder, UNOPENED)
    if max_length > model.config.n_positions:
        what = f"the model reads {model.config.n_positions} tokens, fewer than max_length {max_length}"
        raise unusable(folder, what, UNOPENED, "Name a larger model, or set max_length.")
    return model


class _Sequences:
    """Some of the training sequences."""

    def __init__(self, problems: Problems, places: Any) -> None:
        self.problems, self.places = problems, places

    def __len__(self) -> int:
        return len(self.places)

    def __getitem__(self, index: int) -> tuple[list[int], int]:
        return self.problems.sequence(int(self.places[index]))

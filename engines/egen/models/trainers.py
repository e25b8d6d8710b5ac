"""The models of E-Gen as training tasks: what a recipe's `trainer` names.

`contrastive` trains an encoder on triplets, `seq2seq` an encoder and decoder on pairs. Both take a corpus
folder as `data.corpus`, keep out of the training what `data.exclude` (a corpus or a file of clusters) has,
and begin with the weights of `data.backbone` where it is named. They measure themselves on the validation
side of the corpus.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engines.core.spec import values
from engines.egen.expressions.notation import PAD
from engines.egen.models import transformer as losses
from engines.egen.models.datasets import CorpusTask, Examples, TrainingRows
from engines.egen.models.settings import CODE, ModelConfig, Settings, divided
from engines.egen.models.transformer import Gather, embed, greedy_accuracy, logits, new_model
from engines.training.checkpoints import refuse_other_sizes

if TYPE_CHECKING:
    import torch


def contrastive(model: Mapping[str, Any], data: Mapping[str, Path], *, seed: int) -> Contrastive:
    settings, config = divided(model)
    return Contrastive(config, settings, data, seed)


def seq2seq(model: Mapping[str, Any], data: Mapping[str, Path], *, seed: int) -> Seq2seq:
    """The trainer `egen.seq2seq`. Embeddings of such a model are maxima over its last encoder layer."""
    settings, config = divided({"decoder_layers": 6, "pooling": "max", **model})
    return Seq2seq(config, settings, data, seed)


class _TransformerTask(CorpusTask):
    """What both have in common: the transformer, its rows of tokens, its folder."""

    use = (
        "from sentence_transformers import SentenceTransformer\n"
        'model = SentenceTransformer("this-folder")\n'
        'model.encode(["pow sin x 2", "- 1 pow cos x 2"])  # prefix notation'
    )
    tags = ("sentence-transformers", "feature-extraction", "mathematics")

    def __init__(self, config: ModelConfig, settings: Settings, data: Mapping[str, Path], seed: int) -> None:
        super().__init__(data, seed, settings.split, config.max_length, settings.measured)
        self.config, self.settings = config, settings

    def model_settings(self) -> dict[str, Any]:
        return values(self.config) | values(self.settings)

    @cached_property
    def rows(self) -> TrainingRows:
        return TrainingRows.of(self.training_texts(), max_length=self.config.max_length)

    def model(self) -> torch.nn.Module:
        """The model, new, or that of the data `backbone`. Raises: EngineError E640 for one of other sizes."""
        from engines.egen.models.model_folder import load_model

        made = new_model(self.config)
        if "backbone" in self.data:
            given = load_model(self.data["backbone"])
            asked = {name: size for name, size in values(self.config).items() if name != "dropout"}
            refuse_other_sizes(self.data["backbone"].name, values(given.config), asked, CODE)
            made.load_state_dict(given.state_dict())
        return made

    def length(self, example: Sequence[int]) -> int:
        return int(self.rows.sequences.lengths[list(example)].sum())

    def save(self, model: torch.nn.Module, folder: Path, facts: Mapping[str, Any]) -> None:
        from engines.egen.models.model_folder import save_model

        save_model(model, folder, precision=self.settings.precision)
        self.write_card(folder, facts, len(self.rows.sizes), len(self.rows.sequences), self.rows)

    def measured(self, model: torch.nn.Module) -> dict[str, float]:
        from engines.egen.models.encode import ModelEncoder

        return self.clustering(ModelEncoder(model, device=str(next(model.parameters()).device)))


class Contrastive(_TransformerTask):
    trainer, title = "egen.contrastive", "E-Gen contrastive encoder"
    measures = ("train_loss_nats", *CorpusTask.measures)

    def train_data(self) -> Examples:
        from engines.egen.corpus.pairs import Triplets

        return Examples(self.rows, Triplets(self.rows.sizes, self.seed, self.settings.triplets))

    def length(self, example: Sequence[int]) -> int:
        return super().length(example[: self._parts])

    @property
    def _parts(self) -> int:
        return 2 if self.settings.negatives == "positives" else 3

    @cached_property
    def _cluster_of(self) -> Any:
        return self.rows.cluster_of

    def collate(self, examples: Sequence[Sequence[int]]) -> dict[str, torch.Tensor]:
        """`ids0`, `ids1`, …: all sequences by length in groups. `order`: (sequences,) where each of (anchors,
        positives, negatives) is among them. `clusters`: (batch,)."""
        import torch

        table = np.array(examples, np.int64)[:, : self._parts].T
        flat = table.ravel()
        order = np.argsort(self.rows.sequences.lengths[flat], kind="stable")
        groups = np.array_split(order, min(self.settings.groups, len(order)))
        batch = {
            f"ids{n}": torch.from_numpy(self.rows.sequences.padded(flat[group]))
            for n, group in enumerate(groups)
        }
        batch["order"] = torch.from_numpy(np.argsort(order, kind="stable"))
        batch["clusters"] = torch.from_numpy(self._cluster_of[table[0]])
        return batch

    def counts(self, batch: Mapping[str, Any]) -> tuple[int, ...]:
        return (len(batch["clusters"]),)

    def loss(self, model: torch.nn.Module, batch: Mapping[str, Any]) -> torch.Tensor:
        """The contrastive loss in nats; several processes have the negatives of all."""
        from engines.training.processes import rows_of_all

        return self._loss(model, batch, rows_of_all)

    def _loss(self, model: torch.nn.Module, batch: Mapping[str, Any], gather: Gather) -> torch.Tensor:
        import torch

        groups = sorted((key for key in batch if key.startswith("ids")), key=lambda key: int(key[3:]))
        vectors = torch.cat([embed(model, batch[key]) for key in groups])[batch["order"]]
        return losses.contrastive(
            *vectors.chunk(self._parts),
            negatives=self.settings.negatives,
            tau=self.settings.tau,
            clusters=batch["clusters"],
            gather=gather,
        )

    def evaluate(self, model: torch.nn.Module) -> dict[str, float]:
        """`train_loss_nats` on a fixed part of the training triplets, by which the paper chooses; and on
        validation expressions K-means accuracy with the best assignment and the mean share of partners among
        the five nearest (`validation_kmeans_percent`, `validation_retrieval_at_5_percent`)."""
        import torch

        table = self.train_data()
        device = next(model.parameters()).device
        found = []
        for begin in range(0, min(len(table), 1024), 256):
            batch = self.collate(table.__getitems__(range(begin, min(begin + 256, len(table)))))
            with torch.inference_mode():
                here = {key: tensor.to(device) for key, tensor in batch.items()}
                found.append(float(self._loss(model, here, losses.alone)))
        return {"train_loss_nats": float(np.mean(found)), **self.measured(model)}


class Seq2seq(_TransformerTask):
    trainer, title = "egen.seq2seq", "E-Gen sequence-to-sequence model"
    about = (
        "Reads a symbolic expression in one variable and writes others that are to equal it on the reals, as "
        "`mathwb egen rewrite this-folder 'sin(2*x)'` does, which also verifies them. Its encoder embeds "
        "expressions too, by maxima over its last layer: `0_Transformer` for sentence-transformers."
    )
    use = (
        "from transformers import AutoModelForSeq2SeqLM, AutoTokenizer\n"
        'tokenizer = AutoTokenizer.from_pretrained("this-folder")\n'
        'model = AutoModelForSeq2SeqLM.from_pretrained("this-folder")\n'
        'read = tokenizer(["sin * 2 x"], return_tensors="pt")  # prefix notation\n'
        "tokenizer.batch_decode(model.generate(**read, num_beams=5), skip_special_tokens=True)"
    )
    tags = ("text2text-generation", "feature-extraction", "mathematics")
    measures = (*CorpusTask.measures, "greedy_accuracy")

    def train_data(self) -> Examples:
        from engines.egen.corpus.pairs import Pairs

        return Examples(self.rows, Pairs(self.rows.sizes, self.seed))

    def collate(self, examples: Sequence[Sequence[int]]) -> dict[str, torch.Tensor]:
        """`source`, `target`: (batch, length) ids."""
        import torch

        table = np.array(examples, np.int64)
        source, target = (torch.from_numpy(self.rows.sequences.padded(column)) for column in table.T)
        return {"source": source, "target": target}

    def counts(self, batch: Mapping[str, Any]) -> tuple[int, ...]:
        return (int((batch["target"][:, 1:] != PAD).sum()),)

    def loss(self, model: torch.nn.Module, batch: Mapping[str, Any]) -> torch.Tensor:
        """Cross-entropy with label smoothing, in nats a token."""
        result = logits(model, batch["source"], batch["target"])
        return losses.sequence(result, batch["target"], self.settings.smoothing)

    def unmeasured(self, name: str) -> str:
        if name == "greedy_accuracy" and self.held_out is None:
            return "the corpus has no validation clusters"
        return super().unmeasured(name)

    def evaluate(self, model: torch.nn.Module) -> dict[str, float]:
        """`greedy_accuracy`: the share of 200 validation expressions for which greedy decoding writes an
        equal one, by which the paper chooses; and the measures of the embeddings."""
        from engines.egen.expressions.language import read_prefix

        measures = self.measured(model)
        if self.held_out is not None:
            texts = self.held_out.texts
            chosen = np.random.default_rng(0).permutation(len(texts))[:200]
            sources = [read_prefix(texts[place]) for place in chosen]
            measures["greedy_accuracy"] = greedy_accuracy(model, sources)
        return measures

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

from engines.core.errors import DataError
from engines.core.spec import refused, values
from engines.egen.models import losses
from engines.egen.models.losses import Gather
from engines.egen.models.sequences import PAD
from engines.egen.models.settings import CODE, ModelConfig, Settings, divided
from engines.training.identity import model_files
from engines.training.task import Origin

if TYPE_CHECKING:
    import torch

    from engines.egen.corpus.labelled import Labelled
    from engines.egen.models.datasets import Examples, TrainingRows

__all__ = ["Contrastive", "Seq2seq", "contrastive", "seq2seq"]

LIMITS = (
    "One variable x, real values, the operators and functions of E-Gen; constants are integers and simple "
    "fractions.",
    "A high cosine is no proof that two expressions are equal: verify.",
)


def contrastive(model: Mapping[str, Any], data: Mapping[str, Path], *, seed: int) -> Contrastive:
    """The trainer `egen.contrastive`."""
    settings, config = divided(model)
    return Contrastive(config, settings, data, seed)


def seq2seq(model: Mapping[str, Any], data: Mapping[str, Path], *, seed: int) -> Seq2seq:
    """The trainer `egen.seq2seq`. Embeddings of such a model are maxima over its last encoder layer."""
    settings, config = divided({"decoder_layers": 6, "pooling": "max", **model})
    return Seq2seq(config, settings, data, seed)


class _EgenTask:
    """What both have in common: data, model folder and card."""

    trainer = kind = ""

    def __init__(self, config: ModelConfig, settings: Settings, data: Mapping[str, Path], seed: int) -> None:
        if "corpus" not in data:
            raise DataError(
                "the recipe names no corpus",
                code="E644",
                exit_code=3,
                remedy="Name one with --set data.corpus=FOLDER; build it with mathwb egen corpus.",
            )
        self.config, self.settings, self.data, self.seed = config, settings, data, seed

    def origin(self) -> Origin:
        """The trainer, all settings, the manifest of a corpus, which has the hashes of its shards, and the
        files of the model that it begins with."""
        from engines.egen.corpus.reader import open_corpus

        data: dict[str, tuple[Path, ...]] = {}
        for name, path in self.data.items():
            if name == "backbone":
                data[name] = model_files(path)
            else:
                data[name] = (open_corpus(path).path / "manifest.json" if path.is_dir() else path,)
        return Origin(self.trainer, values(self.config) | values(self.settings), data)

    @cached_property
    def rows(self) -> TrainingRows:
        """The training side of the corpus."""
        from engines.egen.corpus.reader import open_corpus
        from engines.egen.models.datasets import training_rows

        corpus, exclude = open_corpus(self.data["corpus"]), self.data.get("exclude")
        return training_rows(corpus, self.settings.split, max_length=self.config.max_length, exclude=exclude)

    @cached_property
    def held_out(self) -> Labelled | None:
        """Validation clusters, as many as `measured` allows; None when the corpus has no such side."""
        from engines.egen.corpus.labelled import Labelled, read_labelled

        try:
            found = read_labelled(
                self.data["corpus"],
                side="validation",
                split=self.settings.split,
                max_length=self.config.max_length,
            )
        except DataError:
            return None
        count = int(np.searchsorted(found.labels, found.labels[: self.settings.measured].max(), side="right"))
        return Labelled(found.texts[:count], found.labels[:count])

    def model(self) -> torch.nn.Module:
        """The model, new, or that of the data `backbone`. Raises: EngineError E640 for one of other sizes."""
        from engines.egen.models.model_folder import load_model
        from engines.egen.models.transformer import new_model

        made = new_model(self.config)
        if "backbone" in self.data:
            given = load_model(self.data["backbone"])
            there, asked = values(given.config), values(self.config)
            other = [
                f"{name} {there[name]} there, {asked[name]} asked for"
                for name in asked
                if name != "dropout" and there[name] != asked[name]
            ]
            if other:
                what = f"{self.data['backbone'].name} is a model of other sizes: {'; '.join(other)}"
                raise refused(what, CODE, "Set them as they are there, or begin with another model.")
            made.load_state_dict(given.state_dict())
        return made

    def length(self, example: Sequence[int]) -> int:
        """Tokens of all expressions of an example."""
        return int(self.rows.sequences.lengths[list(example)].sum())

    def save(self, model: torch.nn.Module, folder: Path, facts: Mapping[str, Any]) -> None:
        """Write model and card."""
        from engines.core.files import write_text
        from engines.egen.models.model_folder import save_model
        from engines.training.card import card

        save_model(model, folder, precision=self.settings.precision)
        rows = self.rows
        data = {
            "corpus": self.data["corpus"].name,
            "split": self.settings.split,
            "training clusters": f"{len(rows.sizes):,}",
            "training expressions": f"{len(rows.sequences):,}",
            "clusters kept out": f"{rows.excluded:,}",
        }
        if "exclude" in self.data:
            data["kept out because they are in"] = self.data["exclude"].name
        text = card(
            f"E-Gen {self.kind}",
            "Embeds a symbolic expression in one variable as one vector, so that expressions that are equal "
            "on the reals lie close to each other.",
            facts,
            data=data,
            limits=LIMITS,
            use=(
                "from sentence_transformers import SentenceTransformer\n"
                'model = SentenceTransformer("this-folder")\n'
                'model.encode(["pow sin x 2", "- 1 pow cos x 2"])  # prefix notation'
            ),
            tags=("sentence-transformers", "feature-extraction", "mathematics"),
        )
        write_text(folder / "README.md", text)


class Contrastive(_EgenTask):
    """CL Mean and CL Max (by `pooling`)."""

    trainer, kind = "egen.contrastive", "contrastive encoder"

    def train_data(self) -> Examples:
        """About `triplets` triplets, as many for every cluster; with other positives as negatives their
        third is not used."""
        from engines.egen.corpus.pairs import Triplets
        from engines.egen.models.datasets import Examples

        return Examples(self.rows, Triplets(self.rows.sizes, self.seed, self.settings.triplets))

    def length(self, example: Sequence[int]) -> int:
        """Tokens of the expressions that are encoded."""
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
        """Pairs."""
        return (len(batch["clusters"]),)

    def loss(self, model: torch.nn.Module, batch: Mapping[str, Any]) -> torch.Tensor:
        """The contrastive loss in nats; several processes have the negatives of all."""
        from engines.training.processes import rows_of_all

        return self._loss(model, batch, rows_of_all)

    def _loss(self, model: torch.nn.Module, batch: Mapping[str, Any], gather: Gather) -> torch.Tensor:
        import torch

        from engines.egen.models.transformer import embed

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
        return {"train_loss_nats": float(np.mean(found)), **_clustering(model, self.held_out)}


class Seq2seq(_EgenTask):
    """Encoder and decoder: writes another member of the cluster."""

    trainer, kind = "egen.seq2seq", "sequence-to-sequence model"

    def train_data(self) -> Examples:
        """All ordered pairs within clusters."""
        from engines.egen.corpus.pairs import Pairs
        from engines.egen.models.datasets import Examples

        return Examples(self.rows, Pairs(self.rows.sizes, self.seed))

    def collate(self, examples: Sequence[Sequence[int]]) -> dict[str, torch.Tensor]:
        """`source`, `target`: (batch, length) ids."""
        import torch

        table = np.array(examples, np.int64)
        source, target = (torch.from_numpy(self.rows.sequences.padded(column)) for column in table.T)
        return {"source": source, "target": target}

    def counts(self, batch: Mapping[str, Any]) -> tuple[int, ...]:
        """Tokens that are to be written."""
        return (int((batch["target"][:, 1:] != PAD).sum()),)

    def loss(self, model: torch.nn.Module, batch: Mapping[str, Any]) -> torch.Tensor:
        """Cross-entropy with label smoothing, in nats a token."""
        from engines.egen.models.transformer import logits

        found = logits(model, batch["source"], batch["target"])
        return losses.sequence(found, batch["target"], self.settings.smoothing)

    def evaluate(self, model: torch.nn.Module) -> dict[str, float]:
        """`greedy_accuracy`: the share of 200 validation expressions for which greedy decoding writes an
        equal one, by which the paper chooses; and the measures of the embeddings."""
        from engines.egen.expressions.language import read_prefix
        from engines.egen.models.decoding import greedy_accuracy

        measures = _clustering(model, self.held_out)
        if self.held_out is not None:
            texts = self.held_out.texts
            chosen = np.random.default_rng(0).permutation(len(texts))[:200]
            sources = [read_prefix(texts[place]) for place in chosen]
            measures["greedy_accuracy"] = greedy_accuracy(model, sources)
        return measures


def _clustering(model: torch.nn.Module, held_out: Labelled | None) -> dict[str, float]:
    from engines.egen.evaluations.kmeans import kmeans_accuracy
    from engines.egen.evaluations.retrieval import precision_at
    from engines.egen.models.encode import ModelEncoder
    from engines.retrieval.similarity import unit

    if held_out is None or held_out.labels.max() < 1:
        return {}
    device = str(next(model.parameters()).device)
    vectors = ModelEncoder(model, device=device).encode(held_out.texts, normalise=False)
    nearest = precision_at(unit(vectors), held_out.labels, (5,))[5]
    return {
        "validation_kmeans_percent": 100 * kmeans_accuracy(vectors, held_out.labels).best,
        "validation_retrieval_at_5_percent": 100 * float(nearest.mean()),
    }

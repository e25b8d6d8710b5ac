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

from engines.core.arrays import Ints
from engines.core.errors import DataError
from engines.core.expression_language import read_prefix
from engines.core.files import model_files, write_text
from engines.core.spec import to_mapping
from engines.egen.corpus.folder import open_corpus
from engines.egen.evaluations.clusters import kmeans_accuracy
from engines.egen.models import losses
from engines.egen.models.config import CODE, ModelConfig
from engines.egen.models.datasets import (
    Labelled,
    TrainingPairs,
    TrainingRows,
    TrainingTexts,
    Triplets,
    read_labelled,
    training_texts,
)
from engines.egen.models.model_encoder import ModelEncoder
from engines.egen.models.model_folder import ModelSettings, load_model, save_model, split_settings
from engines.egen.models.transformer import compute_logits, embed, greedy_accuracy, new_model
from engines.egen.settings import SplitName
from engines.mathematics.terms.notation import PAD
from engines.retrieval.dense import normalize_rows, precision_at
from engines.training.checkpoints import model_card, refuse_other_sizes
from engines.training.libraries import rows_of_all
from engines.training.task import Origin

if TYPE_CHECKING:
    import torch

    from engines.retrieval.encoders import Encoder


def make_contrastive_task(model: Mapping[str, Any], data: Mapping[str, Path], *, seed: int) -> Contrastive:
    """Return the training task of a recipe."""
    settings, config = split_settings(model)
    return Contrastive(config, settings, data, seed)


def make_seq2seq_task(model: Mapping[str, Any], data: Mapping[str, Path], *, seed: int) -> Seq2seq:
    """Return the trainer `egen.seq2seq`. Embeddings of such a model are maxima over its last encoder
    layer.
    """
    settings, config = split_settings({"decoder_layers": 6, "pooling": "max", **model})
    return Seq2seq(config, settings, data, seed)


LIMITS = (
    "One variable x, real values, the operators and functions of E-Gen; constants are integers and simple "
    "fractions.",
    "A high cosine does not prove that two expressions are equal: verify.",
)


class CorpusTask:
    """A training on the corpus `data.corpus` without what `data.exclude` (a corpus or a file of clusters)
    has. `trainer` is its name, `title`, `about`, `use` and `tags` are for the card.

    Args: split, max_length: of the corpus, which expressions are read. measured: how many validation
    expressions an evaluation looks at.
    """

    trainer = title = use = ""
    about = (
        "Embeds a symbolic expression in one variable as one vector, so that expressions equal on the "
        "reals lie close together."
    )
    tags: tuple[str, ...] = ()
    measures: tuple[str, ...] = ("validation_kmeans_percent", "validation_retrieval_at_5_percent")

    def __init__(
        self, data: Mapping[str, Path], seed: int, split: SplitName, max_length: int, measured: int
    ) -> None:
        if "corpus" not in data:
            remedy = "Name one with --set data.corpus=FOLDER; build it with mathwb egen corpus."
            raise DataError("the recipe names no corpus", code="E644", remedy=remedy)
        self.data, self.seed = data, seed
        self._split, self._max_length, self._measured = split, max_length, measured

    def model_settings(self) -> dict[str, Any]:
        """Return the settings and sizes as a recipe has them."""
        raise NotImplementedError

    def origin(self) -> Origin:
        """Return the trainer, all settings, the manifest of a corpus, which has the hashes of its shards, and
        the files of the model that it begins with.
        """
        data: dict[str, tuple[Path, ...]] = {}
        for name, path in self.data.items():
            if name == "backbone":
                data[name] = model_files(path)
            else:
                data[name] = (open_corpus(path).path / "manifest.json" if path.is_dir() else path,)
        return Origin(self.trainer, self.model_settings(), data)

    def training_texts(self) -> TrainingTexts:
        """Return the training clusters, without those that `data.exclude` contains."""
        corpus, exclude = open_corpus(self.data["corpus"]), self.data.get("exclude")
        return training_texts(corpus, self._split, max_length=self._max_length, exclude=exclude)

    @cached_property
    def held_out(self) -> Labelled | None:
        """Validation clusters, as many as are to be measured, two at least; None when the corpus has no such
        side."""
        try:
            result = read_labelled(
                self.data["corpus"], side="validation", split=self._split, max_length=self._max_length
            )
        except DataError:
            return None
        # Of one alone there is nothing to tell apart.
        last = max(1, result.labels[: self._measured].max())
        count = int(np.searchsorted(result.labels, last, side="right"))
        return Labelled(result.texts[:count], result.labels[:count])

    def unmeasured(self, name: str) -> str:
        """Return why a metric cannot be measured, or an empty text."""
        if name in CorpusTask.measures and (self.held_out is None or self.held_out.labels.max() < 1):
            return "the corpus has fewer than two validation clusters"
        return ""

    def measure_clustering(self, encoder: Encoder) -> dict[str, float]:
        """Measure the validation expressions.

        `validation_kmeans_percent` is K-means accuracy with the best assignment,
        `validation_retrieval_at_5_percent` the mean share of partners among the five nearest.
        """
        if self.held_out is None or self.held_out.labels.max() < 1:
            return {}
        vectors = encoder.encode(self.held_out.texts, normalise=False)
        nearest = precision_at(normalize_rows(vectors), self.held_out.labels, (5,))[5]
        return {
            "validation_kmeans_percent": 100 * kmeans_accuracy(vectors, self.held_out.labels).best,
            "validation_retrieval_at_5_percent": 100 * float(nearest.mean()),
        }

    def write_card(
        self,
        folder: Path,
        facts: Mapping[str, Any],
        clusters: int,
        expressions: int,
        training_data: TrainingTexts | TrainingRows,
    ) -> None:
        """Write the model card into a folder."""
        data = {
            "corpus": self.data["corpus"].name,
            "split": self._split,
            "training clusters": f"{clusters:,}",
            "training expressions": f"{expressions:,}",
            "clusters excluded": f"{training_data.excluded:,}",
            "expressions left out, too long or without training notation": f"{training_data.left_out:,}",
        }
        if "exclude" in self.data:
            data["excluded because they are in"] = self.data["exclude"].name
        text = model_card(
            self.title, self.about, facts, data=data, limits=LIMITS, use=self.use, tags=self.tags
        )
        write_text(folder / "README.md", text)


class _TransformerTask(CorpusTask):
    use = (
        "from sentence_transformers import SentenceTransformer\n"
        'model = SentenceTransformer("this-folder")\n'
        'model.encode(["pow sin x 2", "- 1 pow cos x 2"])  # prefix notation'
    )
    tags = ("sentence-transformers", "feature-extraction", "mathematics")

    def __init__(
        self, config: ModelConfig, settings: ModelSettings, data: Mapping[str, Path], seed: int
    ) -> None:
        super().__init__(data, seed, settings.split, config.max_length, settings.measured)
        self.config, self.settings = config, settings

    def model_settings(self) -> dict[str, Any]:
        return to_mapping(self.config) | to_mapping(self.settings)

    @cached_property
    def rows(self) -> TrainingRows:
        return TrainingRows.from_texts(self.training_texts(), max_length=self.config.max_length)

    def model(self) -> torch.nn.Module:
        """Return the model, new, or that of the data `backbone`."""
        made = new_model(self.config)
        if "backbone" in self.data:
            given = load_model(self.data["backbone"])
            asked = {name: size for name, size in to_mapping(self.config).items() if name != "dropout"}
            refuse_other_sizes(self.data["backbone"].name, to_mapping(given.config), asked, CODE)
            made.load_state_dict(given.state_dict())
        return made

    def length(self, example: Sequence[int]) -> int:
        return int(self._lengths[list(example)].sum())

    @cached_property
    def _lengths(self) -> Ints:
        return self.rows.sequences.lengths

    def save(self, model: torch.nn.Module, folder: Path, facts: Mapping[str, Any]) -> None:
        save_model(model, folder, precision=self.settings.precision)
        self.write_card(folder, facts, len(self.rows.sizes), len(self.rows.sequences), self.rows)

    def measure_model(self, model: torch.nn.Module) -> dict[str, float]:
        return self.measure_clustering(ModelEncoder(model, device=str(next(model.parameters()).device)))


class Contrastive(_TransformerTask):
    """The contrastive training of an encoder on triplets (E-Gen, section 3)."""

    trainer, title = "egen.contrastive", "E-Gen contrastive encoder"
    measures = ("train_loss_nats", *CorpusTask.measures)

    def train_data(self) -> Triplets:
        """Return the triplets, drawn again in every epoch."""
        return Triplets(self.rows.sizes, self.seed, self.settings.triplets)

    def length(self, example: Sequence[int]) -> int:
        """Return the length of an example in tokens."""
        return super().length(example[: self._parts])

    @property
    def _parts(self) -> int:
        return 2 if self.settings.negatives == "positives" else 3

    @cached_property
    def _cluster_of(self) -> Ints:
        return self.rows.cluster_of

    def collate(self, examples: Sequence[Sequence[int]]) -> dict[str, torch.Tensor]:
        """Return `ids0`, `ids1`, …: all sequences by length in groups. `order`: (sequences,) where each of
        (anchors, positives, negatives) is among them. `clusters`: (batch,).
        """
        import torch

        table = np.array(examples, np.int64)[:, : self._parts].T
        flat = table.ravel()
        # Sequences of about the same length share a group, so that little of a batch is padding.
        order = np.argsort(self._lengths[flat], kind="stable")
        groups = np.array_split(order, min(self.settings.groups, len(order)))
        batch = {
            f"ids{n}": torch.from_numpy(self.rows.sequences.pad_rows(flat[group]))
            for n, group in enumerate(groups)
        }
        batch["order"] = torch.from_numpy(np.argsort(order, kind="stable"))
        batch["clusters"] = torch.from_numpy(self._cluster_of[table[0]])
        return batch

    def counts(self, batch: Mapping[str, Any]) -> tuple[int, ...]:
        """Return the number of triplets of a batch."""
        return (len(batch["clusters"]),)

    def loss(self, model: torch.nn.Module, batch: Mapping[str, Any]) -> torch.Tensor:
        """Return the contrastive loss over the negatives of all processes, in nats."""
        return self._gathered_loss(model, batch, rows_of_all)

    def _gathered_loss(
        self, model: torch.nn.Module, batch: Mapping[str, Any], gather: losses.Gather
    ) -> torch.Tensor:
        import torch

        groups = sorted((key for key in batch if key.startswith("ids")), key=lambda key: int(key[3:]))
        vectors = torch.cat([embed(model, batch[key]) for key in groups])[batch["order"]]
        return losses.contrastive_loss(
            *vectors.chunk(self._parts),
            negatives=self.settings.negatives,
            tau=self.settings.tau,
            clusters=batch["clusters"],
            gather=gather,
        )

    def evaluate(self, model: torch.nn.Module) -> dict[str, float]:
        """Measure the loss on a fixed part of the training triplets, by which the paper chooses, and
        clustering on validation.

        The measures are `train_loss_nats`, `validation_kmeans_percent` (with the best assignment) and
        `validation_retrieval_at_5_percent` (the mean share of partners among the five nearest).
        """
        import torch

        table = self.train_data()
        device = next(model.parameters()).device
        losses_ = []
        # The same 1,024 triplets every time, so that evaluations can be compared.
        for begin in range(0, min(len(table), 1024), 256):
            batch = self.collate(table.__getitems__(range(begin, min(begin + 256, len(table)))))
            with torch.inference_mode():
                here = {key: tensor.to(device) for key, tensor in batch.items()}
                losses_.append(float(self._gathered_loss(model, here, losses.single_process_rows)))
        return {"train_loss_nats": float(np.mean(losses_)), **self.measure_model(model)}


class Seq2seq(_TransformerTask):
    """The training of a sequence-to-sequence model on pairs of equal expressions (E-Gen, section 3)."""

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

    def train_data(self) -> TrainingPairs:
        """Return the pairs, in a new order in every epoch."""
        return TrainingPairs(self.rows.sizes, self.seed)

    def collate(self, examples: Sequence[Sequence[int]]) -> dict[str, torch.Tensor]:
        """Return a batch of ids: `source` and `target`, shape `(batch, length)`."""
        import torch

        table = np.array(examples, np.int64)
        source, target = (torch.from_numpy(self.rows.sequences.pad_rows(column)) for column in table.T)
        return {"source": source, "target": target}

    def counts(self, batch: Mapping[str, Any]) -> tuple[int, ...]:
        """Return the number of target tokens of a batch."""
        # The first token is given, and is no prediction.
        return (int((batch["target"][:, 1:] != PAD).sum()),)

    def loss(self, model: torch.nn.Module, batch: Mapping[str, Any]) -> torch.Tensor:
        """Return the cross-entropy with label smoothing, in nats per token."""
        result = compute_logits(model, batch["source"], batch["target"])
        return losses.sequence_loss(result, batch["target"], self.settings.smoothing)

    def unmeasured(self, name: str) -> str:
        """Return why a metric cannot be measured, or an empty text."""
        if name == "greedy_accuracy" and self.held_out is None:
            return "the corpus has no validation clusters"
        return super().unmeasured(name)

    def evaluate(self, model: torch.nn.Module) -> dict[str, float]:
        """Measure greedy decoding, by which the paper chooses, and the embeddings.

        `greedy_accuracy` is the share of 200 validation expressions for which greedy decoding writes an equal
        one.
        """
        measures = self.measure_model(model)
        if self.held_out is not None:
            texts = self.held_out.texts
            chosen = np.random.default_rng(0).permutation(len(texts))[:200]
            sources = [read_prefix(texts[row]) for row in chosen]
            measures["greedy_accuracy"] = greedy_accuracy(model, sources)
        return measures

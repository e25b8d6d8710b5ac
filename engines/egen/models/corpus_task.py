"""What training on a corpus of clusters has in common, whatever the model: data, validation side, card."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engines.core.errors import DataError
from engines.training.identity import model_files
from engines.training.task import Origin

if TYPE_CHECKING:
    from engines.egen.corpus.labelled import Labelled
    from engines.egen.corpus.splits import SplitName
    from engines.egen.models.datasets import TrainingTexts
    from engines.retrieval.encoders import Encoder

__all__ = ["CorpusTask"]

LIMITS = (
    "One variable x, real values, the operators and functions of E-Gen; constants are integers and simple "
    "fractions.",
    "A high cosine is no proof that two expressions are equal: verify.",
)


class CorpusTask:
    """A training on the corpus `data.corpus` without what `data.exclude` (a corpus or a file of clusters)
    has. `trainer` is its name, `title`, `use` and `tags` are for the card.

    Args: split, max_length: of the corpus, which expressions are read. measured: how many validation
    expressions an evaluation looks at.
    """

    trainer = title = use = ""
    tags: tuple[str, ...] = ()
    measures: tuple[str, ...] = ("validation_kmeans_percent", "validation_retrieval_at_5_percent")

    def __init__(
        self, data: Mapping[str, Path], seed: int, split: SplitName, max_length: int, measured: int
    ) -> None:
        if "corpus" not in data:
            raise DataError(
                "the recipe names no corpus",
                code="E644",
                exit_code=3,
                remedy="Name one with --set data.corpus=FOLDER; build it with mathwb egen corpus.",
            )
        self.data, self.seed = data, seed
        self._split, self._max_length, self._measured = split, max_length, measured

    def model_settings(self) -> dict[str, Any]:
        """All settings of the model, with their defaults."""
        raise NotImplementedError

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
        return Origin(self.trainer, self.model_settings(), data)

    def training_texts(self) -> TrainingTexts:
        """The training side of the corpus."""
        from engines.egen.corpus.reader import open_corpus
        from engines.egen.models.datasets import training_texts

        corpus, exclude = open_corpus(self.data["corpus"]), self.data.get("exclude")
        return training_texts(corpus, self._split, max_length=self._max_length, exclude=exclude)

    @cached_property
    def held_out(self) -> Labelled | None:
        """Validation clusters, as many as are to be measured, two at least; None when the corpus has no such
        side."""
        from engines.egen.corpus.labelled import Labelled, read_labelled

        try:
            found = read_labelled(
                self.data["corpus"], side="validation", split=self._split, max_length=self._max_length
            )
        except DataError:
            return None
        # Of one alone there is nothing to tell apart.
        last = max(1, found.labels[: self._measured].max())
        count = int(np.searchsorted(found.labels, last, side="right"))
        return Labelled(found.texts[:count], found.labels[:count])

    def clustering(self, encoder: Encoder) -> dict[str, float]:
        """On validation expressions K-means accuracy with the best assignment and the mean share of partners
        among the five nearest (`validation_kmeans_percent`, `validation_retrieval_at_5_percent`)."""
        from engines.egen.evaluations.kmeans import kmeans_accuracy
        from engines.egen.evaluations.retrieval import precision_at
        from engines.retrieval.similarity import unit

        if self.held_out is None or self.held_out.labels.max() < 1:
            return {}
        vectors = encoder.encode(self.held_out.texts, normalise=False)
        nearest = precision_at(unit(vectors), self.held_out.labels, (5,))[5]
        return {
            "validation_kmeans_percent": 100 * kmeans_accuracy(vectors, self.held_out.labels).best,
            "validation_retrieval_at_5_percent": 100 * float(nearest.mean()),
        }

    def write_card(
        self, folder: Path, facts: Mapping[str, Any], clusters: int, expressions: int, excluded: int
    ) -> None:
        """Write the card. Args: clusters, expressions: trained on. excluded: clusters that were kept out."""
        from engines.core.files import write_text
        from engines.training.card import card

        data = {
            "corpus": self.data["corpus"].name,
            "split": self._split,
            "training clusters": f"{clusters:,}",
            "training expressions": f"{expressions:,}",
            "clusters kept out": f"{excluded:,}",
        }
        if "exclude" in self.data:
            data["kept out because they are in"] = self.data["exclude"].name
        text = card(
            self.title,
            "Embeds a symbolic expression in one variable as one vector, so that expressions that are equal "
            "on the reals lie close to each other.",
            facts,
            data=data,
            limits=LIMITS,
            use=self.use,
            tags=self.tags,
        )
        write_text(folder / "README.md", text)

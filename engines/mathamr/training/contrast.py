"""Training of an encoder of operator trees or of MathAMR graphs by contrast, without judgements.

A formula is to lie close to itself with other letters, and far from all others of the batch and from itself
with one operator or number changed. Operands of commutative operators have no order in it at all.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from engines.core.errors import DataError
from engines.core.spec import values
from engines.mathamr.training.settings import CODE, TreeSettings, index_files, need_collection
from engines.mathamr.training.structures import Structure, Vocabulary, joined
from engines.training.data import Drawn
from engines.training.identity import model_files, refuse_other_sizes
from engines.training.task import Origin

if TYPE_CHECKING:
    import torch

    from engines.forum.folder import ArqmathFolder
    from engines.mathamr.retrieval.formula_index import FormulaIndex


Example = tuple[Structure, Structure, Structure]
"""A formula, itself with other letters, and one that is one label away."""


class Contrast:
    """An encoder that learns which formulas are the same but for their letters."""

    measures = ("validation_nearer_percent", "validation_nearest_percent")
    trainer: ClassVar[str]
    vocabulary: ClassVar[type[Vocabulary[Any]]]
    title: ClassVar[str]
    what: ClassVar[str]
    limits: ClassVar[tuple[str, ...]]
    use: ClassVar[str]
    """What the card says: what it encodes, what it does not do, and a text to try."""

    def __init__(self, settings: TreeSettings, data: Mapping[str, Path], seed: int) -> None:
        need_collection(data)
        self.settings, self.data, self.seed = settings, data, seed

    @abstractmethod
    def texts(self, index: FormulaIndex, draw: np.random.Generator) -> list[str]:
        """What is learnt from, in an order of the seed, at most as many as the settings say."""

    def equal(self, one: Structure, draw: np.random.Generator) -> Structure:
        """The same formula with other letters."""
        return self._prepared[0].equal(one, draw)

    @abstractmethod
    def sources(self, folder: ArqmathFolder) -> tuple[Path, ...]:
        """The files of a collection that have what is learnt from."""

    def origin(self) -> Origin:
        """The trainer, its settings, and the files that it learns from."""
        from engines.forum.folder import ArqmathFolder

        folder = ArqmathFolder.open(self.data["collection"])
        files = {"formulas": self.sources(folder), **index_files(self.data)}
        if "backbone" in self.data:
            files["backbone"] = model_files(self.data["backbone"])
        return Origin(self.trainer, values(self.settings), files)

    @cached_property
    def _given(self) -> tuple[torch.nn.Module, Vocabulary[Any]] | None:
        """Model and vocabulary to begin with. Raises: EngineError E677 for a model of other sizes."""
        from engines.mathamr.training.structure_model import load_structure_encoder

        if "backbone" not in self.data:
            return None
        model, vocabulary, config = load_structure_encoder(self.data["backbone"])
        asked = {
            "model_type": self.vocabulary.kind,
            "d_model": self.settings.d_model,
            "rounds": self.settings.rounds,
        }
        refuse_other_sizes(self.data["backbone"].name, config, asked, CODE)
        return model, vocabulary

    @cached_property
    def _texts(self) -> list[str]:
        from engines.mathamr.retrieval.formula_index import FormulaIndex
        from engines.mathamr.retrieval.indexing import IndexFormulas, index

        with TemporaryDirectory(prefix="mathwb-") as place:
            folder = self.data.get("index")
            if folder is None:
                folder = Path(place) / "index"
                index(IndexFormulas(self.data["collection"], folder))
            return self.texts(FormulaIndex(folder), np.random.default_rng([self.seed, 3]))

    @cached_property
    def _prepared(self) -> tuple[Vocabulary[Any], list[Structure], list[Structure]]:
        """The vocabulary, formulas to learn from and formulas to measure on; single symbols teach nothing."""
        kind = self.vocabulary
        read = [one for text in self._texts if len(kind.labelled(one := kind.read(text)).formula) > 1]
        if len(read) < 4:
            raise DataError(
                "the collection has hardly any formula with an operator",
                path=self.data["collection"],
                code="E674",
                remedy="Name another with --set data.collection=NAME.",
            )
        held = min(self.settings.measured, len(read) // 4)
        vocabulary = kind.of(read[held:], self.settings.vocabulary) if self._given is None else self._given[1]
        arrays = [vocabulary.arrays(one, self.settings.max_nodes) for one in read]
        return vocabulary, arrays[held:], arrays[:held]

    def model(self) -> torch.nn.Module:
        """The model, new, or that of the data `backbone`."""
        from engines.mathamr.training.structure_model import new_model

        if self._given is not None:
            return self._given[0]
        vocabulary, settings = self._prepared[0], self.settings
        return new_model(len(vocabulary), len(vocabulary.roles), settings.d_model, settings.rounds)

    def train_data(self) -> Drawn[Example]:
        """The formulas of the training side."""
        return self._formulas(self._prepared[1])

    def _formulas(self, given: Sequence[Structure]) -> Drawn[Example]:
        near = self._prepared[0].near

        def drawn(row: int, draw: np.random.Generator) -> Example:
            return given[row], self.equal(given[row], draw), near(given[row], draw)

        return Drawn(len(given), drawn, self.seed)

    def length(self, example: Example) -> int:
        """Nodes."""
        return len(example[0].labels)

    def collate(self, examples: Sequence[Example]) -> dict[str, torch.Tensor]:
        """What `joined` gives of the formulas, then their renamed selves, then those one label away; `pairs`:
        (batch,)."""
        import torch

        each = [example[part] for part in range(3) for example in examples]
        batch = {name: torch.from_numpy(array) for name, array in joined(each).items()}
        return {**batch, "pairs": torch.arange(len(examples))}

    def counts(self, batch: Mapping[str, Any]) -> tuple[int, ...]:
        """Formulas."""
        return (len(batch["pairs"]),)

    def loss(self, model: torch.nn.Module, batch: Mapping[str, Any]) -> torch.Tensor:
        """Cross-entropy in nats of each formula's renamed self among those of the batch and all that are one
        label away, in all processes."""
        import torch

        from engines.training.processes import rows_of_all

        pairs = batch["pairs"]
        anchors, equal, near = model(batch, 3 * len(pairs)).split(len(pairs))
        both, begin = rows_of_all(torch.cat([equal, near], -1))
        others = torch.cat(both.chunk(2, -1))
        return torch.nn.functional.cross_entropy(self.settings.scale * anchors @ others.T, begin + pairs)

    def evaluate(self, model: torch.nn.Module) -> dict[str, float]:
        """On held-out formulas: how often the renamed self is nearer than the one that is one label away, and
        how often it is the nearest of all, in percent."""
        device = next(model.parameters()).device
        held = self._prepared[2]
        formulas = self._formulas(held)
        batch = self.collate([formulas[place] for place in range(len(formulas))])
        vectors = model({name: tensor.to(device) for name, tensor in batch.items()}, 3 * len(held))
        anchors, equal, near = vectors.split(len(held))
        own = (anchors * equal).sum(-1)
        first = (anchors @ equal.T).argmax(-1) == batch["pairs"].to(device)
        return {
            "validation_nearer_percent": float(100 * (own > (anchors * near).sum(-1)).float().mean()),
            "validation_nearest_percent": float(100 * first.float().mean()),
        }

    def save(self, model: torch.nn.Module, folder: Path, facts: Mapping[str, Any]) -> None:
        """The model's folder, with a card."""
        from engines.core.files import write_text
        from engines.mathamr.training.structure_model import save_structure_encoder
        from engines.training.card import card

        vocabulary, trained, held = self._prepared
        settings = self.settings
        sizes = {"d_model": settings.d_model, "rounds": settings.rounds, "max_nodes": settings.max_nodes}
        save_structure_encoder(model, vocabulary, sizes, folder)
        text = card(
            self.title,
            self.what,
            facts,
            data={
                "collection": self.data["collection"].name,
                "formulas": f"{len(trained):,}, held out {len(held):,}",
                "labels": f"{len(vocabulary.labels):,}",
            },
            limits=self.limits,
            use=(
                "from engines.mathamr.training.structure_model import StructureEncoder\n"
                f'StructureEncoder(Path("this-folder")).encode([{self.use}])'
            ),
            tags=("feature-extraction", "mathematics"),
        )
        write_text(folder / "README.md", text)

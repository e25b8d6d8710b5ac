"""Training of an encoder of operator trees by contrast, without judgements.

A formula is to lie close to itself with other letters, and far from all others of the batch and from itself
with one operator or number changed. Operands of commutative operators have no order in it at all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from engines.core.errors import DataError
from engines.core.spec import read, values
from engines.mathamr.training.collection import index_files, need_collection
from engines.mathamr.training.settings import CODE, TreeSettings
from engines.mathamr.training.tree_data import TreeArrays, Vocabulary, joined
from engines.training.drawn import Drawn
from engines.training.identity import model_files, refuse_other_sizes
from engines.training.task import Origin

if TYPE_CHECKING:
    import torch

__all__ = ["TreeTask", "tree_encoder"]

LIMITS = (
    "What a formula is about is not known to it: letters are interchangeable, and the text plays no part.",
    "Formulas that are equal by algebra, and not by renaming and commuting, need not lie close.",
)


def tree_encoder(model: Mapping[str, Any], data: Mapping[str, Path], *, seed: int) -> TreeTask:
    """The trainer `mathamr.trees`: `data.collection`, and, if there is one, `data.index`. `data.backbone` is
    an encoder to begin with, whose labels it keeps."""
    return TreeTask(read(TreeSettings, model, place="model.", code=CODE), data, seed)


Example = tuple[TreeArrays, TreeArrays, TreeArrays]
"""A formula, itself with other letters, and one that is one label away."""


class TreeTask:
    """An encoder of operator trees."""

    measures = ("validation_nearer_percent", "validation_nearest_percent")

    def __init__(self, settings: TreeSettings, data: Mapping[str, Path], seed: int) -> None:
        need_collection(data)
        self.settings, self.data, self.seed = settings, data, seed

    def origin(self) -> Origin:
        """The trainer, its settings, and the files that have the formulas."""
        from engines.forum.folder import ArqmathFolder

        folder = ArqmathFolder.open(self.data["collection"])
        posts = () if folder.posts is None or folder.latex_tables else (folder.posts,)
        files = {"formulas": (*folder.latex_tables, *posts), **index_files(self.data)}
        if "backbone" in self.data:
            files["backbone"] = model_files(self.data["backbone"])
        return Origin("mathamr.trees", values(self.settings), files)

    @cached_property
    def _given(self) -> tuple[torch.nn.Module, Vocabulary] | None:
        """Model and vocabulary to begin with. Raises: EngineError E677 for a model of other sizes."""
        from engines.mathamr.training.tree_model import load_tree_encoder

        if "backbone" not in self.data:
            return None
        model, vocabulary, config = load_tree_encoder(self.data["backbone"])
        asked = {"d_model": self.settings.d_model, "rounds": self.settings.rounds}
        refuse_other_sizes(self.data["backbone"].name, config, asked, CODE)
        return model, vocabulary

    @cached_property
    def _latex(self) -> list[str]:
        """The looks of the collection, in an order of the seed."""
        from engines.mathamr.retrieval.formula_index import FormulaIndex
        from engines.mathamr.retrieval.indexing import IndexFormulas, index

        with TemporaryDirectory(prefix="mathwb-") as place:
            folder = self.data.get("index")
            if folder is None:
                folder = Path(place) / "index"
                index(IndexFormulas(self.data["collection"], folder))
            latex: list[str] = FormulaIndex(folder).looks["latex"].to_pylist()
        np.random.default_rng([self.seed, 3]).shuffle(latex)
        return latex[: self.settings.formulas or None]

    @cached_property
    def _prepared(self) -> tuple[Vocabulary, list[TreeArrays], list[TreeArrays]]:
        """The vocabulary, trees to learn from and trees to measure on; single symbols teach nothing."""
        from engines.formula.parser import operator_tree

        trees = [tree for latex in self._latex if (tree := operator_tree(latex)).children]
        if len(trees) < 4:
            raise DataError(
                "the collection has hardly any formula with an operator",
                path=self.data["collection"],
                code="E674",
                remedy="Name another with --set data.collection=NAME.",
            )
        held = min(self.settings.measured, len(trees) // 4)
        vocabulary = (
            Vocabulary.of(trees[held:], self.settings.vocabulary) if self._given is None else self._given[1]
        )
        arrays = [vocabulary.arrays(tree, self.settings.max_nodes) for tree in trees]
        return vocabulary, arrays[held:], arrays[:held]

    def model(self) -> torch.nn.Module:
        """The model, new, or that of the data `backbone`."""
        from engines.mathamr.training.tree_model import new_model

        if self._given is not None:
            return self._given[0]
        return new_model(len(self._prepared[0]), self.settings.d_model, self.settings.rounds)

    def train_data(self) -> Drawn[Example]:
        """The formulas of the training side."""
        return self._formulas(self._prepared[1])

    def _formulas(self, trees: Sequence[TreeArrays]) -> Drawn[Example]:
        vocabulary = self._prepared[0]

        def drawn(row: int, draw: np.random.Generator) -> Example:
            return trees[row], vocabulary.equal(trees[row], draw), vocabulary.near(trees[row], draw)

        return Drawn(len(trees), drawn, self.seed)

    def length(self, example: Example) -> int:
        """Nodes."""
        return len(example[0].labels)

    def collate(self, examples: Sequence[Example]) -> dict[str, torch.Tensor]:
        """What `joined` gives of the trees, then their renamed selves, then those one label away; `pairs`:
        (batch,)."""
        import torch

        trees = [example[part] for part in range(3) for example in examples]
        batch = {name: torch.from_numpy(array) for name, array in joined(trees).items()}
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
        from engines.mathamr.training.tree_model import save_tree_encoder
        from engines.training.card import card

        vocabulary, trained, held = self._prepared
        settings = self.settings
        sizes = {"d_model": settings.d_model, "rounds": settings.rounds, "max_nodes": settings.max_nodes}
        save_tree_encoder(model, vocabulary, sizes, folder)
        text = card(
            "Encoder of operator trees",
            "Encodes a formula by its operator tree, so that renamed and commuted formulas lie close.",
            facts,
            data={
                "collection": self.data["collection"].name,
                "formulas": f"{len(trained):,} looks, held out {len(held):,}",
                "labels": f"{len(vocabulary.labels):,}",
            },
            limits=LIMITS,
            use=(
                "from engines.mathamr.training.tree_model import TreeEncoder\n"
                'TreeEncoder(Path("this-folder")).encode([r"\\frac{a}{b}"])  # LaTeX'
            ),
            tags=("feature-extraction", "mathematics"),
        )
        write_text(folder / "README.md", text)

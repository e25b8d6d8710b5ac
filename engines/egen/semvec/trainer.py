"""Training of a composed encoder on the classes of a SemVec set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from engines.core.errors import DataError
from engines.core.files import model_files, write_text
from engines.core.spec import Arg, read, specification, to_mapping
from engines.core.tree import Tree
from engines.egen.models.config import CODE
from engines.egen.semvec.evaluate import OPERATORS, SemVecExpressions, compute_scores, read_splits, split_file
from engines.egen.semvec.network import _SIZES, encode, load_network, new_network, save_network, to_arrays
from engines.training.checkpoints import model_card, refuse_other_sizes
from engines.training.data import Resampled
from engines.training.task import Origin

if TYPE_CHECKING:
    import torch


LIMITS = (
    "It reads the variables and operators of the set that it was trained on, and nothing else.",
    "A high cosine does not prove that two expressions are equal.",
)


@specification
class SemVecSettings:
    """The settings in a recipe's table `model`."""

    d_model: Annotated[int, Arg("Dimension of a vector.", low=2)] = 64
    hidden: Annotated[
        int, Arg("Product units in the hidden layer, which has as many usual units.", low=2)
    ] = 128
    tau: Annotated[float, Arg("Temperature.", low=0.001)] = 0.1
    measured: Annotated[int, Arg("Validation expressions used per evaluation.", low=1)] = 2_000


@dataclass(frozen=True, slots=True)
class Example:
    """Two equal expressions, or one twice, and the number of their class."""

    one: Tree
    other: Tree
    number: int


class SemVecTask:
    """The trainer `egen.semvec`: `data.classes` is the training split of a set; the one beside it for
    validation chooses the model. The other splits are not looked at. `data.backbone` is a network to begin
    with, of a set with the same variables and operators."""

    measures = ("validation_score_5_percent",)

    def __init__(self, model: Mapping[str, Any], data: Mapping[str, Path], *, seed: int) -> None:
        if "classes" not in data:
            remedy = "Name the training split of a set with --set data.classes=FILE."
            raise DataError("the recipe names no classes", code="E644", remedy=remedy)
        self.settings = read(SemVecSettings, model, prefix="model.", code=CODE)
        self.data, self.seed = data, seed

    def origin(self) -> Origin:
        """Return the origin of the training: trainer, settings and files, for its fingerprint."""
        train = self.data["classes"]
        data: dict[str, tuple[Path, ...]] = {"classes": (train, split_file(train, "validation"))}
        if "backbone" in self.data:
            data["backbone"] = model_files(self.data["backbone"])
        return Origin("egen.semvec", to_mapping(self.settings), data)

    @cached_property
    def _set(self) -> SemVecExpressions:
        return read_splits(self.data["classes"], ("train", "validation"))

    @cached_property
    def _classes(self) -> list[list[Tree]]:
        results: dict[str, list[Tree]] = {}
        for tree, name, split in zip(self._set.trees, self._set.classes, self._set.splits, strict=True):
            if split == "train":
                results.setdefault(name, []).append(tree)
        return list(results.values())

    @cached_property
    def _labels(self) -> tuple[list[str], list[str]]:
        labels = {node.label for trees in self._classes for tree in trees for node in tree}
        operators = [name for name in OPERATORS if name in labels]
        return sorted(labels - set(operators)), operators

    def model(self) -> torch.nn.Module:
        """Return the network, new, or that of the data `backbone`; variables and operators are those of the
        training split.
        """
        if "backbone" not in self.data:
            return new_network(*self._labels, self.settings.d_model, self.settings.hidden)
        given, (leaves, operators) = load_network(self.data["backbone"]), self._labels
        asked = (tuple(leaves), tuple(operators), self.settings.d_model, self.settings.hidden)
        there = {name: getattr(given, name) for name in _SIZES}
        refuse_other_sizes(self.data["backbone"].name, there, dict(zip(_SIZES, asked, strict=True)), CODE)
        return given

    def train_data(self) -> Resampled[Example]:
        """Return the pairs of equal expressions, drawn again in every epoch."""
        return Resampled(len(self._classes), self._draw_pair, self.seed)

    def _draw_pair(self, number: int, draw: np.random.Generator) -> Example:
        trees = self._classes[number]
        first, *more = draw.permutation(len(trees))[:2].tolist()
        return Example(trees[first], trees[more[0] if more else first], number)

    def length(self, example: Example) -> int:
        """Return the length of an example in tokens."""
        return len(example.one) + len(example.other)

    def collate(self, examples: Sequence[Example]) -> dict[str, torch.Tensor]:
        """Return a batch: the arrays of the first expressions, then of the second; `classes`, shape
        `(batch,)`.
        """
        import torch

        trees = [example.one for example in examples] + [example.other for example in examples]
        result = to_arrays(trees, *self._labels)
        batch = {name: torch.from_numpy(rows) for name, rows in result.items()}
        return {**batch, "classes": torch.tensor([example.number for example in examples])}

    def counts(self, batch: Mapping[str, Any]) -> tuple[int, ...]:
        """Return the number of pairs of a batch."""
        return (len(batch["classes"]),)

    def loss(self, model: torch.nn.Module, batch: Mapping[str, Any]) -> torch.Tensor:
        """Return the cross-entropy of finding the other expression among those of all classes of the batch,
        both ways, in nats.
        """
        from engines.egen.models.losses import contrastive_loss
        from engines.training.libraries import rows_of_all

        left, right = model(batch).chunk(2)
        return contrastive_loss(
            left,
            right,
            negatives="positives",
            tau=self.settings.tau,
            clusters=batch["classes"],
            gather=rows_of_all,
        )

    def unmeasured(self, _name: str) -> str:
        """Return why a metric cannot be measured, or an empty text."""
        return "" if len(self._set.list_queries("validation")) else "there are no validation expressions"

    def evaluate(self, model: torch.nn.Module) -> dict[str, float]:
        """Measure score_5 in percent: of validation expressions, among them and the training expressions."""
        asked = np.random.default_rng(0).permutation(self._set.list_queries("validation"))[
            : self.settings.measured
        ]
        if not len(asked):
            return {}
        result = compute_scores(encode(model, self._set.trees), self._set.numbers, asked, 5)
        return {"validation_score_5_percent": 100 * float(result.mean())}

    def save(self, model: torch.nn.Module, folder: Path, facts: Mapping[str, Any]) -> None:
        """Write the network and its card into a folder."""
        save_network(model, folder)
        text = model_card(
            "Encoder of the expressions of a SemVec set",
            "Encodes an expression by networks composed as the expression is, so that equal ones lie close.",
            facts,
            data={
                "set": self.data["classes"].name,
                "training classes": f"{len(self._classes):,}",
                "training expressions": f"{sum(map(len, self._classes)):,}",
                "validation expressions": f"{self._set.splits.count('validation'):,}",
            },
            limits=LIMITS,
            use=(
                "from pathlib import Path\n"
                "from mathwb.egen.semvec.network import encode, load_network\n"
                "from mathwb.egen.semvec.evaluate import read_expression\n"
                'encode(load_network(Path("this-folder")), [read_expression("( a + b ) * a")])'
            ),
            tags=("feature-extraction", "mathematics"),
        )
        write_text(folder / "README.md", text)

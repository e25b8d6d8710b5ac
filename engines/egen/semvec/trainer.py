"""Training of a composed encoder on the classes of a SemVec set: equal expressions close, others apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from engines.core.errors import DataError
from engines.core.spec import Arg, read, values
from engines.core.tree import Tree
from engines.egen.models.settings import CODE
from engines.egen.semvec.sets import OPERATORS, Expressions, split_file, splits
from engines.training.drawn import Drawn
from engines.training.identity import model_files, refuse_other_sizes
from engines.training.task import Origin

if TYPE_CHECKING:
    import torch

__all__ = ["SemVecSettings", "semvec"]

LIMITS = (
    "It reads the variables and operators of the set that it was trained on, and nothing else.",
    "A high cosine is no proof that two expressions are equal.",
)


@dataclass(frozen=True, slots=True)
class SemVecSettings:
    """What a recipe's table `model` says."""

    d_model: Annotated[int, Arg("Length of a vector.", low=2)] = 64
    hidden: Annotated[int, Arg("Products, and as many usual units, in the hidden layer.", low=2)] = 128
    tau: Annotated[float, Arg("Temperature.", low=0.001)] = 0.1
    measured: Annotated[int, Arg("Validation expressions that an evaluation looks at.", low=1)] = 2_000


def semvec(model: Mapping[str, Any], data: Mapping[str, Path], *, seed: int) -> SemVecTask:
    """The trainer `egen.semvec`: `data.classes` is the training split of a set; the one beside it for
    validation chooses the model. The other splits are not looked at. `data.backbone` is a network to begin
    with, of a set with the same variables and operators."""
    return SemVecTask(read(SemVecSettings, model, place="model.", code=CODE), data, seed)


@dataclass(frozen=True, slots=True)
class Example:
    """Two equal expressions, or one twice, and the number of their class."""

    one: Tree
    other: Tree
    number: int


class SemVecTask:
    """An encoder of the expressions of a set."""

    measures = ("validation_score_5_percent",)

    def __init__(self, settings: SemVecSettings, data: Mapping[str, Path], seed: int) -> None:
        if "classes" not in data:
            raise DataError(
                "the recipe names no classes",
                code="E644",
                exit_code=3,
                remedy="Name the training split of a set with --set data.classes=FILE.",
            )
        self.settings, self.data, self.seed = settings, data, seed

    def origin(self) -> Origin:
        """The trainer, its settings, and the two splits that it reads."""
        train = self.data["classes"]
        data: dict[str, tuple[Path, ...]] = {"classes": (train, split_file(train, "validation"))}
        if "backbone" in self.data:
            data["backbone"] = model_files(self.data["backbone"])
        return Origin("egen.semvec", values(self.settings), data)

    @cached_property
    def _set(self) -> Expressions:
        return splits(self.data["classes"], ("train", "validation"))

    @cached_property
    def _classes(self) -> list[list[Tree]]:
        found: dict[str, list[Tree]] = {}
        for tree, name, split in zip(self._set.trees, self._set.classes, self._set.splits, strict=True):
            if split == "train":
                found.setdefault(name, []).append(tree)
        return list(found.values())

    @cached_property
    def _labels(self) -> tuple[list[str], list[str]]:
        """Variables and operators."""
        labels = {node.label for trees in self._classes for tree in trees for node in tree}
        operators = [name for name in OPERATORS if name in labels]
        return sorted(labels - set(operators)), operators

    def model(self) -> torch.nn.Module:
        """The network, new, or that of the data `backbone`; variables and operators are those of the training
        split. Raises: EngineError E640 for one of others or of other sizes."""
        from engines.egen.semvec.network import load_network, new_network

        if "backbone" not in self.data:
            return new_network(*self._labels, self.settings.d_model, self.settings.hidden)
        given, (leaves, operators) = load_network(self.data["backbone"]), self._labels
        names = ("leaves", "operators", "d_model", "hidden")
        asked = (tuple(leaves), tuple(operators), self.settings.d_model, self.settings.hidden)
        there = {name: getattr(given, name) for name in names}
        refuse_other_sizes(self.data["backbone"].name, there, dict(zip(names, asked, strict=True)), CODE)
        return given

    def train_data(self) -> Drawn[Example]:
        """A pair of each class."""
        return Drawn(len(self._classes), self._pair, self.seed)

    def _pair(self, number: int, draw: np.random.Generator) -> Example:
        trees = self._classes[number]
        first, *more = draw.permutation(len(trees))[:2].tolist()
        return Example(trees[first], trees[more[0] if more else first], number)

    def length(self, example: Example) -> int:
        """Nodes of both."""
        return len(example.one) + len(example.other)

    def collate(self, examples: Sequence[Example]) -> dict[str, torch.Tensor]:
        """What `arrays` gives of the first expressions, then of the second; `classes`: (batch,)."""
        import torch

        from engines.egen.semvec.network import arrays

        trees = [example.one for example in examples] + [example.other for example in examples]
        found = arrays(trees, *self._labels)
        batch = {name: torch.from_numpy(rows) for name, rows in found.items()}
        return {**batch, "classes": torch.tensor([example.number for example in examples])}

    def counts(self, batch: Mapping[str, Any]) -> tuple[int, ...]:
        """Pairs."""
        return (len(batch["classes"]),)

    def loss(self, model: torch.nn.Module, batch: Mapping[str, Any]) -> torch.Tensor:
        """Cross-entropy in nats of the other one among those of all classes of the batch, both ways."""
        from engines.egen.models.losses import contrastive
        from engines.training.processes import rows_of_all

        one, other = model(batch).chunk(2)
        return contrastive(
            one,
            other,
            negatives="positives",
            tau=self.settings.tau,
            clusters=batch["classes"],
            gather=rows_of_all,
        )

    def evaluate(self, model: torch.nn.Module) -> dict[str, float]:
        """`validation_score_5_percent`: of validation expressions, among them and those of the training."""
        from engines.egen.semvec.measure import scores
        from engines.egen.semvec.network import encode

        asked = np.random.default_rng(0).permutation(self._set.asked("validation"))[: self.settings.measured]
        if not len(asked):
            return {}
        found = scores(encode(model, self._set.trees), self._set.numbers, asked, 5)
        return {"validation_score_5_percent": 100 * float(found.mean())}

    def save(self, model: torch.nn.Module, folder: Path, facts: Mapping[str, Any]) -> None:
        """The model's folder, with a card."""
        from engines.core.files import write_text
        from engines.egen.semvec.network import save_network
        from engines.training.card import card

        save_network(model, folder)
        text = card(
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
                "from engines.egen.semvec.network import encode, load_network\n"
                "from engines.egen.semvec.sets import read_expression\n"
                'encode(load_network(Path("this-folder")), [read_expression("( a + b ) * a")])'
            ),
            tags=("feature-extraction", "mathematics"),
        )
        write_text(folder / "README.md", text)

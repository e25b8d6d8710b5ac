"""Training of a composed encoder on the classes of a SemVec set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from numpy.typing import NDArray

from engines.core.errors import DataError, ExpressionError
from engines.core.files import model_files, write_json, write_text
from engines.core.spec import Arg, read, specification, values
from engines.core.tree import Tree
from engines.egen.models.model_folder import CODE, open_network, write_weights
from engines.egen.semvec.evaluate import OPERATORS, Expressions, scores, split_file, splits
from engines.training.checkpoints import card, refuse_other_sizes
from engines.training.data import Resampled
from engines.training.task import Origin

if TYPE_CHECKING:
    import torch

    from engines.retrieval.dense import Vectors


KIND = "egen-semvec"
_SIZES = ("leaves", "operators", "d_model", "hidden")
_AT_ONCE = 4_096
_REMEDY = "It reads the variables and operators of the set that it was trained on."
Ints = NDArray[np.int64]


def new_network(
    leaves: Sequence[str], operators: Sequence[str], d_model: int, hidden: int
) -> torch.nn.Module:
    """A new network. It takes what `arrays` makes of trees, as tensors, and returns (trees, d_model), rows of
    length 1.

    The vector of an operation is a linear map of its operands' vectors, plus a map of a hidden layer that has
    products of linear maps of both beside the usual units; its length is fixed. With products, sums and
    products of values can be represented: with vectors of values at points the network would be exact.
    """
    import torch
    from torch import nn

    class Composed(nn.Module):  # type: ignore[misc]  # an untyped library
        def __init__(self) -> None:
            super().__init__()
            self.leaves, self.operators = tuple(leaves), tuple(operators)
            self.d_model, self.hidden = d_model, hidden
            self.leaf = nn.Parameter(torch.randn(len(leaves), d_model))
            count = len(operators)

            def weights(*shape: int) -> nn.Parameter:
                return nn.Parameter(torch.randn(count, *shape) / shape[0] ** 0.5)

            self.left, self.right = weights(d_model, hidden), weights(d_model, hidden)
            self.both, self.out = weights(2 * d_model, hidden), weights(2 * hidden, d_model)
            self.through = weights(2 * d_model, d_model)
            self.bias = nn.Parameter(torch.zeros(count, hidden))

        def forward(self, batch: Mapping[str, torch.Tensor]) -> torch.Tensor:
            states = self._sized(self.leaf)[batch["leaves"]]
            level = 1
            while f"level{level}" in batch:
                rows = batch[f"level{level}"]
                # Sorted by operator, so that each is one product of matrices.
                found = [
                    self._operation(number, states[part[:, 1]], states[part[:, 2]])
                    for number in range(len(self.operators))
                    if len(part := rows[rows[:, 0] == number])
                ]
                states = torch.cat([states, *found])
                level += 1
            return nn.functional.normalize(states[batch["roots"]], dim=-1)

        def _operation(self, number: int, left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
            both = torch.cat([left, right], -1)
            products = (left @ self.left[number]) * (right @ self.right[number]) / 4
            usual = nn.functional.gelu(both @ self.both[number] + self.bias[number])
            found = torch.cat([products, usual], -1) @ self.out[number] + both @ self.through[number]
            return self._sized(found)

        def _sized(self, states: torch.Tensor) -> torch.Tensor:
            return nn.functional.normalize(states, dim=-1) * self.d_model**0.5

    return Composed()


def arrays(trees: Sequence[Tree], leaves: Sequence[str], operators: Sequence[str]) -> dict[str, Ints]:
    """Trees as a network takes them; what they share is there once.

    Returns: `leaves` (nodes,) their numbers; `level1`, `level2`, …: (nodes, 3) operator and the places of the
    operands among all nodes so far, those of one operand twice; `roots`: (trees,).
    """
    names = {name: number for number, name in enumerate(leaves)}
    kinds = {name: number for number, name in enumerate(operators)}
    heights: dict[Tree, int] = {}
    for tree in trees:
        _heights(tree, heights)
    order = sorted(heights, key=lambda node: (heights[node], kinds.get(node.label, -1)))
    place = {node: number for number, node in enumerate(order)}
    found: dict[str, Any] = {"leaves": []}
    for node in order:
        known = names if not node.children else kinds
        if node.label not in known:
            raise ExpressionError(f"the model knows no {node.label!r}", remedy=_REMEDY)
        if not node.children:
            found["leaves"].append(names[node.label])
            continue
        operands = (place[node.children[0]], place[node.children[-1]])
        found.setdefault(f"level{heights[node]}", []).append((kinds[node.label], *operands))
    found["roots"] = [place[tree] for tree in trees]
    return {name: np.array(rows, np.int64) for name, rows in found.items()}


def _heights(tree: Tree, heights: dict[Tree, int]) -> int:
    if tree not in heights:
        heights[tree] = 1 + max((_heights(child, heights) for child in tree.children), default=-1)
    return heights[tree]


def encode(network: Any, trees: Sequence[Tree]) -> Vectors:
    """(trees, d_model) rows of length 1."""
    import torch

    result = np.zeros((len(trees), network.d_model), np.float32)
    device = next(network.parameters()).device
    with torch.inference_mode():
        for begin in range(0, len(trees), _AT_ONCE):
            part = arrays(trees[begin : begin + _AT_ONCE], network.leaves, network.operators)
            batch = {name: torch.from_numpy(rows).to(device) for name, rows in part.items()}
            result[begin : begin + _AT_ONCE] = network(batch).cpu().numpy()
    return result


def save_network(network: Any, folder: Path) -> None:
    write_weights(folder, network.state_dict())
    sizes = {name: getattr(network, name) for name in _SIZES}
    write_json(folder / "config.json", {"model_type": KIND, **sizes})


def load_network(folder: Path) -> torch.nn.Module:
    """The network of a folder."""

    def make(config: Mapping[str, Any]) -> torch.nn.Module:
        return new_network(*(config[name] for name in _SIZES))

    return open_network(folder, KIND, make)


LIMITS = (
    "It reads the variables and operators of the set that it was trained on, and nothing else.",
    "A high cosine does not prove that two expressions are equal.",
)


@specification
class SemVecSettings:
    """What a recipe's table `model` says."""

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
        self.settings = read(SemVecSettings, model, place="model.", code=CODE)
        self.data, self.seed = data, seed

    def origin(self) -> Origin:
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
        labels = {node.label for trees in self._classes for tree in trees for node in tree}
        operators = [name for name in OPERATORS if name in labels]
        return sorted(labels - set(operators)), operators

    def model(self) -> torch.nn.Module:
        """The network, new, or that of the data `backbone`; variables and operators are those of the training
        split."""
        if "backbone" not in self.data:
            return new_network(*self._labels, self.settings.d_model, self.settings.hidden)
        given, (leaves, operators) = load_network(self.data["backbone"]), self._labels
        asked = (tuple(leaves), tuple(operators), self.settings.d_model, self.settings.hidden)
        there = {name: getattr(given, name) for name in _SIZES}
        refuse_other_sizes(self.data["backbone"].name, there, dict(zip(_SIZES, asked, strict=True)), CODE)
        return given

    def train_data(self) -> Resampled[Example]:
        return Resampled(len(self._classes), self._pair, self.seed)

    def _pair(self, number: int, draw: np.random.Generator) -> Example:
        trees = self._classes[number]
        first, *more = draw.permutation(len(trees))[:2].tolist()
        return Example(trees[first], trees[more[0] if more else first], number)

    def length(self, example: Example) -> int:
        return len(example.one) + len(example.other)

    def collate(self, examples: Sequence[Example]) -> dict[str, torch.Tensor]:
        """What `arrays` gives of the first expressions, then of the second; `classes`: (batch,)."""
        import torch

        trees = [example.one for example in examples] + [example.other for example in examples]
        result = arrays(trees, *self._labels)
        batch = {name: torch.from_numpy(rows) for name, rows in result.items()}
        return {**batch, "classes": torch.tensor([example.number for example in examples])}

    def counts(self, batch: Mapping[str, Any]) -> tuple[int, ...]:
        return (len(batch["classes"]),)

    def loss(self, model: torch.nn.Module, batch: Mapping[str, Any]) -> torch.Tensor:
        """Cross-entropy in nats of the other one among those of all classes of the batch, both ways."""
        from engines.egen.models.transformer import contrastive
        from engines.training.libraries import rows_of_all

        one, other = model(batch).chunk(2)
        return contrastive(
            one,
            other,
            negatives="positives",
            tau=self.settings.tau,
            clusters=batch["classes"],
            gather=rows_of_all,
        )

    def unmeasured(self, _name: str) -> str:
        return "" if len(self._set.asked("validation")) else "there are no validation expressions"

    def evaluate(self, model: torch.nn.Module) -> dict[str, float]:
        """`validation_score_5_percent`: of validation expressions, among them and those of the training."""
        asked = np.random.default_rng(0).permutation(self._set.asked("validation"))[: self.settings.measured]
        if not len(asked):
            return {}
        result = scores(encode(model, self._set.trees), self._set.numbers, asked, 5)
        return {"validation_score_5_percent": 100 * float(result.mean())}

    def save(self, model: torch.nn.Module, folder: Path, facts: Mapping[str, Any]) -> None:
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
                "from mathwb.egen.semvec.trainer import encode, load_network\n"
                "from mathwb.egen.semvec.evaluate import read_expression\n"
                'encode(load_network(Path("this-folder")), [read_expression("( a + b ) * a")])'
            ),
            tags=("feature-extraction", "mathematics"),
        )
        write_text(folder / "README.md", text)

"""The composed encoder of a SemVec set: its network, and how trees become vectors.

The sets and the idea of a network for each operator are those of EqNet (Allamanis, Chanthirasegaran, Kohli
and Sutton, "Learning continuous semantic representations of symbolic expressions", ICML 2017). The layer of
an operator is another one: it has products of its operands, and no sub-expression autoencoder.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engines.core.arrays import Ints
from engines.core.errors import ExpressionError
from engines.core.files import write_json
from engines.core.tree import Tree
from engines.egen.models.model_folder import open_network, write_weights

if TYPE_CHECKING:
    import torch

    from engines.retrieval.dense import Vectors


KIND = "egen-semvec"
_SIZES = ("leaves", "operators", "d_model", "hidden")
_AT_ONCE = 4_096
_REMEDY = "It reads the variables and operators of the set that it was trained on."


def new_network(
    leaves: Sequence[str], operators: Sequence[str], d_model: int, hidden: int
) -> torch.nn.Module:
    """Return a new network. It takes what `arrays` makes of trees, as tensors, and returns (trees, d_model),
    rows of length 1.

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

            # As in `composed.network`: the variance of the outputs stays near 1.
            def new_weights(*shape: int) -> nn.Parameter:
                return nn.Parameter(torch.randn(count, *shape) / shape[0] ** 0.5)

            self.left, self.right = new_weights(d_model, hidden), new_weights(d_model, hidden)
            self.both, self.out = new_weights(2 * d_model, hidden), new_weights(2 * hidden, d_model)
            self.through = new_weights(2 * d_model, d_model)
            self.bias = nn.Parameter(torch.zeros(count, hidden))

        def forward(self, batch: Mapping[str, torch.Tensor]) -> torch.Tensor:
            # The first states are those of the leaves; each level appends its results.
            states = self._scale_states(self.leaf)[batch["leaves"]]
            level = 1
            while f"level{level}" in batch:
                rows = batch[f"level{level}"]
                # Sorted by operator, so that each is one product of matrices.
                result = [
                    self._apply_operation(number, states[part[:, 1]], states[part[:, 2]])
                    for number in range(len(self.operators))
                    if len(part := rows[rows[:, 0] == number])
                ]
                states = torch.cat([states, *result])
                level += 1
            return nn.functional.normalize(states[batch["roots"]], dim=-1)

        def _apply_operation(self, number: int, left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
            both = torch.cat([left, right], -1)
            # Products of both operands, as in `composed.network`.
            products = (left @ self.left[number]) * (right @ self.right[number]) / 4
            usual = nn.functional.gelu(both @ self.both[number] + self.bias[number])
            result = torch.cat([products, usual], -1) @ self.out[number] + both @ self.through[number]
            return self._scale_states(result)

        def _scale_states(self, states: torch.Tensor) -> torch.Tensor:
            return nn.functional.normalize(states, dim=-1) * self.d_model**0.5

    return Composed()


def to_arrays(trees: Sequence[Tree], leaves: Sequence[str], operators: Sequence[str]) -> dict[str, Ints]:
    """Return trees as arrays for a network; sub-terms that trees share are stored once.

    Returns:
        `leaves` (nodes,) their numbers; `level1`, `level2`, …: (nodes, 3) operator and the places of the
        operands among all nodes so far, those of one operand twice; `roots`: (trees,).
    """
    names = {name: number for number, name in enumerate(leaves)}
    kinds = {name: number for number, name in enumerate(operators)}
    heights: dict[Tree, int] = {}
    for tree in trees:
        _compute_heights(tree, heights)
    # By height, so that a level needs earlier levels only, and within it by operator.
    order = sorted(heights, key=lambda node: (heights[node], kinds.get(node.label, -1)))
    row_of_node = {node: number for number, node in enumerate(order)}
    results: dict[str, Any] = {"leaves": []}
    for node in order:
        known = names if not node.children else kinds
        if node.label not in known:
            raise ExpressionError(f"the model knows no {node.label!r}", remedy=_REMEDY)
        if not node.children:
            results["leaves"].append(names[node.label])
            continue
        # A unary operator has its operand twice, so that every row is as long.
        operands = (row_of_node[node.children[0]], row_of_node[node.children[-1]])
        results.setdefault(f"level{heights[node]}", []).append((kinds[node.label], *operands))
    results["roots"] = [row_of_node[tree] for tree in trees]
    return {name: np.array(rows, np.int64) for name, rows in results.items()}


def _compute_heights(tree: Tree, heights: dict[Tree, int]) -> int:
    if tree not in heights:
        heights[tree] = 1 + max((_compute_heights(child, heights) for child in tree.children), default=-1)
    return heights[tree]


def encode(network: Any, trees: Sequence[Tree]) -> Vectors:
    """Return unit vectors of trees, shape `(trees, d_model)`."""
    import torch

    result = np.zeros((len(trees), network.d_model), np.float32)
    device = next(network.parameters()).device
    with torch.inference_mode():
        for begin in range(0, len(trees), _AT_ONCE):
            part = to_arrays(trees[begin : begin + _AT_ONCE], network.leaves, network.operators)
            batch = {name: torch.from_numpy(rows).to(device) for name, rows in part.items()}
            result[begin : begin + _AT_ONCE] = network(batch).cpu().numpy()
    return result


def save_network(network: Any, folder: Path) -> None:
    """Write the network and its sizes into a folder."""
    write_weights(folder, network.state_dict())
    sizes = {name: getattr(network, name) for name in _SIZES}
    write_json(folder / "config.json", {"model_type": KIND, **sizes})


def load_network(folder: Path) -> torch.nn.Module:
    """Return the network of a folder."""

    def make_network(config: Mapping[str, Any]) -> torch.nn.Module:
        return new_network(*(config[name] for name in _SIZES))

    return open_network(folder, KIND, make_network)

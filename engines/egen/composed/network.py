"""An encoder composed like its expressions: a network for each operator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from numpy.typing import NDArray

from engines.core.arrays import Ints
from engines.core.events import Event, Sink, Stop, ignore, never
from engines.core.files import write_json
from engines.core.model_checks import check_finite
from engines.core.spec import Arg, read, specification
from engines.egen.models.config import CODE, Precision
from engines.egen.models.model_folder import open_network, write_weights
from engines.mathematics.numbers.numeric import Programs, compile_many
from engines.mathematics.numbers.numeric_kernel import BINARY, CONSTANT, LEAF, UNARY
from engines.retrieval.dense import Vectors, normalize_rows

if TYPE_CHECKING:
    import torch


OPERATIONS = UNARY + BINARY
"""What has a network of its own, by number; those of one operand come first."""
UNARY_COUNT = len(UNARY)
# A constant is also given by its position in cycles of these half periods, which tells residues apart.
_PERIODS = (1, 2, 4, 8, 16)
FEATURES = 8 + 2 * len(_PERIODS)
"""How many numbers describe a constant."""


class SubtermBatch:
    """Sub-terms of expressions in the order in which they can be computed.

    `order`: (nodes,) where each stands among the nodes of `programs`, leaves first, then level by level,
    sorted by operation within a level. `arrays`: what a network reads: `leaves` (leaves, FEATURES), zeros for
    x; `is_x` (leaves,); `level1`, `level2`, …: (nodes, 3) operation and the places of both operands in this
    order, those of one operand twice; `roots` (expressions,) their places. `sizes`: of the levels.
    """

    def __init__(self, programs: Programs) -> None:
        self.programs = programs
        codes, left, right = programs.nodes.astype(np.int64)
        leaf = codes >= LEAF
        heights = _compute_heights(leaf, left, right)
        # Node 0 stands for no operand.
        self.order: Ints = np.lexsort((codes, heights))
        self.order = self.order[self.order > 0]
        row_of_node = np.zeros(len(codes), np.int64)
        row_of_node[self.order] = np.arange(len(self.order))
        right = np.where(right == 0, left, right)
        table = np.stack([codes, row_of_node[left], row_of_node[right]], 1)[self.order]
        cuts = np.searchsorted(heights[self.order], np.arange(1, heights.max(initial=0) + 1))
        leaves, *levels = np.split(table, cuts)
        numbers = np.append(programs.numbers, 0.0)
        is_x = leaves[:, 0] < CONSTANT
        values = numbers[np.where(is_x, -1, leaves[:, 0] - CONSTANT)]
        self.sizes = [len(rows) for rows in levels]
        self.arrays: dict[str, NDArray[Any]] = {
            "leaves": np.where(is_x[:, None], np.float32(0), constant_features(values)),
            "is_x": is_x,
            **{f"level{number}": rows for number, rows in enumerate(levels, 1)},
            "roots": row_of_node[programs.roots],
        }

    def to_tensors(self) -> dict[str, torch.Tensor]:
        """Return the batch as tensors."""
        import torch

        return {name: torch.from_numpy(rows) for name, rows in self.arrays.items()}


def to_subterms(expressions: Sequence[Sequence[str]]) -> SubtermBatch:
    """Return expressions as their distinct sub-terms, level by level."""
    return SubtermBatch(compile_many(expressions))


def _compute_heights(leaf: NDArray[np.bool_], left: Ints, right: Ints) -> Ints:
    """(nodes,) 0 for leaves, and 1 more than the higher operand for the others."""
    heights = np.zeros(len(leaf), np.int64)
    # One pass a level: heights settle from the leaves upwards.
    while True:
        result = np.where(leaf, 0, 1 + np.maximum(heights[left], heights[right]))
        result[0] = 0
        if (result == heights).all():
            return heights
        heights = result


def constant_features(values: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return features of constants, shape `(constants, FEATURES)`: size on several scales, sign, integrality
    and residues.
    """
    size = np.abs(values)
    # Size on a linear, a logarithmic and two saturating scales: a constant may be 0.001 or 10^6.
    features = [np.ones_like(values), values / 10, np.sign(values) * np.log1p(size) / 3, np.tanh(values)]
    features += [1 / (1 + size), np.sign(values), values == np.round(values), size > 9.5]
    # Residues as angles, since parity and multiples decide about powers and angles.
    for period in _PERIODS:
        features += [np.cos(np.pi * values / period), np.sin(np.pi * values / period)]
    return np.stack(features, -1).astype(np.float32)


KIND = "egen-composed"
# Expressions that are embedded together, which bounds the memory.
_AT_ONCE = 2_048
_LONGEST = 10**6
_OF_NUMBERS = 64
"""Units of the hidden layer that reads constants."""


@specification
class ComposedSizes:
    """Sizes of a composed encoder."""

    d_model: Annotated[int, Arg("Dimension of a vector.", low=2)] = 96
    hidden: Annotated[
        int, Arg("Product units in the hidden layer, which has as many usual units.", low=2)
    ] = 192


def new_network(sizes: ComposedSizes, *, read_out: int = 0) -> torch.nn.Module:
    """Return a new composed network: a network for each operator, combined as the expression is.

    It takes what `SubtermBatch.to_tensors` returns and gives unit vectors, shape `(expressions, d_model)`;
    `compute_states` gives the vectors of all sub-terms, in their order. The vector of an operation is a
    linear map of its operands' vectors, plus a map of a hidden layer that has products of linear maps of both
    beside the usual units; its length is fixed. An embedding is a linear map of the vector of the whole
    expression.

    Args:
        read_out: How many values are read from the vector of every sub-term, in training only.
    """
    import torch
    from torch import nn

    class Composed(nn.Module):  # type: ignore[misc]  # an untyped library
        def __init__(self) -> None:
            super().__init__()
            self.sizes = sizes
            width, hidden, count = sizes.d_model, sizes.hidden, len(OPERATIONS)

            def new_weights(*shape: int, count: int = count) -> nn.Parameter:
                # Dividing by the root of the inputs' number keeps the variance of the outputs near 1.
                return nn.Parameter(torch.randn(count, *shape) / shape[0] ** 0.5)

            self.x = nn.Parameter(torch.randn(width))
            self.number = nn.Sequential(
                nn.Linear(FEATURES, _OF_NUMBERS), nn.GELU(), nn.Linear(_OF_NUMBERS, width)
            )
            self.left, self.right = new_weights(width, hidden), new_weights(width, hidden)
            # The usual units and the linear map, in one product of matrices.
            self.of_one = new_weights(width, hidden + width, count=UNARY_COUNT)
            self.of_two = new_weights(2 * width, hidden + width, count=count - UNARY_COUNT)
            self.out = new_weights(2 * hidden, width)
            self.bias = nn.Parameter(torch.zeros(count, hidden))
            self.embedding = nn.Linear(width, width, bias=False)
            self.values = nn.Linear(width, read_out) if read_out else None

        def forward(self, batch: Mapping[str, torch.Tensor]) -> torch.Tensor:
            return self.normalize_states(self.compute_states(batch)[batch["roots"]])

        def normalize_states(self, states: torch.Tensor) -> torch.Tensor:
            return nn.functional.normalize(self.embedding(states), dim=-1)

        def compute_states(self, batch: Mapping[str, torch.Tensor]) -> torch.Tensor:
            # Taken apart once, so that the gradient is put together once.
            rows = [weights.unbind() for weights in (self.left, self.right, self.out, self.bias)]
            networks = list(zip([*self.of_one, *self.of_two], *rows, strict=True))
            leaves = torch.where(batch["is_x"][:, None], self.x, self.number(batch["leaves"]))
            # Sub-terms are sorted by height, so every operand of a level is already in `states`.
            states = self._scale_states(leaves)
            level = 1
            while f"level{level}" in batch:
                numbers, left, right = batch[f"level{level}"].unbind(1)
                # Within a level, terms are sorted by operator: one product of matrices for each operator.
                kinds, counts = (column.tolist() for column in numbers.unique_consecutive(return_counts=True))
                operands = states[left].split(counts), states[right].split(counts)
                parts = zip(kinds, *operands, strict=True)
                results = [self._apply_operation(networks[kind], a, b) for kind, a, b in parts]
                states = torch.cat([states, self._scale_states(torch.cat(results))])
                level += 1
            return states

        def _apply_operation(
            self, network: Sequence[torch.Tensor], left: torch.Tensor, right: torch.Tensor
        ) -> torch.Tensor:
            of_operands, of_left, of_right, out, bias = network
            # Unary operators read the left operand only.
            operands = torch.cat([left, right], -1) if len(of_operands) > left.shape[-1] else left
            usual, through = (operands @ of_operands).split([len(bias), len(out[0])], -1)
            # Products of both operands let sums and products of values be represented; / 4 keeps their size
            # near that of the other units.
            products = (left @ of_left) * (right @ of_right) / 4
            hidden = torch.cat([products, nn.functional.gelu(usual + bias)], -1)
            return torch.addmm(through, hidden, out)

        def _scale_states(self, states: torch.Tensor) -> torch.Tensor:
            return nn.functional.normalize(states, dim=-1) * self.sizes.d_model**0.5

    return Composed()


class ComposedEncoder:
    """A composed network as an `Encoder` of expressions in generator prefix notation, of any length; its
    vectors have length 1 in any case."""

    max_length = _LONGEST

    def __init__(self, network: Any, name: str = "", *, device: str = "cpu") -> None:
        self.network, self.name = network.to(device), name
        self.dimension = int(network.sizes.d_model)
        self._device = device

    def encode(
        self, texts: Sequence[str], *, normalise: bool = True, events: Sink = ignore, stop: Stop = never
    ) -> Vectors:
        """Encode expressions as `Encoder.encode` does.

        Raises:
            ExpressionError: For a text that is no expression in x.
        """
        result = np.zeros((len(texts), self.dimension), np.float32)
        for begin in range(0, len(texts), _AT_ONCE):
            if stop():
                break
            part = to_subterms([text.split() for text in texts[begin : begin + _AT_ONCE]])
            result[begin : begin + _AT_ONCE] = self.embed_terms(part)
            done = min(begin + _AT_ONCE, len(texts))
            events(Event("progress", {"done": done, "total": len(texts), "unit": "expressions"}))
        check_finite(result, self.name)
        return normalize_rows(result) if normalise else result

    def embed_terms(self, part: SubtermBatch) -> Vectors:
        """Return unit vectors of expressions, shape `(expressions, dimension)`."""
        import torch

        with torch.inference_mode():
            batch = {name: rows.to(self._device) for name, rows in part.to_tensors().items()}
            rows: Vectors = self.network(batch).cpu().numpy()
            return rows


def save_network(network: Any, folder: Path, *, precision: Precision = "fp32") -> None:
    """Write weights and configuration.

    Args:
        precision: Of the stored weights; all are computed with in fp32.
    """
    weights = network.state_dict().items()
    stored = {name: tensor for name, tensor in weights if not name.startswith("values.")}
    write_weights(folder, stored, precision)
    write_json(folder / "config.json", {"model_type": KIND, "egen": asdict(network.sizes)})


def load_network(folder: Path) -> torch.nn.Module:
    """Return the network of a folder, in fp32.

    Raises:
        DataError: E642 for a folder that holds none.
    """

    def make_network(config: Mapping[str, Any]) -> torch.nn.Module:
        return new_network(read(ComposedSizes, config["egen"], prefix="egen.", code=CODE))

    return open_network(folder, KIND, make_network)

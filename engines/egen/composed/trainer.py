"""Training of a composed encoder on a corpus: members of a cluster close, everything else apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from engines.core.spec import Arg, specification, to_mapping
from engines.egen.composed.examples import ComposedExample, Tokens, draw_operation, near_copy, write_detour
from engines.egen.composed.network import (
    ComposedEncoder,
    ComposedSizes,
    load_network,
    new_network,
    save_network,
    to_subterms,
)
from engines.egen.models.config import CODE, Precision
from engines.egen.models.datasets import TrainingTexts
from engines.egen.models.model_folder import split_settings
from engines.egen.models.trainers import CorpusTask
from engines.egen.settings import SplitName
from engines.training.checkpoints import refuse_other_sizes
from engines.training.data import Resampled

if TYPE_CHECKING:
    import torch


_MOVED_TOKENS = (3, 8)
"""Heads of so many tokens are what operations are done to: x and f(x) alone are not among them."""


@specification
class ComposedSettings:
    """The settings in a recipe's table `model` besides the sizes; an example is a cluster."""

    tau: Annotated[float, Arg("Temperature.", low=0.001)] = 0.07
    members: Annotated[int, Arg("Members per cluster in a batch.", low=2)] = 3
    detours: Annotated[
        float, Arg("Share of members that get a detour, such as cot(atan u).", low=0, high=1)
    ] = 0.3
    copies: Annotated[int, Arg("Near-copies of each member.", low=0)] = 1
    moves: Annotated[
        float,
        Arg("Share of the clusters for which an operation is applied to two expressions.", low=0, high=1),
    ] = 0.5
    points: Annotated[int, Arg("Points of the complex plane at which values are learned.", low=4)] = 32
    values_weight: Annotated[float, Arg("Weight of the loss on values.", low=0)] = 1.0
    moves_weight: Annotated[float, Arg("Weight of the loss on operations.", low=0)] = 0.3
    split: Annotated[SplitName, Arg("Use the training side of this split.")] = "paper"
    max_length: Annotated[int, Arg("Longest expression, in tokens of training notation.", low=3)] = 200
    measured: Annotated[int, Arg("Validation expressions used per evaluation.", low=1)] = 4_000
    precision: Annotated[Precision, Arg("Precision of the stored weights.")] = "fp32"


def make_composed_task(model: Mapping[str, Any], data: Mapping[str, Path], *, seed: int) -> ComposedTask:
    """Return the training task of a recipe."""
    settings, sizes = split_settings(model, ComposedSettings, ComposedSizes)
    return ComposedTask(settings, sizes, data, seed)


class ComposedTask(CorpusTask):
    """The training of a composed encoder."""

    trainer, title = "egen.composed", "E-Gen composed encoder"
    use = (
        "from pathlib import Path\n"
        "from mathwb.egen.models.encode import load_encoder\n"
        'load_encoder(Path("this-folder")).encode(["pow sin x 2", "- 1 pow cos x 2"])  # prefix notation'
    )
    tags = ("feature-extraction", "mathematics")

    def __init__(
        self, settings: ComposedSettings, sizes: ComposedSizes, data: Mapping[str, Path], seed: int
    ) -> None:
        super().__init__(data, seed, settings.split, settings.max_length, settings.measured)
        self.settings, self.sizes = settings, sizes

    def model_settings(self) -> dict[str, Any]:
        """Return the settings and sizes as a recipe has them."""
        return to_mapping(self.settings) | to_mapping(self.sizes)

    @cached_property
    def texts(self) -> TrainingTexts:
        """The clusters to train on."""
        return self.training_texts()

    @cached_property
    def _short(self) -> list[Tokens]:
        low, high = _MOVED_TOKENS
        heads = (tuple(texts[0].split()) for texts in self.texts.clusters)
        return [head for head in heads if low <= len(head) <= high and "d" not in head]

    def model(self) -> torch.nn.Module:
        """Return the network, new, or that of the data `backbone` with a new map to values.

        Raises:
            EngineError: E640 for one of other sizes.
        """
        made = new_network(self.sizes, read_out=2 * self.settings.points)
        if "backbone" in self.data:
            given = load_network(self.data["backbone"])
            refuse_other_sizes(
                self.data["backbone"].name, to_mapping(given.sizes), to_mapping(self.sizes), CODE
            )
            made.load_state_dict(given.state_dict(), strict=False)
        return made

    def train_data(self) -> Resampled[ComposedExample]:
        """Return the examples, drawn again in every epoch."""
        return Resampled(len(self.texts.clusters), self._draw_example, self.seed)

    def _draw_example(self, number: int, draw: np.random.Generator) -> ComposedExample:
        texts = self.texts.clusters[number]
        chosen = draw.permutation(len(texts))[: self.settings.members].tolist()
        read = (tuple(texts[index].split()) for index in chosen)
        share = self.settings.detours
        members = tuple(write_detour(each, draw) if draw.random() < share else each for each in read)
        tried = [near_copy(member, draw) for member in members for _ in range(self.settings.copies)]
        moves = []
        if self._short and draw.random() < self.settings.moves:
            left, right = (self._short[index] for index in draw.integers(len(self._short), size=2))
            operation = draw_operation(draw)
            moves.append((left, right, operation(left), operation(right)))
        return ComposedExample(
            number, members, tuple(each for each in tried if each is not None), tuple(moves)
        )

    def length(self, example: ComposedExample) -> int:
        """Return the length of an example in tokens."""
        return sum(map(len, example.expressions))

    def collate(self, examples: Sequence[ComposedExample]) -> dict[str, torch.Tensor]:
        """Return the tensors of `Terms` of members, then copies, then what operations were done to, then the
        rest.

        `clusters`: (members,). `same`: (members, members + copies) of one cluster, or of the same values as
        far as is known. `moves`: (moves, 4) rows. `values`: of every sub-term.
        """
        import torch

        from engines.egen.composed.examples import are_alike, compute_subterm_values, plane_points

        members = [member for example in examples for member in example.members]
        copies = [copy for example in examples for copy in example.copies]
        moves = [each for example in examples for move in example.moves for each in move]
        result = to_subterms([*members, *copies, *moves])
        values = compute_subterm_values(result, plane_points(self.settings.points))
        rows = values[result.arrays["roots"][: len(members) + len(copies)]]
        clusters = np.repeat(
            [example.number for example in examples], [len(example.members) for example in examples]
        )
        same = are_alike(rows[: len(members)], rows)
        same[:, : len(members)] |= clusters[:, None] == clusters
        extra = {
            "clusters": clusters,
            "same": same,
            "moves": np.arange(len(moves)).reshape(-1, 4) + len(rows),
            "values": values,
        }
        return result.to_tensors() | {name: torch.from_numpy(array) for name, array in extra.items()}

    def counts(self, batch: Mapping[str, Any]) -> tuple[int, ...]:
        """Return the numbers of expressions, of values and of moves in a batch."""
        return len(batch["clusters"]), int(batch["values"].isfinite().sum()), len(batch["moves"])

    def loss(self, model: torch.nn.Module, batch: Mapping[str, Any]) -> torch.Tensor:
        """Return three losses in nats, shape `(3,)`.

        The first is InfoNCE: to find another member among all expressions of the batch that are not equal.
        The second is the smooth distance of the values of sub-terms from those that a linear map reads from
        their vectors, times its weight. The third is to find p(v) as nearest to p(u) - u + v, times its
        weight. Each process has its own batch.
        """
        import torch
        from torch.nn import functional

        states = model.compute_states(batch)
        vectors = model.normalize_states(states[batch["roots"]])
        clusters, same = batch["clusters"], batch["same"]
        count = len(clusters)
        # Contrast: InfoNCE over all expressions; `same` hides those of the cluster from the denominator.
        cosines = vectors[:count] @ vectors[: same.shape[1]].T / self.settings.tau
        others = cosines.masked_fill(same, -torch.inf).logsumexp(1, keepdim=True)
        partner = clusters[:, None] == clusters
        partner.fill_diagonal_(fill_value=False)
        right = cosines[:, :count][partner]
        contrast = (torch.logaddexp(right, others.expand(-1, count)[partner]) - right).mean()

        # Values: where a function has none, nothing is asked.
        known = batch["values"].isfinite()
        predicted = model.values(states)[known]
        value_loss = functional.smooth_l1_loss(predicted, batch["values"][known], beta=0.5)

        # Moves: v(u') - v(u) + v(w) has to point to v(w') among all of the batch but its own three terms.
        moves = batch["moves"]
        if not len(moves):
            return torch.stack([contrast, self.settings.values_weight * value_loss, contrast.new_zeros(())])
        first, second, one_moved, other_moved = moves.unbind(1)
        target = functional.normalize(vectors[one_moved] - vectors[first] + vectors[second], dim=-1)
        scores = target @ vectors.T / 0.1
        asked = torch.stack([first, second, one_moved], 1)
        scores = scores.scatter(1, asked, -torch.inf)
        move = functional.cross_entropy(scores, other_moved)
        weights = contrast.new_tensor([1.0, self.settings.values_weight, self.settings.moves_weight])
        return torch.stack([contrast, value_loss, move]) * weights

    def evaluate(self, model: torch.nn.Module) -> dict[str, float]:
        """Measure K-means accuracy and retrieval on the validation expressions."""
        device = str(next(model.parameters()).device)
        return self.measure_clustering(ComposedEncoder(model, device=device))

    def save(self, model: torch.nn.Module, folder: Path, facts: Mapping[str, Any]) -> None:
        """Write the network and its card into a folder."""
        save_network(model, folder, precision=self.settings.precision)
        texts = self.texts
        self.write_card(folder, facts, len(texts.clusters), texts.count, texts)

"""The two losses of the sentence encoder, taken in turns (MathAMR, section 4.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["contrastive", "multiple_negatives"]


def contrastive(
    left: Tensor,
    right: Tensor,
    labels: Tensor,
    *,
    margin: float,
    online: bool,
    among: tuple[Tensor, Tensor] | None = None,
) -> Tensor:
    """The mean over pairs of y d² + (1 - y) max(0, margin - d)², d the cosine distance.

    Args: left, right: (batch, dim) unit rows. labels: (batch,) 0 to 1; a label of .5 counts half on either
    side. online: only hard pairs count: equal ones farther apart than the closest unequal pair, unequal ones
    closer than the farthest equal pair. among: labels and distances of the pairs that decide which are hard,
    where there are more than these.
    """
    import torch

    distance = 1 - (left * right).sum(-1)
    attract, repel = labels * distance**2, (1 - labels) * (margin - distance).clamp(min=0) ** 2
    if online:
        marks, distances = (labels, distance.detach()) if among is None else among
        positive, negative = marks > 0, marks < 1
        if bool(positive.any()) and bool(negative.any()):
            nearest, farthest = distances[negative].min(), distances[positive].max()
            attract = torch.where(distance > nearest, attract, torch.zeros_like(attract))
            repel = torch.where(distance < farthest, repel, torch.zeros_like(repel))
    return (attract + repel).mean()


def multiple_negatives(left: Tensor, right: Tensor, *, scale: float, begin: int = 0) -> Tensor:
    """Cross-entropy in nats of each left row's own right row among all of them, by scaled cosines.

    Args: left: (batch, dim), right: (rows, dim), unit rows; the own ones of left stand from `begin` on. The
    same right row twice, to 1e-6 of the cosine, counts as right either time.
    """
    import torch

    scores = scale * left @ right.T
    own_row = begin + torch.arange(len(left), device=left.device)
    same = right[own_row] @ right.T > 1 - 1e-6
    same[torch.arange(len(left), device=left.device), own_row] = True
    own = torch.logsumexp(scores.masked_fill(~same, float("-inf")), -1)
    return (torch.logsumexp(scores, -1) - own).mean()

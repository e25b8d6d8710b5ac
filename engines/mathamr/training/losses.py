"""The two losses of the sentence encoder, taken in turns (MathAMR, section 4.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["contrastive", "multiple_negatives"]


def contrastive(left: Tensor, right: Tensor, labels: Tensor, *, margin: float, online: bool) -> Tensor:
    """The mean over pairs of y d² + (1 - y) max(0, margin - d)², d the cosine distance.

    Args: left, right: (batch, dim) unit rows. labels: (batch,) 0 to 1; a label of .5 counts half on either
    side. online: only hard pairs count: equal ones farther apart than the closest unequal pair, unequal ones
    closer than the farthest equal pair.
    """
    import torch

    distance = 1 - (left * right).sum(-1)
    attract, repel = labels * distance**2, (1 - labels) * (margin - distance).clamp(min=0) ** 2
    if online:
        positive, negative = labels > 0, labels < 1
        if bool(positive.any()) and bool(negative.any()):
            nearest = distance[negative].min().detach()
            farthest = distance[positive].max().detach()
            attract = torch.where(distance > nearest, attract, torch.zeros_like(attract))
            repel = torch.where(distance < farthest, repel, torch.zeros_like(repel))
    return (attract + repel).mean()


def multiple_negatives(left: Tensor, right: Tensor, *, scale: float) -> Tensor:
    """Cross-entropy in nats of each left row's own right row among all of them, by scaled cosines.

    Args: left, right: (batch, dim) unit rows. The same right row twice counts as right either time.
    """
    import torch

    scores = scale * left @ right.T
    same = (right @ right.T > 1 - 1e-6) | torch.eye(len(right), dtype=torch.bool, device=right.device)
    own = torch.logsumexp(scores.masked_fill(~same, float("-inf")), -1)
    return (torch.logsumexp(scores, -1) - own).mean()

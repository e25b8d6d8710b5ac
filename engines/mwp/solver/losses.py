"""The contrastive loss of section 3.2 of the paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engines.training.processes import rows_of_all

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["contrastive"]


def contrastive(anchor: Tensor, positive: Tensor, negative: Tensor, tau: float) -> Tensor:
    """The mean over i of -ln( e^(cos(x_i, x_i+)/tau) / sum over j of e^(cos(x_i, x_j+)/tau) +
    e^(cos(x_i, x_j-)/tau) ), in nats; j goes over the batches of all processes. 0 for no anchors.

    Args: anchor, positive, negative: (batch, width).
    """
    import torch
    import torch.nn.functional as F  # noqa: N812  # the name everybody uses

    both, begin = rows_of_all(torch.cat([positive, negative], -1))
    others = F.normalize(torch.cat(both.chunk(2, -1)), dim=-1)
    cosines = F.normalize(anchor, dim=-1) @ others.T
    right = begin + torch.arange(len(anchor), device=anchor.device)
    return F.cross_entropy(cosines / tau, right, reduction="sum") / max(1, len(anchor))

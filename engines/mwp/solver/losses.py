"""The contrastive loss of section 3.2 of the paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["contrastive"]


def contrastive(anchor: Tensor, positive: Tensor, negative: Tensor, tau: float) -> Tensor:
    """The mean over i of -ln( e^(cos(x_i, x_i+)/tau) / sum over j of e^(cos(x_i, x_j+)/tau) +
    e^(cos(x_i, x_j-)/tau) ), in nats. Args: anchor, positive, negative: (batch, width)."""
    import torch
    import torch.nn.functional as F  # noqa: N812  # the name everybody uses

    others = F.normalize(torch.cat([positive, negative]), dim=-1)
    cosines = F.normalize(anchor, dim=-1) @ others.T
    return F.cross_entropy(cosines / tau, torch.arange(len(anchor), device=anchor.device))

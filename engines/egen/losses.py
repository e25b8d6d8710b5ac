"""The losses of E-Gen (fact sheet section 3), means over the batch in nats."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engines.egen.sequences import PAD
from engines.egen.settings import Negatives

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["contrastive", "sequence"]


def sequence(logits: Tensor, target: Tensor, smoothing: float = 0.1) -> Tensor:
    """Cross-entropy with label smoothing over real tokens. Args: logits: (batch, length - 1, vocabulary) as
    `EgenModel.logits` gives them. target: (batch, length) ids from SOE on."""
    import torch.nn.functional as F  # noqa: N812  # the name everybody uses

    return F.cross_entropy(
        logits.flatten(0, 1), target[:, 1:].flatten(), ignore_index=PAD, label_smoothing=smoothing
    )


def contrastive(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor | None = None,
    *,
    negatives: Negatives = "batch",
    tau: float = 0.1,
    clusters: Tensor | None = None,
) -> Tensor:
    """-ln of the share of exp(cos/tau) that the right partner has.

    Args: anchor, positive, negative: (batch, d) embeddings. clusters: (batch,) which cluster each pair is of,
    with `positives`: others of the same cluster are no negatives.
    """
    import torch
    import torch.nn.functional as F  # noqa: N812

    anchor, positive = F.normalize(anchor, dim=-1), F.normalize(positive, dim=-1)
    count = len(anchor)
    if negatives == "positives":
        assert clusters is not None
        logits = anchor @ positive.T / tau
        same = clusters[:, None] == clusters
        same.fill_diagonal_(False)
        logits = logits.masked_fill(same, -torch.inf)
        right = torch.arange(count, device=logits.device)
        return (F.cross_entropy(logits, right) + F.cross_entropy(logits.T, right)) / 2
    assert negative is not None
    negative = F.normalize(negative, dim=-1)
    own = (anchor * positive).sum(-1, keepdim=True)
    others = anchor @ negative.T if negatives == "batch" else (anchor * negative).sum(-1, keepdim=True)
    logits = torch.cat([own, others], 1) / tau
    return F.cross_entropy(logits, torch.zeros(count, dtype=torch.long, device=logits.device))

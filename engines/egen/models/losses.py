"""The losses of E-Gen (section 3 of the paper), means over the batch in nats."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from engines.egen.models.sequences import PAD
from engines.egen.models.settings import Negatives

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["contrastive", "sequence"]

Gather = Callable[["Tensor"], tuple["Tensor", int]]
"""From rows to those of all processes and where the own ones begin."""


def alone(rows: Tensor) -> tuple[Tensor, int]:
    """The rows of the only process there is."""
    return rows, 0


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
    gather: Gather = alone,
) -> Tensor:
    """-ln of the share of exp(cos/tau) that the right partner has.

    Args: anchor, positive, negative: (batch, d) embeddings. clusters: (batch,) which cluster each pair is of,
    with `positives`: others of the same cluster are no negatives. gather: the rows of all processes, so that
    what is a negative to one is a negative to all.
    """
    import torch
    import torch.nn.functional as F  # noqa: N812

    anchor, positive = F.normalize(anchor, dim=-1), F.normalize(positive, dim=-1)
    count = len(anchor)
    if negatives == "positives":
        assert clusters is not None
        (everywhere, begin), (of, _) = gather(torch.cat([anchor, positive], -1)), gather(clusters)
        anchors, positives = everywhere.chunk(2, -1)
        right = begin + torch.arange(count, device=anchor.device)
        same = clusters[:, None] == of
        same[torch.arange(count, device=anchor.device), right] = False
        forth, back = (
            F.cross_entropy((rows @ others.T / tau).masked_fill(same, -torch.inf), right)
            for rows, others in ((anchor, positives), (positive, anchors))
        )
        return (forth + back) / 2
    assert negative is not None
    negative = F.normalize(negative, dim=-1)
    own = (anchor * positive).sum(-1, keepdim=True)
    one = negatives == "one"
    others = (anchor * negative).sum(-1, keepdim=True) if one else anchor @ gather(negative)[0].T
    logits = torch.cat([own, others], 1) / tau
    return F.cross_entropy(logits, torch.zeros(count, dtype=torch.long, device=logits.device))

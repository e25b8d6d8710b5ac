"""The losses by which E-Gen's models are trained (section 3 of the paper)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from engines.egen.models.config import Negatives
from engines.mathematics.terms.notation import PAD

if TYPE_CHECKING:
    from torch import Tensor

Gather = Callable[["Tensor"], tuple["Tensor", int]]
"""From rows to those of all processes and where the own ones begin."""


def single_process_rows(rows: Tensor) -> tuple[Tensor, int]:
    """Return the rows of the only process there is."""
    return rows, 0


def sequence_loss(logits: Tensor, target: Tensor, smoothing: float = 0.1) -> Tensor:
    """Return the cross-entropy with label smoothing over real tokens, in nats per token.

    Args:
        logits: (batch, length - 1, vocabulary) as `logits` gives them.
        target: (batch, length) ids from SOE on.
    """
    import torch.nn.functional as F  # noqa: N812  # the name everybody uses

    return F.cross_entropy(
        logits.flatten(0, 1), target[:, 1:].flatten(), ignore_index=PAD, label_smoothing=smoothing
    )


def contrastive_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor | None = None,
    *,
    negatives: Negatives = "batch",
    tau: float = 0.1,
    clusters: Tensor | None = None,
    gather: Gather = single_process_rows,
) -> Tensor:
    """Return the contrastive loss: -ln of the share of exp(cos/τ) that the right partner has, in nats.

    E-Gen, section 3: -ln(e^{f(x)·f(x+)/τ} / (e^{f(x)·f(x+)/τ} + Σ_j e^{f(x)·f(x_j−)/τ})), where f(x) is
    `anchor`, f(x+) `positive`, f(x−) `negative` and τ `tau`, over vectors of length 1. With `negatives`
    "one", j is the anchor's own negative, as the paper writes it; with "batch", all negatives of the batch,
    as its code does.

    Args:
        anchor, positive, negative: Embeddings, shape `(batch, d)`.
        clusters: The cluster of each pair, shape `(batch,)`, for `negatives` "positives": other pairs of the
            same cluster are no negatives.
        gather: Returns the rows of all processes, so that a negative to one is a negative to all.
    """
    import torch
    import torch.nn.functional as F  # noqa: N812

    anchor, positive = F.normalize(anchor, dim=-1), F.normalize(positive, dim=-1)
    count = len(anchor)
    if negatives == "positives":
        assert clusters is not None
        (everywhere, begin), (of, _) = gather(torch.cat([anchor, positive], -1)), gather(clusters)
        anchors, positives = everywhere.chunk(2, -1)
        # `right` is the row of each pair among the rows of all processes.
        right = begin + torch.arange(count, device=anchor.device)
        same = clusters[:, None] == of
        same[torch.arange(count, device=anchor.device), right] = False
        # Both ways: each anchor finds its positive, and each positive its anchor.
        forth, back = (
            F.cross_entropy((rows @ others.T / tau).masked_fill(same, -torch.inf), right)
            for rows, others in ((anchor, positives), (positive, anchors))
        )
        return (forth + back) / 2
    assert negative is not None
    negative = F.normalize(negative, dim=-1)
    # Column 0 is the right partner, so the target of the cross-entropy is 0 everywhere.
    own = (anchor * positive).sum(-1, keepdim=True)
    one = negatives == "one"
    others = (anchor * negative).sum(-1, keepdim=True) if one else anchor @ gather(negative)[0].T
    logits = torch.cat([own, others], 1) / tau
    return F.cross_entropy(logits, torch.zeros(count, dtype=torch.long, device=logits.device))

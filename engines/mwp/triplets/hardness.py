"""Hardness of triplets: how like in words a negative is, and how far its equation, on average."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from engines.mwp.triplets.pool import Pool
from engines.mwp.triplets.settings import Triplet


def hardness(triplets: Sequence[Triplet], pool: Pool) -> dict[str, Any]:
    """Means over triplets.

    text_sim_negative and text_sim_positive: of the texts with the anchor's. eq_sim_negative: of the
    equations. harder: the share whose negative is nearer in words than the positive, anchors that are their
    own positive left out. own: the share whose negative was made from the anchor itself. alone: the share of
    anchors without another of their equation. negatives: how many different ones there are.
    """
    if not triplets:
        return {"triplets": 0}
    other = [triplet for triplet in triplets if triplet.positive != triplet.anchor]
    of = [pool.examples[pool.place[triplet.negative]].of for triplet in triplets]

    def mean(values: Sequence[float]) -> float | None:
        return round(float(np.mean(values)), 4) if len(values) else None

    return {
        "triplets": len(triplets),
        "text_sim_negative": mean([triplet.text_sim_negative for triplet in triplets]),
        "text_sim_positive": mean([triplet.text_sim_positive for triplet in other]),
        "eq_sim_negative": mean([triplet.eq_sim_negative for triplet in triplets]),
        "harder": mean([float(triplet.margin > 0) for triplet in other]),
        "own": mean([float(triplet.anchor == source) for triplet, source in zip(triplets, of, strict=True)]),
        "alone": mean([float(triplet.alone) for triplet in triplets]),
        "negatives": len({triplet.negative for triplet in triplets}),
    }

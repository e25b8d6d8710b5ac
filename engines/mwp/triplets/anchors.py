"""Anchors of a file of problems: what triplets are found for, and what the pool holds of each equation."""

from __future__ import annotations

from collections import Counter
from typing import Any

from engines.core.events import Sink, Stop, ignore, never
from engines.mwp.triplets.find import ready
from engines.mwp.triplets.settings import ListAnchors, TripletSearch

__all__ = ["list_anchors"]


def list_anchors(spec: ListAnchors, *, events: Sink = ignore, stop: Stop = never) -> dict[str, Any]:
    """The anchors in the order of the file; the equations of the pool, the commonest first.

    Raises: as `engines.mwp.triplets.find.ready` does.
    """
    found = ready(TripletSearch(data=spec.data, pool=spec.pool), events=events, stop=stop)
    pool = found.pool
    parts: dict[str, Counter[str]] = {}
    for example in pool.examples:
        parts.setdefault(example.problem.template, Counter())[example.part] += 1
    like = {
        example.problem.id: len(pool.members[equation])
        for example, equation in zip(pool.examples, pool.equation, strict=True)
    }
    templates = [
        {
            "template": template,
            "count": counts.total(),
            **{part: counts[part] for part in ("train", "qr", "roda")},
        }
        for template, counts in parts.items()
    ]
    return {
        "data": spec.data,
        "anchors": [
            {
                "id": problem.id,
                "template": problem.template,
                "text": problem.text,
                "source": problem.source,
                "fold": problem.fold,
                "like": like[problem.id],
            }
            for problem in found.anchors
        ],
        "languages": dict(Counter(problem.language for problem in found.anchors)),
        "unusable": found.unusable,
        "pool": pool.counts(),
        "templates": sorted(templates, key=lambda row: (-row["count"], row["template"])),
    }

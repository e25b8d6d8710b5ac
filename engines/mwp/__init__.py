"""Math word problems: read, augmented, and paired by what they ask and how they are told.

Each verb takes its spec: `described_problems(DescribeProblems(data=(path,)))`. Both are loaded when they are
asked for.
"""

from __future__ import annotations

from engines.core.verbs import offered

_VERBS = {
    "described_problems": ("problems.describe", "DescribeProblems"),
    "augment": ("augmentation.augment", "Augment"),
    "list_anchors": ("triplets.anchors", "ListAnchors"),
    "find_triplets": ("triplets.find", "FindTriplets"),
    "explain": ("triplets.explain", "ExplainTriplet"),
    "challenge": ("augmentation.challenge", "Challenge"),
    "similarity": ("triplets.similar", "Similarity"),
}
__all__, __getattr__ = offered(__name__, _VERBS)

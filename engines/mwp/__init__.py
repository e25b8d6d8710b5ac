"""Math word problems: read, augmented, paired by what they ask and how they are told, and solved.

Each verb takes its spec: `described_problems(DescribeProblems(data=(path,)))`. All are loaded when they are
asked for.
"""

from __future__ import annotations

from engines.core.spec import offer_verbs

_VERBS = {
    "described_problems": ("problems.readers", "DescribeProblems"),
    "augment": ("augmentation.augment", "Augment"),
    "find_triplets": ("triplets.find_and_explain", "FindTriplets"),
    "explain": ("triplets.find_and_explain", "ExplainTriplet"),
    "solve": ("solver.solve", "Solve"),
    "evaluate_solver": ("evaluations.evaluate", "EvaluateSolver"),
}
__all__, __getattr__ = offer_verbs(__name__, _VERBS)

"""Operations on math word problems, in the order in which help lists them."""

from __future__ import annotations

from workbench.operation import Background, Operation, Where

_TABLES = "workbench.papers.mwp.tables"

OPERATIONS = (
    Operation(
        "mwp.problems",
        "What files of problems hold, and what is wrong with them.",
        "engines.mwp.problems.describe:described_problems",
    ),
    Operation(
        "mwp.augment",
        "Make further problems: question first, or another number asked for.",
        "engines.mwp.augmentation.augment:augment",
        background=Background("mwp augment {data.name}", "makes variants of {data}"),
    ),
    Operation(
        "mwp.triplets",
        "Find hard triplets: the same logic in other words, other logic in like words.",
        "engines.mwp.triplets.find:find_triplets",
        spec="engines.mwp.triplets.settings:FindTriplets",
        background=Background("mwp triplets {data.name}", "finds triplets of {data}"),
        where=Where("triplets", f"{_TABLES}:TRIPLETS", f"{_TABLES}:triplet_address", unless="out"),
    ),
    Operation(
        "mwp.anchors",
        "The problems that triplets are found for, and the equations of the pool.",
        "engines.mwp.triplets.find:list_anchors",
        spec="engines.mwp.triplets.settings:ListAnchors",
        where=Where("anchors", f"{_TABLES}:ANCHORS"),
    ),
    Operation(
        "mwp.explain",
        "Why a problem has the triplet that it has.",
        "engines.mwp.triplets.explain:explain",
        spec="engines.mwp.triplets.settings:ExplainTriplet",
        where=Where("positives negatives lost own", f"{_TABLES}:CANDIDATES"),
    ),
    Operation(
        "mwp.challenge",
        "Make a challenge set by the papers' procedures.",
        "engines.mwp.augmentation.augment:challenge",
    ),
    Operation(
        "mwp.similarity",
        "How similar two equations or two texts are.",
        "engines.mwp.triplets.similarity:similarity",
        spec="engines.mwp.triplets.settings:Similarity",
    ),
    Operation("mwp.solve", "Solve a problem told in words, step by step.", "engines.mwp.solver.solve:solve"),
    Operation(
        "mwp.eval",
        "Measure a solver on problems.",
        "engines.mwp.evaluations.evaluate:evaluate_solver",
        text=f"{_TABLES}:evaluate",
    ),
    Operation(
        "mwp.tsne",
        "A picture of a solver's vectors of problems.",
        "engines.mwp.evaluations.evaluate:arrange_problems",
        text=f"{_TABLES}:arrange",
    ),
    Operation(
        "mwp.labels",
        "Print the triplets that you have labelled bad on the screen.",
        "workbench.papers.mwp.labels:own_labels",
    ),
)

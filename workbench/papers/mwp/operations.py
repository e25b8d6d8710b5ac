"""Operations on math word problems, in the order in which help lists them."""

from __future__ import annotations

from workbench.operation import Background, Operation, Where

_TABLES = "workbench.papers.mwp.tables"

OPERATIONS = (
    Operation(
        "mwp.problems",
        "Read and check files of problems.",
        "engines.mwp.problems.describe:described_problems",
        tool=True,
        tables=True,
    ),
    Operation(
        "mwp.augment",
        "Make new problems: question first, or asking for another number.",
        "engines.mwp.augmentation.augment:augment",
        background=Background("mwp augment {data.name}", "makes variants of {data}"),
    ),
    Operation(
        "mwp.triplets",
        "Find hard triplets: same equation in other words, other equation in similar words.",
        "engines.mwp.triplets.find:find_triplets",
        spec="engines.mwp.triplets.settings:FindTriplets",
        background=Background("mwp triplets {data.name}", "finds triplets of {data}"),
        where=Where("triplets", f"{_TABLES}:TRIPLETS", f"{_TABLES}:triplet_address", unless="out"),
        tool=True,
        tables=True,
    ),
    Operation(
        "mwp.anchors",
        "The anchor problems, and the equations of the pool.",
        "engines.mwp.triplets.find:list_anchors",
        spec="engines.mwp.triplets.settings:ListAnchors",
        where=Where("anchors", f"{_TABLES}:ANCHORS"),
        tables=True,
    ),
    Operation(
        "mwp.explain",
        "Show why a problem got its triplet.",
        "engines.mwp.triplets.explain:explain",
        spec="engines.mwp.triplets.settings:ExplainTriplet",
        where=Where("positives negatives lost own", f"{_TABLES}:CANDIDATES"),
        tool=True,
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
        tool=True,
    ),
    Operation(
        "mwp.solve",
        "Solve a math word problem, step by step.",
        "engines.mwp.solver.solve:solve",
        tool=True,
    ),
    Operation(
        "mwp.eval",
        "Evaluate a solver on problems.",
        "engines.mwp.evaluations.evaluate:evaluate_solver",
        text=f"{_TABLES}:evaluate",
        tool=True,
        tables=True,
    ),
    Operation(
        "mwp.tsne",
        "A map of problems, by a solver's vectors.",
        "engines.mwp.evaluations.evaluate:arrange_problems",
        text=f"{_TABLES}:arrange",
        tables=True,
    ),
    Operation(
        "mwp.labels",
        "Print the triplets that you labelled bad on the screen.",
        "workbench.papers.mwp.labels:own_labels",
    ),
)

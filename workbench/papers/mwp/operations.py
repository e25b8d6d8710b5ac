"""Operations on math word problems, in the order in which help lists them."""

from __future__ import annotations

from workbench.operation import Background, Operation, Where

_TEXT = "workbench.papers.mwp.tables"

OPERATIONS = (
    Operation(
        "mwp.problems",
        "What files of problems hold, and what is wrong with them.",
        spec="engines.mwp.problems.describe:DescribeProblems",
        call="engines.mwp.problems.describe:described_problems",
        text=f"{_TEXT}:problems",
    ),
    Operation(
        "mwp.augment",
        "Make further problems: question first, or another number asked for.",
        spec="engines.mwp.augmentation.augment:Augment",
        call="engines.mwp.augmentation.augment:augment",
        text=f"{_TEXT}:augment",
        background=Background("mwp augment {data.name}", "makes variants of {data}"),
    ),
    Operation(
        "mwp.triplets",
        "Find hard triplets: the same logic in other words, other logic in like words.",
        spec="engines.mwp.triplets.settings:FindTriplets",
        call="engines.mwp.triplets.find:find_triplets",
        text=f"{_TEXT}:triplets",
        background=Background("mwp triplets {data.name}", "finds triplets of {data}"),
        where=Where("triplets", f"{_TEXT}:TRIPLETS", f"{_TEXT}:triplet_address", unless="out"),
    ),
    Operation(
        "mwp.anchors",
        "The problems that triplets are found for, and the equations of the pool.",
        spec="engines.mwp.triplets.settings:ListAnchors",
        call="engines.mwp.triplets.find:list_anchors",
        text=f"{_TEXT}:anchors",
        where=Where("anchors", f"{_TEXT}:ANCHORS"),
    ),
    Operation(
        "mwp.explain",
        "Why a problem has the triplet that it has.",
        spec="engines.mwp.triplets.settings:ExplainTriplet",
        call="engines.mwp.triplets.explain:explain",
        text=f"{_TEXT}:explain",
        where=Where("positives negatives lost own", f"{_TEXT}:CANDIDATES"),
    ),
    Operation(
        "mwp.challenge",
        "Make a challenge set by the papers' procedures.",
        spec="engines.mwp.augmentation.augment:Challenge",
        call="engines.mwp.augmentation.augment:challenge",
        text=f"{_TEXT}:challenge",
    ),
    Operation(
        "mwp.similarity",
        "How similar two equations or two texts are.",
        spec="engines.mwp.triplets.settings:Similarity",
        call="engines.mwp.triplets.similarity:similarity",
        text=f"{_TEXT}:similarity",
    ),
    Operation(
        "mwp.solve",
        "Solve a problem told in words, step by step.",
        spec="engines.mwp.solver.solve:Solve",
        call="engines.mwp.solver.solve:solve",
        text=f"{_TEXT}:solve",
    ),
    Operation(
        "mwp.eval",
        "Measure a solver on problems.",
        spec="engines.mwp.evaluations.evaluate:EvaluateSolver",
        call="engines.mwp.evaluations.evaluate:evaluate_solver",
        text=f"{_TEXT}:evaluate",
    ),
    Operation(
        "mwp.tsne",
        "A picture of a solver's vectors of problems.",
        spec="engines.mwp.evaluations.evaluate:ArrangeProblems",
        call="engines.mwp.evaluations.evaluate:arrange_problems",
        text=f"{_TEXT}:arrange",
    ),
    Operation(
        "mwp.labels",
        "Print the triplets that you have labelled bad on the screen.",
        spec="workbench.papers.mwp.labels:OwnLabels",
        call="workbench.papers.mwp.labels:own_labels",
        text=f"{_TEXT}:labels",
    ),
)

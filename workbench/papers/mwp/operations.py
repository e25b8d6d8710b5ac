"""Operations on math word problems, in the order in which help lists them."""

from __future__ import annotations

from workbench.operation import Background, Operation, Where

__all__ = ["OPERATIONS"]

_ENGINE = "engines.mwp"
_ROWS = "workbench.papers.mwp.rows"
_TEXT = "workbench.papers.mwp.text"
_SOLVER_TEXT = "workbench.papers.mwp.solver_text"

OPERATIONS = (
    Operation(
        "mwp.problems",
        "What files of problems hold, and what is wrong with them.",
        spec=f"{_ENGINE}.problems.describe:DescribeProblems",
        call=f"{_ENGINE}.problems.describe:described_problems",
        text=f"{_TEXT}:problems",
    ),
    Operation(
        "mwp.augment",
        "Make further problems: question first, or another number asked for.",
        spec=f"{_ENGINE}.augmentation.augment:Augment",
        call=f"{_ENGINE}.augmentation.augment:augment",
        text=f"{_TEXT}:augment",
        background=Background("mwp augment {data.name}", "makes variants of {data}"),
    ),
    Operation(
        "mwp.triplets",
        "Find hard triplets: the same logic in other words, other logic in like words.",
        spec=f"{_ENGINE}.triplets.settings:FindTriplets",
        call=f"{_ENGINE}.triplets.find:find_triplets",
        text=f"{_TEXT}:triplets",
        background=Background("mwp triplets {data.name}", "finds triplets of {data}"),
        where=Where(
            "triplets",
            f"{_ROWS}:TRIPLET_FIELDS",
            f"{_ROWS}:triplet_row",
            f"{_ROWS}:triplet_address",
            unless="out",
        ),
    ),
    Operation(
        "mwp.anchors",
        "The problems that triplets are found for, and the equations of the pool.",
        spec=f"{_ENGINE}.triplets.settings:ListAnchors",
        call=f"{_ENGINE}.triplets.anchors:list_anchors",
        text=f"{_TEXT}:anchors",
        where=Where("anchors", f"{_ROWS}:ANCHOR_FIELDS", f"{_ROWS}:anchor_row"),
    ),
    Operation(
        "mwp.explain",
        "Why a problem has the triplet that it has.",
        spec=f"{_ENGINE}.triplets.settings:ExplainTriplet",
        call=f"{_ENGINE}.triplets.explain:explain",
        text=f"{_TEXT}:explain",
        where=Where("positives negatives lost own", f"{_ROWS}:CANDIDATE_FIELDS", f"{_ROWS}:explained_row"),
    ),
    Operation(
        "mwp.challenge",
        "Make a challenge set by the papers' procedures.",
        spec=f"{_ENGINE}.augmentation.challenge:Challenge",
        call=f"{_ENGINE}.augmentation.challenge:challenge",
        text=f"{_TEXT}:challenge",
    ),
    Operation(
        "mwp.similarity",
        "How similar two equations or two texts are.",
        spec=f"{_ENGINE}.triplets.settings:Similarity",
        call=f"{_ENGINE}.triplets.similar:similarity",
        text=f"{_TEXT}:similarity",
    ),
    Operation(
        "mwp.solve",
        "Solve a problem told in words, step by step.",
        spec=f"{_ENGINE}.solver.solve:Solve",
        call=f"{_ENGINE}.solver.solve:solve",
        text=f"{_SOLVER_TEXT}:solve",
    ),
    Operation(
        "mwp.eval",
        "Measure a solver on problems.",
        spec=f"{_ENGINE}.evaluations.evaluate:EvaluateSolver",
        call=f"{_ENGINE}.evaluations.evaluate:evaluate_solver",
        text=f"{_SOLVER_TEXT}:evaluate",
    ),
    Operation(
        "mwp.tsne",
        "A picture of a solver's vectors of problems.",
        spec=f"{_ENGINE}.evaluations.tsne:ArrangeProblems",
        call=f"{_ENGINE}.evaluations.tsne:arrange_problems",
        text=f"{_SOLVER_TEXT}:arrange",
    ),
    Operation(
        "mwp.labels",
        "Print the triplets that you have labelled bad on the screen.",
        spec="workbench.papers.mwp.labels:OwnLabels",
        call="workbench.papers.mwp.labels:own_labels",
        text=f"{_TEXT}:labels",
    ),
)

"""Math word problems: the operations in the order in which help lists them, the stops of the tour, and the
registration of the paper."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from workbench.operations import Background, FilterableRows, Guide, Operation, ResultDocument
from workbench.paper import DataKey, Paper, Trainer

if TYPE_CHECKING:
    from workbench.workspace import Workspace

_TABLES = "workbench.papers.mwp.tables"

OPERATIONS = (
    Operation(
        "mwp.problems",
        "Read and check files of problems.",
        "engines.mwp.problems.readers:described_problems",
        tool=True,
        tables=True,
    ),
    Operation(
        "mwp.audit",
        "Look for faults in a set of problems: equations, answers, numbers, duplicates.",
        "engines.mwp.problems.audit:audit_problems",
        where=FilterableRows("findings", f"{_TABLES}:FINDINGS", unless="out"),
        tool=True,
        tables=True,
    ),
    Operation(
        "mwp.steps",
        "Show a solution as steps and as one equation.",
        "engines.mwp.problems.solution_steps:show_steps",
        tool=True,
        tables=True,
    ),
    Operation(
        "mwp.solutions",
        "List the problems of a set with their solutions, step by step.",
        "engines.mwp.problems.solution_steps:list_solutions",
        where=FilterableRows("solutions", f"{_TABLES}:SOLUTIONS"),
        tables=True,
    ),
    Operation(
        "mwp.augment",
        "Make new problems: question first, or asking for another number.",
        "engines.mwp.augmentation.augment:augment",
        background=Background("mwp augment {data.name}", "makes variants of {data}"),
    ),
    Operation(
        "mwp.generate",
        "Generate Chinese word problems with equations and answers.",
        "engines.mwp.problems.generation:generate",
        background=Background("mwp generate {count}", "generates {count} problems"),
    ),
    Operation(
        "mwp.triplets",
        "Find hard triplets: same equation in other words, other equation in similar words.",
        "engines.mwp.triplets.find_and_explain:find_triplets",
        spec="engines.mwp.triplets.settings:FindTriplets",
        background=Background("mwp triplets {data.name}", "finds triplets of {data}"),
        where=FilterableRows("triplets", f"{_TABLES}:TRIPLETS", f"{_TABLES}:triplet_address", unless="out"),
        tool=True,
        tables=True,
    ),
    Operation(
        "mwp.anchors",
        "The anchor problems, and the equations of the pool.",
        "engines.mwp.triplets.find_and_explain:list_anchors",
        spec="engines.mwp.triplets.settings:ListAnchors",
        where=FilterableRows("anchors", f"{_TABLES}:ANCHORS"),
        tables=True,
    ),
    Operation(
        "mwp.explain",
        "Show why a problem got its triplet.",
        "engines.mwp.triplets.find_and_explain:explain",
        spec="engines.mwp.triplets.settings:ExplainTriplet",
        where=FilterableRows("positives negatives lost own", f"{_TABLES}:CANDIDATES"),
        tool=True,
    ),
    Operation(
        "mwp.challenge",
        "Make a challenge set: by the papers' procedures, or families of variants.",
        "engines.mwp.augmentation.challenge_sets:challenge",
    ),
    Operation(
        "mwp.similarity",
        "How similar two equations or two texts are.",
        "engines.mwp.triplets.similarity:compare_problems",
        spec="engines.mwp.triplets.settings:Similarity",
        tool=True,
    ),
    Operation(
        "mwp.solve",
        "Solve a math word problem, step by step.",
        "engines.mwp.solver.solve:solve",
        tool=True,
        one_thread=True,
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
        "workbench.papers.mwp.data:own_labels",
        tables=True,
    ),
)


def run_tour(guide: Guide, workspace: Workspace) -> None:
    """Run the stops of the tour that show word problems on the sample."""
    from workbench.papers.mwp.data import list_sets as sets_of

    sets = {name: str(file) for name, file in sets_of(workspace).items()}
    if not sets:
        guide.say("the workspace has no word problems, so this is skipped")
        return
    guide.stop("Read the word problems", "mwp.problems", {"data": list(sets.values())}, _describe_problems)
    chinese = sets.get("sample-zh")
    if chinese:
        guide.stop("Ask them for other numbers", "mwp.augment", {"data": chinese}, _describe_variants)
    name, data = next(iter(sets.items()))
    asked = {"data": data, "pool": "train,qr"}
    result = guide.stop(f"Find hard triplets in {name}", "mwp.triplets", asked, _describe_triplets)
    hardest = max(
        (row for row in result["triplets"] if not row["alone"]),
        key=lambda row: (row["text_sim_negative"], row["anchor"]),
        default=None,
    )
    if hardest:
        of = {**asked, "anchor": hardest["anchor"]}
        guide.stop("See why the hardest was chosen", "mwp.explain", of, _describe_explanation)


def _describe_problems(result: ResultDocument) -> Iterator[str]:
    yield f"{result['problems']:,} problems over {len(result['templates']):,} templates"


def _describe_variants(result: ResultDocument) -> Iterator[str]:
    for kind, counts in result["kinds"].items():
        yield f"{kind}: {counts['made']:,} problems made from {counts['from']:,}"
    last = result["variants"][-1]
    yield f"{last['text']}  {last['equation']}  = {last['answer']:.6g}"


def _describe_triplets(result: ResultDocument) -> Iterator[str]:
    hard = result["hardness"]["em"]
    yield (
        f"{hard['triplets']:,} triplets; text similarity {hard['text_sim_negative']:.3f} of negatives, "
        f"{hard['text_sim_positive']:.3f} of positives"
    )


def _describe_explanation(result: ResultDocument) -> Iterator[str]:
    for name, problem in result["problems"].items():
        yield f"{name:<8}  {problem['template']:<16}  {problem['original']}"
    yield f"{result['positive_count']:,} positives and {result['negative_count']:,} negatives to choose from"


PAPER = Paper(
    name="mwp",
    help="Math word problems: read, augment, find hard triplets.",
    operations="workbench.papers.mwp.paper:OPERATIONS",
    tables="workbench.papers.mwp.tables",
    trainers=(
        Trainer(
            "mwp.solver",
            "engines.mwp.solver.training:SolverTask",
            ("engines.mwp.solver.settings:SolverSettings",),
            data=("problems", "also", "unlike", "development", "labels", "encoder"),
            begins="encoder",
        ),
    ),
    kinds="workbench.papers.mwp.data:KINDS",
    data=tuple(
        DataKey(name, "problems", "workbench.papers.mwp.data:locate_set")
        for name in ("problems", "also", "development", "unlike")
    ),
    folder="problems",
    doctor="workbench.papers.mwp.data:check_mwp",
    tour="workbench.papers.mwp.paper:run_tour",
    references={
        "problems": "workbench.papers.mwp.data:problems_path",
        "solver": "workbench.papers.mwp.data:solver_path",
    },
)

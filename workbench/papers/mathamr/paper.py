"""MathAMR's operations in the order in which help lists them, its stops of the tour, and its registration."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from workbench.operations import Background, FilterableRows, Guide, Operation, ResultDocument
from workbench.paper import Paper, Trainer

if TYPE_CHECKING:
    from workbench.workspace import Workspace

_TABLES = "workbench.papers.mathamr.tables"

OPERATIONS = (
    Operation(
        "mathamr.opt",
        "The operator tree of a formula.",
        "engines.mathamr.trees:opt",
        expressions=True,
        json_lines=True,
        tool=True,
    ),
    Operation(
        "mathamr.slt",
        "The symbol layout tree of a formula.",
        "engines.mathamr.trees:slt",
        expressions=True,
        json_lines=True,
        tool=True,
    ),
    Operation(
        "mathamr.context",
        "The sentences around a formula.",
        "engines.mathamr.context:extract_context",
        json_lines=True,
        tool=True,
    ),
    Operation(
        "mathamr.amr",
        "Parse contexts to AMR graphs.",
        "engines.mathamr.parsing.parsers:parse_rows",
        resolve="workbench.papers.mathamr.data:with_model",
        json_lines=True,
    ),
    Operation(
        "mathamr.parse",
        "From a text with formulas to its MathAMR graph.",
        "engines.mathamr.parsing.parsers:parse",
        resolve="workbench.papers.mathamr.data:with_model",
        tool=True,
    ),
    Operation(
        "mathamr.graft",
        "Put operator trees of formulas into AMR graphs.",
        "engines.mathamr.graph.grafting:graft",
        json_lines=True,
    ),
    Operation(
        "mathamr.linearize",
        "Write MathAMR graphs as strings.",
        "engines.mathamr.graph.linearization:linearize",
        json_lines=True,
    ),
    Operation(
        "mathamr.topics",
        "A collection's topics of Task 2.",
        "engines.mathamr.retrieval.task2:list_topics",
        where=FilterableRows("topics", f"{_TABLES}:TOPICS", f"{_TABLES}:topic_address"),
        tool=True,
        tables=True,
    ),
    Operation(
        "mathamr.inspect",
        "A formula in its context: graph, strings, nearest formulas.",
        "engines.mathamr.inspection:inspect",
        expressions=True,
        resolve="workbench.papers.mathamr.data:resolve_inspect",
        where=FilterableRows("nearest", f"{_TABLES}:NEAREST"),
        tool=True,
        tables=True,
    ),
    Operation(
        "mathamr.index",
        "Make formulas searchable: a collection's, or those of your documents and tables.",
        "engines.mathamr.retrieval.indexing:index",
        resolve="workbench.papers.mathamr.data:with_place",
        background=Background("mathamr index {folder.name}", "builds {out}"),
    ),
    Operation(
        "mathamr.search",
        "Search formulas by parts of their trees, or by vectors.",
        "engines.mathamr.retrieval.search:search",
        expressions=True,
        background=Background("mathamr search {index.name}", "ranks into {run}", target="run"),
        where=FilterableRows("hits", f"{_TABLES}:HITS", unless="run"),
        tool=True,
        tables=True,
    ),
    Operation(
        "mathamr.represent",
        "Topics and judged formulas as strings.",
        "engines.mathamr.retrieval.representations:write_strings",
        json_lines=True,
    ),
    Operation(
        "mathamr.embed",
        "Encode strings as vectors.",
        "engines.mathamr.retrieval.representations:embed_strings",
        background=Background("mathamr embed {file.name}", "writes {out}"),
    ),
    Operation(
        "mathamr.rerank",
        "Rerank formulas by the cosine of their strings.",
        "engines.mathamr.retrieval.formula_reranking:rerank_formulas",
        background=Background("mathamr rerank {folder.name}", "ranks into {out}"),
    ),
    Operation(
        "mathamr.fuse", "Fuse runs of formulas.", "engines.mathamr.retrieval.fuse_formula_runs:fuse_runs"
    ),
    Operation(
        "mathamr.eval",
        "Evaluate runs of formulas, with significance tests.",
        "engines.mathamr.retrieval.task2:evaluate",
        text=f"{_TABLES}:evaluate",
        tool=True,
        tables=True,
    ),
    Operation(
        "mathamr.standings",
        "A collection's runs of formulas, topic by topic.",
        "engines.mathamr.retrieval.task2:evaluate_runs",
        resolve="workbench.papers.mathamr.data:with_index",
        text=f"{_TABLES}:evaluate",
        listed=False,
    ),
    Operation(
        "mathamr.draw",
        "A graph as a picture, or for Graphviz.",
        "engines.mathamr.graph.drawing:draw_graph",
        tool=True,
    ),
    Operation(
        "mathamr.compare",
        "Two graphs of a text, triple by triple, with Smatch.",
        "engines.mathamr.graph.comparison:compare_graphs",
        tool=True,
    ),
    Operation(
        "mathamr.language",
        "Train the English tagger and dependency parser.",
        "engines.language.training:train_language",
        background=Background("mathamr language", "trains {out}"),
        recipes=True,
    ),
    Operation(
        "mathamr.roles",
        "Train the built-in parser's labeller of roles.",
        "engines.mathamr.parsing.roles:train_roles",
        background=Background("mathamr roles", "trains {out}"),
        recipes=True,
    ),
)


def run_tour(guide: Guide, workspace: Workspace) -> None:
    """Run the stops of the tour that show MathAMR on the sample."""
    from workbench.papers.arqmath.data import list_collections

    known = list_collections(workspace)
    if not known:
        guide.say("the workspace has no collection, so this is skipped")
        return
    folder = str(known[0].path)
    overview = guide.stop(
        "List the topics of formula search", "mathamr.topics", {"folder": folder}, _describe_topics
    )
    with_graphs = [topic for topic in overview["topics"] if topic["graph"]]
    if with_graphs:
        topic = max(with_graphs, key=lambda one: (sum(one["judged"]), one["id"]))
        asked = {"folder": folder, "topic": topic["id"], "k": 5}
        guide.stop(f"Inspect {topic['id']} in its context", "mathamr.inspect", asked, _describe_inspection)
    text = "Prove that the sum $\\sum_{k=1}^n k$ equals $\\frac{n(n+1)}{2}$."
    guide.stop(f"Parse a text: {text}", "mathamr.inspect", {"text": text, "k": 0}, _describe_parse)


def _describe_topics(result: ResultDocument) -> Iterator[str]:
    from engines.formula.unicode import unicode_text

    for topic in result["topics"]:
        yield f"{topic['id']}  {sum(topic['judged']):>3} judged  {unicode_text(topic['latex'])}"


def _describe_inspection(result: ResultDocument) -> Iterator[str]:
    from engines.formula.unicode import render_text, unicode_text

    yield render_text(result["text"])
    yield f"string: {result['strings']['mathamr']}"
    for one in result["nearest"]:
        grade = "unjudged" if one["grade"] is None else f"grade {one['grade']}"
        yield f"  {one['score']:.3f}  {grade:<9} {unicode_text(one['latex'])}"


def _describe_parse(result: ResultDocument) -> Iterator[str]:
    yield from result["penman"].splitlines()
    yield f"by the {result['parser']} parser, which is approximate"


PAPER = Paper(
    name="mathamr",
    help="Formulas in context as graphs: trees, strings, search.",
    operations="workbench.papers.mathamr.paper:OPERATIONS",
    tables="workbench.papers.mathamr.tables",
    trainers=(
        Trainer(
            "mathamr.sentences",
            "engines.mathamr.sentences:make_sentence_task",
            data=("collection", "index", "encoder"),
            begins="encoder",
        ),
    ),
    settings="workbench.papers.mathamr.data:KEYS",
    folder="mathamr",
    doctor="workbench.papers.mathamr.data:check_mathamr",
    tour="workbench.papers.mathamr.paper:run_tour",
    kinds="workbench.papers.mathamr.data:KINDS",
    references={
        "amr": "workbench.papers.mathamr.data:amr_path",
        "formulas": "workbench.papers.mathamr.data:index_path",
        "formula source": "workbench.papers.mathamr.data:source_path",
    },
)

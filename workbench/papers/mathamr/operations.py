"""MathAMR's operations, in the order in which help lists them."""

from __future__ import annotations

from workbench.operation import Background, Operation, Where

__all__ = ["OPERATIONS"]

_ENGINE = "engines.mathamr"
_ROWS = "workbench.papers.mathamr.rows"
_TEXT = "workbench.papers.mathamr.text"

OPERATIONS = (
    Operation(
        "mathamr.opt",
        "The operator tree of a formula.",
        spec=f"{_ENGINE}.representations.opt:Opt",
        call=f"{_ENGINE}.representations.opt:opt",
        text=f"{_TEXT}:opt",
        expressions=True,
        json_lines=True,
    ),
    Operation(
        "mathamr.slt",
        "The symbol layout tree of a formula.",
        spec=f"{_ENGINE}.representations.slt:Slt",
        call=f"{_ENGINE}.representations.slt:slt",
        text=f"{_TEXT}:slt",
        expressions=True,
        json_lines=True,
    ),
    Operation(
        "mathamr.context",
        "The sentences around a formula.",
        spec=f"{_ENGINE}.context.window:Context",
        call=f"{_ENGINE}.context.window:context",
        json_lines=True,
    ),
    Operation(
        "mathamr.amr",
        "Parse contexts to AMR graphs.",
        spec=f"{_ENGINE}.parsing.parse:Amr",
        call=f"{_ENGINE}.parsing.parse:amr",
        settle="workbench.papers.mathamr.places:with_model",
        json_lines=True,
    ),
    Operation(
        "mathamr.parse",
        "From a text with formulas to its MathAMR graph.",
        spec=f"{_ENGINE}.parsing.parse:Parse",
        call=f"{_ENGINE}.parsing.parse:parse",
        settle="workbench.papers.mathamr.places:with_model",
        text=f"{_TEXT}:parse",
    ),
    Operation(
        "mathamr.graft",
        "Put operator trees of formulas into AMR graphs.",
        spec=f"{_ENGINE}.graph.graft:Graft",
        call=f"{_ENGINE}.graph.graft:graft",
        json_lines=True,
    ),
    Operation(
        "mathamr.linearize",
        "Write MathAMR graphs as strings.",
        spec=f"{_ENGINE}.graph.linearize:Linearize",
        call=f"{_ENGINE}.graph.linearize:linearize",
        json_lines=True,
    ),
    Operation(
        "mathamr.topics",
        "A collection's topics of Task 2.",
        spec=f"{_ENGINE}.retrieval.task2:FormulaTopics",
        call=f"{_ENGINE}.retrieval.task2:topics",
        text=f"{_TEXT}:topics",
        where=Where("topics", f"{_ROWS}:TOPIC_FIELDS", f"{_ROWS}:topic_row", f"{_ROWS}:topic_address"),
    ),
    Operation(
        "mathamr.inspect",
        "A formula in its context: graph, strings, nearest formulas.",
        spec=f"{_ENGINE}.inspection:Inspect",
        call=f"{_ENGINE}.inspection:inspect",
        settle="workbench.papers.mathamr.places:settled",
        text=f"{_TEXT}:inspect",
        where=Where("nearest", f"{_ROWS}:NEAREST_FIELDS"),
    ),
    Operation(
        "mathamr.index",
        "Make a collection's formulas searchable.",
        spec=f"{_ENGINE}.retrieval.indexing:IndexFormulas",
        call=f"{_ENGINE}.retrieval.indexing:index",
        text=f"{_TEXT}:index",
        background=Background("mathamr index {folder.name}", "builds {out}"),
    ),
    Operation(
        "mathamr.search",
        "Search formulas by parts of their trees, or by vectors.",
        spec=f"{_ENGINE}.retrieval.search:SearchFormulas",
        call=f"{_ENGINE}.retrieval.search:search",
        text=f"{_TEXT}:search",
        background=Background("mathamr search {index.name}", "ranks into {run}", target="run"),
        where=Where("hits", f"{_ROWS}:HIT_FIELDS", unless="run"),
    ),
    Operation(
        "mathamr.represent",
        "Topics and judged formulas as strings.",
        spec=f"{_ENGINE}.retrieval.representing:Represent",
        call=f"{_ENGINE}.retrieval.representing:represent",
        json_lines=True,
    ),
    Operation(
        "mathamr.embed",
        "Vectors of strings.",
        spec=f"{_ENGINE}.retrieval.embedding:EmbedStrings",
        call=f"{_ENGINE}.retrieval.embedding:embed",
        background=Background("mathamr embed {file.name}", "writes {out}"),
    ),
    Operation(
        "mathamr.rerank",
        "Rerank formulas by the cosine of their strings.",
        spec=f"{_ENGINE}.retrieval.reranking:Rerank",
        call=f"{_ENGINE}.retrieval.reranking:rerank",
        background=Background("mathamr rerank {folder.name}", "ranks into {out}"),
    ),
    Operation(
        "mathamr.fuse",
        "Fuse runs of formulas.",
        spec=f"{_ENGINE}.retrieval.reranking:FuseRuns",
        call=f"{_ENGINE}.retrieval.reranking:fuse",
    ),
    Operation(
        "mathamr.eval",
        "Measures of runs of formulas, with significance tests.",
        spec=f"{_ENGINE}.retrieval.evaluation:EvaluateFormulas",
        call=f"{_ENGINE}.retrieval.evaluation:evaluate",
        text=f"{_TEXT}:evaluate",
    ),
    Operation(
        "mathamr.standings",
        "A collection's runs of formulas, topic by topic.",
        spec=f"{_ENGINE}.retrieval.standings:Standings",
        call=f"{_ENGINE}.retrieval.standings:standings",
        settle="workbench.papers.mathamr.places:with_index",
        text=f"{_TEXT}:evaluate",
        listed=False,
    ),
    Operation(
        "mathamr.draw",
        "A graph as a picture, or for Graphviz.",
        spec=f"{_ENGINE}.graph.drawing:Draw",
        call=f"{_ENGINE}.graph.drawing:draw",
        text=f"{_TEXT}:draw",
    ),
    Operation(
        "mathamr.compare",
        "Two graphs of a text, triple by triple, with Smatch.",
        spec=f"{_ENGINE}.graph.comparison:Compare",
        call=f"{_ENGINE}.graph.comparison:compare",
        text=f"{_TEXT}:compare",
    ),
    Operation(
        "mathamr.language",
        "Train the English tagger and dependency parser.",
        spec="engines.language.training:TrainLanguage",
        call="engines.language.training:train_language",
        background=Background("mathamr language", "trains {out}"),
        recipes=True,
    ),
    Operation(
        "mathamr.roles",
        "Train the built-in parser's labeller of roles.",
        spec=f"{_ENGINE}.training.labeller:TrainRoles",
        call=f"{_ENGINE}.training.labeller:train_roles",
        background=Background("mathamr roles", "trains {out}"),
        recipes=True,
    ),
)

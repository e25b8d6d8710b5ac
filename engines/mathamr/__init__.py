"""MathAMR: formulas in context as graphs.

Each verb takes its spec: `opt(Opt(latex="x^2"))`. Each is loaded when it is asked for.
"""

from __future__ import annotations

from engines.core.verbs import offered

_VERBS = {
    "opt": ("representations.opt", "Opt"),
    "slt": ("representations.slt", "Slt"),
    "context": ("context.window", "Context"),
    "amr": ("parsing.parse", "Amr"),
    "parse": ("parsing.parse", "Parse"),
    "graft": ("graph.graft", "Graft"),
    "linearize": ("graph.linearize", "Linearize"),
    "index": ("retrieval.indexing", "IndexFormulas"),
    "search": ("retrieval.search", "SearchFormulas"),
    "represent": ("retrieval.representing", "Represent"),
    "embed": ("retrieval.embedding", "EmbedStrings"),
    "rerank": ("retrieval.reranking", "Rerank"),
    "fuse": ("retrieval.reranking", "FuseRuns"),
    "evaluate": ("retrieval.evaluation", "EvaluateFormulas"),
    "topics": ("retrieval.task2", "FormulaTopics"),
    "inspect": ("inspection", "Inspect"),
    "draw": ("graph.drawing", "Draw"),
    "compare": ("graph.comparison", "Compare"),
}
__all__, __getattr__ = offered(__name__, _VERBS)

"""MathAMR: formulas in context as graphs.

Each verb takes its spec: `opt(ParseOpt(latex="x^2"))`. Each is loaded when it is asked for.
"""

from __future__ import annotations

from engines.core.spec import offer_verbs

_VERBS = {
    "opt": ("trees", "ParseOpt"),
    "parse": ("parsing.parsers", "Parse"),
    "index": ("retrieval.indexing", "IndexFormulas"),
    "search": ("retrieval.search", "SearchFormulas"),
    "evaluate": ("retrieval.task2", "EvaluateFormulas"),
    "inspect": ("inspection", "Inspect"),
}
__all__, __getattr__ = offer_verbs(__name__, _VERBS)

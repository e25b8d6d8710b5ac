"""ARQMath: answers to mathematical questions, searched, ranked, written and measured.

Each verb takes its spec: `search(Search(index, "sum of $1/n$"))`. Both are loaded when they are asked for.
"""

from __future__ import annotations

from engines.core.spec import offer_verbs

_VERBS = {
    "index": ("collection.indexing", "IndexCollection"),
    "search": ("ranking.search", "Search"),
    "rank": ("ranking.rank", "Rank"),
    "generate": ("generation.generate", "Generate"),
    "evaluate": ("ranking.evaluate", "Evaluate"),
    "compare": ("ranking.evaluate", "Compare"),
}
__all__, __getattr__ = offer_verbs(__name__, _VERBS)

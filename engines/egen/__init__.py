"""E-Gen: equivalent expressions by e-graphs, corpora of them, and models that embed them.

Each verb takes its spec: `generate(Generate("sin(2*x) + 3"))`; `verify` takes pairs too. They are loaded
when they are asked for.
"""

from __future__ import annotations

from engines.core.spec import offer_verbs

_VERBS = {
    "generate": ("generation", "Generate"),
    "verify": ("verify_and_explain", "Verify"),
    "derive": ("egraphs", "Derive"),
    "build_corpus": ("corpora", "BuildCorpus"),
    "embed": ("models.embed", "Embed"),
    "explain": ("verify_and_explain", "Explain"),
    "evaluate": ("evaluations.evaluate", "Evaluate"),
}
__all__, __getattr__ = offer_verbs(__name__, _VERBS)

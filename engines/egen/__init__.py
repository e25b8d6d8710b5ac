"""E-Gen: equivalent expressions by e-graphs, corpora of them, and models that embed them.

Each verb takes its spec: `generate(Generate("sin(2*x) + 3"))`; `grade(gold, pred)` takes
two texts, and `verify` takes pairs and `proofread` a text too. They are loaded when they are asked for.
"""

from __future__ import annotations

from engines.core.spec import offered

_VERBS = {
    "generate": ("generation", "Generate"),
    "verify": ("verdicts", "Verify"),
    "derive": ("egraphs", "Derive"),
    "build_corpus": ("corpora", "BuildCorpus"),
    "embed": ("models.embed", "Embed"),
    "explain": ("verdicts", "Explain"),
    "grade": ("grading.grade", "Grade"),
    "proofread": ("proofreading.proofread", "Proofread"),
    "evaluate": ("evaluations.evaluate", "Evaluate"),
}
__all__, __getattr__ = offered(__name__, _VERBS)

"""MathAMR: formulas in context as graphs.

Each verb takes its spec: `opt(Opt(latex="x^2"))`. Both are loaded when they are asked for.
"""

from __future__ import annotations

from engines.core.verbs import offered

_VERBS = {
    "opt": ("representations.opt", "Opt"),
    "graft": ("graph.graft", "Graft"),
    "linearize": ("graph.linearize", "Linearize"),
}
__all__, __getattr__ = offered(__name__, _VERBS)

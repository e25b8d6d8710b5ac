"""Strings of formulas in context: what a sentence encoder reads (MathAMR, section 4.1).

opt              the operator tree alone                                 OPTText
slt              the symbol layout tree alone
latex            the LaTeX alone
raw-latex        the context, formulas as LaTeX                          RawText w. LaTeX
raw-opt          the context, formulas as strings of their trees         RawText w. OPTText
amr-latex        the AMR's string, formulas as LaTeX                     AMRText w. LaTeX
mathamr          the AMR with the trees grafted in                       AMRText w. OPTText
mathamr-marked   the same, the query formula marked
graph            that graph itself, as PENMAN text, for an encoder of graphs
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

from engines.core.errors import EngineError
from engines.formula.operator_tree import OperatorTree
from engines.formula.parser import operator_tree
from engines.formula.symbol_layout import layout_string, layout_tree
from engines.mathamr.choices import Representation
from engines.mathamr.context.placeholders import PLACEHOLDER, placeholder
from engines.mathamr.graph.amr import Branch, Graph, Node, write_graph
from engines.mathamr.graph.graft import graft_trees, lowered
from engines.mathamr.graph.linearize import linear

__all__ = ["CONTEXTLESS", "alone", "needs_graph", "represented", "tree_string"]


CONTEXTLESS = ("opt", "slt", "latex")
"""Representations of the formula alone."""


def tree_string(latex: str) -> str:
    """The operator tree of a formula, linearised as within a MathAMR graph, in plain letters.

    >>> tree_string("x^2+1")
    'plus 1 SUP x 2'
    """
    return _string(operator_tree(latex))


def _string(tree: OperatorTree) -> str:
    graph = Graph(Node("z", "", []))
    graft_trees(graph, {"0": tree})
    return unicodedata.normalize("NFKC", linear(graph))


def needs_graph(kind: Representation) -> bool:
    """Whether a representation is made of an AMR."""
    return kind.startswith(("amr", "mathamr", "graph"))


def alone(formula: str) -> Graph:
    """The AMR of a formula, by its short id, without a context."""
    return Graph(Node("z", "", [Branch(":value", placeholder(formula))]))


def represented(
    kind: Representation,
    formula: str,
    latex: Mapping[str, str],
    *,
    context: str = "",
    amr: Graph | None = None,
) -> str:
    """The string of a formula.

    Args: formula: its short id. latex: of all formulas of the context by short id. context: its text with
    placeholders. amr: its AMR, for the representations that `needs_graph`; it is changed.
    Raises: EngineError E402 where the graph is missing.
    """
    if kind == "opt":
        return tree_string(latex[formula])
    if kind == "slt":
        return layout_string(layout_tree(latex[formula]))
    if kind == "latex":
        return latex[formula]
    if kind == "raw-latex":
        return PLACEHOLDER.sub(lambda match: latex.get(match[1], ""), context) if context else latex[formula]
    if kind == "raw-opt":
        known = {name: tree_string(one) for name, one in latex.items()}
        return PLACEHOLDER.sub(lambda match: known.get(match[1], ""), context) if context else known[formula]
    if amr is None:
        raise EngineError(
            f"{kind} is made of an AMR, and there is none",
            code="E402",
            exit_code=2,
            remedy="Name a parser or a file of graphs.",
        )
    lowered(amr)
    if kind == "amr-latex":
        # The LaTeX stands where the placeholder stood; a formula that the parser lost stands at the end.
        text = linear(amr, style="paper")
        found = {match[1] for match in PLACEHOLDER.finditer(text)}
        text = PLACEHOLDER.sub(lambda match: latex.get(match[1], match[0]), text)
        return text if formula in found else f"{text} {latex[formula]}"
    trees = {name: operator_tree(one) for name, one in latex.items()}
    graft_trees(amr, trees, query=None if kind == "mathamr" else formula)
    return write_graph(amr) if kind == "graph" else linear(amr, style="paper")

"""Representations: what a sentence encoder reads of a formula in its context (MathAMR, section 4.1).

A representation is one function here, registered by its name; commands, recipes and the benchmark find it by
that. It says what it needs: the formula alone, the sentences around it, or their AMR.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from engines.mathamr.context import PLACEHOLDER, placeholder
from engines.mathamr.graph.amr import Branch, Graph, Node

if TYPE_CHECKING:
    from engines.formula.formula import Formula

Needs = Literal["formula", "context", "amr"]


@dataclass(frozen=True, slots=True)
class InContext:
    """A formula by its short id, and all formulas of its context; the context has placeholders, and is ""
    where there is none."""

    id: str
    formulas: Mapping[str, Formula]
    context: str = ""
    amr: Graph | None = None
    """The context's AMR, which a representation that needs it changes."""

    @property
    def formula(self) -> Formula:
        return self.formulas[self.id]

    def sentence(self, written: Callable[[Formula], str]) -> str:
        """The context with its formulas as they are written; the formula alone where there is none."""
        if not self.context:
            return written(self.formula)
        known = {name: written(one) for name, one in self.formulas.items()}
        return PLACEHOLDER.sub(lambda match: known.get(match[1], ""), self.context)

    def graph(self) -> Graph:
        """The AMR in small letters; without a context a node with the formula."""
        from engines.mathamr.graph.graft import lowered

        assert self.amr is not None or not self.context
        found = self.amr or Graph(Node("z", "", [Branch(":value", placeholder(self.id))]))
        lowered(found)
        return found


@dataclass(frozen=True, slots=True)
class Representation:
    """How a formula in its context is written, and what that needs."""

    needs: Needs
    write: Callable[[InContext], str]


REPRESENTATIONS: dict[str, Representation] = {}


def _representation(name: str, needs: Needs) -> Callable[[Callable[[InContext], str]], None]:
    def register(write: Callable[[InContext], str]) -> None:
        REPRESENTATIONS[name] = Representation(needs, write)

    return register


def tree_string(formula: Formula) -> str:
    """The operator tree of a formula, linearised as within a MathAMR graph, in plain letters.

    >>> from engines.formula.formula import Formula
    >>> tree_string(Formula("x^2+1"))
    'plus 1 SUP x 2'
    """
    from engines.mathamr.graph.graft import as_graph, linear

    return unicodedata.normalize("NFKC", linear(as_graph(formula.tree)))


@_representation("opt", "formula")
def _opt(given: InContext) -> str:
    """OPTText."""
    return tree_string(given.formula)


@_representation("slt", "formula")
def _slt(given: InContext) -> str:
    from engines.formula.symbol_layout import layout_string

    return layout_string(given.formula.layout)


@_representation("latex", "formula")
def _latex(given: InContext) -> str:
    return given.formula.latex


@_representation("raw-latex", "context")
def _raw_latex(given: InContext) -> str:
    """RawText w. LaTeX."""
    return given.sentence(lambda formula: formula.latex)


@_representation("raw-opt", "context")
def _raw_opt(given: InContext) -> str:
    """RawText w. OPTText."""
    return given.sentence(tree_string)


@_representation("amr-latex", "amr")
def _amr_latex(given: InContext) -> str:
    """AMRText w. LaTeX: where the placeholder stood; a formula that the parser lost stands at the end."""
    from engines.mathamr.graph.graft import linear

    text = linear(given.graph(), style="paper")
    found = {match[1] for match in PLACEHOLDER.finditer(text)}
    known = {name: one.latex for name, one in given.formulas.items()}
    text = PLACEHOLDER.sub(lambda match: known.get(match[1], match[0]), text)
    return text if given.id in found else f"{text} {given.formula.latex}"


@_representation("mathamr", "amr")
def _mathamr(given: InContext) -> str:
    """AMRText w. OPTText: the AMR with the operator trees grafted in."""
    return _grafted(given, None)


@_representation("mathamr-marked", "amr")
def _mathamr_marked(given: InContext) -> str:
    """The same, the formula marked, so that two formulas of one sentence differ."""
    return _grafted(given, given.id)


def _grafted(given: InContext, query: str | None) -> str:
    from engines.mathamr.graph.graft import graft_trees, linear

    trees = {name: one.tree for name, one in given.formulas.items()}
    return linear(graft_trees(given.graph(), trees, query=query).graph, style="paper")


if TYPE_CHECKING:
    Kind = str
    Compared = str
else:
    Kind = Literal[(*REPRESENTATIONS,)]
    """The names of the representations."""
    Compared = Literal[(*REPRESENTATIONS, "paths")]
    """The representations, and the parts that operator trees share, which need no encoder."""

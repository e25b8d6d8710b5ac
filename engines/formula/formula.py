"""A formula: its LaTeX and what is made of it, each made once and carried along."""

from __future__ import annotations

from functools import cached_property

from engines.formula.lexer import Source
from engines.formula.operator_tree import OperatorTree
from engines.formula.parser import node_spans, operator_tree, search_tree
from engines.formula.symbol_layout import layout_tree
from engines.formula.unicode import unicode_text


class Formula(Source):
    """A formula whose trees are made when they are asked for, of tokens that are read once."""

    @cached_property
    def tree(self) -> OperatorTree:
        return operator_tree(self)

    @cached_property
    def search_tree(self) -> OperatorTree:
        """The tree by which it is searched."""
        return search_tree(self)

    @cached_property
    def layout(self) -> OperatorTree:
        return layout_tree(self)

    @cached_property
    def spans(self) -> list[tuple[int, int] | None]:
        """Where the nodes of `search_tree` stand."""
        return node_spans(self.search_tree, self)

    @cached_property
    def shown(self) -> str:
        return unicode_text(self)

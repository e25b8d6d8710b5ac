"""Operator trees grafted into AMR graphs in place of their placeholders, which gives MathAMR graphs.

A placeholder in the graph, such as "eqx12eqx", becomes the constant MATH, and an edge :math leads from its
node to the formula's tree (MathAMR, section 3.1).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from engines.core.errors import DataError, EngineError
from engines.core.events import Sink, ignore
from engines.core.spec import Arg, specification
from engines.formula.operator_tree import OperatorTree
from engines.mathamr.context import find_ids, read_placeholder
from engines.mathamr.graph.amr import MATH, Branch, Graph, GraphNode, read_graph, write_graph

if TYPE_CHECKING:
    from engines.mathamr.rows import InputRow

MARK = ":mark"
"""The edge that tells the query's formula from the others."""
_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_ESCAPES = {
    "(": "$",
    ")": "$$",
    ":": "$##$",
    '"': "''",
    "/": "$slash$",
    "~": "$tilde$",
    "#": "$hash$",
}
"""What stands for signs that mean something in PENMAN notation; the first three are the authors'."""


@specification
class Graft:
    """Replace formula placeholders in AMR graphs by operator trees."""

    file: Annotated[
        Path,
        Arg(
            'Lines {"topic_id": …, "amr": PENMAN text, "formulas": {ID: LaTeX}}.', metavar="FILE", option=True
        ),
    ]
    mark: Annotated[bool, Arg('Mark the formula that a row gives as its "query".')] = False


@dataclass(frozen=True, slots=True)
class GraftResult:
    """A MathAMR graph, and where its formulas are.

    Attributes:
        graph: The graph with the trees of the formulas.
        found: Ids of the formulas whose placeholder was in the AMR.
        lost: Ids of the formulas without a placeholder, whose trees are attached to the root.
        roots: The variable of the root of each formula's tree, by the formula's id.
        unknown: Ids of placeholders that have no formula.
    """

    graph: Graph
    found: tuple[str, ...]
    lost: tuple[str, ...]
    roots: Mapping[str, str] = field(default_factory=dict)
    unknown: tuple[str, ...] = ()


def graft(spec: Graft, *, events: Sink = ignore) -> Iterator[dict[str, Any]]:
    """Yield rows `{"topic_id", "mathamr", "found", "lost"}`. Events: warnings of formulas that the graph
    lacks, of placeholders without a formula, of a row without the query that is to be marked, of topics
    that occur again, and of what a graph hardly means.

    Raises:
        DataError E317: for a row without formulas. E329: for an AMR that is no graph. EngineError E376: for a
        query that is none of the formulas.
    """
    from engines.formula.operator_tree_parser import operator_tree
    from engines.mathamr.rows import read_named_rows

    for row in read_named_rows(spec.file, "topic_id", "amr", events=events):
        with row.locate_errors():
            latex = row.held.get("formulas")
            if not isinstance(latex, dict) or not all(isinstance(one, str) for one in latex.values()):
                remedy = 'Each row needs "formulas": {"ID": "LaTeX"}.'
                raise DataError("the row has no formulas", code="E317", remedy=remedy)
            trees = {name: operator_tree(one) for name, one in latex.items()}
            made = graft_formulas(row["amr"], trees, query=_find_query(row, latex) if spec.mark else None)
        for warning in made.graph.list_warnings():
            row.warn_of_row(warning)
        if made.lost:
            what = f"the graph has no placeholder for {', '.join(made.lost)}"
            row.warn_of_row(f"{what}; their trees are attached to the root")
        if made.unknown:
            row.warn_of_row(f"there are no formulas for the placeholders {', '.join(made.unknown)}")
        yield {
            "topic_id": row["topic_id"],
            "mathamr": write_graph(made.graph),
            "found": list(made.found),
            "lost": list(made.lost),
        }


def _find_query(row: InputRow, formulas: Mapping[str, str]) -> str | None:
    wanted = row.held.get("query")
    if wanted is None:
        row.warn_of_row('no formula is marked, as the row has no "query"')
        return None
    # The query may have the prefix of ARQMath's topics, which placeholders lack.
    for name in (str(wanted), str(wanted).removeprefix("q_")):
        if name in formulas:
            return name
    remedy = f"It has: {', '.join(formulas) or 'none'}."
    raise EngineError(f"there is no formula {wanted!r}", code="E376", remedy=remedy)


def graft_formulas(amr: str, trees: Mapping[str, OperatorTree], *, query: str | None = None) -> GraftResult:
    """Return the MathAMR graph of an AMR and the trees of its formulas by their ids.

    The graph is lower-cased first, so that formulas keep their letters. A formula that occurs again is a
    re-entrant edge to the tree that is there. One whose placeholder the parser lost is put at the root.
    """
    graph = read_graph(amr)
    lowercase_graph(graph)
    return graft_trees(graph, trees, query=query)


def lowercase_graph(graph: Graph) -> None:
    """Lower-case a graph in place, before formulas are grafted, because the case of their letters counts."""
    for node in graph.iterate_nodes():
        node.variable, node.concept = node.variable.lower(), node.concept.lower()
        for branch in node.branches:
            branch.role = branch.role.lower()
            if isinstance(branch.target, str):
                branch.target = branch.target.lower()


def graft_trees(graph: Graph, trees: Mapping[str, OperatorTree], *, query: str | None = None) -> GraftResult:
    """Graft operator trees into a graph at their placeholders (MathAMR, section 3.1); the graph is changed.

    The placeholder becomes the constant MATH and an edge `:math` leads to the tree. A formula that occurs
    twice is a re-entrancy.
    """
    writer = _Writer({node.variable for node in graph.iterate_nodes()})
    roots: dict[str, str] = {}

    def attach_tree(node: GraphNode, at: int, name: str) -> None:
        if name in roots:
            node.branches.insert(at, Branch(":math", roots[name]))
            return
        root = writer.write_tree(trees[name])
        if name == query:
            root.branches.insert(0, Branch(MARK, "target"))
        roots[name] = root.variable
        node.branches.insert(at, Branch(":math", root))

    # The graph was lower-cased, and with it the ids in its placeholders.
    by_id = {name.lower(): name for name in trees}
    grafted_names: list[str] = []
    unknown: dict[str, None] = {}
    # A placeholder may be the concept of a node or the constant at the end of a branch.
    # The list is made before the first tree is attached, since trees add nodes to the graph.
    for node in list(graph.iterate_nodes()):
        unknown |= dict.fromkeys(
            name for text in node.list_texts() for name in find_ids(text) if name not in by_id
        )
        concept = by_id.get(read_placeholder(node.concept) or "")
        if concept is not None:
            node.concept = "math"
            attach_tree(node, 0, concept)
            grafted_names.append(concept)
        for branch in list(node.branches):
            name = (
                by_id.get(read_placeholder(branch.target) or "") if isinstance(branch.target, str) else None
            )
            if name is not None:
                branch.target = MATH
                attach_tree(node, node.branches.index(branch) + 1, name)
                grafted_names.append(name)
    # Formulas whose placeholder the parser lost hang on the root.
    lost = tuple(name for name in trees if name not in grafted_names)
    for name in lost:
        attach_tree(graph.root, len(graph.root.branches), name)
    return GraftResult(graph, tuple(grafted_names), lost, roots, tuple(unknown))


def tree_to_graph(tree: OperatorTree) -> Graph:
    """Return the graph of an operator tree alone."""
    return Graph(_Writer(set()).write_tree(tree))


@dataclass(slots=True)
class _Writer:
    """Names the nodes of operator trees: a letter for the type, and a number that counts over the graph."""

    taken: set[str]
    counts: Counter[str] = field(default_factory=Counter)

    def write_tree(self, tree: OperatorTree) -> GraphNode:
        root = self.name_node(tree)
        # A stack instead of recursion, so that a deep formula does not exhaust Python's calls.
        pending = [(tree, root)]
        while pending:
            above, node = pending.pop()
            # Operands in any order all have the role `:op0`; in a fixed order they are numbered.
            for number, child in enumerate(above.children):
                inner = self.name_node(child)
                index = 0 if above.unordered else number
                digit = _DIGITS[index] if index < len(_DIGITS) else f"{_DIGITS[-1]}{index}"
                node.branches.append(Branch(f":op{digit}", inner))
                pending.append((child, inner))
        return root

    def name_node(self, tree: OperatorTree) -> GraphNode:
        kind, _, name = tree.label.removeprefix("+!").partition("!")
        letter = "V" if kind == "-" else kind
        while True:
            self.counts[letter] += 1
            variable = f"{letter}{self.counts[letter]}"
            # The AMR may have a variable of this name, which must not be used twice.
            if variable not in self.taken:
                break
        self.taken.add(variable)
        shown = ("_" if sign.isspace() else _ESCAPES.get(sign, sign) for sign in name)
        return GraphNode(variable, "".join(shown), [])

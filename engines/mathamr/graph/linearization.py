"""Linearisation: MathAMR graphs as strings, by a walk over their nodes (MathAMR, section 3.2)."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

from engines.core.errors import DataError
from engines.core.events import Sink, ignore
from engines.core.spec import Arg, specification
from engines.mathamr.graph.amr import MATH, Branch, Graph, GraphNode, read_graph

StringStyle = Literal["released", "paper"]


def linearize_graph(
    graph: Graph, *, style: StringStyle = "released", canonical: bool = False, edges: bool = False
) -> str:
    """Return the string of a graph by the rule of the released ones (MathAMR, section 3.2, and the authors'
    code).

    The walk is depth first from the root. Edges are visited by their lower-cased labels, and equal labels
    from the last written to the first. Nodes that were visited, the constant MATH and nodes without a concept
    are left out.

    >>> graph = read_graph("(e / equal-01 :arg2 MATH :math (U1 / plus :op0 (V1 / a) :op0 (V2 / b)))")
    >>> linearize_graph(graph), linearize_graph(graph, style="paper"), linearize_graph(graph, canonical=True)
    ('equal-01 plus b a', 'equal-01 math plus b a', 'equal-01 plus a b')
    """
    known = graph.map_variables()
    order = _canonical_keys(graph) if canonical else {}
    words: list[str] = []
    written: set[str] = set()
    pending = [Branch("", graph.root)]
    while pending:
        branch = pending.pop()
        target = branch.target
        node = target if isinstance(target, GraphNode) else known.get(target)
        new = node.variable not in written if node is not None else target not in (MATH, "")
        if not new:
            continue
        if edges and branch.role:
            words.append(branch.role)
        if style == "paper" and branch.role == ":math":
            words.append("math")
        if node is None:
            words.append(str(target))
            continue
        written.add(node.variable)
        if node.concept:
            words.append(node.concept)
        # The stack is popped from its end, so labels descend here to come out ascending; a stable sort keeps
        # equal labels in order of writing, so the last written comes out first.
        branches = sorted(node.branches, key=lambda one: one.role.lower(), reverse=True)
        # In canonical form the operands of commutative operators are ordered by their subtrees instead.
        if canonical and _is_commutative(node):
            branches.sort(key=lambda one: order.get(one.name, ""), reverse=True)
        pending.extend(branches)
    text = " ".join(words)
    return unicodedata.normalize("NFKC", text) if style == "paper" else text


def _is_commutative(node: GraphNode) -> bool:
    """Return whether the operands of a node have no order: it is written U and a number, in operator trees
    alone.
    """
    return node.variable[:1] == "U" and node.variable[1:].isdigit()


def _canonical_keys(graph: Graph) -> dict[str, str]:
    result: dict[str, str] = {}
    for node in reversed(list(graph.iterate_nodes())):
        below = [f"{one.role.lower()} {result.get(one.name, one.name)}" for one in node.branches]
        if _is_commutative(node):
            below.sort()
        result[node.variable] = f"{node.concept}({','.join(below)})"
    return result


@specification
class Linearize:
    """Write MathAMR graphs as strings.

    Style released gives the strings that the authors published; style paper those printed in the paper, with
    the token math before each formula and letters in plain characters (NFKC).
    """

    file: Annotated[Path, Arg('Lines {"topic_id": …, "mathamr": PENMAN text}.', metavar="FILE", option=True)]
    style: Annotated[StringStyle, Arg("Which style of strings.")] = "released"
    canonical: Annotated[bool, Arg("Sort the operands of commutative operators.")] = False
    edges: Annotated[bool, Arg("Also write edge labels.")] = False


def linearize(spec: Linearize, *, events: Sink = ignore) -> Iterator[dict[str, Any]]:
    """Yield rows `{"topic_id", "linear_mathamr"}`; of a graph that cannot be read it is empty, with a
    warning. Events: also warnings of what a graph hardly means, and of topics that occur again.
    """
    from engines.mathamr.rows import read_named_rows

    for row in read_named_rows(spec.file, "topic_id", "mathamr", events=events):
        try:
            graph = read_graph(row["mathamr"])
            for warning in graph.list_warnings():
                row.warn_of_row(warning)
            text = linearize_graph(graph, style=spec.style, canonical=spec.canonical, edges=spec.edges)
        except DataError as error:
            row.warn_of_row(error.what)
            text = ""
        yield {"topic_id": row["topic_id"], "linear_mathamr": text}

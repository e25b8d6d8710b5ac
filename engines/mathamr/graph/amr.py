"""AMR and MathAMR graphs: PENMAN texts read as they are written, and written again.

The order of the branches and the direction of the roles (`:arg0-of`) stay as in the text: the linearisation
of MathAMR depends on both.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass

from engines.core.errors import DataError

__all__ = ["Branch", "Graph", "Node", "read_graph", "write_graph"]


@dataclass(slots=True)
class Node:
    """A node: its variable, its concept ("" where there is none), and its branches in the order written."""

    variable: str
    concept: str
    branches: list[Branch]


@dataclass(slots=True)
class Branch:
    """An edge as written: a role and a node, a variable that stands elsewhere, or a constant."""

    role: str
    target: Node | str


@dataclass(slots=True)
class Graph:
    """A graph by its root."""

    root: Node

    def nodes(self) -> Iterator[Node]:
        """Every node, parents first, in the order written."""
        pending = [self.root]
        while pending:
            node = pending.pop()
            yield node
            inner = [branch.target for branch in node.branches if isinstance(branch.target, Node)]
            pending.extend(reversed(inner))

    def by_variable(self) -> dict[str, Node]:
        """The node of each variable; the first where one is written twice."""
        found: dict[str, Node] = {}
        for node in self.nodes():
            found.setdefault(node.variable, node)
        return found

    def clashes(self) -> list[str]:
        """Which variables have several concepts, in words."""
        concepts: dict[str, dict[str, None]] = {}
        for node in self.nodes():
            if node.concept:
                concepts.setdefault(node.variable, {})[node.concept] = None
        return [
            f"the variable {variable} has {len(found)} concepts: {', '.join(found)}"
            for variable, found in concepts.items()
            if len(found) > 1
        ]


def read_graph(text: str) -> Graph:
    """A graph of its PENMAN text; comments and metadata are passed over.

    >>> graph = read_graph('(w / want-01 :arg0 (b / boy) :arg1 (g / go-02 :arg0 b))')
    >>> [node.concept for node in graph.nodes()]
    ['want-01', 'boy', 'go-02']

    Raises:
        DataError E329: for a text that is no graph.
    """
    import penman

    # The library reports concepts that are missing, which the published graphs have.
    log = logging.getLogger("penman")
    level = log.level
    log.setLevel(logging.CRITICAL)
    try:
        trees = list(penman.iterparse(text))
    except (penman.DecodeError, RecursionError) as error:
        what = str(error).strip().splitlines()
        raise DataError(
            f"not a graph in PENMAN notation: {what[-1] if what else 'nested too deep'}",
            code="E329",
            remedy="A graph is written (variable / concept :role target …).",
        ) from error
    finally:
        log.setLevel(level)
    roots = [tree.node for tree in trees if tree.node is not None and tree.node[0] is not None]
    if len(roots) != 1:
        fault = f"it holds {len(roots)} graphs" if roots else "it has no root"
        raise DataError(
            f"not a graph in PENMAN notation: {fault}",
            code="E329",
            remedy="A graph is written (variable / concept :role target …); give one at a time.",
        )
    return Graph(_node(roots[0]))


def _node(written: tuple[str, list[tuple[str, object]]]) -> Node:
    root = Node(str(written[0]), "", [])
    pending = [(written, root)]
    while pending:
        (_, branches), node = pending.pop()
        for role, target in branches or ():
            if role == "/":
                node.concept = node.concept or str(target or "")
            elif isinstance(target, tuple):
                inner = Node(str(target[0]), "", [])
                node.branches.append(Branch(role, inner))
                pending.append((target, inner))
            else:
                node.branches.append(Branch(role, "" if target is None else str(target)))
    return root


def write_graph(graph: Graph) -> str:
    """The PENMAN text of a graph; each branch on a line of its own, six spaces further in.

    A graph that is read again is the same.
    """
    parts: list[str] = []
    # What is still to be written, from the end: texts, or (depth, node).
    pending: list[str | tuple[int, Node]] = [(1, graph.root)]
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            parts.append(item)
            continue
        depth, node = item
        parts.append(f"({node.variable}" + (f" / {node.concept}" if node.concept else ""))
        pending.append(")")
        for branch in reversed(node.branches):
            start = f"\n{' ' * 6 * depth}{branch.role} "
            if isinstance(branch.target, Node):
                pending += [(depth + 1, branch.target), start]
            else:
                pending.append((start + branch.target).rstrip())
    return "".join(parts)

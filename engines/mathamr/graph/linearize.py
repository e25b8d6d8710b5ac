"""Linearisation: a MathAMR graph as the string that a sentence encoder reads.

The rule of the released strings (MathAMR, section 3.2 and the authors' code): from the root depth first; the
edges of a node by their lower-cased labels in ascending order, equal labels from the last written to the
first; a node that was written is passed over; the constant MATH and nodes without a concept are not written.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from engines.core.errors import DataError
from engines.core.events import Sink, ignore
from engines.core.spec import Arg
from engines.mathamr.graph.amr import Branch, Graph, Node, read_graph

__all__ = ["Linearize", "Style", "linear", "linearize"]

Style = Literal["released", "paper"]
MATH = "MATH"
"""The constant in whose place a formula's tree is grafted."""


@dataclass(frozen=True, slots=True)
class Linearize:
    """Write MathAMR graphs as strings.

    Style released gives the strings that the authors published; style paper those that the paper prints: the
    token math before each formula, and letters in plain characters (NFKC).
    """

    file: Annotated[Path, Arg('Lines {"topic_id": …, "mathamr": PENMAN text}.', metavar="FILE", option=True)]
    style: Annotated[Style, Arg("Whose strings.")] = "released"
    canonical: Annotated[bool, Arg("Operands of commutative operators in one order.")] = False
    edges: Annotated[bool, Arg("Write the labels of the edges too.")] = False


def linearize(spec: Linearize, *, events: Sink = ignore) -> Iterator[dict[str, Any]]:
    """Rows `{"topic_id", "linear_mathamr"}`; of a graph that cannot be read it is empty, with a warning.
    Events: also warnings of what a graph hardly means, and of topics that occur again."""
    from engines.mathamr.rows import named_rows

    for row in named_rows(spec.file, "topic_id", "mathamr", events=events):
        try:
            graph = read_graph(row["mathamr"])
            for doubt in graph.doubts():
                row.warn(doubt)
            text = linear(graph, style=spec.style, canonical=spec.canonical, edges=spec.edges)
        except DataError as error:
            row.warn(error.what)
            text = ""
        yield {"topic_id": row["topic_id"], "linear_mathamr": text}


def linear(graph: Graph, *, style: Style = "released", canonical: bool = False, edges: bool = False) -> str:
    """The string of a graph.

    >>> graph = read_graph("(e / equal-01 :arg2 MATH :math (U1 / plus :op0 (V1 / a) :op0 (V2 / b)))")
    >>> linear(graph), linear(graph, style="paper"), linear(graph, canonical=True)
    ('equal-01 plus b a', 'equal-01 math plus b a', 'equal-01 plus a b')
    """
    known = graph.by_variable()
    order = _canonical(graph) if canonical else {}
    words: list[str] = []
    written: set[str] = set()
    pending = [Branch("", graph.root)]
    while pending:
        branch = pending.pop()
        target = branch.target
        node = target if isinstance(target, Node) else known.get(target)
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
        ahead = sorted(node.branches, key=lambda one: one.role.lower(), reverse=True)
        if canonical and _commutative(node):
            ahead.sort(key=lambda one: order.get(_name(one), ""), reverse=True)
        pending.extend(ahead)
    text = " ".join(words)
    return unicodedata.normalize("NFKC", text) if style == "paper" else text


def _commutative(node: Node) -> bool:
    """Whether the operands of a node have no order: it is written U and a number, in operator trees alone."""
    return node.variable[:1] == "U" and node.variable[1:].isdigit()


def _name(branch: Branch) -> str:
    return branch.target.variable if isinstance(branch.target, Node) else branch.target


def _canonical(graph: Graph) -> dict[str, str]:
    """A text of what stands below each node that is the same for trees that differ in order alone."""
    found: dict[str, str] = {}
    for node in reversed(list(graph.nodes())):
        below = [f"{one.role.lower()} {found.get(_name(one), _name(one))}" for one in node.branches]
        if _commutative(node):
            below.sort()
        found[node.variable] = f"{node.concept}({','.join(below)})"
    return found

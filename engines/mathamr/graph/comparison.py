"""Comparison of two graphs, triple by triple: Smatch, or the same after standardisation.

Cai and Knight (2013), Smatch: an evaluation metric for semantic feature structures. They find the pairing of
nodes by climbing from several starts, which may miss the best one; here it is the best one, and said where
that is not proved. Opitz (2023), Smatch++: standardised and extended evaluation of semantic graphs;
`standard` has what of it is here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from engines.core.errors import DataError
from engines.core.events import Event, Sink, ignore
from engines.core.spec import Arg
from engines.mathamr.graph.alignment import Triple, alike, paired
from engines.mathamr.graph.amr import Graph, Node, read_graph
from engines.mathamr.graph.standard import standardised

__all__ = ["Compare", "compare", "triples_of"]

_FORWARD = {":prep-on-behalf-of", ":prep-out-of", ":consist-of"}
"""Roles that end like inverse ones and are none."""


@dataclass(frozen=True, slots=True)
class Compare:
    """Compare two graphs of the same text, as of two parsers: Smatch, and triple by triple.

    With edges dereified or reified both graphs are standardised first, as for Smatch++. Nodes are paired so
    that the score is the highest; where that cannot be proved in 20 seconds, the score is a lower bound.
    """

    one: Annotated[str, Arg("A graph, as PENMAN text.")]
    other: Annotated[str, Arg("The graph that it is measured by, as PENMAN text.")]
    edges: Annotated[
        Literal["written", "dereified", "reified"],
        Arg("As written; or what can be an edge or a node of its own is always the one, or the other."),
    ] = "written"


def compare(spec: Compare, *, events: Sink = ignore) -> dict[str, Any]:
    """`{"precision", "recall", "f1", "matched", "optimal", "triples": [{"in", "source", "role", "target"}]}`.

    `in` is one, other or both; inverse roles are turned round, nodes are named by their concepts. `optimal`
    says whether no other pairing of nodes is better; where that is not proved, the scores are lower bounds.
    Events: warnings of what a graph hardly means. Raises: DataError E329 for a text that is no graph.
    """
    graphs = [_graph(spec.one, "first"), _graph(spec.other, "second")]
    for doubt in (doubt for graph in graphs for doubt in graph.doubts()):
        events(Event("warning", {"message": doubt}))
    triples = [triples_of(graph) for graph in graphs]
    if spec.edges != "written":
        triples = [standardised(found, spec.edges) for found in triples]
    names = [
        list(dict.fromkeys(source for source, role, _, _ in own if role == ":instance")) for own in triples
    ]
    pairing, optimal = paired(names, triples)
    left = Counter(map(alike, triples[1]))
    concepts = [{source: target for source, role, target, _ in own if role == ":instance"} for own in triples]
    rows, matched = [], 0
    for triple in triples[0]:
        found = _placed(triple, pairing)
        both = found is not None and left[found] > 0
        if found is not None:
            left[found] -= both
        matched += both
        rows.append(_row("both" if both else "one", triple, concepts[0]))
    for triple in triples[1]:
        if left[alike(triple)] > 0:
            left[alike(triple)] -= 1
            rows.append(_row("other", triple, concepts[1]))
    precision, recall = matched / len(triples[0]), matched / len(triples[1])
    f1 = 2 * precision * recall / (precision + recall) if matched else 0.0
    return {
        "precision": precision,
        "recall": recall,
        "f1": f1,
        "matched": matched,
        "optimal": optimal,
        "triples": rows,
    }


def _graph(text: str, which: str) -> Graph:
    try:
        return read_graph(text)
    except DataError as error:
        error.where = f"the {which} graph"
        raise


def _row(where: str, triple: Triple, concepts: Mapping[str, str]) -> dict[str, str]:
    source, role, target, is_node = triple
    return {
        "in": where,
        "source": concepts[source],
        "role": role,
        "target": concepts[target] if is_node else target,
    }


def triples_of(graph: Graph) -> list[Triple]:
    """The triples, roles in small letters; the root has the attribute `:top`."""
    known = graph.by_variable()
    found: list[Triple] = [(graph.root.variable, ":top", "top", False)]
    for node in graph.nodes():
        found.append((node.variable, ":instance", node.concept, False))
        for branch in node.branches:
            target = branch.target.variable if isinstance(branch.target, Node) else branch.target
            role = branch.role.lower()
            if target not in known:
                found.append((node.variable, role, target, False))
            elif role == ":mod":
                found.append((target, ":domain", node.variable, True))
            elif role.endswith("-of") and role not in _FORWARD:
                found.append((target, role.removesuffix("-of"), node.variable, True))
            else:
                found.append((node.variable, role, target, True))
    return found


def _placed(triple: Triple, pairing: Mapping[str, str]) -> Triple | None:
    """A triple as it stands in the other graph; None where a node has no partner."""
    source, role, target, is_node = alike(triple)
    if source not in pairing or (is_node and target not in pairing):
        return None
    return pairing[source], role, pairing[target] if is_node else target, is_node

"""MathAMR graphs of formulas in context, as an encoder reads them."""

from __future__ import annotations

from engines.mathamr.graph.amr import Branch, Graph, Node, kind_of, read_graph
from engines.mathamr.graph.graft import MARK
from engines.mathamr.training.structures import Labelled, Vocabulary


class GraphVocabulary(Vocabulary[Graph]):
    """Of graphs given as PENMAN text in which the formula that counts is marked."""

    kind, reads = "mathamr-graphs", "graph"

    @staticmethod
    def read(text: str) -> Graph:
        """The graph of PENMAN text. Raises: DataError E329 for a text that is none."""
        return read_graph(text)

    @staticmethod
    def labelled(one: Graph) -> Labelled:
        """The marked formula first, or all from the root where there is none, level by level."""
        known = one.by_variable()
        root = next(
            (node for node in known.values() if any(branch.role == MARK for branch in node.branches)),
            one.root,
        )
        nodes: list[Node] = []
        places: dict[str, int] = {}

        def spread(begin: Node) -> None:
            """Number what can be reached and is not numbered."""
            queue = [begin] if begin.variable not in places else []
            for node in queue:
                if node.variable in places:
                    continue
                places[node.variable] = len(nodes)
                nodes.append(node)
                queue += [known[name] for branch in node.branches if (name := _name(branch)) in known]

        spread(root)
        formula = range(len(nodes))
        for node in one.nodes():
            spread(node)
        labels = [_label(node) for node in nodes]
        edges = []
        for at, node in enumerate(nodes):
            for branch in node.branches:
                name = _name(branch)
                target = places.get(name, len(labels))
                if target == len(labels):
                    labels.append(f"T!{name}")
                edges.append((at, branch.role.lower(), target))
        return Labelled(labels, edges, formula)


def _name(branch: Branch) -> str:
    """The variable that an edge leads to, or the constant."""
    return branch.target.variable if isinstance(branch.target, Node) else branch.target


def _label(node: Node) -> str:
    """As of the operator tree's node, or of a text."""
    letter = node.variable[0] if kind_of(node.variable) == "operator" else "T"
    return f"{letter}!{node.concept}"

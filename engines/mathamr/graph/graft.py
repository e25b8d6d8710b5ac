"""Operator trees grafted into the AMR graph of their text (MathAMR, section 3.1), and the graph as a string.

A placeholder in the graph, such as "eqx12eqx", becomes the constant MATH, and an edge :math leads from its
node to the formula's tree.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from engines.core.errors import DataError, EngineError
from engines.core.events import Sink, ignore
from engines.core.spec import Arg
from engines.formula.operator_tree import OperatorTree
from engines.mathamr.context import ids
from engines.mathamr.graph.amr import Branch, Graph, Node, read_graph, write_graph

if TYPE_CHECKING:
    from engines.mathamr.rows import Row


Style = Literal["released", "paper"]
MATH = "MATH"
"""The constant in whose place a formula's tree is grafted."""


@dataclass(frozen=True, slots=True)
class Linearize:
    """Write MathAMR graphs as strings.

    Style released gives the strings that the authors published; style paper those printed in the paper, with
    the token math before each formula and letters in plain characters (NFKC).
    """

    file: Annotated[Path, Arg('Lines {"topic_id": …, "mathamr": PENMAN text}.', metavar="FILE", option=True)]
    style: Annotated[Style, Arg("Which style of strings.")] = "released"
    canonical: Annotated[bool, Arg("Sort the operands of commutative operators.")] = False
    edges: Annotated[bool, Arg("Also write edge labels.")] = False


def linearize(spec: Linearize, *, events: Sink = ignore) -> Iterator[dict[str, Any]]:
    """Rows `{"topic_id", "linear_mathamr"}`; of a graph that cannot be read it is empty, with a warning.
    Events: also warnings of what a graph hardly means, and of topics that occur again."""
    from engines.mathamr.rows import named_rows

    for row in named_rows(spec.file, "topic_id", "mathamr", events=events):
        try:
            graph = read_graph(row["mathamr"])
            for warning in graph.warnings():
                row.warn(warning)
            text = linear(graph, style=spec.style, canonical=spec.canonical, edges=spec.edges)
        except DataError as error:
            row.warn(error.what)
            text = ""
        yield {"topic_id": row["topic_id"], "linear_mathamr": text}


def linear(graph: Graph, *, style: Style = "released", canonical: bool = False, edges: bool = False) -> str:
    """The string of a graph, by the rule of the released ones (MathAMR, section 3.2, and the authors' code):
    from the root depth first; edges by their lower-cased labels, equal labels from the last written to the
    first; what was written, the constant MATH and nodes without a concept are passed over.

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
            ahead.sort(key=lambda one: order.get(one.name, ""), reverse=True)
        pending.extend(ahead)
    text = " ".join(words)
    return unicodedata.normalize("NFKC", text) if style == "paper" else text


def _commutative(node: Node) -> bool:
    """Whether the operands of a node have no order: it is written U and a number, in operator trees alone."""
    return node.variable[:1] == "U" and node.variable[1:].isdigit()


def _canonical(graph: Graph) -> dict[str, str]:
    """A text of what stands below each node that is the same for trees that differ in order alone."""
    result: dict[str, str] = {}
    for node in reversed(list(graph.nodes())):
        below = [f"{one.role.lower()} {result.get(one.name, one.name)}" for one in node.branches]
        if _commutative(node):
            below.sort()
        result[node.variable] = f"{node.concept}({','.join(below)})"
    return result


MARK = ":mark"
"""The edge that tells the query's formula from the others."""
_MANGLED = re.compile(r'"?(?:eqx(?P<id>\w*?)(?:eqx|eq|e)?|(?P<tail>\w+?)eqx)"?\Z')
"""Placeholders as parsers return them: whole, or with one end lost."""
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


@dataclass(frozen=True, slots=True)
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
class Grafted:
    """A MathAMR graph; which formulas were found in the AMR, and which had to be put at the root; the
    variable of each formula's tree; the ids of placeholders that have no formula."""

    graph: Graph
    found: tuple[str, ...]
    lost: tuple[str, ...]
    roots: Mapping[str, str] = field(default_factory=dict)
    unknown: tuple[str, ...] = ()


def graft(spec: Graft, *, events: Sink = ignore) -> Iterator[dict[str, Any]]:
    """Rows `{"topic_id", "mathamr", "found", "lost"}`. Events: warnings of formulas that the graph lacks, of
    placeholders without a formula, of a row without the query that is to be marked, of topics that occur
    again, and of what a graph hardly means.

    Raises:
        DataError E317: for a row without formulas. E329: for an AMR that is no graph. EngineError E376: for a
        query that is none of the formulas.
    """
    from engines.formula.parser import operator_tree
    from engines.mathamr.rows import named_rows

    for row in named_rows(spec.file, "topic_id", "amr", events=events):
        with row.placed():
            latex = _formulas(row)
            trees = {name: operator_tree(one) for name, one in latex.items()}
            made = grafted(row["amr"], trees, query=_query(row, latex) if spec.mark else None)
        for warning in made.graph.warnings():
            row.warn(warning)
        if made.lost:
            row.warn(
                f"the graph has no placeholder for {', '.join(made.lost)}; their trees are attached to the "
                "root"
            )
        if made.unknown:
            row.warn(f"there are no formulas for the placeholders {', '.join(made.unknown)}")
        yield {
            "topic_id": row["topic_id"],
            "mathamr": write_graph(made.graph),
            "found": list(made.found),
            "lost": list(made.lost),
        }


def _formulas(row: Row) -> dict[str, str]:
    result = row.held.get("formulas")
    if not isinstance(result, dict) or not all(isinstance(one, str) for one in result.values()):
        remedy = 'Each row needs "formulas": {"ID": "LaTeX"}.'
        raise DataError("the row has no formulas", code="E317", remedy=remedy)
    return result


def _query(row: Row, formulas: Mapping[str, str]) -> str | None:
    wanted = row.held.get("query")
    if wanted is None:
        row.warn('no formula is marked, as the row has no "query"')
        return None
    for name in (str(wanted), str(wanted).removeprefix("q_")):
        if name in formulas:
            return name
    remedy = f"It has: {', '.join(formulas) or 'none'}."
    raise EngineError(f"there is no formula {wanted!r}", code="E376", remedy=remedy)


def grafted(amr: str, trees: Mapping[str, OperatorTree], *, query: str | None = None) -> Grafted:
    """The MathAMR graph of an AMR and the trees of its formulas by their ids.

    The graph is lower-cased first, so that formulas keep their letters. A formula that occurs again is a
    re-entrant edge to the tree that is there. One whose placeholder the parser lost is put at the root.
    """
    graph = read_graph(amr)
    lowered(graph)
    return graft_trees(graph, trees, query=query)


def lowered(graph: Graph) -> None:
    """Lower-case a graph, in place; its formulas must not be there yet, since their letters count."""
    for node in graph.nodes():
        node.variable, node.concept = node.variable.lower(), node.concept.lower()
        for branch in node.branches:
            branch.role = branch.role.lower()
            if isinstance(branch.target, str):
                branch.target = branch.target.lower()


def graft_trees(graph: Graph, trees: Mapping[str, OperatorTree], *, query: str | None = None) -> Grafted:
    """The same on a graph that is read already, which is changed."""
    writer = _Writer({node.variable for node in graph.nodes()})
    roots: dict[str, str] = {}

    def put(node: Node, at: int, name: str) -> None:
        if name in roots:
            node.branches.insert(at, Branch(":math", roots[name]))
            return
        root = writer.node(trees[name])
        if name == query:
            root.branches.insert(0, Branch(MARK, "target"))
        roots[name] = root.variable
        node.branches.insert(at, Branch(":math", root))

    by_id = {name.lower(): name for name in trees}
    found: list[str] = []
    unknown: dict[str, None] = {}
    for node in list(graph.nodes()):
        texts = [node.concept, *(one.target for one in node.branches if isinstance(one.target, str))]
        unknown |= dict.fromkeys(name for text in texts for name in ids(text) if name not in by_id)
        concept = _placeholder(node.concept, by_id)
        if concept is not None:
            node.concept = "math"
            put(node, 0, concept)
            found.append(concept)
        for branch in list(node.branches):
            name = _placeholder(branch.target, by_id) if isinstance(branch.target, str) else None
            if name is not None:
                branch.target = MATH
                put(node, node.branches.index(branch) + 1, name)
                found.append(name)
    lost = tuple(name for name in trees if name not in found)
    for name in lost:
        put(graph.root, len(graph.root.branches), name)
    return Grafted(graph, tuple(found), lost, roots, tuple(unknown))


def as_graph(tree: OperatorTree) -> Graph:
    return Graph(_Writer(set()).node(tree))


def _placeholder(text: str, by_id: Mapping[str, str]) -> str | None:
    """The id of the formula whose placeholder a constant or concept is."""
    match = _MANGLED.fullmatch(text)
    if match is None:
        return None
    return by_id.get(match["id"] if match["id"] is not None else match["tail"])


@dataclass(slots=True)
class _Writer:
    """Names the nodes of operator trees: a letter for the type, and a number that counts over the graph."""

    taken: set[str]
    counts: Counter[str] = field(default_factory=Counter)

    def node(self, tree: OperatorTree) -> Node:
        root = self.named(tree)
        pending = [(tree, root)]
        while pending:
            above, node = pending.pop()
            for number, child in enumerate(above.children):
                inner = self.named(child)
                place = 0 if above.unordered else number
                digit = _DIGITS[place] if place < len(_DIGITS) else f"{_DIGITS[-1]}{place}"
                node.branches.append(Branch(f":op{digit}", inner))
                pending.append((child, inner))
        return root

    def named(self, tree: OperatorTree) -> Node:
        kind, _, name = tree.label.removeprefix("+!").partition("!")
        letter = "V" if kind == "-" else kind
        while True:
            self.counts[letter] += 1
            variable = f"{letter}{self.counts[letter]}"
            if variable not in self.taken:
                break
        self.taken.add(variable)
        return Node(variable, "".join(map(_escaped, name)), [])


def _escaped(sign: str) -> str:
    return "_" if sign.isspace() else _ESCAPES.get(sign, sign)

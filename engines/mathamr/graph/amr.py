"""AMR and MathAMR graphs: as PENMAN texts, files of them, and as strings.

The order of the branches and the direction of the roles (`:arg0-of`) stay as written: strings depend on both.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from engines.core.errors import DataError, raise_error
from engines.core.rows import read_lines

if TYPE_CHECKING:
    pass


_OPERATORS = "VNCFOUMTWE"


def classify_variable(variable: str) -> str:
    """Return "operator" for the variables of operator trees (a type letter and a number), otherwise
    "concept".
    """
    return "operator" if variable[:1] in _OPERATORS and variable[1:].isdigit() else "concept"


@dataclass(slots=True)
class GraphNode:
    """A node: its variable, its concept ("" where there is none), and its branches in the order written."""

    variable: str
    concept: str
    branches: list[Branch]

    def list_texts(self) -> list[str]:
        """Return its concept, and the constants and variables that stand below it."""
        return [self.concept, *(one.target for one in self.branches if isinstance(one.target, str))]


@dataclass(slots=True)
class Branch:
    """An edge as written: a role and a node, a variable that stands elsewhere, or a constant."""

    role: str
    target: GraphNode | str

    @property
    def name(self) -> str:
        """The variable or constant that it leads to."""
        return self.target.variable if isinstance(self.target, GraphNode) else self.target


@dataclass(slots=True)
class Graph:
    """A graph, by its root; re-entrancies are branches to the name of a variable."""

    root: GraphNode

    def iterate_nodes(self) -> Iterator[GraphNode]:
        """Yield every node, parents first, in the order written."""
        pending = [self.root]
        while pending:
            node = pending.pop()
            yield node
            inner = [branch.target for branch in node.branches if isinstance(branch.target, GraphNode)]
            pending.extend(reversed(inner))

    def map_variables(self) -> dict[str, GraphNode]:
        """Return the node of each variable; the first where one is written twice."""
        result: dict[str, GraphNode] = {}
        for node in self.iterate_nodes():
            result.setdefault(node.variable, node)
        return result

    def list_warnings(self) -> list[str]:
        """Return the doubtful points of a graph, in words.

        They are variables with several concepts, or with branches in several places (the first ones count),
        and concepts, targets or nodes that are missing.
        """
        concepts: dict[str, dict[str, None]] = {}
        branched: dict[str, int] = {}
        for node in self.iterate_nodes():
            own = concepts.setdefault(node.variable, {})
            if node.concept:
                own[node.concept] = None
            branched[node.variable] = branched.get(node.variable, 0) + bool(node.branches)
        result = []
        for variable, own in concepts.items():
            if len(own) > 1:
                result.append(f"the variable {variable} has {len(own)} concepts: {', '.join(own)}")
            elif branched[variable] > 1:
                result.append(f"the variable {variable} has branches in {branched[variable]} places")
            if not own and classify_variable(variable) == "concept":
                result.append(f"the node {variable} has no concept")
        for node in self.iterate_nodes():
            for role, target in ((one.role, one.target) for one in node.branches):
                if target == "":
                    result.append(f"the role {role} of {node.variable} has no target")
                elif isinstance(target, str) and _VARIABLE.fullmatch(target) and target not in concepts:
                    result.append(f"{target} is not a node of the graph; it is read as a constant")
        return result

    def iterate_branches(self) -> Iterator[tuple[GraphNode | str, str, str, int]]:
        """Yield every node, constant and reference in the order written, with its role, the variable of what
        it hangs on, and its depth.
        """
        pending: list[tuple[GraphNode | str, str, str, int]] = [(self.root, "", "", 0)]
        while pending:
            target, role, parent, depth = pending.pop()
            yield target, role, parent, depth
            if isinstance(target, GraphNode):
                below = reversed(target.branches)
                pending += [(one.target, one.role, target.variable, depth + 1) for one in below]


_ALIGNMENT = re.compile(r'~[^"~]*$')
_VARIABLE = re.compile(r"[A-Za-z]\d*")


def read_graph(text: str) -> Graph:
    """Return a graph of its PENMAN text; comments, metadata and alignments (`~e.1,2`) are passed over.

    >>> graph = read_graph('(w / want-01 :arg0 (b / boy) :arg1 (g / go-02 :arg0 b))')
    >>> [node.concept for node in graph.iterate_nodes()]
    ['want-01', 'boy', 'go-02']

    Raises:
        DataError E329: for a text that is no graph, or holds something besides it.
    """
    import penman

    # Comments after the graph would be read as the beginning of another one.
    # The library reports concepts that are missing, which the published graphs have.
    log = logging.getLogger("penman")
    level = log.level
    log.setLevel(logging.CRITICAL)
    lines = text.splitlines()
    while lines and (not lines[-1].strip() or lines[-1].lstrip().startswith("#")):
        lines.pop()
    unread = iter([*lines, ""])
    try:
        trees = list(penman.iterparse(unread))
    except penman.DecodeError as error:
        raise _graph_error(f"{error.message} in line {error.lineno or 1} of its text") from error
    except RecursionError as error:
        raise _graph_error("nested too deep") from error
    finally:
        log.setLevel(level)
    roots = [tree.node for tree in trees if tree.node is not None and tree.node[0] is not None]
    if len(roots) > 1:
        raise _graph_error(f"it holds {len(roots)} graphs")
    if unread_lines := len(list(unread)):  # the reader stops at what can begin no graph
        side = "behind" if roots else "before"
        raise _graph_error(
            f"there is other text {side} the graph in line {len(lines) + 1 - unread_lines} of its text"
        )
    if not roots:
        raise _graph_error("it has no root")
    return Graph(_build_nodes(roots[0]))


def _graph_error(why: str) -> DataError:
    remedy = "A graph is written (variable / concept :role target …); give one at a time."
    return DataError(f"not a graph in PENMAN notation: {why}", code="E329", remedy=remedy)


def _build_nodes(written: tuple[str, list[tuple[str, object]]]) -> GraphNode:
    # Without recursion, since graphs can be nested more deeply than Python's stack.
    root = GraphNode(str(written[0]), "", [])
    pending = [(written, root)]
    while pending:
        (_, branches), node = pending.pop()
        for role, target in branches or ():
            if role == "/":
                node.concept = node.concept or _strip_alignment(target)
            elif isinstance(target, tuple):
                inner = GraphNode(str(target[0]), "", [])
                node.branches.append(Branch(_strip_alignment(role), inner))
                pending.append((target, inner))
            else:
                node.branches.append(Branch(_strip_alignment(role), _strip_alignment(target)))
    return root


def _strip_alignment(written: object) -> str:
    """Return a concept, role or constant without its alignment, which the library's trees keep; a tilde
    within quotes is none.
    """
    return _ALIGNMENT.sub("", str(written or ""))


def write_graph(graph: Graph) -> str:
    """Return the PENMAN text of a graph; each branch on a line of its own, six spaces further in.

    A graph that is read again is the same.
    """
    parts: list[str] = []
    # What is still to be written, from the end: texts, or (depth, node).
    pending: list[str | tuple[int, GraphNode]] = [(1, graph.root)]
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
            if isinstance(branch.target, GraphNode):
                pending += [(depth + 1, branch.target), start]
            else:
                pending.append((start + branch.target).rstrip())
    return "".join(parts)


_SENTENCE = "# ::snt "


@dataclass(frozen=True, slots=True)
class Block:
    """A sentence, the PENMAN text of its graph, and the line where its block begins."""

    sentence: str
    graph: str
    line: int


def read_blocks(path: Path, *, on_bad: Callable[[DataError], None] = raise_error) -> Iterator[Block]:
    """Yield the graphs of a file, plain or gzip, in order. Blocks that are comments alone are passed over.

    Args:
        on_bad: What is done with the error of a block without a sentence, if not to raise it.

    Raises:
        DataError: E317 for such a block.
    """
    block: list[str] = []
    begin = 0
    for line, text in read_lines(path, on_bad=on_bad):
        if text.strip():
            begin = begin if block else line
            block.append(text)
        elif block:
            yield from _read_block(path, begin, block, on_bad)
            block = []
    yield from _read_block(path, begin, block, on_bad)


def _read_block(
    path: Path, line: int, block: list[str], on_bad: Callable[[DataError], None]
) -> Iterator[Block]:
    graph = "\n".join(text for text in block if not text.startswith("#"))
    sentence = next((text.removeprefix(_SENTENCE) for text in block if text.startswith(_SENTENCE)), None)
    if graph and sentence is None:
        remedy = "Put each graph below its sentence: # ::snt The boy wants to go ."
        on_bad(DataError("a graph without its sentence", path=path, line=line, code="E317", remedy=remedy))
    elif graph and sentence is not None:
        yield Block(sentence.strip(), graph, line)


def invert_role(role: str) -> str:
    """Return the role of the same edge from its other end."""
    return role.removesuffix("-of") if role.endswith("-of") else role + "-of"


@dataclass(slots=True, eq=False)
class GraphPart:
    """A node while the graph is made: the same object in two places is a re-entrancy. Edges are (role, part)
    or (role, constant)."""

    concept: str
    edges: list[tuple[str, GraphPart | str]] = field(default_factory=list)

    def add_edge(self, role: str, target: GraphPart | str | None) -> GraphPart:
        """Add an edge to this part unless it exists already, seen from either end.

        Nothing happens if the target is None or the part itself.
        """
        # A number is a constant of AMR, not a node.
        if (
            isinstance(target, GraphPart)
            and not target.edges
            and re.fullmatch(r"\d+(\.\d+)?", target.concept)
        ):
            target = target.concept
        # The same edge may exist already, written from this end or inverted from the other.
        same = (
            one is target or (isinstance(one, str) and one == target) for at, one in self.edges if at == role
        )
        said = isinstance(target, GraphPart) and any(
            one is self and at == invert_role(role) for at, one in target.edges
        )
        if target is not None and target is not self and not said and not any(same):
            self.edges.append((role, target))
        return self

    def list_reachable(self) -> list[GraphPart]:
        """Return this part and all parts that can be reached from it."""
        result, seen = [self], {id(self)}
        for part in result:
            for _, target in part.edges:
                if isinstance(target, GraphPart) and id(target) not in seen:
                    seen.add(id(target))
                    result.append(target)
        return result

    def has_role(self, role: str) -> bool:
        """Return whether the part has an edge with a role."""
        return any(one == role for one, _ in self.edges)


def build_graph(root: GraphPart) -> Graph:
    """Return the graph of a part and what hangs on it, with variables by first letters."""
    names: dict[int, str] = {}
    counts: dict[str, int] = {}

    def name_part(part: GraphPart) -> GraphNode:
        letter = part.concept[:1].lower()
        letter = letter if letter.isascii() and letter.isalpha() else "x"
        counts[letter] = counts.get(letter, 0) + 1
        names[id(part)] = letter + (str(counts[letter]) if counts[letter] > 1 else "")
        return GraphNode(names[id(part)], re.sub(r"[^\w'-]", "", part.concept) or "symbol", [])

    # Depth first without recursion: grafted trees can be deeper than Python's stack.
    made = name_part(root)
    pending = [(root, made, iter(root.edges))]
    while pending:
        _, above, edges = pending[-1]
        edge = next(edges, None)
        if edge is None:
            pending.pop()
            continue
        role, target = edge
        if isinstance(target, str):
            above.branches.append(Branch(role, target))
        # A part that has a name already is re-entrant: write its variable alone.
        elif id(target) in names:
            above.branches.append(Branch(role, names[id(target)]))
        else:
            inner = name_part(target)
            above.branches.append(Branch(role, inner))
            pending.append((target, inner, iter(target.edges)))
    return Graph(made)


def join_parts(concept: str, parts: Iterable[GraphPart]) -> GraphPart:
    """Return a part whose operands `:op1`, `:op2`, … are the given parts."""
    top = GraphPart(concept)
    for number, part in enumerate(parts, start=1):
        top.add_edge(f":op{number}", part)
    return top


MATH = "MATH"
"""The constant in whose place a formula's tree is grafted."""

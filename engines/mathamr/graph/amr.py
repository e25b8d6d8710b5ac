"""AMR and MathAMR graphs as PENMAN texts, and files of them.

The order of the branches and the direction of the roles (`:arg0-of`) stay as written: strings depend on both.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from engines.core.errors import DataError, raised
from engines.core.files import read_lines

_OPERATORS = "VNCFOUMTWE"


def kind_of(variable: str) -> str:
    return "operator" if variable[:1] in _OPERATORS and variable[1:].isdigit() else "concept"


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

    @property
    def name(self) -> str:
        """The variable or constant that it leads to."""
        return self.target.variable if isinstance(self.target, Node) else self.target


@dataclass(slots=True)
class Graph:
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
        result: dict[str, Node] = {}
        for node in self.nodes():
            result.setdefault(node.variable, node)
        return result

    def warnings(self) -> list[str]:
        """What a graph hardly means, in words: a variable with several concepts, or with branches in several
        places, of which the first ones count; a concept, target or node that is missing."""
        concepts: dict[str, dict[str, None]] = {}
        branched: dict[str, int] = {}
        for node in self.nodes():
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
            if not own and kind_of(variable) == "concept":
                result.append(f"the node {variable} has no concept")
        for node in self.nodes():
            for role, target in ((one.role, one.target) for one in node.branches):
                if target == "":
                    result.append(f"the role {role} of {node.variable} has no target")
                elif isinstance(target, str) and _VARIABLE.fullmatch(target) and target not in concepts:
                    result.append(f"{target} is not a node of the graph; it is read as a constant")
        return result


_ALIGNMENT = re.compile(r'~[^"~]*$')
_VARIABLE = re.compile(r"[A-Za-z]\d*")


def read_graph(text: str) -> Graph:
    """A graph of its PENMAN text; comments, metadata and alignments (`~e.1,2`) are passed over.

    >>> graph = read_graph('(w / want-01 :arg0 (b / boy) :arg1 (g / go-02 :arg0 b))')
    >>> [node.concept for node in graph.nodes()]
    ['want-01', 'boy', 'go-02']

    Raises:
        DataError E329: for a text that is no graph, or holds something besides it.
    """
    import penman

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
        raise _no_graph(f"{error.message} in line {error.lineno or 1} of its text") from error
    except RecursionError as error:
        raise _no_graph("nested too deep") from error
    finally:
        log.setLevel(level)
    roots = [tree.node for tree in trees if tree.node is not None and tree.node[0] is not None]
    if len(roots) > 1:
        raise _no_graph(f"it holds {len(roots)} graphs")
    if left := len(list(unread)):  # the reader stops at what can begin no graph
        place = "behind" if roots else "before"
        raise _no_graph(f"there is other text {place} the graph in line {len(lines) + 1 - left} of its text")
    if not roots:
        raise _no_graph("it has no root")
    return Graph(_node(roots[0]))


def _no_graph(why: str) -> DataError:
    remedy = "A graph is written (variable / concept :role target …); give one at a time."
    return DataError(f"not a graph in PENMAN notation: {why}", code="E329", remedy=remedy)


def _node(written: tuple[str, list[tuple[str, object]]]) -> Node:
    root = Node(str(written[0]), "", [])
    pending = [(written, root)]
    while pending:
        (_, branches), node = pending.pop()
        for role, target in branches or ():
            if role == "/":
                node.concept = node.concept or _unaligned(target)
            elif isinstance(target, tuple):
                inner = Node(str(target[0]), "", [])
                node.branches.append(Branch(_unaligned(role), inner))
                pending.append((target, inner))
            else:
                node.branches.append(Branch(_unaligned(role), _unaligned(target)))
    return root


def _unaligned(written: object) -> str:
    """A concept, role or constant without its alignment, which the library's trees keep; a tilde within
    quotes is none."""
    return _ALIGNMENT.sub("", str(written or ""))


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


_SENTENCE = "# ::snt "


@dataclass(frozen=True, slots=True)
class Block:
    """A sentence, the PENMAN text of its graph, and the line where its block begins."""

    sentence: str
    graph: str
    line: int


def read_blocks(path: Path, *, on_bad: Callable[[DataError], None] = raised) -> Iterator[Block]:
    """The graphs of a file, plain or gzip, in order. Blocks that are comments alone are passed over.

    Args: on_bad: what is done with the error of a block without a sentence, if not to raise it.
    Raises: DataError E317 for such a block.
    """
    block: list[str] = []
    begin = 0
    for line, text in read_lines(path, on_bad=on_bad):
        if text.strip():
            begin = begin if block else line
            block.append(text)
        elif block:
            yield from _block(path, begin, block, on_bad)
            block = []
    yield from _block(path, begin, block, on_bad)


def _block(path: Path, line: int, block: list[str], on_bad: Callable[[DataError], None]) -> Iterator[Block]:
    graph = "\n".join(text for text in block if not text.startswith("#"))
    sentence = next((text.removeprefix(_SENTENCE) for text in block if text.startswith(_SENTENCE)), None)
    if graph and sentence is None:
        remedy = "Put each graph below its sentence: # ::snt The boy wants to go ."
        on_bad(DataError("a graph without its sentence", path=path, line=line, code="E317", remedy=remedy))
    elif graph and sentence is not None:
        yield Block(sentence.strip(), graph, line)

"""Drawings of graphs: SVG of our own layout, and DOT.

The graph grows from left to right, a column for each depth and a line for each leaf, so that no two labels
meet; what is written a second time (a re-entrancy) is a dashed edge to where it stands.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape, unescape
from pathlib import Path
from typing import Annotated, Any, Literal

from engines.core.errors import EngineError
from engines.core.events import Sink, ignore
from engines.core.spec import Arg, specification
from engines.mathamr.graph.amr import Graph, GraphNode, classify_variable, read_graph
from engines.moved import moved_verb

# In pixels: the height of a line, the usual width of a character, and space in boxes and at the edges.
_LINE, _CHARACTER, _PAD, _MARGIN = 26, 7.4, 16, 12
_COLOURS = {
    "concept": ("#eaf2fb", "#0072b2"),
    "operator": ("#fdf3e2", "#e69f00"),
    "constant": ("#f4f4f4", "#767676"),
}


@specification
class DrawGraph:
    """Draw a graph from a file, as SVG or for Graphviz."""

    file: Annotated[
        Path,
        Arg('Lines {"topic_id": …, "mathamr": PENMAN text}.', metavar="FILE", option=True, inline=".jsonl"),
    ]
    topic: Annotated[str | None, Arg("Which graph of the file.", shown="the first")] = None
    write: Annotated[Literal["svg", "dot"], Arg("svg: a picture; dot: source for Graphviz.")] = "svg"


def draw_graph(spec: DrawGraph, *, events: Sink = ignore) -> dict[str, Any]:
    """Draw a graph as SVG or DOT.

    Returns:
        `{"topic_id", "format", "text"}`.

    Events:
        Warnings of what the graph hardly means.

    Raises:
        EngineError: E354 if the file has no graph of that name.
        DataError: E329 if it is no graph.
    """
    from engines.mathamr.rows import read_named_rows

    for row in read_named_rows(spec.file, "topic_id", "mathamr", events=events):
        if spec.topic in (None, row.name):
            with row.locate_errors():
                graph = read_graph(row["mathamr"])
            for warning in graph.list_warnings():
                row.warn_of_row(warning)
            text = to_svg(graph) if spec.write == "svg" else to_dot(graph)
            return {"topic_id": row["topic_id"], "format": spec.write, "text": text}
    raise EngineError(
        f"there is no graph {spec.topic}",
        where=str(spec.file),
        code="E354",
        exit_code=2,
        remedy="Name one of the file's.",
    )


@dataclass(slots=True)
class PlacedNode:
    """A node or constant where it is drawn: `name` is its variable, or of a constant its own; `kind` one of
    concept, operator, constant; `x`, `y`, `width` in pixels; `parent` is what it hangs on, by `role`."""

    name: str
    text: str
    kind: str
    depth: int
    parent: str
    role: str
    x: float = 0.0
    y: float = 0.0
    width: float = 0.0


def readable_label(label: str) -> str:
    """Return a label as people read it: in plain letters, since fonts lack those of MathML, and with the
    signs that operator trees name.

    >>> readable_label("V!&lsqb;"), readable_label("M!D-lsqb;&rsqb;"), readable_label("&comma;")
    ('V![', 'M!D-[]', ',')
    """
    named = label.replace("D-l", "D-&l") if label.endswith(";") else label
    return unicodedata.normalize("NFKC", unescape(named))


def lay_out_graph(graph: Graph) -> tuple[list[PlacedNode], list[tuple[str, str, str]]]:
    """Return the nodes with their places, parents first, and edges (from, role, to) to nodes written
    elsewhere.
    """
    known = graph.map_variables()
    result: list[PlacedNode] = []
    again: list[tuple[str, str, str]] = []
    # A node written a second time, or referred to before it is written, is an edge to its only place.
    for target, role, parent, depth in graph.iterate_branches():
        if isinstance(target, GraphNode):
            name = target.variable
            shown = readable_label(target.concept) or name
            result.append(PlacedNode(name, shown, classify_variable(name), depth, parent, role))
        elif target in known:
            again.append((parent, role, target))
        else:
            result.append(PlacedNode(f"constant {len(result)}", target, "constant", depth, parent, role))
    _place_nodes(result)
    return result, again


def _place_nodes(nodes: Sequence[PlacedNode]) -> None:
    """Columns by depth, lines by leaves; a parent stands in the middle of its children."""
    columns = max(node.depth for node in nodes) + 1
    widths, roles = [0.0] * columns, [0.0] * columns
    for node in nodes:
        node.width = len(node.text) * _CHARACTER + _PAD
        widths[node.depth] = max(widths[node.depth], node.width)
        roles[node.depth] = max(roles[node.depth], len(node.role) * _CHARACTER * 0.85 + 26)
    starts = [0.0] * columns
    for depth in range(1, columns):
        starts[depth] = starts[depth - 1] + widths[depth - 1] + roles[depth]
    children: dict[str, list[PlacedNode]] = {}
    for node in nodes:
        children.setdefault(node.parent, []).append(node)
    # Nodes are in depth-first order, so the leaves of a subtree get consecutive lines.
    line = 0
    for node in nodes:
        node.x = _MARGIN + starts[node.depth]
        if node.name not in children:
            node.y = _MARGIN + line * _LINE + _LINE / 2
            line += 1
    # Children come after their parents, so in reverse order their lines are known first.
    for node in reversed(nodes):
        if node.name in children:
            below = children[node.name]
            node.y = (below[0].y + below[-1].y) / 2


def to_svg(graph: Graph) -> str:
    """Return a graph as SVG."""
    nodes, again = lay_out_graph(graph)
    by_name = {node.name: node for node in nodes}
    loop = 60 if again else 0
    width = max(node.x + node.width for node in nodes) + _MARGIN + loop
    height = max(node.y for node in nodes) + _LINE / 2 + _MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="monospace" font-size="12">',
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="#ffffff"/>',
    ]
    parts += [_draw_edge(by_name[node.parent], node) for node in nodes if node.parent]
    parts += [_draw_reentrancy(by_name[one], by_name[other]) for one, _, other in again]
    parts += [_draw_node(node) for node in nodes]
    for name in dict.fromkeys(one for one, _, _ in again):
        # Its roles stand under it and above what comes next, where nothing else does.
        node, roles = by_name[name], " ".join(role for one, role, _ in again if one == name)
        coordinates = f'x="{node.x + _PAD / 2:.1f}" y="{node.y + 17:.1f}"'
        parts.append(f'<text {coordinates} font-size="9" fill="#a0527f">{escape(roles)}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def _draw_node(node: PlacedNode) -> str:
    fill, stroke = _COLOURS[node.kind]
    return (
        f'<rect x="{node.x:.1f}" y="{node.y - 9:.1f}" width="{node.width:.1f}" height="18" rx="4" '
        f'fill="{fill}" stroke="{stroke}"/><text x="{node.x + _PAD / 2:.1f}" y="{node.y + 4:.1f}" '
        f'fill="#1a1a1a">{escape(node.text)}</text>'
    )


def _draw_edge(parent: PlacedNode, child: PlacedNode) -> str:
    start, bend = parent.x + parent.width, parent.x + parent.width + 12
    label = child.x - len(child.role) * _CHARACTER * 0.85 - 4
    return (
        f'<path d="M{start:.1f} {parent.y:.1f}H{bend:.1f}V{child.y:.1f}H{child.x:.1f}" fill="none" '
        f'stroke="#9a9a9a"/><text x="{label:.1f}" y="{child.y - 3:.1f}" font-size="10" '
        f'fill="#555555">{escape(child.role)}</text>'
    )


def _draw_reentrancy(left: PlacedNode, right: PlacedNode) -> str:
    start, end = left.x + left.width, right.x + right.width
    far = max(start, end) + 48
    return (
        f'<path d="M{start:.1f} {left.y + 4:.1f}C{far:.1f} {left.y:.1f} {far:.1f} {right.y:.1f} {end:.1f} '
        f'{right.y:.1f}" fill="none" stroke="#cc79a7" stroke-dasharray="4 3"/>'
        f'<circle cx="{end:.1f}" cy="{right.y:.1f}" r="2.5" fill="#cc79a7"/>'
    )


def to_dot(graph: Graph) -> str:
    """Return a graph in the language DOT of Graphviz."""
    nodes, again = lay_out_graph(graph)
    lines = ["digraph mathamr {", "  rankdir=LR;", '  node [shape=box, fontname="monospace"];']
    for node in nodes:
        fill, stroke = _COLOURS[node.kind]
        lines.append(
            f'  {_quote_dot(node.name)} [label={_quote_dot(node.text)}, style="filled,rounded", '
            f'fillcolor="{fill}", color="{stroke}"];'
        )
    for node in nodes:
        if node.parent:
            lines.append(
                f"  {_quote_dot(node.parent)} -> {_quote_dot(node.name)} [label={_quote_dot(node.role)}];"
            )
    # Edges to nodes that are drawn elsewhere are dashed, and do not move the nodes.
    for left, role, right in again:
        dashed = f"label={_quote_dot(role)}, style=dashed, constraint=false"
        lines.append(f"  {_quote_dot(left)} -> {_quote_dot(right)} [{dashed}];")
    return "\n".join([*lines, "}"]) + "\n"


def _quote_dot(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def __getattr__(name: str) -> object:
    return moved_verb(__name__, name)

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
from engines.mathamr.graph.amr import Graph, Node, kind_of, read_graph

_LINE, _CHARACTER, _PAD, _MARGIN = 26, 7.4, 16, 12
_COLOURS = {
    "concept": ("#eaf2fb", "#0072b2"),
    "operator": ("#fdf3e2", "#e69f00"),
    "constant": ("#f4f4f4", "#767676"),
}


@specification
class Draw:
    """Draw a graph from a file, as SVG or for Graphviz."""

    file: Annotated[
        Path,
        Arg('Lines {"topic_id": …, "mathamr": PENMAN text}.', metavar="FILE", option=True, inline=".jsonl"),
    ]
    topic: Annotated[str | None, Arg("Which graph of the file.", shown="the first")] = None
    write: Annotated[Literal["svg", "dot"], Arg("svg: a picture; dot: source for Graphviz.")] = "svg"


def draw(spec: Draw, *, events: Sink = ignore) -> dict[str, Any]:
    """`{"topic_id", "format", "text"}`. Events: warnings of what the graph hardly means.

    Raises:
        EngineError E354: where the file has no graph of that name. DataError E329: where it is no graph.
    """
    from engines.mathamr.rows import named_rows

    for row in named_rows(spec.file, "topic_id", "mathamr", events=events):
        if spec.topic in (None, row.name):
            with row.placed():
                graph = read_graph(row["mathamr"])
            for warning in graph.warnings():
                row.warn(warning)
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
class Placed:
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


def readable(label: str) -> str:
    """A label as people read it: in plain letters, since fonts lack those of MathML, and with the signs that
    operator trees name.

    >>> readable("V!&lsqb;"), readable("M!D-lsqb;&rsqb;"), readable("&comma;")
    ('V![', 'M!D-[]', ',')
    """
    named = label.replace("D-l", "D-&l") if label.endswith(";") else label
    return unicodedata.normalize("NFKC", unescape(named))


def placed(graph: Graph) -> tuple[list[Placed], list[tuple[str, str, str]]]:
    """The nodes with their places, parents first, and edges (from, role, to) to nodes written elsewhere."""
    known = graph.by_variable()
    result: list[Placed] = []
    again: list[tuple[str, str, str]] = []
    for target, role, parent, depth in graph.branches():
        if isinstance(target, Node):
            name = target.variable
            shown = readable(target.concept) or name
            result.append(Placed(name, shown, kind_of(name), depth, parent, role))
        elif target in known:
            again.append((parent, role, target))
        else:
            result.append(Placed(f"constant {len(result)}", target, "constant", depth, parent, role))
    _place(result)
    return result, again


def _place(nodes: Sequence[Placed]) -> None:
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
    children: dict[str, list[Placed]] = {}
    for node in nodes:
        children.setdefault(node.parent, []).append(node)
    line = 0
    for node in nodes:
        node.x = _MARGIN + starts[node.depth]
        if node.name not in children:
            node.y = _MARGIN + line * _LINE + _LINE / 2
            line += 1
    for node in reversed(nodes):
        if node.name in children:
            below = children[node.name]
            node.y = (below[0].y + below[-1].y) / 2


def to_svg(graph: Graph) -> str:
    nodes, again = placed(graph)
    by_name = {node.name: node for node in nodes}
    loop = 60 if again else 0
    width = max(node.x + node.width for node in nodes) + _MARGIN + loop
    height = max(node.y for node in nodes) + _LINE / 2 + _MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="monospace" font-size="12">',
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="#ffffff"/>',
    ]
    parts += [_edge(by_name[node.parent], node) for node in nodes if node.parent]
    parts += [_again(by_name[one], by_name[other]) for one, _, other in again]
    parts += [_box(node) for node in nodes]
    for name in dict.fromkeys(one for one, _, _ in again):
        # Its roles stand under it and above what comes next, where nothing else does.
        node, roles = by_name[name], " ".join(role for one, role, _ in again if one == name)
        place = f'x="{node.x + _PAD / 2:.1f}" y="{node.y + 17:.1f}"'
        parts.append(f'<text {place} font-size="9" fill="#a0527f">{escape(roles)}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def _box(node: Placed) -> str:
    fill, stroke = _COLOURS[node.kind]
    return (
        f'<rect x="{node.x:.1f}" y="{node.y - 9:.1f}" width="{node.width:.1f}" height="18" rx="4" '
        f'fill="{fill}" stroke="{stroke}"/><text x="{node.x + _PAD / 2:.1f}" y="{node.y + 4:.1f}" '
        f'fill="#1a1a1a">{escape(node.text)}</text>'
    )


def _edge(parent: Placed, child: Placed) -> str:
    start, bend = parent.x + parent.width, parent.x + parent.width + 12
    label = child.x - len(child.role) * _CHARACTER * 0.85 - 4
    return (
        f'<path d="M{start:.1f} {parent.y:.1f}H{bend:.1f}V{child.y:.1f}H{child.x:.1f}" fill="none" '
        f'stroke="#9a9a9a"/><text x="{label:.1f}" y="{child.y - 3:.1f}" font-size="10" '
        f'fill="#555555">{escape(child.role)}</text>'
    )


def _again(one: Placed, other: Placed) -> str:
    start, end = one.x + one.width, other.x + other.width
    far = max(start, end) + 48
    return (
        f'<path d="M{start:.1f} {one.y + 4:.1f}C{far:.1f} {one.y:.1f} {far:.1f} {other.y:.1f} {end:.1f} '
        f'{other.y:.1f}" fill="none" stroke="#cc79a7" stroke-dasharray="4 3"/>'
        f'<circle cx="{end:.1f}" cy="{other.y:.1f}" r="2.5" fill="#cc79a7"/>'
    )


def to_dot(graph: Graph) -> str:
    nodes, again = placed(graph)
    lines = ["digraph mathamr {", "  rankdir=LR;", '  node [shape=box, fontname="monospace"];']
    for node in nodes:
        fill, stroke = _COLOURS[node.kind]
        lines.append(
            f'  {_quoted(node.name)} [label={_quoted(node.text)}, style="filled,rounded", '
            f'fillcolor="{fill}", color="{stroke}"];'
        )
    for node in nodes:
        if node.parent:
            lines.append(f"  {_quoted(node.parent)} -> {_quoted(node.name)} [label={_quoted(node.role)}];")
    for one, role, other in again:
        dashed = f"label={_quoted(role)}, style=dashed, constraint=false"
        lines.append(f"  {_quoted(one)} -> {_quoted(other)} [{dashed}];")
    return "\n".join([*lines, "}"]) + "\n"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'

"""Drawings of graphs: well-formed SVG in which no two labels meet, and DOT with every edge."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from engines.formula.operator_tree_parser import operator_tree
from engines.mathamr import Inspect, ParseOpt, inspect, opt
from engines.mathamr.graph.amr import Graph, read_graph
from engines.mathamr.graph.drawing import lay_out_graph, to_dot, to_svg
from screens.mathamr.contexts import Subject
from screens.mathamr.inspection import Inspection
from screens.mathamr.texts import tree_lines
from workbench.papers.mathamr.tables import slt as lines_of

GRAPH = """(w / want-01 :arg0 (b / boy) :arg1 (g / "go<&>" :arg0 b :arg1 MATH
  :math (U1 / plus :op0 (V1 / 𝑥) :op0 (N1 / 1))))"""


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Trees of up to 30 nodes."""
    parents = [draw(st.integers(0, at)) for at in range(draw(st.integers(0, 29)))]
    words = draw(st.lists(st.text("abcé-01", min_size=1, max_size=12), min_size=30, max_size=30))

    def written(at: int) -> str:
        inner = [number + 1 for number, parent in enumerate(parents) if parent == at]
        return f"(n{at} / {words[at]} " + " ".join(f":arg{at} {written(one)}" for one in inner) + ")"

    return read_graph(written(0))


@given(graphs())
def test_no_two_labels_meet(graph: Graph) -> None:
    nodes, _ = lay_out_graph(graph)
    for one, other in combinations(nodes, 2):
        apart = one.x + one.width < other.x or other.x + other.width < one.x or abs(one.y - other.y) >= 18
        assert apart, (one, other)


def test_the_picture_has_each_node_and_each_edge() -> None:
    graph = read_graph(GRAPH)
    root = etree.fromstring(to_svg(graph).encode())
    texts = [str(text) for text in root.itertext() if str(text).strip()]
    for shown in ("want-01", "boy", '"go<&>"', "plus", "x", "1", "MATH", ":math"):
        assert shown in texts
    assert sum("stroke-dasharray" in element.attrib for element in root.iter()) == 1


def test_the_roles_of_reentrant_edges_are_hidden_by_no_box() -> None:
    """Each stands under its node, clear of every box: one was under the box that its curve passed."""
    graph = read_graph(
        "(o / obligate-01 :ARG1 (i / i) :ARG2 (e / expand-01 :ARG0 i :ARG1 (n / integrate-01)"
        " :manner (u / use-01 :ARG0 i :ARG2 n :ARG1 (s / series))))"
    )
    root = etree.fromstring(to_svg(graph).encode())
    boxes = [[float(rect.get(name, 0)) for name in ("x", "y", "width", "height")] for rect in root][1:]
    boxes = [box for box in boxes if box[3] == 18]
    names = {"".join(text.itertext()): text for text in root if text.get("fill") == "#a0527f"}
    assert list(names) == [":ARG0", ":ARG0 :ARG2"]
    for text in names.values():
        x, y = float(text.get("x", 0)), float(text.get("y", 0))
        for left, top, width, height in boxes:
            assert not (left <= x <= left + width and top < y and y - 7 < top + height)


def test_dot_has_the_reentrant_edge() -> None:
    lines = to_dot(read_graph(GRAPH)).splitlines()
    assert sum("->" in line for line in lines) == 7
    assert [line for line in lines if "dashed" in line] == [
        '  "g" -> "b" [label=":arg0", style=dashed, constraint=false];'
    ]


@pytest.mark.parametrize(
    ("latex", "label", "shown"), [("f[x]", "M!D-lsqb;&rsqb;", "D-[]"), ("a]", "V!&rsqb;", "]")]
)
def test_signs_that_trees_name_are_drawn_as_signs(latex: str, label: str, shown: str) -> None:
    """In pictures, in the trees of commands and in those of the screen."""
    assert label in {node.label for node in operator_tree(latex).walk_nodes()}
    tree = opt(ParseOpt(latex=latex))
    assert any(line.endswith(f"M!{shown}" if shown[1:] else f"V!{shown}") for line in lines_of(tree, None))
    assert any(line.endswith(f" {shown}") for line in tree_lines(tree))
    found = inspect(Inspect(text=f"Let ${latex}$ be.", k=0))
    graph = read_graph(found["penman"])
    assert f">{shown}</text>" in to_svg(graph)
    assert f'label="{shown}"' in to_dot(graph)
    rows = Inspection(found, Subject("")).rows
    assert shown in [row["shown"] for row in rows]

"""MathAMR graphs: the published graphs and strings, grafting, and what is no graph."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.core.errors import DataError
from engines.core.events import Event
from engines.formula.operator_tree import OperatorTree
from engines.formula.operator_tree_parser import operator_tree
from engines.mathamr.context import ExtractContext, extract_context
from engines.mathamr.graph.amr import Graph, GraphNode, read_graph, write_graph
from engines.mathamr.graph.comparison import CompareGraphs, compare_graphs
from engines.mathamr.graph.drawing import DrawGraph, draw_graph
from engines.mathamr.graph.grafting import Graft, graft, graft_formulas, graft_trees
from engines.mathamr.graph.linearization import Linearize, linearize, linearize_graph
from engines.mathamr.inspection import Inspect, inspect
from engines.mathamr.parsing.parsers import ParseAmr, parse_rows
from engines.mathamr.trees import ParseOpt, ParseSlt, opt, slt
from tests.conftest import expect_error

GENERAL = """(f / find-01 :mode imperative :arg0 (y / you)
  :arg1 (t / thing :arg2-of (s / solve-01) :arg1-of (g / general-02)
    :mod (e / equal-01 :arg2 MATH :math (U1 / plus
      :op0 (O1 / SUP :op0 (V1 / 𝑥) :op1 (V2 / 𝑛)) :op0 (O2 / SUP :op0 (V3 / 𝑦) :op1 (V4 / 𝑛))
      :op0 (O3 / SUP :op0 (V5 / 𝑧) :op1 (V6 / 𝑛))))))"""


def test_the_string_of_the_paper() -> None:
    """MathAMR, section 3.2; the released string lacks the token math and has the letters of MathML."""
    paper = "find-01 you thing general-02 solve-01 equal-01 math plus SUP z n SUP y n SUP x n imperative"
    assert linearize_graph(read_graph(GENERAL), style="paper") == paper
    released = "find-01 you thing general-02 solve-01 equal-01 plus SUP 𝑧 𝑛 SUP 𝑦 𝑛 SUP 𝑥 𝑛 imperative"
    assert linearize_graph(read_graph(GENERAL)) == released


@pytest.mark.slow
@pytest.mark.real_data
def test_published_strings_and_graphs(real_data: Path) -> None:
    """All 185 strings; B.40, whose graph lacks a role, is empty there too."""
    file = real_data / "arqmath" / "mathamr_topics.jsonl"
    published = (real_data / "arqmath" / "linearized_mathamr_topics.jsonl").read_text("utf-8")
    expected = {row["topic_id"]: row["linear_mathamr"] for row in map(json.loads, published.splitlines())}
    warnings: list[str] = []
    found = linearize(Linearize(file), events=lambda event: warnings.append(event.data["message"]))
    assert {row["topic_id"]: row["linear_mathamr"] for row in found} == expected
    assert [": B.40: " in message for message in warnings] == [True]
    for line in file.read_text("utf-8").splitlines():
        row = json.loads(line)
        if row["topic_id"] != "B.40":
            graph = read_graph(row["mathamr"])
            assert read_graph(write_graph(graph)) == graph
            words = linearize_graph(graph, canonical=True).split()
            assert sorted(words) == sorted(linearize_graph(graph).split())


def test_a_formula_takes_the_place_of_its_placeholder() -> None:
    amr = '(e / Equal-01 :ARG1 (s / string-entity :value "eqx7eqx") :ARG2 (s2 / thing :name "eqx71eqx"))'
    made = graft_formulas(amr, {"7": operator_tree("X+1"), "71": operator_tree("(a,b]")})
    assert (made.found, made.lost) == (("7", "71"), ())
    assert linearize_graph(made.graph, style="paper") == (
        "equal-01 string-entity math plus 1 X thing math interval$O-C$$ a b"
    )


@given(st.text(min_size=1))
def test_any_label_is_read_again(name: str) -> None:
    """Signs of PENMAN in a label, such as the # of a comment, do not end the graph."""
    graph = Graph(GraphNode("z", "", []))
    graft_trees(graph, {"0": OperatorTree("O!f", (OperatorTree(f"V!{name}"), OperatorTree("V!x")))})
    labels = [node.concept for node in graph.iterate_nodes()]
    assert [node.concept for node in read_graph(write_graph(graph)).iterate_nodes()] == labels
    assert (len(labels), labels[1], labels[3]) == (4, "f", "x")


def test_repeated_lost_and_mangled_formulas() -> None:
    amr = '(a / and :op1 (s / x :value "eqx3eqx") :op2 (t / y :value "eqx3eqx") :op3 (u / z :value "4eqx"))'
    trees = {"3": operator_tree("p"), "4": operator_tree("q"), "5": operator_tree("r^2")}
    made = graft_formulas(amr, trees, query="4")
    assert made.found == ("3", "3", "4")
    assert made.lost == ("5",)
    text = write_graph(made.graph)
    assert text.count(":math V1") == 1
    assert linearize_graph(made.graph) == "and SUP r 2 x p y z q target"


def test_operands_of_commutative_operators_in_one_order() -> None:
    one, other = (
        graft_trees(Graph(GraphNode("r", "root", [])), {"1": operator_tree(latex)}).graph
        for latex in ("a+bc+d", "d+cb+a")
    )
    assert linearize_graph(one) != linearize_graph(other)
    assert linearize_graph(one, canonical=True) == linearize_graph(other, canonical=True)


NO_GRAPHS = ["", "x", "(", "(a / b", "(a / b :arg0 (c / d)", '(a / "b', ")", "# ::snt only a sentence"]
WITH_MORE = ["(a / b) c", "(a / b))", '(a / b) "b"', "(a / b) :arg0 c", "c (a / b)", "(a / b) (c / d)"]


@pytest.mark.parametrize("text", NO_GRAPHS + WITH_MORE)
def test_what_is_no_graph_is_refused(text: str) -> None:
    with pytest.raises(DataError) as caught:
        read_graph(text)
    assert caught.value.code == "E329"


def test_what_stands_behind_a_graph_is_named_by_its_line() -> None:
    with expect_error("E329"):
        read_graph("# ::snt A boy.\n(b / boy\n :mod (g / good)) and girls\n# end")
    assert read_graph("# ::snt A boy.\n(b / boy)\n\n# end\n").root.concept == "boy"


def test_alignments_are_no_part_of_a_graph() -> None:
    aligned = """(a / a~e.1 :arg0~e.2 (b / "b~1"~3) :arg1~1,2 (c / c~e.4,5 :quant 5~e.6 :mod "x"~2)
      :arg2 b~e.7 :arg3~2)"""
    plain = '(a / a :arg0 (b / "b~1") :arg1 (c / c :quant 5 :mod "x") :arg2 b :arg3)'
    assert read_graph(aligned) == read_graph(plain)
    assert (
        compare_graphs(CompareGraphs("(a / a~e.1 :arg0~e.2 (b / b~3))", "(a / a :arg0 (b / b))"))["f1"] == 1.0
    )
    assert linearize_graph(read_graph("(a / a~e.1 :arg0~e.2 (b / b~3))")) == "a b"


CLASH = "the variable b has 2 concepts: boy, girl"


@pytest.mark.parametrize(
    ("text", "doubts"),
    [
        ("(w / want-01 :arg0 (b / boy) :arg1 (b / girl))", [CLASH]),
        ("(w / want-01 :arg0 (b / boy) :arg1 (c / care-01 :arg0 b))", []),
        ("(w / want-01 :arg0 (b / boy) :arg1 (b / boy))", []),
        ("(w / want-01 :arg0 b :arg1 (b / boy :arg0 (b)))", []),
        ("(w / x :r (b / y :s 1) :t (b / y :u 2))", ["the variable b has branches in 2 places"]),
        ("(w / want-01 :arg0 (b))", ["the node b has no concept"]),
        ("(w / want-01 :math (O1 / plus :op0 (E1) :op0 (V1 / x)))", []),
        ("(w / want-01 :arg0 :arg1 3)", ["the role :arg0 of w has no target"]),
        ("(w / want-01 :arg0 b2)", ["b2 is not a node of the graph; it is read as a constant"]),
        ('(w / want-01 :mode imperative :value "n" :polarity -)', []),
    ],
)
def test_what_a_graph_hardly_means_is_told(text: str, doubts: list[str]) -> None:
    assert read_graph(text).list_warnings() == doubts


def test_whoever_reads_graphs_warns_of_a_variable_with_two_concepts(tmp_path: Path) -> None:
    text = "(w / want-01 :arg0 (b / boy) :arg1 (b / girl) :arg2 eqx1eqx)"
    file, events = tmp_path / "graphs.jsonl", []
    file.write_text(
        json.dumps({"topic_id": "B.1", "amr": text, "mathamr": text, "formulas": {"1": "x"}}) + "\n"
    )
    for found in (linearize(Linearize(file), events=events.append), graft(Graft(file), events=events.append)):
        assert len(list(found)) == 1
    draw_graph(DrawGraph(file), events=events.append)
    compare_graphs(CompareGraphs(text, text), events=events.append)
    messages = [event.data["message"] for event in events]
    assert messages == [f"{file}:1: B.1: {CLASH}"] * 3 + [CLASH, CLASH]
    assert CLASH in inspect(Inspect("A boy wants $x$.", graph=text, k=0))["warnings"]


def test_cycles_end() -> None:
    assert linearize_graph(read_graph("(a / x :r (b / y :r a) :s b :t a)")) == "x y"
    assert linearize_graph(read_graph("(a / x :strange-role (b / y :arg0 z) :value 3)")) == "x y z 3"


@given(st.text(alphabet='()/:ab1 "\n~', max_size=40))
def test_any_text_is_a_graph_or_refused(text: str) -> None:
    try:
        graph = read_graph(text)
    except DataError:
        return
    assert linearize_graph(graph) == linearize_graph(read_graph(write_graph(graph)))


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("nonsense", ":1"),
        ('{"topic_id": "B.1"}', "no text 'mathamr'"),
        ("[1]", "not a JSON object"),
        ("\x00", "binary"),
    ],
)
def test_bad_lines_name_file_and_line(tmp_path: Path, line: str, says: str) -> None:
    file = tmp_path / "graphs.jsonl"
    file.write_text(line + "\n")
    with pytest.raises(DataError) as caught:
        list(linearize(Linearize(file)))
    assert str(file) in str(caught.value)
    assert says in str(caught.value)


def said(make: Callable[..., Iterator[Any]], spec: Any) -> list[str]:
    """The warnings of a command that yields rows."""
    events: list[Event] = []
    list(make(spec, events=events.append))
    return [event.data["message"] for event in events]


def written(file: Path, *rows: dict[str, Any]) -> Path:
    file.write_text("\n" + "".join(json.dumps(row) + "\n" for row in rows))
    return file


def test_a_graph_and_its_formulas_that_do_not_fit_are_told(tmp_path: Path) -> None:
    amr = '(f / find-01 :ARG1 (t / thing :value "eqx1eqx" :value "eqx7eqx"))'
    file = written(
        tmp_path / "a.jsonl",
        {"topic_id": "B.1", "amr": amr, "formulas": {"1": "x", "2": "y"}},
        {"topic_id": "B.1", "amr": "(b / boy)", "formulas": {}, "query": "q_1"},
    )
    assert said(graft, Graft(file)) == [
        f"{file}:2: B.1: the graph has no placeholder for 2; their trees are attached to the root",
        f"{file}:2: B.1: there are no formulas for the placeholders 7",
        f"{file}:3: B.1: 1 rows repeat an earlier topic_id; this is the first of them",
    ]
    found = graft(Graft(file, mark=True))
    with expect_error("E376") as caught:
        list(found)
    assert (caught.value.code, caught.value.where) == ("E376", f"{file}:3")
    marked = written(tmp_path / "b.jsonl", {"topic_id": "B.1", "amr": amr, "formulas": {"1": "x", "7": "y"}})
    assert said(graft, Graft(marked, mark=True)) == [
        f'{marked}:2: B.1: no formula is marked, as the row has no "query"'
    ]
    assert said(graft, Graft(marked)) == []


@pytest.mark.parametrize(
    "held",
    [
        {"amr": "(b / boy) (g / girl)", "formulas": {}},
        {"amr": "(b / boy) and more", "formulas": {}},
        {"amr": "(b / boy)"},
        {"amr": "(b / boy)", "formulas": {"1": 3}},
    ],
)
def test_what_cannot_be_grafted_names_file_line_and_topic(tmp_path: Path, held: dict[str, Any]) -> None:
    file = written(tmp_path / "a.jsonl", {"topic_id": "B.5", **held})
    with pytest.raises(DataError) as caught:
        list(graft(Graft(file)))
    assert str(caught.value).startswith(f"{caught.value.code} {file}:2: B.5: ")
    graph = written(tmp_path / "m.jsonl", {"topic_id": "B.5", "mathamr": "(b / boy) (g / girl)"})
    assert [message.partition(" not a")[0] for message in said(linearize, Linearize(graph))] == [
        f"{graph}:2: B.5:"
    ]
    with pytest.raises(DataError) as caught:
        draw_graph(DrawGraph(graph))
    assert caught.value.where == f"{graph}:2"


def test_repeated_and_nameless_rows_of_formulas_are_counted(tmp_path: Path) -> None:
    file = written(tmp_path / "f.jsonl", *({"id": name, "latex": "x"} for name in (7, "7", None, "8", 7)))
    for make, spec in ((opt, ParseOpt(file=file)), (slt, ParseSlt(file=file))):
        assert said(make, spec) == [
            f"{file}:3: 7: 2 rows repeat an earlier id; this is the first of them",
            f"{file}:4: 1 rows have no id; this is the first of them",
        ]


def test_many_errors_of_a_formula_do_not_repeat_it(tmp_path: Path) -> None:
    latex = "(" * 300 + "+" + r"\frac{a" * 300
    (row,) = opt(ParseOpt(file=written(tmp_path / "f.jsonl", {"id": 1, "latex": latex})))
    assert row["errors"]
    assert all(latex.startswith(one["latex"], one["start"]) for one in row["errors"])
    assert len({(one["start"], one["end"]) for one in row["errors"]}) == len(row["errors"])
    assert max(len(one["latex"]) for one in row["errors"]) == 80


def test_a_file_without_rows_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "blank.jsonl"
    file.write_text("\n \n")
    for make, spec in (
        (graft, Graft(file)),
        (linearize, Linearize(file)),
        (opt, ParseOpt(file=file)),
        (slt, ParseSlt(file=file)),
        (extract_context, ExtractContext(file=file)),
        (parse_rows, ParseAmr(file)),
    ):
        with expect_error("E314") as caught:
            list(make(spec))
        assert (caught.value.code, caught.value.where) == ("E314", str(file))

"""E-graphs of other programs: counts against plain enumeration, drawing against the uniform distribution."""

from __future__ import annotations

import json
from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from egglog.bindings import EGraph

from engines.egen.corpora import (
    CorpusStats,
    FindFunction,
    ShowCluster,
    corpus_stats,
    find_function,
    show_cluster,
)
from engines.egen.egraph.serialized import SerializedEgraph, SerializedNode, read_serialized
from engines.egen.egraphs import Extract, extract
from engines.egen.theories.terms import read_s_expression, s_expression
from tests.conftest import expect_error

PROGRAM = """
(datatype Math (Num i64) (Var String) (Add Math Math) (Neg Math) (If Math Math Math))
(rewrite (Add a b) (Add b a))
(rewrite (Add (Add a b) c) (Add a (Add b c)))
(rewrite (Neg (Neg a)) a)
(rewrite a (Neg (Neg a)) :when ((= a (Var v))))
(rewrite (If a b b) b)
(let $root (Add (Var "x") (Add (If (Var "c") (Var "y") (Var "y")) (Num 1))))
(run 5)
"""


def serialized(program: str = PROGRAM, **limits: int) -> str:
    egraph = EGraph()
    egraph.run_program(*egraph.parse_program(program))
    text: str = egraph.serialize([], **limits).to_json()
    return text


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("foreign") / "egglog.json"
    path.write_text(serialized())
    return path


def enumerated(document: Any, most: int) -> dict[str, set[str]]:
    """All terms of every class up to a size, as text, straight from the JSON."""
    nodes = document["nodes"]
    found: dict[tuple[str, int], set[str]] = {}
    for size in range(1, most + 1):
        for row in nodes.values():
            children = [nodes[child]["eclass"] for child in row["children"]]
            here = found.setdefault((row["eclass"], size), set())
            for sizes in product(range(1, size), repeat=len(children)):
                if sum(sizes) != size - 1:
                    continue
                for parts in product(*(found.get(key, ()) for key in zip(children, sizes, strict=True))):
                    here.add(f"({' '.join([row['op'], *parts])})" if parts else row["op"])
    classes: dict[str, set[str]] = {}
    for (name, _), terms in found.items():
        classes.setdefault(name, set()).update(terms)
    return classes


def plain(tree: Any) -> str:
    parts = [plain(child) for child in tree.children]
    return f"({' '.join([tree.label, *parts])})" if parts else str(tree.label)


def test_counts_are_those_of_enumeration(file: Path) -> None:
    document, graph = json.loads(file.read_text()), read_serialized(file)
    most = 10
    all_terms = enumerated(document, most)
    cyclic = 0
    for name in graph.classes:
        terms = {plain(tree) for tree in graph.sample_uniformly(name, most, 10**6, 0)}
        assert terms == all_terms.get(name, set())
        assert sum(graph.count_terms(name, most)) == len(terms)
        cyclic += any(name in node.children for node in graph.classes[name])
    assert cyclic or len(all_terms[graph.find_root_class("$root")]) > 50
    assert graph.repeated == 0


def test_large_counts_are_exact() -> None:
    """Binary trees by leaves: Catalan numbers, and terms of one cycle, one of each size."""
    trees = SerializedEgraph({"0": (SerializedNode("x"), SerializedNode("f", ("0", "0")))}, ("0",))
    counts = trees.count_terms("0", 99)
    catalan = [1]
    for n in range(49):
        catalan.append(catalan[-1] * 2 * (2 * n + 1) // (n + 2))
    assert [count for count in counts if count] == catalan
    assert len(set(trees.sample_uniformly("0", 99, 50, 1))) == 50
    assert SerializedEgraph({"0": (SerializedNode("x"), SerializedNode("f", ("0",)))}, ()).count_terms(
        "0", 30
    ) == [0, *[1] * 30]
    endless = SerializedEgraph({"0": (SerializedNode("f", ("0",)),)}, ())
    assert (
        endless.sample_uniformly("0", 30, 5, 0),
        endless.smallest_size("0"),
        trees.smallest_size("0"),
    ) == ([], None, 1)


def test_drawing_is_uniform(file: Path) -> None:
    from scipy.stats import chisquare

    graph = read_serialized(file)
    root = graph.find_root_class("$root")
    counts = graph.count_terms(root, 11)
    total = sum(counts)
    assert 20 < total < 5_000
    seen = Counter(
        plain(tree) for seed in range(400) for tree in graph.sample_uniformly(root, 11, total // 4, seed)
    )
    drawn = sum(seen.values())
    frequencies = [*seen.values(), *[0] * (total - len(seen))]
    assert drawn == 400 * (total // 4)
    assert chisquare(frequencies).pvalue > 1e-3


def test_different_members_differ_more_than_uniform_ones(file: Path) -> None:
    graph = read_serialized(file)
    root = graph.find_root_class("$root")

    def apart(trees: list[Any]) -> float:
        """The smallest distance, by operators with what stands below them."""
        sets = [{(node.label, *(c.label for c in node.children)) for node in tree} for tree in trees]
        return min(1 - len(a & b) / len(a | b) for n, a in enumerate(sets) for b in sets[:n])

    chosen = graph.sample_different(root, 14, 6, 0)
    assert len(set(chosen)) == 6
    assert len(chosen[0]) == min(n for n, count in enumerate(graph.count_terms(root, 14)) if count)
    uniform = [apart(graph.sample_uniformly(root, 14, 6, seed)) for seed in range(20)]
    assert apart(chosen) > sum(uniform) / 20
    assert graph.sample_different(root, 14, 6, 0) == chosen


def test_as_many_different_members_come_as_there_are() -> None:
    """1,100 terms of one size and one of the next."""
    leaves = tuple(SerializedNode(f"x{n}") for n in range(1_100))
    graph = SerializedEgraph(
        {"0": (*leaves, SerializedNode("f", ("1",))), "1": (SerializedNode("y"),)}, ("0",)
    )
    assert len(set(graph.sample_different("0", 3, 1_000, 0))) == 1_000
    with expect_error("E424"):
        Extract(Path("graph.json"), members=1_001)


def test_the_operation_names_counts_members_and_keeps_a_corpus(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "corpus"
    found = extract(Extract(file, "$root", members=5, max_size=12, out=out))
    assert found["total"] == sum(count for _, count in found["counts"])
    assert len({row["term"] for row in found["members"]}) == 5
    assert all(len(read_s_expression(row["term"])) == row["size"] for row in found["members"])
    cluster = show_cluster(ShowCluster(out, 0))
    assert [row["prefix"] for row in cluster["members"]][1] == found["members"][1]["term"]
    assert cluster["total_members"] == str(found["total"])
    assert {row["verdict"] for row in cluster["members"]} == {"undecided"}
    shares = corpus_stats(CorpusStats(out))["verdicts"]
    assert {name: share for name, share in shares.items() if share} == {"undecided": 1.0}
    (match,) = find_function(FindFunction(out, found["members"][3]["term"]))["matches"]
    assert (match["cluster"], match["member"], match["verdict"]) == (0, 3, "undecided")
    with expect_error("E452"):
        extract(Extract(file, "$root", out=out))


def test_terms_of_any_operators_are_written_and_read(tmp_path: Path) -> None:
    for label in ("a b", "(", '"x"', '"x y"', "é", '\\"', "()", "|", ""):
        for text in (s_expression(tree) for tree in (T(label), T("f", (T(label), T("g", (T(label),)))))):
            assert s_expression(read_s_expression(text)) == text
            assert text.count(" ") + 1 == len(read_s_expression(text))


@pytest.mark.parametrize(("operands", "nodes"), [(1, 20_001), (2, 10**18)])
def test_the_smallest_term_of_a_deep_e_graph_is_found(operands: int, nodes: int) -> None:
    chain = {str(n): (SerializedNode("s", (str(n + 1),) * operands),) for n in range(20_000)}
    assert (
        SerializedEgraph({**chain, "20000": (SerializedNode("z"),)}, ("0", "0")).smallest_size("0") == nodes
    )


def test_a_root_that_is_named_twice_is_one_root() -> None:
    assert (
        SerializedEgraph(
            {"0": (SerializedNode("x"),), "1": (SerializedNode("y"),)}, ("0", "0")
        ).find_root_class()
        == "0"
    )


def T(label: str, children: tuple[Any, ...] = ()) -> Any:  # noqa: N802
    from engines.core.tree import Tree

    return Tree(label, children)


GOOD = {"nodes": {"n": {"op": "x", "eclass": "0"}, "m": {"op": "f", "children": ["n"], "eclass": 0}}}


@pytest.mark.parametrize(
    "text",
    [
        "",
        serialized()[:-40],
        "[]",
        '{"nodes": []}',
        '{"nodes": {}}',
        '{"nodes": {"n": {"op": "x", "eclass": "0"}, "n": {"op": "y", "eclass": "0"}}}',
        '{"nodes": {"n": {"op": "x", "eclass": "0", "subsumed": "false"}}}',
        '{"nodes": {"n": {"op": "x"}}}',
        '{"nodes": {"n": {"op": 3, "eclass": "0"}}}',
        '{"nodes": {"n": {"op": "x", "eclass": "0", "children": ["gone"]}}}',
        '{"nodes": {"n": {"op": "x", "eclass": "0", "children": "n"}}}',
        '{"nodes": {"n": {"op": "x", "eclass": "0"}}, "root_eclasses": ["1"]}',
        '{"nodes": {"n": {"op": "x", "eclass": "0"}}, "class_data": []}',
        "[" * 100_000,
        serialized(max_calls_per_function=1),
    ],
)
def test_what_is_no_such_file_is_explained(tmp_path: Path, text: str) -> None:
    path = tmp_path / "graph.json"
    path.write_text(text)
    with expect_error("E300") as caught:
        read_serialized(path)
    assert caught.value.remedy
    assert caught.value.exit_code == 2


def test_a_class_is_named_and_too_much_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "graph.json"
    path.write_text(json.dumps(GOOD))
    graph = read_serialized(path)
    assert graph.count_terms("0", 4) == [0, 1, 1, 1, 1]
    with expect_error("E454"):
        extract(Extract(path, "9"))
    nodes = {
        str(n): {"op": "f", "children": [str(n), str(n * 7 % 6000)], "eclass": str(n)} for n in range(6000)
    }
    nodes |= {"t": {"op": "g", "children": [], "eclass": "t"}}
    many = {f"r{n}": {"op": "h", "children": [str(n), str(n + 1), "t"], "eclass": "r"} for n in range(5999)}
    path.write_text(json.dumps({"nodes": {**nodes, **many}}))
    with expect_error("E424"):
        extract(Extract(path, "r", max_size=100))
    path.write_text(json.dumps({"nodes": {**GOOD["nodes"], "o": {"op": "x", "eclass": "1"}}}))
    assert read_serialized(path).repeated == 1
    tops = {name: {"op": name, "eclass": name} for name in "pq"}
    path.write_text(json.dumps({"nodes": tops}))
    with expect_error("E454"):
        extract(Extract(path))

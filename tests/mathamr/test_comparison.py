"""Graphs compared triple by triple, against the smatch package."""

from __future__ import annotations

import json
import random
from collections import Counter
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from engines.mathamr.graph.amr import read_graph
from engines.mathamr.graph.comparison import CompareGraphs, compare_graphs, list_triples, pair_nodes
from tests.conftest import expect_error
from workbench.papers.mathamr.tables import compare as lines_of
from workbench.tables import HintLine

ONE = "(w / want-01 :ARG0 (b / boy) :ARG1 (g / go-02 :ARG0 b) :polarity -)"
OTHER = "(x / want-01 :ARG0 (y / girl) :ARG1 (z / go-02 :ARG0 y))"


def test_the_triples_that_agree_and_those_that_do_not() -> None:
    found = compare_graphs(CompareGraphs(ONE, OTHER))
    told = {
        where: [(row["source"], row["role"], row["target"]) for row in found["triples"] if row["in"] == where]
        for where in ("both", "one", "other")
    }
    assert told["one"] == [("want-01", ":polarity", "-"), ("boy", ":instance", "boy")]
    assert told["other"] == [("girl", ":instance", "girl")]
    assert ("go-02", ":arg0", "boy") in told["both"]
    assert found["matched"] == 6
    assert found["f1"] == pytest.approx(2 * 6 / (8 + 7))


def test_an_inverse_role_is_the_role_turned_round() -> None:
    found = compare_graphs(CompareGraphs("(b / boy :ARG0-of (r / run-01))", "(r / run-01 :ARG0 (b / boy))"))
    assert [row["role"] for row in found["triples"] if row["in"] != "both"] == [":top", ":top"]


def test_graphs_without_a_common_triple() -> None:
    found = compare_graphs(CompareGraphs("(a / one)", "(a / two :x (b / one))"))
    assert [row["in"] for row in found["triples"]].count("both") == 1


def test_what_is_no_graph_is_refused() -> None:
    with expect_error("E329") as caught:
        compare_graphs(CompareGraphs(ONE, "(w / want"))
    assert caught.value.where == "the second graph"


def _as_smatch(one: str, other: str) -> tuple[int, int, int]:
    import smatch

    random.seed(0)
    smatch.match_triple_dict.clear()
    found: tuple[int, int, int] = smatch.get_amr_match(" ".join(one.split()), " ".join(other.split()))
    return found


@pytest.mark.slow
def test_the_score_of_the_sample_graphs_is_that_of_smatch() -> None:
    file = Path(__file__).parents[2] / "assets/sample/arqmath/sample-forum/mathamr_topics.jsonl"
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    # The package drops `:mod` before a constant.
    graphs = [row["mathamr"].replace(":mod MATH", ":value MATH") for row in rows]
    for one, other in zip(graphs, [*graphs[1:], graphs[0]], strict=True):
        matched, first, second = _as_smatch(one, other)
        found = compare_graphs(CompareGraphs(one, other))
        assert found["matched"] >= matched
        assert found["matched"] == pytest.approx(found["precision"] * first)
        assert found["matched"] == pytest.approx(found["recall"] * second)
    assert compare_graphs(CompareGraphs(graphs[0], graphs[0]))["f1"] == 1.0


NAMED = "(e / eat-01 :ARG0 (b / Boy :mod (s / small)) :location (h / house) :location (h2 / house))"
REIFIED = """(x / eat-01 :ARG0 (y / boy :ARG1-of (m / have-mod-91 :ARG2 (z / small)))
    :ARG1-of (l / be-located-at-91 :ARG2 (v / house)))"""


@pytest.mark.parametrize("edges", ["dereified", "reified"])
def test_graphs_that_say_the_same_are_the_same_when_standardised(edges: Any) -> None:
    """By hand: they differ by a second house alone, two triples or, reified, four."""
    found = compare_graphs(CompareGraphs(NAMED, REIFIED, edges))
    more = {"dereified": 2, "reified": 4}[edges]
    assert found["recall"] == 1.0
    assert found["matched"] == len(found["triples"]) - more == {"dereified": 8, "reified": 12}[edges]
    assert found["optimal"] is True
    assert compare_graphs(CompareGraphs(NAMED, REIFIED))["recall"] < 1.0


def test_what_is_more_than_an_edge_stays_a_node() -> None:
    """A reified node that is the root, or has more than its two ends; a triple that is written twice."""
    root = "(l / be-located-at-91 :ARG1 (b / boy) :ARG2 (h / house))"
    denied = "(b / boy :ARG1-of (l / be-located-at-91 :ARG2 (h / house) :polarity -))"
    twice = "(b / boy :mod (s / small) :mod s)"
    for text, count in ((root, 6), (denied, 7), (twice, 4)):
        found = compare_graphs(CompareGraphs(text, text, "dereified"))
        assert (found["f1"], found["matched"]) == (1.0, count)


def _random_graph(draw: random.Random) -> str:
    """A tree of few labels with references, so that many pairings could agree."""
    nodes = draw.randint(2, 4)
    inner: dict[int, list[int]] = {}
    for node in range(1, nodes):
        inner.setdefault(draw.randrange(node), []).append(node)

    def written(node: int) -> str:
        parts = [f"(n{node} / {draw.choice('ab')}"]
        parts += [f":{draw.choice('rs')} {written(child)}" for child in inner.get(node, ())]
        if draw.random() < 0.4:
            parts.append(f":t n{draw.randrange(nodes)}")
        # Written twice it counts twice, where the other graph has it twice too.
        parts += [f":u {draw.choice('12')}"] * draw.randrange(3)
        return " ".join(parts) + ")"

    return written(0)


def test_the_exact_pairing_is_the_best_of_all() -> None:
    """Against every pairing of small random graphs."""
    draw = random.Random(3)
    for _ in range(25):
        texts = [_random_graph(draw) for _ in "ab"]
        one, other = (list_triples(read_graph(text)) for text in texts)
        names = [[t[0] for t in own if t[1] == ":instance"] for own in (one, other)]
        best = 0
        for chosen in permutations([*names[1], *[""] * len(names[0])], len(names[0])):
            to = dict(zip(names[0], chosen, strict=True))
            moved = Counter((to[s], r, to[t] if node else t, node) for s, r, t, node in one)
            best = max(best, (moved & Counter(other)).total())
        found = compare_graphs(CompareGraphs(*texts))
        assert (found["matched"], found["optimal"]) == (best, True)
        in_no_time, proved = pair_nodes(names, (one, other), seconds=0)
        moved = Counter(
            (in_no_time.get(s), r, in_no_time.get(t) if node else t, node) for s, r, t, node in one
        )
        assert (moved & Counter(other)).total() <= best
        assert not proved or (moved & Counter(other)).total() == best


def test_a_score_that_is_not_proved_says_so() -> None:
    found = {"f1": 0.5, "precision": 0.5, "recall": 0.5, "triples": [], "optimal": False}
    lines = list(lines_of(found, CompareGraphs(ONE, OTHER)))
    assert lines[0].startswith("Smatch at least 0.500")
    assert isinstance(lines[1], HintLine)
    found["optimal"] = True
    assert list(lines_of(found, CompareGraphs(ONE, OTHER))) == ["Smatch 0.500, precision 0.500, recall 0.500"]

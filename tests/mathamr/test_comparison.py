"""Graphs compared triple by triple, against the smatch package."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from engines.core.errors import DataError
from engines.mathamr.graph.comparison import Compare, compare

ONE = "(w / want-01 :ARG0 (b / boy) :ARG1 (g / go-02 :ARG0 b) :polarity -)"
OTHER = "(x / want-01 :ARG0 (y / girl) :ARG1 (z / go-02 :ARG0 y))"


def test_the_triples_that_agree_and_those_that_do_not() -> None:
    found = compare(Compare(ONE, OTHER))
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
    found = compare(Compare("(b / boy :ARG0-of (r / run-01))", "(r / run-01 :ARG0 (b / boy))"))
    assert [row["role"] for row in found["triples"] if row["in"] != "both"] == [":top", ":top"]


def test_graphs_without_a_common_triple() -> None:
    found = compare(Compare("(a / one)", "(a / two :x (b / one))"))
    assert [row["in"] for row in found["triples"]].count("both") == 1


def test_what_is_no_graph_is_refused() -> None:
    with pytest.raises(DataError, match="PENMAN"):
        compare(Compare(ONE, "(w / want"))


def _as_smatch(one: str, other: str) -> tuple[int, int, int]:
    import smatch

    random.seed(0)
    smatch.match_triple_dict.clear()
    found: tuple[int, int, int] = smatch.get_amr_match(" ".join(one.split()), " ".join(other.split()))
    return found


def test_the_score_of_the_sample_graphs_is_that_of_smatch() -> None:
    file = Path(__file__).parents[2] / "assets/sample/arqmath/sample-forum/mathamr_topics.jsonl"
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    # The package drops `:mod` before a constant.
    graphs = [row["mathamr"].replace(":mod MATH", ":value MATH") for row in rows]
    for one, other in zip(graphs, [*graphs[1:], graphs[0]], strict=True):
        matched, first, second = _as_smatch(one, other)
        found = compare(Compare(one, other))
        assert found["matched"] >= matched
        assert found["matched"] == pytest.approx(found["precision"] * first)
        assert found["matched"] == pytest.approx(found["recall"] * second)
    assert compare(Compare(graphs[0], graphs[0]))["f1"] == 1.0

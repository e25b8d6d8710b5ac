"""Corpora of several variables and assumptions: their header, who reads them and who refuses them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engines.core.expression_language import LETTERS, read_prefix
from engines.egen.corpora import (
    BuildCorpus,
    CorpusStats,
    ExportCorpus,
    FindFunction,
    Pairs,
    SaveCluster,
    ShowCluster,
    corpus_stats,
    export_corpus,
    find_function,
    iterate_pairs,
    resolve_build,
    save,
    show_cluster,
)
from engines.egen.corpus.build import Plan, build_corpus, saved_plan
from engines.egen.corpus.folder import Corpus, open_corpus
from engines.egen.corpus.same_functions import POINTS, compute_fingerprints
from engines.egen.corpus.sources import file_source
from engines.egen.models.datasets import read_labelled
from engines.egen.settings import EgenConfig
from engines.mathematics.assumptions import NO_ASSUMPTIONS, read_assumptions
from tests.conftest import expect_error
from tests.egen.fake_growth import service

LINES = "x^2*y^2\n(x*y)^2\nsqrt(x^2)*a\na*x\nsin(2*x) + 3\nfloor(x)*y\n"


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    folder = tmp_path_factory.mktemp("several")
    (folder / "mine.txt").write_text(LINES)
    config = EgenConfig(members=3, assume="0 < x")
    build_corpus(file_source(folder / "mine.txt"), folder / "out", config, service=service)
    return open_corpus(folder / "out", several=True)


def test_the_header_names_variables_and_assumptions(corpus: Corpus) -> None:
    assert corpus.manifest["format"] == 2
    assert corpus.variables == ("x", "y", "a")
    assert corpus.assumption_of_cluster(0) == "0 < x"
    assert saved_plan(corpus.path).config.assume == "0 < x"
    assert resolve_build(BuildCorpus(corpus.path)).assume == "0 < x"
    assert resolve_build(BuildCorpus(corpus.path.parent / "new", assume="x>0")).assume == "0 < x"
    (bad,) = corpus.manifest["source"]["bad_lines"]
    assert bad["line"] == 6
    assert "no rules of" in bad["what"]


def test_heads_that_are_equal_where_it_is_assumed_are_one_cluster(corpus: Corpus) -> None:
    heads = corpus.read_clusters()["head"].to_pylist()
    assert heads == ["* pow x 2 pow y 2", "* sqrt pow x 2 a", "+ sin * 2 x 3"]
    assert corpus.read_clusters()["merged_from"].to_pylist() == [[0, 1], [2, 3], [4]]


def test_a_corpus_of_x_alone_has_the_layout_of_before(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("sin(2*x) + 3\n")
    plan = Plan(file_source(tmp_path / "mine.txt"), EgenConfig(), "", {}).to_dict()
    assert plan["format"] == 1
    assert "variables" not in plan
    assert "assume" not in plan["config"]


@pytest.mark.parametrize(
    ("expr", "clusters"),
    [
        ("a*x", [1]),
        ("abs(x)*a", [1]),
        ("y^2*x*x", [0]),
        ("x^2*a^2", []),
        ("x*w", []),
        ("3 + sin(x + x)", [2]),
    ],
)
def test_functions_are_found_where_the_assumption_holds(
    corpus: Corpus, expr: str, clusters: list[int]
) -> None:
    found = find_function(FindFunction(corpus.path, expr))["matches"]
    assert [match["cluster"] for match in found] == clusters


def test_what_reads_corpora_says_or_refuses(corpus: Corpus, tmp_path: Path) -> None:
    assert corpus_stats(CorpusStats(corpus.path))["variables"] == ["x", "y", "a"]
    assert corpus_stats(CorpusStats(corpus.path))["assumed"] == ["0 < x"]
    shown = show_cluster(ShowCluster(corpus.path, 0))
    assert shown["assume"] == "0 < x"
    assert shown["members"][0]["infix"] == "x^2*y^2"
    assert export_corpus(ExportCorpus(corpus.path, tmp_path / "out.txt"))["clusters"] == 3
    for refused in (lambda: iterate_pairs(Pairs(corpus.path)), lambda: read_labelled(corpus.path)):
        with expect_error("E458") as error:
            refused()
        assert error.value.code == "E458"


def generated(head: str, member: str, assume: str = "", theory: str = "reals") -> dict[str, Any]:
    config = EgenConfig(assume=assume, theory=theory).to_dict()  # type: ignore[arg-type]
    stats = {"stop_reason": "saturated", "iterations": 1, "nodes": 9, "classes": 4, "total_members": 1}
    row = {"prefix": member, "tokens": 1, "verdict": "equal", "kept": 1.0}
    return {"head": head, "members": [row], "stats": stats, "config": config}


def test_saved_clusters_each_have_their_assumptions(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    clusters = [
        generated("sin x", "cos - / pi 2 x"),
        generated("sqrt pow x 2", "x", "x > 0"),
        generated("cos * * 2 n pi", "1", "n integer"),
        generated("* a y", "* y a"),
    ]
    formats = []
    for number, document in enumerate(clusters):
        (tmp_path / "one.json").write_text(json.dumps(document))
        assert save(SaveCluster(tmp_path / "one.json", folder))["cluster"] == number
        formats.append(open_corpus(folder, several=True).manifest["format"])
    assert formats == [1, 2, 2, 2]
    corpus = open_corpus(folder, several=True)
    assert corpus.variables == ("x", "y", "a", "n")
    assert [corpus.assumption_of_cluster(number) for number in range(4)] == ["", "x > 0", "n integer", ""]
    assert [match.cluster for match in corpus.find_clusters(read_prefix("x"))] == [1]
    assert [match.cluster for match in corpus.find_clusters(read_prefix("* 1 1"))] == [2]
    assert [match.cluster for match in corpus.find_clusters(read_prefix("* y a", LETTERS))] == [3]
    (tmp_path / "one.json").write_text(json.dumps(generated("& p q", "& q p", theory="logic")))
    with expect_error("E456") as error:
        save(SaveCluster(tmp_path / "one.json", folder))
    assert error.value.code == "E456"


def test_fingerprints_of_x_do_not_depend_on_other_variables() -> None:
    trees = [read_prefix("sin x"), read_prefix("* x y", LETTERS)]
    alone, both = compute_fingerprints(trees[:1]), compute_fingerprints(trees, ("x", "y", "a"))
    assert np.array_equal(alone[0], both[0], equal_nan=True)
    assert np.array_equal(both[1], compute_fingerprints(trees, ("x", "y"))[1], equal_nan=True)
    masked = compute_fingerprints(trees, ("x", "y"), [read_assumptions("x > 0, y < 0"), NO_ASSUMPTIONS])
    assert set(np.flatnonzero(~np.isnan(masked[0]))) < set(np.flatnonzero(POINTS > 0))
    assert not np.isnan(masked[1]).any()

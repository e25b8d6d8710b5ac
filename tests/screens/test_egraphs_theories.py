"""The E-graphs screen with terms of another theory: read, written, shown with their derivation."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from engines.egen.corpus.assemble import assemble
from engines.egen.corpus.build import Plan, library_versions
from engines.egen.corpus.folder import GrownHead, StoredMember, write_shard
from engines.egen.corpus.sources import HeadSource, SourceHead
from engines.egen.egraphs import Extract, extract
from engines.egen.settings import EgenConfig
from engines.egen.theories import user_theories
from engines.egen.theories.registry import theory_text
from engines.mathematics.verification.verdicts import MemberVerdict
from screens.app import Workbench
from screens.egraphs.columns import format_expression, tree_lines
from screens.egraphs.growth_text import parse_growth
from screens.egraphs.sources import ListedCluster, read_source
from tests.screens.driving import place, press, ready
from tests.screens.test_egraphs import WIDE, build, case, corpus
from workbench.workspace import Workspace

__all__ = ["build", "corpus"]

HEAD, MEMBER = "complement union A B", "intersection complement A complement B"


def of_sets(folder: Path, theory: str = "", *, finished: bool = True) -> None:
    config = EgenConfig(theory=theory or theory_text("sets"))
    heads = (SourceHead(HEAD, "own", "v", 4),)
    rows = tuple(StoredMember(text, MemberVerdict("equal", 1.0)) for text in (HEAD, MEMBER))
    stored = write_shard(folder / "shards", 0, [GrownHead(0, rows, "saturated", 1, 9, 4, "2")])
    plan = Plan(HeadSource("sets", heads), config, "", library_versions()).to_dict()
    if finished:
        assemble(folder, plan, heads, {0: folder / "shards" / stored.name}, seed=0)
    else:
        (folder / "plan.json").write_text(json.dumps(plan))


def test_terms_have_the_signs_of_their_own_corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(user_theories, "_MET", {})
    user_theories._define_theory.cache_clear()
    other = json.loads(theory_text("sets"))
    other["operators"]["union"] |= {"unicode": "⋓", "also": ["∪"]}
    of_sets(tmp_path / "one", finished=False)
    of_sets(tmp_path / "two", json.dumps(other))
    user_theories._define_theory.cache_clear()
    user_theories._MET.clear()
    source, (row,) = read_source(tmp_path / "one")  # as if nothing had been grown in this process
    assert format_expression(HEAD) == "(A ∪ B)'"
    read_source(tmp_path / "two")
    assert format_expression(HEAD) == "(A ⋓ B)'"
    ListedCluster(source, row)
    assert format_expression(HEAD) == "(A ∪ B)'"
    user_theories._define_theory.cache_clear()


def test_what_is_typed_names_the_theory() -> None:
    found, settings, wrong = parse_growth("(A u B)' theory sets")
    assert (found, settings, wrong) == (HEAD, {"theory": "sets"}, "")
    assert format_expression(found) == "(A ∪ B)'"
    assert tree_lines(found) == ["complement", "└ union", "  ├ A", "  └ B"]
    assert "Did you mean 'sets'" in parse_growth("A u B theory set")[2]
    assert "have no families to weigh" in parse_growth("A u B weights trig=4 theory sets")[2]
    assert "character 3" in parse_growth("A + B theory sets")[2]


def test_a_foreign_egraph_is_a_source_like_others(tmp_path: Path) -> None:
    x, two = {"op": "Var", "children": ["n"], "eclass": "1"}, {"op": "2", "eclass": "2"}
    nodes = {"n": {"op": '"x"', "eclass": "0"}, "v": x, "t": two}
    nodes |= {"a": {"op": "Add", "children": ["v", "v"], "eclass": "3"}}
    nodes |= {"m": {"op": "Mul", "children": ["t", "v"], "eclass": "3"}}
    (tmp_path / "graph.json").write_text(json.dumps({"nodes": nodes}))
    extract(Extract(tmp_path / "graph.json", out=tmp_path / "corpus"))
    source, clusters = read_source(tmp_path / "corpus")
    assert [format_expression(row["head"]) for row in clusters] == ['(Mul 2 (Var "x"))']
    members = source.read_members(0)
    assert [format_expression(row["prefix"]) for row in members] == [
        '(Mul 2 (Var "x"))',
        '(Add (Var "x") (Var "x"))',
    ]
    assert [row["verdict"] for row in members] == ["undecided", "undecided"]
    assert tree_lines(members[1]["prefix"])[:2] == ["Add", "├ Var"]


async def test_a_corpus_of_a_theory_is_shown(build: Callable[..., Workbench], workspace: Workspace) -> None:
    of_sets(workspace.corpora / "a-sets")
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        while place(screen)[0] != "a-sets":
            await press(pilot, "]")
        await press(pilot, "enter", "j")
        assert "A' ∩ B'" in case(screen)
        assert "✓ equal" in case(screen)

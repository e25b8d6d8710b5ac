"""Rules of one's own in growth and derivations: used where they are true, refused by name elsewhere."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from engines.core.errors import DataError
from engines.egen.corpora import BuildCorpus, build_corpus
from engines.egen.corpus.build import saved_plan
from engines.egen.corpus.folder import open_corpus
from engines.egen.egraph.growth import EGraphRunner
from engines.egen.egraph.member_selection import grow_cluster
from engines.egen.egraphs import Derive
from engines.egen.egraphs import derive as derived
from engines.egen.generation import Generate
from engines.egen.rules.table import own_rules
from engines.egen.rules.user_rules import checked_rules
from engines.egen.settings import EgenConfig, Limits
from engines.egen.theories.registry import theory_of
from engines.formula.reader import read_expression as read
from tests.conftest import expect_error

LINES = (
    "versine: 1 - cos(a) -> 2*sin(a/2)^2\nsquare: (a + b)^2 -> a^2 + 2ab + b^2\nhalf: ln(a^2)/2 -> ln(a)\n"
)


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    path = tmp_path / "mine.txt"
    path.write_text(LINES)
    return path


def test_rules_keep_what_the_check_found(lines: Path) -> None:
    rules = {rule.name: rule for rule in own_rules(checked_rules(lines))}
    assert {name: rule.claim for name, rule in rules.items()} == {
        "versine": "sound",
        "square": "sound",
        "half": "loses",
    }
    assert rules["half"].list_guards("strict") == ()
    assert rules["half"].list_guards("common") == ((),)
    assert own_rules("") == ()


def test_growth_uses_them_and_members_stay_sound(lines: Path) -> None:
    text = checked_rules(lines)
    config = EgenConfig(members=150, limits=Limits(nodes=800, iterations=4), style="any", rules=text)
    head = read("1 - cos(x)")
    theory = theory_of("reals", "", head, own=text)
    cluster = grow_cluster(head, config, grower=EGraphRunner("strict", theory=theory))
    egraph = EGraphRunner("strict", theory=theory).grow_egraph(head, config.limits)
    assert egraph.fired["versine"] > 0
    assert {member.verdict.outcome for member in cluster.members} <= {"equal", "extends"}
    assert EgenConfig.from_document(config.to_dict()) == config
    assert "rules" not in EgenConfig().to_dict()


def test_a_derivation_names_the_rule(lines: Path) -> None:
    found = derived(Derive("1 - cos(x)", "2*sin(x/2)^2", rules=lines))
    assert [step["rule"] for step in found["steps"]][1:] == ["versine"]


def test_toml_keeps_its_conditions(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    row = '{name = "mine-root", left = "sqrt pow ?a 2", right = "?a", when = ["nonneg(?a)"]}'
    path.write_text(f'[[family]]\nname = "mine"\nrules = [{row}]\n')
    (rule,) = own_rules(checked_rules(path))
    assert [str(condition) for condition in rule.when] == ["nonneg(?a)"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("wrong: sin(2*a) -> 2*sin(a)\n", "'wrong' is false"),
        ("a + b = b + a\n", "->"),
        ("sin-double: sin(2*a) -> 2*sin(a)*cos(a)\nsin-double: a + a -> 2*a\n", "name of another"),
        ("(cbrt a) -> (cbrt a)\n", "cbrt"),
        ("", "empty"),
    ],
)
def test_what_cannot_be_used_is_named(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "mine.txt"
    path.write_text(text)
    with pytest.raises(DataError) as error:
        checked_rules(path)
    assert said in f"{error.value}"
    assert error.value.remedy


def test_logic_takes_none(lines: Path) -> None:
    with expect_error("E427"):
        Generate("p & q", theory="logic", rules=lines)


@pytest.mark.slow
def test_a_corpus_grows_with_them_and_goes_on_with_no_others(tmp_path: Path, lines: Path) -> None:
    templates = tmp_path / "heads.txt"
    templates.write_text("1 - cos(x)\n")
    out = tmp_path / "own"
    settings = {"members": 60, "nodes": 400, "style": "any", "workers": 1}
    first = BuildCorpus(out, str(templates), rules=lines, **settings)  # type: ignore[arg-type]
    assert build_corpus(first).complete
    config = saved_plan(out).config
    assert {rule.name for rule in own_rules(config.rules)} == {"versine", "square", "half"}
    assert json.loads((out / "manifest.json").read_text())["config"]["rules"] == config.rules
    bare = tmp_path / "bare"
    build_corpus(BuildCorpus(bare, str(templates), **settings))  # type: ignore[arg-type]

    def members(folder: Path) -> list[str]:
        return open_corpus(folder).read_members(0)["prefix"].to_pylist()

    assert members(out) != members(bare)
    assert build_corpus(BuildCorpus(out, workers=1)).complete  # its own rules, without their file
    lines.write_text(LINES.replace("half", "halved"))
    for spec in (first, replace(first, out=bare), replace(first, templates=None)):
        with expect_error("E452"):
            build_corpus(spec)

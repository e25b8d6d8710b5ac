"""The checker: it agrees with the shipped table, and it catches what is wrong."""

from __future__ import annotations

import itertools
import json
import math
from dataclasses import replace
from functools import partial

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.core.expression_language import FUNCTIONS as LANGUAGE_FUNCTIONS
from engines.core.expression_language import read_prefix
from engines.egen.rules import rule_check as checker
from engines.egen.rules import table as rules_module
from engines.egen.rules.rule_check import (
    CONSTANTS,
    RuleCheck,
    check_rules,
    constant_value,
)
from engines.egen.rules.rule_check import FUNCTIONS as EXCEPTIONAL_FUNCTIONS
from engines.egen.rules.table import (
    Effect,
    Rule,
    load_rules,
    parse_families,
    pattern_variables,
    read_pattern,
)
from engines.mathematics.numbers.numeric import DEFINED
from tests.conftest import mathwb
from tests.mathematics.reals import AmbiguousError, value
from workbench.papers.egen.rule_duplicates import find_duplicates


def rule(left: str, right: str, *, when: str = "", exact: str = "[]", claim: str = "sound") -> Rule:
    conditions = ", ".join(f'"{text}"' for text in when.split("; ") if text)
    line = f'name = "r", left = "{left}", right = "{right}", when = [{conditions}], exact = {exact}'
    text = f'[[family]]\nname = "f"\nrules = [{{{line}, class = "{claim}"}}]\n'
    return parse_families(text)[0].rules[0]


def check(one: Rule) -> RuleCheck:
    return check_rules([one])[0]


@pytest.fixture(scope="module")
def checks() -> dict[str, RuleCheck]:
    return {found.rule.name: found for found in check_rules(load_rules())}


@pytest.mark.slow
def test_every_claim_of_the_table_is_what_the_checker_finds(checks: dict[str, RuleCheck]) -> None:
    assert {name: found.problem for name, found in checks.items() if found.problem} == {}
    assert min(found.found.points for found in checks.values()) >= 30
    assert min(finding.points for found in checks.values() for finding in found.exact) >= 30


@pytest.mark.slow
def test_no_rule_has_other_values_by_another_evaluator() -> None:
    """At 60 digits, where the checker found both sides defined."""
    candidates, bench = checker._Candidates(), checker._Bench()
    tried = {one: checker._list_trials(one, one.when, candidates, bench)[:40] for one in load_rules()}
    evaluation = bench.evaluate_patterns()
    compared = set()
    for one, trials in tried.items():
        used = 0
        for trial in trials:
            held = all(
                checker._condition_holds(guard, "", evaluation, row) for guard, row in trial.conditions
            )
            both = (evaluation.state[[trial.left, trial.right]] == DEFINED).all(axis=0)
            if not held or not both.any() or used == 4:
                continue
            place = np.flatnonzero(both)[used * both.sum() // 4]
            x = mpmath.mpf(float(bench.points[place]))
            try:
                left, right = (
                    value(read_prefix(" ".join(bench._texts[row])), x) for row in (trial.left, trial.right)
                )
            except AmbiguousError:
                continue
            used += 1
            assert abs(left - right) <= mpmath.mpf(10) ** -20 * (1 + abs(left)), one.name
            compared.add(one.name)
    assert len(compared) > 0.95 * len(tried)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("sin ?a", "cos ?a"),
        ("- cosh - ?a ?b cosh + ?a ?b", "* 2 * sinh ?a sinh ?b"),
        ("sqrt pow ?a 2", "?a"),
        ("sin + ?a ?b", "+ sin ?a sin ?b"),
        ("d x cot ?u", "* * -1 pow csc x 2 d x ?u"),
        ("d x log ?b ?u", "* / 1 * ?u ln ?b d x ?u"),  # a base that varies with x
        ("+ atan ?a atan ?b", "atan / + ?a ?b - 1 * ?a ?b"),
    ],
)
def test_a_false_rule_is_caught_with_a_counterexample(left: str, right: str) -> None:
    found = check(rule(left, right))
    assert found.found.effect == "false"
    assert found.problem.startswith("claimed sound")
    witness = found.found.witness
    assert witness is not None
    assert witness.left is not None
    assert witness.right is not None
    assert not math.isclose(witness.left, witness.right, rel_tol=1e-9)


@pytest.mark.parametrize(
    ("left", "right", "when", "effect"),
    [
        ("- ?a ?a", "0", "", "extends"),  # a variable may stand for something with gaps
        ("+ pow sin ?a 2 pow cos ?a 2", "1", "", "extends"),
        ("?a", "sin asin ?a", "", "loses"),
        ("sqrt - pow ?a 2 1", "sinh acosh ?a", "", "loses"),
        ("d x ln ?u", "* / 1 ?u d x ?u", "", "extends"),
        ("/ ?a ?a", "1", "", "extends"),  # 0/0
        ("pow ?a 0.5", "* sqrt ?a / ?a ?a", "", "loses"),  # only where a is the constant 0
        ("+ csc ?a cot ?a", "cot / ?a 2", "", "extends"),  # only at the constant pi
        ("sin ?a", "* cos ?a tan ?a", "", "loses"),  # only at the constant pi/2
        ("sin ?a", "* cos ?a tan ?a", "nonconst(?a)", "sound"),
        ("pow pow ?a ?b ?c", "pow ?a * ?b ?c", "const(?b); const(?c); nonneg(?a)", "extends"),
        ("ln ?a", "+ 0 * ln ?a abs / ln ?a ln abs ?a", "", "loses"),
        ("sqrt ?a", "* sqrt ?a - acosh + 1 abs - ?a 1 acosh + 1 abs - ?a 1", "", "false"),
    ],
)
def test_the_class_is_about_functions_and_exceptional_constants(
    left: str, right: str, when: str, effect: Effect
) -> None:
    assert check(rule(left, right, when=when)).found.effect == effect


@pytest.mark.parametrize(
    ("left", "right", "when", "exact", "claim"),
    [
        ("* 0 ?a", "0", "", '["nz(?a)"]', "extends"),
        ("ln * ?a ?b", "+ ln ?a ln ?b", "", '["nz(?a)"]', "loses"),
        ("ln pow ?a ?c", "* ?c ln ?a", "const(?c)", '[["int(?c)"], ["pos(?a)"]]', "loses"),
        ("* pow ?a ?b pow ?a ?c", "pow ?a + ?b ?c", "const(?b); const(?c)", '["nonneg(?a)"]', "extends"),
        ("?a", "sin asin ?a", "", '["nonneg(?a)"]', "loses"),
        ("d x acosh ?u", "* / 1 sqrt - pow ?u 2 1 d x ?u", "nonconst(?u)", '["absge1(?u)"]', "extends"),
        ("tan + ?a ?b", "/ + tan ?a tan ?b - 1 * tan ?a tan ?b", "", '["nonconst(?a)"]', "loses"),
    ],
)
def test_a_condition_that_is_too_weak_is_caught(
    left: str, right: str, when: str, exact: str, claim: str
) -> None:
    found = check(rule(left, right, when=when, exact=exact, claim=claim))
    assert found.found.effect == claim
    assert found.problem.startswith("not exact under")


def test_a_rule_whose_conditions_nothing_meets_is_not_taken_for_sound() -> None:
    found = check(rule("sin ?a", "cos ?a", when="odd(?a); even(?a)"))
    assert "untested" in found.problem


def test_checking_is_reproducible_and_alike_in_both_directions() -> None:
    some = [one for one in load_rules() if one.name.startswith(("coth-of-sum", "pow-product", "ln-power"))]
    assert [found.to_dict() for found in check_rules(some)] == [
        found.to_dict() for found in check_rules(some)
    ]
    forward, back = (found for found in check_rules(some) if found.rule.name.startswith("coth-of-sum"))
    assert forward.found.points == back.found.points


@given(st.sampled_from(sorted(CONSTANTS)))
def test_exceptional_constants_have_their_school_values(text: str) -> None:
    value = CONSTANTS[text]
    tan = constant_value(read_pattern("tan ?a"), {"?a": value})
    if text.endswith("pi") and round(value / (math.pi / 4)) % 4 == 2:
        assert tan is None
    elif text.endswith("pi"):
        assert tan == [0, 1, None, -1][round(value / (math.pi / 4)) % 4]
    else:
        assert tan == pytest.approx(math.tan(value))
    assert constant_value(read_pattern("+ pow sin ?a 2 pow cos ?a 2"), {"?a": value}) == 1
    assert constant_value(read_pattern("/ 1 - ?a ?a"), {"?a": value}) is None


rule_table = partial(mathwb, "egen", "rules")


def test_the_command_lists_and_checks_a_family() -> None:
    done = rule_table("--family", "Logarithm - ln", "--json")
    listed = json.loads(done.stdout)
    assert done.returncode == 0
    assert [one["name"] for one in listed["rules"]][:2] == ["ln-e", "ln-product"]
    assert listed["rules"][1]["class"] == "loses"
    assert listed["rules"][1]["check"] is None
    done = rule_table("--family", "logarithm - ln", "--check", "--json")
    checked = json.loads(done.stdout)
    assert (done.returncode, checked["problems"]) == (0, 0)
    assert [one["check"]["found"] for one in checked["rules"]] == [one["class"] for one in checked["rules"]]
    done = rule_table("--family", "logarithm - ln")
    assert done.returncode == 0
    assert "exact pos(?a) or pos(?b)" in done.stdout


def test_a_wrong_claim_ends_the_check_with_exit_code_1(monkeypatch: pytest.MonkeyPatch) -> None:
    family = next(family for family in rules_module.load_families() if family.name == "logarithm - ln")
    lying = tuple(replace(one, claim="sound") if one.name == "ln-product" else one for one in family.rules)
    monkeypatch.setattr(rules_module, "load_families", lambda _: (replace(family, rules=lying),))
    done = rule_table("--check")
    assert done.returncode == 1
    assert "ln-product: claimed sound, found loses" in done.stdout
    done = rule_table("--check", "--json")
    assert (done.returncode, json.loads(done.stdout)["problems"]) == (1, 1)


@pytest.mark.parametrize("words", [["--family", "nope"], ["mine.tsv"]])
def test_wrong_usage_is_exit_code_2(words: list[str]) -> None:
    assert rule_table(*words).returncode == 2


def test_what_is_taken_for_a_multiple_of_a_quarter_is_one() -> None:
    for name in LANGUAGE_FUNCTIONS:
        for text in CONSTANTS:
            ours = constant_value(read_prefix(f"{name} {text}"), {})
            if ours is None or math.isnan(ours) or (4 * ours) % 1:
                continue
            try:
                right = value(read_prefix(f"{name} {text}"), mpmath.mpf(0))
            except AmbiguousError:  # 60 digits cannot tell either: it is exactly there
                continue
            assert abs(right - ours) < mpmath.mpf(10) ** -50, (name, text)


def test_no_condition_is_nearly_met_at_the_exceptional_constants() -> None:
    values = {**CONSTANTS, **EXCEPTIONAL_FUNCTIONS}
    for rule in load_rules():
        for condition in {*rule.when, *itertools.chain(*rule.exact)}:
            names = pattern_variables(condition.pattern)
            if not condition.pattern.children or len(names) > 2:
                continue
            for bound in itertools.product(values.values(), repeat=len(names)):
                found = constant_value(condition.pattern, dict(zip(names, bound, strict=True)))
                if found is not None and not math.isnan(found):
                    assert all(found == edge or abs(found - edge) > 1e-6 for edge in (-1, 0, 1))


def _duplicates_of(*lines: str) -> list[tuple[str, str]]:
    rows = ", ".join(f'{{name = "{name}", {line}}}' for name, line in zip("pqrs", lines, strict=False))
    (family,) = parse_families(f'[[family]]\nname = "f"\nrules = [{rows}]\n')
    return find_duplicates(family.rules)


def test_a_rule_that_repeats_another_is_named() -> None:
    line = 'left = "sin + ?a ?b", right = "cos - ?b ?a"'
    renamed = 'left = "sin + ?u ?v", right = "cos - ?v ?u"'
    mirrored = 'left = "cos - ?v ?u", right = "sin + ?u ?v"'
    assert _duplicates_of(line, renamed) == [("q", "p")]
    assert _duplicates_of(line + ', when = ["nz(?a)"]', renamed) == [("q", "p")]
    assert _duplicates_of(line + ", both = true", mirrored) == [("q", "p~")]


def test_a_rule_for_other_terms_repeats_none() -> None:
    line = 'left = "sin + ?a ?b", right = "cos - ?b ?a"'
    assert _duplicates_of(line, 'left = "sin + ?a ?b", right = "cos - ?a ?b"') == []
    assert _duplicates_of(line, 'left = "cos - ?b ?a", right = "sin + ?a ?b"') == []
    assert _duplicates_of(line + ', when = ["int(?a)"]', line + ', when = ["int(?b)"]') == []
    # one line, whose two directions are the same
    assert _duplicates_of('left = "+ ?a ?b", right = "+ ?b ?a", both = true') == []


def test_the_table_repeats_nothing_but_the_opposite_of_a_difference() -> None:
    assert find_duplicates(load_rules()) == [("sub-swap", "negate-difference~")]

"""Rules from elsewhere, with several variables, are classed as school mathematics has them."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from engines.core.expression_language import to_prefix
from engines.egen.rules.user_rules import classify_rule, read_foreign
from engines.egen.rules_and_theories import Rules, list_rules, rules_document
from tests.conftest import expect_error, mathwb


def read_one(line: str, tmp_path: Path) -> object:
    path = tmp_path / "rules.txt"
    path.write_text(line + "\n")
    (rule,), unread = read_foreign(path)
    assert not unread
    return rule


@pytest.mark.parametrize(
    ("line", "effect", "single"),
    [
        ("(a+b)^2 -> a^2 + 2ab + b^2", "equal", ""),
        ("a*(b+c) -> a*b + a*c", "equal", ""),
        ("sin(a+b) -> sin(a)cos(b) + cos(a)sin(b)", "equal", ""),
        ("a/a -> 1", "equal", "widening"),
        ("1 + 0*a -> a/a", "equal", "losing"),
        ("ln(a*b) -> ln(a) + ln(b)", "losing", ""),
        ("ln(a) + ln(b) -> ln(a*b)", "widening", ""),
        ("sqrt(a)*sqrt(b) -> sqrt(a*b)", "widening", ""),
        ("(a*b)^c -> a^c*b^c", "losing", ""),
        ("sqrt(a^2) -> a", "false", ""),
        ("(a+b)^2 -> a^2 + b^2", "false", ""),
        ("abs(a - 1000) -> 1000 - a", "false", ""),
        ("abs(a*b + 1000000) -> a*b + 1000000", "false", ""),
        ("a -> a + 0*sqrt(500 - a)", "losing", ""),
        ("0*sqrt(500 - a) -> 0", "widening", ""),
        ("(a^b)^c -> a^(b*c)", "false", "widening and losing"),  # ((-1)^2)^(1/2)
        ("ln(-a^2-1) -> ln(-1-a^2)", "undecided", ""),
        ("(fmin a b) -> (fmin b a)", "equal", ""),
        ("(cbrt (* a b)) -> (* (cbrt a) (cbrt b))", "equal", ""),
        ("(/ a b) -> (sound-/ a b 0)", "equal", "widening"),
        ("* ?a + ?b ?c -> + * ?a ?b * ?a ?c", "equal", ""),
        ("(* ?a (+ ?b 1)) -> (+ (* ?a ?b) ?a)", "equal", ""),
        ("(/ ?a ?a) -> 1", "equal", "widening"),
    ],
)
def test_a_rule_is_what_it_is(line: str, effect: str, single: str, tmp_path: Path) -> None:
    found = classify_rule(read_one(line, tmp_path))  # type: ignore[arg-type]
    assert (found.effect, found.except_at) == (effect, single)
    assert (found.difference is None) == (effect in ("equal", "undecided") and not single)


def test_a_counterexample_is_one(tmp_path: Path) -> None:
    point = classify_rule(read_one("(a+b)^3 -> a^3 + b^3", tmp_path)).difference  # type: ignore[arg-type]
    assert point is not None
    a, b = point.binding["a"], point.binding["b"]
    assert point.left == pytest.approx((a + b) ** 3)
    assert point.right == pytest.approx(a**3 + b**3)
    lost = classify_rule(read_one("ln(a*b) -> ln(a) + ln(b)", tmp_path)).difference  # type: ignore[arg-type]
    assert lost is not None
    assert lost.binding["a"] < 0
    assert lost.left == pytest.approx(math.log(lost.binding["a"] * lost.binding["b"]))
    assert lost.right is None


def test_three_notations_are_one_rule(tmp_path: Path) -> None:
    sides = [
        [to_prefix(side).replace("?", "") for side in (rule.left, rule.right)]  # type: ignore[attr-defined]
        for rule in (
            read_one(line, tmp_path)
            for line in ("a*b/2 -> b*a/2", "(/ (* a b) 2) -> (/ (* b a) 2)", "/ * ?a ?b 2 -> / * ?b ?a 2")
        )
    ]
    assert sides[0] == sides[1] == sides[2]


def test_lines_that_hold_no_rule_are_named(tmp_path: Path) -> None:
    path = tmp_path / "rules.txt"
    path.write_text("# mine\nsum: a + b -> b + a\n\na = b\na -> b\n(foo a) -> a\n(+ a) -> a\nd/dx(x) -> 1\n")
    found, unread = read_foreign(path)
    assert [(rule.line, rule.name) for rule in found] == [(2, "sum")]
    assert [one.line for one in unread] == [4, 5, 6, 7, 8]
    assert "->" in unread[0].why
    assert "b" in unread[1].why
    told = rules_document(list_rules(Rules(file=path, check=True)))
    assert [one["line"] for one in told["unread"]] == [4, 5, 6, 7, 8]
    assert (told["counts"], told["problems"]) == ({"equal": 1}, 5)


def test_a_file_without_rules_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "rules.txt"
    path.write_text("nothing\n")
    with expect_error("E300"):
        read_foreign(path)
    path.write_text("a\tb\n1\t2\n")
    with expect_error("E300", line=1):
        read_foreign(path)
    own = tmp_path / "rules.toml"
    for text in ("x = 1\n", "family = []\n", "[[family]]\nname = 'a'\nrules = [1]\n", "[[family"):
        own.write_text(text)
        with expect_error("E300"):
            list_rules(Rules(file=own, check=True))
    with expect_error("E427"):
        Rules(file=path)


def test_our_own_format_is_checked_as_the_table_is(tmp_path: Path) -> None:
    own = tmp_path / "rules.toml"
    own.write_text(
        '[[family]]\nname = "mine"\nrules = [\n'
        '{name = "right", left = "ln * ?a ?b", right = "+ ln ?a ln ?b", class = "loses", exact = false},\n'
        '{name = "wrong", left = "sin ?a", right = "cos ?a"},\n]\n'
    )
    assert [name for name, _ in list_rules(Rules(file=own, check=True)).problems] == ["wrong"]


@pytest.mark.slow
@pytest.mark.real_data
def test_rules_of_herbie(real_data: Path) -> None:
    found, unread = read_foreign(real_data / "expr" / "herbie_rules.tsv")
    assert (len(found), len(unread)) == (464, 37)
    some = {rule.name: classify_rule(rule).effect for rule in found if rule.group == "exponents"}
    assert {name for name, effect in some.items() if effect == "losing"} == {"pow1/3", "unpow-prod-down"}
    assert "false" not in some.values()


def test_the_command_counts_and_names(tmp_path: Path) -> None:
    path = tmp_path / "rules.txt"
    path.write_text("a + b -> b + a\nmine: sqrt(a^2) -> a\n")
    done = mathwb("egen", "rules", path, "--check")
    assert done.returncode == 1
    assert "2 rules: equal 1, false 1" in done.stdout
    assert "mine" in done.stdout
    again = mathwb("egen", "rules", path, "--check", "--json")
    assert json.loads(again.stdout)["rules"][1]["class"] == "false"

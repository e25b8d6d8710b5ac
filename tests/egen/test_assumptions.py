"""Several variables, parameters and assumptions, held against SymPy and brute force."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product
from math import inf
from pathlib import Path

import numpy as np
import pytest
import sympy

from engines.core.errors import EngineError, ExpressionError
from engines.core.expression_language import LETTERS, to_prefix
from engines.core.tree import Tree
from engines.egen import egraphs
from engines.egen.egraph.derivation import derive
from engines.egen.egraph.growth import EGraphRunner
from engines.egen.egraph.member_selection import grow_cluster
from engines.egen.evaluations.check import Check, check_derivations
from engines.egen.rules.table import ASSUMED, is_variable, load_rules, pattern_variables
from engines.egen.settings import EgenConfig, Limits
from engines.egen.theories.registry import theory_of
from engines.egen.verify_and_explain import Explain, Verify, explain, verify
from engines.formula.reader import read_expression as read_text
from engines.mathematics.assumptions import NO_ASSUMPTIONS, read_assumptions
from engines.mathematics.terms.canonical import canonical_key
from engines.mathematics.terms.notation import to_infix, to_latex, unicode_infix
from engines.mathematics.verification.points import Region
from engines.mathematics.verification.verifier import MultivariateVerifier, make_verifier
from tests.conftest import expect_error

GROWER = EGraphRunner("strict", theory=theory_of("reals", "", Tree("y")))


def read(text: str) -> Tree:
    return read_text(text, letters=LETTERS)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("xyz", "* * x y z"),
        ("a x + b", "+ * a x b"),
        ("2xy^2", "* * 2 x pow y 2"),
        ("sin(n pi)", "sin * n pi"),
        ("npi", "* n pi"),
        (r"\frac{a x+b}{c}", "/ + * a x b c"),
        (r"\sin(tu)abc", "* * * sin * t u a b c"),
        ("+ * a x b", "+ * a x b"),
        ("log_a(x)", "log a x"),
        (r"\log_{a} x", "log a x"),
        (r"\log_{n + 1}\left(x y\right)", "log + n 1 * x y"),
        (r"\log_\pi(a)", "log pi a"),
        ("x_1^2 + 2x_1A_ij", "+ pow x_1 2 * * 2 x_1 A_ij"),
        ("+ x_1 α", "+ x_1 α"),
        ("2alpha*sin(lambda_1)", "* * 2 α sin λ_1"),
        ("x'^2 - f'", "- pow x' 2 f'"),
        (r"\alpha_1 x_{ij}^2 + \Omega_\mu", "+ * α_1 pow x_ij 2 Ω_μ"),
        ("x_mu", "x_μ"),
        ("sin x_1 N", "sin * x_1 N"),
        ("f*(x+1)", "* f + x 1"),
        ("mu + μ", "+ μ μ"),
    ],
)
def test_letters_are_read_in_every_notation_and_written_back(text: str, tokens: str) -> None:
    tree = read(text)
    assert to_prefix(tree) == tokens
    assert all(read(write(tree)) == tree for write in (to_infix, unicode_infix, to_prefix))
    assert (
        make_verifier(tree, assumptions=NO_ASSUMPTIONS).judge_members([read(to_latex(tree))])[0].outcome
        == "equal"
    )


def test_names_are_judged_rewritten_and_assumed() -> None:
    found = egraphs.derive(egraphs.Derive("sqrt(x_1^2)*alpha", "x_1*α", assume="x_1 positive"))
    assert [step["infix"] for step in found["steps"]] == ["sqrt(x_1^2)*α", "x_1*α"]
    assert str(read_assumptions("x_1 alpha integers, A_ij' > 0")) == "x_1 integer, α integer, 0 < A'_ij"
    assert canonical_key(read("A - x'")) == canonical_key(read("-(x' - A)"))
    many = " + ".join(f"x_{number}" for number in range(70))
    with expect_error("E200"):
        make_verifier(read(many))


@pytest.mark.parametrize("text", [r"\log_{n + 1}", "log_ab(x)", "log_(a)(x)"])
def test_a_base_that_is_no_name_wants_brackets(text: str) -> None:
    with pytest.raises(ExpressionError):
        read(text)


@pytest.mark.parametrize(
    "text", ["max(x)", "sub x", "sinn(x)", "j + 1", "d y x", "foo", "Sin(x)", "AB", "Ln(x)", "f(x)", "ax_1"]
)
def test_words_are_not_products_of_letters(text: str) -> None:
    with pytest.raises(ExpressionError):
        read(text)


@pytest.mark.parametrize(
    ("text", "back"),
    [
        ("x > 0, n integer, a != 0, -1 < x <= 1", "n integer, 0 < x, a != 0, -1 < x, x <= 1"),
        ("m n integers and y negative", "m integer, n integer, y < 0"),
        (r"x ≥ y, k ∈ Z, a \neq b", "k integer, y <= x, a != b"),
        ("xy > pi/2", "pi/2 < x*y"),
        ("", ""),
    ],
)
def test_assumptions_are_read_and_written_back(text: str, back: str) -> None:
    found = read_assumptions(text)
    assert str(found) == back
    assert read_assumptions(str(found)) == found
    assert bool(found) == bool(text)


@pytest.mark.parametrize("text", ["x", "1 < 2", "x >> 1", "foo > 1", "x integral", "x = 1"])
def test_what_is_no_assumption_is_refused(text: str) -> None:
    with expect_error("E200"):
        read_assumptions(text)


@pytest.mark.parametrize(
    ("names", "text", "holds"),
    [
        ("xy", "x > y, -1 < x < 1", lambda x, y: x > y and -1 < x < 1),
        ("xan", "a >= 2, n integer, n < 0", lambda x, a, n: a >= 2 and n < 0 and n == round(n)),
        ("xy", "x y > 10, x != 3", lambda x, y: x * y > 10 and x != 3),
        ("xn", "n integer, 5 <= n <= 5", lambda x, n: n == 5),
        ("xu", "1000 < u < 1001, x < -5000", lambda x, u: 1000 < u < 1001 and x < -5000),
    ],
)
def test_points_lie_in_the_region(names: str, text: str, holds: object) -> None:
    region = Region(tuple(names), read_assumptions(text))
    special, _ = region.special_points
    assert region.points.shape[1] >= 8
    assert all(holds(*point) for point in np.hstack([region.points, special, *region.far_points]).T)  # type: ignore[operator]
    again = Region(tuple(names), read_assumptions(text))
    assert np.array_equal(again.points, region.points)


@pytest.mark.parametrize("text", ["x > 0, x < 0", "n integer, 0 < n, n < 1", "x^2 < -1"])
def test_assumptions_that_hold_nowhere_are_an_error(text: str) -> None:
    with pytest.raises(EngineError) as caught:
        make_verifier(read("x n"), assumptions=read_assumptions(text))
    assert caught.value.code == "E221"


TRUE = [
    ("sqrt(x^2)", "x", "x > 0"),
    ("sqrt(x^2)", "-x", "x < 0"),
    ("(a+b)^2", "a^2 + 2ab + b^2", ""),
    ("sin(n pi)", "0", "n integer"),
    ("(-1)^(2n)", "1", "n integer"),
    ("cos(n pi)", "(-1)^n", "n integer"),
    ("cos(2n pi)", "1", "n integer"),
    ("sin(x + 2n pi)", "sin x", "n integer"),
    ("tan(x + n pi)", "tan x", "n integer"),
    ("a x/a", "x", "a != 0"),
    ("(a b)^(1/2)", "a^(1/2) b^(1/2)", "a > 0, b > 0"),
    ("x^a x^b", "x^(a+b)", "x > 0"),
    ("(x^a)^b", "x^(a b)", "x > 0"),
    ("x^n y^n", "(x y)^n", "n integer"),
    ("d/dx(x^2 y)", "2x y", ""),
    ("ln(x y)", "ln x + ln y", "x > 0, y > 0"),
    ("ln(x^n)", "n ln x", "x > 0"),
    ("(x^2 - y^2)/(x - y)", "x + y", ""),
    ("sqrt(1 - x^2)", "cos(asin x)", "-1 < x < 1"),
    ("sin(x + y)", "sin x cos y + cos x sin y", ""),
    ("a^3 - b^3", "(a - b)(a^2 + ab + b^2)", ""),
    ("1/(x-a) - 1/(x+a)", "2a/(x^2 - a^2)", ""),
    ("abs(x)/x", "1", "x > 0"),
    ("sqrt((a - b)^2)", "a - b", "a > b"),
    ("x y z t u v", "v u t z y x", ""),
    ("sin(x + n pi)^2", "sin(x)^2", "n integer"),
    ("asin(sin x)", "x", "-1 < x < 1"),
    ("acos(cos(x y))", "abs(x y)", "-1 < x < 1, -1 < y < 1"),
    ("2atan(tan x)", "2x", "0 < x < 1"),
]


@pytest.mark.parametrize(("start", "target", "given"), TRUE)
def test_identities_of_several_variables_are_derived(start: str, target: str, given: str) -> None:
    theory = theory_of("reals", given, read(start), read(target))
    found = derive(read(start), read(target), theory=theory)
    assert found.steps
    assert found.steps[-1].tree == read(target)
    assert all(step.verdict.outcome in ("equal", "extends") for step in found.steps)


FALSE = [
    ("sqrt(x^2)", "x", ""),
    ("sqrt(x^2)", "x", "x y > 0"),
    ("cos(n pi)", "(-1)^(n+1)", "n integer"),
    ("cos(n pi)", "(-1)^n", ""),
    ("(a+b)^2", "a^2 + b^2", ""),
    ("(a b)^(1/2)", "a^(1/2) b^(1/2)", ""),
    ("ln(x y)", "ln x + ln y", "x > -1"),
    ("sqrt((a - b)^2)", "a - b", "a != b"),
    ("x^n", "(-x)^n", "n integer"),
    ("asin(sin x)", "x", "-2 < x < 2"),
    ("acos(cos x)", "x", "-1 < x < 1"),
]


@pytest.mark.parametrize(("start", "target", "given"), FALSE)
def test_false_ones_are_refused_with_a_point_of_the_region(start: str, target: str, given: str) -> None:
    theory = theory_of("reals", given, read(start), read(target))
    found = derive(read(start), read(target), theory=theory)
    assert not found.steps
    assert found.counterexample is not None
    at = {
        name: sympy.Rational(Fraction(value))
        for name, value in found.counterexample.at or [("x", found.counterexample.x)]
    }
    sides = [_sympy(read(text), at) for text in (start, target)]
    values = [complex(side) for side in sides]
    assert abs(values[0] - values[1]) > 1e-9 or abs(values[1].imag) > 1e-9


def _sympy(tree: Tree, at: dict[str, sympy.Expr]) -> sympy.Expr:
    """The value by SymPy, at 30 digits."""
    parts = [_sympy(child, at) for child in tree.children]
    label = tree.label
    if not parts:
        known = {"pi": sympy.pi, "e": sympy.E, **at}
        return sympy.N(known[label] if label in known else sympy.Rational(label), 40)
    if label in "+-*/":
        one, other = parts
        return {"+": one + other, "-": one - other, "*": one * other, "/": one / other}[label]
    return (
        sympy.Pow(*parts)
        if label == "pow"
        else getattr(sympy, {"ln": "log", "abs": "Abs"}.get(label, label))(*parts)
    )


@pytest.mark.parametrize(
    ("head", "member", "given", "outcome"),
    [
        ("x y", "x y + 0 sqrt(130 - y)", "", "shrinks"),
        ("a x", "a x + 0 ln(1000 - a)", "a > 0", "shrinks"),
        ("x y", "x y + 0 sqrt(500000 - y)", "", "shrinks"),
        ("x y", "x y + 0 sqrt(50000000 - x y)", "", "shrinks"),
        ("x y", "x y + 0 sqrt(50000000 - x y)", "x y < 40000000", "equal"),
        ("x", "x + 0 sqrt(1000001 - x)", "x > 0", "shrinks"),
        ("x", "x + 0 sqrt(1000001 - x)", "x < 0", "equal"),
        ("d/dx(x^2 y)/2", "x y + 0 sqrt(50000000 - d/dx(x^2 y))", "", "shrinks"),
        ("x y + sqrt(50000000 - y)^2", "x y + 50000000 - y", "", "extends"),
        ("x y", "(x y + 2000001 - abs(x y - 2000001))/2", "", "different"),
        ("x y", "(x y + 2000001 - abs(x y - 2000001))/2", "x y < 2000000", "equal"),
        ("e^x y", "e^x y + 0 ln(1000 - x)", "", "shrinks"),
        ("x n", "x n + 0 sqrt(10000010.5 - n)", "n integer, n < 10000012", "shrinks"),
        ("x n", "x n + 0 sqrt(10000010.5 - n)", "n integer, n < 10000011", "equal"),
        # 1 - tanh 20 is 1e-17: too little for double precision
        ("tanh x", "1", "x > 20", "different"),
        ("y + e^(-x)", "y + e^(-x - 60)", "x > 50", "different"),
    ],
)
def test_what_happens_far_out_along_one_variable_is_seen(
    head: str, member: str, given: str, outcome: str
) -> None:
    (verdict,) = make_verifier(read(head), assumptions=read_assumptions(given)).judge_members([read(member)])
    assert verdict.outcome == outcome
    assert (verdict.counterexample is None) == (outcome == "equal")


def test_domain_that_is_lost_along_a_variable_is_seen_if_and_only_if_the_region_has_it() -> None:
    """Beyond, below, inside and outside an interval, against what the ends say."""
    draw = random.Random(5)
    for _ in range(60):
        low = draw.choice((-1, 1)) * draw.randint(2, 9) * 10 ** draw.randint(2, 10)
        high = low + draw.randint(1, 9) * 10 ** draw.randint(2, 10)
        edge, wanted = draw.choice(
            [
                (f"({high}) - y", [(high, inf)]),
                (f"y - ({low})", [(-inf, low)]),
                (f"(y - ({low}))*(y - ({high}))", [(low, high)]),
                (f"(y - ({low}))*(({high}) - y)", [(-inf, low), (high, inf)]),
                (f"y^2 - ({low + high})*y + ({low * high})", [(low, high)]),
            ]
        )
        first, last = draw.choice(
            [(-inf, inf), (low, high), (high, inf), (-inf, low), (low, inf), (-inf, high)]
        )
        bounds = [f"y > {first}"] * (first > -inf) + [f"y < {last}"] * (last < inf)
        lost = any(max(first, start) < min(last, end) for start, end in wanted)
        head = draw.choice(["x y", "x + y", "x/(y^2 + 1)", "a y"])
        judge = make_verifier(read(head), assumptions=read_assumptions(", ".join(bounds)))
        (verdict,) = judge.judge_members([read(f"{head} + 0 sqrt({edge})")])
        assert verdict.outcome in (("shrinks", "nowhere") if lost else ("equal",)), (head, edge, bounds)
        if lost:
            assert verdict.counterexample is not None
            at = dict(verdict.counterexample.at)["y"]
            assert any(start < at < end for start, end in wanted)
            assert first < at < last


def test_a_power_of_a_power_is_compared_where_both_exponents_are_special() -> None:
    """(x^2)^(1/2) is |x|."""
    (verdict,) = make_verifier(read("(x^a)^b")).judge_members([read("x^(a b)")])
    assert verdict.outcome == "different"
    assert verdict.counterexample is not None
    at = dict(verdict.counterexample.at)
    assert (at["a"], at["b"], at["x"] < 0) == (2.0, 0.5, True)
    for given in ("x > 0", "a b integers"):
        (verdict,) = make_verifier(read("(x^a)^b"), assumptions=read_assumptions(given)).judge_members(
            [read("x^(a b)")]
        )
        assert verdict.outcome == "equal"


def test_single_values_where_one_side_is_undefined_are_named() -> None:
    (verdict,) = make_verifier(read("ln(a^x)")).judge_members([read("x ln a")])
    assert "x = 2" in verdict.exceptional_text, "a may be negative there, though not with other x"
    (verdict,) = make_verifier(read("a x/a")).judge_members([read("x")])
    assert (verdict.outcome, verdict.exceptional_text) == ("equal", "a = 0")
    (verdict,) = make_verifier(read("a x/a"), assumptions=read_assumptions("a != 0")).judge_members(
        [read("x")]
    )
    assert (verdict.outcome, verdict.exceptional_text) == ("equal", "")


def test_the_rules_about_assumptions_hold_by_brute_force() -> None:
    """Every rule, with variables of the kinds that its conditions ask for, at all combinations of values."""
    reals = [Fraction(text) for text in ("-2", "-1/2", "1/3", "1", "3")]
    kinds = {
        "whole": [Fraction(n) for n in range(-3, 4)],
        "pos": [value for value in reals if value > 0],
        "nonpos": [value for value in reals if value < 0],
        "unit": [value for value in reals if abs(value) <= 1],
        "nz": reals,
    }
    for rule in load_rules(ASSUMED):
        if rule.left.label == "d":
            continue
        wanted = {condition.pattern.label: condition.name for condition in rule.when}
        names = pattern_variables(rule.left)
        agreeing = 0
        for values in product(*(kinds[wanted.get(name, "nz")] for name in names)):
            at = {name: sympy.Rational(value) for name, value in zip(names, values, strict=True)}
            left, right = (complex(_sympy(side, at)) for side in (rule.left, rule.right))
            if abs(left.imag) < 1e-12 and abs(left) < 1e12:
                assert abs(left - right) < 1e-9 * max(1, abs(left)), (rule.name, at)
                agreeing += 1
        assert agreeing >= 2, rule.name
        assert all(not is_variable(one) or one.label in names for one in rule.right)


def test_check_verify_and_explain_take_assumptions(tmp_path: Path) -> None:
    file = tmp_path / "steps"
    file.write_text("sqrt(x^2*y^2)\nabs(x)*abs(y)\nx*y\n")
    found = check_derivations(Check(file, assume="x > 0, y > 0"))
    assert found["derivations"][0]["right"]
    wrong = check_derivations(Check(file))["derivations"][0]["transitions"][1]
    assert wrong["judgement"] == "wrong"
    assert set(wrong["counterexample"]["at"]) == {"x", "y"}
    pairs = tmp_path / "pairs"
    pairs.write_text("sin * n pi\t0\nx\tsqrt pow x 2\n* a x\t* x b\n")
    judged = verify(Verify(pairs, assume="n integer, x > 0"))
    assert [row["verdict"] for row in judged.results] == ["equal", "equal", "different"]
    case = explain(Explain("sqrt(a^2)", "a", assume="a >= 0"))
    assert case["verdict"]["verdict"] == "equal"
    assert all(list(point["at"]) == ["a"] and point["at"]["a"] >= 0 for point in case["points"])


def test_one_variable_without_assumptions_is_judged_as_ever() -> None:
    assert not isinstance(make_verifier(read("sin x"), read("cos x")), MultivariateVerifier)


@pytest.mark.parametrize(
    ("head", "given", "wanted"),
    [
        ("sqrt(x^2) + n/n", "x > 0, n integer", "1 + x"),
        ("sin(x + 2n pi)", "n integer", "sin x"),
        ("abs(a b)", "a > 0, b < 0", "-a*b"),
        ("(x+y)(x-y)", "", "x^2 - y^2"),
    ],
)
def test_clusters_of_several_variables_hold_what_they_should(head: str, given: str, wanted: str) -> None:
    tree = read(head)
    config = EgenConfig(members=40, max_tokens=15, style="plain", assume=given, limits=Limits(nodes=1_500))
    found = grow_cluster(tree, config, grower=GROWER)
    judge = make_verifier(tree, assumptions=read_assumptions(given), seed=9)
    assert 5 < len(found.members) <= 40  # others would make a detour, such as a^2*b/a
    assert {one.outcome for one in judge.judge_members([member.tree for member in found.members])} <= {
        "equal",
        "extends",
    }
    key = canonical_key(read(wanted))
    assert key in {canonical_key(member.tree) for member in found.members}
    assert EgenConfig.from_document(found.config.to_dict()) == found.config


def test_what_is_not_assumed_is_no_fact() -> None:
    tree = read("abs(a)")
    for given, smallest in (("", "abs(a)"), ("a != 0", "abs(a)"), ("a integer", "abs(a)"), ("a >= 0", "a")):
        graph = GROWER.grow_egraph(
            tree, Limits(nodes=200), theory=theory_of("reals", given or "x != 7", tree)
        )
        assert graph.smallest_term(graph.root) == read(smallest)
    for given, value in (("n integer", 0), ("n > 0", None)):
        theory = theory_of("reals", given, read("n"))
        graph = GROWER.grow_egraph(read("sin(n pi)"), Limits(nodes=400), theory=theory)
        assert graph.constants.get(graph.root) == value

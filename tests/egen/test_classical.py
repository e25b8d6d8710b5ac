"""Classical forms of expressions, held against SymPy and mpmath, and what comes first of a cluster."""

from __future__ import annotations

import random

import mpmath
import numpy as np
import pytest
import sympy
from hypothesis import given, settings

from benchmarks.classical import evaluated, read_forms
from engines.core.expression_language import LETTERS, to_prefix
from engines.core.system import asset
from engines.core.tree import Tree
from engines.egen.algebra.classical import TABLE, by_procedures, iterate_classical_forms
from engines.egen.egraph.growth import EGraphRunner
from engines.egen.egraph.member_selection import grow_cluster
from engines.egen.generation import Generate
from engines.egen.generation import generate as generated
from engines.egen.rules.table import load_families
from engines.egen.rules_and_theories import Rules, list_rules
from engines.egen.settings import FORMS, EgenConfig, Limits
from engines.egen.theories.real_functions import Reals
from engines.formula.reader import read_expression as read
from engines.mathematics.algebra.atoms import Signs
from engines.mathematics.algebra.symmetric import iterate_symmetric
from engines.mathematics.terms.arithmetic_normal_form import normalise_arithmetic
from engines.mathematics.terms.canonical import canonical_key
from engines.mathematics.terms.notation import to_infix
from engines.mathematics.terms.symbolic import to_sympy
from engines.mathematics.verification.verifier import Verifier
from tests.conftest import count_examples, expect_error
from tests.egen.expressions import trees


def forms_of(head: str, forms: str = "all") -> dict[str, list[str]]:
    tree = read(head)
    theory = Reals()
    found: dict[str, list[str]] = {}
    for family, form in theory.iterate_written_forms(tree, theory.make_judge(tree), forms, 40):
        found.setdefault(family, []).append(evaluated(form))
    return found


CASES = [
    ("1/(x^2-1)", "partial fractions", "1/(2*(x-1)) - 1/(2*(x+1))"),
    ("(x^3+2)/(x^2+x)", "partial fractions", "x - 1 + 2/x - 1/(x+1)"),
    ("1/(x^4-x^2)", "partial fractions", "-1/x^2 + 1/(2*(x-1)) - 1/(2*(x+1))"),
    ("x^2+6*x+10", "square completed", "(x+3)^2 + 1"),
    ("3*x^2-x", "square completed", "3*(x-1/6)^2 - 1/12"),
    ("2*x^3-x+5", "Horner", "x*(2*x^2-1) + 5"),
    ("sin(x)^4", "powers reduced", "(3 - 4*cos(2*x) + cos(4*x))/8"),
    ("sin(x)*cos(3*x)", "powers reduced", "(sin(4*x) - sin(2*x))/2"),
    ("cosh(x)^3", "powers reduced", "(3*cosh(x) + cosh(3*x))/4"),
    ("sin(5*x)-sin(x)", "sum to product", "2*cos(3*x)*sin(2*x)"),
    ("cosh(3*x)-cosh(x)", "sum to product", "2*sinh(2*x)*sinh(x)"),
    ("e^(3*x)+e^x", "sum to product", "2*e^(2*x)*cosh(x)"),
    ("1-cos(x)", "sum to product", "2*sin(x/2)^2"),
    ("2*sin(x)-2*cos(x)", "sum to product", "2*sqrt(2)*sin(x-pi/4)"),
    ("1/(2-sqrt(x))", "conjugate", "(2+sqrt(x))/(4-x)"),
    ("sin(x)/(1+cos(x))", "tangent", "tan(x/2)"),
    ("tanh(x)", "exponential form", "(e^(2*x)-1)/(e^(2*x)+1)"),
    ("1/(1+e^(-x))", "exponential form", "(1+tanh(x/2))/2"),
    ("ln(x)+2*ln(x+1)", "logarithms", "ln(x*(x+1)^2)"),
    ("ln(sqrt(x)/(x+1))", "logarithms", "ln(x)/2 - ln(x+1)"),
    ("atan(x/2)+atan(x/3)", "arctangents", "atan(-5*x/(x^2-6))"),
    ("acos(x)", "inverse functions", "pi/2 - asin(x)"),
    ("d/dx(x^3 + sin(x)^2)", "derivative", "3*x^2 + 2*sin(x)*cos(x)"),
    ("sqrt(1-sin(x))", "half angles", "abs(sin(x/2)-cos(x/2))"),
    ("sqrt((1-cos(x))/2)", "half angles", "abs(sin(x/2))"),
    ("abs(cos(x))", "half angles", "sqrt((1+cos(2*x))/2)"),
    ("d/dx(sin(x)^2)", "powers reduced", "sin(2*x)"),
]


@pytest.mark.parametrize(("head", "family", "form"), CASES)
def test_a_family_gives_its_classical_form(head: str, family: str, form: str) -> None:
    assert evaluated(read(form)) in forms_of(head)[family]


def test_partial_fractions_are_sympys() -> None:
    draw = random.Random(3)
    x = sympy.Symbol("x", real=True)
    for _ in range(15):
        roots = draw.sample(range(-4, 5), 3)
        below = "*".join(f"(x-({root}))" for root in roots)
        head = f"({draw.randint(1, 5)}*x+{draw.randint(1, 9)})/({below})"
        (form, *_) = forms_of(head, "partial fractions").get("partial fractions", [""])
        if form:
            apart = sympy.apart(to_sympy(read(head)), x)
            assert sympy.simplify(sympy.sympify(form, locals={"x": x}) - apart) == 0


@pytest.mark.slow
def test_every_form_of_the_textbook_heads_has_the_same_values_by_other_arithmetic() -> None:
    """mpmath with 40 digits, at points of its own."""
    checked = 0
    points = [mpmath.mpf(p) / 97 for p in (-201, -150, -31, 13, 44, 88, 161, 305)]
    with mpmath.workdps(40):
        for head, _ in read_forms():
            tree = read(head)
            wanted = sympy.lambdify(sympy.Symbol("x", real=True), to_sympy(tree), "mpmath")
            theory = Reals()
            for _, form in theory.iterate_written_forms(tree, theory.make_judge(tree), "all", 40):
                value = sympy.lambdify(sympy.Symbol("x", real=True), to_sympy(form), "mpmath")
                for point in points:
                    try:
                        one, other = wanted(point), value(point)
                    except ZeroDivisionError:
                        continue
                    real = all(abs(mpmath.im(number)) < 1e-30 for number in (one, other))
                    if real and mpmath.isfinite(one) and mpmath.isfinite(other):
                        assert abs(one - other) < 1e-25 * (1 + abs(one)), (head, to_infix(to_prefix(form)))
                        checked += 1
    assert checked > 1_500


@settings(deadline=None, max_examples=count_examples(60))
@given(trees(max_leaves=6))
def test_forms_of_anything_end_and_differ_nowhere(tree: Tree) -> None:
    """Where a form may lose domain or need a sign the judge says so; a wrong identity would differ."""
    verifier = Verifier(tree)
    if verifier.reason:
        return
    signs = Signs(verifier.points[: verifier.head_domain_count : 12])
    found = [form for _, form in iterate_classical_forms(tree, signs, FORMS, longest=40)]
    outcomes = [verdict.outcome for verdict in verifier.judge_members(found)]
    assert sum(outcome == "different" for outcome in outcomes) <= len(outcomes) / 2


@pytest.mark.slow
def test_forms_of_angles_of_many_terms_and_of_long_products_end() -> None:
    terms = "+".join(f"x^{n}" for n in range(1, 12))
    assert "factor" in forms_of(f"cos({terms}+ln(x)+sqrt(x)+e^x)")
    assert "half angles" in forms_of("sin(x)^40*cos(x^2)^40*sin(x^3)^30")


def test_symmetric_polynomials_are_written_by_elementary_ones() -> None:
    for head, form in [
        ("a*b+b*c+c*a", "((a+b+c)^2-(a^2+b^2+c^2))/2"),
        ("a^3+b^3", "(a+b)^3-3*(a+b)*(a*b)"),
        ("a^2+b^2+c^2", "(a+b+c)^2-2*(a*b+a*c+b*c)"),
    ]:
        tree, wanted = (read(text, "auto", LETTERS) for text in (head, form))
        (found,) = iterate_symmetric(tree, Signs(np.empty(0)))
        assert canonical_key(found) == canonical_key(wanted)
    assert not list(iterate_symmetric(read("a^2*b", "auto", LETTERS), Signs(np.empty(0))))


def test_the_first_member_is_the_head_in_fewer_tokens() -> None:
    first = generated("exp(ln(x)/2)", members=3, nodes=300).members[0]
    assert first.prefix == "sqrt x"


def test_the_families_are_those_that_can_be_named() -> None:
    assert {*by_procedures(), *(family.name for family in load_families(TABLE)), "derivative"} == {*FORMS}
    assert list_rules(Rules(file=asset(TABLE), check=True)).problems == []
    with expect_error("E457") as error:
        Generate("x", forms="factor, Hornr")
    assert error.value.code == "E457"
    assert forms_of("x^2-1", "none") == {}
    assert {*forms_of("x^2+2*x", "square completed")} == {"square completed"}


def test_what_comes_first_is_new_each_time_and_says_what_made_it() -> None:
    config = EgenConfig(
        members=20, limits=Limits(nodes=1_000), style="plain", forms="all", order="interesting"
    )
    cluster = grow_cluster(read("cos(2*x)"), config, grower=EGraphRunner("strict"))
    assert len({evaluated(member.tree) for member in cluster.members}) >= 15
    assert len({normalise_arithmetic(member.tree).text for member in cluster.members}) == 20
    by = {evaluated(member.tree): member.by for member in cluster.members}
    assert by[evaluated(read("1 - 2*sin(x)^2"))] == by[evaluated(read("2*cos(x)^2 - 1"))] == "multiple angles"
    assert by[evaluated(read("cos(x)^2 - sin(x)^2"))]
    assert "" in by.values()


def test_forms_and_order_are_as_before_where_they_were_not_asked_for() -> None:
    assert Generate("x").complete_config().forms == "all"
    assert Generate("x", members=20).complete_config().order == "interesting"
    assert Generate("x", members=500).complete_config().order == "shortest"
    for spec in (Generate("x", mode="paper"), Generate("x", style="any"), Generate("p", theory="logic")):
        assert not {"forms", "order"} & {*spec.complete_config().to_dict()}


@pytest.mark.slow
def test_forms_take_no_members_away() -> None:
    """Forms of a derivative that was not worked out once used up the nodes that its rules needed."""
    config = EgenConfig(members=1_000, style="plain", forms="all")
    assert (
        len(grow_cluster(read("d/dx(-9*sinh(2-7x))"), config, grower=EGraphRunner("strict")).members) == 1_000
    )

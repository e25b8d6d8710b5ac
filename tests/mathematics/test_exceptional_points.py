"""Exceptional points: found, said and told apart by the side without a value; judged by mpmath."""

from __future__ import annotations

import mpmath
import pytest

from engines.core.expression_language import LETTERS, variables_of
from engines.formula.reader import read_expression
from engines.mathematics.assumptions import NO_ASSUMPTIONS, read_assumptions
from engines.mathematics.verification.verdicts import MemberVerdict
from engines.mathematics.verification.verifier import make_verifier
from tests.mathematics.point_values import DIGITS, TINY, value_at

PAIRS = [
    # head, member, what is said, whether the member is the one without a value
    ("sech(x)^2", "tanh(x)/(cosh(x)*sinh(x))", "0", True),
    ("x", "x*(x-7/3)/(x-7/3)", "7/3", True),
    ("x*(x-7/3)/(x-7/3)", "x", "7/3", False),
    ("x*y", "x*y*(y-7/3)/(y-7/3)", "y = 7/3", True),
    ("sin(x)*cos(y)", "sin(x)/sec(y)", "y = -pi/2, y = pi/2, y = -3*pi/2, y = 3*pi/2, …", True),
    ("x", "x*cos(y)/cos(y)", "y = -pi/2, y = pi/2, y = -3*pi/2, y = 3*pi/2, …", True),
    ("1", "(x+y)/(x+y)", "x + y = 0", True),
    ("x", "x*y*z/(y*z)", "y = 0, z = 0", True),
    ("x/(x*y)", "1/y", "x = 0", False),
    ("x", "x*(x*y+x)/(x*y+x)", "x = 0, y = -1", True),
    ("sqrt(x*y)", "x*y/sqrt(x*y)", "x = 0, y = 0", True),
    ("x", "x*(y^2+1)/(y^2+1)", "", False),
    ("a*b+b*c+c*a", "(a+b)*c+a*b", "", False),
    ("1", "(x^2+y^2)/(x^2+y^2)", "x = 0 and y = 0", True),
    ("x", "x*(y-2)/(y-2)", "y = 2", True),
    ("x", "x*(x*y-1)/(x*y-1)", "x*y - 1 = 0", True),
    ("sqrt(x*y)", "sqrt(x*y)*(y-7/3)^2/(y-7/3)^2", "y = 7/3", True),
    ("1/x", "1/x/(1/sin(2*x))/sin(2*x)", "-pi/2, pi/2, -pi, pi, …", True),
    ("cosh(x)^2", "1/sech(x)/sech(x)", "", False),
]


def judged(head: str, member: str, given: str = "") -> MemberVerdict:
    one, other = (read_expression(text, "auto", LETTERS) for text in (head, member))
    assumptions = read_assumptions(given) if given else NO_ASSUMPTIONS
    return make_verifier(one, other, assumptions=assumptions).judge_members([other])[0]


@pytest.mark.parametrize(("head", "member", "said", "lost"), PAIRS)
def test_points_where_one_side_has_no_value_are_said(head: str, member: str, said: str, lost: bool) -> None:
    verdict = judged(head, member)
    assert verdict.outcome == "equal"
    assert verdict.exceptional_text.replace(", …", "") == said.replace(", …", "")
    assert verdict.exceptional_points.has_holes is lost


@pytest.mark.parametrize(("head", "member", "said", "lost"), PAIRS)
def test_one_side_has_no_value_at_the_points_and_both_have_beside_them(
    head: str, member: str, said: str, lost: bool
) -> None:
    one, other = (read_expression(text, "auto", LETTERS) for text in (head, member))
    with mpmath.workdps(DIGITS):
        for point in judged(head, member).exceptional_points.points:
            at = {name: mpmath.mpf(x) for name, x in point.at.items()}
            for term, value in point.conditions:
                if term.children:  # x + y = 0, x*y - 1 = 0
                    at["y"] = -at["x"] if term.label == "+" else 1 / at["x"]
                else:
                    at[term.label] = value_at(read_expression(value), {})
            assert [value_at(tree, at) is None for tree in (one, other)] == [not point.lost, point.lost]
            beside = {name: x + mpmath.mpf("0.001") for name, x in at.items()}
            assert abs(value_at(one, beside) - value_at(other, beside)) < TINY


@pytest.mark.parametrize(
    ("head", "member", "said"),
    [
        ("sin(x)", "sin(x)*cos(x)/cos(x)", "cos(x) != 0"),
        ("1", "sec(x)^2-tan(x)^2", "cos(x) != 0"),
        ("x", "x*sin(2*y)/sin(2*y)*(y-1)/(y-1)", "sin(2*y) != 0 and y != 1"),
        ("x", "x*(x-1)/(x-1)", "x != 1"),
    ],
)
def test_a_family_without_end_is_excluded_by_what_holds_at_all_of_it(
    head: str, member: str, said: str
) -> None:
    found = judged(head, member).exceptional_points.exclude_points(lambda tree: tree)
    assert set(found.split(" and ")) == set(said.split(" and "))


def test_another_form_that_is_0_by_0_there_makes_no_zero() -> None:
    # tanh(x)/sinh(x) is sech(x), and its numerator is 0 at 0
    members = [read_expression(text) for text in ("(sinh(x)/tanh(x))^2", "1/sech(x)/sech(x)")]
    verdicts = make_verifier(read_expression("cosh(x)^2")).judge_members(members)
    assert [verdict.exceptional_text for verdict in verdicts] == ["0", ""]


ALONE = [row for row in PAIRS if "y" not in "".join(row[:2])]


@pytest.mark.parametrize(("head", "member", "said", "lost"), ALONE)
def test_no_point_of_those_that_come_to_mind_is_missing(
    head: str, member: str, said: str, lost: bool
) -> None:
    one, other = (read_expression(text, "auto", LETTERS) for text in (head, member))
    names = variables_of(one, other)
    found = [
        float(point.at["x"]) for point in judged(head, member).exceptional_points.points if "x" in point.at
    ]
    with mpmath.workdps(DIGITS):
        # of a family there are more, farther out
        farthest = max(map(abs, found)) if "…" in said else 100
        for x in [mpmath.mpf(n) / 6 for n in range(-18, 19)] + [n * mpmath.pi / 4 for n in range(-6, 7)]:
            if abs(x) > farthest:
                continue
            at = {name: x + place for place, name in enumerate(sorted(names))}
            if (value_at(one, at) is None) != (value_at(other, at) is None):
                assert min(abs(float(x) - place) for place in found) < 1e-12


def test_what_is_assumed_away_is_no_exception() -> None:
    assert not judged("x", "x*(y-1)/(y-1)", "y > 2").exceptional_text
    assert judged("x", "x*(y-3)/(y-3)", "y > 2").exceptional_text == "y = 3"


def test_points_do_not_depend_on_what_is_judged_beside_them() -> None:
    # -1/sec(x/2 + pi) is cos(x/2) too, and nowhere 0: that says nothing of the zeros of the other.
    head = read_expression("cos(x/2)")
    members = [read_expression(text) for text in ("-tan(acot(sec(pi+x/2)))", "sin(-acsc(1/(-cos(x/2))))")]
    for beside in (members, members[::-1]):
        verdicts = make_verifier(head).judge_members(beside)
        assert [verdict.exceptional_text for verdict in verdicts] == ["-pi, pi, -3*pi, 3*pi, …"] * 2

"""Ends of domains along curves, kinks and jumps: what no verdict may pass over, and what it says of them."""

from __future__ import annotations

import random

import numpy as np
import pytest

from engines.core.expression_language import LETTERS, read_prefix
from engines.formula.reader import read_expression as read
from engines.mathematics.assumptions import read_assumptions
from engines.mathematics.numbers.numeric import compile_many, evaluate_balls
from engines.mathematics.verification.domain_boundaries import INNER, _widen_programs
from engines.mathematics.verification.verdicts import MemberVerdict, verdict_row
from engines.mathematics.verification.verifier import make_verifier
from tests.egen.hostile import HALF, HUMAN, Pair, judged, pairs, parts

DISCS = random.Random(26)
PAIRS = list(pairs())


def verdict_on(head: str, member: str, assume: str = "") -> MemberVerdict:
    """Of two expressions in infix notation."""
    one, other = (read(text, letters=LETTERS) for text in (head, member))
    (verdict,) = make_verifier(one, other, assumptions=read_assumptions(assume)).judge_members([other])
    return verdict


@pytest.mark.parametrize("place", [(DISCS.uniform(-9, 9), DISCS.uniform(-9, 9)) for _ in range(20)])
def test_every_disc_of_radius_a_tenth_is_found(place: tuple[float, float]) -> None:
    a, b = (f"{value:.3f}" for value in place)
    verdict = verdict_on("x+y", f"x+y+0*sqrt((x-{a})^2+(y-{b})^2-0.01)")
    assert verdict.outcome == "shrinks"
    assert verdict.counterexample is not None
    at = dict(verdict.counterexample.at)
    assert (at["x"] - float(a)) ** 2 + (at["y"] - float(b)) ** 2 < 0.01


def test_every_ball_of_radius_a_tenth_is_found() -> None:
    for _ in range(20):
        a, b, c = (f"{DISCS.uniform(-9, 9):.3f}" for _ in range(3))
        margin = f"(x-{a})^2+(y-{b})^2+(z-{c})^2-0.01"
        assert verdict_on("x+y*z", f"x+y*z+0*ln({margin})").outcome == "shrinks"


@pytest.mark.parametrize(
    ("head", "member", "assume", "outcome"),
    [
        # only the head has the disc; both have it
        ("x+0*sqrt((x-2)^2+(y-3)^2-1)", "x+0*y", "", "extends"),
        ("x+0*sqrt((x-2)^2+(y-3)^2-1)", "0*sqrt((y-3)^2+(2-x)^2-1)+x", "", "equal"),
        # the argument changes its sign in a disc, and is a square
        ("(x-2)^2+(y-3)^2-1", "sqrt(((x-2)^2+(y-3)^2-1)^2)", "", "different"),
        ("atan(1/((x-2)^2+(y-3)^2-1))", "pi/2-atan((x-2)^2+(y-3)^2-1)", "", "different"),
        ("sign((x-2)^2+(y-3)^2-1/4)", "1", "", "different"),
        # multiplied out, and where it only comes close
        ("x+y", "x+y+0*ln(x^2+y^2-4x+6y+13-0.01)", "", "shrinks"),
        ("x+y", "x+y+0*ln(x^2+y^2-4x+6y+13+0.01)", "", "equal"),
        # the region of the assumptions counts, not what is beside it
        ("x+y", "x+y+0*sqrt((x-2)^2+(y-3)^2-0.01)", "x > 3", "equal"),
        ("x+y", "x+y+0*sqrt((x-2)^2+(y-3)^2-0.01)", "x > 1, y > x", "shrinks"),
        ("x^n", "x^n+0*sqrt((x-2)^2-0.01)", "n integer", "shrinks"),
        ("abs(n)/n", "sqrt(n^2)/n", "n integer, n != 0", "equal"),
        # far out, and on the line
        ("x+y", "x+y+0*sqrt((x-2000)^2+(y+301)^2-1)", "", "shrinks"),
        ("x", "x+0*sqrt(1-1.1*e^(-100*(x-5)^2))", "", "shrinks"),
        ("x", "x+0*sqrt((x-163)^2-10^(-56))", "", "shrinks"),
        # jumps
        ("sign(x-5)", "sign(x-6)", "", "different"),
        ("sign(x-5)", "sign(2x-10)", "", "equal"),
        ("sign(sin(x)-1/2)", "sign(sin(x)-0.50001)", "", "different"),
        ("floor(x/9)", "floor(x/9-0.001)", "", "different"),
        ("sqrt(floor(x))", "sqrt(floor(x+0.001))", "", "different"),
        ("d/dx(abs(x-5))", "d/dx(abs(x-6))", "", "different"),
        ("atan(1/(x-5))+atan(x-5)", "atan(1/(x-5.01))+atan(x-5.01)", "", "different"),
        ("1/(1+e^(1/(x-5)))+1/(1+e^(1/(5-x)))", "1", "", "equal"),
        # a kink beyond all points
        ("10^30-x^2", "abs(x^2-10^30)", "", "different"),
    ],
)
def test_what_lies_beyond_curves_kinks_and_jumps_counts(
    head: str, member: str, assume: str, outcome: str
) -> None:
    assert verdict_on(head, member, assume).outcome == outcome


@pytest.mark.parametrize(
    ("head", "member"),
    [
        ("sqrt(1-cos(x))", "sqrt(1-cos(x^2/x))"),
        ("sqrt(x^2*(x-1))", "sqrt(x^3*(x-1)/x)"),
        ("acosh(1+x^2)", "acosh(1+x^3/x)"),
    ],
)
def test_a_point_at_which_the_head_touches_an_end_of_its_domain_is_named(head: str, member: str) -> None:
    verdict = verdict_on(head, member)
    assert (verdict.outcome, verdict.exceptional_text) == ("equal", "0")


def test_ends_closer_than_doubles_are_told_from_a_short_number() -> None:
    assert verdict_on("x", "x+0/((x-163)^2-10^(-56))").exceptional_text.startswith("about 163")


@pytest.mark.parametrize(
    ("head", "member", "within", "side"),
    [
        ("x+1", "1+x", 1e300, 0),  # nothing may end
        ("sqrt(x-2)", "(x-2)^(1/2)", 1e300, 0),
        ("x*y", "y*x", INNER, 0),
        ("x*y", "x*y+0*sqrt(x^2+y^2+1)", INNER, 0),  # proved to be positive
        ("sqrt(x*y)", "sqrt(2*x*y)/sqrt(2)", INNER, 1.5),  # a grid of points beyond the head's ends
        ("sqrt(sin(x))", "sqrt(sin(x)^3/sin(x)^2)", 15, 0),  # the zeros that are looked at
    ],
)
def test_it_is_said_where_nothing_can_have_been_missed(
    head: str, member: str, within: float, side: float
) -> None:
    checked = verdict_row(verdict_on(head, member))["checked"]
    assert checked["within"] <= within
    assert checked["within"] > min(within, INNER) / 2
    assert 0 <= checked["side"] <= side


def test_nothing_is_said_of_integers_and_of_lost_domain() -> None:
    for verdict in (
        verdict_on("x^n", "x^n+0*abs(x-n)", "n integer"),
        verdict_on("x", "x+0*sqrt(x)"),
    ):
        assert verdict.checked is not None
        assert verdict.checked.search_radius is None


BOXED = (
    *("sqrt x", "ln x", "sin x", "tan x", "asin x", "acos x", "acsc x", "atan x", "acot x", "tanh x"),
    *("coth x", "acosh x", "atanh x", "asech x", "sinh x", "cosh x", "sech x", "csch x", "d x * x sin x"),
    *("pow x 3", "pow x -2", "pow x 0.5", "pow 2 x", "pow x y", "/ y x", "log y x", "* x y", "abs - x y"),
)


@pytest.mark.parametrize("text", BOXED)
def test_values_over_a_box_hold_those_of_all_its_points(text: str) -> None:
    program = compile_many([read_prefix(text, LETTERS)], variables=("x", "y"))
    wide, random_numbers = _widen_programs(program), np.random.default_rng(1)
    centers = random_numbers.uniform(-4, 4, (2, 60))
    halves = 2.0 ** random_numbers.uniform(-8, 1, (2, 60))
    (values,), (errors,) = evaluate_balls(wide, np.concatenate([centers, halves]))
    for _ in range(40):
        (inside,), (noise,) = evaluate_balls(
            program, centers + halves * random_numbers.uniform(-1, 1, centers.shape)
        )
        known, undefined = np.isfinite(errors), np.isnan(values)
        assert not np.isnan(inside[known]).any()
        assert not np.isfinite(noise[undefined]).any()
        both = known & np.isfinite(noise)
        assert (np.abs(inside - values)[both] <= (errors + noise)[both]).all()


def test_the_hostile_list_is_false_throughout() -> None:
    assert sum(pair.human for pair in PAIRS) == len(PAIRS) / 2 == HALF
    assert [pair for pair in PAIRS if not parts(pair)] == []


@pytest.mark.parametrize("pair", [one for one in PAIRS if one.human][:: len(HUMAN) // 4 + 1], ids=str)
def test_pairs_of_a_human_scale_are_not_taken_for_equal(pair: Pair) -> None:
    assert judged(pair) != "equal"

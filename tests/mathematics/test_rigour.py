"""Equality is more than agreement in double precision at points near 0."""

from __future__ import annotations

import random
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.core.expression_language import read_prefix
from engines.egen.corpus.folder import open_corpus
from engines.mathematics.assumptions import read_assumptions
from engines.mathematics.terms.symbolic import to_sympy
from engines.mathematics.verification.explain import describe_domain, explain
from engines.mathematics.verification.verdicts import (
    MemberVerdict,
    describe_point,
    format_distinguishable,
    verdict_row,
)
from engines.mathematics.verification.verifier import Verifier, make_verifier

SAMPLE = Path(__file__).resolve().parents[2] / "assets" / "sample" / "corpora" / "sample-e"


def judged(head: str, member: str) -> MemberVerdict:
    """The verdict of a member against its head, both in prefix notation."""
    (verdict,) = Verifier(read_prefix(head)).judge_members([read_prefix(member)])
    return verdict


@pytest.mark.parametrize(
    ("head", "member"),
    [("pi", "/ 5419351 1725033"), ("pow e * pi sqrt 163", "262537412640768744")],
)
def test_numbers_that_agree_to_twelve_digits_are_not_equal(head: str, member: str) -> None:
    verdict = judged(head, member)
    assert verdict.outcome == "different"
    assert verdict.counterexample is not None


@pytest.mark.parametrize(
    ("head", "member", "gap"),
    [
        ("tanh + 100 pow x 2", "1", lambda x: mpmath.tanh(100 + x**2) - 1),
        ("tanh 1000", "1", lambda _: mpmath.tanh(1000) - 1),
        ("coth + 90 pow x 2", "1", lambda x: mpmath.coth(90 + x**2) - 1),
        ("+ x pow 10 -100", "x", lambda _: mpmath.mpf(10) ** -100),
        ("+ 1 pow e - * -1 pow x 2 200", "1", lambda x: mpmath.exp(-(x**2) - 200)),
        ("sqrt + pow x 2 pow e -500", "abs x", lambda x: mpmath.sqrt(x**2 + mpmath.exp(-500)) - abs(x)),
        ("cos * x pow 10 -60", "1", lambda x: mpmath.cos(x * mpmath.mpf(10) ** -60) - 1),
        (
            "atan + pow 10 80 pow x 2",
            "/ pi 2",
            lambda x: mpmath.atan(mpmath.mpf(10) ** 80 + x**2) - mpmath.pi / 2,
        ),
    ],
)
def test_what_is_lost_beside_something_larger_is_seen(
    head: str, member: str, gap: Callable[[mpmath.mpf], mpmath.mpf]
) -> None:
    verdict = judged(head, member)
    assert verdict.outcome == "different"
    example = verdict.counterexample
    assert example is not None
    assert example.difference is not None
    with mpmath.workdps(4000):
        expected = float(-gap(mpmath.mpf(example.x)))
    assert example.difference == pytest.approx(expected, rel=1e-12, abs=0.0)
    assert len(set(format_distinguishable(example.head, example.member, example.difference, digits=6))) == 2


@pytest.mark.parametrize(
    ("head", "member"),
    [
        ("+ pow x 2 pow 10 -100", "+ pow 10 -100 * x x"),
        ("tanh + 100 pow x 2", "/ sinh + 100 pow x 2 cosh + pow x 2 100"),
        ("pow e + x 200", "* pow e x pow e 200"),
    ],
)
def test_equal_terms_of_very_different_sizes_stay_equal(head: str, member: str) -> None:
    assert judged(head, member).outcome == "equal"


def test_what_no_precision_in_reach_tells_apart_is_undecided() -> None:
    assumed = read_assumptions("x > 100000")
    judge = make_verifier(read_prefix("tanh x"), assumptions=assumed)
    (verdict,) = judge.judge_members([read_prefix("1")])
    assert verdict.outcome == "undecided"
    assert (
        "too much in size for"
        in explain(read_prefix("tanh x"), read_prefix("1"), assumptions=assumed)["because"]
    )


@pytest.mark.parametrize("base", ["-1", "- 0 abs x", "- -1 pow x 2", "- -1 pow y 2"])
@pytest.mark.parametrize("beside", ["pow 10 -20", "pow 10 -60", "pow e -300", "- pi / 245850922 78256779"])
def test_a_negative_base_has_no_power_that_is_nearly_an_integer(base: str, beside: str) -> None:
    nearly = f"pow {base} + 2 {beside}"
    for one, other in ((nearly, f"pow {base} 2"), (f"pow {base} 2", nearly)):
        head, member = (read_prefix(text, "y") for text in (one, other))
        (verdict,) = make_verifier(head, member).judge_members([member])
        assert (verdict.outcome, verdict.exceptional_text) == ("undecided", "")


@pytest.mark.parametrize("exponent", ["ln pow e 3", "sqrt 9", "/ * 3 pi pi", "+ 2 + pow sin 1 2 pow cos 1 2"])
def test_a_negative_base_has_a_power_that_is_an_integer(exponent: str) -> None:
    assert judged(f"pow - -1 pow x 2 {exponent}", "pow - -1 pow x 2 3").outcome == "equal"


@pytest.mark.parametrize("bound", ["x > 100", "x > 2000", "x < -300"])
def test_what_fades_far_out_is_seen_from_the_edge_of_the_region(bound: str) -> None:
    sign = "-1" if "<" in bound else "1"
    judge = make_verifier(read_prefix("tanh x"), assumptions=read_assumptions(bound))
    (verdict,) = judge.judge_members([read_prefix(sign)])
    assert verdict.outcome == "different"


def test_a_domain_that_overflows_everywhere_is_not_said_to_be_empty() -> None:
    assert describe_domain(read_prefix("+ x pow e -1000")).text.startswith("unknown")


def test_values_that_no_precision_tells_end_nothing() -> None:
    """acsc(x/x) is pi/2 at the very end of the domain of acsc."""
    verdict = judged("+ / acsc / x x 2 9", "* + / acsc / x x 2 9 1")
    assert verdict.outcome == "equal"


@pytest.mark.parametrize("end", [130, 1_000_001, 30_000_000])
def test_domain_that_is_lost_far_out_is_seen(end: int) -> None:
    verdict = judged("x", f"+ x * 0 sqrt - {end} x")
    assert verdict.outcome == "shrinks"
    assert verdict.counterexample is not None
    assert verdict.counterexample.x > end


@pytest.mark.parametrize(
    ("inner", "lost"),
    [
        # between the roots, however close or far out they are
        ("+ - pow x 2 * 1000 x 249999", (499, 501)),
        ("+ - pow x 2 * 10 x 24.99999999", (4.9999, 5.0001)),
        ("- pow - x 5 2 0.00000000000001", (4.9999999, 5.0000001)),
        ("+ - pow x 2 * 11000001 x 30000000000001", (4999995, 6000006)),
        # e^x is less than 2.7183 x near 1 only
        ("- pow e x * 2.7183 x", (0.99, 1.01)),
    ],
)
def test_domain_that_is_lost_between_roots_is_seen(inner: str, lost: tuple[float, float]) -> None:
    verdict = judged("x", f"+ x * 0 sqrt {inner}")
    assert verdict.outcome == "shrinks"
    assert verdict.counterexample is not None
    assert lost[0] <= verdict.counterexample.x <= lost[1]


@pytest.mark.parametrize(("head", "end"), [("pow e x", 1000), ("cosh x", 5000)])
def test_domain_that_is_lost_where_doubles_overflow_is_seen(head: str, end: int) -> None:
    verdict = judged(head, f"+ {head} * 0 ln - {end} x")
    assert verdict.outcome == "shrinks"
    assert verdict.counterexample is not None
    assert verdict.counterexample.x > end


def test_what_touches_its_end_loses_nothing() -> None:
    assert judged("x", "+ x * 0 sqrt + - pow x 2 * 1000 x 250000").outcome == "equal"
    assert judged("x", "+ x * 0 sqrt - pow e x * 2.7182 x").outcome == "equal"


@pytest.mark.parametrize(("end", "outcome"), [(2_001, "different"), (2_000_001, "different")])
def test_values_that_part_far_out_are_seen(end: int, outcome: str) -> None:
    """The lesser of x and the end."""
    assert judged("x", f"/ - + x {end} abs - x {end} 2").outcome == outcome


def test_isolated_points_are_named() -> None:
    verdict = judged("1", "/ x x")
    assert (verdict.outcome, verdict.exceptional_text) == ("equal", "0")
    assert verdict_row(verdict)["except"] == "0"
    assert judged("x", "* 1 x").exceptional_text == ""


@pytest.mark.parametrize(
    ("head", "member", "points"),
    [
        # x^x is a power of a negative number at the negative integers, e^(x ln x) is not
        ("pow x x", "pow e * x ln x", "-1, -2, …"),
        ("pow e * x ln x", "pow x x", "-1, -2, …"),
        ("pow x x", "* 1 pow x x", ""),
        ("pow x + x 2", "* pow x x pow x 2", "0"),
        # at odd negative integers x^x is negative, and no square root is
        ("pow x x", "sqrt pow x * 2 x", "-1, …"),
        ("pow x x", "pow / 1 x * -1 x", ""),
        # sqrt(x^4) is x^2 and |x|^3 has a second derivative everywhere; |x| has none at 0
        ("2", "d x d x sqrt pow x 4", ""),
        ("* 6 abs x", "d x d x pow abs x 3", ""),
        ("0", "d x d x abs x", "0"),
    ],
)
def test_isolated_points_of_powers_and_of_second_derivatives(head: str, member: str, points: str) -> None:
    verdict = judged(head, member)
    assert (verdict.outcome, verdict.exceptional_text) == ("equal", points)


@pytest.mark.parametrize(
    ("head", "member", "difference", "shown"),
    [
        (3.5, None, None, ("3.5", "undefined")),
        (1.0, 2.0, 1.0, ("1", "2")),
        (3.14159265358979, 3.14159265358978, -1e-14, ("3.14159265358979", "3.14159265358978")),
        (2.5, 2.5, -3e-20, ("2.5", "2.5 - 3e-20")),
    ],
)
def test_values_that_differ_look_different(
    head: float, member: float | None, difference: float | None, shown: tuple[str, str]
) -> None:
    assert format_distinguishable(head, member, difference, digits=6) == shown


def test_the_reason_shows_that_near_integers_differ_and_names_isolated_points() -> None:
    case = explain(read_prefix("pow e * pi sqrt 163"), read_prefix("262537412640768744"))
    one, other = case["because"].rpartition(": ")[2].split(" and ")
    assert one != other
    case = explain(read_prefix("1"), read_prefix("/ x x"))
    assert "except at x = 0" in case["because"]


def test_it_is_said_how_far_values_were_compared() -> None:
    checked = verdict_row(judged("* 2 * sin x cos x", "sin * 2 x"))["checked"]
    assert checked["bits"] >= 100
    assert checked["points"] >= 1


def test_members_of_the_sample_corpus_agree_at_sixty_digits() -> None:
    import sympy

    corpus, draw = open_corpus(SAMPLE), random.Random(7)
    x = sympy.Symbol("x", real=True)
    compared = 0
    with mpmath.workdps(60):
        for number in draw.sample(range(len(corpus.read_clusters())), 12):
            rows = corpus.read_members(number).to_pylist()
            head = read_prefix(rows[0]["prefix"])
            if "d" in rows[0]["prefix"].split():
                continue
            equal = [
                row for row in rows[1:] if row["verdict"] == "equal" and "d" not in row["prefix"].split()
            ]
            for row in draw.sample(equal, min(4, len(equal))):
                member = read_prefix(row["prefix"])
                assert judged(rows[0]["prefix"], row["prefix"]).outcome == "equal"
                for place in (mpmath.mpf(17) / 10, mpmath.mpf(-3) / 7, mpmath.mpf(29) / 3):
                    a, b = (
                        sympy.lambdify(list(tree.free_symbols) or [x], tree, "mpmath")(place)
                        for tree in (to_sympy(head), to_sympy(member))
                    )
                    if mpmath.isfinite(a) and mpmath.isfinite(b) and not mpmath.im(a) and not mpmath.im(b):
                        assert abs(a - b) <= mpmath.mpf(10) ** -45 * max(1, abs(a))
                        compared += 1
    assert compared >= 20


def test_the_sample_corpus_names_isolated_points() -> None:
    corpus = open_corpus(SAMPLE)
    named = [
        row for number in (20, 40, 60) for row in corpus.read_members(number).to_pylist() if row["except"]
    ][:6]
    assert named
    for row in named:
        head = corpus.read_members(row["cluster"])["prefix"][0].as_py()
        assert judged(head, row["prefix"]).exceptional_text == row["except"]


@given(st.floats(-1e300, 1e300), st.integers(1, 8))
def test_a_point_in_words_is_never_rounder_than_it_is(value: float, digits: int) -> None:
    shown = describe_point(value, digits=digits).removeprefix("x = ")
    mantissa = Decimal(shown).normalize().as_tuple().digits
    assert float(shown) == value or len(mantissa) >= digits
    assert float(shown) == pytest.approx(value, rel=10.0 ** (1 - digits))

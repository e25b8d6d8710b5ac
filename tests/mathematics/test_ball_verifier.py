"""Sums, products, integrals, sign and floor, held against Python's sums and mpmath."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import mpmath
import pytest
from flint import arb

from engines.core.errors import ExpressionError
from engines.core.expression_language import LETTERS, to_prefix, variables_of
from engines.core.tree import Tree
from engines.egen.egraph.derivation import derive
from engines.egen.egraph.growth import EGraphRunner
from engines.egen.evaluations.check import Check, check_derivations
from engines.egen.theories.registry import theory_of
from engines.egen.verify_and_explain import Explain, Verify, explain, verify
from engines.formula.reader import read_expression as read_text
from engines.mathematics.terms.notation import to_infix, to_latex, unicode_infix
from engines.mathematics.verification.ball_verifier import BallVerifier
from engines.mathematics.verification.enclosures import value_at
from engines.mathematics.verification.verifier import make_verifier


def read(text: str) -> Tree:
    return read_text(text, letters=LETTERS)


@pytest.mark.parametrize(
    ("text", "tokens", "free"),
    [
        ("sum(k, 1, n, k^2)", "sum k 1 n pow k 2", "n"),
        ("prod(k, 1, k, a)", "prod k 1 k a", "ak"),
        ("2integral(t, 0, x, cos(a t))", "* 2 integral t 0 x cos * a t", "ax"),
        ("sign(x) floor(x/2)", "* sign x floor / x 2", "x"),
        ("sum k 1 3 sum m 1 k * m y", "sum k 1 3 sum m 1 k * m y", "y"),
    ],
)
def test_they_are_read_and_written_back(text: str, tokens: str, free: str) -> None:
    tree = read(text)
    assert to_prefix(tree) == tokens
    assert variables_of(tree) == set(free)
    assert all(read(write(tree)) == tree for write in (to_infix, unicode_infix, to_prefix))


@pytest.mark.parametrize(
    "text", ["sum(1, 1, n, 2)", "sum(k, 1, n)", "integral(2t, 0, 1, t)", "floor(x, 2)", "sum k"]
)
def test_what_is_none_is_refused(text: str) -> None:
    with pytest.raises(ExpressionError):
        read(text)


def test_functions_of_x_alone_are_read_as_ever() -> None:
    for text in ("floor(x)", "sign(x)", "sum k 1 2 x"):
        with pytest.raises(ExpressionError):
            read_text(text)


def test_their_latex() -> None:
    assert to_latex(read("sum(k, 1, n, k^2)")) == r"\sum_{k=1}^{n} \left(k^{2}\right)"
    assert to_latex(read("integral(t, 0, x, t)")) == r"\int_{0}^{x} \left(t\right) \, dt"
    assert to_latex(read("floor(x)")) == r"\lfloor x \rfloor"


@pytest.mark.parametrize(
    ("text", "at", "wanted"),
    [
        ("sum(k, 1, n, k^2 x)", {"n": 7, "x": 0.5}, lambda: sum(k * k * 0.5 for k in range(1, 8))),
        ("prod(k, 1, n, (k + 1)/k)", {"n": 9}, lambda: 10.0),
        ("sum(k, 3, 1, k)", {}, lambda: 0.0),
        ("floor(x) + sign(x)", {"x": -2.5}, lambda: math.floor(-2.5) - 1.0),
        (
            "integral(t, 0, x, e^(-t^2))",
            {"x": 1.5},
            lambda: mpmath.quad(lambda t: mpmath.exp(-t * t), [0, 1.5]),
        ),
        ("integral(t, -1, 2, abs(t))", {}, lambda: mpmath.quad(abs, [-1, 0, 2])),
        (
            "integral(t, 1, x, ln(t)/t^a)",
            {"x": 3.0, "a": 0.5},
            lambda: mpmath.quad(lambda t: mpmath.log(t) / mpmath.sqrt(t), [1, 3]),
        ),
        ("d/dx(x^2 y)", {"x": 3.0, "y": 2.0}, lambda: 12.0),
    ],
)
def test_values(text: str, at: dict[str, float], wanted: Callable[[], float]) -> None:
    found = value_at(read(text), {name: arb(number) for name, number in at.items()})
    assert found is not None
    assert float(found) == pytest.approx(float(wanted()), rel=1e-12)


@pytest.mark.parametrize("text", ["integral(t, 0, 1, ln(t - 3))", "sum(k, 0, 3, 1/k)", "sum(k, 0.5, 3, k)"])
def test_what_has_no_value(text: str) -> None:
    assert value_at(read(text), {}) is None


def test_a_divergent_integral_is_unknown() -> None:
    found = value_at(read("integral(t, -1, 2, 1/t)"), {})
    assert found is not None
    assert not found.is_finite()


@pytest.mark.parametrize(
    ("head", "member", "given", "outcome"),
    [
        ("sum(k, 1, n, k)", "n(n+1)/2", "n integer, n >= 0", "equal"),
        ("sum(k, 1, n, k)", "n(n+1)/2", "n integer", "different"),
        ("prod(k, 1, n, k/(k+1))", "1/(n+1)", "n integer, n > 0", "equal"),
        ("sum(k, 0, n, x^k)", "(x^(n+1) - 1)/(x - 1)", "n integer, n >= 0", "equal"),
        ("integral(t, 0, x, cos t)", "sin x", "", "equal"),
        ("integral(t, 0, x, t^2)", "x^3/4", "", "different"),
        ("2x sqrt(x)/3", "integral(t, 0, x, sqrt(t))", "", "equal"),
        ("2sqrt(x)", "integral(t, 0, x, 1/sqrt(t))", "", "undecided"),
        ("ln(abs(x))", "integral(t, 1, x, 1/t)", "", "undecided"),
        ("ln(x)", "integral(t, 1, x, 1/t)", "", "equal"),
        ("integral(t, a, b, t)", "(b^2 - a^2)/2", "", "equal"),
        ("sign(x) abs(x)", "x", "", "equal"),
        ("floor(x + n)", "floor(x) + n", "n integer", "equal"),
        ("floor(2x)", "2floor(x)", "", "different"),
        ("sign(x)", "sqrt(x)/sqrt(x)", "", "shrinks"),
        ("sign(x)", "sqrt(x)/sqrt(x)", "x > 0", "equal"),
        # far out, and at ends that can be worked out
        ("sum(k, 1, 5, k x)", "15x + 0 sqrt(130 - x)", "", "shrinks"),
        ("sum(k, 1, 5, k x)", "15x + 0 sqrt(130 - x)", "x < 130", "equal"),
        ("sum(k, 1, 5, k x)", "15x + 0 sqrt(13000000 - x)", "", "shrinks"),
        ("sum(k, 1, 5, k x)", "15x + 0 sum(k, 1, 5, sqrt(13000000 - k x))", "", "shrinks"),
        ("sum(k, 1, 5, k x)", "15x + 0 sum(k, 1, 5, sqrt(13000000 - k x))", "x < 2600000", "equal"),
        ("sum(k, 1, 5, k x)", "15x + 0 sqrt(13000000 - sum(k, 1, 5, k x))", "", "shrinks"),
        ("a floor(x)", "a floor(x) + 0 sqrt(5000000 - floor(a))", "", "shrinks"),
        ("sign(x)", "sign(x) + 0 ln(1000000 + x)", "", "shrinks"),
        ("sign(x) + 0 ln(1000000 + x)", "sign(x)", "", "extends"),
        ("x floor(x)", "(x floor(x) + 500001 - abs(x floor(x) - 500001))/2", "", "different"),
        ("integral(t, 0, x, 2t)", "x^2 + 0 sqrt(5000000 - x)", "", "shrinks"),
        ("integral(t, 0, x, 2t)", "integral(t, 0, x, 2t + 0 sqrt(5000000 - t))", "", "shrinks"),
        ("integral(t, 0, x, 2t)", "integral(t, 0, x, 2t + 0 sqrt(5000000 - t))", "x < 5000000", "equal"),
        ("integral(t, 0, x, t^2)", "integral(t, 0, x, t^2 + 0 sqrt((t - 1)^2 - 0.0001))", "", "shrinks"),
        # only what is exact is an integer
        ("integral(t, 0, 1/2, e^t)", "1/2", "", "different"),
        ("integral(t, 0, 1/2, e^t)", "sqrt(e) - 1", "", "equal"),
        ("integral(t, 0, x, 2^t)", "(2^x - 1)/ln(2)", "", "equal"),
        ("integral(t, 0, x, t^(1/3))", "3x^(4/3)/4", "x > 0", "equal"),
        ("integral(t, 0, 1, x^(t/3 + t/3 + t/3))", "(x - 1)/ln(x)", "", "equal"),
        ("floor(n (1/3))", "floor(n/3)", "n integer", "equal"),
        ("sum(k, 1, 3 n (1/3), k)", "n(n+1)/2", "n integer, n >= 0", "equal"),
        # an integral over a pole has no value that is known
        ("ln(abs((x-2)/(x-1)))", "integral(t, 1, 2, 1/(t-x))", "", "undecided"),
        ("integral(t, 1, 2, 1/(t-x))", "ln(abs((x-2)/(x-1)))", "", "undecided"),
        ("ln(abs((x-2)/(x-1)))", "integral(t, 1, 2, 1/(t-x))", "x > 2", "equal"),
        # integers that few would try
        ("floor(1.0001 sin(n)^2)", "0", "n integer", "different"),
        ("sum(k, 1, n, k)", "n(n+1)/2 + floor(n/3000)", "n integer, n >= 0", "different"),
        ("floor(n/2) + floor((n+1)/2)", "n + floor(1/(1 + (n - 287)^2))", "n integer", "different"),
        ("floor(n/10^6)", "floor((n + 1)/10^6)", "n integer, n > 0", "different"),
        ("floor((n + m)/11)", "floor(n/11) + floor(m/11)", "n m integers, n > 0, m > 0", "different"),
    ],
)
def test_verdicts(head: str, member: str, given: str, outcome: str) -> None:
    trees = read(head), read(member)
    (verdict,) = theory_of("reals", given, *trees).make_judge(trees[0]).judge_members([trees[1]])
    assert verdict.outcome == outcome
    assert (verdict.counterexample is None) == (outcome in ("equal", "undecided"))


def test_integers_that_were_tried_are_named() -> None:
    head = read("sum(k, 1, n, k)")
    (verdict,) = (
        theory_of("reals", "n integer, n >= 0", head).make_judge(head).judge_members([read("n(n+1)/2")])
    )
    assert verdict.checked is not None
    assert verdict.checked.integers_tried.startswith("n from 0 to 400, some up to 1")
    (verdict,) = theory_of("reals", "n integer").make_judge(read("cos(n pi)")).judge_members([read("(-1)^n")])
    assert verdict.checked is not None
    assert verdict.checked.integers_tried.startswith("n from -400 to 400, some up to -")


@pytest.mark.parametrize(
    ("head", "member", "outcome"),
    [
        ("2^2005", "2^2006", "different"),
        ("2^2006", "2*2^2005", "equal"),
        ("10^400 x", "10*10^399 x", "equal"),
        ("x", "x*2^2005/2^2005", "equal"),
        ("2", "2^2005/2^2004 + 10^-40", "different"),
        ("e^(10^5)", "e^(10^5 + 10^-30)", "different"),
    ],
)
def test_numbers_beyond_double_precision(head: str, member: str, outcome: str, tmp_path: Path) -> None:
    trees = read(head), read(member)
    (verdict,) = theory_of("reals", "", *trees).make_judge(trees[0]).judge_members([trees[1]])
    assert verdict.outcome == outcome
    example = verdict.counterexample
    assert example is None or all(map(math.isfinite, (example.head, example.member)))  # type: ignore[arg-type]
    pairs = tmp_path / "pairs"
    pairs.write_text("\t".join(map(to_prefix, trees)))
    assert [row["verdict"] for row in verify(Verify(pairs)).results] == [outcome]
    assert bool(derive(*trees, theory=theory_of("reals", "", *trees)).steps) == (outcome == "equal")


def test_they_are_judged_and_not_rewritten(tmp_path: Path) -> None:
    head, member = read("integral(t, 0, x, 2t)"), read("x^2")
    theory = theory_of("reals", "", head, member)
    assert "judged, not rewritten" in derive(head, member, theory=theory).reason
    with pytest.raises(ExpressionError, match="judged, not rewritten"):
        EGraphRunner("strict", rules=(), theory=theory).grow_egraph(head, theory=theory)
    with pytest.raises(ExpressionError, match="judged"):
        explain(Explain("floor(x)", "x"))
    steps = tmp_path / "steps"
    steps.write_text("sum(k, 1, n, 2k)\n2*(n*(n+1)/2)\nn^2 + n\n")
    assert check_derivations(Check(steps, assume="n integer, n > 0"))["derivations"][0]["right"]
    pairs = tmp_path / "pairs"
    pairs.write_text("x\t* sign x abs x\nx\tfloor x\nx\tfloor\n")
    assert [row["verdict"] for row in verify(Verify(pairs)).results] == ["equal", "different", None]


@pytest.mark.parametrize(
    ("head", "member"),
    [
        ("tanh(100 + abs(x)) + sign(x)", "1 + sign(x)"),
        ("floor(x) + tanh(x^2 + 200)", "floor(x) + 1"),
        ("sum(k, 1, 3, k x) + 10^-100", "6x"),
        ("integral(t, 0, x, t) + 10^-90", "x^2/2"),
    ],
)
def test_what_is_lost_beside_something_larger_is_seen(head: str, member: str) -> None:
    judge = make_verifier(read(head), read(member))
    assert isinstance(judge, BallVerifier)
    (verdict,) = judge.judge_members([read(member)])
    assert verdict.outcome == "different"
    assert verdict.counterexample is not None
    assert verdict.counterexample.difference
    assert judge.judge_members([read(head)])[0].outcome == "equal"

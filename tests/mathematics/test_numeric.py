"""Values, error bounds and domains against mpmath at 60 digits; derivatives against SymPy."""

from __future__ import annotations

import math
import random

import mpmath as mp
import numpy as np
import pytest
import sympy
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engines.core.errors import ExpressionError
from engines.core.expression_language import ARITY, FUNCTIONS, read_prefix, to_prefix
from engines.core.tree import MAX_DEPTH, MAX_NODES, Tree, parse_prefix
from engines.mathematics.numbers.numeric import (
    DEFINED,
    UNDEFINED,
    UNKNOWN,
    compile_many,
    compile_valid,
    evaluate,
)
from tests.conftest import count_examples
from tests.egen.expressions import trees
from tests.mathematics.reals import AmbiguousError, UndefinedError, value

OURS = ("defined", "undefined", "unknown")


def at(text: str, *points: float) -> tuple[list[float], list[str]]:
    values, state, _ = evaluate(compile_many([text.split()]), points)
    return values[0].tolist(), [OURS[k] for k in state[0]]


def truth(tree: Tree, x: float) -> mp.mpf | str | None:
    """The true value, "undefined", or None where the reference cannot tell."""
    try:
        result = value(tree, mp.mpf(x))
    except UndefinedError:
        return "undefined"
    except (AmbiguousError, ZeroDivisionError, ValueError, OverflowError, mp.mp.NoConvergence):
        return None
    return result if isinstance(result, mp.mpf) else None


def assert_true_at(tree: Tree, points: list[float]) -> None:
    values, state, errors = evaluate(compile_many([tree]), points)
    for x, ours, known, error in zip(points, values[0], state[0], errors[0], strict=True):
        right = truth(tree, x)
        if right is None or known == UNKNOWN:
            continue
        where = f"{to_prefix(tree)} at {x!r}"
        assert (right == "undefined") == (known == UNDEFINED), where
        if known == DEFINED:
            assert abs(right - mp.mpf(float(ours))) <= error * (1 + 1e-9) + 1e-30, where


@settings(max_examples=count_examples(250), deadline=None, suppress_health_check=list(HealthCheck))
@given(trees(max_leaves=6), st.integers(0, 2**32))
def test_what_is_claimed_is_true(tree: Tree, seed: int) -> None:
    draw = random.Random(seed)
    if sum(node.label == "d" for node in tree) <= 2 and len(tree) <= 20:
        assert_true_at(tree, [draw.uniform(-size, size) for size in (0.1, 1.0, 6.0, 40.0)])


@pytest.mark.parametrize("name", ["sqrt", "abs", *FUNCTIONS])
@pytest.mark.parametrize("inner", ["x", "* 3 sin x", "pow x -3", "+ 1 / x 1000000", "* 1000 x"])
def test_every_function_and_its_derivatives(name: str, inner: str) -> None:
    draw = random.Random(f"{name} {inner}")
    points = [draw.uniform(-size, size) for size in (0.01, 0.5, 1.0, 1.0, 2.0, 4.0, 30.0)]
    assert_true_at(read_prefix(f"{name} {inner}"), points)
    assert_true_at(read_prefix(f"d x {name} {inner}"), points)
    assert_true_at(read_prefix(f"d x * x d x {name} {inner}"), points[:3])


def test_almost_nothing_stays_unknown() -> None:
    points = np.random.default_rng(3).uniform(-5.0, 5.0, 200)
    texts = [
        f"{outer} {inner} + * 2 x 1" for outer in ("sin", "ln", "d x tanh", "acosh") for inner in FUNCTIONS
    ]
    state = evaluate(compile_many([text.split() for text in texts]), points).state
    assert (state == UNKNOWN).mean() < 0.01


X = sympy.Symbol("x", real=True)


@pytest.mark.parametrize("name", [*FUNCTIONS, "sqrt", "abs"])
def test_dual_numbers_agree_with_sympy(name: str) -> None:
    inner = sympy.Rational(3, 2) * X**2 + X - sympy.Rational(1, 4)
    function = {"ln": sympy.log, "abs": sympy.Abs}.get(name) or getattr(sympy, name)
    points = np.linspace(-2.3, 2.4, 41)
    ours, state, _ = evaluate(compile_many([f"d x {name} - + * 1.5 pow x 2 x 0.25".split()]), points)
    expected = sympy.diff(function(inner), X)
    compared = 0
    for x, slope, known in zip(points.tolist(), ours[0], state[0], strict=True):
        if known == DEFINED:
            assert complex(expected.evalf(30, subs={X: sympy.Float(x, 30)})) == pytest.approx(slope, rel=1e-9)
            compared += 1
    assert compared >= 8


@pytest.mark.parametrize(
    ("text", "x", "expected"),
    [
        ("acot x", -1.0, 3 * math.pi / 4),
        ("acot x", 0.0, math.pi / 2),
        ("asec x", -2.0, math.acos(-0.5)),
        ("acsc x", -2.0, math.asin(-0.5)),
        ("acoth x", -2.0, math.atanh(-0.5)),
        ("acsch x", -2.0, math.asinh(-0.5)),
        ("asech x", 0.5, math.acosh(2.0)),
        ("log 2 x", 8.0, 3.0),
        ("pow x 3", -2.0, -8.0),
        ("pow x -3", -2.0, -0.125),
        ("pow x / 4 2", -3.0, 9.0),
        ("pow x ln pow e 3", -2.0, -8.0),
        ("d x d x pow x 4", 3.0, 108.0),
        ("d x pow x x", 2.0, 4 * (math.log(2) + 1)),
        ("d x log x 2", 3.0, -math.log(2) / (3 * math.log(3) ** 2)),
        ("d x abs - x x", 1.5, 0.0),
    ],
)
def test_conventions(text: str, x: float, expected: float) -> None:
    values, state = at(text, x)
    assert state == ["defined"]
    assert values == pytest.approx([expected])


@pytest.mark.parametrize(
    ("text", "x"),
    [
        ("/ x x", 0.0),
        ("/ - x x - x x", 1.5),
        ("pow x 0", 0.0),
        ("pow x -1", 0.0),
        ("pow x / 1 3", -8.0),
        ("pow x 0.3333", -8.0),
        ("sqrt x", -1e-9),
        ("ln x", 0.0),
        ("ln x", -1.0),
        ("asin x", 1.0000001),
        ("acosh x", 0.9999),
        ("atanh x", 1.0),
        ("acoth x", 0.5),
        ("asec x", 0.0),
        ("csc x", 0.0),
        ("log 1 x", 3.0),
        ("log -2 x", 4.0),
        ("d x abs x", 0.0),
        ("d x sqrt x", 0.0),
        ("d x ln x", -1.0),
        ("d x d x abs x", 0.0),
        ("* 0 ln x", -1.0),
        ("asec sin x", 1.0),
    ],
)
def test_outside_the_real_domain(text: str, x: float) -> None:
    assert at(text, x)[1] == ["undefined"]


@pytest.mark.parametrize(
    ("text", "x"),
    [
        ("tan * 0.5 pi", 0.0),
        ("/ 1 sin pi", 0.0),
        ("sinh * 9 x", 100.0),
        ("pow e * -9 x", 100.0),
        ("asin + pow sin x 2 pow cos x 2", 1.0),
        ("/ 1 - + pow sin x 2 pow cos x 2 1", 1.0),
        ("pow -2 tanh x", 30.0),
    ],
)
def test_what_doubles_cannot_tell_is_unknown(text: str, x: float) -> None:
    assert at(text, x)[1] == ["unknown"]


def test_the_sine_of_pi_cannot_be_told_from_zero() -> None:
    values, state, errors = evaluate(compile_many([["sin", "pi"]]), [0.0])
    assert state[0, 0] == DEFINED
    assert abs(values[0, 0]) <= errors[0, 0] < 1e-15


def test_short_numbers_stay_exact() -> None:
    texts = ["asin / x abs x", "sqrt * x x", "- * 3 + x 0.25 * 3 x", "acosh / x x", "- pow + x 1 2 pow x 2"]
    result = evaluate(compile_many([text.split() for text in texts]), [-2.5, 1.125])
    assert (result.state == DEFINED).all()
    assert result.errors[1:4].max() == 0.0


def test_several_variables() -> None:
    programs = compile_many([text.split() for text in ("* a sin b", "d a pow a b")], variables=("a", "b"))
    values = evaluate(programs, [[2.0, 3.0], [0.5, 1.5]]).values
    assert values[0] == pytest.approx([2 * math.sin(0.5), 3 * math.sin(1.5)])
    assert values[1] == pytest.approx([0.5 * 2**-0.5, 1.5 * 3**0.5])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "+ x",
        "x x",
        "foo x",
        "y",
        "d 3 x",
        "d y x",
        "i x x",
        "where x x",
        "nan",
        "1e5",
        "1" * 31,
        "sin " * 250 + "x",
    ],
)
def test_what_is_no_expression(text: str) -> None:
    with pytest.raises(ExpressionError):
        compile_many([text.split()])
    programs = compile_valid([["x"], text.split(), ["d", "x", "d", "x", "x"]])
    assert programs.nesting.tolist()[1] == -1
    assert evaluate(programs, [2.0]).values[[0, 2], 0].tolist() == [2.0, 0.0]


def test_the_limits_of_reading_are_those_of_trees() -> None:
    longest = " ".join(["+ x"] * (MAX_NODES // 2)) + " x"
    deepest = " ".join(["sin"] * (MAX_DEPTH - 1)) + " x"
    assert compile_valid([deepest.split(), longest.split()]).nesting.tolist() == [0, -1]
    assert compile_valid([["sin", *deepest.split()]]).nesting.tolist() == [-1]


@settings(max_examples=count_examples(200), deadline=None)
@given(st.lists(st.sampled_from(["x", "d", "+", "pow", "sin", "2", "q", "-0.5", "log"]), max_size=9))
def test_the_fast_reader_accepts_what_the_reader_accepts(tokens: list[str]) -> None:
    try:
        read_prefix(" ".join(tokens))
        readable = True
    except ExpressionError:
        readable = False
    assert (compile_valid([tokens]).nesting[0] >= 0) == readable


def test_every_operation_of_the_language_is_known() -> None:
    for label, operands in ARITY.items():
        tokens = [label, *["x"] * operands]
        assert compile_valid([tokens]).nesting[0] >= 0, label
        parse_prefix(tokens, ARITY.__getitem__)


def test_the_error_of_atan_far_out_is_not_lost_to_overflow() -> None:
    far = "cosh - * cot acos / x cosh asinh x 7 -6"
    programs = compile_many([f"acot {far}".split(), f"/ 1 {far}".split()])
    found = evaluate(programs, np.array([55.0, 60.0]))
    known = found.state[0] == DEFINED
    assert np.all(np.abs(found.values[0] - found.values[1])[known] <= found.errors.sum(axis=0)[known])


def test_a_value_next_to_the_edge_of_a_domain_is_not_judged_outside() -> None:
    near_one = "/ + pow * x 3 8 1 - * 6561 pow x 8 1"
    found = evaluate(compile_many([f"acoth {near_one}".split()]), np.array([58.638031005859375]))
    assert found.state.tolist() == [[UNKNOWN]]

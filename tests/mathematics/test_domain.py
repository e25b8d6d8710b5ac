"""Domains found numerically, and the points drawn from them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from engines.mathematics.numbers.domain import draw_points, list_intervals
from engines.mathematics.numbers.numeric import compile_many

INF = math.inf


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("pow x 3", [(-INF, INF)]),
        ("ln + * 2 x 3", [(-1.5, INF)]),
        ("asin * 9 x", [(-1 / 9, 1 / 9)]),
        ("acosh - 1 x", [(-INF, 0.0)]),
        ("acsc / x 9", [(-INF, -9.0), (9.0, INF)]),
        ("acos * 100 - x 37", [(36.99, 37.01)]),
        ("ln + / x 9 9", [(-81.0, INF)]),
        ("sinh * 9 x", [(-INF, INF)]),
        ("asin sec x", []),
        ("ln -1", []),
        ("sqrt - * x x 2", [(-INF, -math.sqrt(2)), (math.sqrt(2), INF)]),
    ],
)
def test_intervals(text: str, expected: list[tuple[float, float]]) -> None:
    found = list_intervals(compile_many([text.split()]))
    assert [end for ends in found for end in ends] == pytest.approx(
        [end for ends in expected for end in ends]
    )


def test_a_periodic_domain_has_many_intervals() -> None:
    found = list_intervals(compile_many([["ln", "sin", "x"]]))
    inner = [(low, high) for low, high in found if abs(low) < 10]
    assert all(low == pytest.approx(2 * math.pi * round(low / (2 * math.pi)), abs=1e-9) for low, _ in inner)
    assert all(high - low == pytest.approx(math.pi) for low, high in inner)


@pytest.mark.parametrize(("low", "high"), [(-1.0, 1.0), (25.0, 75.0), (36.999, 37.001)])
def test_points_have_few_digits_and_are_not_special(low: float, high: float) -> None:
    points = draw_points(np.random.default_rng(0), low, high, 500)
    step = 2.0 ** (math.floor(math.log2(high - low)) - 20)
    assert ((points >= low - step) & (points <= high + step)).all()
    assert (np.mod(points / step, 2) == 1).all()

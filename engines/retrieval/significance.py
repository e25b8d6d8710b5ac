"""Whether two systems differ: intervals by bootstrap, paired tests, and adjustments for several of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engines.core.errors import EngineError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Comparison:
    """A paired comparison of two systems on the same topics.

    `difference` is mean(b) - mean(a) with its bootstrap `interval` (95 %); `t_p` is the two-sided paired
    t-test, `randomisation_p` the two-sided paired randomisation test.
    """

    topics: int
    mean_a: float
    mean_b: float
    difference: float
    interval: tuple[float, float]
    t_p: float
    randomisation_p: float
    wins: int
    losses: int


def bootstrap_interval(values: Sequence[float], *, draws: int = 10_000, seed: int = 0) -> tuple[float, float]:
    """Return the 95 % percentile bootstrap interval of the mean over topics; one value is its own interval,
    none is (nan, nan).
    """
    import numpy as np

    data = np.asarray(values, dtype=np.float64)
    return bootstrap_bounds(lambda rows: data[rows].mean(axis=-1), data.size, draws=draws, seed=seed)


def bootstrap_bounds(
    statistic: Callable[[NDArray[np.int64]], Any], units: int, *, draws: int = 10_000, seed: int = 0
) -> tuple[float, float]:
    """Return the 95 % percentile bootstrap interval of a statistic of `units` units (Efron & Tibshirani 1993,
    13).

    Args:
        statistic: Its values, (resamples,), for the numbers of the units drawn with replacement, (resamples,
            units).

    Returns:
        (nan, nan) without units.

    >>> bootstrap_bounds(lambda rows: rows.mean(axis=-1), 1)
    (0.0, 0.0)
    """
    import numpy as np

    if not units:
        return float("nan"), float("nan")
    generator = np.random.default_rng(seed)
    # In blocks of 1,000 resamples, so that memory does not grow with their number.
    sizes = [min(1_000, draws - done) for done in range(0, draws, 1_000)]
    results = [statistic(generator.integers(0, units, (size, units))) for size in sizes]
    low, high = np.percentile(np.concatenate(results), (2.5, 97.5))
    return float(low), float(high)


def compare(
    a: Mapping[str, float], b: Mapping[str, float], *, draws: int = 10_000, seed: int = 0
) -> Comparison:
    """Compare two systems by their values per topic; both must have the same topics.

    The randomisation test swaps the two values of a topic by a fair coin: in all ways where these are no more
    than `draws`, otherwise so many times, the observed way counted too.

    Raises:
        EngineError: When the topics differ or are fewer than 2.
    """
    import numpy as np

    if a.keys() != b.keys():
        remedy = "Evaluate both on the same topics."
        raise EngineError("the two runs were evaluated on different topics", code="E340", remedy=remedy)
    topics = list(a)
    if len(topics) < 2:
        raise EngineError(
            "a paired test needs at least two topics", code="E341", remedy="Use runs on more topics."
        )
    left = np.array([a[topic] for topic in topics])
    right = np.array([b[topic] for topic in topics])
    difference = right - left
    # Without any spread t is infinite, or undefined when there is no difference at all.
    identical = bool(np.all(difference == difference[0]))
    if identical:
        t_p = 1.0 if difference[0] == 0 else 0.0
    else:
        # t² of the paired t-test; the tail of Student's distribution needs only its square.
        t2 = float(difference.mean() ** 2 / difference.var(ddof=1) * difference.size)
        t_p = _student_tail(t2, difference.size - 1)
    return Comparison(
        topics=len(topics),
        mean_a=float(left.mean()),
        mean_b=float(right.mean()),
        difference=float(difference.mean()),
        interval=bootstrap_interval(difference.tolist(), seed=seed),
        t_p=t_p,
        randomisation_p=_randomisation_p(difference, draws, seed),
        wins=int((difference > 0).sum()),
        losses=int((difference < 0).sum()),
    )


def _student_tail(t2: float, free: int) -> float:
    """Return how much of Student's distribution lies farther out than `t`, at both ends: the regularised
    incomplete beta function.
    """
    from flint import arb

    # P(|T| > t) = I_x(n/2, 1/2) with x = n / (n + t^2) and n degrees of freedom (Abramowitz and Stegun
    # 26.7.1).
    return float(arb(free / (free + t2)).beta_lower(arb(free) / 2, arb(1) / 2, regularized=True))


def student_quantile(share: float, free: int) -> float:
    """Return the `t` within which so much of Student's distribution lies, by halving.

    >>> round(student_quantile(0.95, 2), 4)
    4.3027
    """
    low, high = 0.0, 1e6
    # The tail falls as t grows, so halving an interval converges.
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if _student_tail(middle**2, free) > 1 - share else (low, middle)
    return high


def _randomisation_p(difference: NDArray[np.float64], draws: int, seed: int) -> float:
    """Return how often the mean is as far from 0 as observed when each difference has a random sign."""
    import numpy as np

    # The observed sum counts itself, so rounding must not put it below its own value.
    observed = abs(difference.sum()) - 1e-12
    count = difference.size
    # Few topics: all sign patterns, bit i of a number being the sign of topic i (Smucker, Allan and
    # Carterette 2007, paired randomisation).
    if 2**count <= draws:
        flipped = np.arange(2**count)[:, None] >> np.arange(count) & 1
        return float((np.abs((1 - 2 * flipped) @ difference) >= observed).mean())
    generator = np.random.default_rng(seed)
    beyond = 0
    for start in range(0, draws, 1_000):
        signs = generator.integers(0, 2, size=(min(1_000, draws - start), count)) * 2 - 1
        beyond += int((np.abs(signs @ difference) >= observed).sum())
    # The observed pattern is one of the permutations; without it p could be 0.
    return (beyond + 1) / (draws + 1)


def sign_p(wins: int, losses: int) -> float:
    """Return the two-sided p-value of the paired sign test: how likely a fair coin is to be at least as
    uneven.

    Ties do not count; without wins and losses the result is 1.

    >>> sign_p(1, 9)
    0.021484375
    """
    # P(X <= min) for X ~ Binomial(n, 1/2), times 2 for both ends.
    count = wins + losses
    tail = sum(math.comb(count, number) for number in range(min(wins, losses) + 1))
    return min(1.0, 2 * tail / 2**count)


def bonferroni(p_values: Sequence[float]) -> list[float]:
    """Return each p-value times the number of tests, at most 1."""
    return [min(1.0, p * len(p_values)) for p in p_values]


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values after Holm's step-down adjustment, which controls the same error rate as Bonferroni's
    and is never larger.

    S. Holm, "A simple sequentially rejective multiple test procedure", 1979.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for position, index in enumerate(order):
        # The smallest of m values is multiplied by m, the next by m - 1, …; none may fall below an earlier
        # one.
        highest = max(highest, min(1.0, p_values[index] * (len(p_values) - position)))
        adjusted[index] = highest
    return adjusted

"""Roles of several dependents, chosen together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from engines.mathamr.parsing.roles import _choose_jointly

Choice = tuple[float, str | None]
_ROLES = st.sampled_from([":ARG0", ":ARG1", ":ARG2", ":location", ":time"])
_RANKED = st.lists(
    st.tuples(st.sampled_from([0.5, 1.5, 2.25]), _ROLES), max_size=4, unique_by=lambda one: one[1]
)


def of_all_combinations(choices: Sequence[Sequence[Choice]]) -> list[str | None]:
    def worth(chosen: Sequence[Choice]) -> float:
        numbered = [role for _, role in chosen if role and role.startswith(":ARG")]
        return sum(score for score, _ in chosen) if len(set(numbered)) == len(numbered) else -math.inf

    return [role for _, role in max(product(*choices), key=worth)]


@given(st.lists(_RANKED, max_size=5))
def test_they_are_the_best_of_all_combinations(ranked: list[list[tuple[float, str]]]) -> None:
    choices: list[list[Choice]] = [[*one, (-99.0, None)] for one in ranked]
    assert _choose_jointly(choices) == of_all_combinations(choices)


def test_many_dependents_take_no_longer_than_they_must() -> None:
    choices: list[list[Choice]] = [[(1.0, ":ARG0"), (0.5, ":time"), (-99.0, None)]] * 200
    assert _choose_jointly(choices) == [":ARG0", *[":time"] * 199]

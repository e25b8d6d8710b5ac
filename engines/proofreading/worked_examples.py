"""What examples calculate by what was said right before: solutions, roots, values, coefficients."""

from __future__ import annotations

from engines.core.tree import Tree
from engines.proofreading.chains import ChainLink
from engines.proofreading.contradicted_values import (
    find_contradicted_value,
    find_other_value_in_chain,
    find_other_value_there,
)
from engines.proofreading.differential_solutions import find_failed_solution
from engines.proofreading.implicit_slopes import find_other_implicit_slope, find_other_solved_slope
from engines.proofreading.initial_values import find_failed_constant
from engines.proofreading.integrated_sides import find_other_slope
from engines.proofreading.known_angles import find_other_sign_at_angle, find_other_value_at_angle
from engines.proofreading.limits_with_remainders import find_other_limit
from engines.proofreading.link_context import LinkContext
from engines.proofreading.link_verdicts import Accusation
from engines.proofreading.listed_roots import (
    find_failed_alternative,
    find_failed_roots,
    find_false_root,
    find_other_root,
)
from engines.proofreading.probability_laws import find_broken_law
from engines.proofreading.row_steps import find_odd_row
from engines.proofreading.taylor_coefficients import find_odd_coefficient

_LISTED = 8
"""Equations before a root of one that is listed with others."""
_LAST = 3
"""Equations before a link that bear on it by their places."""


def find_mistake_in_example(
    context: LinkContext, link: ChainLink, left: Tree, right: Tree
) -> Accusation | None:
    """Return why an equation is not what its example calculates; None where nothing shows that.

    Args:
        context: What the text has said so far; the link is the last of its equations.
        link: The link of the equation.
        left: Its left side.
        right: Its right side.
    """
    facts = context.facts
    stated = context.equations[:-1][-_LAST:]
    before = stated[-1] if stated else None
    return (
        find_failed_alternative(facts, link, left, right, before)
        or find_other_value_there(facts, link, left, right, stated)
        or find_failed_roots(facts, link, left, right)
        or find_other_root(facts, link, left, right)
        or find_broken_law(facts, link, left, right)
        or find_odd_coefficient(facts, link, left, right)
        or find_other_slope(facts, link, left, right, context.judge)
        or find_other_implicit_slope(facts, link, left, right)
        or find_other_solved_slope(facts, link, left, right)
        or find_false_root(context.equations[:-1][-_LISTED:], link, left, right)
        or find_other_value_in_chain(facts, link, left, right)
        or find_odd_row(context.equations[:-1], link, left, right, context.are_equal)
        or find_failed_constant(facts, link, left, right)
        or find_failed_solution(facts, link, left, right)
        or find_other_limit(link, left, right, context.judge)
        or find_other_sign_at_angle(context, link, left, right)
        or find_other_value_at_angle(facts, link, left, right)
        or find_contradicted_value(facts, link, left, right, context.judge, context.numbers)
    )

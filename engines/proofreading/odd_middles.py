"""Chains that hold but for the side in their middle, which is the odd one out."""

from __future__ import annotations

from engines.core.tree import Tree
from engines.proofreading.chains import ChainLink
from engines.proofreading.link_context import LinkContext
from engines.proofreading.near_consequences import find_known_places
from engines.proofreading.slips import points_of
from engines.proofreading.term_properties import evaluate_term, free_symbols, values_agree


def describe_odd_middle(context: LinkContext, link: ChainLink, left: Tree, right: Tree, beyond: Tree) -> str:
    """Return why a chain holds without the side in its middle only; "" where it does not.

    Args:
        beyond: The side behind the link.
    """
    free = free_symbols(right)
    if not right.children or left == beyond or not free <= free_symbols(left) | free_symbols(beyond):
        return ""
    if any(name.endswith("(") for name in free) or "unit" in right.list_labels():
        return ""
    # "Given that f(x) = 1/2 = g(x)" is an equation for x.
    values = [evaluate_term(left, at) for at in points_of(free_symbols(left))]
    if not free and any(value != values[0] for value in values):
        return ""
    differ = values_agree(left, right, points_of(free | free_symbols(left))[0]) is False
    equal = context.are_equal(left, beyond)
    # b_1 + b_2 = b can be said of what a picture shows
    if not (differ if equal else free == free_symbols(left)) or context.are_equal(right, beyond):
        return ""
    if not equal:
        reduced = context.facts.reduce_by_facts(left, beyond, certain_only=True)
        if reduced is None or not reduced.same or context.follows_from_facts(right, beyond):
            return ""
        known = find_known_places(context.facts, left, right, link.line)
        differ = known is not None and known.differ
    return "the sides beside this one are equal, and it differs from them" if differ else ""

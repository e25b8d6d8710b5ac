"""Forms of a head that are written down, not drawn: multiplied out and factored, and other ways to write what
the rules give no other form (`x`, `e^x`, `|x|`, `1/2`)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from engines.core.assets import asset
from engines.core.tree import Tree
from engines.egen.algebra.lines import filled, fits, meets
from engines.egen.algebra.rational import TooLargeError, factored, normal
from engines.egen.expressions.patterns import fold, unfolded
from engines.egen.rules.table import Family, parse_families

__all__ = ["OPENINGS", "algebraic_forms", "load_openings", "openings"]

OPENINGS = "rules/openings.toml"


@cache
def load_openings() -> tuple[Family, ...]:
    """The shipped openings, by what they fit."""
    return parse_families(asset(OPENINGS).read_text(encoding="utf-8"), OPENINGS)


def algebraic_forms(head: Tree) -> list[Tree]:
    """The head multiplied out, and factored over the rational numbers, for the caller to verify."""
    try:
        return [normal(head), factored(head)]
    except TooLargeError:
        return []


def openings(head: Tree) -> Iterator[Tree]:
    """Terms that the first family that fits a head makes of it, for the caller to verify."""
    tree = fold(head)
    for family in load_openings():
        found = []
        for rule in family.rules:
            binding: dict[str, Tree] = {}
            if fits(fold(rule.left), tree, binding) and all(meets(one, binding) for one in rule.when):
                found.append(unfolded(filled(rule.right, binding)))
        if found:
            yield from found
            return

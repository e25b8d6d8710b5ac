"""Rewrite rules that repeat others of their table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engines.egen.rules.table import Rule


def find_duplicates(rules: Iterable[Rule]) -> list[tuple[str, str]]:
    """Return the rules that repeat another, each with the earlier one: up to the names of variables both
    rewrite the same to the same, and the conditions of one are among those of the other.

    A line with `both` counts in both directions, so its mirror image is found too. The two directions of one
    line are no duplicates, nor are two rules of the source.
    """
    from engines.egen.rules.table import pattern_variables, reversed_rule

    earlier: dict[str, list[tuple[Rule, set[str]]]] = {}
    duplicates = []
    for rule in rules:
        names = {name: f"?{place}" for place, name in enumerate(pattern_variables(rule.left, rule.right))}
        patterns = [rule.left, rule.right, *(condition.pattern for condition in rule.when)]
        left, right, *guards = (
            " ".join(names.get(label, label) for label in pattern.list_labels()) for pattern in patterns
        )
        conditions = {f"{one.name} {text}" for one, text in zip(rule.when, guards, strict=True)}
        alike = earlier.setdefault(f"{left} -> {right}", [])
        duplicates += [
            (rule.name, other.name)
            for other, others in alike
            if other.name != reversed_rule(rule.name)
            and not (rule.appendix and other.appendix)
            and (conditions <= others or others <= conditions)
        ]
        alike.append((rule, conditions))
    return duplicates

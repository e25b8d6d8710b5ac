"""Statements that a text states and does not claim, as other words of it show.

A text that lists the steps of a false proof says only behind them that `2 = 1` is false, and one that calls
`1 = 2 ⇒ 3 = 5` true claims neither of its parts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace

from engines.core.tree import Tree
from engines.proofreading.chains import ChainLink
from engines.proofreading.link_verdicts import LinkVerdict
from engines.proofreading.term_properties import free_symbols

_ACCUSED = ("wrong", "doubtful")
_REFUSED_BY = {"!=": "="}
"""Relations that say that another does not hold."""


def excuse_refuted_statements(
    judged: list[LinkVerdict], read_trees: Callable[[ChainLink], tuple[Tree | None, Tree | None]]
) -> None:
    """Call statements not shown which their section calls false elsewhere, in the same form; the steps that
    lead to them are not doubted either, and a step that is wrong stays so.

    Args:
        judged: The verdicts on the links of a document, some of which change.
        read_trees: What reads the sides of a link.
    """
    refuted: dict[tuple[object, ...], int] = {}
    for each in judged:
        link, (left, right) = each.link, read_trees(each.link)
        if left is None or right is None or link.of_problem:
            continue
        free = free_symbols(left) | free_symbols(right)
        # x ≠ 2 is a condition, and what x is not in one task it can be in the next.
        denied = "" if free else _REFUSED_BY.get(link.relation, "")
        relation = link.relation if link.is_called_false else denied
        if relation and (left.children or left.label not in free):
            refuted.setdefault((id(link.position.scope.section), relation, left, right), link.line)
    for at, each in enumerate(judged) if refuted else ():
        link = each.link
        line = refuted.get((id(link.position.scope.section), link.relation, *read_trees(link)))
        if line is None or link.is_called_false:
            continue
        if each.outcome in _ACCUSED:
            judged[at] = replace(each, outcome="not shown", reason=f"the text calls it false, line {line}")
        _stop_doubting_steps(judged, at)


def _stop_doubting_steps(judged: list[LinkVerdict], last: int) -> None:
    """Call doubtful statements not shown that stand in the list, or paragraph, of one behind them that the
    text calls false."""
    here = judged[last].link.position
    for at in range(last - 1, -1, -1):
        there = judged[at].link.position
        listed = here.scope.kind == "item" == there.scope.kind and here.scope.parent is there.scope.parent
        if not listed and here.paragraph != there.paragraph:
            return
        if judged[at].outcome == "doubtful":
            line = judged[last].link.line
            reason = f"it leads to what the text calls false, line {line}"
            judged[at] = replace(judged[at], outcome="not shown", reason=reason)


def excuse_false_premises(judged: list[LinkVerdict]) -> None:
    """Call false premises not shown, and what is drawn from them, where the text says of the implication as a
    whole that it holds: from what is false anything follows."""
    implications: dict[tuple[int, int], list[int]] = defaultdict(list)
    for at, each in enumerate(judged):
        if each.link.argument >= 0 and each.link.belongs_to_judged_implication:
            implications[each.link.piece_index, each.link.argument].append(at)
    for places in implications.values():
        if _has_false_premise([judged[at] for at in places]):
            for at in places:
                if judged[at].outcome in _ACCUSED:
                    reason = "the text claims the implication, and its premise is false"
                    judged[at] = replace(judged[at], outcome="not shown", reason=reason)


def _has_false_premise(parts: Sequence[LinkVerdict]) -> bool:
    return any(each.link.is_premise and each.outcome == "wrong" for each in parts)

"""Notations that a document uses in its own way, as its other links show: sums and multiples of tuples that
it defines otherwise, and products in angle brackets that are written with signs of inequality."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

from engines.core.tree import Tree
from engines.mathematics.judging.judge import Judge
from engines.proofreading.chains import ChainLink
from engines.proofreading.link_verdicts import LinkVerdict
from engines.proofreading.term_properties import free_symbols

_ACCUSED = ("wrong", "doubtful")

SidesReader = Callable[[ChainLink], tuple[Tree | None, Tree | None]]


def reconsider_own_notations(
    judged: Sequence[LinkVerdict], read_sides: SidesReader, judge: Judge
) -> list[LinkVerdict]:
    """Return the verdicts on the links of a document, in which those that fail by a notation of its own are
    not shown."""
    defined: dict[int, ChainLink] = {}
    result: list[LinkVerdict] = []
    for before, each in pairwise((None, *judged)):
        assert each is not None
        link, section = each.link, id(each.link.position.scope.section)
        if each.outcome in ("given", "not shown") and link.relation in ("=", ":="):
            if _defines_operation(*read_sides(link), judge):
                defined.setdefault(section, link)
        elif each.outcome in _ACCUSED and _ends_bracket(before, each):
            each = replace(each, outcome="not shown", reason="< and > can be brackets of a product")
        elif each.outcome in _ACCUSED and section in defined and "tuple" in _list_labels(read_sides(link)):
            rule = defined[section]
            written = " ".join(f"{rule.left} = {rule.right}".split())
            reason = f"the text defines its own operations on tuples: {written} (line {rule.line})"
            each = replace(each, outcome="not shown", reason=reason)
        result.append(each)
    return result


def _list_labels(sides: tuple[Tree | None, Tree | None]) -> list[str]:
    return [label for side in sides if side is not None for label in side.list_labels()]


def _ends_bracket(before: LinkVerdict | None, each: LinkVerdict) -> bool:
    """Return whether a link with the same sides, `v > v`, ends what a sign `<` and a comma before it began,
    as in `<x, v> v`."""
    link = each.link
    return (
        before is not None
        and link.relation == ">"
        and link.left == link.right
        and before.link.relation == "<"
        and before.link.piece_index == link.piece_index
    )


def _defines_operation(left: Tree | None, right: Tree | None, judge: Judge) -> bool:
    """Return whether an equation of letters says what a sum or multiple of tuples is, and it is another than
    that of their members: `c(a, b) = (ca, 0)`."""
    if left is None or right is None or right.label != "tuple":
        return False
    if left.label == "call" and len(left.children) > 2 and free_symbols(right) & {left.children[0].label}:
        name, *members = left.children
        left = Tree("*", (name, Tree("tuple", tuple(members))))
    tuples = [part for part in left.children if part.label == "tuple"]
    members = [member for part in tuples for member in part.children]
    if left.label not in ("+", "-", "*") or not members or any(member.children for member in members):
        return False
    if not all(free_symbols(part) for part in (*members, *left.children)):
        return False
    return judge.equal(left, right).outcome in ("different", "equal if")

"""Notations that a document uses in its own way, as its other links show: sums and multiples of tuples that
it defines otherwise, and products in angle brackets that are written with signs of inequality."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from engines.core.tree import Tree
from engines.documents.reading import Document
from engines.mathematics.judging.judge import Judge
from engines.proofreading.chains import ChainLink
from engines.proofreading.link_verdicts import LinkVerdict
from engines.proofreading.term_properties import free_symbols

_ACCUSED = ("wrong", "doubtful")
_SCALARS = frozenset("abcdkrstαβλμ")
"""Letters before a tuple that are hardly names of functions."""

SidesReader = Callable[[ChainLink], tuple[Tree | None, Tree | None]]


def reconsider_own_notations(
    judged: Sequence[LinkVerdict], document: Document, read_sides: SidesReader, judge: Judge
) -> list[LinkVerdict]:
    """Return the verdicts on the links of a document, in which those that fail by a notation of its own are
    not shown."""
    defined: dict[int, ChainLink] = {}
    result: list[LinkVerdict] = []
    # A definition holds in its section, for what stands behind it.
    for each in judged:
        link, section = each.link, id(each.link.position.scope.section)
        if each.outcome in ("given", "not shown") and link.relation in ("=", ":="):
            # Axioms and definitions are given or not shown; what fails before them stays a mistake.
            if _defines_operation(*read_sides(link), judge):
                defined.setdefault(section, link)
        elif each.outcome in _ACCUSED and _is_bracket(link, document.pieces[link.piece_index].text):
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


def _is_bracket(link: ChainLink, formula: str) -> bool:
    """Return whether a link with the same sides, `v > v`, is an end of a bracket in its formula, of which the
    other sign is the other end, as in `<x, v> v`."""
    return link.relation in ("<", ">") and link.left == link.right and "<" in formula and ">" in formula


def _defines_operation(left: Tree | None, right: Tree | None, judge: Judge) -> bool:
    """Return whether an equation of letters says what a sum or multiple of tuples is, and it is another than
    that of their members: `c(a, b) = (ca, 0)`."""
    if left is None or right is None or right.label not in ("tuple", "cases"):
        return False
    # c(a, b) is read as a function of two numbers, and is a multiple of a pair.
    if left.label == "call" and len(left.children) > 2 and left.children[0].label in _SCALARS:
        name, *members = left.children
        left = Tree("*", (name, Tree("tuple", tuple(members))))
    tuples = [part for part in left.children if part.label == "tuple"]
    members = [member for part in tuples for member in part.children]
    if left.label not in ("+", "-", "*") or not members or any(member.children for member in members):
        return False
    if not all(free_symbols(part) for part in (*members, *left.children)):
        return False
    # Values by cases are a definition of its own if one of them is not the usual value.
    values = right.children[::2] if right.label == "cases" else (right,)
    return any(judge.equal(left, value).outcome in ("different", "equal if") for value in values)

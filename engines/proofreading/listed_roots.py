r"""Roots that a text lists: `x = \pi/6` or `x = 7\pi/6` behind `\sin x = 1/2`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import repeat

from engines.core.tree import ZERO, Tree
from engines.mathematics.judging.names import replace_variable
from engines.mathematics.judging.shapes import choose_signs
from engines.proofreading.chains import ChainLink
from engines.proofreading.cue_phrases import last_sentence, words_of
from engines.proofreading.facts import Facts
from engines.proofreading.link_verdicts import Accusation, Evidence, EvidenceKind
from engines.proofreading.stated_facts import Fact, describe_sources
from engines.proofreading.term_properties import OF_ANGLES, free_symbols, real_roots, values_agree

_NEAR_LINES = 16
_LINES_OF_ROOTS = 4
"""From a formula for both roots to what they are."""
_NEXT_PIECE = 2
"""Pieces of a text from one formula to the next, words between them."""
_ALTERNATIVE = frozenset(("or", "oder", "ou", "o", "或", "または", "или"))
"""Words between two roots of one equation."""
_ROOTS = frozenset(("root", "roots", "zero", "zeros", "zeroes"))
_BEING = frozenset(("is", "are", "were", "be", "word"))
"""… or a word of another language."""
_LISTING = _BEING.union(
    ("of", "the", "this", "equation", "therefore", "thus", "then", "hence", "so", "and", "or", "given", "by"),
    ("found", "to", "equal", "exactly", "both", "two"),
)
"""Words from those to the roots that they list."""
_BOTH_ROOTS = re.compile(r"(?P<name>[a-zα-ω])_1,2\Z")
"""The name of both roots of a quadratic equation."""


def find_failed_alternative(
    facts: Facts,
    link: ChainLink,
    left: Tree,
    right: Tree,
    before: tuple[ChainLink, Tree, Tree] | None,
) -> Accusation | None:
    """Return the equation that a value does not solve, where the other value that the text lists beside it
    does; None where there is none.

    Args:
        facts: What the text has said so far.
        link: The link that says the value.
        left: The letter.
        right: Its value.
        before: The equation that the text says before it, with its sides.
    """
    if before is None or link.relation != "=" or link.of_problem or link.has_denial_nearby:
        return None
    if left.children or free_symbols(right) or not free_symbols(left) or link.index:
        return None
    other, letter, value = before
    if letter != left or free_symbols(value) or not _are_alternatives(other, link):
        return None
    equations = list(_iterate_equations(facts, link, left.label))
    if any(_is_root(fact, left.label, right) is not False for fact in equations):
        return None
    for fact in equations:
        angles = not OF_ANGLES.isdisjoint((*fact.left.list_labels(), *fact.right.list_labels()))
        if angles and any("pi" not in side.list_labels() for side in (value, right)):
            continue  # it can be one of degrees
        if _is_root(fact, left.label, value):
            reason = f"it does not solve {describe_sources([fact]).removeprefix('by ')}, as the other does"
            return Accusation(reason, Evidence("stated values", (fact,)))
    return None


def find_failed_roots(facts: Facts, link: ChainLink, left: Tree, right: Tree) -> Accusation | None:
    """Return the quadratic equation of which both roots are said to be other numbers, `x_{1,2} = 3 ± 1`; None
    where they are its roots, or there is none."""
    match = _BOTH_ROOTS.match(left.label) if not left.children else None
    if match is None or link.relation != "=" or link.of_problem or link.has_denial_nearby:
        return None
    name = match["name"]
    values = [choose_signs(right, repeat(sign)) for sign in "+-"]
    if free_symbols(right) or values[0] == values[1]:
        return None
    equations = [
        fact
        for fact in _iterate_equations(facts, link, name)
        if len(real_roots(fact.left, fact.right, name, {})) == len(values)
    ]
    # What solves one of them is not accused by another.
    failed = [all(_is_root(fact, name, value) is False for value in values) for fact in equations]
    if not failed or not all(failed):
        return None
    reason = f"neither value solves {describe_sources(equations[:1]).removeprefix('by ')}"
    kind: EvidenceKind = "only statement" if len(equations) == 1 else "last equation"
    return Accusation(reason, Evidence(kind, (equations[0],)))


def find_other_root(facts: Facts, link: ChainLink, left: Tree, right: Tree) -> Accusation | None:
    """Return the formula that gives both roots, `x_{1,2} = 3 ± 1`, of which one is said to be another number,
    `x_2 = 1`; None where it is one of them, or there is no such formula.

    Args:
        facts: What the text has said so far.
        link: The link that says what the root is.
        left: Its name.
        right: Its value.
    """
    name, _, index = left.label.partition("_")
    if left.children or index not in ("1", "2") or free_symbols(right) or link.has_denial_nearby:
        return None
    both = [
        fact
        for fact in facts.in_scope
        if fact.left == Tree(f"{name}_1,2") and 0 <= link.line - fact.line <= _LINES_OF_ROOTS
    ]
    if link.relation != "=" or link.of_problem or not both or "pm" not in both[-1].right.list_labels():
        return None
    values = [choose_signs(both[-1].right, repeat(sign)) for sign in "+-"]
    if any(values_agree(value, right, {}) is not False for value in values):
        return None
    reason = f"it is neither of the two values, {describe_sources(both[-1:])}"
    return Accusation(reason, Evidence("only statement", (both[-1],)))


def find_false_root(
    stated: Sequence[tuple[ChainLink, Tree, Tree]], link: ChainLink, left: Tree, right: Tree
) -> Accusation | None:
    """Return the equation that a value does not solve which the text lists as one of its roots or zeros: `The
    roots of x^2 - 7x + 10 = 0 are x = 2 and x = -5`, `q(x) = (x - 1)(x + 3), so the zeros are x = 1, x = 3`;
    None where it solves it, or is not said to.

    Args:
        stated: The last equations that the text has stated, with their sides.
        link: The link that says the value.
        left: The letter, or its name as one of two, `x_1`.
        right: The value.
    """
    name, _, index = left.label.partition("_")
    if link.relation != "=" or left.children or index not in ("", "1", "2", "3") or link.index:
        return None
    words = last_sentence(link.words_before)
    if link.of_problem or link.has_denial_nearby or free_symbols(right) or not _lists_roots(words):
        return None
    begun = link.piece_index - 2 * (words.count("§") + 1)
    for other, one, value in reversed(stated):
        if other.piece_index < begun:
            break
        if other.index:
            continue
        # x = 2 is the root before it.
        if one.label.partition("_")[0] == name and not one.children and not free_symbols(value):
            continue
        is_function = one.label == "call" and one.children[1:] == (Tree(name),)
        sides = (value, ZERO) if is_function else (one, value)
        letters = free_symbols(sides[0]) | free_symbols(sides[1])
        if letters != {name} or (is_function and not value.children):
            return None
        there = [replace_variable(side, name, right) for side in sides]
        if values_agree(there[0], there[1], {}) is not False:
            return None
        written = " ".join(f"{other.left} {other.relation} {other.right}".split())
        return Accusation(f"it is no root of {written} (line {other.line})")
    return None


def _lists_roots(words: str) -> bool:
    """Return whether words say what the roots are, and lead to nothing else behind that: `the roots of § are`
    does, and `to find the roots note that for` does not."""
    said = words_of(words)
    named = [index for index, word in enumerate(said) if word in _ROOTS]
    behind = {*said[named[-1] + 1 :]} if named else set()
    return not behind.isdisjoint(_BEING) and behind <= _LISTING


def _are_alternatives(one: ChainLink, other: ChainLink) -> bool:
    """Return whether `or` and no other word stands between two equations."""
    if one.piece_index == other.piece_index:
        return one.chain_index + 1 == other.chain_index and {*words_of(other.connective)} <= _ALTERNATIVE
    words = words_of(other.words_before.rpartition("§")[2])
    return other.piece_index - one.piece_index == _NEXT_PIECE and bool(words) and {*words} <= _ALTERNATIVE


def _iterate_equations(facts: Facts, link: ChainLink, name: str) -> Iterator[Fact]:
    """Yield the equations for a letter alone that were stated shortly before a link, the last first."""
    stated: Sequence[Fact] = facts.in_scope
    for fact in reversed(stated):
        if link.line - fact.line > _NEAR_LINES:
            return
        if fact.variables == {name} and not fact.is_value and not fact.alternative:
            yield fact


def _is_root(fact: Fact, name: str, value: Tree) -> bool | None:
    """Return whether a value solves an equation; None where that is not known."""
    one, other = (replace_variable(side, name, value) for side in (fact.left, fact.right))
    return values_agree(one, other, {})

r"""Angles of which a text says the sine and the cosine: `\sin a = 3/5` and `\cos a = 4/5`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import pairwise

from engines.core.tree import Tree
from engines.proofreading.bounds import read_end
from engines.proofreading.chains import ChainLink
from engines.proofreading.cue_phrases import last_clause, mentions, words_of
from engines.proofreading.facts import Facts
from engines.proofreading.link_context import LinkContext
from engines.proofreading.link_verdicts import Accusation, Evidence
from engines.proofreading.stated_facts import Fact, describe_sources
from engines.proofreading.statement_roles import is_concluded, list_letters
from engines.proofreading.term_properties import (
    DECIMAL,
    OF_ANGLES,
    evaluate_term,
    free_symbols,
    values_agree,
)

_NEAR_LINES = 12
_CLOSE = 1e-9


def find_other_value_at_angle(facts: Facts, link: ChainLink, left: Tree, right: Tree) -> Accusation | None:
    """Return by which sines and cosines a function of angles is another number than the text says; None where
    it is that, or the angles are not known.

    Args:
        facts: What the text has said so far.
        link: The link between the term and the number.
        left: The term, as `\\cos(a + b)`.
        right: The number.
    """
    if link.relation != "=" or link.of_problem or link.is_denied_directly or link.is_one_of_alternatives:
        return None
    names = free_symbols(left)
    # A list of answers gives the sine and cosine of one letter anew, and draws nothing from them.
    drawn = link.index > 0 or link.connective == "row" or is_concluded(link)
    drawn = drawn or mentions("obtaining", last_clause(link.words_before))
    is_plain = left.label in OF_ANGLES and not left.children[0].children
    is_composed = not is_plain and any(node.label in OF_ANGLES for node in left)
    if not (drawn and is_composed and names) or free_symbols(right):
        return None
    if any(map(DECIMAL.match, right.list_labels())):
        return None
    angles, used = {}, list[Fact]()
    for name in names:
        sine, cosine = (_find_value(facts, link, label, name) for label in ("sin", "cos"))
        values = [evaluate_term(fact.right, {}) if fact else None for fact in (sine, cosine)]
        if sine is None or cosine is None or values[0] is None or values[1] is None:
            return None
        if abs(math.hypot(values[0], values[1]) - 1) > _CLOSE:
            return None
        angles[name] = math.atan2(values[0], values[1])
        used += [sine, cosine]
    value = evaluate_term(left, angles)
    if value is None or values_agree(left, right, angles) is not False:
        return None
    reason = f"{value:.6g} and {evaluate_term(right, {}):.6g}, {describe_sources(used)}"
    return Accusation(reason, Evidence("stated values", tuple(used)))


def find_other_sign_at_angle(
    context: LinkContext, link: ChainLink, left: Tree, right: Tree
) -> Accusation | None:
    """Return the quadrant of an angle in which its sine, cosine or tangent has another sign than is said;
    None where it has that, or no quadrant was named in the section.

    Args:
        context: What the text has said so far, and its words.
        link: The link between the function of the angle and its value.
        left: The function of the angle, as `\\sin a`.
        right: Its value.
    """
    if left.label not in _POSITIVE_IN or link.relation != "=" or link.of_problem or link.has_denial_nearby:
        return None
    angle, value = left.children[0], evaluate_term(right, {})
    if angle.children or not free_symbols(angle) or not value or link.is_one_of_alternatives:
        return None
    quadrants = _list_quadrants(context, link, angle.label)
    if len(quadrants) != 1:
        return None
    (quadrant,) = quadrants
    if (quadrant in _POSITIVE_IN[left.label]) == (value > 0):
        return None
    sign = "positive" if quadrant in _POSITIVE_IN[left.label] else "negative"
    return Accusation(f"it is {sign} in the {_QUADRANTS[quadrant]} quadrant")


def _list_quadrants(context: LinkContext, link: ChainLink, name: str) -> set[int]:
    """List the quadrants in which an angle is by the words and bounds of the last lines."""
    found = set()
    for at in range(max(0, link.piece_index - _NEAR_PIECES), link.piece_index):
        piece, place = context.pieces[at], context.positions[at]
        if piece.formula or place.scope.section is not link.position.scope.section:
            continue
        # "Let a be an angle in the third quadrant" is said of the letter beside it.
        beside = [each.text for each in context.pieces[max(0, at - 1) : at + 2] if each.formula]
        if not any(name in list_letters(formula) for formula in beside):
            continue
        words = words_of(piece.text)
        found |= {
            quadrant
            for quadrant, ordinal in enumerate(_QUADRANTS)
            for one, other in pairwise(words)
            if one == ordinal and other == "quadrant"
        }
    for one, bound in context.bounds:
        near = one.position.scope.reaches(link.position.scope) and link.line - one.line <= _NEAR_LINES
        end = read_end(bound) if near and free_symbols(bound) == {name} else None
        if end is not None:
            turns = end.value / (math.pi / 2)
            if abs(turns - round(turns)) < _CLOSE:
                found.add((round(turns) if end.is_above else round(turns) - 1) % 4)
    return found


_QUADRANTS = ("first", "second", "third", "fourth")
_POSITIVE_IN: Mapping[str, frozenset[int]] = {
    "sin": frozenset((0, 1)),
    "cos": frozenset((0, 3)),
    "tan": frozenset((0, 2)),
}
"""Quadrants, counted from 0, in which a function of an angle is positive."""
_NEAR_PIECES = 14


def _find_value(facts: Facts, link: ChainLink, label: str, name: str) -> Fact | None:
    """Return what the sine or cosine of an angle was said to be last, shortly before a link."""
    term = Tree(label, (Tree(name),))
    return next(
        (
            fact
            for fact in reversed(facts.in_scope)
            if fact.left == term and not free_symbols(fact.right)
            if link.line - fact.line <= _NEAR_LINES and not fact.alternative
        ),
        None,
    )

r"""Angles of which a text says the sine and the cosine: `\sin a = 3/5` and `\cos a = 4/5`."""

from __future__ import annotations

import math

from engines.core.tree import Tree
from engines.proofreading.chains import ChainLink
from engines.proofreading.cue_phrases import last_clause, mentions
from engines.proofreading.facts import Facts
from engines.proofreading.link_verdicts import Accusation, Evidence
from engines.proofreading.stated_facts import Fact, describe_sources
from engines.proofreading.statement_roles import is_concluded
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
    is_composed = left.label in OF_ANGLES and bool(left.children[0].children)
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

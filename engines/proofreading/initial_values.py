r"""Constants of a function by its values: behind `y = a \cos 2x + b \sin 2x` and `y'(0) = 6` the constant
`b = 3`.
"""

from __future__ import annotations

from engines.core.tree import Tree
from engines.mathematics.judging.names import replace_variable
from engines.proofreading.chains import ChainLink
from engines.proofreading.cue_phrases import last_clause, mentions
from engines.proofreading.facts import Facts
from engines.proofreading.link_verdicts import Accusation, Evidence
from engines.proofreading.stated_facts import Fact, describe_sources
from engines.proofreading.statement_roles import is_concluded
from engines.proofreading.term_properties import free_symbols, values_agree

_NEAR_LINES = 12
_JOINED = 2
"""Pieces of a text from one formula to the next, words between them."""


def find_failed_constant(facts: Facts, link: ChainLink, left: Tree, right: Tree) -> Accusation | None:
    """Return the value of a function that it does not have with the constants that the text draws from its
    values; None where it has all of them, or some constants are not known yet.

    Args:
        facts: What the text has said so far.
        link: The link that says what the constant is.
        left: The constant.
        right: Its value.
    """
    if left.children or not free_symbols(left) or free_symbols(right) or link.relation != "=" or link.index:
        return None
    if (
        link.of_problem
        or link.is_denied_directly
        or link.is_one_of_alternatives
        or not _is_drawn(facts, link)
    ):
        return None
    here = [
        fact
        for fact in facts.in_scope
        if 0 <= link.line - fact.line <= _NEAR_LINES and fact.position.scope is link.position.scope
    ]
    values = {fact.left.label: fact for fact in here if fact.is_value}
    for condition in reversed(here):
        used: list[Fact] = []
        at_number = condition.left.label == "call" and not any(map(free_symbols, condition.left.children[1:]))
        if not at_number or free_symbols(condition.right):
            continue
        value = facts.apply_definitions(condition.left, used)
        if left.label not in free_symbols(value) or any(fact.left.label != "call" for fact in used):
            continue
        value = replace_variable(value, left.label, right)
        for name in free_symbols(value) & values.keys():
            value = replace_variable(value, name, values[name].right)
            used.append(values[name])
        if not free_symbols(value) and values_agree(value, condition.right, {}) is False:
            sources = (condition, *used)
            reason = f"{condition.text} does not hold, {describe_sources(sources)}"
            return Accusation(reason, Evidence("only statement", sources))
    return None


def _is_drawn(facts: Facts, link: ChainLink) -> bool:
    """Return whether words draw a value from what stands before it, alone or with the one that it is joined
    to: `we obtain a = 1 and b = 3`."""
    before = link.words_before
    last = facts.every[-1] if facts.every else None
    joined = last is not None and last.is_value and 0 <= link.piece_index - last.piece <= _JOINED
    clauses = [last_clause(before.rstrip(" ,"))]
    if joined and not clauses[0].strip(" .").removeprefix("and").strip():
        clauses.append(last_clause(before.rpartition("§")[0]))
    drawn = any(mentions("obtaining", each) or mentions("deducing", each) for each in clauses)
    return drawn or is_concluded(link)

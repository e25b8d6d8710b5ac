"""Roots that violate what holds beside their equation: a sign, a kind of number, where terms are defined."""

from __future__ import annotations

import math
from collections.abc import Iterator

from engines.core.tree import Tree
from engines.proofreading.chains import ChainLink
from engines.proofreading.counterexamples import holds_at
from engines.proofreading.cue_phrases import denies_of_all, has_last_word, last_clause, mentions, words_of
from engines.proofreading.link_context import LinkContext
from engines.proofreading.link_verdicts import Evidence, LinkVerdict
from engines.proofreading.repair_conditions import write_term
from engines.proofreading.separate_equations import are_separate_tasks, is_of_earlier_case
from engines.proofreading.solution_changing_steps import explain_root
from engines.proofreading.stated_facts import Fact, cite_fact
from engines.proofreading.statement_roles import is_concluded
from engines.proofreading.term_properties import (
    OF_ANGLES,
    evaluate_term,
    free_symbols,
    list_divisors,
    real_roots,
    values_agree,
)

_NEXT_PIECE = 2
"""Pieces of a text from one formula to the next, words between them."""
_REFUSING = frozenset(("excluded", "extraneous", "rejected", "discarded", "inadmissible", "invalid"))
"""What words behind a root say that is none."""
_CLOSE = 1e-9
_ELSEWHERE = (7.3, 0.37, -2.9)
"""Where a term has a value that is one of numbers."""


def reconsider_root(judged: LinkVerdict, context: LinkContext, left: Tree, right: Tree) -> LinkVerdict:
    """Return the verdict on a value of a letter by the conditions that it has to satisfy beside an equation:
    one that violates them does not follow, and is wrong where the text concludes that it is the value."""
    link = judged.link
    if left.children or not free_symbols(left) or free_symbols(right) or link.relation != "=" or link.index:
        return judged
    value = evaluate_term(right, {})
    violated = "" if value is None else next(_iterate_violated(context, link, left.label, value), "")
    if not violated:
        return judged
    if not _is_claimed(link):
        return LinkVerdict(link, "not shown", violated)
    return LinkVerdict(link, "wrong", violated, evidence=Evidence("last equation"))


def _is_claimed(link: ChainLink) -> bool:
    """Return whether a text concludes that a root is the value of its letter, and does not refuse it behind;
    of several roots one can be refused further on."""
    clause = last_clause(link.words_before.rstrip(" ,"))
    drawn = link.connective == "so" or is_concluded(link) or mentions("obtaining", clause)
    drawn = drawn or mentions("deducing", clause)
    drawn = drawn and not mentions("setting aside", clause)
    behind = f"{link.words_after} {link.words_after_next}"
    refused = link.of_problem or link.is_denied_directly or mentions("denied", behind)
    refused = refused or not _REFUSING.isdisjoint(words_of(behind))
    return drawn and not (refused or link.alternatives or link.is_one_of_alternatives)


def _iterate_violated(context: LinkContext, link: ChainLink, name: str, value: float) -> Iterator[str]:
    """Yield what a value of a letter violates, in words."""
    at = {name: value}
    known = context.facts.equation_for(name)
    denied = [
        condition
        for one, condition in context.inequalities
        if denies_of_all(one.words_before) and one.position.paragraph == link.position.paragraph
    ]
    for one, condition in context.inequalities:
        if condition in denied:
            continue  # "none of them satisfies x > 3" ends the case x > 3
        if holds_at(condition, at) is False and _is_condition_on(context, link, name, one, condition, known):
            yield f"it is not {write_term(condition)} (line {one.line})"
    declared = context.domains.find_declaration(name, link.position, link.piece_index)
    if declared is not None and declared.position.paragraph == link.position.paragraph:
        for condition in declared.conditions:
            if holds_at(condition, at) is False:
                yield f"{name} is no such number: {write_term(condition)}"
    if known is None or known.position.paragraph != link.position.paragraph:
        return
    for fact in context.facts.in_scope:
        here = fact.position.paragraph == link.position.paragraph and fact.number <= known.number
        separate = known is not fact and (
            are_separate_tasks(context.pieces, fact, known) or is_of_earlier_case(context.pieces, fact, known)
        )
        if here and fact.variables == {name} and not fact.is_value and not separate:
            yield from _describe_failed(context, fact, known, at)


def _is_condition_on(
    context: LinkContext, link: ChainLink, name: str, one: ChainLink, condition: Tree, known: Fact | None
) -> bool:
    """Return whether a condition holds for the letter where a value for it is drawn from an equation."""
    here = one.position.paragraph == link.position.paragraph and one.piece_index < link.piece_index
    if not here or free_symbols(condition) != {name} or not one.position.scope.reaches(link.position.scope):
        return False
    if condition.label != "!=" and condition not in context.facts.conditions:
        return False  # another case has begun
    # "None satisfies x > 3" says of no value that it does, "8a > 9 for any a > 1" what holds of others.
    of_all = mentions("universal", last_clause(one.words_before)) or mentions("universal", one.words_after)
    if of_all or denies_of_all(one.words_before):
        return False
    # "Assume x ≠ 0. …, a contradiction. Thus x = 0": the text gives up what leads to it.
    if any(one.piece_index < piece <= link.piece_index for piece, _ in context.contradictions):
        return False
    # The ends of an interval "on x > 3" belong to what is said of both sides of them.
    if has_last_word("stretched over", one.words_before):
        return False
    # "For x > 0 …" holds in its sentence, or for the equation beside it.
    beside = known is not None and abs(one.piece_index - known.piece) <= _NEXT_PIECE
    same_sentence = link.piece_index - one.piece_index <= 2 * link.words_before.count("§")
    return beside or same_sentence or not has_last_word("restricted", one.words_before)


def _describe_failed(context: LinkContext, fact: Fact, known: Fact, at: dict[str, float]) -> Iterator[str]:
    """Yield why a root of an equation is none of an earlier one, or of this one itself."""
    (name,) = at
    sides = fact.left, fact.right
    of_angles = not OF_ANGLES.isdisjoint((*fact.left.list_labels(), *fact.right.list_labels()))
    if of_angles and abs(at[name]) > 2 * math.pi:
        return  # an angle in degrees
    divisors = set().union(*map(list_divisors, sides))
    values = [evaluate_term(side, at) for side in sides]
    if not all(any(evaluate_term(side, {name: one}) is not None for one in _ELSEWHERE) for side in sides):
        return
    undefined = None in values or any(abs(evaluate_term(each, at) or 0.0) < _CLOSE for each in divisors)
    if not undefined and values_agree(*sides, at) is not False:
        return
    if fact.number == known.number:
        if undefined:
            yield f"{cite_fact(fact)} has no value there"
        return
    earlier, later = (Tree("=", (each.left, each.right)) for each in (fact, known))
    how = explain_root(earlier, later, context.judge)
    others = (root for root in real_roots(known.left, known.right, name, {}) if abs(root - at[name]) > _CLOSE)
    # An equation whose other root solves both was drawn from the earlier one.
    if how or any(values_agree(*sides, {name: root}) for root in others):
        failed = f"{cite_fact(fact)} has no value there" if undefined else f"not {cite_fact(fact)}"
        yield f"it solves {cite_fact(known)}, but {failed}{', which was ' + how if how else ''}"

"""Terms that have one value by what was said right before, and are said to have another."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from engines.core.tree import Tree
from engines.mathematics.algebra.rational import number_tree
from engines.mathematics.judging.judge import Judge
from engines.mathematics.judging.names import replace_variable
from engines.proofreading.chains import ChainLink
from engines.proofreading.cue_phrases import mentions, read_last_cue
from engines.proofreading.divergent_integrals import describe_divergence
from engines.proofreading.facts import Facts
from engines.proofreading.link_verdicts import Accusation, Evidence
from engines.proofreading.near_consequences import find_known_places
from engines.proofreading.number_links import NumberLinks
from engines.proofreading.stated_facts import Fact, describe_sources
from engines.proofreading.statement_roles import is_concluded, is_supposed
from engines.proofreading.term_properties import (
    DECIMAL,
    evaluate_term,
    free_symbols,
    is_ambiguous,
    values_agree,
)

_NEAR_LINES = 8
_NEXT_PIECE = 2
"""Pieces of a text from one formula to the next, words between them."""
_LARGEST_DENOMINATOR = 1000
_ROUNDED = 0.05
"""Share by which a value and the rounded one differ at most."""
_TOTALS = frozenset(("integral", "limit", "sum"))
"""Operations of which a name has the value wherever its example calculates it."""


def find_contradicted_value(
    facts: Facts, link: ChainLink, left: Tree, right: Tree, judge: Judge, numbers: NumberLinks
) -> Accusation | None:
    """Return which number a term is by the statements right before it, where the text says another; None
    where these say no number, or this one.

    Args:
        facts: What the text has said so far.
        link: The link between the term and the number.
        left: The term.
        right: The number.
        judge: The judge of terms.
        numbers: The judge of numbers, which knows what is rounded.
    """
    if link.relation != "=" or link.of_problem or link.is_denied_directly or link.is_one_of_alternatives:
        return None
    if free_symbols(right) or not free_symbols(left) or any(map(is_ambiguous, (left, right))):
        return None
    # "It is found at once, and § " introduces no value that is worked out.
    if is_supposed(link, may_give_value=not right.children):
        return None
    if not link.index and read_last_cue(link.words_before) == "given":
        return None
    if not left.children:
        return _find_other_total(facts, link, left, right, judge, numbers)
    # An equation in one letter is solved, and which of several is the odd one others tell.
    if not (link.index or is_concluded(link)) or left.label == "call" or len(free_symbols(left)) < 2:
        return None
    known = find_known_places(facts, left, right, link.line)
    if known is None or known.varies(known.sides[0]) or not known.differ:
        return None
    value = evaluate_term(known.sides[0], known.points[0])
    if value is None:
        return None
    exact = number_tree(Fraction(value).limit_denominator(_LARGEST_DENOMINATOR))
    reduced = facts.reduce_by_facts(left, exact, certain_only=True)
    if reduced is None or not reduced.same or not reduced.used:
        return None
    # What only puts values in may be about another example; equations between letters are of this one.
    if all(fact.is_value for fact in reduced.used) or not all(_is_near(fact, link) for fact in reduced.used):
        return None
    if facts.find_contradiction(left, exact, reduced.used) or numbers.are_about_equal(exact, right):
        return None
    verdict = judge.equal(exact, right)
    if verdict.outcome != "different":
        return None
    reason = f"{verdict.witness}, {describe_sources(reduced.used)}"
    return Accusation(reason, Evidence("stated values", reduced.used))


def find_other_value_there(
    facts: Facts, link: ChainLink, left: Tree, right: Tree, before: Sequence[tuple[ChainLink, Tree, Tree]]
) -> Accusation | None:
    """Return what a letter is where another has the value right before, if the text says another number:
    behind `u = x^2 + 1` the value `x = 2` gives `u = 5`.

    Args:
        facts: What the text has said so far.
        link: The link that says the value of the letter.
        left: The letter.
        right: Its value.
        before: The equations that the text says before it, with their sides.
    """
    if not before or left.children or free_symbols(right) or not free_symbols(left):
        return None
    other, name, value = before[-1]
    # "x = 0 and x = 1 become u = 1 and u = 0" gives each of several values its own.
    if any(one.piece_index == other.piece_index - _NEXT_PIECE and name == side for one, side, _ in before):
        return None
    words = link.words_before.rpartition("§")[2]
    gives = mentions("obtaining", words) or read_last_cue(words) == "claimed"
    gives = gives and link.piece_index - other.piece_index == _NEXT_PIECE
    if not gives or name.children or free_symbols(value) or link.index or link.has_denial_nearby:
        return None
    known = next((one for one in reversed(facts.in_scope) if one.left == left and not one.is_value), None)
    if (
        known is None
        or free_symbols(known.right) != {name.label}
        or not 0 <= link.line - known.line <= _NEAR_LINES
    ):
        return None
    there = replace_variable(known.right, name.label, value)
    shown = evaluate_term(there, {})
    if shown is None or values_agree(there, right, {}) is not False:
        return None
    return Accusation(f"it is {shown:.6g}, {describe_sources([known])}", Evidence("stated values", (known,)))


def find_other_value_in_chain(facts: Facts, link: ChainLink, left: Tree, right: Tree) -> Accusation | None:
    """Return the value that a letter was said to have right before, where a chain goes on from it to another
    one: behind `a = 0` the chain `f'(1) = a = 2`; None where it has no value, or several.

    Args:
        facts: What the text has said so far.
        link: The link between the letter and its value.
        left: The letter.
        right: Its value.
    """
    if (
        link.relation != "="
        or not link.index
        or left.children
        or not free_symbols(left)
        or free_symbols(right)
    ):
        return None
    if link.of_problem or link.has_denial_nearby or link.is_one_of_alternatives or link.may_be_one_of_several:
        return None
    values = [fact for fact in facts.in_scope if fact.is_value and fact.left == left]
    if len(values) != 1 or values[0].alternative or values[0].is_supposed or values[0].is_local:
        return None
    near = values[0].position.scope is link.position.scope and link.line - values[0].line <= _NEAR_LINES
    if not near or any(map(is_ambiguous, (right, values[0].right))):
        return None
    one, other = (evaluate_term(side, {}) for side in (values[0].right, right))
    if one is None or other is None or abs(one - other) <= _ROUNDED * max(abs(one), abs(other)):
        return None
    return Accusation(
        f"{one:.6g} and {other:.6g}, {describe_sources(values)}", Evidence("stated values", (values[0],))
    )


def _find_other_total(
    facts: Facts, link: ChainLink, left: Tree, right: Tree, judge: Judge, numbers: NumberLinks
) -> Accusation | None:
    """Return the integral, limit or sum that a name was said to be right before, and is not equal to what it
    is said to be now."""
    known = next((fact for fact in reversed(facts.in_scope) if left in (fact.left, fact.right)), None)
    if known is None or link.index or known.left != left or not right.children:
        return None
    is_total = not _TOTALS.isdisjoint(known.right.list_labels()) and not free_symbols(known.right)
    here = known.position.scope is link.position.scope and link.line - known.line <= _NEAR_LINES
    here = here and not (known.alternative or known.is_supposed)
    # Another integral may be that of another example, unless words draw it from the first.
    drawn = is_concluded(link) or link.connective == "so"
    is_worked_out = drawn or _TOTALS.isdisjoint(right.list_labels())
    if not (is_total and here and is_worked_out) or any(map(DECIMAL.match, right.list_labels())):
        return None
    if divergence := next(filter(None, map(describe_divergence, right)), ""):
        return Accusation(f"{divergence}, {describe_sources([known])}", Evidence("stated values", (known,)))
    verdict = judge.equal(known.right, right)
    if verdict.outcome != "different" or numbers.are_about_equal(known.right, right):
        return None
    reason = f"{verdict.witness}, {describe_sources([known])}"
    return Accusation(reason, Evidence("stated values", (known,)))


def _is_near(fact: Fact, link: ChainLink) -> bool:
    """Return whether a certain statement stands in the paragraph of a link, or on the lines before it."""
    certain = fact.is_certain and not (fact.alternative or fact.is_supposed)
    here = fact.position.paragraph == link.position.paragraph
    return certain and (here or 0 <= link.line - fact.line <= _NEAR_LINES)
